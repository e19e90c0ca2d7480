//! Lexer and parser: no panic on any bytes, and what is accepted prints and reads back as the same tree.
#![no_main]

use hookshell_syntax::ast::ListItem;
use hookshell_syntax::{Dialect, ParseOptions, Program, parse_program, print_list};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &[u8]| {
    for (dialect, extglob) in [(Dialect::Bash, false), (Dialect::Bash, true), (Dialect::Posix, false)] {
        round_trip(source, &ParseOptions { dialect, extglob, ..ParseOptions::default() });
    }
});

fn round_trip(source: &[u8], options: &ParseOptions) {
    // A backslash at the very end, in a here-document that the end of the file cuts off, has no other spelling: in front of
    // a newline it would join lines.
    if source.ends_with(b"\\") {
        return;
    }
    let program = parse_program(source, options);
    let tree = format!("{:?}", program.units);
    if tree.contains("body: Err(") || has_newline_in_delimiter(&tree) {
        // The text of a backquoted command that is none is not in the tree, and a delimiter with a newline in it never
        // comes.
        return;
    }
    let mut text = Vec::new();
    for unit in &program.units {
        text.extend(print_list(&unit.list));
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
    }
    let again = parse_program(text.clone(), options);
    if again.error.is_some() || items(&again) != items(&program) {
        panic!("{:?}: {:?}\nprinted: {:?}\n{:?}", options.dialect, bstr::BStr::new(source), bstr::BStr::new(&text), again.error);
    }
}

fn items(program: &Program) -> Vec<&ListItem> {
    program.units.iter().flat_map(|unit| &unit.list.items).collect()
}

fn has_newline_in_delimiter(tree: &str) -> bool {
    tree.match_indices("delimiter: \"").any(|(at, opener)| {
        let text = &tree[at + opener.len()..];
        text.split('"').next().is_some_and(|delimiter| delimiter.contains("\\n"))
    })
}
