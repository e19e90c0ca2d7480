//! Simple commands (XCU 2.9.1), and the assignments before and among their words.

use bstr::BString;

use super::text;
use super::token::Operator;
use super::{Parsed, Reader, Start, push};
use crate::ast::{
    Argument, Assignment, AssignmentValue, Command, SimpleCommand, Subscript, Word, WordPart, WordParts, WordShape,
};
use crate::builder::Builder;
use crate::bytes::{DIGIT, META, NAME, QUOTE, begins_name, is};
use crate::name::Name;
use crate::span::Span;

/// How the words that are still to come are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// No command name yet.
    Name,
    /// Behind `command` or `builtin`: the next word may be a declaration utility.
    Prefixed,
    /// Arguments of a declaration utility; `arrays` if `name=(…)` is allowed.
    Declaration { arrays: bool },
    /// bash: arguments of `eval`, `let` and `alias`, where `name=(…)` is plain text.
    Text,
    /// Arguments.
    Plain,
}

/// How far the line of the command is known: bash gives it that of the place to which its parser has read when it makes
/// the command, behind the word that follows the command name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookahead {
    First,
    Second,
    Done,
}

/// What stands at the beginning of a word.
enum Head {
    Assignment(Box<Assignment>),
    Word(Word),
}

impl Reader<'_> {
    /// A simple command, or a function definition `name ()`.
    pub(crate) fn simple_command(&mut self) -> Parsed<Command> {
        let first = self.arguments.len();
        let command = self.simple_command_with(first);
        if command.is_err() {
            self.arguments.truncate(first);
        }
        command
    }

    /// `first`: where its words begin in [`Self::arguments`].
    fn simple_command_with(&mut self, first: usize) -> Parsed<Command> {
        let mut start = self.start();
        let mut end = start.offset;
        let mut lookahead = Lookahead::First;
        let mut assignments = Vec::new();
        let mut redirections = Vec::new();
        let mut words = Words::Name;
        loop {
            self.blanks();
            if words == Words::Name {
                if self.aliases.is_some() && !(assignments.is_empty() && redirections.is_empty()) {
                    self.substitute_aliases()?;
                }
            } else if self.check_next {
                self.substitute_next()?;
            }
            if lookahead == Lookahead::Second {
                start.line = self.current_line();
                end = self.end_offset();
            }
            let Some(byte) = self.peek() else { break };
            if matches!(byte, b'<' | b'>' | b'&' | b'0'..=b'9' | b'{' | b'\\')
                && let Some(redirection) = self.redirection()?
            {
                push(&mut redirections, redirection);
                if lookahead == Lookahead::First {
                    start.line = self.current_line();
                }
                lookahead = Lookahead::Done;
                end = self.end_offset();
                if words == (Words::Declaration { arrays: true }) {
                    words = Words::Declaration { arrays: false };
                }
                continue;
            }
            if !self.at_word() {
                if !matches!(byte, b'(' | b'\\') {
                    break;
                }
                if let Some((Operator::LeftParenthesis, end)) = self.operator()
                    && assignments.is_empty()
                    && redirections.is_empty()
                    && self.arguments.len() == first + 1
                    && let Some(Argument::Word(name)) = self.arguments.pop()
                {
                    return self.function_parentheses(start, &name, end);
                }
                if matches!(self.operator(), Some((Operator::LeftParenthesis, _))) {
                    return self.unexpected(&[]);
                }
                break;
            }
            let may_assign = words != Words::Plain && words != Words::Prefixed || self.options.keyword;
            let head = if may_assign && (begins_name(byte) || byte == b'\\') {
                self.head(words)?
            } else {
                Head::Word(self.expanded_word()?)
            };
            if lookahead != Lookahead::Done {
                start.line = self.current_line();
                lookahead = match (lookahead, &head) {
                    (Lookahead::First, Head::Word(_)) => Lookahead::Second,
                    _ => Lookahead::Done,
                };
            }
            match head {
                Head::Word(word) => {
                    if matches!(words, Words::Name | Words::Prefixed) {
                        words = self.words_behind(&word, words);
                    }
                    self.arguments.push(Argument::Word(word));
                }
                // `set -k`: wherever they stand.
                Head::Assignment(assignment) if matches!(words, Words::Name | Words::Plain) || self.options.keyword => {
                    push(&mut assignments, *assignment);
                }
                Head::Assignment(assignment) => {
                    self.arguments.push(Argument::Assignment(assignment));
                }
            }
            end = self.end_offset();
        }
        let arguments = self.arguments.split_off(first);
        if arguments.is_empty() && assignments.is_empty() && redirections.is_empty() {
            return self.unexpected(&["a command"]);
        }
        let span = Span { start: start.offset, end, line: start.line };
        Ok(Command::Simple(Box::new(SimpleCommand { assignments, arguments, redirections, span })))
    }

    /// How the words behind this command name are read.
    fn words_behind(&self, word: &Word, before: Words) -> Words {
        let [WordPart::Literal(name)] = word.parts.as_slice() else {
            return Words::Plain;
        };
        if !matches!(word.shape, WordShape::Literal(_)) {
            return Words::Plain;
        }
        // bash splits the operands of `command export`, except in POSIX mode.
        let behind_prefix = self.bash && !self.options.posix_mode && before == Words::Prefixed;
        if !matches!(name.first(), Some(b'e' | b'r' | b'd' | b't' | b'l' | b'c' | b'b' | b'a' | b'-')) {
            return Words::Plain;
        }
        match name.as_slice() {
            b"export" | b"readonly" | b"declare" | b"typeset" | b"local" if behind_prefix => Words::Plain,
            b"export" | b"readonly" => Words::Declaration { arrays: self.bash && before == Words::Name },
            b"declare" | b"typeset" | b"local" if self.bash => Words::Declaration { arrays: before == Words::Name },
            b"command" => Words::Prefixed,
            b"builtin" if self.bash => Words::Prefixed,
            b"eval" | b"let" | b"alias" if self.bash && before == Words::Name => Words::Text,
            name if before == Words::Prefixed && name.first() == Some(&b'-') => Words::Prefixed,
            _ => Words::Plain,
        }
    }

    /// A word that begins like a name: an assignment where one may stand, else a word.
    fn head(&mut self, words: Words) -> Parsed<Head> {
        let words = if self.options.keyword { Words::Name } else { words };
        let assignable = matches!(words, Words::Name | Words::Declaration { .. } | Words::Text);
        if !assignable {
            return self.expanded_word().map(Head::Word);
        }
        let text = self.text();
        let mut end = self.pos;
        while text.get(end).is_some_and(|&b| is(b, NAME)) {
            end += 1;
        }
        let next = text.get(end).copied();
        match next {
            Some(b'=') => {}
            Some(b'+' | b'[') if self.bash => {}
            // A line continuation inside the name is rare, but it is no end of it.
            Some(b'\\') if text.get(end + 1) == Some(&b'\n') => {
                return self.head_with_continuations(words);
            }
            _ => return self.expanded_word().map(Head::Word),
        }
        let name = text[self.pos..end].to_vec();
        let start = self.start();
        self.head_behind_name(words, start, name, end)
    }

    fn head_with_continuations(&mut self, words: Words) -> Parsed<Head> {
        let start = self.start();
        let mut name = Vec::new();
        let mut end = self.pos;
        while let Some((byte, next)) = self.byte_from(end)
            && is(byte, NAME)
        {
            name.push(byte);
            end = next;
        }
        if !name.first().is_some_and(|&b| begins_name(b)) {
            return self.expanded_word().map(Head::Word);
        }
        self.head_behind_name(words, start, name, end)
    }

    fn head_behind_name(&mut self, words: Words, start: Start, name: Vec<u8>, end: usize) -> Parsed<Head> {
        match (self.byte_from(end), words) {
            (Some((b'=', next)), _) => self.assignment_value(words, start, name, None, false, next),
            (Some((b'+', plus)), _) if self.bash => match self.byte_from(plus) {
                Some((b'=', next)) => self.assignment_value(words, start, name, None, true, next),
                _ => self.expanded_word().map(Head::Word),
            },
            (Some((b'[', next)), words) if self.bash && words != Words::Text => {
                self.subscripted(words, start, name, next)
            }
            _ => self.expanded_word().map(Head::Word),
        }
    }

    /// bash: behind `name[`. Whatever the brackets hold belongs to the word, blanks included, even if it turns out not
    /// to be an assignment.
    fn subscripted(&mut self, words: Words, start: Start, name: Vec<u8>, inside: usize) -> Parsed<Head> {
        self.pos = inside;
        let key = if words == Words::Name {
            self.subscript_key(start)?
        } else {
            // Among arguments the brackets hold no blanks.
            let key = self.word_key()?;
            if self.peek() != Some(b']') {
                return self.unsubscripted(&name, key, false, start);
            }
            self.pos += 1;
            key
        };
        let append = match self.byte_from(self.pos) {
            Some((b'=', next)) => Some((false, next)),
            Some((b'+', plus)) => match self.byte_from(plus) {
                Some((b'=', next)) => Some((true, next)),
                _ => None,
            },
            _ => None,
        };
        if let Some((append, next)) = append {
            let subscript = self.subscript(key)?;
            return self.assignment_value(words, start, name, Some(subscript), append, next);
        }
        self.unsubscripted(&name, key, true, start)
    }

    /// `name[…]` that is no assignment: the beginning of a word.
    fn unsubscripted(&mut self, name: &[u8], key: Word, closed: bool, start: Start) -> Parsed<Head> {
        let mut builder = Builder::default();
        builder.literal(name);
        builder.literal(b"[");
        text::append(&mut builder, key.parts);
        if closed {
            builder.literal(b"]");
        }
        self.rest_of_word(builder, start).map(Head::Word)
    }

    /// Behind the `=`, at `begin`.
    fn assignment_value(
        &mut self,
        words: Words,
        start: Start,
        name: Vec<u8>,
        subscript: Option<Subscript>,
        append: bool,
        begin: usize,
    ) -> Parsed<Head> {
        let array = matches!(self.byte_from(begin), Some((b'(', _)));
        if words == Words::Text {
            if !array {
                return self.expanded_word().map(Head::Word);
            }
            let mut builder = Builder::default();
            self.pos = begin;
            builder.literal(&name);
            builder.literal(if append { b"+=" } else { b"=" });
            self.parenthesized_text(&mut builder)?;
            return self.rest_of_word(builder, start).map(Head::Word);
        }
        let arrays = !matches!(words, Words::Declaration { arrays: false });
        self.pos = begin;
        if array && self.bash && arrays {
            let key = self.distance_from_end();
            if self.not_array.contains(&key) {
                return self.parenthesized_value(start, name, subscript, append);
            }
            let mark = self.mark();
            self.continuations();
            self.pos += 1;
            let elements = self.array_elements(start)?;
            if self.byte_from(self.pos).is_some_and(|(byte, _)| !is(byte, META)) {
                // `a=(1)b` is text.
                self.rewind(mark);
                self.not_array.insert(key);
                return self.parenthesized_value(start, name, subscript, append);
            }
            return Ok(Head::Assignment(Box::new(Assignment {
                name: Name::new(name),
                subscript,
                append,
                value: AssignmentValue::Array(elements),
                span: self.span(start),
            })));
        }
        if array && !self.bash {
            return self.not_posix("an array", 1);
        }
        let braces = words != Words::Name;
        let value = self.assignment_word(braces)?;
        // bash expands braces before it looks for assignments among the arguments of `export`.
        if braces && value.parts.iter().any(|p| matches!(p, WordPart::Brace(_))) {
            let mut parts =
                WordParts::from_buf([WordPart::Literal(assignment_prefix(&name, subscript.as_ref(), append).into())]);
            parts.extend(value.parts);
            return Ok(Head::Word(Word::new(parts, self.span(start))));
        }
        Ok(Head::Assignment(Box::new(Assignment {
            name: Name::new(name),
            subscript,
            append,
            value: AssignmentValue::Scalar(value),
            span: self.span(start),
        })))
    }

    /// bash: the value of `a=(1)b`.
    fn parenthesized_value(
        &mut self,
        start: Start,
        name: Vec<u8>,
        subscript: Option<Subscript>,
        append: bool,
    ) -> Parsed<Head> {
        let value_start = self.start();
        let mut builder = Builder::default();
        self.parenthesized_text(&mut builder)?;
        let value = self.rest_of_word(builder, value_start)?;
        Ok(Head::Assignment(Box::new(Assignment {
            name: Name::new(name),
            subscript,
            append,
            value: AssignmentValue::Scalar(value),
            span: self.span(start),
        })))
    }

    /// Is a word (or a process substitution) at the place?
    #[inline(always)]
    pub(crate) fn at_word(&self) -> bool {
        // What begins most words.
        if self.peek().is_some_and(|byte| is(byte, NAME | QUOTE) && !is(byte, DIGIT) && byte != b'\\') {
            return true;
        }
        self.at_other_word()
    }

    #[inline(never)]
    fn at_other_word(&self) -> bool {
        match self.byte_from(self.pos) {
            None => false,
            Some((b'<' | b'>', end)) if self.bash => {
                matches!(self.byte_from(end), Some((b'(', _)))
            }
            // `2>` and `{fd}>` begin a redirection.
            Some((b'0'..=b'9' | b'{', _)) => self.redirection_fd().is_none(),
            Some((byte, _)) => !is(byte, META),
        }
    }
}

fn assignment_prefix(name: &[u8], subscript: Option<&Subscript>, append: bool) -> BString {
    let mut text = BString::from(name);
    match subscript {
        None => {}
        Some(Subscript::All) => text.extend_from_slice(b"[@]"),
        Some(Subscript::Star) => text.extend_from_slice(b"[*]"),
        Some(Subscript::Index(index)) => {
            text.push(b'[');
            if let WordShape::Literal(key) = &index.key.shape {
                text.extend_from_slice(key);
            }
            text.push(b']');
        }
    }
    text.extend_from_slice(if append { b"+=" } else { b"=" });
    text
}
