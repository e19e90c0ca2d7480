//! What is taken of what a hook wrote to standard error.

/// How much of a hook's standard error a result keeps: enough for a stack trace, and a verdict stays readable.
const STDERR_TAIL: usize = 4096;

/// The line of a message that says most: the last, but for lines with which some programs only end what they say.
pub(super) fn telling_line(text: &str) -> &str {
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
pub(super) fn of_broken_jq(stderr: &str) -> Option<&str> {
    let is_end = |line: &str| line.starts_with("jq: ") && line.contains(" compile error");
    let end = stderr.lines().position(is_end)?;
    stderr.lines().take(end).find(|line| line.starts_with("jq: error"))
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
