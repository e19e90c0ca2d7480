//! Where an agent's config files are.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Origin;
use super::places::{keep_what_is_there, project_file};

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

/// The config files of an agent that exist, in the order in which they are read: what is read later takes precedence. `agent`
/// is `crush` for Crush's files, whose rules these are (`internal/config/load.go` of Crush, 2026).
///
/// 1. The user's `AGENT.json` in `$AGENT_GLOBAL_CONFIG`, else in `$XDG_CONFIG_HOME/AGENT`, else in `~/.config/AGENT`.
/// 2. The user's `AGENT.json` in `$AGENT_GLOBAL_DATA`, else in `$XDG_DATA_HOME/AGENT`, else in `~/.local/share/AGENT`, on Windows
///    in `%LOCALAPPDATA%\AGENT`. (Older versions have only this one there.)
/// 3. The project's `.AGENT.json` and `AGENT.json`, from the root of its git repository down to the directory; without a repository
///    only those of the directory.
/// 4. The project's `.AGENT/AGENT.json`, of the nearest such directory on that way.
///
/// `AGENT_GLOBAL_CONFIG` is `CRUSH_GLOBAL_CONFIG` for Crush. A variable that is empty is not set, and one that is no absolute path is
/// not looked at. `env` gives the value of a variable: nothing is read from the process's own environment. A file that exists and
/// cannot be read is in the list, and so is one in whose directory's place a file stands: reading it says why.
pub fn discover(agent: &str, project_dir: &Path, env: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    discover_files(agent, project_dir, env).into_iter().map(|file| file.path).collect()
}

/// As [`discover`], and whose each file is.
pub fn discover_files(agent: &str, project_dir: &Path, env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
    let mut files = places_of(agent, Some(project_dir), env);
    keep_what_is_there(&mut files);
    keep_highest_origin(files)
}

/// Where the config files of an agent are, whether they exist or not.
fn places_of(agent: &str, project_dir: Option<&Path>, env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
    let windows = cfg!(windows);
    let name = format!("{agent}.json");
    let of_user = [config_dir(windows, agent, &env), data_dir(windows, agent, &env)].into_iter().flatten();
    let mut files: Vec<FoundFile> = of_user.map(|dir| FoundFile::new(dir.join(&name), Origin::User)).collect();
    if let Some(project) = project_dir {
        let home = home_dir(windows, &env);
        files.extend(project_places(agent, project, home.as_deref()).into_iter().map(project_file));
    }
    files
}

/// Is anything where config files of the project are looked for?
pub(crate) fn may_have_project_files(agent: &str, project_dir: &Path, env: impl Fn(&str) -> Option<OsString>) -> bool {
    let home = home_dir(cfg!(windows), &env);
    project_places(agent, project_dir, home.as_deref()).iter().any(|path| path.symlink_metadata().is_ok())
}

/// Where config files of a project are, in the order in which they are read.
fn project_places(agent: &str, project: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let directories = repository_path(project);
    let own = format!(".{agent}");
    // The agent's data of a project. A home directory's is the user's, also where it is in a repository.
    let upward = directories.iter().rev().take_while(|directory| Some(directory.as_path()) != home);
    let data = upward.map(|directory| directory.join(&own)).find(|path| path.symlink_metadata().is_ok());
    let data = data.unwrap_or_else(|| project.join(&own));
    let names = [format!(".{agent}.json"), format!("{agent}.json")];
    let of_directories = directories.iter().flat_map(|directory| names.iter().map(|name| directory.join(name)));
    of_directories.chain(std::iter::once(data.join(format!("{agent}.json")))).collect()
}

/// Is the directory the root of a git repository or of a worktree of one?
pub fn is_repository_root(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
}

/// The directories from the root of the git repository that a directory is in down to it; only itself where it is in none.
fn repository_path(directory: &Path) -> Vec<PathBuf> {
    // A relative path has no ancestors to speak of.
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    let depth = absolute.ancestors().position(is_repository_root).unwrap_or(0);
    let mut directories: Vec<PathBuf> = absolute.ancestors().take(depth + 1).map(Path::to_owned).collect();
    // As it was given, so that messages name it so.
    if let Some(first) = directories.first_mut() {
        directory.clone_into(first);
    }
    directories.reverse();
    directories
}

/// Where the user's config of an agent is.
fn config_dir(windows: bool, agent: &str, env: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let get = |name: &str| absolute_variable(windows, name, env);
    let base = || get("XDG_CONFIG_HOME").or_else(|| Some(home_dir(windows, env)?.join(".config")));
    get(&variable_of(agent, "GLOBAL_CONFIG")).or_else(|| Some(base()?.join(agent)))
}

/// Where an agent keeps what it writes of the user's config itself.
fn data_dir(windows: bool, agent: &str, env: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let get = |name: &str| absolute_variable(windows, name, env);
    let local = || {
        if windows { local_app_data(env) } else { Some(home_dir(windows, env)?.join(".local").join("share")) }
    };
    get(&variable_of(agent, "GLOBAL_DATA")).or_else(|| Some(get("XDG_DATA_HOME").or_else(local)?.join(agent)))
}

/// The name of a variable that is an agent's own.
fn variable_of(agent: &str, name: &str) -> String {
    let own = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("{}_{name}", agent.chars().map(own).collect::<String>())
}

