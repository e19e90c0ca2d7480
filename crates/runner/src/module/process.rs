//! One module's process.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_dispatch::{Environment, Platform, Search};
use hookshell_process::{Child, ChildStatus, ProcessTree, SpawnRequest, WaitError};
use serde_json::value::RawValue;

use super::protocol::{BOOTSTRAP, FromModule, ToModule, init, line};
use super::{ModuleServices, lock, requests};
use crate::cancel::CancelToken;
use crate::native_hook::HostCall;
use crate::outcome::Failure;
use crate::ui::{self, Waiting};
use crate::work::Running;

/// How long it has to end by itself when its session is over.
const END_GRACE: Duration = Duration::from_millis(500);

/// How often a clock that stands still is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The longest message of a module, in bytes.
const LINE_LIMIT: u64 = 16 * 1024 * 1024;

/// How many programs of a module's are remembered, to be ended with it. Most of them have ended.
const PROGRAMS: usize = 64;

/// How much of the end of its standard error is kept, in bytes.
const STDERR_TAIL: usize = 4096;

/// What a process is started with.
#[derive(Clone, Copy)]
pub(super) struct Start<'s> {
    pub(super) file: &'s Path,
    pub(super) env: &'s Environment,
    pub(super) services: &'s ModuleServices,
}

/// How an event ended.
pub(super) enum Asked {
    /// The module's result, as JSON, and what each of several handlers gave.
    Answered(String, Option<String>),
    /// Its handler failed; what those before it gave.
    Failed(String, Option<String>),
    /// Nobody waits any more, and the module has let go of it.
    GivenUp,
    /// The process ended, or wrote what is no message.
    Crashed {
        message: String,
        /// Had the module begun to handle the event?
        has_begun: bool,
    },
    /// Nobody waits any more, and the module did not react: it was killed.
    Hung(String),
}

/// What the one who waits for an event is sent.
enum Reply {
    /// The result, and what each of several handlers gave.
    Result(String, Option<String>),
    /// Why, and what the handlers before gave.
    Failed(String, Option<String>),
    Ready,
    Crashed(String),
    Cancelled,
}

/// The way to the module. Clones are the same way.
#[derive(Clone)]
pub(super) struct Pipe(Arc<Mutex<Option<File>>>);

impl Pipe {
    /// Writes a line. Where nobody reads it any more, the reader of the other pipe sees the end.
    pub(super) fn write(&self, line: &[u8]) {
        let mut file = lock(&self.0);
        if let Some(open) = &mut *file
            && open.write_all(line).is_err()
        {
            *file = None;
        }
    }

    fn close(&self) {
        *lock(&self.0) = None;
    }
}

/// A module that is loaded. Dropping it ends it.
pub(super) struct Process {
    tree: Arc<ProcessTree>,
    child: Arc<Child>,
    pipe: Pipe,
    shared: Arc<Shared>,
    next: AtomicU64,
    /// How long it has to react to a cancel until it is killed.
    grace: Duration,
}

/// What the reading thread has in common with those that wait.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    stderr: Mutex<Vec<u8>>,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, Sender<Reply>>,
    /// The events that it has begun to handle, of those that are waited for.
    begun: HashSet<u64>,
    /// Of the events that are waited for, the time in which each waits for a person.
    clocks: HashMap<u64, Arc<Waiting>>,
    /// The questions that a person has not answered yet.
    questions: HashMap<u64, Question>,
    next_question: u64,
    /// Programs that the module has run; those that have ended too, until there are many.
    programs: Vec<Box<dyn Running>>,
    /// Why there is nobody any more.
    crash: Option<String>,
}

/// What is known of a question that a person is asked.
struct Question {
    /// The event in whose handler it is asked.
    event: Option<u64>,
    /// The module's own name of it.
    id: String,
    withdrawn: CancelToken,
}

/// A question that a person is asked. It is forgotten when this is dropped.
pub(super) struct OpenQuestion {
    /// Cancelled when nobody waits for the answer any more.
    pub(super) withdrawn: CancelToken,
    number: u64,
    shared: Arc<Shared>,
    /// The clock of its event stands still as long as this is there.
    _asked: Option<ui::Asked>,
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        lock(&self.shared.state).questions.remove(&self.number);
    }
}

