//! The process that runs the hooks.
#![allow(clippy::print_stdout, reason = "a developer's tool: its output is its result")]

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookshell_runner::{Config, Runner};

use super::batch::{self, Done, Planned};
use super::error::Error;
use super::fault::{Fault, Weather};
use super::hook::{BRIEF, CALM, Entry, Variant, directory};
use super::judge::{shown, wrong};
use super::measure::{growth, resident, settle};
use super::options::Options;
use super::place;
use super::report::Report;
use crate::contract::ProcessState;
use crate::spec::{load, spec_directory};
use fastrand::Rng;

/// How many cases there are for a minute of time: the quiet run takes a part of it.
const CASES_A_MINUTE: f64 = 350.0;

/// The part of the time that the quiet run may take.
const QUIET_PART: f64 = 0.25;

/// How many events are run at a time, for each processor.
const EVENTS_A_PROCESSOR: usize = 4;

/// How many events a batch has, for each that is run at a time.
const ROUNDS: usize = 4;

/// How many batches of each kind there are between two rests.
const BATCHES: [Weather; 8] = [
    Weather::Fair,
    Weather::FewDescriptors,
    Weather::Fair,
    Weather::Killing,
    Weather::Fair,
    Weather::FewProcesses,
    Weather::Fair,
    Weather::Killing,
];

/// What a hook gets between its TERM and its KILL.
const GRACE: Duration = Duration::from_secs(1);

/// How much later than its time a hook may end on a loaded machine.
const SLACK: Duration = Duration::from_secs(20);

/// The most that memory may grow from the middle of the time to its end.
const GROWTH: f64 = 0.05;

/// The same of a run with fewer cycles than [`LONG`]: each hook still has its first run in it, which fills caches.
const SHORT_GROWTH: f64 = 0.15;

/// So many cycles make a long run.
const LONG: usize = 20;

