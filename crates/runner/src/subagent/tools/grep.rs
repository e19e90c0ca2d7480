//! `grep`: the lines that match a regular expression.

use std::io::Read;

use regex::bytes::RegexBuilder;
use serde::Deserialize;

use super::walk::walk;
use super::{Tools, arguments, glob};

pub(super) const DESCRIPTION: &str =
    "Finds the lines of the project's text files that match a regular expression. Gives `path:line:text`.";
pub(super) const PARAMETERS: &str = r#"{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string","description":"the file or directory to look in; the project unless set"},"glob":{"type":"string","description":"only files whose path matches"},"ignore_case":{"type":"boolean"}},"required":["pattern"]}"#;

/// How many lines are given.
const MATCH_LIMIT: usize = 300;

/// How much of a line is given, in characters.
const LINE_LIMIT: usize = 300;

/// Larger files are passed over: they are data.
const FILE_LIMIT: u64 = 4 * 1024 * 1024;

#[derive(Deserialize)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
}

pub(super) fn call(tools: &Tools, text: &str) -> Result<String, String> {
    let Arguments { pattern, path, glob, ignore_case } = arguments(text)?;
    let start = tools.resolve(path.as_deref().unwrap_or("."))?;
    let only = glob.as_deref().map(glob::compile).transpose()?;
    let regex = RegexBuilder::new(&pattern).case_insensitive(ignore_case).build().map_err(|error| error.to_string())?;
    let mut found = String::new();
    let mut count = 0;
    walk(tools, &start, |file| {
        let name = tools.name(file);
        if only.as_ref().is_some_and(|only| !only.is_match(&name)) {
            return true;
        }
        let Some(content) = content(tools, file) else { return true };
        for (index, line) in content.split(|byte| *byte == b'\n').enumerate() {
            if !regex.is_match(line) {
                continue;
            }
            count += 1;
            if count > MATCH_LIMIT {
                found.push_str("[more]\n");
                return false;
            }
            let line: String = String::from_utf8_lossy(line).trim_end().chars().take(LINE_LIMIT).collect();
            found.push_str(&format!("{name}:{}:{line}\n", index + 1));
        }
        true
    })?;
    Ok(if found.is_empty() { "[no matches]".to_owned() } else { found })
}

/// A text file's bytes; `None` for what is no text, too large or not readable.
fn content(tools: &Tools, file: &std::path::Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    tools.open(file).ok()?.take(FILE_LIMIT + 1).read_to_end(&mut bytes).ok()?;
    let is_text = u64::try_from(bytes.len()).is_ok_and(|length| length <= FILE_LIMIT) && !bytes.contains(&0);
    is_text.then_some(bytes)
}
