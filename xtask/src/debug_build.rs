//! The debug builds of the programs: the same files that `cargo test --workspace` has built.

use std::path::PathBuf;

use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// A small test of the workspace, of `hookshell-shebang`. Cargo counts the features that the tests' dependencies ask for where a test is
/// built along, and without one it compiles half of the workspace once more, for other features of `serde` and the like.
const A_TEST: &str = "env";

/// Builds a program of the workspace, and says where it is.
///
/// # Errors
/// It cannot be built.
pub(crate) fn program(workspace: &Workspace, name: &str) -> Result<PathBuf, Error> {
    run(&mut workspace.cargo(&["build", "--quiet", "--workspace", "--bin", name, "--test", A_TEST]))?;
    Ok(workspace.target().join("debug").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}
