//! How an interpreter comes to be: by its host, or for a script that another one starts.

use std::sync::Arc;
use std::time::Instant;

use bstr::BString;
use hookshell_syntax::Dialect;
use hookshell_utility::{FdTable, RunToken};

use crate::call::Positional;
use crate::config::{Identity, ShellConfig};
use crate::context::Context;
use crate::environment::Environment;
use crate::inherited::Inherited;
use crate::interpreter::base::BaseEnvironment;
use crate::jobs::{Jobs, RunState};
use crate::options::Opt;
use crate::scratch::Scratch;
use crate::shell::{Host, Shell};
use crate::traps::Traps;
use crate::usage::{Account, Usage};
use crate::vars::Variables;

/// What an interpreter begins with that another one starts.
pub(crate) struct NewShell<'a> {
    pub(crate) env: &'a hookshell_utility::Environment,
    /// `$0`
    pub(crate) name: &'a [u8],
    pub(crate) args: Vec<BString>,
    pub(crate) fds: FdTable,
    pub(crate) is_command_string: bool,
    /// `$$`, where it takes the place of an environment; else it is a new number.
    pub(crate) id: Option<u32>,
}

impl Shell {
    /// An interpreter in its initial state.
    pub fn new(config: ShellConfig) -> Self {
        Self::with_base(config, &BaseEnvironment::default())
    }

    /// An interpreter in its initial state whose environment lies over another one: quicker to make, the second time.
    pub fn with_base(config: ShellConfig, base: &BaseEnvironment) -> Self {
        Self::part_of(config, base, None)
    }

    /// An interpreter that is a part of the run of another, if it is: what it uses up counts there, and signals find it.
    fn part_of(config: ShellConfig, base: &BaseEnvironment, whole: Option<&Host>) -> Self {
        let (process_id, is_process) = match config.identity {
            Identity::Process => (hookshell_process::system::process_id(), true),
            Identity::Virtual(id) => (id, false),
        };
        let run_cancel = config.cancel.child();
        let cancel = run_cancel.child();
        let name: Arc<[u8]> = config.name.as_slice().into();
        let limits = config.limits.fitted();
        let (usage, run) = match whole {
            Some(whole) => (whole.usage.clone(), whole.run.clone()),
            None => (Arc::new(Usage::new(limits, run_cancel.clone())), Arc::new(RunState::new(process_id))),
        };
        let stderr = match whole {
            Some(whole) => whole.stderr.clone(),
            None => config.fds.get(2).filter(|_| is_process).cloned(),
        };
        let host = Arc::new(Host {
            stderr,
            executor: config.executor,
            utilities: config.utilities,
            pool: config.pool,
            cancel: run_cancel,
            outer: config.cancel,
            limits,
            usage: usage.clone(),
            is_nested: whole.is_some(),
            run,
            process_id,
            is_process,
            is_command_string: config.is_command_string,
            started: Instant::now(),
            regexes: crate::regex::RegexCache::default(),
            signal_source: whole
                .filter(|whole| whole.process_id == process_id)
                .map_or_else(std::sync::OnceLock::new, |whole| whole.signal_source.clone()),
            most_copies: std::sync::OnceLock::new(),
            // It has taken the place of the list that this process was made for.
            copy_id: whole.and_then(|whole| whole.copy_id).filter(|copy| *copy == process_id),
        });
        let args = Positional { args: Arc::new(config.args.iter().collect()), start: 0 };
        let inherited = Inherited::new(name.clone(), config.cwd.as_path().into());
        let random = crate::random::Generator::new(process_id);
        let mut shell = Self {
            vars: Variables::default(),
            jobs: Jobs::default(),
            traps: Traps::default(),
            account: Account::new(usage.budget.clone()),
            env: Environment::new(inherited, args, config.dialect, config.fds, host.started, random),
            context: Context::new(process_id, name, cancel),
            scratch: Scratch::default(),
            host,
        };
        base.begin(&mut shell, &config.env);
        if config.dialect == Dialect::Posix {
            shell.set_opt(Opt::Posix, true);
        }
        shell
    }

    /// An interpreter for a script file that is started as a command: exported variables only.
    pub(crate) fn fresh(&self, new: NewShell<'_>) -> Self {
        self.fresh_within(self.context.cancel.clone(), new)
    }

    /// [`Self::fresh`], for a part of the run that can be stopped alone.
    pub(crate) fn fresh_within(&self, cancel: RunToken, new: NewShell<'_>) -> Self {
        let config = ShellConfig {
            executor: self.host.executor.clone(),
            utilities: self.host.utilities.clone(),
            pool: self.host.pool.clone(),
            cancel,
            env: new.env.clone(),
            cwd: self.env.inherited.cwd.to_path_buf(),
            fds: new.fds,
            name: new.name.into(),
            args: new.args,
            dialect: self.env.dialect,
            limits: self.host.limits,
            identity: Identity::Virtual(new.id.unwrap_or_else(|| self.host.run.next_id())),
            is_command_string: new.is_command_string,
        };
        let mut shell = Self::part_of(config, &BaseEnvironment::default(), Some(&self.host));
        shell.env.inherited.umask = self.env.inherited.umask;
        shell.env.inherited.resource_limits = self.env.inherited.resource_limits.clone();
        shell.context.nest_in(&self.context);
        shell.traps = self.traps.ignored_only();
        if let Some(most) = self.host.most_copies.get() {
            let _ = shell.host.most_copies.set(*most);
        }
        if self.context.cancel.is_cancelled() {
            // A command of a trap that runs during the grace.
            shell.context.interrupt = shell.context.cancel.hard_interrupt().clone();
        }
        shell
    }

    /// After a run that a limit has ended: what comes next is a run of its own.
    #[cold]
    pub(crate) fn renew(&mut self) {
        self.host = Arc::new(self.host.successor(self.host.outer.clone(), self.host.limits));
        self.account = Account::new(self.host.usage.budget.clone());
        self.account.correct(self.state_bytes());
        self.context.cancel = self.host.cancel.child();
        self.context.interrupt = self.context.cancel.interrupt().clone();
        self.jobs = Jobs::default();
        // They count as state of the run before.
        self.scratch.spare_captures.clear();
        if !self.env.inherited.coprocesses.is_empty() {
            self.env.inherited.coprocesses.clear();
        }
    }
}
