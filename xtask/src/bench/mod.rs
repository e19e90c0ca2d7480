//! `cargo xtask bench`: hookshell and other shells at the same work, side by side in one run.
//!
//! Only ratios of one run mean anything: the contestants take turns, so that what else the machine
//! does hits all of them, and the medians are compared. What a ratio is worth: bash against itself gave
//! 0.82 to 1.18 in a full run on a shared machine of two cores, and 0.7 to 1.4 in a quick one, which
//! therefore shows only that the workloads run.

mod chart;
mod contestant;
mod data;
mod entries;
mod growth;
mod measure;
mod options;
mod report;
mod stats;
mod workload;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(crate) use self::contestant::find_program;
use self::contestant::{Contestant, rivals};
use self::entries::{Entry, Programs};
use self::measure::Clock;
use self::options::{Options, QUICK};
use self::report::{Row, report};
use self::stats::Times;
use self::workload::{Workload, workloads};
use crate::error::Error;
use crate::workspace::Workspace;

/// Runs the command.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let options = Options::read(arguments)?;
    let directory = workspace.target().join("bench");
    std::fs::create_dir_all(&directory).map_err(|source| Error::File { path: directory.clone(), source })?;
    // What clients measure needs nothing but the program.
    let only_clients =
        workloads().all(|workload| workload.is_of_client() || !options.wants(workload)) && !options.growth;
    let programs = match &options.binary {
        Some(binary) if only_clients => Programs::take(workspace, binary, &directory)?,
        binary => Programs::build(workspace, binary.as_deref(), &directory)?,
    };
    let bench = Bench { options, programs, rivals: rivals(), clock: Clock::start(), directory };
    let load_before = load();
    let mut rows = Vec::new();
    for workload in workloads().filter(|workload| bench.options.wants(workload)) {
        eprintln!("{} ({} rounds)", workload.name, bench.options.rounds(workload));
        rows.push(bench.row(workload)?);
    }
    // Where some rows are named it is left out, unless it is asked for too.
    let wanted = bench.options.growth || !bench.options.is_narrowed();
    let growth = if wanted { Some(bench.growth()?) } else { None };
    let text = report(&bench.setting(workspace, &load_before), &rows, growth.as_ref().map(|(text, _)| text.as_str()));
    println!("\n{text}");
    let path = bench.directory.join("report.md");
    write(&path, &text)?;
    let picture = bench.directory.join("report.svg");
    write(&picture, &chart::chart(&rows))?;
    println!("written to {} and {}", path.display(), picture.display());
    let failed: Vec<&str> = rows.iter().filter(|row| row.hookshell.is_err()).map(|row| row.workload.name).collect();
    if failed.is_empty() {
        // A quick run is too short to tell.
        return match growth {
            Some((_, defects)) if !defects.is_empty() && !bench.options.quick => Err(Error::Unexpected(format!(
                "the time grows more than the size does for each: {}",
                defects.join(", ")
            ))),
            _ => Ok(()),
        };
    }
    Err(Error::Unexpected(format!("hookshell failed at: {}", failed.join(", "))))
}

/// A benchmark under way.
struct Bench {
    options: Options,
    programs: Programs,
    rivals: Vec<Contestant>,
    clock: Clock,
    /// Where the files of the run are.
    directory: PathBuf,
}

impl Bench {
    /// Times all contestants at one workload. They take turns, and each round starts with another one.
    fn row<'a>(&self, workload: &'a Workload) -> Result<Row<'a>, Error> {
        let mut entries = self.entries(workload)?;
        // A first run that does not count: it loads the program and shows whether it does the work.
        for entry in &mut entries {
            self.turn(entry);
            entry.times.clear();
        }
        let contestants = entries.len();
        for round in 0..self.options.rounds(workload) {
            for place in 0..contestants {
                if let Some(entry) = entries.get_mut((round + place) % contestants) {
                    self.turn(entry);
                }
            }
        }
        let mut results = entries.into_iter().map(|entry| {
            let times = entry.command.and_then(|_| Times::new(entry.times).ok_or_else(|| "no run".to_owned()));
            (entry.name, times)
        });
        let hookshell = results.next().map_or_else(|| Err("no contestant".to_owned()), |(_, times)| times);
        let rivals = results.collect();
        Ok(Row { workload, count: self.options.count(workload), judged: !self.options.quick, hookshell, rivals })
    }

    /// Runs the entry once more; a run that fails or prints something else takes it out.
    fn turn(&self, entry: &mut Entry) {
        let Ok(command) = &mut entry.command else {
            return;
        };
        let run = self.clock.run(command, entry.exit_code, &self.directory.join("stderr.txt"));
        let checked = run.and_then(|run| {
            entry.expected.check(&run)?;
            Ok((entry.time_of(&run)?, run.digest))
        });
        match checked {
            Ok((time, digest)) => {
                entry.times.push(time);
                entry.digest = Some(digest);
            }
            Err(why) => entry.command = Err(why),
        }
    }

    /// What was measured where, for the report's head.
    fn setting(&self, workspace: &Workspace, load_before: &str) -> String {
        let git = workspace.program("git").args(["rev-parse", "--short", "HEAD"]).output();
        let commit = git.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let mut text = format!(
            "{} {}, {cores} cores; {}",
            std::env::consts::OS,
            std::env::consts::ARCH,
            match &self.options.binary {
                Some(path) => path.display().to_string(),
                None => format!("release build at commit {}", commit.unwrap_or_default()),
            },
        );
        if !load_before.is_empty() {
            let _ = write!(text, "; load {load_before} before, {} after", load());
        }
        if self.options.quick {
            let _ = write!(text, ". Quick run: loops are {QUICK} times shorter and rounds few; ratios are rough");
        }
        text.push('.');
        text
    }
}

/// The load average over one minute, where the system tells it.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|source| Error::File { path: path.to_owned(), source })
}
