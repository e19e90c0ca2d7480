//! Word expansion (XCU 2.6).

mod arithmetic;
mod brace;
mod command;
mod emit;
mod list_kind;
mod parameter;
mod pattern_operation;
mod process;
mod prompt;
mod regex_sink;
mod sink;
mod substring;
#[cfg(test)]
mod tests;
mod tilde;
mod transform;

use std::ops::ControlFlow;
use std::path::PathBuf;

use hookshell_syntax::ast::{Argument, AssignmentValue, BraceExpansion, ParameterExpansion, Word, WordPart, WordShape};
use hookshell_text::integer;
use hookshell_text::pattern;
use hookshell_utility::Args;

pub(crate) use arithmetic::ConditionOperand;
pub(crate) use regex_sink::RegexSink;
pub(crate) use sink::{AssignmentSink, FieldSink, PatternSink, Sink, StringSink, TracedPatternSink};

use parameter::ListKind;

use crate::flow::{Divert, Flow, NEXT, divert};
use crate::glob;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;

/// Where the parts of a word stand, as far as their meaning depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Context {
    /// Inside double quotes.
    pub(crate) quoted: bool,
    /// Inside the word of `${x-word}`: its unquoted text is the result of an expansion, and split.
    pub(crate) operand: bool,
    /// In the body of a here-document: `$*` is joined with spaces there.
    pub(crate) here: bool,
    /// What is between the double quotes (or in the here-document) beside this.
    pub(crate) list: ListKind,
}

/// Fields that are patterns: the index of each and the pattern with its quoted characters escaped. The names that match
/// are looked for when all words of a command have been expanded, as in bash: `echo d/* $(touch d/new)`.
type Patterns = Vec<(usize, Vec<u8>)>;

const PLAIN: Context = Context { quoted: false, operand: false, here: false, list: ListKind::None };
const QUOTED: Context = Context { quoted: true, ..PLAIN };

impl Shell {
    /// Expands the words of a simple command or of `for … in` to fields.
    pub(crate) fn expand_arguments(&mut self, arguments: &[Argument], out: &mut Args) -> Flow {
        let first = out.len();
        let mut patterns = Patterns::new();
        for argument in arguments {
            match argument {
                // Most words are one text.
                Argument::Word(word) => match word.literal_part() {
                    Some(text) => out.push(text),
                    None => self.expand_word(word, out, &mut patterns)?,
                },
                Argument::Assignment(assignment) => {
                    // As an operand of a declaration utility: expanded as an assignment, then one word.
                    let mut text = self.take_bytes();
                    text.extend_from_slice(assignment.name.as_bytes());
                    if let Some(subscript) = &assignment.subscript {
                        self.append_subscript_text(subscript, &mut text)?;
                    }
                    text.extend_from_slice(if assignment.append { b"+=" } else { b"=" });
                    if let AssignmentValue::Scalar(word) = &assignment.value {
                        self.expand_parts(&word.parts, PLAIN, &mut AssignmentSink::<true>(&mut text))?;
                    }
                    out.push(&text);
                    self.give_bytes(text);
                }
            }
        }
        self.expand_pathnames(first, &patterns, out)
    }

    /// Expands several words to fields.
    pub(crate) fn expand_words(&mut self, words: &[Word], out: &mut Args) -> Flow {
        let first = out.len();
        let mut patterns = Patterns::new();
        for word in words {
            self.expand_word(word, out, &mut patterns)?;
        }
        self.expand_pathnames(first, &patterns, out)
    }

    /// Expands one word to any number of fields, pathname expansion included.
    pub(crate) fn expand_fields(&mut self, word: &Word, out: &mut Args) -> Flow {
        self.expand_words(std::slice::from_ref(word), out)
    }

    /// Expands one word to any number of fields before pathname expansion.
    #[inline]
    pub(crate) fn expand_word(&mut self, word: &Word, out: &mut Args, patterns: &mut Patterns) -> Flow {
        match word.shape {
            WordShape::Literal => {
                out.push(&word.literal().unwrap_or_default());
                NEXT
            }
            WordShape::QuotedParameter => {
                if let Some(value) = self.quoted_value(word) {
                    out.push(value);
                    return self.check_words(out);
                }
                self.expand_word_general(word, out, patterns)
            }
            WordShape::General => self.expand_word_general(word, out, patterns),
        }
    }

    /// The value of a word that is one `"$name"`, where that takes no more than a look.
    #[inline]
    pub(crate) fn quoted_value(&self, word: &Word) -> Option<&[u8]> {
        match word.parts.as_slice() {
            [WordPart::QuotedParameter(parameter)] => self.plain_value(parameter),
            _ => None,
        }
    }

