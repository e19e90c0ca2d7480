//! The command line of `ls`.

use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, parse, value};
use hookshell_utility::zone::Zone;
use hookshell_utility::{Unsupported, UtilityCall};

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
    optional(b'F', "classify"),
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
}

/// What the command line says.
pub(super) struct Command<'a> {
    pub(super) parsed: Parsed<'a>,
    pub(super) layout: Option<Layout>,
    pub(super) order: Order,
    pub(super) marks: Marks,
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
    /// What ends a line.
    pub(super) end: u8,
    pub(super) color: When,
}

fn number(text: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(text).ok().filter(|text| !text.is_empty())?;
    // A leading zero makes an octal number.
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|number| plain && *number <= 4096)
}

/// The formats of a style of times: for old ones, and for recent ones.
fn time_style(text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let same = |format: &[u8]| Some((format.to_vec(), format.to_vec()));
    match text {
        b"locale" => Some((b"%b %e  %Y".to_vec(), b"%b %e %H:%M".to_vec())),
        b"full-iso" => same(b"%Y-%m-%d %H:%M:%S.%N %z"),
        b"long-iso" => same(b"%Y-%m-%d %H:%M"),
        b"iso" => Some((b"%Y-%m-%d ".to_vec(), b"%m-%d %H:%M".to_vec())),
        [b'+', format @ ..] if !format.contains(&b'\n') => same(format),
        _ => None,
    }
}

