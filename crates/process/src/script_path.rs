//! Paths as scripts write them, on Windows.
//!
//! Scripts come from Unix, or from Git for Windows. Beside the paths of Windows itself (`C:\x`, `C:/x`, `\\server\share`,
//! `\\?\…`) they have `/tmp`, `/c/x`, and `/x` for the root of the current drive. What a script writes is data until it is
//! used as a path: nothing here takes a backslash for an escape.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::program_arguments::{Paths, convert};
use crate::text;

/// Where temporary files of a run go, by its variables: the first of TMPDIR, TEMP and TMP that is not empty, else the
/// system's directory.
#[must_use]
pub fn temp_dir(variable: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    let named = ["TMPDIR", "TEMP", "TMP"].into_iter().filter_map(variable);
    match named.into_iter().find(|directory| !directory.as_os_str().is_empty()) {
        Some(directory) => directory,
        None if cfg!(windows) => std::env::temp_dir(),
        None => PathBuf::from("/tmp"),
    }
}

/// What Unix shells call a program that a relative element of PATH leads to: `bin/tool` for `bin`, `./tool` for an empty
/// one, and its bare name where PATH is empty. `None` if an absolute element leads to `found`, and on Windows.
#[must_use]
pub fn by_relative_element(path_list: &[u8], name: &[u8], cwd: &Path, found: &Path) -> Option<Vec<u8>> {
    if cfg!(windows) {
        return None;
    }
    if path_list.is_empty() {
        return Some(name.to_vec());
    }
    let elements = path_list.split(|&byte| byte == b':');
    let element = elements.map(|element| if element.is_empty() { b"." } else { element }).find(|element| {
        let directory = cwd.join(text::to_path(element));
        found.parent().is_some_and(|parent| parent == directory)
    })?;
    if element.starts_with(b"/") {
        return None;
    }
    let slash: &[u8] = if element.ends_with(b"/") { b"" } else { b"/" };
    Some([element, slash, name].concat())
}

/// The path of a file that a script names, absolute where `cwd` is. `temp` gives the directory that `/tmp` stands for.
#[must_use]
pub fn resolve(path: &[u8], cwd: &Path, temp: impl Fn() -> PathBuf) -> PathBuf {
    cwd.join(text::to_path(&native(path, cwd, temp)))
}

/// A script's path in the words of the system, as [`resolve`] has it, but not joined to `cwd` where it is relative.
#[must_use]
pub fn native<'p>(path: &'p [u8], cwd: &Path, temp: impl Fn() -> PathBuf) -> Cow<'p, [u8]> {
    if !cfg!(windows) {
        return Cow::Borrowed(path);
    }
    let drive = |letter: u8| Path::new(&format!("{}:\\", char::from(letter))).is_dir();
    let is_there = |path: &[u8]| cwd.join(text::to_path(path)).is_dir();
    to_windows(path, &text::from_path(cwd), &|| text::from_path(&temp()).into_owned(), &drive, &is_there)
}

/// The arguments of a program as a script for Git Bash means them: on Windows a path below a drive (`/c/x`) or `/tmp` becomes one
/// that the program knows (`C:/x`), where that file or its directory is, `/dev/null` becomes `nul`, and `//c` becomes `/c`.
/// `variable` gives MSYS2's: `MSYS_NO_PATHCONV` and `MSYS2_ARG_CONV_EXCL`.
pub fn convert_arguments(
    arguments: &mut [Vec<u8>],
    cwd: &Path,
    variable: impl Fn(&str) -> Option<Vec<u8>>,
    temp: impl Fn() -> PathBuf,
) {
    if !cfg!(windows) || variable("MSYS_NO_PATHCONV").is_some() {
        return;
    }
    let mounted = |path: &[u8]| {
        let is_below = matches!(path, [b'/', _, b'/', ..] | [b'/', b't', b'm', b'p', b'/', ..] | b"/tmp");
        match native(path, cwd, &temp) {
            Cow::Owned(native) if is_below => Some(native),
            _ => None,
        }
    };
    let is_there = |path: &[u8]| cwd.join(text::to_path(path)).symlink_metadata().is_ok();
    let excluded = variable("MSYS2_ARG_CONV_EXCL").unwrap_or_default();
    convert(arguments, &excluded, &Paths { mounted: &mounted, is_there: &is_there });
}

