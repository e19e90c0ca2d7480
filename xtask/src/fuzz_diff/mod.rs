//! `cargo xtask fuzz-diff`: random programs, run by bash and by hookshell; what they print, their status and their
//! messages must agree.
//!
//! Programs come from a grammar and a seed; a difference is made small and printed as a case of tests/spec. With `--hooks`
//! they are hook projects of several files.

mod coverage;
mod generate;
mod grammar;
mod hooks;
mod known;
mod messages;
mod mutations;
mod options;

mod shrink;
mod spec_case;
mod subject;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use hookshell_process::sync::lock;

use crate::debug_build;
use crate::error::Error;
use crate::workspace::Workspace;
use coverage::Coverage;
use generate::Generator;
use options::Options;
use subject::{Bench, Outcome};

/// How many programs the step of `ci` runs.
const CI_COUNT: u64 = 600;

/// Its seed: the same programs every time.
const CI_SEED: u64 = 1;

/// With fewer programs the rare parts of the grammar may be missing by chance.
const ENOUGH_FOR_COVERAGE: u64 = 2_000;

/// How many differences are made small; the others are counted.
const MAX_SHRUNK: usize = 60;

/// Runs the command.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let options = Options::parse(arguments)?;
    if let (true, Some(index)) = (options.hooks, options.print) {
        hooks::print(&options, index);
        return Ok(());
    }
    if let Some(index) = options.print {
        println!("{}", Generator::new(options.seed, index, &mut Coverage::default()).program().render());
        return Ok(());
    }
    let bash = find_bash()?;
    if options.mutations {
        return mutations::command(workspace, &options, &bash);
    }
    let binary = match &options.binary {
        Some(path) => std::path::absolute(path).map_err(|source| Error::File { path: path.clone(), source })?,
        None => debug_build::program(workspace, "hookshell")?,
    };
    match options.hooks {
        true => hooks::check(workspace, &options, &bash, &binary),
        false => check(workspace, &options, &bash, &binary),
    }
}

/// The step of `ci`: a short run, left out where there is no bash.
pub(crate) fn step(workspace: &Workspace) -> Result<(), Error> {
    match find_bash() {
        Ok(bash) => {
            let binary = debug_build::program(workspace, "hookshell")?;
            let options = Options { count: CI_COUNT, seed: CI_SEED, keep_going: true, ..Options::default() };
            check(workspace, &options, &bash, &binary)?;
            let options = Options { count: hooks::CI_COUNT, ..options };
            hooks::check(workspace, &options, &bash, &binary)
        }
        Err(error) if hookshell_test_support::requires_programs() => Err(error),
        Err(error) => {
            println!("fuzz-diff: skipped: {error}");
            Ok(())
        }
    }
}

/// bash 5.2 or later: its earlier releases do some things otherwise.
fn find_bash() -> Result<PathBuf, Error> {
    let missing = || Error::Unexpected("fuzz-diff needs bash 5.2 or later on PATH".into());
    let output = std::process::Command::new("bash")
        .args(["-c", "((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 502)) && type -P bash"])
        .output()
        .map_err(|_| missing())?;
    let path = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() && cfg!(unix) { Ok(path.into()) } else { Err(missing()) }
}

/// What all workers found.
#[derive(Default)]
struct Findings {
    coverage: Coverage,
    /// How those ended that were made small.
    small: BTreeSet<String>,
    shrunk: usize,
    known: BTreeMap<&'static str, usize>,
    /// Programs that did not do the same twice.
    unsteady: Vec<u64>,
    /// All programs with a difference.
    different: BTreeSet<u64>,
}

