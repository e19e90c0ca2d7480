//! `#!/usr/bin/env …` read in place of running `env`.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::command::{Interpreter, Resolved};
use crate::error::{ShebangError, ShebangErrorCause as Cause};
use crate::shebang::Shebang;
use crate::split::{Lookup, Text, Word, first_char, split};

/// How many `-S` strings may stand inside each other. Two are already odd; a variable that holds
/// `-S${itself}` would never end.
const NESTING_LIMIT: usize = 8;

const SPLIT_STRING: &[u8] = b"split-string";

/// One of env's arguments.
struct Argument<'a> {
    bytes: Cow<'a, [u8]>,
    at: usize,
}

impl<'a> Shebang<'a> {
    /// What the line starts: the interpreter itself, or with `env` the command that env would start.
    ///
    /// `lookup` gives the environment's variables for `${NAME}` in `env -S`, before any assignment
    /// on the line; a value is taken as it is.
    ///
    /// As env does, `#!/usr/bin/env python3 -u` gives the name `python3 -u` ([`Resolved::hint`] says
    /// so), `-S` may be bundled, spelled out (`--split-string=…`, shortened as long as it is clear)
    /// and stand inside a `-S` string; options end at `--`, and assignments come before the command.
    ///
    /// # Errors
    ///
    /// A line that env refuses, that would start the script itself again, or that has an option other
    /// than `-S`.
    pub fn resolve(&self, lookup: &Lookup<'_>) -> Result<Resolved<'a>, ShebangError> {
        if self.is_env() {
            return self.resolve_env(lookup);
        }
        Ok(Resolved {
            interpreter: Interpreter::Path(self.interpreter()),
            args: self.argument().map(Cow::Borrowed).into_iter().collect(),
            assignments: Vec::new(),
        })
    }

    fn resolve_env(&self, lookup: &Lookup<'_>) -> Result<Resolved<'a>, ShebangError> {
        let mut arguments: VecDeque<Argument<'a>> = VecDeque::new();
        if let Some(argument) = self.argument() {
            let at = self.argument_at();
            arguments.push_back(Argument { bytes: Cow::Borrowed(argument), at });
        }
        read_options(&mut arguments, lookup)?;

        let mut assignments = Vec::new();
        let mut last_assignment = None;
        while let Some((name_len, word)) = next_assignment(&mut arguments) {
            let (name, value) = word.bytes.split_at_checked(name_len).unwrap_or_default();
            if name.is_empty() {
                let assignment = lossy(&word.bytes);
                return Err(Cause::EmptyVariableName { assignment }.at(word.at));
            }
            assignments.push((name.to_vec(), value.get(1..).unwrap_or_default().to_vec()));
            last_assignment = Some(word);
        }

        match (arguments.pop_front(), last_assignment) {
            (Some(command), _) if command.bytes.is_empty() => Err(Cause::EmptyCommand.at(command.at)),
            (Some(command), _) => Ok(Resolved {
                interpreter: Interpreter::Name(command.bytes),
                args: arguments.into_iter().map(|argument| argument.bytes).collect(),
                assignments,
            }),
            (None, Some(word)) => {
                let assignment = lossy(&word.bytes);
                Err(Cause::AssignmentWithoutCommand { assignment }.at(word.at))
            }
            (None, None) => Err(Cause::NoCommand.at(self.argument_at())),
        }
    }
}

/// Takes env's options from the front of its arguments, as its `getopt_long` loop does: each `-S` is
/// replaced by the words of its string, and the reading begins again with these.
fn read_options(arguments: &mut VecDeque<Argument<'_>>, lookup: &Lookup<'_>) -> Result<(), ShebangError> {
    let mut depth = 0;
    while arguments.front().is_some_and(|argument| argument.bytes.starts_with(b"-")) {
        let Some(first) = arguments.pop_front() else {
            break;
        };
        if *first.bytes == *b"--" {
            // A `-` after it still is the old spelling of -i.
            return match arguments.front() {
                Some(next) if *next.bytes == *b"-" => Err(unsupported("-".into(), next.at)),
                _ => Ok(()),
            };
        }
        depth += 1;
        if depth > NESTING_LIMIT {
            return Err(Cause::NestedTooDeep { limit: NESTING_LIMIT }.at(first.at));
        }
        let words = match split_string(&first)? {
            Some(offset) => {
                let bytes = first.bytes.get(offset..).unwrap_or_default();
                // Only what is borrowed stands so in the line.
                let is_verbatim = matches!(first.bytes, Cow::Borrowed(_));
                let at = if is_verbatim { first.at + offset } else { first.at };
                split(Text { bytes, at, is_verbatim }, lookup)?
            }
            None => {
                let Some(next) = arguments.pop_front() else {
                    return Err(Cause::MissingSplitString { option: lossy(&first.bytes) }.at(first.at));
                };
                split(Text { bytes: &next.bytes, at: next.at, is_verbatim: false }, lookup)?
            }
        };
        for Word { bytes, at } in words.into_iter().rev() {
            arguments.push_front(Argument { bytes: Cow::Owned(bytes), at });
        }
    }
    Ok(())
}

/// Where the string of a `-S` option begins in `option`; `None` when it is the next argument. An
/// error for every other option.
fn split_string(option: &Argument<'_>) -> Result<Option<usize>, ShebangError> {
    let bytes: &[u8] = &option.bytes;
    if let Some(long) = bytes.strip_prefix(b"--") {
        let equals = memchr::memchr(b'=', long);
        let name = long.get(..equals.unwrap_or(long.len())).unwrap_or(long);
        // getopt_long takes any beginning of a name that no other option shares; none of env's
        // other options begins with an s.
        return if !name.is_empty() && SPLIT_STRING.starts_with(name) {
            Ok(equals.map(|equals| 2 + equals + 1))
        } else {
            Err(unsupported(format!("--{}", lossy(name)), option.at))
        };
    }
    match bytes.get(1..) {
        Some([b'S']) => Ok(None),
        Some([b'S', ..]) => Ok(Some(2)),
        Some([]) | None => Err(unsupported("-".into(), option.at)),
        Some(rest) => Err(unsupported(format!("-{}", first_char(rest)), option.at)),
    }
}

/// Takes the first argument if it is an assignment: the length of its name, and the word.
fn next_assignment<'a>(arguments: &mut VecDeque<Argument<'a>>) -> Option<(usize, Argument<'a>)> {
    let name_len = memchr::memchr(b'=', &arguments.front()?.bytes)?;
    Some((name_len, arguments.pop_front()?))
}

fn unsupported(option: String, at: usize) -> ShebangError {
    Cause::UnsupportedOption { option }.at(at)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
