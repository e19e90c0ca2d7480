//! What is checked of a directory: the configs of every agent and the shell scripts, in it and below it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hookshell_runner::{Dialect, FoundFile, HookSource, Origin, why_unreadable};
use hookshell_shell::command_line::KnownShell;

use crate::sources::NEVER_READ;

/// Directories that hold other people's files or what is made.
const LEFT_OUT: [&str; 4] = [".git", "node_modules", "target", "__pycache__"];

/// How deep directories are looked into.
const DEPTH: usize = 32;

/// A directory that could not be looked into, and why.
pub(super) type Unread = (PathBuf, String);

/// The files of a directory, and the directories below that could not be looked into. Links to directories are not followed.
///
/// # Errors
/// The directory cannot be read.
pub(super) fn find(directory: &Path) -> io::Result<(Vec<HookSource>, Vec<Unread>)> {
    let mut files: Vec<HookSource> = Vec::new();
    let mut unread: Vec<Unread> = Vec::new();
    let mut directories = vec![(directory.to_owned(), 0)];
    while let Some((directory, depth)) = directories.pop() {
        if depth > DEPTH {
            unread.push((directory, format!("it lies more than {DEPTH} directories deep")));
            continue;
        }
        let mut configs = configs_of(&directory);
        // `check .claude`: its parent is the project.
        if depth == 0 {
            let below = std::path::absolute(&directory)?;
            let of_parent = below.parent().map(configs_of).unwrap_or_default();
            configs.extend(of_parent.into_iter().filter_map(|path| {
                let rest = path.strip_prefix(&below).ok()?;
                Some(directory.join(rest))
            }));
        }
        let mut add = |path: PathBuf, is_hook: bool| {
            if !files.iter().any(|file| same(&file.file.path, &path)) {
                let file = FoundFile { path, origin: Origin::Given };
                files.push(if is_hook { HookSource::hook(file) } else { HookSource::config(file) });
            }
        };
        configs.into_iter().for_each(|path| add(path, false));
        let entries = directory.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Err(error) if depth > 0 => {
                unread.push((directory, why_unreadable(&error)));
                continue;
            }
            entries => entries?,
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let (kind, path) = (entry.file_type()?, entry.path());
            let is_left_out = LEFT_OUT.iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() && !is_left_out {
                directories.push((path, depth + 1));
            } else if !kind.is_dir() && is_shell_script(&path) {
                add(path, true);
            }
        }
    }
    // `./crush.json` is what people and CI systems call `crush.json`.
    let named = files.iter_mut().map(|file| &mut file.file.path).chain(unread.iter_mut().map(|(path, _)| path));
    for name in named {
        if let Ok(path) = name.strip_prefix(".") {
            *name = path.to_owned();
        }
    }
    files.sort_by(|one, other| one.file.path.cmp(&other.file.path));
    unread.sort();
    Ok((files, unread))
}

fn same(one: &Path, other: &Path) -> bool {
    one == other || matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The configs that agents find in a project's directory.
fn configs_of(directory: &Path) -> Vec<PathBuf> {
    let found = Dialect::ALL.into_iter().flat_map(|dialect| dialect.discover(directory, |_| None));
    let never_read = NEVER_READ.iter().map(|(_, path)| directory.join(path));
    let mut paths: Vec<PathBuf> = found
        .map(|file| file.path)
        .chain(never_read)
        .filter(|path| path.starts_with(directory) && path.is_file())
        .collect();
    paths.dedup();
    paths
}

/// A shell script, by its extension or its `#!` line. (To open a FIFO waits.)
fn is_shell_script(path: &Path) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    if matches!(&*extension, "sh" | "bash") {
        return path.is_file();
    }
    let mut head = Vec::new();
    let is_read = path.is_file() && File::open(path).and_then(|file| file.take(128).read_to_end(&mut head)).is_ok();
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    is_read
        && line.strip_prefix("#!").is_some_and(|line| {
            let names = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
            names.take(4).any(|name| KnownShell::named(name.as_bytes()).is_some_and(KnownShell::is_readable))
        })
}
