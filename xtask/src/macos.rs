//! `cargo xtask macos`: whether the code is right for macOS, as far as a compiler alone can tell on another system.

use crate::error::Error;
use crate::run::{capture, run};
use crate::workspace::Workspace;

/// What is compiled for.
const TARGET: &str = "x86_64-apple-darwin";
/// Everything but the command line, whose HTTP client has parts in C.
const PACKAGES: [&str; 7] = ["shebang", "syntax", "process", "regex", "shell", "utilities", "dispatch"];

/// Runs the command. Where the target's standard library is not installed it says so and passes.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = capture(workspace.program(rustc).args(["--print", "target-libdir", "--target", TARGET]))?;
    let directory = String::from_utf8_lossy(&output.stdout);
    if !std::path::Path::new(directory.trim()).is_dir() {
        println!("macos: not checked: rustup target add {TARGET} installs what is needed");
        return Ok(());
    }
    let mut command = workspace.cargo(&["clippy", "--target", TARGET, "-p", "hookshell-runner"]);
    for package in PACKAGES {
        command.args(["-p", &format!("hookshell-{package}")]);
    }
    run(command.args(["--", "-D", "warnings"]))
}
