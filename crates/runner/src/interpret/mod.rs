//! From how a hook's command ended to what the hook says.

mod answer;
mod message;
mod unrun;

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use hookshell_dispatch::{End, Outcome};
use serde_json::Value;

pub(crate) use self::answer::failure;
use self::answer::{cause_of_denial, exit, of_refused, response};
use self::message::{of_broken_jq, tail, text};
use self::unrun::not_asked;
pub(crate) use self::unrun::{denied_unrun, failed_unrun, started, untrusted};
use crate::config::{Exit, ExitMeaning, HookConfig, OnFailure};
use crate::decision::Decision;
use crate::encoding;
use crate::envelope::{BadEnvelope, Envelope};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::hint;
use crate::http::Refused;
use crate::named_files;
use crate::native_hook::NativeResponse;
use crate::outcome::{Failure, HookOutcome};
use crate::trust::while_it_ran;
use crate::verdict::{HookReport, ShellUse};
use crate::work::Completion;

/// What the runner allowed a hook.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    pub(crate) timeout: Duration,
    pub(crate) output_limit: usize,
}

/// What a hook said, by how its work ended.
pub(crate) fn interpret(hook: &HookConfig, event: &Event, allowed: Allowed, ended: Completion) -> HookReport {
    continued(hook, &ended).unwrap_or_else(|| interpret_ended(hook, event, allowed, ended))
}

/// The report of a hook that told by its first line that it continues in the background, and has ended by now: its agent did not
/// wait for the rest.
fn continued(hook: &HookConfig, ended: &Completion) -> Option<HookReport> {
    let (outcome, route) = match ended {
        Completion::Ran(Outcome { end: End::Changed(_), .. }) => return None,
        Completion::Ran(outcome) => (outcome, outcome.route.to_string()),
        Completion::Replied(reply) => (&reply.outcome, reply.route.clone()),
        _ => return None,
    };
    says_async(hook, outcome).then(|| {
        let mut report = started(hook);
        report.elapsed = outcome.duration;
        report.stderr = tail(&encoding::to_utf8(&outcome.stderr));
        report.route = Some(route);
        report
    })
}

/// Does what a command printed say that it continues in the background?
pub(crate) fn says_async(hook: &HookConfig, outcome: &Outcome) -> bool {
    hook.dialect.contract().says_async(&outcome.stdout)
}

/// What a hook said that ran in the background and has ended: the line by which it told that it continues says nothing of how it
/// came out.
pub(crate) fn interpret_background(
    hook: &HookConfig,
    event: &Event,
    allowed: Allowed,
    mut ended: Completion,
) -> HookReport {
    if let Completion::Ran(outcome) = &mut ended
        && says_async(hook, outcome)
    {
        let line = outcome.stdout.iter().position(|byte| *byte == b'\n').map_or(outcome.stdout.len(), |end| end + 1);
        outcome.stdout.drain(..line);
    }
    interpret_ended(hook, event, allowed, ended)
}

fn interpret_ended(hook: &HookConfig, event: &Event, allowed: Allowed, ended: Completion) -> HookReport {
    match ended {
        Completion::Ran(Outcome { end: End::Changed(fault), .. }) => untrusted(hook, while_it_ran(fault)),
        Completion::Ran(outcome) => {
            let route = outcome.route.to_string();
            of_command(hook, event, allowed, outcome, None, Some(route))
        }
        Completion::Ended(end, elapsed) => of_command(hook, event, allowed, Outcome::ended(end, elapsed), None, None),
        Completion::InBackground(after) => {
            let mut report = started(hook);
            report.elapsed = after;
            report
        }
        Completion::Replied(reply) => of_command(hook, event, allowed, reply.outcome, reply.refused, Some(reply.route)),
        Completion::Answered(response) => of_host(hook, event, response),
        Completion::Untrusted(reason) => untrusted(hook, reason),
        Completion::NotAsked(by) => not_asked(hook, &by),
    }
}

/// The report of a hook that has said nothing yet.
fn report(hook: &HookConfig) -> HookReport {
    let mut report = HookReport::new(hook.display_name(), hook.own_command());
    report.origin = hook.origin;
    report.place.clone_from(&hook.place);
    report.dialect_event_name = hook.place.is_some().then_some(hook.dialect_event_name);
    report.matcher = hook.matcher.pattern().map(str::to_owned);
    report.agent = Some(hook.dialect.into());
    report.wakes = hook.rewakes;
    // Where nothing is blocked there is nothing that a failure could deny.
    if hook.dialect.contract().can_block(hook.event) {
        report.on_failure = hook.on_failure;
    }
    report
}

/// What a hook said that is no command.
fn of_host(hook: &HookConfig, event: &Event, response: NativeResponse) -> HookReport {
    let mut report = report(hook);
    report.elapsed = response.elapsed;
    report.route = response.route;
    let said = response.response.map(|mut said| {
        said.keep_what_is_of(event.name());
        if !hook.dialect.contract().can_block(event.name()) {
            said.drop_decision();
        }
        said
    });
    apply_opinion(&mut report, event, said);
    report
}

