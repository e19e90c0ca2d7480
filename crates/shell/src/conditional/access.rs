//! Permission checks by effective ids.

use std::path::Path;

use super::file::FileInfo;

/// What is to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
    Execute,
}

/// Whether this process may use the file so, judged by its permission bits and our effective ids.
#[cfg(unix)]
pub(super) fn access(path: &Path, wanted: Access) -> bool {
    let Ok(metadata) = std::fs::metadata(path) else {
        return false;
    };
    let info = FileInfo::from(&metadata);
    let shift = match (effective_ids(), info.owner) {
        (Some((0, _)), _) => {
            // The superuser may do everything, but execute only what somebody may.
            return wanted != Access::Execute || metadata.is_dir() || info.mode & 0o111 != 0;
        }
        (Some((user, _)), Some((owner, _))) if user == owner => 6,
        (Some((_, group)), Some((_, owner))) if group == owner => 3,
        _ => 0,
    };
    let bit = match wanted {
        Access::Read => 4,
        Access::Write => 2,
        Access::Execute => 1,
    };
    info.mode >> shift & bit != 0
}

/// Windows has no permission bits: everything can be read, what is not marked read-only can be written, and
/// directories, programs, batch files and scripts can be executed.
#[cfg(not(unix))]
pub(super) fn access(path: &Path, wanted: Access) -> bool {
    let Ok(metadata) = std::fs::metadata(path) else {
        return false;
    };
    match wanted {
        Access::Read => true,
        Access::Write => metadata.is_dir() || !metadata.permissions().readonly(),
        Access::Execute => {
            metadata.is_dir() || has_program_extension(path) || starts_with_shebang(path)
        }
    }
}

#[cfg(not(unix))]
fn has_program_extension(path: &Path) -> bool {
    const EXTENSIONS: [&str; 4] = ["exe", "com", "bat", "cmd"];
    path.extension().is_some_and(|extension| {
        EXTENSIONS
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

#[cfg(not(unix))]
fn starts_with_shebang(path: &Path) -> bool {
    use std::io::Read as _;
    let mut head = [0; 2];
    std::fs::File::open(path)
        .and_then(|mut file| file.read_exact(&mut head))
        .is_ok()
        && head == *b"#!"
}

/// `-O`: the file belongs to our effective user. True where files have no owner.
pub(super) fn is_own_user(info: &FileInfo) -> bool {
    match (info.owner, effective_ids()) {
        (Some((user, _)), Some((own, _))) => user == own,
        _ => true,
    }
}

/// `-G`: the file belongs to our effective group. True where files have no group.
pub(super) fn is_own_group(info: &FileInfo) -> bool {
    match (info.owner, effective_ids()) {
        (Some((_, group)), Some((_, own))) => group == own,
        _ => true,
    }
}

/// The effective user and group, read from the owner of our own entry in /proc.
#[cfg(unix)]
fn effective_ids() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self")
        .ok()
        .map(|metadata| (metadata.uid(), metadata.gid()))
}

#[cfg(not(unix))]
fn effective_ids() -> Option<(u32, u32)> {
    None
}
