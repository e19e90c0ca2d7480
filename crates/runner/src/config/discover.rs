//! Where an agent's config files are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Origin;

/// A config file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// The file.
    pub path: PathBuf,
    /// Is it the user's or the project's?
    pub origin: Origin,
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
    let mut files = Vec::new();
    let mut add = |origin, path| files.push(FoundFile { path, origin });
    if let Some(folder) = user_folder(cfg!(windows), env) {
        add(Origin::User, folder.join(agent).join(format!("{agent}.json")));
    }
    add(Origin::Project, project_dir.join(format!("{agent}.json")));
    add(Origin::Project, project_dir.join(format!(".{agent}.json")));
    files.retain(|file| match file.path.symlink_metadata() {
        Ok(metadata) => !metadata.is_dir(),
        Err(error) => !matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory),
    });
    files
}

/// The folder of the user's config files. A variable that is empty is not set; a relative path is not looked at (XDG
/// Base Directory Specification).
pub(super) fn user_folder(windows: bool, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let get = |name: &str| absolute_variable(windows, name, &env);
    if windows {
        return get("LOCALAPPDATA").or_else(|| Some(get("USERPROFILE")?.join("AppData").join("Local")));
    }
    get("XDG_CONFIG_HOME").or_else(|| Some(get("HOME")?.join(".config")))
}

/// A variable that is an absolute path. One that is empty is not set, and a relative path is not looked at (XDG Base
/// Directory Specification).
pub(crate) fn absolute_variable(windows: bool, name: &str, env: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    env(name).map(PathBuf::from).filter(|path| path.is_absolute() || cfg!(windows) != windows && path.has_root())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use super::{discover, user_folder};

    fn folder(windows: bool, variables: &[(&str, &str)]) -> Option<PathBuf> {
        user_folder(windows, |name| {
            variables.iter().find(|(have, _)| *have == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    #[cfg(unix)]
    fn the_users_folder() {
        type Case = (&'static [(&'static str, &'static str)], Option<&'static str>);
        let cases: [Case; 5] = [
            (&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")], Some("/x")),
            (&[("HOME", "/h")], Some("/h/.config")),
            (&[("XDG_CONFIG_HOME", ""), ("HOME", "/h")], Some("/h/.config")),
            (&[("XDG_CONFIG_HOME", "relative"), ("HOME", "/h")], Some("/h/.config")),
            (&[], None),
        ];
        for (variables, expected) in cases {
            assert_eq!(folder(false, variables), expected.map(PathBuf::from), "{variables:?}");
        }
        assert_eq!(folder(true, &[("LOCALAPPDATA", "/l"), ("HOME", "/h")]), Some(PathBuf::from("/l")));
        assert_eq!(folder(true, &[("USERPROFILE", "/u")]), Some(PathBuf::from("/u/AppData/Local")));
    }

    #[test]
    #[cfg(windows)]
    fn the_users_folder() {
        let local = folder(true, &[("LOCALAPPDATA", "C:\\l"), ("USERPROFILE", "C:\\u")]);
        assert_eq!(local, Some(PathBuf::from("C:\\l")));
        let profile = folder(true, &[("USERPROFILE", "C:\\u")]);
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
