//! `envsubst`: variables of the environment put into a text.

use std::collections::HashSet;

use hookshell_process::text;
use hookshell_utility::command::is_same;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source, reason};
use hookshell_utility::options::{OptionSpec, flag, parse};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `envsubst [SHELL-FORMAT]`, `envsubst -v SHELL-FORMAT` (GNU gettext's): `$NAME` and `${NAME}` of standard input become the
    /// variable's value, all of them or those that the operand refers to.
    Envsubst, "envsubst"
}

const OPTIONS: &[OptionSpec] = &[flag(b'v', "variables")];

struct Command<'a> {
    prints_names: bool,
    operands: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    Ok(Command { prints_names: parsed.has(b'v'), operands: parsed.operands })
}

/// What a `$` begins.
struct Reference<'t> {
    name: &'t [u8],
    /// The bytes from the `$` on.
    length: usize,
    /// Its braces are closed, or it has none.
    is_complete: bool,
}

/// The reference at the beginning of a text that begins with `$`; `None` if no name follows.
fn reference(text: &[u8]) -> Option<Reference<'_>> {
    let is_braced = text.get(1) == Some(&b'{');
    let start = if is_braced { 2 } else { 1 };
    let rest = text.get(start..).unwrap_or_default();
    if !rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
        return None;
    }
    let count = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let (name, after) = rest.split_at_checked(count)?;
    let is_closed = is_braced && after.first() == Some(&b'}');
    let length = start + count + usize::from(is_closed);
    Some(Reference { name, length, is_complete: is_closed || !is_braced })
}

/// The names that a format refers to, in order.
fn names(format: &[u8]) -> Vec<&[u8]> {
    let mut names = Vec::new();
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'$', rest) {
        rest = rest.get(at..).unwrap_or_default();
        let found = reference(rest);
        names.extend(found.as_ref().filter(|found| found.is_complete).map(|found| found.name));
        rest = rest.get(found.map_or(1, |found| found.length)..).unwrap_or_default();
    }
    names
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let format = match (command.operands[..].split_first(), command.prints_names) {
        (None, true) => {
            running.message(b"missing arguments")?;
            return Ok(1);
        }
        (Some((_, [_, ..])), _) => {
            running.message(b"too many arguments")?;
            return Ok(1);
        }
        (first, _) => first.map(|(format, _)| *format),
    };
    let mut out = Output::new(running);
    if let (true, Some(format)) = (command.prints_names, format) {
        for name in names(format) {
            out.push(name)?;
            out.byte(b'\n')?;
        }
        out.flush()?;
        return Ok(0);
    }
    let wanted: Option<HashSet<&[u8]>> = format.map(|format| names(format).into_iter().collect());
    let env = running.context().env;
    let value = |name: &[u8]| {
        let name = text::to_os(name);
        env.iter().find(|(known, _)| is_same(known, &name)).map(|(_, value)| text::from_os(value))
    };
    let mut input = match running.descriptor(0) {
        Ok(stream) => Input::new(Source::Stream(stream)),
        Err(error) => return fail(running, &error),
    };
    // No reference goes over the end of a line.
    while let Some(line) = input.line(running, b'\n')? {
        let mut rest = line;
        while let Some(at) = memchr::memchr(b'$', rest) {
            let (before, from) = rest.split_at(at);
            out.push(before)?;
            let (length, shown) = match reference(from) {
                None => (1, false),
                Some(found) => {
                    let replaced = found.is_complete && wanted.as_ref().is_none_or(|set| set.contains(found.name));
                    if replaced && let Some(value) = value(found.name) {
                        out.push(&value)?;
                    }
                    (found.length, replaced)
                }
            };
            let (taken, after) = from.split_at(length.min(from.len()));
            if !shown {
                out.push(taken)?;
            }
            rest = after;
        }
        out.push(rest)?;
    }
    out.flush()?;
    match &input.error {
        Some(error) => fail(running, error),
        None => Ok(0),
    }
}

fn fail(running: &Running<'_>, error: &std::io::Error) -> Result<u8, Failure> {
    running.message(format!("error while reading \"standard input\": {}", reason(error)).as_bytes())?;
    Ok(1)
}
