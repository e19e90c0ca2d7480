//! Where agents keep their configs.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::discover::home_dir;
use super::{FoundFile, Origin};

/// The directories that config files are looked for in.
pub struct Places<'a> {
    /// The project's; `None`: nothing of a project is looked at.
    project: Option<&'a Path>,
    env: &'a dyn Fn(&str) -> Option<OsString>,
}

impl<'a> Places<'a> {
    /// Those of a project; `env` gives the value of a variable.
    pub fn new(project: Option<&'a Path>, env: &'a dyn Fn(&str) -> Option<OsString>) -> Self {
        Self { project, env }
    }

    /// The project's directory of this name.
    pub fn project(&self, name: &str) -> Option<PathBuf> {
        self.project.map(|project| project.join(name))
    }

    /// The directory that a variable names; none where it is empty or relative.
    pub fn variable(&self, name: &str) -> Option<PathBuf> {
        (self.env)(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The user's home directory: on Windows `USERPROFILE`, where that is not set, and elsewhere, `HOME`.
    pub fn home(&self) -> Option<PathBuf> {
        home_dir(cfg!(windows), &self.env)
    }

    /// The agent's directory of the user: what the variable names, or else the directory of this name in the home directory.
    pub fn user(&self, variable: &str, name: &str) -> Option<PathBuf> {
        self.variable(variable).or_else(|| Some(self.home()?.join(name)))
    }

    /// Where an administrator puts an agent's files: by system.
    pub fn system(&self, linux: &str, macos: &str, windows: &str) -> PathBuf {
        if cfg!(windows) {
            let data = self.variable("ProgramData").unwrap_or_else(|| PathBuf::from("C:\\ProgramData"));
            data.join(windows)
        } else if cfg!(target_os = "macos") {
            Path::new("/Library/Application Support").join(macos)
        } else {
            Path::new("/etc").join(linux)
        }
    }
}

/// A file that a rule for the user's directories names.
pub(crate) fn user_file(path: PathBuf) -> FoundFile {
    FoundFile::new(path, Origin::User)
}

/// A file that a rule for the project's directory names.
pub(crate) fn project_file(path: PathBuf) -> FoundFile {
    FoundFile::new(path, Origin::Project)
}

/// A file that a rule for an administrator's directories names.
pub(crate) fn managed_file(path: PathBuf) -> FoundFile {
    FoundFile::new(path, Origin::Managed)
}

/// Is there a file, or something that reading it will say more of: a directory, a link that leads nowhere, what cannot be looked at?
pub(crate) fn is_there(file: &Path) -> bool {
    match file.symlink_metadata() {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

/// The most directories of a kind that are looked into.
const MOST_DIRECTORIES: usize = 1000;

/// What stands where a path needs a directory: the nearest above it that is there, if that is none and no link to one. What is above
/// a directory of which `is_last` holds is not looked at.
pub fn not_a_directory_above(path: &Path, is_last: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    for above in path.ancestors().skip(1) {
        if above.symlink_metadata().is_ok() {
            return (!above.is_dir()).then(|| above.to_owned());
        }
        if is_last(above) {
            return None;
        }
    }
    None
}

/// What keeps a file from being where it is looked for: a file, or a link that leads nowhere, in the place of a directory that is the
/// agent's. Agents pass over it without a word. What stands above the agent's own directory (`HOME=/dev/null`) is not looked at.
pub(crate) fn in_the_way(file: &Path) -> Option<PathBuf> {
    // `.claude`, `.config`: the home directory or the project is next.
    let is_agents = |above: &Path| above.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    not_a_directory_above(file, is_agents).filter(|found| match found.metadata() {
        Ok(found) => found.is_file(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    })
}

/// Why a file cannot be read, also where it is not its own fault.
pub(crate) fn with_cause(file: &Path, error: io::Error) -> io::Error {
    match in_the_way(file) {
        Some(found) => {
            let what = if found.is_symlink() { "a link that leads to no directory" } else { "a file" };
            let message =
                format!("{} is {what}, and a directory of this name is looked into: move it away", found.display());
            io::Error::new(io::ErrorKind::NotADirectory, message)
        }
        None => error,
    }
}

/// The files of a list that are there, or are kept from being there: of these one for each cause.
pub(crate) fn keep_what_is_there(files: &mut Vec<FoundFile>) {
    let mut causes: Vec<PathBuf> = Vec::new();
    files.retain(|file| {
        is_there(&file.path)
            || in_the_way(&file.path).is_some_and(|cause| {
                let is_new = !causes.contains(&cause);
                causes.push(cause);
                is_new
            })
    });
}

/// What says in the place of a directory's files why it could not be listed, where something is there: reading it does.
pub(crate) fn unlisted(directory: &Path) -> Option<PathBuf> {
    let files = directory.join("*");
    match in_the_way(&files) {
        Some(_) => Some(files),
        None => is_there(directory).then(|| directory.to_owned()),
    }
}

/// The nearest directory above a file that has this file in it: the plugin or extension that a file of hooks is of.
pub(crate) fn directory_with(manifest: &Path, file: &Path) -> Option<PathBuf> {
    // As far up as a path in a manifest may reasonably lead.
    const DEEPEST: usize = 4;
    let file = std::path::absolute(file).ok()?;
    file.ancestors().skip(1).take(DEEPEST).find(|directory| directory.join(manifest).is_file()).map(Path::to_owned)
}

/// A file of this name in each directory of a directory, by their names, whether it exists or not.
pub(crate) fn json_files_of_directories(directory: &Path, name: &str) -> Vec<PathBuf> {
    let Ok(entries) = directory.read_dir() else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).take(MOST_DIRECTORIES);
    let mut files: Vec<PathBuf> = paths.map(|path| path.join(name)).collect();
    files.sort();
    files
}
