//! Extended attributes and access lists of files that are copied.

use std::fs::File;
use std::io;
use std::path::Path;

/// Copies attributes as `cp -a` does: those of the user, of trusted processes and of the system's security, without what
/// belongs to the place of the file. What cannot be copied is left out.
#[cfg(target_os = "linux")]
pub fn copy(from: &File, to: &File) {
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
pub fn copy_access(from: &File, to: &File) {
    let (has, had) = (names(from), names(to));
    for list in [&b"system.posix_acl_access"[..], b"system.posix_acl_default"] {
        if has.iter().any(|name| name == list) {
            copy_one(from, to, list);
        } else if had.iter().any(|name| name == list) {
            let _ = rustix::fs::fremovexattr(to, list);
        }
    }
}

#[cfg(target_os = "linux")]
fn names(file: &File) -> Vec<Vec<u8>> {
    let mut size = 1024;
    loop {
        let mut buffer = vec![0_u8; size];
        match rustix::fs::flistxattr(file, &mut buffer[..]) {
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
fn copy_one(from: &File, to: &File, name: &[u8]) {
    // The largest that Linux takes.
    let mut buffer = vec![0_u8; 64 * 1024];
    if let Ok(length) = rustix::fs::fgetxattr(from, name, &mut buffer[..]) {
        let value = buffer.get(..length).unwrap_or_default();
        let _ = rustix::fs::fsetxattr(to, name, value, rustix::fs::XattrFlags::empty());
    }
}

/// Other systems have other attributes, which are not copied.
#[cfg(not(target_os = "linux"))]
pub fn copy(_: &File, _: &File) {}

/// Other systems have other lists, which are not copied.
#[cfg(not(target_os = "linux"))]
pub fn copy_access(_: &File, _: &File) {}

/// The security context of a file (SELinux's), of a link itself unless `follows`.
///
/// # Errors
/// It has none, or the system has no such thing.
#[cfg(target_os = "linux")]
pub fn context(path: &Path, follows: bool) -> io::Result<Vec<u8>> {
    const NAME: &str = "security.selinux";
    let mut buffer = vec![0_u8; 4096];
    let length = match follows {
        true => rustix::fs::getxattr(path, NAME, &mut buffer[..]),
        false => rustix::fs::lgetxattr(path, NAME, &mut buffer[..]),
    }?;
    buffer.truncate(length);
    // It is a string of C's.
    buffer.truncate(buffer.iter().position(|byte| *byte == 0).unwrap_or(length));
    Ok(buffer)
}

/// Other systems have none.
#[cfg(not(target_os = "linux"))]
pub fn context(_: &Path, _: bool) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::Unsupported.into())
}
