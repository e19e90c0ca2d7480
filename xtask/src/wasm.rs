//! `cargo xtask wasm`: whether the hook contract builds where there is no operating system, for an agent in a browser or a plugin
//! in a sandbox.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cross::{self, What};
use crate::error::Error;
use crate::workspace::Workspace;

/// What is compiled for.
const TARGET: &str = "wasm32-unknown-unknown";

/// The crate that builds there.
const PACKAGE: &str = "hookshell-contract";

/// Where its sources are.
const SOURCES: &str = "crates/contract/src";

/// What asks an operating system. The target's standard library has all of it, so it compiles; there it fails or panics when it is
/// called.
const OF_SYSTEM: [&str; 10] = [
    "std::env",
    "std::fs",
    "std::io::std",
    "std::net",
    "std::os",
    "std::path::absolute",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
];

/// Runs the command and the step of `ci`.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Error> {
    let mut faults = Vec::new();
    look(&workspace.root().join(SOURCES), &mut faults)?;
    if !faults.is_empty() {
        return Err(Error::Unexpected(format!("{PACKAGE} asks the operating system:\n{}", faults.join("\n"))));
    }
    cross::check(workspace, TARGET, What::Package(PACKAGE))
}

/// Collects the lines that ask an operating system.
fn look(directory: &Path, faults: &mut Vec<String>) -> Result<(), Error> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::File { path, source }
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed(directory))? {
        paths.push(entry.map_err(failed(directory))?.path());
    }
    paths.sort();
    for path in paths {
        // Tests run on the developer's system.
        if path.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("tests")) {
            continue;
        }
        if path.is_dir() {
            look(&path, faults)?;
            continue;
        }
        let text = fs::read_to_string(&path).map_err(failed(&path))?;
        faults.extend(asking(&text).map(|(line, text)| format!("  {}:{line}: {text}", path.display())));
    }
    Ok(())
}

/// The lines of a source that ask an operating system, counted from 1. Comments do not count, whose examples run on one, and neither
/// do the tests at its end.
fn asking(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = text.split_once("#[cfg(test)]").map_or(text, |(code, _)| code);
    let lines = code.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines.filter(|(_, line)| !line.starts_with("//") && OF_SYSTEM.iter().any(|what| line.contains(what)))
}

#[cfg(test)]
mod tests {
    use super::asking;

    #[test]
    fn a_call_of_the_system_is_found_outside_of_comments() {
        let text = "/// std::env::temp_dir()\nuse std::time::Duration;\nlet here = std::env::current_dir();\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        assert_eq!(asking(text).collect::<Vec<_>>(), [(3, "let here = std::env::current_dir();")]);
    }
}
