//! `du`: how much room files take.

use std::collections::HashSet;
use std::io;

use hookshell_files::at::{Dir, Listed, Place, Way};
use hookshell_files::file_stat::FileStat;
use hookshell_process::text;
use hookshell_text::pattern::{Options, matches};
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, PER_LINE, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, choice, flag, optional, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::zone::Zone;
use hookshell_utility::{Unsupported, UtilityCall};

use super::ls::Unit;
use crate::date::{Moment, check_format, format};
use crate::files0::{fault, names_from};

utility! {
    /// `du [-abcDhklLmsSx0] [-B SIZE] [-d DEPTH] [-t SIZE] [--apparent-size] [--exclude=PATTERN] [--inodes] [--si] [--files0-from=FILE | FILE…]` (XCU `du`,
    /// GNU's additions, with `-X FILE`, `--time[=WORD]` and `--time-style=STYLE`). Block sizes in the environment are the real program's.
    Du, "du"
}

const APPARENT: u8 = LONG_ONLY;
const FILES_FROM: u8 = LONG_ONLY + 1;
const EXCLUDE: u8 = LONG_ONLY + 2;
const INODES: u8 = LONG_ONLY + 3;
const SI: u8 = LONG_ONLY + 4;
const TIME: u8 = LONG_ONLY + 5;
const TIME_STYLE: u8 = LONG_ONLY + 6;
const OPTIONS: &[OptionSpec] = &[
    flag(b'a', "all"),
    flag(b'b', "bytes"),
    flag(b'c', "total"),
    flag(b'h', "human-readable"),
    flag(b'k', ""),
    flag(b'l', "count-links"),
    flag(b'm', ""),
    flag(b's', "summarize"),
    flag(b'S', "separate-dirs"),
    flag(b'x', "one-file-system"),
    flag(b'0', "null"),
    value(b'd', "max-depth"),
    flag(APPARENT, "apparent-size"),
    value(FILES_FROM, "files0-from"),
    flag(b'P', "no-dereference"),
    flag(b'L', "dereference"),
    flag(b'D', "dereference-args"),
    flag(b'H', ""),
    value(b'B', "block-size"),
    value(b't', "threshold"),
    value(EXCLUDE, "exclude"),
    flag(INODES, "inodes"),
    flag(SI, "si"),
    value(b'X', "exclude-from"),
    optional(TIME, "time"),
    value(TIME_STYLE, "time-style"),
];

/// What is left out by its size, or by its number of inodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Threshold {
    AtLeast(u64),
    AtMost(u64),
}

struct Command<'a> {
    parsed: Parsed<'a>,
    unit: Unit,
    depth: usize,
    threshold: Threshold,
    /// An operand that is a link is what it leads to.
    follows_operands: bool,
    /// So is any other link.
    follows_all: bool,
    /// The time that is shown.
    time: Option<(WhichTime, Vec<u8>, Zone)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhichTime {
    Modified,
    Accessed,
    Changed,
}

const TIMES: &[(&str, WhichTime)] = &[
    ("atime", WhichTime::Accessed),
    ("access", WhichTime::Accessed),
    ("use", WhichTime::Accessed),
    ("ctime", WhichTime::Changed),
    ("status", WhichTime::Changed),
];

const STYLES: &[(&str, &str)] =
    &[("full-iso", "%Y-%m-%d %H:%M:%S.%N %z"), ("long-iso", "%Y-%m-%d %H:%M"), ("iso", "%Y-%m-%d")];

/// Bytes, or inodes, and the latest time of all that they are of.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    count: u64,
    latest: Option<(i64, u32)>,
}

impl std::ops::AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.latest = self.latest.max(other.latest);
    }
}

