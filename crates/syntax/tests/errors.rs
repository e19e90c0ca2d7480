//! What errors say, where they point, and whether more input would cure them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

use hookshell_syntax::{Dialect, ParseOptions, parse_for_analysis, parse_program};

#[test]
fn errors_name_the_token_and_its_place() {
    let cases: &[(&str, &str)] = &[
        ("echo a\n)", "2:1: syntax error near unexpected token `)' (expected a command)"),
        ("a &&; b", "1:5: syntax error near unexpected token `;' (expected a command)"),
        ("if a\nfi", "2:1: syntax error near unexpected token `fi' (expected `then')"),
        ("if; then", "1:3: syntax error near unexpected token `;' (expected a command)"),
        ("for x in a\necho", "2:1: syntax error near unexpected token `echo' (expected `do')"),
        ("case x in a b) c;; esac", "1:13: syntax error near unexpected token `b' (expected `|' or `)')"),
        ("for ((i=0)); do a; done", "1:10: syntax error: arithmetic expression required"),
        ("$(a; if", "1:8: unexpected EOF while looking for matching `)'"),
        ("é é (", "1:5: syntax error near unexpected token `('"),
        ("a >\nb", "1:4: syntax error near unexpected token `newline' (expected a word)"),
        ("f() a", "1:5: syntax error near unexpected token `a' (expected a compound command)"),
        ("{ a; } b", "1:8: syntax error near unexpected token `b'"),
        ("echo $(if)", "1:10: syntax error near unexpected token `)' (expected a command)"),
        ("a=(1 & 2)", "1:6: syntax error near unexpected token `&' (expected a word or `)')"),
        ("[[ a b ]]", "1:6: conditional binary operator expected"),
        ("[[ -f ]]", "1:7: unexpected argument `]]' to conditional unary operator"),
        ("a;;", "1:2: syntax error near unexpected token `;;'"),
        ("if a; then\nb", "2:2: syntax error: unexpected end of file in `if' opened on line 1 (expected `fi')"),
        ("\n{ a", "2:4: syntax error: unexpected end of file in `{' opened on line 2 (expected `}')"),
        ("a |", "1:4: syntax error: unexpected end of file (expected a command)"),
        ("a\n'b", "2:1: unexpected EOF while looking for matching `''"),
        ("a \"b\n$(c", "2:4: unexpected EOF while looking for matching `)'"),
        ("a \"b", "1:3: unexpected EOF while looking for matching `\"'"),
        ("a ${b", "1:3: unexpected EOF while looking for matching `}'"),
        ("a $((1", "1:3: unexpected EOF while looking for matching `)'"),
        ("a `b", "1:3: unexpected EOF while looking for matching ``'"),
        ("a <\\\n(<", "2:3: syntax error near unexpected token `newline' (expected a word)"),
    ];
    for (source, expected) in cases {
        let error = parse_program(source.as_bytes(), &ParseOptions::default()).error;
        assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(*expected), "{source}");
    }
}

#[test]
fn the_posix_dialect_names_what_it_does_not_have() {
    let options = ParseOptions { dialect: Dialect::Posix, ..ParseOptions::default() };
    let cases: &[(&str, &str)] = &[
        ("a <<< b", "1:3: `<<<' is not in the POSIX shell language"),
        ("a=(1 2)", "1:3: an array is not in the POSIX shell language"),
        ("a |& b", "1:4: syntax error near unexpected token `&' (expected a command)"),
        ("f-g() { a; }", "1:6: `f-g': not a valid function name"),
        ("for a-b in c; do d; done", "1:5: `a-b': not a valid name"),
    ];
    for (source, expected) in cases {
        let error = parse_program(source.as_bytes(), &options).error;
        assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(*expected), "{source}");
    }
}

#[test]
fn an_incomplete_program_is_told_from_a_wrong_one() {
    for source in [
        "if a",
        "a |",
        "a &&\n",
        "(",
        "{ a;",
        "'",
        "\"",
        "$(",
        "${a",
        "$((1",
        "`",
        "case x in",
        "f()",
        "a=(",
        "[[ a",
        "[[ a &&",
        "for x in a; do",
        "while",
        "a <(",
        "$'",
    ] {
        let error = parse_program(source.as_bytes(), &ParseOptions::default()).error.unwrap();
        assert!(error.cause.is_incomplete(), "{source}: {error}");
    }
    for source in [")", "a;;", "if; then", "fi", "[[ a b", "f() a", "{ a; } b", "$(;)", "for x y"] {
        let error = parse_program(source.as_bytes(), &ParseOptions::default()).error.unwrap();
        assert!(!error.cause.is_incomplete(), "{source}: {error}");
    }
}

#[test]
fn the_commands_before_an_error_are_kept() {
    let program = parse_program(&b"echo ran\nexit 2\nif\n"[..], &ParseOptions::default());
    assert_eq!(program.units.len(), 2);
    assert_eq!(program.error.unwrap().position.line, 4);
}

#[test]
fn a_program_that_is_only_looked_at_has_the_extended_patterns_that_it_may_switch_on() {
    let cases: &[(&str, usize, Option<&str>)] = &[
        ("shopt -s extglob nullglob\ncase x in +(a)) b;; esac\necho !(c)", 3, None),
        ("if a; then shopt -s extglob; fi\n[[ a == b ]]\necho @(a|b) ?(c)\nd", 4, None),
        // bash has read the line before it is switched on.
        ("shopt -s extglob; echo !(c)", 0, Some("1:25: syntax error near unexpected token `('")),
        ("echo !(c)\nshopt -s extglob", 0, Some("1:7: syntax error near unexpected token `('")),
        // What is wrong with them too.
        ("shopt -s extglob\necho +(a)\necho +(a) )", 2, Some("3:11: syntax error near unexpected token `)'")),
    ];
    for (source, units, expected) in cases {
        let program = parse_for_analysis(source.as_bytes(), &ParseOptions::default());
        let error = program.error.map(|error| error.to_string());
        assert_eq!((program.units.len(), error.as_deref()), (*units, *expected), "{source}");
    }
    let none = parse_program(cases[0].0.as_bytes(), &ParseOptions::default());
    assert_eq!(none.units.len(), 1);
}