    /// An error where the words so far are larger than a command's may be.
    #[inline]
    pub(super) fn check_words(&mut self, words: &Args) -> Flow {
        if words.memory() > self.host.limits.expansion_bytes {
            return self.exceed(Limit::ExpansionBytes, "the words of a command are larger");
        }
        NEXT
    }

    fn expand_word_general(&mut self, word: &Word, out: &mut Args, patterns: &mut Patterns) -> Flow {
        if word.parts.iter().any(|part| matches!(part, WordPart::Brace(_))) && self.opt(Opt::Braceexpand) {
            return self.expand_braces(word, out, patterns);
        }
        self.expand_parts_to_fields(&word.parts, out, patterns)
    }

    fn expand_parts_to_fields(&mut self, parts: &[WordPart], out: &mut Args, patterns: &mut Patterns) -> Flow {
        let first = out.len();
        let mut sink = FieldSink::new(out, !self.opt(Opt::Noglob), self.opt(Opt::Extglob));
        let flow = self.expand_parts(parts, PLAIN, &mut sink);
        if flow.is_break() {
            sink.out().truncate(first);
            return flow;
        }
        if sink.stopped {
            sink.out().truncate(first);
            return divert(Divert::Stop);
        }
        sink.end_word();
        patterns.append(&mut sink.patterns);
        self.check_words(out)
    }

    /// Replaces the fields that are patterns by the files that they match.
    #[inline]
    pub(crate) fn expand_pathnames(&mut self, first: usize, patterns: &[(usize, Vec<u8>)], out: &mut Args) -> Flow {
        if patterns.is_empty() { NEXT } else { self.match_pathnames(first, patterns, out) }
    }

    fn match_pathnames(&mut self, first: usize, patterns: &[(usize, Vec<u8>)], out: &mut Args) -> Flow {
        let options = self.glob_options();
        if !patterns.iter().any(|(_, escaped)| pattern::has_special(escaped, options.pattern)) {
            return NEXT;
        }
        let mut result = self.take_args();
        let ignored = self.ignored_names(&options);
        let mut next = patterns.iter().peekable();
        for index in first..out.len() {
            let Some((_, escaped)) = next.next_if(|(at, _)| *at == index) else {
                result.push(&out[index]);
                continue;
            };
            if !pattern::has_special(escaped, options.pattern) {
                result.push(&out[index]);
                continue;
            }
            let cancel = self.host.cancel.clone();
            let interrupt = self.context.interrupt.clone();
            let mut keep_going = || !(cancel.is_cancelled() && interrupt.is_raised());
            let before = result.len();
            let cwd = self.env.inherited.cwd.clone();
            let temp = if cfg!(windows) { self.temp_dir() } else { PathBuf::new() };
            let temp = || temp.clone();
            self.host.cancel.before_wait();
            let matched = glob::expand(escaped, &cwd, &temp, &options, &mut keep_going, &mut |path: &[u8]| {
                if !ignored.iter().any(|parts| matches_by_parts(parts, path)) {
                    result.push(path);
                }
            });
            match matched.map(|_| result.len() - before) {
                Ok(0) if self.opt(Opt::Failglob) => {
                    let mut message = b"no match: ".to_vec();
                    message.extend_from_slice(&out[index]);
                    self.error(message);
                    out.truncate(first);
                    // bash: no expansion error that would end a shell in POSIX mode.
                    self.scratch.is_lenient_discard = true;
                    return self.reported();
                }
                Ok(0) if self.opt(Opt::Nullglob) => {}
                Ok(0) => result.push(&out[index]),
                Ok(_) => {}
                Err(glob::GlobError::Interrupted) => return divert(Divert::Stop),
                Err(error) => {
                    result.truncate(before);
                    return self.exceed(Limit::GlobResults, error);
                }
            }
        }
        out.truncate(first);
        for field in &result {
            out.push(field);
        }
        self.give_args(result);
        NEXT
    }

    /// The patterns of GLOBIGNORE, part by part between slashes: a matching name that matches one of them is left out.
    fn ignored_names(&self, options: &glob::GlobOptions) -> Vec<Vec<pattern::Pattern>> {
        if !self.env.inherited.ignores_names {
            return Vec::new();
        }
        let list = self.vars.scalar_bytes(b"GLOBIGNORE").unwrap_or_default();
        let mut patterns = Vec::new();
        let mut start = 0;
        let mut in_bracket = false;
        let mut escaped = false;
        // A colon in brackets or after a backslash belongs to the pattern.
        for (at, &byte) in list.iter().chain(b":").enumerate() {
            let is_end = at == list.len() || (byte == b':' && !in_bracket && !escaped);
            if is_end && at > start {
                let parts = list[start..at].split(|&byte| byte == b'/');
                patterns.push(parts.map(|part| pattern::Pattern::new(part, options.pattern)).collect());
            }
            if is_end {
                start = at + 1;
            }
            escaped = byte == b'\\' && !escaped;
            in_bracket = match byte {
                b'[' => true,
                b']' => false,
                _ => in_bracket,
            };
        }
        patterns
    }

