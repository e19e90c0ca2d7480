//! Utilities that run in process.

use std::path::Path;
use std::sync::Arc;

use crate::args::Args;
use crate::cancel::CancelToken;
use crate::seam::Environment;
use crate::stream::Stream;

/// A utility that is a program elsewhere (`cat`, `head`, `jq`) and a function here.
///
/// It takes everything from its context and nothing from the process: no working directory, environment, standard
/// stream, umask or signal handler of the host.
pub trait Utility: Send + Sync {
    /// The name it is called by.
    fn name(&self) -> &'static str;

    /// Would it do exactly what the real program does with these words? It is asked before anything is read; when it
    /// says no, the program on PATH runs.
    fn accepts(&self, argv: &Args) -> bool;

    /// Runs it and gives its exit status.
    ///
    /// # Errors
    /// A write into a closed pipe or a cancelled run ends it: the interpreter makes a status of that.
    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped>;
}

/// Why a utility ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The reader of its output is gone: as if SIGPIPE had ended it (status 141).
    BrokenPipe,
    /// The run was cancelled.
    Cancelled,
}

/// What a utility works with.
pub struct UtilityContext<'a> {
    /// Its words; the first is the name.
    pub argv: &'a Args,
    /// The exported environment.
    pub env: &'a Environment,
    /// The working directory: relative paths are joined to it.
    pub cwd: &'a Path,
    /// Standard input; `None` when it is closed.
    pub stdin: Option<Arc<Stream>>,
    /// Standard output; `None` when it is closed.
    pub stdout: Option<Arc<Stream>>,
    /// Standard error; `None` when it is closed.
    pub stderr: Option<Arc<Stream>>,
    /// The file mode creation mask, where the script has set one; `None`: the host's.
    pub umask: Option<u32>,
    /// Checked in every loop; blocking calls are made through its interrupt.
    pub cancel: &'a CancelToken,
}

impl UtilityContext<'_> {
    /// The value of an environment variable.
    pub fn variable(&self, name: &str) -> Option<&std::ffi::OsStr> {
        self.env.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_os_str())
    }
}

/// The utilities that an interpreter has.
pub trait UtilitySet: Send + Sync {
    /// The utility of this name.
    fn utility(&self, name: &[u8]) -> Option<&dyn Utility>;
}

/// No utilities at all.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoUtilities;

impl UtilitySet for NoUtilities {
    fn utility(&self, _: &[u8]) -> Option<&dyn Utility> {
        None
    }
}
