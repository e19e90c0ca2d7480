//! Reading can be given up: of a large text the reader asks now and then.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::cell::Cell;

use hookshell_syntax::{ParseOptions, Parser, SyntaxErrorCause, parse_beginning, parse_prefix_with_stop};

/// Texts of one complete command with so many words, expansions or commands.
fn large(count: usize) -> [String; 7] {
    [
        format!(":{}\n", " x".repeat(count)),
        format!("x=({})\n", " $y".repeat(count)),
        format!("echo \"$({})\"\n", "a;".repeat(count)),
        format!("echo `{}`\n", "a;".repeat(count)),
        format!("cat <<X\n{}\nX\n", "$y".repeat(count)),
        format!("f() {{\n{}}}\n", "a \"$b\"\n".repeat(count)),
        format!("echo $((({}) + 1); a)\n", "a;".repeat(count)),
    ]
}

#[test]
fn a_large_command_is_given_up_when_the_reader_is_told_to_stop() {
    let options = ParseOptions::default();
    for text in large(30_000) {
        let asked = Cell::new(0);
        let mut parser = Parser::new(text.as_bytes());
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let error = parser.next_unit_with_stop(&options, None, &stop).unwrap_err();
        assert_eq!((error.cause, asked.get(), parser.offset()), (SyntaxErrorCause::Stopped, 3, 0), "{:.20}", text);
        // It can be read again.
        let unit = parser.next_unit_with_stop(&options, None, &|| false).unwrap().unwrap();
        assert_eq!(unit.span.end as usize, text.len(), "{:.20}", text);
    }
}

#[test]
fn a_small_command_is_read_without_asking() {
    for text in large(500) {
        let unit = Parser::new(text.as_bytes()).next_unit_with_stop(&ParseOptions::default(), None, &|| true);
        assert_eq!(unit, Parser::new(text.as_bytes()).next_unit(&ParseOptions::default(), None), "{:.20}", text);
    }
}

#[test]
fn the_limit_of_nodes_holds_between_the_questions_too() {
    let options = ParseOptions { max_nodes: 5000, ..ParseOptions::default() };
    let text = &large(6000)[0];
    let error = Parser::new(text.as_bytes()).next_unit_with_stop(&options, None, &|| false).unwrap_err();
    assert_eq!(error, Parser::new(text.as_bytes()).next_unit(&options, None).unwrap_err());
    assert_eq!(error.cause, SyntaxErrorCause::TooLarge { limit: 5000 });
}

#[test]
fn what_has_not_been_read_is_the_rest_of_the_program() {
    let options = ParseOptions::default();
    let text = format!("a\n\nb\n{}", large(10_000)[0]);
    let program = parse_prefix_with_stop(text.as_bytes(), &options, &|| true);
    assert_eq!((program.units.len(), program.error, program.rest), (2, None, Some((5, 4))));
    let program = parse_prefix_with_stop(text.as_bytes(), &options, &|| false);
    assert_eq!(program.units, parse_beginning(text.as_bytes(), &options).units);
}
