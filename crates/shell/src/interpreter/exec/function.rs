//! Functions (XCU 2.9.5).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::FunctionDefinition;
use hookshell_utility::Args;

use crate::call::{Call, Callee, Function, Positional};
use crate::context::Frame;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::options::Opt;
use crate::shell::Shell;

/// Words of more bytes than this count as state of the run while their command runs.
pub(super) const LARGE: usize = 64 * 1024;

/// The levels of compatibility (BASH_COMPAT) whose functions do not hide the caller's loops.
const UP_TO_43: [Opt; 6] = [Opt::Compat31, Opt::Compat32, Opt::Compat40, Opt::Compat41, Opt::Compat42, Opt::Compat43];

impl Shell {
    pub(super) fn define_function(&mut self, definition: &Arc<FunctionDefinition>) -> Flow {
        self.context.line = self.line_of(definition.span);
        let name = definition.name.as_bytes();
        if self.opt(Opt::Posix) && crate::interpreter::builtins::is_special(name) {
            self.error(format!("`{}': is a special builtin", definition.name));
            self.env.status = 2;
            return ControlFlow::Break(Divert::Exit);
        }
        if self.opt(Opt::Posix) && !hookshell_syntax::is_name(name) {
            self.error(format!("`{}': not a valid identifier", definition.name));
            self.env.status = 2;
            return ControlFlow::Break(Divert::Exit);
        }
        // bash: a name that was quoted or would have to be expanded, or that is a number, is none.
        let is_number = name.iter().all(u8::is_ascii_digit);
        if is_number || name.iter().any(|byte| b"$`'\"\\".contains(byte)) {
            self.error(format!("`{}': not a valid identifier", definition.name));
            self.env.status = 1;
            return NEXT;
        }
        if self.env.inherited.functions.get(name).is_some_and(|f| f.readonly) {
            self.error(format!("{}: readonly function", definition.name));
            self.env.status = 1;
            return NEXT;
        }
        let source: Arc<[u8]> = if self.host.is_command_string && !self.context.frames.has_calls() {
            Arc::from(&b"environment"[..])
        } else if self.context.reads_stdin && !self.context.frames.has_calls() {
            Arc::from(&b"main"[..])
        } else {
            self.context.source.clone()
        };
        // bash: a function that is defined anew keeps its attributes.
        let (exported, traced) =
            self.env.inherited.functions.get(name).map_or((false, false), |f| (f.exported, f.traced));
        let exported = exported || self.opt(Opt::Allexport);
        let function = Function {
            name: Arc::from(name),
            body: definition.body.clone(),
            source,
            line: self.line_of(definition.span),
            line_shift: self.context.line_shift,
            definition: definition.clone(),
            readonly: false,
            exported,
            traced,
        };
        if exported {
            crate::interpreter::builtins::function_export::update(self, name, Some(definition));
        }
        let more = 12 * function.text_len() + 256;
        Arc::make_mut(&mut self.env.inherited.functions).insert(name.into(), Arc::new(function));
        self.env.status = 0;
        self.grew(more)
    }

