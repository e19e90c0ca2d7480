//! awk's programs (POSIX XCU awk, and gawk 5): may one start a command?

/// Is there no `system`, no pipe and nothing else by which awk starts a program? What is no awk is not tame.
pub(super) fn is_tame(code: &[u8]) -> bool {
    let mut rest = code;
    // The last character that is no blank, and whether an operand ended there.
    let mut last = b'\n';
    while let Some((byte, after)) = rest.split_first() {
        match byte {
            b'#' => {
                rest = rest
                    .iter()
                    .position(|byte| *byte == b'\n')
                    .map_or(&[][..], |at| rest.get(at..).unwrap_or_default());
                continue;
            }
            b'"' => match closed(after, b'"') {
                Some(after) => {
                    rest = after;
                    last = b'"';
                    continue;
                }
                None => return false,
            },
            b'/' => {
                let is_division = last.is_ascii_alphanumeric() || matches!(last, b'_' | b')' | b']' | b'"' | b'$');
                // After `++` it may be either.
                if matches!(last, b'+' | b'-') {
                    return false;
                }
                if !is_division {
                    match closed(after, b'/') {
                        Some(after) => {
                            rest = after;
                            last = b'"';
                            continue;
                        }
                        None => return false,
                    }
                }
            }
            b'|' => match after.first() {
                Some(b'|') => {
                    rest = after.get(1..).unwrap_or_default();
                    last = b'|';
                    continue;
                }
                _ => return false,
            },
            b'@' => return false,
            byte if byte.is_ascii_alphabetic() || *byte == b'_' => {
                let end =
                    rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                if matches!(word, b"system" | b"getline" | b"extension" | b"dlload" | b"load") {
                    return false;
                }
                rest = after;
                // After a keyword stands no operator.
                last = if matches!(word, b"return" | b"print" | b"printf" | b"in" | b"else" | b"do" | b"case") {
                    b'('
                } else {
                    b'a'
                };
                continue;
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() || *byte == b'\n' {
            last = *byte;
        }
        rest = after;
    }
    true
}

/// What follows a text's closing character on the same line.
fn closed(text: &[u8], closer: u8) -> Option<&[u8]> {
    let mut at = 0;
    let mut in_set = false;
    loop {
        match text.get(at)? {
            b'\\' => at += 1,
            b'\n' => return None,
            // Implementations differ in whether a slash in a set ends the expression.
            b'[' if closer == b'/' => in_set = true,
            b']' => in_set = false,
            byte if *byte == closer => return if in_set { None } else { text.get(at + 1..) },
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::is_tame;

    #[test]
    fn pipes_are_told_from_alternatives() {
        for tame in [
            "{print $1}",
            "/a|b/ {print}",
            "$1 ~ /x|y/ || $2 == \"a|b\" {n++} END {print n / 2}",
            "BEGIN{FS=\",\"} {gsub(/ +/, \"\"); print > \"out\"}",
            "NR>1 && !/^#/",
            "{print} # system",
        ] {
            assert!(is_tame(tame.as_bytes()), "{tame}");
        }
        for wild in [
            "BEGIN{system(\"x\")}",
            "{print | \"x\"}",
            "{\"x\" | getline}",
            "{while ((\"x\" | getline l) > 0) print l}",
            "@load \"x\"",
            "{f=\"system\"; @f(\"x\")}",
            "{a++ /x | \"y\"/ 1}",
            "{print \"x}",
            "BEGIN { print 1 |& \"x\" }",
        ] {
            assert!(!is_tame(wild.as_bytes()), "{wild}");
        }
    }
}