/// Runs programs and prints what came out; a difference or a gap in the coverage is an error.
fn check(workspace: &Workspace, options: &Options, bash: &Path, binary: &Path) -> Result<(), Error> {
    println!("fuzz-diff: seed {}, {} programs, {}", options.seed, options.count, binary.display());
    let start = Instant::now();
    let findings = search(workspace, options, bash, binary)?;
    let (table, missing) = findings.coverage.table(workspace.root())?;
    if options.count >= ENOUGH_FOR_COVERAGE || options.table {
        println!("{table}");
    }
    for (reason, count) in &findings.known {
        println!("known difference, {count} times: {reason}");
    }
    if !findings.unsteady.is_empty() {
        println!("not the same twice, so not compared: programs {:?}", findings.unsteady);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "fuzz-diff: {} distinct small programs with a difference, from {} of {} programs, in {seconds:.1} s",
        findings.small.len(),
        findings.different.len(),
        options.count,
    );
    if !findings.different.is_empty() {
        let (seed, count) = (options.seed, options.count);
        return Err(Error::Unexpected(format!(
            "bash and hookshell differ: `cargo xtask fuzz-diff --seed {seed} --count {count} --keep-going` runs the same \
             programs again, and `--seed {seed} --print N` shows program N as it was generated"
        )));
    }
    if options.count >= ENOUGH_FOR_COVERAGE && !missing.is_empty() {
        return Err(Error::Unexpected(format!("never generated: {}", missing.join("; "))));
    }
    Ok(())
}

/// The programs that differ.
fn differing(workspace: &Workspace, options: &Options, bash: &Path, binary: &Path) -> Result<BTreeSet<u64>, Error> {
    Ok(search(workspace, options, bash, binary)?.different)
}

/// Runs the programs on all processors.
fn search(workspace: &Workspace, options: &Options, bash: &Path, binary: &Path) -> Result<Findings, Error> {
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let all = Mutex::new(Findings::default());
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let place = workspace.target().join("fuzz-diff").join(std::process::id().to_string());
    let results: Vec<Result<(), Error>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|worker| {
                let (next, stop, all, place) = (&next, &stop, &all, &place);
                scope.spawn(move || -> Result<(), Error> {
                    let bench = Bench::new(place.join(worker.to_string()), bash, binary)?;
                    let mut coverage = Coverage::default();
                    while !stop.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= options.count {
                            break;
                        }
                        one(&bench, options, index, &mut coverage, all, stop)?;
                    }
                    lock(all).coverage.add(&coverage);
                    Ok(())
                })
            })
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|_| Err(Error::Unexpected("a worker panicked".into()))))
            .collect()
    });
    let _ = std::fs::remove_dir_all(&place);
    results.into_iter().collect::<Result<(), Error>>()?;
    Ok(all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

fn one(
    bench: &Bench,
    options: &Options,
    index: u64,
    coverage: &mut Coverage,
    all: &Mutex<Findings>,
    stop: &AtomicBool,
) -> Result<(), Error> {
    if options.ignored.contains(&index) {
        return Ok(());
    }
    let program = Generator::new(options.seed, index, coverage).program();
    let script = program.render();
    let (bash, ours) = bench.both(&script)?;
    if bash.agrees(&ours) {
        return Ok(());
    }
    if let Some(reason) = known::reason(&script, &bash, &ours) {
        *lock(all).known.entry(reason).or_default() += 1;
        return Ok(());
    }
    if !is_steady(bench, &script, &bash, &ours)? {
        lock(all).unsteady.push(index);
        return Ok(());
    }
    if !options.keep_going {
        stop.store(true, Ordering::Relaxed);
    }
    lock(all).different.insert(index);
    {
        let mut all = lock(all);
        all.shrunk += 1;
        if options.no_shrink || all.shrunk > options.max_shrunk.unwrap_or(MAX_SHRUNK) {
            return Ok(());
        }
    }
    let script = shrink::shrink(bench, &program)?;
    let (bash, ours) = bench.both(&script)?;
    if !is_steady(bench, &script, &bash, &ours)? {
        lock(all).unsteady.push(index);
        return Ok(());
    }
    if lock(all).small.insert(script.clone()) {
        // At once: a long run may be stopped.
        println!("{}", spec_case::render(options.seed, index, &script, &bash, &ours));
    }
    Ok(())
}

/// Both do the same again, five times: no difference is tolerated, so a race of bash on a loaded machine must show.
fn is_steady(bench: &Bench, script: &str, bash: &Outcome, ours: &Outcome) -> Result<bool, Error> {
    for _ in 0..5 {
        let again = bench.both(script)?;
        if !bash.agrees(&again.0) || !ours.agrees(&again.1) {
            return Ok(false);
        }
    }
    Ok(true)
}
