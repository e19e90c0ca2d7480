//! What of standard error is compared: the messages, which are bash's own words here too.
//!
//! Left out is what is not meant to be the same: the numbers of lines (bash counts some of them wrongly), what a syntax error
//! says was expected, which is ours alone, bash's warning of a here-document without an end, the numbers of processes, and
//! the times that `time` has measured.

/// The messages as they are compared. Where several processes write at the same time, the lines are in no order.
pub(crate) fn compared(stderr: &[u8]) -> Vec<Vec<u8>> {
    let text = without_lines(&without_expectations(stderr));
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && !is_warning(line));
    let mut lines: Vec<Vec<u8>> = lines.map(|line| without_processes(without_time(line))).collect();
    lines.sort();
    lines
}

/// `real` of `real 0.01`.
fn without_time(line: &[u8]) -> &[u8] {
    let word = line.split(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or(line);
    if word.len() < line.len() && matches!(word, b"real" | b"user" | b"sys") { word } else { line }
}

/// bash's `warning: here-document at line 3 delimited by end-of-file`.
fn is_warning(line: &[u8]) -> bool {
    line.windows(22).any(|part| part == b"warning: here-document")
}

/// Without the numbers of processes, which `set -x` shows of `wait $!` and `kill $!`: those of three digits and more.
fn without_processes(line: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((byte, after)) = rest.split_first() {
        let digits = rest.len() - skip(rest, u8::is_ascii_digit).len();
        if digits >= 3 {
            result.push(b'N');
            rest = &rest[digits..];
        } else if digits > 0 {
            result.extend_from_slice(&rest[..digits]);
            rest = &rest[digits..];
        } else {
            result.push(*byte);
            rest = after;
        }
    }
    result
}

/// Without the ` (expected …)` at the ends of lines, and the place before it where what is not closed was opened.
pub(crate) fn without_expectations(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        match line.windows(11).position(|window| window == b" (expected ") {
            Some(at) if line.ends_with(b")\n") => {
                let opened = line[..at].windows(5).position(|window| window == b" in `");
                let end = opened.filter(|opened| line[..*opened].ends_with(b"unexpected end of file")).unwrap_or(at);
                [&line[..end], b"\n"].concat()
            }
            _ => line.to_vec(),
        }
    });
    lines.flatten().collect()
}

/// Without the numbers of lines, and the blanks around them; the text is the same in upper case after some pipelines.
pub(crate) fn without_lines(text: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        result.push(*byte);
        rest = after;
        if result.len() >= 4 && result[result.len() - 4..].eq_ignore_ascii_case(b"line") {
            // `select` shows its menu in columns, whose width depends on how long a number is.
            let number = skip(rest, |byte| *byte == b' ');
            if number.first().is_some_and(u8::is_ascii_digit) {
                rest = skip(skip(number, u8::is_ascii_digit), |byte| *byte == b' ');
            }
        }
    }
    result
}

/// The text after the bytes that it begins with and that are such ones.
fn skip(text: &[u8], is_one: impl Fn(&u8) -> bool) -> &[u8] {
    text.iter().position(|byte| !is_one(byte)).map_or(&[], |end| &text[end..])
}

#[cfg(test)]
mod tests {
    use super::{compared, without_lines};

    #[test]
    fn the_number_after_the_word_line_is_taken_out() {
        let cases: [(&str, &str); 9] = [
            ("x: line 5: y: not found", "x: line: y: not found"),
            ("x: line 12: y", "x: line: y"),
            ("X: LINE 7: Y", "X: LINE: Y"),
            ("line5", "line"),
            ("1) line 5   2) b", "1) line2) b"),
            ("line", "line"),
            ("line ", "line "),
            ("a line of text 5", "a line of text 5"),
            ("5 lin 6", "5 lin 6"),
        ];
        for (text, expected) in cases {
            assert_eq!(String::from_utf8(without_lines(text.as_bytes())).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_messages_themselves_are_compared() {
        let shown = |text: &str| -> Vec<String> {
            compared(text.as_bytes()).iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
        };
        let bash = "s: line 3: x: not found\ns: line 4: warning: here-document at line 2 delimited by end-of-file (wanted `E')\n\
                    s: line 5: syntax error: unexpected end of file\n+ wait 2143\n";
        let ours = "s: line 2: x: not found\n+ wait 77143\n\
                    s: line 9: syntax error: unexpected end of file in `if' opened on line 2 (expected `fi')\n";
        assert_eq!(shown(bash), ["+ wait N", "s: line: syntax error: unexpected end of file", "s: line: x: not found"]);
        assert_eq!(shown(bash), shown(ours));
        for other in ["s: line 3: y: not found\n", "s: line 3: x: not found\ns: line 3: x: not found\n", ""] {
            assert_ne!(shown("s: line 3: x: not found\n"), shown(other), "{other}");
        }
    }
}
