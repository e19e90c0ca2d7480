//! `cargo xtask package`: archives, npm's and PyPI's packages and manifests, by the programs of `packaging/`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// What is built where no binary is named: the host's own. Elsewhere binaries are named.
const HOST: Option<&str> = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    Some("x86_64-unknown-linux-gnu")
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    Some("aarch64-apple-darwin")
} else if cfg!(all(target_os = "macos", target_arch = "x86_64")) {
    Some("x86_64-apple-darwin")
} else {
    None
};

/// Packs the binaries that are named (`--binary TARGET=PATH`), or the release build of this machine, and installs the packed files
/// into empty prefixes (Linux, x86_64).
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    if !has_python() {
        println!("package: skipped: there is no python3");
        return Ok(());
    }
    let out = workspace.target().join("packages");
    let mut pack = workspace.program("python3");
    pack.arg("packaging/package.py").arg("--out").arg(&out).args(arguments);
    let is_named = arguments.iter().any(|argument| argument.starts_with("--binary"));
    if !is_named {
        let Some(target) = HOST else {
            return Err(Error::Usage("name the binaries on this system: --binary TARGET=PATH".to_owned()));
        };
        run(&mut workspace.cargo(&["build", "--release", "-p", "hookshell"]))?;
        let binary: PathBuf = workspace.target().join("release/hookshell");
        pack.arg(format!("--binary={target}={}", binary.display()));
    }
    run(&mut pack)?;
    let installs = cfg!(all(target_os = "linux", target_arch = "x86_64"))
        && (!is_named || arguments.iter().any(|argument| argument.contains("x86_64-unknown-linux")));
    if installs { run(workspace.program("python3").arg("packaging/check.py").arg(&out)) } else { Ok(()) }
}

fn has_python() -> bool {
    let status = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// The crates as crates.io would get them. They are not compiled once more.
pub(crate) fn crates(workspace: &Workspace) -> Result<(), Error> {
    let mut command =
        workspace.cargo(&["package", "--workspace", "--no-verify", "--allow-dirty", "--offline", "--quiet"]);
    for ours in ["hookshell-test-support", "hookshell-tests", "hookshell-benches", "xtask"] {
        command.args(["--exclude", ours]);
    }
    run(&mut command)
}

/// The documentation's links, and the book's pages.
pub(crate) fn links(workspace: &Workspace) -> Result<(), Error> {
    if !has_python() {
        println!("links: skipped: there is no python3");
        return Ok(());
    }
    run(workspace.program("python3").arg("packaging/links.py"))
}

/// Lints the workflows and the action.
pub(crate) fn workflows(workspace: &Workspace) -> Result<(), Error> {
    if !has_python() {
        println!("workflows: skipped: there is no python3");
        return Ok(());
    }
    run(workspace.program("python3").arg("packaging/lint.py"))
}

/// The step of `ci`.
pub(crate) fn step(workspace: &Workspace) -> Result<(), Error> {
    if HOST.is_none() {
        println!("package: skipped: there is no release of this system's own");
        return Ok(());
    }
    command(workspace, &[])
}
