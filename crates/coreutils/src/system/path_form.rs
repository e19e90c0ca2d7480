//! The forms of Windows' paths.

/// What a path is to look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `/c/x`
    Unix,
    /// `C:\x`
    Windows,
    /// `C:/x`
    Mixed,
}

/// What a path begins with.
enum Root {
    Drive(u8),
    /// A share: `//server/…`.
    Share,
    /// The root of the current drive.
    Current,
    /// None: it is relative.
    Missing,
}

/// A path of Windows, in a working directory, in the form that is asked for. One that is relative stays so, unless it is to be absolute.
pub(super) fn shown(native: &[u8], cwd: &[u8], form: Form, is_absolute: bool) -> Vec<u8> {
    let (mut root, mut rest) = split_root(native);
    if is_absolute && matches!(root, Root::Missing) {
        let (of_cwd, directory) = split_root(cwd);
        root = of_cwd;
        rest = [&directory[..], b"/", &rest].concat();
    }
    // `/x` is on the current drive, which scripts need not be told.
    if let (Root::Current, true, (Root::Drive(letter), _)) = (&root, form != Form::Unix, split_root(cwd)) {
        root = Root::Drive(letter);
    }
    let rest = without_dots(&rest, matches!(root, Root::Missing));
    let mut path = match root {
        Root::Drive(letter) if form == Form::Unix => vec![b'/', letter.to_ascii_lowercase()],
        Root::Drive(letter) => vec![letter.to_ascii_uppercase(), b':'],
        Root::Share => b"/".to_vec(),
        Root::Current | Root::Missing => Vec::new(),
    };
    // `C:` alone would be a directory of the process's.
    let is_bare_drive = rest.is_empty() && form == Form::Unix && matches!(root, Root::Drive(_));
    if !is_bare_drive && !matches!(root, Root::Missing) {
        path.push(b'/');
    }
    path.extend_from_slice(&rest);
    // The root itself, which `C:\` and `/c/` say with a slash.
    if matches!(root, Root::Drive(_)) && rest.is_empty() && form == Form::Unix && ends_in_slash(native) {
        path.push(b'/');
    }
    if form == Form::Windows {
        for byte in &mut path {
            if *byte == b'/' {
                *byte = b'\\';
            }
        }
    }
    path
}

fn ends_in_slash(path: &[u8]) -> bool {
    matches!(path.last(), Some(b'/' | b'\\'))
}

/// Where a path begins, and what is below that, with slashes.
fn split_root(path: &[u8]) -> (Root, Vec<u8>) {
    let path = path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect::<Vec<u8>>();
    // `\\?\C:\x`, `\\?\UNC\server\share`.
    let path = match path.strip_prefix(b"//?/").or_else(|| path.strip_prefix(b"//./")) {
        Some(rest) => match rest.strip_prefix(b"UNC/") {
            Some(share) => [b"//", share].concat(),
            None => rest.to_vec(),
        },
        None => path,
    };
    match &path[..] {
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => (Root::Drive(*letter), rest.to_vec()),
        [b'/', b'/', rest @ ..] if !rest.is_empty() => (Root::Share, rest.to_vec()),
        [b'/', rest @ ..] => (Root::Current, rest.to_vec()),
        rest => (Root::Missing, rest.to_vec()),
    }
}

/// What is below a root, without `.`, `..` and slashes that follow another; a relative path has only such slashes taken out. A slash
/// at the end stays.
fn without_dots(path: &[u8], is_relative: bool) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for component in path.split(|byte| *byte == b'/') {
        match component {
            b"" => {}
            b"." if !is_relative => {}
            b".." if !is_relative => _ = kept.pop(),
            other => kept.push(other),
        }
    }
    let mut joined = kept.join(&b'/');
    if ends_in_slash(path) && !joined.is_empty() {
        joined.push(b'/');
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{Form, shown};

    #[test]
    fn a_path_has_three_forms() {
        let cases = [
            (r"C:\Users\a b\x", "/c/Users/a b/x", r"C:\Users\a b\x", "C:/Users/a b/x"),
            ("c:/Users//x/", "/c/Users/x/", r"C:\Users\x\", "C:/Users/x/"),
            (r"D:\a\..\b\.\c", "/d/b/c", r"D:\b\c", "D:/b/c"),
            (r"C:\..\x", "/c/x", r"C:\x", "C:/x"),
            (r"C:\", "/c/", r"C:\", "C:/"),
            ("C:", "/c", r"C:\", "C:/"),
            (r"\\server\share\x", "//server/share/x", r"\\server\share\x", "//server/share/x"),
            (r"\\?\C:\x", "/c/x", r"C:\x", "C:/x"),
            (r"\\?\UNC\server\share", "//server/share", r"\\server\share", "//server/share"),
            ("/usr/x", "/usr/x", r"E:\usr\x", "E:/usr/x"),
            ("/", "/", r"E:\", "E:/"),
            (r"a\b", "a/b", r"a\b", "a/b"),
            ("./a//../b/", "./a/../b/", r".\a\..\b\", "./a/../b/"),
            (".", ".", ".", "."),
        ];
        for (path, unix, windows, mixed) in cases {
            for (form, expected) in [(Form::Unix, unix), (Form::Windows, windows), (Form::Mixed, mixed)] {
                let shown = shown(path.as_bytes(), br"E:\work", form, false);
                assert_eq!(std::str::from_utf8(&shown), Ok(expected), "{path}");
            }
        }
    }

    #[test]
    fn a_relative_path_is_made_absolute() {
        for (path, expected) in [("a/b", "/e/work/a/b"), (".", "/e/work"), ("../x/", "/e/x/"), (r"C:\x", "/c/x")] {
            let shown = shown(path.as_bytes(), br"E:\work", Form::Unix, true);
            assert_eq!(std::str::from_utf8(&shown), Ok(expected), "{path}");
        }
    }
}
