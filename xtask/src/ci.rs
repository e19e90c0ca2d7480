//! `cargo xtask ci`: all steps, cheapest first, and a summary.

use std::time::{Duration, Instant};

use crate::counts::TestCounts;
use crate::error::Error;
use crate::steps::STEPS;
use crate::workspace::Workspace;

/// How one step went.
enum Ran {
    Ok(Duration),
    Failed(Duration),
    NotRun,
}

/// Runs the command. Without `--keep-going` the first failing step is the last one.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let keep_going = match arguments {
        [] => false,
        [option] if option == "--keep-going" => true,
        other => {
            return Err(Error::Usage(format!("ci takes only --keep-going, found {other:?}")));
        }
    };
    let mut counts = TestCounts::default();
    let mut ran = Vec::new();
    let mut failed = Vec::new();
    for step in STEPS {
        if !failed.is_empty() && !keep_going {
            ran.push((step.name, Ran::NotRun));
            continue;
        }
        eprintln!("\n== {} ==", step.name);
        let start = Instant::now();
        let result = (step.run)(workspace, &mut counts);
        let time = start.elapsed();
        if let Err(error) = result {
            eprintln!("xtask: {}: {error}", step.name);
            failed.push(step.name);
            ran.push((step.name, Ran::Failed(time)));
        } else {
            ran.push((step.name, Ran::Ok(time)));
        }
        eprintln!("== {} took {:.1} s ==", step.name, time.as_secs_f64());
    }
    println!("\nsummary");
    for (name, ran) in &ran {
        match ran {
            Ran::Ok(time) => println!("  {name:<12} ok      {:8.1} s", time.as_secs_f64()),
            Ran::Failed(time) => println!("  {name:<12} FAILED  {:8.1} s", time.as_secs_f64()),
            Ran::NotRun => println!("  {name:<12} not run"),
        }
    }
    counts.close()?;
    if failed.is_empty() { Ok(()) } else { Err(Error::Steps(failed)) }
}
