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
    Failed(Duration),
    NotRun,
}

/// How it went so far.
#[derive(Default)]
struct Course {
    ran: Vec<(&'static str, StepOutcome)>,
    failed: Vec<&'static str>,
    /// Them with their errors.
    errors: Vec<String>,
}

impl Course {
    fn ended(&mut self, name: &'static str, result: Result<(), Error>, time: Duration) {
        if let Err(error) = result {
            let error = format!("{name}: {error}");
            eprintln!("xtask: {error}");
            self.errors.push(error);
            self.failed.push(name);
            self.ran.push((name, StepOutcome::Failed(time)));
        } else {
            self.ran.push((name, StepOutcome::Ok(time)));
        }
        eprintln!("== {name} took {:.1} s ==", time.as_secs_f64());
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
        if !course.failed.is_empty() && !keep_going {
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
    let Course { ran, failed, errors } = course;
    println!("\nsummary");
    for (name, ran) in &ran {
        match ran {
            StepOutcome::Ok(time) => println!("  {name:<12} ok      {:8.1} s", time.as_secs_f64()),
            StepOutcome::Failed(time) => println!("  {name:<12} FAILED  {:8.1} s", time.as_secs_f64()),
            StepOutcome::NotRun => println!("  {name:<12} not run"),
        }
    }
    counts.close(&errors)?;
    if failed.is_empty() { Ok(()) } else { Err(Error::Steps(failed)) }
}
