//! What macOS's bash, 3.2, does not know.

use hookshell_syntax::ast::{Parameter, ParameterExpansion, ParameterOperation, Subscript};

use super::program::Use;
use super::{FindingCode, Missing};
use crate::check::walk::text;

/// Syntax or a built-in that came with bash 4 and later.
pub(super) fn too_new(offset: usize, what: &str) -> Missing {
    let message = format!("{what} needs bash 4 or newer: macOS has bash 3.2");
    Missing { offset, code: FindingCode::TargetBash, message }
}

/// Is it the subscript of an element that is counted from the end?
pub(super) fn is_negative(subscript: &Subscript) -> bool {
    match subscript {
        Subscript::Index(index) => text(&index.key).trim_start().starts_with('-'),
        Subscript::All | Subscript::Star => false,
    }
}

/// `${BASH_VERSINFO[0]}`, `${BASH_VERSION%%.*}`: not what only prints the version.
pub(super) fn is_version(expansion: &ParameterExpansion) -> bool {
    match &expansion.parameter {
        Parameter::Element(name, _) => name.as_bytes() == b"BASH_VERSINFO",
        Parameter::Variable(name) => match name.as_bytes() {
            b"BASH_VERSINFO" => true,
            b"BASH_VERSION" => !matches!(expansion.operation, ParameterOperation::None),
            _ => false,
        },
        _ => false,
    }
}

/// What of an expansion bash 3.2 does not know.
pub(super) fn of_expansion(expansion: &ParameterExpansion) -> Option<&'static str> {
    const VARIABLES: [&[u8]; 4] = [b"EPOCHSECONDS", b"EPOCHREALTIME", b"BASHPID", b"SRANDOM"];
    match &expansion.parameter {
        Parameter::Variable(name) if VARIABLES.contains(&name.as_bytes()) => {
            return Some("a variable like $EPOCHSECONDS or $BASHPID");
        }
        Parameter::Element(_, subscript) if is_negative(subscript) => return Some("a negative subscript (`${x[-1]}`)"),
        _ => {}
    }
    match &expansion.operation {
        ParameterOperation::ChangeCase(..) => Some("changing case (`${x^^}`, `${x,,}`)"),
        ParameterOperation::Transform(_) => Some("a transformation (`${x@Q}`)"),
        ParameterOperation::Substring(_, Some(length)) if text(&length.text).trim_start().starts_with('-') => {
            Some("a negative length (`${x:0:-1}`)")
        }
        _ => None,
    }
}

/// A built-in that is too new, or that an option makes so.
pub(super) fn too_new_words(used: &Use) -> Option<Missing> {
    Some(too_new(used.offset, of_words(&used.words)?))
}

fn of_words(words: &[String]) -> Option<&'static str> {
    let (name, operands) = words.split_first()?;
    let has = |letter: char| {
        operands
            .iter()
            .take_while(|word| word.starts_with('-'))
            .any(|word| !word.starts_with("--") && word.contains(letter))
    };
    let names = |wanted: &[&str]| operands.iter().any(|word| wanted.contains(&&**word));
    match &**name {
        "mapfile" | "readarray" => Some("`mapfile`"),
        "declare" | "typeset" | "local" if has('A') => Some("an associative array"),
        "declare" | "typeset" | "local" if has('n') => Some("a name reference (`declare -n`)"),
        "local" if names(&["-"]) => Some("`local -`"),
        "declare" | "typeset" if has('g') => Some("`declare -g`"),
        "declare" | "typeset" | "local" if has('l') || has('u') => Some("`declare -l` and `-u`"),
        "wait" if has('n') || has('p') => Some("`wait -n` and `-p`"),
        "read" if has('i') || has('N') => Some("`read -i` and `-N`"),
        "shopt" if names(&["globstar", "lastpipe", "inherit_errexit", "autocd", "dirspell"]) => {
            Some("this option of `shopt`")
        }
        "read" => {
            let limit = operands.windows(2).find_map(|pair| (pair.first()? == "-t").then(|| pair.get(1)).flatten());
            limit.filter(|limit| limit.contains('.')).map(|_| "a fraction of a second as the limit of `read -t`")
        }
        "printf" if operands.iter().any(|word| word.contains("%(")) => Some("`%(…)T` of `printf`"),
        "printf" if operands.windows(2).any(|pair| matches!(pair, [v, name] if v == "-v" && name.contains('['))) => {
            Some("`printf -v` for an element of an array")
        }
        "[" | "test" if operands.windows(2).any(|pair| matches!(pair, [v, name] if v == "-v" && name != "]")) => {
            Some("`-v` of `[`")
        }
        "unset" if has('n') => Some("`unset -n`"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::of_words;

    #[test]
    fn what_came_after_bash_3_2() {
        let is_new = |line: &str| of_words(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).is_some();
        for line in [
            "mapfile -t x",
            "declare -A x",
            "local -n x",
            "local -",
            "declare -gA x",
            "wait -n",
            "read -N 1 x",
            "read -t 0.5 x",
            "printf %(%s)T -1",
            "printf -v x[1] y",
            "[ -v x ]",
            "test -v x",
            "shopt -s globstar",
        ] {
            assert!(is_new(line), "{line}");
        }
        for line in
            ["declare -a x", "read -t 5 x", "printf -v x y", "[ -n -v ]", "shopt -s nullglob", "wait 1", "[ x = -v ]"]
        {
            assert!(!is_new(line), "{line}");
        }
    }
}
