//! Where programs are looked for without PATH, and paths as scripts see them.

use std::path::Path;

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
    #[cfg(windows)]
    {
        let path: Vec<u8> = path.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect();
        without_prefix(path)
    }
    #[cfg(not(windows))]
    path.to_vec()
}

#[cfg(any(windows, test))]
/// A path of Windows with slashes, without what only says that the system is to take it as it is: `//?/C:/x`,
/// `//?/UNC/server/share`.
fn without_prefix(path: Vec<u8>) -> Vec<u8> {
    let Some(rest) = path.strip_prefix(b"//?/") else { return path };
    match rest.strip_prefix(b"UNC/") {
        Some(share) => [b"//", share].concat(),
        None if matches!(rest, [_, b':', ..]) => rest.to_vec(),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::without_prefix;

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
}
