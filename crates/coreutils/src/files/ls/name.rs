//! Which names are listed, and how they are quoted.

use hookshell_text::pattern::{Options, matches};
use hookshell_utility::quote;

/// What is not listed.
#[derive(Debug)]
pub(super) struct Ignored<'a> {
    /// Names that begin with a dot.
    pub(super) hidden: bool,
    /// `.` and `..`
    pub(super) special: bool,
    /// `-B`: names that end in `~`.
    pub(super) backups: bool,
    /// `-I`
    pub(super) patterns: Vec<&'a [u8]>,
    /// `--hide`: without `-a` and `-A`.
    pub(super) hiding: Vec<&'a [u8]>,
}

impl Default for Ignored<'_> {
    fn default() -> Self {
        Self { hidden: true, special: true, backups: false, patterns: Vec::new(), hiding: Vec::new() }
    }
}

impl Ignored<'_> {
    pub(super) fn has(&self, name: &[u8]) -> bool {
        // A leading dot is only matched by one.
        let fits = |pattern: &&[u8]| {
            (!name.starts_with(b".") || pattern.starts_with(b".") || pattern.starts_with(b"\\."))
                && matches(pattern, name, Options { extglob: false, nocase: false, bytes: false })
        };
        self.hidden && (name.starts_with(b".") || self.hiding.iter().any(fits))
            || self.backups && name.ends_with(b"~")
            || self.patterns.iter().any(fits)
    }
}

/// How names are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    Literal,
    /// `-Q`: as a string in C.
    C,
    /// `-b`: with backslashes.
    Escape,
    /// The same where something is escaped, else as it is.
    CIfNeeded,
    /// For a shell, always with quotes.
    Shell,
    /// For a shell, with quotes where it needs them.
    ShellIfNeeded,
    /// Between these quotes, with C's escapes.
    Locale {
        left: &'static str,
        right: &'static str,
    },
    /// In quotes, and no character of it escaped.
    ShellRaw {
        always: bool,
    },
}

impl Quoting {
    /// `header`: the name stands before a colon.
    pub(super) fn show(self, name: &[u8], header: bool) -> Vec<u8> {
        match self {
            Self::Literal => return name.to_vec(),
            Self::Shell => return quote::always(name),
            Self::ShellIfNeeded => return quote::if_needed(name),
            Self::ShellRaw { always } => return raw(name, always),
            Self::CIfNeeded => {
                let quoted = Self::C.show(name, header);
                return if quoted.len() == name.len() + 2 { name.to_vec() } else { quoted };
            }
            Self::C | Self::Escape | Self::Locale { .. } => {}
        }
        let mut shown = Vec::with_capacity(name.len() + 2);
        let (left, right) = match self {
            Self::C => ("\"", "\""),
            Self::Locale { left, right } => (left, right),
            _ => ("", ""),
        };
        let quoted = !right.is_empty();
        shown.extend_from_slice(left.as_bytes());
        for chunk in name.utf8_chunks() {
            for character in chunk.valid().chars() {
                let escape = match character {
                    '\x07' => 'a',
                    '\x08' => 'b',
                    '\t' => 't',
                    '\n' => 'n',
                    '\x0b' => 'v',
                    '\x0c' => 'f',
                    '\r' => 'r',
                    '\\' => '\\',
                    quote if right.chars().eq([quote]) => quote,
                    ' ' if !quoted && !header => ' ',
                    ':' if header => ':',
                    other => {
                        let mut buffer = [0; 4];
                        let bytes = other.encode_utf8(&mut buffer).as_bytes();
                        if other.is_control() {
                            octal(&mut shown, bytes);
                        } else {
                            shown.extend_from_slice(bytes);
                        }
                        continue;
                    }
                };
                shown.extend_from_slice(format!("\\{escape}").as_bytes());
            }
            octal(&mut shown, chunk.invalid());
        }
        shown.extend_from_slice(right.as_bytes());
        shown
    }
}

/// Without escapes.
fn raw(name: &[u8], always: bool) -> Vec<u8> {
    let is_plain = |character: char| !character.is_control();
    let is_text = std::str::from_utf8(name).is_ok_and(|name| name.chars().all(is_plain));
    if is_text {
        return if always { quote::always(name) } else { quote::if_needed(name) };
    }
    let bare: Vec<u8> = name.iter().copied().filter(|byte| byte.is_ascii() && !byte.is_ascii_control()).collect();
    let needs = always || name.iter().any(|byte| b"\t\n\r".contains(byte)) || quote::if_needed(&bare) != bare;
    if !needs {
        return name.to_vec();
    }
    let parts: Vec<&[u8]> = name.split(|byte| *byte == b'\'').collect();
    [b"'", &parts.join(&b"'\\''"[..])[..], b"'"].concat()
}

/// A path as a part of an address (RFC 3986).
pub(super) fn address(path: &[u8], is_path: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    for &byte in path {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || is_path && byte == b'/' {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02x}").as_bytes());
        }
    }
    out
}

fn octal(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::{Ignored, Quoting, address};

    #[test]
    fn names_are_quoted_as_in_c() {
        for (name, c, escape) in [
            (&b"a b"[..], "\"a b\"", "a\\ b"),
            (b"t\tx\"y\\", "\"t\\tx\\\"y\\\\\"", "t\\tx\"y\\\\"),
            (b"\x01\xff", "\"\\001\\377\"", "\\001\\377"),
            ("é".as_bytes(), "\"é\"", "é"),
        ] {
            assert_eq!(String::from_utf8(Quoting::C.show(name, false)).unwrap(), c);
            assert_eq!(String::from_utf8(Quoting::Escape.show(name, false)).unwrap(), escape);
        }
        assert_eq!(Quoting::C.show(b"a:b", true), b"\"a\\:b\"");
        for (quoting, name, expected) in [
            (Quoting::CIfNeeded, &b"a b"[..], &b"a b"[..]),
            (Quoting::CIfNeeded, b"a\tb", b"\"a\\tb\""),
            (Quoting::ShellIfNeeded, b"a b", b"'a b'"),
            (Quoting::ShellRaw { always: false }, b"a\n'b", b"'a\n'\\''b'"),
            (Quoting::ShellRaw { always: false }, b"a\x01", b"a\x01"),
            (Quoting::ShellRaw { always: true }, b"a", b"'a'"),
        ] {
            assert_eq!(quoting.show(name, false), expected);
        }
    }

    #[test]
    fn paths_become_addresses() {
        assert_eq!(address("/x y/é%".as_bytes(), true), b"/x%20y/%c3%a9%25");
    }

    #[test]
    fn patterns_leave_names_out() {
        let mut ignored = Ignored { patterns: vec![b"*.o"], hiding: vec![b"h*"], ..Ignored::default() };
        for (name, left_out) in [("a.o", true), ("hx", true), (".x", true), ("a.c", false)] {
            assert_eq!(ignored.has(name.as_bytes()), left_out, "{name}");
        }
        ignored.hidden = false;
        for (name, left_out) in [("a.o", true), ("hx", false), (".x", false), (".o", false)] {
            assert_eq!(ignored.has(name.as_bytes()), left_out, "{name}");
        }
    }
}
