//! Simple commands (XCU 2.9.1).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::Dialect;
use hookshell_syntax::ast::{Argument, Assignment, SimpleCommand};
use hookshell_utility::{Args, Stream};
use smallvec::SmallVec;

use super::Place;
use super::call::Target;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::builtins;
use crate::interpreter::reference::Reference;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, SlotId, Special, Variable};

impl Shell {
    /// Messages and LINENO have the line of the command while it runs.
    pub(crate) fn run_simple(&mut self, command: &SimpleCommand, place: Place) -> Flow {
        let own = self.line_of(command.span);
        let line = std::mem::replace(&mut self.context.line, own);
        self.context.command_start = command.span.start;
        let before = self.env.status;
        let flow = self.run_simple_here(command, place);
        if self.is_ended_by_other(flow) {
            self.env.status = before;
        }
        self.context.line = line;
        self.context.error_line = own;
        flow
    }

    #[inline]
    fn run_simple_here(&mut self, command: &SimpleCommand, place: Place) -> Flow {
        if self.opt(Opt::Keyword)
            && let Some(command) = super::temporary::with_keywords(command)
        {
            return self.run_simple_here(&command, Place::Within);
        }
        self.checkpoint()?;
        if self.traps.has_any() || self.context.uses_bash_command {
            self.traps.set_command(|| hookshell_syntax::print_simple(command));
            if self.traps.has_debug()
                && !std::mem::take(&mut self.context.subshell.debug_trap_ran)
                && self.is_skipped_by_debug_trap()?
            {
                return NEXT;
            }
        }
        self.scratch.substitution_status = None;
        if self.is_quick_test(command) {
            return NEXT;
        }
        let substitutions = self.context.substitutions.len();
        if command.arguments.is_empty() {
            let flow = self.run_without_name(command);
            if self.context.substitutions.len() > substitutions {
                self.end_process_substitutions(substitutions)?;
            }
            return flow;
        }
        let mut args = self.take_args();
        let expanded = if command.arguments.iter().any(|argument| argument.list().is_some()) {
            self.expand_with_lists(&command.arguments, &mut args)
        } else {
            self.expand_arguments(&command.arguments, &mut args)
        };
        let flow = match expanded {
            ControlFlow::Continue(()) => self.run_expanded(command, &mut args, place),
            failed => self.words_failed(failed),
        };
        self.give_args(args);
        if self.context.substitutions.len() > substitutions {
            self.end_process_substitutions(substitutions)?;
        }
        flow
    }

    fn run_expanded(&mut self, command: &SimpleCommand, args: &mut Args, place: Place) -> Flow {
        if args.is_empty() {
            return self.run_without_name(command);
        }
        // A program's redirections are expanded in its own process: what they assign is gone with it, and an error in
        // them ends it alone.
        if command.redirections.iter().any(|redirection| !super::redirect::has_no_side_effects(redirection))
            && matches!(self.target(args, true), Target::Program)
        {
            let null_stdin_due = std::mem::take(&mut self.context.subshell.null_stdin_due);
            self.in_subshell(|shell| {
                shell.context.subshell.uncounted = shell.context.subshell.uncounted.wrapping_add(1);
                shell.context.subshell.null_stdin_due = null_stdin_due;
                shell.run_named(command, args, Place::Within)
            })?;
            self.pipe_status_of_one();
            return NEXT;
        }
        self.run_named(command, args, place)
    }

    /// The expansion of a command's words or assignments has failed.
    #[cold]
    pub(super) fn words_failed(&mut self, flow: Flow) -> Flow {
        if std::mem::take(&mut self.context.subshell.is_only_command)
            && matches!(flow, ControlFlow::Break(Divert::Discard | Divert::TopLevel | Divert::Exit))
        {
            self.traps.take_inherited_exit();
        }
        flow
    }

    /// The standard input of a simple command in the background: empty, unless it is redirected.
    #[cold]
    fn take_null_stdin(&mut self, command: &SimpleCommand) {
        self.context.subshell.null_stdin_due = false;
        if !command.redirections.iter().any(super::redirect::is_of_stdin) {
            self.env.fds.replace(0, Some(Arc::new(Stream::null())));
        }
    }

