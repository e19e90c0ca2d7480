//! `cargo xtask macos`: whether the code is right for macOS, as far as a compiler alone can tell on another system.

use crate::cross::{self, What};
use crate::error::Error;
use crate::workspace::Workspace;

/// What is compiled for. x86_64 has the same system calls and the same `cfg`s but for the architecture.
const TARGET: &str = "aarch64-apple-darwin";

/// Runs the command and the step of `ci`. On macOS itself the step `clippy` has done it.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    if cfg!(target_os = "macos") {
        return Ok(());
    }
    cross::check(workspace, TARGET, What::Products)
}
