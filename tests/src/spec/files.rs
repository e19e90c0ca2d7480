//! The case files.

use std::path::{Path, PathBuf};

use super::{Case, Error, parse};

/// A case file as it was read.
#[derive(Debug)]
pub struct CaseFile {
    /// The file.
    pub path: PathBuf,
    /// Its cases in order.
    pub cases: Vec<Case>,
}

/// `tests/spec` of the workspace.
pub fn spec_directory() -> PathBuf {
    // Under Wine and in a test binary that was moved the directory of the build may be elsewhere; cargo names it anew.
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.join("spec")
}

/// Reads all case files below `directory`, in any depth, sorted by path.
///
/// # Errors
/// A file cannot be read or is not in the format.
pub fn load(directory: &Path) -> Result<Vec<CaseFile>, Error> {
    let mut paths = Vec::new();
    find(directory, &mut paths)?;
    paths.into_iter().map(|path| read(directory, path)).collect()
}

/// Adds the `*.spec` files of a directory and of those below it.
fn find(directory: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Error> {
    for path in entries(directory)? {
        if path.is_dir() {
            find(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "spec") {
            paths.push(path);
        }
    }
    Ok(())
}

fn read(directory: &Path, path: PathBuf) -> Result<CaseFile, Error> {
    let text = std::fs::read(&path).map_err(Error::file(&path))?;
    let area = path.strip_prefix(directory).unwrap_or(&path).with_extension("");
    let area = area.to_string_lossy().replace('\\', "/");
    let cases = parse(&area, &path, &text)?;
    Ok(CaseFile { path, cases })
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut paths = std::fs::read_dir(directory)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>())
        .map_err(Error::file(directory))?;
    paths.sort();
    Ok(paths)
}
