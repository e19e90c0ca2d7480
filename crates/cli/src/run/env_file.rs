//! The agent's own file for the variables that hooks set for the session.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

use hookshell_runner::{Verdict, why_unreadable};

use super::RunArgs;
use crate::output::note;

/// Writes the variables that hooks have set for the session into the agent's own file for them, where it has one: each hook had one
/// of ours.
pub(super) fn append(args: &RunArgs, verdict: &Verdict) {
    let variables = &verdict.opinion.env;
    let Some(file) = args.output.and_then(|agent| agent.contract().env_file()).filter(|_| !variables.is_empty()) else {
        return;
    };
    let Some(path) = std::env::var_os(file).map(PathBuf::from).filter(|path| path.is_absolute()) else {
        return;
    };
    let is_name = |name: &str| {
        !name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let mut lines = String::new();
    for (name, value) in variables.iter().filter(|(name, _)| is_name(name)) {
        lines.push_str(&format!("export {name}='{}'\n", value.replace('\'', r"'\''")));
    }
    let written =
        OpenOptions::new().append(true).create(true).open(&path).and_then(|mut file| file.write_all(lines.as_bytes()));
    if let Err(error) = written
        && args.verbose
    {
        note(&format!("{file} {}: {}", path.display(), why_unreadable(&error)));
    }
}
