//! Properties of any input: nothing panics, everything ends, what is accepted prints and reads back, and places are right.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod support;

use hookshell_syntax::{
    Aliases, Dialect, ParseOptions, Parser, decode_dollar_single, parse_arithmetic, parse_double_quoted, parse_number,
    parse_program,
};
use proptest::prelude::*;
use support::round_trip;

const TOKENS: [&str; 118] = [
    "a",
    "b",
    "if",
    "then",
    "elif",
    "else",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "until",
    "case",
    "esac",
    "select",
    "function",
    "time",
    "coproc",
    "[[",
    "]]",
    "{",
    "}",
    "(",
    ")",
    "((",
    "))",
    "!",
    ";",
    ";;",
    ";&",
    ";;&",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "<",
    ">",
    ">>",
    "<<",
    "<<<",
    ">&",
    "<&",
    "&>",
    "<(",
    ">(",
    "$(",
    "${",
    "$((",
    "`",
    "\"",
    "'",
    "\\",
    "$",
    "#",
    "=",
    "==",
    "=~",
    "!=",
    "-f",
    "a=",
    "a=(",
    "a[",
    "a[1]=",
    "+=",
    "x()",
    "2>",
    "{a,b}",
    "{1..3}",
    "{01..10..2}",
    "*",
    "?",
    "[a]",
    "~",
    "~/b",
    "${a}",
    "${a:-b}",
    "${a/b/c}",
    "${#a}",
    "$a",
    "$1",
    "$@",
    "$'x\\n'",
    "$\"x\"",
    "\"a\"",
    "'a'",
    "\n",
    "\n",
    "EOF",
    "<<EOF\nx $a\nEOF\n",
    "<<-'E'\n\tx\n\tE\n",
    "${a[1]}",
    "$[1]",
    "@(",
    "1",
    "-p",
    ",",
    ":",
    "+",
    "-",
    "^",
    "%",
    "..",
    "\\\n",
    "\t",
    "é",
    "\0",
    "declare",
    "eval",
    "alias",
    "let",
    "<&-",
    "{fd}>",
    "?",
    "a b",
    "$$",
    "`a`",
];

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec((prop::sample::select(TOKENS.to_vec()), any::<bool>()), 0..24).prop_map(|tokens| {
        tokens.into_iter().map(|(token, blank)| if blank { format!("{token} ") } else { token.to_owned() }).collect()
    })
}

fn all_options() -> impl Strategy<Value = ParseOptions> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(posix, extglob, brace_expansion)| ParseOptions {
        dialect: if posix { Dialect::Posix } else { Dialect::Bash },
        extglob,
        brace_expansion,
        ..ParseOptions::default()
    })
}

/// Every name is an alias, of something that leads on.
struct Everything;

impl Aliases for Everything {
    fn alias(&self, name: &[u8]) -> Option<Vec<u8>> {
        match name {
            b"a" => Some(b"b x ".to_vec()),
            b"b" => Some(b"if c; then".to_vec()),
            b"c" => Some(b"d\ne 'f ".to_vec()),
            b"x" => Some(b"((1+".to_vec()),
            b"EOF" => Some(b"$(a; a <<E)".to_vec()),
            _ => None,
        }
    }
}

fn read_all(source: &[u8], options: &ParseOptions) {
    let program = parse_program(source, options);
    let mut end = 0;
    for unit in &program.units {
        assert_eq!(unit.span.start, end, "units follow each other");
        end = unit.span.end;
        for item in &unit.list.items {
            assert!(
                item.span.start >= unit.span.start && item.span.end <= unit.span.end,
                "{:?} {:?}",
                item.span,
                unit.span
            );
        }
    }
    // Going on in the middle reads the same.
    let mut place = (0, 1);
    for expected in &program.units {
        let mut parser = Parser::at(source, place.0, place.1);
        let unit = parser.next_unit(options, None).unwrap().unwrap();
        assert_eq!(&unit, &**expected);
        assert_eq!((unit.span.start, unit.span.end), (expected.span.start, expected.span.end));
        place = (parser.offset(), parser.line());
        let lines = source[..place.0].iter().filter(|&&b| b == b'\n').count();
        assert_eq!(place.1 as usize, lines + 1);
    }
    if let Some(error) = &program.error {
        assert!(error.span.end as usize <= source.len());
        assert!(!error.to_string().is_empty());
    }
    let mut parser = Parser::new(source);
    while let Ok(Some(unit)) = parser.next_unit(options, Some(&Everything)) {
        assert!(unit.span.end as usize <= source.len());
    }
    let _ = parse_double_quoted(source, options);
    let _ = parse_arithmetic(source, options.dialect, options.max_depth);
    let _ = parse_number(source, options.dialect);
    let _ = decode_dollar_single(source);
}

/// The backslash that ends a script stands for itself: printed with a newline after it, it would join lines.
#[test]
fn a_backslash_at_the_end_prints_and_reads_back() {
    for source in ["a\\", "{1..3}\\", "{a,b}\\", "{1..3}\\\\\\", "{1..3}\\\n\\", "echo {1..3}'x'\\", "x=\\"] {
        for dialect in [Dialect::Bash, Dialect::Posix] {
            let options = ParseOptions { dialect, ..ParseOptions::default() };
            round_trip(source.as_bytes(), &options).unwrap_or_else(|message| panic!("{message}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(source in prop::collection::vec(any::<u8>(), 0..200), options in all_options()) {
        read_all(&source, &options);
    }

    #[test]
    fn any_tokens_are_read_without_a_panic(source in soup(), options in all_options()) {
        read_all(source.as_bytes(), &options);
    }

    #[test]
    fn what_is_accepted_prints_and_reads_back(source in soup(), options in all_options()) {
        if let Err(message) = round_trip(source.as_bytes(), &options) {
            prop_assert!(false, "{}", message);
        }
    }

    #[test]
    fn any_arithmetic_text_is_read_without_a_panic(text in "[-+*/%<>=!&|^~?:,()\\[\\]a-b0-9x#@ $\"']{0,40}") {
        let _ = parse_arithmetic(text.as_bytes(), Dialect::Bash, 100);
        let _ = parse_arithmetic(text.as_bytes(), Dialect::Posix, 100);
        read_all(format!("echo $(({text})) ${{a:{text}}} ${{a[{text}]}}").as_bytes(), &ParseOptions::default());
    }
}
