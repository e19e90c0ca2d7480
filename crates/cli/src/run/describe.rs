//! A hook's result, for people.

use hookshell_runner::{HookOutcome, HookReport};

/// How the route of a command begins that was not started.
const NOTHING_STARTED: &str = "nothing is started: ";

/// One hook's result in one line.
pub(crate) fn describe(hook: &HookReport) -> String {
    let outcome = if hook.has_syntax_error { "syntax error," } else { hook.outcome.as_str() };
    let mut line = format!("{}: {outcome}", hook.name);
    match hook.opinion.decision {
        Some(decision) => line.push_str(&format!(" {}", decision.as_str())),
        None if hook.has_syntax_error => line.push_str(" no decision"),
        None => {}
    }
    if hook.opinion.halt {
        line.push_str(" halt");
    }
    if let Some(code) = hook.exit_code {
        line.push_str(&format!(", exit code {code}"));
    }
    line.push_str(&format!(", {} ms", hook.elapsed.as_millis()));
    // Why nothing was started is the failure itself.
    if let Some(route) = hook.route.as_ref().filter(|route| !route.starts_with(NOTHING_STARTED)) {
        line.push_str(&format!(", {route}"));
    }
    let why = match &hook.outcome {
        HookOutcome::Failed(failure) => hook.opinion.reason.clone().or_else(|| Some(failure.to_string())),
        _ => hook.opinion.reason.clone(),
    };
    if let Some(why) = why {
        line.push_str(": ");
        line.push_str(&why.replace('\n', " "));
    }
    line
}
