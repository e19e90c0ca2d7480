//! Simple commands (XCU 2.9.1), and the assignments before and among their words.

use bstr::BString;
use thin_vec::ThinVec;

use super::text;
use super::token::Operator;
use super::word::plain_word;
use super::{Parsed, Reader, Start, clamp, push_thin};
use crate::ast::{
    Argument, Assignment, AssignmentValue, Command, SimpleCommand, Subscript, Word, WordPart, WordParts, WordShape,
};
use crate::builder::Builder;
use crate::bytes::{DIGIT, EQUALS, META, NAME, QUOTE, begins_name, is};
use crate::name::Name;
use crate::span::Span;
use crate::text::Text;

/// How the words that are still to come are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// No command name yet.
    Name,
    /// After `command` or `builtin`: the next word may be a declaration utility.
    Prefixed,
    /// Arguments of a declaration utility; `arrays` if `name=(…)` is allowed.
    Declaration { arrays: bool },
    /// bash: arguments of `eval`, `let` and `alias`, where `name=(…)` is plain text.
    Text,
    /// Arguments.
    Plain,
}

/// How far the line of the command is known: bash gives it that of the place to which its parser has read when it makes
/// the command, after the word that follows the command name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookahead {
    First,
    Second,
    Done,
}

/// What is known of a simple command from what has been read of it.
struct SoFar {
    words: Words,
    lookahead: Lookahead,
    /// Its line.
    line: u32,
    /// Where it ends in the source.
    end: u32,
}

/// What stands at the beginning of a word: an assignment, which has been put into the list, or a word.
type Head = Option<Word>;

