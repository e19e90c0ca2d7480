//! Files that hooks refer the agent to.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;

/// A file that a hook refers the agent to: it is named to the agent, never read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextFile {
    /// The path as the hook gave it.
    pub path: String,
    /// Where it leads, all links resolved.
    pub resolved: PathBuf,
}

/// A file that a hook named and that the agent is not referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedFile {
    /// The path as the hook gave it.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl fmt::Display for DroppedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "context file `{}` dropped: {}", self.path, self.reason)
    }
}

/// The files of all hooks in order, each once.
pub fn unique<'r>(files: impl Iterator<Item = &'r ContextFile>) -> Vec<ContextFile> {
    // A hook may name any number of them.
    let mut seen = HashSet::new();
    files.filter(|file| seen.insert(&file.resolved)).cloned().collect()
}

/// What the agent is told of the files.
pub fn note(paths: &[&str]) -> Option<String> {
    if paths.is_empty() {
        return None;
    }
    let lines: String = paths.iter().map(|path| format!("\n- {path}")).collect();
    Some(format!("## Referenced files{lines}"))
}

#[cfg(test)]
mod tests {
    use super::note;

    #[test]
    fn the_note_lists_the_paths() {
        assert_eq!(note(&[]), None);
        let paths = ["README.md", "docs/ARCHITECTURE.md"];
        assert_eq!(note(&paths).as_deref(), Some("## Referenced files\n- README.md\n- docs/ARCHITECTURE.md"));
    }
}
