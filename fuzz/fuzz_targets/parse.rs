//! Lexer and parser: no panic on any bytes, and what is accepted prints and reads back as the same tree.
#![no_main]

use std::collections::HashSet;

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
    // A here-document that ends with the `$( )` or backquotes around it is printed with its delimiter, which would end an outer
    // one that has the same.
    let is_cut = program.units.iter().any(|unit| unit.cut_here_documents().next().is_some());
    if (is_cut || tree.contains("backquoted: true")) && repeats_delimiter(&tree) {
        return;
    }
    // As above, where the backquotes around it cut a here-document off: `\\` before the last of them is such a backslash.
    if tree.contains("backquoted: true") && tree.contains("delimiter: ") && source.windows(2).any(|pair| pair == br"\`") {
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
    delimiters(tree).any(|delimiter| delimiter.contains("\\n"))
}

fn repeats_delimiter(tree: &str) -> bool {
    let mut seen = HashSet::new();
    delimiters(tree).any(|delimiter| !seen.insert(delimiter))
}

/// The delimiters of a tree's here-documents, as they are shown.
fn delimiters(tree: &str) -> impl Iterator<Item = &str> {
    let opener = "delimiter: \"";
    tree.match_indices(opener).filter_map(|(at, _)| tree[at + opener.len()..].split('"').next())
}
