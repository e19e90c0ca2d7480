//! `while`, `until`, `for` and `select` (XCU 2.9.4).

use std::ops::ControlFlow;

use hookshell_syntax::ast::{ArithmeticForClause, ForClause, WhileClause};
use hookshell_utility::Args;

use crate::context::Frame;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::options::Opt;
use crate::shell::Shell;

/// `for name in words`: what BASH_COMMAND has of the loop.
pub(super) fn for_text(clause: &ForClause) -> Vec<u8> {
    loop_text(b"for ", clause)
}

/// `for_text` with any keyword.
fn loop_text(keyword: &[u8], clause: &ForClause) -> Vec<u8> {
    let mut text = [keyword, clause.name.as_bytes()].concat();
    match &clause.words {
        Some(words) => {
            text.extend_from_slice(b" in");
            for word in words {
                text.push(b' ');
                text.extend_from_slice(&hookshell_syntax::print_word(word));
            }
        }
        None => text.extend_from_slice(b" in \"$@\""),
    }
    text
}

enum Turn {
    Next,
    Leave(Flow),
}

impl Shell {
    pub(super) fn run_while(&mut self, clause: &WhileClause) -> Flow {
        let mut status = 0;
        self.context.frames.enter(Frame::Loop);
        let flow = loop {
            match self.ignoring_errexit(|shell| shell.run_list(&clause.condition)) {
                ControlFlow::Continue(()) => {}
                // bash skips what is left of the condition, and then looks at the status: that of `continue`, which is 0.
                ControlFlow::Break(Divert::Continue(levels)) if clause.until => {
                    break if levels > 1 { divert(Divert::Continue(levels - 1)) } else { NEXT };
                }
                other => match self.end_turn(other) {
                    Turn::Next => continue,
                    Turn::Leave(flow) => break flow,
                },
            }
            if (self.env.status == 0) == clause.until {
                break NEXT;
            }
            let flow = self.run_list(&clause.body);
            match self.end_turn(flow) {
                Turn::Next => status = self.env.status,
                Turn::Leave(flow) => {
                    status = self.env.status;
                    break flow;
                }
            }
            if let ControlFlow::Break(divert) = self.checkpoint() {
                break ControlFlow::Break(divert);
            }
        };
        self.context.frames.leave();
        if flow.is_continue() {
            self.env.status = status;
        }
        flow
    }

    /// What `break` and `continue` in a turn of a loop make of the loop.
    fn end_turn(&mut self, flow: Flow) -> Turn {
        match flow {
            ControlFlow::Continue(()) => Turn::Next,
            ControlFlow::Break(Divert::Break(levels)) if levels > 1 => Turn::Leave(divert(Divert::Break(levels - 1))),
            ControlFlow::Break(Divert::Break(_)) => Turn::Leave(NEXT),
            ControlFlow::Break(Divert::Continue(levels)) if levels > 1 => {
                Turn::Leave(divert(Divert::Continue(levels - 1)))
            }
            ControlFlow::Break(Divert::Continue(_)) => Turn::Next,
            other => Turn::Leave(other),
        }
    }

    fn loop_words(&mut self, clause: &ForClause) -> Flow<Args> {
        let mut words = self.take_args();
        match &clause.words {
            Some(list) => {
                if let ControlFlow::Break(divert) = self.expand_words(list, &mut words) {
                    self.give_args(words);
                    return ControlFlow::Break(divert);
                }
            }
            None => {
                let positional = self.env.positional.clone();
                for word in positional.iter() {
                    words.push(word);
                }
            }
        }
        ControlFlow::Continue(words)
    }

