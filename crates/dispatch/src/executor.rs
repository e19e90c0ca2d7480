//! The shell's exec seam: resolves, probes and starts.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use hookshell_process::sync::lock;
use hookshell_process::{SpawnError, SpawnRequest, path_list, replace_process, script_path, text};
use hookshell_shell::{ExecError, ExecRequest, Executor, Limits, MissingShell, Script, ShellScripts, Started};
use hookshell_syntax::Dialect;

use crate::code_guard::CodeGuard;
use crate::foreign::unknown_command_hint;
use crate::invocation::UnpassableVariables;
use crate::plan::{Action, Plan, Planner, error_text};
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
    has_withheld: AtomicBool,
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

/// What a start says besides its result.
#[derive(Default)]
struct StartReport {
    /// Of a shell that was not found: where it was looked for, and what to do.
    where_looked: Option<String>,
    /// What was started.
    route: Option<Route>,
}

/// `PYTHONUTF8=1`: Python's UTF-8 mode (PEP 540).
const PYTHON_UTF8: &str = "PYTHONUTF8";

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
            has_withheld: AtomicBool::new(false),
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
        refusal.filter(|_| self.has_withheld.load(Ordering::Acquire))
    }

    /// The environment without what no program can be given, where it still has any of that; or the refusal.
    fn passable(&self, env: &[(OsString, OsString)]) -> Result<Option<Vec<(OsString, OsString)>>, ExecError> {
        let Some(unpassable) = &self.unpassable else { return Ok(None) };
        let is_unpassable =
            |name: &OsString| unpassable.names.iter().any(|other| self.platform.is_same_name(name, other));
        if !env.iter().any(|(name, _)| is_unpassable(name)) {
            return Ok(None);
        }
        match &unpassable.refusal {
            Some(refusal) => {
                self.has_withheld.store(true, Ordering::Release);
                Err(ExecError::Refused(refusal.clone()))
            }
            None => Ok(Some(env.iter().filter(|(name, _)| !is_unpassable(name)).cloned().collect())),
        }
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
            found_as: Vec::new(),
            where_looked: None,
            in_process: None,
            not_in_process: None,
            notes: Vec::new(),
        }
    }

    fn try_start(&self, request: &ExecRequest<'_>, report: &mut StartReport) -> Result<Started, ExecError> {
        let argv: Vec<Vec<u8>> = request.argv.iter().map(<[u8]>::to_vec).collect();
        let mut planner = self.planner(request.env, request.path.to_vec(), request.cwd);
        let planned = planner.command(argv, request.argv0);
        report.where_looked = match (planner.where_looked.take(), &planner.not_in_process) {
            (Some(looked), Some(why)) => Some(format!("{looked}; {why}")),
            (looked, why) => looked.or_else(|| why.clone()),
        };
        let Plan { action, route } = planned?;
        let route = report.route.insert(route);
        if let Some(shell) = planner.shell_use(&action, request.argv.iter()) {
            self.note_shell(shell);
        }
        let found_as = std::mem::take(&mut planner.found_as);
        for note in &planner.notes {
            tracing::debug!(target: "hookshell::dispatch", "{note}");
        }
        let (program, argv, mut assignments) = match action {
            Action::Interpret(script) => {
                let started_as = if request.set_underscore && self.platform == Platform::Unix {
                    found_as.into()
                } else {
                    Box::default()
                };
                return Ok(Started::Script(Script { started_as, ..script }));
            }
            Action::Start { program, argv, assignments } => (program, argv, assignments),
        };
        let passable = self.passable(request.env)?;
        let given = passable.as_deref().unwrap_or(request.env);
        tracing::debug!(target: "hookshell::dispatch", %route, "starts");
        let mut argv = argv;
        if self.converts_arguments && self.platform == Platform::Windows {
            let variable =
                |name: &str| self.platform.variable(request.env, name).map(|value| text::from_os(value).into_owned());
            let temp = || script_path::temp_dir(|name| self.platform.variable(request.env, name).map(PathBuf::from));
            script_path::convert_arguments(argv.get_mut(1..).unwrap_or_default(), request.cwd, variable, temp);
        }
        let argv: Vec<OsString> = argv.into_iter().map(text::into_os).collect();
        // As every shell of Unix: `_` is the program as it was found.
        if request.set_underscore && self.platform == Platform::Unix {
            assignments.push((b"_".to_vec(), found_as));
        }
        // Python would use the code page of the system for its streams.
        if self.platform == Platform::Windows && self.platform.variable(request.env, PYTHON_UTF8).is_none() {
            assignments.push((PYTHON_UTF8.as_bytes().to_vec(), b"1".to_vec()));
        }
        if self.platform == Platform::Windows
            && let Some(list) = self.platform.variable(request.env, "PATH")
            && let Some(list) = path_list::for_programs(list, request.cwd, || {
                script_path::temp_dir(|name| self.platform.variable(request.env, name).map(PathBuf::from))
            })
        {
            assignments.push((b"PATH".to_vec(), text::from_os(&list).into_owned()));
        }
        let changed;
        let env: &[(OsString, OsString)] = if assignments.is_empty() {
            given
        } else {
            changed = self.with_assignments(given, assignments);
            &changed
        };
        let spawn = SpawnRequest {
            program: &program,
            argv: &argv,
            env,
            cwd: request.cwd,
            fds: inheritable(request.fds),
            umask: request.umask,
            close_missing: true,
            ignored_signals: request.ignored_signals,
            limits: request.limits,
        };
        if let Some(guard) = &self.guard {
            guard.before_start(&program).map_err(ExecError::Refused)?;
        }
        if request.replace {
            let error = replace_process(&spawn);
            let unsupported = matches!(
                &error,
                SpawnError::Os(error) if error.kind() == std::io::ErrorKind::Unsupported
            );
            if !unsupported {
                return Err(spawn_failure(error));
            }
        }
        let child = request.tree.spawn(&spawn).map_err(spawn_failure)?;
        if let Some(Err(reason)) = self.guard.as_ref().map(|guard| guard.after_start()) {
            // Nothing of the run counts any more, and nothing more of it is started: no process of it is to continue either.
            request.tree.kill();
            return Err(ExecError::Refused(reason));
        }
        Ok(Started::Process(child))
    }

    fn with_assignments(
        &self,
        env: &[(OsString, OsString)],
        assignments: Vec<(Vec<u8>, Vec<u8>)>,
    ) -> Vec<(OsString, OsString)> {
        let mut env = env.to_vec();
        for (name, value) in assignments {
            let (name, value) = (text::into_os(name), text::into_os(value));
            let known = env.iter_mut().find(|(key, _)| self.platform.is_same_name(key, &name));
            match known {
                Some((_, old)) => *old = value,
                None => env.push((name, value)),
            }
        }
        env
    }

    fn search<'a>(&'a self, path: &'a std::ffi::OsStr, cwd: &'a Path) -> Search<'a> {
        Search { platform: self.platform, path, env: &self.env, cwd }
    }
}

