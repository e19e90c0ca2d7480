//! `dirname`: a path without its last component.

use hookshell_utility::options::{OptionSpec, flag, parse};
use hookshell_utility::prepare;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `dirname [-z] NAME…` (XCU `dirname`, GNU's several names).
pub(crate) struct Dirname;

const OPTIONS: &[OptionSpec] = &[flag(b'z', "zero")];

impl Utility for Dirname {
    fn name(&self) -> &'static str {
        "dirname"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            self.name(),
            call,
            |call| parse(call.argv, OPTIONS),
            |running, parsed| {
                if parsed.operands.is_empty() {
                    return running.usage(b"missing operand");
                }
                let end = if parsed.has(b'z') { 0 } else { b'\n' };
                let mut out = Vec::new();
                for name in &parsed.operands {
                    out.extend_from_slice(directory(name, cfg!(windows)));
                    out.push(end);
                }
                running.write(&out)?;
                Ok(0)
            },
        )
    }
}

/// The path without its last component. On Windows a backslash separates too, and `C:` is no component; above the root of a
/// drive is `/`, where scripts that go upwards end.
fn directory(name: &[u8], windows: bool) -> &[u8] {
    let is_slash = |byte: &u8| *byte == b'/' || windows && *byte == b'\\';
    let start = drive_length(name, windows);
    let (drive, rest) = name.split_at(start);
    let without_slashes = |name: &[u8]| name.iter().rposition(|byte| !is_slash(byte)).map(|at| at + 1);
    let of_drive = |length: usize| name.get(..start + length).unwrap_or_default();
    let Some(end) = without_slashes(rest) else {
        return match (drive, rest) {
            (b"", b"") => b".",
            // `C:` is the directory of a drive that one is in.
            (_, b"") => drive,
            _ => b"/",
        };
    };
    let trimmed = rest.get(..end).unwrap_or_default();
    let Some(slash) = trimmed.iter().rposition(is_slash) else {
        return if drive.is_empty() { b"." } else { drive };
    };
    match without_slashes(trimmed.get(..slash).unwrap_or_default()) {
        Some(end) => of_drive(end),
        None if drive.is_empty() => b"/",
        None => of_drive(1),
    }
}

/// The length of a drive's `C:` at the start; 0 without one.
pub(crate) fn drive_length(name: &[u8], windows: bool) -> usize {
    if windows && matches!(name, [letter, b':', ..] if letter.is_ascii_alphabetic()) { 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::directory;

    #[test]
    fn a_path_without_its_last_component() {
        for (name, unix, windows) in [
            ("", ".", "."),
            ("/", "/", "/"),
            ("//", "/", "/"),
            ("a", ".", "."),
            ("a/b//", "a", "a"),
            ("/a", "/", "/"),
            ("C:/a/b", "C:/a", "C:/a"),
            ("C:/a", "C:", "C:/"),
            ("C:/", ".", "/"),
            ("C:", ".", "C:"),
            ("C:a", ".", "C:"),
            (r"C:\a\b c", ".", r"C:\a"),
            (r"C:\a\", ".", r"C:\"),
            (r"a\b/c", r"a\b", r"a\b"),
            (r"a/b\c", "a", "a/b"),
        ] {
            assert_eq!(directory(name.as_bytes(), false), unix.as_bytes(), "{name}");
            assert_eq!(directory(name.as_bytes(), true), windows.as_bytes(), "{name} on Windows");
        }
    }
}
