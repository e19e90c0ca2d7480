//! What words become: source, and the tree without places.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod support;

use hookshell_syntax::ast::{Argument, Assignment, AssignmentValue, Command};
use hookshell_syntax::{Dialect, ParseOptions, parse_program};

const TREES: &str = include_str!("data/trees.txt");

/// Leaves places, shapes of words and compiled arithmetic out.
fn redact(debug: &str) -> String {
    let mut out = debug.to_owned();
    for field in [", span: Span {", ", shape: ", ", expansions: ["] {
        while let Some(from) = out.find(field) {
            let rest = &out[from + 2..];
            let mut depth = 0_i32;
            let mut quoted = false;
            let mut escaped = false;
            let length = rest
                .char_indices()
                .find(|&(_, c)| {
                    if quoted {
                        quoted = c != '"' || escaped;
                        escaped = c == '\\' && !escaped;
                        return false;
                    }
                    match c {
                        '"' => quoted = true,
                        '{' | '(' | '[' => depth += 1,
                        ',' if depth == 0 => return true,
                        '}' | ')' | ']' if depth == 0 => return true,
                        '}' | ')' | ']' => depth -= 1,
                        _ => {}
                    }
                    false
                })
                .map_or(rest.len(), |(at, _)| at);
            out.replace_range(from..from + 2 + length, "");
        }
    }
    out.replace("Word { parts: ", "").replace("]}", "]")
}

fn tree(word: &str, options: &ParseOptions) -> String {
    let program = parse_program(format!("export {word}\n").into_bytes(), options);
    if let Some(error) = program.error {
        return error.to_string();
    }
    let Command::Simple(simple) = &program.units[0].list.items[0].and_or.first.stages[0].command else {
        return String::new();
    };
    let words: Vec<String> = simple.arguments[1..]
        .iter()
        .map(|argument| match argument {
            Argument::Word(word) => redact(&format!("{:?}", word.parts)),
            Argument::Assignment(assignment) => {
                let Assignment { name, subscript, append, value, .. } = &**assignment;
                let value = match value {
                    AssignmentValue::Scalar(word) => format!("{:?}", word.parts),
                    AssignmentValue::Array(elements) => format!("{elements:?}"),
                };
                redact(&format!("{name:?} {subscript:?} {append} {value}"))
            }
        })
        .collect();
    words.join(" ; ")
}

#[test]
fn words_become_these_trees() {
    let mut actual = String::new();
    let mut options = ParseOptions { extglob: true, ..ParseOptions::default() };
    for line in TREES.lines() {
        if let Some(word) = line.strip_prefix("> ") {
            let tree = tree(&support::unescape(word), &options);
            actual.push_str(&format!("{line}\n  {tree}\n"));
        } else if !line.starts_with("  ") {
            match line {
                "# posix" => options.dialect = Dialect::Posix,
                "# bash" => options.dialect = Dialect::Bash,
                _ => {}
            }
            actual.push_str(line);
            actual.push('\n');
        }
    }
    if actual != TREES {
        let file = std::env::temp_dir().join("trees.txt");
        std::fs::write(&file, &actual).unwrap();
        for (actual, expected) in actual.lines().zip(TREES.lines()) {
            assert_eq!(actual, expected, "all trees are in {}", file.display());
        }
        panic!("the number of lines differs: all trees are in {}", file.display());
    }
}
