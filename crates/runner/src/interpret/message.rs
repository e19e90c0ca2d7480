//! What is taken of what a hook wrote to standard error.

use std::borrow::Cow;

/// How much of a hook's standard error a result keeps: enough for a stack trace, and a verdict stays readable.
const STDERR_TAIL: usize = 4096;

/// How much of a line of a jq program a message shows.
const PROGRAM_LINE_SHOWN: usize = 120;

/// The line of a message that says most: the last, but for lines with which some programs only end what they say.
pub(super) fn telling_line(text: &str) -> Cow<'_, str> {
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
        return last.into();
    }
    // jq prints the program after its message; node prints the stack, and what the error object has.
    if last.starts_with("jq: ") {
        let errors = text.lines().enumerate().filter(|(_, line)| line.starts_with(JQ_ERROR));
        return errors.last().map_or(last.into(), |(at, _)| with_program(text, at).into());
    }
    let is_error = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default();
        name.ends_with("Error") && !name.contains(' ') || name.ends_with(']') && name.contains("Error [")
    };
    let mut lines = text.lines().rev();
    let found = text.lines().rev().find(is_error).or_else(|| lines.find(|line| !is_more(line)));
    found.unwrap_or(last).into()
}

/// What jq said of a program that it could not compile.
pub(super) fn of_broken_jq(stderr: &str) -> Option<String> {
    let is_end = |line: &str| line.starts_with("jq: ") && line.contains(" compile error");
    let end = stderr.lines().position(is_end)?;
    let at = stderr.lines().take(end).position(|line| line.starts_with(JQ_ERROR))?;
    Some(with_program(stderr, at))
}

/// What jq's messages of what is wrong begin with.
const JQ_ERROR: &str = "jq: error";

/// The line at which jq names what is wrong in a program, and the line of the program that it prints after it: without that
/// `line 1:` leads nowhere.
fn with_program(text: &str, at: usize) -> String {
    let mut lines = text.lines().skip(at);
    let error = lines.next().unwrap_or_default().trim_end();
    let program = lines.next().filter(|line| !line.starts_with("jq: ")).unwrap_or_default().trim();
    if program.is_empty() || !error.ends_with(':') {
        return error.trim_end_matches(':').to_owned();
    }
    match program.char_indices().nth(PROGRAM_LINE_SHOWN) {
        None => format!("{error} `{program}`"),
        Some((end, _)) => format!("{error} `{}…`", program.get(..end).unwrap_or_default()),
    }
}

/// What was written, blanks around it and a byte order mark taken off; `None` if nothing is left.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The end of a text, from the start of a line or else of a character.
pub(super) fn tail(bytes: &[u8]) -> String {
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
