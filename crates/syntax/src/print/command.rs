//! Lists, pipelines and simple commands.

use super::Printer;
use crate::ast::{
    AndOr, AndOrOp, Argument, ArrayElement, Assignment, AssignmentValue, Command, Compound, CompoundCommand,
    FunctionDefinition, List, ListItem, Pipeline, SimpleCommand, WordPart,
};

/// Words that must not come to stand first.
const RESERVED: [&[u8]; 22] = [
    b"if",
    b"then",
    b"elif",
    b"else",
    b"fi",
    b"for",
    b"do",
    b"done",
    b"while",
    b"until",
    b"case",
    b"esac",
    b"{",
    b"}",
    b"!",
    b"function",
    b"select",
    b"time",
    b"coproc",
    b"[[",
    b"]]",
    b"in",
];

impl Printer {
    /// The commands with separators between them; the last one has `&` if it is in the background, and nothing else.
    pub(super) fn list(&mut self, list: &List) {
        if self.shown && !self.inline {
            return self.shown_list(list);
        }
        for (i, item) in list.items.iter().enumerate() {
            self.and_or(&item.and_or);
            let last = i + 1 == list.items.len();
            if item.background {
                self.text(" &");
            }
            if last {
                if is_bare(item) {
                    self.text(";");
                }
                return;
            }
            if !self.pending.is_empty() {
                self.end_line();
            } else if item.background {
                self.text(" ");
            } else if self.inline && item.newline.0 {
                self.text("\n");
            } else if self.inline || self.one_line {
                self.text("; ");
            } else {
                self.text(";");
                self.newline();
            }
        }
    }

    /// A list that a reserved word follows on the next line.
    pub(super) fn body(&mut self, list: &List) {
        self.indentation += 1;
        self.newline();
        self.list(list);
        self.separator(list);
        self.indentation -= 1;
        self.end_line();
    }

    /// `;` after a list that needs it.
    pub(super) fn separator(&mut self, list: &List) {
        if self.shown {
            self.shown_documents();
            return self.shown_semicolon();
        }
        let terminated = list.items.last().is_some_and(|item| item.background || is_bare(item));
        if !terminated && self.pending.is_empty() {
            self.text(";");
        }
    }

    /// What separates the condition from the reserved word after it: `; `, or a newline if here-documents wait for one.
    pub(super) fn condition_separator(&mut self, list: &List) {
        if self.pending.is_empty() || self.shown {
            self.separator(list);
            self.text(" ");
        } else {
            self.newline();
        }
    }

    pub(super) fn and_or(&mut self, and_or: &AndOr) {
        let is_connected = !and_or.rest.is_empty();
        self.connections += usize::from(is_connected);
        self.pipeline(&and_or.first);
        for (i, (operator, pipeline)) in and_or.rest.iter().enumerate() {
            let operator = match operator {
                AndOrOp::And => " && ",
                AndOrOp::Or => " || ",
            };
            self.operator(operator, i == 0);
            self.pipeline(pipeline);
        }
        self.end_connection(is_connected);
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        let mut prefixes = Vec::new();
        if let Some(time) = &pipeline.time {
            prefixes.push("time");
            if time.posix_format {
                prefixes.push("-p");
                // Without `-p` it would choose that format.
                if !pipeline.negated && begins_with_dash(pipeline) {
                    prefixes.push("--");
                }
            }
        }
        if pipeline.negated {
            prefixes.push("!");
        } else if pipeline.stages.is_empty() && prefixes.is_empty() {
            prefixes.extend(["!", "!"]);
        }
        self.text(prefixes.join(" "));
        if !prefixes.is_empty() && !pipeline.stages.is_empty() {
            self.text(" ");
        }
        let is_connected = pipeline.stages.len() > 1;
        self.connections += usize::from(is_connected);
        for (i, stage) in pipeline.stages.iter().enumerate() {
            self.command(&stage.command);
            if i + 1 < pipeline.stages.len() {
                // bash takes `|&` for a redirection of the command before it.
                let operator = match stage.pipe_stderr {
                    true if self.shown => " 2>&1 |",
                    true => " |&",
                    false => " |",
                };
                self.operator(operator, true);
                self.text(" ");
            }
        }
        self.end_connection(is_connected);
    }

