//! Runs the binary as a user would: a scrubbed environment, a deadline, and everything that came out.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What every run must end within.
const DEADLINE: Duration = Duration::from_secs(60);

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
    // Nothing is left behind in that folder.
    command.env("HOOKSHELL_LOG", "off");
    // Windows programs do not start without these.
    for name in ["PATH", "SYSTEMROOT", "SystemRoot", "TEMP", "TMP", "WINEPREFIX", "WINEDEBUG"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    Run { command, stdin: Vec::new() }
}

/// A command that begins with the signals' default actions: a CI runner that starts its jobs with `&` or `nohup` has INT
/// or HUP ignored, and children inherit that.
fn with_default_signals(path: &Path) -> Command {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Rust's runtime ignores PIPE (13), and gives it back to children.
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0) & !(1 << 12);
    // Wine shows a Windows program the host's /proc.
    if ignored == 0 || !cfg!(target_os = "linux") {
        return Command::new(path);
    }
    let mut command = Command::new("/usr/bin/env");
    command.arg("--default-signal").arg(path);
    command
}

impl Run {
    pub(crate) fn stdin(mut self, text: impl AsRef<[u8]>) -> Self {
        self.stdin = text.as_ref().to_vec();
        self
    }

    pub(crate) fn cwd(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
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
        let mut child = self.command.spawn().unwrap();
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
        self.command.spawn().unwrap()
    }

    pub(crate) fn output(self) -> Output {
        finish(self.start())
    }
}

/// Waits for the end, at most until the deadline.
pub(crate) fn finish(mut child: Child) -> Output {
    fn collect(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = from.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        })
    }
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let deadline = Instant::now() + DEADLINE;
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("it did not end within {DEADLINE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    Output { code: status.code(), stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

/// The path of a file of this workspace.
pub(crate) fn workspace(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
