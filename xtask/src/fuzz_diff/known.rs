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
        matches: |_, bash, ours| [bash, ours].iter().all(|outcome| contains(&outcome.stdout, b"BASH_VERSINFO=")),
    },
    Known {
        reason: "bash counts lines in $( ), <( ) and backquotes from where the command around them ends, and wrongly",
        matches: |script, bash, ours| {
            let same = without_digits(&bash.stdout) == without_digits(&ours.stdout) && bash.status == ours.status;
            let nested = ["$(", "<(", ">(", "`"].iter().any(|opening| script.contains(opening));
            same && (script.contains("LINENO") || contains(&ours.stdout, b"line")) && nested
        },
    },
    Known {
        reason: "bash counts on from the line of the command whose expansion error has dropped a unit of several lines",
        matches: |script, bash, ours| {
            let same = without_digits(&bash.stdout) == without_digits(&ours.stdout) && bash.status == ours.status;
            let shows_lines = script.contains("LINENO") || contains(&ours.stdout, b"line");
            same && shows_lines && contains(&ours.stderr, b": line ")
        },
    },
    Known {
        reason: "bash counts wrongly behind a list that goes on in the next line",
        matches: |script, bash, ours| {
            let same = without_digits(&bash.stdout) == without_digits(&ours.stdout) && bash.status == ours.status;
            let goes_on = |line: &str| {
                let operator = line.rfind("||").max(line.rfind("&&"));
                operator.is_some_and(|at| line[at + 2..].trim_end().is_empty() || line[at..].contains(['(', '{']))
            };
            same && script.contains("LINENO") && script.lines().any(goes_on)
        },
    },
    Known {
        reason: "bash drops an empty parameter of $* in a here-document, which is as in double quotes by XCU 2.7.4",
        matches: |script, bash, ours| {
            let words = |text: &[u8]| {
                text.split(|b| b.is_ascii_whitespace())
                    .filter(|w| !w.is_empty())
                    .map(<[u8]>::to_vec)
                    .collect::<Vec<_>>()
            };
            let same = words(&bash.stdout) == words(&ours.stdout) && bash.status == ours.status;
            same && script.contains("<<") && script.contains("$*")
        },
    },
    Known {
        reason: "bash leaves `main` in FUNCNAME behind a function that an error has ended",
        matches: |script, bash, ours| {
            script.contains("FUNCNAME") && contains(&bash.stdout, b"main") && contains(&ours.stderr, b": line ")
        },
    },
    Known {
        reason: "bash shows the line ends inside $( ) where it prints a command",
        matches: |script, bash, ours| {
            let words = |text: &[u8]| -> Vec<u8> {
                text.iter().copied().filter(|byte| !byte.is_ascii_whitespace() && *byte != b';').collect()
            };
            let same = words(&bash.stdout) == words(&ours.stdout) && bash.status == ours.status;
            same && substitutions(script).any(|body| body.contains('\n'))
        },
    },
    Known {
        reason: "bash's parser goes astray behind an `eval` of text that ends in a backslash or in a quote that is not closed",
        matches: |script, bash, ours| {
            let fails = |outcome: &Outcome| contains(&outcome.stderr, b"syntax error near unexpected token");
            script.contains("eval")
                && (contains(&bash.stderr, b"unexpected EOF while looking for matching") || fails(bash) && !fails(ours))
        },
    },
    Known {
        reason: "what was expected is part of the messages here",
        matches: |_, bash, ours| bash.status == ours.status && bash.stdout == without_expectations(&ours.stdout),
    },
    Known {
        reason: "a stage or background command whose expansion fails runs the EXIT trap of the shell in bash",
        matches: |script, bash, ours| {
            let is_part = {
                let mut rest = bash.stdout.iter();
                ours.stdout.iter().all(|byte| rest.any(|other| other == byte))
            };
            script.contains("EXIT") && script.contains(['|', '&']) && contains(&ours.stderr, b": line ") && is_part
        },
    },
    Known {
        reason: "a syntax error in the list of an array drops only the line in bash; here it ends the script",
        matches: |script, bash, ours| {
            let says = |outcome: &Outcome| contains(&outcome.stderr, b"syntax error near unexpected token");
            script.contains("=(") && says(bash) && contains(&ours.stderr, b"(expected a word or `)')")
        },
    },
    Known {
        reason: "behind `command` the operands of a declaration utility are assignments, by POSIX Issue 8; bash splits them",
        matches: |script, _, _| {
            let utilities = ["export", "readonly", "declare", "typeset", "local"];
            let mut behind = ["command ", "builtin "].into_iter().flat_map(|word| script.split(word).skip(1));
            behind.any(|rest| utilities.iter().any(|utility| rest.starts_with(utility)))
        },
    },
    Known {
        reason: "bash shows the whole word of a bad substitution",
        matches: |_, bash, ours| {
            let says = |outcome: &Outcome| contains(&outcome.stdout, b": bad substitution");
            says(bash) && says(ours) && bash.status == ours.status
        },
    },
    Known {
        reason: "bash does not wait for a background list of redirections alone",
        matches: |script, _, _| {
            let mut lists = script.lines().filter_map(|line| line.split_once(" & "));
            lists.any(|(list, _)| {
                list.starts_with(|first: char| "<>&{0123456789".contains(first)) && list.contains(['<', '>'])
            })
        },
    },
    Known {
        reason: "a process substitution as the command's name: bash runs the pipe as a script",
        matches: |_, _, ours| {
            contains(&ours.stderr, b"/dev/fd/") && contains(&ours.stderr, b": No such file or directory")
        },
    },
    Known {
        reason: "a syntax error inside [[ ]] leaves $? alone in bash; here it is 2, so that a broken guard is seen",
        matches: |script, bash, ours| {
            let said = |outcome: &Outcome| {
                contains(&outcome.stderr, b"condition") || contains(&outcome.stderr, b": unexpected token `")
            };
            let same = without_digits(&bash.stdout) == without_digits(&ours.stdout);
            script.contains("[[") && ours.status == 2 && (said(bash) || said(ours)) && same
        },
    },
    Known {
        reason: "bash takes the commas inside $[ ] for those of a brace expansion around it",
        matches: |_, bash, _| {
            let message = b"bad substitution: no closing `]'";
            contains(&bash.stderr, message) || contains(&bash.stdout, message)
        },
    },
    Known {
        reason: "bash escapes brackets in a subscript inside a subscript",
        matches: |_, bash, _| contains(&bash.stderr, b"(error token is \"\\["),
    },
    Known {
        reason: "bash does not find the end of $( ) or $(( )) in the replacement of ${x/y/$( )} in a here-document",
        matches: |script, bash, _| {
            script.contains("<<")
                && (contains(&bash.stderr, b"bad substitution: no closing `)'")
                    || contains(&bash.stderr, b"unexpected EOF while looking for matching `)'"))
        },
    },
    Known {
        reason: "bash escapes a tilde in the subscript of $[ a[~1] ]",
        matches: |script, bash, _| script.contains("$[") && contains(&bash.stderr, b"error token is \"\\~"),
    },
    Known {
        reason: "under `set -k` a listing of the exported variables has the assignments of its own command",
        matches: |script, bash, ours| {
            let lists = |outcome: &Outcome| contains(&outcome.stdout, b"declare -x HOME=");
            script.contains("set -k") && lists(bash) && lists(ours)
        },
    },
    Known {
        reason: "bash prints a here-document inside $( ), reads that again, and has lost a `;` behind the document's end",
        matches: |script, _, _| {
            substitutions(script).any(|body| {
                let document = body.match_indices("<<").find(|(at, _)| !body[at + 2..].starts_with('<'));
                document.is_some_and(|(at, _)| body[at..].contains(';'))
            })
        },
    },
    Known {
        reason: "bash prints an array's last word inside $( ) without its escaped blank or quote, and reads that again",
        matches: |script, bash, ours| {
            let fails = |outcome: &Outcome| {
                contains(&outcome.stderr, b"syntax error near") || contains(&outcome.stderr, b"unexpected EOF while")
            };
            let has_array = |body: &str| body.contains("=(") && body.contains('\\');
            fails(bash) && !fails(ours) && substitutions(script).any(has_array)
        },
    },
    Known {
        reason: "bash takes `time a=(1)` inside $( ) for a syntax error",
        matches: |script, bash, _| {
            script.contains("time ") && script.contains("=(") && contains(&bash.stderr, b"near unexpected token `('")
        },
    },
    Known {
        reason: "bash reads $'\'' inside \"${x-word}\" as a quote that is not closed",
        matches: |script, bash, _| script.contains("$'") && contains(&bash.stderr, b"bad substitution: no closing `}'"),
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
