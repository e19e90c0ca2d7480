//! The native contract (`agent-hooks-reference.md`): exit codes and output fields.

use crate::decision::Decision;
use crate::envelope::{Envelope, Fields};
use crate::event_name::EventName;

/// What a hook's exit code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitMeaning {
    /// Standard output is the envelope.
    Envelope,
    /// The tool call is blocked; standard error is the reason.
    Deny,
    /// The turn ends; standard error is the reason.
    Halt,
    /// A non-blocking error.
    Error,
}

/// The exit code that blocks the call.
pub(crate) const DENY: u8 = 2;
/// The exit code that ends the turn. It lies between generic errors (1–30), sysexits (64–78) and signals (128 up), so
/// that nothing exits with it by accident.
pub(crate) const HALT: u8 = 49;

/// What the exit code of a hook means.
pub(crate) fn exit_meaning(status: u8) -> ExitMeaning {
    match status {
        0 => ExitMeaning::Envelope,
        DENY => ExitMeaning::Deny,
        HALT => ExitMeaning::Halt,
        _ => ExitMeaning::Error,
    }
}

/// Reads `version`, `decision`, `halt`, `reason`, `context` and `context_files`, and what only some events know:
/// `updated_input`, `updated_prompt` and `updated_result`.
pub(crate) fn read(fields: &mut Fields<'_, '_>, envelope: &mut Envelope, event: EventName) {
    // Unknown higher versions are read as this one.
    fields.number("version");
    // Beside Claude Code's own object, the decision of the top level is not read (as Crush does).
    if !fields.has("hookSpecificOutput") {
        envelope.decision = fields.decision("decision", "\"allow\", \"ask\", \"deny\" or null", |word| match word {
            "allow" | "approve" => Some(Decision::Allow),
            "ask" | "defer" => Some(Decision::Ask),
            "deny" | "block" => Some(Decision::Deny),
            _ => None,
        });
        envelope.reason = fields.string("reason");
    }
    envelope.halt = fields.boolean("halt").unwrap_or(false);
    envelope.context = fields.strings("context");
    envelope.context_files = fields.strings("context_files");
    match event {
        EventName::PreToolUse => envelope.updated_input = fields.patch("updated_input"),
        EventName::UserPromptSubmit => envelope.updated_prompt = fields.string("updated_prompt"),
        EventName::PostToolUse | EventName::PostToolUseFailure => {
            envelope.updated_result = fields.json("updated_result");
        }
        _ => {}
    }
}
