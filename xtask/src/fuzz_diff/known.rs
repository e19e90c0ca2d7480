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
            same && script.contains("LINENO") && nested
        },
    },
    Known {
        reason: "bash counts on from the line of the command whose expansion error has dropped a unit of several lines",
        matches: |script, bash, ours| {
            let same = without_digits(&bash.stdout) == without_digits(&ours.stdout) && bash.status == ours.status;
            same && script.contains("LINENO") && contains(&ours.stderr, b": line ")
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
        reason: "a process substitution as the command's name: bash runs the pipe as a script",
        matches: |_, _, ours| {
            contains(&ours.stderr, b"/dev/fd/") && contains(&ours.stderr, b": No such file or directory")
        },
    },
    Known {
        reason: "a syntax error inside [[ ]] leaves $? alone in bash; here it is 2, so that a broken guard is seen",
        matches: |script, bash, ours| {
            let said = |outcome: &Outcome| contains(&outcome.stderr, b"condition");
            script.contains("[[") && ours.status == 2 && (said(bash) || said(ours)) && bash.stdout == ours.stdout
        },
    },
    Known {
        reason: "bash takes the commas inside $[ ] for those of a brace expansion around it",
        matches: |_, bash, _| contains(&bash.stderr, b"bad substitution: no closing `]'"),
    },
    Known {
        reason: "bash reads a here-document inside $( ) again and joins what follows its end",
        matches: |script, bash, _| script.contains("<<") && contains(&bash.stderr, b"not a pid or valid job spec"),
    },
];

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