    pub(super) fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => self.function(function),
        }
    }

    /// The function that bash lists.
    pub(super) fn listed_function(&mut self, function: &FunctionDefinition) {
        if RESERVED.contains(&function.name.as_bytes()) {
            self.text("function ");
        }
        self.text(function.name.as_bytes());
        self.text(" () ");
        self.newline();
        self.function_group(&function.body);
    }

    /// A function's body as a group.
    fn function_group(&mut self, body: &CompoundCommand) {
        if matches!(body.kind, Compound::Brace(_)) {
            return self.compound(body);
        }
        self.text("{ ");
        self.indentation += 1;
        self.newline();
        self.compound(body);
        self.indentation -= 1;
        self.end_line();
        self.text("}");
    }

    pub(super) fn function(&mut self, function: &FunctionDefinition) {
        let one_line = std::mem::take(&mut self.one_line);
        self.function_definition(function);
        self.one_line = one_line;
    }

    fn function_definition(&mut self, function: &FunctionDefinition) {
        if let Some(posix) = self.as_bash {
            self.text(if posix { "" } else { "function " });
            self.text(function.name.as_bytes());
            self.text(" () ");
            self.newline();
            self.function_group(&function.body);
            self.ended = false;
            return;
        }
        if function.keyword {
            self.text("function ");
        }
        self.text(function.name.as_bytes());
        self.text(" () ");
        self.newline();
        self.compound(&function.body);
    }

    pub(super) fn simple(&mut self, simple: &SimpleCommand) {
        // `>x if` runs a command of that name; `if >x` would begin a clause.
        let first = simple.arguments.first().filter(|_| simple.assignments.is_empty());
        let redirections_first = match first {
            Some(Argument::Word(word)) => match word.parts.as_slice() {
                [WordPart::Literal(text)] => RESERVED.contains(&text.as_slice()),
                _ => false,
            },
            _ => false,
        };
        let mut blank = false;
        let mut space = |printer: &mut Self| {
            if std::mem::replace(&mut blank, true) {
                printer.text(" ");
            }
        };
        if redirections_first {
            for redirection in &simple.redirections {
                space(self);
                self.redirection(redirection);
            }
        }
        for assignment in &simple.assignments {
            space(self);
            self.assignment(assignment);
        }
        for argument in &simple.arguments {
            space(self);
            match argument {
                Argument::Word(word) => self.word(word),
                Argument::Assignment(assignment) => self.assignment(assignment),
            }
        }
        if !redirections_first {
            for redirection in &simple.redirections {
                space(self);
                self.redirection(redirection);
            }
        }
        self.end_redirections(&simple.redirections);
    }

    pub(super) fn assignment_target(&mut self, assignment: &Assignment) {
        self.text(assignment.name.as_bytes());
        if let Some(subscript) = &assignment.subscript {
            self.subscript(subscript);
        }
    }

    pub(super) fn assignment(&mut self, assignment: &Assignment) {
        self.assignment_target(assignment);
        self.text(if assignment.append { "+=" } else { "=" });
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.word(word),
            AssignmentValue::Array(elements) => {
                self.text("(");
                for (i, element) in elements.iter().enumerate() {
                    if i > 0 {
                        self.text(" ");
                    }
                    self.element(element);
                }
                self.text(")");
            }
        }
    }

    fn element(&mut self, element: &ArrayElement) {
        if let Some(subscript) = &element.subscript {
            self.subscript(subscript);
            self.text(if element.append { "+=" } else { "=" });
        }
        self.word(&element.value);
    }
}

/// Does the item end in a bare `!` or `time`, which only a `;` or a newline ends?
pub(super) fn is_bare(item: &ListItem) -> bool {
    let pipeline = item.and_or.rest.last().map_or(&item.and_or.first, |(_, pipeline)| pipeline);
    pipeline.stages.is_empty()
}

fn begins_with_dash(pipeline: &Pipeline) -> bool {
    let Some(Command::Simple(simple)) = pipeline.stages.first().map(|stage| &stage.command) else {
        return false;
    };
    match (simple.assignments.is_empty(), simple.arguments.first()) {
        (true, Some(Argument::Word(word))) => match word.parts.first() {
            Some(WordPart::Literal(text)) => text.starts_with(b"-"),
            _ => false,
        },
        _ => false,
    }
}
