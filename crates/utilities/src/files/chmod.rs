//! `chmod`: change file modes.

use std::fs::Metadata;
use std::io;
use std::path::Path;

use hookshell_shell::{Args, Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use super::mode_change::ModeChange;
use super::stat_of::FileStat;
use crate::io::{Failure, Running};
use crate::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use crate::quote;

/// `chmod [-Rcfv] MODE FILE…`, `chmod --reference=FILE FILE…` (XCU `chmod`, GNU's additions).
///
/// Windows has the owner's write permission only, as the read-only attribute.
pub(crate) struct Chmod;

const REFERENCE: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] = &[
    flag(b'R', "recursive"),
    flag(b'c', "changes"),
    flag(b'f', "silent"),
    flag(b'f', "quiet"),
    flag(b'v', "verbose"),
    value(REFERENCE, "reference"),
];

struct Command {
    /// Missing where a file gives it.
    change: Option<ModeChange>,
    /// A mode that looks like an option: what the umask keeps from happening is an error.
    is_option: bool,
    /// The words without such a mode.
    argv: Args,
}

fn read(argv: &Args) -> Result<Command, Unsupported> {
    let mut words = Args::new();
    let mut option = None;
    // Behind `--` a mode is an operand like any other.
    let end = argv.iter().position(|word| word == b"--").unwrap_or(usize::MAX);
    for (index, word) in argv.iter().enumerate() {
        let is_mode = (1..end).contains(&index)
            && word.len() > 1
            && word.first() == Some(&b'-')
            && word.iter().skip(1).all(|byte| b"rwxXstugoa=+-,01234567".contains(byte));
        if !is_mode {
            words.push(word);
        } else if option.replace(word).is_some() {
            return Err(Unsupported::new("so many modes"));
        }
    }
    let parsed = parse(&words, OPTIONS)?;
    if option.is_some() && parsed.has(REFERENCE) {
        return Err(Unsupported::new("such a mode there"));
    }
    let text = option.or_else(|| parsed.operands.first().copied());
    let change = match (parsed.has(REFERENCE), text) {
        (false, Some(text)) => {
            let change = ModeChange::parse(text);
            Some(change.ok_or_else(|| Unsupported::mistake(format!("the mode {}", text.escape_ascii())))?)
        }
        _ => None,
    };
    drop(parsed);
    let is_option = option.is_some();
    Ok(Command { change, is_option, argv: words })
}

impl Utility for Chmod {
    fn name(&self) -> &'static str {
        "chmod"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(call.argv).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.name(), context, |call| read(call.argv), run)
    }
}

struct Chmodding<'r, 'a> {
    running: &'r Running<'a>,
    parsed: &'r Parsed<'r>,
    change: ModeChange,
    is_option: bool,
    umask: u32,
    failed: bool,
}

fn run(running: &Running<'_>, command: Command) -> Result<u8, Failure> {
    let Ok(parsed) = parse(&command.argv, OPTIONS) else { return Ok(1) };
    let has_own_mode = command.is_option || parsed.has(REFERENCE);
    let files = if has_own_mode { &parsed.operands[..] } else { parsed.operands.get(1..).unwrap_or_default() };
    if files.is_empty() {
        return match parsed.operands.first().filter(|_| !has_own_mode) {
            Some(mode) => running.usage(&[&b"missing operand after "[..], &quote::locale(mode)].concat()),
            None => running.usage(b"missing operand"),
        };
    }
    let change = match (command.change, parsed.last(REFERENCE)) {
        (_, Some(reference)) => match running.path(reference).metadata() {
            Ok(metadata) => ModeChange::Absolute(FileStat::of(&metadata).mode & 0o7777, 5),
            Err(error) => {
                running.failed_to("failed to get attributes of", reference, &error)?;
                return Ok(1);
            }
        },
        (Some(change), None) => change,
        (None, None) => return Ok(1),
    };
    let umask = running.context().umask.or_else(hookshell_process::system::host_umask).unwrap_or(0o022);
    let mut chmod = Chmodding { running, parsed: &parsed, change, is_option: command.is_option, umask, failed: false };
    for &file in files {
        chmod.operand(file)?;
    }
    Ok(u8::from(chmod.failed))
}

fn permissions_text(mode: u32) -> Vec<u8> {
    let stat = FileStat { mode, ..EMPTY };
    stat.mode_text().get(1..).unwrap_or_default().to_vec()
}

/// `mode of 'f' changed from 0644 (rw-r--r--) to 0755 (rwxr-xr-x)`
fn change_text(before: &str, name: &[u8], how: &str, old: u32, new: u32) -> Vec<u8> {
    [
        before.as_bytes(),
        &quote::always(name),
        format!("{how} {:04o} (", old & 0o7777).as_bytes(),
        &permissions_text(old),
        format!(") to {new:04o} (").as_bytes(),
        &permissions_text(new),
        b")\n",
    ]
    .concat()
}

