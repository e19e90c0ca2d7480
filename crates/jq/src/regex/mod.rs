//! Regular expressions as Oniguruma runs them for jq: Perl's syntax, leftmost, first alternative first.
//!
//! What [`hookshell_regex::oniguruma`] does not support is refused where the pattern stands in the program; else it is an error when it
//! runs.

mod edits;

use std::sync::Arc;

use hookshell_regex::oniguruma::{Fault, Machine, Matched, Options, Regex};

use super::ops::{Outcome, type_error};
use super::value::{Object, Value, error};
use super::watch::Watch;
pub(super) use edits::{edited, pieces};

/// Is the pattern supported?
///
/// # Errors
/// What of it is not.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    for ignore_case in [false, true] {
        if let Err(Fault::Unsupported(what)) = Regex::new(pattern, Options { ignore_case, ..Options::default() }) {
            return Err(what);
        }
    }
    Ok(())
}

/// `_match_impl(PATTERN; FLAGS; TEST)`
pub(super) fn matches(input: &Value, pattern: &Value, flags: &Value, test: &Value, watch: &Watch<'_>) -> Outcome {
    /// About what a match object takes, and each of its groups.
    const PER_OBJECT: usize = 4 * Object::PER_MEMBER;
    let Value::String(text) = input else {
        return type_error(input, "cannot be matched, as it is not a string");
    };
    let Value::String(pattern) = pattern else {
        return type_error(pattern, "is not a string");
    };
    let test = matches!(test, Value::Bool(true));
    let mut options = Options::default();
    let mut global = false;
    match flags {
        Value::Null => {}
        Value::String(flags) => {
            for flag in flags.chars() {
                match flag {
                    'g' => global = true,
                    'i' => options.ignore_case = true,
                    'x' => options.extended = true,
                    'm' | 'p' => options.dot_all = true,
                    // Oniguruma's Perl syntax is in single-line mode as it is.
                    's' => {}
                    'n' => options.not_empty = true,
                    'l' => return unsupported("this flag"),
                    _ => return error(format!("{flags} is not a valid modifier string")),
                }
            }
        }
        other => return type_error(other, "is not a string"),
    }
    let regex = match Regex::new(pattern, options) {
        Ok(regex) => regex,
        Err(Fault::Invalid(message)) => return error(format!("Regex failure: {message}")),
        Err(Fault::Unsupported(what)) => return unsupported(&what),
    };
    if regex.ignores_case() && has_long_fold(pattern, text) {
        return unsupported("ignoring the case of such letters");
    }
    let should_continue = |bytes: usize| watch.should_continue() && watch.fits(bytes).is_ok();
    let mut machine = Machine::new(&regex, text, &should_continue);
    let per_match = PER_OBJECT * (regex.names().len() + 1);
    let mut characters = Characters::new(text);
    let mut found = Vec::new();
    let mut start = 0;
    loop {
        match machine.search(start) {
            Matched::No => break,
            Matched::TooLong => return error("Regex failure: retry-limit-in-match over"),
            Matched::Stopped => return error("the run is over"),
            Matched::Yes if test => return Ok(Value::Bool(true)),
            Matched::Yes => {}
        }
        // The search asks itself only where it is long.
        if !watch.should_continue() {
            return error("the run is over");
        }
        watch.fits((found.len() + 1) * per_match)?;
        found.push(describe(&regex, &machine, text, &mut characters));
        let (begin, end) = machine.group(0).unwrap_or((start, start));
        start = if begin == end { end + 1 } else { end };
        if !global || start > text.len() {
            break;
        }
    }
    watch.made(found.len() * per_match);
    Ok(if test { Value::Bool(false) } else { Value::array(found) })
}

/// Oniguruma takes `ss` and `ß` for one where it ignores case: is there such a letter, and what it stands for?
fn has_long_fold(pattern: &str, text: &str) -> bool {
    if pattern.is_ascii() && text.is_ascii() {
        return false;
    }
    let long = |c: char| {
        if c.is_ascii() {
            return None;
        }
        let (lower, upper) = (c.to_lowercase(), c.to_uppercase());
        match (lower.clone().count() > 1, upper.clone().count() > 1) {
            (true, _) => Some(lower.collect::<String>()),
            (_, true) => Some(upper.flat_map(char::to_lowercase).collect()),
            _ => None,
        }
    };
    pattern.chars().any(|c| long(c).is_some()) || {
        let pattern = pattern.to_lowercase();
        text.chars().filter_map(long).any(|expanded| pattern.contains(&expanded))
    }
}

fn unsupported(what: &str) -> Outcome {
    error(format!("hookshell's jq does not support {what} in a regular expression"))
}

/// Counts the characters before a byte, from the byte that it was asked for last: matches come one after the other.
struct Characters<'a> {
    text: &'a [u8],
    at: usize,
    before: usize,
}

impl<'a> Characters<'a> {
    fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), at: 0, before: 0 }
    }

    /// How many characters begin before a byte.
    fn before(&mut self, to: usize) -> usize {
        let (from, to) = (self.at, to.min(self.text.len()));
        let between = self.text.get(from.min(to)..from.max(to)).unwrap_or_default();
        let count = between.iter().filter(|byte| !hookshell_process::text::is_continuation(**byte)).count();
        self.at = to;
        self.before = if to >= from { self.before + count } else { self.before - count };
        self.before
    }

    /// The byte that so many characters are before; that after the text where it has fewer.
    fn byte(&mut self, characters: usize) -> usize {
        if characters < self.before {
            (self.at, self.before) = (0, 0);
        }
        let is_begin =
            |at: usize| self.text.get(at).is_none_or(|byte| !hookshell_process::text::is_continuation(*byte));
        while self.at < self.text.len() && (self.before < characters || !is_begin(self.at)) {
            self.before += usize::from(is_begin(self.at));
            self.at += 1;
        }
        self.at
    }
}

/// The match object of what the machine has matched.
fn describe(regex: &Regex, machine: &Machine<'_>, text: &str, characters: &mut Characters<'_>) -> Value {
    let string = |begin: usize, end: usize| Value::from(text.get(begin..end).unwrap_or_default());
    let (begin, end) = machine.group(0).unwrap_or_default();
    let first = characters.before(begin);
    let offset = Value::count(first);
    let length = Value::count(characters.before(end) - first);
    let empty = begin == end;
    let mut captures = Vec::new();
    for (group, name) in (1..).zip(regex.names()) {
        let name = name.as_ref().map_or(Value::Null, |name: &Arc<str>| Value::String(name.clone()));
        let zero = |at: Value, text: Value| {
            Value::object([("offset", at), ("string", text), ("length", Value::Number(0.0)), ("name", name.clone())])
        };
        captures.push(match machine.group(group) {
            // An empty match has empty groups, all of them.
            _ if empty => zero(offset.clone(), "".into()),
            None => zero(Value::Number(-1.0), Value::Null),
            Some((begin, end)) if begin == end => zero(Value::count(characters.before(begin)), "".into()),
            Some((begin, end)) => {
                let first = characters.before(begin);
                Value::object([
                    ("offset", Value::count(first)),
                    ("length", Value::count(characters.before(end) - first)),
                    ("string", string(begin, end)),
                    ("name", name.clone()),
                ])
            }
        });
    }
    Value::object([
        ("offset", offset),
        ("length", length),
        ("string", string(begin, end)),
        ("captures", Value::array(captures)),
    ])
}
