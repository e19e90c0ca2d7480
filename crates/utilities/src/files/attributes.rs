//! Extended attributes and access lists of files that are copied.

use std::path::Path;

/// Copies attributes as `cp -a` does: those of the user, of trusted processes and of the system's security, without what
/// belongs to the place of the file. What cannot be copied is left out.
#[cfg(target_os = "linux")]
pub(super) fn copy(from: &Path, to: &Path) {
    const ELSEWHERE: [&[u8]; 3] = [b"security.selinux", b"security.evm", b"security.ima"];
    for name in names(from) {
        let is_copied = [&b"user."[..], b"trusted.", b"security."].iter().any(|kind| name.starts_with(kind));
        if is_copied && !ELSEWHERE.contains(&&name[..]) {
            copy_one(from, to, &name);
        }
    }
}

/// Copies the access lists, which belong to the mode (`cp -p`); a list that only the copy has goes.
#[cfg(target_os = "linux")]
pub(super) fn copy_access(from: &Path, to: &Path) {
    let (has, had) = (names(from), names(to));
    for list in [&b"system.posix_acl_access"[..], b"system.posix_acl_default"] {
        if has.iter().any(|name| name == list) {
            copy_one(from, to, list);
        } else if had.iter().any(|name| name == list) {
            let _ = rustix::fs::lremovexattr(to, list);
        }
    }
}

#[cfg(target_os = "linux")]
fn names(path: &Path) -> Vec<Vec<u8>> {
    let mut size = 1024;
    loop {
        let mut buffer = vec![0_u8; size];
        match rustix::fs::llistxattr(path, &mut buffer[..]) {
            Ok(length) => {
                let list = buffer.get(..length).unwrap_or_default();
                return list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect();
            }
            Err(rustix::io::Errno::RANGE) if size < 1 << 20 => size *= 4,
            Err(_) => return Vec::new(),
        }
    }
}

#[cfg(target_os = "linux")]
fn copy_one(from: &Path, to: &Path, name: &[u8]) {
    // The largest that Linux takes.
    let mut buffer = vec![0_u8; 64 * 1024];
    if let Ok(length) = rustix::fs::lgetxattr(from, name, &mut buffer[..]) {
        let value = buffer.get(..length).unwrap_or_default();
        let _ = rustix::fs::lsetxattr(to, name, value, rustix::fs::XattrFlags::empty());
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn copy(_: &Path, _: &Path) {}

#[cfg(not(target_os = "linux"))]
pub(super) fn copy_access(_: &Path, _: &Path) {}
