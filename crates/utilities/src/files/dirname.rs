//! `dirname`: a path without its last component.

use hookshell_shell::{Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use crate::io::Running;
use crate::options::{OptionSpec, flag, parse};

/// `dirname [-z] NAME…` (XCU `dirname`, GNU's several names).
pub(crate) struct Dirname;

const OPTIONS: &[OptionSpec] = &[flag(b'z', "zero")];

impl Utility for Dirname {
    fn name(&self) -> &'static str {
        "dirname"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        parse(call.argv, OPTIONS).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(
            self.name(),
            context,
            |call| parse(call.argv, OPTIONS),
            |running, parsed| {
                if parsed.operands.is_empty() {
                    return running.usage(b"missing operand");
                }
                let end = if parsed.has(b'z') { 0 } else { b'\n' };
                let mut out = Vec::new();
                for name in &parsed.operands {
                    out.extend_from_slice(folder(name));
                    out.push(end);
                }
                running.write(&out)?;
                Ok(0)
            },
        )
    }
}

fn folder(name: &[u8]) -> &[u8] {
    let without_slashes = |name: &[u8]| name.iter().rposition(|byte| *byte != b'/').map(|at| at + 1);
    let Some(end) = without_slashes(name) else {
        return if name.is_empty() { b"." } else { b"/" };
    };
    let trimmed = name.get(..end).unwrap_or_default();
    let Some(slash) = trimmed.iter().rposition(|byte| *byte == b'/') else {
        return b".";
    };
    let before = trimmed.get(..slash).unwrap_or_default();
    match without_slashes(before) {
        Some(end) => before.get(..end).unwrap_or_default(),
        None => b"/",
    }
}
