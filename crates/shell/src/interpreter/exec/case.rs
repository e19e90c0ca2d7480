//! `case` (XCU 2.9.4.3).

use std::ops::ControlFlow;

use hookshell_syntax::ast::{CaseClause, CaseTerminator};

use crate::flow::{Flow, NEXT};
use crate::options::Opt;
use crate::shell::Shell;

impl Shell {
    pub(super) fn run_case(&mut self, clause: &CaseClause, line: u32) -> Flow {
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
        // An empty list leaves `$?` as it is for the lists after `;&`, but the command's status is 0 where it is the last.
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
                self.before_long(subject.len().saturating_mul(escaped.len()));
                if self.scratch.patterns.matches(escaped, subject, options) {
                    return ControlFlow::Continue(Some(index));
                }
            }
        }
        ControlFlow::Continue(None)
    }
}
