//! Commands of bash's, and options and operands of built-ins that a POSIX shell does not have.

use std::borrow::Cow;

use hookshell_syntax::Span;
use hookshell_syntax::ast::{Argument, SimpleCommand, WordPart};

use super::{Finder, Found, SINCE_2024, What};

/// Built-ins that only bash and its like have. (`local` all shells have.)
const BUILTINS: [&str; 21] = [
    "bind",
    "builtin",
    "caller",
    "compgen",
    "complete",
    "declare",
    "dirs",
    "disown",
    "enable",
    "help",
    "history",
    "let",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "readarray",
    "shopt",
    "source",
    "suspend",
    "typeset",
];

/// The option letters of built-ins that every sh has. Another letter ends the command, and of a special built-in the script.
const OPTIONS: [(&str, &[u8]); 19] = [
    ("alias", b""),
    ("cd", b"LP"),
    ("command", b"pvV"),
    ("exec", b""),
    ("export", b"p"),
    ("hash", b"r"),
    ("jobs", b"lp"),
    ("local", b""),
    ("printf", b""),
    ("pwd", b"LP"),
    ("read", b"rp"),
    ("readonly", b"p"),
    ("trap", b""),
    ("type", b""),
    ("ulimit", b"HSacdflmnprstvw"),
    ("umask", b"S"),
    ("unalias", b"a"),
    ("unset", b"fv"),
    ("wait", b""),
];

/// What `set -o` has in every sh.
const SET_NAMES: [&str; 13] = [
    "allexport",
    "emacs",
    "errexit",
    "ignoreeof",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "verbose",
    "vi",
];

/// Letters of bash's `set` with which dash ends.
const NOT_IN_DASH: &[u8] = b"BHPTkht";

/// Binary operators of `test`: after one of them no operator follows.
const TEST_OPERATORS: [&[u8]; 12] =
    [b"=", b"!=", b"-eq", b"-ne", b"-lt", b"-le", b"-gt", b"-ge", b"-nt", b"-ot", b"-ef", b"=="];

