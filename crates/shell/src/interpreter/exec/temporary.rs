//! Assignments before a command (XCU 2.9.1): how they end, and what bash keeps of them.

use hookshell_syntax::ast::{Argument, Assignment, AssignmentValue, SimpleCommand, Word, WordPart};
use hookshell_syntax::{Name, Span, is_name};
use hookshell_utility::Args;
use smallvec::SmallVec;

use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::reference::Reference;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, ScopeMark, SlotId, Special, Value, Variable};

/// What the variables that a command's assignments hide get to see of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Nothing: a program, or a built-in that runs other commands.
    Nothing,
    /// What was given the export attribute or made read-only: a function, `declare`.
    Attributes,
    /// That, and what the built-in has assigned: `printf -v`, `getopts`, `cd`.
    Values,
}

/// The assignments before a command that runs.
pub(super) struct Temporary {
    mark: ScopeMark,
    /// How many variables they hide.
    count: usize,
    reach: Reach,
    /// What they have assigned, where that matters, by their slots.
    values: SmallVec<[(SlotId, Value); 2]>,
}

/// What a built-in that `command` may call does with the variables before it.
fn reach_of_builtin(args: &Args, in_function: bool) -> Reach {
    let mut names = args.iter().filter(|word| *word != b"command" && *word != b"-p");
    match names.next().unwrap_or_default() {
        // bash has an environment of its own for these.
        b"eval" | b"." | b"source" | b"unset" | b"mapfile" | b"readarray" | b"read" => Reach::Nothing,
        b"declare" | b"typeset" if !in_function => Reach::Attributes,
        _ => Reach::Values,
    }
}

impl Shell {
    /// The assignments that have been made since `mark`, before the command that `args` are the words of.
    pub(super) fn temporary(&self, mark: ScopeMark, args: &Args) -> Temporary {
        let reach = if self.env.inherited.functions.contains_key(&args[0]) {
            Reach::Attributes
        } else if crate::interpreter::builtins::find(&args[0]).is_some() {
            reach_of_builtin(args, self.context.frames.functions() > 0)
        } else {
            Reach::Nothing
        };
        let mut values = SmallVec::new();
        if reach == Reach::Values {
            let ids = self.vars.hidden_since(mark);
            values.extend(ids.filter_map(|id| Some((id, self.vars.get(id)?.value.clone()))));
            // Each is looked up at the end.
            values.sort_by_key(|(id, _)| *id);
        }
        Temporary { mark, count: self.vars.hidden_since(mark).count(), reach, values }
    }

    /// The command has run: what its assignments have hidden comes back.
    pub(super) fn end_temporary(&mut self, temporary: Temporary) {
        for (id, last) in self.vars.leave_temporary(temporary.mark, temporary.count) {
            let special = self.vars.special(id);
            if special.is_watched() {
                self.variable_changed(id, special);
            }
            if let Some(last) = last {
                self.keep_temporary(&temporary, id, last);
            }
        }
    }

    /// Gives what a command has left in one of its variables to the variable that was hidden.
    fn keep_temporary(&mut self, temporary: &Temporary, id: SlotId, last: Variable) {
        let Value::Scalar(text) = &last.value else { return };
        let is_local = last.attributes.has(Attributes::LOCAL);
        let keeps_attributes = match temporary.reach {
            Reach::Nothing => return,
            Reach::Attributes => last.attributes.has(Attributes::KEPT),
            Reach::Values => last.attributes.has(Attributes::KEPT) || is_local,
        };
        let first = temporary.values.partition_point(|(slot, _)| *slot < id);
        let mut own = temporary.values[first..].iter().take_while(|(slot, _)| *slot == id);
        let is_changed = own.any(|(_, value)| *value != last.value);
        if !(keeps_attributes || is_changed) || self.assign_slot(id, text, false).is_break() {
            return;
        }
        if keeps_attributes && let Some(variable) = self.vars.change(id) {
            let inner = Attributes::TEMPORARY.union(Attributes::KEPT);
            variable.attributes = variable.attributes.union(last.attributes.with(inner, false));
            self.vars.environment_changed();
        }
    }

