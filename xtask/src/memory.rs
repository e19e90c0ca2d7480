//! `cargo xtask memory`: the resident memory of a shell that does nothing, at its peak.

use crate::error::Error;
use crate::run::{capture, run};
use crate::workspace::Workspace;

/// Bytes that `hookshell sh -c :` may have resident at most.
const GOAL: u64 = 6_000_000;

/// `:`, and then its own peak as Linux tells it. Reading that takes a little more than `:` alone.
const SCRIPT: &str =
    ": ; while read -r name value unit; do case $name in VmHWM:) echo $value;; esac; done </proc/self/status";

/// Builds the release binary and measures it; says so and passes where the system does not tell the peak.
pub(crate) fn measure(workspace: &Workspace) -> Result<(), Error> {
    if !cfg!(target_os = "linux") {
        println!("memory: not measured: only Linux tells the peak in /proc/self/status");
        return Ok(());
    }
    run(&mut workspace.cargo(&["build", "--release", "-p", "hookshell"]))?;
    let mut command = workspace.program(workspace.target().join("release/hookshell"));
    command.args(["sh", "-c", SCRIPT]).env_clear().env("PATH", "/usr/bin:/bin");
    let output = capture(&mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let kilobytes: u64 =
        text.trim().parse().map_err(|_| Error::Unexpected(format!("memory: expected a number, found {text:?}")))?;
    let peak = kilobytes * 1024;
    println!("hookshell sh -c : has {peak} bytes resident at its peak; at most {GOAL} are allowed");
    if peak > GOAL {
        return Err(Error::Unexpected("memory: the peak is too high".into()));
    }
    Ok(())
}
