//! What macOS's bash, 3.2, does not know.

use super::walk::Program;
use super::{FindingCode, Missing};

/// What came with bash 4 and later: built-ins, their options, and syntax.
pub(super) fn too_new(program: &Program) -> Vec<Missing> {
    let of_syntax = program.new_syntax.iter().map(|(offset, what)| missing(*offset, what));
    let of_words = program.uses.iter().filter_map(|used| Some(missing(used.offset, too_new_words(&used.words)?)));
    of_syntax.chain(of_words).collect()
}

fn missing(offset: usize, what: &str) -> Missing {
    let message = format!("{what} needs bash 4 or newer: macOS has bash 3.2");
    Missing { offset, code: FindingCode::TargetBash, message }
}

fn too_new_words(words: &[String]) -> Option<&'static str> {
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
        "declare" | "typeset" if has('g') => Some("`declare -g`"),
        "declare" | "typeset" | "local" if has('l') || has('u') => Some("`declare -l` and `-u`"),
        "wait" if has('n') => Some("`wait -n`"),
        "read" if has('i') || has('N') => Some("`read -i` and `-N`"),
        "shopt" if names(&["globstar", "lastpipe", "inherit_errexit", "autocd", "dirspell"]) => {
            Some("this option of `shopt`")
        }
        _ => operands.iter().find_map(|word| of_expansion(word)),
    }
}

/// Of a word as it stands in the source.
fn of_expansion(word: &str) -> Option<&'static str> {
    const VARIABLES: [&str; 4] = ["EPOCHSECONDS", "EPOCHREALTIME", "BASHPID", "SRANDOM"];
    let mut rest = word;
    while let Some(at) = rest.find('$') {
        rest = rest.get(at + 1..)?;
        let is_braced = rest.starts_with('{');
        let body = rest.trim_start_matches(['{', '!']);
        let name_ends = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
        let (name, after) = body.split_at_checked(name_ends)?;
        if VARIABLES.contains(&name) {
            return Some("a variable like $EPOCHSECONDS or $BASHPID");
        }
        let after = match after.strip_prefix('[').filter(|_| is_braced) {
            Some(subscript) => subscript.split_once(']').map_or(after, |(_, after)| after),
            None => after,
        };
        if is_braced && !name.is_empty() {
            match after.as_bytes().first() {
                Some(b'^' | b',') => return Some("changing case (`${x^^}`, `${x,,}`)"),
                Some(b'@') => return Some("a transformation (`${x@Q}`)"),
                _ => {}
            }
        }
    }
    None
}