    pub(super) fn run_for(&mut self, clause: &ForClause, line: u32) -> Flow {
        self.context.line = line;
        // bash counts the loop for its words already: a `break` in a substitution there is no error.
        self.context.frames.enter(Frame::Loop);
        let words = self.loop_words(clause);
        self.context.frames.leave();
        let words = words?;
        if !hookshell_syntax::is_name(clause.name.as_bytes()) {
            self.error(format!("`{}': not a valid identifier", clause.name));
            self.give_args(words);
            self.env.status = if self.opt(Opt::Posix) { 2 } else { 1 };
            return if self.opt(Opt::Posix) { divert(Divert::Exit) } else { NEXT };
        }
        if words.is_empty() {
            self.env.status = 0;
        }
        let held = if words.byte_len() > super::function::LARGE { Some(self.hold(words.memory())?) } else { None };
        self.context.frames.enter(Frame::Loop);
        let mut result = NEXT;
        for word in &words {
            self.context.line = line;
            if let ControlFlow::Break(divert) = self.checkpoint() {
                result = ControlFlow::Break(divert);
                break;
            }
            self.set_bash_command(|| for_text(clause));
            match self.is_skipped_by_debug_trap() {
                ControlFlow::Continue(false) => {}
                ControlFlow::Continue(true) => continue,
                ControlFlow::Break(divert) => {
                    result = ControlFlow::Break(divert);
                    break;
                }
            }
            let id = self.vars.slot(&clause.name);
            match self.assign_loop_variable(id, word) {
                ControlFlow::Continue(()) => {}
                // A read-only variable fails the loop and no more.
                ControlFlow::Break(Divert::Discard) if !self.opt(Opt::Posix) => {
                    self.env.status = 1;
                    break;
                }
                ControlFlow::Break(divert) => {
                    result = ControlFlow::Break(divert);
                    break;
                }
            }
            if self.opt(Opt::Xtrace) {
                self.trace_for(clause);
            }
            let flow = self.run_list(&clause.body);
            match self.end_turn(flow) {
                Turn::Next => {}
                Turn::Leave(flow) => {
                    result = flow;
                    break;
                }
            }
        }
        self.context.frames.leave();
        self.give_args(words);
        drop(held);
        result
    }

    /// A loop variable that is a nameref gets a new target with each turn.
    fn assign_loop_variable(&mut self, id: crate::vars::SlotId, word: &[u8]) -> Flow {
        use crate::vars::{Attributes, Value};
        if let Some(variable) = self.vars.get(id)
            && variable.attributes.has(Attributes::NAMEREF)
        {
            if !hookshell_syntax::is_name(word) && crate::interpreter::reference::split_subscript(word).is_none() {
                self.error([b"`", word, b"': not a valid identifier"].concat());
                return divert(Divert::Discard);
            }
            if let Some(variable) = self.vars.change(id) {
                variable.value = Value::Scalar(word.to_vec());
            }
            return NEXT;
        }
        self.assign_slot(id, word, false)
    }

    pub(super) fn run_arithmetic_for(&mut self, clause: &ArithmeticForClause, line: u32) -> Flow {
        self.context.line = line;
        let evaluate = |shell: &mut Self, part: &Option<hookshell_syntax::ast::Arithmetic>| match part {
            None => shell.evaluate_omitted().map_continue(|()| Some(1)),
            Some(arithmetic) => shell.evaluate_traced(arithmetic),
        };
        if evaluate(self, &clause.init)?.is_none() {
            self.env.status = 1;
            return NEXT;
        }
        self.context.frames.enter(Frame::Loop);
        let mut status = 0;
        let flow = loop {
            if let ControlFlow::Break(divert) = self.checkpoint() {
                break ControlFlow::Break(divert);
            }
            match evaluate(self, &clause.condition) {
                ControlFlow::Continue(Some(0)) => break NEXT,
                ControlFlow::Continue(Some(_)) => {}
                ControlFlow::Continue(None) => {
                    status = 1;
                    break NEXT;
                }
                ControlFlow::Break(divert) => break ControlFlow::Break(divert),
            }
            let flow = self.run_list(&clause.body);
            match self.end_turn(flow) {
                Turn::Next => status = self.env.status,
                Turn::Leave(flow) => {
                    status = self.env.status;
                    break flow;
                }
            }
            match evaluate(self, &clause.step) {
                ControlFlow::Continue(Some(_)) => {}
                ControlFlow::Continue(None) => {
                    status = 1;
                    break NEXT;
                }
                ControlFlow::Break(divert) => break ControlFlow::Break(divert),
            }
        };
        self.context.frames.leave();
        if flow.is_continue() {
            self.env.status = status;
        }
        flow
    }

    /// bash: an expression that `for ((;;))` leaves out is a 1 to traps and traces.
    fn evaluate_omitted(&mut self) -> Flow {
        if self.traps.has_any() || self.context.uses_bash_command {
            self.set_bash_command(|| b"((1))".to_vec());
            self.run_debug_trap()?;
        }
        if self.opt(Opt::Xtrace) {
            self.trace_text(b"(( 1 ))");
        }
        NEXT
    }

