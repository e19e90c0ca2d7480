//! The command line of grep.

use hookshell_utility::io::{LONGEST_PROGRAM, Running, read_file, reason};
use hookshell_utility::locale;
use hookshell_utility::options::{OptionSpec, flag, optional, parse, value, with_digits};
use hookshell_utility::{Unsupported, UtilityCall, special_file};

use super::matcher::{Cache, Matcher};
use super::names::Names;
use super::source::{Kind, Source, Wrong};

/// When matches are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Color {
    Never,
    Terminal,
    Always,
}

impl Color {
    /// Is the output of this run coloured?
    pub(crate) fn applies(self, running: &Running<'_>) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Terminal => {
                let context = running.context();
                let usable = context.variable("TERM").is_some_and(|term| !term.is_empty() && term != "dumb");
                usable && context.stdout().is_some_and(|out| out.is_terminal())
            }
        }
    }
}

/// What is done with binary files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Message,
    Text,
    WithoutMatch,
}

/// What is done with directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directories {
    Read,
    Recurse,
    Skip,
}

/// What is done with devices, FIFOs and sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Devices {
    /// Those that are operands are read.
    Operands,
    Read,
    Skip,
}

/// Names instead of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    None,
    Matching,
    NonMatching,
}

/// Where patterns come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin<'a> {
    Text(&'a [u8]),
    File(&'a [u8]),
}

#[derive(Debug)]
pub(crate) struct Command<'a> {
    pub(crate) source: Source,
    pub(crate) origins: Vec<Origin<'a>>,
    /// `None`: patterns come from a file that is read when it runs; the inner error is the message of a wrong pattern.
    pub(crate) matcher: Option<Result<Matcher, String>>,
    pub(crate) invert: bool,
    pub(crate) quiet: bool,
    pub(crate) count: bool,
    pub(crate) list: List,
    pub(crate) numbers: bool,
    pub(crate) offsets: bool,
    pub(crate) only_matching: bool,
    /// `-H` and `-h`.
    pub(crate) with_name: Option<bool>,
    pub(crate) silent: bool,
    pub(crate) max_count: u64,
    pub(crate) before: Option<u64>,
    pub(crate) after: Option<u64>,
    pub(crate) separator: Option<&'a [u8]>,
    pub(crate) binary: Binary,
    pub(crate) directories: Directories,
    pub(crate) devices: Devices,
    pub(crate) follow: bool,
    pub(crate) files: Names<'a>,
    /// Streams that hold names to leave out, and their places in `files`: they are read when it runs.
    pub(crate) excluded_from: Vec<(usize, &'a [u8])>,
    pub(crate) excluded_directories: Names<'a>,
    pub(crate) null_names: bool,
    pub(crate) color: Color,
    pub(crate) line_buffered: bool,
    pub(crate) label: &'a [u8],
    pub(crate) initial_tab: bool,
    /// How often `-u` was given, which means nothing any more.
    pub(crate) obsolete: usize,
    pub(crate) operands: Vec<&'a [u8]>,
}

// Long options without a letter have one of their own above ASCII.
const INCLUDE: u8 = 0x80;
const EXCLUDE: u8 = 0x81;
const EXCLUDE_DIR: u8 = 0x82;
const COLOR: u8 = 0x83;
const LINE_BUFFERED: u8 = 0x84;
const BINARY_FILES: u8 = 0x85;
const LABEL: u8 = 0x86;
const SEPARATOR: u8 = 0x87;
const NO_SEPARATOR: u8 = 0x88;
const NO_IGNORE_CASE: u8 = 0x89;
const EXCLUDE_FROM: u8 = 0x8a;

const OPTIONS: &[OptionSpec] = &with_digits::<60>(
    &[
        flag(b'E', "extended-regexp"),
        flag(b'F', "fixed-strings"),
        flag(b'F', "fixed-regexp"),
        flag(b'G', "basic-regexp"),
        flag(b'P', "perl-regexp"),
        value(b'e', "regexp"),
        value(b'f', "file"),
        flag(b'i', "ignore-case"),
        flag(b'y', ""),
        flag(NO_IGNORE_CASE, "no-ignore-case"),
        flag(b'w', "word-regexp"),
        flag(b'x', "line-regexp"),
        flag(b'z', "null-data"),
        flag(b's', "no-messages"),
        flag(b'v', "invert-match"),
        value(b'm', "max-count"),
        flag(b'b', "byte-offset"),
        flag(b'n', "line-number"),
        flag(LINE_BUFFERED, "line-buffered"),
        flag(b'H', "with-filename"),
        flag(b'h', "no-filename"),
        value(LABEL, "label"),
        flag(b'o', "only-matching"),
        flag(b'q', "quiet"),
        flag(b'q', "silent"),
        value(BINARY_FILES, "binary-files"),
        flag(b'a', "text"),
        flag(b'I', ""),
        value(b'd', "directories"),
        value(b'D', "devices"),
        flag(b'r', "recursive"),
        flag(b'R', "dereference-recursive"),
        value(INCLUDE, "include"),
        value(EXCLUDE, "exclude"),
        value(EXCLUDE_FROM, "exclude-from"),
        value(EXCLUDE_DIR, "exclude-dir"),
        flag(b'L', "files-without-match"),
        flag(b'l', "files-with-matches"),
        flag(b'c', "count"),
        flag(b'T', "initial-tab"),
        flag(b'Z', "null"),
        value(b'B', "before-context"),
        value(b'A', "after-context"),
        value(b'C', "context"),
        value(SEPARATOR, "group-separator"),
        flag(NO_SEPARATOR, "no-group-separator"),
        optional(COLOR, "color"),
        optional(COLOR, "colour"),
        flag(b'U', "binary"),
        flag(b'u', "unix-byte-offsets"),
    ],
    flag(b'0', ""),
);

/// The largest number of lines, as GNU's.
const LARGEST: u64 = i64::MAX as u64;

fn number(text: &[u8]) -> Result<u64, Unsupported> {
    let wrong = || Unsupported::mistake(format!("the number {}", text.escape_ascii()));
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return Err(wrong());
    }
    // Above the largest number there is no difference.
    Ok(std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(LARGEST).min(LARGEST))
}

