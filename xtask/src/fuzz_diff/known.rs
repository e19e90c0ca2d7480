//! Differences from bash that are meant, or that are bash's own accidents.

use super::subject::Outcome;

/// One of them.
struct Known {
    /// Why it is none.
    reason: &'static str,
    /// Is it this one?
    matches: fn(script: &str, bash: &Outcome, ours: &Outcome) -> bool,
}

const KNOWN: &[Known] = &[
    Known {
        reason: "a listing of all variables: each shell has its own, and the version differs",
        matches: |_, bash, ours| {
            let lists = |outcome: &Outcome| contains(&outcome.stdout, b"BASH_VERSINFO=");
            bash.status == ours.status && lists(bash) && lists(ours)
        },
    },
    Known {
        reason: "bash counts lines in $( ), <( ) and backquotes from where the command around them ends, and wrongly",
        matches: |script, bash, ours| {
            let nested = ["$(", "<(", ">(", "`"].iter().any(|opening| script.contains(opening));
            nested && is_same_but_for_lines(bash, ours)
        },
    },
    Known {
        reason: "bash counts on from the line of the command whose expansion error has dropped a unit of several lines",
        matches: |_, bash, ours| contains(&ours.stderr, b": line ") && is_same_but_for_lines(bash, ours),
    },
    Known {
        reason: "bash counts wrongly behind a list that goes on in the next line",
        matches: |script, bash, ours| {
            let goes_on = |line: &str| {
                let operator = line.rfind("||").max(line.rfind("&&"));
                operator.is_some_and(|at| line[at + 2..].trim_end().is_empty() || line[at..].contains(['(', '{']))
            };
            script.lines().any(goes_on) && is_same_but_for_lines(bash, ours)
        },
    },
    Known {
        reason: "bash counts on from the line of a pipeline with a subshell in it",
        matches: |script, bash, ours| script.contains("| (") && is_same_but_for_lines(bash, ours),
    },
    Known {
        reason: "bash drops the empty parameters that $* begins with where a here-document begins with it; XCU 2.7.4 has them",
        matches: |script, bash, ours| {
            let words = |text: &[u8]| {
                let words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
                words.map(<[u8]>::to_vec).collect::<Vec<_>>()
            };
            let mut lines = script.lines().zip(script.lines().skip(1));
            let begins = lines.any(|(line, next)| {
                let next = next.trim_start_matches('\t');
                line.contains("<<") && (next.starts_with("$*") || next.starts_with("${*"))
            });
            begins && bash.status == ours.status && words(&bash.stdout) == words(&ours.stdout)
        },
    },
    Known {
        reason: "bash's parser goes astray behind an `eval` of text that ends in a backslash or in a quote that is not closed",
        matches: |script, bash, ours| {
            let unclosed = b"unexpected EOF while looking for matching";
            script.contains("eval") && contains(&bash.stderr, unclosed) && syntax_errors(bash) > syntax_errors(ours)
        },
    },
    Known {
        reason: "what was expected is part of the messages here",
        matches: |_, bash, ours| bash.status == ours.status && bash.stdout == without_expectations(&ours.stdout),
    },
    Known {
        reason: "bash shows the whole word of a bad substitution",
        matches: |_, bash, ours| {
            let others = |outcome: &Outcome| -> Vec<Vec<u8>> {
                let lines = outcome.stdout.split(|byte| *byte == b'\n');
                lines.filter(|line| !contains(line, b": bad substitution")).map(<[u8]>::to_vec).collect()
            };
            let says = |outcome: &Outcome| contains(&outcome.stdout, b": bad substitution");
            says(bash) && says(ours) && bash.status == ours.status && others(bash) == others(ours)
        },
    },
    Known {
        reason: "bash ends with the status from before a syntax error inside [[ ]], so with 0 at a broken guard; here it is 2",
        matches: |script, bash, ours| {
            let said = contains(&ours.stderr, b"syntax error near unexpected token")
                || contains(&ours.stderr, b"conditional binary operator expected")
                || contains(&ours.stderr, b"unexpected argument");
            let same = without_digits(&bash.stdout) == without_digits(&ours.stdout);
            script.contains("[[") && ours.status == 2 && bash.status != 2 && said && same
        },
    },
    Known {
        reason: "bash takes the commas inside $[ ] for those of a brace expansion around it",
        matches: |script, bash, ours| {
            let message = b"bad substitution: no closing `]'";
            let says = |outcome: &Outcome| contains(&outcome.stderr, message) || contains(&outcome.stdout, message);
            script.contains("$[") && script.contains('{') && says(bash) && !says(ours)
        },
    },
    Known {
        reason: "bash escapes brackets in a subscript inside a subscript",
        matches: |_, bash, ours| {
            let says = |outcome: &Outcome| contains(&outcome.stderr, b"(error token is \"\\[");
            says(bash) && !says(ours)
        },
    },
    Known {
        reason: "bash does not find the end of $( ) or $(( )) in the replacement of ${x/y/$( )} in a here-document",
        matches: |script, bash, ours| {
            script.contains("<<")
                && (contains(&bash.stderr, b"bad substitution: no closing `)'")
                    || contains(&bash.stderr, b"unexpected EOF while looking for matching `)'"))
                && syntax_errors(bash) >= syntax_errors(ours)
        },
    },
    Known {
        reason: "under `set -k` a listing of the exported variables has the assignments of its own command",
        matches: |script, bash, ours| {
            let lists = |outcome: &Outcome| contains(&outcome.stdout, b"declare -x HOME=");
            script.contains("set -k") && lists(bash) && lists(ours)
        },
    },
    Known {
        reason: "bash prints an array's last word inside $( ) without its escaped blank or quote, and reads that again",
        matches: |script, bash, ours| {
            let has_array = |body: &str| body.contains("=(") && body.contains('\\');
            syntax_errors(bash) > syntax_errors(ours) && substitutions(script).any(has_array)
        },
    },
    Known {
        reason: "bash takes `time a=(1)` inside $( ) for a syntax error",
        matches: |script, bash, ours| {
            let says = |outcome: &Outcome| contains(&outcome.stderr, b"near unexpected token `('");
            let timed = |body: &str| body.contains("time ") && body.contains("=(");
            substitutions(script).any(timed) && says(bash) && !says(ours)
        },
    },
    Known {
        reason: "bash reads $'\'' inside \"${x-word}\" as a quote that is not closed",
        matches: |script, bash, ours| {
            let says = |outcome: &Outcome| contains(&outcome.stderr, b"bad substitution: no closing `}'");
            script.contains("$'") && script.contains("${") && says(bash) && !says(ours)
        },
    },
];

