//! `tree`: directories and what is in them, as a tree.

use std::io::ErrorKind;
use std::path::Path;

use hookshell_files::file_stat::FileStat;
use hookshell_process::{system, text};
use hookshell_utility::io::{Failure, Kept, PER_LINE, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::zone::{Zone, since_epoch};
use hookshell_utility::{Unsupported, UtilityCall};

use crate::date::{Moment, format};
use crate::version_order;

utility! {
    /// `tree [-acdDfFghinNprstuUv] [-L LEVEL] [-I PATTERNS]… [-P PATTERNS]… [--charset=NAME --dirsfirst --filesfirst --ignore-case --noreport
    /// --prune --si --sort=ORDER
    /// --timefmt=FORMAT] [DIRECTORY]…` (tree 2.1), without colours.
    Tree, "tree"
}

const DIRECTORIES_FIRST: u8 = LONG_ONLY;
const FILES_FIRST: u8 = LONG_ONLY + 1;
const IGNORE_CASE: u8 = LONG_ONLY + 2;
const NO_REPORT: u8 = LONG_ONLY + 3;
const PRUNE: u8 = LONG_ONLY + 4;
const CHARSET: u8 = LONG_ONLY + 5;
const SI: u8 = LONG_ONLY + 6;
const SORT: u8 = LONG_ONLY + 7;
const TIME_FORMAT: u8 = LONG_ONLY + 8;

const OPTIONS: &[OptionSpec] = &[
    flag(b'a', ""),
    flag(b'd', ""),
    flag(b'f', ""),
    flag(b'F', ""),
    flag(b'i', ""),
    flag(b'n', ""),
    flag(b'N', ""),
    flag(b'r', ""),
    value(b'L', ""),
    value(b'I', ""),
    value(b'P', ""),
    flag(DIRECTORIES_FIRST, "dirsfirst"),
    flag(FILES_FIRST, "filesfirst"),
    flag(IGNORE_CASE, "ignore-case"),
    flag(NO_REPORT, "noreport"),
    flag(PRUNE, "prune"),
    value(CHARSET, "charset"),
    flag(b'p', ""),
    flag(b'u', ""),
    flag(b'g', ""),
    flag(b's', ""),
    flag(b'h', ""),
    flag(b'D', ""),
    flag(b't', ""),
    flag(b'c', ""),
    flag(b'v', ""),
    flag(b'U', ""),
    flag(SI, "si"),
    value(SORT, "sort"),
    value(TIME_FORMAT, "timefmt"),
];

/// The order of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Name,
    Version,
    /// Large ones first.
    Size,
    /// Old ones first.
    Modified,
    Changed,
    /// As the directory has them.
    None,
}

/// What stands in brackets before a name.
struct Columns {
    mode: bool,
    user: bool,
    group: bool,
    size: Option<Size>,
    /// The format of the time of the last change; empty: a short one that depends on how long ago that was.
    time: Option<Vec<u8>>,
    zone: Zone,
    now: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Bytes,
    /// With a unit of 1024 or 1000.
    Units(u64),
}

impl Columns {
    fn of(parsed: &Parsed<'_>, call: &UtilityCall<'_>) -> Result<Option<Self>, Unsupported> {
        let size = match (parsed.has(SI), parsed.has(b'h'), parsed.has(b's')) {
            (true, _, _) => Some(Size::Units(1000)),
            (_, true, _) => Some(Size::Units(1024)),
            (_, _, true) => Some(Size::Bytes),
            _ => None,
        };
        let time = parsed.last(TIME_FORMAT).map(<[u8]>::to_vec).or(parsed.has(b'D').then(Vec::new));
        let columns = Self {
            mode: parsed.has(b'p'),
            user: parsed.has(b'u'),
            group: parsed.has(b'g'),
            size,
            time,
            zone: Zone::of(call.env)?,
            now: since_epoch(std::time::SystemTime::now()).0,
        };
        let has_some =
            columns.mode || columns.user || columns.group || columns.size.is_some() || columns.time.is_some();
        Ok(has_some.then_some(columns))
    }

