//! The shell's exec seam: resolves, probes and starts.

mod start;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use hookshell_process::sync::lock;
use hookshell_process::text;
use hookshell_shell::{ExecError, ExecRequest, Executor, Limits, MissingShell, ShellScripts, Started};
use hookshell_syntax::Dialect;

use self::start::StartReport;
use crate::code_guard::CodeGuard;
use crate::foreign::unknown_command_hint;
use crate::invocation::UnpassableVariables;
use crate::plan::{Findings, Planner};
use crate::platform::Platform;
use crate::probe::Prober;
use crate::programs::ScriptReader;
use crate::resolve::Search;
use crate::route::Route;
use crate::shells::ShellUse;
use crate::start_failure::StartFailure;

/// Starts programs and scripts the same way on every system: PATH and PATHEXT of the invocation, `#!` lines read in
/// userland, shell source handed to the interpreter.
///
/// On Unix the arguments are byte for byte those that the kernel gives. Documented differences: `env` options other
/// than `-S` in a `#!` line are an error; an interpreter's path that does not exist is looked up by its base name on
/// PATH; a script that is named by a path needs no x bit (what is found on PATH has one); a file without a `#!` line is
/// run by the in-process shell and not by `/bin/sh`.
#[derive(Debug)]
pub struct ProgramExecutor {
    platform: Platform,
    missing_shell: MissingShell,
    shell_scripts: ShellScripts,
    scripts: ScriptReader,
    prober: Arc<Prober>,
    /// Which shells have run something.
    shells: Mutex<Vec<ShellUse>>,
    /// A script named by a path needs its x bit.
    needs_execute_bit: bool,
    /// Programs get paths as Git Bash would give them.
    converts_arguments: bool,
    /// The run's environment at its begin, which look-ups without a command have (`command -v`).
    env: Arc<Vec<(OsString, OsString)>>,
    last_failure: Mutex<Option<StartFailure>>,
    unpassable: Option<UnpassableVariables>,
    /// Was a program refused for that?
    has_refused: AtomicBool,
    guard: Option<Arc<dyn CodeGuard>>,
    /// The file that the run's command names, where it is one file and its arguments.
    command: OnceLock<FileCommand>,
    /// Where that has gone.
    route: OnceLock<Route>,
}

/// What a command's start is known by.
#[derive(Debug)]
struct FileCommand {
    /// Its `argv[0]`.
    name: Vec<u8>,
    /// The working directory: a substitution among its arguments may start a file of the same name in another one.
    cwd: PathBuf,
}

impl ProgramExecutor {
    /// An executor for one run.
    pub fn new(platform: Platform, missing_shell: MissingShell) -> Self {
        Self::with_prober(platform, missing_shell, Arc::default())
    }

    /// An executor for one run; `prober` is shared by all runs of a session.
    pub(crate) fn with_prober(platform: Platform, missing_shell: MissingShell, prober: Arc<Prober>) -> Self {
        Self {
            platform,
            missing_shell,
            shell_scripts: ShellScripts::default(),
            scripts: ScriptReader { cache: Arc::default(), limits: Limits::default(), dialect: Dialect::default() },
            prober,
            shells: Mutex::default(),
            needs_execute_bit: false,
            converts_arguments: false,
            env: Arc::default(),
            last_failure: Mutex::new(None),
            unpassable: None,
            has_refused: AtomicBool::new(false),
            guard: None,
            command: OnceLock::new(),
            route: OnceLock::new(),
        }
    }

    /// The run's command is this file and its arguments: the first start of it is [the run's route](Self::route).
    pub(crate) fn expect_file(&self, name: Vec<u8>, cwd: PathBuf) {
        let _ = self.command.set(FileCommand { name, cwd });
    }

    /// Where the file that was expected has gone; `None` if it was not started.
    pub(crate) fn route(&self) -> Option<&Route> {
        self.route.get()
    }

    /// What runs scripts for a shell, and how their source is read.
    #[must_use]
    pub(crate) fn running_shell_scripts(mut self, shell_scripts: ShellScripts, scripts: ScriptReader) -> Self {
        self.shell_scripts = shell_scripts;
        self.scripts = scripts;
        self
    }

    /// Which shells have run something, and why: each once, and not very many.
    pub(crate) fn shells(&self) -> Vec<ShellUse> {
        lock(&self.shells).clone()
    }

    fn note_shell(&self, shell: ShellUse) {
        /// A script that starts others in a loop says nothing new.
        const MOST: usize = 32;
        let mut shells = lock(&self.shells);
        if shells.len() < MOST && !shells.contains(&shell) {
            shells.push(shell);
        }
    }

    /// Who watches over the files that the run takes code from.
    #[must_use]
    pub(crate) fn guarded(mut self, guard: Option<Arc<dyn CodeGuard>>) -> Self {
        self.guard = guard;
        self
    }

    /// What the guard has refused, if anything.
    pub(crate) fn changed(&self) -> Option<String> {
        self.guard.as_ref()?.refusal()
    }

    /// The variables that no program can be given as they are.
    #[must_use]
    pub(crate) fn with_unpassable(mut self, unpassable: Option<UnpassableVariables>) -> Self {
        self.unpassable = unpassable;
        self
    }

