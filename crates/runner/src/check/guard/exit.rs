//! What a guard's `exit` means after what it has said: whether a deny reaches the agent.

use hookshell_syntax::ast::{AndOr, AndOrOp, Argument, Command, Compound, Pipeline, RedirectionKind, SimpleCommand};

use super::super::FindingCode;
use super::{Said, Walk};

impl Walk<'_> {
    /// Does it print a deny: `echo '{"decision":"deny"}'`?
    pub(super) fn prints_deny(&self, simple: &SimpleCommand) -> bool {
        let name = simple.literal_name();
        let is_printer = name.is_some_and(|name| [&b"echo"[..], b"printf", b"jq"].contains(&&*name));
        let range = simple.span.start as usize..simple.span.end as usize;
        let text = String::from_utf8_lossy(self.source.get(range).unwrap_or_default());
        let has = |parts: [&str; 2]| parts.iter().any(|part| text.contains(part));
        is_printer && simple.redirections.is_empty() && has(["ecision", "\"continue\""]) && has(["deny", "block"])
    }

    /// A command `exit`: what its code means after what was said.
    pub(super) fn exit(&mut self, simple: &SimpleCommand, said: &Said) {
        if simple.literal_name().as_deref() != Some(b"exit") {
            return;
        }
        let code = match simple.arguments.get(1) {
            None => return,
            Some(Argument::Word(word)) => word.literal().and_then(|text| std::str::from_utf8(&text).ok()?.parse().ok()),
            Some(Argument::Assignment(_)) => None,
        };
        match code {
            Some(0) => {}
            Some(2 | 49) | None => self.denies = true,
            Some(code) if said.deny => self.lost.push((simple.span.start as usize, code)),
            Some(code) if said.message => self.failures.push((simple.span.start as usize, code)),
            Some(_) => {}
        }
    }

    /// A guard that tells why on standard error and exits with 1 lets everything through.
    pub(super) fn exit_codes(&mut self) {
        if self.around.reads_at_zero {
            for (offset, code) in std::mem::take(&mut self.lost) {
                let message = format!(
                    "the deny on standard output does not count: it is read where the exit code is 0, and this is {code}. Write exit 0"
                );
                self.error(offset, FindingCode::DeniesNothing, message);
            }
        }
        let decides = ["\"deny\"", "\"block\"", "permissionDecision", "decision", "\"continue\"", "halt"];
        if self.denies || !self.around.only_two_denies || decides.iter().any(|word| self.text.contains(word)) {
            return;
        }
        for (offset, code) in std::mem::take(&mut self.failures) {
            let message = format!(
                "exit code {code} denies nothing: it is a failure, and the call goes through. Only 2 denies (49 halts)"
            );
            self.warn(offset, FindingCode::DeniesNothing, message);
        }
    }

    /// `test && exit 2` as the last command: a harmless call ends with the status of the test, 1.
    pub(super) fn last(&mut self, and_or: &AndOr) {
        let [.., (AndOrOp::And, last)] = &*and_or.rest else { return };
        if and_or.rest.iter().any(|(op, _)| *op == AndOrOp::Or) || !is_exit(last) {
            return;
        }
        let Some(exit) = only_simple(last) else { return };
        let start = exit.span.start as usize;
        let message =
            "as the last command this makes a failure of every call that it does not deny: the status of the \
                       test is left. Write `if …; then …; fi`, or `exit 0` after it"
                .to_owned();
        self.warn(start, FindingCode::EndsWithTest, message);
    }
}

/// Does it write a message: `echo no >&2`?
pub(super) fn writes_to_stderr(simple: &SimpleCommand) -> bool {
    simple.redirections.iter().any(|redirection| {
        matches!(&redirection.kind, RedirectionKind::DuplicateOutput(word) if word.literal().as_deref() == Some(b"2"))
    })
}

fn only_simple(pipeline: &Pipeline) -> Option<&SimpleCommand> {
    match &*pipeline.stages {
        [stage] => match &stage.command {
            Command::Simple(simple) => Some(simple),
            Command::Compound(compound) => match &compound.kind {
                Compound::Brace(list) => match &list.items.last()?.and_or {
                    and_or if and_or.rest.is_empty() => only_simple(&and_or.first),
                    _ => None,
                },
                _ => None,
            },
            Command::Function(_) => None,
        },
        _ => None,
    }
}

/// Is it `exit 2`, or a group that ends with it?
fn is_exit(pipeline: &Pipeline) -> bool {
    only_simple(pipeline).is_some_and(|simple| {
        let code = match simple.arguments.get(1) {
            Some(Argument::Word(word)) => word.literal().map(|text| text.into_owned()),
            _ => None,
        };
        simple.literal_name().as_deref() == Some(b"exit") && code.is_some_and(|code| code != b"0")
    })
}
