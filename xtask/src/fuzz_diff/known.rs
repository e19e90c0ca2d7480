//! Differences from bash that are meant, or that are bash's own accidents.

use super::messages::{without_expectations, without_lines};
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
        reason: "bash does not write each line of a substitution of several lines that it reads under `set -v`",
        matches: |script, bash, ours| {
            let own = |line: &[u8]| line.starts_with(b"../case.sh: ").then(|| line.to_vec());
            script.contains("set -v") && is_same_but_for_messages(bash, ours, own)
        },
    },
    Known {
        reason: "the token in the message of a division by zero is found from the end of the expression here",
        matches: |_, bash, ours| {
            let mark = b"division by 0 (error token is ";
            let shown = |line: &[u8]| Some(line[..position(line, mark).unwrap_or(line.len())].to_vec());
            is_same_but_for_messages(bash, ours, shown)
        },
    },
    Known {
        reason: "bash shows a negative length as it is written, with the blank before it; here it is the value",
        matches: |_, bash, ours| {
            let others = |line: &[u8]| (!contains(line, b"substring expression < 0")).then(|| line.to_vec());
            is_same_but_for_messages(bash, ours, others)
        },
    },
    Known {
        reason: "bash names the variable of `{fd}> file` where noclobber keeps the file",
        matches: |script, bash, ours| {
            let shown = |line: &[u8]| {
                let end = position(line, b": cannot overwrite existing file")?;
                let begin = line[..end].iter().rposition(|byte| *byte == b' ')?;
                Some([&line[..begin], &line[end..]].concat())
            };
            let all = |line: &[u8]| Some(shown(line).unwrap_or_else(|| line.to_vec()));
            script.contains("{fd}") && is_same_but_for_messages(bash, ours, all)
        },
    },
    Known {
        reason: "bash expands the word of an ambiguous redirect twice, once more for its message",
        matches: |script, bash, ours| {
            let message = b": ambiguous redirect";
            let twice = contains(&bash.stderr, message) && (script.contains("$((") || script.contains("$["));
            let same = bash.status == ours.status && bash.messages() == ours.messages();
            twice && same && without_digits(&bash.stdout) == without_digits(&ours.stdout)
        },
    },
    Known {
        reason: "bash doubles the byte 1, its own mark, in what `set -x` shows",
        matches: |script, bash, ours| {
            let undoubled = |line: &[u8]| {
                let mut line = line.to_vec();
                line.dedup_by(|byte, last| *byte == 1 && *last == 1);
                Some(line)
            };
            script.contains("set -x") && is_same_but_for_messages(bash, ours, undoubled)
        },
    },
    Known {
        reason: "GNU's utilities tell of a failed write more than once",
        matches: |_, bash, ours| {
            let others = |line: &[u8]| {
                let is_one = contains(line, b": write error") || contains(line, b"fflush failed");
                (!is_one).then(|| line.to_vec())
            };
            is_same_but_for_messages(bash, ours, others)
        },
    },
    Known {
        reason: "bash has other words for a mistake inside [[ ]]",
        matches: |script, bash, ours| {
            let others = |line: &[u8]| {
                let is_one =
                    contains(line, b"syntax error") || contains(line, b"conditional ") || contains(line, b": `");
                (!is_one).then(|| line.to_vec())
            };
            let are_wrong = syntax_errors(ours) > 0 && contains(&bash.stderr, b"conditional");
            script.contains("[[") && are_wrong && is_same_but_for_messages(bash, ours, others)
        },
    },
    Known {
        reason: "a listing of all variables: each shell has its own, and the version differs",
        matches: |_, bash, ours| {
            let lists = |outcome: &Outcome| contains(&outcome.stdout, b"BASH_VERSINFO=");
            bash.status == ours.status && bash.messages() == ours.messages() && lists(bash) && lists(ours)
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
        matches: |_, bash, ours| {
            let errors: [&[u8]; 7] = [
                b": bad substitution",
                b": unbound variable",
                b"substring expression",
                b"error token is",
                b"parameter null or not set",
                b"parameter not set",
                b"bad array subscript",
            ];
            let is_one = |text: &[u8]| contains(text, b": line ") && errors.iter().any(|error| contains(text, error));
            ours.stderr.split(|byte| *byte == b'\n').any(is_one) && is_same_but_for_lines(bash, ours)
        },
    },
    Known {
        reason: "bash counts wrongly after a list that continues in the next line",
        matches: |script, bash, ours| {
            let continues = |line: &str| {
                let operator = line.rfind("||").max(line.rfind("&&"));
                operator.is_some_and(|at| line[at + 2..].trim_end().is_empty() || line[at..].contains(['(', '{']))
            };
            script.lines().any(continues) && is_same_but_for_lines(bash, ours)
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
            let same = bash.status == ours.status && bash.messages() == ours.messages();
            begins && same && words(&bash.stdout) == words(&ours.stdout)
        },
    },
    Known {
        reason: "bash's parser goes astray after an `eval` of text that ends in a backslash or in a quote that is not closed",
        matches: |script, bash, ours| {
            let unclosed = b"unexpected EOF while looking for matching";
            let astray = contains(&bash.stderr, unclosed) && syntax_errors(bash) > syntax_errors(ours);
            script.contains("eval") && astray && has_begun_alike(bash, ours)
        },
    },
    Known {
        reason: "what was expected is part of the messages here",
        matches: |_, bash, ours| {
            bash.status == ours.status
                && bash.stdout == without_expectations(&ours.stdout)
                && bash.messages() == ours.messages()
        },
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
        reason: "bash takes the commas inside $[ ] for those of a brace expansion around it",
        matches: |script, bash, ours| {
            let message = b"bad substitution: no closing `]'";
            let says = |outcome: &Outcome| contains(&outcome.stderr, message) || contains(&outcome.stdout, message);
            script.contains("$[") && script.contains('{') && says(bash) && !says(ours) && has_begun_alike(bash, ours)
        },
    },
    Known {
        reason: "bash escapes brackets in a subscript inside a subscript",
        matches: |_, bash, ours| {
            let says = |outcome: &Outcome| contains(&outcome.stderr, b"(error token is \"\\[");
            says(bash) && !says(ours) && has_begun_alike(bash, ours)
        },
    },
    Known {
        reason: "bash does not find the end of $( ) or $(( )) in the replacement of ${x/y/$( )} in a here-document",
        matches: |script, bash, ours| {
            script.contains("<<")
                && (contains(&bash.stderr, b"bad substitution: no closing `)'")
                    || contains(&bash.stderr, b"unexpected EOF while looking for matching `)'"))
                && syntax_errors(bash) >= syntax_errors(ours)
                && has_begun_alike(bash, ours)
        },
    },
    Known {
        reason: "under `set -k` a listing of the exported variables has the assignments of its own command",
        matches: |script, bash, ours| {
            let lists = |outcome: &Outcome| contains(&outcome.stdout, b"declare -x HOME=");
            let others = |outcome: &Outcome| -> Vec<Vec<u8>> {
                let lines = outcome.stdout.split(|byte| *byte == b'\n');
                lines.filter(|line| !line.starts_with(b"declare -x ")).map(<[u8]>::to_vec).collect()
            };
            let same = bash.status == ours.status && bash.messages() == ours.messages();
            script.contains("set -k") && lists(bash) && lists(ours) && same && others(bash) == others(ours)
        },
    },
    Known {
        reason: "bash prints an array's last word inside $( ) without its escaped blank or quote, and reads that again",
        matches: |script, bash, ours| {
            let has_array = |body: &str| body.contains("=(") && body.contains('\\');
            let astray = syntax_errors(bash) > syntax_errors(ours);
            astray && substitutions(script).any(has_array) && has_begun_alike(bash, ours)
        },
    },
    Known {
        reason: "bash takes `time a=(1)` inside $( ) for a syntax error",
        matches: |script, bash, ours| {
            let says = |outcome: &Outcome| contains(&outcome.stderr, b"near unexpected token `('");
            let timed = |body: &str| body.contains("time ") && body.contains("=(");
            substitutions(script).any(timed) && says(bash) && !says(ours) && has_begun_alike(bash, ours)
        },
    },
    Known {
        reason: "bash reads $'\'' inside \"${x-word}\" as a quote that is not closed",
        matches: |script, bash, ours| {
            let says = |outcome: &Outcome| contains(&outcome.stderr, b"bad substitution: no closing `}'");
            script.contains("$'") && script.contains("${") && says(bash) && !says(ours) && has_begun_alike(bash, ours)
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

/// How many syntax errors a shell has found.
fn syntax_errors(outcome: &Outcome) -> usize {
    let marks: [&[u8]; 4] =
        [b"syntax error near unexpected token", b"unexpected EOF while", b"unexpected end of file", b"no closing `"];
    let lines = outcome.stderr.split(|byte| *byte == b'\n');
    lines.filter(|line| marks.iter().any(|mark| contains(line, mark))).count()
}

/// Was all that bash has shown before its mistake shown here, too? After it bash leaves out what stands in the same unit, and often all that
/// follows.
fn has_begun_alike(bash: &Outcome, ours: &Outcome) -> bool {
    let mut ours = ours.stdout.split(|byte| *byte == b'\n');
    bash.stdout.split(|byte| *byte == b'\n').all(|line| ours.any(|other| other == line))
}

/// Do they differ in nothing but the numbers after the word `line`, which stands before all that the programs show?
fn is_same_but_for_lines(bash: &Outcome, ours: &Outcome) -> bool {
    bash.status == ours.status
        && bash.messages() == ours.messages()
        && without_lines(&bash.stdout) == without_lines(&ours.stdout)
}

/// Do they differ in nothing but messages: are those the same of which `shown` shows something?
fn is_same_but_for_messages(bash: &Outcome, ours: &Outcome, shown: impl Fn(&[u8]) -> Option<Vec<u8>>) -> bool {
    let messages =
        |outcome: &Outcome| -> Vec<Vec<u8>> { outcome.messages().iter().filter_map(|line| shown(line)).collect() };
    bash.status == ours.status && bash.stdout == ours.stdout && messages(bash) == messages(ours)
}

fn without_digits(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !byte.is_ascii_digit()).collect()
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    position(text, part).is_some()
}

/// The reason why a difference is not reported.
pub(crate) fn reason(script: &str, bash: &Outcome, ours: &Outcome) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.matches)(script, bash, ours)).map(|known| known.reason)
}

