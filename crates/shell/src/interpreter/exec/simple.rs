//! Simple commands (XCU 2.9.1).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::Dialect;
use hookshell_syntax::ast::{Argument, Assignment, SimpleCommand, WordShape};
use hookshell_utility::{Args, Stream};
use smallvec::SmallVec;

use super::Place;
use super::utility::Tried;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::builtins::{self, Builtin};
use crate::interpreter::reference::Reference;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, SlotId, Special, Variable};

/// What a command name stands for, in the order of XCU 2.9.1.4.
pub(crate) enum Target {
    Function(Arc<crate::call::Function>),
    Builtin(&'static Builtin),
    /// A bundled utility, or a program.
    Program,
}

/// Special built-ins that end with 2 for a usage error only. XCU 2.8.1: that ends a shell which is not interactive.
fn has_usage_errors(name: &[u8]) -> bool {
    matches!(name, b"unset" | b"trap" | b"export" | b"readonly" | b"shift" | b"times" | b"break" | b"continue")
}

impl Shell {
    /// Messages and LINENO have the line of the command while it runs.
    pub(crate) fn run_simple(&mut self, command: &SimpleCommand, place: Place) -> Flow {
        let own = self.line_of(command.span);
        let line = std::mem::replace(&mut self.context.line, own);
        self.context.command_start = command.span.start;
        let flow = self.run_simple_here(command, place);
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

    /// Carries out a `[` whose operands are literals and quoted parameters, without a list of its words; `false` where it is
    /// another command, or something else looks at it.
    #[inline]
    fn is_quick_test(&mut self, command: &SimpleCommand) -> bool {
        let Some(Argument::Word(name)) = command.arguments.first() else { return false };
        name.literal_part() == Some(b"[") && self.run_quick_test(command)
    }

    fn run_quick_test(&mut self, command: &SimpleCommand) -> bool {
        let is_plain = command.assignments.is_empty()
            && command.redirections.is_empty()
            && !(self.opt(Opt::Xtrace)
                || self.context.subshell.null_stdin_due
                || self.context.subshell.is_uncounted_stage)
            && (self.env.inherited.functions.is_empty() || !self.env.inherited.functions.contains_key(&b"["[..]))
            && !self.jobs.is_disabled(b"[");
        let [_, operands @ .., Argument::Word(last)] = &*command.arguments else { return false };
        if !is_plain || last.literal_part() != Some(b"]") {
            return false;
        }
        let Some(truth) = self.quick_truth(operands) else { return false };
        self.context.subshell.is_only_command = false;
        self.env.status = u8::from(!truth);
        self.pipe_status_of_one();
        self.env.last_argument.clear();
        self.env.last_argument.push(b']');
        true
    }

    /// The value of the expression of a `[`; `None` if that is an error, or more than a look at the operands.
    fn quick_truth(&self, operands: &[Argument]) -> Option<bool> {
        let mut words: [&[u8]; 4] = [b""; 4];
        let words = words.get_mut(..operands.len())?;
        let mut size = 0;
        for (word, operand) in words.iter_mut().zip(operands) {
            let Argument::Word(operand) = operand else { return None };
            *word = match operand.shape {
                WordShape::Literal => operand.literal_part()?,
                WordShape::QuotedParameter => self.quoted_value(operand)?,
                WordShape::General => return None,
            };
            size += word.len();
            // An element's subscript may have to be expanded.
            if *word == b"-v" {
                return None;
            }
        }
        if size > self.host.limits.expansion_bytes / 2 {
            return None;
        }
        crate::conditional::test(words, &builtins::TestContext(self, &[])).ok()
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
            return self.behind_call(flow);
        }
        let mut saved = super::SavedFds::default();
        if !command.redirections.is_empty() {
            // Only `exec` keeps its redirections, and the end of an environment need not undo them.
            let keep_redirections = is_only_command || self.is_exec(args);
            let slot = if keep_redirections { None } else { Some(&mut saved) };
            match self.redirect(&command.redirections, slot) {
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
        self.behind_call(flow)
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

    /// `kill $$`: the trap runs behind the command, outside of its redirections, and where a signal has ended the command behind
    /// the message about that.
    #[inline]
    fn behind_call(&mut self, flow: Flow) -> Flow {
        if flow.is_continue() && self.host.run.has_signals() && self.scratch.death.is_none() {
            self.checkpoint()
        } else {
            flow
        }
    }

    /// bash assigns the lists among the operands of `declare` when it expands them, so that those behind them see the
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
                applied
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

    /// bash: wrong usage of a special built-in ends a shell in POSIX mode only where `set -e` would end it.
    fn survives_usage_error(&self, status: u8, is_negated: bool) -> bool {
        self.env.dialect == Dialect::Bash && status == builtins::USAGE && (is_negated || self.context.ignores_errexit())
    }

    /// What a command name stands for.
    pub(crate) fn target(&mut self, args: &Args, functions: bool) -> Target {
        let name = &args[0];
        if let Some(builtin) = self.builtin_of_job(name) {
            return Target::Builtin(builtin);
        }
        if functions
            && !self.env.inherited.functions.is_empty()
            && let Some(function) = self.env.inherited.functions.get(name)
        {
            // POSIX: special built-ins come before functions.
            if !(self.opt(Opt::Posix) && builtins::is_special(name)) {
                return Target::Function(function.clone());
            }
        }
        if let Some(builtin) = builtins::find(name)
            && !self.jobs.is_disabled(name)
        {
            return Target::Builtin(builtin);
        }
        if cfg!(windows)
            && let Some(builtin) = self.builtin_of_unix_path(name)
        {
            return Target::Builtin(builtin);
        }
        Target::Program
    }

    /// bash: `%1` is `fg %1`, before any function.
    pub(crate) fn builtin_of_job(&self, name: &[u8]) -> Option<&'static Builtin> {
        if name.starts_with(b"%") && self.env.dialect == Dialect::Bash { builtins::find(b"fg") } else { None }
    }

    /// Calls a command by its expanded words.
    fn call(&mut self, command: &SimpleCommand, args: &mut Args, place: Place) -> Flow {
        match self.target(args, true) {
            Target::Function(function) => {
                self.call_function(&function, args)?;
                self.pipe_status_of_one();
                NEXT
            }
            Target::Builtin(builtin) => self.call_builtin(builtin, args, Some(command)),
            Target::Program => {
                let tried = match place {
                    Place::AtEnd if passes_environment(&args[0]) && self.ends_as_program() => {
                        self.at_lower_level(|shell| shell.try_utility(args))
                    }
                    _ => self.try_utility(args),
                };
                match tried? {
                    Tried::Ran => self.report_jobs(),
                    Tried::NotOurs(refused) if place == Place::AtEnd && self.ends_as_program() => {
                        self.end_as_external(args, refused.as_ref())?;
                    }
                    Tried::NotOurs(refused) => self.run_external(args, refused.as_ref(), place)?,
                }
                self.after_simple(args);
                NEXT
            }
        }
    }

    /// Calls a utility or program by its expanded words (`command name …`).
    pub(crate) fn call_plain(&mut self, args: &mut Args) -> Flow {
        let refused = match self.target(args, false) {
            Target::Program => match self.try_utility(args)? {
                Tried::Ran => return NEXT,
                Tried::NotOurs(refused) => refused,
            },
            _ => None,
        };
        self.run_external(args, refused.as_ref(), Place::Within)
    }

    #[inline]
    pub(crate) fn pipe_status_of_one(&mut self) {
        self.env.pipe_status.clear();
        self.env.pipe_status.push(self.env.status);
    }

    #[inline]
    fn after_simple(&mut self, args: &Args) {
        self.pipe_status_of_one();
        self.env.last_argument.clear();
        if let Some(last) = args.len().checked_sub(1).and_then(|i| args.get(i)) {
            self.env.last_argument.extend_from_slice(last);
        }
    }

    /// The operand of a built-in that assigns to arrays which is a local nameref that names itself.
    fn self_nameref_among<'a>(&self, builtin: &Builtin, args: &'a Args) -> Option<&'a [u8]> {
        if self.context.frames.functions() == 0 {
            return None;
        }
        let mut operands = args.iter_from(1);
        match builtin.name {
            "mapfile" | "readarray" | "read" => operands.find(|operand| self.is_self_nameref_text(operand)),
            // The variable itself is left alone.
            "unset" => operands.find(|operand| operand.ends_with(b"]") && self.is_self_nameref_text(operand)),
            "printf" if args.get(1) == Some(b"-v") => args.get(2).filter(|operand| self.is_self_nameref_text(operand)),
            _ => None,
        }
    }

