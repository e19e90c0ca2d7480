//! `cargo xtask instructions`: how many instructions fixed workloads take, and whether they take more than before.
//!
//! Times vary too much to gate on: with the load, the processor, the day. The instructions that callgrind counts are the
//! same within about 1 %: what differs is which thread comes first, where memory lies, and the seeds of hash tables.
//! They hold for any x86-64 processor with AVX2: Valgrind shows programs a processor of its own making, the same on all
//! of them, and libc is told to use its plainest code.

mod figures;
mod workload;

use std::path::Path;

use self::figures::{Figures, TOLERANCE_PERCENT};
pub(crate) use self::workload::WORKLOADS;
use crate::bench::find_program;
use crate::error::Error;
use crate::run::{capture, run};
use crate::workspace::Workspace;

/// Where the figures are, in the workspace.
const FIGURES: &str = "xtask/instructions/figures.txt";
/// A count that is too high is taken again as often as this: threads that wait for one another can add to it, and under valgrind on a
/// busy machine a hook often takes the 3 ms after which somebody is started who watches over it (a tenth of an allow hook).
const TRIES: u32 = 60;

/// Runs the command.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    match arguments {
        [] => compare(workspace),
        [option] if option == "--record" => record(workspace),
        other => Err(Error::Usage(format!("instructions takes only --record, found {other:?}"))),
    }
}

/// Compares with the figures of this toolchain; says so and passes where there are none, and where there is no Valgrind,
/// unless `REQUIRE_INTERPRETERS` is 1.
pub(crate) fn compare(workspace: &Workspace) -> Result<(), Error> {
    let path = workspace.root().join(FIGURES);
    let figures = Figures::read(&path)?;
    let toolchain = toolchain(workspace)?;
    if !figures.has(&toolchain) {
        println!("instructions: not compared: {FIGURES} has no figures of {toolchain}; --record takes them");
        return Ok(());
    }
    let Some(valgrind) = find_program("valgrind") else {
        if hookshell_test_support::requires_programs() {
            return Err(Error::Unexpected(
                "instructions: valgrind is not installed, and REQUIRE_INTERPRETERS=1".into(),
            ));
        }
        println!("instructions: not compared: valgrind is not installed");
        return Ok(());
    };
    build(workspace)?;
    let mut grown = Vec::new();
    for workload in WORKLOADS {
        let Some(before) = figures.get(&toolchain, workload.name) else {
            println!("{:<12} has no figure; --record takes it", workload.name);
            continue;
        };
        let mut now = workload.count(workspace, &valgrind)?;
        for _ in 1..TRIES {
            if !figures::is_growth(before, now) {
                break;
            }
            now = now.min(workload.count(workspace, &valgrind)?);
        }
        println!("{}", figures::line(workload.name, before, now));
        if figures::is_growth(before, now) {
            grown.push(workload.name);
        }
    }
    if grown.is_empty() {
        return Ok(());
    }
    Err(Error::Unexpected(format!(
        "instructions: more than {TOLERANCE_PERCENT} % above {FIGURES}: {}; find the cause (valgrind --tool=callgrind), or where \
         it is worth its price take the figures anew with --record",
        grown.join(", ")
    )))
}

/// Writes the figures of this toolchain; those of others stay.
fn record(workspace: &Workspace) -> Result<(), Error> {
    let Some(valgrind) = find_program("valgrind") else {
        return Err(Error::Unexpected("instructions: valgrind is not installed".into()));
    };
    build(workspace)?;
    let path = workspace.root().join(FIGURES);
    let mut figures = Figures::read(&path)?;
    let toolchain = toolchain(workspace)?;
    let counts = WORKLOADS
        .iter()
        .map(|workload| Ok((workload.name, workload.least(workspace, &valgrind, TRIES)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    for (name, count) in &counts {
        println!("{name:<12} {count:>13}");
    }
    figures.replace(&toolchain, &counts);
    figures.write(&path)
}

/// What the figures hold for: the compiler's version and the target that it builds for.
fn toolchain(workspace: &Workspace) -> Result<String, Error> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = capture(workspace.program(rustc).arg("-vV"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    match (text.lines().next(), host) {
        (Some(version), Some(host)) => Ok(format!("{version} {host}")),
        _ => Err(Error::Unexpected(format!("rustc -vV must tell the version and the host, found {text:?}"))),
    }
}

/// The release binary: the same that the demo starts, and built only once for both.
fn build(workspace: &Workspace) -> Result<(), Error> {
    run(&mut workspace.cargo(&["build", "--release", "-p", "hookshell"]))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|source| Error::File { path: path.to_owned(), source })
}
