//! Starting the test helper.
#![allow(dead_code, clippy::unwrap_used, reason = "each test program uses a part of it")]

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookshell_process::{Child, ProcessTree, SpawnError, SpawnRequest, pipe};

/// The helper program.
pub(crate) const HELPER: &str = env!("CARGO_BIN_EXE_hookshell-process-test-helper");

/// A request that owns its parts.
pub(crate) struct Start {
    pub(crate) program: PathBuf,
    pub(crate) argv: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: PathBuf,
    pub(crate) umask: Option<u32>,
    pub(crate) close_missing: bool,
    pub(crate) ignored_signals: u64,
}

impl Start {
    /// The helper with these arguments, in the temp directory, with the smallest environment that works everywhere.
    pub(crate) fn helper(arguments: &[&str]) -> Self {
        let mut argv = vec![OsString::from("helper")];
        argv.extend(arguments.iter().map(OsString::from));
        let env = match std::env::var_os("SystemRoot") {
            Some(root) if cfg!(windows) => vec![("SystemRoot".into(), root)],
            _ => Vec::new(),
        };
        Self {
            program: HELPER.into(),
            argv,
            env,
            cwd: std::env::temp_dir(),
            umask: None,
            close_missing: false,
            ignored_signals: 0,
        }
    }

    pub(crate) fn spawn(&self, tree: &ProcessTree, fds: &[(u32, &File)]) -> Result<Arc<Child>, SpawnError> {
        tree.spawn(&SpawnRequest {
            program: &self.program,
            argv: &self.argv,
            env: &self.env,
            cwd: &self.cwd,
            fds,
            umask: self.umask,
            close_missing: self.close_missing,
            ignored_signals: self.ignored_signals,
            limits: &[],
        })
    }

    /// Runs to the end; its standard output, without carriage returns.
    pub(crate) fn output(&self) -> String {
        self.output_with(&[])
    }

    /// Likewise, with more descriptors.
    pub(crate) fn output_with(&self, fds: &[(u32, &File)]) -> String {
        let tree = ProcessTree::isolated();
        let (mut reader, writer) = pipe().unwrap();
        let mut all = vec![(1, &writer), (2, &writer)];
        all.extend_from_slice(fds);
        let child = self.spawn(&tree, &all).unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert!(child.wait().unwrap().success(), "{text}");
        text.replace('\r', "")
    }
}

/// How many ticks a ticking helper has written.
pub(crate) fn ticks(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |metadata| metadata.len())
}

/// Whether a ticking helper has stopped: its last tick is older than fifteen of its periods.
pub(crate) fn stopped(file: &Path) -> bool {
    let before = ticks(file);
    std::thread::sleep(Duration::from_millis(300));
    ticks(file) == before
}