/// Reads the command line and compiles the patterns.
pub(crate) fn read<'a>(call: &UtilityCall<'a>, kind: Kind, cache: &Cache) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut command = Command {
        source: Source {
            kind,
            ignore_case: false,
            words: false,
            lines: false,
            parts: false,
            bytes: locale::is_bytes(call.env),
            end: b'\n',
            patterns: Vec::new(),
        },
        origins: Vec::new(),
        matcher: None,
        invert: false,
        quiet: false,
        count: false,
        list: List::None,
        numbers: false,
        offsets: false,
        only_matching: false,
        with_name: None,
        silent: false,
        max_count: u64::MAX,
        before: None,
        after: None,
        separator: Some(b"--"),
        binary: Binary::Message,
        directories: Directories::Read,
        devices: Devices::Operands,
        follow: false,
        files: Names::default(),
        excluded_from: Vec::new(),
        excluded_directories: Names::default(),
        null_names: false,
        color: Color::Never,
        line_buffered: false,
        label: b"(standard input)",
        initial_tab: false,
        obsolete: 0,
        operands: parsed.operands,
    };
    // `egrep` is `grep -E`.
    let mut given_kind = Some(kind).filter(|kind| *kind != Kind::Basic);
    let mut context = None;
    let mut digits = Digits::default();
    for (&(letter, value), &word) in parsed.options.iter().zip(&parsed.words) {
        let unsupported = || Err(Unsupported::mistake(format!("the value {}", value.escape_ascii())));
        if !letter.is_ascii_digit() {
            digits.word = None;
        }
        match letter {
            b'0'..=b'9' => context = Some(number(digits.with(letter, word))?),
            b'E' | b'F' | b'G' | b'P' => {
                let kind = match letter {
                    b'E' => Kind::Extended,
                    b'F' => Kind::Fixed,
                    b'G' => Kind::Basic,
                    _ => Kind::Perl,
                };
                if given_kind.is_some_and(|given| given != kind) {
                    return Err(Unsupported::mistake("several kinds of patterns"));
                }
                given_kind = Some(kind);
                command.source.kind = kind;
            }
            b'e' => command.origins.push(Origin::Text(value)),
            b'f' => command.origins.push(Origin::File(value)),
            b'i' | b'y' => command.source.ignore_case = true,
            NO_IGNORE_CASE => command.source.ignore_case = false,
            b'w' => command.source.words = true,
            b'x' => command.source.lines = true,
            b'z' => command.source.end = 0,
            b's' => command.silent = true,
            b'v' => command.invert = true,
            // A negative number is none.
            b'm' => command.max_count = if value == b"-1" { u64::MAX } else { number(value)? },
            b'b' => command.offsets = true,
            b'n' => command.numbers = true,
            LINE_BUFFERED => command.line_buffered = true,
            b'H' => command.with_name = Some(true),
            b'h' => command.with_name = Some(false),
            LABEL => command.label = value,
            b'o' => command.only_matching = true,
            b'q' => command.quiet = true,
            b'a' => command.binary = Binary::Text,
            b'I' => command.binary = Binary::WithoutMatch,
            BINARY_FILES => {
                command.binary = match value {
                    b"binary" => Binary::Message,
                    b"text" => Binary::Text,
                    b"without-match" => Binary::WithoutMatch,
                    _ => return unsupported(),
                }
            }
            b'd' => {
                command.directories = match value {
                    b"read" => Directories::Read,
                    b"recurse" => Directories::Recurse,
                    b"skip" => Directories::Skip,
                    _ => return Err(Unsupported::choice(value)),
                }
            }
            b'D' => {
                command.devices = match value {
                    b"read" => Devices::Read,
                    b"skip" => Devices::Skip,
                    _ => return unsupported(),
                }
            }
            b'r' | b'R' => {
                command.directories = Directories::Recurse;
                command.follow = letter == b'R';
            }
            INCLUDE | EXCLUDE => command.files.push(letter == INCLUDE, value),
            EXCLUDE_FROM => {
                if is_stream(call, value) {
                    command.excluded_from.push((command.files.len(), value));
                    continue;
                }
                let path = call.cwd.join(hookshell_process::text::to_path(value));
                match read_file(&path, call.cwd, LONGEST_PROGRAM) {
                    Ok(Some(text)) => command.files.exclude_lines(command.files.len(), &text, true),
                    Ok(None) => command.excluded_from.push((command.files.len(), value)),
                    Err(error) => {
                        let message = format!("{}: {}", String::from_utf8_lossy(value), reason(&error));
                        command.matcher = Some(Err(message));
                        return Ok(command);
                    }
                }
            }
            EXCLUDE_DIR => {
                let end = value.iter().rposition(|byte| *byte != b'/').map_or(value.len().min(1), |at| at + 1);
                command.excluded_directories.push(false, value.get(..end).unwrap_or(value));
            }
            b'L' => command.list = List::NonMatching,
            b'l' => command.list = List::Matching,
            b'c' => command.count = true,
            b'T' => command.initial_tab = true,
            b'Z' => command.null_names = true,
            b'A' => command.after = Some(number(value)?),
            b'B' => command.before = Some(number(value)?),
            b'C' => context = Some(number(value)?),
            SEPARATOR => command.separator = Some(value),
            NO_SEPARATOR => command.separator = None,
            COLOR => {
                command.color = match value {
                    b"never" | b"no" | b"none" => Color::Never,
                    b"" | b"auto" | b"tty" | b"if-tty" => Color::Terminal,
                    b"always" | b"yes" | b"force" => Color::Always,
                    _ => return unsupported(),
                };
            }
            b'u' => command.obsolete += 1,
            // -U: there are no carriage returns to keep.
            _ => {}
        }
    }
    command.before = command.before.or(context);
    command.after = command.after.or(context);
    if command.origins.is_empty() {
        if command.operands.is_empty() {
            return Err(Unsupported::mistake("a call without patterns"));
        }
        command.origins.push(Origin::Text(command.operands.remove(0)));
    }
    if command.initial_tab && (command.numbers || command.offsets) {
        // GNU pads the numbers by the size of the file.
        return Err(Unsupported::new("-T with -n or -b"));
    }
    command.source.parts = command.only_matching || command.color != Color::Never;
    let mut patterns = Vec::new();
    for origin in &command.origins {
        match origin {
            Origin::Text(text) => add(&mut patterns, text),
            // All are read in their order when it runs.
            Origin::File(name) if is_stream(call, name) => return Ok(command),
            Origin::File(name) => {
                let path = call.cwd.join(hookshell_process::text::to_path(name));
                match read_file(&path, call.cwd, LONGEST_PROGRAM) {
                    Ok(None) => return Ok(command),
                    Ok(Some(text)) if text.is_empty() => {}
                    Ok(Some(text)) => add(&mut patterns, text.strip_suffix(b"\n").unwrap_or(&text)),
                    Err(error) => {
                        let message = format!("{}: {}", String::from_utf8_lossy(name), reason(&error));
                        command.matcher = Some(Err(message));
                        return Ok(command);
                    }
                }
            }
        }
    }
    let matcher = command.compile(patterns, cache)?;
    command.matcher = Some(matcher);
    Ok(command)
}

