//! `mv`: move files.

use std::collections::HashSet;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use hookshell_files::file_stat::FileStat;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use super::backup::{self, Backups, Line};
use super::copy::{Copier, Follow, Preserve, is_link_to, is_same_entry};
use super::rm::{Asks, RmOptions};
use super::target::{Target, base_name, join, target_of};
use super::tree::{Removal, remove_tree};

/// `mv [-bfinuvT] [--backup[=CONTROL]] [-S SUFFIX] [-t DIR] SOURCE… DEST` (XCU `mv`, GNU's additions).
pub(crate) struct Mv;

const STRIP: u8 = LONG_ONLY;

const OPTIONS: &[OptionSpec] = &[
    flag(b'f', "force"),
    flag(b'i', "interactive"),
    flag(b'n', "no-clobber"),
    flag(b'T', "no-target-directory"),
    flag(b'u', "update"),
    flag(b'v', "verbose"),
    value(b't', "target-directory"),
    flag(STRIP, "strip-trailing-slashes"),
];

fn read<'a>(call: &UtilityCall<'a>) -> Result<Line<'a>, Unsupported> {
    let line = Line::read(call, OPTIONS)?;
    let parsed = &line.parsed;
    if parsed.has(b'T') && parsed.has(b't') {
        return Err(Unsupported::mistake("-T with -t"));
    }
    Ok(line)
}

impl Utility for Mv {
    fn name(&self) -> &'static str {
        "mv"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

/// What happens to existing files: the last of `-f`, `-i` and `-n` counts.
struct Moves<'r, 'a> {
    running: &'r Running<'a>,
    keeps: bool,
    updates: bool,
    force: bool,
    asks: bool,
    is_verbose: bool,
    backups: Option<Backups>,
    /// What this call has moved there.
    made: HashSet<PathBuf>,
}

fn run(running: &Running<'_>, command: Line<'_>) -> Result<u8, Failure> {
    let Line { parsed, backups } = command;
    let last =
        parsed.options.iter().rev().find(|(option, _)| matches!(option, b'f' | b'i' | b'n')).map(|option| option.0);
    if last == Some(b'n') && backups.is_some() {
        return running.usage(b"options --backup and --no-clobber are mutually exclusive");
    }
    let mut operands = parsed.operands.clone();
    let target = match target_of(running, &mut operands, parsed.last(b't'), parsed.has(b'T'), true)? {
        Ok(target) => target,
        Err(status) => return Ok(status),
    };
    let mut moves = Moves {
        running,
        keeps: last == Some(b'n'),
        updates: parsed.has(b'u') && last != Some(b'n'),
        force: last == Some(b'f'),
        asks: last == Some(b'i'),
        is_verbose: parsed.has(b'v'),
        backups,
        made: HashSet::new(),
    };
    let mut status = 0;
    for &operand in &operands {
        running.check()?;
        let operand = if parsed.has(STRIP) { without_slashes(operand) } else { operand };
        let destination = match &target {
            Target::File(name) => name.clone(),
            Target::Directory(directory) => join(directory, base_name(operand)),
        };
        if !moves.one(operand, &destination)? {
            status = 1;
        }
    }
    Ok(status)
}

/// Of `/` alone one is left.
pub(super) fn without_slashes(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|byte| *byte != b'/').map_or(name.len().min(1), |at| at + 1);
    name.get(..end).unwrap_or(name)
}

/// What is moved and where to: the names, and where these lead.
#[derive(Clone, Copy)]
struct Ends<'e> {
    source: &'e [u8],
    destination: &'e [u8],
    from: &'e Path,
    to: &'e Path,
}

impl Moves<'_, '_> {
    fn fail(&self, parts: &[&[u8]]) -> Result<bool, Failure> {
        self.running.message(&parts.concat())?;
        Ok(false)
    }

