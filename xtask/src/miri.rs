//! `cargo xtask miri`: the tests that Miri can run, under its eyes.
//!
//! Miri finds undefined behaviour: in `unsafe` code of the process layer, and in that of dependencies where our safe code
//! leads them. It interprets, some hundred times slower, and it knows no `posix_spawn`, no `fork` and no foreign programs,
//! so that only tests which do without them can be run; the process layer's others are ignored there, with the reason.

use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// What is given to `cargo miri test`: only what is known to pass. Others can be named on the command line.
const RUNS: &[&[&str]] =
    &[&["-p", "hookshell-process", "--lib"], &["-p", "hookshell-shebang", "--lib", "--test", "cases"]];

/// Runs the command. Arguments replace the runs that are listed here.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runs = if given.is_empty() { RUNS } else { &[given.as_slice()] };
    for arguments in runs {
        let mut command = workspace.program("cargo");
        command.args(["+nightly", "miri", "test"]).args(*arguments);
        // Started through rustup: what cargo sets for xtask names the stable toolchain.
        for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(variable);
        }
        // Files, the clock and the environment are the machine's own. Its output is apart from that of other builds.
        command.env("MIRIFLAGS", "-Zmiri-disable-isolation").env("CARGO_TARGET_DIR", workspace.target().join("miri"));
        run(&mut command)?;
    }
    Ok(())
}
