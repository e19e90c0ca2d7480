//! `ls`: list directory contents.

mod color;
mod columns;
mod entry;
mod long;
mod name;
mod options;
mod size;

pub(crate) use self::size::Unit;
use std::io;

use hookshell_files::canonical::{Existing, canonicalize};
use hookshell_files::file_stat::FileStat;
use hookshell_process::text;
use hookshell_utility::Profile;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::output::Output;
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use self::color::{Colors, When, put_linked};
use self::columns::{Cell, width_of};
use self::entry::{Entry, Link};
use self::name::{Quoting, address};
use self::options::{Command, DIRECTORIES_FIRST, FOLLOW_DIRECTORIES, Layout, Marks, Order, WhichTime, read};
use super::target::join;
use crate::version_order as version;

/// `ls [-1aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxX] [FILE]…` (XCU `ls`, GNU's additions) in the C locale's order. Security
/// contexts are the real program's. `dir` is `ls -C -b`, `vdir` is `ls -l -b`, wherever the output goes.
pub(crate) enum Program {
    Ls,
    Dir,
    Vdir,
}

impl Utility for Program {
    fn name(&self) -> &'static str {
        match self {
            Self::Ls => "ls",
            Self::Dir => "dir",
            Self::Vdir => "vdir",
        }
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(Profile::new(self.name()).usage(2).write_error(Some(2)), call, |call| self.read(call), run)
    }
}

impl Program {
    fn read<'a>(&self, call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
        let mut command = read(call)?;
        let layout = match self {
            Self::Ls => return Ok(command),
            Self::Dir => Layout::Columns,
            Self::Vdir => Layout::Long,
        };
        command.layout = command.layout.or(Some(layout));
        command.quoting = command.quoting.or(Some(Quoting::Escape));
        Ok(command)
    }
}

