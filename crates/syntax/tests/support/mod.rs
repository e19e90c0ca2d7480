//! What several test programs share.
#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail where it stands, and says what it skips")]

use std::process::{Command, Stdio};

use hookshell_syntax::ast::ListItem;
use hookshell_syntax::{Dialect, ParseOptions, Program, parse_program, print_list};

/// Options of a dialect.
pub(crate) fn options(dialect: Dialect) -> ParseOptions {
    ParseOptions { dialect, ..ParseOptions::default() }
}

/// `\n`, `\t` and `\\` in a line of a data file.
pub(crate) fn unescape(line: &str) -> String {
    let mut out = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        out.push(match characters.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            _ => '\\',
        });
    }
    out
}

/// All commands of a program, which must have no error.
pub(crate) fn items(program: &Program) -> Vec<ListItem> {
    program.units.iter().flat_map(|unit| unit.list.items.clone()).collect()
}

/// The program printed unit by unit.
pub(crate) fn printed(program: &Program) -> Vec<u8> {
    let mut out = Vec::new();
    for unit in &program.units {
        out.extend(print_list(&unit.list));
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
    }
    out
}

/// Prints and reads again; gives what differs.
pub(crate) fn round_trip(source: &[u8], options: &ParseOptions) -> Result<(), String> {
    let program = parse_program(source, options);
    let tree = format!("{:?}", program.units);
    if tree.contains("body: Err(") || has_newline_in_delimiter(&tree) {
        // The text of a backquoted command that is none is not in the tree, and a delimiter with a newline in it never
        // comes.
        return Ok(());
    }
    let text = printed(&program);
    let again = parse_program(text.clone(), options);
    if again.error.is_none() && items(&again) == items(&program) {
        return Ok(());
    }
    Err(format!(
        "{}\n--- printed\n{}\n--- {:?}",
        String::from_utf8_lossy(source),
        String::from_utf8_lossy(&text),
        again.error
    ))
}

fn has_newline_in_delimiter(tree: &str) -> bool {
    tree.match_indices("delimiter: \"").any(|(at, opener)| {
        let text = &tree[at + opener.len()..];
        text.split('"').next().is_some_and(|delimiter| delimiter.contains("\\n"))
    })
}

/// Does `SHELL -n` take the program? Messages count as well as the status, because bash ends some errors with 0.
pub(crate) fn shell_accepts(shell: &str, directory: &std::path::Path, source: &str) -> bool {
    let file = directory.join("snippet");
    std::fs::write(&file, source).unwrap();
    let output = Command::new(shell).arg("-n").arg(&file).stdin(Stdio::null()).output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    output.status.success() && messages.lines().all(|line| line.is_empty() || line.contains("warning:"))
}
