//! Many events at once.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hookshell_runner::{Event, Runner, ToolInput, Verdict};
use rustix::process::Resource;

use super::fault::{Fault, Killer, Lowered, Weather, tasks_of_this_user};
use super::hook::Variant;
use super::place;
use fastrand::Rng;

/// What every tool is called with.
pub(super) const INPUT: &str = r#"{"command":"rm -rf /","n":1}"#;

/// Descriptors that the process may have in all.
const DESCRIPTORS: u64 = 64;

/// Nothing takes as long: then something hangs.
const MAX_WAIT: Duration = Duration::from_secs(150);

/// How often children are killed and directories removed.
const TICK: Duration = Duration::from_millis(3);

/// An event that is to be run; its directory is laid out.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) root: PathBuf,
    /// The entries, each once.
    pub(super) hooks: Vec<usize>,
    pub(super) variant: Variant,
    pub(super) fault: Fault,
}

/// An event that was run.
pub(super) struct Done {
    pub(super) planned: Planned,
    /// `None` if the run was dropped.
    pub(super) verdict: Option<Verdict>,
    /// What the hooks gave, each by its tag, as a text to compare; empty where it is not compared.
    pub(super) shown: Vec<(String, String)>,
    pub(super) elapsed: Duration,
}

/// How a batch ended.
pub(super) struct Outcome {
    pub(super) done: Vec<Done>,
    /// The directories of the hooks that lost a child.
    pub(super) hit: HashSet<PathBuf>,
    /// How many children were killed.
    pub(super) killed: usize,
    /// Events that did not end: their hooks.
    pub(super) hanging: Vec<Vec<usize>>,
}

impl Planned {
    /// The event.
    pub(super) fn event(&self) -> Option<Event> {
        let tags: String = self.hooks.iter().map(|&index| format!("{},", self.variant.tag(index))).collect();
        let input = ToolInput::parse(INPUT).ok()?;
        let session = self.root.file_name()?.to_string_lossy().into_owned();
        Some(Event::pre_tool_use(format!(",{tags}"), input, &self.root).with_session_id(session))
    }

    fn run(self, runner: &Runner, show: bool) -> Option<Done> {
        let start = Instant::now();
        let event = self.event()?;
        let verdict = match self.fault {
            Fault::Cancel(after) => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().ok()?;
                runtime.block_on(async { tokio::time::timeout(after, runner.run(&event)).await.ok() })
            }
            _ => Some(runner.run_blocking(&event)),
        };
        if self.fault == (Fault::Async { is_ended: true }) {
            runner.end_session(event.session_id());
        }
        let elapsed = start.elapsed();
        let shown = match &verdict {
            Some(verdict) if show && self.fault == Fault::None => {
                let show = |hook| super::judge::shown(hook, &self.root).map(|shown| (hook.name.clone(), shown));
                verdict.hooks.iter().filter_map(show).collect()
            }
            _ => Vec::new(),
        };
        Some(Done { planned: self, verdict, shown, elapsed })
    }
}

/// A door that opens once.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.opened.wait_while(is_open, |open| !*open));
    }
}

/// Runs the events, `width` at a time.
pub(super) fn run(
    runner: &Runner,
    events: Vec<Planned>,
    weather: Weather,
    width: usize,
    roots: &Path,
    random: &mut Rng,
) -> Outcome {
    let mut outcome = Outcome { done: Vec::new(), hit: HashSet::new(), killed: 0, hanging: Vec::new() };
    let mut waiting: Vec<(PathBuf, Vec<usize>)> =
        events.iter().map(|event| (event.root.clone(), event.hooks.clone())).collect();
    let start = Instant::now();
    let mut removals: Vec<(Instant, PathBuf)> = Vec::new();
    for event in &events {
        match event.fault {
            Fault::DeletedBefore => drop(place::remove(&event.root)),
            Fault::DeletedDuring(after) => removals.push((start + after, event.root.clone())),
            Fault::ReadOnly => place::set_writable(&event.root, false),
            _ => {}
        }
    }
    let queue = Arc::new(Mutex::new(VecDeque::from(events)));
    let gate = Arc::new(Gate::default());
    let (sender, results) = channel();
    let mut workers = Vec::new();
    for _ in 0..width {
        let (runner, queue, gate, sender) = (runner.clone(), queue.clone(), gate.clone(), sender.clone());
        let worker = thread::Builder::new().name("soak".into()).spawn(move || {
            gate.pass();
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some(event) = next else { break };
                if let Some(done) = event.run(&runner, !weather.disturbs_all()) {
                    let _ = sender.send(done);
                }
            }
        });
        workers.extend(worker);
    }
    drop(sender);
    let lowered = match weather {
        Weather::FewDescriptors => Some(Lowered::to(Resource::Nofile, DESCRIPTORS)),
        Weather::FewProcesses => {
            let spare = 2 + random.usize(..24) as u64;
            Some(Lowered::to(Resource::Nproc, tasks_of_this_user() + spare))
        }
        Weather::Fair | Weather::Killing => None,
    };
    gate.open();
    let mut killer = Killer::default();
    while !waiting.is_empty() {
        match results.recv_timeout(TICK) {
            Ok(done) => {
                waiting.retain(|(root, _)| *root != done.planned.root);
                outcome.done.push(done);
            }
            Err(RecvTimeoutError::Timeout) => {}
            // A worker that panicked has taken its event with it.
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if start.elapsed() > MAX_WAIT {
            break;
        }
        removals.retain(|(due, root)| {
            let is_due = *due <= Instant::now();
            if is_due {
                let _ = place::remove(root);
            }
            !is_due
        });
        if weather == Weather::Killing {
            killer.strike(roots, random);
        }
    }
    drop(lowered);
    if waiting.is_empty() {
        for worker in workers {
            let _ = worker.join();
        }
    }
    for done in &outcome.done {
        if done.planned.fault == Fault::ReadOnly {
            place::set_writable(&done.planned.root, true);
        }
    }
    (outcome.hit, outcome.killed) = (killer.hit, killer.count);
    outcome.hanging = waiting.into_iter().map(|(_, hooks)| hooks).collect();
    outcome
}
