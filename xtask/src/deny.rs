//! `cargo xtask deny`: the licences, versions and sources of all dependencies, by the rules of `deny.toml`.

use std::process::Stdio;

use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// What needs no network.
const CHECKS: [&str; 3] = ["bans", "licenses", "sources"];

/// Runs the command; `--advisories` also looks for known faults, for which cargo-deny fetches a database.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let advisories = match arguments {
        [] => false,
        [option] if option == "--advisories" => true,
        other => return Err(Error::Usage(format!("deny takes only --advisories, found {other:?}"))),
    };
    if !is_installed(workspace) {
        println!("deny: skipped: cargo-deny is not installed (cargo install cargo-deny --locked)");
        return Ok(());
    }
    let mut command = workspace.cargo(&["deny", "--workspace", "check", "--hide-inclusion-graph"]);
    command.args(CHECKS);
    if advisories {
        command.arg("advisories");
    }
    run(&mut command)
}

fn is_installed(workspace: &Workspace) -> bool {
    let mut command = workspace.cargo(&["deny", "--version"]);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
