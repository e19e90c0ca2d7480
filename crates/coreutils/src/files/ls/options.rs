//! The command line of `ls`.

use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, choice, flag, optional, parse, value};
use hookshell_utility::zone::Zone;
use hookshell_utility::{Environment, Unsupported, UtilityCall, locale, quote};

use super::color::When;
use super::name::{Ignored, Quoting};
use super::size::Unit;
use crate::date::check_format;

const COLOR: u8 = LONG_ONLY;
pub(super) const DIRECTORIES_FIRST: u8 = LONG_ONLY + 1;
const TIME_STYLE: u8 = LONG_ONLY + 2;
const FULL_TIME: u8 = LONG_ONLY + 3;
const FILE_TYPE: u8 = LONG_ONLY + 4;
const SORT: u8 = LONG_ONLY + 5;
const HIDE: u8 = LONG_ONLY + 6;
const BLOCK_SIZE: u8 = LONG_ONLY + 7;
const SI: u8 = LONG_ONLY + 8;
pub(super) const AUTHOR: u8 = LONG_ONLY + 9;
const TIME: u8 = LONG_ONLY + 10;
const FORMAT: u8 = LONG_ONLY + 11;
const QUOTING: u8 = LONG_ONLY + 12;
const INDICATOR: u8 = LONG_ONLY + 13;
const ZERO: u8 = LONG_ONLY + 14;
const HYPERLINK: u8 = LONG_ONLY + 15;
pub(super) const FOLLOW_DIRECTORIES: u8 = LONG_ONLY + 16;
const SHOW_CONTROL: u8 = LONG_ONLY + 17;
const CLASSIFY: u8 = LONG_ONLY + 18;
const OPTIONS: &[OptionSpec] = &[
    flag(b'1', ""),
    flag(b'a', "all"),
    flag(b'A', "almost-all"),
    flag(b'b', "escape"),
    flag(b'B', "ignore-backups"),
    flag(b'c', ""),
    flag(b'C', ""),
    flag(b'd', "directory"),
    flag(b'f', ""),
    // The letter has no value: `ls -Fl`.
    flag(b'F', ""),
    optional(CLASSIFY, "classify"),
    flag(b'g', ""),
    flag(b'G', "no-group"),
    flag(b'h', "human-readable"),
    flag(b'H', "dereference-command-line"),
    flag(b'i', "inode"),
    value(b'I', "ignore"),
    flag(b'k', "kibibytes"),
    flag(b'l', ""),
    flag(b'L', "dereference"),
    flag(b'm', ""),
    flag(b'n', "numeric-uid-gid"),
    flag(b'N', "literal"),
    flag(b'o', ""),
    flag(b'p', ""),
    flag(b'q', "hide-control-chars"),
    flag(b'Q', "quote-name"),
    flag(b'r', "reverse"),
    flag(b'R', "recursive"),
    flag(b's', "size"),
    flag(b'S', ""),
    flag(b't', ""),
    value(b'T', "tabsize"),
    flag(b'u', ""),
    flag(b'U', ""),
    flag(b'v', ""),
    value(b'w', "width"),
    flag(b'x', ""),
    flag(b'X', ""),
    optional(COLOR, "color"),
    flag(DIRECTORIES_FIRST, "group-directories-first"),
    value(TIME_STYLE, "time-style"),
    flag(FULL_TIME, "full-time"),
    flag(FILE_TYPE, "file-type"),
    value(SORT, "sort"),
    value(HIDE, "hide"),
    value(BLOCK_SIZE, "block-size"),
    flag(SI, "si"),
    flag(AUTHOR, "author"),
    value(TIME, "time"),
    value(FORMAT, "format"),
    value(QUOTING, "quoting-style"),
    value(INDICATOR, "indicator-style"),
    flag(ZERO, "zero"),
    flag(b'Z', "context"),
    optional(HYPERLINK, "hyperlink"),
    flag(FOLLOW_DIRECTORIES, "dereference-command-line-symlink-to-dir"),
    flag(SHOW_CONTROL, "show-control-chars"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    OnePerLine,
    Long,
    /// Down the columns.
    Columns,
    /// Across.
    Rows,
    Commas,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Name,
    Size,
    Time,
    Extension,
    Version,
    /// By the columns that the name takes.
    Width,
    None,
}

/// Which marks stand after names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    None,
    /// `-p`
    Slash,
    /// `--file-type`
    Types,
    /// `-F`
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhichTime {
    Modified,
    Accessed,
    Changed,
    Born,
}

/// What the command line says.
pub(super) struct Command<'a> {
    pub(super) parsed: Parsed<'a>,
    pub(super) layout: Option<Layout>,
    pub(super) order: Order,
    pub(super) marks: Marks,
    /// All marks at a terminal.
    pub(super) marks_at_terminal: bool,
    pub(super) ignored: Ignored<'a>,
    pub(super) time: WhichTime,
    /// Formats for older and newer times.
    pub(super) formats: (Vec<u8>, Vec<u8>),
    pub(super) zone: Zone,
    /// 0 is without end.
    pub(super) width: usize,
    /// 0: no tabs.
    pub(super) tab: usize,
    /// Of files, in long listings.
    pub(super) size_unit: Unit,
    /// Of the blocks that they take.
    pub(super) block_unit: Unit,
    /// `None`: as the terminal wants it.
    pub(super) quoting: Option<Quoting>,
    /// What is said of `COLUMNS`, where a width is needed.
    pub(super) width_warning: Option<Vec<u8>>,
    /// What is said of `QUOTING_STYLE`.
    pub(super) quoting_warning: Option<Vec<u8>>,
    /// What ends a line.
    pub(super) end: u8,
    pub(super) color: When,
    /// Names are links for the terminal.
    pub(super) links: When,
    /// `-s`
    pub(super) has_blocks: bool,
    /// `-q`
    pub(super) hides_control: bool,
}

