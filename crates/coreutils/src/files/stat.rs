//! `stat`: what the system knows of files.

use std::fs::Metadata;
use std::io::ErrorKind;

use hookshell_files::file_stat::{BLOCK, CHARACTER, DIRECTORY, FIFO, FileStat, LINK, REGULAR, SOCKET};
use hookshell_process::{system, text};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::zone::{Zone, since_epoch};
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use crate::date::{Moment, format};

/// `stat [-L] [-c FORMAT | --printf=FORMAT | -t] FILE…` (GNU). File systems (`-f`) and BSD's options are the real program's.
pub(crate) struct Stat;

const PRINTF: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] =
    &[value(b'c', "format"), value(PRINTF, "printf"), flag(b'L', "dereference"), flag(b't', "terse")];

struct Command<'a> {
    parsed: Parsed<'a>,
    shape: Shape,
    zone: Zone,
}

enum Shape {
    /// Lines for people; for devices there is one more item.
    Full {
        plain: Vec<Piece>,
        device: Vec<Piece>,
    },
    Given(Vec<Piece>),
}

/// What `-t` shows.
const TERSE: &[u8] = b"%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";

/// The lines without a format, around the name and what stands behind the number of links.
const FULL: [&[u8]; 2] = [
    b"  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: ",
    b"Access: (%04a/%10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n",
];

enum Piece {
    Text(Vec<u8>),
    Directive { part: Option<u8>, letter: u8, to_left: bool, zeros: bool, width: usize },
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    if cfg!(target_os = "macos") {
        return Err(Unsupported::new("this system's options"));
    }
    let parsed = parse(call.argv, OPTIONS)?;
    let formats: Vec<(u8, &[u8])> =
        parsed.options.iter().copied().filter(|(option, _)| matches!(*option, b'c' | PRINTF)).collect();
    if parsed.operands.contains(&&b"-"[..]) {
        return Err(Unsupported::new("the operand -"));
    }
    if call.env.iter().any(|(name, _)| name == "QUOTING_STYLE") {
        return Err(Unsupported::new("QUOTING_STYLE in the environment"));
    }
    let shape = match formats.last() {
        Some(&(kind, text)) => {
            let mut pieces = read_format(text, kind == PRINTF)
                .ok_or_else(|| Unsupported::mistake(format!("the format {}", text.escape_ascii())))?;
            if kind == b'c' {
                pieces.push(Piece::Text(b"\n".to_vec()));
            }
            Shape::Given(pieces)
        }
        None if parsed.has(b't') => Shape::Given(read_format(TERSE, false).unwrap_or_default()),
        None => {
            let [before, behind] = FULL;
            let lines = |links: &[u8]| read_format(&[before, links, behind].concat(), false).unwrap_or_default();
            Shape::Full { plain: lines(b"%h\n"), device: lines(b"%-5h Device type: %Hr,%Lr\n") }
        }
    };
    Ok(Command { parsed, shape, zone: Zone::of(call.env)? })
}