    pub(crate) fn glob_options(&self) -> glob::GlobOptions {
        glob::GlobOptions {
            pattern: self.pattern_options(self.opt(Opt::Nocaseglob)),
            globstar: self.opt(Opt::Globstar),
            dotglob: self.opt(Opt::Dotglob),
            // bash: GLOBIGNORE leaves them out too.
            dots: !self.opt(Opt::Globskipdots) && !self.env.inherited.ignores_names,
            max_results: self.host.limits.glob_results,
        }
    }

    /// The options by which `case`, `[[ ]]` and `${x#pattern}` match.
    pub(crate) fn pattern_options(&self, nocase: bool) -> pattern::Options {
        pattern::Options { extglob: self.opt(Opt::Extglob), nocase, bytes: self.env.bytes }
    }

    /// Expands a word to one string, without field splitting and pathname expansion, and appends it.
    #[inline]
    pub(crate) fn expand_string(&mut self, word: &Word, out: &mut Vec<u8>) -> Flow {
        if word.append_literal(out) {
            return NEXT;
        }
        self.expand_parts(&word.parts, PLAIN, &mut StringSink(out))
    }

    /// Expands the value of an assignment and appends it.
    #[inline]
    pub(crate) fn expand_assigned(&mut self, word: &Word, out: &mut Vec<u8>) -> Flow {
        if word.append_literal(out) {
            return NEXT;
        }
        self.expand_parts(&word.parts, PLAIN, &mut AssignmentSink::<false>(out))
    }

    /// Expands a word to one string.
    pub(crate) fn expand_to_string(&mut self, word: &Word) -> Flow<Vec<u8>> {
        let mut out = Vec::new();
        self.expand_string(word, &mut out)?;
        ControlFlow::Continue(out)
    }

    /// Expands a word to a pattern in which quoted characters are escaped.
    pub(crate) fn expand_pattern(&mut self, word: &Word, out: &mut Vec<u8>) -> Flow {
        self.expand_parts(&word.parts, PLAIN, &mut PatternSink(out))
    }

    /// Expands a word into a sink, without braces.
    pub(crate) fn expand_into<S: Sink>(&mut self, word: &Word, sink: &mut S) -> Flow {
        self.expand_parts(&word.parts, PLAIN, sink)
    }

