//! Which of a bundled utility and the program of the same name runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Which of a utility and the program of the same name runs: remembered, because it takes a look-up on PATH.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choices {
    /// What the answers hold for.
    path: Vec<u8>,
    cwd: PathBuf,
    /// The names that were asked for: is it the utility?
    answers: Vec<(Arc<[u8]>, bool)>,
}

impl Choices {
    pub(crate) fn get(&self, name: &[u8], path: &[u8], cwd: &Path) -> Option<bool> {
        if self.path != path || self.cwd != cwd {
            return None;
        }
        self.answers.iter().find(|(known, _)| &**known == name).map(|(_, answer)| *answer)
    }

    pub(crate) fn set(&mut self, name: &[u8], path: &[u8], cwd: &Path, answer: bool) {
        if self.path != path || self.cwd != cwd {
            self.path = path.to_vec();
            self.cwd = cwd.to_path_buf();
            self.answers.clear();
        }
        self.answers.push((name.into(), answer));
    }
}
