//! `chmod`: change file modes.

use std::io;

use hookshell_files::at::{Pinned, Place};
use hookshell_files::file_stat::FileStat;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Args, Prepared, Unsupported, Utility, UtilityCall};

use super::levels::{Levels, Step, list, tell_kept_root};
use super::mode_change::ModeChange;

/// `chmod [-Rcfv] MODE FILE…`, `chmod --reference=FILE FILE…` (XCU `chmod`, GNU's additions).
///
/// Windows has the owner's write permission only, as the read-only attribute.
pub(crate) struct Chmod;

const REFERENCE: u8 = LONG_ONLY;
const PRESERVE_ROOT: u8 = LONG_ONLY + 1;
const NO_PRESERVE_ROOT: u8 = LONG_ONLY + 2;
const OPTIONS: &[OptionSpec] = &[
    flag(b'R', "recursive"),
    flag(b'c', "changes"),
    flag(b'f', "silent"),
    flag(b'f', "quiet"),
    flag(b'v', "verbose"),
    value(REFERENCE, "reference"),
    flag(PRESERVE_ROOT, "preserve-root"),
    flag(NO_PRESERVE_ROOT, "no-preserve-root"),
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
    // After `--` a mode is an operand like any other.
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

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| read(call.argv), run)
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
                running.report_error_of("failed to get attributes of", reference, &error)?;
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
    let stat = FileStat { mode, ..FileStat::default() };
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

impl Chmodding<'_, '_> {
    fn complain(&mut self, doing: &str, name: &[u8], error: &io::Error) -> Result<(), Failure> {
        self.failed = true;
        if !self.parsed.has(b'f') {
            self.running.report_error_of(doing, name, error)?;
        }
        Ok(())
    }

    /// Is it said what was done to a file? Of `-c` and `-v` the last one counts.
    fn is_verbose(&self, has_changed: bool) -> bool {
        let last = self.parsed.options.iter().rev().find(|(option, _)| matches!(option, b'c' | b'v'));
        last.is_some_and(|(option, _)| *option == b'v' || has_changed)
    }

    /// Is it `/`, which `--preserve-root` keeps from `-R`?
    fn is_kept_root(&self, stat: &FileStat) -> bool {
        let is_asked = |option: &u8| matches!(*option, PRESERVE_ROOT | NO_PRESERVE_ROOT);
        let last = self.parsed.options.iter().rev().map(|(option, _)| *option).find(is_asked);
        let root =
            || Place::at("/".into()).stat().is_ok_and(|root| (root.device, root.inode) == (stat.device, stat.inode));
        last == Some(PRESERVE_ROOT) && self.parsed.has(b'R') && cfg!(unix) && root()
    }

    fn operand(&mut self, file: &[u8]) -> Result<(), Failure> {
        self.running.check()?;
        let place = Place::at(self.running.path(file));
        let pinned = if file.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { place.pin(true) };
        match pinned {
            Ok(pinned) if self.is_kept_root(&pinned.stat) => {
                self.failed = true;
                tell_kept_root(self.running, file)?;
            }
            Ok(pinned) => {
                self.change_one(file, &pinned)?;
                if pinned.stat.is_dir() && self.parsed.has(b'R') {
                    self.below(file, &place, &pinned.stat)?;
                }
            }
            Err(error) => {
                let is_dangling = place.lstat().is_ok_and(|stat| stat.is_link());
                if is_dangling && error.kind() == io::ErrorKind::NotFound {
                    self.failed = true;
                    if !self.parsed.has(b'f') {
                        let text = [&b"cannot operate on dangling symlink "[..], &quote::always(file)];
                        self.running.message(&text.concat())?;
                    }
                } else {
                    self.complain("cannot access", file, &error)?;
                }
                if self.is_verbose(false) {
                    self.running.write(&[&quote::always(file)[..], b" could not be accessed\n"].concat())?;
                }
            }
        }
        Ok(())
    }

    /// All that is below a directory, to which a link may lead; links below it stay as they are. What was looked at is what is
    /// changed and entered, whatever its name leads to by then.
    fn below(&mut self, name: &[u8], place: &Place, stat: &FileStat) -> Result<(), Failure> {
        let mut levels = Levels::new(name);
        self.enter(&mut levels, place, true, stat)?;
        while let Some(step) = levels.next() {
            self.running.check()?;
            let Step::Entry(place) = step else { continue };
            let pinned = match place.pin(false) {
                Ok(pinned) => pinned,
                Err(error) => {
                    self.complain("cannot access", levels.shown(), &error)?;
                    continue;
                }
            };
            if pinned.stat.is_link() {
                if self.is_verbose(false) {
                    let name = quote::always(levels.shown());
                    let text = [&b"neither symbolic link "[..], &name, b" nor referent has been changed\n"];
                    self.running.write(&text.concat())?;
                }
                continue;
            }
            self.change_one(levels.shown(), &pinned)?;
            if pinned.stat.is_dir() {
                self.enter(&mut levels, &place, false, &pinned.stat)?;
            }
        }
        Ok(())
    }

    /// Goes into the directory that was changed, where it can be listed.
    fn enter(&mut self, levels: &mut Levels<()>, place: &Place, follows: bool, stat: &FileStat) -> Result<(), Failure> {
        match list(place, follows, stat) {
            Ok(listed) => levels.enter(listed, ()),
            Err(error) => self.complain("cannot read directory", levels.shown(), &error)?,
        }
        Ok(())
    }

    fn change_one(&mut self, name: &[u8], file: &Pinned) -> Result<(), Failure> {
        let (old, is_dir) = (file.stat.mode, file.stat.is_dir());
        let (new, _) = self.change.apply(old, is_dir, self.umask);
        if let Err(error) = file.set_mode(new) {
            self.complain("changing permissions of", name, &error)?;
            return match self.is_verbose(false) {
                true => Ok(self.running.write(&change_text("failed to change mode of ", name, " from", old, new))?),
                false => Ok(()),
            };
        }
        let has_changed = old & 0o7777 != new;
        if self.is_verbose(has_changed) {
            let text = if has_changed {
                change_text("mode of ", name, " changed from", old, new)
            } else {
                let retained = format!(" retained as {new:04o} (");
                [&b"mode of "[..], &quote::always(name), retained.as_bytes(), &permissions_text(new), b")\n"].concat()
            };
            self.running.write(&text)?;
        }
        if self.is_option {
            let (expected, _) = self.change.apply(old, is_dir, 0);
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
