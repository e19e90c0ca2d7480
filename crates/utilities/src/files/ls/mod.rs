//! `ls`: list directory contents.

mod columns;
mod entry;
mod long;

pub(crate) use self::long::human;
use std::io;

use hookshell_process::text;
use hookshell_shell::{Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use self::entry::{Entry, Link};
use super::stat_of::FileStat;
use super::target::join;
use crate::io::{Failure, Running};
use crate::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, parse, value};
use crate::output::Output;
use crate::quote;
use crate::system::date::{Zone, check_format};

/// `ls [-1aAcCdfFgGhHiklLmnopqrRsStuUxX] [FILE]…` (XCU `ls`, GNU's additions) in the C locale's order. Colours, `-b`, `-Q`, `-v`,
/// `-w` and block sizes are the real program's.
pub(crate) struct Ls;

const COLOR: u8 = LONG_ONLY;
const DIRECTORIES_FIRST: u8 = LONG_ONLY + 1;
const TIME_STYLE: u8 = LONG_ONLY + 2;
const FULL_TIME: u8 = LONG_ONLY + 3;
const FILE_TYPE: u8 = LONG_ONLY + 4;
const SORT: u8 = LONG_ONLY + 5;
const OPTIONS: &[OptionSpec] = &[
    flag(b'1', ""),
    flag(b'a', "all"),
    flag(b'A', "almost-all"),
    flag(b'c', ""),
    flag(b'C', ""),
    flag(b'd', "directory"),
    flag(b'f', ""),
    optional(b'F', "classify"),
    flag(b'g', ""),
    flag(b'G', "no-group"),
    flag(b'h', "human-readable"),
    flag(b'H', "dereference-command-line"),
    flag(b'i', "inode"),
    flag(b'l', ""),
    flag(b'L', "dereference"),
    flag(b'm', ""),
    flag(b'n', "numeric-uid-gid"),
    flag(b'N', "literal"),
    flag(b'o', ""),
    flag(b'p', ""),
    flag(b'q', "hide-control-chars"),
    flag(b'r', "reverse"),
    flag(b'R', "recursive"),
    flag(b's', "size"),
    flag(b'S', ""),
    flag(b't', ""),
    flag(b'u', ""),
    flag(b'U', ""),
    flag(b'x', ""),
    flag(b'X', ""),
    optional(COLOR, "color"),
    flag(DIRECTORIES_FIRST, "group-directories-first"),
    value(TIME_STYLE, "time-style"),
    flag(FULL_TIME, "full-time"),
    flag(FILE_TYPE, "file-type"),
    value(SORT, "sort"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    OnePerLine,
    Long,
    /// Down the columns.
    Columns,
    /// Across.
    Rows,
    Commas,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Name,
    Size,
    Time,
    Extension,
    None,
}

/// Which marks stand behind names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marks {
    None,
    /// `-p`
    Slash,
    /// `--file-type`
    Types,
    /// `-F`
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Ignored,
    /// All but `.` and `..`.
    Almost,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WhichTime {
    Modified,
    Accessed,
    Changed,
}

/// What the command line says.
struct Command<'a> {
    parsed: Parsed<'a>,
    layout: Option<Layout>,
    order: Order,
    marks: Marks,
    hidden: Hidden,
    time: WhichTime,
    /// Formats for older and newer times.
    formats: (Vec<u8>, Vec<u8>),
    zone: Zone,
    width: usize,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    for name in
        ["BLOCK_SIZE", "LS_BLOCK_SIZE", "BLOCKSIZE", "TIME_STYLE", "QUOTING_STYLE", "TABSIZE", "POSIXLY_CORRECT"]
    {
        if call.env.iter().any(|(known, _)| known == name) {
            return Err(Unsupported::new(format!("{name} in the environment")));
        }
    }
    let columns = call.env.iter().find(|(name, _)| name == "COLUMNS").map(|(_, value)| value);
    let width = match columns {
        None => 80,
        Some(text) => {
            let number =
                text.to_str().filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
            let number = number.and_then(|text| text.parse().ok()).filter(|width| (1..=4096).contains(width));
            number.ok_or_else(|| Unsupported::new("this value of COLUMNS"))?
        }
    };
    let mut command = Command {
        layout: None,
        order: Order::Name,
        marks: Marks::None,
        hidden: Hidden::Ignored,
        time: WhichTime::Modified,
        formats: (b"%b %e  %Y".to_vec(), b"%b %e %H:%M".to_vec()),
        zone: Zone::of(call.env)?,
        width,
        parsed: Parsed::default(),
    };
    let mut order = None;
    for &(option, text) in &parsed.options {
        let unsupported = || Unsupported::new(format!("the value {}", text.escape_ascii()));
        match option {
            b'1' if command.layout != Some(Layout::Long) => command.layout = Some(Layout::OnePerLine),
            b'l' | b'g' | b'n' | b'o' => command.layout = Some(Layout::Long),
            b'C' => command.layout = Some(Layout::Columns),
            b'x' => command.layout = Some(Layout::Rows),
            b'm' => command.layout = Some(Layout::Commas),
            b'a' => command.hidden = Hidden::All,
            b'A' if command.hidden != Hidden::All => command.hidden = Hidden::Almost,
            // Of both the last one counts.
            b'A' => command.hidden = Hidden::Almost,
            b'f' => {
                if parsed.options.len() > 1 {
                    return Err(Unsupported::new("-f with other options"));
                }
                command.hidden = Hidden::All;
                order = Some(Order::None);
            }
            b'F' => match text {
                b"" | b"always" => command.marks = Marks::All,
                _ => return Err(unsupported()),
            },
            b'p' => command.marks = Marks::Slash,
            FILE_TYPE => command.marks = Marks::Types,
            b'S' => order = Some(Order::Size),
            b't' => order = Some(Order::Time),
            b'X' => order = Some(Order::Extension),
            b'U' => order = Some(Order::None),
            SORT => {
                order = Some(match text {
                    b"none" => Order::None,
                    b"size" => Order::Size,
                    b"time" => Order::Time,
                    b"extension" => Order::Extension,
                    b"name" => Order::Name,
                    _ => return Err(unsupported()),
                });
            }
            b'c' => command.time = WhichTime::Changed,
            b'u' => command.time = WhichTime::Accessed,
            COLOR if matches!(text, b"never" | b"no" | b"none" | b"auto" | b"tty" | b"if-tty") => {}
            COLOR => return Err(unsupported()),
            FULL_TIME => {
                command.layout = Some(Layout::Long);
                let format = b"%Y-%m-%d %H:%M:%S.%N %z".to_vec();
                command.formats = (format.clone(), format);
            }
            TIME_STYLE => {
                let same = |format: &[u8]| (format.to_vec(), format.to_vec());
                command.formats = match text.strip_prefix(b"posix-").unwrap_or(text) {
                    _ if text.starts_with(b"posix-") => (b"%b %e  %Y".to_vec(), b"%b %e %H:%M".to_vec()),
                    b"full-iso" => same(b"%Y-%m-%d %H:%M:%S.%N %z"),
                    b"long-iso" => same(b"%Y-%m-%d %H:%M"),
                    b"iso" => (b"%Y-%m-%d ".to_vec(), b"%m-%d %H:%M".to_vec()),
                    [b'+', format @ ..] if !format.contains(&b'\n') => same(format),
                    _ => return Err(unsupported()),
                };
                check_format(&command.formats.0)?;
            }
            _ => {}
        }
    }
    let is_long = command.layout == Some(Layout::Long);
    // Without -l, and with no order named, -c and -u sort by that time.
    command.order =
        order.unwrap_or(if command.time != WhichTime::Modified && !is_long { Order::Time } else { Order::Name });
    Ok(Command { parsed, ..command })
}