/// The value of `-t`.
fn threshold(text: &[u8]) -> Result<Threshold, Unsupported> {
    let unsupported = || Unsupported::mistake(format!("the size {}", text.escape_ascii()));
    let (is_most, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if !digits.first().is_some_and(u8::is_ascii_digit) || digits.starts_with(b"0") && digits != b"0" {
        return Err(unsupported());
    }
    match (Unit::read(digits), is_most) {
        (None, false) if digits == b"0" => Ok(Threshold::AtLeast(0)),
        (Some(Unit::Of(size, _)), false) => Ok(Threshold::AtLeast(size)),
        (Some(Unit::Of(size, _)), true) => Ok(Threshold::AtMost(size)),
        _ => Err(unsupported()),
    }
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let variables = ["DU_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE", "POSIXLY_CORRECT"];
    if let Some((name, _)) = call.env.iter().find(|(name, _)| variables.iter().any(|known| name == known)) {
        return Err(Unsupported::new(format!("{} in the environment", name.display())));
    }
    let mut unit = Unit::Of(1024, "");
    let mut limit = Threshold::AtLeast(0);
    let (mut follows_operands, mut follows_all) = (false, false);
    for (option, text) in &parsed.options {
        match *option {
            b'b' => unit = Unit::Of(1, ""),
            b'k' => unit = Unit::Of(1024, ""),
            b'm' => unit = Unit::Of(1024 * 1024, ""),
            b'h' => unit = Unit::Human(1024),
            SI => unit = Unit::Human(1000),
            b'B' => {
                let unsupported = || Unsupported::mistake(format!("the block size {}", text.escape_ascii()));
                unit = Unit::read(text).ok_or_else(unsupported)?;
            }
            b't' => limit = threshold(text)?,
            b'D' | b'H' => (follows_operands, follows_all) = (true, false),
            b'L' => (follows_operands, follows_all) = (true, true),
            b'P' => (follows_operands, follows_all) = (false, false),
            _ => {}
        }
    }
    if parsed.has(INODES) {
        if parsed.has(b'b') || parsed.has(APPARENT) {
            return Err(Unsupported::new("--inodes with -b or --apparent-size"));
        }
        if let Unit::Of(..) = unit {
            unit = Unit::Of(1, "");
        }
    }
    let mut depth = usize::MAX;
    if let Some(text) = parsed.last(b'd') {
        let digits = !text.is_empty() && text.len() < 10 && text.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(text).ok().filter(|_| digits).and_then(|text| text.parse().ok());
        depth = number.ok_or_else(|| Unsupported::mistake(format!("the depth {}", text.escape_ascii())))?;
    }
    if parsed.has(b's') && (parsed.has(b'a') || parsed.last(b'd').is_some()) {
        return Err(Unsupported::new("these options together"));
    }
    if parsed.has(b's') {
        depth = 0;
    }
    let mut time = None;
    if let Some(word) = parsed.last(TIME) {
        let wrong = |text: &[u8]| Unsupported::mistake(format!("the value {}", text.escape_ascii()));
        let which = if word.is_empty() { Some(WhichTime::Modified) } else { choice(word, TIMES) };
        let of_environment =
            call.env.iter().find(|(name, _)| name == "TIME_STYLE").map(|(_, style)| text::from_os(style));
        let of_environment = of_environment.as_deref().filter(|style| *style != b"locale");
        let of_environment = of_environment.map(|style| style.strip_prefix(b"posix-").unwrap_or(style));
        let format = match parsed.last(TIME_STYLE).or(of_environment) {
            None => b"%Y-%m-%d %H:%M".to_vec(),
            Some([b'+', format @ ..]) => format.split(|byte| *byte == b'\n').next().unwrap_or_default().to_vec(),
            Some(style) => choice(style, STYLES).ok_or_else(|| wrong(style))?.as_bytes().to_vec(),
        };
        check_format(&format)?;
        time = Some((which.ok_or_else(|| wrong(word))?, format, Zone::of(call.env)?));
    }
    Ok(Command { parsed, unit, depth, threshold: limit, follows_operands, follows_all, time })
}

/// A directory that is being walked.
struct Frame {
    id: (u64, u64),
    /// How much of the walk's name is this one's.
    shown_length: usize,
    /// `None`: it cannot be read.
    directory: Option<Dir>,
    /// In reverse.
    entries: Vec<Listed>,
    /// Of the directory itself and the files in it.
    own: Sum,
    /// Of the directories in it, with all that is below.
    below: Sum,
}

struct Walk<'r, 'a> {
    running: &'r Running<'a>,
    out: Output<'r, 'a>,
    command: Command<'r>,
    seen: HashSet<(u64, u64)>,
    /// All files are remembered, not only those with several links.
    remembers_all: bool,
    total: Sum,
    /// The patterns of the files of `-X`.
    patterns: Vec<Vec<u8>>,
    status: u8,
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let from = command.parsed.last(FILES_FROM);
    let names;
    let operands: Vec<&[u8]> = match from {
        Some(from) => {
            let Ok(found) = names_from(running, from, command.parsed.operands.first().copied())? else {
                return Ok(1);
            };
            names = found;
            names.iter().map(|name| &name[..]).collect()
        }
        None if command.parsed.operands.is_empty() => vec![b"."],
        None => command.parsed.operands.clone(),
    };
    let mut patterns = Vec::new();
    for (_, file) in command.parsed.options.iter().filter(|(option, _)| *option == b'X') {
        if !patterns_of(running, file, &mut patterns)? {
            return Ok(1);
        }
    }
    let mut walk = Walk {
        running,
        out: Output::new(running),
        remembers_all: operands.len() > 1 || from.is_some() || command.follows_all,
        command,
        seen: HashSet::new(),
        total: Sum::default(),
        patterns,
        status: 0,
    };
    for (at, operand) in operands.into_iter().enumerate() {
        if let Some(text) = from.and_then(|from| fault(from, at, operand)) {
            walk.out.flush()?;
            running.message(&text)?;
            walk.status = 1;
            continue;
        }
        if operand.is_empty() {
            walk.out.flush()?;
            running.message(b"invalid zero-length file name")?;
            walk.status = 1;
            continue;
        }
        walk.tree(operand)?;
    }
    if walk.command.parsed.has(b'c') {
        walk.line(walk.total, b"total")?;
    }
    walk.out.flush()?;
    Ok(walk.status)
}

/// Adds the lines of a file; `false`: it cannot be read.
fn patterns_of(running: &Running<'_>, file: &[u8], out: &mut Vec<Vec<u8>>) -> Result<bool, Failure> {
    let source = match running.open(file)? {
        Ok(source) => source,
        Err(error) => {
            running.report_error(&quote::if_needed(file), &error)?;
            return Ok(false);
        }
    };
    let mut input = Input::new(source);
    let mut kept = running.keep();
    let mut size = 0;
    while let Some(line) = input.text(running, b'\n')? {
        size += line.len() + PER_LINE;
        out.push(line.to_vec());
        kept.set(size)?;
    }
    match &input.error {
        None => Ok(true),
        Some(error) => {
            running.report_error(&quote::if_needed(file), error)?;
            Ok(false)
        }
    }
}

impl Walk<'_, '_> {
    fn tree(&mut self, operand: &[u8]) -> Result<(), Failure> {
        if self.excludes(operand) {
            return Ok(());
        }
        let place = Place::at(self.running.path(operand));
        let stat = match place.look(self.command.follows_operands) {
            Ok(stat) => stat,
            Err(error) => return self.inaccessible(operand, &place, &error),
        };
        let device = stat.device;
        let Some(size) = self.size(&stat) else { return Ok(()) };
        if !stat.is_dir() {
            self.total += size;
            return self.show(size, operand);
        }
        let mut way = Way::default();
        let mut shown = operand.to_vec();
        let mut stack = vec![self.open(&mut way, &shown, &place, self.command.follows_operands, &stat, size)?];
        while let Some(frame) = stack.last_mut() {
            self.running.check()?;
            shown.truncate(frame.shown_length);
            let Some(entry) = frame.entries.pop() else {
                let Some(done) = stack.pop() else { break };
                if done.directory.is_some() {
                    way.leave();
                }
                let mut all = done.own;
                all += done.below;
                let counted = if self.command.parsed.has(b'S') { done.own } else { all };
                if stack.len() <= self.command.depth {
                    self.show(counted, &shown)?;
                }
                match stack.last_mut() {
                    Some(parent) => parent.below += all,
                    None => self.total += all,
                }
                continue;
            };
            let Some(directory) = &frame.directory else { continue };
            if shown.last() != Some(&b'/') {
                shown.push(b'/');
            }
            shown.extend_from_slice(&text::from_os(&entry.name));
            if self.excludes(&shown) {
                continue;
            }
            let place = directory.entry(&entry.name);
            let stat = match place.look(self.command.follows_all) {
                Ok(stat) => stat,
                Err(error) => {
                    self.inaccessible(&shown, &place, &error)?;
                    continue;
                }
            };
            if self.command.parsed.has(b'x') && stat.device != device {
                continue;
            }
            let Some(size) = self.size(&stat) else { continue };
            // Of links with `-l` a directory may hold itself.
            let id = (stat.device, stat.inode);
            if stat.is_dir() && self.command.follows_all && stack.iter().any(|above| above.id == id) {
                continue;
            }
            let Some(frame) = stack.last_mut() else { break };
            if stat.is_dir() {
                let frame = self.open(&mut way, &shown, &place, self.command.follows_all, &stat, size)?;
                stack.push(frame);
            } else {
                frame.own += size;
                if self.command.parsed.has(b'a') && stack.len() <= self.command.depth {
                    self.show(size, &shown)?;
                }
            }
        }
        Ok(())
    }

    fn open(
        &mut self,
        way: &mut Way,
        shown: &[u8],
        place: &Place,
        follows: bool,
        stat: &FileStat,
        own: Sum,
    ) -> Result<Frame, Failure> {
        let opened = place.open_dir(follows).and_then(|directory| Ok((directory.list_as_fts()?, directory)));
        let (entries, directory) = match opened {
            Ok((entries, directory)) => (entries, Some(directory)),
            Err(error) => {
                self.report_error("cannot read directory", shown, &error)?;
                (Vec::new(), None)
            }
        };
        if let Some(directory) = &directory {
            way.enter(directory.clone());
        }
        Ok(Frame {
            id: (stat.device, stat.inode),
            shown_length: shown.len(),
            directory,
            entries,
            own,
            below: Sum::default(),
        })
    }

    /// In bytes; `None` for a file that was counted already.
    fn size(&mut self, stat: &FileStat) -> Option<Sum> {
        let is_shared = self.remembers_all || (!stat.is_dir() && stat.links > 1);
        if is_shared && !self.command.parsed.has(b'l') && cfg!(unix) && !self.seen.insert((stat.device, stat.inode)) {
            return None;
        }
        let apparent = self.command.parsed.has(b'b') || self.command.parsed.has(APPARENT);
        let latest = self.command.time.as_ref().map(|(which, ..)| match which {
            WhichTime::Modified => stat.modified,
            WhichTime::Accessed => stat.accessed,
            WhichTime::Changed => stat.changed,
        });
        let count = match self.command.parsed.has(INODES) {
            true => 1,
            false if apparent => stat.size,
            false => stat.blocks.saturating_mul(512),
        };
        Some(Sum { count, latest })
    }

    /// Does a pattern of `--exclude` fit the name, from its beginning or from any component on?
    fn excludes(&self, name: &[u8]) -> bool {
        let options = Options { extglob: false, nocase: false, bytes: false };
        let given = self.command.parsed.options.iter().filter(|(option, _)| *option == EXCLUDE);
        let mut patterns = given.map(|(_, pattern)| *pattern).chain(self.patterns.iter().map(|pattern| &pattern[..]));
        patterns.any(|pattern| {
            let after = |(at, byte): (usize, &u8)| {
                let rest = name.get(at + 1..).filter(|rest| *byte == b'/' && rest.first() != Some(&b'/'))?;
                Some(matches(pattern, rest, options))
            };
            matches(pattern, name, options) || name.iter().enumerate().filter_map(after).any(|fits| fits)
        })
    }

    fn show(&mut self, size: Sum, name: &[u8]) -> Result<(), Failure> {
        let is_shown = match self.command.threshold {
            Threshold::AtLeast(least) => size.count >= least,
            Threshold::AtMost(most) => size.count <= most,
        };
        if is_shown { self.line(size, name) } else { Ok(()) }
    }

    fn line(&mut self, size: Sum, name: &[u8]) -> Result<(), Failure> {
        let number = self.command.unit.show(size.count);
        let mut time = Vec::new();
        if let (Some((_, shape, zone)), Some((seconds, nanos))) = (&self.command.time, size.latest) {
            format(&mut time, shape, &Moment::new(zone, seconds, nanos));
            time.push(b'\t');
        }
        let end: &[u8] = if self.command.parsed.has(b'0') { b"\0" } else { b"\n" };
        self.out.push(&[number.as_bytes(), b"\t", &time, name, end].concat())
    }

    fn inaccessible(&mut self, name: &[u8], place: &Place, error: &io::Error) -> Result<(), Failure> {
        if error.kind() != io::ErrorKind::NotFound || place.lstat().is_err() {
            return self.report_error("cannot access", name, error);
        }
        // Of a link that leads nowhere GNU's has no reason.
        self.status = 1;
        self.out.flush()?;
        Ok(self.running.message(&[&b"cannot access "[..], &quote::always(name)].concat())?)
    }

    fn report_error(&mut self, doing: &str, name: &[u8], error: &io::Error) -> Result<(), Failure> {
        self.status = 1;
        self.out.flush()?;
        Ok(self.running.report_error_of(doing, name, error)?)
    }
}
