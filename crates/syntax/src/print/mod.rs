//! Printing trees as source text, in the layout of bash's `declare -f`.
//!
//! What is printed is a program of the dialect it was read in, and reading it gives the same tree. Two things do not
//! come back: the original spelling of most quotes, and the text of a backquoted command that was no program (the tree
//! holds only its error).

mod command;
mod compound;
mod expansion;
mod redirection;
mod shown;
mod word;

use std::sync::Arc;

use crate::ast::{
    AndOr, Arithmetic, Assignment, BraceExpansion, Command, FunctionDefinition, HereDocument, List, SimpleCommand,
    Word, WordPart, WordParts,
};

/// The source of a list, without a newline at its end (unless it ends in a here-document).
pub fn print_list(list: &List) -> Vec<u8> {
    let mut printer = Printer::default();
    printer.list(list);
    printer.finish()
}

/// The text of a command as bash shows what runs (`jobs`, BASH_COMMAND), without a newline at its end (unless it ends in a
/// here-document).
pub fn print_command(command: &Command) -> Vec<u8> {
    let mut printer = Printer { one_line: true, shown: true, ..Printer::default() };
    printer.command(command);
    printer.finish()
}

/// The source of a function definition, as `declare -f` prints it, without a newline at its end. It does the same as the
/// definition but is not always the same: bash makes a group of every body, and puts `function` before the name of a
/// function within the function, except in POSIX mode.
pub fn print_function(function: &FunctionDefinition, posix: bool) -> Vec<u8> {
    let mut printer = Printer { as_bash: Some(posix), shown: true, ..Printer::default() };
    printer.listed_function(function);
    printer.finish()
}

/// The source of a function definition as bash puts it into the environment: as [`print_function`], but each line is indented by
/// one blank, however deep it stands, and the first command stands on the line of the group's `{`.
pub fn print_exported_function(function: &FunctionDefinition) -> Vec<u8> {
    let mut printer = Printer { as_bash: Some(false), shown: true, exported: true, ..Printer::default() };
    printer.listed_function(function);
    printer.finish()
}

/// The source of a word, as bash shows it.
pub fn print_word(word: &Word) -> Vec<u8> {
    let mut printer = Printer { shown: true, ..Printer::default() };
    printer.word(word);
    printer.finish()
}

/// The text of an and-or list as bash shows what runs (`jobs`).
pub fn print_and_or(and_or: &AndOr) -> Vec<u8> {
    let mut printer = Printer { one_line: true, shown: true, ..Printer::default() };
    printer.and_or(and_or);
    printer.finish()
}

/// The source of a simple command, as bash shows what runs.
pub fn print_simple(command: &SimpleCommand) -> Vec<u8> {
    let mut printer = Printer { shown: true, ..Printer::default() };
    printer.simple(command);
    printer.finish()
}

/// The source of an assignment, as bash shows it.
pub fn print_assignment(assignment: &Assignment) -> Vec<u8> {
    let mut printer = Printer { shown: true, ..Printer::default() };
    printer.assignment(assignment);
    printer.finish()
}

/// What an assignment assigns to, a variable or an element, as bash shows it.
pub fn print_assignment_target(assignment: &Assignment) -> Vec<u8> {
    let mut printer = Printer { shown: true, ..Printer::default() };
    printer.assignment_target(assignment);
    printer.finish()
}

/// The text of an arithmetic expression, without its brackets, as bash shows it.
pub fn print_arithmetic(arithmetic: &Arithmetic) -> Vec<u8> {
    let mut printer = Printer { shown: true, ..Printer::default() };
    printer.arithmetic_text(arithmetic);
    printer.finish()
}

/// The source of a brace expansion.
pub fn print_brace(brace: &BraceExpansion) -> Vec<u8> {
    let word = Word { parts: WordParts::one(WordPart::Brace(Box::new(brace.clone()))), ..Word::default() };
    print_word(&word)
}

/// The text so far, and what must follow its next newline.
#[derive(Default)]
struct Printer {
    out: Vec<u8>,
    /// In steps of four blanks.
    indentation: usize,
    /// Here-documents whose bodies follow the next newline.
    pending: Vec<Arc<HereDocument>>,
    /// Inside a substitution the commands of a list stay on one line.
    inline: bool,
    /// The commands of lists and groups stay on one line, as bash shows the text of a command that runs.
    one_line: bool,
    /// As bash lists functions, where that is another form than what was read; in POSIX mode or not.
    as_bash: Option<bool>,
    /// As bash exports functions: no line is indented by more than a blank.
    exported: bool,
    /// As bash shows commands: redirections with the descriptors that they do not name.
    shown: bool,
    /// As bash shows commands: here-documents have been written since the last separator, and the next one is no `;`.
    ended: bool,
    /// As bash shows commands: the lists and pipelines of several commands that are open. Without any, here-documents
    /// follow their redirections at once.
    connections: usize,
    /// One-byte texts are written in quotes, not after a backslash.
    keeps_quotes: bool,
}

impl Printer {
    fn text(&mut self, text: impl AsRef<[u8]>) {
        self.out.extend_from_slice(text.as_ref());
    }

    /// A newline, the here-documents of the line it ends, and the indentation of the next one.
    fn newline(&mut self) {
        self.out.push(b'\n');
        self.here_documents();
        if self.exported {
            self.text(if self.indentation == 0 { "" } else { " " });
            return;
        }
        for _ in 0..self.indentation {
            self.text("    ");
        }
    }

    /// A newline; after here-documents an empty line too, as bash has it.
    fn end_line(&mut self) {
        if !self.pending.is_empty() {
            self.out.push(b'\n');
            self.here_documents();
        }
        self.newline();
    }

    fn here_documents(&mut self) {
        self.ended |= self.shown && !self.pending.is_empty();
        for document in std::mem::take(&mut self.pending) {
            if let Some(body) = document.body.get() {
                self.here_document_body(body);
            }
            self.text(&document.delimiter);
            self.out.push(b'\n');
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if !self.pending.is_empty() {
            self.out.push(b'\n');
            self.here_documents();
        }
        self.out
    }
}
