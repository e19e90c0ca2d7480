//! From how a hook's command ended to what the hook says.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use hookshell_dispatch::{End, Outcome};

use crate::config::{Exit, ExitMeaning, HookConfig, OnFailure, SyntaxErrorMeaning};
use crate::decision::Decision;
use crate::encoding;
use crate::envelope::{BadEnvelope, Envelope, trimmed};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::execute::failure;
use crate::hint;
use crate::http::Refused;
use crate::named_files;
use crate::native_hook::NativeResponse;
use crate::opinion::Opinion;
use crate::report::{Failure, HookOutcome, HookReport, ShellUse};
use crate::trust::while_it_ran;
use crate::work::Completion;

/// How much of a hook's standard error a result keeps: enough for a stack trace, and a verdict stays readable.
const STDERR_TAIL: usize = 4096;

/// What the runner allowed a hook.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    pub(crate) timeout: Duration,
    pub(crate) output_limit: usize,
}

/// What a hook said, by what became of its work.
pub(crate) fn interpret(hook: &HookConfig, event: &Event, allowed: Allowed, ended: Completion) -> HookReport {
    match ended {
        Completion::Ran(Outcome { end: End::Changed(fault), .. }) => untrusted(hook, while_it_ran(fault)),
        Completion::Ran(outcome) => {
            let route = outcome.route.to_string();
            of_command(hook, event, allowed, outcome, None, Some(route))
        }
        Completion::Ended(end, elapsed) => of_command(hook, event, allowed, Outcome::ended(end, elapsed), None, None),
        Completion::WentOn(after) => {
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
    if contract.says_async(&outcome.stdout) {
        // It went on in the background from its first line on: its agent did not wait for the rest.
        let mut report = started(hook);
        (report.elapsed, report.stderr, report.route) = (outcome.duration, tail(&outcome.stderr), route);
        return report;
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
    let is_exit = refused.is_none() && matches!(outcome.end, End::Exited);
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
    let shells = outcome.shells.into_iter();
    report.shells =
        shells.map(|used| ShellUse { command: used.command, shell: used.shell, reason: used.reason }).collect();
    // `args` are no line for a shell, and an address is none.
    let missing = match &report.outcome {
        HookOutcome::Failed(failure) if !hook.kind.is_http() => {
            let directories: Vec<&Path> = [Some(event.project_dir()), Some(event.cwd()), hook.plugin_root.as_deref()]
                .into_iter()
                .flatten()
                .collect();
            hint::of_missing(failure, &hook.directory(event.cwd(), event.project_dir()), &directories)
        }
        _ => None,
    };
    let hint = match &report.outcome {
        _ if hook.args.is_some() || hook.kind.is_http() => None,
        HookOutcome::Failed(failure) => hint::of_failure(&hook.command_line(), failure, &report.stderr),
        _ if is_syntax_error => hint::of_line(&hook.command_line()),
        _ => None,
    };
    let hint = hint.or(missing);
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
    // What is told the model is not lost.
    let is_told = !contract.can_block(event) && !report.opinion.context.is_empty();
    // And what our own contract was read for has told of all itself.
    let is_read = contract.tells_what_is_lost() && is_exit && exit.status == 0 && contract.can_block(event);
    if report.opinion.is_blocking() || is_told || is_read {
        return None;
    }
    if is_exit && let Some(why) = contract.ignored_exit(event, exit.status, text(exit.stderr).is_some()) {
        return Some(format!("{} ignores this answer: {why}", contract.name()));
    }
    let Some(said) = Envelope::denial_in(&encoding::to_utf8(exit.stdout), event) else {
        let why = contract.ignored(exit, report)?;
        return Some(format!("{} ignores this answer: {why}", contract.name()));
    };
    let why = match &report.outcome {
        HookOutcome::Failed(Failure::BadEnvelope(error)) => format!(" ({error})"),
        _ => String::new(),
    };
    Some(contract.lost_answer(exit, is_exit, &said, &why))
}

/// The report of a hook that was not run because one before it has decided.
pub(crate) fn not_asked(hook: &HookConfig, by: &str) -> HookReport {
    let mut report = report(hook);
    report.opinion.reason = Some(format!("it was not run: {} stops at the answer of `{by}`", hook.dialect.agent()));
    report
}

/// The report of a hook that was started and is not waited for.
pub(crate) fn started(hook: &HookConfig) -> HookReport {
    let mut report = report(hook);
    report.outcome = HookOutcome::Started;
    report
}

/// The report of a hook that was denied its run: the reason says why.
pub(crate) fn denied_unrun(hook: &HookConfig, reason: String) -> HookReport {
    let mut report = report(hook);
    report.outcome = HookOutcome::Decided;
    report.opinion = Opinion::deny(Some(reason));
    report
}

/// The report of a hook that nobody trusts. Its config has no say either, so its `on_failure` does not count.
pub(crate) fn untrusted(hook: &HookConfig, reason: String) -> HookReport {
    let mut report = report(hook);
    report.outcome = HookOutcome::Untrusted;
    report.opinion.reason = Some(reason);
    report
}

/// The report of a hook that cannot be run.
pub(crate) fn failed_unrun(hook: &HookConfig, failure: Failure) -> HookReport {
    let mut report = report(hook);
    report.opinion.reason = Some(failure.to_string());
    report.outcome = HookOutcome::Failed(failure);
    report
}

/// The report of a hook that has said nothing yet.
fn report(hook: &HookConfig) -> HookReport {
    let mut report = HookReport::new(hook.display_name(), hook.own_command());
    report.origin = hook.origin;
    report.place.clone_from(&hook.place);
    report.agent = Some(hook.dialect.into());
    report.wakes = hook.rewakes;
    // Where nothing is blocked there is nothing that a failure could deny.
    if hook.dialect.contract().can_block(hook.event) {
        report.on_failure = hook.on_failure;
    }
    report
}

/// What is said for a server whose answer does not count.
fn of_refused(hook: &HookConfig, event: EventKind, refused: Refused) -> Result<Envelope, Failure> {
    match refused {
        Refused::NoAnswer(message)
            if hook.dialect.contract().http().is_some_and(|rules| rules.denies_without_answer(event)) =>
        {
            Ok(deny(message))
        }
        Refused::NoAnswer(message) | Refused::BadAnswer(message) => Err(Failure::Http(message)),
    }
}

fn response(hook: &HookConfig, event: EventKind, allowed: Allowed, outcome: &Outcome) -> Result<Envelope, Failure> {
    let contract = hook.dialect.contract();
    match &outcome.end {
        End::Exited => exited(hook, event, allowed, outcome),
        End::SyntaxError(error) => {
            let said = || text(&outcome.stderr).unwrap_or_else(|| error.to_string());
            match contract.syntax_error(event) {
                SyntaxErrorMeaning::Exit => {
                    exited(hook, event, allowed, outcome).map_err(|_| Failure::Parse(error.to_string()))
                }
                // Status 2 on every route, as under bash.
                SyntaxErrorMeaning::Block => Ok(deny(said())),
                SyntaxErrorMeaning::Failure => match contract.exit_meaning(event, 2, true) {
                    ExitMeaning::Feedback => Ok(Envelope::context(&said())),
                    _ => Err(Failure::Parse(error.to_string())),
                },
            }
        }
        // 128 + the signal, as a shell gives it: it blocks under some agents' rules, and some read what was printed before.
        End::Signaled(signal) => exited(hook, event, allowed, outcome).map_err(|_| Failure::Signaled(*signal)),
        // A shell exits with 127 or 126, which blocks under some agents' rules.
        End::NotStarted(failure) if contract.exit_meaning(event, outcome.status, true).is_deny() => {
            Ok(deny(failure.to_string()))
        }
        // A guard must not be bypassed by padding.
        End::Withheld(reason) => Ok(deny(reason.clone())),
        end => Err(failure(end, allowed.timeout).unwrap_or(Failure::Panicked)),
    }
}

/// How a command ended, as its agent's rules read it.
fn exit<'o>(hook: &HookConfig, event: EventKind, outcome: &'o Outcome) -> Exit<'o> {
    Exit {
        dialect_event_name: hook.dialect_event_name,
        event,
        status: outcome.status,
        is_killed: matches!(outcome.end, End::Signaled(_)),
        stdout: &outcome.stdout,
        stderr: &outcome.stderr,
    }
}

fn exited(hook: &HookConfig, event: EventKind, allowed: Allowed, outcome: &Outcome) -> Result<Envelope, Failure> {
    let name = hook.display_name();
    let stderr = text(&outcome.stderr);
    let is_killed = matches!(outcome.end, End::Signaled(_));
    let contract = hook.dialect.contract();
    let is_cut = outcome.dropped.stdout > 0;
    let exit = exit(hook, event, outcome);
    if let Some(said) = contract.read_exit(&exit) {
        return match said? {
            _ if is_cut => Err(Failure::OutputLimit(allowed.output_limit)),
            // That a hook was killed is seen, unless it had decided.
            Some(said) if !is_killed || said.opinion.decision.is_some() || said.opinion.halt => {
                Ok(checked(hook, event, outcome, said)?)
            }
            None if outcome.status == 0 && !is_killed => Ok(Envelope::default()),
            _ => Err(failed(outcome, stderr)),
        };
    }
    let meaning = hook.dialect.contract().exit_meaning(event, outcome.status, stderr.is_some());
    match meaning {
        ExitMeaning::Envelope if is_cut => {
            let failure = Failure::OutputLimit(allowed.output_limit);
            let denies = contract.reads_cut_answer(event);
            denies.then(|| Envelope::of_cut(&outcome.stdout, &failure)).flatten().ok_or(failure)
        }
        ExitMeaning::Envelope => Ok(envelope(hook, event, outcome)?),
        ExitMeaning::Deny | ExitMeaning::DenyByEnvelope => {
            let printed =
                (meaning == ExitMeaning::DenyByEnvelope).then(|| envelope(hook, event, outcome).ok()).flatten();
            let reason = printed
                .filter(|said| said.opinion.decision == Some(Decision::Deny))
                .and_then(|said| said.opinion.reason);
            Ok(deny(reason.or(stderr).unwrap_or_else(|| {
                format!(
                    "the hook `{name}` denied the call and gave no reason (exit code {}, nothing on stderr)",
                    outcome.status
                )
            })))
        }
        ExitMeaning::Halt => Ok(Opinion::halt(Some(stderr.unwrap_or_else(|| {
            format!("the hook `{name}` halted the turn and gave no reason (exit code 49, nothing on stderr)")
        })))
        .into()),
        ExitMeaning::Feedback => match stderr {
            Some(said) => Ok(Envelope::context(&said)),
            None => Err(failed(outcome, None)),
        },
        ExitMeaning::EnvelopeOrError => match envelope(hook, event, outcome) {
            Ok(envelope) if !is_cut && !envelope.is_silent() && trimmed(&outcome.stdout).starts_with(b"{") => {
                Ok(envelope)
            }
            _ => Err(failed(outcome, stderr)),
        },
        ExitMeaning::Error => Err(failed(outcome, stderr)),
    }
}

/// What the hook printed, by the rules of its dialect. What is not UTF-8 (a message in an older encoding, a name of a file)
/// is read as U+FFFD, as agents do, and a deny is one all the same; an update of what is to be run or sent is not guessed.
fn envelope(hook: &HookConfig, event: EventKind, outcome: &Outcome) -> Result<Envelope, BadEnvelope> {
    let text = String::from_utf8_lossy(&outcome.stdout);
    let envelope = hook.dialect.contract().envelope(text.as_bytes(), event, hook.dialect_event_name)?;
    checked(hook, event, outcome, envelope)
}

/// What of an envelope counts.
fn checked(
    hook: &HookConfig,
    event: EventKind,
    outcome: &Outcome,
    mut envelope: Envelope,
) -> Result<Envelope, BadEnvelope> {
    hook.dialect.contract().keep_what_counts(&mut envelope, event);
    let Err(wrong) = std::str::from_utf8(&outcome.stdout) else { return Ok(envelope) };
    if !envelope.opinion.updates() {
        return Ok(envelope);
    }
    // What was to be asked of the user still is.
    let Envelope { opinion, .. } = &envelope;
    let stops = matches!(opinion.decision, Some(Decision::Deny | Decision::Ask | Decision::Defer)) || opinion.halt;
    if stops { Ok(envelope.without_updates()) } else { Err(BadEnvelope::NotUtf8(wrong)) }
}

fn failed(outcome: &Outcome, stderr: Option<String>) -> Failure {
    let last_line = stderr.map(|text| telling_line(&text).to_owned()).unwrap_or_default();
    // What every shell gives for a command that it did not find, or found and could not run.
    match outcome.status {
        // bash ends with 127 for an error of its own, too: `set -u` and a variable that is not set.
        127 if !last_line.is_empty() && !last_line.ends_with("unbound variable") => Failure::NotFound(last_line),
        126 if !last_line.is_empty() => Failure::NotExecutable(last_line),
        code => Failure::ExitCode { code, last_line },
    }
}

/// The line of a message that says most: the last, but for lines with which some programs only end what they say.
fn telling_line(text: &str) -> &str {
    let is_more = |line: &&str| {
        let line = line.trim();
        line.is_empty()
            || line.starts_with("Node.js v")
            || line.starts_with("at ") && line.ends_with(')')
            || matches!(line, "{" | "}" | "})")
            || line
                .strip_prefix("jq: ")
                .is_some_and(|rest| rest.ends_with(" compile error") || rest.ends_with(" compile errors"))
    };
    let last = text.lines().next_back().unwrap_or_default();
    if !is_more(&last) {
        return last;
    }
    // jq prints the program behind its message; node prints the stack, and what the error object has.
    let mut lines = text.lines().rev();
    let found = match last.starts_with("jq: ") {
        true => lines.find(|line| line.starts_with("jq: error")),
        false => {
            let is_error = |line: &&str| {
                let name = line.split(':').next().unwrap_or_default();
                name.ends_with("Error") && !name.contains(' ') || name.ends_with(']') && name.contains("Error [")
            };
            text.lines().rev().find(is_error).or_else(|| lines.find(|line| !is_more(line)))
        }
    };
    found.unwrap_or(last)
}

/// What jq said of a program that it could not compile.
fn of_broken_jq(stderr: &str) -> Option<&str> {
    let is_end = |line: &str| line.starts_with("jq: ") && line.contains(" compile error");
    let end = stderr.lines().position(is_end)?;
    stderr.lines().take(end).find(|line| line.starts_with("jq: error"))
}

fn deny(reason: String) -> Envelope {
    Opinion::deny(Some(reason)).into()
}

/// What was written, blanks around it and a byte order mark taken off; `None` if nothing is left.
fn text(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The end of a text, from the start of a line or else of a character.
fn tail(bytes: &[u8]) -> String {
    let Some(from) = bytes.len().checked_sub(STDERR_TAIL) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    let kept = bytes.get(from..).unwrap_or_default();
    let start = match kept.iter().position(|byte| *byte == b'\n') {
        Some(newline) if newline + 1 < kept.len() => newline + 1,
        _ => kept.iter().position(|byte| !hookshell_process::text::is_continuation(*byte)).unwrap_or(0),
    };
    format!("…{}", String::from_utf8_lossy(kept.get(start..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hookshell_dispatch::{Dropped, End, Outcome, StartFailureKind};

    use super::{Allowed, interpret, telling_line};
    use crate::config::{HookConfig, OnFailure};
    use crate::event::Event;
    use crate::event_kind::EventKind;
    use crate::execute::ends::{not_started, syntax_error};
    use crate::tool_input::ToolInput;
    use crate::work::Completion;

    #[test]
    fn the_line_that_says_most_is_taken() {
        let jq = "jq: error: foo/0 is not defined at <top-level>, line 1:\n.x | foo     \njq: 1 compile error";
        let node = "file:///x.mjs:1\nfoo()\n^\n\nReferenceError: foo is not defined\n    at file:///x.mjs:1:1\n    at run (node:internal:1:2)\n\nNode.js v22.1.0";
        let module = "node:internal/modules/cjs/loader:1\n  throw err;\n  ^\n\nError: Cannot find module '/x.js'\n    at a (b:1:2) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v22.1.0";
        let cases = [
            (jq, "jq: error: foo/0 is not defined at <top-level>, line 1:"),
            (node, "ReferenceError: foo is not defined"),
            (module, "Error: Cannot find module '/x.js'"),
            ("Traceback (most recent call last):\n  x\nValueError: 1", "ValueError: 1"),
            ("a\nb", "b"),
            ("a\n}", "a"),
            ("jq: 1 compile error", "jq: 1 compile error"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(telling_line(text), expected, "{text}");
        }
    }

    const CUT: Dropped = Dropped { stdout: 1, stderr: 0 };

    fn ran(end: End, status: u8, stdout: &str, stderr: &str) -> Outcome {
        Outcome { status, stdout: stdout.into(), stderr: stderr.into(), ..Outcome::ended(end, Duration::ZERO) }
    }

    /// `outcome decision halt exit_code reason`.
    fn show(ran: Outcome) -> String {
        let hook = HookConfig::new(EventKind::PreToolUse, "./guard.sh");
        let allowed = Allowed { timeout: Duration::from_millis(1500), output_limit: 100 };
        let result =
            interpret(&hook, &Event::pre_tool_use("bash", ToolInput::default(), "/"), allowed, Completion::Ran(ran));
        format!(
            "{} {} {} {} {}",
            result.outcome.as_str(),
            result.opinion.decision.map_or("-", |decision| decision.as_str()),
            if result.opinion.halt { "halt" } else { "-" },
            result.exit_code.map_or("-".to_owned(), |code| code.to_string()),
            result.opinion.reason.as_deref().unwrap_or("-")
        )
    }

    #[test]
    fn every_end_says_why() {
        use End::*;
        use StartFailureKind::{NotExecutable, NotFound, Spawn};
        let text = |text: &str| text.to_owned();
        let cut = Outcome { dropped: CUT, ..ran(Exited, 0, "{}", "") };
        let cut_deny = Outcome { dropped: CUT, ..ran(Exited, 2, "x", "no") };
        let cut_halt = Outcome { dropped: CUT, ..ran(Exited, 49, "x", "stop") };
        let cases = [
            (ran(Exited, 0, "", "log line"), "NoOpinion - - 0 -"),
            (ran(Exited, 0, "{}", ""), "NoOpinion - - 0 -"),
            (ran(Exited, 0, r#"{"decision":"allow","reason":"ok"}"#, ""), "Decided allow - 0 ok"),
            (ran(Exited, 0, r#"{"decision":"deny"}"#, ""), "Decided deny - 0 -"),
            (ran(Exited, 0, r#"{"context":"c"}"#, ""), "Decided - - 0 -"),
            (ran(Exited, 0, r#"{"updated_input":{"a":1}}"#, ""), "Decided - - 0 -"),
            (
                ran(Exited, 0, "hello", ""),
                "BadEnvelope - - 0 stdout must be empty or one JSON object, found `hello` (expected value at line 1 column \
                 1); print other output to stderr",
            ),
            (cut, "OutputLimit - - 0 printed more than 100 bytes to stdout"),
            (ran(Exited, 2, r#"{"decision":"allow"}"#, " no way \r\n"), "Decided deny - 2 no way"),
            (
                ran(Exited, 2, "", " \n"),
                "Decided deny - 2 the hook `./guard.sh` denied the call and gave no reason (exit code 2, nothing on stderr)",
            ),
            (cut_deny, "Decided deny - 2 no"),
            (ran(Exited, 49, r#"{"decision":"allow"}"#, "stop\nnow\n"), "Decided - halt 49 stop\nnow"),
            (
                ran(Exited, 49, "", ""),
                "Decided - halt 49 the hook `./guard.sh` halted the turn and gave no reason (exit code 49, nothing on stderr)",
            ),
            (cut_halt, "Decided - halt 49 stop"),
            (ran(Exited, 1, r#"{"decision":"deny"}"#, ""), "ExitCode - - 1 exit code 1"),
            (ran(Exited, 1, "", "Traceback\nKeyError: 'x'\n"), "ExitCode - - 1 exit code 1: KeyError: 'x'"),
            (ran(Exited, 127, "", "sh: jq: not found\n"), "NotFound - - 127 not found: sh: jq: not found"),
            (
                ran(Exited, 127, "", "bash: line 1: X: unbound variable\n"),
                "ExitCode - - 127 exit code 127: bash: line 1: X: unbound variable",
            ),
            (ran(Exited, 126, "", "x: denied"), "NotExecutable - - 126 cannot be run: x: denied"),
            (ran(Exited, 127, "", ""), "ExitCode - - 127 exit code 127"),
            (
                ran(syntax_error(), 2, "", ""),
                "Decided deny - 2 1:1: syntax error near unexpected token `x' (expected `fi`)",
            ),
            (
                ran(syntax_error(), 2, "{}", "hook: line 1: expected `fi`\n"),
                "Decided deny - 2 hook: line 1: expected `fi`",
            ),
            (ran(Signaled(9), 137, "", ""), "Signaled - - - killed by signal 9"),
            (ran(TimedOut, 2, "", "no"), "TimedOut - - - timed out after 1.5 s"),
            (ran(Cancelled, 0, "", ""), "Cancelled - - - cancelled"),
            (ran(not_started(NotFound, "./a.sh"), 127, "", ""), "NotFound - - 127 not found: c: ./a.sh"),
            (
                ran(not_started(NotExecutable, "a directory"), 126, "", ""),
                "NotExecutable - - 126 cannot be run: c: a directory",
            ),
            (ran(not_started(Spawn, "E2BIG"), 126, "", ""), "Spawn - - 126 could not be started: c: E2BIG"),
            (
                ran(StatusLost, 0, "{}", ""),
                "StatusLost - - - its exit status was lost: the host process reaps all children",
            ),
            (ran(Panicked, 0, "", ""), "Panicked - - - internal error: a thread panicked"),
            (ran(LimitExceeded(text("call depth")), 2, "", ""), "LimitExceeded - - - reached a limit: call depth"),
        ];
        for (ran, expected) in cases {
            let what = format!("{ran:?}");
            assert_eq!(show(ran), expected, "{what}");
        }
    }

    #[test]
    fn a_deny_that_does_not_count_is_told_of() {
        let warned = |event: EventKind, ran: Outcome| {
            let hook = HookConfig::new(event, "./guard.sh");
            let allowed = Allowed { timeout: Duration::from_millis(1500), output_limit: 100 };
            let result =
                interpret(&hook, &Event::other(event, Some("bash".to_owned()), "/"), allowed, Completion::Ran(ran));
            format!("{} {}", result.outcome.as_str(), result.warnings.join("; "))
        };
        let deny = r#"{"decision":"deny"}"#;
        let ignored = "standard output is read where the exit code is 0, so this is ignored:";
        let cases = [
            (
                EventKind::PreToolUse,
                ran(End::Exited, 1, deny, ""),
                format!("ExitCode {ignored} `decision` is \"deny\""),
            ),
            (
                EventKind::PreToolUse,
                ran(End::Exited, 1, "{\"halt\":true}", ""),
                format!("ExitCode {ignored} `halt` is true"),
            ),
            (
                EventKind::PreToolUse,
                ran(End::Exited, 1, "x {\"decision\":\"deny", ""),
                format!("ExitCode {ignored} `decision` is \"deny\""),
            ),
            (
                EventKind::PreToolUse,
                ran(End::TimedOut, 0, deny, ""),
                format!("TimedOut {ignored} `decision` is \"deny\""),
            ),
            (
                EventKind::PreToolUse,
                ran(End::Signaled(9), 137, deny, ""),
                format!("Signaled {ignored} `decision` is \"deny\""),
            ),
            (EventKind::PreToolUse, ran(End::Exited, 1, r#"{"decision":"allow"}"#, ""), "ExitCode ".to_owned()),
            (EventKind::PreToolUse, ran(End::Exited, 2, deny, "no"), "Decided ".to_owned()),
            (EventKind::PreToolUse, ran(End::Exited, 0, deny, ""), "Decided ".to_owned()),
            (
                EventKind::SessionStart,
                ran(End::Exited, 0, deny, ""),
                "NoOpinion SessionStart blocks nothing, so this is ignored: `decision` is \"deny\"".to_owned(),
            ),
        ];
        for (event, ran, expected) in cases {
            let what = format!("{event} {ran:?}");
            assert_eq!(warned(event, ran), expected, "{what}");
        }
    }

    #[test]
    fn a_deny_in_output_that_was_cut_off_denies() {
        let cut = |stdout: &str| show(Outcome { dropped: CUT, ..ran(End::Exited, 0, stdout, "") });
        let denied = cut(r#"{"decision":"deny","reason":"no rm","context":"xxxx"#);
        assert!(denied.starts_with("Decided deny - 0 no rm\n(the hook's output is malformed, and"), "{denied}");
        assert!(denied.ends_with("printed more than 100 bytes to stdout)"), "{denied}");
        assert_eq!(cut(r#"{"decision":"allow""#), "OutputLimit - - 0 printed more than 100 bytes to stdout");
    }

    #[test]
    fn a_deny_in_any_encoding_denies() {
        let printed = |stdout: &[u8]| show(Outcome { stdout: stdout.into(), ..ran(End::Exited, 0, "", "") });
        let deny = r#"{"decision":"deny"}"#;
        let little: Vec<u8> = deny.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide: Vec<u8> = deny.bytes().flat_map(|byte| [byte, 0, 0, 0]).collect();
        for stdout in [
            [b"\xef\xbb\xbf", deny.as_bytes(), b"\r\n"].concat(),
            little.clone(),
            [b"\xff\xfe", &little[..]].concat(),
            [b"\xff\xfe\0\0", &wide[..]].concat(),
            // A program of Windows' after a line of another one.
            [b"log: x\n", &little[..]].concat(),
            [deny.as_bytes(), b"\0"].concat(),
            b"{\"reason\":\"\xff\xfe\",\"decision\":\"deny\"}".to_vec(),
            b"{\"decision\":\"deny\",\"\xff\":1}".to_vec(),
            b"{\"deci\xffsion\":\"deny\"}".to_vec(),
        ] {
            assert!(printed(&stdout).starts_with("Decided deny"), "{:?}", String::from_utf8_lossy(&stdout));
        }
        assert!(printed(b"{\"dexi\xffsion\":\"deny\"}").starts_with("BadEnvelope"));
    }

    #[test]
    fn a_failure_denies_only_what_can_be_blocked() {
        for (event, expected) in [
            (EventKind::PreToolUse, OnFailure::Deny),
            (EventKind::Stop, OnFailure::Deny),
            (EventKind::PostToolUse, OnFailure::Ignore),
            (EventKind::SessionStart, OnFailure::Ignore),
        ] {
            let mut hook = HookConfig::new(event, "x");
            hook.on_failure = OnFailure::Deny;
            assert_eq!(super::report(&hook).on_failure, expected, "{event}");
        }
    }

    #[test]
    fn what_is_not_utf8_loses_no_decision() {
        let printed = |stdout: &[u8]| show(Outcome { stdout: stdout.into(), ..ran(End::Exited, 0, "", "") });
        assert_eq!(printed(b"{\"decision\":\"deny\",\"reason\":\"d\xe9fense\"}"), "Decided deny - 0 d\u{fffd}fense");
        assert_eq!(printed(b"{\"halt\":true,\"reason\":\"\xff\"}"), "Decided - halt 0 \u{fffd}");
        assert_eq!(printed(b"{\"context\":\"caf\xe9\"}"), "Decided - - 0 -");
        // A command that is not what the hook wrote must not run.
        let updated = b"{\"updated_input\":{\"command\":\"cat caf\xe9\"}}";
        let error = "BadEnvelope - - 0 stdout is not UTF-8: invalid utf-8 sequence of 1 bytes from index 36";
        assert_eq!(printed(updated), error);
        let asked = b"{\"decision\":\"ask\",\"reason\":\"d\xe9\",\"updated_input\":{\"command\":\"ls\"}}";
        assert_eq!(printed(asked), "Decided ask - 0 d\u{fffd}");
    }

    #[test]
    fn the_tail_of_stderr_begins_with_a_line() {
        let line = format!("{}\n", "é".repeat(500));
        let tail = super::tail(line.repeat(20).as_bytes());
        assert_eq!(tail, format!("…{}", line.repeat(4)));
        let one_line = super::tail("é".repeat(5000).as_bytes());
        assert_eq!(one_line, format!("…{}", "é".repeat(2048)));
        assert_eq!(super::tail(b"short\n"), "short\n");
    }
}
