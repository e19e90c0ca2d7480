//! Lists of directories in a variable, as PATH and CDPATH have them.
//!
//! On Windows `;` stands between the elements. Scripts that come from Unix write `:` all the same
//! (`PATH="/opt/tool/bin:$PATH"`), so a colon is a separator there too, unless it belongs to a drive: one letter before
//! it and a slash of either kind after it. What a script writes stays as it is in the variable; programs that it starts
//! get Windows' own form ([`for_programs`]).

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::{script_path, text};

/// The elements of a list, by this system's rules. On Unix an empty one is the working directory; on Windows there are none,
/// and quotes around an element are no part of it.
#[must_use]
pub fn split(list: &[u8]) -> Vec<PathBuf> {
    elements(list, cfg!(windows)).iter().map(|element| text::to_path(element).into_owned()).collect()
}

/// The elements of a list, by the rules of Windows or of Unix.
#[must_use]
pub fn elements(list: &[u8], windows: bool) -> Vec<Cow<'_, [u8]>> {
    let mut elements = elements_and_empty(list, windows);
    elements.retain(|element| !windows || !element.is_empty());
    elements
}

/// Likewise, with the empty ones on Windows too: in CDPATH one is the working directory everywhere.
#[must_use]
pub fn elements_and_empty(list: &[u8], windows: bool) -> Vec<Cow<'_, [u8]>> {
    if windows {
        return windows_elements(list).into_iter().map(Cow::Owned).collect();
    }
    list.split(|&byte| byte == b':').map(Cow::Borrowed).collect()
}

fn windows_elements(list: &[u8]) -> Vec<Vec<u8>> {
    split_outside_quotes(list, |before, separator, next| {
        separator == b';' || separator == b':' && !is_of_drive(before, next)
    })
}

/// The elements as Windows itself has them.
fn semicolon_elements(list: &[u8]) -> Vec<Vec<u8>> {
    split_outside_quotes(list, |_, separator, _| separator == b';')
}

/// `separates` is asked with what stands before a byte in its element, the byte, and what follows it.
fn split_outside_quotes(list: &[u8], separates: impl Fn(&[u8], u8, Option<u8>) -> bool) -> Vec<Vec<u8>> {
    let mut elements = Vec::new();
    let mut element: Vec<u8> = Vec::new();
    let mut is_quoted = false;
    for (index, &byte) in list.iter().enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if !is_quoted && separates(&element, byte, list.get(index + 1).copied()) => {
                elements.push(std::mem::take(&mut element));
            }
            _ => element.push(byte),
        }
    }
    elements.push(element);
    elements
}

/// Does a colon after `before` belong to a drive? In `C:\x`, `C:/x`, `C:` and `\\?\C:\x`.
fn is_of_drive(before: &[u8], next: Option<u8>) -> bool {
    let before = before.strip_prefix(br"\\?\").unwrap_or(before);
    matches!(before, [letter] if letter.is_ascii_alphabetic()) && matches!(next, None | Some(b'/' | b'\\' | b';'))
}

/// The value of PATH for a program on Windows: `;` between the elements, and Windows' paths for those that a script writes in
/// another way (`/tmp/x`, `/c/x`). `None` if the list is in that form already.
#[must_use]
pub fn for_programs(list: &OsStr, cwd: &Path, temp: impl Fn() -> PathBuf) -> Option<OsString> {
    let list = text::from_os(list);
    windows_form(&list, &|element| script_path::native(element, cwd, &temp).into_owned())
        .map(|list| text::to_os(&list).into_owned())
}

fn windows_form(list: &[u8], native: &dyn Fn(&[u8]) -> Vec<u8>) -> Option<Vec<u8>> {
    let elements = windows_elements(list);
    let is_own = elements == semicolon_elements(list) && !elements.iter().any(|element| element.starts_with(b"/"));
    if is_own {
        return None;
    }
    let mut joined = Vec::with_capacity(list.len());
    for element in elements.into_iter().filter(|element| !element.is_empty()) {
        if !joined.is_empty() {
            joined.push(b';');
        }
        let element = if element.starts_with(b"/") { native(&element) } else { element };
        let quotes: &[u8] = if element.contains(&b';') { b"\"" } else { b"" };
        joined.extend([quotes, &element, quotes].concat());
    }
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::{elements, windows_form};

    fn shown(list: &str, windows: bool) -> Vec<String> {
        elements(list.as_bytes(), windows).iter().map(|element| String::from_utf8_lossy(element).into_owned()).collect()
    }

    #[test]
    fn on_unix_a_colon_separates_and_an_empty_element_counts() {
        assert_eq!(shown("/a:b::/c", false), ["/a", "b", "", "/c"]);
        assert_eq!(shown("", false), [""]);
        assert_eq!(shown("C:\\x;y", false), ["C", "\\x;y"]);
    }

    #[test]
    fn on_windows_a_semicolon_separates_and_so_does_a_colon_that_is_of_no_drive() {
        let cases: [(&str, &[&str]); 10] = [
            (r"C:\a;D:\b", &[r"C:\a", r"D:\b"]),
            (r"C:\a;;D:/b;", &[r"C:\a", "D:/b"]),
            ("", &[]),
            (r"/usr/local/bin:C:\Windows;C:\b", &["/usr/local/bin", r"C:\Windows", r"C:\b"]),
            (r"C:/Users/me/bin:C:\Windows", &["C:/Users/me/bin", r"C:\Windows"]),
            ("/usr/bin:/bin", &["/usr/bin", "/bin"]),
            (r#""C:\a;b";C:\c"#, &[r"C:\a;b", r"C:\c"]),
            (r"\\server\share;\\?\C:\x", &[r"\\server\share", r"\\?\C:\x"]),
            (r"bin:C:\x", &["bin", r"C:\x"]),
            (r"C:\a:D:\b:", &[r"C:\a", r"D:\b"]),
        ];
        for (list, expected) in cases {
            assert_eq!(shown(list, true), expected, "{list}");
        }
    }

    #[test]
    fn programs_get_the_form_of_windows() {
        let native = |element: &[u8]| {
            element.strip_prefix(b"/c/").map_or_else(|| element.to_vec(), |rest| [b"C:\\", rest].concat())
        };
        let cases = [
            (r"C:\a;D:\b", None),
            (r"C:\a;C:;", None),
            ("", None),
            (r"/c/tool:C:\a;D:\b", Some(r"C:\tool;C:\a;D:\b")),
            (r"C:/me/bin:C:\a;D:\b", Some(r"C:/me/bin;C:\a;D:\b")),
            // A letter, a colon and a slash are a drive, whatever was meant.
            (r#"x:/c/y;"C:\p;q""#, None),
            ("/c/x", Some(r"C:\x")),
        ];
        for (list, expected) in cases {
            let seen = windows_form(list.as_bytes(), &native).map(|list| String::from_utf8(list).unwrap());
            assert_eq!(seen.as_deref(), expected, "{list}");
        }
    }
}