/// The descriptors that a child can be given: on Windows a program has the standard three and no others, and the rest
/// stay the script's own.
fn inheritable<'a, 'f>(fds: &'a [(u32, &'f File)]) -> &'a [(u32, &'f File)] {
    if cfg!(windows) {
        let standard = fds.iter().take_while(|(fd, _)| *fd <= 2).count();
        return fds.get(..standard).unwrap_or(fds);
    }
    fds
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
            has_withheld: AtomicBool::new(false),
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

fn spawn_failure(error: SpawnError) -> ExecError {
    match error {
        SpawnError::NotFound => ExecError::NoSuchFile,
        SpawnError::PermissionDenied => ExecError::PermissionDenied,
        SpawnError::IsDirectory => ExecError::IsDirectory,
        SpawnError::ExecFormat => {
            ExecError::NotExecutable("Exec format error: it is no program for this system".into())
        }
        SpawnError::TooLong { .. } => ExecError::TooLong(error.to_string()),
        SpawnError::Cwd { path, source } => ExecError::WorkingDirectory { path, reason: error_text(&source) },
        SpawnError::Os(error) => ExecError::Os(error_text(&error)),
        SpawnError::Nul { .. }
        | SpawnError::UnsafeBatchArgument { .. }
        | SpawnError::UnsupportedFd(_)
        | SpawnError::Ended => ExecError::Refused(error.to_string()),
        _ => ExecError::Os(error.to_string()),
    }
}