impl Utility for Ls {
    fn name(&self) -> &'static str {
        "ls"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(call).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.name(), context, read, run)
    }
}

/// A running listing.
struct Listing<'r, 'a> {
    running: &'r Running<'a>,
    command: &'r Command<'r>,
    layout: Layout,
    at_terminal: bool,
    output: Output<'r, 'a>,
    status: u8,
    now: (i64, u32),
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let at_terminal = running.context().stdout().is_some_and(|stdout| stdout.is_terminal());
    let usual = if at_terminal { Layout::Columns } else { Layout::OnePerLine };
    let mut listing = Listing {
        running,
        layout: command.layout.unwrap_or(usual),
        at_terminal,
        output: Output::new(running),
        status: 0,
        now: crate::system::date::since_epoch(std::time::SystemTime::now()),
        command: &command,
    };
    listing.run()?;
    listing.output.flush()?;
    Ok(listing.status)
}

impl Listing<'_, '_> {
    fn has(&self, option: u8) -> bool {
        self.command.parsed.has(option)
    }

    fn complain(&mut self, doing: &str, name: &[u8], error: &io::Error, status: u8) -> Result<(), Failure> {
        self.status = self.status.max(status);
        self.output.flush()?;
        Ok(self.running.failed_to(doing, name, error)?)
    }

