//! Where an agent's config files are.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Origin;

/// A config file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// The file.
    pub path: PathBuf,
    /// Whose it is: decided by the rule that found it, wherever the file lies. (The working directory may be `/` or the
    /// user's home directory, and then every file lies below it.)
    pub origin: Origin,
}

impl FoundFile {
    /// The file at this path, which these have named.
    pub fn new(path: PathBuf, origin: Origin) -> Self {
        Self { path, origin }
    }
}

/// Leaves out each file that a rule of a higher or the same origin has found too: where the project's directory is the
/// user's home directory, or leads there by a link, its files are the user's.
pub(crate) fn keep_highest_origin(files: Vec<FoundFile>) -> Vec<FoundFile> {
    // Each is resolved at most once, and only where another has its name: every plugin has a `hooks.json`.
    let resolved: Vec<OnceCell<Option<PathBuf>>> = files.iter().map(|_| OnceCell::new()).collect();
    let resolve = |at: usize, file: &FoundFile| {
        resolved.get(at).and_then(|cell| cell.get_or_init(|| file.path.canonicalize().ok()).as_deref())
    };
    let is_same_file = |at: usize, file: &FoundFile, other_at: usize, other: &FoundFile| {
        file.path == other.path
            || file.path.file_name() == other.path.file_name()
                && resolve(at, file).is_some_and(|path| resolve(other_at, other) == Some(path))
    };
    let is_kept = |at: usize, file: &FoundFile| {
        !files.iter().enumerate().any(|(other_at, other)| {
            let is_higher = other.origin.may_change(file.origin);
            let is_equal = is_higher && file.origin.may_change(other.origin);
            other_at != at && is_higher && (!is_equal || other_at < at) && is_same_file(at, file, other_at, other)
        })
    };
    files.iter().enumerate().filter(|(at, file)| is_kept(*at, file)).map(|(_, file)| file.clone()).collect()
}

/// The config files of an agent that exist, in the order in which they are read: the user's, then the project's
/// `AGENT.json` and `.AGENT.json`. `agent` is `crush` for Crush's files.
///
/// The user's file is `$XDG_CONFIG_HOME/AGENT/AGENT.json`, where that variable is not set `~/.config/AGENT/AGENT.json`; on
/// Windows `%LOCALAPPDATA%\AGENT\AGENT.json`. `env` gives the value of a variable: nothing is read from the process's
/// own environment. A file that exists and cannot be read is in the list, so that reading it says why.
pub fn discover(agent: &str, project_dir: &Path, env: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    discover_files(agent, project_dir, env).into_iter().map(|file| file.path).collect()
}

/// As [`discover`], and whose each file is.
pub fn discover_files(agent: &str, project_dir: &Path, env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
    let files = places_of(agent, Some(project_dir), env);
    keep_highest_origin(files.into_iter().filter(|file| is_there(&file.path)).collect())
}

/// Where the config files of an agent are, whether they exist or not.
pub(crate) fn places_of(
    agent: &str,
    project_dir: Option<&Path>,
    env: impl Fn(&str) -> Option<OsString>,
) -> Vec<FoundFile> {
    let of_user = user_dir(cfg!(windows), env).map(|directory| directory.join(agent).join(format!("{agent}.json")));
    let names = || [format!("{agent}.json"), format!(".{agent}.json")];
    let of_project = project_dir.into_iter().flat_map(|directory| names().map(|name| directory.join(name)));
    let of_project = of_project.map(|path| FoundFile::new(path, Origin::Project));
    of_user.map(|path| FoundFile::new(path, Origin::User)).into_iter().chain(of_project).collect()
}

/// Those of them that are the user's: nothing of a project is looked at.
pub fn discover_user_files(agent: &str, env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
    places_of(agent, None, env).into_iter().filter(|file| is_there(&file.path)).collect()
}

/// Is there something that is no directory? What cannot be looked at is there, so that reading it says why.
fn is_there(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory),
    }
}

/// The directory of the user's config files. A variable that is empty is not set; a relative path is not looked at (XDG
/// Base Directory Specification).
pub(crate) fn user_dir(windows: bool, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let get = |name: &str| absolute_variable(windows, name, &env);
    if windows {
        return get("LOCALAPPDATA").or_else(|| Some(get("USERPROFILE")?.join("AppData").join("Local")));
    }
    get("XDG_CONFIG_HOME").or_else(|| Some(get("HOME")?.join(".config")))
}

/// A variable that is an absolute path. One that is empty is not set, and a relative path is not looked at (XDG Base
/// Directory Specification).
pub fn absolute_variable(windows: bool, name: &str, env: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    env(name).map(PathBuf::from).filter(|path| path.is_absolute() || cfg!(windows) != windows && path.has_root())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use super::{discover, user_dir};

    fn dir(windows: bool, variables: &[(&str, &str)]) -> Option<PathBuf> {
        user_dir(windows, |name| {
            variables.iter().find(|(have, _)| *have == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    #[cfg(unix)]
    fn the_users_dir() {
        type Case = (&'static [(&'static str, &'static str)], Option<&'static str>);
        let cases: [Case; 5] = [
            (&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")], Some("/x")),
            (&[("HOME", "/h")], Some("/h/.config")),
            (&[("XDG_CONFIG_HOME", ""), ("HOME", "/h")], Some("/h/.config")),
            (&[("XDG_CONFIG_HOME", "relative"), ("HOME", "/h")], Some("/h/.config")),
            (&[], None),
        ];
        for (variables, expected) in cases {
            assert_eq!(dir(false, variables), expected.map(PathBuf::from), "{variables:?}");
        }
        assert_eq!(dir(true, &[("LOCALAPPDATA", "/l"), ("HOME", "/h")]), Some(PathBuf::from("/l")));
        assert_eq!(dir(true, &[("USERPROFILE", "/u")]), Some(PathBuf::from("/u/AppData/Local")));
    }

    #[test]
    #[cfg(windows)]
    fn the_users_dir() {
        let local = dir(true, &[("LOCALAPPDATA", "C:\\l"), ("USERPROFILE", "C:\\u")]);
        assert_eq!(local, Some(PathBuf::from("C:\\l")));
        let profile = dir(true, &[("USERPROFILE", "C:\\u")]);
        assert_eq!(profile, Some(PathBuf::from("C:\\u\\AppData\\Local")));
    }

    #[test]
    fn files_are_found_user_first() {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        let user = root.path().join("config");
        std::fs::create_dir_all(user.join("crush")).unwrap();
        std::fs::create_dir_all(&project).unwrap();
        let find = || {
            discover("crush", &project, |name| {
                matches!(name, "XDG_CONFIG_HOME" | "LOCALAPPDATA").then(|| user.clone().into_os_string())
            })
        };
        assert_eq!(find(), Vec::<PathBuf>::new());
        let files = [user.join("crush").join("crush.json"), project.join("crush.json"), project.join(".crush.json")];
        for file in &files {
            std::fs::write(file, "{}").unwrap();
        }
        assert_eq!(find(), files);
    }
}