    fn one(&mut self, source: &[u8], destination: &[u8]) -> Result<bool, Failure> {
        let running = self.running;
        let (from, to) = (running.path(source), running.path(destination));
        let found = if source.is_empty() { Err(ErrorKind::NotFound.into()) } else { from.symlink_metadata() };
        let metadata = match found {
            Ok(metadata) => metadata,
            Err(error) => {
                running.report_error_of("cannot stat", source, &error)?;
                return Ok(false);
            }
        };
        let backup = match to.symlink_metadata() {
            Ok(existing) if !destination.is_empty() => {
                let ends = Ends { source, destination, from: &from, to: &to };
                match self.make_room(ends, &metadata, &existing)? {
                    ControlFlow::Continue(backup) => backup,
                    ControlFlow::Break(done) => return Ok(done),
                }
            }
            _ => None,
        };
        let backup = backup.as_deref();
        let done = match std::fs::rename(&from, &to) {
            _ if destination.is_empty() => self.finish(source, destination, backup, Err(ErrorKind::NotFound.into())),
            Err(error) if error.kind() == ErrorKind::CrossesDevices => self.across(source, destination, &from, &to),
            Err(error) if error.kind() == ErrorKind::InvalidInput && metadata.is_dir() => self.fail(&[
                b"cannot move ",
                &quote::always(source),
                b" to a subdirectory of itself, ",
                &quote::always(destination),
            ]),
            result => self.finish(source, destination, backup, result),
        }?;
        if done {
            self.made.insert(to);
        } else if let Some(backup) = backup {
            backup::undo(running, backup, destination, self.is_verbose)?;
        }
        Ok(done)
    }

    /// Looks at the file that stands at the destination, and moves it to its backup where there is to be one. Gives the backup's name,
    /// or what comes of the move that is not made.
    fn make_room(
        &mut self,
        ends: Ends<'_>,
        metadata: &Metadata,
        existing: &Metadata,
    ) -> Result<ControlFlow<bool, Option<Vec<u8>>>, Failure> {
        let Ends { source, destination, from, to } = ends;
        let (a, b) = (FileStat::of(metadata), FileStat::of(existing));
        let is_same = if a.inode == 0 {
            from.canonicalize().ok().is_some_and(|from| to.canonicalize().is_ok_and(|to| to == from))
        } else {
            (a.device, a.inode) == (b.device, b.inode)
        };
        // It would lead to itself then, and the file be lost.
        let is_same = is_same || self.backups.is_none() && is_link_to(from, &a, to, &b, true);
        if self.keeps && (!metadata.is_dir() || !existing.is_dir()) {
            return Ok(ControlFlow::Break(true));
        }
        let is_spared = self.backups.is_some() && !is_same_entry(from, to);
        // `mv foo FOO`, where names have no case: the name is what changes.
        if is_same && from.file_name() != to.file_name() && is_same_entry(from, to) {
            return self.finish(source, destination, None, std::fs::rename(from, to)).map(ControlFlow::Break);
        }
        let (source_shown, shown) = (quote::always(source), quote::always(destination));
        let fail = |parts: &[&[u8]]| self.fail(parts).map(ControlFlow::Break);
        if is_same && !is_spared {
            return fail(&[&source_shown, b" and ", &shown, b" are the same file"]);
        }
        if metadata.is_dir() && !existing.is_dir() && self.backups.is_none() {
            return fail(&[b"cannot overwrite non-directory ", &shown, b" with directory ", &source_shown]);
        }
        if !metadata.is_dir() && existing.is_dir() && self.backups.is_none() {
            return fail(&[b"cannot overwrite directory ", &shown, b" with non-directory"]);
        }
        if self.updates && b.modified >= a.modified || !self.may_replace(destination, to, &b)? {
            return Ok(ControlFlow::Break(true));
        }
        let keeps_all = self.backups.as_ref().is_some_and(Backups::keeps_all);
        if !metadata.is_dir() && !keeps_all && self.made.contains(to) {
            return fail(&[b"will not overwrite just-created ", &shown, b" with ", &source_shown]);
        }
        let Some(backups) = &self.backups else { return Ok(ControlFlow::Continue(None)) };
        let name = backups.name(self.running, destination);
        if backups.destroys(source, destination) && is_same_entry(&self.running.path(&name), from) {
            return fail(&[b"backing up ", &shown, b" might destroy source;  ", &source_shown, b" not moved"]);
        }
        match backups.make(self.running, destination) {
            Ok(name) => Ok(ControlFlow::Continue(name)),
            Err(error) => {
                self.running.report_error_of("cannot backup", destination, &error)?;
                Ok(ControlFlow::Break(false))
            }
        }
    }