impl Process {
    /// Starts Python and has it load the module.
    pub(super) fn start(start: Start<'_>, call: &HostCall) -> Result<Self, Failure> {
        if !start.file.is_file() {
            return Err(Failure::NotFound(format!("the module {}", start.file.display())));
        }
        let project_dir = call.event.project_dir();
        let env = start.env.clone().with("PYTHONUTF8", "1").with("PYTHONUNBUFFERED", "1");
        let spawn = |error: std::io::Error| Failure::Spawn(error.to_string());
        let (stdin, to_module) = hookshell_process::pipe().map_err(spawn)?;
        let (from_module, stdout) = hookshell_process::pipe().map_err(spawn)?;
        let (errors, stderr) = hookshell_process::pipe().map_err(spawn)?;
        let (program, mut argv) = python(&env, project_dir)?;
        argv.extend(["-u", "-c", BOOTSTRAP].map(OsString::from));
        let tree = Arc::new(ProcessTree::isolated());
        let child = tree
            .spawn(&SpawnRequest {
                program: &program,
                argv: &argv,
                env: &env,
                cwd: project_dir,
                fds: &[(0, &stdin), (1, &stdout), (2, &stderr)],
                close_missing: false,
                umask: None,
                ignored_signals: 0,
                limits: &[],
            })
            .map_err(|error| Failure::Spawn(error.to_string()))?;
        drop((stdin, stdout, stderr));

        let process = Self {
            tree,
            child,
            pipe: Pipe(Arc::new(Mutex::new(Some(to_module)))),
            shared: Arc::default(),
            next: AtomicU64::new(1),
            grace: start.services.grace,
        };
        // The answer to the first line is 0's.
        let (sender, replies) = channel();
        lock(&process.shared.state).waiting.insert(0, sender.clone());
        let (stderr_open, stderr_ended) = channel();
        let reader = Reader {
            shared: Arc::clone(&process.shared),
            pipe: process.pipe.clone(),
            tree: Arc::clone(&process.tree),
            child: Arc::clone(&process.child),
            services: start.services.clone(),
            env: start.env.clone(),
            cwd: project_dir.to_owned(),
            stderr_ended,
        };
        let shared = Arc::clone(&process.shared);
        let threads = std::thread::Builder::new()
            .name("hookshell-module-stderr".to_owned())
            .spawn(move || {
                keep_tail(errors, &shared);
                drop(stderr_open);
            })
            .and_then(|_| {
                let read = move || reader.read(from_module);
                std::thread::Builder::new().name("hookshell-module".to_owned()).spawn(read)
            });
        threads.map_err(spawn)?;
        process.pipe.write(&init(start.file, project_dir, start.services.ui.is_some()));
        let guard = {
            let sender = sender.clone();
            call.cancel.on_cancel(move || drop(sender.send(Reply::Cancelled)))
        };
        let reply = receive(&replies, call);
        drop(guard);
        match reply {
            Reply::Ready => Ok(process),
            Reply::Failed(message, _) => Err(Failure::Module(format!("it could not be loaded: {message}"))),
            Reply::Crashed(message) => Err(Failure::Module(message)),
            // Python itself, or the module's own code, takes too long.
            Reply::Cancelled | Reply::Result(..) => {
                Err(Failure::Module(format!("it was not loaded within {} s", call.timeout.as_secs_f64())))
            }
        }
    }

    /// Why it is no more; `None` while it lives.
    pub(super) fn crash(&self) -> Option<String> {
        lock(&self.shared.state).crash.clone()
    }

