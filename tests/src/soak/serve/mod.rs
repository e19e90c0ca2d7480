//! `--serve SECONDS`: random requests to `hookshell serve` under faults; each has its one right answer, and nothing is left.
#![allow(clippy::print_stdout, reason = "a developer's tool: its output is its result")]

mod client;
mod place;
mod sessions;
mod work;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;

use self::client::Client;
use self::place::Place;
use super::Error;
use super::measure::{describe, growth};
use super::outside::processes;

/// The command line's option.
pub(super) const OPTION: &str = "--serve";

/// How long requests are sent between two rests.
const CYCLE: Duration = Duration::from_secs(4);

/// How long threads that have nothing to do may stay, background hooks live, and a loaded machine takes.
const MAX_WAIT: Duration = Duration::from_secs(40);

/// How long the process may take to its end: the grace of what it runs, and a loaded machine.
const END: Duration = Duration::from_secs(30);

/// The most that memory may grow from the middle of the time to its end; of a short run, whose caches still fill.
const GROWTH: f64 = 0.05;
const SHORT_GROWTH: f64 = 0.25;

/// So many cycles make a long run.
const LONG: usize = 20;

/// How a process ends in the middle of its work.
const ENDS: [End; 4] = [End::Input, End::Shutdown, End::Signal, End::DeadClient];

#[derive(Debug, Clone, Copy)]
enum End {
    Input,
    Shutdown,
    Signal,
    DeadClient,
}

/// What is counted.
#[derive(Default)]
pub(super) struct Counts {
    requests: AtomicUsize,
    events: AtomicUsize,
    commands: AtomicUsize,
    cancelled: AtomicUsize,
    wrong_messages: AtomicUsize,
    killed: AtomicUsize,
    session_ends: sessions::SessionEnds,
}

/// Runs the soak; `Ok(false)`: something was wrong, and was said.
pub(super) fn run(arguments: &[String]) -> Result<bool, Error> {
    let options = Options::parse(arguments)?;
    println!("soak: {} s through serve, seed {}", options.time.as_secs(), options.seed);
    let directory =
        tempfile::Builder::new().prefix("hookshell-serve-").tempdir().map_err(Error::system("a directory"))?;
    let place = Place::make(directory.path()).map_err(Error::system("the projects"))?;
    let counts = Counts::default();
    let mut wrong = Vec::new();
    let mut random = Rng::with_seed(options.seed);
    cycles(&options, &place, &counts, &mut random, &mut wrong)?;
    for end in ENDS {
        ended_in_the_middle(&options.binary, end, &place, &mut random, &mut wrong)?;
    }
    wrong.extend(left(&place.root));
    for line in wrong.iter().take(40) {
        println!("WRONG: {line}");
    }
    let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
    println!(
        "soak: seed {}: {} requests ({} events, {} commands, {} cancelled), {} wrong messages, {} children killed: {}",
        options.seed,
        count(&counts.requests),
        count(&counts.events),
        count(&counts.commands),
        count(&counts.cancelled),
        count(&counts.wrong_messages),
        count(&counts.killed),
        if wrong.is_empty() { "nothing leaked".to_owned() } else { format!("FAILED, {} wrong", wrong.len()) }
    );
    Ok(wrong.is_empty())
}

/// One process for most of the time: after each cycle it is as it was at the start.
fn cycles(
    options: &Options,
    place: &Place,
    counts: &Counts,
    random: &mut Rng,
    wrong: &mut Vec<String>,
) -> Result<(), Error> {
    let client = Client::start(&options.binary, place).map_err(Error::system("hookshell serve"))?;
    let until = Instant::now() + options.time;
    let mut start: Option<State> = None;
    let mut samples = Vec::new();
    for cycle in 0.. {
        // Whose children are killed, only that it answers counts.
        let is_killing = cycle % 2 == 1;
        let time = CYCLE.min(options.time.div_f64(3.0));
        wrong.extend(load(&client, place, counts, random, time, is_killing));
        let (now, more) = settle(&client, start.as_ref());
        wrong.extend(more.into_iter().map(|more| format!("after cycle {cycle}: {more}")));
        samples.push(now.resident);
        start.get_or_insert(now);
        println!(
            "soak: {} s left, {} requests, {} KiB, {} wrong",
            until.saturating_duration_since(Instant::now()).as_secs(),
            counts.requests.load(Ordering::Relaxed),
            samples.last().unwrap_or(&0) / 1024,
            wrong.len()
        );
        // The first cycle is the measure of the others.
        if cycle > 0 && Instant::now() > until || wrong.len() > 200 {
            break;
        }
    }
    match growth(&samples) {
        Some(growth) if growth > if samples.len() < LONG { SHORT_GROWTH } else { GROWTH } => {
            wrong.push(format!("memory grew by {:.1} %: {samples:?}", growth * 100.0));
        }
        Some(growth) => println!("memory: {:+.1} % from the middle third to the last of {samples:?}", growth * 100.0),
        None => println!("memory: too few cycles to tell: {samples:?}"),
    }
    if let Err(why) = client.request("shutdown", &serde_json::json!({})) {
        wrong.push(format!("shutdown: {why}"));
    }
    wrong.extend(client.finish(END, Some(0)));
    Ok(())
}

