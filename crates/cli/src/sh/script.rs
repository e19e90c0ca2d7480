//! The script file of a `sh` command line.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use hookshell_dispatch::{Platform, decode_script};
use hookshell_process::{path_list, text};

use super::Failure;

/// How much of a file bash looks at to see whether it is a program and no script.
const BINARY_SAMPLE: usize = 80;

/// Reads a script: byte order mark off, CRLF as LF where the first line ends so. A name without a slash is looked up
/// in the working directory first and then on PATH, as bash does.
pub(super) fn read(file: &[u8], env: &[(OsString, OsString)], cwd: &Path) -> Result<Vec<u8>, Failure> {
    let path = cwd.join(text::to_path(file));
    let bytes = match std::fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !Platform::HOST.has_separator(file) => {
            match on_path(&text::to_os(file), env, cwd) {
                Some(found) => std::fs::read(found),
                None => Err(error),
            }
        }
        other => other,
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => return Err(unreadable(file, &path, &error)),
    };
    if is_binary(&bytes) {
        return Err(Failure::new(126, [file, b": cannot execute binary file"].concat()));
    }
    Ok(decode_script(&bytes).into_owned())
}

fn on_path(name: &OsStr, env: &[(OsString, OsString)], cwd: &Path) -> Option<PathBuf> {
    let path = Platform::HOST.variable(env, "PATH")?;
    path_list::split(&text::from_os(path))
        .into_iter()
        .map(|directory| cwd.join(directory).join(name))
        .find(|candidate| candidate.is_file())
}

fn unreadable(file: &[u8], path: &Path, error: &io::Error) -> Failure {
    let (status, reason) = match error.kind() {
        // The path is that of the working directory.
        _ if file.is_empty() => (127, "No such file or directory".to_owned()),
        // Windows says "permission denied" of a directory.
        _ if path.is_dir() => (126, "Is a directory".to_owned()),
        io::ErrorKind::NotFound => (127, "No such file or directory".to_owned()),
        io::ErrorKind::PermissionDenied => (126, "Permission denied".to_owned()),
        io::ErrorKind::NotADirectory => (126, "Not a directory".to_owned()),
        _ => (126, error.to_string()),
    };
    Failure::new(status, [file, b": ", reason.as_bytes()].concat())
}

/// bash's rule: an ELF file, or a NUL in the first line of the first 80 bytes. UTF-16 text has NULs and is no binary.
fn is_binary(bytes: &[u8]) -> bool {
    if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return false;
    }
    let sample = bytes.get(..BINARY_SAMPLE).unwrap_or(bytes);
    let line = sample.split(|byte| *byte == b'\n').next().unwrap_or_default();
    bytes.starts_with(b"\x7fELF") || line.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::is_binary;

    #[test]
    fn a_program_is_told_from_a_script_as_bash_does() {
        let long = [&[b'x'; 80][..], b"\0"].concat();
        let cases: &[(&[u8], bool)] = &[
            (b"", false),
            (b"echo hi\n", false),
            (b"echo hi\n\0", false),
            (b"MZ\x90\0", true),
            (b"\x7fELF\x02", true),
            (&long, false),
            (b"\xff\xfee\0", false),
        ];
        for (bytes, expected) in cases {
            assert_eq!(is_binary(bytes), *expected, "{:?}", bytes.escape_ascii().to_string());
        }
    }
}
