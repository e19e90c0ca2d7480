//! `glob`: the files whose path matches a pattern.

use regex::Regex;
use serde::Deserialize;

use super::walk::walk;
use super::{Tools, arguments};
use crate::path_glob;

pub(super) const DESCRIPTION: &str = "Finds files of the project whose path matches a pattern such as `src/**/*.rs` or `*.{ts,tsx}` (a pattern without a slash matches in every directory).";
pub(super) const PARAMETERS: &str = r#"{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string","description":"the directory to look in; the project unless set"}},"required":["pattern"]}"#;

/// How many paths are given.
const PATH_LIMIT: usize = 500;

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    path: Option<String>,
}

pub(super) fn call(tools: &Tools, text: &str) -> Result<String, String> {
    let Arguments { pattern, path } = arguments(text)?;
    let start = tools.resolve(path.as_deref().unwrap_or("."))?;
    let regex = compile(&pattern)?;
    let mut found = String::new();
    let mut count = 0;
    walk(tools, &start, |file| {
        let below = file.strip_prefix(&start).unwrap_or(file);
        if regex.is_match(&tools.name(below)) {
            count += 1;
            if count > PATH_LIMIT {
                found.push_str("[more]\n");
                return false;
            }
            found.push_str(&tools.name(file));
            found.push('\n');
        }
        true
    })?;
    Ok(if found.is_empty() { "[no files]".to_owned() } else { found })
}

/// A pattern on paths with slashes: `*` and `?` within a name, `**` over directories, `[abc]`, `{a,b}`.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let front = if pattern.contains('/') { "^" } else { "^(?:.*/)?" };
    let regex = format!("{front}{}$", path_glob::regex(pattern));
    Regex::new(&regex).map_err(|_| format!("{pattern:?} is no pattern"))
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn patterns_match_paths() {
        let cases = [
            ("*.rs", "main.rs src/a/lib.rs", "main.rsx src/a.txt"),
            ("src/*.rs", "src/a.rs", "src/a/b.rs a.rs"),
            ("src/**/*.rs", "src/a.rs src/a/b/c.rs", "lib/src/a.rs"),
            ("**/test_?.py", "test_1.py a/test_b.py", "test_12.py"),
            ("./a.{ts,tsx}", "a.ts a.tsx b/a.ts", "a.t"),
            ("[a-c]*.[!x]", "b1.y", "d.y b.x"),
            ("a+b(1).md", "a+b(1).md", "aab1.md"),
        ];
        for (pattern, yes, no) in cases {
            let regex = compile(pattern).unwrap();
            for path in yes.split(' ') {
                assert!(regex.is_match(path), "{pattern} {path}");
            }
            for path in no.split(' ') {
                assert!(!regex.is_match(path), "{pattern} {path}");
            }
        }
        assert!(compile(&"?".repeat(30_000)).unwrap_err().ends_with("?\" is no pattern"));
    }
}
