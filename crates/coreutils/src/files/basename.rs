//! `basename`: the last component of a path.

use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

/// `basename NAME [SUFFIX]`, `basename -a|-s SUFFIX [-z] NAME…` (XCU `basename`, GNU's options).
pub(crate) struct Basename;

const OPTIONS: &[OptionSpec] = &[flag(b'a', "multiple"), value(b's', "suffix"), flag(b'z', "zero")];

impl Utility for Basename {
    fn name(&self) -> &'static str {
        "basename"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        let read = |call: &UtilityCall<'a>| {
            let parsed = parse(call.argv, OPTIONS)?;
            // GNU stops at the first operand here: an option after it would be a suffix or a name.
            if options_come_first(call.argv) { Ok(parsed) } else { Err(Unsupported::new("options after an operand")) }
        };
        prepare(self.name(), call, read, |running, parsed| {
            let end = if parsed.has(b'z') { 0 } else { b'\n' };
            let mut names = parsed.operands.clone();
            let mut suffix = parsed.last(b's').unwrap_or_default();
            if names.is_empty() {
                return running.usage(b"missing operand");
            }
            if !parsed.has(b'a') && !parsed.has(b's') {
                if let Some(extra) = names.get(2) {
                    return running.usage(&[&b"extra operand "[..], &quote::always(extra)].concat());
                }
                if names.len() == 2 {
                    suffix = names.pop().unwrap_or_default();
                }
            }
            let mut out = Vec::new();
            for name in names {
                out.extend_from_slice(strip(base(name, cfg!(windows)), suffix));
                out.push(end);
            }
            running.write(&out)?;
            Ok(0)
        })
    }
}

/// Does every option stand before the first operand?
pub(crate) fn options_come_first(argv: &Args) -> bool {
    let mut seen_operand = false;
    let mut takes_value = false;
    for word in argv.iter_from(1) {
        if takes_value {
            takes_value = false;
        } else if word == b"--" {
            return !seen_operand;
        } else if word.len() > 1 && word.starts_with(b"-") {
            if seen_operand {
                return false;
            }
            takes_value = word == b"--suffix" || (!word.starts_with(b"--") && word.ends_with(b"s"));
        } else {
            seen_operand = true;
        }
    }
    true
}

/// The last component; of a path of slashes only, one slash. On Windows a backslash separates too, and `C:` is no
/// component.
fn base(name: &[u8], windows: bool) -> &[u8] {
    let is_slash = |byte: &u8| *byte == b'/' || windows && *byte == b'\\';
    let start = super::dirname::drive_length(name, windows);
    let rest = name.get(start..).unwrap_or_default();
    let Some(last) = rest.iter().rposition(|byte| !is_slash(byte)) else {
        return name.get(..start + rest.len().min(1)).unwrap_or_default();
    };
    let trimmed = rest.get(..=last).unwrap_or_default();
    let start = trimmed.iter().rposition(is_slash).map_or(0, |at| at + 1);
    trimmed.get(start..).unwrap_or_default()
}

/// Without the suffix, unless nothing would be left.
fn strip<'a>(name: &'a [u8], suffix: &[u8]) -> &'a [u8] {
    match name.strip_suffix(suffix) {
        Some(stripped) if !stripped.is_empty() => stripped,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::base;

    #[test]
    fn the_last_component() {
        for (name, unix, windows) in [
            ("", "", ""),
            ("//", "/", "/"),
            ("a/b//", "b", "b"),
            ("C:/a/b", "b", "b"),
            ("C:/", "C:", "C:/"),
            ("C:", "C:", "C:"),
            ("C:a", "C:a", "a"),
            (r"C:\a\b c\", r"C:\a\b c\", "b c"),
            (r"a/b\c", r"b\c", "c"),
        ] {
            assert_eq!(base(name.as_bytes(), false), unix.as_bytes(), "{name}");
            assert_eq!(base(name.as_bytes(), true), windows.as_bytes(), "{name} on Windows");
        }
    }
}