fn read_format(mut rest: &[u8], has_escapes: bool) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut literal = Vec::new();
    loop {
        match rest {
            [] => break,
            [b'%', b'%', tail @ ..] => {
                literal.push(b'%');
                rest = tail;
            }
            [b'%', tail @ ..] => {
                if tail.is_empty() {
                    literal.push(b'%');
                    break;
                }
                let (mut to_left, mut zeros, mut width) = (false, false, 0);
                let mut at = 0;
                loop {
                    match tail.get(at)? {
                        b'-' => to_left = true,
                        b'0' => zeros = true,
                        _ => break,
                    }
                    at += 1;
                }
                while let Some(digit @ b'0'..=b'9') = tail.get(at) {
                    width = width * 10 + usize::from(digit - b'0');
                    at += 1;
                    if width > 4096 {
                        return None;
                    }
                }
                // The major or the minor number of a device.
                let part = tail.get(at).copied().filter(|part| matches!(part, b'H' | b'L'));
                at += usize::from(part.is_some());
                let letter = *tail.get(at)?;
                let known: &[u8] = if part.is_some() { b"dr" } else { b"aAbBdDfFgGhinNorRstTuUwWxXyYzZ" };
                if !known.contains(&letter) {
                    if letter == b'%' || part.is_none() && matches!(letter, b'C' | b'm' | b'H' | b'L') {
                        return None;
                    }
                    // What GNU's does not know is a question mark.
                    literal.push(b'?');
                    rest = tail.get(at + usize::from(part.is_none())..).unwrap_or_default();
                    continue;
                }
                pieces.push(Piece::Text(std::mem::take(&mut literal)));
                pieces.push(Piece::Directive { part, letter, to_left, zeros, width });
                rest = tail.get(at + 1..).unwrap_or_default();
            }
            [b'\\', b'x', digits @ ..] if has_escapes && digits.first().is_some_and(u8::is_ascii_hexdigit) => {
                let (byte, length) = escaped_number(digits, 16, 2);
                literal.push(byte);
                rest = digits.get(length..).unwrap_or_default();
            }
            [b'\\', digits @ ..] if has_escapes && matches!(digits, [b'0'..=b'7', ..]) => {
                let (byte, length) = escaped_number(digits, 8, 3);
                literal.push(byte);
                rest = digits.get(length..).unwrap_or_default();
            }
            [b'\\', tail @ ..] if has_escapes => {
                let byte = match tail.first()? {
                    b'a' => 0x07,
                    b'b' => 0x08,
                    b'e' => 0x1b,
                    b'f' => 0x0c,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 0x0b,
                    b'\\' => b'\\',
                    b'"' => b'"',
                    // It warns.
                    _ => return None,
                };
                literal.push(byte);
                rest = tail.get(1..).unwrap_or_default();
            }
            [byte, tail @ ..] => {
                literal.push(*byte);
                rest = tail;
            }
        }
    }
    pieces.push(Piece::Text(literal));
    Some(pieces)
}

/// The byte that the digits of an escape name (the lowest eight bits), and how many they are.
fn escaped_number(digits: &[u8], radix: u32, most: usize) -> (u8, usize) {
    let values = digits.iter().take(most).map_while(|digit| char::from(*digit).to_digit(radix));
    let (number, length) = values.fold((0, 0), |(number, length), digit| (number * radix + digit, length + 1));
    (u8::try_from(number & 0xff).unwrap_or(0), length)
}

impl Utility for Stat {
    fn name(&self) -> &'static str {
        "stat"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    if command.parsed.operands.is_empty() {
        return running.usage(b"missing operand");
    }
    let follow = command.parsed.has(b'L');
    let doing = if cfg!(target_os = "linux") { "cannot statx" } else { "cannot stat" };
    let mut status = 0;
    for &operand in &command.parsed.operands {
        running.check()?;
        let path = running.path(operand);
        let found = if operand.is_empty() {
            Err(ErrorKind::NotFound.into())
        } else if follow {
            path.metadata()
        } else {
            path.symlink_metadata()
        };
        let metadata = match found {
            Ok(metadata) => metadata,
            Err(error) => {
                running.report_error_of(doing, operand, &error)?;
                status = 1;
                continue;
            }
        };
        let mut out = Vec::new();
        let pieces = match &command.shape {
            Shape::Given(pieces) => pieces,
            Shape::Full { plain, device } => {
                out.extend_from_slice(&[b"  File: ", operand].concat());
                if metadata.is_symlink()
                    && let Ok(target) = std::fs::read_link(&path)
                {
                    out.extend_from_slice(&[&b" -> "[..], &text::from_path(&target)].concat());
                }
                out.push(b'\n');
                if matches!(FileStat::of(&metadata).kind(), BLOCK | CHARACTER) { device } else { plain }
            }
        };
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Directive { part, letter, to_left, zeros, width } => {
                    let value = match part {
                        Some(part) => device_part(*part, *letter, &FileStat::of(&metadata)),
                        None => value_of(*letter, operand, &path, &metadata, &command.zone),
                    };
                    let missing = width.saturating_sub(value.len());
                    let is_number = b"abBdDfghiorRstTuWXYZ".contains(letter);
                    if !to_left {
                        out.resize(out.len() + missing, if *zeros && is_number { b'0' } else { b' ' });
                    }
                    out.extend_from_slice(&value);
                    if *to_left {
                        out.resize(out.len() + missing, b' ');
                    }
                }
            }
        }
        running.write(&out)?;
    }
    Ok(status)
}

