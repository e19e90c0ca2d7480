//! Runs the binary as a user would: a scrubbed environment, a deadline, and everything that came out.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use hookshell_test_support::{MAX_WAIT, RunOutcome, start, with_default_signals};

/// One run of the binary.
pub(crate) struct Run {
    command: Command,
    stdin: Vec<u8>,
}

/// What came out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// `hookshell ARGS…`
pub(crate) fn hookshell<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Run {
    program(Path::new(env!("CARGO_BIN_EXE_hookshell")), args)
}

/// A program in a scrubbed environment.
pub(crate) fn program<A: AsRef<OsStr>>(path: &Path, args: impl IntoIterator<Item = A>) -> Run {
    let mut command = with_default_signals(path);
    command.args(args).env_clear().env("LC_ALL", "C").env("HOME", std::env::temp_dir());
    // Nothing is left behind in that directory.
    command.env("HOOKSHELL_LOG", "off");
    // Windows programs do not start without these.
    for name in ["PATH", "SYSTEMROOT", "SystemRoot", "TEMP", "TMP", "WINEPREFIX", "WINEDEBUG"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    Run { command, stdin: Vec::new() }
}

impl Run {
    pub(crate) fn stdin(mut self, text: impl AsRef<[u8]>) -> Self {
        self.stdin = text.as_ref().to_vec();
        self
    }

    pub(crate) fn cwd(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Windows: how the process is created.
    #[cfg(windows)]
    #[allow(dead_code, reason = "not every test file uses it")]
    pub(crate) fn flags(mut self, flags: u32) -> Self {
        std::os::windows::process::CommandExt::creation_flags(&mut self.command, flags);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it; its standard input is closed once it has been written.
    pub(crate) fn start(mut self) -> Child {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = start(&mut self.command);
        let mut stdin = child.stdin.take().unwrap();
        let text = self.stdin;
        // Whoever does not read it closes it.
        std::thread::spawn(move || drop(stdin.write_all(&text)));
        child
    }

    /// Starts it; its standard input is the caller's to write and to close.
    #[allow(dead_code, reason = "not every test file uses it")]
    pub(crate) fn start_open(mut self) -> Child {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        start(&mut self.command)
    }

    pub(crate) fn output(self) -> Output {
        finish(self.start())
    }
}

/// Waits for the end, at most until the deadline.
pub(crate) fn finish(child: Child) -> Output {
    let ran = RunOutcome::from(hookshell_test_support::finish(child, "hookshell", Instant::now(), MAX_WAIT));
    Output { code: ran.code, stdout: ran.stdout, stderr: ran.stderr }
}

/// The path of a file of this workspace.
pub(crate) fn workspace(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