    /// Calls a function; `args` are its name and arguments.
    pub(crate) fn call_function(&mut self, function: &Arc<Function>, args: &mut Args) -> Flow {
        if self.is_too_deep() {
            return self.too_deep();
        }
        if self.env.function_nesting > 0 && self.context.frames.functions() as usize >= self.env.function_nesting {
            let limit = self.env.function_nesting;
            let message = format!(": maximum function nesting level exceeded ({limit})");
            self.error([&*function.name, message.as_bytes()].concat());
            // bash: `set -e` is not asked.
            self.env.status = 1;
            return divert(Divert::Discard);
        }
        // Few arguments are nothing in so many calls as there can be.
        let held = if args.byte_len() > LARGE { Some(self.hold(args.memory())?) } else { None };
        let positional = Positional { args: self.share_args(args), start: 1 };
        let outer_positional = std::mem::replace(&mut self.env.positional, positional);
        let outer_source = std::mem::replace(&mut self.context.source, function.source.clone());
        self.context.frames.enter(Frame::Call(Call {
            callee: Callee::Function(function.clone()),
            call_line: self.context.line,
            arguments: self.opt(Opt::Extdebug).then(|| self.env.positional.clone()),
            // bash: up to 4.3 `break` reached the loops of the caller.
            hides_loops: !UP_TO_43.iter().any(|level| self.opt(*level)),
        }));
        // What has no line of its own in the body has that of the body (bash).
        let call_shift = std::mem::replace(&mut self.context.line_shift, function.line_shift);
        let own_line = self.line_of(function.body.span);
        let call_line = std::mem::replace(&mut self.context.line, own_line);
        self.context.depth += 1;
        let scope = self.vars.enter_scope();
        let getopts = self.env.getopts.clone();
        let traps = self.traps.enter_function(self.opt(Opt::Functrace) || function.traced, self.opt(Opt::Errtrace));

        let flow = self.run_debug_trap();
        let flow = match flow {
            ControlFlow::Continue(()) => self.run_compound(&function.body, super::Place::Within),
            other => other,
        };
        if flow == ControlFlow::Break(Divert::Return) {
            self.context.line = self.scratch.line_of_return;
        }
        let flow = self.end_with_return_trap(flow);

        self.traps.leave_function(traps);
        if self.leave_scope(scope) {
            // bash: where OPTIND was local, the caller's walk continues.
            self.env.getopts = getopts;
        }
        if !self.context.local_options.is_empty() {
            self.leave_local_options();
        }
        self.context.depth -= 1;
        self.context.frames.leave();
        // bash: FUNCNAME stays visible where an error has left a function.
        self.context.subshell.shows_main = matches!(flow, ControlFlow::Break(Divert::Discard | Divert::TopLevel));
        self.context.source = outer_source;
        self.context.line = call_line;
        self.context.line_shift = call_shift;
        let called = std::mem::replace(&mut self.env.positional, outer_positional);
        self.env.last_argument.clear();
        if let Some(last) = called.args.len().checked_sub(1).and_then(|last| called.args.get(last)) {
            self.env.last_argument.extend_from_slice(last);
        }
        self.give_shared(called.args, args);
        drop(held);
        flow
    }

    /// The RETURN trap at the end of a function or a sourced file. bash: after `return`, `$?` is that of the command
    /// before it.
    pub(crate) fn end_with_return_trap(&mut self, flow: Flow) -> Flow {
        match flow {
            ControlFlow::Continue(()) => self.run_return_trap(),
            ControlFlow::Break(Divert::Return) => {
                let status = std::mem::replace(&mut self.env.status, self.scratch.status_before_return);
                self.run_return_trap()?;
                self.env.status = status;
                NEXT
            }
            other => other,
        }
    }

    /// Makes a list of arguments one that can be shared, of those that are kept for it; what is left is empty.
    fn share_args(&mut self, args: &mut Args) -> Arc<Args> {
        let mut shared = self.scratch.spare_positional.pop().unwrap_or_default();
        match Arc::get_mut(&mut shared) {
            Some(list) => std::mem::swap(list, args),
            None => shared = Arc::new(std::mem::take(args)),
        }
        shared
    }

    /// Keeps a list that nobody shares any more, without its words: those are put into `args`.
    fn give_shared(&mut self, mut shared: Arc<Args>, args: &mut Args) {
        /// As many as calls within each other.
        const KEEP: usize = 64;
        let Some(list) = Arc::get_mut(&mut shared) else { return };
        std::mem::swap(list, args);
        if list.is_empty() && self.scratch.spare_positional.len() < KEEP {
            self.scratch.spare_positional.push(shared);
        }
    }

    /// Has the function said `local -`?
    pub(crate) fn has_local_options(&self) -> bool {
        let here = (self.context.frames.functions(), self.context.subshell.depth);
        self.context.local_options.iter().any(|saved| (saved.0, saved.1) == here)
    }

    /// `local -` ends with its function.
    #[cold]
    fn leave_local_options(&mut self) {
        while let Some(&(function, subshell, options)) = self.context.local_options.last()
            && function >= self.context.frames.functions()
        {
            self.context.local_options.pop();
            if function == self.context.frames.functions() && subshell == self.context.subshell.depth {
                self.restore_options(options);
            }
        }
    }

    /// Ends a scope and takes notice of the special variables that come back; is OPTIND one of them?
    pub(crate) fn leave_scope(&mut self, mark: crate::vars::ScopeMark) -> bool {
        if !self.vars.hides_since(mark) {
            return false;
        }
        let mut had_optind = false;
        for (id, special) in self.vars.leave_scope(mark) {
            had_optind |= special == crate::vars::Special::Optind;
            self.variable_changed(id, special);
        }
        had_optind
    }
}
