//! Programs that a hook runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{Dispatcher, Environment, Invocation, Output};

use crate::interpret::failure;
use crate::outcome::Failure;
use crate::work::{Execute, Running, plain};

/// What a program gave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExecResult {
    /// Its exit code.
    pub code: u8,
    /// What it wrote to standard output; what is not UTF-8 is U+FFFD.
    pub stdout: String,
    /// Likewise to standard error.
    pub stderr: String,
}

impl ExecResult {
    /// Did it exit with 0?
    pub fn success(&self) -> bool {
        self.code == 0
    }
}

/// The longest that a program runs where the hook sets nothing: the hook's own timeout ends it before.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// How a hook's programs are run.
#[derive(Clone)]
pub(super) struct Programs {
    pub(super) executor: Arc<dyn Execute>,
    pub(super) env: Environment,
    pub(super) grace: Duration,
    pub(super) output_limit: usize,
}

impl Programs {
    /// With the process's environment: where a context was made without a runner.
    pub(super) fn of_process() -> Self {
        Self {
            executor: Arc::new(Dispatcher::new()),
            env: Environment::of_process(),
            grace: Duration::from_secs(2),
            output_limit: 1024 * 1024,
        }
    }

    /// Runs a program. Dropping the future ends it and its children.
    pub(super) async fn run(
        self,
        command: &str,
        cwd: PathBuf,
        timeout: Option<Duration>,
    ) -> Result<ExecResult, Failure> {
        let timeout = timeout.unwrap_or(LONGEST).min(LONGEST);
        let invocation = Invocation {
            timeout: Some(timeout),
            grace: self.grace,
            output: Output::Capture { limit: self.output_limit },
            ..plain(command, cwd, self.env)
        };
        let (sender, ended) = tokio::sync::oneshot::channel();
        let handle = self.executor.start(
            invocation,
            Box::new(move |outcome| {
                // Nobody waits where the hook was dropped.
                let _ = sender.send(outcome);
            }),
        );
        let cancel = CancelOnDrop(Some(handle));
        let Ok(outcome) = ended.await else {
            return Err(Failure::Panicked);
        };
        cancel.forget();
        match failure(&outcome.end, timeout) {
            Some(failure) => Err(failure),
            None => Ok(ExecResult {
                code: outcome.status,
                stdout: String::from_utf8_lossy(&outcome.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&outcome.stderr).into_owned(),
            }),
        }
    }
}

struct CancelOnDrop(Option<Box<dyn Running>>);

impl CancelOnDrop {
    /// It has ended by itself.
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(handle) = &self.0 {
            handle.cancel();
        }
    }
}
