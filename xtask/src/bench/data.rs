//! The files that the bundled utilities and the system's own work on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use fastrand::Rng;

/// What stands in a file; the size is that of a full benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    /// This many bytes of a server's log, a line in a thousand with a letter that is not ASCII.
    Log(usize),
    /// This many bytes of one JSON array of objects.
    Json(usize),
    /// This many lines of four words.
    Words(usize),
    /// This many lines of a number each.
    Numbers(usize),
}

const WORDS: &[&str] = &[
    "the",
    "of",
    "and",
    "to",
    "in",
    "is",
    "request",
    "response",
    "error",
    "warning",
    "connection",
    "timeout",
    "server",
    "client",
    "user",
    "session",
    "handler",
    "cache",
    "queue",
    "thread",
    "started",
    "stopped",
    "failed",
    "finished",
    "opened",
    "closed",
    "read",
    "write",
    "bytes",
    "file",
    "path",
    "config",
    "value",
    "retry",
    "attempt",
    "token",
    "expired",
    "database",
    "table",
    "index",
    "query",
    "transaction",
    "commit",
    "rollback",
    "lock",
    "waiting",
    "signal",
    "process",
    "memory",
    "limit",
    "exceeded",
    "allocated",
    "released",
    "packet",
    "received",
    "sent",
];

const LEVELS: &[&str] = &["INFO", "INFO", "INFO", "WARN", "ERROR", "Debug"];

impl Data {
    /// The file in this directory, written unless it is there. The size is divided by `divisor`.
    pub(crate) fn file(self, directory: &Path, divisor: u32) -> Result<PathBuf, Error> {
        let divisor = divisor.max(1) as usize;
        let (name, size) = match self {
            Self::Log(size) => ("log", size / divisor),
            Self::Json(size) => ("json", size / divisor),
            Self::Words(size) => ("words", size / divisor),
            Self::Numbers(size) => ("numbers", size / divisor),
        };
        let path = directory.join(format!("{name}-{size}.txt"));
        if !path.is_file() {
            let text = self.text(size);
            // Under another name first: a file that is there is whole.
            let partial = directory.join(format!("{name}.partial"));
            std::fs::write(&partial, text).map_err(|source| Error::File { path: partial.clone(), source })?;
            std::fs::rename(&partial, &path).map_err(|source| Error::File { path: path.clone(), source })?;
        }
        Ok(path)
    }

    fn text(self, size: usize) -> String {
        let mut random = Rng::with_seed(1);
        let mut text = String::new();
        match self {
            Self::Log(_) => {
                let mut line = 0;
                while text.len() < size {
                    line += 1;
                    log_line(&mut text, line, &mut random);
                }
            }
            Self::Json(_) => {
                text.push('[');
                let mut number = 0;
                while text.len() < size {
                    if number > 0 {
                        text.push(',');
                    }
                    number += 1;
                    json_object(&mut text, number, &mut random);
                }
                text.push_str("]\n");
            }
            Self::Words(_) => {
                for _ in 0..size {
                    words(&mut text, 4, &mut random);
                    text.push('\n');
                }
            }
            Self::Numbers(_) => {
                for _ in 0..size {
                    let _ = writeln!(text, "{}", random.usize(..1_000_000_000));
                }
            }
        }
        text
    }
}

fn pick<'a>(list: &[&'a str], random: &mut Rng) -> &'a str {
    random.choice(list).copied().unwrap_or_default()
}

fn words(text: &mut String, count: usize, random: &mut Rng) {
    for index in 0..count {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(pick(WORDS, random));
    }
}

fn log_line(text: &mut String, line: usize, random: &mut Rng) {
    let (day, hour, minute, second) = (line % 28 + 1, line / 3600 % 24, line / 60 % 60, line % 60);
    let level = pick(LEVELS, random);
    let worker = random.usize(..16);
    let _ = write!(text, "2026-11-{day:02} {hour:02}:{minute:02}:{second:02} [{level}] worker-{worker}: ");
    let count = 4 + random.usize(..11);
    words(text, count, random);
    let _ = write!(text, " id={}", random.usize(..1_000_000_000));
    if line.is_multiple_of(1000) {
        text.push_str(" café");
    }
    if line % 5000 == 7 {
        text.push_str(" needle");
    }
    text.push('\n');
}

fn json_object(text: &mut String, number: usize, random: &mut Rng) {
    let active = random.bool();
    let _ = write!(text, "{{\"id\":{number},\"name\":\"");
    words(text, 2, random);
    let _ = write!(text, "\",\"active\":{active},\"score\":{}.5,\"tags\":[", random.usize(..1000));
    for index in 0..random.usize(..5) {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(text, "{comma}\"{}\"", pick(WORDS, random));
    }
    text.push_str("],\"note\":\"");
    let count = 3 + random.usize(..12);
    words(text, count, random);
    // An escape, and a letter that is not ASCII, now and then.
    text.push_str(match random.usize(..8) {
        0 => " \\\"quoted\\\"\\n",
        1 => " é",
        _ => "",
    });
    let _ =
        write!(text, "\",\"place\":{{\"x\":{},\"y\":-{}.5,\"z\":null}}}}", random.usize(..10_000), random.usize(..100));
}

#[cfg(test)]
mod tests {
    use super::Data;

    #[test]
    fn the_data_are_the_same_each_time() {
        for data in [Data::Log(5000), Data::Json(5000), Data::Words(50), Data::Numbers(50)] {
            assert_eq!(data.text(5000), data.text(5000));
        }
        assert_eq!(Data::Numbers(3).text(3).lines().count(), 3);
    }

    #[test]
    fn the_json_is_json() {
        let text = Data::Json(20_000).text(20_000);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(value.as_array().unwrap().len() > 50);
        assert!(text.len() >= 20_000);
    }

    #[test]
    fn the_log_has_what_the_workloads_look_for() {
        let text = Data::Log(200_000).text(200_000);
        for part in ["needle", "café", " error ", "[ERROR]", "worker-7: "] {
            assert!(text.contains(part), "{part}");
        }
    }
}
