//! A background list that is one program: a process of its own that outlives the shell.

use std::ops::ControlFlow;

use hookshell_syntax::ast::{Argument, AssignmentValue, SimpleCommand};

use super::external::{StartMode, StartedCommand};
use super::pipeline::has_no_side_effects;
use crate::flow::Flow;
use crate::jobs::Job;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::Attributes;

impl Shell {
    /// Starts a background list that is one program, as a process of its own that outlives the shell; `None` if it is
    /// anything else. A bundled utility is left to the real program of that name, where there is one. This is the
    /// environment of the list: nothing is restored.
    pub(crate) fn start_background_program(&mut self, simple: &SimpleCommand) -> Flow<Option<Job>> {
        if !self.is_background_program(simple) {
            return ControlFlow::Continue(None);
        }
        // Opening a FIFO waits for its other side: not here.
        for redirection in &simple.redirections {
            if let Some(word) = redirection.kind.file() {
                let target = self.expand_to_string(word)?;
                if hookshell_process::is_fifo(&self.absolute(&target)) {
                    return ControlFlow::Continue(None);
                }
            }
        }
        // Where the words fail, the EXIT trap of the shell around runs.
        self.context.subshell.is_only_command = true;
        for assignment in &simple.assignments {
            if let failed @ ControlFlow::Break(_) = self.assign(assignment) {
                return self.words_failed(failed).map_continue(|()| None);
            }
            let id = self.vars.slot(&assignment.name);
            if let Some(variable) = self.vars.change(id) {
                variable.attributes = variable.attributes.with(Attributes::EXPORT, true);
            }
        }
        self.vars.environment_changed();
        let mut args = self.take_args();
        if let failed @ ControlFlow::Break(_) = self.expand_arguments(&simple.arguments, &mut args) {
            return self.words_failed(failed).map_continue(|()| None);
        }
        self.context.subshell.is_only_command = false;
        let prefixes = self.prefixes(simple);
        if simple.arguments[..prefixes].iter().any(|word| is_word(word, b"exec")) {
            // The environment ends with the program: nothing leaves the scope again.
            self.vars.enter_scope();
            self.lower_level();
        }
        args.remove_front(prefixes);
        let job = if self.redirect(&simple.redirections, None)? {
            match self.start_external(&args, None, StartMode::Child) {
                StartedCommand::Process(child) => Some(Job::process(child)),
                // Shell source and messages of what cannot be started are the business of a thread.
                StartedCommand::Script(_) | StartedCommand::NotFound(_) => None,
                StartedCommand::Failed => Some(Job::ended(self.host.run.next_id(), self.env.status)),
            }
        } else {
            Some(Job::ended(self.host.run.next_id(), 1))
        };
        self.give_args(args);
        ControlFlow::Continue(job)
    }

    /// How many words stand before the name of the program: `exec`, `command`.
    fn prefixes(&self, simple: &SimpleCommand) -> usize {
        let is_prefix = |word: &&Argument| {
            let is_called = |name: &&[u8]| is_word(word, name) && !self.env.inherited.functions.contains_key(*name);
            [&b"exec"[..], b"command"].iter().any(is_called)
        };
        let count = simple.arguments.iter().take_while(is_prefix).count();
        // After `exec` everything is the name of a program.
        match simple.arguments[..count].iter().position(|word| is_word(word, b"exec")) {
            Some(exec) => exec + 1,
            None => count,
        }
    }

    /// Is it a program whose words, assignments and redirections can be expanded here without running anything?
    fn is_background_program(&mut self, simple: &SimpleCommand) -> bool {
        let prefixes = self.prefixes(simple);
        let Some(Argument::Word(word)) = simple.arguments.get(prefixes) else { return false };
        let Some(name) = word.literal() else { return false };
        let is_execed = prefixes > 0 && is_word(&simple.arguments[prefixes - 1], b"exec");
        if self.opt(Opt::Xtrace)
            || self.traps.has_debug()
            || prefixes == 0 && self.env.inherited.functions.contains_key(&*name)
            || !is_execed && crate::interpreter::builtins::find(&name).is_some()
            || prefixes > 0 && (self.opt(Opt::Restricted) || name.starts_with(b"-"))
        {
            return false;
        }
        // What `exec` does not find is told of otherwise.
        if self.prefers_utility(&name) || is_execed {
            let path = self.search_list();
            if self.host.executor.find(&name, &path, &self.env.inherited.cwd).is_none() {
                return false;
            }
        }
        simple.arguments.iter().all(|a| matches!(a, Argument::Word(word) if has_no_side_effects(word)))
            && simple.redirections.iter().all(|r| r.kind.word().is_none_or(has_no_side_effects))
            && simple
                .assignments
                .iter()
                .all(|a| a.subscript.is_none() && matches!(&a.value, AssignmentValue::Scalar(word) if has_no_side_effects(word)))
            // bash: a command whose variable is read-only runs all the same.
            && !simple.assignments.iter().any(|a| {
                let variable = self.vars.find(&a.name).and_then(|id| self.vars.get(id));
                variable.is_some_and(|v| v.attributes.has(Attributes::READONLY))
            })
    }
}

/// Is the argument this word, as it stands in the source?
fn is_word(argument: &Argument, name: &[u8]) -> bool {
    matches!(argument, Argument::Word(word) if word.literal().is_some_and(|text| *text == *name))
}