const EMPTY: FileStat = FileStat {
    device: 0,
    inode: 0,
    mode: 0,
    links: 0,
    uid: 0,
    gid: 0,
    rdev: 0,
    size: 0,
    block_size: 0,
    blocks: 0,
    accessed: (0, 0),
    modified: (0, 0),
    changed: (0, 0),
};

impl Chmodding<'_, '_> {
    fn complain(&mut self, doing: &str, name: &[u8], error: &io::Error) -> Result<(), Failure> {
        self.failed = true;
        if !self.parsed.has(b'f') {
            self.running.failed_to(doing, name, error)?;
        }
        Ok(())
    }

    /// Is said what became of a file? Of `-c` and `-v` the last one counts.
    fn tells(&self, has_changed: bool) -> bool {
        let last = self.parsed.options.iter().rev().find(|(option, _)| matches!(option, b'c' | b'v'));
        last.is_some_and(|(option, _)| *option == b'v' || has_changed)
    }

    fn operand(&mut self, file: &[u8]) -> Result<(), Failure> {
        self.running.check()?;
        let path = self.running.path(file);
        let metadata = if file.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { path.metadata() };
        let is_folder = match metadata {
            Ok(metadata) => {
                self.one(file, &path, &metadata)?;
                metadata.is_dir()
            }
            Err(error) => {
                let is_dangling = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
                if is_dangling && error.kind() == io::ErrorKind::NotFound {
                    self.failed = true;
                    if !self.parsed.has(b'f') {
                        let text = [&b"cannot operate on dangling symlink "[..], &quote::always(file)];
                        self.running.message(&text.concat())?;
                    }
                } else {
                    self.complain("cannot access", file, &error)?;
                }
                if self.tells(false) {
                    self.running.write(&[&quote::always(file)[..], b" could not be accessed\n"].concat())?;
                }
                false
            }
        };
        if is_folder && self.parsed.has(b'R') {
            self.below(file, &path)?;
        }
        Ok(())
    }

    /// All that is below a directory, to which a link may lead; links below it stay as they are.
    fn below(&mut self, name: &[u8], path: &Path) -> Result<(), Failure> {
        let mut stack = vec![(name.to_vec(), path.to_path_buf())];
        let mut is_first = true;
        while let Some((name, path)) = stack.pop() {
            self.running.check()?;
            // One that has become a link meanwhile is not followed.
            if !std::mem::take(&mut is_first) && !path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                continue;
            }
            let entries = match std::fs::read_dir(&path) {
                Ok(entries) => entries,
                Err(error) => {
                    self.complain("cannot read directory", &name, &error)?;
                    continue;
                }
            };
            for entry in entries.flatten() {
                let mut shown = name.clone();
                if shown.last() != Some(&b'/') {
                    shown.push(b'/');
                }
                shown.extend_from_slice(&hookshell_process::text::from_os(&entry.file_name()));
                match entry.metadata() {
                    Ok(metadata) if metadata.is_symlink() => {
                        if self.tells(false) {
                            let text = [
                                &b"neither symbolic link "[..],
                                &quote::always(&shown),
                                b" nor referent has been changed\n",
                            ];
                            self.running.write(&text.concat())?;
                        }
                    }
                    Ok(metadata) => {
                        self.one(&shown, &entry.path(), &metadata)?;
                        if metadata.is_dir() {
                            stack.push((shown, entry.path()));
                        }
                    }
                    Err(error) => self.complain("cannot access", &shown, &error)?,
                }
            }
        }
        Ok(())
    }

    fn one(&mut self, name: &[u8], path: &Path, metadata: &Metadata) -> Result<(), Failure> {
        let old = FileStat::of(metadata).mode;
        let (new, _) = self.change.apply(old, metadata.is_dir(), self.umask);
        if let Err(error) = set_mode(path, metadata, new) {
            self.complain("changing permissions of", name, &error)?;
            return match self.tells(false) {
                true => Ok(self.running.write(&change_text("failed to change mode of ", name, " from", old, new))?),
                false => Ok(()),
            };
        }
        let has_changed = old & 0o7777 != new;
        if self.tells(has_changed) {
            let text = if has_changed {
                change_text("mode of ", name, " changed from", old, new)
            } else {
                let retained = format!(" retained as {new:04o} (");
                [&b"mode of "[..], &quote::always(name), retained.as_bytes(), &permissions_text(new), b")\n"].concat()
            };
            self.running.write(&text)?;
        }
        if self.is_option {
            let (expected, _) = self.change.apply(old, metadata.is_dir(), 0);
            if new & !expected != 0 {
                self.failed = true;
                let text = [
                    &quote::if_needed(name)[..],
                    b": new permissions are ",
                    &permissions_text(new),
                    b", not ",
                    &permissions_text(expected),
                ];
                self.running.message(&text.concat())?;
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, _: &Metadata, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(path: &Path, metadata: &Metadata, mode: u32) -> io::Result<()> {
    let mut permissions = metadata.permissions();
    let readonly = mode & 0o200 == 0;
    if metadata.is_dir() || permissions.readonly() == readonly {
        return Ok(());
    }
    permissions.set_readonly(readonly);
    std::fs::set_permissions(path, permissions)
}
