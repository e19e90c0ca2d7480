//! `ln`: make links.

use std::io::{self, ErrorKind};
use std::path::Path;

use hookshell_files::canonical::{Existing, canonicalize, relative};
use hookshell_files::file_stat::FileStat;
use hookshell_process::text;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use super::backup::Line;
use super::copy::is_same_entry;
use super::target::{Target, base_name, join, target_of};

/// `ln [-bsfinrTvLP] [--backup[=CONTROL]] [-S SUFFIX] [-t DIR] TARGET… [LINK|DIR]` (XCU `ln`, GNU's additions).
pub(crate) struct Ln;

const OPTIONS: &[OptionSpec] = &[
    flag(b's', "symbolic"),
    flag(b'f', "force"),
    flag(b'i', "interactive"),
    flag(b'n', "no-dereference"),
    flag(b'r', "relative"),
    flag(b'T', "no-target-directory"),
    flag(b'v', "verbose"),
    flag(b'L', "logical"),
    flag(b'P', "physical"),
    value(b't', "target-directory"),
];

fn read<'a>(call: &UtilityCall<'a>) -> Result<Line<'a>, Unsupported> {
    let line = Line::read(call, OPTIONS)?;
    let parsed = &line.parsed;
    if cfg!(windows) && parsed.has(b's') {
        // Links need a privilege there, and a kind.
        return Err(Unsupported::option(b"-s"));
    }
    if parsed.has(b'r') && !parsed.has(b's') || parsed.has(b'T') && parsed.has(b't') {
        return Err(Unsupported::mistake("these options together"));
    }
    Ok(line)
}

impl Utility for Ln {
    fn name(&self) -> &'static str {
        "ln"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

fn run(running: &Running<'_>, command: Line<'_>) -> Result<u8, Failure> {
    let parsed = &command.parsed;
    let mut operands = parsed.operands.clone();
    if operands.len() == 1 && parsed.last(b't').is_none() && !parsed.has(b'T') {
        // Here, by its own name.
        let name = join(b".", base_name(operands.first().copied().unwrap_or_default()));
        let linked = link(running, &command, operands[0], &name)?;
        return Ok(u8::from(!linked));
    }
    let follow = !parsed.has(b'n');
    let target = match target_of(running, &mut operands, parsed.last(b't'), parsed.has(b'T'), follow)? {
        Ok(target) => target,
        Err(status) => return Ok(status),
    };
    let mut status = 0;
    for &operand in &operands {
        running.check()?;
        let destination = match &target {
            Target::File(name) => name.clone(),
            Target::Directory(directory) => join(directory, base_name(operand)),
        };
        if !link(running, &command, operand, &destination)? {
            status = 1;
        }
    }
    Ok(status)
}

/// Is a link that is a source taken for what it leads to?
fn is_logical(parsed: &Parsed<'_>) -> bool {
    let last = parsed.options.iter().rev().find(|(option, _)| matches!(option, b'L' | b'P'));
    last.is_some_and(|(option, _)| *option == b'L')
}

fn link(running: &Running<'_>, command: &Line<'_>, source: &[u8], name: &[u8]) -> Result<bool, Failure> {
    let Line { parsed, backups } = command;
    let symbolic = parsed.has(b's');
    let path = running.path(name);
    let fail = |text: &[&[u8]]| -> Result<bool, Failure> {
        running.message(&text.concat())?;
        Ok(false)
    };
    if !symbolic {
        let metadata = if source.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if is_logical(parsed) {
            running.path(source).metadata()
        } else {
            running.path(source).symlink_metadata()
        };
        match metadata {
            Ok(metadata) if metadata.is_dir() => {
                return fail(&[&quote::if_needed(source), b": hard link not allowed for directory"]);
            }
            Ok(_) => {}
            Err(error) => {
                running.report_error_of("failed to access", source, &error)?;
                return Ok(false);
            }
        }
    }
    let written = if parsed.has(b'r') { relative_source(running, source, name) } else { source.to_vec() };
    // Of -f and -i the last one counts.
    let replaces = parsed.options.iter().rev().find(|(option, _)| matches!(option, b'f' | b'i')).map(|option| option.0);
    if replaces == Some(b'i')
        && path.symlink_metadata().is_ok_and(|existing| !existing.is_dir())
        && !running.ask(&[b"replace ", &quote::always(name)[..], b"? "].concat())?
    {
        return Ok(true);
    }
    let mut backup = None;
    if let Some(backups) = backups
        && let Ok(existing) = path.symlink_metadata()
    {
        if existing.is_dir() {
            return fail(&[&quote::if_needed(name), b": cannot overwrite directory"]);
        }
        let from = running.path(source);
        if !symbolic
            && is_same(&from, &path, false)
            && (FileStat::of(&existing).links == 1 || is_same_entry(&from, &path))
        {
            return fail(&[&quote::always(source), b" and ", &quote::always(name), b" are the same file"]);
        }
        match backups.make(running, name) {
            Ok(made) => backup = made,
            Err(error) => {
                running.report_error_of("cannot backup", name, &error)?;
                return Ok(false);
            }
        }
    }
    let mut made =
        if name.is_empty() { Err(ErrorKind::NotFound.into()) } else { make(running, parsed, &written, &path) };
    if replaces.is_some() && made.as_ref().is_err_and(|error| error.kind() == ErrorKind::AlreadyExists) {
        let existing = path.symlink_metadata();
        if existing.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
            return fail(&[&quote::if_needed(name), b": cannot overwrite directory"]);
        }
        // The link would lead to itself, and the file be lost.
        let from = running.path(source);
        let is_only = existing.as_ref().is_ok_and(|existing| symbolic && FileStat::of(existing).links == 1);
        if is_same(&from, &path, symbolic) && (is_only || is_same_entry(&from, &path)) {
            return fail(&[&quote::always(source), b" and ", &quote::always(name), b" are the same file"]);
        }
        made = std::fs::remove_file(&path).and_then(|()| make(running, parsed, &written, &path));
    }
    match made {
        Ok(()) => {
            if parsed.has(b'v') {
                let arrow: &[u8] = if symbolic { b" -> " } else { b" => " };
                let backup = backup.map(|name| [&quote::always(&name)[..], b" ~ "].concat()).unwrap_or_default();
                running
                    .write(&[&backup[..], &quote::always(name)[..], arrow, &quote::always(&written), b"\n"].concat())?;
            }
            Ok(true)
        }
        Err(error) => {
            let text = not_made(symbolic, name, if symbolic { &written } else { source }, &error);
            running.report_error(&text, &error)?;
            Ok(false)
        }
    }
}

