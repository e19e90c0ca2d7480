//! How far long work is, on a terminal's last line.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::output::one_line;
use crate::style::takes_escapes;

/// Shorter work shows nothing.
const BEFORE_SHOWN: Duration = Duration::from_millis(500);

/// How often the line is drawn at most.
const REDRAW: Duration = Duration::from_millis(100);

/// The line is empty from here on.
const CLEAR: &str = "\u{1b}[K";

/// What is too long for a narrow terminal stays on its line: a second one would not be taken away.
const NO_WRAP: &str = "\u{1b}[?7l";
const WRAP: &str = "\u{1b}[?7h";

/// The line. Nothing is drawn where standard error is no terminal.
pub(crate) struct Progress {
    what: &'static str,
    done: usize,
    total: usize,
    started: Instant,
    drawn: Option<Instant>,
    is_shown: bool,
}

impl Progress {
    pub(crate) fn new(what: &'static str, total: usize) -> Self {
        let is_shown = total > 1 && takes_escapes(&io::stderr());
        Self { what, done: 0, total, started: Instant::now(), drawn: None, is_shown }
    }

    /// The next piece begins.
    pub(crate) fn step(&mut self, name: &str) {
        self.done += 1;
        let now = Instant::now();
        let is_due = self.drawn.is_none_or(|drawn| now.duration_since(drawn) >= REDRAW);
        if self.is_shown && is_due && now.duration_since(self.started) >= BEFORE_SHOWN {
            self.drawn = Some(now);
            let name: String = one_line(name).chars().take(60).collect();
            let line = format!("{} {}/{}: {name}", self.what, self.done, self.total);
            let _ = write!(io::stderr(), "\r{CLEAR}{NO_WRAP}{line}{WRAP}");
        }
    }

    /// Takes the line away, before anything else is written.
    pub(crate) fn clear(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(io::stderr(), "\r{CLEAR}");
        }
    }

    pub(crate) fn end(mut self) {
        self.clear();
    }
}
