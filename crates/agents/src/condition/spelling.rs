//! The ways to spell a path that tools understand.

use std::path::Path;

use super::path::{System, without_dots};
use super::surroundings::Surroundings;

/// How often `/proc/self/root` may stand in a path.
const ROUNDS: usize = 8;

/// The paths that a tool may make of a text, the text itself among them. `None`: that is only known to the tool.
pub(super) fn spellings(text: &str, around: &Surroundings<'_>, system: System) -> Option<Vec<String>> {
    let mut all = vec![text.to_owned()];
    push(
        &mut all,
        text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>')).to_owned(),
    );
    // Some agents take `@x` for the file x, and blanks of other scripts for blanks.
    for index in 0..all.len() {
        let path = all.get(index).cloned().unwrap_or_default();
        push(&mut all, path.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect());
        if let Some(name) = path.strip_prefix('@') {
            push(&mut all, name.to_owned());
        }
    }
    for index in 0..all.len() {
        let path = all.get(index).cloned().unwrap_or_default();
        url(&path, &mut all)?;
    }
    for index in 0..all.len() {
        let path = all.get(index).cloned().unwrap_or_default();
        if let Some(decoded) = decoded(&path)? {
            push(&mut all, decoded);
        }
    }
    for index in 0..all.len() {
        let path = all.get(index).cloned().unwrap_or_default();
        home(&path, around, &mut all)?;
    }
    if system != System::Windows {
        let mut seen = 0;
        for _ in 0..ROUNDS {
            let end = all.len();
            for index in seen..end {
                let path = all.get(index).cloned().unwrap_or_default();
                process(&path, &around.directories, &mut all)?;
                process(&without_dots(&path, system), &around.directories, &mut all)?;
            }
            seen = end;
        }
        // More of it is nobody's path.
        if seen < all.len() {
            return None;
        }
    }
    Some(all)
}

fn push(all: &mut Vec<String>, path: String) {
    if !all.contains(&path) {
        all.push(path);
    }
}

/// `file:///x`, `file://localhost/x`, `file:/x`
fn url(path: &str, all: &mut Vec<String>) -> Option<()> {
    let Some((scheme, rest)) = path.split_once(':') else { return Some(()) };
    let is_scheme = scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !is_scheme {
        return Some(());
    }
    if !scheme.eq_ignore_ascii_case("file") {
        // Of others the tool knows what they are.
        return (!rest.starts_with("//")).then_some(());
    }
    let rest = rest.replace('\\', "/");
    let path = match rest.strip_prefix("//") {
        Some(authority) => match authority.find('/') {
            Some(at) => authority.get(at..).unwrap_or_default(),
            None => authority,
        },
        None => &rest,
    };
    let without_query = path.split(['?', '#']).next().unwrap_or_default();
    for path in [path, without_query] {
        push(all, path.to_owned());
        // `file:///C:/x`
        if path.get(2..3) == Some(":") {
            push(all, path.trim_start_matches('/').to_owned());
        }
    }
    Some(())
}

/// A path with `%2F` and its like decoded, if it has some. `None` if that is no text.
fn decoded(path: &str) -> Option<Option<String>> {
    if !path.contains('%') {
        return Some(None);
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    let mut is_changed = false;
    while let Some((byte, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|digit| (*digit as char).to_digit(16));
        if *byte == b'%'
            && let (Some(high), Some(low)) = (digit(0), digit(1))
        {
            bytes.push((high * 16 + low) as u8);
            rest = after.get(2..).unwrap_or_default();
            is_changed = true;
            continue;
        }
        bytes.push(*byte);
        rest = after;
    }
    String::from_utf8(bytes).ok().map(|text| is_changed.then_some(text))
}

/// `~/x`, `$HOME/x`; `~user/x` is not known here.
fn home(path: &str, around: &Surroundings<'_>, all: &mut Vec<String>) -> Option<()> {
    let variables =
        ["$HOME", "${HOME}", "%USERPROFILE%", "%HOME%", "$env:USERPROFILE", "${env:HOME}", "$env:HOME", "~"];
    let is_end = |rest: &&str| rest.is_empty() || rest.starts_with(['/', '\\']);
    if let Some(rest) = variables.iter().find_map(|name| path.strip_prefix(name)).filter(is_end) {
        let home = ["HOME", "USERPROFILE"].iter().find_map(|name| around.variable(name))?;
        push(all, format!("{}{rest}", home.to_string_lossy()));
        return Some(());
    }
    if let Some(rest) = ["$PWD", "${PWD}", "%CD%", "~+"].iter().find_map(|name| path.strip_prefix(name)).filter(is_end)
    {
        for directory in around.directories {
            push(all, format!("{}{rest}", directory.to_string_lossy()));
        }
        return Some(());
    }
    // Another variable's directory: `$X/y`, `${X}/y`, `%X%\y`. `$id.tsx` is a name.
    let first = path.split(['/', '\\']).next().unwrap_or_default();
    let name = first.strip_prefix('$').map(|name| name.trim_start_matches('{').trim_end_matches('}'));
    let is_variable = name.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':'))
    }) || first.len() > 2 && first.starts_with('%') && first.ends_with('%');
    let is_unknown = first.starts_with('~') || is_variable && first.len() < path.len();
    (!is_unknown).then_some(())
}