/// The texts inside `$( )`, `<( )` and `>( )`, as far as counting parentheses tells.
fn substitutions(script: &str) -> impl Iterator<Item = &str> {
    ["$(", "<(", ">("].into_iter().flat_map(|opening| script.match_indices(opening)).map(|(at, _)| {
        let mut depth = 0;
        let end = script[at..].char_indices().find(|(_, character)| {
            depth += i32::from(*character == '(') - i32::from(*character == ')');
            *character == ')' && depth == 0
        });
        // The patterns of `case` have parentheses of their own.
        let end = end.filter(|(end, _)| !script[at..at + end].contains("case "));
        &script[at..end.map_or(script.len(), |(end, _)| at + end)]
    })
}

/// Without the ` (expected …)` at the ends of lines.
fn without_expectations(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        match line.windows(11).position(|window| window == b" (expected ") {
            Some(at) if line.ends_with(b")\n") => [&line[..at], b"\n"].concat(),
            _ => line.to_vec(),
        }
    });
    lines.flatten().collect()
}

/// How many syntax errors a shell has found.
fn syntax_errors(outcome: &Outcome) -> usize {
    let marks: [&[u8]; 4] =
        [b"syntax error near unexpected token", b"unexpected EOF while", b"unexpected end of file", b"no closing `"];
    let lines = outcome.stderr.split(|byte| *byte == b'\n');
    lines.filter(|line| marks.iter().any(|mark| contains(line, mark))).count()
}

/// Do they differ in nothing but the numbers behind the word `line`, which stands before all that the programs show?
fn is_same_but_for_lines(bash: &Outcome, ours: &Outcome) -> bool {
    let has_stderr = |outcome: &Outcome| !outcome.stderr.is_empty();
    bash.status == ours.status
        && has_stderr(bash) == has_stderr(ours)
        && without_lines(&bash.stdout) == without_lines(&ours.stdout)
}

/// Without the numbers of lines, and the blanks around them; the text is the same in upper case after some pipelines.
fn without_lines(text: &[u8]) -> Vec<u8> {
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

fn without_digits(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !byte.is_ascii_digit()).collect()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The reason why a difference is not reported.
pub(crate) fn reason(script: &str, bash: &Outcome, ours: &Outcome) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.matches)(script, bash, ours)).map(|known| known.reason)
}

#[cfg(test)]
mod tests {
    use super::{Outcome, is_same_but_for_lines, without_lines};

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
    fn only_numbers_of_lines_may_differ() {
        let outcome = |stdout: &str, status| Outcome { stdout: stdout.into(), status, stderr: b"m".to_vec() };
        let bash = outcome("sh: line 3: 4", 1);
        assert!(is_same_but_for_lines(&bash, &outcome("sh: line 12: 4", 1)));
        for other in [outcome("sh: line 3: 5", 1), outcome("sh: line 3: 4", 2), outcome("sh: 3: 4", 1)] {
            assert!(!is_same_but_for_lines(&bash, &other), "{other:?}");
        }
    }
}