/// Sends random requests from several threads for a time.
fn load(
    client: &Client,
    place: &Place,
    counts: &Counts,
    random: &mut Rng,
    time: Duration,
    is_killing: bool,
) -> Vec<String> {
    let threads = std::thread::available_parallelism().map_or(2, usize::from) * 4;
    let until = Instant::now() + time;
    let is_over = AtomicBool::new(false);
    let mut wrong = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let mut random = random.fork();
                scope.spawn(move || {
                    let mut wrong = Vec::new();
                    while Instant::now() < until && wrong.len() < 20 {
                        if let Err(why) = work::one(client, place, counts, &mut random, is_killing) {
                            wrong.push(why);
                        }
                    }
                    wrong
                })
            })
            .collect();
        let (mut random, is_over) = (random.fork(), &is_over);
        scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                // What it says stays the same, but the file is another one.
                place.rewrite_a_config(&mut random);
                if is_killing && client.kill_a_child(&mut random) {
                    counts.killed.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(3));
            }
        });
        for worker in workers {
            wrong.extend(worker.join().unwrap_or_else(|_| vec!["a worker of the soak panicked".to_owned()]));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    wrong.extend(client.take_problems());
    wrong
}

/// Starts a process, and ends it while it has much to do. All that it has started must be gone.
fn ended_in_the_middle(
    binary: &Path,
    end: End,
    place: &Place,
    random: &mut Rng,
    wrong: &mut Vec<String>,
) -> Result<(), Error> {
    let mut client = Client::start(binary, place).map_err(Error::system("hookshell serve"))?;
    for _ in 0..40 {
        work::ask_something_long(&client, place, random);
    }
    std::thread::sleep(Duration::from_millis(random.u64(100..600)));
    let code = match end {
        End::Input => {
            client.close_input();
            Some(0)
        }
        End::Shutdown => {
            if let Err(why) = client.request("shutdown", &serde_json::json!({})) {
                wrong.push(format!("{end:?}: {why}"));
            }
            Some(0)
        }
        End::Signal => {
            client.terminate();
            Some(143)
        }
        // Which of the two ends it sees first is open.
        End::DeadClient => {
            client.die();
            None
        }
    };
    wrong.extend(client.finish(END, code).into_iter().map(|why| format!("{end:?}: {why}")));
    wrong.extend(left(&place.root).into_iter().map(|why| format!("{end:?}: {why}")));
    Ok(())
}

/// What a process has.
struct State {
    threads: usize,
    descriptors: usize,
    resident: u64,
}

/// Waits until the process is as it was at the start, and says what is more after all.
fn settle(client: &Client, start: Option<&State>) -> (State, Vec<String>) {
    for session in place::SESSIONS {
        if let Err(why) = client.request("session/end", &serde_json::json!({"session": session})) {
            return (client.state(), vec![format!("session/end: {why}")]);
        }
    }
    let begun = Instant::now();
    loop {
        let now = client.state();
        let mut more: Vec<String> = client.children().iter().map(|id| format!("child {}", describe(id))).collect();
        // Before the first measure: the threads that wait for work longest have ended when this is quiet.
        let (threads, descriptors) = start.map_or((client.quiet_threads(), usize::MAX), |s| (s.threads, s.descriptors));
        if now.threads > threads {
            more.push(format!("{} threads instead of {threads}", now.threads));
        }
        if now.descriptors > descriptors {
            more.push(format!("{} descriptors instead of {descriptors}", now.descriptors));
        }
        if more.is_empty() || begun.elapsed() > MAX_WAIT {
            return (now, more);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What is left of processes that have ended: programs of theirs, files.
fn left(root: &Path) -> Vec<String> {
    let begun = Instant::now();
    loop {
        let mut left: Vec<String> =
            processes(None, root).iter().map(|id| format!("left: {}", describe(&id.to_string()))).collect();
        let temporary = fs::read_dir(root.join("tmp")).into_iter().flatten().flatten();
        left.extend(temporary.map(|entry| format!("left: {}", entry.path().display())));
        if left.is_empty() || begun.elapsed() > MAX_WAIT {
            return left;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

struct Options {
    time: Duration,
    seed: u64,
    binary: PathBuf,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, Error> {
        let usage = || Error::Usage(format!("{OPTION} SECONDS --binary PATH [--seed S]"));
        let mut arguments = arguments.iter();
        let seconds = arguments.next().and_then(|text| text.parse().ok()).ok_or_else(usage)?;
        let (mut seed, mut binary) = (super::options::fresh_seed(), None);
        while let Some(option) = arguments.next() {
            let value = arguments.next().ok_or_else(usage)?;
            match option.as_str() {
                "--seed" => seed = value.parse().map_err(|_| usage())?,
                "--binary" => binary = Some(PathBuf::from(value)),
                _ => return Err(usage()),
            }
        }
        Ok(Self { time: Duration::from_secs(seconds), seed, binary: binary.ok_or_else(usage)? })
    }
}
