//! What counts of an answer for which event.

use crate::event_kind::EventKind;

/// The events that are newer than the version that all this was compared with.
pub(in super::super) fn is_newer(event: EventKind) -> bool {
    matches!(event, EventKind::PreModelSwitch | EventKind::PostModelSwitch | EventKind::DirectoryAdded)
}

/// Is plain text that a hook prints context? (Of PreCompact's it is added to what the summary is to keep.)
pub(super) fn takes_plain_text(event: EventKind) -> bool {
    matches!(event, EventKind::SessionStart | EventKind::UserPromptSubmit | EventKind::UserPromptExpansion)
}

/// What a block of the event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// It stops what the event is about.
    Denies,
    /// It ends the turn.
    Halts,
    /// It is told the model; by exit code 2 only where `by_code`.
    Told { by_code: bool },
    /// Nothing.
    Nothing,
}

pub(super) fn block_of(event: EventKind) -> Block {
    match event {
        EventKind::PostToolBatch => Block::Halts,
        EventKind::PostToolUse | EventKind::PostToolUseFailure => Block::Told { by_code: true },
        EventKind::SessionStart | EventKind::Setup => Block::Told { by_code: false },
        EventKind::PermissionRequest => Block::Nothing,
        _ if super::super::can_block(event) => Block::Denies,
        _ => Block::Nothing,
    }
}

/// Does `"continue": false` end the turn? Before a tool it does so once the tool has run.
pub(in super::super) fn can_halt(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::PreToolUse
            | EventKind::PostToolUse
            | EventKind::PostToolBatch
            | EventKind::UserPromptSubmit
            | EventKind::UserPromptExpansion
            | EventKind::Stop
            | EventKind::SubagentStop
            | EventKind::TaskCompleted
            | EventKind::TeammateIdle
    )
}

/// Is a `systemMessage` shown to the user?
pub(super) fn shows_messages(event: EventKind) -> bool {
    !matches!(
        event,
        EventKind::PermissionRequest
            | EventKind::PermissionDenied
            | EventKind::SubagentStart
            | EventKind::MessageDisplay
            | EventKind::TaskCreated
    ) && (!is_outside(event) || matches!(event, EventKind::CwdChanged | EventKind::FileChanged))
}

/// Is its object read without its name being looked at?
pub(super) fn is_outside(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::PreCompact
            | EventKind::PostCompact
            | EventKind::Notification
            | EventKind::SessionEnd
            | EventKind::StopFailure
            | EventKind::ConfigChange
            | EventKind::CwdChanged
            | EventKind::FileChanged
            | EventKind::InstructionsLoaded
            | EventKind::Elicitation
            | EventKind::ElicitationResult
            | EventKind::WorktreeCreate
            | EventKind::WorktreeRemove
    )
}

/// At the end of a turn or of a task exit code 2 is not taken for a block where standard error reports a missing script, which
/// would block for ever.
pub(super) fn is_missing_script(event: EventKind, stdout: &str, stderr: &str) -> bool {
    let is_of_end =
        matches!(event, EventKind::Stop | EventKind::SubagentStop | EventKind::TaskCompleted | EventKind::TeammateIdle);
    let says = |words: &str| stderr.to_ascii_lowercase().contains(words);
    is_of_end && stdout.is_empty() && (says("no such file") || says("can't open"))
}
