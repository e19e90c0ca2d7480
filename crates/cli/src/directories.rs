//! The directories that a command line is about.

use std::path::{Path, PathBuf};

use hookshell_runner::why_unreadable;

use crate::failure::{Failure, Sysexit};

/// The working directory: absolute. Where the directory is gone, the path that it had: a guard must run there, too.
pub(crate) fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir().or_else(|error| {
        let named = || std::env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
        removed_directory().or_else(named).ok_or_else(|| {
            Failure::new(Sysexit::NoInput, "working directory", error).hint("change to a directory that exists")
        })
    })
}

/// The path that the working directory had until it was removed, where the system (Linux) still knows it.
fn removed_directory() -> Option<PathBuf> {
    let link = std::fs::read_link("/proc/self/cwd").ok()?;
    let path = link.to_str()?.strip_suffix(" (deleted)")?;
    Some(PathBuf::from(path))
}

/// A directory that exists; the working directory where none is given.
pub(crate) fn directory_option(option: &str, given: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = match given {
        None => return working_directory(),
        Some(given) if given.is_absolute() => given.to_owned(),
        Some(given) => working_directory()?.join(given),
    };
    let why = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => return Ok(path),
        Ok(_) => "it is not a directory".to_owned(),
        Err(error) => why_unreadable(&error),
    };
    let given = given.unwrap_or(&path).display();
    Err(Failure::new(Sysexit::NoInput, option, format!("{given}: {why}")))
}
