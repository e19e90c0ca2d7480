//! `cargo xtask fuzz-diff --hooks`: random hook projects of several files, run three ways: by bash, by `hookshell sh FILE`, and
//! as a hook whose scripts run in process. What they print, their status and the files they leave must be the same.

mod pieces;
mod project;
mod run;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::lock;
use super::options::Options;
use crate::error::Error;
use crate::workspace::Workspace;
use project::Project;
use run::{Bench, Way};

/// How many projects the step of `ci` runs.
pub(super) const CI_COUNT: u64 = 300;

/// How many differences are made small and printed.
const MOST_SHOWN: usize = 20;

/// What all workers found.
#[derive(Default)]
struct Findings {
    /// Projects with a difference.
    different: BTreeSet<u64>,
    /// Projects in which bash did not do the same twice.
    unsteady: Vec<u64>,
    shown: usize,
}

/// Prints the files of one project.
pub(super) fn print(options: &Options, index: u64) {
    println!("{}", Project::new(options.seed, index));
}

/// Runs projects; a difference is an error.
pub(super) fn check(workspace: &Workspace, options: &Options, bash: &Path, binary: &Path) -> Result<(), Error> {
    println!("fuzz-diff: hooks: seed {}, {} projects, {}", options.seed, options.count, binary.display());
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let all = Mutex::new(Findings::default());
    let place = workspace.target().join("fuzz-diff-hooks").join(std::process::id().to_string());
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let results: Vec<Result<(), Error>> = std::thread::scope(|scope| {
        let work = |worker: usize| {
            let bench = Bench::new(place.join(worker.to_string()), bash, binary)?;
            while !stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= options.count {
                    break;
                }
                one(&bench, options, index, &all, &stop)?;
            }
            Ok(())
        };
        let handles: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work(worker))).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, Result<(), Error>>| {
            handle.join().unwrap_or_else(|_| Err(Error::Unexpected("a worker panicked".into())))
        };
        handles.into_iter().map(join).collect()
    });
    let _ = std::fs::remove_dir_all(&place);
    results.into_iter().collect::<Result<(), Error>>()?;
    let findings = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !findings.unsteady.is_empty() {
        println!("not the same twice by bash, so not compared: projects {:?}", findings.unsteady);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "fuzz-diff: hooks: {} of {} projects with a difference, in {seconds:.1} s",
        findings.different.len(),
        options.count
    );
    if findings.different.is_empty() {
        return Ok(());
    }
    let seed = options.seed;
    Err(Error::Unexpected(format!(
        "bash and hookshell differ in the projects {:?}: `cargo xtask fuzz-diff --hooks --seed {seed} --print N` shows one",
        findings.different
    )))
}

fn one(bench: &Bench, options: &Options, index: u64, all: &Mutex<Findings>, stop: &AtomicBool) -> Result<(), Error> {
    let project = Project::new(options.seed, index);
    let Some(way) = difference(bench, &project)? else { return Ok(()) };
    // What bash does twice in two ways is no difference.
    let first = bench.run(&project, Way::Bash)?;
    for _ in 0..3 {
        if bench.run(&project, Way::Bash)? != first {
            lock(all).unsteady.push(index);
            return Ok(());
        }
    }
    if difference(bench, &project)?.is_none() {
        // Seen once in two runs: it counts, and cannot be made small.
        println!("project {index}: {way:?} differed once");
    }
    if !options.keep_going {
        stop.store(true, Ordering::Relaxed);
    }
    let is_shown = {
        let mut all = lock(all);
        all.different.insert(index);
        all.shown += 1;
        !options.no_shrink && all.shown <= options.max_shrunk.unwrap_or(MOST_SHOWN)
    };
    if is_shown {
        let small = shrink(bench, project)?;
        let way = difference(bench, &small)?.unwrap_or(way);
        let (bash, ours) = (bench.run(&small, Way::Bash)?, bench.run(&small, way)?);
        println!("== project {index}, {way:?}\n{small}\n-- bash\n{bash}\n-- hookshell\n{ours}");
    }
    Ok(())
}

/// The first way that does not do what bash does.
fn difference(bench: &Bench, project: &Project) -> Result<Option<Way>, Error> {
    let bash = bench.run(project, Way::Bash)?;
    for way in [Way::Sh, Way::Hook] {
        if bench.run(project, way)? != bash {
            return Ok(Some(way));
        }
    }
    Ok(None)
}

/// Takes one piece after the other out, as long as there is a difference.
fn shrink(bench: &Bench, mut project: Project) -> Result<Project, Error> {
    let mut at = 0;
    while at < project.len() {
        let smaller = project.without(at);
        if difference(bench, &smaller)?.is_some() {
            project = smaller;
        } else {
            at += 1;
        }
    }
    Ok(project)
}