    /// At a terminal, without `-f`, a file that cannot be written is asked for; with `-i` any.
    fn may_replace(&self, destination: &[u8], to: &Path, existing: &FileStat) -> Result<bool, Failure> {
        let at_terminal = || self.running.context().stdin().is_some_and(|stdin| stdin.is_terminal());
        if self.force || !self.asks && (existing.is_link() || !at_terminal()) {
            return Ok(true);
        }
        if existing.is_link() || hookshell_process::system::access(to, hookshell_process::system::Access::Write) {
            let question = || [&b"overwrite "[..], &quote::always(destination), b"? "].concat();
            return if self.asks { self.running.ask(&question()) } else { Ok(true) };
        }
        let mode = existing.mode_text();
        let overriding = format!(", overriding mode {:04o} (", existing.mode & 0o7777);
        let question = [
            &b"replace "[..],
            &quote::always(destination),
            overriding.as_bytes(),
            mode.get(1..).unwrap_or_default(),
            b")? ",
        ];
        self.running.ask(&question.concat())
    }

    fn finish(
        &self,
        source: &[u8],
        destination: &[u8],
        backup: Option<&[u8]>,
        result: io::Result<()>,
    ) -> Result<bool, Failure> {
        match result {
            Ok(()) => {
                if self.is_verbose {
                    let backup = backup.map(|name| [b" (backup: ", &quote::always(name)[..], b")"].concat());
                    let backup = backup.unwrap_or_default();
                    let names = [&quote::always(source)[..], b" -> ", &quote::always(destination)].concat();
                    let line = [&b"renamed "[..], &names, &backup, b"\n"];
                    self.running.write(&line.concat())?;
                }
                Ok(true)
            }
            Err(error) => {
                let doing = [&b"cannot move "[..], &quote::always(source), b" to ", &quote::always(destination)];
                self.running.report_error(&doing.concat(), &error)?;
                Ok(false)
            }
        }
    }

    /// To another file system: a copy with all that it has, then the original goes.
    fn across(&self, source: &[u8], destination: &[u8], from: &Path, to: &Path) -> Result<bool, Failure> {
        if let Ok(existing) = to.symlink_metadata() {
            let removed = if existing.is_dir() { std::fs::remove_dir(to) } else { std::fs::remove_file(to) };
            if let Err(error) = removed {
                let doing = [
                    &b"inter-device move failed: "[..],
                    &quote::always(source),
                    b" to ",
                    &quote::always(destination),
                    b"; unable to remove target",
                ];
                self.running.report_error(&doing.concat(), &error)?;
                return Ok(false);
            }
        }
        let mut copier = Copier::new(self.running);
        copier.is_recursive = true;
        copier.follow = Follow::Never;
        copier.preserve = Preserve { mode: true, owner: true, times: true, links: true, attributes: true };
        copier.is_verbose = self.is_verbose;
        if !copier.copy(source, destination)? {
            return Ok(false);
        }
        let options = RmOptions {
            force: true,
            recursive: true,
            directories: false,
            verbose: self.is_verbose,
            asks: Asks::Never,
            one_file_system: false,
        };
        match from.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => remove_tree(self.running, from, source, options),
            Ok(metadata) => Removal { running: self.running, options }.one(from, source, &metadata),
            Err(_) => Ok(true),
        }
    }
}
