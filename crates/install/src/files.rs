//! Reading configs, and replacing them whole or not at all.

use std::fs::{self, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use hookshell_agents::Dialect;
use hookshell_process::replace_file;

use crate::error::{Error, file_above};
use crate::leftovers;

/// How large a config may be.
const LIMIT: u64 = 16 * 1024 * 1024;

/// Whose a file is: where a link from it may lead.
#[derive(Debug, Clone)]
pub(crate) enum Owner {
    /// The user's.
    User,
    /// A project's, below this directory.
    Project(PathBuf),
}

/// A file's text; `None`: there is none. A FIFO is never opened.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link that leads nowhere is there, and wrong.
            return match fs::symlink_metadata(path) {
                Ok(_) => Err(Error::io("cannot follow the link", path)(error)),
                Err(_) => match file_above(path) {
                    Some(file) => Err(Error::NotDirectory { path: path.to_owned(), file }),
                    None => Ok(None),
                },
            };
        }
        Err(error) => return Err(Error::io("cannot read it", path)(error)),
    };
    if !metadata.is_file() {
        return Err(Error::NotFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(Error::io("cannot read it", path))?;
    file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(Error::io("cannot read it", path))?;
    if bytes.len() as u64 > LIMIT {
        return Err(Error::TooLarge { path: path.to_owned(), limit: LIMIT });
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Error::NotText { path: path.to_owned() })
}

/// Where a config really is, links followed, if its owner may write there.
pub(crate) fn target(path: &Path, owner: &Owner) -> Result<PathBuf, Error> {
    let target = fs::canonicalize(path).map_err(Error::io("cannot follow the link", path))?;
    check_owner(path, &target, owner)?;
    Ok(target)
}

fn check_owner(path: &Path, target: &Path, owner: &Owner) -> Result<(), Error> {
    let leads_out = |whose| Err(Error::LeadsOut { path: path.to_owned(), target: target.to_owned(), whose });
    match owner {
        Owner::Project(root) => {
            let root = fs::canonicalize(root).map_err(Error::io("cannot read the directory", root))?;
            if target.starts_with(&root) { Ok(()) } else { leads_out("the project") }
        }
        Owner::User => {
            let metadata = fs::metadata(target).map_err(Error::io("cannot read it", target))?;
            let is_link = || fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
            match is_users(&metadata) {
                true => Ok(()),
                false if is_link() => leads_out("what the user owns"),
                false => Err(Error::NotOwned { path: path.to_owned() }),
            }
        }
    }
}

#[cfg(unix)]
fn is_users(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

/// Windows' access lists say it when the file is written.
#[cfg(not(unix))]
fn is_users(_: &Metadata) -> bool {
    true
}

/// What is done to a file.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// Where it is, links followed.
    pub(crate) path: PathBuf,
    /// What it is called in messages: as it was found.
    pub(crate) shown: PathBuf,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    /// Nobody but the user reads it.
    pub(crate) is_private: bool,
    /// It stands in a diff.
    pub(crate) is_shown: bool,
    pub(crate) owner: Owner,
}

impl Change {
    /// Does it change anything?
    pub(crate) fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// Checks what can be checked before anything is written.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if let Ok(metadata) = fs::metadata(&self.path)
            && metadata.permissions().readonly()
            && self.after.is_some()
        {
            return Err(Error::ReadOnly { path: self.shown.clone() });
        }
        // A directory of the way may be a link that leads out.
        let existing = self.path.ancestors().skip(1).find(|directory| fs::symlink_metadata(directory).is_ok());
        match existing {
            Some(directory) => {
                let real = fs::canonicalize(directory).map_err(Error::io("cannot follow the link", directory))?;
                if matches!(self.owner, Owner::Project(_)) {
                    check_owner(&self.shown, &real, &self.owner)?;
                }
                check_writable(&real).map_err(Error::io("cannot write to its directory", &self.path))
            }
            None => Ok(()),
        }
    }

    /// Does it.
    pub(crate) fn apply(&self) -> Result<(), Error> {
        if !self.is_change() {
            return Ok(());
        }
        if read_now(&self.path)? != self.before {
            return Err(Error::Changed { path: self.shown.clone() });
        }
        match &self.after {
            Some(text) => replace(&self.path, text, self.is_private),
            None => remove(&self.path),
        }
    }

    /// Undoes it.
    pub(crate) fn revert(&self) {
        let back = Self { before: self.after.clone(), after: self.before.clone(), ..self.clone() };
        // There is nothing more to do where that fails too: the first error is told.
        let _ = back.apply();
    }
}