    /// Why a program was refused because of a variable that it could not be given, if one was.
    pub(crate) fn refusal(&self) -> Option<&str> {
        let refusal = self.unpassable.as_ref()?.refusal.as_deref();
        refusal.filter(|_| self.has_refused.load(Ordering::Acquire))
    }

    /// The run's environment: on Windows it has PATHEXT, and the directories that programs are usually installed in.
    #[must_use]
    pub fn with_environment(mut self, env: Arc<Vec<(OsString, OsString)>>) -> Self {
        self.env = env;
        self
    }

    /// A script that is named by a path must have its x bit, as in any shell (`hookshell sh`). A hook's own script is run
    /// without it all the same: it may come from a checkout that does not keep modes.
    #[must_use]
    pub fn needing_execute_bit(mut self) -> Self {
        self.needs_execute_bit = true;
        self
    }

    /// On Windows, gives programs the paths in their arguments as Git Bash would (`C:/x` for `/c/x`): for the shell that stands in its
    /// place.
    #[must_use]
    pub fn converting_arguments(mut self) -> Self {
        self.converts_arguments = true;
        self
    }

    /// Why the last program that was asked for was not started; `None` when it was.
    pub(crate) fn last_failure(&self) -> Option<StartFailure> {
        lock(&self.last_failure).clone()
    }

    pub(crate) fn planner<'a>(&'a self, env: &'a [(OsString, OsString)], path: Vec<u8>, cwd: &'a Path) -> Planner<'a> {
        Planner {
            platform: self.platform,
            missing_shell: self.missing_shell,
            shell_scripts: self.shell_scripts,
            scripts: &self.scripts,
            prober: &self.prober,
            guard: self.guard.as_deref(),
            needs_execute_bit: self.needs_execute_bit,
            env,
            path,
            cwd,
            findings: Findings::default(),
        }
    }

    fn search<'a>(&'a self, path: &'a std::ffi::OsStr, cwd: &'a Path) -> Search<'a> {
        Search { platform: self.platform, path, env: &self.env, cwd }
    }
}

impl Executor for ProgramExecutor {
    fn start(&self, request: &ExecRequest<'_>) -> Result<Started, ExecError> {
        let mut report = StartReport::default();
        let started = self.try_start(request, &mut report);
        if let Some(command) = self.command.get()
            && command.name == request.argv[0]
            && command.cwd == request.cwd
        {
            // A later one of the same name is another command's.
            let _ = self.route.set(match (&started, report.route) {
                (Ok(_), Some(route)) => route,
                (Err(error), _) => Route::NotStartable { reason: error.to_string() },
                (Ok(_), None) => Route::Shell,
            });
        }
        *lock(&self.last_failure) = started.as_ref().err().map(|error| {
            let failure = StartFailure::new(&request.argv[0], error);
            let hint = || match error {
                ExecError::CommandNotFound => unknown_command_hint(&failure.command, request.cwd),
                _ => None,
            };
            let message = match report.where_looked {
                Some(where_looked) => format!("{}: {where_looked}", failure.message),
                None => match hint() {
                    Some(hint) => format!("{} ({hint})", failure.message),
                    None => return failure,
                },
            };
            StartFailure { message, ..failure }
        });
        started
    }

    fn for_copy(&self) -> Option<Arc<dyn Executor>> {
        Some(Arc::new(Self {
            prober: Arc::default(),
            shells: Mutex::default(),
            scripts: ScriptReader { cache: Arc::default(), ..self.scripts.clone() },
            last_failure: Mutex::new(None),
            has_refused: AtomicBool::new(false),
            env: self.env.clone(),
            unpassable: self.unpassable.clone(),
            guard: self.guard.as_ref().map(|guard| guard.for_copy()),
            command: OnceLock::new(),
            route: OnceLock::new(),
            ..*self
        }))
    }

    fn may_run(&self, path: &Path, contents: &[u8]) -> Result<(), String> {
        self.guard.as_ref().map_or(Ok(()), |guard| guard.check(path, contents))
    }

    fn failed(&self, name: &[u8], error: &ExecError) {
        *lock(&self.last_failure) = Some(StartFailure::new(name, error));
    }

    fn find(&self, name: &[u8], path: &[u8], cwd: &Path) -> Option<PathBuf> {
        let path = text::to_os(path);
        let found = self.search(&path, cwd).program(name).ok()?.path;
        is_startable(self.platform, &found).then_some(found)
    }

    fn find_all(&self, name: &[u8], path: &[u8], cwd: &Path) -> Vec<PathBuf> {
        let path = text::to_os(path);
        let mut found = self.search(&path, cwd).all(name);
        found.retain(|path| is_startable(self.platform, path));
        found
    }
}

/// What `command -v` calls a command: on Unix, as every shell, an executable file.
fn is_startable(platform: Platform, path: &Path) -> bool {
    let is_file = path.is_file();
    #[cfg(unix)]
    if platform == Platform::Unix {
        return is_file && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    }
    let _ = platform;
    is_file
}