/// The digits of `-NUM`: those that follow each other in one word are a number.
#[derive(Debug, Default)]
struct Digits {
    text: Vec<u8>,
    /// The word of the last option, if that was a digit.
    word: Option<usize>,
}

impl Digits {
    /// The number with one digit more, or a new one.
    fn with(&mut self, digit: u8, word: usize) -> &[u8] {
        if self.word != Some(word) {
            self.text.clear();
        }
        self.word = Some(word);
        self.text.push(digit);
        &self.text
    }
}

/// Adds patterns to a list.
pub(crate) fn add(patterns: &mut Vec<u8>, text: &[u8]) {
    patterns.extend_from_slice(text);
    patterns.push(b'\n');
}

/// Does the name mean a descriptor or a device, and no file?
fn is_stream(call: &UtilityCall<'_>, name: &[u8]) -> bool {
    name == b"-" || special_file(name, call.cwd).is_some()
}

impl Command<'_> {
    /// Compiles the list of patterns, each with a newline.
    pub(crate) fn compile(
        &mut self,
        mut patterns: Vec<u8>,
        cache: &Cache,
    ) -> Result<Result<Matcher, String>, Unsupported> {
        if patterns.pop().is_none() {
            // No pattern matches nothing: as if every line were looked for, the other way round.
            self.invert = !self.invert;
            self.source.words = false;
            self.source.lines = false;
        }
        self.source.patterns = patterns;
        match cache.compile(&self.source) {
            Ok(matcher) => Ok(Ok(matcher)),
            Err(Wrong::Message(message)) => Ok(Err(message)),
            Err(Wrong::Unsupported(what)) => Err(Unsupported::new(what)),
        }
    }

    /// Can no line be selected?
    pub(crate) fn selects_nothing(&self) -> bool {
        let everything = self.source.patterns.is_empty() && !self.source.words && !self.source.lines;
        self.list != List::NonMatching && (self.max_count == 0 || everything && self.invert)
    }
}
