//! Writes what bash answers into a case file, for an author to review.

use std::path::Path;

use super::bytes::{escape, needs_escape};
use super::parse::is_reserved;
use super::{Case, Error, Left, Outcome, Stdout, Subject, parse, suite};

/// The largest file whose content is written down.
const MOST: usize = 1024;

/// Fills in what the cases of `path` that have no `--- stdout` lack, and says how many these were.
///
/// # Errors
/// The file cannot be read or written, is not in the format, or bash gave no answer.
pub(crate) fn record(area: &str, path: &Path) -> Result<usize, Error> {
    let text = std::fs::read(path).map_err(Error::file(path))?;
    let cases = parse(area, path, &text)?;
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let mut out = Vec::new();
    let mut from = 0;
    let mut count = 0;
    for case in cases.iter().filter(|case| case.expected.stdout == Stdout::Unrecorded) {
        let outcome = suite::run(&Subject::Bash, case).map_err(Error::file(path))?;
        if let Some(trouble) = outcome.trouble {
            return Err(Error::Malformed { path: path.to_path_buf(), line: case.line, what: trouble });
        }
        let to = case.end_line - 1;
        write_lines(&lines[from..to], &mut out);
        out.extend_from_slice(&sections(case, &outcome));
        from = to;
        count += 1;
    }
    if count > 0 {
        write_lines(&lines[from..], &mut out);
        std::fs::write(path, out).map_err(Error::file(path))?;
    }
    Ok(count)
}

fn write_lines(lines: &[&[u8]], out: &mut Vec<u8>) {
    for line in lines {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
}

/// What the case lacks.
fn sections(case: &Case, outcome: &Outcome) -> Vec<u8> {
    let mut out = Vec::new();
    write_section("stdout", &outcome.stdout, &mut out);
    if case.expected.status.is_none() && outcome.status != 0 {
        out.extend_from_slice(format!("--- status {}\n", outcome.status).as_bytes());
    }
    if case.expected.leaves.is_empty() && case.expected.leaves_not.is_empty() && case.expected.directory.is_none() {
        for (name, left) in &outcome.left {
            let given = case.given.iter().find(|given| given.name == *name).and_then(|given| given.content.as_ref());
            match left {
                Left::File(content) if given != Some(content) && (1..=MOST).contains(&content.len()) => {
                    let name = if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name.clone() };
                    write_section(&format!("leaves {name}"), content, &mut out);
                }
                _ => {}
            }
        }
    }
    if out.ends_with(b"\n\n") {
        out.extend_from_slice(b"--- end\n");
    }
    out
}

fn write_section(header: &str, content: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("--- {header}").as_bytes());
    let escaped = needs_escape(content);
    if escaped {
        out.extend_from_slice(b" escaped");
    }
    if !content.is_empty() && !content.ends_with(b"\n") {
        out.extend_from_slice(b" no-newline");
    }
    out.push(b'\n');
    let text = if escaped { escape(content) } else { content.to_vec() };
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if is_reserved(line) {
            out.push(b'\\');
        }
        out.extend_from_slice(line);
    }
    if !text.is_empty() && !text.ends_with(b"\n") {
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse;
    use super::*;

    #[test]
    fn what_is_recorded_is_read_back() {
        let outputs: [&[u8]; 7] = [b"", b"a\n", b"a", b"a\n\n", b"--- x\n\\--- y\n=== z\n", b"\xff \n\t\n", b"\n"];
        for output in outputs {
            let mut text = b"=== t\ntrue\n".to_vec();
            let case = parse("x/x", Path::new("x"), &text).unwrap().remove(0);
            let mut outcome = Outcome { status: 3, stdout: output.to_vec(), ..Outcome::default() };
            outcome.left.insert("a b".into(), Left::File(output.to_vec()));
            text.extend_from_slice(&sections(&case, &outcome));
            text.extend_from_slice(b"\n\n=== next\ntrue\n");
            let case = parse("x/x", Path::new("x"), &text).unwrap().remove(0);
            assert_eq!(case.expected.stdout, Stdout::Exact(output.to_vec()));
            assert_eq!(case.expected.status, Some(3));
            if !output.is_empty() {
                assert_eq!(case.expected.leaves, [("a b".to_owned(), output.to_vec())]);
            }
        }
    }
}