impl<const DIRECT: bool> Reader<'_, DIRECT> {
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
        let start = self.start();
        let mut so_far = SoFar { words: Words::Name, lookahead: Lookahead::First, line: start.line, end: start.offset };
        let mut assignments = ThinVec::new();
        let mut redirections = ThinVec::new();
        loop {
            self.blanks();
            if so_far.words == Words::Name {
                if self.has_aliases() && !(assignments.is_empty() && redirections.is_empty()) {
                    self.substitute_aliases()?;
                }
            } else if !DIRECT && self.check_next {
                self.substitute_next()?;
            }
            if self.is_in_source() {
                self.plain_words(&mut so_far)?;
                self.blanks();
            }
            if so_far.lookahead == Lookahead::Second {
                so_far.line = self.current_line();
                so_far.end = self.end_offset();
            }
            let Some(byte) = self.peek() else { break };
            // What mostly ends a command.
            if matches!(byte, b'\n' | b';' | b'|' | b')') {
                break;
            }
            if matches!(byte, b'<' | b'>' | b'&' | b'0'..=b'9' | b'{' | b'\\')
                && let Some(redirection) = self.redirection()?
            {
                push_thin(&mut redirections, redirection);
                if so_far.lookahead == Lookahead::First {
                    so_far.line = self.current_line();
                }
                so_far.lookahead = Lookahead::Done;
                so_far.end = self.end_offset();
                if so_far.words == (Words::Declaration { arrays: true }) {
                    so_far.words = Words::Declaration { arrays: false };
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
                    return self.function_parentheses(Start { line: so_far.line, ..start }, &name, end);
                }
                if matches!(self.operator(), Some((Operator::LeftParenthesis, _))) {
                    return self.unexpected(&[]);
                }
                break;
            }
            let may_assign = so_far.words != Words::Plain && so_far.words != Words::Prefixed || self.options.keyword;
            let head = if may_assign && (begins_name(byte) || byte == b'\\') {
                self.head(so_far.words, &mut assignments)?
            } else {
                Some(self.expanded_word()?)
            };
            if so_far.lookahead != Lookahead::Done {
                so_far.line = self.current_line();
                so_far.lookahead = match (so_far.lookahead, &head) {
                    (Lookahead::First, Some(_)) => Lookahead::Second,
                    _ => Lookahead::Done,
                };
            }
            match head {
                Some(word) => {
                    if matches!(so_far.words, Words::Name | Words::Prefixed) {
                        so_far.words = match word.parts.as_slice() {
                            [WordPart::Literal(name)] if word.shape == WordShape::Literal => {
                                self.words_after(name, so_far.words)
                            }
                            _ => Words::Plain,
                        };
                    }
                    self.arguments.push(Argument::Word(word));
                }
                // `set -k`: wherever they stand.
                None if matches!(so_far.words, Words::Name | Words::Plain) || self.options.keyword => {}
                None => {
                    let argument = assignments.pop().map(|assignment| Argument::Assignment(Box::new(assignment)));
                    self.arguments.extend(argument);
                }
            }
            so_far.end = self.end_offset();
        }
        if self.arguments.len() == first && assignments.is_empty() && redirections.is_empty() {
            return self.unexpected(&["a command"]);
        }
        let arguments = self.arguments.split_off(first);
        let span = Span { start: start.offset, end: so_far.end, line: so_far.line };
        Ok(Command::Simple(SimpleCommand { assignments, arguments, redirections, span }))
    }

    /// The words at the place that are text and nothing else. In a function of its own, because the frame of
    /// [`Self::simple_command_with`] recurses.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn plain_words(&mut self, so_far: &mut SoFar) -> Parsed<()> {
        let text = self.unspliced;
        let line = self.current_line();
        while let Some((begin, after, seen)) = plain_word(text, self.pos)
            && (seen & EQUALS == 0 || (so_far.words == Words::Plain && !self.options.keyword))
        {
            self.pos = begin;
            self.count(1)?;
            if matches!(so_far.words, Words::Name | Words::Prefixed) {
                so_far.words = self.words_after(&text[begin..after], so_far.words);
            }
            if so_far.lookahead != Lookahead::Done {
                so_far.line = line;
                so_far.lookahead =
                    if so_far.lookahead == Lookahead::First { Lookahead::Second } else { Lookahead::Done };
            }
            self.pos = after;
            so_far.end = clamp(after);
            let span = Span { start: clamp(begin), end: so_far.end, line };
            self.arguments.push(Argument::Word(Word::plain(Text::part_of(text, begin..after), span)));
        }
        Ok(())
    }

    /// How the words after this command name are read.
    fn words_after(&self, name: &[u8], before: Words) -> Words {
        // bash splits the operands of `command export`, except in POSIX mode.
        let after_prefix = self.bash && !self.options.posix_mode && before == Words::Prefixed;
        if !matches!(name.first(), Some(b'e' | b'r' | b'd' | b't' | b'l' | b'c' | b'b' | b'a' | b'-')) {
            return Words::Plain;
        }
        match name {
            b"export" | b"readonly" | b"declare" | b"typeset" | b"local" if after_prefix => Words::Plain,
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
    fn head(&mut self, words: Words, list: &mut ThinVec<Assignment>) -> Parsed<Head> {
        let words = if self.options.keyword { Words::Name } else { words };
        let assignable = matches!(words, Words::Name | Words::Declaration { .. } | Words::Text);
        if !assignable {
            return self.expanded_word().map(Some);
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
                return self.head_with_continuations(words, list);
            }
            _ => return self.expanded_word().map(Some),
        }
        let name = Text::part_of(text, self.pos..end);
        let start = self.start();
        self.head_after_name(words, start, name, end, list)
    }

    fn head_with_continuations(&mut self, words: Words, list: &mut ThinVec<Assignment>) -> Parsed<Head> {
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
            return self.expanded_word().map(Some);
        }
        self.head_after_name(words, start, name.into(), end, list)
    }

    fn head_after_name(
        &mut self,
        words: Words,
        start: Start,
        name: Text,
        end: usize,
        list: &mut ThinVec<Assignment>,
    ) -> Parsed<Head> {
        match (self.byte_from(end), words) {
            (Some((b'=', next)), _) => self.assignment_value(words, start, (name, None, false), next, list),
            (Some((b'+', plus)), _) if self.bash => match self.byte_from(plus) {
                Some((b'=', next)) => self.assignment_value(words, start, (name, None, true), next, list),
                _ => self.expanded_word().map(Some),
            },
            (Some((b'[', next)), words) if self.bash && words != Words::Text => {
                self.subscripted(words, start, name, next, list)
            }
            _ => self.expanded_word().map(Some),
        }
    }

    /// bash: after `name[`. Whatever the brackets hold belongs to the word, blanks included, even if it turns out not
    /// to be an assignment.
    fn subscripted(
        &mut self,
        words: Words,
        start: Start,
        name: Text,
        inside: usize,
        list: &mut ThinVec<Assignment>,
    ) -> Parsed<Head> {
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
            return self.assignment_value(words, start, (name, Some(subscript), append), next, list);
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
        self.rest_of_word(builder, start).map(Some)
    }

    /// After the `=`, at `begin`.
    fn assignment_value(
        &mut self,
        words: Words,
        start: Start,
        (name, subscript, append): (Text, Option<Subscript>, bool),
        begin: usize,
        list: &mut ThinVec<Assignment>,
    ) -> Parsed<Head> {
        let array = matches!(self.byte_from(begin), Some((b'(', _)));
        if words == Words::Text {
            if !array {
                return self.expanded_word().map(Some);
            }
            let mut builder = Builder::default();
            self.pos = begin;
            builder.literal(&name);
            builder.literal(if append { b"+=" } else { b"=" });
            self.parenthesized_text(&mut builder)?;
            return self.rest_of_word(builder, start).map(Some);
        }
        let arrays = !matches!(words, Words::Declaration { arrays: false });
        self.pos = begin;
        if array && self.bash && arrays {
            let key = self.distance_from_end();
            if self.read_otherwise.contains(&key) {
                return self.parenthesized_value(start, (name, subscript, append), list);
            }
            let mark = self.mark();
            self.continuations();
            self.pos += 1;
            let elements = self.array_elements(start)?;
            if self.byte_from(self.pos).is_some_and(|(byte, _)| !is(byte, META)) {
                // `a=(1)b` is text.
                self.rewind(mark);
                self.read_otherwise.insert(key);
                return self.parenthesized_value(start, (name, subscript, append), list);
            }
            let span = self.span(start);
            push_thin(
                list,
                Assignment { name: Name::new(name), subscript, append, value: AssignmentValue::Array(elements), span },
            );
            return Ok(None);
        }
        if array && !self.bash {
            return self.not_posix("an array", 1);
        }
        let braces = words != Words::Name;
        let value = self.assignment_word(braces)?;
        // bash expands braces before it looks for assignments among the arguments of `export`.
        if braces && value.parts.iter().any(|p| matches!(p, WordPart::Brace(_))) {
            let mut parts =
                WordParts::one(WordPart::Literal(assignment_prefix(&name, subscript.as_ref(), append).into()));
            parts.extend(value.parts);
            return Ok(Some(Word::new(parts, self.span(start))));
        }
        let span = self.span(start);
        push_thin(
            list,
            Assignment { name: Name::new(name), subscript, append, value: AssignmentValue::Scalar(value), span },
        );
        Ok(None)
    }

    /// bash: the value of `a=(1)b`.
    fn parenthesized_value(
        &mut self,
        start: Start,
        (name, subscript, append): (Text, Option<Subscript>, bool),
        list: &mut ThinVec<Assignment>,
    ) -> Parsed<Head> {
        let value_start = self.start();
        let mut builder = Builder::default();
        self.parenthesized_text(&mut builder)?;
        let value = self.rest_of_word(builder, value_start)?;
        let span = self.span(start);
        push_thin(
            list,
            Assignment { name: Name::new(name), subscript, append, value: AssignmentValue::Scalar(value), span },
        );
        Ok(None)
    }

    /// Is a word (or a process substitution) at the place?
    #[cfg_attr(not(debug_assertions), inline(always))]
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
            if let Some(key) = index.key.literal() {
                text.extend_from_slice(&key);
            }
            text.push(b']');
        }
    }
    text.extend_from_slice(if append { b"+=" } else { b"=" });
    text
}
