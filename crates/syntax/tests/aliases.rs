//! Alias substitution (XCU 2.3.1), seen through what the program prints as.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod support;

use std::collections::HashMap;

use hookshell_syntax::{Aliases, ParseOptions, Parser, print_list};

struct Table(HashMap<&'static str, &'static str>);

impl Aliases for Table {
    fn alias(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.0.get(std::str::from_utf8(name).ok()?).map(|value| value.as_bytes().to_vec())
    }
}

fn table(pairs: &[(&'static str, &'static str)]) -> Table {
    Table(pairs.iter().copied().collect())
}

fn read(source: &str, pairs: &[(&'static str, &'static str)]) -> String {
    let aliases = table(pairs);
    let options = ParseOptions::default();
    let mut parser = Parser::new(source.as_bytes());
    let mut out = Vec::new();
    loop {
        match parser.next_unit(&options, Some(&aliases)) {
            Ok(Some(unit)) => out.push(String::from_utf8(print_list(&unit.list)).unwrap()),
            Ok(None) => return out.join("\n"),
            Err(error) => {
                out.push(error.to_string());
                return out.join("\n");
            }
        }
    }
}

#[test]
fn the_value_takes_the_place_of_a_command_name() {
    type Case = (&'static str, &'static [(&'static str, &'static str)], &'static str);
    let cases: &[Case] = &[
        ("ll a", &[("ll", "ls -l")], "ls -l a"),
        ("echo ll", &[("ll", "ls -l")], "echo ll"),
        ("x=1 ll", &[("ll", "ls -l")], "x=1 ls -l"),
        (">f ll", &[("ll", "ls -l")], "ls -l > f"),
        ("\\ll", &[("ll", "ls -l")], "\\ll"),
        ("'ll'", &[("ll", "ls -l")], "'ll'"),
        ("l\"l\"", &[("ll", "ls -l")], "l\"l\""),
        ("a; ll && ll | ll", &[("ll", "ls")], "a;\nls && ls | ls"),
        ("(ll); { ll; }", &[("ll", "ls")], "( ls );\n{ \n    ls\n}"),
        ("echo $(ll)", &[("ll", "ls")], "echo $(ls)"),
        ("echo `ll`", &[("ll", "ls")], "echo `ls`"),
        ("! ll", &[("ll", "ls")], "! ls"),
        // A name is not replaced again inside its own value.
        ("ls a", &[("ls", "ls -F")], "ls -F a"),
        ("a", &[("a", "b 1"), ("b", "a 2")], "a 2 1"),
        ("a; a", &[("a", "x; a")], "x;\na;\nx;\na"),
        // A blank at the end lets the next word be checked.
        ("nohup ll", &[("nohup", "nohup "), ("ll", "ls -l")], "nohup ls -l"),
        ("nohup ll", &[("nohup", "nohup"), ("ll", "ls -l")], "nohup ll"),
        ("n n n ll", &[("n", "nice "), ("ll", "ls")], "nice nice nice ls"),
        // The value is text: half a command, an open quote, several commands.
        ("forever a; done", &[("forever", "while :; do")], "while :; do\n    a;\ndone"),
        ("begin a; end", &[("begin", "{"), ("end", "}")], "{ \n    a\n}"),
        ("say b'", &[("say", "echo 'a")], "echo 'a b'"),
        ("two", &[("two", "a\nb")], "a;\nb"),
        ("two; c", &[("two", "a\nb")], "a;\nb;\nc"),
        ("none", &[("none", "")], ""),
        ("none a", &[("none", "")], "a"),
        ("c a", &[("c", "#")], ""),
        ("h\nx\nE", &[("h", "cat <<E")], "cat <<E\nx\nE\n"),
        // bash replaces reserved words too.
        ("if a; then b; fi", &[("if", "x"), ("then", "y"), ("fi", "z")], "x a;\ny b;\nz"),
        ("f() { ll; }", &[("ll", "ls")], "f () \n{ \n    ls\n}"),
    ];
    for (source, pairs, expected) in cases {
        assert_eq!(read(source, pairs), *expected, "{source}");
    }
}

#[test]
fn text_of_an_alias_has_the_place_of_its_word() {
    let aliases = table(&[("two", "a; b"), ("bad", "a )")]);
    let options = ParseOptions::default();
    let source = b"x\nlong; two y\nz";
    let mut parser = Parser::new(source);
    parser.next_unit(&options, Some(&aliases)).unwrap();
    let unit = parser.next_unit(&options, Some(&aliases)).unwrap().unwrap();
    let places: Vec<_> = unit.list.items.iter().map(|item| (item.span.start, item.span.end, item.span.line)).collect();
    assert_eq!(places, [(2, 6, 2), (8, 11, 2), (8, 13, 2)]);
    assert_eq!((parser.offset(), parser.line()), (14, 3));
    let unit = parser.next_unit(&options, Some(&aliases)).unwrap().unwrap();
    assert_eq!((unit.list.items[0].span.start, unit.list.items[0].span.line), (14, 3));
    let error = Parser::new(b"a\n  bad").next_unit(&options, Some(&aliases)).map(|unit| unit.map(|u| u.span.end));
    assert_eq!(error, Ok(Some(2)));
    let error = Parser::at(b"a\n  bad", 2, 2).next_unit(&options, Some(&aliases)).unwrap_err();
    assert_eq!(error.to_string(), "2:3: syntax error near unexpected token `)'");
}

#[test]
fn aliases_that_grow_without_end_are_an_error() {
    let names: Vec<String> = (0..40).map(|i| format!("a{i}")).collect();
    struct Doubling(Vec<String>);
    impl Aliases for Doubling {
        fn alias(&self, name: &[u8]) -> Option<Vec<u8>> {
            let at = self.0.iter().position(|n| n.as_bytes() == name)?;
            let next = self.0.get(at + 1)?;
            Some(format!("{next}; {next}").into_bytes())
        }
    }
    let options = ParseOptions::default();
    let error = Parser::new(b"a0").next_unit(&options, Some(&Doubling(names))).unwrap_err();
    assert_eq!(error.to_string(), "1:1: aliases expand to more than 1048576 bytes");
}

#[test]
fn a_long_alias_may_be_used_many_times_in_one_command() {
    struct Long;
    impl Aliases for Long {
        fn alias(&self, name: &[u8]) -> Option<Vec<u8>> {
            (name == b"long").then(|| [&b": "[..], &[b'x'; 100]].concat())
        }
    }
    let text = format!("{{\n{}}}", "long\n".repeat(30_000));
    let unit = Parser::new(text.as_bytes()).next_unit(&ParseOptions::default(), Some(&Long)).unwrap();
    assert!(unit.is_some());
}
