//! `set -x`.

use hookshell_syntax::ast::{Assignment, AssignmentValue, ForClause, SimpleCommand};

use crate::args::Args;
use crate::flow::{Flow, NEXT};
use crate::shell::Shell;
use crate::text::{integer, quote};

impl Shell {
    fn trace_prefix(&mut self) -> Vec<u8> {
        if self.printing_trace {
            return b"+ ".to_vec();
        }
        self.printing_trace = true;
        let ps4 = self.vars.scalar_bytes(b"PS4").unwrap_or(b"").to_vec();
        let status = self.status;
        let substitution_status = self.substitution_status;
        let text = self.expand_text(&ps4).continue_value().unwrap_or(ps4);
        self.status = status;
        self.substitution_status = substitution_status;
        self.printing_trace = false;
        // The first character says how deep substitutions are nested.
        let mut prefix = Vec::new();
        if let Some((_, end, _)) = bstr::ByteSlice::char_indices(&*text).next() {
            for _ in 0..=self.subshell_depth.min(32) {
                prefix.extend_from_slice(&text[..end]);
            }
            prefix.extend_from_slice(&text[end..]);
        }
        prefix
    }

    fn write_trace(&mut self, line: &[u8]) {
        let fd = self
            .vars
            .scalar_bytes(b"BASH_XTRACEFD")
            .and_then(integer::parse_integer)
            .and_then(|fd| u32::try_from(fd).ok())
            .unwrap_or(2);
        if let Some(stream) = self.fds.get(fd).cloned() {
            let _ = stream.write_all(line, &self.interrupt);
        }
    }

    pub(super) fn trace_command(&mut self, command: &SimpleCommand, args: &Args) {
        for assignment in &command.assignments {
            let _ = self.trace_assignment(assignment);
        }
        let mut line = self.trace_prefix();
        for (index, word) in args.iter().enumerate() {
            if index > 0 {
                line.push(b' ');
            }
            quote::trace(word, false, &mut line);
        }
        line.push(b'\n');
        self.write_trace(&line);
    }

    pub(super) fn trace_assignments(&mut self, assignments: &[Assignment]) -> Flow {
        for assignment in assignments {
            self.trace_assignment(assignment)?;
        }
        NEXT
    }

    /// Shows an assignment. A value with a command substitution is shown as it is written: it must not run twice.
    fn trace_assignment(&mut self, assignment: &Assignment) -> Flow {
        let mut line = self.trace_prefix();
        let printed = hookshell_syntax::print_assignment(assignment);
        match &assignment.value {
            AssignmentValue::Scalar(word) if crate::exec::pipeline::is_quick(word) => {
                let value = self.expand_to_string(word)?;
                line.extend_from_slice(assignment.name.as_bytes());
                line.extend_from_slice(if assignment.append { b"+=" } else { b"=" });
                if !value.is_empty() {
                    quote::trace(&value, false, &mut line);
                }
            }
            _ => line.extend_from_slice(&printed),
        }
        line.push(b'\n');
        self.write_trace(&line);
        NEXT
    }

    pub(super) fn trace_for(&mut self, clause: &ForClause) {
        let mut line = self.trace_prefix();
        line.extend_from_slice(b"for ");
        line.extend_from_slice(clause.name.as_bytes());
        if let Some(words) = &clause.words {
            line.extend_from_slice(b" in");
            for word in words {
                line.push(b' ');
                line.extend_from_slice(&hookshell_syntax::print_word(word));
            }
        }
        line.push(b'\n');
        self.write_trace(&line);
    }
}