/// The major and the minor number, as glibc has them in a device number.
fn device_numbers(device: u64) -> (u64, u64) {
    (((device >> 8) & 0xfff) | ((device >> 32) & !0xfff), (device & 0xff) | ((device >> 12) & !0xff))
}

/// `%Hd`, `%Ld`, `%Hr`, `%Lr`.
fn device_part(part: u8, letter: u8, stat: &FileStat) -> Vec<u8> {
    let (major, minor) = device_numbers(if letter == b'd' { stat.device } else { stat.rdev });
    if part == b'H' { major } else { minor }.to_string().into_bytes()
}

fn value_of(letter: u8, name: &[u8], path: &std::path::Path, metadata: &Metadata, zone: &Zone) -> Vec<u8> {
    let stat = FileStat::of(metadata);
    let (major, minor) = device_numbers(stat.rdev);
    let birth = || metadata.created().ok().map(since_epoch);
    let number = |value: u64| value.to_string().into_bytes();
    match letter {
        b'a' => format!("{:o}", stat.mode & 0o7777).into_bytes(),
        b'A' => stat.mode_text().to_vec(),
        b'b' => number(stat.blocks),
        b'B' => number(512),
        b'd' => number(stat.device),
        b'D' => format!("{:x}", stat.device).into_bytes(),
        b'f' => format!("{:x}", stat.mode).into_bytes(),
        b'F' => kind_name(&stat).as_bytes().to_vec(),
        b'g' => number(stat.gid.into()),
        b'G' => system::group_name(stat.gid).unwrap_or_else(|| b"UNKNOWN".to_vec()),
        b'h' => number(stat.links),
        b'i' => number(stat.inode),
        b'n' => name.to_vec(),
        b'N' => {
            let mut shown = quote::always(name);
            if let Some(target) = stat.is_link().then(|| std::fs::read_link(path).ok()).flatten() {
                shown.extend_from_slice(b" -> ");
                shown.extend_from_slice(&quote::always(&text::from_path(&target)));
            }
            shown
        }
        b'o' => number(stat.block_size),
        b'r' => number(stat.rdev),
        b'R' => format!("{:x}", stat.rdev).into_bytes(),
        b's' => number(stat.size),
        b't' => format!("{major:x}").into_bytes(),
        b'T' => format!("{minor:x}").into_bytes(),
        b'u' => number(stat.uid.into()),
        b'U' => system::user_name(stat.uid).unwrap_or_else(|| b"UNKNOWN".to_vec()),
        b'w' => birth().map_or_else(|| b"-".to_vec(), |time| human(time, zone)),
        b'W' => birth().map_or(0, |time| time.0).to_string().into_bytes(),
        b'x' => human(stat.accessed, zone),
        b'X' => stat.accessed.0.to_string().into_bytes(),
        b'y' => human(stat.modified, zone),
        b'Y' => stat.modified.0.to_string().into_bytes(),
        b'z' => human(stat.changed, zone),
        _ => stat.changed.0.to_string().into_bytes(),
    }
}

fn human((seconds, nanos): (i64, u32), zone: &Zone) -> Vec<u8> {
    let mut out = Vec::new();
    format(&mut out, b"%Y-%m-%d %H:%M:%S.%N %z", &Moment::new(zone, seconds, nanos));
    out
}

/// What messages call such a file.
pub(super) fn kind_name(stat: &FileStat) -> &'static str {
    match stat.kind() {
        REGULAR if stat.size == 0 => "regular empty file",
        REGULAR => "regular file",
        DIRECTORY => "directory",
        LINK => "symbolic link",
        FIFO => "fifo",
        SOCKET => "socket",
        BLOCK => "block special file",
        CHARACTER => "character special file",
        _ => "weird file",
    }
}
