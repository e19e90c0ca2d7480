//! `diff`: compare files line by line.

mod compare;
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
use hookshell_process::text::from_os;
use hookshell_regex::{Builder, Regex, Syntax};
use hookshell_text::pattern::{Options, matches};
use hookshell_utility::input::{Input, Rest};
use hookshell_utility::io::{Failure, Kept, Running, Source};
use hookshell_utility::options::{OptionSpec, flag, optional, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use self::formats::{Formats, Which};
use self::header::{quoted, shell_word, write_header};
use self::print::{BOLD, Printer, RESET, Style};
use self::side::{Columns, Side as Layout};
use self::text::{Equality, Space, Text};

utility! {
    /// `diff [-u | -c | -U N | -C N | -NUM | -q | -e | -n | -y | -D NAME | --GTYPE-group-format=FORMAT | --LTYPE-line-format=FORMAT] [-abBdEiNprstTwZ] [-F RE] [-I RE] [-L LABEL] [-W N] [-x PATTERN]
    /// [-X FILE] [--strip-trailing-cr] [--from-file=FILE | --to-file=FILE] FILE FILE` (GNU diffutils 3.8: the same hunks).
    Diff, "diff", usage: 2, write_error: Some(2)
}

const UNIFIED: u8 = 128;
const CONTEXT: u8 = 129;
const NORMAL: u8 = 130;
const STRIP_CR: u8 = 131;
const COLOR: u8 = 132;
const HORIZON: u8 = 141;
const CASE: u8 = 142;
const TAB_SIZE: u8 = 133;
const LEFT_COLUMN: u8 = 134;
const SUPPRESS_COMMON: u8 = 135;
const FROM: u8 = 136;
const TO: u8 = 137;
/// The options of [`FORMATS`] from here on.
const FIRST_FORMAT: u8 = 143;

/// The options that give formats, and which.
const FORMATS: [(u8, Which); 9] = [
    (b'D', Which::Name),
    (FIRST_FORMAT, Which::AllLines),
    (FIRST_FORMAT + 1, Which::UnchangedLine),
    (FIRST_FORMAT + 2, Which::OldLine),
    (FIRST_FORMAT + 3, Which::NewLine),
    (FIRST_FORMAT + 4, Which::Unchanged),
    (FIRST_FORMAT + 5, Which::Old),
    (FIRST_FORMAT + 6, Which::New),
    (FIRST_FORMAT + 7, Which::Changed),
];

const OPTIONS: &[OptionSpec] = &[
    value(FROM, "from-file"),
    value(TO, "to-file"),
    value(b'X', "exclude-from"),
    flag(b'q', "brief"),
    flag(b's', "report-identical-files"),
    flag(b'r', "recursive"),
    flag(b'N', "new-file"),
    flag(b'a', "text"),
    flag(b'i', "ignore-case"),
    flag(b'b', "ignore-space-change"),
    flag(b'w', "ignore-all-space"),
    flag(b'Z', "ignore-trailing-space"),
    flag(b'B', "ignore-blank-lines"),
    flag(b'd', "minimal"),
    // These change how long it takes, and what names mean where case counts.
    flag(b'H', "speed-large-files"),
    value(HORIZON, "horizon-lines"),
    flag(CASE, "no-ignore-file-name-case"),
    flag(b'u', ""),
    flag(b'c', ""),
    value(b'U', ""),
    value(b'C', ""),
    optional(UNIFIED, "unified"),
    optional(CONTEXT, "context"),
    flag(NORMAL, "normal"),
    flag(STRIP_CR, "strip-trailing-cr"),
    value(b'L', "label"),
    optional(COLOR, "color"),
    flag(b'e', "ed"),
    flag(b'n', "rcs"),
    flag(b'y', "side-by-side"),
    value(b'W', "width"),
    flag(LEFT_COLUMN, "left-column"),
    flag(SUPPRESS_COMMON, "suppress-common-lines"),
    flag(b'E', "ignore-tab-expansion"),
    value(b'I', "ignore-matching-lines"),
    flag(b'p', "show-c-function"),
    value(b'F', "show-function-line"),
    flag(b't', "expand-tabs"),
    flag(b'T', "initial-tab"),
    value(TAB_SIZE, "tabsize"),
    value(b'x', "exclude"),
    value(b'D', "ifdef"),
    value(FIRST_FORMAT, "line-format"),
    value(FIRST_FORMAT + 1, "unchanged-line-format"),
    value(FIRST_FORMAT + 2, "old-line-format"),
    value(FIRST_FORMAT + 3, "new-line-format"),
    value(FIRST_FORMAT + 4, "unchanged-group-format"),
    value(FIRST_FORMAT + 5, "old-group-format"),
    value(FIRST_FORMAT + 6, "new-group-format"),
    value(FIRST_FORMAT + 7, "changed-group-format"),
    flag(b'0', ""),
    flag(b'1', ""),
    flag(b'2', ""),
    flag(b'3', ""),
    flag(b'4', ""),
    flag(b'5', ""),
    flag(b'6', ""),
    flag(b'7', ""),
    flag(b'8', ""),
    flag(b'9', ""),
];

/// GNU's status when it cannot compare.
const TROUBLE: u8 = 2;

/// GNU takes a file with a NUL in its first block for a binary one.
const BLOCK: usize = 4096;

/// When the output has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Color {
    Never,
    /// At a terminal.
    Auto,
    Always,
}

