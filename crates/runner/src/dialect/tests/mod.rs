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
use crate::event::HookEvent;
use crate::event_name::EventName;
use crate::execute::{End, Ran};
use crate::interpret::{Allowed, interpret};
use crate::json::JsonText;
use crate::result::HookResult;
use crate::tool_input::ToolInput;
use crate::work::Ended;

fn root() -> &'static str {
    if cfg!(windows) { "C:\\w" } else { "/w" }
}

fn input(text: &str) -> ToolInput {
    ToolInput::parse(text).unwrap()
}

/// An event of each name.
fn event(name: EventName) -> HookEvent {
    let call = || input(r#"{"command":"ls"}"#);
    match name {
        EventName::PreToolUse => HookEvent::pre_tool_use("bash", call(), root()),
        EventName::PermissionRequest => HookEvent::permission_request("bash", call(), root()),
        EventName::PostToolUse => {
            HookEvent::post_tool_use("bash", call(), JsonText::parse("{\"out\":1}").unwrap(), root())
        }
        EventName::PostToolUseFailure => HookEvent::post_tool_use_failure("bash", call(), "broken", root()),
        EventName::UserPromptSubmit => HookEvent::user_prompt_submit("hi", root()),
        EventName::SessionStart => HookEvent::session_start("startup", root()),
        EventName::SessionEnd => HookEvent::session_end("clear", root()),
        EventName::Stop => HookEvent::stop(false, root()).with_last_message("done"),
        EventName::SubagentStop => HookEvent::subagent_stop(true, root()),
        EventName::PreCompact => HookEvent::pre_compact("auto", root()),
        EventName::Notification => HookEvent::notification("look", root()),
        other => HookEvent::other(other, Some("what".to_owned()), root()),
    }
}

/// A hook of the event by its name in the dialect.
fn hook(dialect: Dialect, own_event: &str) -> HookConfig {
    let (own_event, event) = dialect.event(own_event).unwrap_or_else(|| panic!("{dialect} has no {own_event}"));
    let mut hook = HookConfig::new(event, "./h");
    hook.dialect = dialect;
    hook.own_event = own_event;
    hook
}

fn result(hook: &HookConfig, status: u8, stdout: &str, stderr: &str) -> HookResult {
    ended(hook, End::Exited, status, stdout, stderr)
}

fn ended(hook: &HookConfig, end: End, status: u8, stdout: &str, stderr: &str) -> HookResult {
    let ran = Ran { status, stdout: stdout.into(), stderr: stderr.into(), ..Ran::ended(end, Duration::from_millis(7)) };
    let allowed = Allowed { timeout: Duration::from_secs(1), output_limit: 4096 };
    interpret(hook, &event(hook.event), allowed, Ended::Ran(ran))
}

/// What a hook of the event gives that exits so: `outcome decision halt reason context input`.
fn gives(dialect: Dialect, own_event: &str, status: u8, stdout: &str, stderr: &str) -> String {
    let hook = hook(dialect, own_event);
    let result = result(&hook, status, stdout, stderr);
    let merged = event(hook.event).tool_input().and_then(|input| input.merged(&result.updated_input));
    let mut text = result.outcome.as_str().to_owned();
    let mut add = |what: &str, value: Option<&str>| {
        if let Some(value) = value {
            text.push_str(&format!(" {what}={value}"));
        }
    };
    add("decision", result.decision.map(|decision| decision.as_str()));
    add("halt", result.halt.then_some("true"));
    add("reason", result.reason.as_deref());
    add("context", (!result.context.is_empty()).then(|| result.context.join("+")).as_deref());
    add("message", result.system_message.as_deref());
    add("input", merged.as_ref().map(ToolInput::get));
    add("result", result.updated_result.as_ref().map(JsonText::get));
    text
}
