//! What a guard's `exit` means after what it has said: whether a deny reaches the agent.

use hookshell_syntax::ast::{
    AndOr, AndOrOp, Argument, Command, Compound, Pipeline, Redirection, RedirectionKind, SimpleCommand,
};
use hookshell_syntax::{print_simple, print_word};

use super::super::FindingCode;
use super::{ExitMeaning, PriorOutput, Walk};

/// The exit code that halts in the contract that has one for it.
const HALT: u8 = 49;

/// An exit code that means nothing of its own.
const MORE: u8 = 3;

impl Walk<'_> {
    /// Does it print a deny: `echo '{"decision":"deny"}'`?
    pub(super) fn prints_deny(&self, simple: &SimpleCommand) -> bool {
        let name = simple.literal_name();
        let is_printer = name.is_some_and(|name| [&b"echo"[..], b"printf", b"jq", b"cat"].contains(&&*name));
        let is_input = |redirection: &Redirection| {
            matches!(
                redirection.kind,
                RedirectionKind::Read(_) | RedirectionKind::HereDocument(_) | RedirectionKind::HereString(_)
            )
        };
        if !is_printer || !simple.redirections.iter().all(is_input) {
            return false;
        }
        let mut text = print_simple(simple);
        for redirection in &simple.redirections {
            if let RedirectionKind::HereDocument(document) = &redirection.kind {
                text.extend(document.body.get().map(print_word).unwrap_or_default());
            }
        }
        let text = String::from_utf8_lossy(&text);
        let has = |parts: [&str; 2]| parts.iter().any(|part| text.contains(part));
        has(["ecision", "\"continue\""]) && has(["deny", "block"])
    }

    /// A command `exit`: what its code means after what was said.
    pub(super) fn exit(&mut self, simple: &SimpleCommand, said: &PriorOutput) {
        if simple.literal_name().as_deref() != Some(b"exit") || simple.arguments.len() < 2 {
            return;
        }
        let code = exit_code(simple);
        if let Some(code) = code.filter(|code| (self.around.exit_meaning)(*code).is_deny()) {
            self.silent_denies.push((self.place(simple.span), code));
        }
        match code {
            Some(0) => {}
            // Where nothing can be blocked 2 says the most that there is to say.
            Some(2) | None => self.denies = true,
            Some(code)
                if matches!(
                    (self.around.exit_meaning)(code),
                    ExitMeaning::Halt | ExitMeaning::Deny | ExitMeaning::DenyByEnvelope
                ) =>
            {
                self.denies = true;
            }
            Some(code) if said.deny => self.lost.push((self.place(simple.span), code)),
            // Codes of <sysexits.h> and of shells say what failed: nobody means a deny by them.
            Some(64..=78 | 126 | 127) => {}
            Some(code) if said.message => self.failures.push((self.place(simple.span), code)),
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
        if self.denies || decides.iter().any(|word| self.text.contains(word)) {
            return;
        }
        for (offset, code) in std::mem::take(&mut self.failures) {
            self.warn(offset, FindingCode::DeniesNothing, denies_nothing(code, self.around.exit_meaning));
        }
    }

    /// `test && exit 2` as the last command: a harmless call ends with the status of the test, 1. The last command of a function
    /// that is the last command is one too.
    pub(super) fn last(&mut self, and_or: &AndOr, depth: usize) {
        let [.., (AndOrOp::And, last)] = &*and_or.rest else {
            let called = only_simple(&and_or.first).filter(|_| and_or.rest.is_empty() && depth < DEPTH);
            let body = called.and_then(|simple| self.functions.get(&*simple.literal_name()?).cloned());
            if let Some(body) = body
                && let Compound::Brace(list) = &body.kind
                && let Some(item) = list.items.last()
            {
                self.last(&item.and_or, depth + 1);
            }
            return;
        };
        if and_or.rest.iter().any(|(op, _)| *op == AndOrOp::Or) || !self.is_exit(last) {
            return;
        }
        let Some(exit) = only_simple(last) else { return };
        let start = self.place(exit.span);
        let message =
            "as the last command this makes a failure of every call that it does not deny: the status of the \
                       test is left. Write `if …; then …; fi`, or `exit 0` after it"
                .to_owned();
        self.warn(start, FindingCode::EndsWithTest, message);
    }

    /// Is it `exit 2`, a group that ends with it, or a function that does?
    fn is_exit(&self, pipeline: &Pipeline) -> bool {
        let Some(simple) = only_simple(pipeline) else { return false };
        let body = simple.literal_name().and_then(|name| self.functions.get(&*name));
        match body.map(|body| &body.kind) {
            Some(Compound::Brace(list)) => list.items.last().is_some_and(|item| {
                item.and_or.rest.is_empty() && only_simple(&item.and_or.first).is_some_and(is_failure)
            }),
            Some(_) => false,
            None => is_failure(simple),
        }
    }
}

/// What is said of an exit code that is only a failure.
pub(in crate::check) fn denies_nothing(code: u8, exit_meaning: &dyn Fn(u8) -> ExitMeaning) -> String {
    let only = if exit_meaning(MORE).is_deny() { "Only 2 and above deny" } else { "Only 2 denies" };
    let halts = if exit_meaning(HALT) == ExitMeaning::Halt { " (49 halts)" } else { "" };
    format!("exit code {code} denies nothing: it is a failure, and the call goes through. {only}{halts}")
}

/// The code of `exit 2`, where it is known; `exit -1` is 255.
pub(super) fn exit_code(simple: &SimpleCommand) -> Option<u8> {
    let Some(Argument::Word(word)) = simple.arguments.get(1) else { return None };
    if simple.literal_name().as_deref() != Some(b"exit") {
        return None;
    }
    let code: i64 = std::str::from_utf8(&word.literal()?).ok()?.parse().ok()?;
    u8::try_from(code & 0xff).ok()
}

/// How many functions that call each other are looked through.
const DEPTH: usize = 8;

/// Does it write a message: `echo no >&2`?
pub(super) fn writes_to_stderr(simple: &SimpleCommand) -> bool {
    simple.redirections.iter().any(|redirection| match &redirection.kind {
        RedirectionKind::DuplicateOutput(word) => word.literal().as_deref() == Some(b"2"),
        RedirectionKind::Write(word) | RedirectionKind::Append(word) => {
            word.literal().is_some_and(|file| matches!(&*file, b"/dev/stderr" | b"/dev/fd/2"))
        }
        _ => false,
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

/// Is it `exit` with a code other than 0?
fn is_failure(simple: &SimpleCommand) -> bool {
    let code = match simple.arguments.get(1) {
        Some(Argument::Word(word)) => word.literal().map(|text| text.into_owned()),
        _ => None,
    };
    simple.literal_name().as_deref() == Some(b"exit") && code.is_some_and(|code| code != b"0")
}