    fn run(&mut self) -> Result<(), Failure> {
        let operands = match self.command.parsed.operands.as_slice() {
            [] => vec![&b"."[..]],
            operands => operands.to_vec(),
        };
        let only_names = self.has(b'd');
        // A link to a directory is that directory, unless the listing is about the link.
        let is_about_links = only_names || self.layout == Layout::Long || self.command.marks == Marks::All;
        let link = match (self.has(b'L'), self.has(b'H'), is_about_links) {
            (true, ..) | (_, true, _) => Link::Followed,
            (_, _, true) => Link::Shown,
            _ => Link::FollowedToDirectory,
        };
        let mut files = Vec::new();
        let mut directories = Vec::new();
        for operand in &operands {
            self.running.check()?;
            let path = self.running.path(operand);
            let found = if operand.is_empty() {
                Err(io::ErrorKind::NotFound.into())
            } else {
                Entry::read(operand.to_vec(), &path, link, true)
            };
            match found {
                Ok(entry) if entry.stat.is_dir() && !only_names => directories.push(entry),
                Ok(entry) => files.push(entry),
                Err(error) => self.complain("cannot access", operand, &error, 2)?,
            }
        }
        let has_files = !files.is_empty();
        self.sort(&mut files);
        self.print(&files)?;
        self.sort(&mut directories);
        let has_headers = operands.len() > 1 || self.has(b'R');
        let mut is_first = !has_files;
        let mut pending: Vec<(Vec<u8>, bool, usize)> =
            directories.into_iter().rev().map(|entry| (entry.name, true, 0)).collect();
        while let Some((name, is_operand, depth)) = pending.pop() {
            self.running.check()?;
            let Some(entries) = self.directory(&name, is_operand)? else { continue };
            if has_headers {
                if !is_first {
                    self.output.write(b"\n")?;
                }
                let shown = self.shown_name(&name);
                self.output.write(&[&shown[..], b":\n"].concat())?;
            }
            is_first = false;
            self.total(&entries)?;
            self.print(&entries)?;
            if self.has(b'R') && depth < 512 {
                for entry in entries.iter().rev() {
                    if entry.stat.is_dir() && !matches!(&entry.name[..], b"." | b"..") {
                        pending.push((join(&name, &entry.name), false, depth + 1));
                    }
                }
            }
        }
        Ok(())
    }

    /// The entries of a directory, sorted; `None`: it cannot be read.
    fn directory(&mut self, name: &[u8], is_operand: bool) -> Result<Option<Vec<Entry>>, Failure> {
        let path = self.running.path(name);
        let mut names: Vec<Vec<u8>> = match std::fs::read_dir(&path) {
            Ok(entries) => entries.flatten().map(|entry| text::from_os(&entry.file_name()).into_owned()).collect(),
            Err(error) => {
                self.complain("cannot open directory", name, &error, if is_operand { 2 } else { 1 })?;
                return Ok(None);
            }
        };
        match self.command.hidden {
            Hidden::Ignored => names.retain(|name| !name.starts_with(b".")),
            Hidden::Almost => {}
            Hidden::All => names.extend([b".".to_vec(), b"..".to_vec()]),
        }
        let link = if self.has(b'L') { Link::Followed } else { Link::Shown };
        let mut entries = Vec::with_capacity(names.len());
        for entry_name in names {
            self.running.check()?;
            let path = path.join(&*text::to_path(&entry_name));
            match Entry::read(entry_name.clone(), &path, link, false) {
                Ok(entry) => entries.push(entry),
                Err(error) => self.complain("cannot access", &join(name, &entry_name), &error, 1)?,
            }
        }
        self.sort(&mut entries);
        Ok(Some(entries))
    }

    fn time(&self, stat: &FileStat) -> (i64, u32) {
        match self.command.time {
            WhichTime::Modified => stat.modified,
            WhichTime::Accessed => stat.accessed,
            WhichTime::Changed => stat.changed,
        }
    }

