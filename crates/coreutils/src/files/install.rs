//! `install`: copy files and set their modes.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use hookshell_files::at;
use hookshell_files::file_stat::FileStat;
use hookshell_files::mode::{create_dir_exactly, set_directory_mode};
use hookshell_process::{Opening, system};
use hookshell_utility::io::{BUFFER, Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, value};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::backup::{Backups, Line};
use super::device::is_device;
use super::mode_change::ModeChange;
use super::target::{Target, base_name, join};

utility! {
    /// `install [-bCDpv] [-g GROUP] [-m MODE] [-o OWNER] [--backup[=CONTROL]] [-S SUFFIX] [-t DIRECTORY | -T] SOURCE… DEST`, `install -d [-v] [-m MODE] DIRECTORY…` (GNU). `-s`
    /// is the real program's.
    Install, "install"
}

const OPTIONS: &[OptionSpec] = &[
    // It means nothing.
    flag(b'c', ""),
    flag(b'd', "directory"),
    flag(b'D', ""),
    flag(b'p', "preserve-timestamps"),
    flag(b'v', "verbose"),
    flag(b'T', "no-target-directory"),
    flag(b'C', "compare"),
    value(b'g', "group"),
    value(b'm', "mode"),
    value(b'o', "owner"),
    value(b't', "target-directory"),
];

struct Command<'a> {
    parsed: Parsed<'a>,
    /// Of files and of directories.
    modes: (u32, u32),
    backups: Option<Backups>,
    owner: (Option<u32>, Option<u32>),
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let Line { parsed, backups } = Line::read(call, OPTIONS)?;
    let modes = match parsed.last(b'm') {
        None => (0o755, 0o755),
        Some(text) => {
            let refused = || Unsupported::mistake(format!("the mode {}", text.escape_ascii()));
            let change = ModeChange::parse(text).ok_or_else(refused)?;
            (change.apply(0, false, 0).0, change.apply(0, true, 0).0)
        }
    };
    let incompatible = (parsed.has(b'd') && (parsed.has(b't') || parsed.has(b'T') || parsed.has(b'D')))
        || (parsed.has(b't') && parsed.has(b'T'));
    if incompatible || (parsed.has(b'd') && parsed.has(b'p')) {
        return Err(Unsupported::new("these options together"));
    }
    if parsed.has(b'C') && parsed.has(b'p') {
        return Err(Unsupported::mistake("-C with -p"));
    }
    if cfg!(not(unix)) && (parsed.has(b'o') || parsed.has(b'g')) {
        return Err(Unsupported::new("owners on this system"));
    }
    let id = |letter: u8, what: &str, known: fn(&[u8]) -> Option<u32>| {
        let Some(name) = parsed.last(letter) else { return Ok(None) };
        let number = || std::str::from_utf8(name).ok()?.parse::<u32>().ok().filter(|id| *id != u32::MAX);
        known(name)
            .or_else(number)
            .map(Some)
            .ok_or_else(|| Unsupported::mistake(format!("the {what} {}", name.escape_ascii())))
    };
    let user = id(b'o', "owner", |name| system::user_ids(name).map(|(user, _)| user))?;
    let owner = (user, id(b'g', "group", system::group_id)?);
    Ok(Command { parsed, modes, backups, owner })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let Command { parsed, modes, backups, owner } = command;
    if parsed.operands.is_empty() {
        return running.usage(b"missing file operand");
    }
    let verbose = parsed.has(b'v');
    let mut status = 0;
    if parsed.has(b'd') {
        for &operand in &parsed.operands {
            running.check()?;
            let is_made = directories(running, operand, Some(modes.1), verbose)?;
            if !is_made || !owned(running, operand, owner)? {
                status = 1;
            }
        }
        return Ok(status);
    }
    let target = match target(running, &parsed)? {
        Ok(target) => target,
        Err(status) => return Ok(status),
    };
    for &source in parsed.operands.iter().take(target.1) {
        running.check()?;
        let destination = match &target.0 {
            Target::File(name) => name.clone(),
            Target::Directory(directory) => join(directory, base_name(source)),
        };
        if parsed.has(b'C') && is_installed(running, source, &destination, modes.0, owner)? {
            continue;
        }
        let is_made = file(running, source, &destination, modes.0, &parsed, backups.as_ref())?;
        if !is_made || !owned(running, &destination, owner)? {
            status = 1;
        }
    }
    Ok(status)
}

