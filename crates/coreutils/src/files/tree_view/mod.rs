//! `tree`: directories and what is in them, as a tree.

mod columns;
mod command;
mod json;
mod pattern;

use std::io::ErrorKind;
use std::path::Path;

use hookshell_files::file_stat::FileStat;
use hookshell_process::text;
use hookshell_utility::io::{Failure, MemoryCharge, PER_LINE, Running};
use hookshell_utility::output::Output;
use hookshell_utility::utility;

use self::command::{Command, Order, read};
use self::pattern::matches;
use crate::version_order;

utility! {
    /// `tree [-acdDfFghiJnNprstuUv] [-L LEVEL] [-I PATTERNS]… [-P PATTERNS]… [--charset=NAME --dirsfirst --filesfirst --ignore-case --noreport
    /// --prune --si --sort=ORDER
    /// --timefmt=FORMAT] [DIRECTORY]…` (tree 2.1), without colours.
    Tree, "tree"
}

/// One entry of a directory.
struct Entry {
    name: Vec<u8>,
    /// What a link leads to, as it says.
    target: Option<Vec<u8>>,
    /// It, or what it leads to.
    is_directory: bool,
    /// What `-F` puts after it.
    mark: Option<u8>,
    /// What it is, for `-J`.
    kind: &'static str,
    stat: FileStat,
}

impl Entry {
    /// A directory that is gone into.
    fn is_entered(&self) -> bool {
        self.is_directory && self.target.is_none()
    }
}

/// What is counted.
#[derive(Default)]
struct Totals {
    directories: u64,
    files: u64,
}

/// A directory whose entries are being shown.
struct Frame {
    entries: std::vec::IntoIter<Entry>,
    path: Vec<u8>,
    /// How long the lines before its entries are.
    indent: usize,
    _kept: MemoryCharge,
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    if command.json {
        return json::run(running, &command);
    }
    let mut out = Output::new(running);
    let mut totals = Totals::default();
    let mut status = 0;
    for root in &command.roots {
        show(running, &command, root, &mut totals, &mut status, &mut out)?;
    }
    if command.report {
        let one = |count: u64, one: &'static str, several: &'static str| if count == 1 { one } else { several };
        out.text(format_args!("\n{} {}", totals.directories, one(totals.directories, "directory", "directories")))?;
        if !command.only_directories {
            out.text(format_args!(", {} {}", totals.files, one(totals.files, "file", "files")))?;
        }
        out.byte(b'\n')?;
    }
    out.flush()?;
    Ok(status)
}

fn show(
    running: &Running<'_>,
    command: &Command<'_>,
    root: &[u8],
    totals: &mut Totals,
    status: &mut u8,
    out: &mut Output<'_, '_>,
) -> Result<(), Failure> {
    let mut name = root;
    while command.full_names && name.len() > 1 && name.ends_with(b"/") {
        name = name.get(..name.len() - 1).unwrap_or_default();
    }
    let path = running.path(root);
    let metadata = if root.is_empty() { Err(ErrorKind::NotFound.into()) } else { path.metadata() };
    if let Some(columns) = &command.columns
        && !root.is_empty()
        && let Ok(own) = path.symlink_metadata()
    {
        out.push(&columns.show(&FileStat::of(&own), command.order == Order::Changed))?;
    }
    push_name(command, name, out)?;
    if command.marks
        && let Some(mark) = path.symlink_metadata().ok().and_then(|own| mark_of(&own))
    {
        out.byte(mark)?;
    }
    let entries = match &metadata {
        Ok(metadata) if metadata.is_dir() => read_directory(running, command, &path)?,
        _ => None,
    };
    let Some((entries, kept)) = entries else {
        out.push(b"  [error opening dir]\n")?;
        // A link that leads nowhere is a file, too.
        let is_file = !root.is_empty() && !path.is_dir() && path.symlink_metadata().is_ok();
        match is_file {
            true => totals.files += 1,
            false => *status = 2,
        }
        return Ok(());
    };
    out.byte(b'\n')?;
    // One in which nothing is shown is not counted.
    if !entries.is_empty() {
        totals.directories += 1;
    }
    let mut indent: Vec<u8> = Vec::new();
    let mut frames = vec![Frame { entries: entries.into_iter(), path: name.to_vec(), indent: 0, _kept: kept }];
    loop {
        let depth = frames.len();
        let Some(frame) = frames.last_mut() else { return Ok(()) };
        let Some(entry) = frame.entries.next() else {
            frames.pop();
            continue;
        };
        indent.truncate(frame.indent);
        let is_last = frame.entries.as_slice().is_empty();
        let path = super::target::join(&frame.path, &entry.name);
        if let Some(lines) = command.lines {
            out.push(&indent)?;
            out.push(if is_last { lines.last } else { lines.entry }.as_bytes())?;
            indent.extend_from_slice(if is_last { "    " } else { lines.beside }.as_bytes());
        }
        if let Some(columns) = &command.columns {
            out.push(&columns.show(&entry.stat, command.order == Order::Changed))?;
        }
        push_name(command, if command.full_names { &path } else { &entry.name }, out)?;
        if let Some(target) = &entry.target {
            out.push(b" -> ")?;
            push_name(command, target, out)?;
        }
        if command.marks
            && let Some(mark) = entry.mark
        {
            out.byte(mark)?;
        }
        if entry.is_directory {
            totals.directories += 1;
        } else {
            totals.files += 1;
        }
        if entry.is_entered() && depth < command.levels {
            match read_directory(running, command, &running.path(&path))? {
                Some((entries, kept)) => {
                    let indent = indent.len();
                    frames.push(Frame { entries: entries.into_iter(), path, indent, _kept: kept });
                }
                None => {
                    *status = 2;
                    out.push(b"  [error opening dir]")?;
                }
            }
        }
        out.byte(b'\n')?;
    }
}

