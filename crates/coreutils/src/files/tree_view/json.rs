//! `tree -J`: the tree as JSON.

use std::io::ErrorKind;

use hookshell_utility::io::{Failure, MemoryCharge, Running};
use hookshell_utility::output::Output;

use super::command::Command;
use super::{Entry, Totals, read_directory};
use crate::files::target::join;

/// A directory whose entries are being shown.
struct Frame {
    entries: std::vec::IntoIter<Entry>,
    path: Vec<u8>,
    _kept: MemoryCharge,
}

/// What the members of an object without its end say: that a directory could not be opened.
const CANNOT_OPEN: &[u8] = b",\"contents\":[{\"error\": \"error opening dir\"}\n";

/// All directories of the command line, and the report. What cannot be opened is told as tree 2.1 does, which is no JSON.
pub(super) fn run(running: &Running<'_>, command: &Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut totals = Totals::default();
    let mut status = 0;
    out.push(b"[\n")?;
    for (at, root) in command.roots.iter().enumerate() {
        let is_last = at + 1 == command.roots.len();
        show(running, command, root, is_last, &mut totals, &mut status, &mut out)?;
    }
    if command.report {
        out.text(format_args!(",\n  {{\"type\":\"report\",\"directories\":{}", totals.directories))?;
        if !command.only_directories {
            out.text(format_args!(",\"files\":{}", totals.files))?;
        }
        out.push(b"}")?;
    }
    out.push(b"\n]\n")?;
    out.flush()?;
    Ok(status)
}

fn show(
    running: &Running<'_>,
    command: &Command<'_>,
    root: &[u8],
    is_last: bool,
    totals: &mut Totals,
    status: &mut u8,
    out: &mut Output<'_, '_>,
) -> Result<(), Failure> {
    let mut name = root;
    while command.full_names && name.len() > 1 && name.ends_with(b"/") {
        name = name.get(..name.len() - 1).unwrap_or_default();
    }
    let path = running.path(root);
    let own = if root.is_empty() { Err(ErrorKind::NotFound.into()) } else { path.symlink_metadata() };
    if let Ok(own) = &own {
        out.text(format_args!("  {{\"type\":\"{}\"", kind_of(own)))?;
    }
    push_member(b"name", name, out)?;
    let entries = if own.is_ok() && path.is_dir() { read_directory(running, command, &path)? } else { None };
    let Some((entries, kept)) = entries else {
        out.push(CANNOT_OPEN)?;
        match own.is_ok() && !path.is_dir() {
            true => totals.files += 1,
            false => *status = 2,
        }
        return out.push(if is_last { b"\n  ]}\n" } else { b",\n  ]},\n" });
    };
    let end: &[u8] = if is_last { b"\n" } else { b",\n" };
    // It is not counted, as tree does not here.
    if entries.is_empty() {
        return out.push(&[b"}", end].concat());
    }
    totals.directories += 1;
    out.push(b",\"contents\":[\n")?;
    let mut frames = vec![Frame { entries: entries.into_iter(), path: name.to_vec(), _kept: kept }];
    loop {
        let depth = frames.len();
        let Some(frame) = frames.last_mut() else { break };
        let indent = "  ".repeat(depth);
        let Some(entry) = frame.entries.next() else {
            frames.pop();
            out.push(indent.as_bytes())?;
            out.push(b"]}")?;
            let follows = frames.last().is_some_and(|outer| !outer.entries.as_slice().is_empty());
            if !frames.is_empty() {
                out.push(if follows { b",\n" } else { b"\n" })?;
            }
            continue;
        };
        let follows = !frame.entries.as_slice().is_empty();
        let path = join(&frame.path, &entry.name);
        out.text(format_args!("{indent}  {{\"type\":\"{}\"", entry.kind))?;
        push_member(b"name", if command.full_names { &path } else { &entry.name }, out)?;
        if let Some(target) = &entry.target {
            push_member(b"target", target, out)?;
        }
        match entry.is_directory {
            true => totals.directories += 1,
            false => totals.files += 1,
        }
        if entry.is_entered() && depth < command.levels {
            match read_directory(running, command, &running.path(&path))? {
                Some((entries, kept)) if !entries.is_empty() => {
                    out.push(b",\"contents\":[\n")?;
                    frames.push(Frame { entries: entries.into_iter(), path, _kept: kept });
                    continue;
                }
                Some(_) => {}
                None => {
                    *status = 2;
                    out.push(CANNOT_OPEN)?;
                    out.push(indent.as_bytes())?;
                    out.push(b"]")?;
                }
            }
        }
        out.push(if follows { b"},\n" } else { b"}\n" })?;
    }
    out.push(end)
}

/// What an entry is, in JSON's words.
pub(super) fn kind_of(metadata: &std::fs::Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return "directory";
    }
    if kind.is_symlink() {
        return "link";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "fifo";
        }
        if kind.is_socket() {
            return "socket";
        }
        if kind.is_block_device() {
            return "block";
        }
        if kind.is_char_device() {
            return "char";
        }
    }
    "file"
}

/// A member that is no first one, of an object. The bytes of a name that are no UTF-8 stay as they are.
fn push_member(member: &[u8], text: &[u8], out: &mut Output<'_, '_>) -> Result<(), Failure> {
    out.push(&[b",\"", member, b"\":\""].concat())?;
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.push(&[b'\\', byte])?,
            0x08 => out.push(b"\\b")?,
            b'\t' => out.push(b"\\t")?,
            b'\n' => out.push(b"\\n")?,
            0x0c => out.push(b"\\f")?,
            b'\r' => out.push(b"\\r")?,
            0..=0x1f => out.text(format_args!("\\u{byte:04x}"))?,
            _ => out.byte(byte)?,
        }
    }
    out.push(b"\"")
}