pub(super) fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    for name in ["BLOCK_SIZE", "LS_BLOCK_SIZE", "BLOCKSIZE", "QUOTING_STYLE", "TABSIZE", "POSIXLY_CORRECT"] {
        if call.env.iter().any(|(known, _)| known == name) {
            return Err(Unsupported::new(format!("{name} in the environment")));
        }
    }
    let columns = call.env.iter().find(|(name, _)| name == "COLUMNS").map(|(_, value)| value);
    let width = match columns {
        None => 80,
        Some(text) => text
            .to_str()
            .and_then(|text| number(text.as_bytes()))
            .filter(|width| *width > 0)
            .ok_or_else(|| Unsupported::new("this value of COLUMNS"))?,
    };
    let mut command = Command {
        layout: None,
        order: Order::Name,
        marks: Marks::None,
        ignored: Ignored::default(),
        time: WhichTime::Modified,
        formats: (b"%b %e  %Y".to_vec(), b"%b %e %H:%M".to_vec()),
        zone: Zone::of(call.env)?,
        width,
        tab: 8,
        size_unit: Unit::Of(1, ""),
        block_unit: Unit::Of(1024, ""),
        quoting: None,
        end: b'\n',
        color: When::Never,
        parsed: Parsed::default(),
    };
    if let Some((_, style)) = call.env.iter().find(|(name, _)| *name == "TIME_STYLE") {
        let style = hookshell_process::text::from_os(style);
        let formats = time_style(&style).filter(|formats| check_format(&formats.0).is_ok());
        command.formats = formats.ok_or_else(|| Unsupported::new("this TIME_STYLE in the environment"))?;
    }
    let mut order = None;
    for &(option, text) in &parsed.options {
        let unsupported = || Unsupported::mistake(format!("the value {}", text.escape_ascii()));
        match option {
            b'1' if command.layout != Some(Layout::Long) => command.layout = Some(Layout::OnePerLine),
            b'l' | b'g' | b'n' | b'o' => command.layout = Some(Layout::Long),
            b'C' => command.layout = Some(Layout::Columns),
            b'x' => command.layout = Some(Layout::Rows),
            b'm' => command.layout = Some(Layout::Commas),
            FORMAT => {
                command.layout = Some(match text {
                    b"verbose" | b"long" => Layout::Long,
                    b"commas" => Layout::Commas,
                    b"horizontal" | b"across" => Layout::Rows,
                    b"vertical" => Layout::Columns,
                    b"single-column" => Layout::OnePerLine,
                    _ => return Err(unsupported()),
                });
            }
            b'a' => (command.ignored.hidden, command.ignored.special) = (false, false),
            // Of both the last one counts.
            b'A' => (command.ignored.hidden, command.ignored.special) = (false, true),
            b'B' => command.ignored.backups = true,
            b'I' => command.ignored.patterns.push(text),
            HIDE => command.ignored.hiding.push(text),
            b'f' => {
                if parsed.options.len() > 1 {
                    return Err(Unsupported::new("-f with other options"));
                }
                (command.ignored.hidden, command.ignored.special) = (false, false);
                order = Some(Order::None);
            }
            b'F' => match text {
                b"" | b"always" => command.marks = Marks::All,
                _ => return Err(unsupported()),
            },
            b'p' => command.marks = Marks::Slash,
            FILE_TYPE => command.marks = Marks::Types,
            INDICATOR => {
                command.marks = match text {
                    b"none" => Marks::None,
                    b"slash" => Marks::Slash,
                    b"file-type" => Marks::Types,
                    b"classify" => Marks::All,
                    _ => return Err(unsupported()),
                };
            }
            b'S' => order = Some(Order::Size),
            b't' => order = Some(Order::Time),
            b'X' => order = Some(Order::Extension),
            b'v' => order = Some(Order::Version),
            b'U' => order = Some(Order::None),
            SORT => {
                order = Some(match text {
                    b"none" => Order::None,
                    b"size" => Order::Size,
                    b"time" => Order::Time,
                    b"extension" => Order::Extension,
                    b"version" => Order::Version,
                    _ => return Err(unsupported()),
                });
            }
            b'c' => command.time = WhichTime::Changed,
            b'u' => command.time = WhichTime::Accessed,
            TIME => {
                command.time = match text {
                    b"atime" | b"access" | b"use" => WhichTime::Accessed,
                    b"ctime" | b"status" => WhichTime::Changed,
                    _ => return Err(unsupported()),
                };
            }
            COLOR => {
                command.color = match text {
                    b"" | b"always" | b"yes" | b"force" => When::Always,
                    b"auto" | b"tty" | b"if-tty" => When::AtTerminal,
                    b"never" | b"no" | b"none" => When::Never,
                    _ => return Err(unsupported()),
                };
            }
            FULL_TIME => {
                command.layout = Some(Layout::Long);
                let format = b"%Y-%m-%d %H:%M:%S.%N %z".to_vec();
                command.formats = (format.clone(), format);
            }
            TIME_STYLE => {
                command.formats = time_style(text).ok_or_else(unsupported)?;
                check_format(&command.formats.0)?;
            }
            b'h' => (command.size_unit, command.block_unit) = (Unit::Human(1024), Unit::Human(1024)),
            SI => (command.size_unit, command.block_unit) = (Unit::Human(1000), Unit::Human(1000)),
            BLOCK_SIZE => {
                let unit = Unit::read(text).ok_or_else(unsupported)?;
                (command.size_unit, command.block_unit) = (unit, unit);
            }
            b'w' => command.width = number(text).ok_or_else(unsupported)?,
            b'T' => command.tab = number(text).ok_or_else(unsupported)?,
            b'N' => command.quoting = Some(Quoting::Literal),
            b'Q' => command.quoting = Some(Quoting::C),
            b'b' => command.quoting = Some(Quoting::Escape),
            QUOTING => {
                command.quoting = Some(match text {
                    b"literal" => Quoting::Literal,
                    b"c" => Quoting::C,
                    b"escape" => Quoting::Escape,
                    b"shell-escape-always" => Quoting::Shell,
                    _ => return Err(unsupported()),
                });
            }
            ZERO => {
                if parsed.options.iter().any(|(other, _)| !matches!(*other, ZERO | b'a' | b'A' | b'r' | b't' | b'S')) {
                    return Err(Unsupported::new("--zero with such options"));
                }
                command.end = 0;
                command.layout = Some(Layout::OnePerLine);
                command.quoting = Some(Quoting::Literal);
            }
            _ => {}
        }
    }
    if parsed.has(b'q') && !matches!(command.quoting, None | Some(Quoting::Literal)) {
        return Err(Unsupported::new("-q with quoted names"));
    }
    let is_long = command.layout == Some(Layout::Long);
    // Without -l, and with no order named, -c and -u sort by that time.
    command.order =
        order.unwrap_or(if command.time != WhichTime::Modified && !is_long { Order::Time } else { Order::Name });
    Ok(Command { parsed, ..command })
}
