//! `cargo xtask deny`: the licences, versions and sources of all dependencies, by the rules of `deny.toml`, and their known
//! faults.

use std::process::Stdio;

use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// What needs no network.
const CHECKS: [&str; 3] = ["bans", "licenses", "sources"];

/// Set where the network must be there: known faults that cannot be looked up are a failure then.
const REQUIRED: &str = "REQUIRE_ADVISORIES";

/// Runs the command; `--advisories` also looks for known faults, for which cargo-deny fetches a database.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let advisories = match arguments {
        [] => false,
        [option] if option == "--advisories" => true,
        other => return Err(Error::Usage(format!("deny takes only --advisories, found {other:?}"))),
    };
    if !succeeds(workspace, &["deny", "--version"]) {
        println!("deny: skipped: cargo-deny is not installed (cargo install cargo-deny --locked)");
        return Ok(());
    }
    run(workspace.cargo(&["deny", "--workspace", "check", "--hide-inclusion-graph"]).args(CHECKS))?;
    if !advisories {
        return Ok(());
    }
    if !succeeds(workspace, &["deny", "--workspace", "fetch", "db"]) && std::env::var_os(REQUIRED).is_none() {
        println!("deny: advisories skipped: the advisory database (github.com/RustSec/advisory-db) cannot be fetched");
        return Ok(());
    }
    run(&mut workspace.cargo(&["deny", "--workspace", "check", "--hide-inclusion-graph", "advisories"]))
}

/// The step of `ci`.
pub(crate) fn step(workspace: &Workspace) -> Result<(), Error> {
    command(workspace, &["--advisories".to_owned()])
}

fn succeeds(workspace: &Workspace, arguments: &[&str]) -> bool {
    let mut command = workspace.cargo(arguments);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}
