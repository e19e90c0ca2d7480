//! `diff`: compare files line by line.

mod command;
mod compare;
mod directories;
mod formats;
mod header;
mod print;
mod script;
mod side;
mod text;

use std::fs::Metadata;
use std::io;
use std::time::SystemTime;

use hookshell_process::is_missing;
use hookshell_utility::input::{Input, Rest};
use hookshell_utility::io::{Failure, MemoryCharge, Running, Source};
use hookshell_utility::output::Output;
use hookshell_utility::utility;

use self::command::{Color, Command, read};
use self::compare::Change;
use self::header::{quoted, write_header};
use self::print::{BOLD, Printer, RESET, Style};
use self::side::Columns;
use self::text::Text;

utility! {
    /// `diff [-u | -c | -U N | -C N | -NUM | -q | -e | -n | -y | -D NAME | --GTYPE-group-format=FORMAT | --LTYPE-line-format=FORMAT] [-abBdEiNprstTwZ] [-F RE] [-I RE] [-L LABEL] [-W N] [-x PATTERN]
    /// [-X FILE] [--strip-trailing-cr] [--from-file=FILE | --to-file=FILE] FILE FILE` (GNU diffutils 3.8: the same hunks).
    Diff, "diff", usage: 2, write_error: Some(2)
}

/// GNU's status when it cannot compare.
const TROUBLE: u8 = 2;

/// GNU takes a file with a NUL in its first block for a binary one.
const BLOCK: usize = 4096;

/// One of the two files.
struct Side {
    name: Vec<u8>,
    /// `None`: it is not there, and `-N` takes it for empty.
    metadata: Option<Metadata>,
    /// What standard input is read from, when it is one of the files.
    source: Option<Source>,
    /// Counts what was read of it.
    kept: Option<MemoryCharge>,
}

impl Side {
    fn is_dir(&self) -> bool {
        self.metadata.as_ref().is_some_and(Metadata::is_dir)
    }

    fn modified(&self) -> SystemTime {
        match (&self.metadata, &self.source) {
            (Some(metadata), _) => metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            (None, Some(_)) => SystemTime::now(),
            (None, None) => SystemTime::UNIX_EPOCH,
        }
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut diff = Comparison { command: &command, out: Output::new(running) };
    let status = diff.pairs();
    match status.and_then(|status| diff.out.flush().map(|()| status)) {
        Err(Failure::Write(error)) => {
            running.report_error(b"standard output", &error)?;
            Ok(TROUBLE)
        }
        status => status,
    }
}

struct Comparison<'a, 'r, 'c> {
    command: &'a Command<'a>,
    out: Output<'r, 'c>,
}

fn joined(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, slash, name].concat()
}

