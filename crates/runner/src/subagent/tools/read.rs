//! `read`: the lines of a file.

use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;

use super::{RESULT_LIMIT, Tools, arguments};

pub(super) const DESCRIPTION: &str = "Reads a text file of the project. Gives its lines, each with its number.";
pub(super) const PARAMETERS: &str = r#"{"type":"object","properties":{"path":{"type":"string","description":"the file, relative to the project"},"offset":{"type":"integer","description":"the first line to give; 1 unless set"},"limit":{"type":"integer","description":"how many lines; 2000 unless set"}},"required":["path"]}"#;

/// How much of a file is looked at, in bytes.
const FILE_LIMIT: u64 = 16 * 1024 * 1024;

#[derive(Deserialize)]
struct Arguments {
    path: String,
    #[serde(default)]
    offset: Option<usize>,
    #[serde(default)]
    limit: Option<usize>,
}

pub(super) fn call(tools: &Tools, text: &str) -> Result<String, String> {
    let Arguments { path, offset, limit } = arguments(text)?;
    let file = tools.open(&tools.resolve(&path)?)?;
    let mut lines = BufReader::new(file.take(FILE_LIMIT)).split(b'\n');
    let skipped = offset.unwrap_or(1).saturating_sub(1);
    let mut given = String::new();
    for number in 1..=skipped.saturating_add(limit.unwrap_or(2000)) {
        let Some(line) = lines.next() else { break };
        let line = line.map_err(|error| format!("{path}: {error}"))?;
        if line.contains(&0) {
            return Err(format!("{path}: not a text"));
        }
        if number > skipped {
            let line = String::from_utf8_lossy(&line);
            given.push_str(&format!("{number}\t{}\n", line.trim_end_matches('\r')));
        }
        if given.len() > RESULT_LIMIT || tools.is_over() {
            break;
        }
    }
    Ok(if given.is_empty() { "[no lines]".to_owned() } else { given })
}