    fn sort(&self, entries: &mut [Entry]) {
        if self.command.order == Order::None {
            return;
        }
        let extension = |name: &[u8]| -> Vec<u8> {
            name.iter()
                .rposition(|byte| *byte == b'.')
                .map_or_else(Vec::new, |at| name.get(at..).unwrap_or_default().to_vec())
        };
        entries.sort_by(|a, b| {
            let by_name = || a.name.cmp(&b.name);
            match self.command.order {
                Order::Size => b.stat.size.cmp(&a.stat.size).then_with(by_name),
                Order::Time => self.time(&b.stat).cmp(&self.time(&a.stat)).then_with(by_name),
                Order::Extension => extension(&a.name).cmp(&extension(&b.name)).then_with(by_name),
                Order::Name | Order::None => by_name(),
            }
        });
        if self.has(b'r') {
            entries.reverse();
        }
        if self.has(DIRECTORIES_FIRST) {
            // A link to a directory counts as one.
            entries.sort_by_key(|entry| !(entry.stat.is_dir() || entry.leads_to_directory));
        }
    }

    /// The name as it is shown.
    fn shown_name(&self, name: &[u8]) -> Vec<u8> {
        if self.has(b'q') {
            let mut shown = Vec::with_capacity(name.len());
            for chunk in name.utf8_chunks() {
                for character in chunk.valid().chars() {
                    let mut buffer = [0; 4];
                    let text = if character.is_control() { "?" } else { character.encode_utf8(&mut buffer) };
                    shown.extend_from_slice(text.as_bytes());
                }
                shown.resize(shown.len() + chunk.invalid().len(), b'?');
            }
            return shown;
        }
        if self.at_terminal && !self.has(b'N') { quote::if_needed(name) } else { name.to_vec() }
    }

    fn mark(&self, stat: &FileStat) -> &'static [u8] {
        use super::stat_of::{DIRECTORY, FIFO, LINK, REGULAR, SOCKET};
        match (self.command.marks, stat.kind()) {
            (Marks::None, _) => b"",
            (_, DIRECTORY) => b"/",
            (Marks::Slash, _) => b"",
            (_, LINK) => b"@",
            (_, FIFO) => b"|",
            (_, SOCKET) => b"=",
            (Marks::All, REGULAR) if stat.mode & 0o111 != 0 => b"*",
            _ => b"",
        }
    }

    /// `total 12`, in front of long listings and with `-s`.
    fn total(&mut self, entries: &[Entry]) -> Result<(), Failure> {
        if self.layout != Layout::Long && !self.has(b's') {
            return Ok(());
        }
        let blocks: u64 = entries.iter().map(|entry| entry.stat.blocks).sum();
        let text = if self.has(b'h') { human(blocks * 512) } else { blocks.div_ceil(2).to_string() };
        self.output.write(format!("total {text}\n").as_bytes())
    }

    fn print(&mut self, entries: &[Entry]) -> Result<(), Failure> {
        if self.layout == Layout::Long {
            return self.print_long(entries);
        }
        let inode_width = entries.iter().map(|entry| entry.stat.inode.to_string().len()).max().unwrap_or(0);
        let blocks = |entry: &Entry| {
            if self.has(b'h') { human(entry.stat.blocks * 512) } else { entry.stat.blocks.div_ceil(2).to_string() }
        };
        let block_width = entries.iter().map(|entry| blocks(entry).len()).max().unwrap_or(0);
        // With commas nothing is aligned.
        let (inode_width, block_width) =
            if self.layout == Layout::Commas { (0, 0) } else { (inode_width, block_width) };
        let mut cells = Vec::with_capacity(entries.len());
        for entry in entries {
            let mut cell = Vec::new();
            if self.has(b'i') {
                cell.extend_from_slice(format!("{:>inode_width$} ", entry.stat.inode).as_bytes());
            }
            if self.has(b's') {
                cell.extend_from_slice(format!("{:>block_width$} ", blocks(entry)).as_bytes());
            }
            cell.extend_from_slice(&self.shown_name(&entry.name));
            cell.extend_from_slice(self.mark(&entry.stat));
            cells.push(cell);
        }
        let text = match self.layout {
            Layout::Columns => columns::down(&cells, self.command.width),
            Layout::Rows => columns::across(&cells, self.command.width),
            Layout::Commas => columns::commas(&cells, self.command.width),
            Layout::OnePerLine | Layout::Long => {
                cells.iter().flat_map(|cell| cell.iter().copied().chain([b'\n'])).collect()
            }
        };
        self.output.write(&text)
    }
}