/// A running listing.
struct Listing<'r, 'a> {
    running: &'r Running<'a>,
    command: &'r Command<'r>,
    layout: Layout,
    at_terminal: bool,
    /// The machine's name, where names are links.
    host: Option<Vec<u8>>,
    colors: Option<Colors>,
    /// The width of tabs between columns.
    tab: usize,
    output: Output<'r, 'a>,
    status: u8,
    now: (i64, u32),
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let at_terminal = running.context().stdout().is_some_and(|stdout| stdout.is_terminal());
    let usual = if at_terminal { Layout::Columns } else { Layout::OnePerLine };
    let has_width = matches!(command.layout.unwrap_or(usual), Layout::Columns | Layout::Rows | Layout::Commas);
    for warning in command.quoting_warning.iter().chain(command.width_warning.iter().filter(|_| has_width)) {
        running.message(warning)?;
    }
    let mut complaints = Vec::new();
    let colors = match command.color {
        When::Always => true,
        When::AtTerminal => at_terminal,
        When::Never => false,
    };
    let links = match command.links {
        When::Always => true,
        When::AtTerminal => at_terminal,
        When::Never => false,
    };
    let marks = if at_terminal && command.marks_at_terminal { Marks::All } else { command.marks };
    let command = Command { marks, ..command };
    let mut colors = colors.then(|| Colors::of(running.context().env, |text| complaints.push(text.to_vec()))).flatten();
    if let Some(colors) = &mut colors {
        colors.follows = matches!(command.marks, Marks::Types | Marks::All) || command.parsed.has(DIRECTORIES_FIRST);
        colors.is_long = command.layout == Some(Layout::Long);
    }
    for complaint in complaints {
        running.message(&complaint)?;
    }
    let mut listing = Listing {
        running,
        // Some terminals mix up tabs and colours.
        tab: if colors.is_some() { 0 } else { command.tab },
        colors,
        layout: command.layout.unwrap_or(usual),
        at_terminal,
        host: links.then(|| address(&text::from_os(&hookshell_process::system::hostname()), false)),
        output: Output::new(running),
        status: 0,
        now: hookshell_utility::zone::since_epoch(std::time::SystemTime::now()),
        command: &command,
    };
    listing.run()?;
    let mut end = Vec::new();
    if let Some(colors) = &mut listing.colors {
        colors.finish(&mut end);
    }
    listing.output.push(&end)?;
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
        Ok(self.running.report_error_of(doing, name, error)?)
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
        // Of both the last one counts.
        let is_asked = |letter: &u8| matches!(*letter, b'H' | FOLLOW_DIRECTORIES | b'L');
        let asked = self.command.parsed.options.iter().rev().map(|(letter, _)| *letter).find(|it| is_asked(it));
        let link = if asked == Some(FOLLOW_DIRECTORIES) { Link::FollowedToDirectory } else { link };
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
            match found.map(|entry| self.complete(entry, operand)) {
                Ok(entry) if entry.stat.is_dir() && !only_names => directories.push(entry),
                Ok(entry) => files.push(entry),
                Err(error) => self.complain("cannot access", operand, &error, 2)?,
            }
        }
        let has_files = !files.is_empty();
        self.sort(&mut files);
        self.print(&files, &directories)?;
        self.sort(&mut directories);
        let has_headers = operands.len() > 1 || self.has(b'R');
        let mut is_first = !has_files;
        let mut pending: Vec<(Vec<u8>, bool, usize)> =
            directories.into_iter().rev().map(|entry| (entry.name, true, 0)).collect();
        // The directories around the one that is listed.
        let mut around: Vec<(u64, u64)> = Vec::new();
        while let Some((name, is_operand, depth)) = pending.pop() {
            self.running.check()?;
            if self.has(b'R')
                && cfg!(unix)
                && let Ok(metadata) = self.running.path(&name).metadata()
            {
                around.truncate(depth);
                let stat = FileStat::of(&metadata);
                let id = (stat.device, stat.inode);
                if around.contains(&id) {
                    self.status = 2;
                    self.output.flush()?;
                    let text = [&quote::if_needed(&name)[..], b": not listing already-listed directory"].concat();
                    self.running.message(&text)?;
                    continue;
                }
                around.push(id);
            }
            let separator: &[u8] = if is_first { b"" } else { b"\n" };
            let header = has_headers.then(|| {
                let mut header = separator.to_vec();
                put_linked(&self.shown(&name, true), self.address(&name).as_deref(), &mut header);
                header.extend_from_slice(b":\n");
                header
            });
            let Some(entries) = self.directory(&name, is_operand, header)? else { continue };
            is_first = false;
            self.total(&entries)?;
            self.print(&entries, &[])?;
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

    /// The entries of a directory, sorted, after its header; `None`: it cannot be read.
    fn directory(
        &mut self,
        name: &[u8],
        is_operand: bool,
        header: Option<Vec<u8>>,
    ) -> Result<Option<Vec<Entry>>, Failure> {
        let path = self.running.path(name);
        let mut names: Vec<Vec<u8>> = match std::fs::read_dir(&path) {
            Ok(entries) => entries.flatten().map(|entry| text::from_os(&entry.file_name()).into_owned()).collect(),
            Err(error) => {
                self.complain("cannot open directory", name, &error, if is_operand { 2 } else { 1 })?;
                return Ok(None);
            }
        };
        self.output.push(&header.unwrap_or_default())?;
        if !self.command.ignored.special {
            names.extend([b".".to_vec(), b"..".to_vec()]);
        }
        names.retain(|name| !self.command.ignored.has(name));
        let link = if self.has(b'L') { Link::Followed } else { Link::Shown };
        let mut entries = Vec::with_capacity(names.len());
        for entry_name in names {
            self.running.check()?;
            let path = path.join(&*text::to_path(&entry_name));
            match Entry::read(entry_name.clone(), &path, link, false) {
                Ok(entry) => entries.push(self.complete(entry, &join(name, &entry_name))),
                Err(error) => {
                    // A link that leads nowhere is listed all the same; in short lists that need nothing of it, in silence.
                    let own = Entry::read(entry_name.clone(), &path, Link::Shown, false);
                    let silent = own.is_ok() && self.needs_names_only();
                    if !silent {
                        let shown = if name == b"." { entry_name.clone() } else { join(name, &entry_name) };
                        self.complain("cannot access", &shown, &error, 1)?;
                    }
                    let own = own.ok().map(Entry::unknown);
                    entries.extend(own.map(|entry| self.complete(entry, &join(name, &entry_name))));
                }
            }
        }
        self.sort(&mut entries);
        Ok(Some(entries))
    }

    /// With what is shown of it only where it is asked for.
    fn complete(&self, entry: Entry, name: &[u8]) -> Entry {
        let context = match self.has(b'Z') {
            true => {
                let follows = entry.target.is_none();
                let context = hookshell_files::attributes::context(&self.running.path(name), follows);
                context.unwrap_or_else(|_| b"?".to_vec())
            }
            false => Vec::new(),
        };
        Entry { context, address: self.address(name), ..entry }
    }

    /// The address of a file, where names are links.
    fn address(&self, name: &[u8]) -> Option<Vec<u8>> {
        let host = self.host.as_ref()?;
        let path = canonicalize(self.running.context().cwd, name, Existing::Nothing, true).ok()?;
        let path = if cfg!(windows) { String::from_utf8_lossy(&path).replace('\\', "/").into_bytes() } else { path };
        let slash: &[u8] = if path.starts_with(b"/") { b"" } else { b"/" };
        Some([b"file://", &host[..], slash, &address(&path, true)].concat())
    }

    /// Are names lined up with the quotes of others?
    fn are_some_quoted(&self, entries: &[Entry], beside: &[Entry]) -> bool {
        let is_for_shell = match self.command.quoting {
            None => self.at_terminal,
            Some(quoting) => matches!(quoting, Quoting::ShellIfNeeded | Quoting::ShellRaw { always: false }),
        };
        let aligns = match self.layout {
            Layout::Long => true,
            Layout::Columns | Layout::Rows => self.command.width > 0,
            Layout::OnePerLine | Layout::Commas => false,
        };
        is_for_shell && aligns && entries.iter().chain(beside).any(|entry| self.shown_name(&entry.name) != entry.name)
    }

    /// Is a list of names wanted, and nothing about the files?
    fn needs_names_only(&self) -> bool {
        self.layout != Layout::Long
            && self.colors.is_none()
            && self.command.marks == Marks::None
            && !self.command.has_blocks
            && !matches!(self.command.order, Order::Size | Order::Time)
            && ![b'i', b'R', DIRECTORIES_FIRST].iter().any(|option| self.has(*option))
    }

    fn time(&self, entry: &Entry) -> (i64, u32) {
        match self.command.time {
            WhichTime::Modified => entry.stat.modified,
            WhichTime::Accessed => entry.stat.accessed,
            WhichTime::Changed => entry.stat.changed,
            // As GNU's has it where the file system does not know.
            WhichTime::Born => entry.born.unwrap_or((-1, 0)),
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
                Order::Time => self.time(b).cmp(&self.time(a)).then_with(by_name),
                Order::Width => {
                    width_of(&self.shown_name(&a.name)).cmp(&width_of(&self.shown_name(&b.name))).then_with(by_name)
                }
                Order::Version => version::compare(&a.name, &b.name).then_with(by_name),
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

    fn shown_name(&self, name: &[u8]) -> Vec<u8> {
        self.shown(name, false)
    }

    /// The name as it is shown; `header`: before a colon.
    fn shown(&self, name: &[u8], header: bool) -> Vec<u8> {
        let quoting = self.command.quoting;
        let is_quoted = !matches!(quoting, None | Some(Quoting::Literal));
        if self.command.hides_control && !is_quoted {
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
        match quoting {
            None if self.at_terminal => quote::if_needed(name),
            quoting => quoting.unwrap_or(Quoting::Literal).show(name, header),
        }
    }

    fn mark(&self, stat: &FileStat) -> &'static [u8] {
        use hookshell_files::file_stat::{DIRECTORY, FIFO, LINK, REGULAR, SOCKET};
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
        if self.layout != Layout::Long && !self.command.has_blocks {
            return Ok(());
        }
        let blocks: u64 = entries.iter().map(|entry| entry.stat.blocks).sum();
        let text = self.command.block_unit.show(blocks * 512);
        self.output.push(&[b"total ", text.as_bytes(), &[self.command.end]].concat())
    }

    /// `beside`: what has its part in the widths of columns, but is not shown here (directories among the operands).
    fn print(&mut self, entries: &[Entry], beside: &[Entry]) -> Result<(), Failure> {
        if entries.is_empty() {
            return Ok(());
        }
        if self.layout == Layout::Long {
            return self.print_long(entries, beside);
        }
        let all = || entries.iter().chain(beside);
        let inode_width = all().map(|entry| entry.inode().len()).max().unwrap_or(0);
        let blocks = |entry: &Entry| entry.or_unknown(self.command.block_unit.show(entry.stat.blocks * 512));
        let block_width = all().map(|entry| blocks(entry).len()).max().unwrap_or(0);
        let context_width = all().map(|entry| entry.context.len()).max().unwrap_or(0);
        // With commas nothing is aligned.
        let (inode_width, block_width, context_width) = match self.layout {
            Layout::Commas => (0, 0, 0),
            _ => (inode_width, block_width, context_width),
        };
        let aligns = self.are_some_quoted(entries, beside);
        let mut cells = Vec::with_capacity(entries.len());
        for entry in entries {
            let mut text = Vec::new();
            if self.has(b'i') {
                text.extend_from_slice(format!("{:>inode_width$} ", entry.inode()).as_bytes());
            }
            if self.command.has_blocks {
                text.extend_from_slice(format!("{:>block_width$} ", blocks(entry)).as_bytes());
            }
            if self.has(b'Z') {
                let context = String::from_utf8_lossy(&entry.context);
                text.extend_from_slice(format!("{context:>context_width$} ").as_bytes());
            }
            let shown = self.shown_name(&entry.name);
            if aligns && shown == entry.name {
                text.push(b' ');
            }
            let start = text.len();
            text.extend_from_slice(&shown);
            let name = start..text.len();
            text.extend_from_slice(self.mark(&entry.stat));
            let color = self.colors.as_ref().and_then(|colors| colors.color(entry, false));
            cells.push(Cell { text, name, color, address: entry.address.clone() });
        }
        let width = self.command.width;
        let colors = &mut self.colors;
        let mut put = |out: &mut Vec<u8>, cell: &Cell, column: usize| {
            if let Some(colors) = colors {
                colors.start(out);
            }
            out.extend_from_slice(cell.text.get(..cell.name.start).unwrap_or_default());
            let name = cell.text.get(cell.name.clone()).unwrap_or_default();
            let address = cell.address.as_deref();
            match colors {
                None => put_linked(name, address, out),
                Some(colors) => colors.name((name, address), cell.color.as_ref(), column, width, out),
            }
            out.extend_from_slice(cell.text.get(cell.name.end..).unwrap_or_default());
        };
        let end = self.command.end;
        let text = match self.layout {
            Layout::Columns | Layout::Rows if width == 0 => columns::separated(&cells, b' ', 0, end, &mut put),
            Layout::Columns => columns::down(&cells, width, self.tab, end, &mut put),
            Layout::Rows => columns::across(&cells, width, self.tab, end, &mut put),
            Layout::Commas => columns::separated(&cells, b',', width, end, &mut put),
            Layout::OnePerLine | Layout::Long => {
                let mut out = Vec::new();
                for cell in &cells {
                    put(&mut out, cell, 0);
                    out.push(self.command.end);
                }
                out
            }
        };
        self.output.push(&text)
    }
}