/// Looks at a simple command's name and what it is called with.
pub(super) fn look(finder: &mut Finder<'_>, simple: &SimpleCommand) {
    let Some(name) = simple.literal_name() else { return };
    let Ok(name) = std::str::from_utf8(&name) else { return };
    let words: Vec<(Option<Cow<'_, [u8]>>, Span)> = simple.arguments.iter().skip(1).map(operand).collect();
    let span = match simple.arguments.first() {
        Some(Argument::Word(word)) => word.span,
        _ => simple.span,
    };
    if let Some(known) = BUILTINS.into_iter().find(|builtin| *builtin == name) {
        let message = format!("`{known}` is not in POSIX");
        finder.found.push(Found { span, what: What::Command(known), message });
        return;
    }
    let options = OPTIONS.iter().find(|(builtin, _)| *builtin == name);
    if let Some((builtin, letters)) = options
        && let Some(option) = unknown_option(&words, letters)
    {
        let message = match (*builtin, option) {
            ("read", b'd') => format!("`read -d` {SINCE_2024}"),
            ("trap", b'p') => format!("`trap -p` {SINCE_2024}"),
            _ => format!("`{builtin} -{}` is not in POSIX", char::from(option)),
        };
        finder.found.push(Found { span, what: What::Command(builtin), message });
        return;
    }
    match name {
        "[" | "test" => test(finder, &words),
        "echo" => {
            let is_option = |word: &[u8]| {
                word.strip_prefix(b"-").is_some_and(|letters| {
                    letters.iter().all(|letter| b"neE".contains(letter))
                        && letters.iter().any(|letter| b"eE".contains(letter))
                })
            };
            let first = words.first().and_then(|(word, _)| word.as_deref());
            if first.is_some_and(is_option) {
                finder.other(span, "`echo -e` is not in POSIX: `printf` reads escapes everywhere".to_owned());
            } else if simple.arguments.iter().skip(1).any(has_escape) {
                let message = "`echo` reads escapes (`\\n`) in some sh, dash among them, and in others not: write `printf '%s\\n'`";
                finder.other(span, message.to_owned());
            }
        }
        "read" if words.iter().all(|(word, _)| word.as_deref().is_some_and(|word| word.starts_with(b"-"))) => {
            finder.other(span, "`read` without a variable is not in POSIX: dash ends with an error".to_owned());
        }
        "printf" => {
            let format = words.first().and_then(|(word, _)| word.as_deref()).unwrap_or_default();
            let conversions = format.split(|byte| *byte == b'%');
            let text = String::from_utf8_lossy(format).replace("%%", "");
            if conversions.count() > 1 && (text.contains("%q") || text.contains("%(")) {
                finder.other(span, "`printf %q` and `%(…)T` are not in POSIX".to_owned());
            }
            let escapes = text.replace("\\\\", "");
            if ["\\x", "\\u", "\\U"].iter().any(|escape| escapes.contains(escape)) {
                let message = "`\\x` and `\\u` of `printf` are not in POSIX: write `\\033` in octal".to_owned();
                finder.other(span, message);
            }
        }
        "trap" => {
            for (word, span) in words.iter().skip(1) {
                match word.as_deref() {
                    Some(event @ (b"ERR" | b"DEBUG" | b"RETURN")) => {
                        finder.written(*span, &format!("trap … {}", String::from_utf8_lossy(event)));
                    }
                    Some(signal) => signal_name(finder, signal, *span),
                    None => {}
                }
            }
        }
        "kill" => match words.as_slice() {
            [(Some(option), _), (Some(signal), span), ..] if &**option == b"-s" => signal_name(finder, signal, *span),
            [(Some(option), span), ..] => signal_name(finder, option.strip_prefix(b"-").unwrap_or_default(), *span),
            _ => {}
        },
        "set" => set(finder, &words, span),
        "exit" | "return" => {
            let is_negative =
                |word: &[u8]| word.len() > 1 && word.starts_with(b"-") && word.iter().skip(1).all(u8::is_ascii_digit);
            if words.first().and_then(|(word, _)| word.as_deref()).is_some_and(is_negative) {
                finder.other(span, format!("`{name}` with a negative number is not in POSIX: dash ends with an error"));
            }
        }
        "." if words.len() > 1 => {
            finder.other(span, "`.` with arguments is not in POSIX: dash does not give them to the file".to_owned());
        }
        _ => {}
    }
}

/// Has a text an escape that dash's `echo` reads?
fn has_escape(argument: &Argument) -> bool {
    let is_escape =
        |two: &[u8]| matches!(two, [b'\\', b'a' | b'b' | b'c' | b'f' | b'n' | b'r' | b't' | b'v' | b'0' | b'\\']);
    let has = |text: &[u8]| text.windows(2).any(is_escape);
    let Argument::Word(word) = argument else { return false };
    word.parts.iter().any(|part| match part {
        WordPart::Literal(text) | WordPart::Quoted(text) => has(text),
        WordPart::DoubleQuoted(inner) => {
            inner.iter().any(|part| matches!(part, WordPart::Literal(text) | WordPart::Quoted(text) if has(text)))
        }
        _ => false,
    })
}

fn operand(argument: &Argument) -> (Option<Cow<'_, [u8]>>, Span) {
    match argument {
        Argument::Word(word) => (word.literal(), word.span),
        Argument::Assignment(assignment) => (None, assignment.span),
    }
}

/// The first option letter that is not among these. An option's argument that stands in its word is not an option.
fn unknown_option(words: &[(Option<Cow<'_, [u8]>>, Span)], known: &[u8]) -> Option<u8> {
    for (word, _) in words {
        let letters = match word.as_deref() {
            Some(b"-" | b"--") | None => return None,
            Some(word) => word.strip_prefix(b"-")?,
        };
        if let Some(letter) = letters.iter().find(|letter| !known.contains(letter)) {
            return letter.is_ascii_alphabetic().then_some(*letter);
        }
        // The prompt of `read -p` is the rest of the word, or the next.
        if letters.contains(&b'p') && known.contains(&b'r') {
            return None;
        }
    }
    None
}

/// `SIGTERM` for `TERM`.
fn signal_name(finder: &mut Finder<'_>, signal: &[u8], span: Span) {
    if let Some(name) = signal.strip_prefix(b"SIG")
        && !name.is_empty()
        && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    {
        let name = String::from_utf8_lossy(name);
        finder.other(span, format!("`SIG{name}` is not in every sh: write `{name}`"));
    }
}

fn test(finder: &mut Finder<'_>, words: &[(Option<Cow<'_, [u8]>>, Span)]) {
    let text = |index: usize| words.get(index).and_then(|(word, _)| word.as_deref());
    let is_operator = |index: usize| text(index).is_some_and(|word| TEST_OPERATORS.contains(&word));
    for (index, (word, span)) in words.iter().enumerate() {
        let before = index.checked_sub(1);
        let begins = before.is_none_or(|at| matches!(text(at), Some(b"!" | b"(" | b"-a" | b"-o")));
        let is_last = words.get(index + 1).is_none_or(|(next, _)| next.as_deref() == Some(b"]"));
        match word.as_deref() {
            Some(b"==") if !begins && !is_last && !before.is_some_and(is_operator) => {
                finder.other(*span, "`==` of `[` is not in POSIX: write `=`".to_owned());
            }
            Some(b"-a") if index == 0 && !is_last && !is_operator(1) && words.len() < 4 => {
                finder.other(*span, "`-a FILE` of `[` is not in POSIX: write `-e`".to_owned());
            }
            Some(b"-v") if begins && !is_last && !is_operator(index + 1) => {
                finder.other(
                    *span,
                    "`-v` of `[` is not in POSIX: `[ -n \"${x+set}\" ]` asks whether x is set".to_owned(),
                );
            }
            Some(operator @ (b"-R" | b"-N")) if begins && !is_last && !is_operator(index + 1) => {
                let operator = String::from_utf8_lossy(operator);
                finder.other(*span, format!("`{operator}` of `[` is not in POSIX: dash ends with an error"));
            }
            Some(b"-o") if index == 0 && !is_last && !is_operator(1) && words.len() < 4 => {
                finder.other(*span, "`-o OPTION` of `[` is not in POSIX: dash ends with an error".to_owned());
            }
            _ => {}
        }
    }
}

/// `set -o NAME`, also among other letters: `set -euo pipefail`.
fn set(finder: &mut Finder<'_>, words: &[(Option<Cow<'_, [u8]>>, Span)], span: Span) {
    let mut words = words.iter().filter_map(|(word, _)| word.as_deref());
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"+")) else { return };
        if word == b"--" || word == b"-" {
            return;
        }
        if let Some(letter) = letters.iter().find(|letter| NOT_IN_DASH.contains(letter)) {
            let message = format!("`set -{}` is not in every sh: dash ends the script there", char::from(*letter));
            finder.found.push(Found { span, what: What::Option, message });
        }
        if letters.contains(&b'o') {
            let name = words.next().map(String::from_utf8_lossy);
            if name.as_ref().is_some_and(|name| SET_NAMES.contains(&&**name)) {
                continue;
            }
            finder.asks_for_options |= finder.is_in_subshell;
            let message = match name.as_deref() {
                None => return,
                Some("pipefail") => format!("`set -o pipefail` {SINCE_2024}: dash ends the script there"),
                Some(name) => format!("`set -o {name}` is not in POSIX"),
            };
            finder.found.push(Found { span, what: What::Option, message });
        }
    }
}