/// What is said of a link that could not be made.
fn not_made(symbolic: bool, name: &[u8], source: &[u8], error: &io::Error) -> Vec<u8> {
    let is_of_name =
        matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::StorageFull | ErrorKind::ReadOnlyFilesystem);
    let kind: &[u8] = if symbolic { b"symbolic" } else { b"hard" };
    let text = [b"failed to create ", kind, b" link ", &quote::always(name)].concat();
    match symbolic {
        true if source.is_empty() => [&text[..], b" -> ''"].concat(),
        false if !is_of_name => [&text[..], b" => ", &quote::always(source)].concat(),
        _ => text,
    }
}

/// What a symbolic link says that leads to the source from where the link is (`-r`).
fn relative_source(running: &Running<'_>, source: &[u8], name: &[u8]) -> Vec<u8> {
    let cwd = running.context().cwd;
    let parent = match name.iter().rposition(|byte| *byte == b'/') {
        Some(0) => &b"/"[..],
        Some(at) => name.get(..at).unwrap_or_default(),
        None => b".",
    };
    let real = |path: &[u8]| canonicalize(cwd, &running.native(path), Existing::Nothing, true);
    match (real(parent), real(source)) {
        (Ok(directory), Ok(real)) => relative(&real, &directory),
        _ => source.to_vec(),
    }
}

/// Are they one file? With `follows` the first may be a link to it.
fn is_same(a: &Path, b: &Path, follows: bool) -> bool {
    let id = |metadata: io::Result<std::fs::Metadata>| metadata.map(|metadata| FileStat::of(&metadata)).ok();
    let first = if follows { a.metadata() } else { a.symlink_metadata() };
    match (id(first), id(b.symlink_metadata())) {
        (Some(a), Some(b)) => a.inode != 0 && (a.device, a.inode) == (b.device, b.inode),
        _ => false,
    }
}

fn make(running: &Running<'_>, parsed: &Parsed<'_>, source: &[u8], path: &Path) -> io::Result<()> {
    if parsed.has(b's') {
        return symlink(source, path);
    }
    let from = running.path(source);
    let from = if is_logical(parsed) { from.canonicalize()? } else { from };
    std::fs::hard_link(from, path)
}

#[cfg(unix)]
fn symlink(target: &[u8], path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(text::to_path(target), path)
}

#[cfg(not(unix))]
fn symlink(target: &[u8], path: &Path) -> io::Result<()> {
    let _ = (text::to_path(target), path);
    Err(ErrorKind::Unsupported.into())
}
