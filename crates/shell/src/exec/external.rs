//! Programs (XCU 2.9.1.6), by way of the exec seam.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use hookshell_process::{Child, WaitError, text};
use hookshell_syntax::ast::SimpleCommand;

use crate::args::Args;
use crate::flow::{Flow, NEXT};
use crate::jobs::Job;
use crate::seam::{ExecError, ExecRequest, Script, Started};
use crate::shell::{DEFAULT_PATH, Shell};

/// What starting a command came to.
pub(crate) enum StartedCommand {
    Process(Arc<Child>),
    Script(Script),
    /// It was not started: the message is written and the status set.
    Failed,
}

impl Shell {
    /// Starts a program and waits for it; shell source runs in a fresh state.
    pub(crate) fn run_external(&mut self, args: &Args, argv0: Option<&[u8]>) -> Flow {
        match self.start_external(args, argv0, false) {
            StartedCommand::Process(child) => self.wait_for_child(&child),
            StartedCommand::Script(script) => self.run_script(script),
            StartedCommand::Failed => NEXT,
        }
    }

    /// Starts a program. With `replace` it takes this process's place if the executor can do that.
    pub(crate) fn start_external(&mut self, args: &Args, argv0: Option<&[u8]>, replace: bool) -> StartedCommand {
        let env = self.vars.environment();
        let temp_dir = self.temp_dir();
        let mut files: Vec<(u32, Arc<File>)> = Vec::with_capacity(3);
        let shared = self.fds.iter().try_for_each(|(fd, stream)| match stream.share(&temp_dir) {
            Ok(file) => {
                files.push((fd, file));
                Ok(())
            }
            Err(error) => Err((fd, error)),
        });
        if let Err((fd, error)) = shared {
            self.error(format!("cannot pass descriptor {fd} to a program: {}", super::reason(&error)));
            self.status = 126;
            return StartedCommand::Failed;
        }
        let fds: Vec<(u32, &File)> = files.iter().map(|(fd, file)| (*fd, &**file)).collect();
        let path = self.vars.scalar_bytes(b"PATH").unwrap_or(DEFAULT_PATH);
        let request = ExecRequest {
            argv: args,
            argv0,
            path,
            env: &env,
            cwd: &self.cwd,
            fds: &fds,
            umask: self.umask,
            tree: self.host.cancel.tree(),
            replace,
        };
        match self.host.executor.start(&request) {
            Ok(Started::Process(child)) => StartedCommand::Process(child),
            Ok(Started::Script(script)) => StartedCommand::Script(script),
            Err(error) => {
                self.not_started(&args[0], &error);
                StartedCommand::Failed
            }
        }
    }

    fn not_started(&mut self, name: &[u8], error: &ExecError) {
        let message = [name, b": ", error.to_string().as_bytes()].concat();
        self.error(message);
        self.status = error.status();
        self.host.run.note_failure(error);
    }

    /// Waits for a foreground child.
    pub(crate) fn wait_for_child(&mut self, child: &Child) -> Flow {
        self.status = match child.wait() {
            Ok(status) => status.shell_status(),
            Err(error) => self.status_lost(&error),
        };
        self.checkpoint()
    }

    pub(crate) fn status_lost(&mut self, error: &WaitError) -> u8 {
        self.host.run.note_status_lost();
        self.error(format!("wait: {error}"));
        // Nobody knows how it ended: never success.
        127
    }

    /// Runs shell source that was started as a command.
    pub(crate) fn run_script(&mut self, script: Script) -> Flow {
        if self.is_too_deep() {
            return self.too_deep();
        }
        let env = self.vars.environment();
        let mut shell = self.fresh(&env, &script.name, script.args, self.fds.clone());
        shell.depth += 1;
        let options = shell.parse_options();
        let program = hookshell_syntax::parse_program(script.source, &options);
        let exit = shell.run_program(&program);
        self.status = exit.status;
        match exit.cause {
            crate::shell::ExitCause::Cancelled => ControlFlow::Break(crate::flow::Divert::Stop),
            crate::shell::ExitCause::LimitExceeded(what) => {
                self.limit = Some(what);
                ControlFlow::Break(crate::flow::Divert::Stop)
            }
            _ => NEXT,
        }
    }

    /// Starts a background list that is one program, as a process of its own; `None` where it is anything else.
    pub(crate) fn start_background_program(&mut self, simple: &SimpleCommand) -> Flow<Option<Job>> {
        if !self.is_quick_external(simple) {
            return ControlFlow::Continue(None);
        }
        let mut args = self.take_args();
        self.expand_arguments(&simple.arguments, &mut args)?;
        let started = self.start_external(&args, None, false);
        self.give_args(args);
        ControlFlow::Continue(match started {
            StartedCommand::Process(child) => Some(Job::process(child)),
            // Shell source and messages of what cannot be started are the business of a thread.
            StartedCommand::Script(_) => None,
            StartedCommand::Failed => Some(Job::ended(self.host.run.next_id(), self.status)),
        })
    }

    /// Where temporary files of this run go: TMPDIR of the run, on Windows TEMP, else the system's folder.
    pub(crate) fn temp_dir(&self) -> PathBuf {
        for name in [&b"TMPDIR"[..], b"TEMP", b"TMP"] {
            if let Some(value) = self.vars.scalar_bytes(name)
                && !value.is_empty()
            {
                return text::to_path(value).into_owned();
            }
        }
        if cfg!(windows) { std::env::temp_dir() } else { PathBuf::from("/tmp") }
    }
}
