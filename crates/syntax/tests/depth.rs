//! Nesting: past the limit an error, below it everything fits into the 2 MiB stack of a test thread, and time stays
//! linear.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

use hookshell_syntax::{
    DEFAULT_MAX_DEPTH, Dialect, ParseOptions, SyntaxErrorCause, parse_arithmetic, parse_beginning, parse_program,
    print_list,
};

/// What opens one level, what is in the middle, what closes it.
const NESTS: [(&str, &str, &str); 32] = [
    ("( ", "a", " )"),
    ("{ ", "a", "; }"),
    ("if ", "a", "; then b; fi"),
    ("if a; then ", "a", "; fi"),
    ("while ", "a", "; do b; done"),
    ("for x in y; do ", "a", "; done"),
    ("select x in y; do ", "a", "; done"),
    ("case x in y) ", "a", ";; esac"),
    ("for ((;;)); do ", "a", "; done"),
    ("f() { ", "a", "; }"),
    ("function f { ", "a", "; }"),
    ("coproc { ", "a", "; }"),
    ("echo $(", "a", ")"),
    ("echo \"$(", "a", ")\""),
    ("echo <(", "a", ")"),
    ("x=$(", "a", ")"),
    ("x=($(", "a", "))"),
    ("echo ${a:-", "b", "}"),
    ("echo \"${a:-", "b", "}\""),
    ("echo ${a#", "b", "}"),
    ("echo ${a/", "b", "/c}"),
    ("echo ${a:", "1", "}"),
    ("echo ${a[", "1", "]}"),
    ("a[", "1", "]=x"),
    ("echo $((", "1", "))"),
    ("echo $((1+", "1", "))"),
    ("echo $[", "1", "]"),
    ("echo {x,", "b", "}"),
    ("[[ ( ", "a", " ) ]]"),
    ("[[ ! ", "a", " ]]"),
    ("! ", "a", ""),
    ("cat <(", "a", ")"),
];

/// `level` levels; the parts of a word nest without the command in front.
fn nested(&(open, middle, close): &(&str, &str, &str), level: usize) -> String {
    let (head, open) = match open.split_once("echo ") {
        Some(("", open)) if !open.starts_with("$(") || open.starts_with("$((") => ("echo ", open),
        _ => ("", open),
    };
    if let Some(open) = open.strip_prefix("[[ ") {
        let close = close.strip_suffix(" ]]").unwrap_or(close);
        return format!("[[ {}{middle}{} ]]", open.repeat(level), close.repeat(level));
    }
    format!("{head}{}{middle}{}\n", open.repeat(level), close.repeat(level))
}

#[test]
fn nesting_below_the_limit_is_read_printed_compared_and_dropped() {
    let options = ParseOptions::default();
    for nest in &NESTS {
        let mut accepted = 0;
        for level in [1, 10, DEFAULT_MAX_DEPTH as usize / 2, DEFAULT_MAX_DEPTH as usize - 3] {
            let source = nested(nest, level);
            let program = parse_program(source.clone().into_bytes(), &options);
            if let Some(error) = program.error {
                assert!(matches!(error.cause, SyntaxErrorCause::TooDeep { .. }), "{source}: {error}");
                continue;
            }
            accepted += 1;
            let units = program.units.clone();
            let copy: Vec<_> = units.iter().map(|unit| unit.list.clone()).collect();
            for (unit, copy) in units.iter().zip(&copy) {
                assert_eq!(&unit.list, copy, "{source}");
                assert!(!print_list(copy).is_empty());
            }
        }
        assert!(accepted >= 2, "{nest:?}");
    }
}

#[test]
fn nesting_past_the_limit_is_an_error_and_never_an_overflow() {
    let options = ParseOptions::default();
    for nest in &NESTS {
        for level in [200, 5_000, 100_000] {
            let program = parse_program(nested(nest, level).into_bytes(), &options);
            if let Some(error) = &program.error {
                assert!(
                    matches!(error.cause, SyntaxErrorCause::TooDeep { .. } | SyntaxErrorCause::Invalid(_)),
                    "{nest:?} {level}: {error}"
                );
            }
        }
    }
}

#[test]
fn openers_without_closers_are_an_error_and_never_an_overflow() {
    let options = ParseOptions::default();
    for opener in [
        "(",
        "((",
        "$(",
        "$((",
        "${",
        "${a:-",
        "\"${a:-",
        "`",
        "{ ",
        "{",
        "[[ (",
        "[[ ! ",
        "<(",
        "a[",
        "${a[",
        "$[",
        "if ",
        "case x in (",
        "f()",
        "f() ",
        "function f ",
        "! ",
        "time ",
        "coproc ",
        "echo \"$(",
        "a=(",
        "`\\`",
        "@(",
        "while ",
        "<<E $(",
        "{a,",
        "echo {a,",
        "${#",
        "${!",
        "[[ a =~ (",
        "for ((",
        "$((a?",
        "$((-",
        "$((!",
        "$((a[",
        "if a; then b; el",
        "|| ",
        "a && ",
        "a | ",
    ] {
        for dialect in [Dialect::Bash, Dialect::Posix] {
            let options = ParseOptions { dialect, extglob: true, ..options.clone() };
            for level in [50, 5_000, 50_000] {
                let program = parse_program(opener.repeat(level).into_bytes(), &options);
                drop(program);
            }
        }
    }
}

