//! Going through the project's files.
//!
//! Not by the crate `ignore`: it reads the project's `.gitignore` files, so that a repository could hide a file from the guard that
//! is to look at it; it opens them without a look at what they are, and waits where one is a FIFO; and it holds a directory of any
//! size in memory. `globset` and `grep-searcher` alone save nothing: the patterns of conditions are compiled here in any case, and a
//! file is bounded and searched in one call of `regex`.

use std::path::{Path, PathBuf};

use super::Tools;

/// How many entries of directories are looked at.
const ENTRY_LIMIT: usize = 200_000;

/// How deep directories may lie in each other.
const DEPTH_LIMIT: usize = 64;

/// Calls `visit` for every regular file at or below `start`, in the order of their names, until it gives `false`. Directories
/// that are links are not entered, and neither is `.git`.
///
/// # Errors
/// There are too many files, or nobody waits for the answer any more.
pub(super) fn walk(tools: &Tools, start: &Path, mut visit: impl FnMut(&Path) -> bool) -> Result<(), String> {
    if start.is_file() {
        visit(start);
        return Ok(());
    }
    let mut dirs: Vec<(PathBuf, usize)> = vec![(start.to_owned(), 0)];
    let mut seen = 0_usize;
    while let Some((dir, depth)) = dirs.pop() {
        // A directory that may not be read has nothing for us.
        let Ok(entries) = dir.read_dir() else { continue };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).take(ENTRY_LIMIT).collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        seen += entries.len();
        if seen > ENTRY_LIMIT {
            return Err("too many files: name a directory".to_owned());
        }
        let mut below = Vec::new();
        for entry in entries {
            if tools.is_over() {
                return Err("out of time".to_owned());
            }
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                if depth < DEPTH_LIMIT && entry.file_name() != ".git" {
                    below.push((entry.path(), depth + 1));
                }
            } else if kind.is_file() && !visit(&entry.path()) {
                return Ok(());
            }
        }
        dirs.extend(below.into_iter().rev());
    }
    Ok(())
}
