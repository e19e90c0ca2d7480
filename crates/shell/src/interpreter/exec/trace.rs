//! `set -x`.

use hookshell_syntax::ast::{ArrayElement, Assignment, AssignmentValue, ForClause, Subscript, WordPart};
use hookshell_text::quote;
use hookshell_utility::Args;

use crate::interpreter::assign::Items;
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    fn trace_prefix(&mut self) -> Vec<u8> {
        if self.scratch.printing_trace {
            return b"+ ".to_vec();
        }
        self.scratch.printing_trace = true;
        let ps4 = self.vars.scalar_bytes(b"PS4").unwrap_or(b"").to_vec();
        let status = self.env.status;
        let substitution_status = self.scratch.substitution_status;
        // Its own command substitutions are not traced.
        self.env.options.set(Opt::Xtrace, false);
        let text = self.expand_prompt(&ps4).continue_value().unwrap_or(ps4);
        self.env.options.set(Opt::Xtrace, true);
        self.env.status = status;
        self.scratch.substitution_status = substitution_status;
        self.scratch.printing_trace = false;
        // The first character says how deep substitutions are nested.
        let mut prefix = Vec::new();
        if let Some((_, end, _)) = bstr::ByteSlice::char_indices(&*text).next() {
            for _ in 0..=self.context.frames.traced().min(32) {
                prefix.extend_from_slice(&text[..end]);
            }
            prefix.extend_from_slice(&text[end..]);
        }
        prefix
    }

    fn write_trace(&mut self, line: &[u8]) {
        if let Some(stream) = self.env.fds.get(self.env.trace_fd).cloned() {
            let _ = stream.write_all(line, &self.context.interrupt);
        }
    }

    /// Shows a list in the operands of a declaration utility: bash does when it is expanded. One in which only some elements have
    /// subscripts is shown as it is written.
    pub(super) fn trace_list(&mut self, assignment: &Assignment) {
        let AssignmentValue::Array(elements) = &assignment.value else { return };
        let sign: &[u8] = if assignment.append { b"+=" } else { b"=" };
        let target = [assignment.name.as_bytes(), sign].concat();
        if let Some(list) = literal_list(elements) {
            return self.trace_text(&[target, list].concat());
        }
        let with_subscript = elements.iter().filter(|element| element.subscript.is_some()).count();
        if with_subscript == 0 || with_subscript == elements.len() {
            self.scratch.traced_list = Some(target);
        } else {
            self.trace_text(&hookshell_syntax::print_assignment(assignment));
        }
    }

    /// Shows the expanded elements of a list that `target` gets, each with its place where the list has `subscripts`.
    pub(crate) fn trace_items(&mut self, mut target: Vec<u8>, items: &Items, subscripts: bool) {
        target.push(b'(');
        for (index, (place, value, append)) in items.shown().into_iter().enumerate() {
            if index > 0 {
                target.push(b' ');
            }
            if let Some(place) = place.filter(|_| subscripts) {
                target.push(b'[');
                quote::single(&place, &mut target);
                target.extend_from_slice(if append { b"]+=" } else { b"]=" });
            }
            quote::single(value, &mut target);
        }
        target.push(b')');
        self.trace_text(&target);
    }

    /// Shows a command's expanded words.
    pub(super) fn trace_command(&mut self, args: &Args) {
        let mut line = self.trace_prefix();
        for (index, word) in args.iter().enumerate() {
            if index > 0 {
                line.push(b' ');
            }
            quote::trace(word, self.env.bytes, &mut line);
        }
        line.push(b'\n');
        self.write_trace(&line);
    }

    /// Shows the assignment of a scalar: `target` is the name, and the subscript as it is written.
    pub(crate) fn trace_scalar(&mut self, target: &[u8], append: bool, value: &[u8]) {
        let mut line = self.trace_prefix();
        line.extend_from_slice(target);
        line.extend_from_slice(if append { b"+=" } else { b"=" });
        if !value.is_empty() {
            quote::trace(value, self.env.bytes, &mut line);
        }
        line.push(b'\n');
        self.write_trace(&line);
    }

    /// Shows the assignment of an array as it is written.
    pub(crate) fn trace_array(&mut self, assignment: &Assignment) {
        let line = hookshell_syntax::print_assignment(assignment);
        self.trace_text(&line);
    }

    /// Shows the expression of `(( ))`: its text with its expansions.
    pub(super) fn trace_arithmetic(&mut self, text: &[u8]) {
        self.trace_text(&[b"(( ", text, b" ))"].concat());
    }

    /// `text` after the prefix.
    pub(super) fn trace_text(&mut self, text: &[u8]) {
        let mut line = self.trace_prefix();
        line.extend_from_slice(text);
        line.push(b'\n');
        self.write_trace(&line);
    }

    pub(super) fn trace_for(&mut self, clause: &ForClause) {
        let text = super::loops::for_text(clause);
        self.trace_text(&text);
    }
}

/// A list whose elements have nothing to expand, as bash shows it in a declaration.
fn literal_list(elements: &[ArrayElement]) -> Option<Vec<u8>> {
    let literal = |word: &hookshell_syntax::ast::Word| -> Option<Vec<u8>> {
        let mut text = Vec::new();
        for part in &word.parts {
            match part {
                WordPart::Literal(bytes) if !bytes.iter().any(|byte| b"*?[~".contains(byte)) => {
                    text.extend_from_slice(bytes);
                }
                WordPart::Quoted(bytes) => text.extend_from_slice(bytes),
                WordPart::DoubleQuoted(parts) => {
                    for part in parts {
                        let (WordPart::Literal(bytes) | WordPart::Quoted(bytes)) = part else { return None };
                        text.extend_from_slice(bytes);
                    }
                }
                _ => return None,
            }
        }
        Some(text)
    };
    let mut list = b"(".to_vec();
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            list.push(b' ');
        }
        match &element.subscript {
            Some(Subscript::Index(index)) => {
                list.push(b'[');
                quote::single(&literal(&index.key)?, &mut list);
                list.extend_from_slice(if element.append { b"]+=" } else { b"]=" });
            }
            Some(_) => return None,
            None => {}
        }
        quote::single(&literal(&element.value)?, &mut list);
    }
    list.push(b')');
    Some(list)
}
