//! Walking directories with a list of work, so that depth costs no stack.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use hookshell_process::script_path;

use super::component::{Component, Kind, Name};
use super::{GlobError, GlobOptions};

/// `keep_going` is asked after this many directory entries.
const ENTRIES_PER_CHECK: usize = 1024;

pub(super) struct Walk<'a> {
    components: &'a [Component],
    cwd: &'a Path,
    temp: &'a dyn Fn() -> PathBuf,
    options: &'a GlobOptions,
    keep_going: &'a mut dyn FnMut() -> bool,
    work: Vec<Item>,
    results: Vec<Vec<u8>>,
    entries: usize,
}

/// A path that matched so far and the component to match next.
struct Item {
    path: Vec<u8>,
    next: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        components: &'a [Component],
        (cwd, temp): (&'a Path, &'a dyn Fn() -> PathBuf),
        options: &'a GlobOptions,
        keep_going: &'a mut dyn FnMut() -> bool,
    ) -> Self {
        let work = vec![Item { path: Vec::new(), next: 0 }];
        Self { components, cwd, temp, options, keep_going, work, results: Vec::new(), entries: 0 }
    }

    pub(super) fn run(&mut self) -> Result<Vec<Vec<u8>>, GlobError> {
        let components = self.components;
        while let Some(Item { mut path, next }) = self.work.pop() {
            let Some(component) = components.get(next) else {
                continue;
            };
            // `**` may have matched no directory at all: nothing, or the root, needs no slash after it.
            let bare = next > 0 && (path.is_empty() || path == b"/");
            if !bare {
                path.resize(path.len() + component.slashes, b'/');
            }
            match &component.kind {
                Kind::Literal(name) => self.literal(path, name, next)?,
                Kind::Pattern(name) => self.pattern(path, name, next)?,
                Kind::Globstar { repeated } => self.globstar(path, next, *repeated)?,
            }
        }
        Ok(std::mem::take(&mut self.results))
    }

    fn is_last(&self, index: usize) -> bool {
        index + 1 == self.components.len()
    }

    fn literal(&mut self, mut path: Vec<u8>, name: &[u8], next: usize) -> Result<(), GlobError> {
        path.extend_from_slice(name);
        if !self.is_last(next) {
            self.work.push(Item { path, next: next + 1 });
            return Ok(());
        }
        // After a trailing slash only directories match, symbolic links to them included.
        let exists = match self.resolve(&path) {
            Some(_) if path.is_empty() => false,
            Some(full) if name.is_empty() => full.is_dir(),
            Some(full) => fs::symlink_metadata(full).is_ok(),
            None => false,
        };
        if exists { self.found(path) } else { Ok(()) }
    }

    fn pattern(&mut self, path: Vec<u8>, name: &Name, next: usize) -> Result<(), GlobError> {
        let Some(directory) = self.read_directory(&path)? else {
            return Ok(());
        };
        let last = self.is_last(next);
        // They are in every directory, and no list of one has them here.
        for dots in [&b"."[..], b".."].into_iter().filter(|dots| self.options.dots && name.matches_dots(dots)) {
            let path = [&path, dots].concat();
            if last {
                self.found(path)?;
            } else {
                self.work.push(Item { path, next: next + 1 });
            }
        }
        for entry in directory.flatten() {
            self.tick()?;
            let file_name = entry.file_name();
            let bytes = name_bytes(&file_name);
            if !name.matches(&bytes) {
                continue;
            }
            if !last && entry.file_type().is_ok_and(|kind| !kind.is_dir() && !kind.is_symlink()) {
                continue;
            }
            let mut path = path.clone();
            path.extend_from_slice(&bytes);
            if last {
                self.found(path)?;
            } else {
                self.work.push(Item { path, next: next + 1 });
            }
        }
        Ok(())
    }

    /// `**`: the directory itself, and everything below it when this is the last component.
    fn globstar(&mut self, path: Vec<u8>, next: usize, repeated: bool) -> Result<(), GlobError> {
        let last = self.is_last(next);
        if last {
            // `d/**` also gives `d/` (`d` after another pattern, and for `d/**/**`); `**` does not give the working directory.
            if !path.is_empty() && self.resolve(&path).is_some_and(|full| full.is_dir()) {
                let literal = !repeated
                    && self.components[..next].iter().all(|component| matches!(component.kind, Kind::Literal(_)));
                self.found(if literal { path.clone() } else { without_slashes(path.clone()) })?;
            }
        } else {
            let path = if path.is_empty() { path.clone() } else { without_slashes(path.clone()) };
            self.work.push(Item { path, next: next + 1 });
        }
        // Links to directories are never descended into, but `d/**/x` finds `d/link/x`, as does `**/` `link/`.
        let trailing_slash = matches!(self.components.get(next + 1).map(|component| &component.kind), Some(Kind::Literal(name)) if name.is_empty());
        let through_links = !last && (next > 0 || trailing_slash);
        let mut pending = vec![path];
        while let Some(path) = pending.pop() {
            let Some(directory) = self.read_directory(&path)? else {
                continue;
            };
            for entry in directory.flatten() {
                self.tick()?;
                let file_name = entry.file_name();
                let bytes = name_bytes(&file_name);
                if bytes.first() == Some(&b'.') && !self.options.dotglob {
                    continue;
                }
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                let mut path = path.clone();
                path.extend_from_slice(&bytes);
                if last {
                    self.found(path.clone())?;
                } else if kind.is_dir() || (through_links && kind.is_symlink()) {
                    self.work.push(Item { path: path.clone(), next: next + 1 });
                }
                if kind.is_dir() {
                    path.push(b'/');
                    pending.push(path);
                }
            }
        }
        Ok(())
    }

    fn found(&mut self, path: Vec<u8>) -> Result<(), GlobError> {
        let limit = self.options.max_results;
        if limit != 0 && self.results.len() >= limit {
            return Err(GlobError::TooMany { limit });
        }
        self.results.push(path);
        Ok(())
    }

    fn read_directory(&mut self, path: &[u8]) -> Result<Option<fs::ReadDir>, GlobError> {
        if !(self.keep_going)() {
            return Err(GlobError::Interrupted);
        }
        Ok(self.resolve(path).and_then(|full| fs::read_dir(full).ok()))
    }

    fn tick(&mut self) -> Result<(), GlobError> {
        self.entries += 1;
        if self.entries.is_multiple_of(ENTRIES_PER_CHECK) && !(self.keep_going)() {
            return Err(GlobError::Interrupted);
        }
        Ok(())
    }

    /// The path under the logical working directory; nothing for bytes that no path can hold.
    fn resolve(&self, path: &[u8]) -> Option<PathBuf> {
        if path.contains(&0) {
            return None;
        }
        if path.is_empty() {
            return Some(self.cwd.to_path_buf());
        }
        Some(script_path::resolve(path, self.cwd, self.temp))
    }
}

/// The root keeps its slash.
fn without_slashes(mut path: Vec<u8>) -> Vec<u8> {
    while path.len() > 1 && path.ends_with(b"/") {
        path.pop();
    }
    path
}

fn name_bytes(name: &OsStr) -> Cow<'_, [u8]> {
    <[u8]>::from_os_str(name)
        .map_or_else(|| Cow::Owned(name.to_string_lossy().into_owned().into_bytes()), Cow::Borrowed)
}