fn number(text: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(text).ok().filter(|text| !text.is_empty())?;
    // A leading zero makes an octal number.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|number| plain && *number <= 4096)
}

/// The formats of a style of times: for old ones, and for recent ones.
fn time_style(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    const STYLES: [(&str, (&str, &str)); 4] = [
        ("locale", ("%b %e  %Y", "%b %e %H:%M")),
        ("full-iso", (FULL_ISO, FULL_ISO)),
        ("long-iso", ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M")),
        ("iso", ("%Y-%m-%d ", "%m-%d %H:%M")),
    ];
    if let [b'+', format @ ..] = text {
        return Some((format.to_vec(), format.to_vec())).filter(|_| !format.contains(&b'\n'));
    }
    // Which says that the locale POSIX has its own.
    let text = text.strip_prefix(b"posix-").unwrap_or(text);
    choice(text, &STYLES).map(|(old, recent)| (old.as_bytes().to_vec(), recent.as_bytes().to_vec()))
}

const FULL_ISO: &str = "%Y-%m-%d %H:%M:%S.%N %z";

const FORMATS: &[(&str, Layout)] = &[
    ("verbose", Layout::Long),
    ("long", Layout::Long),
    ("commas", Layout::Commas),
    ("horizontal", Layout::Rows),
    ("across", Layout::Rows),
    ("vertical", Layout::Columns),
    ("single-column", Layout::OnePerLine),
];

const INDICATORS: &[(&str, Marks)] =
    &[("none", Marks::None), ("slash", Marks::Slash), ("file-type", Marks::Types), ("classify", Marks::All)];

const ORDERS: &[(&str, Order)] = &[
    ("none", Order::None),
    ("time", Order::Time),
    ("size", Order::Size),
    ("extension", Order::Extension),
    ("version", Order::Version),
    ("width", Order::Width),
];

const TIMES: &[(&str, WhichTime)] = &[
    ("atime", WhichTime::Accessed),
    ("access", WhichTime::Accessed),
    ("use", WhichTime::Accessed),
    ("ctime", WhichTime::Changed),
    ("status", WhichTime::Changed),
    ("birth", WhichTime::Born),
    ("creation", WhichTime::Born),
];

const WHEN: &[(&str, When)] = &[
    ("always", When::Always),
    ("yes", When::Always),
    ("force", When::Always),
    ("never", When::Never),
    ("no", When::Never),
    ("none", When::Never),
    ("auto", When::AtTerminal),
    ("tty", When::AtTerminal),
    ("if-tty", When::AtTerminal),
];

/// The styles that are the same in all locales.
const QUOTINGS: [(&str, Quoting); 8] = [
    ("literal", Quoting::Literal),
    ("shell", Quoting::ShellRaw { always: false }),
    ("shell-always", Quoting::ShellRaw { always: true }),
    ("shell-escape", Quoting::ShellIfNeeded),
    ("shell-escape-always", Quoting::Shell),
    ("c", Quoting::C),
    ("c-maybe", Quoting::CIfNeeded),
    ("escape", Quoting::Escape),
];

/// All styles. Two have the quotes of the locale.
fn quotings(env: &Environment) -> Vec<(&'static str, Quoting)> {
    let (locale, clocale) = match locale::is_bytes(env) {
        true => (("'", "'"), ("\"", "\"")),
        false => (("\u{2018}", "\u{2019}"), ("\u{2018}", "\u{2019}")),
    };
    let of_locale = |(left, right): (&'static str, &'static str)| Quoting::Locale { left, right };
    let mut all = QUOTINGS.to_vec();
    all.extend([("locale", of_locale(locale)), ("clocale", of_locale(clocale))]);
    all
}

/// When, of `--color` and its like: always, where nothing is said.
fn when(text: &[u8]) -> Option<When> {
    if text.is_empty() { Some(When::Always) } else { choice(text, WHEN) }
}

pub(super) fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    for name in ["BLOCK_SIZE", "LS_BLOCK_SIZE", "BLOCKSIZE", "TABSIZE", "POSIXLY_CORRECT"] {
        if call.env.iter().any(|(known, _)| known == name) {
            return Err(Unsupported::new(format!("{name} in the environment")));
        }
    }
    let variable = |name: &str| {
        let value = call.env.iter().find(|(known, _)| known == name);
        value.map(|(_, value)| value.as_encoded_bytes())
    };
    let ignored =
        |what: &str, value: &[u8]| [format!("ignoring invalid {what} ").as_bytes(), &quote::locale(value)].concat();
    let (mut width, mut width_warning) = (80, None);
    if let Some(text) = variable("COLUMNS").filter(|text| !text.is_empty()) {
        match number(text) {
            Some(columns) => width = columns,
            None => width_warning = Some(ignored("width in environment variable COLUMNS:", text)),
        }
    }
    let quotings = quotings(call.env);
    let (mut quoting, mut quoting_warning) = (None, None);
    if let Some(text) = variable("QUOTING_STYLE") {
        quoting = choice(text, &quotings);
        if quoting.is_none() {
            quoting_warning = Some(ignored("value of environment variable QUOTING_STYLE:", text));
        }
    }
    let mut command = Command {
        layout: None,
        order: Order::Name,
        marks: Marks::None,
        marks_at_terminal: false,
        ignored: Ignored::default(),
        time: WhichTime::Modified,
        formats: (b"%b %e  %Y".to_vec(), b"%b %e %H:%M".to_vec()),
        zone: Zone::of(call.env)?,
        width,
        tab: 8,
        size_unit: Unit::Of(1, ""),
        block_unit: Unit::Of(1024, ""),
        quoting,
        width_warning,
        quoting_warning,
        end: b'\n',
        color: When::Never,
        links: When::Never,
        has_blocks: false,
        hides_control: false,
        parsed: Parsed::default(),
    };
    if let Some((_, style)) = call.env.iter().find(|(name, _)| *name == "TIME_STYLE") {
        let style = hookshell_process::text::from_os(style);
        let formats = time_style(&style).filter(|formats| check_format(&formats.0).is_ok());
        command.formats = formats.ok_or_else(|| Unsupported::new("this TIME_STYLE in the environment"))?;
    }
    let mut order = None;
    let mut style: Option<&[u8]> = None;
    let mut marks_at_terminal = false;
    for &(option, text) in &parsed.options {
        let unsupported = || Unsupported::mistake(format!("the value {}", text.escape_ascii()));
        let no_choice = || Unsupported::choice(text);
        match option {
            b'1' if command.layout != Some(Layout::Long) => command.layout = Some(Layout::OnePerLine),
            b'l' | b'g' | b'n' | b'o' => command.layout = Some(Layout::Long),
            b'C' => command.layout = Some(Layout::Columns),
            b'x' => command.layout = Some(Layout::Rows),
            b'm' => command.layout = Some(Layout::Commas),
            FORMAT => command.layout = Some(choice(text, FORMATS).ok_or_else(no_choice)?),
            b'a' => (command.ignored.hidden, command.ignored.special) = (false, false),
            // Of both the last one counts.
            b'A' => (command.ignored.hidden, command.ignored.special) = (false, true),
            b'B' => command.ignored.backups = true,
            b'I' => command.ignored.patterns.push(text),
            HIDE => command.ignored.hiding.push(text),
            b'f' => {
                (command.ignored.hidden, command.ignored.special) = (false, false);
                order = Some(Order::None);
                command.layout = command.layout.filter(|layout| *layout != Layout::Long);
                (command.color, command.links, command.has_blocks) = (When::Never, When::Never, false);
            }
            b's' => command.has_blocks = true,
            b'F' => command.marks = Marks::All,
            CLASSIFY => match when(text).ok_or_else(no_choice)? {
                When::Always => command.marks = Marks::All,
                When::AtTerminal => marks_at_terminal = true,
                When::Never => {}
            },
            b'p' => command.marks = Marks::Slash,
            FILE_TYPE => command.marks = Marks::Types,
            INDICATOR => command.marks = choice(text, INDICATORS).ok_or_else(no_choice)?,
            b'S' => order = Some(Order::Size),
            b't' => order = Some(Order::Time),
            b'X' => order = Some(Order::Extension),
            b'v' => order = Some(Order::Version),
            b'U' => order = Some(Order::None),
            SORT => order = Some(choice(text, ORDERS).ok_or_else(no_choice)?),
            b'c' => command.time = WhichTime::Changed,
            b'u' => command.time = WhichTime::Accessed,
            TIME => command.time = choice(text, TIMES).ok_or_else(no_choice)?,
            COLOR => command.color = when(text).ok_or_else(no_choice)?,
            HYPERLINK => command.links = when(text).ok_or_else(no_choice)?,
            FULL_TIME => {
                command.layout = Some(Layout::Long);
                style = Some(&b"full-iso"[..]);
            }
            TIME_STYLE => style = Some(text),
            b'h' => (command.size_unit, command.block_unit) = (Unit::Human(1024), Unit::Human(1024)),
            SI => (command.size_unit, command.block_unit) = (Unit::Human(1000), Unit::Human(1000)),
            BLOCK_SIZE => {
                let unit = Unit::read(text).ok_or_else(unsupported)?;
                (command.size_unit, command.block_unit) = (unit, unit);
            }
            b'w' => {
                command.width = number(text).ok_or_else(unsupported)?;
                command.width_warning = None;
            }
            b'T' => command.tab = number(text).ok_or_else(unsupported)?,
            b'N' => command.quoting = Some(Quoting::Literal),
            b'Q' => command.quoting = Some(Quoting::C),
            b'b' => command.quoting = Some(Quoting::Escape),
            QUOTING => command.quoting = Some(choice(text, &quotings).ok_or_else(no_choice)?),
            b'q' => command.hides_control = true,
            SHOW_CONTROL => command.hides_control = false,
            ZERO => {
                command.end = 0;
                command.layout = command.layout.filter(|layout| *layout == Layout::Long).or(Some(Layout::OnePerLine));
                (command.color, command.hides_control) = (When::Never, false);
                command.quoting = Some(Quoting::Literal);
            }
            _ => {}
        }
    }
    if parsed.options.iter().any(|(option, _)| matches!(*option, b'N' | b'Q' | b'b' | QUOTING | ZERO)) {
        command.quoting_warning = None;
    }
    let is_long = command.layout == Some(Layout::Long);
    // It is looked at where times are shown.
    if let Some(style) = style.filter(|_| is_long) {
        let unknown = || Unsupported::mistake(format!("the value {}", style.escape_ascii()));
        command.formats = time_style(style).ok_or_else(unknown)?;
        check_format(&command.formats.0)?;
    }
    command.marks_at_terminal = marks_at_terminal && command.marks == Marks::None;
    // Without -l, and with no order named, -c and -u sort by that time.
    command.order =
        order.unwrap_or(if command.time != WhichTime::Modified && !is_long { Order::Time } else { Order::Name });
    Ok(Command { parsed, ..command })
}