    /// bash expands the assignments before it carries out the redirections, which do not see them.
    fn run_named(&mut self, command: &SimpleCommand, args: &mut Args, place: Place) -> Flow {
        if command.assignments.is_empty() {
            return self.run_redirected(command, args, &[], place);
        }
        // In POSIX mode assignments before a special built-in stay.
        if self.opt(Opt::Posix)
            && builtins::is_special(&args[0])
            && !self.env.inherited.functions.contains_key(&args[0])
        {
            self.assign_all(&command.assignments)?;
            if self.env.dialect == Dialect::Bash {
                self.export_all(&command.assignments)?;
            }
            return self.run_redirected(command, args, &[], place);
        }
        let scope = self.vars.enter_scope();
        // What stands before a function's name has the scope of the function.
        let depth = self.env.inherited.functions.contains_key(&args[0]).then_some(self.context.frames.functions() + 1);
        let assigned = self.assign_temporarily(&command.assignments, depth);
        if assigned.is_break() {
            self.leave_scope(scope);
            return self.words_failed(assigned);
        }
        if command.redirections.iter().all(super::redirect::is_literal) {
            let temporary = self.temporary(scope, args);
            let flow = self.run_redirected(command, args, &[], place);
            self.end_temporary(temporary);
            return flow;
        }
        let hidden: SmallVec<[(SlotId, Option<Variable>); 2]> = command
            .assignments
            .iter()
            .map(|assignment| {
                let id = self.vars.slot(&assignment.name);
                let id = match self.follow(id) {
                    ControlFlow::Continue(Reference::Variable(id)) => id,
                    _ => id,
                };
                (id, self.vars.get(id).cloned())
            })
            .collect();
        self.leave_scope(scope);
        self.run_redirected(command, args, &hidden, place)
    }

    /// Traces the command, carries out its redirections and calls it with `temporary` variables.
    fn run_redirected(
        &mut self,
        command: &SimpleCommand,
        args: &mut Args,
        temporary: &[(SlotId, Option<Variable>)],
        place: Place,
    ) -> Flow {
        if self.opt(Opt::Xtrace) {
            self.trace_command(args);
        }
        // bash counts the environment of a stage when the built-in or function in it is called.
        if self.context.subshell.is_uncounted_stage {
            self.context.subshell.is_uncounted_stage = false;
            self.context.subshell.uncounted = self.context.subshell.uncounted.wrapping_sub(1);
        }
        if self.context.subshell.null_stdin_due {
            self.take_null_stdin(command);
        }
        let is_only_command = std::mem::take(&mut self.context.subshell.is_only_command);
        let place = if is_only_command && place == Place::Within { Place::Alone } else { place };
        if command.redirections.is_empty() && temporary.is_empty() {
            let flow = self.call(command, args, place);
            return self.after_call(flow);
        }
        let mut saved = super::SavedFds::default();
        if !command.redirections.is_empty() {
            // Only `exec` keeps its redirections, and the end of an environment need not undo them.
            let keep_redirections = is_only_command || self.is_exec(args);
            let slot = if keep_redirections { None } else { Some(&mut saved) };
            let mut applied = self.redirect(&command.redirections, slot);
            if applied.is_break() && matches!(self.target(args, true), Target::Program) {
                applied = self.failed_in_child(applied);
            }
            match applied {
                ControlFlow::Continue(true) => {}
                ControlFlow::Continue(false) => {
                    self.restore_fds(saved);
                    self.env.status = 1;
                    self.after_simple(args);
                    // POSIX: a redirection error of a special built-in ends the shell.
                    if self.opt(Opt::Posix) && builtins::is_special(&args[0]) {
                        return divert(Divert::Exit);
                    }
                    return NEXT;
                }
                // As in `run_expanded`: `set -u` in the here-document of a program ends that command alone.
                ControlFlow::Break(Divert::Exit)
                    if self.env.dialect == Dialect::Bash && matches!(self.target(args, true), Target::Program) =>
                {
                    self.restore_fds(saved);
                    self.env.status = 1;
                    self.pipe_status_of_one();
                    return NEXT;
                }
                ControlFlow::Break(divert) => {
                    self.restore_fds(saved);
                    return ControlFlow::Break(divert);
                }
            }
        }
        let flow = if temporary.is_empty() {
            self.call(command, args, place)
        } else {
            let scope = self.vars.enter_scope();
            let depth =
                self.env.inherited.functions.contains_key(&args[0]).then_some(self.context.frames.functions() + 1);
            for (id, variable) in temporary {
                let scope = depth.unwrap_or(self.vars.scope(*id));
                self.vars.hide(*id, scope);
                *self.vars.change(*id) = variable.clone();
                self.vars.environment_changed();
                let special = self.vars.special(*id);
                if special.is_watched() && special != Special::Optind {
                    self.variable_changed(*id, special);
                }
            }
            let temporary = self.temporary(scope, args);
            let flow = self.call(command, args, place);
            self.end_temporary(temporary);
            flow
        };
        // Those of a function's call are undone.
        let is_builtin = flow.is_break() && !self.env.inherited.functions.contains_key(&args[0]);
        let flow = if is_builtin { self.exit_before_restoring(flow) } else { flow };
        self.restore_fds(saved);
        self.after_call(flow)
    }