    /// Expands the parts of a word into a sink.
    pub(crate) fn expand_parts<S: Sink>(&mut self, parts: &[WordPart], context: Context, sink: &mut S) -> Flow {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 && sink.size() > self.host.limits.expansion_bytes {
                return self.exceed(Limit::ExpansionBytes, "the result of an expansion is larger");
            }
            match part {
                WordPart::Literal(text) => {
                    if context.operand && !context.quoted {
                        sink.expansion(text, &self.env.inherited.ifs);
                    } else {
                        sink.text(text, context.quoted);
                    }
                }
                WordPart::Quoted(text) => sink.text(text, true),
                WordPart::DoubleQuoted(inner) => self.expand_double_quoted(inner, context, sink)?,
                WordPart::QuotedParameter(parameter) => self.expand_quoted_parameter(parameter, context, sink)?,
                WordPart::Parameter(parameter) => self.expand_parameter(parameter, context, sink)?,
                WordPart::CommandSubstitution(substitution) => {
                    let output = self.command_substitution(substitution)?;
                    self.emit(&output, context, sink);
                    self.give_bytes(output);
                }
                WordPart::Arithmetic(arithmetic) => {
                    let value = self.evaluate(arithmetic)?;
                    let mut digits = integer::DecimalBuffer::new();
                    self.emit(integer::decimal(value, &mut digits), context, sink);
                }
                // bash: nothing comes of `<( )`.
                WordPart::ProcessSubstitution(substitution) if substitution.body.items.is_empty() => {}
                WordPart::ProcessSubstitution(substitution) => {
                    let path = self.process_substitution(substitution)?;
                    if !path.is_empty() {
                        sink.text(&path, true);
                    }
                }
                WordPart::Tilde(user) => {
                    let home = self.tilde(user);
                    sink.text(&home, true);
                }
                // Not a command's word, or braces are off: they stand for themselves.
                WordPart::Brace(expansion) => match &**expansion {
                    BraceExpansion::Words { plain, .. } => self.expand_parts(plain, context, sink)?,
                    BraceExpansion::Alternatives(alternatives) => {
                        let mut before = b"{";
                        for parts in alternatives {
                            sink.text(before, context.quoted);
                            before = b",";
                            self.expand_parts(parts, context, sink)?;
                        }
                        sink.text(b"}", context.quoted);
                    }
                    sequence => sink.text(&hookshell_syntax::print_brace(sequence), context.quoted),
                },
            }
        }
        NEXT
    }

    fn expand_double_quoted<S: Sink>(&mut self, parts: &[WordPart], outer: Context, sink: &mut S) -> Flow {
        // "" is a field of its own.
        if parts.is_empty() {
            self.emit(b"", Context { list: outer.list, ..QUOTED }, sink);
        }
        let list = if S::FIELDS { self.list_kind_of(parts) } else { ListKind::None };
        self.expand_list(list, outer, sink, |shell, context, sink| shell.expand_parts(parts, context, sink))
    }

    fn expand_quoted_parameter<S: Sink>(
        &mut self,
        parameter: &ParameterExpansion,
        outer: Context,
        sink: &mut S,
    ) -> Flow {
        let list = if S::FIELDS { self.list_kind(parameter) } else { ListKind::None };
        self.expand_list(list, outer, sink, |shell, context, sink| shell.expand_parameter(parameter, context, sink))
    }

    /// Expands what stands in double quotes, and tells the sink where it may be any number of fields. They may stand in the
    /// word of an expansion between double quotes (`outer`), whose list decides with theirs.
    #[inline]
    fn expand_list<S: Sink>(
        &mut self,
        list: ListKind,
        outer: Context,
        sink: &mut S,
        expand: impl FnOnce(&mut Self, Context, &mut S) -> Flow,
    ) -> Flow {
        if list > ListKind::None {
            sink.begin_list();
        }
        expand(self, Context { list: list.max(outer.list), ..QUOTED }, sink)?;
        if list > ListKind::None {
            sink.end_list();
        }
        NEXT
    }

    fn list_kind_of(&self, parts: &[WordPart]) -> ListKind {
        let kind = |part: &WordPart| match part {
            WordPart::Parameter(expansion) => self.list_kind(expansion),
            _ => ListKind::None,
        };
        parts.iter().map(kind).max().unwrap_or(ListKind::None)
    }

    /// Expands the body of a here-document.
    pub(crate) fn expand_here_document(&mut self, body: &Word, out: &mut Vec<u8>) -> Flow {
        let [WordPart::DoubleQuoted(parts)] = &*body.parts else {
            return self.expand_string(body, out);
        };
        let list = self.list_kind_of(parts);
        self.expand_parts(parts, Context { here: true, list, ..QUOTED }, &mut StringSink(out))
    }

    /// Gives the result of an expansion to the sink.
    #[inline]
    pub(crate) fn emit<S: Sink>(&self, bytes: &[u8], context: Context, sink: &mut S) {
        if !context.quoted {
            self.split(bytes, sink);
        } else if context.list < ListKind::Vanishes || !bytes.is_empty() {
            sink.text(bytes, true);
        }
    }

    /// Gives the result of an expansion outside double quotes to the sink. Of a long one it is looked piece by piece
    /// whether the run was told to stop.
    pub(super) fn split<S: Sink>(&self, bytes: &[u8], sink: &mut S) {
        if !S::FIELDS || bytes.len() <= PIECE {
            return sink.expansion(bytes, &self.env.inherited.ifs);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.is_stopping() {
                return sink.stop();
            }
            let (piece, after) = rest.split_at(piece_end(rest));
            sink.expansion(piece, &self.env.inherited.ifs);
            rest = after;
        }
    }
}

/// So many bytes of a long value are worked on between two looks whether the run was told to stop.
pub(super) const PIECE: usize = 1 << 16;

/// Where the first piece of a text ends, which is not within a character.
pub(super) fn piece_end(text: &[u8]) -> usize {
    let mut end = text.len().min(PIECE);
    while text.get(end).is_some_and(|byte| hookshell_process::text::is_continuation(*byte)) {
        end += 1;
    }
    end
}

/// Does a path match a pattern whose `*` and `?` match no slash?
fn matches_by_parts(parts: &[pattern::Pattern], path: &[u8]) -> bool {
    let mut names = path.split(|&byte| byte == b'/');
    parts.iter().all(|part| names.next().is_some_and(|name| part.matches(name))) && names.next().is_none()
}
