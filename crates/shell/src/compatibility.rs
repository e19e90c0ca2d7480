//! BASH_COMPAT: the version of bash whose behaviour a script asks for.

use crate::shell::Shell;

/// What BASH_COMPAT is in this version.
const COMPATIBLE_NOW: u32 = 52;

impl Shell {
    /// The version of bash whose behaviour is asked for: 52, or what BASH_COMPAT says.
    pub(crate) fn compatibility(&self) -> u32 {
        self.vars.scalar_bytes(b"BASH_COMPAT").and_then(compatibility_level).unwrap_or(COMPATIBLE_NOW)
    }
}

/// The level that a value of BASH_COMPAT names: `4.4` or `44`.
pub(crate) fn compatibility_level(text: &[u8]) -> Option<u32> {
    let level = match text {
        [] => COMPATIBLE_NOW,
        [major @ b'0'..=b'9', b'.', minor @ b'0'..=b'9'] | [major @ b'0'..=b'9', minor @ b'0'..=b'9'] => {
            u32::from(major - b'0') * 10 + u32::from(minor - b'0')
        }
        _ => return None,
    };
    (31..=COMPATIBLE_NOW).contains(&level).then_some(level)
}