    /// `[-rw-r--r-- root       40 Sep 13  2020]  `
    fn show(&self, stat: &FileStat, changed: bool) -> Vec<u8> {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        if self.mode {
            parts.push(stat.mode_text().to_vec());
        }
        let name = |known: Option<Vec<u8>>, id: u32| {
            let mut name = known.unwrap_or_else(|| id.to_string().into_bytes());
            name.truncate(32);
            name.resize(name.len().max(8), b' ');
            name
        };
        if self.user {
            parts.push(name(system::user_name(stat.uid), stat.uid));
        }
        if self.group {
            parts.push(name(system::group_name(stat.gid), stat.gid));
        }
        match self.size {
            None => {}
            Some(Size::Bytes) => parts.push(format!("{:>11}", stat.size).into_bytes()),
            Some(Size::Units(unit)) => parts.push(in_units(stat.size, unit).into_bytes()),
        }
        if let Some(shape) = &self.time {
            /// What tree takes for half a year.
            const RECENT: i64 = 6 * 31 * 24 * 60 * 60;
            let (seconds, nanos) = if changed { stat.changed } else { stat.modified };
            let shape: &[u8] = match &shape[..] {
                b"" if seconds > self.now || seconds + RECENT < self.now => b"%b %e  %Y",
                b"" => b"%b %e %R",
                own => own,
            };
            let mut text = Vec::new();
            format(&mut text, shape, &Moment::new(&self.zone, seconds, nanos));
            parts.push(text);
        }
        [b"[", &parts.join(&b' ')[..], b"]  "].concat()
    }
}

/// Four characters, where they suffice.
#[allow(clippy::cast_precision_loss, reason = "three digits of a size are shown")]
fn in_units(size: u64, unit: u64) -> String {
    let units = if unit == 1000 { "dkMGTPEZY" } else { "BKMGTPEZY" };
    if size < unit {
        return format!("{size:>4}");
    }
    let (mut index, mut rest) = (1, size);
    while rest >= unit * unit {
        index += 1;
        rest /= unit;
    }
    let letter = units.chars().nth(index).unwrap_or('?');
    let value = rest as f32 / unit as f32;
    if rest / unit >= 10 { format!("{value:>3.0}{letter}") } else { format!("{value:>3.1}{letter}") }
}

/// The lines of the tree.
struct Lines {
    /// Beside what follows.
    beside: &'static str,
    entry: &'static str,
    last: &'static str,
}

const DRAWN: Lines =
    Lines { beside: "\u{2502}\u{a0}\u{a0} ", entry: "\u{251c}\u{2500}\u{2500} ", last: "\u{2514}\u{2500}\u{2500} " };
const PLAIN: Lines = Lines { beside: "|   ", entry: "|-- ", last: "`-- " };

