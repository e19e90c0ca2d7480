//! Denies without a reason, where the agent takes an exit code for a deny only if a reason stands beside it (Codex, Qwen Code, Gemini CLI).

use hookshell_syntax::ast::SimpleCommand;

use super::super::FindingCode;
use super::Walk;

/// Where an agent looks for the reason without which an exit code denies nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum ReasonOn {
    /// Standard error.
    Stderr,
    /// Either of the two outputs.
    Any,
}

/// Commands that write nothing to standard error where all is well.
const SILENT: [&[u8]; 32] = [
    b"[",
    b":",
    b"awk",
    b"basename",
    b"case",
    b"cat",
    b"cut",
    b"declare",
    b"dirname",
    b"echo",
    b"egrep",
    b"exit",
    b"export",
    b"false",
    b"fgrep",
    b"grep",
    b"head",
    b"jq",
    b"local",
    b"printf",
    b"read",
    b"return",
    b"sed",
    b"set",
    b"shift",
    b"sort",
    b"tail",
    b"test",
    b"tr",
    b"true",
    b"uniq",
    b"wc",
];
/// Of these, those that say something on standard output.
const TALKERS: [&[u8]; 7] = [b"awk", b"cat", b"echo", b"head", b"jq", b"printf", b"sed"];

impl Walk<'_> {
    /// May the command say why?
    pub(super) fn may_say_why(&mut self, simple: &SimpleCommand) {
        let Some(reason_on) = self.around.reason_on else { return };
        if simple.arguments.is_empty() {
            return;
        }
        let is_silent = simple.literal_name().is_some_and(|name| {
            let talks = reason_on == ReasonOn::Any && TALKERS.contains(&&*name);
            SILENT.contains(&&*name) && !talks || self.functions.contains_key(&*name)
        });
        self.may_say |= !is_silent;
    }

    /// Exits that shall deny, in code that says nothing of why.
    pub(super) fn reasons(&mut self) {
        let Some(reason_on) = self.around.reason_on else { return };
        let says = ["&2", "stderr", "fd/2", "set -x", "exec", "ecision", "\"continue\""];
        if self.may_say || self.is_set_elsewhere || says.iter().any(|part| self.text.contains(part)) {
            return;
        }
        let place = match reason_on {
            ReasonOn::Stderr => "on standard error",
            ReasonOn::Any => "on an output",
        };
        for (offset, code) in std::mem::take(&mut self.silent_denies) {
            let message = format!(
                "exit code {code} denies nothing here: the agent takes it for a failure where no reason stands {place}. Write \
                 `echo why >&2` before it"
            );
            self.error(offset, FindingCode::DeniesNothing, message);
        }
    }
}
