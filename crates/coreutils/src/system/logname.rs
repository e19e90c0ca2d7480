//! `logname`: who has logged in.

use hookshell_process::{system, text};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::parse;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `logname` (XCU `logname`): the name of the login's user, as the kernel notes it; Windows: USERNAME.
    Logname, "logname"
}

/// What the kernel says of processes without a login.
const NOBODY: u32 = u32::MAX;

fn read(call: &UtilityCall<'_>) -> Result<(), Unsupported> {
    if let Some(operand) = parse(call.argv, &[])?.operands.first() {
        return Err(Unsupported::mistake(format!("the operand {}", operand.escape_ascii())));
    }
    if cfg!(unix) && !cfg!(target_os = "linux") {
        return Err(Unsupported::new("this system"));
    }
    Ok(())
}

fn run(running: &Running<'_>, (): ()) -> Result<u8, Failure> {
    let name = if cfg!(windows) {
        running.context().variable("USERNAME").map(|name| text::from_os(name).into_owned())
    } else {
        let id = std::fs::read_to_string("/proc/self/loginuid").ok().and_then(|text| text.trim().parse::<u32>().ok());
        id.filter(|id| *id != NOBODY).and_then(system::user_name)
    };
    match name {
        Some(name) => {
            running.write(&[&name[..], b"\n"].concat())?;
            Ok(0)
        }
        None => {
            running.message(b"no login name")?;
            Ok(1)
        }
    }
}
