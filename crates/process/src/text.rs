//! A shell's values are bytes; the system's strings are not everywhere.
//!
//! Unix: the same bytes. Windows: UTF-8, and WTF-8 for unpaired surrogates, which file names may contain, so that every system
//! string comes back as it was. Bytes that are neither become U+FFFD on the way to the system: no Windows string can hold
//! them.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Does the byte continue a character of UTF-8 that began before it?
#[inline]
#[must_use]
pub const fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Bytes as a system string.
#[must_use]
pub fn to_os(bytes: &[u8]) -> Cow<'_, OsStr> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Cow::Borrowed(OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    {
        match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(OsStr::new(text)),
            Err(_) => Cow::Owned(from_units(&wtf8_to_units(bytes))),
        }
    }
}

/// A system string as bytes.
#[must_use]
pub fn from_os(text: &OsStr) -> Cow<'_, [u8]> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Cow::Borrowed(text.as_bytes())
    }
    #[cfg(not(unix))]
    {
        match text.to_str() {
            Some(text) => Cow::Borrowed(text.as_bytes()),
            None => Cow::Owned(units_to_wtf8(&to_units(text))),
        }
    }
}

/// Bytes as a path, separators as they are.
#[must_use]
pub fn to_path(bytes: &[u8]) -> Cow<'_, Path> {
    match to_os(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(PathBuf::from(text)),
    }
}

/// A path as bytes, separators as they are.
#[must_use]
pub fn from_path(path: &Path) -> Cow<'_, [u8]> {
    from_os(path.as_os_str())
}

/// Owned bytes as a system string; on Unix without a copy.
#[must_use]
pub fn into_os(bytes: Vec<u8>) -> OsString {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        OsString::from_vec(bytes)
    }
    #[cfg(not(unix))]
    {
        String::from_utf8(bytes).map_or_else(|error| to_os(error.as_bytes()).into_owned(), OsString::from)
    }
}

/// An owned system string as bytes; on Unix, and on Windows for proper Unicode, without a copy.
#[must_use]
pub fn from_os_owned(text: OsString) -> Vec<u8> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        text.into_vec()
    }
    #[cfg(not(unix))]
    {
        text.into_string().map_or_else(|text| from_os(&text).into_owned(), String::into_bytes)
    }
}

/// A system string as UTF-16 units (Windows: exactly; elsewhere what is not UTF-8 becomes U+FFFD).
pub(crate) fn to_units(text: &OsStr) -> Vec<u16> {
    #[cfg(windows)]
    {
        use std::os::windows::ffi::OsStrExt;
        text.encode_wide().collect()
    }
    #[cfg(not(windows))]
    {
        wtf8_to_units(&from_os(text))
    }
}

#[cfg(not(unix))]
fn from_units(units: &[u16]) -> OsString {
    #[cfg(windows)]
    {
        use std::os::windows::ffi::OsStringExt;
        OsString::from_wide(units)
    }
    #[cfg(not(windows))]
    {
        OsString::from(String::from_utf16_lossy(units))
    }
}

/// WTF-8 (<https://wtf-8.codeberg.page/>) to UTF-16 units; every maximal run of bytes that is neither UTF-8 nor an encoded
/// surrogate becomes U+FFFD as in [`String::from_utf8_lossy`].
fn wtf8_to_units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (valid, bad) = match std::str::from_utf8(rest) {
            Ok(text) => (text, 0),
            Err(error) => {
                let valid = std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default();
                (valid, error.error_len().unwrap_or(rest.len() - valid.len()))
            }
        };
        units.extend(valid.encode_utf16());
        rest = &rest[valid.len()..];
        if let [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, tail @ ..] = rest {
            units.push(0xD000 | (u16::from(*second & 0x3F) << 6) | u16::from(*third & 0x3F));
            rest = tail;
        } else if bad > 0 {
            units.push(0xFFFD);
            rest = &rest[bad..];
        }
    }
    units
}

/// UTF-16 units to WTF-8.
#[cfg(any(not(unix), test))]
fn units_to_wtf8(units: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(units.len() * 3);
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(error) => {
                let [low, high] = error.unpaired_surrogate().to_le_bytes();
                // Three bytes, as any character of this plane: 1110xxxx 10xxxxxx 10xxxxxx.
                bytes.extend([0xE0 | (high >> 4), 0x80 | ((high & 0x0F) << 2) | (low >> 6), 0x80 | (low & 0x3F)]);
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wtf8_keeps_surrogates_and_replaces_what_is_broken() {
        for (bytes, units) in [
            (&b"a"[..], &[0x61][..]),
            ("é😀".as_bytes(), &[0xE9, 0xD83D, 0xDE00]),
            (b"\xED\xA0\x80", &[0xD800]),
            (b"a\xED\xBF\xBFb", &[0x61, 0xDFFF, 0x62]),
            (b"\xFF", &[0xFFFD]),
            (b"a\x80b", &[0x61, 0xFFFD, 0x62]),
            (b"\xE2\x82", &[0xFFFD]),
            (b"\xED", &[0xFFFD]),
        ] {
            assert_eq!(wtf8_to_units(bytes), units, "{bytes:x?}");
        }
    }

    #[test]
    fn paths_and_strings_keep_their_text() {
        assert_eq!(to_path("ä/b c".as_bytes()), Path::new("ä/b c"));
        assert_eq!(&*from_path(Path::new("ä/b c")), "ä/b c".as_bytes());
        assert_eq!(into_os(b"x y".to_vec()), "x y");
        assert_eq!(from_os_owned("x y".into()), b"x y");
    }

    #[cfg(unix)]
    #[test]
    fn any_bytes_pass_through() {
        assert_eq!(&*from_os(&to_os(b"\xFF\xFE")), b"\xFF\xFE");
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "too slow under Miri")]
        fn units_survive_the_way_through_bytes(units in proptest::collection::vec(any::<u16>(), 0..40)) {
            prop_assert_eq!(wtf8_to_units(&units_to_wtf8(&units)), units);
        }

        #[test]
        #[cfg_attr(miri, ignore = "too slow under Miri")]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = wtf8_to_units(&bytes);
            let _ = to_os(&bytes);
        }
    }
}