/// May this process put a file into a directory? What the system does not say is found out when it is tried.
#[cfg(unix)]
fn check_writable(directory: &Path) -> io::Result<()> {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    use rustix::io::Errno;

    match accessat(CWD, directory, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS) {
        Err(error @ (Errno::ACCESS | Errno::ROFS)) => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_writable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The file itself: a link in its place is nothing of ours.
fn read_now(path: &Path) -> Result<Option<String>, Error> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(Error::NotFile { path: path.to_owned() }),
        _ => read(path),
    }
}

/// Replaces a file in one step: whoever reads it sees the old text or the new one.
fn replace(path: &Path, text: &str, is_private: bool) -> Result<(), Error> {
    let directory = path.parent().unwrap_or(path);
    create_directory(directory, is_private)?;
    let failed = |what| Error::io(what, path);
    leftovers::remove_old(path, directory);
    let mut file = leftovers::new_file(path, directory).map_err(failed("cannot write to its directory"))?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed("cannot write it"))?;
    set_mode(file.as_file(), path, is_private).map_err(failed("cannot set its permissions"))?;
    replace_file(file, path).map_err(failed("cannot replace it"))
}

/// The mode and the owner of the file that is replaced; else those of a new file.
#[cfg(unix)]
fn set_mode(file: &fs::File, path: &Path, is_private: bool) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let old = fs::metadata(path).ok();
    let mode = old.as_ref().map_or(if is_private { 0o600 } else { 0o644 }, |old| old.permissions().mode() & 0o7777);
    if let Some(old) = old {
        let own = file.metadata()?;
        // Only root may give a file away. Where that, or the group, is not allowed the file is the user's own, as one that an
        // editor has written.
        if own.uid() != old.uid() {
            let _ = std::os::unix::fs::fchown(file, Some(old.uid()), None);
        }
        if own.gid() != old.gid() {
            let _ = std::os::unix::fs::fchown(file, None, Some(old.gid()));
        }
    }
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// The access list comes from the directory.
#[cfg(not(unix))]
fn set_mode(_: &fs::File, _: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

pub(crate) fn create_directory(directory: &Path, is_private: bool) -> Result<(), Error> {
    #[cfg_attr(not(unix), allow(unused_mut, unused_variables, reason = "there is no mode to set"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    if is_private {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    builder.recursive(true).create(directory).map_err(Error::io("cannot make the directory", directory))
}

/// Removes a file, and the directory that held only files of ours.
fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(Error::io("cannot remove it", path)(error)),
    }
    remove_empty(path);
    Ok(())
}

/// Removes the directories above a file that is gone which `install` may have made for it. One in which something else is stays.
pub(crate) fn remove_empty(path: &Path) {
    let is_ours = |directory: &&Path| {
        directory.file_name().and_then(|name| name.to_str()).is_some_and(|name| MADE.contains(&name))
    };
    // The first that cannot be removed is not empty, and so is what it is in.
    let _ = path.ancestors().skip(1).take_while(is_ours).try_for_each(fs::remove_dir);
}

/// The names of directories that are made for a file of ours: those of side files, of plugins, of settings, and of our own programs.
const MADE: [&str; 10] = [
    Dialect::SIDE_DIRECTORY,
    "plugin",
    "opencode",
    ".opencode",
    ".config",
    "extensions",
    "agent",
    ".pi",
    ".claude",
    "bin",
];
