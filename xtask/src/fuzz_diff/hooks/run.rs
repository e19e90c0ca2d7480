//! One run of a project.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::subject;
use super::project::Project;
use crate::error::Error;

/// By whom a project is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Bash,
    /// `hookshell sh FILE`
    Sh,
    /// As a hook, `shell_scripts = in-process`.
    Hook,
}

/// What a run did.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    stdout: Vec<u8>,
    status: i32,
    /// What is left in the project's directory.
    files: BTreeMap<String, Vec<u8>>,
    /// Shown, not compared: messages have shapes of their own.
    stderr: Shown,
}

/// Text that plays no part in a comparison.
#[derive(Debug)]
struct Shown(Vec<u8>);

impl PartialEq for Shown {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Shown {}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "status {}", self.status)?;
        write!(f, "{}", String::from_utf8_lossy(&self.stdout))?;
        for (name, content) in self.files.iter().filter(|(name, _)| !name.starts_with("hooks/")) {
            write!(f, "[{name}]\n{}", String::from_utf8_lossy(content))?;
        }
        write!(f, "[stderr]\n{}", String::from_utf8_lossy(&self.stderr.0))
    }
}

/// The directory in which one worker runs projects, one after another.
pub(super) struct Bench {
    directory: PathBuf,
    bash: PathBuf,
    ours: PathBuf,
}

impl Bench {
    pub(super) fn new(directory: PathBuf, bash: &Path, ours: &Path) -> Result<Self, Error> {
        fs::create_dir_all(&directory).map_err(|source| Error::File { path: directory.clone(), source })?;
        Ok(Self { directory, bash: bash.to_path_buf(), ours: ours.to_path_buf() })
    }

    pub(super) fn run(&self, project: &Project, way: Way) -> Result<Outcome, Error> {
        let cwd = self.directory.join("w");
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| Error::File { path, source }
        };
        lay_out(&cwd, project).map_err(failed(&cwd))?;
        let file = |name: &str| {
            let path = self.directory.join(name);
            File::create(&path).map_err(|source| Error::File { path, source })
        };
        let (stdout, stderr) = (file("stdout")?, file("stderr")?);
        let input = self.directory.join("stdin");
        fs::write(&input, project.payload()).map_err(failed(&input))?;
        let stdin = File::open(&input).map_err(failed(&input))?;
        let mut command = match way {
            Way::Bash => {
                let mut command = Command::new(&self.bash);
                match project.names_shell() {
                    true => command.arg(project.script()).args(project.arguments()),
                    // By its `#!` line.
                    false => command.args(["-c", &project.command()]),
                };
                command
            }
            Way::Sh => {
                let mut command = Command::new(&self.ours);
                command.args(["sh", "--utilities", "bundled"]).args(project.options());
                command.arg(project.script()).args(project.arguments());
                command
            }
            Way::Hook => {
                let mut command = Command::new(&self.ours);
                command.args(["exec", "--shell-scripts", "in-process", &project.command()]);
                command
            }
        };
        command.current_dir(&cwd).env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8").env("TZ", "UTC0");
        command.env("HOME", "/home/nobody").env("TMPDIR", &self.directory).stdin(stdin).stdout(stdout).stderr(stderr);
        let status = subject::run(&mut command)
            .map_err(|source| Error::Start { program: command.get_program().to_string_lossy().into(), source })?;
        let read = |name: &str| {
            let path = self.directory.join(name);
            fs::read(&path).map_err(|source| Error::File { path, source })
        };
        let mut files = BTreeMap::new();
        collect(&cwd, "", &mut files).map_err(failed(&cwd))?;
        Ok(Outcome { stdout: read("stdout")?, status: subject::code(status), files, stderr: Shown(read("stderr")?) })
    }
}

/// A fresh directory with the project's files.
fn lay_out(cwd: &Path, project: &Project) -> io::Result<()> {
    if cwd.exists() {
        fs::remove_dir_all(cwd)?;
    }
    for (name, text) in project.files() {
        let path = cwd.join(&name);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(&path, text)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// All files below a directory, and the directories with an empty content.
fn collect(directory: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
            files.insert(format!("{name}/"), Vec::new());
        } else {
            files.insert(name, fs::read(entry.path()).unwrap_or_default());
        }
    }
    Ok(())
}
