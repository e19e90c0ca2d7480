//! `printenv`: print environment variables.

use hookshell_process::text;
use hookshell_utility::Profile;
use hookshell_utility::command::{Variables, is_same};
use hookshell_utility::options::{OptionSpec, flag, parse_leading};
use hookshell_utility::prepare;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `printenv [-0] [NAME]…` (GNU): the values; all variables without a name. Status 1 when one is not set.
pub(crate) struct Printenv;

const OPTIONS: &[OptionSpec] = &[flag(b'0', "null")];

impl Utility for Printenv {
    fn name(&self) -> &'static str {
        "printenv"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            Profile::new(self.name()).usage(2).write_error(Some(2)),
            call,
            |call| parse_leading(call.argv, OPTIONS),
            |running, parsed| {
                let end = if parsed.has(b'0') { 0 } else { b'\n' };
                let env = running.context().env;
                if parsed.operands.is_empty() {
                    running.write(&Variables::new(env.to_vec()).print(end))?;
                    return Ok(0);
                }
                let mut out = Vec::new();
                let mut status = 0;
                for &operand in &parsed.operands {
                    let name = text::to_os(operand);
                    match env.iter().find(|(known, _)| is_same(known, &name)) {
                        Some((_, value)) => {
                            out.extend_from_slice(&text::from_os(value));
                            out.push(end);
                        }
                        None => status = 1,
                    }
                }
                running.write(&out)?;
                Ok(status)
            },
        )
    }
}