    pub(crate) fn call_builtin(
        &mut self,
        builtin: &'static Builtin,
        args: &Args,
        command: Option<&SimpleCommand>,
    ) -> Flow {
        let is_negated = std::mem::take(&mut self.scratch.is_negated);
        let declarations: &[Argument] = match command {
            Some(command) if builtin.reads_source() => &command.arguments,
            _ => &[],
        };
        let flow = match self.self_nameref_among(builtin, args) {
            Some(name) => self.with_global_of_text(name, |shell| builtin.call(shell, args, declarations)),
            None => None,
        };
        let flow = flow.unwrap_or_else(|| builtin.call(self, args, declarations));
        match flow {
            ControlFlow::Continue(status) => {
                self.env.status = status;
                let usage_ends = self.opt(Opt::Posix) && !self.survives_usage_error(status, is_negated);
                if std::mem::take(&mut self.scratch.special_failed) && builtin.is_special && usage_ends {
                    // XCU 2.8.1: an error of a special built-in ends a shell that is not interactive.
                    return divert(Divert::Exit);
                }
                self.after_simple(args);
                if status == builtins::USAGE && usage_ends && !self.scratch.by_command && has_usage_errors(&args[0]) {
                    return divert(Divert::Exit);
                }
                NEXT
            }
            ControlFlow::Break(divert) => {
                if matches!(divert, Divert::Break(_) | Divert::Continue(_)) {
                    self.pipe_status_of_one();
                }
                ControlFlow::Break(divert)
            }
        }
    }
}

/// Does the utility show its environment, or give it to another command?
fn passes_environment(name: &[u8]) -> bool {
    matches!(name, b"env" | b"printenv" | b"timeout" | b"nice" | b"nohup" | b"setsid" | b"xargs" | b"find")
}
