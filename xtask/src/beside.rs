//! The steps of `ci` that only compile, beside those that mostly wait.
//!
//! Half of the time of the tests nobody computes: they wait for programs, deadlines and locks. What these steps compile goes to
//! directories of its own (`target/release`, `target/cross`), so no lock of cargo's is in the way, and with the lowest priority, so
//! that no test has less of a processor than it would have.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::steps::{STEPS, Turn};
use crate::workspace::Workspace;

/// The steps that run beside the others, one after another.
pub(crate) struct Beside {
    thread: JoinHandle<Vec<Completion>>,
}

/// How one step beside the others ended.
pub(crate) struct Completion {
    pub(crate) name: &'static str,
    pub(crate) time: Duration,
    /// What it printed.
    log: PathBuf,
    pub(crate) result: Result<(), Error>,
}

impl Beside {
    /// Starts them, each as a command of its own.
    ///
    /// # Errors
    /// There is no place for what they print, or this program cannot tell where it is.
    pub(crate) fn start(workspace: &Workspace) -> Result<Self, Error> {
        let directory = workspace.target().join("beside");
        fs::create_dir_all(&directory).map_err(|source| Error::File { path: directory.clone(), source })?;
        // Now: cargo may build another one in its place.
        let xtask = std::env::current_exe().map_err(|source| Error::Start { program: "xtask".to_owned(), source })?;
        let thread = thread::spawn(move || {
            let beside = STEPS.iter().filter(|step| step.turn == Turn::Beside);
            beside.map(|step| run(&xtask, step.name, directory.join(format!("{}.log", step.name)))).collect()
        });
        Ok(Self { thread })
    }

    /// Waits for them, prints what each has printed, and says how each ended.
    pub(crate) fn finish(self) -> Vec<Completion> {
        let ended = self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        for step in &ended {
            eprintln!("\n== {}, beside the others ==", step.name);
            eprint!("{}", String::from_utf8_lossy(&fs::read(&step.log).unwrap_or_default()));
        }
        ended
    }
}

fn run(xtask: &Path, name: &'static str, log: PathBuf) -> Completion {
    let start = Instant::now();
    let result = run_into(xtask, name, &log);
    Completion { name, time: start.elapsed(), log, result }
}

fn run_into(xtask: &Path, name: &str, log: &Path) -> Result<(), Error> {
    let file = |source| Error::File { path: log.to_owned(), source };
    let output = File::create(log).map_err(file)?;
    let errors = output.try_clone().map_err(file)?;
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(xtask).arg(name).stdin(Stdio::null()).stdout(output).stderr(errors);
    let status = command.status().map_err(|source| Error::Start { program: "nice".to_owned(), source })?;
    if status.success() { Ok(()) } else { Err(Error::Failed { command: format!("cargo xtask {name}"), status }) }
}
