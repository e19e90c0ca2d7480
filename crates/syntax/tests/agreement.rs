//! One table of snippets, several readers: this parser in both dialects, `bash -n`, `dash -n`, and conch-parser.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod support;

use hookshell_syntax::{Dialect, parse_program};
use hookshell_test_support::has;
use support::{options, round_trip, shell_accepts, unescape};

const SNIPPETS: &str = include_str!("data/snippets.txt");

struct Snippet {
    source: String,
    bash: bool,
    posix: bool,
    /// bash sees it differently, and why.
    bash_differs: Option<String>,
    dash_differs: Option<String>,
    conch_differs: Option<String>,
}

fn snippets() -> Vec<Snippet> {
    let mut snippets = Vec::new();
    let (mut bash_differs, mut dash_differs, mut conch_differs) = (None, None, None);
    for line in SNIPPETS.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(reason) = line.strip_prefix("bash: ") {
            bash_differs = Some(reason.to_owned());
            continue;
        }
        if let Some(reason) = line.strip_prefix("dash: ") {
            dash_differs = Some(reason.to_owned());
            continue;
        }
        if let Some(reason) = line.strip_prefix("conch: ") {
            conch_differs = Some(reason.to_owned());
            continue;
        }
        let signs = line.as_bytes();
        assert!(matches!((signs[0], signs[1], signs[2]), (b'+' | b'-', b'+' | b'-', b' ')), "{line}");
        snippets.push(Snippet {
            source: unescape(&line[3..]),
            bash: signs[0] == b'+',
            posix: signs[1] == b'+',
            bash_differs: bash_differs.take(),
            dash_differs: dash_differs.take(),
            conch_differs: conch_differs.take(),
        });
    }
    snippets
}

#[test]
fn the_table_says_what_each_dialect_takes() {
    let snippets = snippets();
    assert!(snippets.len() > 900);
    let mut wrong = Vec::new();
    for snippet in &snippets {
        for (dialect, expected) in [(Dialect::Bash, snippet.bash), (Dialect::Posix, snippet.posix)] {
            let error = parse_program(snippet.source.as_bytes(), &options(dialect)).error;
            if error.is_none() != expected {
                wrong.push(format!("{dialect:?} {:?}: {error:?}", snippet.source));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn printed_snippets_read_back_as_the_same_tree() {
    let mut wrong = Vec::new();
    for snippet in snippets() {
        for dialect in [Dialect::Bash, Dialect::Posix] {
            let mut options = options(dialect);
            wrong.extend(round_trip(snippet.source.as_bytes(), &options).err());
            options.extglob = true;
            wrong.extend(round_trip(snippet.source.as_bytes(), &options).err());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_nul_is_printed_as_it_is() {
    // No escape stands for it, and no shell can be asked.
    assert_eq!(round_trip(b"echo \"${x=$'a\0b'}\"\n", &options(Dialect::Bash)), Ok(()));
}

#[test]
fn what_single_quotes_in_a_subscript_make_of_an_expansion_is_one_text_with_them() {
    assert_eq!(round_trip(b"((h[\"'$w'\"]))\n", &options(Dialect::Bash)), Ok(()));
}

#[test]
fn an_element_with_braces_is_the_same_however_its_quotes_were_written() {
    assert_eq!(round_trip(b"a=([{,}]=$\"\")\n", &options(Dialect::Bash)), Ok(()));
}

#[test]
fn a_line_joined_after_braces_is_not_joined_to_the_next_when_printed() {
    assert_eq!(round_trip(b"echo a$x{b,$c}t\\\n\necho d\n", &options(Dialect::Bash)), Ok(()));
}

#[test]
fn parts_of_a_character_quoted_after_a_dollar_sign_stay_apart_when_printed() {
    assert_eq!(round_trip(b"echo $\\\xdb\\\n\x9a\n", &options(Dialect::Bash)), Ok(()));
}

#[test]
fn bash_takes_the_same_snippets() {
    if !has("bash") {
        return;
    }
    compare("bash", |snippet| (snippet.bash, snippet.bash_differs.is_some()));
}

#[test]
fn dash_takes_the_same_snippets() {
    if !has("dash") {
        return;
    }
    compare("dash", |snippet| (snippet.posix, snippet.dash_differs.is_some()));
}

/// conch-parser is an independent parser of the POSIX language.
#[test]
fn conch_parser_takes_the_same_snippets() {
    let mut wrong = Vec::new();
    for snippet in snippets() {
        let lexer = conch_parser::lexer::Lexer::new(snippet.source.chars());
        let parser = conch_parser::parse::DefaultParser::new(lexer);
        let accepted = parser.into_iter().all(|command| command.is_ok());
        if (accepted != snippet.posix) != snippet.conch_differs.is_some() {
            wrong.push(format!("{:?}: conch-parser says {accepted}", snippet.source));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A snippet with a reason must differ: a stale reason is an error.
fn compare(shell: &str, expectation: impl Fn(&Snippet) -> (bool, bool)) {
    let directory = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for snippet in snippets() {
        let (taken, differs) = expectation(&snippet);
        let accepted = shell_accepts(shell, directory.path(), &snippet.source);
        if (accepted != taken) != differs {
            wrong.push(format!("{:?}: {shell} says {accepted}", snippet.source));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
