//! hookshell's own file under another name: a link, on Windows a copy.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::files;

/// What is to be done with the file.
#[derive(Debug)]
pub(crate) enum Placing {
    /// It becomes this program.
    Put { exe: PathBuf, at: PathBuf },
    /// It is taken away.
    Take(PathBuf),
}

impl Placing {
    /// The program becomes the file there; `None`: it is it.
    pub(crate) fn put(exe: &Path, at: &Path) -> Option<Self> {
        (!is_same(exe, at)).then(|| Self::Put { exe: exe.to_owned(), at: at.to_owned() })
    }

    /// Is something taken away?
    pub(crate) fn is_take(&self) -> bool {
        matches!(self, Self::Take(_))
    }

    /// Says what would be done.
    pub(crate) fn planned(&self) -> String {
        match self {
            Self::Put { exe, at } => format!("{}: it would be hookshell, {}", at.display(), exe.display()),
            Self::Take(at) => format!("{}: it would be removed", at.display()),
        }
    }

    /// Says that it was not done, as a config could not be changed.
    pub(crate) fn left(&self) -> String {
        let (Self::Put { at, .. } | Self::Take(at)) = self;
        format!("{}: it stays, as a config that could not be changed may name it", at.display())
    }

    pub(crate) fn apply(&self) -> Result<String, Error> {
        match self {
            Self::Put { exe, at } => put(exe, at).map(|()| format!("{}: it is hookshell now", at.display())),
            Self::Take(at) => {
                fs::remove_file(at).map_err(Error::io("cannot remove it", at))?;
                files::remove_empty(at);
                Ok(format!("{}: it is removed", at.display()))
            }
        }
    }
}

/// Is the file the program already?
#[cfg(unix)]
fn is_same(exe: &Path, at: &Path) -> bool {
    fs::read_link(at).is_ok_and(|target| target == exe)
}

/// A copy is one of the same length and contents.
#[cfg(not(unix))]
fn is_same(exe: &Path, at: &Path) -> bool {
    let length = |path| fs::metadata(path).map(|metadata| metadata.len());
    matches!((length(exe), length(at)), (Ok(left), Ok(right)) if left == right)
        && matches!((fs::read(exe), fs::read(at)), (Ok(left), Ok(right)) if left == right)
}

fn put(exe: &Path, at: &Path) -> Result<(), Error> {
    let directory = at.parent().unwrap_or(at);
    files::create_directory(directory, true)?;
    let new = tempfile::Builder::new().prefix(".hookshell-").make_in(directory, |path| copy(exe, path));
    let new = new.map_err(Error::io("cannot put hookshell into the directory of", at))?;
    new.persist(at).map(drop).map_err(|error| Error::io("cannot replace it", at)(error.error))
}

#[cfg(unix)]
fn copy(exe: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(exe, to)
}

#[cfg(not(unix))]
fn copy(exe: &Path, to: &Path) -> io::Result<()> {
    fs::copy(exe, to).map(drop)
}