/// `/proc/self/cwd/x`, `/proc/PID/root/x`, `/dev/fd/3`
fn process(path: &str, directories: &[&Path; 2], all: &mut Vec<String>) -> Option<()> {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    if !path.starts_with('/') {
        return Some(());
    }
    let is_process = |part: &str| {
        matches!(part, "self" | "thread-self" | "curproc") || part.bytes().all(|byte| byte.is_ascii_digit())
    };
    match (parts.next(), parts.next()) {
        (Some("dev"), Some("fd" | "stdin")) => None,
        (Some("proc"), Some(process)) if is_process(process) => {
            let mut next = parts.next();
            if next == Some("task") {
                parts.next();
                next = parts.next();
            }
            let rest = parts.collect::<Vec<_>>().join("/");
            match next {
                Some("cwd") => {
                    for directory in directories {
                        push(all, format!("{}/{rest}", directory.to_string_lossy()));
                    }
                    Some(())
                }
                Some("root") => {
                    push(all, format!("/{rest}"));
                    Some(())
                }
                Some("fd" | "map_files" | "exe") => None,
                _ => Some(()),
            }
        }
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::spellings;
    use crate::condition::path::System;
    use crate::condition::surroundings::Surroundings;

    #[test]
    fn a_path_is_spelled_in_many_ways() {
        let env = [("HOME".into(), "/home/me".into())];
        let around = Surroundings { directories: [Path::new("/w"); 2], env: &env };
        let of = |text: &str| spellings(text, &around, System::Unix);
        for (text, expected) in [
            ("file:///w/a%20b", "/w/a b"),
            ("FILE://localhost/w/a", "/w/a"),
            ("file:/w/a?x#y", "/w/a"),
            ("/proc/self/cwd/a", "/w/a"),
            ("/proc//self/./root/w/a", "/w/a"),
            ("/x/../proc/1/task/2/cwd/a", "/w/a"),
            ("/proc/self/root/proc/self/cwd/a", "/w/a"),
            (" \"a\"\n", "a"),
            ("$PWD/a", "/w/a"),
            ("~/a", "/home/me/a"),
            ("${HOME}/a", "/home/me/a"),
            ("a%2fb", "a/b"),
            ("@a/b", "a/b"),
            ("my\u{a0}a\u{202f}b", "my a b"),
        ] {
            assert!(of(text).unwrap().iter().any(|path| path == expected), "{text}: {:?}", of(text));
        }
        for text in ["~user/a", "/dev/fd/3", "/proc/self/fd/3", "$X/a", "https://x/a", "/proc/1/root/dev/fd/3"] {
            assert_eq!(of(text), None, "{text}");
        }
        for text in ["a.rs", "app/$id.tsx", "$id.tsx", "a:b", "/proc/meminfo", "100%"] {
            assert_eq!(of(text), Some(vec![text.to_owned()]));
        }
        // Whose home it is, is not known: the process's is nobody's here.
        assert_eq!(spellings("~/a", &Surroundings { env: &[], ..around }, System::Unix), None);
    }
}