    /// Has the module see an event, and waits for what it says.
    pub(super) fn ask(&self, call: &HostCall) -> Asked {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, replies) = channel();
        {
            let mut state = lock(&self.shared.state);
            if let Some(crash) = &state.crash {
                return Asked::Crashed { message: crash.clone(), has_begun: false };
            }
            state.waiting.insert(number, sender.clone());
            state.clocks.insert(number, Arc::clone(&call.waiting));
        }
        let payload = String::from_utf8_lossy(&call.payload);
        let event: &RawValue = match serde_json::from_str(payload.trim_end()) {
            Ok(event) => event,
            Err(error) => return Asked::Failed(format!("the event is no JSON: {error}"), None),
        };
        self.pipe.write(&line(&ToModule::Event { id: number, event }));
        let _guard = call.cancel.on_cancel(move || drop(sender.send(Reply::Cancelled)));
        let asked = match receive(&replies, call) {
            Reply::Result(result, each) => Asked::Answered(result, each),
            Reply::Failed(message, each) => Asked::Failed(message, each),
            Reply::Crashed(message) => {
                let has_begun = lock(&self.shared.state).begun.contains(&number);
                Asked::Crashed { message, has_begun }
            }
            Reply::Cancelled | Reply::Ready => {
                self.pipe.write(&line(&ToModule::Cancel { id: number }));
                self.shared.withdraw(|question| question.event == Some(number));
                let asked = self.let_go(&replies);
                // Nobody waits for what it has asked since then, either.
                self.shared.withdraw(|question| question.event == Some(number));
                asked
            }
        };
        let mut state = lock(&self.shared.state);
        state.waiting.remove(&number);
        state.begun.remove(&number);
        state.clocks.remove(&number);
        asked
    }

    /// Waits until the module has answered a cancel; one that does not is killed.
    fn let_go(&self, replies: &Receiver<Reply>) -> Asked {
        let now = Instant::now();
        let until = now.checked_add(self.grace).unwrap_or(now);
        loop {
            match replies.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Reply::Cancelled | Reply::Ready) => {}
                Ok(Reply::Result(..) | Reply::Failed(..)) => return Asked::GivenUp,
                Ok(Reply::Crashed(message)) => return Asked::Crashed { message, has_begun: true },
                Err(_) => {
                    let message = "it hung: it was killed".to_owned();
                    self.shared.crashed(&message);
                    self.tree.kill();
                    return Asked::Hung(message);
                }
            }
        }
    }

    /// Ends the process: it sees the end of its input, and is killed where it stays.
    pub(super) fn end(&self) {
        self.shared.crashed("the session is over");
        self.pipe.close();
        let _ = finish(&self.child, &self.tree);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// The next message for an event, within its time: past it, that it is cancelled. The time in which a person is asked does
/// not count.
fn receive(replies: &Receiver<Reply>, call: &HostCall) -> Reply {
    let (started, waited_before) = (Instant::now(), call.waiting.total());
    loop {
        let waited = call.waiting.total().saturating_sub(waited_before);
        let left = call.timeout.saturating_sub(started.elapsed().saturating_sub(waited));
        if left.is_zero() {
            return Reply::Cancelled;
        }
        // While a person is asked the clock stands still: it is looked at from time to time.
        match replies.recv_timeout(if call.waiting.is_asking() { left.max(POLL_INTERVAL) } else { left }) {
            Ok(reply) => return reply,
            Err(RecvTimeoutError::Disconnected) => return Reply::Cancelled,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Python and its own arguments.
fn python(env: &Environment, cwd: &Path) -> Result<(PathBuf, Vec<OsString>), Failure> {
    let platform = Platform::HOST;
    let path = platform.search_path(env);
    let search = Search { platform, path, env, cwd };
    let found = search
        .program(b"python3")
        .map_err(|_| Failure::NotFound("python3, which hooks of the type `module` need".to_owned()))?;
    let mut argv = vec![OsString::from("python3")];
    argv.extend(found.args.iter().map(OsString::from));
    Ok((found.path, argv))
}

/// Waits a moment until the process ends by itself, and ends what is left of it.
fn finish(child: &Child, tree: &ProcessTree) -> Result<ChildStatus, WaitError> {
    let until = Instant::now() + END_GRACE;
    while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    tree.kill();
    child.wait()
}

fn describe(status: ChildStatus) -> String {
    match status {
        ChildStatus::Exited(code) => format!("exit code {code}"),
        ChildStatus::Signaled { signal, .. } => format!("signal {signal}"),
    }
}

/// Keeps the end of what a module writes to standard error.
fn keep_tail(mut errors: File, shared: &Shared) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let written = buffer.get(..count).unwrap_or_default();
        tracing::debug!(stderr = %String::from_utf8_lossy(written), "a hook module wrote to standard error");
        let mut tail = lock(&shared.stderr);
        tail.extend_from_slice(written);
        let excess = tail.len().saturating_sub(STDERR_TAIL);
        tail.drain(..excess);
    }
}

impl Shared {
    /// Registers a question of an event's handler. Of a module that is gone it is withdrawn at once.
    fn open_question(shared: &Arc<Self>, event: Option<u64>, id: String) -> OpenQuestion {
        let withdrawn = CancelToken::new();
        let mut state = lock(&shared.state);
        let clock = event.and_then(|event| state.clocks.get(&event).cloned());
        state.next_question += 1;
        let number = state.next_question;
        state.questions.insert(number, Question { event, id, withdrawn: withdrawn.clone() });
        let is_gone = state.crash.is_some();
        drop(state);
        if is_gone {
            withdrawn.cancel();
        }
        let asked = clock.map(|clock| clock.begin());
        OpenQuestion { withdrawn, number, shared: Arc::clone(shared), _asked: asked }
    }

    /// Takes back questions for whose answers nobody waits any more.
    fn withdraw(&self, is_meant: impl Fn(&Question) -> bool) {
        let meant: Vec<CancelToken> = {
            let state = lock(&self.state);
            let questions = state.questions.values().filter(|question| is_meant(question));
            questions.map(|question| question.withdrawn.clone()).collect()
        };
        for withdrawn in meant {
            withdrawn.cancel();
        }
    }

    /// Tells everybody who waits that there is nobody any more. The first reason counts.
    fn crashed(&self, message: &str) {
        let (waiting, programs, questions, message) = {
            let mut state = lock(&self.state);
            let message = state.crash.get_or_insert_with(|| message.to_owned()).clone();
            let questions: Vec<CancelToken> =
                state.questions.values().map(|question| question.withdrawn.clone()).collect();
            (std::mem::take(&mut state.waiting), std::mem::take(&mut state.programs), questions, message)
        };
        for withdrawn in questions {
            withdrawn.cancel();
        }
        for program in programs {
            program.cancel();
        }
        for sender in waiting.into_values() {
            // Nobody listens where the event was given up.
            let _ = sender.send(Reply::Crashed(message.clone()));
        }
    }
}

/// Reads what a module says.
struct Reader {
    shared: Arc<Shared>,
    pipe: Pipe,
    tree: Arc<ProcessTree>,
    child: Arc<Child>,
    services: ModuleServices,
    env: Environment,
    cwd: PathBuf,
    /// Its other end is gone when standard error is at its end.
    stderr_ended: Receiver<()>,
}

impl Reader {
    fn read(self, from_module: File) {
        hookshell_process::block_sigpipe_on_this_thread();
        let mut lines = BufReader::new(from_module);
        let mut bytes = Vec::new();
        let crash = loop {
            bytes.clear();
            match (&mut lines).take(LINE_LIMIT).read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => break None,
                Ok(_) if !bytes.ends_with(b"\n") => break Some("it wrote no whole message".to_owned()),
                Ok(_) => {}
            }
            if let Err(message) = self.take(&String::from_utf8_lossy(&bytes)) {
                break Some(message);
            }
        };
        let status = finish(&self.child, &self.tree);
        let crash = crash.unwrap_or_else(|| match status {
            Ok(status) => format!("crash: it ended with {}", describe(status)),
            Err(error) => format!("crash: {error}"),
        });
        // What it wrote last says more; it may still be on its way.
        let _ = self.stderr_ended.recv_timeout(END_GRACE);
        let stderr = lock(&self.shared.stderr).clone();
        let stderr = String::from_utf8_lossy(&stderr);
        let last_line = stderr.trim_end().lines().last().unwrap_or_default().to_owned();
        self.shared.crashed(&if last_line.is_empty() { crash } else { format!("{crash}: {last_line}") });
    }

    /// Takes one message.
    fn take(&self, text: &str) -> Result<(), String> {
        let odd = || format!("crash: it wrote what is no message: {:?}", text.chars().take(80).collect::<String>());
        let message: FromModule<'_> = serde_json::from_str(text).map_err(|_| odd())?;
        let number = || message.id.and_then(|id| id.get().parse().ok());
        let name = || message.id.and_then(|id| serde_json::from_str::<String>(id.get()).ok());
        let each = || message.each.map(|each| each.get().to_owned());
        match message.kind {
            "ready" => self.reply(0, Reply::Ready),
            "begin" => {
                let number = number().ok_or_else(odd)?;
                let mut state = lock(&self.shared.state);
                if state.waiting.contains_key(&number) {
                    state.begun.insert(number);
                }
            }
            "result" => {
                let result = message.result.map_or("null", RawValue::get).to_owned();
                self.reply(number().ok_or_else(odd)?, Reply::Result(result, each()));
            }
            "failed" => {
                let why = message.message.clone().unwrap_or_default();
                self.reply(number().ok_or_else(odd)?, Reply::Failed(why, each()));
            }
            "ui" => {
                let id = if message.request.call == "notify" { String::new() } else { name().ok_or_else(odd)? };
                let open = Shared::open_question(&self.shared, message.event, id.clone());
                requests::ask(self.services.ui.as_ref(), &self.pipe, id, message.message, message.request, open);
            }
            // Its handler has stopped to wait: a time of its own is over, for example.
            "withdraw" => {
                let id = name().ok_or_else(odd)?;
                self.shared.withdraw(|question| question.id == id);
            }
            "exec" => {
                let id = name().ok_or_else(odd)?;
                let program =
                    requests::exec(&self.services, &self.env, self.cwd.clone(), &self.pipe, id, message.request);
                let programs = &mut lock(&self.shared.state).programs;
                programs.push(program);
                if programs.len() > PROGRAMS {
                    programs.drain(..PROGRAMS / 2);
                }
            }
            _ => return Err(odd()),
        }
        Ok(())
    }

    fn reply(&self, number: u64, reply: Reply) {
        let sender = lock(&self.shared.state).waiting.remove(&number);
        if let Some(sender) = sender {
            // Nobody listens where the event was given up.
            let _ = sender.send(reply);
        }
    }
}