struct Inside {
    runner: Runner,
    entries: Vec<Entry>,
    /// What each gave in the quiet run; `None` if that is not the same each time.
    quiet: Vec<Option<String>>,
    roots: PathBuf,
    next_root: usize,
    width: usize,
    random: Rng,
    report: Report,
    reports: Reports,
    /// Background hooks that were started, by session, and whether something was done to them.
    started: HashMap<String, (usize, bool)>,
    /// What differed, to be looked at when it is quiet.
    suspects: Vec<(usize, String, &'static str)>,
    small_disk: Option<PathBuf>,
    has_own_user: bool,
}

/// What came of hooks in the background: session, tag, what is wrong, what it gave.
type Reports = Arc<Mutex<Vec<(String, String, Option<String>, Option<String>)>>>;

/// Runs the soak in this process, whose working directory is the place that was made for it.
pub(super) fn run(options: &Options) -> Result<bool, Error> {
    let base = std::env::current_dir().map_err(Error::system("the working directory"))?;
    let deadline = Instant::now() + options.time;
    // What the measuring itself needs is there before the first measure.
    let _ = ProcessState::now();
    // The C library installs a handler of its own with the first thread.
    let _ = std::thread::spawn(|| ()).join();
    let start = ProcessState::now();
    let mut inside = Inside::new(options, &base)?;
    println!(
        "soak: seed {}, {} hooks, {} events at a time, {} s",
        options.seed,
        inside.entries.len(),
        inside.width,
        options.time.as_secs()
    );
    inside.quiet_run(Instant::now() + options.time.mul_f64(QUIET_PART));
    // One for all that follows, without the hooks that the quiet run had no time for.
    let variants = [Variant::Calm, Variant::Brief, Variant::Short, Variant::Async];
    inside.runner = runner(&inside.entries, &variants, &inside.reports, &base)?;
    inside.rest(&start);
    let mut samples = Vec::new();
    while Instant::now() < deadline && inside.report.problems() < 200 {
        let is_alive = inside.cycle();
        inside.rest(&start);
        samples.push(resident());
        println!(
            "soak: {} s left, {} events, {} hooks, {} KiB, {} wrong",
            deadline.saturating_duration_since(Instant::now()).as_secs(),
            inside.report.events,
            inside.report.hooks,
            samples.last().unwrap_or(&0) / 1024,
            inside.report.problems()
        );
        if !is_alive {
            break;
        }
    }
    let Inside { runner, mut report, .. } = inside;
    drop(runner);
    for more in settle(&start) {
        report.problem(format!("at the end: {more}"));
    }
    for difference in start.differences(&ProcessState::now()) {
        report.problem(format!("the process is not as it was: {difference}"));
    }
    match growth(&samples) {
        Some(growth) if growth > if samples.len() < LONG { SHORT_GROWTH } else { GROWTH } => {
            report.problem(format!("memory grew by {:.1} %: {samples:?}", growth * 100.0));
        }
        Some(growth) => println!("memory: {:+.1} % from the middle third to the last of {samples:?}", growth * 100.0),
        None => report.skipped.push("memory: too little time for a warm-up and six measures".into()),
    }
    println!("{report}");
    Ok(report.is_clean())
}

/// A runner that has every entry as each of the variants.
fn runner(entries: &[Entry], variants: &[Variant], reports: &Reports, base: &Path) -> Result<Runner, Error> {
    let mut config = Config::default();
    for (index, entry) in entries.iter().enumerate() {
        for hook in variants.iter().filter_map(|variant| entry.config(index, *variant)) {
            config.push(hook);
        }
    }
    let env = [
        ("PATH", crate::spec::PROGRAMS.into()),
        ("LC_ALL", "C.UTF-8".into()),
        ("TZ", "UTC0".into()),
        ("TMPDIR", base.join("tmp").into_os_string()),
    ];
    let listener = reports.clone();
    let builder = Runner::builder().config(config).env(env).grace(GRACE).on_background(move |event, hook| {
        let (session, tag) = (event.session_id().to_owned(), hook.name.clone());
        let line = (session, tag, wrong(hook, Variant::Calm), shown(hook, event.cwd()));
        listener.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    });
    builder.build().map_err(|error| Error::Runner(error.to_string()))
}

impl Inside {
    fn new(options: &Options, base: &Path) -> Result<Self, Error> {
        let mut random = Rng::with_seed(options.seed);
        let files = load(&spec_directory())?;
        let mut entries = Entry::of_contract();
        let mut cases: Vec<_> = files.iter().flat_map(|file| &file.cases).collect();
        random.shuffle(&mut cases);
        let most = (options.time.as_secs_f64() / 60.0 * CASES_A_MINUTE) as usize;
        let is_wanted = |name: &str| options.only.as_ref().is_none_or(|part| name.contains(part.as_str()));
        entries.retain(|entry| is_wanted(&entry.name));
        let can_run = cases.into_iter().filter(|case| case.needs.iter().all(|what| crate::spec::has(what)));
        let can_run = can_run.filter(|case| is_wanted(&case.name())).take(most);
        for case in can_run {
            entries.extend(Entry::of_case(case, &mut random));
        }
        let reports = Reports::default();
        let runner = runner(&entries, &[Variant::Calm], &reports, base)?;
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let mut report = Report::default();
        if options.small_disk.is_none() {
            report.skipped.push("full disk: no small file system could be mounted".into());
        }
        if !options.has_own_user {
            report.skipped.push("process limit and read-only directories: they bind only a user of its own".into());
        }
        Ok(Self {
            runner,
            quiet: entries.iter().map(|_| None).collect(),
            entries,
            roots: base.join("roots"),
            next_root: 0,
            width: processors * EVENTS_A_PROCESSOR,
            random,
            report,
            reports,
            started: HashMap::new(),
            suspects: Vec::new(),
            small_disk: options.small_disk.clone(),
            has_own_user: options.has_own_user,
        })
    }

    /// Runs every entry twice with nothing beside it; those that give the same are the ones that are compared later.
    fn quiet_run(&mut self, until: Instant) {
        let begun = Instant::now();
        let half = begun + (until - begun) / 2;
        let mut first = Vec::new();
        for index in 0..self.entries.len() {
            if Instant::now() > half {
                break;
            }
            first.push(self.alone(index));
        }
        self.entries.truncate(first.len());
        for (index, first) in first.into_iter().enumerate() {
            let again = self.alone(index);
            let is_steady = first == again && first.is_some();
            if !is_steady {
                self.report.unsteady += 1;
                println!("soak: not the same twice: {}", self.entry_name(index));
            }
            self.quiet[index] = first.filter(|_| is_steady);
        }
        println!(
            "soak: the quiet run took {} s: {} hooks, {} of them not the same twice",
            begun.elapsed().as_secs(),
            self.entries.len(),
            self.report.unsteady
        );
    }

    /// What an entry gives with nothing beside it.
    fn alone(&mut self, index: usize) -> Option<String> {
        let event = self.plan(vec![index], Variant::Calm, Fault::None)?;
        let root = event.root.clone();
        let outcome = batch::run(&self.runner, vec![event], Weather::Fair, 1, &self.roots, &mut self.random);
        let shown = outcome.done.into_iter().next().and_then(|done| done.shown.into_iter().next());
        let _ = place::remove(&root);
        shown.map(|(_, shown)| shown)
    }

