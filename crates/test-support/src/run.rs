//! Running a program with a deadline.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What a program gave.
#[derive(Debug)]
pub struct RunOutcome {
    /// Its exit code; `None`: a signal killed it.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// How long it ran.
    pub elapsed: Duration,
}

impl RunOutcome {
    /// What was expected of it: exit code, standard output, standard error.
    pub fn all(&self) -> (Option<i32>, &str, &str) {
        (self.code, &self.stdout, &self.stderr)
    }
}

/// What a program gave, byte for byte.
#[derive(Debug)]
pub struct RunBytes {
    /// Its exit code; `None`: a signal killed it.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// How long it ran.
    pub elapsed: Duration,
}

impl From<RunBytes> for RunOutcome {
    fn from(ran: RunBytes) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: ran.code, stdout: text(&ran.stdout), stderr: text(&ran.stderr), elapsed: ran.elapsed }
    }
}

/// Runs a program with this standard input to its end.
///
/// # Panics
/// It cannot be started, or has not ended (or closed its output) within `limit`: then it is killed.
pub fn run_program(command: Command, stdin: &[u8], limit: Duration) -> RunOutcome {
    run_bytes(command, stdin, limit).into()
}

/// [`run_program`], for output that need not be UTF-8.
///
/// # Panics
/// As there.
pub fn run_bytes(mut command: Command, stdin: &[u8], limit: Duration) -> RunBytes {
    let shown = format!("{command:?}");
    let begin = Instant::now();
    let mut child = start(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut input = child.stdin.take().unwrap();
    let bytes = stdin.to_vec();
    // It need not read it.
    thread::spawn(move || input.write_all(&bytes));
    finish(child, &shown, begin, limit)
}

/// Waits for the end of a program whose standard output and standard error are pipes, and collects both.
///
/// # Panics
/// It has not ended (or closed its output) within `limit` from `begin`: then it is killed.
pub fn finish(mut child: Child, shown: &str, begin: Instant, limit: Duration) -> RunBytes {
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let status = wait(&mut child, shown, begin, limit);
    let elapsed = begin.elapsed();
    let bytes = |stream: Receiver<Vec<u8>>| {
        let left = limit.saturating_sub(begin.elapsed()).max(Duration::from_secs(5));
        stream.recv_timeout(left).unwrap_or_else(|_| panic!("its output stayed open: {shown}"))
    };
    RunBytes { code: status.code(), stdout: bytes(stdout), stderr: bytes(stderr), elapsed }
}

/// Waits for the end of a program.
///
/// # Panics
/// It has not ended within `limit` from `begin`: then it is killed.
fn wait(child: &mut Child, shown: &str, begin: Instant, limit: Duration) -> ExitStatus {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begin.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it did not end within {limit:?}: {shown}");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Starts it, anew where Windows says that the new process died while it was set up (`ERROR_INTERNAL_ERROR`, which Wine gives
/// on a busy machine): nothing of the program has run then. The library does the same for what it starts.
///
/// # Panics
/// It cannot be started.
pub fn start(command: &mut Command) -> Child {
    const ERROR_INTERNAL_ERROR: i32 = 1359;
    for _ in 0..4 {
        match command.spawn() {
            Err(error) if cfg!(windows) && error.raw_os_error() == Some(ERROR_INTERNAL_ERROR) => {
                thread::sleep(Duration::from_millis(50));
            }
            started => return started.unwrap(),
        }
    }
    command.spawn().unwrap()
}

fn collect(mut stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}