/// The user's home directory: on Windows `USERPROFILE`, where that is not set, and elsewhere, `HOME`.
pub(super) fn home_dir(windows: bool, env: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let get = |name: &str| absolute_variable(windows, name, env);
    let profile = if windows { get("USERPROFILE") } else { None };
    profile.or_else(|| get("HOME"))
}

/// Windows' directory of the user's data that stay on the machine. A variable that is empty or no absolute path is not looked at.
pub fn local_app_data(env: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let get = |name: &str| absolute_variable(true, name, env);
    get("LOCALAPPDATA").or_else(|| Some(get("USERPROFILE")?.join("AppData").join("Local")))
}

/// Those of them that are the user's: nothing of a project is looked at.
pub fn discover_user_files(agent: &str, env: impl Fn(&str) -> Option<OsString>) -> Vec<FoundFile> {
    let mut files = places_of(agent, None, env);
    keep_what_is_there(&mut files);
    files
}

/// The directory of the user's config files of programs that follow each system's own rule. A variable that is empty is not set; a
/// relative path is not looked at (XDG Base Directory Specification).
pub(crate) fn user_dir(windows: bool, env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let get = |name: &str| absolute_variable(windows, name, &env);
    if windows {
        return local_app_data(&env);
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

    use super::{config_dir, data_dir, discover, user_dir, variable_of};

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
    fn the_users_files_are_where_the_variables_say() {
        type Case = (bool, &'static [(&'static str, &'static str)], [Option<&'static str>; 2]);
        let root = if cfg!(windows) { "C:/" } else { "/" };
        let cases: [Case; 8] = [
            (false, &[("HOME", "h")], [Some("h/.config/crush"), Some("h/.local/share/crush")]),
            (false, &[("HOME", "h"), ("XDG_CONFIG_HOME", "c")], [Some("c/crush"), Some("h/.local/share/crush")]),
            (false, &[("HOME", "h"), ("XDG_DATA_HOME", "d")], [Some("h/.config/crush"), Some("d/crush")]),
            (
                false,
                &[
                    ("CRUSH_GLOBAL_CONFIG", "g"),
                    ("CRUSH_GLOBAL_DATA", "e"),
                    ("XDG_CONFIG_HOME", "c"),
                    ("XDG_DATA_HOME", "d"),
                ],
                [Some("g"), Some("e")],
            ),
            (false, &[], [None, None]),
            (
                true,
                &[("USERPROFILE", "u"), ("LOCALAPPDATA", "l"), ("HOME", "h")],
                [Some("u/.config/crush"), Some("l/crush")],
            ),
            (true, &[("USERPROFILE", "u")], [Some("u/.config/crush"), Some("u/AppData/Local/crush")]),
            // These count on Windows too.
            (
                true,
                &[("USERPROFILE", "u"), ("LOCALAPPDATA", "l"), ("XDG_CONFIG_HOME", "c"), ("XDG_DATA_HOME", "d")],
                [Some("c/crush"), Some("d/crush")],
            ),
        ];
        for (windows, variables, expected) in cases {
            let env = |name: &str| {
                let (_, value) = variables.iter().find(|(have, _)| *have == name)?;
                Some(OsString::from(format!("{root}{value}")))
            };
            let found = [config_dir(windows, "crush", &env), data_dir(windows, "crush", &env)];
            let expected = expected.map(|path| path.map(|path| PathBuf::from(format!("{root}{path}"))));
            assert_eq!(found, expected, "{variables:?}");
        }
        let relative = |name: &str| (name == "CRUSH_GLOBAL_CONFIG").then(|| OsString::from("relative"));
        assert_eq!(config_dir(false, "crush", &relative), None);
        assert_eq!(variable_of("my-agent", "GLOBAL_DATA"), "MY_AGENT_GLOBAL_DATA");
    }

    #[test]
    fn files_are_found_user_first_and_from_the_root_of_the_repository() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let repository = home.join("work").join("repository");
        let project = repository.join("crates").join("one");
        std::fs::create_dir_all(&project).unwrap();
        let find = || {
            discover("crush", &project, |name| {
                let directory = match name {
                    "HOME" | "USERPROFILE" => home.clone(),
                    "XDG_DATA_HOME" => home.join("data"),
                    _ => return None,
                };
                Some(directory.into_os_string())
            })
        };
        assert_eq!(find(), Vec::<PathBuf>::new());
        let write = |file: &PathBuf| {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "{}").unwrap();
        };
        let own =
            [home.join(".config").join("crush").join("crush.json"), home.join("data").join("crush").join("crush.json")];
        let above = [repository.join(".crush.json"), repository.join("crush.json")];
        let here = [project.join(".crush.json"), project.join("crush.json")];
        let data = repository.join(".crush").join("crush.json");
        // Nobody looks above a repository, nor into the data that Crush has of the home directory.
        for file in [home.join("crush.json"), home.join(".crush").join("crush.json"), data.clone()] {
            write(&file);
        }
        own.iter().chain(&above).chain(&here).for_each(write);
        assert_eq!(find(), [&own[..], &here[..]].concat(), "no repository");
        std::fs::create_dir(repository.join(".git")).unwrap();
        assert_eq!(find(), [&own[..], &above[..], &here[..], &[data][..]].concat());
        let nearer = project.join(".crush").join("crush.json");
        write(&nearer);
        assert_eq!(find(), [&own[..], &above[..], &here[..], &[nearer][..]].concat());
    }
}