/// A path as scripts see it: on Windows with forward slashes, since a backslash quotes in patterns, in `eval`, `read`, `echo -e`,
/// `sed` and JSON.
#[must_use]
pub fn shown(path: &[u8]) -> Cow<'_, [u8]> {
    #[cfg(windows)]
    {
        let path: Vec<u8> = path.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect();
        Cow::Owned(without_prefix(path))
    }
    #[cfg(not(windows))]
    Cow::Borrowed(path)
}

/// A path of Windows with slashes, without what only says that the system is to take it as it is: `//?/C:/x`,
/// `//?/UNC/server/share`.
#[cfg(any(windows, test))]
fn without_prefix(path: Vec<u8>) -> Vec<u8> {
    let Some(rest) = path.strip_prefix(b"//?/") else { return path };
    match rest.strip_prefix(b"UNC/") {
        Some(share) => [b"//", share].concat(),
        None if matches!(rest, [_, b':', ..]) => rest.to_vec(),
        None => path,
    }
}

/// The name of the program that a path of a Unix system stands for: `jq` of `/usr/bin/jq`. Windows has no such directories, so
/// a script that names a program there means the program of that name.
#[must_use]
pub fn unix_program(path: &[u8]) -> Option<&[u8]> {
    const DIRECTORIES: [&[u8]; 6] =
        [b"/bin/", b"/usr/bin/", b"/usr/local/bin/", b"/opt/homebrew/bin/", b"/sbin/", b"/usr/sbin/"];
    let name = DIRECTORIES.iter().find_map(|directory| path.strip_prefix(*directory))?;
    (!name.is_empty() && !name.iter().any(|byte| matches!(byte, b'/' | b'\\'))).then_some(name)
}

/// A script's path in the words of Windows; it may still be relative to the working directory. To be told apart are:
///
/// - `/tmp` and what is below it: the temporary directory;
/// - `/dev/tty`: the console;
/// - `/c` and `/c/x`, where there is such a drive and no directory of that name on the current one: `C:\` and `C:\x`;
/// - `C:x`, relative to the directory of a drive, which only a process has: relative to `cwd` where that is on the drive, else to
///   the drive's root.
pub(crate) fn to_windows<'p>(
    path: &'p [u8],
    cwd: &[u8],
    temp: &dyn Fn() -> Vec<u8>,
    has_drive: &dyn Fn(u8) -> bool,
    is_there: &dyn Fn(&[u8]) -> bool,
) -> Cow<'p, [u8]> {
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    match path {
        [b'/', b't', b'm', b'p'] => Cow::Owned(temp()),
        // Opened for reading it is the console's input, for writing its screen.
        b"/dev/tty" => Cow::Borrowed(b"CON"),
        [b'/', b't', b'm', b'p', slash, rest @ ..] if is_slash(slash) => {
            let mut directory = temp();
            if !directory.last().is_some_and(is_slash) {
                directory.push(b'\\');
            }
            directory.extend_from_slice(rest);
            Cow::Owned(directory)
        }
        [b'/', letter] if letter.is_ascii_alphabetic() && has_drive(*letter) && !is_there(path) => {
            Cow::Owned(vec![letter.to_ascii_uppercase(), b':', b'\\'])
        }
        [b'/', letter, slash, rest @ ..]
            if letter.is_ascii_alphabetic()
                && is_slash(slash)
                && has_drive(*letter)
                && !is_there(path.get(..2).unwrap_or_default()) =>
        {
            Cow::Owned([&[letter.to_ascii_uppercase(), b':', b'\\'], rest].concat())
        }
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() && !rest.first().is_some_and(is_slash) => {
            let same_drive = matches!(cwd, [drive, b':', ..] if drive.eq_ignore_ascii_case(letter));
            if same_drive {
                // Relative to the working directory: `.` is the directory itself.
                Cow::Borrowed(if rest.is_empty() { b"." } else { rest })
            } else {
                Cow::Owned([&[*letter, b':', b'\\'], rest].concat())
            }
        }
        path => Cow::Borrowed(path),
    }
}

