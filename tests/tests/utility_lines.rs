//! Every bundled utility is compared with the real one by enough command lines: `tests/spec/utilities` is counted.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::path::Path;

/// Those that hooks call most, and how many command lines each has at least.
const FREQUENT: &[&str] = &["jq", "grep", "sed", "awk", "sort", "find", "date", "cut", "tr", "xargs", "head", "tail"];
const OF_FREQUENT: usize = 40;
const OF_OTHERS: usize = 8;

/// Functions of the interpreter in the first place: the bash and POSIX cases are about them.
const ELSEWHERE: &[&str] = &["[", "echo", "false", "kill", "printf", "pwd", "test", "true"];

/// The scripts of a file of cases.
fn scripts(text: &str) -> String {
    let mut scripts = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("=== ") {
            inside = true;
        } else if line.starts_with("--- ") {
            inside = line == "--- script";
        } else if inside {
            scripts.push_str(line);
            scripts.push('\n');
        }
    }
    scripts
}

/// The first words of all commands of a script, near enough to count them.
fn commands(script: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    // Open quotes and substitutions, from the outside in.
    let mut open: Vec<char> = Vec::new();
    let mut characters = script.chars().peekable();
    while let Some(c) = characters.next() {
        let quote = open.last().copied().filter(|c| *c != '(');
        let mut separates = quote.is_none() && matches!(c, '\n' | ';' | '|' | '&' | '(' | ')' | '`');
        match (c, quote) {
            ('\\', None | Some('"')) => {
                characters.next();
            }
            ('\'' | '"', None) => open.push(c),
            ('\'' | '"', Some(own)) if own == c => {
                open.pop();
            }
            ('$', None | Some('"')) if characters.peek() == Some(&'(') => {
                characters.next();
                open.push('(');
                separates = true;
            }
            ('(', None) => open.push('('),
            (')', None) if open.last() == Some(&'(') => {
                open.pop();
            }
            _ => {}
        }
        if separates {
            pieces.push(String::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    let mut found = Vec::new();
    for piece in pieces {
        let mut words = piece.split_whitespace().skip_while(|word| {
            let assigns = word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
            assigns || matches!(*word, "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "!" | "{" | "time")
        });
        let Some(first) = words.next() else { continue };
        found.push(first.to_owned());
        // Commands that are given to others.
        if matches!(first, "xargs" | "env" | "timeout" | "nice" | "command" | "find") {
            found.extend(words.filter(|word| !word.starts_with('-')).map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_utility_has_enough_command_lines() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("spec/utilities");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "spec") {
            for name in commands(&scripts(&std::fs::read_to_string(&path).unwrap())) {
                *counts.entry(name).or_default() += 1;
            }
        }
    }
    let bundle = hookshell_utilities::standard();
    let mut short = Vec::new();
    for name in bundle.names().filter(|name| !ELSEWHERE.contains(name)) {
        let count = counts.get(name).copied().unwrap_or(0);
        let least = if FREQUENT.contains(&name) { OF_FREQUENT } else { OF_OTHERS };
        if count < least {
            short.push(format!("{name}: {count} of {least}"));
        }
    }
    assert!(short.is_empty(), "too few command lines: {}", short.join(", "));
}

#[test]
fn commands_are_found_where_they_begin() {
    let script = "X=1 sed p f | (grep -c a; cat) && if jq . x; then tr a b; fi\necho \"$(cut -f1 y)\" 'a; wc'\n! tee z";
    let found = commands(script);
    for name in ["sed", "grep", "cat", "jq", "tr", "cut", "tee"] {
        assert!(found.iter().any(|own| own == name), "{name}: {found:?}");
    }
    assert!(!found.iter().any(|own| own == "wc"), "{found:?}");
}
