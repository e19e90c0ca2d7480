//! One timed run of a program, with a deadline.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;

/// The limit of one run: several times what the slowest shell needs for the slowest workload.
const DEADLINE: Duration = Duration::from_secs(60);

/// What a run gave.
pub(crate) struct Run {
    /// From before the start of the program until it ended and its stdout was read to the end.
    pub(crate) time: Duration,
    /// The first [`KEPT`] bytes.
    pub(crate) stdout: Vec<u8>,
    /// A digest of the whole.
    pub(crate) digest: u64,
}

/// How much of stdout is kept.
const KEPT: usize = 64 * 1024;

/// What the watchdog thread is asked to do.
enum Watch {
    Nothing,
    /// Kill this process, and its group, at this time.
    Process(u32, Instant),
    /// The process was killed.
    Killed,
    /// End the thread.
    End,
}

/// Runs programs one after another and ends those that hang. The waiting is done by one thread that
/// lives as long as the clock, so that a run costs no thread start and no polling.
pub(crate) struct Clock {
    watch: Arc<(Mutex<Watch>, Condvar)>,
    thread: Option<std::thread::JoinHandle<()>>,
    deadline: Duration,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self::with_deadline(DEADLINE)
    }

    fn with_deadline(deadline: Duration) -> Self {
        let watch = Arc::new((Mutex::new(Watch::Nothing), Condvar::new()));
        let watched = Arc::clone(&watch);
        let thread = Some(std::thread::spawn(move || guard(&watched)));
        Self { watch, thread, deadline }
    }

    /// Runs `command` without stdin, its stderr going to the file `stderr`. A program that ends with another exit code than
    /// `exit_code`, hangs or cannot be started is an error that says so, with the end of its stderr.
    pub(crate) fn run(&self, command: &mut Command, exit_code: i32, stderr: &Path) -> Result<Run, String> {
        let errors = File::create(stderr).map_err(|error| format!("{}: {error}", stderr.display()))?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
        // A group of its own, so that the watchdog ends what a hung shell has started too.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);

        let begin = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("cannot start: {error}"))?;
        self.set(Watch::Process(child.id(), begin + self.deadline));
        let mut stdout = Vec::new();
        let read = child.stdout.take().map_or(Ok(0), |mut pipe| digest(&mut pipe, &mut stdout));
        let ended = child.wait();
        let time = begin.elapsed();

        if let Watch::Killed = self.set(Watch::Nothing) {
            return Err(format!("still running after {} s", self.deadline.as_secs()));
        }
        let digest = read.map_err(|error| format!("cannot read stdout: {error}"))?;
        let status = ended.map_err(|error| format!("cannot wait: {error}"))?;
        if status.code() == Some(exit_code) {
            return Ok(Run { time, stdout, digest });
        }
        Err(format!("{status}; {}", last_line(stderr)))
    }

    /// Sets the watchdog's task and gives the one before.
    fn set(&self, next: Watch) -> Watch {
        let (task, changed) = &*self.watch;
        let before = std::mem::replace(&mut *lock(task), next);
        changed.notify_one();
        before
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.set(Watch::End);
        if let Some(thread) = self.thread.take() {
            // A panic of the watchdog has been reported on stderr already.
            let _ = thread.join();
        }
    }
}

/// Reads to the end, keeps what comes first, and gives a digest (FNV-1a over words of eight bytes) of all.
fn digest(pipe: &mut impl Read, kept: &mut Vec<u8>) -> std::io::Result<u64> {
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    let mut mix = |word: &[u8]| {
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(word).for_each(|(to, from)| *to = *from);
        digest = (digest ^ u64::from_le_bytes(bytes)).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
    };
    // Words lie across what is read at once.
    let mut buffer = vec![0; KEPT + 8];
    let mut filled = 0;
    loop {
        let count = match pipe.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let room = KEPT - kept.len().min(KEPT);
        kept.extend_from_slice(&buffer[filled..filled + count.min(room)]);
        filled += count;
        let whole = filled - filled % 8;
        buffer[..whole].chunks_exact(8).for_each(&mut mix);
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
    }
    mix(&buffer[..filled]);
    mix(&filled.to_le_bytes());
    Ok(digest)
}

/// The watchdog thread.
fn guard((task, changed): &(Mutex<Watch>, Condvar)) {
    let mut watch = lock(task);
    loop {
        watch = match *watch {
            Watch::End => return,
            Watch::Nothing | Watch::Killed => changed.wait(watch).unwrap_or_else(PoisonError::into_inner),
            Watch::Process(id, at) => {
                let left = at.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    // Under the lock, so that the run cannot continue to another process meanwhile.
                    kill_tree(id);
                    *watch = Watch::Killed;
                    continue;
                }
                changed.wait_timeout(watch, left).unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

fn kill_tree(id: u32) {
    let mut command;
    if cfg!(windows) {
        command = Command::new("taskkill");
        command.args(["/F", "/T", "/PID", &id.to_string()]);
    } else {
        command = Command::new("kill");
        command.args(["-KILL", "--", &format!("-{id}")]);
    }
    // If it cannot be killed the run continues hanging, in the open.
    let _ = command.stdout(Stdio::null()).status();
}

/// The last line that a program wrote to the file, or that there is none.
fn last_line(stderr: &Path) -> String {
    let text = std::fs::read(stderr).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("nothing on stderr").to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(deadline: Duration, script: &str, name: &str) -> Result<Run, String> {
        let stderr = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        let run = Clock::with_deadline(deadline).run(Command::new("/bin/sh").args(["-c", script]), 0, &stderr);
        let _ = std::fs::remove_file(&stderr);
        run
    }

    #[test]
    fn a_run_gives_its_output_and_its_time() {
        let run = run(DEADLINE, "sleep 0.1; echo done", "output").unwrap();
        assert_eq!(run.stdout, b"done\n");
        assert!(run.time >= Duration::from_millis(100));
    }

    #[test]
    fn the_digest_does_not_depend_on_how_the_output_comes() {
        let of = |script| run(DEADLINE, script, "digest").unwrap().digest;
        assert_eq!(of("echo 1234567890"), of("printf 123; sleep 0.05; echo 4567890"));
        assert_ne!(of("echo 1234567890"), of("echo 1234567891"));
        assert_ne!(of("printf 12345678"), of(r"printf '12345678\0'"));
    }

    #[test]
    fn a_failing_run_says_why() {
        let error = run(DEADLINE, "echo first >&2; echo why >&2; exit 3", "fails").err();
        assert_eq!(error.as_deref(), Some("exit status: 3; why"));
    }

    #[test]
    fn a_hung_run_is_ended_with_all_that_it_started() {
        let begin = Instant::now();
        // The grandchild holds the pipe: without its end the reading would continue.
        let error = run(Duration::from_secs(1), "sleep 50 & sleep 50; wait", "hangs").err();
        assert_eq!(error.as_deref(), Some("still running after 1 s"));
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
}