    /// Lays out an event.
    fn plan(&mut self, hooks: Vec<usize>, variant: Variant, fault: Fault) -> Option<Planned> {
        self.next_root += 1;
        let parent = match (&self.small_disk, fault) {
            (Some(disk), Fault::Full) => disk,
            _ => &self.roots,
        };
        // Of one length, as the name is a part of what hooks print.
        let root = parent.join(format!("e{:07}", self.next_root));
        if let Err(error) = place::make(&root, &self.entries, hooks.iter().copied()) {
            let _ = place::remove(&root);
            if fault != Fault::Full {
                self.report.problem(format!("the soak could not lay out {}: {error}", root.display()));
            }
            return None;
        }
        Some(Planned { root, hooks, variant, fault })
    }

    fn random_event(&mut self, weather: Weather) -> Option<Planned> {
        // A limit is reached by many at once.
        let count = 1 + self.random.usize(..if weather.disturbs_all() { 10 } else { 4 });
        let mut hooks = Vec::new();
        while hooks.len() < count.min(self.entries.len()) {
            // One in four is one that decides.
            let range = if self.random.usize(..4) == 0 { self.entries.len().min(24) } else { self.entries.len() };
            let index = self.random.usize(..range);
            if !hooks.contains(&index) {
                hooks.push(index);
            }
        }
        let after = |random: &mut Rng| Duration::from_millis(random.usize(..150) as u64);
        let (fault, variant) = match (weather, self.random.usize(..16)) {
            (Weather::FewDescriptors | Weather::FewProcesses, _) => (Fault::None, Variant::Brief),
            (Weather::Killing, _) => (Fault::None, Variant::Calm),
            (Weather::Fair, 0 | 1) => (Fault::Cancel(after(&mut self.random)), Variant::Calm),
            (Weather::Fair, 2 | 3) => (Fault::Timeout, Variant::Short),
            (Weather::Fair, 4) => (Fault::Async { is_ended: false }, Variant::Async),
            (Weather::Fair, 5) => (Fault::Async { is_ended: true }, Variant::Async),
            (Weather::Fair, 6) => (Fault::DeletedBefore, Variant::Brief),
            (Weather::Fair, 7) => (Fault::DeletedDuring(after(&mut self.random)), Variant::Brief),
            (Weather::Fair, 8) if self.has_own_user => (Fault::ReadOnly, Variant::Brief),
            (Weather::Fair, 9) if self.small_disk.is_some() => (Fault::Full, Variant::Brief),
            (Weather::Fair, _) => (Fault::None, Variant::Calm),
        };
        self.plan(hooks, variant, fault)
    }

    /// Runs batches of all kinds; false: something hangs.
    fn cycle(&mut self) -> bool {
        for weather in BATCHES {
            if weather == Weather::FewProcesses && !self.has_own_user {
                continue;
            }
            let count = self.width * ROUNDS;
            let events: Vec<Planned> = (0..count).filter_map(|_| self.random_event(weather)).collect();
            if !self.batch(events, weather) {
                return false;
            }
        }
        true
    }

    /// Runs a batch and judges it; false: something hangs.
    fn batch(&mut self, events: Vec<Planned>, weather: Weather) -> bool {
        if weather != Weather::Fair {
            // What is not waited for would be disturbed too.
            self.take_reports();
        }
        let has_full = events.iter().any(|event| event.fault == Fault::Full);
        let filling = self.small_disk.as_ref().filter(|_| has_full).and_then(|disk| place::fill(disk).ok());
        for event in events.iter().filter(|event| event.variant == Variant::Async) {
            let session = event.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
            self.started.insert(session, (event.hooks.len(), event.fault != Fault::Async { is_ended: false }));
        }
        let outcome = batch::run(&self.runner, events, weather, self.width, &self.roots, &mut self.random);
        if let Some(filling) = filling {
            let _ = std::fs::remove_file(filling);
        }
        self.report.killed += outcome.killed;
        for hooks in &outcome.hanging {
            let names: Vec<String> = hooks.iter().map(|&index| self.entry_name(index)).collect();
            self.report.problem(format!("did not end ({}): {names:?}", weather.name()));
        }
        for done in outcome.done {
            self.judge(done, weather, &outcome.hit);
        }
        outcome.hanging.is_empty()
    }

    fn entry_name(&self, index: usize) -> String {
        self.entries.get(index).map(|entry| format!("`{}`", entry.name)).unwrap_or_default()
    }

