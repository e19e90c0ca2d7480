//! `cargo xtask jq`: the real jqs that ours is compared with, built from their release tarballs.
//!
//! Ours is held to jq 1.7.1, which Debian 12 does not have; the newest one shows what has changed since. They are kept below
//! the target directory, so each is built once. `xtask/oracles/jq.py` has the addresses and checksums.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hookshell_test_support::{oracles, requires_programs};

use crate::error::Error;
use crate::workspace::Workspace;

const SCRIPT: &str = "xtask/oracles/jq.py";

/// The script's exit code where a tarball cannot be fetched, or there is no compiler.
const UNAVAILABLE: i32 = 3;

/// How long one build may take: it takes less than a minute on two processors.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

/// The command and the step of `ci`: builds those that are not there yet.
pub(crate) fn build(workspace: &Workspace) -> Result<(), Error> {
    if !cfg!(target_os = "linux") {
        println!("jq: skipped: the tests that compare with it run on Linux");
        return Ok(());
    }
    // Half of a build is `configure`, which has one processor busy.
    let built = thread::scope(|scope| {
        let both = [oracles::JQ, oracles::NEWEST_JQ].map(|version| scope.spawn(move || one(workspace, version)));
        both.map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    built.into_iter().collect()
}

/// Builds one, unless it is there.
fn one(workspace: &Workspace, version: &str) -> Result<(), Error> {
    let directory = workspace.target().join("oracles").join(format!("jq-{version}"));
    if says_version(&directory.join("jq"), version) {
        println!("jq: {version} is there: {}", directory.display());
        return Ok(());
    }
    let start = Instant::now();
    match build_one(workspace, version, &directory)? {
        Some(why) if requires_programs() => return Err(Error::Unexpected(why)),
        Some(why) => println!("jq: skipped: {why}"),
        None if says_version(&directory.join("jq"), version) => {
            println!("jq: {version} built in {:.0} s: {}", start.elapsed().as_secs_f64(), directory.display());
        }
        None => return Err(Error::Unexpected(format!("{} is not jq {version}", directory.display()))),
    }
    Ok(())
}

/// Builds it; the text says why that is not possible on this machine.
fn build_one(workspace: &Workspace, version: &str, directory: &Path) -> Result<Option<String>, Error> {
    let mut command = workspace.program("python3");
    command.arg(SCRIPT).arg(version).arg(directory).stdin(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ok(Some(format!("python3, which fetches jq {version}, cannot be started: {error}"))),
    };
    let start = Instant::now();
    loop {
        let status = child.try_wait().map_err(|source| Error::Start { program: SCRIPT.into(), source })?;
        match status {
            Some(status) if status.success() => return Ok(None),
            Some(status) if status.code() == Some(UNAVAILABLE) => {
                return Ok(Some(format!("jq {version} cannot be built here")));
            }
            Some(status) => return Err(Error::Failed { command: format!("{SCRIPT} {version}"), status }),
            None if start.elapsed() > DEADLINE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Error::Unexpected(format!("jq {version} was not built within {DEADLINE:?}")));
            }
            None => thread::sleep(Duration::from_millis(50)),
        }
    }
}

fn says_version(program: &Path, version: &str) -> bool {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == format!("jq-{version}").as_bytes())
}
