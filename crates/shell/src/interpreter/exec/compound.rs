//! Compound commands (XCU 2.9.4).

use std::ops::ControlFlow;

use hookshell_syntax::ast::{
    ArithmeticForClause, CaseClause, CaseTerminator, Command, Compound, CompoundCommand, ForClause, IfClause, List,
    WhileClause,
};
use hookshell_utility::Args;

use super::Place;
use crate::context::Frame;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    pub(crate) fn run_compound(&mut self, command: &CompoundCommand, place: Place) -> Flow {
        if crate::pool::stack_is_used_up() {
            return self.too_deep();
        }
        let is_only_command = std::mem::take(&mut self.context.subshell.is_only_command);
        if command.redirections.is_empty() {
            return self.run_compound_body(command, place);
        }
        if let Compound::Subshell(list) = &command.kind
            && !self.context.subshell.forked
        {
            return self.run_subshell(command, list);
        }
        let substitutions = self.context.substitutions.len();
        let mut saved = super::SavedFds::default();
        let line = self.context.line;
        // bash: these commands have noted their line by then.
        if matches!(command.kind, Compound::Subshell(_) | Compound::Arithmetic(_) | Compound::Condition(_)) {
            self.context.line = self.line_of(command.span);
        }
        // bash: for what the redirections themselves run too.
        let redirects_stdin = command.redirections.iter().any(super::redirect::is_of_stdin);
        if redirects_stdin {
            self.context.frames.enter(Frame::Stdin);
        }
        // What it led to before is not held open where nobody returns to it.
        let applied = self.redirect(&command.redirections, if is_only_command { None } else { Some(&mut saved) });
        self.context.line = line;
        let flow = match applied {
            ControlFlow::Continue(true) => self.run_compound_body(command, place),
            ControlFlow::Continue(false) => {
                self.env.status = 1;
                match command.kind {
                    // Their failures are looked at by the pipeline.
                    Compound::Subshell(_) | Compound::Arithmetic(_) | Compound::Condition(_) => NEXT,
                    _ => self.failed_now(),
                }
            }
            ControlFlow::Break(divert) => ControlFlow::Break(divert),
        };
        let flow = if command.redirections.is_empty() { flow } else { self.exit_before_restoring(flow) };
        if redirects_stdin {
            self.context.frames.leave();
        }
        self.restore_fds(saved);
        self.end_process_substitutions(substitutions)?;
        flow
    }

    /// `( list )` with its redirections, which belong to the subshell: what they assign is lost with it, and an error in
    /// them ends it and no more.
    fn run_subshell(&mut self, command: &CompoundCommand, list: &List) -> Flow {
        // bash notes a subshell for the ERR trap only: to an EXIT trap the last simple command stays the last.
        if self.traps.has_error() {
            self.set_bash_command(|| print_compound(command));
        }
        let replaced_last = std::mem::replace(&mut self.scratch.replaced_last, super::death::last_simple(list));
        let timed = std::mem::take(&mut self.scratch.times_subshell);
        let substitutions = self.context.substitutions.len();
        #[cfg(unix)]
        let own_process = if timed { None } else { self.run_subshell_process(command, list) };
        #[cfg(not(unix))]
        let own_process = None;
        let flow = match own_process {
            Some(flow) => flow,
            None => self.in_subshell(|shell| shell.run_in_subshell(command, list, timed, Place::Within)),
        };
        self.scratch.replaced_last = replaced_last;
        // Their descriptors went with the subshell's others.
        self.end_process_substitutions(substitutions)?;
        flow?;
        self.pipe_status_of_one();
        self.context.error_line = self.line_of(command.span);
        NEXT
    }

    /// In the environment of a subshell: makes its redirections and runs its list.
    pub(super) fn run_in_subshell(
        &mut self,
        command: &CompoundCommand,
        list: &List,
        timed: bool,
        place: Place,
    ) -> Flow {
        // bash: the loops around it are not this environment's.
        self.context.subshell.hides_loops = true;
        self.jobs.leave_inherited();
        self.env.leave_coprocesses();
        // bash: only what the subshell reads itself is left to its background lists.
        let has_own_stdin = command.redirections.iter().any(super::redirect::is_of_stdin);
        self.context.subshell.has_own_stdin = Some(has_own_stdin);
        if !command.redirections.is_empty() {
            let own = self.line_of(command.span);
            let line = std::mem::replace(&mut self.context.line, own);
            let applied = self.redirect(&command.redirections, Some(&mut super::SavedFds::default()))?;
            self.context.line = line;
            // Only for `time`: kept longer, the stream would stay open.
            if timed {
                self.scratch.subshell_error = self.env.fds.get(2).cloned();
            }
            if !applied {
                self.env.status = 1;
                return NEXT;
            }
        }
        self.context.subshell.reads_at = Some(self.text_depth());
        self.run_whole_subshell(list, place)
    }

    /// Runs the list of a subshell. bash: a signal that its last command sends to itself leaves no time for its EXIT trap.
    fn run_whole_subshell(&mut self, list: &List, place: Place) -> Flow {
        let flow = self.run_list_at(list, place);
        if matches!(flow, ControlFlow::Break(Divert::Die))
            && self.scratch.killed_itself
            && super::death::last_simple(list) == Some(self.context.command_start)
        {
            self.context.subshell.skips_exit_trap = true;
        }
        flow
    }

    fn run_compound_body(&mut self, command: &CompoundCommand, place: Place) -> Flow {
        match &command.kind {
            Compound::Brace(list) => self.run_list(list),
            Compound::Subshell(list) if std::mem::take(&mut self.context.subshell.forked) => {
                self.context.subshell.hides_loops = true;
                self.run_whole_subshell(list, place)
            }
            Compound::Subshell(list) => self.run_subshell(command, list),
            Compound::If(clause) => self.run_if(clause),
            Compound::While(clause) => self.run_while(clause),
            Compound::Arithmetic(_)
            | Compound::Condition(_)
            | Compound::For(_)
            | Compound::ArithmeticFor(_)
            | Compound::Case(_)
            | Compound::Select(_)
            | Compound::Coprocess(_) => {
                let own = self.line_of(command.span);
                let line = std::mem::replace(&mut self.context.line, own);
                let flow = self.run_on_its_line(command);
                self.context.line = line;
                flow
            }
        }
    }

    /// The compound commands that messages and LINENO have their own line for.
    fn run_on_its_line(&mut self, command: &CompoundCommand) -> Flow {
        match &command.kind {
            Compound::For(clause) => self.run_for(clause, self.line_of(command.span)),
            Compound::ArithmeticFor(clause) => self.run_arithmetic_for(clause, self.line_of(command.span)),
            Compound::Case(clause) => self.run_case(clause, self.line_of(command.span)),
            Compound::Select(clause) => self.run_select(clause, self.line_of(command.span)),
            Compound::Arithmetic(arithmetic) => {
                self.context.error_line = self.context.line;
                self.checkpoint()?;
                self.set_bash_command(|| [b"((", &*hookshell_syntax::print_arithmetic(arithmetic), b"))"].concat());
                if self.is_skipped_by_debug_trap()? {
                    return NEXT;
                }
                // An error in (( )) only fails the command.
                let value = if self.opt(Opt::Xtrace) {
                    self.evaluate_shown(arithmetic, |shell, text| {
                        shell.trace_arithmetic(text);
                        NEXT
                    })?
                } else {
                    self.evaluate_for(arithmetic, "((")?
                };
                self.env.status = u8::from(value.unwrap_or(0) == 0);
                self.pipe_status_of_one();
                NEXT
            }
            Compound::Condition(condition) => {
                self.context.error_line = self.context.line;
                self.checkpoint()?;
                self.set_bash_command(|| {
                    let simple =
                        CompoundCommand { kind: command.kind.clone(), redirections: Default::default(), ..*command };
                    hookshell_syntax::print_command(&Command::Compound(simple.into()))
                });
                if self.is_skipped_by_debug_trap()? {
                    return NEXT;
                }
                self.env.status = match self.evaluate_condition(condition) {
                    ControlFlow::Continue(Ok(truth)) => u8::from(!truth),
                    ControlFlow::Continue(Err(status)) => status,
                    ControlFlow::Break(divert) => return ControlFlow::Break(divert),
                };
                self.pipe_status_of_one();
                NEXT
            }
            Compound::Coprocess(coprocess) => self.run_coprocess(command, coprocess),
            _ => self.run_compound_body(command, Place::Within),
        }
    }

    /// Notes the command that runs, for BASH_COMMAND.
    #[inline]
    pub(super) fn set_bash_command(&mut self, text: impl FnOnce() -> Vec<u8>) {
        if self.traps.has_any() || self.context.uses_bash_command {
            self.traps.set_command(text);
        }
    }

    /// What BASH_COMMAND has, where it is kept: that of `eval` and `.` is theirs again behind what they have run.
    pub(crate) fn saved_bash_command(&self) -> Option<Vec<u8>> {
        (self.traps.has_any() || self.context.uses_bash_command).then(|| self.traps.command_text())
    }

    /// Puts back what [`Self::saved_bash_command`] gave.
    pub(crate) fn restore_bash_command(&mut self, command: Option<Vec<u8>>) {
        if let Some(command) = command {
            self.traps.set_command(|| command);
        }
    }

    fn run_if(&mut self, clause: &IfClause) -> Flow {
        for (condition, body) in &clause.branches {
            self.ignoring_errexit(|shell| shell.run_list(condition))?;
            if self.env.status == 0 {
                return self.run_list(body);
            }
        }
        match &clause.otherwise {
            Some(body) => self.run_list(body),
            // Behind a `set -n` in the condition there is nothing more to have a status.
            None if self.opt(Opt::Noexec) => NEXT,
            None => {
                self.env.status = 0;
                NEXT
            }
        }
    }

    fn run_while(&mut self, clause: &WhileClause) -> Flow {
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

    fn run_for(&mut self, clause: &ForClause, line: u32) -> Flow {
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

    fn run_arithmetic_for(&mut self, clause: &ArithmeticForClause, line: u32) -> Flow {
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

    fn run_case(&mut self, clause: &CaseClause, line: u32) -> Flow {
        self.context.line = line;
        self.checkpoint()?;
        self.set_bash_command(|| [b"case ", &*hookshell_syntax::print_word(&clause.subject), b" in "].concat());
        if self.is_skipped_by_debug_trap()? {
            return NEXT;
        }
        let mut subject = self.take_bytes();
        self.scratch.substitution_status = None;
        let flow = self.run_case_of(clause, &mut subject);
        self.give_bytes(subject);
        flow
    }

    fn run_case_of(&mut self, clause: &CaseClause, subject: &mut Vec<u8>) -> Flow {
        let mut next = self.find_case(clause, subject)?;
        // An empty list leaves `$?` as it is for the lists behind `;&`, but the command's status is 0 where it is the last.
        let mut status = 0;
        while let Some(index) = next {
            let Some(item) = clause.items.get(index) else { break };
            if item.body.items.is_empty() {
                status = 0;
            } else {
                self.run_list(&item.body)?;
                status = self.env.status;
            }
            next = match item.terminator {
                CaseTerminator::Break => None,
                CaseTerminator::FallThrough => Some(index + 1),
                CaseTerminator::Continue => self.match_case(clause, index + 1, subject)?,
            };
        }
        self.env.status = status;
        NEXT
    }

    fn find_case(&mut self, clause: &CaseClause, subject: &mut Vec<u8>) -> Flow<Option<usize>> {
        if self.opt(Opt::Xtrace) {
            self.trace_text(&[b"case ", &*hookshell_syntax::print_word(&clause.subject), b" in"].concat());
        }
        self.expand_string(&clause.subject, subject)?;
        self.match_case(clause, 0, subject)
    }

    fn match_case(&mut self, clause: &CaseClause, from: usize, subject: &[u8]) -> Flow<Option<usize>> {
        let mut escaped = self.take_bytes();
        let found = self.matching_case(clause, from, subject, &mut escaped);
        self.give_bytes(escaped);
        found
    }

    fn matching_case(
        &mut self,
        clause: &CaseClause,
        from: usize,
        subject: &[u8],
        escaped: &mut Vec<u8>,
    ) -> Flow<Option<usize>> {
        let options = self.pattern_options(self.opt(Opt::Nocasematch));
        for (index, item) in clause.items.iter().enumerate().skip(from) {
            for word in &item.patterns {
                escaped.clear();
                self.expand_pattern(word, escaped)?;
                if self.scratch.patterns.matches(escaped, subject, options) {
                    return ControlFlow::Continue(Some(index));
                }
            }
        }
        ControlFlow::Continue(None)
    }

    /// bash: `select` prints a menu on standard error and reads the choice; at end of file it ends.
    fn run_select(&mut self, clause: &ForClause, line: u32) -> Flow {
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
        let mut result = NEXT;
        let mut print_menu = true;
        loop {
            if print_menu {
                self.write_error(&super::menu::menu(&words, columns));
            }
            let prompt = self.vars.scalar_bytes(b"PS3").unwrap_or(b"#? ").to_vec();
            self.write_error(&prompt);
            let mut line = Vec::new();
            let read = match self.env.fds.get(0).cloned() {
                Some(stream) => {
                    match self.blocking_call(|interrupt| stream.read_until(b'\n', &mut line, 1 << 20, interrupt)) {
                        ControlFlow::Continue(read) => read,
                        ControlFlow::Break(divert) => {
                            result = ControlFlow::Break(divert);
                            break;
                        }
                    }
                }
                None => Ok(false),
            };
            let is_whole = line.pop_if(|last| *last == b'\n').is_some() || matches!(read, Ok(true));
            // As `read` does it: what there is, and a read-only REPLY is a failure.
            let is_read =
                match crate::interpreter::builtins::assigned(self, |shell| shell.set_variable(b"REPLY", &line)) {
                    ControlFlow::Continue(is_assigned) => is_whole && is_assigned,
                    ControlFlow::Break(divert) => {
                        result = ControlFlow::Break(divert);
                        break;
                    }
                };
            if !is_read {
                self.env.status = 1;
                if let ControlFlow::Break(divert) = self.print(b"select", b"\n") {
                    result = ControlFlow::Break(divert);
                }
                self.env.status = 1;
                break;
            }
            if let ControlFlow::Break(divert) = self.checkpoint() {
                result = ControlFlow::Break(divert);
                break;
            }
            if line.is_empty() {
                print_menu = true;
                continue;
            }
            print_menu = false;
            let choice = hookshell_text::integer::parse_integer(&line)
                .and_then(|n| usize::try_from(n).ok())
                .and_then(|n| n.checked_sub(1))
                .and_then(|n| words.get(n))
                .unwrap_or_default()
                .to_vec();
            let id = self.vars.slot(&clause.name);
            match crate::interpreter::builtins::assigned(self, |shell| shell.assign_slot(id, &choice, false)) {
                ControlFlow::Continue(true) => {}
                ControlFlow::Continue(false) => {
                    self.env.status = 1;
                    if self.opt(Opt::Posix) {
                        result = divert(Divert::Exit);
                    }
                    break;
                }
                ControlFlow::Break(divert) => {
                    result = ControlFlow::Break(divert);
                    break;
                }
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
        result
    }
}

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

/// The source of a compound command.
pub(super) fn print_compound(command: &CompoundCommand) -> Vec<u8> {
    hookshell_syntax::print_command(&Command::Compound(command.clone().into()))
}