struct Command<'a> {
    all: bool,
    only_directories: bool,
    full_names: bool,
    marks: bool,
    lines: Option<&'static Lines>,
    raw: bool,
    bytes: bool,
    reversed: bool,
    order: Order,
    columns: Option<Columns>,
    levels: usize,
    ignored: Vec<&'a [u8]>,
    wanted: Vec<&'a [u8]>,
    ignore_case: bool,
    /// Directories, or files, before the others.
    first: Option<bool>,
    report: bool,
    prune: bool,
    roots: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    // The values of these are words of their own.
    let is_joined = |word: &[u8]| {
        let letters = word.strip_prefix(b"-").filter(|rest| rest.first() != Some(&b'-')).unwrap_or_default();
        letters.iter().position(|byte| b"LIP".contains(byte)).is_some_and(|at| at + 1 < letters.len())
    };
    if let Some(word) = call.argv.iter_from(1).take_while(|word| *word != b"--").find(|word| is_joined(word)) {
        return Err(Unsupported::new(format!("{} in one word", word.escape_ascii())));
    }
    let levels = match parsed.last(b'L') {
        None => usize::MAX,
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0'))
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Unsupported::mistake(format!("the level {}", text.escape_ascii())))?,
    };
    let bytes = hookshell_utility::locale::is_bytes(call.env);
    let lines = match parsed.last(CHARSET) {
        None if bytes => &PLAIN,
        None => &DRAWN,
        Some(name) if name.eq_ignore_ascii_case(b"utf-8") => &DRAWN,
        Some(name) if name.eq_ignore_ascii_case(b"ascii") || name.eq_ignore_ascii_case(b"us-ascii") => &PLAIN,
        Some(name) => return Err(Unsupported::mistake(format!("the charset {}", name.escape_ascii()))),
    };
    if parsed.has(PRUNE) && (parsed.has(b'L') || parsed.has(b'd')) {
        return Err(Unsupported::new("--prune with -L or -d"));
    }
    let orders = parsed.options.iter().rev().find(|(letter, _)| matches!(*letter, b't' | b'c' | b'v' | b'U' | SORT));
    let order = match orders {
        None => Order::Name,
        Some((b't', _) | (SORT, b"mtime")) => Order::Modified,
        Some((b'c', _) | (SORT, b"ctime")) => Order::Changed,
        Some((b'v', _) | (SORT, b"version")) => Order::Version,
        Some((b'U', _)) => Order::None,
        Some((_, b"name")) => Order::Name,
        Some((_, b"size")) => Order::Size,
        Some((_, word)) => return Err(Unsupported::mistake(format!("the order {}", word.escape_ascii()))),
    };
    let first = parsed.options.iter().rev().find(|(letter, _)| matches!(*letter, DIRECTORIES_FIRST | FILES_FIRST));
    Ok(Command {
        all: parsed.has(b'a'),
        only_directories: parsed.has(b'd'),
        full_names: parsed.has(b'f'),
        marks: parsed.has(b'F'),
        lines: (!parsed.has(b'i')).then_some(lines),
        raw: parsed.has(b'N'),
        bytes,
        reversed: parsed.has(b'r'),
        order,
        columns: Columns::of(&parsed, call)?,
        levels,
        ignored: patterns(&parsed, b'I')?,
        wanted: patterns(&parsed, b'P')?,
        ignore_case: parsed.has(IGNORE_CASE),
        first: first.map(|(letter, _)| *letter == DIRECTORIES_FIRST),
        report: !parsed.has(NO_REPORT),
        prune: parsed.has(PRUNE),
        roots: if parsed.operands.is_empty() { vec![b"."] } else { parsed.operands },
    })
}

/// The alternatives of all patterns of an option.
fn patterns<'a>(parsed: &Parsed<'a>, letter: u8) -> Result<Vec<&'a [u8]>, Unsupported> {
    let mut all = Vec::new();
    for (_, text) in parsed.options.iter().filter(|(own, _)| *own == letter) {
        for pattern in text.split(|byte| *byte == b'|') {
            let is_usual =
                !pattern.is_empty() && !pattern.contains(&b'/') && !pattern.windows(2).any(|two| two == b"**");
            if !is_usual || !is_closed(pattern) {
                return Err(Unsupported::mistake(format!("the pattern {}", text.escape_ascii())));
            }
            all.push(pattern);
        }
    }
    Ok(all)
}

/// Do all its brackets and backslashes have what belongs to them?
fn is_closed(pattern: &[u8]) -> bool {
    let mut rest = pattern;
    while let Some((first, after)) = rest.split_first() {
        rest = match first {
            b'\\' if after.is_empty() => return false,
            b'\\' => after.get(1..).unwrap_or_default(),
            b'[' => match bracket(after, 0, false) {
                Some((_, behind)) => behind,
                None => return false,
            },
            _ => after,
        };
    }
    true
}

