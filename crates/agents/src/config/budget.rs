//! What reading the files of a project may cost.
//!
//! Who wrote the project wrote them, and they are read before anybody trusts it: so each thing that can be many or large
//! has a limit. What is beyond a limit is left out and reported; the user's own files have none of these.

use std::path::{Path, PathBuf};

use super::{ConfigError, Place};

/// How many config and hook files are read.
pub const FILES: usize = 256;
/// How many bytes a file may have.
pub(crate) const FILE_BYTES: u64 = 1024 * 1024;
/// How many bytes all of them may have.
pub(crate) const BYTES: u64 = 4 * 1024 * 1024;
/// How many hooks are taken.
pub(crate) const HOOKS: usize = 1000;
/// How many bytes a matcher or a condition may have.
pub(crate) const PATTERN_BYTES: usize = 1024;
/// How many bytes all matchers and conditions that have to be compiled may have.
pub(crate) const PATTERNS_BYTES: usize = 32 * 1024;
/// How many regular expressions may have to be compiled, as [`Matcher::cost`](crate::Matcher) counts them.
pub(crate) const COMPILED: usize = 32;

/// How many warnings are kept; others are counted.
pub(crate) const WARNINGS: usize = 100;

/// What was spent on a project so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Budget {
    files: usize,
    bytes: u64,
    hooks: usize,
    patterns_bytes: usize,
    compiled: usize,
    /// The limits that were reported: each is once.
    reported: Vec<&'static str>,
}

/// A limit that was reached, to be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reached {
    what: &'static str,
    limit: u64,
}

impl Reached {
    pub(crate) fn error(self, file: &Path, place: Option<Place>) -> ConfigError {
        ConfigError::ProjectLimit { file: PathBuf::from(file), place, what: self.what, limit: self.limit }
    }
}

/// Within the limit; beyond it, and to be reported; or beyond it, which was reported already.
pub(crate) type Spent = Result<(), Option<Reached>>;

impl Budget {
    pub(crate) fn file(&mut self) -> Spent {
        self.files += 1;
        self.within(self.files <= FILES, "config and hook files", FILES as u64)
    }

    pub(crate) fn bytes(&mut self, bytes: usize) -> Spent {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        self.within(self.bytes <= BYTES, "bytes of config files", BYTES)
    }

    pub(crate) fn hook(&mut self) -> Spent {
        self.hooks += 1;
        self.within(self.hooks <= HOOKS, "hooks", HOOKS as u64)
    }

    /// A matcher or condition of so many bytes that has to be compiled, at this cost.
    pub(crate) fn pattern(&mut self, bytes: usize, cost: usize) -> Spent {
        if cost == 0 {
            return Ok(());
        }
        self.patterns_bytes = self.patterns_bytes.saturating_add(bytes);
        self.within(self.patterns_bytes <= PATTERNS_BYTES, "bytes of matchers", PATTERNS_BYTES as u64)?;
        self.compiled += cost;
        self.within(self.compiled <= COMPILED, "matchers that are no plain names", COMPILED as u64)
    }

    fn within(&mut self, is_within: bool, what: &'static str, limit: u64) -> Spent {
        if is_within {
            return Ok(());
        }
        let is_new = !self.reported.contains(&what);
        if is_new {
            self.reported.push(what);
        }
        Err(is_new.then_some(Reached { what, limit }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_reported_once() {
        let mut budget = Budget::default();
        assert!((0..HOOKS).all(|_| budget.hook().is_ok()));
        let reached = Reached { what: "hooks", limit: HOOKS as u64 };
        assert_eq!(budget.hook(), Err(Some(reached)));
        assert_eq!(budget.hook(), Err(None));
        assert!(budget.file().is_ok());
        assert_eq!(
            reached.error(Path::new("p/crush.json"), None).to_string(),
            "p/crush.json: this project has more than 1000 hooks: what is beyond is left out"
        );
    }
}