struct Command<'a> {
    style: Style,
    formats: Formats,
    recursive: bool,
    new_file: bool,
    report_identical: bool,
    color: Color,
    text: bool,
    strip_cr: bool,
    equality: Equality,
    side: Layout,
    initial_tab: bool,
    heading: Option<Regex>,
    /// Patterns of names that are left out.
    excluded: Vec<Vec<u8>>,
    labels: Vec<&'a [u8]>,
    /// The options as they were given, for the lines before files in directories.
    switches: Vec<u8>,
    /// What is compared with what.
    pairs: Vec<[&'a [u8]; 2]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let pairs: Vec<[&[u8]; 2]> = match (parsed.last(FROM), parsed.last(TO), &parsed.operands[..]) {
        (None, None, [left, right]) => vec![[*left, *right]],
        (None, None, _) => return Err(Unsupported::mistake("any number of operands but two")),
        (Some(from), None, [_, ..]) => parsed.operands.iter().map(|file| [from, file]).collect(),
        (None, Some(to), [_, ..]) => parsed.operands.iter().map(|file| [file, to]).collect(),
        _ => return Err(Unsupported::new("--from-file with --to-file, or without operands")),
    };
    // Labels name one pair; standard input is read once; before files in directories the options are shown.
    if (parsed.has(FROM) || parsed.has(TO))
        && (parsed.has(b'r') || parsed.has(b'L') || parsed.operands.contains(&&b"-"[..]))
    {
        return Err(Unsupported::new("--from-file or --to-file with such options"));
    }
    let mut style = None;
    let mut context: usize = 0;
    let mut labels = Vec::new();
    let mut color = Color::Never;
    let mut formats = Formats::default();
    // `-NUM`: digits that follow each other are one number.
    let mut wished: Option<usize> = None;
    let mut before = 0;
    for &(letter, text) in &parsed.options {
        let previous = std::mem::replace(&mut before, letter);
        let asked = match letter {
            b'0'..=b'9' => {
                let tens = wished.filter(|_| previous.is_ascii_digit()).map_or(0, |number| number.saturating_mul(10));
                wished = Some(tens.saturating_add(usize::from(letter - b'0')).min(1 << 30));
                continue;
            }
            b'u' | b'U' | UNIFIED => b'u',
            b'c' | b'C' | CONTEXT => b'c',
            NORMAL => b'n',
            b'e' | b'y' => letter,
            b'n' => b'R',
            _ if let Some((_, which)) = FORMATS.iter().find(|(option, _)| *option == letter) => {
                formats.set(*which, text)?;
                b'D'
            }
            b'L' => {
                labels.push(text);
                continue;
            }
            COLOR => {
                color = match text {
                    b"never" => Color::Never,
                    b"" | b"auto" => Color::Auto,
                    b"always" => Color::Always,
                    _ => return Err(Unsupported::mistake(format!("the colour {}", text.escape_ascii()))),
                };
                continue;
            }
            _ => continue,
        };
        if style.is_some_and(|before| before != asked) {
            return Err(Unsupported::mistake("several output styles"));
        }
        style = Some(asked);
        if matches!(asked, b'e' | b'y' | b'R' | b'D') {
            continue;
        }
        let lines = match text {
            b"" if letter == b'U' || letter == b'C' => None,
            b"" => Some(3),
            text => std::str::from_utf8(text)
                .ok()
                .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|text| text.parse().ok())
                .filter(|lines| *lines < 1 << 30),
        };
        context =
            context.max(lines.ok_or_else(|| Unsupported::mistake(format!("the context {}", text.escape_ascii())))?);
    }
    if labels.len() > 2 {
        return Err(Unsupported::mistake("more than two labels"));
    }
    let number = |letter: u8, default: usize| match parsed.last(letter) {
        None => Ok(default),
        Some(text) => std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0'))
            .and_then(|text| text.parse().ok())
            .filter(|number| (1..=100_000).contains(number))
            .ok_or_else(|| Unsupported::mistake(format!("the number {}", text.escape_ascii()))),
    };
    let regex = |pattern: &[u8]| {
        Builder::new(Syntax::Grep)
            .bytes(hookshell_utility::locale::is_bytes(call.env))
            .build(pattern)
            .map_err(|_| Unsupported::mistake(format!("the pattern {}", pattern.escape_ascii())))
    };
    let all = |letter: u8| parsed.options.iter().filter(move |(own, _)| *own == letter).map(|(_, text)| *text);
    let mut headings = all(b'F').collect::<Vec<_>>();
    if parsed.has(b'p') {
        headings.push(b"^[[:alpha:]$_]");
        if style.is_none() {
            (style, context) = (Some(b'c'), 3);
        }
    }
    let heading = match headings[..] {
        [] => None,
        [heading] => Some(regex(heading)?),
        _ => return Err(Unsupported::new("several function lines")),
    };
    let ignored = all(b'I').map(regex).collect::<Result<Vec<_>, _>>()?;
    let mut excluded: Vec<_> = all(b'x').map(<[u8]>::to_vec).collect();
    for file in all(b'X') {
        excluded.extend(patterns_in(file, call)?);
    }
    if excluded.iter().any(|pattern| pattern.contains(&b'/')) {
        return Err(Unsupported::new("-x with a path"));
    }
    let odd = [b'b', b'w', b'Z'].iter().any(|letter| parsed.has(*letter));
    if parsed.has(b'E') && (odd || parsed.has(TAB_SIZE)) {
        return Err(Unsupported::new("-E with such options"));
    }
    if style == Some(b'y') && (parsed.has(b'r') || parsed.has(b'T') || parsed.has(b'q')) {
        return Err(Unsupported::new("-y with such options"));
    }
    // The lines of these two are coloured by rules of their own, and `auto` needs to know the output first.
    if color == Color::Always && matches!(style, Some(b'c' | b'y')) {
        return Err(Unsupported::new("colours of -c or -y"));
    }
    let tab = number(TAB_SIZE, 8)?;
    let side = Layout {
        width: number(b'W', 130)?,
        tab,
        expand_tabs: parsed.has(b't'),
        left_column: parsed.has(LEFT_COLUMN),
        suppress_common: parsed.has(SUPPRESS_COMMON),
    };
    let space = [(b'E', Space::Tabs), (b'w', Space::All), (b'b', Space::Amount), (b'Z', Space::Trailing)];
    Ok(Command {
        style: match style {
            _ if parsed.has(b'q') => Style::Brief,
            Some(b'u') => Style::Unified(context.max(wished.unwrap_or(0))),
            Some(b'c') => Style::Context(context.max(wished.unwrap_or(0))),
            Some(b'D') => Style::Formats,
            Some(b'e') => Style::Ed,
            Some(b'R') => Style::Rcs,
            Some(b'y') => Style::SideBySide,
            _ => Style::Normal,
        },
        formats: formats.complete(),
        recursive: parsed.has(b'r'),
        new_file: parsed.has(b'N'),
        report_identical: parsed.has(b's'),
        color,
        text: parsed.has(b'a'),
        strip_cr: parsed.has(STRIP_CR),
        equality: Equality {
            space: space.iter().find(|(letter, _)| parsed.has(*letter)).map_or(Space::Exact, |(_, space)| *space),
            fold: parsed.has(b'i'),
            minimal: parsed.has(b'd'),
            ignore_blank: parsed.has(b'B'),
            ignored,
        },
        side,
        initial_tab: parsed.has(b'T'),
        heading,
        excluded,
        labels,
        switches: switches(call),
        pairs,
    })
}

