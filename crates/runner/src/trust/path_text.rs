//! Paths as text that stands for one path only.
//!
//! A path of valid Unicode is itself. Any other begins with [`ESCAPED`], which no absolute path does; in it `%` and what is no
//! Unicode is written as `%` and digits: `%FF` a byte of Unix, `%uD800` half a surrogate pair of Windows. A path with U+FFFD is
//! written so too: this is what other programs, and older versions of this file, have for everything that is no Unicode.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

const ESCAPED: &str = "escaped:";

/// The text of an absolute path.
pub(super) fn to_text(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.contains(char::REPLACEMENT_CHARACTER) && !text.starts_with(ESCAPED) => text.to_owned(),
        _ => format!("{ESCAPED}{}", escaped(path.as_os_str())),
    }
}

/// The path that a text stands for. `None`: it is none of ours.
pub(super) fn to_path(text: &str) -> Option<PathBuf> {
    match text.strip_prefix(ESCAPED) {
        None => Some(text.into()),
        Some(escaped) => unescaped(escaped).map(PathBuf::from),
    }
}

fn push_escaped_char(out: &mut String, c: char) {
    match c {
        '%' => out.push_str("%25"),
        char::REPLACEMENT_CHARACTER => out.push_str(if cfg!(windows) { "%uFFFD" } else { "%EF%BF%BD" }),
        c => out.push(c),
    }
}

#[cfg(unix)]
fn escaped(path: &OsStr) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut out = String::new();
    for chunk in path.as_bytes().utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_escaped_char(&mut out, c));
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("%{byte:02X}")));
    }
    out
}

#[cfg(unix)]
fn unescaped(text: &str) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    let mut out = Vec::new();
    let mut parts = text.split('%');
    out.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        out.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        out.extend_from_slice(part.get(2..)?.as_bytes());
    }
    Some(OsString::from_vec(out))
}

#[cfg(windows)]
fn escaped(path: &OsStr) -> String {
    use std::os::windows::ffi::OsStrExt;
    let mut out = String::new();
    for unit in char::decode_utf16(path.encode_wide()) {
        match unit {
            Ok(c) => push_escaped_char(&mut out, c),
            Err(half) => out.push_str(&format!("%u{:04X}", half.unpaired_surrogate())),
        }
    }
    out
}

#[cfg(windows)]
fn unescaped(text: &str) -> Option<OsString> {
    use std::os::windows::ffi::OsStringExt;
    let mut out: Vec<u16> = Vec::new();
    let mut parts = text.split('%');
    out.extend(parts.next()?.encode_utf16());
    for part in parts {
        let (unit, rest) = match part.strip_prefix('u') {
            Some(part) => (u16::from_str_radix(part.get(..4)?, 16).ok()?, part.get(4..)?),
            None => (u16::from_str_radix(part.get(..2)?, 16).ok()?, part.get(2..)?),
        };
        out.push(unit);
        out.extend(rest.encode_utf16());
    }
    Some(OsString::from_wide(&out))
}

#[cfg(not(any(unix, windows)))]
fn escaped(path: &OsStr) -> String {
    let mut out = String::new();
    path.to_string_lossy().chars().for_each(|c| push_escaped_char(&mut out, c));
    out
}

#[cfg(not(any(unix, windows)))]
fn unescaped(_: &str) -> Option<OsString> {
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[cfg(unix)]
    fn any_path(bytes: &[u8]) -> PathBuf {
        use std::os::unix::ffi::OsStrExt;
        OsStr::from_bytes(bytes).into()
    }

    #[cfg(windows)]
    fn any_path(bytes: &[u8]) -> PathBuf {
        use std::os::windows::ffi::OsStringExt;
        let units: Vec<u16> =
            bytes.chunks(2).map(|pair| u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&65)])).collect();
        OsString::from_wide(&units).into()
    }

    #[test]
    fn a_path_of_unicode_is_itself() {
        for path in ["/home/me/src", "/tmp/100%/é 漢", r"C:\Users\me", r"\\?\C:\x"] {
            assert_eq!(to_text(Path::new(path)), path);
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_unicode_is_escaped() {
        assert_eq!(to_text(&any_path(b"/a/\xff%\xc3\xa9")), "escaped:/a/%FF%25é");
        assert_ne!(to_text(&any_path(b"/a/\xff")), to_text(Path::new("/a/\u{fffd}")));
        assert_ne!(to_text(&any_path(b"/a/\xff")), to_text(&any_path(b"/a/\xfe")));
    }

    #[test]
    fn a_text_that_nobody_wrote_is_no_path() {
        for text in ["escaped:%", "escaped:/a%zz", "escaped:%é", "escaped:/a%F"] {
            assert_eq!(to_path(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn each_path_has_a_text_of_its_own(bytes in prop::collection::vec(any::<u8>(), 0..12), prefix in "(/|escaped:|C:)?") {
            let path = any_path(&[prefix.as_bytes(), &bytes].concat());
            let text = to_text(&path);
            prop_assert!(!text.contains(char::REPLACEMENT_CHARACTER));
            prop_assert_eq!(to_path(&text).map(PathBuf::into_os_string), Some(path.into_os_string()));
        }
    }
}