    fn judge(&mut self, done: Done, weather: Weather, hit: &HashSet<PathBuf>) {
        let Done { planned, verdict, shown, elapsed } = done;
        let fault = if weather == Weather::Fair { planned.fault.name() } else { weather.name() };
        self.report.events += 1;
        self.report.hooks += planned.hooks.len();
        let Some(verdict) = verdict else {
            self.report.dropped += planned.hooks.len();
            self.report.count(fault, "dropped");
            return;
        };
        let most = match planned.variant {
            Variant::Calm | Variant::Async => CALM,
            Variant::Brief | Variant::Short => BRIEF,
        };
        if elapsed > most + GRACE + SLACK {
            let names: Vec<String> = planned.hooks.iter().map(|&index| self.entry_name(index)).collect();
            self.report.problem(format!("took {elapsed:?} ({fault}): {names:?}"));
        }
        let tags: HashSet<String> = planned.hooks.iter().map(|&index| planned.variant.tag(index)).collect();
        let found: HashSet<String> = verdict.hooks.iter().map(|hook| hook.name.clone()).collect();
        if tags != found || verdict.hooks.len() != tags.len() {
            self.report.problem(format!("asked for the hooks {tags:?}, got results of {found:?} ({fault})"));
        }
        for hook in &verdict.hooks {
            let Some((index, variant)) = Variant::of_tag(&hook.name) else { continue };
            self.report.count(fault, hook.outcome.as_str());
            let is_as_quiet = self.quiet.get(index).is_some_and(|quiet| {
                quiet.as_ref().is_none_or(|quiet| quiet.split(' ').next() == Some(hook.outcome.as_str()))
                    || variant == Variant::Async
            });
            self.report.changed(fault, !is_as_quiet);
            if let Some(wrong) = wrong(hook, variant) {
                let name = self.entry_name(index);
                self.report.problem(format!("{wrong} ({fault}): {name}: {hook:?}"));
            }
            let own = planned.root.join(directory(index));
            // Also where it is not the same each time: it has ended before.
            let is_left_alone = planned.fault == Fault::None && weather == Weather::Fair;
            if is_left_alone && hook.outcome.as_str() == "TimedOut" {
                let name = self.entry_name(index);
                println!("soak: it timed out with nothing done to it: {name}: {hook:?}");
            }
            let is_comparable = planned.fault == Fault::None && !weather.disturbs_all() && !hit.contains(&own);
            if let Some((_, shown)) = shown.iter().find(|(tag, _)| *tag == hook.name).filter(|_| is_comparable) {
                self.compare(index, shown.clone(), fault);
            }
        }
    }

    fn compare(&mut self, index: usize, shown: String, fault: &'static str) {
        let Some(Some(quiet)) = self.quiet.get(index) else { return };
        self.report.compared += 1;
        if *quiet != shown {
            self.suspects.push((index, shown, fault));
        }
    }

    /// Lets everything come to rest, and looks at what is left and what differed.
    fn rest(&mut self, start: &ProcessState) {
        self.take_reports();
        for more in settle(start) {
            self.report.problem(format!("left after a cycle: {more}"));
        }
        for directory in [Some(self.roots.clone()), self.small_disk.clone()].into_iter().flatten() {
            for entry in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                if let Err(error) = place::remove(&entry.path()) {
                    self.report.problem(format!("{} cannot be removed: {error}", entry.path().display()));
                }
            }
        }
        let mut suspects = std::mem::take(&mut self.suspects);
        suspects.sort_by_key(|(index, ..)| *index);
        suspects.dedup_by_key(|(index, ..)| *index);
        for (index, shown, fault) in suspects {
            let again = self.alone(index);
            let Some(slot) = self.quiet.get_mut(index) else { continue };
            let quiet = slot.take();
            let depends = self.entries.get(index).is_some_and(Entry::depends_on_time);
            self.report.unsteady += 1;
            if again == quiet && !depends {
                let name = self.entry_name(index);
                let command = self.entries.get(index).map(Entry::command).unwrap_or_default();
                let quiet = quiet.unwrap_or_default();
                let text =
                    format!("differs from the quiet run ({fault}): {name}: {command:?}:\n{shown}\nquiet: {quiet}");
                self.report.problem(text);
            }
        }
    }

    /// Waits for the hooks in the background, and judges what came of them.
    fn take_reports(&mut self) {
        let until = Instant::now() + CALM + SLACK;
        self.runner.wait_for_background(&|| Instant::now() > until);
        let reports = std::mem::take(&mut *self.reports.lock().unwrap_or_else(PoisonError::into_inner));
        for (session, tag, wrong, shown) in reports {
            let Some((index, _)) = Variant::of_tag(&tag) else { continue };
            self.report.background += 1;
            let name = self.entry_name(index);
            let Some((left, disturbed)) = self.started.get_mut(&session).filter(|(left, _)| *left > 0) else {
                self.report.problem(format!("reported once too often: {name}"));
                continue;
            };
            *left -= 1;
            let disturbed = *disturbed;
            if let Some(wrong) = wrong {
                self.report.problem(format!("{wrong} (in the background): {name}"));
            }
            if let Some(shown) = shown.filter(|_| !disturbed) {
                self.compare(index, shown, "async");
            }
        }
        for (session, (left, _)) in std::mem::take(&mut self.started) {
            if left > 0 {
                self.report.problem(format!("{left} hooks in the background were never reported: session {session}"));
            }
        }
    }
}
