//! Gives answers that were written down beforehand, and runs nothing: what the fuzz target of the whole runner has
//! instead of a dispatcher, so that no input starts a program, runs shell code or touches a file.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookshell_dispatch::{Dropped, End, Invocation, Outcome, Output, StartFailure, StartFailureKind};
use hookshell_process::sync::lock;

use super::ends::syntax_error;
use super::{Done, Execute, Running};

/// What a command is said to have given.
#[derive(Debug, Clone, Default)]
pub struct ScriptedResponse {
    /// How it ended: a number for each way, those beyond the last begin anew.
    pub end: u8,
    /// Its exit status.
    pub status: u8,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// Did it print more than that?
    pub is_cut: bool,
}

/// The answers, in turn; where there are none, commands end with nothing said.
struct Scripted {
    answers: Vec<ScriptedResponse>,
    next: AtomicUsize,
    /// Commands that never answer by themselves, until they are cancelled.
    held: Arc<Mutex<Vec<(usize, Done)>>>,
}

/// The number of ways in which a command can end, the one that waits for a cancel included.
const ENDS: u8 = 14;

impl ScriptedResponse {
    /// `None`: it continues until it is cancelled.
    fn outcome(self, output: &Output) -> Option<Outcome> {
        let text = || String::from_utf8_lossy(&self.stderr).into_owned();
        let not_started =
            |kind| End::NotStarted(StartFailure { kind, command: text(), message: text(), status: self.status });
        let end = match self.end % ENDS {
            0 => End::Exited,
            1 => End::Signaled(i32::from(self.status)),
            2 => End::TimedOut,
            3 => End::Cancelled,
            4 => not_started(StartFailureKind::NotFound),
            5 => not_started(StartFailureKind::NotExecutable),
            6 => not_started(StartFailureKind::Spawn),
            7 => syntax_error(text(), Vec::new()),
            8 => End::StatusLost,
            9 => End::Panicked,
            10 => End::LimitExceeded(text()),
            11 => End::UnpassableVariables(text()),
            12 => End::Changed(text()),
            _ => return None,
        };
        let (mut stdout, mut stderr) = (self.stdout, self.stderr);
        if let Output::Capture { limit } = output {
            stdout.truncate(*limit);
            stderr.truncate(*limit);
        }
        let dropped = Dropped { stdout: usize::from(self.is_cut), stderr: 0 };
        let duration = Duration::from_millis(1);
        Some(Outcome { status: self.status, stdout, stderr, dropped, ..Outcome::ended(end, duration) })
    }
}

impl Execute for Scripted {
    fn start(&self, invocation: Invocation, done: Done) -> Box<dyn Running> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let answer = number.checked_rem(self.answers.len()).and_then(|index| self.answers.get(index));
        match answer.cloned().unwrap_or_default().outcome(&invocation.output) {
            Some(outcome) => done(outcome),
            None => lock(&self.held).push((number, done)),
        }
        Box::new(Held { number, held: self.held.clone() })
    }

    fn wait_for_background(&self, _: &dyn Fn() -> bool) {}
}

struct Held {
    number: usize,
    held: Arc<Mutex<Vec<(usize, Done)>>>,
}

impl Running for Held {
    fn cancel(&self) {
        let mut held = lock(&self.held);
        let place = held.iter().position(|(number, _)| *number == self.number);
        let taken = place.map(|place| held.swap_remove(place));
        drop(held);
        if let Some((_, done)) = taken {
            done(Outcome::ended(End::Cancelled, Duration::ZERO));
        }
    }
}

/// What gives these answers, in turn.
pub(crate) fn scripted(answers: Vec<ScriptedResponse>) -> Arc<dyn Execute> {
    Arc::new(Scripted { answers, next: AtomicUsize::new(0), held: Arc::default() })
}

#[cfg(test)]
mod tests {
    use super::ScriptedResponse;
    use crate::{Config, Decision, Event, Runner, ToolInput};

    #[test]
    fn nothing_is_run_and_the_answers_come_in_turn() {
        let dir = tempfile::tempdir().unwrap();
        let config = r#"{"hooks":{"PreToolUse":[{"command":"echo x > made"},{"command":"exit 0; echo y > made"}]}}"#;
        let deny = ScriptedResponse { status: 2, stderr: b"no".to_vec(), ..ScriptedResponse::default() };
        let runner = Runner::builder()
            .config(Config::parse(config, "crush.json").unwrap())
            .answers(vec![deny, ScriptedResponse::default()])
            .build()
            .unwrap();
        let event = Event::pre_tool_use("bash", ToolInput::parse("{}").unwrap(), dir.path());
        let verdict = runner.run_blocking(&event);
        assert_eq!((verdict.opinion.decision, verdict.opinion.reason.as_deref()), (Some(Decision::Deny), Some("no")));
        assert_eq!(verdict.hooks[1].outcome.as_str(), "NoOpinion");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