/// What a command said, or a server where a command would be: `refused` says why its answer does not count.
fn of_command(
    hook: &HookConfig,
    event: &Event,
    allowed: Allowed,
    mut outcome: Outcome,
    refused: Option<Refused>,
    route: Option<String>,
) -> HookReport {
    let contract = hook.dialect.contract();
    let stdout = contract.reads_utf16().then_some(&mut outcome.stdout);
    for printed in stdout.into_iter().chain([&mut outcome.stderr]) {
        if let Cow::Owned(text) = encoding::to_utf8(printed) {
            *printed = text;
        }
    }
    let mut report = report(hook);
    report.stderr = tail(&outcome.stderr);
    report.elapsed = outcome.duration;
    // Where a program was not started the shell exits with 126 or 127.
    let exited = matches!(outcome.end, End::Exited | End::SyntaxError(_) | End::NotStarted(_));
    report.exit_code = (exited && !hook.kind.is_http()).then_some(outcome.status);
    let denies_on_timeout = match hook.kind.is_http() {
        true => contract.http().is_some_and(|rules| rules.denies_on_timeout(event.name())),
        false => contract.denies_on_timeout(event.name()),
    };
    if matches!(outcome.end, End::TimedOut) && denies_on_timeout {
        report.on_failure = OnFailure::Deny;
    }
    let is_syntax_error = matches!(outcome.end, End::SyntaxError(_));
    report.has_syntax_error = is_syntax_error;
    let is_not_refused = refused.is_none();
    let is_exit = is_not_refused && matches!(outcome.end, End::Exited);
    let said = match refused {
        Some(refused) => of_refused(hook, event.name(), refused),
        None => response(hook, event.name(), allowed, &outcome),
    };
    apply_opinion(&mut report, event, said);
    if let Some(lost) = lost(hook, event.name(), &exit(hook, event.name(), &outcome), is_exit, &report) {
        report.warnings.retain(|warning| !contract.is_said_by_lost(warning));
        report.warnings.push(lost);
    }
    // The guard has gone on without what it had to look at.
    if matches!(report.outcome, HookOutcome::NoOpinion)
        && let Some(error) = of_broken_jq(&report.stderr)
    {
        report.warnings.push(format!("a jq program in it does not compile: {error}"));
    }
    report.route = route;
    let denied_for = is_not_refused.then(|| cause_of_denial(&outcome, allowed.timeout)).flatten();
    // Exit code 2 is also that of a shell that cannot read its script.
    report.has_syntax_error |=
        is_exit && outcome.status == 2 && hint::is_syntax_error_of(&hook.command_line(), &report.stderr);
    let shells = outcome.shells.into_iter();
    report.shells =
        shells.map(|used| ShellUse { command: used.command, shell: used.shell, reason: used.reason }).collect();
    let is_denied = report.opinion.decision == Some(Decision::Deny);
    // `args` are no line for a shell, and an address is none.
    let cause = match &report.outcome {
        HookOutcome::Failed(failure) => Some(failure),
        // An agent that denies for it tells its user no more than the denial.
        HookOutcome::Decided if is_denied => denied_for.as_ref(),
        _ => None,
    };
    let cwd = hook.directory(event.cwd(), event.project_dir());
    let directories = [Some(event.project_dir()), Some(event.cwd()), hook.plugin_root.as_deref()];
    let directories: Vec<&Path> = directories.into_iter().flatten().collect();
    let missing = match cause {
        Some(failure) if !hook.kind.is_http() => hint::of_missing(failure, &hook.command_line(), &cwd, &directories),
        _ => None,
    };
    // A shell that trips over a CR may deny by accident, too.
    let is_wrong = matches!(report.outcome, HookOutcome::Failed(_)) || is_denied;
    let of_crlf = (is_exit && is_wrong && outcome.status != 0).then(|| {
        let directories: Vec<&Path> = std::iter::once(&*cwd).chain(directories.iter().copied()).collect();
        hint::of_crlf(&hook.command_line(), &report.stderr, &directories)
    });
    let hint = match cause {
        _ if hook.args.is_some() || hook.kind.is_http() => None,
        Some(failure) => hint::of_failure(&hook.command_line(), failure, &report.stderr),
        _ if is_syntax_error => hint::of_line(&hook.command_line()),
        _ => None,
    };
    let hint = of_crlf.flatten().or(hint).or(missing);
    if let (Some(hint), Some(reason)) = (hint, &mut report.opinion.reason) {
        reason.push_str(&format!(" ({hint})"));
    }
    report
}

/// Takes what a hook said into its report, and looks for the files that it named.
fn apply_opinion(report: &mut HookReport, event: &Event, said: Result<Envelope, Failure>) {
    match said {
        Ok(envelope) => {
            report.outcome = if envelope.is_silent() { HookOutcome::NoOpinion } else { HookOutcome::Decided };
            let Envelope { opinion, told, named_files, warnings } = envelope;
            (report.opinion, report.told, report.warnings) = (opinion, told, warnings);
            (report.opinion.context_files, report.dropped_context_files) = named_files::resolve(named_files, event);
        }
        Err(failure) => {
            report.opinion.reason = Some(failure.to_string());
            report.outcome = HookOutcome::Failed(failure);
        }
    }
}