    /// Assignments before a command: exported, and gone after it.
    pub(super) fn assign_temporarily(&mut self, assignments: &[Assignment], depth: Option<u32>) -> Flow {
        for assignment in assignments {
            // bash: an element cannot be assigned for one command; its words are not expanded.
            if assignment.subscript.is_some() {
                let target = hookshell_syntax::print_assignment_target(assignment);
                self.error([b"`", &*target, b"': not a valid identifier"].concat());
                continue;
            }
            let id = self.vars.slot(&assignment.name);
            let id = match self.follow(id)? {
                Reference::Variable(id) => id,
                _ => id,
            };
            let AssignmentValue::Scalar(word) = &assignment.value else { continue };
            let mut value = self.take_bytes();
            self.expand_string(word, &mut value)?;
            // bash appends to the variable as it is, with its attributes; what is assigned anew has none.
            if assignment.append
                && let Some(variable) = self.vars.get(id)
            {
                let attributes = variable.attributes;
                let old = variable.value.scalar().unwrap_or_default().to_vec();
                let appended = self.converted(attributes, old, &value, true)?;
                self.give_bytes(std::mem::replace(&mut value, appended));
            }
            if self.opt(Opt::Xtrace) {
                self.trace_scalar(assignment.name.as_bytes(), false, &value);
            }
            if self.vars.get(id).is_some_and(|v| v.attributes.has(Attributes::READONLY)) {
                let name = self.vars.name(id);
                self.error([&*name, b": readonly variable"].concat());
                self.env.status = 1;
                // XCU 2.8.1: a variable assignment error ends a shell that is not interactive. bash outside of POSIX
                // mode runs the command without the assignment.
                if self.opt(Opt::Posix) {
                    return divert(Divert::Exit);
                }
                self.give_bytes(value);
                continue;
            }
            self.set_temporarily(id, &value, depth);
            let more = value.len();
            self.give_bytes(value);
            self.grew(more)?;
        }
        NEXT
    }

    fn set_temporarily(&mut self, id: SlotId, value: &[u8], depth: Option<u32>) {
        let scope = depth.unwrap_or(self.vars.scope(id));
        self.vars.hide(id, scope);
        *self.vars.change(id) = Some(Variable {
            value: Value::Scalar(value.to_vec()),
            attributes: Attributes::EXPORT.union(Attributes::TEMPORARY),
        });
        self.vars.environment_changed();
        let special = self.vars.special(id);
        if special.is_watched() && special != Special::Optind {
            self.variable_changed(id, special);
        }
    }
}

/// `set -k`: the command with its arguments that look like assignments before its name; `None` if it has none.
#[cold]
pub(super) fn with_keywords(command: &SimpleCommand) -> Option<SimpleCommand> {
    let (mut assignments, mut arguments) = (Vec::new(), Vec::new());
    for (index, argument) in command.arguments.iter().enumerate() {
        match argument {
            Argument::Assignment(assignment) => assignments.push((**assignment).clone()),
            Argument::Word(word) => match (index > 0).then(|| as_assignment(word)).flatten() {
                Some(assignment) => assignments.push(assignment),
                None => arguments.push(argument.clone()),
            },
        }
    }
    if assignments.is_empty() {
        return None;
    }
    assignments.splice(0..0, command.assignments.iter().cloned());
    Some(SimpleCommand { assignments: assignments.into(), arguments: arguments.into(), ..command.clone() })
}

fn as_assignment(word: &Word) -> Option<Assignment> {
    let (WordPart::Literal(text), rest) = word.parts.split_first()? else { return None };
    let at = memchr::memchr(b'=', text)?;
    let (name, append) = match text[..at].strip_suffix(b"+") {
        Some(name) => (name, true),
        None => (&text[..at], false),
    };
    if !is_name(name) {
        return None;
    }
    let mut parts = Vec::new();
    if text.len() > at + 1 {
        parts.push(WordPart::Literal(text[at + 1..].into()));
    }
    parts.extend_from_slice(rest);
    let value = AssignmentValue::Scalar(Word::new(parts, Span::default()));
    Some(Assignment { name: Name::new(name), subscript: None, append, value, span: word.span })
}
