//! Running a program with a deadline.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// What a program gave.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; `None`: a signal killed it.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// How long it ran.
    pub elapsed: Duration,
}

impl Ran {
    /// What was expected of it: exit code, standard output, standard error.
    pub fn all(&self) -> (Option<i32>, &str, &str) {
        (self.code, &self.stdout, &self.stderr)
    }
}

/// Runs a program with this standard input to its end.
///
/// # Panics
/// It cannot be started, or has not ended (or closed its output) within `limit`: then it is killed.
pub fn run_program(mut command: Command, stdin: &[u8], limit: Duration) -> Ran {
    let shown = format!("{command:?}");
    let start = Instant::now();
    let mut child = started(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut input = child.stdin.take().unwrap();
    let bytes = stdin.to_vec();
    // It need not read it.
    thread::spawn(move || input.write_all(&bytes));
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > limit {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it did not end within {limit:?}: {shown}");
        }
        thread::sleep(Duration::from_millis(2));
    };
    let elapsed = start.elapsed();
    let text = |stream: Receiver<Vec<u8>>| {
        let left = limit.saturating_sub(start.elapsed()).max(Duration::from_secs(5));
        let bytes = stream.recv_timeout(left).unwrap_or_else(|_| panic!("its output stayed open: {shown}"));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr), elapsed }
}

/// Starts it, anew where Windows says that the new process died while it was set up (`ERROR_INTERNAL_ERROR`, which Wine gives
/// on a busy machine): nothing of the program has run then. The library does the same for what it starts.
fn started(command: &mut Command) -> Child {
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
