//! What a command says by how it ended and what it printed.

use std::time::Duration;

use hookshell_dispatch::{End, Outcome, StartFailureKind};

use super::Allowed;
use super::message::{telling_line, text};
use crate::config::{Exit, ExitMeaning, HookConfig, SyntaxErrorMeaning};
use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope, trimmed};
use crate::event_kind::EventKind;
use crate::hint;
use crate::http::Refused;
use crate::opinion::Opinion;
use crate::outcome::Failure;

/// What is said for a server whose answer does not count.
pub(super) fn of_refused(hook: &HookConfig, event: EventKind, refused: Refused) -> Result<Envelope, Failure> {
    match refused {
        Refused::NoAnswer(message)
            if hook.dialect.contract().http().is_some_and(|rules| rules.denies_without_answer(event)) =>
        {
            Ok(deny(message))
        }
        Refused::NoAnswer(message) | Refused::BadAnswer(message) => Err(Failure::Http(message)),
    }
}

pub(super) fn response(
    hook: &HookConfig,
    event: EventKind,
    allowed: Allowed,
    outcome: &Outcome,
) -> Result<Envelope, Failure> {
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
            Ok(deny(format!("the hook `{}` could not be started: {failure}", hook.display_name())))
        }
        // A guard must not be bypassed by padding.
        End::UnpassableVariables(reason) => Ok(deny(reason.clone())),
        end => Err(failure(end, allowed.timeout).unwrap_or(Failure::Panicked)),
    }
}

/// How a command ended, as its agent's rules read it.
pub(super) fn exit<'o>(hook: &'o HookConfig, event: EventKind, outcome: &'o Outcome) -> Exit<'o> {
    Exit {
        hook: Some(hook),
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

/// The reason of a denial that stands for a hook which could not be run: some agents deny then. `None`: the hook has decided, or
/// what it printed says something.
pub(super) fn cause_of_denial(outcome: &Outcome, timeout: Duration) -> Option<Failure> {
    match &outcome.end {
        End::NotStarted(_) => failure(&outcome.end, timeout),
        End::Exited if matches!(outcome.status, 126 | 127) && trimmed(&outcome.stdout).is_empty() => {
            Some(failed(outcome, text(&outcome.stderr)))
        }
        End::Exited if outcome.status == 2 => {
            let printed = text(&outcome.stderr).filter(|printed| hint::unopened_script(printed).is_some());
            printed.map(|printed| Failure::NotFound(telling_line(&printed).into_owned()))
        }
        _ => None,
    }
}

/// Why a command that did not exit by itself gave nothing; `None` where it did.
pub(crate) fn failure(end: &End, timeout: Duration) -> Option<Failure> {
    Some(match end {
        End::Exited => return None,
        End::Signaled(signal) => Failure::Signaled(*signal),
        End::TimedOut => Failure::TimedOut(timeout),
        End::Cancelled => Failure::Cancelled,
        End::NotStarted(failure) => match failure.kind {
            StartFailureKind::NotFound => Failure::NotFound(failure.to_string()),
            StartFailureKind::NotExecutable => Failure::NotExecutable(failure.to_string()),
            _ => Failure::Spawn(failure.to_string()),
        },
        End::SyntaxError(error) => Failure::Parse(error.to_string()),
        End::StatusLost => Failure::StatusLost,
        End::Panicked => Failure::Panicked,
        End::LimitExceeded(limit) => Failure::LimitExceeded(limit.clone()),
        End::UnpassableVariables(reason) | End::Changed(reason) => Failure::Spawn(reason.clone()),
        // An end that is not known here is no status that may be trusted.
        other => Failure::Spawn(other.to_string()),
    })
}

fn failed(outcome: &Outcome, stderr: Option<String>) -> Failure {
    let last_line = stderr.map(|text| telling_line(&text).into_owned()).unwrap_or_default();
    // What every shell gives for a command that it did not find, or found and could not run.
    match outcome.status {
        // bash ends with 127 for an error of its own, too: `set -u` and a variable that is not set.
        127 if !last_line.is_empty() && !last_line.ends_with("unbound variable") => Failure::NotFound(last_line),
        126 if !last_line.is_empty() => Failure::NotExecutable(last_line),
        code => Failure::ExitCode { code, last_line },
    }
}

fn deny(reason: String) -> Envelope {
    Opinion::deny(Some(reason)).into()
}
