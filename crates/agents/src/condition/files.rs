//! What a path is on the disk: the file that links lead to.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// How many links a path may lead over, as on Linux.
const LINKS_LIMIT: usize = 40;
/// How many parts a path may have, those of its links included.
const PARTS_LIMIT: usize = 4096;

/// The path without links, though what it ends in may not exist. `None` if the links have no end, or lead to what is another
/// one for each process (`x -> /proc/self/cwd`).
pub(super) fn resolved(path: &Path) -> Option<PathBuf> {
    let mut real = PathBuf::new();
    // What is left, the next part last.
    let mut left: Vec<OsString> = parts(path);
    let (mut links, mut count) = (0, 0);
    let mut is_led = false;
    while let Some(part) = left.pop() {
        count += 1;
        if count > PARTS_LIMIT {
            return None;
        }
        let as_path = Path::new(&part);
        match as_path.components().next() {
            None | Some(Component::CurDir) => continue,
            Some(Component::ParentDir) => {
                real.pop();
                continue;
            }
            Some(Component::Prefix(_) | Component::RootDir) => {
                real.push(as_path);
                continue;
            }
            Some(Component::Normal(_)) => real.push(as_path),
        }
        if let Ok(target) = real.read_link() {
            links += 1;
            let is_process = real.starts_with("/proc");
            if links > LINKS_LIMIT || is_led && is_process {
                return None;
            }
            is_led |= !is_process;
            real.pop();
            left.extend(parts(&target));
        }
    }
    Some(real)
}

fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<OsString> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}

/// Is it the same file, by whatever name?
#[cfg(unix)]
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    match (one.metadata(), other.metadata()) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Has a file several names?
#[cfg(unix)]
pub(super) fn has_other_names(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.nlink() > 1)
}

/// That is not asked there.
#[cfg(not(unix))]
pub(super) fn has_other_names(_: &Path) -> bool {
    false
}

/// Are names there the same in other letters?
pub(super) fn ignores_case(path: &Path) -> bool {
    for path in path.ancestors() {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let flipped: String = name
            .chars()
            .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect();
        if flipped == name || path.symlink_metadata().is_err() {
            continue;
        }
        return is_same(path, &path.with_file_name(flipped));
    }
    false
}
