//! What the tests share: a directory with the helper program in it, and invocations that depend on nothing outside.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookshell_dispatch::{Command, Dispatcher, Input, Invocation, Outcome};

/// The helper program: see `helper.rs`.
pub(crate) const HELPER: &str = env!("CARGO_BIN_EXE_hookshell-dispatch-helper");

/// A directory with `tool` (the helper) in `bin`.
pub(crate) struct Directory {
    directory: tempfile::TempDir,
}

impl Directory {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bin = directory.path().join("bin");
        fs::create_dir(&bin).unwrap();
        fs::copy(HELPER, bin.join(exe("tool"))).unwrap();
        Self { directory }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file that may be executed.
    pub(crate) fn script(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        path
    }

    /// An invocation in this directory whose PATH is `bin` and the system's own directories.
    pub(crate) fn invocation(&self, command: &str) -> Invocation {
        self.with_path(command, true)
    }

    /// The same with nothing on PATH but `bin`.
    pub(crate) fn isolated(&self, command: &str) -> Invocation {
        self.with_path(command, false)
    }

    fn with_path(&self, command: &str, system: bool) -> Invocation {
        let mut path = vec![self.path().join("bin")];
        if system {
            path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        }
        let mut invocation = Invocation::new(Command::source(command), self.path());
        invocation.env.set("PATH", std::env::join_paths(path).unwrap());
        invocation.env.set("HOME", self.path());
        invocation.env.set("LC_ALL", "C.UTF-8");
        // Windows programs do not start without it.
        if let Some(root) = std::env::var_os("SystemRoot") {
            invocation.env.set("SystemRoot", root);
        }
        invocation.stdin = Input::Null;
        invocation.timeout = Some(Duration::from_secs(30));
        invocation
    }

    /// Runs a command with defaults.
    pub(crate) fn run(&self, command: &str) -> Outcome {
        Dispatcher::new().run(self.invocation(command))
    }
}

/// A program's file name.
pub(crate) fn exe(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Sets a variable of an invocation.
pub(crate) fn set(invocation: &mut Invocation, name: &str, value: &str) {
    invocation.env.set(name, value);
}

/// Standard output as text.
pub(crate) fn out(outcome: &Outcome) -> String {
    String::from_utf8_lossy(&outcome.stdout).into_owned()
}

/// Standard error as text.
pub(crate) fn err(outcome: &Outcome) -> String {
    String::from_utf8_lossy(&outcome.stderr).into_owned()
}
