//! What the caller says of the machine: the environment, and where the user stands.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_agents::Dialect;
use hookshell_agents::config::is_repository_root;
use hookshell_process::sync::lock;

use crate::error::Error;

/// The environment and the directories that configs are looked for in.
#[derive(Debug, Clone)]
pub struct Machine {
    env: Vec<(OsString, OsString)>,
    project: Option<PathBuf>,
    /// What programs have said their versions are: some take a second for it, and one that does not answer is waited for once.
    versions: Arc<Mutex<BTreeMap<PathBuf, Option<String>>>>,
}

/// An agent's program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// What it says its version is; `None`: it says none.
    pub version: Option<String>,
}

/// How long an agent may take to say its version.
const MAX_WAIT: Duration = Duration::from_secs(10);

impl Machine {
    /// A machine with this environment. The project is the directory of `cwd` or above it that has configs of an agent or is
    /// the root of a repository; the user's home directory is none.
    pub fn new(env: Vec<(OsString, OsString)>, cwd: &Path) -> Self {
        let mut machine = Self { env, project: None, versions: Arc::default() };
        let home = machine.home();
        machine.project = cwd
            .ancestors()
            .take_while(|directory| Some(*directory) != home.as_deref())
            .find(|directory| is_project(directory))
            .map(Path::to_owned);
        machine
    }

    /// The project's directory.
    pub fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    /// A variable; on Windows in any case.
    pub fn variable(&self, wanted: &str) -> Option<OsString> {
        let is_it = |name: &OsString| if cfg!(windows) { name.eq_ignore_ascii_case(wanted) } else { name == wanted };
        self.env.iter().rev().find(|(name, _)| is_it(name)).map(|(_, value)| value.clone())
    }

    fn directory(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The user's home directory.
    pub fn home(&self) -> Option<PathBuf> {
        let profile = if cfg!(windows) { self.directory("USERPROFILE") } else { None };
        profile.or_else(|| self.directory("HOME"))
    }

    /// Where hookshell keeps what it has installed: `~/.local/share/hookshell`, on Windows `%LOCALAPPDATA%\hookshell`.
    ///
    /// # Errors
    /// The environment names no such directory.
    pub fn data_directory(&self) -> Result<PathBuf, Error> {
        let parent = if cfg!(windows) {
            self.directory("LOCALAPPDATA").or_else(|| Some(self.home()?.join("AppData").join("Local")))
        } else {
            self.directory("XDG_DATA_HOME").or_else(|| Some(self.home()?.join(".local").join("share")))
        };
        Ok(parent.ok_or(Error::NoHome)?.join("hookshell"))
    }

    /// The user's directory of an agent without a dialect of hooks.
    pub(crate) fn config_home(&self) -> Option<PathBuf> {
        self.directory("XDG_CONFIG_HOME").or_else(|| Some(self.home()?.join(".config")))
    }

    /// The user's directory of an agent: what the variable names, else the directory of this name in the home directory.
    pub(crate) fn user_directory(&self, variable: &str, name: &str) -> Option<PathBuf> {
        self.directory(variable).or_else(|| Some(self.home()?.join(name)))
    }

    /// Is hookshell where agents find it by its name?
    pub fn has_hookshell(&self) -> bool {
        self.find_program(&["hookshell"]).is_some()
    }

    /// Where on PATH one of these programs is.
    pub(crate) fn find_program(&self, programs: &[&str]) -> Option<PathBuf> {
        let path = self.variable("PATH")?;
        let extensions: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
        let directories: Vec<PathBuf> = std::env::split_paths(&path).filter(|path| path.is_absolute()).collect();
        programs.iter().find_map(|name| {
            let names = || extensions.iter().map(move |extension| format!("{name}{extension}"));
            directories
                .iter()
                .flat_map(|directory| names().map(move |name| directory.join(name)))
                .find(|path| is_program(path))
        })
    }

    /// What a program says its version is.
    pub(crate) fn version(&self, program: &Path) -> Option<String> {
        let known = lock(&self.versions).get(program).cloned();
        known.unwrap_or_else(|| {
            let version = self.ask_version(program);
            lock(&self.versions).insert(program.to_owned(), version.clone());
            version
        })
    }

    fn ask_version(&self, program: &Path) -> Option<String> {
        let mut command = Command::new(program);
        command.arg("--version").env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().ok()?;
        let mut stdout = child.stdout.take()?;
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = std::io::Read::read_to_end(&mut std::io::Read::take(&mut stdout, 64 * 1024), &mut text);
            let _ = sender.send(text);
        });
        let until = Instant::now() + MAX_WAIT;
        let text = receiver.recv_timeout(MAX_WAIT).ok();
        while Instant::now() < until && text.is_some() {
            match child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(5)),
                _ => break,
            }
        }
        end(&mut child);
        version_in(&String::from_utf8_lossy(&text?)).map(str::to_owned)
    }
}

/// Ends a program, and what it has started: it may be a script.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let (Ok(None), Some(group)) =
        (child.try_wait(), i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw))
    {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn is_project(directory: &Path) -> bool {
    is_repository_root(directory)
        || Dialect::ALL.iter().any(|dialect| dialect.may_have_project_files(directory))
        || [".opencode", ".pi"].iter().any(|name| directory.join(name).symlink_metadata().is_ok())
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The first word of a text that is a version: numbers with points between them.
fn version_in(text: &str) -> Option<&str> {
    text.split(|letter: char| letter.is_ascii_whitespace() || "()v,/".contains(letter))
        .find(|word| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit()))
}

/// Is a version older than another? What is no number in it does not count.
pub(crate) fn is_older(version: &str, than: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> {
        version.split(['-', '+']).next().unwrap_or_default().split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    let (mut left, mut right) = (numbers(version), numbers(than));
    let length = left.len().max(right.len());
    left.resize(length, 0);
    right.resize(length, 0);
    left < right
}

/// A path as text with `/`, below the user's home directory as `~/…`.
pub(crate) fn tilde(path: &Path, home: Option<&Path>) -> Option<String> {
    let rest = path.strip_prefix(home?).ok()?;
    let parts: Option<Vec<&str>> = rest.iter().map(OsStr::to_str).collect();
    Some(format!("~/{}", parts?.join("/")))
}

#[cfg(test)]
mod tests {
    use super::{is_older, version_in};

    #[test]
    fn a_version_is_found_in_what_agents_print() {
        let cases = [
            ("2.1.197 (Claude Code)\n", Some("2.1.197")),
            ("codex-cli 0.169.0", Some("0.169.0")),
            ("crush version v0.9.1", Some("0.9.1")),
            ("no version", None),
        ];
        for (text, version) in cases {
            assert_eq!(version_in(text), version, "{text}");
        }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(is_older("2.1.9", "2.1.139"));
        assert!(is_older("1.99.0", "2.1.139"));
        for version in ["2.1.139", "2.1.139-beta", "2.2", "3"] {
            assert!(!is_older(version, "2.1.139"), "{version}");
        }
    }
}
