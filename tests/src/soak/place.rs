//! The directory of one event.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::hook::{Entry, directory};
use crate::spec::lay_out;

/// Makes an event's directory at `root` with what its hooks need.
///
/// # Errors
/// As the system says.
pub(super) fn make(root: &Path, entries: &[Entry], hooks: impl Iterator<Item = usize>) -> io::Result<()> {
    fs::create_dir(root)?;
    for index in hooks {
        let own = root.join(directory(index));
        fs::create_dir(&own)?;
        match entries.get(index).and_then(|entry| entry.case.as_ref()) {
            Some(case) => lay_out(case, &own)?,
            None => fs::create_dir(own.join("work"))?,
        }
    }
    Ok(())
}

/// Removes an event's directory, also what a hook has made unreadable in it.
///
/// # Errors
/// As the system says; it is no error where it is gone.
pub(super) fn remove(root: &Path) -> io::Result<()> {
    match fs::remove_dir_all(root) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            for directory in directories(root) {
                let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
            }
            // What stood in a directory that could not be read is found by now.
            for directory in directories(root) {
                let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
            }
            fs::remove_dir_all(root)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Takes away the right to write in it, or gives it back.
pub(super) fn set_writable(root: &Path, writable: bool) {
    let mode = if writable { 0o755 } else { 0o555 };
    for directory in directories(root) {
        let _ = fs::set_permissions(directory, fs::Permissions::from_mode(mode));
    }
}

/// The directory and all directories in it, the outer ones first.
fn directories(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.to_owned()];
    let mut next = 0;
    while let Some(directory) = found.get(next).cloned() {
        next += 1;
        // One that was made unreadable is opened up when it is met.
        let mode = fs::symlink_metadata(&directory).map_or(0, |metadata| metadata.permissions().mode());
        if mode & 0o500 != 0o500 {
            let _ = fs::set_permissions(&directory, fs::Permissions::from_mode(mode | 0o700));
        }
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                found.push(entry.path());
            }
        }
    }
    found
}

/// Writes into a file system until it is full; the file is to be removed.
pub(super) fn fill(directory: &Path) -> io::Result<PathBuf> {
    let path = directory.join("filling");
    let mut file = fs::File::create(&path)?;
    let block = [0u8; 4096];
    loop {
        match io::Write::write(&mut file, &block) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
            Err(error) => return Err(error),
        }
    }
    Ok(path)
}