/// A pattern may stand in a file of so many bytes.
const MAX_PATTERNS: u64 = 1024 * 1024;

/// The patterns of a file, one a line, without blanks at its end.
fn patterns_in(file: &[u8], call: &UtilityCall<'_>) -> Result<Vec<Vec<u8>>, Unsupported> {
    let refused = || Unsupported::new(format!("-X {}", file.escape_ascii()));
    let path = call.cwd.join(hookshell_process::text::to_path(file));
    let metadata = std::fs::metadata(&path).map_err(|_| refused())?;
    if file == b"-"
        || hookshell_utility::special_file(file, call.cwd).is_some()
        || !metadata.is_file()
        || metadata.len() > MAX_PATTERNS
    {
        return Err(refused());
    }
    let text = std::fs::read(path).map_err(|_| refused())?;
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    Ok(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
}

/// The words that are options or their values, each with a blank before it.
fn switches(call: &UtilityCall<'_>) -> Vec<u8> {
    let mut switches = Vec::new();
    let mut is_value = false;
    for word in call.argv.iter_from(1) {
        let is_option = word.len() > 1 && word.starts_with(b"-");
        if !is_option && !is_value {
            continue;
        }
        switches.push(b' ');
        switches.extend_from_slice(&shell_word(word));
        if word == b"--" {
            break;
        }
        let long = word.starts_with(b"--");
        let is_format = word.starts_with(b"--") && (word.ends_with(b"-format") || word == b"--ifdef");
        let named: [&[u8]; 7] = [
            b"--label",
            b"--width",
            b"--tabsize",
            b"--exclude",
            b"--exclude-from",
            b"--ignore-matching-lines",
            b"--show-function-line",
        ];
        is_value = !is_value
            && (named.contains(&word)
                || is_format
                || (!long
                    && matches!(word.last(), Some(b'U' | b'C' | b'L' | b'F' | b'I' | b'W' | b'x' | b'X' | b'D'))));
    }
    switches
}

/// One of the two files.
struct Side {
    name: Vec<u8>,
    /// `None`: it is not there, and `-N` takes it for empty.
    metadata: Option<Metadata>,
    /// What standard input is read from, when it is one of the files.
    source: Option<Source>,
    /// Counts what was read of it.
    kept: Option<Kept>,
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
        let new_file = self.command.new_file && !inside_directory;
        let missing = |side: &io::Result<Side>| matches!(side, Err(error) if is_missing(error));
        let absent = |name: &Vec<u8>| Side { name: name.clone(), metadata: None, source: None, kept: None };
        let (left, right) = match (left, right) {
            (Ok(left), Ok(right)) => (left, right),
            (Ok(left), right) if new_file && missing(&right) => (left, absent(&names[1])),
            (left, Ok(right)) if new_file && missing(&left) => (absent(&names[0]), right),
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
            return self.directories(&left, &right);
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

    fn names(&mut self, left: &Side, right: &Side, between: &[u8], behind: &[u8]) -> Result<(), Failure> {
        self.out.push(&left.name)?;
        self.out.push(between)?;
        self.out.push(&right.name)?;
        self.out.push(behind)
    }

    fn entries(&mut self, side: &Side) -> Result<Option<Vec<Vec<u8>>>, Failure> {
        if side.metadata.is_none() {
            return Ok(Some(Vec::new()));
        }
        let listed = std::fs::read_dir(self.running().path(&side.name))
            .and_then(|entries| entries.map(|entry| Ok(from_os(&entry?.file_name()).into_owned())).collect());
        match listed {
            Ok(names) => {
                let mut names: Vec<Vec<u8>> = names;
                names.sort();
                Ok(Some(names))
            }
            Err(error) => {
                self.out.report_error(&side.name, &error)?;
                Ok(None)
            }
        }
    }

    fn directories(&mut self, left: &Side, right: &Side) -> Result<u8, Failure> {
        let (Some(lefts), Some(rights)) = (self.entries(left)?, self.entries(right)?) else {
            return Ok(TROUBLE);
        };
        let mut all: Vec<&Vec<u8>> = lefts.iter().chain(&rights).collect();
        all.sort();
        all.dedup();
        let options = Options { extglob: false, nocase: false, bytes: false };
        all.retain(|name| !self.command.excluded.iter().any(|pattern| matches(pattern, name, options)));
        let mut status = 0;
        for name in all {
            let here = [lefts.binary_search(name).is_ok(), rights.binary_search(name).is_ok()];
            let paths = [joined(&left.name, name), joined(&right.name, name)];
            if !self.command.new_file && here != [true, true] {
                self.out.push(b"Only in ")?;
                self.out.push(if here[0] { &left.name } else { &right.name })?;
                self.out.push(b": ")?;
                self.out.push(name)?;
                self.out.byte(b'\n')?;
                status = status.max(1);
                continue;
            }
            let mut sides = Vec::new();
            for (path, here) in paths.iter().zip(here) {
                if !here {
                    sides.push(Side { name: path.clone(), metadata: None, source: None, kept: None });
                    continue;
                }
                match std::fs::metadata(self.running().path(path)) {
                    Ok(metadata) => {
                        sides.push(Side { name: path.clone(), metadata: Some(metadata), source: None, kept: None });
                    }
                    Err(error) => {
                        self.out.report_error(path, &error)?;
                        status = TROUBLE;
                    }
                }
            }
            if let (Some(right), Some(left)) = (sides.pop(), sides.pop()) {
                // A directory that is on one side only is gone through with -r.
                let one_sided = left.metadata.is_none() || right.metadata.is_none();
                if one_sided && (left.is_dir() || right.is_dir()) && !self.command.recursive {
                    self.out.push(b"Common subdirectories: ")?;
                    self.names(&left, &right, b" and ", b"\n")?;
                    continue;
                }
                status = status.max(self.pair(left, right, true)?);
            }
        }
        Ok(status)
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
            for data in [&mut a, &mut b] {
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
                *data = stripped;
            }
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
        let (a, b) = (Text::new(&a), Text::new(&b));
        let context = match self.command.style {
            Style::Unified(lines) | Style::Context(lines) => lines,
            _ => 0,
        };
        let running = self.out.running();
        let changes = self.command.equality.changes(&a, &b, context, &|| running.check().is_err());
        running.check()?;
        let is_same = changes.iter().all(|change| change.ignored);
        let tells_identical = is_same && self.command.report_identical;
        let is_formatted = self.command.style == Style::Formats;
        if tells_identical && !is_formatted {
            self.told(b"Files ", &labels, b" are identical\n")?;
        }
        if is_same && !self.shows_all() {
            return self.ended(equal, &incomplete);
        }
        if self.command.style == Style::Brief {
            self.told(b"Files ", &labels, b" differ\n")?;
            return Ok(1);
        }
        if within {
            self.out.push(b"diff")?;
            self.out.push(&self.command.switches)?;
            self.out.byte(b' ')?;
            self.out.push(&quoted(&labels[0]))?;
            self.out.byte(b' ')?;
            self.out.push(&quoted(&labels[1]))?;
            self.out.byte(b'\n')?;
        }
        let colors = self.has_colors();
        let marks: Option<[&[u8]; 2]> = match self.command.style {
            Style::Unified(_) => Some([b"--- ", b"+++ "]),
            Style::Context(_) => Some([b"*** ", b"--- "]),
            _ => None,
        };
        if let Some(marks) = marks {
            for (at, ((mark, side), modified)) in marks.iter().zip([&left, &right]).zip(modified).enumerate() {
                self.out.push(if colors { BOLD } else { b"" })?;
                self.out.push(mark)?;
                match self.command.labels.get(at) {
                    Some(label) => self.out.push(label)?,
                    None => write_header(&side.name, modified, &mut self.out)?,
                }
                self.out.push(if colors { RESET } else { b"" })?;
                self.out.byte(b'\n')?;
            }
        }
        let side = self.command.side;
        if self.command.style == Style::SideBySide {
            Columns::new(&mut self.out, &a, &b, side).print(&changes)?;
            return Ok(u8::from(!is_same));
        }
        let mut printer = Printer {
            out: &mut self.out,
            left: &a,
            right: &b,
            expand_tabs: side.expand_tabs.then_some(side.tab),
            initial_tab: self.command.initial_tab,
            heading: self.command.heading.as_ref(),
            colors,
        };
        match self.command.style {
            Style::Ed => printer.ed(&changes)?,
            Style::Rcs => printer.rcs(&changes)?,
            Style::Normal | Style::Brief | Style::SideBySide => printer.normal(&changes)?,
            Style::Formats => printer.formatted(&changes, &self.command.formats)?,
            Style::Unified(context) => printer.unified(&changes, context)?,
            Style::Context(context) => printer.context(&changes, context)?,
        }
        if tells_identical && is_formatted {
            self.told(b"Files ", &labels, b" are identical\n")?;
        }
        self.ended(equal.max(u8::from(!is_same)), &incomplete)
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

    fn told(&mut self, before: &[u8], names: &[Vec<u8>; 2], behind: &[u8]) -> Result<(), Failure> {
        let [left, right] = names;
        for text in [before, left, b" and ", right, behind] {
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
