//! Who is timed: hookshell and the shells that are installed.

use std::path::{Path, PathBuf};

/// A shell on the command line.
pub(crate) struct Contestant {
    pub(crate) name: &'static str,
    /// `None` when it is not installed.
    pub(crate) program: Option<PathBuf>,
    /// What comes before the script.
    pub(crate) arguments: &'static [&'static str],
}

/// The shells that hookshell is measured against: name, program, arguments before the script.
const RIVALS: &[(&str, &str, &[&str])] = &[
    ("dash", "dash", &["-c"]),
    ("bash", "bash", &["-c"]),
    ("busybox ash", "busybox", &["ash", "-c"]),
    ("mksh", "mksh", &["-c"]),
    ("ksh93", "ksh93", &["-c"]),
    ("zsh", "zsh", &["-f", "-c"]),
    ("gosh", "gosh", &["-c"]),
    ("brush", "brush", &["--norc", "--noprofile", "-c"]),
];

/// All rivals, the absent ones too.
pub(crate) fn rivals() -> Vec<Contestant> {
    RIVALS
        .iter()
        .map(|&(name, program, arguments)| Contestant { name, program: find_program(program), arguments })
        .collect()
}

/// A program on PATH.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    find(&directories, name)
}

/// The first file with this name, or with this name and the system's suffix of executables.
fn find(directories: &[PathBuf], name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    directories.iter().map(|directory| directory.join(&name)).find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
