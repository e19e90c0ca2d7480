//! `whoami`, `hostname`: who and where.

use hookshell_process::{system, text};
use hookshell_utility::Profile;
use hookshell_utility::io::Running;
use hookshell_utility::options::parse;
use hookshell_utility::prepare;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

/// `whoami` (GNU): the effective user's name; Windows: USERNAME.
pub(crate) struct Whoami;

/// `hostname`: the machine's name. Everything else is the real program's.
pub(crate) struct Hostname;

fn read(argv: &Args) -> Result<(), Unsupported> {
    match parse(argv, &[])?.operands.first() {
        Some(operand) => Err(Unsupported::mistake(format!("the operand {}", operand.escape_ascii()))),
        None => Ok(()),
    }
}

impl Utility for Whoami {
    fn name(&self) -> &'static str {
        "whoami"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            self.name(),
            call,
            |call| read(call.argv),
            |running, ()| {
                let id = system::ids().euid;
                match user_name(running, id) {
                    Some(name) => {
                        running.write(&[&name[..], b"\n"].concat())?;
                        Ok(0)
                    }
                    None => {
                        running.message(format!("cannot find name for user ID {id}").as_bytes())?;
                        Ok(1)
                    }
                }
            },
        )
    }
}

/// The name of a user of this process: Windows has no numbers for them, but the variable.
pub(super) fn user_name(running: &Running<'_>, id: u32) -> Option<Vec<u8>> {
    if cfg!(windows) {
        running.context().variable("USERNAME").map(|name| text::from_os(name).into_owned())
    } else {
        system::user_name(id)
    }
}

impl Utility for Hostname {
    fn name(&self) -> &'static str {
        "hostname"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            // Net-tools' does not look.
            Profile::new(self.name()).write_error(None),
            call,
            |call| read(call.argv),
            |running, ()| {
                running.write(&[&text::from_os(&system::hostname())[..], b"\n"].concat())?;
                Ok(0)
            },
        )
    }
}