#[test]
fn arithmetic_text_has_the_same_limits() {
    for (open, close) in
        [("(", ")"), ("-", ""), ("- ", ""), ("!", ""), ("1?", ":1"), ("1?2:", ""), ("a=", ""), ("a[", "]"), ("1**", "")]
    {
        for level in [1, 20, 60] {
            let text = format!("{}1{}", open.repeat(level), close.repeat(level));
            assert!(parse_arithmetic(text.as_bytes(), Dialect::Bash, DEFAULT_MAX_DEPTH).is_ok(), "{text}");
        }
        for level in [1_000, 100_000] {
            let text = format!("{}1{}", open.repeat(level), close.repeat(level));
            assert!(parse_arithmetic(text.as_bytes(), Dialect::Bash, DEFAULT_MAX_DEPTH).is_err());
        }
    }
}

#[test]
fn operators_in_a_row_do_not_nest() {
    let options = ParseOptions::default();
    for piece in ["1+", "1,", "1&&", "x-=1,", "1<2|"] {
        let text = format!("{}1", piece.repeat(100_000));
        let tree = parse_arithmetic(text.as_bytes(), Dialect::Bash, DEFAULT_MAX_DEPTH).unwrap();
        assert_eq!(tree, tree.clone());
    }
    for operator in [" && ", " || ", " || a && "] {
        let source = format!("[[ a{} ]]", format!("{operator}-f b").repeat(100_000));
        let program = parse_program(source.into_bytes(), &options);
        assert!(program.error.is_none() && program.units.len() == 1, "{operator}: {:?}", program.error);
        assert!(!print_list(&program.units[0].list).is_empty());
    }
}

#[test]
fn a_command_of_more_nodes_than_the_limit_is_an_error() {
    let options = ParseOptions { max_nodes: 1_000, extglob: true, ..ParseOptions::default() };
    for piece in [
        "a;",
        "a|",
        "a&&",
        "a ",
        "$x",
        "\"$x\"",
        "a''",
        "`a`",
        "$(a)",
        "{a,b}",
        "{ a; };",
        "(a);",
        "a=1 ",
        ">f ",
        "${x}",
        "<(a)",
        "$((1))",
        "((1));",
        "[[ a ]];",
        "f() { a; };",
        "\"`a;a`\"",
    ] {
        let short = parse_program(piece.repeat(100).into_bytes(), &options);
        assert!(!short.error.is_some_and(|error| error.cause.is_limit()), "{piece}");
        let long = parse_program(piece.repeat(1_001).into_bytes(), &options);
        let error = long.error.expect(piece);
        assert_eq!(error.cause, SyntaxErrorCause::TooLarge { limit: 1_000 }, "{piece}");
        // Each command has the limit for itself.
        let lines = parse_program("a;a;a\n".repeat(1_000).into_bytes(), &options);
        assert!(lines.error.is_none());
    }
    for (open, piece, close) in [
        ("a=(", "b ", ")"),
        ("for x in ", "b ", "; do a; done"),
        ("case x in ", "b) ;; ", "esac"),
        ("cat <<E\n", "$x", "\nE\n"),
        ("x='", "'\\''", "'"),
    ] {
        let long = parse_program(format!("{open}{}{close}", piece.repeat(1_001)).into_bytes(), &options);
        assert_eq!(long.error.expect(open).cause, SyntaxErrorCause::TooLarge { limit: 1_000 }, "{open}");
    }
}

#[test]
fn the_beginning_of_a_large_program_is_followed_by_its_rest() {
    let options = ParseOptions::default();
    let source = "echo a b c\n".repeat(50_000);
    let beginning = parse_beginning(source.clone().into_bytes(), &options);
    let (offset, line) = beginning.rest.unwrap();
    assert!(beginning.error.is_none() && offset % 11 == 0 && offset < source.len());
    assert_eq!((beginning.units.len(), line as usize), (offset / 11, offset / 11 + 1));
    assert!(parse_beginning(b"echo a".to_vec(), &options).rest.is_none());
}

#[test]
fn parentheses_that_are_no_arithmetic_are_not_read_exponentially_often() {
    let options = ParseOptions::default();
    for (open, close) in [
        ("$((a);", ")"),
        ("((a);", ")"),
        ("$(( $(a) ", ") )"),
        ("((a) ", ")"),
        ("$( (", "))"),
        ("$((", ") )"),
        ("((", ") )"),
    ] {
        for level in [60, 200, 2_000] {
            let source = format!("echo {}a{}", open.repeat(level), close.repeat(level));
            let _ = parse_program(source.into_bytes(), &options);
            let source = format!("{}a{}", open.repeat(level), close.repeat(level));
            let _ = parse_program(source.into_bytes(), &options);
        }
    }
}

#[test]
fn long_flat_programs_take_linear_time() {
    let options = ParseOptions::default();
    for piece in [
        "a b c;",
        "a | ",
        "a && ",
        "${x}",
        "\"$x\"",
        "{a,b}",
        "{",
        "((a);(b));",
        "$((1+1))",
        "`a`",
        "a=(1 2) ",
        "\\\n",
        "#c\n",
        "x[1]=2 ",
        "'a'",
        "~",
        "~:",
        "a:~",
        "[",
        "$(a)",
        "cat <<E\nx\nE\n",
        "(a);",
        "! ",
        "<x ",
        "{x,",
        "}",
        "1+",
        "if a; then b; elif ",
        "case x in a) ;; b) ",
        "\"",
        "a\\\n",
    ] {
        let begin = std::time::Instant::now();
        let source = format!("a {}", piece.repeat(200_000 / piece.len()));
        let _ = parse_program(source.into_bytes(), &options);
        let _ = parse_program(piece.repeat(200_000 / piece.len()).into_bytes(), &options);
        // Linear takes well under a second in a debug build, quadratic takes minutes.
        assert!(begin.elapsed().as_secs() < 60, "{piece:?} {:?}", begin.elapsed());
    }
}