    /// Is the command `exec`, or `command exec`?
    fn is_exec(&self, args: &Args) -> bool {
        if !matches!(&args[0], b"exec" | b"command") || self.env.inherited.functions.contains_key(&args[0]) {
            return false;
        }
        let mut words = args.iter();
        let mut called = words.next();
        while called == Some(b"command") {
            called = words.find(|word| !matches!(*word, b"-p" | b"--"));
        }
        called == Some(b"exec")
    }

    /// `kill $$`: the trap runs after the command, outside of its redirections, and where a signal has ended the command after
    /// the message about that.
    #[inline]
    fn after_call(&mut self, flow: Flow) -> Flow {
        if flow.is_continue() && self.host.run.has_signals() && self.scratch.death.is_none() {
            self.checkpoint()
        } else {
            flow
        }
    }

    /// bash assigns the lists among the operands of `declare` when it expands them, so that those after them see the
    /// arrays, and even where the command's redirections fail; the built-in gets their names alone.
    #[cold]
    fn expand_with_lists(&mut self, arguments: &[Argument], args: &mut Args) -> Flow {
        for argument in arguments {
            if let Some(assignment) = argument.list()
                && !args.is_empty()
                && let Target::Builtin(builtin) = self.target(args, true)
                && builtin.is_declaration
            {
                if self.opt(Opt::Xtrace) {
                    self.trace_list(assignment);
                }
                let declared = builtins::declare_list(self, args, assignment);
                self.scratch.traced_list = None;
                declared?;
                args.push(assignment.name.as_bytes());
            } else {
                self.expand_arguments(std::slice::from_ref(argument), args)?;
            }
        }
        NEXT
    }

    /// Assignments and redirections without a command name.
    fn run_without_name(&mut self, command: &SimpleCommand) -> Flow {
        let flow = self.run_nameless(command);
        if flow.is_break() { self.words_failed(flow) } else { flow }
    }

    fn run_nameless(&mut self, command: &SimpleCommand) -> Flow {
        self.assign_all(&command.assignments)?;
        // The status is that of the last command substitution, of the redirections too.
        if !command.redirections.is_empty() {
            // bash carries them out in another process where a variable is to get a descriptor.
            let applied = if command.redirections.iter().any(super::redirect::names_variable) {
                let mut applied = false;
                self.in_subshell(|shell| {
                    applied = shell.redirect(&command.redirections, None)?;
                    NEXT
                })
                .map_continue(|()| applied)
            } else {
                let mut saved = super::SavedFds::default();
                let applied = self.redirect(&command.redirections, Some(&mut saved));
                self.restore_fds(saved);
                self.failed_in_child(applied)
            };
            if !applied? {
                self.env.status = 1;
                self.env.last_argument.clear();
                self.pipe_status_of_one();
                return NEXT;
            }
        }
        self.env.status = self.scratch.substitution_status.unwrap_or(0);
        self.env.last_argument.clear();
        self.pipe_status_of_one();
        NEXT
    }

    /// bash makes the redirections of a program, and of no command at all, in a child: a pattern without a match (failglob) ends that
    /// alone, and not the whole line.
    fn failed_in_child(&mut self, applied: Flow<bool>) -> Flow<bool> {
        if applied.is_break() && std::mem::take(&mut self.scratch.is_lenient_discard) {
            return ControlFlow::Continue(false);
        }
        applied
    }

    fn assign_all(&mut self, assignments: &[Assignment]) -> Flow {
        for assignment in assignments {
            self.assign(assignment)?;
        }
        NEXT
    }

    /// What bash's POSIX mode assigns before a special built-in is exported and stays so (XCU 2.14 leaves it open).
    fn export_all(&mut self, assignments: &[Assignment]) -> Flow {
        for assignment in assignments.iter().filter(|assignment| assignment.subscript.is_none()) {
            let id = self.vars.slot(&assignment.name);
            if let Reference::Variable(id) = self.follow(id)?
                && let Some(variable) = self.vars.change(id)
            {
                variable.attributes = variable.attributes.union(Attributes::EXPORT);
                self.vars.environment_changed();
            }
        }
        NEXT
    }
}
