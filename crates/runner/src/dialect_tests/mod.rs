//! Every cell of the table of agents' contracts: files, shapes, events, timeouts, matchers, payloads, variables, exit codes,
//! output and how verdicts are said.

mod claude_output;
mod codex;
mod config;
mod copilot;
mod files;
mod matchers;
mod output;
mod payloads;
mod qwen;
#[cfg(unix)]
mod recorded;

use std::time::Duration;

use super::Dialect;
use crate::config::HookConfig;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::interpret::{Allowed, interpret};
use crate::json::JsonText;
use crate::tool_input::ToolInput;
use crate::verdict::HookReport;
use crate::work::Completion;
use hookshell_dispatch::{End, Outcome};

fn root() -> &'static str {
    if cfg!(windows) { "C:\\w" } else { "/w" }
}

fn input(text: &str) -> ToolInput {
    ToolInput::parse(text).unwrap()
}

/// An event of each name.
fn event(name: EventKind) -> Event {
    let call = || input(r#"{"command":"ls"}"#);
    match name {
        EventKind::PreToolUse => Event::pre_tool_use("bash", call(), root()),
        EventKind::PermissionRequest => Event::permission_request("bash", call(), root()),
        EventKind::PostToolUse => Event::post_tool_use("bash", call(), JsonText::parse("{\"out\":1}").unwrap(), root()),
        EventKind::PostToolUseFailure => Event::post_tool_use_failure("bash", call(), "broken", root()),
        EventKind::UserPromptSubmit => Event::user_prompt_submit("hi", root()),
        EventKind::SessionStart => Event::session_start("startup", root()),
        EventKind::SessionEnd => Event::session_end("clear", root()),
        EventKind::Stop => Event::stop(false, root()).with_last_message("done"),
        EventKind::SubagentStop => Event::subagent_stop(true, root()),
        EventKind::PreCompact => Event::pre_compact("auto", root()),
        EventKind::Notification => Event::notification("look", root()),
        other => Event::other(other, Some("what".to_owned()), root()),
    }
}

/// A hook of the event by its name in the dialect.
fn hook(dialect: Dialect, dialect_event_name: &str) -> HookConfig {
    let (dialect_event_name, event) =
        dialect.event(dialect_event_name).unwrap_or_else(|| panic!("{dialect} has no {dialect_event_name}"));
    let mut hook = HookConfig::new(event, "./h");
    hook.dialect = dialect;
    hook.dialect_event_name = dialect_event_name;
    hook
}

fn result(hook: &HookConfig, status: u8, stdout: &str, stderr: &str) -> HookReport {
    ended(hook, End::Exited, status, stdout, stderr)
}

fn ended(hook: &HookConfig, end: End, status: u8, stdout: &str, stderr: &str) -> HookReport {
    let ran = Outcome {
        status,
        stdout: stdout.into(),
        stderr: stderr.into(),
        ..Outcome::ended(end, Duration::from_millis(7))
    };
    let allowed = Allowed { timeout: Duration::from_secs(1), output_limit: 4096 };
    interpret(hook, &event(hook.event), allowed, Completion::Ran(ran))
}

/// What a hook of the event gives that exits so: `outcome decision halt reason context input`.
fn gives(dialect: Dialect, dialect_event_name: &str, status: u8, stdout: &str, stderr: &str) -> String {
    let hook = hook(dialect, dialect_event_name);
    let result = result(&hook, status, stdout, stderr);
    let merged = event(hook.event).tool_input().and_then(|input| input.merged(&result.opinion.updated_input));
    let mut text = result.outcome.as_str().to_owned();
    let mut add = |what: &str, value: Option<&str>| {
        if let Some(value) = value {
            text.push_str(&format!(" {what}={value}"));
        }
    };
    add("decision", result.opinion.decision.map(|decision| decision.as_str()));
    add("halt", result.opinion.halt.then_some("true"));
    add("reason", result.opinion.reason.as_deref());
    add("context", (!result.opinion.context.is_empty()).then(|| result.opinion.context.join("+")).as_deref());
    add("message", result.opinion.system_message.as_deref());
    add("input", merged.as_ref().map(ToolInput::get));
    add("result", result.opinion.updated_result.as_ref().map(JsonText::get));
    text
}