#[cfg(test)]
mod tests {
    use super::{to_windows, unix_program, without_prefix};

    #[test]
    fn a_path_is_shown_without_its_prefix() {
        for (path, expected) in [
            ("//?/C:/x", "C:/x"),
            ("//?/UNC/server/share/x", "//server/share/x"),
            ("//?/Volume{1}/x", "//?/Volume{1}/x"),
            ("//server/share", "//server/share"),
            ("C:/x", "C:/x"),
        ] {
            assert_eq!(without_prefix(path.into()), expected.as_bytes(), "{path}");
        }
    }

    #[test]
    fn a_path_of_unix_names_a_program() {
        for (path, name) in [
            ("/usr/bin/jq", Some("jq")),
            ("/bin/sh", Some("sh")),
            ("/usr/local/bin/node", Some("node")),
            ("/usr/bin/", None),
            ("/usr/bin/a/b", None),
            ("/opt/tool/bin/x", None),
            ("jq", None),
            ("C:/usr/bin/jq", None),
        ] {
            assert_eq!(unix_program(path.as_bytes()), name.map(str::as_bytes), "{path}");
        }
    }

    #[test]
    fn scripts_paths_become_those_of_windows() {
        let cases: &[(&str, &str)] = &[
            ("/tmp", r"C:\Temp"),
            ("/tmp/a b", r"C:\Temp\a b"),
            (r"/tmp\a", r"C:\Temp\a"),
            ("/tmpx", "/tmpx"),
            ("/dev/tty", "CON"),
            ("/dev/tty1", "/dev/tty1"),
            ("/c", r"C:\"),
            ("/c/Users/me", r"C:\Users/me"),
            ("/D/x", r"D:\x"),
            // No such drive; a directory of that name.
            ("/q/x", "/q/x"),
            ("/e/x", "/e/x"),
            ("/cc/x", "/cc/x"),
            ("/usr/bin", "/usr/bin"),
            ("C:x", "x"),
            ("c:", "."),
            ("D:x", r"D:\x"),
            ("d:", r"d:\"),
            (r"C:\x", r"C:\x"),
            ("C:/x", "C:/x"),
            (r"\\server\share\x", r"\\server\share\x"),
            ("//server/share/x", "//server/share/x"),
            (r"\\?\C:\x", r"\\?\C:\x"),
            ("a/b", "a/b"),
            (r"a\tmp", r"a\tmp"),
            ("", ""),
            ("/", "/"),
            ("~", "~"),
        ];
        for (path, expected) in cases {
            let found = to_windows(
                path.as_bytes(),
                br"C:\work",
                &|| br"C:\Temp".to_vec(),
                &|letter| b"cdeCDE".contains(&letter),
                &|path| path == b"/e",
            );
            assert_eq!(std::str::from_utf8(&found), Ok(*expected), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn elsewhere_a_path_is_what_it_is() {
        use std::path::{Path, PathBuf};
        let resolve = |path: &[u8]| super::resolve(path, Path::new("/w"), || PathBuf::from("/t"));
        assert_eq!(resolve(b"/tmp/x"), Path::new("/tmp/x"));
        assert_eq!(resolve(b"/c/x"), Path::new("/c/x"));
        assert_eq!(resolve(b"C:x"), Path::new("/w/C:x"));
    }
}
