//! A verdict as one hook of Claude Code says it, so that it does what the hooks themselves would have done.

use serde_json::Value;

use super::output::{ACTION, TERMINAL_SEQUENCE, UPDATED_MCP, WORKTREE_PATH, can_halt};
use super::{can_block, is_told_the_model};
use crate::decision::Decision;
use crate::event_kind::EventKind;
use crate::json;
use crate::render::{Fields, Rendered, context};
use crate::verdict::Verdict;

/// What is printed, and the exit code. Exit code 2 blocks also where an old version does not read the object beside it; what cannot
/// be said by it is said by the object alone.
pub(super) fn render(verdict: &Verdict, dialect_event_name: &str) -> Rendered {
    let event = verdict.event;
    let is_denied = verdict.opinion.decision == Some(Decision::Deny);
    if !is_denied && let Some(text) = plain(verdict) {
        return Rendered::new(text, String::new(), 0);
    }
    let (mut out, mut own) = (Fields::default(), Fields::default());
    // There the answer says it.
    if verdict.opinion.halt && event != EventKind::PermissionRequest {
        out.set("continue", false).text("stopReason", verdict.opinion.reason.as_deref());
    }
    out.text("systemMessage", verdict.opinion.system_message.as_deref());
    let (told, added) = told_and_added(verdict);
    let mut blocks_by_code = is_denied && !verdict.opinion.halt;
    match event {
        EventKind::PreToolUse => {
            if let Some(decision) = verdict.opinion.decision {
                own.set("permissionDecision", decision.as_str());
                own.text("permissionDecisionReason", verdict.opinion.reason.as_deref());
            }
            own.input("updatedInput", verdict.opinion.updated_input.as_ref());
        }
        EventKind::PermissionRequest => {
            blocks_by_code = is_denied;
            let mut answer = Fields::default();
            match verdict.opinion.decision {
                Some(Decision::Allow) => {
                    answer.set("behavior", "allow").input("updatedInput", verdict.opinion.updated_input.as_ref());
                    set_own(&mut answer, verdict, |name| name == "updatedPermissions");
                }
                Some(Decision::Deny) => {
                    answer.set("behavior", "deny").text("message", verdict.opinion.reason.as_deref());
                    if verdict.opinion.halt {
                        answer.set("interrupt", true);
                    }
                }
                _ => {}
            }
            if !answer.0.is_empty() {
                own.set("decision", answer.0);
            }
        }
        EventKind::Elicitation | EventKind::ElicitationResult
            if verdict.opinion.agent_output.iter().any(|(name, _)| *name == ACTION) =>
        {
            blocks_by_code = false;
            out.text("reason", verdict.opinion.reason.as_deref());
        }
        // A context alone has it continue: the model is told nothing else.
        EventKind::Stop | EventKind::SubagentStop
            if is_denied && verdict.opinion.reason.is_none() && added.is_some() =>
        {
            blocks_by_code = false;
        }
        _ if told.is_some() => {
            out.set("decision", "block").text("reason", told.as_deref());
        }
        // Where the agent does not end the turn it blocks at least.
        _ if is_denied && can_block(event) && (!verdict.opinion.halt || !can_halt(event)) => {
            out.set("decision", "block").text("reason", verdict.opinion.reason.as_deref());
        }
        _ => {}
    }
    if let Some(result) = &verdict.opinion.updated_result
        && let Ok(result) = serde_json::from_str::<Value>(result.get())
    {
        let tool = "updatedToolOutput";
        own.set(tool, result);
    }
    set_own(&mut own, verdict, |name| {
        !matches!(name, TERMINAL_SEQUENCE | UPDATED_MCP | WORKTREE_PATH | "updatedPermissions")
    });
    set_own(&mut out, verdict, |name| name == TERMINAL_SEQUENCE);
    if knows_context(event) {
        own.text("additionalContext", added.as_deref());
    }
    if !own.0.is_empty() {
        own.0.shift_insert(0, "hookEventName".to_owned(), dialect_event_name.into());
        out.set("hookSpecificOutput", own.0);
    }
    if blocks_by_code { Rendered::block(out.0, verdict) } else { Rendered::object(out.0) }
}

/// What is text, and no object: the path of a worktree, and what a summary is to keep.
fn plain(verdict: &Verdict) -> Option<String> {
    match verdict.event {
        EventKind::WorktreeCreate => {
            let (_, path) = verdict.opinion.agent_output.iter().find(|(name, _)| *name == WORKTREE_PATH)?;
            Some(json::string(path.get()).into_owned())
        }
        EventKind::PreCompact => context(verdict).filter(|_| !verdict.opinion.halt),
        _ => None,
    }
}

/// What the model is told as a block that came too late, and what as context.
fn told_and_added(verdict: &Verdict) -> (Option<String>, Option<String>) {
    let told: Vec<&str> = match is_told_the_model(verdict.event) || !can_block(verdict.event) {
        true => verdict.hooks.iter().filter_map(|hook| hook.told.as_deref()).collect(),
        false => Vec::new(),
    };
    if told.is_empty() || verdict.opinion.halt {
        return (None, context(verdict));
    }
    let added = verdict.hooks.iter().flat_map(|hook| {
        // A hook's block stands in its context once.
        let mut is_told = hook.told.is_some();
        hook.opinion.context.iter().filter(move |entry| {
            let is_block = is_told && hook.told.as_ref() == Some(entry);
            is_told &= !is_block;
            !is_block
        })
    });
    let mut added: Vec<&str> = added.map(String::as_str).collect();
    let note = verdict.context_files_note();
    added.extend(note.as_deref());
    (Some(told.join("\n")), (!added.is_empty()).then(|| added.join("\n")))
}

/// The events whose own object has `additionalContext`.
fn knows_context(event: EventKind) -> bool {
    matches!(
        event,
        EventKind::PreToolUse
            | EventKind::PostToolUse
            | EventKind::PostToolUseFailure
            | EventKind::PostToolBatch
            | EventKind::UserPromptSubmit
            | EventKind::UserPromptExpansion
            | EventKind::SessionStart
            | EventKind::Setup
            | EventKind::SubagentStart
            | EventKind::Stop
            | EventKind::SubagentStop
    )
}

/// What only Claude Code knows.
fn set_own(fields: &mut Fields, verdict: &Verdict, is_meant: impl Fn(&str) -> bool) {
    for (name, json) in verdict.opinion.agent_output.iter().filter(|(name, _)| is_meant(name)) {
        if let Ok(value) = serde_json::from_str::<Value>(json.get()) {
            fields.set(name, value);
        }
    }
}