/// Is the byte in the set whose text stands behind a `[`? With what stands behind the `]`.
fn bracket(text: &[u8], byte: u8, ignore_case: bool) -> Option<(bool, &[u8])> {
    let fold = |byte: u8| if ignore_case { byte.to_ascii_lowercase() } else { byte };
    let (negated, mut rest) = match text.strip_prefix(b"^") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut found = false;
    let one = |rest: &mut &[u8]| -> Option<u8> {
        let (first, after) = rest.split_first()?;
        *rest = after;
        if *first != b'\\' {
            return Some(*first);
        }
        let (second, after) = rest.split_first()?;
        *rest = after;
        Some(*second)
    };
    while rest.first()? != &b']' {
        let low = one(&mut rest)?;
        let high = match rest.strip_prefix(b"-") {
            Some(after) => {
                rest = after;
                one(&mut rest)?
            }
            None => low,
        };
        found |= (fold(low)..=fold(high)).contains(&fold(byte));
    }
    Some((found != negated, rest.get(1..)?))
}

/// Does a pattern of `*`, `?`, `[set]`, `[^set]` and `\x` match the whole name? tree's own kind: not the shell's, in which `[!x]` negates,
/// `[]x]` holds a bracket and `?` is a character of several bytes.
fn matches(pattern: &[u8], name: &[u8], ignore_case: bool) -> bool {
    let (mut pattern, mut rest) = (pattern, name);
    // Behind the last star, and where its text ends.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        let step = match (pattern.split_first(), rest.split_first()) {
            (Some((b'*', after)), _) => {
                star = Some((after, rest));
                pattern = after;
                continue;
            }
            (None, None) => return true,
            (Some((b'?', after)), Some(_)) => Some(after),
            (Some((b'[', after)), Some((byte, _))) => {
                bracket(after, *byte, ignore_case).filter(|(found, _)| *found).map(|(_, behind)| behind)
            }
            (Some((first, after)), Some((byte, _))) => {
                let (literal, after) = match (first, after.split_first()) {
                    (b'\\', Some((escaped, after))) => (escaped, after),
                    _ => (first, after),
                };
                let is_same = if ignore_case { literal.eq_ignore_ascii_case(byte) } else { literal == byte };
                is_same.then_some(after)
            }
            _ => None,
        };
        if let Some(after) = step {
            pattern = after;
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        let Some((after, from)) = star else { return false };
        let Some((_, from)) = from.split_first() else { return false };
        star = Some((after, from));
        pattern = after;
        rest = from;
    }
}

/// One entry of a directory.
struct Entry {
    name: Vec<u8>,
    /// What a link leads to, as it says.
    target: Option<Vec<u8>>,
    /// It, or what it leads to.
    is_directory: bool,
    /// What `-F` puts behind it.
    mark: Option<u8>,
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
    _kept: Kept,
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
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
    if !command.prune || !entries.is_empty() {
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
) -> Result<Option<(Vec<Entry>, Kept)>, Failure> {
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

/// What `-F` puts behind a name.
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

#[cfg(test)]
mod tests {
    use super::{in_units, is_closed, matches};

    #[test]
    fn sizes_have_units() {
        for (size, unit, expected) in [
            (0, 1024, "   0"),
            (1023, 1024, "1023"),
            (1024, 1024, "1.0K"),
            (10_240, 1024, " 10K"),
            (2_000_000, 1024, "1.9M"),
            (4096, 1000, "4.1k"),
            (999, 1000, " 999"),
        ] {
            assert_eq!(in_units(size, unit), expected, "{size}");
        }
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("*.txt", "a.txt", true),
            ("*.txt", "a.txt.gz", false),
            ("a*b*c", "aXbXbXc", true),
            ("a*b*c", "aXbX", false),
            ("?", "", false),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[!x]", "!", true),
            (r"\*", "*", true),
            (r"\*", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes(), false), expected, "{pattern} {name}");
        }
        assert!(matches(b"A[B-D]*", b"ac.txt", true));
        for (pattern, expected) in [("[a", false), ("a\\", false), ("[]a]", true), ("[a-]", false)] {
            assert_eq!(is_closed(pattern.as_bytes()), expected, "{pattern}");
        }
    }
}
