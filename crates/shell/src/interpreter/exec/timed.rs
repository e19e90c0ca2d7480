//! `time` before a pipeline, and what it writes.

use std::time::{Duration, Instant};

use hookshell_process::system;
use hookshell_syntax::ast::{Command, Compound, Pipeline, TimeKeyword};

use super::Place;
use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;

const POSIX_TIME_FORMAT: &[u8] = b"real %2R\nuser %2U\nsys %2S";
const BASH_TIME_FORMAT: &[u8] = b"\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";

impl Shell {
    /// bash: `time pipeline`
    pub(super) fn run_timed(&mut self, keyword: TimeKeyword, pipeline: &Pipeline) -> Flow {
        let started = Instant::now();
        let before = system::cpu_times();
        // bash: a subshell is timed inside, so where its own redirections lead, and not after an `exec`.
        let timed_inside = match &*pipeline.stages {
            [stage] => match &stage.command {
                Command::Compound(compound) if matches!(compound.kind, Compound::Subshell(_)) => Some(compound),
                _ => None,
            },
            _ => None,
        };
        self.scratch.replaced_depth = 0;
        self.scratch.times_subshell = timed_inside.is_some_and(|compound| !compound.redirections.is_empty());
        let flow = self.run_untimed(pipeline, Place::Within);
        self.scratch.times_subshell = false;
        if timed_inside.is_some() && self.scratch.replaced_depth == self.context.subshell.depth + 1 {
            return flow;
        }
        let real = started.elapsed();
        let after = system::cpu_times();
        let user = (after.user + after.children_user).saturating_sub(before.user + before.children_user);
        let sys = (after.system + after.children_system).saturating_sub(before.system + before.children_system);
        let format = match self.vars.scalar_bytes(b"TIMEFORMAT") {
            _ if keyword.posix_format => POSIX_TIME_FORMAT.to_vec(),
            Some(format) => format.to_vec(),
            None if self.opt(Opt::Posix) => POSIX_TIME_FORMAT.to_vec(),
            None => BASH_TIME_FORMAT.to_vec(),
        };
        // bash: an empty TIMEFORMAT shows nothing.
        if format.is_empty() {
            return flow;
        }
        match time_text(&format, real, user, sys) {
            Ok(text) => match timed_inside {
                Some(compound) if !compound.redirections.is_empty() => {
                    if let Some(stream) = self.scratch.subshell_error.take() {
                        let _ = stream.write_all(&text, &self.context.interrupt);
                    }
                }
                _ => self.write_error(&text),
            },
            Err(letter) => {
                self.error(format!("TIMEFORMAT: `{}': invalid format character", char::from(letter)));
            }
        }
        flow
    }
}

/// What `time` writes, by a format as TIMEFORMAT has it; `Err` is a letter that is none of its own.
fn time_text(format: &[u8], real: Duration, user: Duration, sys: Duration) -> Result<Vec<u8>, u8> {
    let mut text = Vec::new();
    let mut rest = format.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            text.push(byte);
            continue;
        }
        // One at the end stands for itself.
        if rest.next_if_eq(&b'%').is_some() || rest.peek().is_none() {
            text.push(b'%');
            continue;
        }
        // bash: 3 digits at most.
        let given = rest.next_if(u8::is_ascii_digit);
        let digits = given.map_or(3, |digit| usize::from(digit - b'0').min(3));
        let long = rest.next_if_eq(&b'l').is_some();
        let time = match rest.next() {
            Some(b'R' | b'E') => real,
            Some(b'U') => user,
            Some(b'S') => sys,
            Some(b'P') if given.is_none() && !long => {
                let share = if real.is_zero() { 0.0 } else { (user + sys).as_secs_f64() / real.as_secs_f64() * 100.0 };
                text.extend_from_slice(format!("{share:.2}").as_bytes());
                continue;
            }
            other => return Err(other.unwrap_or(b'%')),
        };
        // The digits that are not shown are cut off, not rounded.
        let mut seconds = time.as_secs();
        if long {
            text.extend_from_slice(format!("{}m", seconds / 60).as_bytes());
            seconds %= 60;
        }
        text.extend_from_slice(seconds.to_string().as_bytes());
        if digits > 0 {
            let fraction = format!("{:03}", time.subsec_millis());
            text.push(b'.');
            text.extend_from_slice(fraction.as_bytes().get(..digits).unwrap_or_default());
        }
        if long {
            text.push(b's');
        }
    }
    text.push(b'\n');
    Ok(text)
}
