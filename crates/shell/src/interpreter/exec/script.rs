//! Shell source that was started as a command, in an interpreter of its own.

use std::sync::Arc;

use hookshell_process::text;
use hookshell_utility::Stream;

use super::Place;
use crate::config::ExitCause;
use crate::executor::{ExecError, Script, ScriptSource, StandIn};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::NewShell;
use crate::jobs::Death;
use crate::shell::Shell;

impl Shell {
    /// Runs shell source that was started as a command. Where nothing is left to do after it, it takes the place of this
    /// environment: signals for that are then for the script.
    pub(crate) fn run_script(&mut self, script: Box<Script>, place: Place) -> Flow {
        if self.is_too_deep() {
            return self.too_deep();
        }
        let mut env = self.vars.environment().clone();
        if !script.assignments.is_empty() {
            let list = Arc::make_mut(&mut env);
            for (name, value) in &script.assignments {
                let (name, value) = (text::to_os(name), text::to_os(value).into_owned());
                match list.iter_mut().find(|(known, _)| *known == *name) {
                    Some((_, old)) => *old = value,
                    None => list.push((name.into_owned(), value)),
                }
            }
        }
        let is_command_string = matches!(script.source, ScriptSource::CommandString(_));
        let takes_place = place != Place::Within;
        let mut shell = self.fresh(NewShell {
            env: &env,
            name: &script.name,
            args: script.args,
            fds: self.env.fds.clone(),
            is_command_string,
            id: takes_place.then_some(self.context.subshell.id),
        });
        shell.context.depth += 1;
        if !script.started_as.is_empty() {
            shell.env.last_argument.clear();
            shell.env.last_argument.extend_from_slice(&script.started_as);
        }
        if let Some(parent) = self.parent_of_script(takes_place) {
            shell.set_initial(b"PPID", &parent, true);
        }
        shell.set_up(&script.setup);
        if script.ignored_signals != 0 {
            shell.traps.ignore_for_good(script.ignored_signals);
        }
        let text = match script.source {
            ScriptSource::File(text) | ScriptSource::CommandString(text) => Some(Ok(text)),
            ScriptSource::Descriptor(fd) => {
                Some(crate::interpreter::builtins::source::read_descriptor(&shell, fd).map(Arc::from))
            }
            ScriptSource::Stdin => None,
        };
        let exit = match text {
            Some(Ok(_)) if let Some(program) = &script.program => shell.run_program(program),
            Some(Ok(text)) => {
                // By the options of the command line: `-O extglob` is for the first line, too.
                let options = shell.parse_options();
                let program = hookshell_syntax::parse_prefix_with_stop(text, &options, &|| shell.is_stopping());
                shell.run_program(&program)
            }
            Some(Err(reason)) => {
                self.error([&**script.name, b": ", reason.as_bytes()].concat());
                self.env.status = 126;
                return NEXT;
            }
            None => {
                let stdin = shell.env.fds.get(0).cloned().unwrap_or_else(|| Arc::new(Stream::null()));
                shell.run_stream(&stdin)
            }
        };
        self.env.status = exit.status;
        if !takes_place {
            self.child_ended();
        }
        match exit.cause {
            ExitCause::Signal(signal) if takes_place && self.is_within_run() => {
                self.scratch.died_of = signal;
                divert(Divert::Die)
            }
            ExitCause::Signal(signal) if !takes_place => {
                self.scratch.death = Some(Death { id: shell.host.process_id, signal, core_dumped: false });
                NEXT
            }
            ExitCause::Cancelled | ExitCause::LimitExceeded(_) => divert(Divert::Stop),
            ExitCause::SyntaxError(error) => {
                if let Some(StandIn { shell, reason }) = script.stands_in {
                    let reason = format!(
                        "{reason}; the in-process shell, which stands in for it, cannot read the script: line {}: {}",
                        error.position.line, error.cause
                    );
                    let error = ExecError::BadInterpreter { interpreter: shell, reason };
                    self.error([&**script.name, b": ", error.to_string().as_bytes()].concat());
                    self.host.executor.failed(&script.name, &error);
                    self.env.status = error.status();
                }
                NEXT
            }
            _ if takes_place => NEXT,
            _ => self.checkpoint(),
        }
    }

    /// `$PPID` of a script that this environment starts: who has started the environment, where the script takes its place.
    /// `None`: the process, which a script that the host has started finds as its parent too.
    fn parent_of_script(&self, takes_place: bool) -> Option<Vec<u8>> {
        let parent = match (takes_place, self.context.frames.outer_id()) {
            (true, None) => return self.vars.scalar_bytes(b"PPID").map(<[u8]>::to_vec),
            (true, Some(outer)) if self.is_process_of_its_own() && outer == self.host.process_id => {
                hookshell_process::system::parent_id()
            }
            (true, Some(outer)) => outer,
            (false, _) => self.context.subshell.id,
        };
        (self.host.is_nested || self.host.is_process).then(|| parent.to_string().into_bytes())
    }
}
