//! The start of a command: as it was planned, and what a program is given.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use hookshell_process::{SpawnError, SpawnRequest, path_list, replace_process, script_path, text};
use hookshell_shell::{ExecError, ExecRequest, Started};

use super::ProgramExecutor;
use crate::plan::{Action, Plan, error_text};
use crate::platform::Platform;
use crate::route::Route;

/// What a start says besides its result.
#[derive(Default)]
pub(super) struct StartReport {
    /// Of a shell that was not found: where it was looked for, and what to do.
    pub(super) where_looked: Option<String>,
    /// What was started.
    pub(super) route: Option<Route>,
}

/// A program as it was planned.
struct Program {
    path: PathBuf,
    /// `argv[0]` included.
    argv: Vec<Vec<u8>>,
    /// What is set for it in its environment, by `env` in a `#!` line first.
    assignments: Vec<(Vec<u8>, Vec<u8>)>,
}

/// `PYTHONUTF8=1`: Python's UTF-8 mode (PEP 540).
const PYTHON_UTF8: &str = "PYTHONUTF8";

impl ProgramExecutor {
    /// Plans the command and starts what was planned.
    pub(super) fn try_start(&self, request: &ExecRequest<'_>, report: &mut StartReport) -> Result<Started, ExecError> {
        let argv: Vec<Vec<u8>> = request.argv.iter().map(<[u8]>::to_vec).collect();
        let mut planner = self.planner(request.env, request.path.to_vec(), request.cwd);
        let planned = planner.command(argv, request.argv0);
        report.where_looked = match (planner.findings.where_looked.take(), &planner.findings.not_in_process) {
            (Some(looked), Some(why)) => Some(format!("{looked}; {why}")),
            (looked, why) => looked.or_else(|| why.clone()),
        };
        let Plan { action, route } = planned?;
        let route = report.route.insert(route);
        if let Some(shell) = planner.shell_use(&action, request.argv.iter()) {
            self.note_shell(shell);
        }
        // As every shell of Unix: `_` is the program as it was found.
        let underscore = (request.set_underscore && self.platform == Platform::Unix)
            .then(|| std::mem::take(&mut planner.findings.found_as));
        for note in &planner.findings.notes {
            tracing::debug!(target: "hookshell::dispatch", "{note}");
        }
        match action {
            Action::Interpret(mut script) => {
                script.started_as = underscore.map(Into::into).unwrap_or_default();
                Ok(Started::Script(script))
            }
            Action::Start { program, argv, mut assignments } => {
                assignments.extend(underscore.map(|found_as| (b"_".to_vec(), found_as)));
                self.start_program(request, Program { path: program, argv, assignments }, route)
            }
        }
    }

    fn start_program(&self, request: &ExecRequest<'_>, program: Program, route: &Route) -> Result<Started, ExecError> {
        let passable = self.passable(request.env)?;
        let given = passable.as_deref().unwrap_or(request.env);
        tracing::debug!(target: "hookshell::dispatch", %route, "starts");
        let Program { path, argv, mut assignments } = program;
        let argv = self.arguments(request, argv);
        self.assign_for_windows(request, &mut assignments);
        let env = self.with_assignments(given, assignments);
        let files = request.descriptors.make()?;
        let fds: Vec<(u32, &File)> = files.iter().map(|(fd, file)| (*fd, &**file)).collect();
        let spawn = SpawnRequest {
            program: &path,
            argv: &argv,
            env: &env,
            cwd: request.cwd,
            fds: inheritable(&fds),
            umask: request.umask,
            close_missing: true,
            ignored_signals: request.ignored_signals,
            limits: request.limits,
        };
        if let Some(guard) = &self.guard {
            guard.before_start(&path).map_err(ExecError::Refused)?;
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
                self.has_refused.store(true, Ordering::Release);
                Err(ExecError::Refused(refusal.clone()))
            }
            None => Ok(Some(env.iter().filter(|(name, _)| !is_unpassable(name)).cloned().collect())),
        }
    }

    /// The arguments of a program: on Windows with paths as Git Bash gives them, where that is wanted.
    fn arguments(&self, request: &ExecRequest<'_>, mut argv: Vec<Vec<u8>>) -> Vec<OsString> {
        if self.converts_arguments && self.platform == Platform::Windows {
            let variable =
                |name: &str| self.platform.variable(request.env, name).map(|value| text::from_os(value).into_owned());
            let arguments = argv.get_mut(1..).unwrap_or_default();
            script_path::convert_arguments(arguments, request.cwd, variable, || self.temp_dir(request));
        }
        argv.into_iter().map(text::into_os).collect()
    }

    /// What programs on Windows need in their environment.
    fn assign_for_windows(&self, request: &ExecRequest<'_>, assignments: &mut Vec<(Vec<u8>, Vec<u8>)>) {
        if self.platform != Platform::Windows {
            return;
        }
        // Python would use the code page of the system for its streams.
        if self.platform.variable(request.env, PYTHON_UTF8).is_none() {
            assignments.push((PYTHON_UTF8.as_bytes().to_vec(), b"1".to_vec()));
        }
        if let Some(list) = self.platform.variable(request.env, "PATH")
            && let Some(list) = path_list::for_programs(list, request.cwd, || self.temp_dir(request))
        {
            assignments.push((b"PATH".to_vec(), text::from_os(&list).into_owned()));
        }
    }

    /// What `/tmp` is on Windows.
    fn temp_dir(&self, request: &ExecRequest<'_>) -> PathBuf {
        script_path::temp_dir(|name| self.platform.variable(request.env, name).map(PathBuf::from))
    }

    fn with_assignments<'e>(
        &self,
        env: &'e [(OsString, OsString)],
        assignments: Vec<(Vec<u8>, Vec<u8>)>,
    ) -> Cow<'e, [(OsString, OsString)]> {
        if assignments.is_empty() {
            return Cow::Borrowed(env);
        }
        let mut env = env.to_vec();
        for (name, value) in assignments {
            let (name, value) = (text::into_os(name), text::into_os(value));
            let known = env.iter_mut().find(|(key, _)| self.platform.is_same_name(key, &name));
            match known {
                Some((_, old)) => *old = value,
                None => env.push((name, value)),
            }
        }
        Cow::Owned(env)
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
