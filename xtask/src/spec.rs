//! `cargo xtask spec`: the spec suite, by our interpreter or by real shells.
//!
//! The test binary `spec` of hookshell-tests does the work, so that xtask builds without the crates that it tests.

use std::path::Path;

use crate::debug_build;
use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// Runs the command. Without `--against` the cases are run in process.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let mut passed_on = Vec::new();
    let mut chooses = false;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--against" => {
                let name = rest.next().ok_or_else(|| Error::Usage("--against wants a shell".into()))?;
                if matches!(name.as_str(), "hookshell" | "hook") {
                    let binary = debug_build::program(workspace, "hookshell")?;
                    passed_on.extend(["--binary".to_owned(), binary.to_string_lossy().into_owned()]);
                }
                passed_on.extend([argument.clone(), name.clone()]);
                chooses = true;
            }
            "--record" => {
                let file = rest.next().ok_or_else(|| Error::Usage("--record wants a case file".into()))?;
                // The test binary runs in another directory; what is no path is an area's name.
                let file = std::path::absolute(file)
                    .ok()
                    .filter(|path| path.is_file())
                    .unwrap_or_else(|| Path::new(file).into());
                passed_on.extend([argument.clone(), file.to_string_lossy().into_owned()]);
                chooses = true;
            }
            "--index" | "--list" => {
                passed_on.push(argument.clone());
                chooses = true;
            }
            _ => passed_on.push(argument.clone()),
        }
    }
    if !chooses {
        passed_on.extend(["--against".to_owned(), "in-process".to_owned()]);
    }
    let mut command = workspace.cargo(&["test", "--quiet", "--package", "hookshell-tests", "--test", "spec", "--"]);
    run(command.args(passed_on))
}