#[cfg(test)]
mod tests {
    use super::{Outcome, is_same_but_for_lines, reason};

    #[test]
    fn an_excuse_of_a_message_excuses_nothing_else() {
        let outcome = |stdout: &str, stderr: &str| Outcome { stdout: stdout.into(), status: 1, stderr: stderr.into() };
        let bash = outcome("a", "../case.sh: line 1: 1/0%2 : division by 0 (error token is \"0%2 \")");
        let ours = outcome("a", "../case.sh: line 1: 1/0%2 : division by 0 (error token is \"2 \")");
        let why = "the token in the message of a division by zero is found from the end of the expression here";
        assert_eq!(reason("echo $((1/0%2))", &bash, &ours), Some(why));
        for other in [
            outcome("b", "../case.sh: line 1: 1/0%2 : division by 0 (error token is \"2 \")"),
            outcome("a", "../case.sh: line 1: 2/0%2 : division by 0 (error token is \"2 \")"),
            outcome("a", "../case.sh: line 1: 1/0%2 : division by 0 (error token is \"2 \")\nx: not found"),
            outcome("a", ""),
        ] {
            assert_eq!(reason("echo $((1/0%2))", &bash, &other), None, "{other:?}");
        }
    }

    #[test]
    fn where_bash_goes_astray_what_it_has_shown_is_shown_here() {
        let outcome = |stdout: &str, stderr: &str| Outcome { stdout: stdout.into(), status: 1, stderr: stderr.into() };
        let bash = outcome("a\nz\n", "../case.sh: line 2: bad substitution: no closing `]' in x");
        let script = "echo a; echo {$[1,2]}; echo z";
        assert!(reason(script, &bash, &outcome("a\nb\nz\n", "")).is_some());
        for other in ["b\nz\n", "a\nb\n", "z\na\n", ""] {
            assert_eq!(reason(script, &bash, &outcome(other, "")), None, "{other:?}");
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
