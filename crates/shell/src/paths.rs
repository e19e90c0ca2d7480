//! Where programs are looked for without PATH, and paths as scripts see them.

use std::path::Path;

use hookshell_process::script_path;

/// Where `command -p` looks: the standard utilities (`getconf PATH`).
pub(crate) const STANDARD_PATH: &[u8] = if cfg!(windows) {
    DEFAULT_PATH.as_bytes()
} else if cfg!(target_os = "linux") {
    b"/bin:/usr/bin"
} else {
    b"/usr/bin:/bin:/usr/sbin:/sbin"
};

/// Where programs are looked for when PATH is unset (bash's own default).
pub const DEFAULT_PATH: &str = if cfg!(windows) {
    r"C:\Windows\System32;C:\Windows"
} else {
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
};

/// Two paths lead to the same directory.
pub(crate) fn same_directory(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        match (std::fs::metadata(a), std::fs::metadata(b)) {
            (Ok(a), Ok(b)) => a.dev() == b.dev() && a.ino() == b.ino(),
            _ => false,
        }
    }
    #[cfg(not(unix))]
    {
        match (std::fs::canonicalize(a), std::fs::canonicalize(b)) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        }
    }
}

/// A path as scripts see it: with forward slashes.
pub(crate) fn shell_path(path: &[u8]) -> Vec<u8> {
    script_path::shown(path).into_owned()
}
