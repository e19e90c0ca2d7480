//! The temporary directory of one run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Case, Mode};

/// A temporary directory with `case.sh`, `stdin`, and the directories `work` (the working directory), `home` and `tmp`.
#[derive(Debug)]
pub struct Directory {
    // Dropped last: it removes everything.
    root: TempDir,
    path: PathBuf,
}

/// What a run left under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Left {
    /// A file with its content.
    File(Vec<u8>),
    /// A directory.
    Directory,
    /// A symbolic link, a FIFO, a file that cannot be read.
    Other,
}

/// The script's name in the directory; `$0` is the path to it from the working directory.
pub(crate) const SCRIPT: &str = "../case.sh";

impl Directory {
    /// Lays out what the case needs.
    ///
    /// # Errors
    /// As the system says.
    pub fn new(case: &Case) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("spec").tempdir()?;
        // The shell's idea of its directory has no symbolic link in it (macOS: /tmp).
        let path = if cfg!(windows) { root.path().to_path_buf() } else { root.path().canonicalize()? };
        lay_out(case, &path)?;
        Ok(Self { root, path })
    }

    /// The working directory.
    pub fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    /// The home directory.
    pub fn home(&self) -> PathBuf {
        self.path.join("home")
    }

    /// The file that is standard input.
    pub fn stdin(&self) -> PathBuf {
        self.path.join("stdin")
    }

    /// The whole environment.
    pub fn environment(&self, case: &Case) -> Vec<(OsString, OsString)> {
        let mut env: Vec<(OsString, OsString)> = vec![
            ("LC_ALL".into(), "C.UTF-8".into()),
            ("TZ".into(), "UTC0".into()),
            ("HOME".into(), self.home().into()),
            ("TMPDIR".into(), self.path.join("tmp").into()),
        ];
        if cfg!(windows) {
            for name in ["PATH", "PATHEXT", "SYSTEMROOT", "TEMP", "TMP"] {
                env.extend(std::env::var_os(name).map(|value| (name.into(), value)));
            }
        } else {
            env.push(("PATH".into(), PATH.into()));
        }
        for (name, value) in &case.env {
            env.retain(|(other, _)| other.as_os_str() != name.as_str());
            env.push((name.into(), hookshell_process::text::to_os(value).into_owned()));
        }
        env
    }

    /// The environment; of a case about bundled utilities without any program on PATH, so that they have to do it.
    pub fn environment_of_bundled(&self, case: &Case) -> Vec<(OsString, OsString)> {
        let mut env = self.environment(case);
        if !case.bundled.is_empty() {
            env.retain(|(name, _)| !name.eq_ignore_ascii_case("PATH"));
            env.push(("PATH".into(), self.home().join("no-programs").into()));
        }
        env
    }

    /// What is in the working directory, by the path in it, with forward slashes.
    pub fn left(&self) -> BTreeMap<String, Left> {
        list_left(&self.work())
    }

    /// Keeps it and says where it is, for a developer who wants to look.
    pub fn path(&self) -> &Path {
        self.root.path()
    }
}

/// Lays out in an empty directory what the case needs.
///
/// # Errors
/// As the system says.
pub fn lay_out(case: &Case, directory: &Path) -> io::Result<()> {
    for name in ["work", "home", "tmp"] {
        fs::create_dir(directory.join(name))?;
    }
    let mut stdin = Vec::new();
    if case.mode == Mode::Stdin {
        stdin.extend_from_slice(&case.script);
    } else {
        fs::write(directory.join("case.sh"), &case.script)?;
    }
    stdin.extend_from_slice(&case.stdin);
    fs::write(directory.join("stdin"), stdin)?;
    for given in &case.given {
        let path = directory.join("work").join(&given.name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        match &given.content {
            Some(content) => fs::write(&path, content)?,
            None => fs::create_dir_all(&path)?,
        }
        #[cfg(unix)]
        if let Some(mode) = given.mode {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

/// What is in a directory, by the path in it, with forward slashes.
pub fn list_left(directory: &Path) -> BTreeMap<String, Left> {
    let mut left = BTreeMap::new();
    list(directory, "", &mut left);
    left
}

/// Where programs are looked for.
pub(crate) const PATH: &str = "/usr/bin:/bin";

fn list(directory: &Path, prefix: &str, left: &mut BTreeMap<String, Left>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = match entry.file_type() {
            Ok(kind) if kind.is_dir() => {
                list(&entry.path(), &format!("{name}/"), left);
                Left::Directory
            }
            Ok(kind) if kind.is_file() => fs::read(entry.path()).map_or(Left::Other, Left::File),
            _ => Left::Other,
        };
        left.insert(name, kind);
    }
}
