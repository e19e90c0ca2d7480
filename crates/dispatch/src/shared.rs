//! What the runs of a dispatcher share: its settings, the pool, the caches, and the counts of what runs.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use hookshell_process::{script_path, text};
use hookshell_shell::{Executor, FIRST_VIRTUAL_ID, Limits, MissingShell, Pool, ShellScripts, UtilitySet};
use hookshell_syntax::Program;

use crate::deadlines::Deadlines;
use crate::executor::ProgramExecutor;
use crate::file_command::{self, OneCommand};
use crate::host_thread::HostThread;
use crate::invocation::{Command, Invocation};
use crate::plan::Planner;
use crate::platform::Platform;
use crate::probe::Prober;
use crate::programs::{ProgramCache, ScriptReader};
use crate::resolve::Search;

/// A layer over the executor: policy, or a test's seam.
pub type ExecutorLayer = Arc<dyn Fn(Arc<dyn Executor>) -> Arc<dyn Executor> + Send + Sync>;

/// What the runs of a dispatcher share.
pub(crate) struct Shared {
    pub(crate) platform: Platform,
    pub(crate) missing_shell: MissingShell,
    pub(crate) shell_scripts: ShellScripts,
    pub(crate) utilities: Arc<dyn UtilitySet>,
    pub(crate) limits: Limits,
    pub(crate) pool: Pool,
    pub(crate) host_thread: HostThread,
    pub(crate) layer: Option<ExecutorLayer>,
    pub(crate) prober: Arc<Prober>,
    pub(crate) programs: Arc<ProgramCache>,
    pub(crate) abandoned: Arc<AtomicUsize>,
    pub(crate) deadlines: Arc<Deadlines>,
    /// Runs that have ended and have background lists going on.
    pub(crate) background: AtomicUsize,
    /// Runs that were started and have not ended.
    pub(crate) running: Arc<AtomicUsize>,
    pub(crate) next_id: AtomicU32,
    /// Background lists are copies of this process.
    pub(crate) copies_process: bool,
}

impl Shared {
    /// A new virtual process id.
    pub(crate) fn next_id(&self) -> u32 {
        let offset = self.next_id.fetch_add(1, Ordering::Relaxed) & 0x3fff_ffff;
        FIRST_VIRTUAL_ID + offset
    }

    /// The executor of one run.
    pub(crate) fn executor(&self, invocation: &Invocation) -> Arc<ProgramExecutor> {
        let missing_shell = invocation.missing_shell.unwrap_or(self.missing_shell);
        let shell_scripts = invocation.shell_scripts.unwrap_or(self.shell_scripts);
        let programs = ScriptReader { cache: self.programs.clone(), limits: self.limits, dialect: invocation.dialect };
        let executor = ProgramExecutor::with_prober(self.platform, missing_shell, self.prober.clone())
            .running_shell_scripts(shell_scripts, programs)
            .with_unpassable(invocation.unpassable.clone())
            .guarded(invocation.guard.clone());
        Arc::new(match self.platform {
            Platform::Windows => executor.with_environment(Arc::new(invocation.whole_env().into_owned())),
            // There it plays no part in look-ups.
            Platform::Unix => executor,
        })
    }

    /// The text of a command string as the parser gets it.
    pub(crate) fn source(&self, source: &Arc<[u8]>) -> Arc<[u8]> {
        match self.platform.protect_first_word(source) {
            std::borrow::Cow::Borrowed(_) => source.clone(),
            std::borrow::Cow::Owned(protected) => protected.into(),
        }
    }

    /// The words of a [`Command::File`].
    pub(crate) fn file_words(&self, invocation: &Invocation) -> Option<Vec<Vec<u8>>> {
        let Command::File { path, args } = &invocation.command else {
            return None;
        };
        let args = args.iter().map(|arg| arg.to_vec());
        Some(std::iter::once(self.file_word(path)).chain(args).collect())
    }

    /// The path of a [`Command::File`] as the shell gets it: one without a separator would be looked for in PATH.
    fn file_word(&self, path: &[u8]) -> Vec<u8> {
        if self.platform.has_separator(path) { path.to_vec() } else { [b"./", path].concat() }
    }

    /// As [`crate::Dispatcher::has_command`].
    pub(crate) fn has_command(&self, name: &[u8]) -> bool {
        let name = match self.platform {
            Platform::Windows => script_path::unix_program(name).unwrap_or(name),
            Platform::Unix => name,
        };
        hookshell_shell::is_builtin(name) || self.utilities.utility(name).is_some()
    }

    /// Is it a script's own path of a program (`/usr/bin/env`) that leads nowhere on Windows, and a command of ours?
    pub(crate) fn is_own_program(&self, name: &[u8], env: &[(OsString, OsString)], cwd: &Path) -> bool {
        let platform = self.platform;
        let is_there = || Search { platform, path: platform.search_path(env), env, cwd }.absolute(name).exists();
        platform == Platform::Windows
            && script_path::unix_program(name).is_some()
            && self.has_command(name)
            && !is_there()
    }

    /// The file that the command names, where it is one file and its arguments. `program` is what was parsed of it.
    pub(crate) fn file_name(&self, invocation: &Invocation, program: &Program) -> Option<Vec<u8>> {
        match &invocation.command {
            Command::File { path, .. } => Some(self.file_word(path)),
            Command::Source(_) => {
                file_command::path_like_name(program, self.platform, self.home(invocation).as_deref())
            }
        }
    }

    pub(crate) fn one_command(&self, invocation: &Invocation) -> Option<OneCommand> {
        let Command::Source(source) = &invocation.command else {
            return None;
        };
        let program = self.programs.parse(&self.source(source), invocation.dialect, &self.limits, &|| false);
        OneCommand::of(&program, self.home(invocation).as_deref())
    }

    fn home(&self, invocation: &Invocation) -> Option<Vec<u8>> {
        let home = self.platform.variable(&invocation.env, "HOME").or_else(|| invocation.base_env.get("HOME"));
        home.map(|home| text::from_os(home).into_owned())
    }

    pub(crate) fn planner<'a>(
        &self,
        executor: &'a ProgramExecutor,
        env: &'a [(OsString, OsString)],
        cwd: &'a Path,
    ) -> Planner<'a> {
        executor.planner(env, text::from_os(self.platform.search_path(env)).into_owned(), cwd)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(programs) = self.programs.take() {
            // Dropping a deep tree recurses: not on a host's small stack. (Without a thread it happens here.)
            let _ = self.pool.run(move || drop(programs));
        }
    }
}
