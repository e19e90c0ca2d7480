//! A hook's result, and what is noted of a run, for people.

use std::path::Path;

use hookshell_runner::{Event, HookConfig, HookOutcome, HookReport, LeftOut, Runner, Verdict};

use super::RunArgs;
use crate::output::note;
use crate::sources;

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

/// Notes that neither the project nor the user has a config file, and which there are of other agents.
pub(super) fn note_no_config(args: &RunArgs, root: &Path) {
    let others = sources::other_agents(&args.sources, root).map(|others| format!("; {others}")).unwrap_or_default();
    note(&format!("no config file found for {} or the user{others}", root.display()));
}

/// Notes what each hook gave, and which of these runners' did not run for a tool's name in another case.
pub(super) fn note_hooks<'r>(runners: impl Iterator<Item = &'r Runner>, event: &Event, verdict: &Verdict) {
    for line in runners.flat_map(|runner| in_another_case(runner, event)) {
        note(&line);
    }
    if verdict.hooks.is_empty() {
        let of = event.matched().map(|matched| format!(" of `{matched}`")).unwrap_or_default();
        note(&format!("no hook is for {}{of}", event.name()));
    }
    for hook in &verdict.hooks {
        note(&describe(hook));
        for file in &hook.dropped_context_files {
            note(&format!("{}: {file}", hook.name));
        }
        for warning in &hook.warnings {
            note(&format!("{}: warning: {}", hook.name, warning.replace('\n', " ")));
        }
    }
}

/// The hooks that did not run since a tool's name stands in another case in their matcher.
fn in_another_case(runner: &Runner, event: &Event) -> Vec<String> {
    // These are told in any case.
    let missed = runner.missed(event);
    let is_missed = |hook: &HookConfig| missed.iter().any(|(missed, _)| std::ptr::eq(*missed, hook));
    let choices = runner.choices(event).into_iter().filter(|(hook, _)| !is_missed(hook));
    let lines = choices.filter_map(|(hook, why)| match why {
        Some(LeftOut::Matcher { other_case: Some(_), .. }) => {
            Some(format!("the hook `{}` does not run: {}", hook.display_name(), why?))
        }
        _ => None,
    });
    lines.collect()
}
