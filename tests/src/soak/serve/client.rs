//! A client that has many requests under way.
//!
//! Not that of `crates/cli/tests/serve`: there one thread looks at all messages in their order, and a failure is a panic. Here each
//! request has a thread that waits for its own messages, and what is wrong is collected and told at the end.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fastrand::Rng;
use hookshell_process::sync::lock;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::State;
use super::place::Place;

/// How long an answer may take: what a request does is over in a second, but for a loaded machine.
const ANSWER: Duration = Duration::from_secs(60);

/// The threads that stay: the main one, those that read, write and watch for signals, and those that wait for requests.
const THREADS: usize = 8;

/// A process, and its messages.
pub(super) struct Client {
    child: Mutex<Child>,
    id: u32,
    stdin: Mutex<Option<ChildStdin>>,
    shared: Arc<Shared>,
    next: AtomicU64,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<HashMap<u64, Sender<Value>>>,
    problems: Mutex<Vec<String>>,
    /// Errors to messages whose `id` could not be read.
    unnamed: AtomicUsize,
    /// Nobody reads any more.
    is_dead: AtomicBool,
}

/// A request that was sent.
pub(super) struct Sent {
    pub(super) id: u64,
    messages: Receiver<Value>,
}

impl Sent {
    /// The next message of it: output, progress, or the answer.
    pub(super) fn next(&self) -> Result<Value, String> {
        self.messages
            .recv_timeout(ANSWER)
            .map_err(|_| format!("request {}: no answer in {} s", self.id, ANSWER.as_secs()))
    }
}

impl Client {
    /// Starts a process, and says hello.
    pub(super) fn start(binary: &Path, place: &Place) -> io::Result<Self> {
        let mut command = Command::new(binary);
        command.arg("serve").current_dir(&place.root).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env_clear().env("PATH", crate::spec::PROGRAMS).env("HOME", &place.root).env("LC_ALL", "C.UTF-8");
        command.env("TMPDIR", place.root.join("tmp")).env("HOOKSHELL_LOG", "off");
        // One heap: what is resident is then what is held, and not how many threads happened to allocate at once.
        command.env("MALLOC_ARENA_MAX", "1");
        let mut child = command.spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let shared = Arc::<Shared>::default();
        if let Some(stdout) = stdout {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || read(stdout, &shared));
        }
        let id = child.id();
        let client = Self { child: Mutex::new(child), id, stdin: Mutex::new(stdin), shared, next: AtomicU64::new(1) };
        client.request("initialize", &json!({"protocol_version": 1})).map_err(io::Error::other)?;
        Ok(client)
    }

    /// Writes a line.
    pub(super) fn line(&self, bytes: &[u8]) {
        if let Some(stdin) = lock(&self.stdin).as_mut() {
            // Whose process has ended is seen by its missing answer.
            let _ = stdin.write_all(&[bytes, b"\n"].concat());
        }
    }

    /// Sends a request.
    pub(super) fn send(&self, method: &str, params: &Value) -> Sent {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, messages) = channel();
        lock(&self.shared.waiting).insert(id, sender);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(message.to_string().as_bytes());
        Sent { id, messages }
    }

    pub(super) fn notify(&self, method: &str, params: &Value) {
        self.line(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string().as_bytes());
    }

    /// Sends a request, and gives its result; the error is its message.
    pub(super) fn request(&self, method: &str, params: &Value) -> Result<Value, String> {
        let sent = self.send(method, params);
        loop {
            let mut message = sent.next()?;
            if message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(format!("{method} {params}: {error}")),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }

    /// How many errors came that have no `id`.
    pub(super) fn unnamed(&self) -> usize {
        self.shared.unnamed.load(Ordering::Acquire)
    }

    /// What came that nobody has asked for.
    pub(super) fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.shared.problems))
    }

    fn status(&self, name: &str) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    }

    /// What the process has now.
    pub(super) fn state(&self) -> State {
        State {
            threads: usize::try_from(self.status("Threads:").unwrap_or(0)).unwrap_or(usize::MAX),
            descriptors: fs::read_dir(format!("/proc/{}/fd", self.id)).map_or(0, Iterator::count),
            resident: self.status("VmRSS:").unwrap_or(0) * 1024,
        }
    }

    /// How many threads it has when it has nothing to do.
    pub(super) fn quiet_threads(&self) -> usize {
        THREADS + std::thread::available_parallelism().map_or(4, usize::from) * 2
    }

    /// The numbers of its children.
    pub(super) fn children(&self) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.id)).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        lists.flat_map(|list| list.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// Kills one of its children, where it has any.
    pub(super) fn kill_a_child(&self, random: &mut Rng) -> bool {
        let children = self.children();
        let chosen = (!children.is_empty()).then(|| &children[random.usize(..children.len())]);
        let pid = chosen.and_then(|id| Pid::from_raw(id.parse().ok()?));
        pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
    }

    /// The end of its input.
    pub(super) fn close_input(&mut self) {
        *lock(&self.stdin) = None;
    }

    /// The end of its input, and nobody reads what it writes.
    pub(super) fn die(&mut self) {
        self.shared.is_dead.store(true, Ordering::Release);
        *lock(&self.stdin) = None;
    }

    pub(super) fn terminate(&self) {
        if let Some(pid) = i32::try_from(self.id).ok().and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM);
        }
    }

    /// Closes the input, waits for the end, and says what is wrong with it.
    pub(super) fn finish(self, most: Duration, code: Option<i32>) -> Option<String> {
        *lock(&self.stdin) = None;
        let mut child = lock(&self.child);
        let begun = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) if code.is_none() || status.code() == code => return None,
                Ok(Some(status)) => return Some(format!("it ended with {status}")),
                Ok(None) if begun.elapsed() > most => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Some(format!("it did not end in {} s", most.as_secs()));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(10)),
                Err(error) => return Some(error.to_string()),
            }
        }
    }
}

/// Hands each message to who waits for it.
fn read(stdout: ChildStdout, shared: &Shared) {
    let problem = |text: String| lock(&shared.problems).push(text);
    let mut random = Rng::new();
    for line in BufReader::new(stdout).split(b'\n') {
        let Ok(line) = line else { return };
        if shared.is_dead.load(Ordering::Acquire) {
            return;
        }
        // Now and then it does not read: what comes waits on the other side.
        if random.u16(..) < 8 {
            std::thread::sleep(Duration::from_millis(100));
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            problem(format!("not JSON: {:?}", String::from_utf8_lossy(&line)));
            continue;
        };
        let is_answer = message.get("method").is_none();
        let id = if is_answer { &message["id"] } else { &message["params"]["id"] };
        let Some(id) = id.as_u64() else {
            match is_answer && id.is_null() {
                true => drop(shared.unnamed.fetch_add(1, Ordering::AcqRel)),
                false => problem(format!("nobody has asked for {message}")),
            }
            continue;
        };
        let mut waiting = lock(&shared.waiting);
        let sender = if is_answer { waiting.remove(&id) } else { waiting.get(&id).cloned() };
        drop(waiting);
        match sender {
            // Whoever has asked may have had enough.
            Some(sender) => drop(sender.send(message)),
            None => problem(format!("nobody waits for {message}")),
        }
    }
}
