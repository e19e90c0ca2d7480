//! What Claude Code makes of the answers of several hooks. It takes them in the order in which they are there.

use serde_json::Value;

use super::output::{UPDATED_MCP, WATCH_PATHS};
use crate::decision::Decision;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::json::{self, JsonText, RawObject};
use crate::opinion::Opinion;
use crate::tool_input::{Patch, ToolInput};
use crate::verdict::{HookReport, in_order, vote};

/// Hooks that end within the same of these are in the order of the config: what starts at once must not depend on chance.
const TICK_MS: u128 = 100;

/// All results together.
pub(super) fn aggregate(event: &Event, results: &[HookReport]) -> Opinion {
    let mut ended: Vec<&HookReport> = results.iter().collect();
    ended.sort_by_key(|result| result.elapsed.as_millis() / TICK_MS);
    let decides = |result: &&&HookReport| {
        let vote = vote(result);
        vote.halt || vote.decision.is_some()
    };
    match event.name() {
        EventKind::PreToolUse => return before_a_tool(event, &ended),
        // The first answer is taken.
        EventKind::UserPromptSubmit | EventKind::UserPromptExpansion | EventKind::PermissionRequest => {
            let first = ended.iter().find(decides).map(|result| std::ptr::from_ref(*result));
            ended.retain(|result| !decides(&result) || Some(std::ptr::from_ref(*result)) == first);
        }
        // What ends the turn ends the reading.
        EventKind::PostToolUse => {
            let halted = ended.iter().position(|result| result.opinion.halt);
            ended.truncate(halted.map_or(ended.len(), |at| at + 1));
        }
        _ => {}
    }
    let mut all = in_order(ended.iter().copied(), event.tool_input());
    let mut halts = ended.iter().filter(|result| result.opinion.halt).map(|result| result.opinion.reason.clone());
    match event.name() {
        // The user is shown each.
        EventKind::Stop | EventKind::SubagentStop if all.halt => {
            let reasons: Vec<String> = halts.flatten().collect();
            all.reason = (!reasons.is_empty()).then(|| reasons.join("\n"));
        }
        EventKind::PostToolBatch if all.halt => all.reason = halts.next().flatten(),
        EventKind::PermissionRequest => {
            if let Some(why) = all.updated_input.as_ref().and_then(|input| misfit(event.tool_name(), &input.to_input()))
            {
                all.decision = Some(Decision::Deny);
                all.reason = Some(why);
                all.updated_input = None;
            }
        }
        EventKind::PostToolUse => updated_result(&mut all, event, &ended),
        EventKind::SessionStart | EventKind::CwdChanged | EventKind::FileChanged => watched(&mut all, &ended),
        _ => {}
    }
    all
}

/// What the calls of a tool come to: the strictest decision so far counts, and of equal ones the last, with its reason and
/// its input.
fn before_a_tool(event: &Event, ended: &[&HookReport]) -> Opinion {
    struct Taken<'r> {
        decision: Decision,
        reason: Option<String>,
        input: Option<&'r HookReport>,
    }
    let mut strictest: Option<Decision> = None;
    let (mut taken, mut input): (Option<Taken<'_>>, Option<&HookReport>) = (None, None);
    let (mut halt, mut stop) = (false, None);
    let mut is_denied = false;
    for &result in ended {
        let vote = vote(result);
        if vote.halt {
            halt = true;
            stop = vote.reason.as_deref().map(str::to_owned).or(stop);
        }
        let reason = vote.reason.map(std::borrow::Cow::into_owned);
        let updates = result.opinion.updated_input.is_some().then_some(result);
        // An input that the tool cannot take denies the call, and is not used.
        let misfit = updates.and_then(|result| {
            let input = event.tool_input()?.merged(result.opinion.updated_input.as_ref())?;
            misfit(event.tool_name(), &input)
        });
        let counts = vote.decision.is_none_or(|decision| strictest.is_none_or(|strictest| decision >= strictest));
        if let Some(decision) = vote.decision {
            strictest = strictest.max(Some(decision));
        }
        if let (Some(why), true) = (misfit, counts) {
            is_denied = true;
            taken = Some(Taken { decision: Decision::Deny, reason: Some(why), input: None });
            continue;
        }
        match vote.decision {
            None => input = updates.or(input),
            Some(Decision::Defer) => {}
            Some(decision) if counts => {
                is_denied |= decision == Decision::Deny;
                taken = Some(Taken { decision, reason, input: updates });
            }
            Some(_) => {}
        }
    }
    let mut all = in_order(ended.iter().copied(), event.tool_input());
    let taken_decision = taken.as_ref().map(|taken| taken.decision);
    all.decision = match strictest {
        Some(Decision::Defer) if !is_denied => Some(Decision::Defer),
        _ => taken_decision,
    };
    let blocked = all.decision == Some(Decision::Deny);
    // The tool runs, and the turn ends then; where it does not run the turn continues.
    all.halt = halt && !blocked;
    let deferred = || in_order(ended.iter().copied(), None).reason;
    all.reason = match (all.decision, &taken) {
        (None, _) => stop.filter(|_| all.halt),
        (Some(Decision::Defer), _) => deferred(),
        // Of an allow nothing is shown; a question is asked before the turn ends.
        (Some(Decision::Allow), Some(taken)) => stop.filter(|_| all.halt).or_else(|| taken.reason.clone()),
        (Some(_), Some(taken)) => taken.reason.clone(),
        (Some(_), None) => None,
    };
    let used = taken.and_then(|taken| taken.input).or(input);
    let patch = used.and_then(|result| result.opinion.updated_input.as_ref());
    all.updated_input = event.tool_input().filter(|_| !blocked).and_then(|input| input.merged(patch)).map(Patch::from);
    if blocked {
        all.context_files.clear();
    }
    all
}