impl Comparison<'_, '_, '_> {
    fn running(&self) -> &Running<'_> {
        self.out.running()
    }

    /// A file by its name; standard input is opened.
    fn side(&mut self, name: &[u8]) -> Result<io::Result<Side>, Failure> {
        let running = self.out.running();
        if name == b"-" || running.special(name).is_some() {
            return Ok(running.open(name)?.map(|source| {
                let metadata = match &source {
                    Source::Stream(stream) => stream.file().and_then(|file| file.metadata().ok()),
                    Source::File(file, _) => file.metadata().ok(),
                };
                Side { name: name.to_vec(), metadata, source: Some(source), kept: None }
            }));
        }
        if name.is_empty() {
            return Ok(Err(io::ErrorKind::NotFound.into()));
        }
        let metadata = std::fs::metadata(running.path(name));
        Ok(metadata.map(|metadata| Side { name: name.to_vec(), metadata: Some(metadata), source: None, kept: None }))
    }

    fn pairs(&mut self) -> Result<u8, Failure> {
        let mut status = 0;
        for pair in &self.command.pairs {
            status = status.max(self.operands(pair.map(<[u8]>::to_vec))?);
        }
        Ok(status)
    }

    fn operands(&mut self, mut names: [Vec<u8>; 2]) -> Result<u8, Failure> {
        let mut sides = [self.side(&names[0])?, self.side(&names[1])?];
        // A file is compared with the one of its name in a directory.
        let is_dir = |side: &io::Result<Side>| side.as_ref().is_ok_and(Side::is_dir);
        let dirs = [is_dir(&sides[0]), is_dir(&sides[1])];
        let mut inside_directory = false;
        if dirs[0] != dirs[1] && sides.iter().all(Result::is_ok) {
            let directory = usize::from(!dirs[0]);
            let [a, b] = &names;
            let (directory_name, file_name) = if directory == 0 { (a, b) } else { (b, a) };
            if file_name == b"-" {
                self.out.message(b"cannot compare '-' to a directory")?;
                return Ok(TROUBLE);
            }
            let last = file_name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let inside = joined(directory_name, last);
            let side = self.side(&inside)?;
            inside_directory = true;
            if let (Some(name), Some(place)) = (names.get_mut(directory), sides.get_mut(directory)) {
                *name = inside;
                *place = side;
            }
        }
        let [left, right] = sides;
        // -N is for files that were named.
        let new_right = self.command.new_file && !inside_directory;
        let new_left = (self.command.new_file || self.command.new_file_left) && !inside_directory;
        let missing = |side: &io::Result<Side>| matches!(side, Err(error) if is_missing(error));
        let absent = |name: &Vec<u8>| Side { name: name.clone(), metadata: None, source: None, kept: None };
        let (left, right) = match (left, right) {
            (Ok(left), Ok(right)) => (left, right),
            (Ok(left), right) if new_right && missing(&right) => (left, absent(&names[1])),
            (left, Ok(right)) if new_left && missing(&left) => (absent(&names[0]), right),
            (left, right) => {
                for (side, name) in [(left, &names[0]), (right, &names[1])] {
                    if let Err(error) = side {
                        self.out.report_error(name, &error)?;
                    }
                }
                return Ok(TROUBLE);
            }
        };
        self.pair(left, right, false)
    }

    /// Compares what has these names; `within` directories.
    fn pair(&mut self, left: Side, right: Side, within: bool) -> Result<u8, Failure> {
        self.running().check()?;
        if is_same(&left, &right) && (left.is_dir() || !self.shows_all()) {
            if self.command.report_identical && !left.is_dir() {
                let names = [(0, &left), (1, &right)]
                    .map(|(at, side)| self.command.labels.get(at).copied().unwrap_or(&side.name).to_vec());
                self.told(b"Files ", &names, b" are identical\n")?;
            }
            return Ok(0);
        }
        let directories = [&left, &right].map(|side| side.is_dir() || side.metadata.is_none());
        if directories == [true, true] && (left.is_dir() || right.is_dir()) {
            if self.command.style == Style::Formats {
                self.out.message(b"-D option not supported with directories")?;
                return Ok(TROUBLE);
            }
            if within && !self.command.recursive {
                self.out.push(b"Common subdirectories: ")?;
                self.names(&left, &right, b" and ", b"\n")?;
                return Ok(0);
            }
            return self.directories(&left, &right, within);
        }
        if left.is_dir() != right.is_dir() {
            self.out.push(b"File ")?;
            self.out.push(&left.name)?;
            self.out.push(kind(&left))?;
            self.out.push(b" while file ")?;
            self.out.push(&right.name)?;
            self.out.push(kind(&right))?;
            self.out.byte(b'\n')?;
            return Ok(1);
        }
        let status = self.files(left, right, within)?;
        Ok(status)
    }

    /// Are lines shown that are the same?
    fn shows_all(&self) -> bool {
        match self.command.style {
            Style::SideBySide => !self.command.side.suppress_common,
            Style::Formats => true,
            _ => false,
        }
    }

    fn names(&mut self, left: &Side, right: &Side, between: &[u8], after: &[u8]) -> Result<(), Failure> {
        self.out.push(&left.name)?;
        self.out.push(between)?;
        self.out.push(&right.name)?;
        self.out.push(after)
    }

    /// Its content; `None` when that cannot be read, which was told.
    fn content(&mut self, side: &mut Side) -> Result<Option<Vec<u8>>, Failure> {
        let running = self.out.running();
        let source = match side.source.take() {
            Some(source) => source,
            None if side.metadata.is_none() => return Ok(Some(Vec::new())),
            None => match running.open_file(&side.name)? {
                Ok(source) => source,
                Err(error) => {
                    self.out.report_error(&side.name, &error)?;
                    return Ok(None);
                }
            },
        };
        let Rest { data, error, kept } = Input::new(source).rest(running)?;
        side.kept = kept;
        if let Some(error) = error {
            self.out.report_error(&side.name, &error)?;
            return Ok(None);
        }
        Ok(Some(data))
    }

    fn files(&mut self, mut left: Side, mut right: Side, within: bool) -> Result<u8, Failure> {
        let modified = [left.modified(), right.modified()];
        let (Some(mut a), Some(mut b)) = (self.content(&mut left)?, self.content(&mut right)?) else {
            return Ok(TROUBLE);
        };
        let is_binary = |data: &[u8]| memchr::memchr(0, data.get(..BLOCK).unwrap_or(data)).is_some();
        let binary = !self.command.text && (is_binary(&a) || is_binary(&b));
        if self.command.strip_cr && !binary {
            (a, b) = (without_carriage_returns(&a), without_carriage_returns(&b));
        }
        let labels = [(0, &left), (1, &right)]
            .map(|(at, side)| self.command.labels.get(at).copied().unwrap_or(&side.name).to_vec());
        let is_ed = self.command.style == Style::Ed && !binary;
        let mut incomplete = Vec::new();
        for (data, label) in [(&mut a, &labels[0]), (&mut b, &labels[1])] {
            // In ed a last line without its end cannot be told.
            if is_ed && !data.is_empty() && !data.ends_with(b"\n") {
                data.push(b'\n');
                incomplete.push([&label[..], b": No newline at end of file\n"].concat());
            }
        }
        let equal = if incomplete.is_empty() { 0 } else { TROUBLE };
        if a == b && (binary || !self.shows_all()) {
            if self.command.report_identical {
                self.told(b"Files ", &labels, b" are identical\n")?;
            }
            return self.ended(equal, &incomplete);
        }
        if binary {
            let before: &[u8] = if self.command.style == Style::Brief { b"Files " } else { b"Binary files " };
            self.told(before, &labels, b" differ\n")?;
            return Ok(1);
        }
        let [modified_left, modified_right] = modified;
        let headers = [(&*left.name, modified_left), (&*right.name, modified_right)];
        let status = self.texts(&Text::new(&a), &Text::new(&b), headers, &labels, within)?;
        self.ended(equal.max(status), &incomplete)
    }

    /// Compares texts and prints what differs. `headers`: the names and times of the files.
    fn texts(
        &mut self,
        a: &Text<'_>,
        b: &Text<'_>,
        headers: [(&[u8], SystemTime); 2],
        labels: &[Vec<u8>; 2],
        within: bool,
    ) -> Result<u8, Failure> {
        let context = match self.command.style {
            Style::Unified(lines) | Style::Context(lines) => lines,
            _ => 0,
        };
        let running = self.out.running();
        let changes = self.command.equality.changes(a, b, context, &|| running.check().is_err());
        running.check()?;
        let is_same = changes.iter().all(|change| change.ignored);
        let tells_identical = is_same && self.command.report_identical;
        let is_formatted = self.command.style == Style::Formats;
        if tells_identical && !is_formatted {
            self.told(b"Files ", labels, b" are identical\n")?;
        }
        if is_same && !self.shows_all() {
            return Ok(0);
        }
        if self.command.style == Style::Brief {
            self.told(b"Files ", labels, b" differ\n")?;
            return Ok(1);
        }
        if within {
            let [left, right] = labels.each_ref().map(|label| quoted(label));
            for part in [b"diff", &*self.command.switches, b" ", &left, b" ", &right, b"\n"] {
                self.out.push(part)?;
            }
        }
        self.headers(headers)?;
        self.changes(a, b, &changes)?;
        if tells_identical && is_formatted {
            self.told(b"Files ", labels, b" are identical\n")?;
        }
        Ok(u8::from(!is_same))
    }

    /// The two lines before what differs, in the styles that have them.
    fn headers(&mut self, headers: [(&[u8], SystemTime); 2]) -> Result<(), Failure> {
        let colors = self.has_colors();
        let marks: [&[u8]; 2] = match self.command.style {
            Style::Unified(_) => [b"--- ", b"+++ "],
            Style::Context(_) => [b"*** ", b"--- "],
            _ => return Ok(()),
        };
        for (at, (mark, (name, modified))) in marks.iter().zip(headers).enumerate() {
            self.out.push(if colors { BOLD } else { b"" })?;
            self.out.push(mark)?;
            match self.command.labels.get(at) {
                Some(label) => self.out.push(label)?,
                None => write_header(name, modified, &mut self.out)?,
            }
            self.out.push(if colors { RESET } else { b"" })?;
            self.out.byte(b'\n')?;
        }
        Ok(())
    }

    /// What differs, in the command's style.
    fn changes(&mut self, a: &Text<'_>, b: &Text<'_>, changes: &[Change]) -> Result<(), Failure> {
        let side = self.command.side;
        let colors = self.has_colors();
        if self.command.style == Style::SideBySide {
            return Columns::new(&mut self.out, a, b, side).print(changes);
        }
        let mut printer = Printer {
            out: &mut self.out,
            left: a,
            right: b,
            expand_tabs: side.expand_tabs.then_some(side.tab),
            initial_tab: self.command.initial_tab,
            heading: self.command.heading.as_ref(),
            colors,
            suppress_empty: self.command.suppress_empty,
        };
        match self.command.style {
            Style::Ed => printer.ed(changes),
            Style::Rcs => printer.rcs(changes),
            Style::Normal | Style::Brief | Style::SideBySide => printer.normal(changes),
            Style::Formats => printer.formatted(changes, &self.command.formats),
            Style::Unified(context) => printer.unified(changes, context),
            Style::Context(context) => printer.context(changes, context),
        }
    }

    fn has_colors(&self) -> bool {
        let is_plain = matches!(self.command.style, Style::Normal | Style::Unified(_));
        let stdout = self.out.running().context().stdout();
        is_plain
            && match self.command.color {
                Color::Never => false,
                Color::Auto => stdout.is_some_and(|stdout| stdout.is_terminal()),
                Color::Always => true,
            }
    }

    /// The end of a comparison, with what is to be said about it.
    fn ended(&mut self, status: u8, messages: &[Vec<u8>]) -> Result<u8, Failure> {
        for message in messages {
            self.out.message(message)?;
        }
        Ok(status)
    }

    fn told(&mut self, before: &[u8], names: &[Vec<u8>; 2], after: &[u8]) -> Result<(), Failure> {
        let [left, right] = names;
        for text in [before, left, b" and ", right, after] {
            self.out.push(text)?;
        }
        Ok(())
    }
}

/// Are they one file or directory?
fn is_same(left: &Side, right: &Side) -> bool {
    if left.name == right.name {
        return true;
    }
    #[cfg(unix)]
    if let (Some(left), Some(right)) = (&left.metadata, &right.metadata) {
        use std::os::unix::fs::MetadataExt;
        return (left.dev(), left.ino()) == (right.dev(), right.ino());
    }
    false
}

fn kind(side: &Side) -> &'static [u8] {
    match &side.metadata {
        Some(metadata) if metadata.is_dir() => b" is a directory",
        Some(metadata) if metadata.is_file() && metadata.len() == 0 => b" is a regular empty file",
        Some(metadata) if metadata.is_file() => b" is a regular file",
        _ => b" is a special file",
    }
}

/// The text with line ends of Unix.
fn without_carriage_returns(data: &[u8]) -> Vec<u8> {
    let mut stripped = Vec::with_capacity(data.len());
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(text) => {
                stripped.extend_from_slice(text);
                stripped.push(b'\n');
            }
            None => stripped.extend_from_slice(line),
        }
    }
    stripped
}
