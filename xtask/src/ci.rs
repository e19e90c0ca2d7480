//! `cargo xtask ci`: all steps, cheapest first, and a summary.

use std::time::{Duration, Instant};

use crate::beside::Beside;
use crate::counts::TestCounts;
use crate::error::Error;
use crate::steps::{STEPS, Turn};
use crate::workspace::Workspace;

/// How one step went.
enum StepOutcome {
    Ok(Duration),
    Failed(Duration, Error),
    NotRun,
}

/// How it went so far.
#[derive(Default)]
struct Course {
    ran: Vec<(&'static str, StepOutcome)>,
}

impl Course {
    fn ended(&mut self, name: &'static str, result: Result<(), Error>, time: Duration) {
        if let Err(error) = result {
            eprintln!("xtask: {name}: {error}");
            self.ran.push((name, StepOutcome::Failed(time, error)));
        } else {
            self.ran.push((name, StepOutcome::Ok(time)));
        }
        eprintln!("== {name} took {:.1} s ==", time.as_secs_f64());
    }

    /// The steps that failed, with their errors.
    fn failed(&self) -> impl Iterator<Item = (&'static str, &Error)> {
        self.ran.iter().filter_map(|(name, outcome)| match outcome {
            StepOutcome::Failed(_, error) => Some((*name, error)),
            StepOutcome::Ok(_) | StepOutcome::NotRun => None,
        })
    }
}

/// Runs the command. Without `--keep-going` the first failing step is the last one; with it those that only
/// compile run beside the others.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let keep_going = match arguments {
        [] => false,
        [option] if option == "--keep-going" => true,
        other => {
            return Err(Error::Usage(format!("ci takes only --keep-going, found {other:?}")));
        }
    };
    let mut counts = TestCounts::default();
    let mut course = Course::default();
    // What fails first ends a run without `--keep-going`: nothing else may be under way then.
    let runs_beside = keep_going && cfg!(unix);
    let mut beside = if runs_beside { Some(Beside::start(workspace)?) } else { None };
    for step in STEPS {
        if step.turn == Turn::Beside && runs_beside {
            continue;
        }
        if step.turn == Turn::AfterBeside {
            for ended in beside.take().map(Beside::finish).into_iter().flatten() {
                course.ended(ended.name, ended.result, ended.time);
            }
        }
        if course.failed().next().is_some() && !keep_going {
            course.ran.push((step.name, StepOutcome::NotRun));
            continue;
        }
        eprintln!("\n== {} ==", step.name);
        let start = Instant::now();
        let result = (step.run)(workspace, &mut counts);
        course.ended(step.name, result, start.elapsed());
    }
    // Where no step comes after them they count all the same.
    for ended in beside.take().map(Beside::finish).into_iter().flatten() {
        course.ended(ended.name, ended.result, ended.time);
    }
    println!("\nsummary");
    for (name, ran) in &course.ran {
        match ran {
            StepOutcome::Ok(time) => println!("  {name:<12} ok      {:8.1} s", time.as_secs_f64()),
            StepOutcome::Failed(time, _) => println!("  {name:<12} FAILED  {:8.1} s", time.as_secs_f64()),
            StepOutcome::NotRun => println!("  {name:<12} not run"),
        }
    }
    let (failed, errors): (Vec<_>, Vec<_>) =
        course.failed().map(|(name, error)| (name, format!("{name}: {error}"))).unzip();
    counts.close(&errors)?;
    if failed.is_empty() { Ok(()) } else { Err(Error::Steps(failed)) }
}