/// A result to use instead, by the tool that it is of.
fn updated_result(all: &mut Opinion, event: &Event, ended: &[&HookReport]) {
    let tool = event.tool_name().unwrap_or_default();
    let is_mcp = tool.starts_with("mcp__");
    // The last one of either field counts.
    let of_result = |result: &&HookReport| {
        let of_mcp = || result.opinion.agent_output.iter().find(|(name, _)| *name == UPDATED_MCP).map(|(_, json)| json);
        let is_there = |json: &&JsonText| is_mcp && !matches!(json.get(), "null" | "false" | "0" | "\"\"");
        result.opinion.updated_result.as_ref().or_else(|| of_mcp().filter(is_there)).cloned()
    };
    all.updated_result = ended.iter().filter_map(of_result).next_back();
    all.agent_output.retain(|(name, _)| *name != UPDATED_MCP);
    // It is dropped where it is no result of the tool's.
    if tool == "Bash" && all.updated_result.as_ref().is_some_and(|result| !is_output_of_bash(result)) {
        all.updated_result = None;
    }
}

fn is_output_of_bash(result: &JsonText) -> bool {
    let Ok(result) = RawObject::parse(result.get()) else { return false };
    let is_text = |field| result.get(field).is_some_and(|value| json::text(value).is_some());
    let is_switch = result.get("interrupted").is_some_and(|value| matches!(value.get(), "true" | "false"));
    is_text("stdout") && is_text("stderr") && is_switch
}

/// The files to be watched: those of all hooks.
fn watched(all: &mut Opinion, ended: &[&HookReport]) {
    let lists = ended.iter().flat_map(|result| &result.opinion.agent_output).filter(|(name, _)| *name == WATCH_PATHS);
    let paths: Vec<Value> =
        lists.filter_map(|(_, json)| serde_json::from_str::<Vec<Value>>(json.get()).ok()).flatten().collect();
    if let Some((_, json)) = all.agent_output.iter_mut().find(|(name, _)| *name == WATCH_PATHS)
        && let Ok(joined) = JsonText::parse(&Value::Array(paths).to_string())
    {
        *json = joined;
    }
}

/// The members that a tool's input must have, and that are strings.
fn required(tool: &str) -> &'static [&'static str] {
    match tool {
        "Bash" => &["command"],
        "Read" => &["file_path"],
        "Write" => &["file_path", "content"],
        "Edit" => &["file_path", "old_string", "new_string"],
        "NotebookEdit" => &["notebook_path", "new_source"],
        "Glob" | "Grep" => &["pattern"],
        "WebFetch" => &["url", "prompt"],
        "WebSearch" => &["query"],
        "Agent" | "Task" => &["description", "prompt"],
        _ => &[],
    }
}

/// Why a tool cannot take an input that a hook has changed: Claude Code runs nothing then.
fn misfit(tool: Option<&str>, input: &ToolInput) -> Option<String> {
    let tool = tool?;
    let object = RawObject::parse(input.get()).ok()?;
    let is_text = |field: &&&str| object.get(field).is_some_and(|value| json::text(value).is_some());
    let missing = required(tool).iter().find(|field| !is_text(field))?;
    Some(format!(
        "a hook's updatedInput is no input of {tool}: `{missing}` must be a string (updatedInput is the whole new input)"
    ))
}