/// The entries to be shown, in order; `None`: the directory cannot be read.
fn read_directory(
    running: &Running<'_>,
    command: &Command<'_>,
    directory: &Path,
) -> Result<Option<(Vec<Entry>, MemoryCharge)>, Failure> {
    running.check()?;
    let Ok(listed) = std::fs::read_dir(directory) else { return Ok(None) };
    let mut kept = running.keep();
    let mut size = 0;
    let mut entries = Vec::new();
    for entry in listed {
        let Ok(entry) = entry else { continue };
        let name = text::from_os(&entry.file_name()).into_owned();
        if !command.all && name.first() == Some(&b'.') {
            continue;
        }
        let Some(entry) = entry_of(command, &entry.path(), name) else { continue };
        if command.prune && entry.is_directory && !holds_something(running, command, directory, &entry)? {
            continue;
        }
        size += entry.name.len() + entry.target.as_ref().map_or(0, Vec::len) + size_of::<Entry>() + PER_LINE;
        kept.set(size)?;
        entries.push(entry);
    }
    if command.order != Order::None {
        entries.sort_by(|a, b| {
            let by_name = || a.name.cmp(&b.name);
            let order = match command.order {
                Order::Name | Order::None => by_name(),
                Order::Version => version_order::compare(&a.name, &b.name),
                Order::Size => b.stat.size.cmp(&a.stat.size).then_with(by_name),
                Order::Modified => a.stat.modified.0.cmp(&b.stat.modified.0).then_with(by_name),
                Order::Changed => a.stat.changed.0.cmp(&b.stat.changed.0).then_with(by_name),
            };
            if command.reversed { order.reverse() } else { order }
        });
    }
    if let Some(directories) = command.first {
        entries.sort_by_key(|entry| entry.is_directory != directories);
    }
    Ok(Some((entries, kept)))
}

/// An entry by its patterns and its kind; `None`: it is not shown.
fn entry_of(command: &Command<'_>, path: &Path, name: Vec<u8>) -> Option<Entry> {
    let metadata = path.symlink_metadata().ok()?;
    let is_link = metadata.is_symlink();
    let kind = json::kind_of(&metadata);
    let stat = FileStat::of(&metadata);
    let followed = if is_link { path.metadata().ok() } else { Some(metadata) };
    let is_directory = followed.as_ref().is_some_and(std::fs::Metadata::is_dir);
    let is_like = |patterns: &[&[u8]]| patterns.iter().any(|pattern| matches(pattern, &name, command.ignore_case));
    if command.only_directories && !is_directory || is_like(&command.ignored) {
        return None;
    }
    if !(command.wanted.is_empty() || is_directory && !is_link || is_like(&command.wanted)) {
        return None;
    }
    let target = if is_link { std::fs::read_link(path).ok() } else { None };
    Some(Entry {
        name,
        target: target.map(|target| text::from_path(&target).into_owned()),
        is_directory,
        mark: followed.as_ref().and_then(mark_of),
        kind,
        stat,
    })
}

/// Is a file below a directory that `--prune` would show? Links to directories hold nothing.
fn holds_something(
    running: &Running<'_>,
    command: &Command<'_>,
    directory: &Path,
    entry: &Entry,
) -> Result<bool, Failure> {
    if !entry.is_entered() {
        return Ok(false);
    }
    let mut left = vec![directory.join(text::to_path(&entry.name))];
    while let Some(directory) = left.pop() {
        running.check()?;
        let Ok(listed) = std::fs::read_dir(&directory) else { continue };
        for entry in listed.flatten() {
            let name = text::from_os(&entry.file_name()).into_owned();
            if !command.all && name.first() == Some(&b'.') {
                continue;
            }
            match entry_of(command, &entry.path(), name) {
                Some(below) if below.is_entered() => left.push(entry.path()),
                Some(below) if !below.is_directory => return Ok(true),
                _ => {}
            }
        }
    }
    Ok(false)
}

/// What `-F` puts after a name.
fn mark_of(metadata: &std::fs::Metadata) -> Option<u8> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return Some(b'/');
    }
    if kind.is_symlink() {
        return Some(b'@');
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt};
        if kind.is_fifo() {
            return Some(b'|');
        }
        if kind.is_socket() {
            return Some(b'=');
        }
        if kind.is_file() && metadata.permissions().mode() & 0o111 != 0 {
            return Some(b'*');
        }
    }
    None
}

/// A name with its control characters as octal numbers, unless they are to be raw.
fn push_name(command: &Command<'_>, name: &[u8], out: &mut Output<'_, '_>) -> Result<(), Failure> {
    if command.raw {
        return out.push(name);
    }
    if !command.bytes {
        for chunk in name.utf8_chunks() {
            for character in chunk.valid().chars() {
                let mut buffer = [0; 4];
                match character.encode_utf8(&mut buffer).as_bytes() {
                    &[byte] if byte.is_ascii_control() => out.text(format_args!("\\{byte:03o}"))?,
                    bytes => out.push(bytes)?,
                }
            }
            for byte in chunk.invalid() {
                out.text(format_args!("\\{byte:03o}"))?;
            }
        }
        return Ok(());
    }
    for byte in name {
        match byte {
            0x07..=0x0d => out.push(&[b'\\', b"abtnvfr".get(usize::from(byte - 7)).copied().unwrap_or(b'n')])?,
            b' ' | b'\\' => out.push(&[b'\\', *byte])?,
            b'!'..=b'~' => out.byte(*byte)?,
            _ => out.text(format_args!("\\{byte:03o}"))?,
        }
    }
    Ok(())
}