/// Gives what was made to whom it is to belong.
fn owned(running: &Running<'_>, name: &[u8], (user, group): (Option<u32>, Option<u32>)) -> Result<bool, Failure> {
    if user.is_none() && group.is_none() {
        return Ok(true);
    }
    let place = at::Place::at(running.path(name));
    if let Err(error) = place.pin(false).and_then(|file| file.set_owner(user, group)) {
        running.report_error_of("cannot change ownership of", name, &error)?;
        return Ok(false);
    }
    Ok(true)
}

/// Is there such a file already, with these contents, this mode and this owner (`-C`)?
fn is_installed(
    running: &Running<'_>,
    source: &[u8],
    destination: &[u8],
    mode: u32,
    (user, group): (Option<u32>, Option<u32>),
) -> Result<bool, Failure> {
    let (from, to) = (running.path(source), running.path(destination));
    let (Ok(new), Ok(there)) = (from.metadata(), to.symlink_metadata()) else { return Ok(false) };
    if is_device(running, source) || !new.is_file() || !there.is_file() || new.len() != there.len() {
        return Ok(false);
    }
    let (stat, ids) = (FileStat::of(&there), system::ids());
    let is_owned = cfg!(not(unix)) || stat.uid == user.unwrap_or(ids.euid) && stat.gid == group.unwrap_or(ids.egid);
    let has_mode = cfg!(not(unix)) || stat.mode & 0o7777 == mode;
    if !is_owned || !has_mode {
        return Ok(false);
    }
    let opened = |path: &Path| running.open_as(path, Opening::to_read());
    let (Ok(mut one), Ok(mut other)) = (opened(&from), opened(&to)) else { return Ok(false) };
    let (mut left, mut right) = (vec![0; BUFFER], vec![0; BUFFER]);
    loop {
        running.check()?;
        let (Ok(count), Ok(same)) = (fill(&mut one, &mut left), fill(&mut other, &mut right)) else { return Ok(false) };
        if left.get(..count) != right.get(..same) {
            return Ok(false);
        }
        if count == 0 {
            return Ok(true);
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read(room) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Where the files go, and how many of the operands are sources.
fn target(running: &Running<'_>, parsed: &Parsed<'_>) -> Result<Result<(Target, usize), u8>, Failure> {
    let count = parsed.operands.len();
    let makes = parsed.has(b'D');
    if let Some(directory) = parsed.last(b't') {
        let metadata = running.path(directory).metadata();
        if makes && metadata.is_err() && !directories(running, directory, None, parsed.has(b'v'))? {
            return Ok(Err(1));
        }
        return match running.path(directory).metadata() {
            Ok(metadata) if metadata.is_dir() => Ok(Ok((Target::Directory(directory.to_vec()), count))),
            found => {
                let error = found.err().unwrap_or_else(|| ErrorKind::NotADirectory.into());
                running.report_error_of("failed to access", directory, &error)?;
                Ok(Err(1))
            }
        };
    }
    let Some(&last) = parsed.operands.last() else { return Ok(Err(1)) };
    if count == 1 {
        let text = [&b"missing destination file operand after "[..], &quote::always(last)].concat();
        return running.usage(&text).map(Err);
    }
    let metadata = running.path(last).metadata();
    let is_dir = !last.is_empty() && metadata.as_ref().is_ok_and(fs::Metadata::is_dir);
    if parsed.has(b'T') || (count == 2 && !is_dir) {
        if count > 2 {
            let text = [&b"extra operand "[..], &quote::always(last)].concat();
            return running.usage(&text).map(Err);
        }
        if makes
            && let Some(at) = last.iter().rposition(|byte| *byte == b'/')
            && at > 0
            && !directories(running, last.get(..at).unwrap_or_default(), None, parsed.has(b'v'))?
        {
            return Ok(Err(1));
        }
        return Ok(Ok((Target::File(last.to_vec()), 1)));
    }
    if !is_dir {
        let error = metadata.err().unwrap_or_else(|| ErrorKind::NotADirectory.into());
        running.report_error_of("target", last, &error)?;
        return Ok(Err(1));
    }
    Ok(Ok((Target::Directory(last.to_vec()), count - 1)))
}

/// Makes a directory and those that lead to it; the last one gets the mode, also when it was there.
fn directories(running: &Running<'_>, name: &[u8], mode: Option<u32>, verbose: bool) -> Result<bool, Failure> {
    let mut ends: Vec<usize> = (1..name.len()).filter(|at| name.get(*at) == Some(&b'/')).collect();
    ends.push(name.len());
    for &end in &ends {
        let part = name.get(..end).unwrap_or_default();
        if part.ends_with(b"/") || (cfg!(windows) && part.ends_with(b":")) {
            continue;
        }
        let is_last = end == name.len() || name.get(end..).unwrap_or_default().iter().all(|byte| *byte == b'/');
        let shown = if is_last { name } else { part };
        let path = running.path(part);
        let made = if part.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if path.is_dir() {
            if let (true, Some(mode)) = (is_last, mode) { set_directory_mode(&path, mode) } else { Ok(()) }
        } else {
            // Those that lead to it do not depend on the umask.
            let mode = mode.filter(|_| is_last);
            let made = create_dir_exactly(&path, Some(mode.unwrap_or(0o755)), mode.is_some());
            if made.is_ok() && verbose {
                running.write(&[&b"install: creating directory "[..], &quote::always(shown), b"\n"].concat())?;
            }
            made
        };
        if let Err(error) = made {
            running.report_error_of("cannot create directory", part, &error)?;
            return Ok(false);
        }
    }
    Ok(true)
}

fn file(
    running: &Running<'_>,
    source: &[u8],
    destination: &[u8],
    mode: u32,
    parsed: &Parsed<'_>,
    backups: Option<&Backups>,
) -> Result<bool, Failure> {
    let (from, to) = (running.path(source), running.path(destination));
    if is_device(running, source) {
        return stream(running, source, destination, mode, backups);
    }
    let metadata = match from.metadata() {
        _ if source.is_empty() => Err(ErrorKind::NotFound.into()),
        found => found,
    };
    let metadata = match metadata {
        Ok(metadata) => metadata,
        Err(error) => {
            running.report_error_of("cannot stat", source, &error)?;
            return Ok(false);
        }
    };
    if metadata.is_dir() {
        running.message(&[&b"omitting directory "[..], &quote::always(source)].concat())?;
        return Ok(false);
    }
    let there = to.symlink_metadata().ok();
    if there.is_some() && from.canonicalize().ok() == to.canonicalize().ok() && to.exists() {
        let text = [&quote::always(source)[..], b" and ", &quote::always(destination), b" are the same file"].concat();
        running.message(&text)?;
        return Ok(false);
    }
    if there.as_ref().is_some_and(fs::Metadata::is_dir) {
        let text = [&b"cannot overwrite directory "[..], &quote::always(destination), b" with non-directory"];
        running.message(&text.concat())?;
        return Ok(false);
    }
    let mut input = match running.open_as(&from, Opening::to_read()) {
        Ok(input) => input,
        Err(error) => {
            running.report_error(&[&b"cannot open "[..], &quote::always(source), b" for reading"].concat(), &error)?;
            return Ok(false);
        }
    };
    let mut backup = Vec::new();
    if let Some(backups) = backups.filter(|_| there.is_some()) {
        match backups.make(running, destination) {
            Ok(Some(name)) => backup = [b" (backup: ", &quote::always(&name)[..], b")"].concat(),
            Ok(None) => {}
            Err(error) => {
                running.report_error_of("cannot backup", destination, &error)?;
                return Ok(false);
            }
        }
    } else if there.is_some() {
        if let Err(error) = fs::remove_file(&to) {
            running.report_error_of("cannot remove", destination, &error)?;
            return Ok(false);
        }
        if parsed.has(b'v') {
            running.write(&[&b"removed "[..], &quote::always(destination), b"\n"].concat())?;
        }
    }
    let created = if destination.is_empty() { Err(ErrorKind::NotFound.into()) } else { create(running, &to, mode) };
    let mut output = match created {
        Ok(output) => output,
        Err(error) => {
            running.report_error_of("cannot create regular file", destination, &error)?;
            return Ok(false);
        }
    };
    if parsed.has(b'v') {
        let line = [&quote::always(source)[..], b" -> ", &quote::always(destination), &backup, b"\n"].concat();
        running.write(&line)?;
    }
    if let Err(error) = copy(running, &mut input, &mut output)? {
        running.report_error_of("error writing", destination, &error)?;
        return Ok(false);
    }
    if parsed.has(b'p')
        && let (Ok(accessed), Ok(modified)) = (metadata.accessed(), metadata.modified())
    {
        let _ = output.set_times(fs::FileTimes::new().set_accessed(accessed).set_modified(modified));
    }
    finish(running, &output, destination, mode)
}

/// Gives the file that was written its mode, whatever its name leads to by now.
fn finish(running: &Running<'_>, output: &File, destination: &[u8], mode: u32) -> Result<bool, Failure> {
    if let Err(error) = at::set_mode(output, mode) {
        running.report_error_of("cannot change permissions of", destination, &error)?;
        return Ok(false);
    }
    Ok(true)
}

/// Copies what one of the script's descriptors gives.
fn stream(
    running: &Running<'_>,
    source: &[u8],
    destination: &[u8],
    mode: u32,
    backups: Option<&Backups>,
) -> Result<bool, Failure> {
    let to = running.path(destination);
    let input = match running.open_file(source)? {
        Ok(input) => input,
        Err(error) => {
            running.report_error(&[&b"cannot open "[..], &quote::always(source), b" for reading"].concat(), &error)?;
            return Ok(false);
        }
    };
    // As any other file it is a new one.
    if to.symlink_metadata().is_ok_and(|there| !there.is_dir()) {
        let done = match backups {
            Some(backups) => backups.make(running, destination).map(drop),
            None => fs::remove_file(&to),
        };
        if let Err(error) = done {
            let doing = if backups.is_some() { "cannot backup" } else { "cannot remove" };
            running.report_error_of(doing, destination, &error)?;
            return Ok(false);
        }
    }
    let mut output = match create(running, &to, mode) {
        Ok(output) => output,
        Err(error) => {
            running.report_error_of("cannot create regular file", destination, &error)?;
            return Ok(false);
        }
    };
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = match running.read(&input, &mut buffer)? {
            Ok(0) => return finish(running, &output, destination, mode),
            Ok(count) => count,
            Err(error) => {
                running.report_error_of("error reading", source, &error)?;
                return Ok(false);
            }
        };
        if let Err(error) = output.write_all(buffer.get(..count).unwrap_or_default()) {
            running.report_error_of("error writing", destination, &error)?;
            return Ok(false);
        }
    }
}

fn copy(running: &Running<'_>, input: &mut File, output: &mut File) -> Result<io::Result<()>, Failure> {
    let mut buffer = vec![0; BUFFER];
    loop {
        running.check()?;
        match input.read(&mut buffer) {
            Ok(0) => return Ok(Ok(())),
            Ok(count) => {
                if let Err(error) = output.write_all(buffer.get(..count).unwrap_or_default()) {
                    return Ok(Err(error));
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// Only for us until it has its mode, and never with more than that.
fn create(running: &Running<'_>, path: &Path, mode: u32) -> io::Result<File> {
    let opening = Opening { create_new: true, mode: mode & 0o600, ..Opening::to_write() };
    running.opening(opening).open_for(path, running.context().cwd)?.file()
}