    fn evaluate_traced(&mut self, arithmetic: &hookshell_syntax::ast::Arithmetic) -> Flow<Option<i64>> {
        if self.traps.has_any() || self.context.uses_bash_command || self.opt(Opt::Xtrace) {
            return self.evaluate_shown(arithmetic, |shell, text| {
                if shell.opt(Opt::Xtrace) {
                    shell.trace_arithmetic(text);
                }
                shell.set_bash_command(|| [b"((", text, b"))"].concat());
                shell.run_debug_trap()
            });
        }
        self.evaluate_for(arithmetic, "((")
    }

    /// bash: `select` prints a menu on standard error and reads the choice; at end of file it ends.
    pub(super) fn run_select(&mut self, clause: &ForClause, line: u32) -> Flow {
        self.context.line = line;
        self.set_bash_command(|| loop_text(b"select ", clause));
        if self.is_skipped_by_debug_trap()? {
            return NEXT;
        }
        if self.opt(Opt::Xtrace) {
            self.trace_text(&loop_text(b"select ", clause));
        }
        // bash counts the loop for its words already: a `break` in a substitution there is no error.
        self.context.frames.enter(Frame::Loop);
        let words = self.loop_words(clause);
        self.context.frames.leave();
        let words = words?;
        if !hookshell_syntax::is_name(clause.name.as_bytes()) {
            self.error(format!("`{}': not a valid identifier", clause.name));
            self.give_args(words);
            self.env.status = 1;
            return NEXT;
        }
        if words.is_empty() {
            self.give_args(words);
            self.env.status = 0;
            return NEXT;
        }
        let columns = self.vars.scalar_bytes(b"COLUMNS").and_then(hookshell_text::integer::parse_integer);
        let columns = columns.and_then(|n| usize::try_from(n).ok()).filter(|&n| n > 0).unwrap_or(80);
        self.context.frames.enter(Frame::Loop);
        let result = self.select_from(clause, &words, columns);
        self.context.frames.leave();
        self.give_args(words);
        result
    }

    /// The turns of a `select`.
    fn select_from(&mut self, clause: &ForClause, words: &Args, columns: usize) -> Flow {
        let mut print_menu = true;
        loop {
            if print_menu {
                self.write_error(&super::menu::menu(words, columns));
            }
            let Some(line) = self.read_choice()? else {
                self.env.status = 1;
                let printed = self.print(b"select", b"\n");
                self.env.status = 1;
                return printed.map_continue(|_| ());
            };
            self.checkpoint()?;
            print_menu = line.is_empty();
            if print_menu {
                continue;
            }
            let choice = hookshell_text::integer::parse_integer(&line)
                .and_then(|n| usize::try_from(n).ok())
                .and_then(|n| n.checked_sub(1))
                .and_then(|n| words.get(n))
                .unwrap_or_default()
                .to_vec();
            let id = self.vars.slot(&clause.name);
            if !crate::interpreter::builtins::assigned(self, |shell| shell.assign_slot(id, &choice, false))? {
                self.env.status = 1;
                return if self.opt(Opt::Posix) { divert(Divert::Exit) } else { NEXT };
            }
            let flow = self.run_list(&clause.body);
            match self.end_turn(flow) {
                Turn::Next => {}
                Turn::Leave(flow) => return flow,
            }
        }
    }

    /// A line for `select`, which REPLY gets; `None` at end of file, and where REPLY cannot be set.
    fn read_choice(&mut self) -> Flow<Option<Vec<u8>>> {
        let prompt = self.vars.scalar_bytes(b"PS3").unwrap_or(b"#? ").to_vec();
        self.write_error(&prompt);
        let mut line = Vec::new();
        let read = match self.env.fds.get(0).cloned() {
            Some(stream) => self.blocking_call(|interrupt| stream.read_until(b'\n', &mut line, 1 << 20, interrupt))?,
            None => Ok(false),
        };
        let is_whole = line.pop_if(|last| *last == b'\n').is_some() || matches!(read, Ok(true));
        // As `read` does it: what there is, and a read-only REPLY is a failure.
        let is_assigned = crate::interpreter::builtins::assigned(self, |shell| shell.set_variable(b"REPLY", &line))?;
        ControlFlow::Continue((is_whole && is_assigned).then_some(line))
    }
}