/// What a hook printed that denies or halts and does not count: what an agent drops by its own rules, and what stands beside an
/// exit code that says something else. `is_exit`: it ended by itself.
fn lost(hook: &HookConfig, event: EventKind, exit: &Exit<'_>, is_exit: bool, report: &HookReport) -> Option<String> {
    let contract = hook.dialect.contract();
    // What is told the model is not lost: as context, or in the place of a tool's result.
    let is_told = contract.tells_stop_as_result() && report.opinion.updated_result.is_some()
        || !contract.can_block(event) && !report.opinion.context.is_empty();
    // And what our own contract was read for has told of all itself.
    let is_read = contract.tells_what_is_lost() && is_exit && exit.status == 0 && contract.can_block(event);
    if report.opinion.is_blocking() || is_told || is_read {
        return None;
    }
    // An answer that lets the call run, as Gemini CLI reads it at every exit code, is not ignored.
    if is_exit
        && report.opinion.decision.is_none()
        && let Some(why) = contract.ignored_exit(event, exit.status, text(exit.stderr).is_some())
    {
        return Some(format!("{} ignores this answer: {why}", contract.name()));
    }
    let Some(said) = Envelope::denial_in(&encoding::to_utf8(exit.stdout), event) else {
        let why = contract.ignored(exit, report).or_else(|| unclear(contract.can_block(event), event, exit, report))?;
        return Some(format!("{} ignores this answer: {why}", contract.name()));
    };
    let why = match &report.outcome {
        HookOutcome::Failed(Failure::BadEnvelope(error)) => format!(" ({error})"),
        HookOutcome::Failed(Failure::ExitCode { code, .. })
            if contract.exit_meaning(event, *code, text(exit.stderr).is_some()) == ExitMeaning::Error =>
        {
            format!(" (with exit code {code} standard output is not read)")
        }
        _ => String::new(),
    };
    Some(contract.lost_answer(exit, is_exit, &said, &why))
}

/// Why an answer that decides nothing for its agent may have been meant to: a key that decides has a value that is no answer, or
/// is misspelt.
fn unclear(can_block: bool, event: EventKind, exit: &Exit<'_>, report: &HookReport) -> Option<String> {
    if !can_block || !matches!(report.outcome, HookOutcome::NoOpinion) || !report.warnings.is_empty() {
        return None;
    }
    let stdout = encoding::to_utf8(exit.stdout);
    let error = Envelope::parse(&stdout, event).err()?;
    let (field, known, why) = match &error {
        BadEnvelope::NearField { field, known } => (field, *known, error.to_string()),
        BadEnvelope::Field { field, found, .. } if decides(field) => (field, &**field, format!("`{field}` is {found}")),
        _ => return None,
    };
    (!says_to_go_ahead(&stdout, field, known)).then_some(why)
}

/// Does a field say plainly that nothing is to be stopped: `"decision": "continue"`, `"halt": 0`? Such a hook would be told of with
/// each call. `known`: the field that it is, or was meant to be.
fn says_to_go_ahead(stdout: &[u8], field: &str, known: &str) -> bool {
    const ALLOWING: &[&str] = &[
        "",
        "allow",
        "allowed",
        "approve",
        "approved",
        "accept",
        "accepted",
        "ok",
        "okay",
        "pass",
        "passed",
        "continue",
        "proceed",
        "none",
        "null",
        "undefined",
        "skip",
        "true",
        "yes",
    ];
    const NOT_HALTING: &[&str] = &["", "false", "no", "0", "none", "null"];
    let is_halt = last_part(known) == "halt";
    let words = if is_halt { NOT_HALTING } else { ALLOWING };
    let is_word = |value: &Value| {
        value.as_str().is_some_and(|text| words.iter().any(|word| text.trim().eq_ignore_ascii_case(word)))
    };
    let object: Value =
        serde_json::from_slice(stdout.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stdout)).unwrap_or_default();
    match field.split('.').try_fold(&object, |object, name| object.get(name)) {
        None => false,
        Some(Value::Null) => true,
        Some(Value::Bool(value)) => *value != is_halt,
        Some(Value::Number(number)) => number.as_f64().is_some_and(|number| (number == 0.0) == is_halt),
        Some(value @ Value::String(_)) => is_word(value),
        Some(Value::Array(values)) => values.iter().all(is_word),
        Some(Value::Object(members)) => members.values().all(is_word),
    }
}

/// Is a field one that decides?
fn decides(field: &str) -> bool {
    matches!(last_part(field), "decision" | "permissionDecision" | "continue" | "halt" | "hookSpecificOutput")
}

/// `permissionDecision` of `hookSpecificOutput.permissionDecision`.
fn last_part(field: &str) -> &str {
    field.rsplit('.').next().unwrap_or(field)
}

#[cfg(test)]
mod tests;
