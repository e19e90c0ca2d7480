//! `stat`: what the system knows of files.

use std::fs::Metadata;
use std::io::ErrorKind;

use hookshell_process::{system, text};
use hookshell_shell::{Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use super::stat_of::{BLOCK, CHARACTER, DIRECTORY, FIFO, FileStat, LINK, REGULAR, SOCKET};
use crate::io::{Failure, Running};
use crate::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use crate::quote;
use crate::system::date::{Moment, Zone, format, since_epoch};

/// `stat [-L] -c FORMAT | --printf=FORMAT FILE…` (GNU). The form without a format, file systems (`-f`) and BSD's options are the
/// real program's.
pub(crate) struct Stat;

const PRINTF: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] = &[value(b'c', "format"), value(PRINTF, "printf"), flag(b'L', "dereference")];

struct Command<'a> {
    parsed: Parsed<'a>,
    pieces: Vec<Piece>,
    zone: Zone,
}

enum Piece {
    Text(Vec<u8>),
    Directive { letter: u8, to_left: bool, zeros: bool, width: usize },
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    if cfg!(target_os = "macos") {
        return Err(Unsupported::new("this system's options"));
    }
    let parsed = parse(call.argv, OPTIONS)?;
    let formats: Vec<(u8, &[u8])> =
        parsed.options.iter().copied().filter(|(option, _)| matches!(*option, b'c' | PRINTF)).collect();
    let Some(&(kind, text)) = formats.last() else {
        return Err(Unsupported::new("a call without a format"));
    };
    if parsed.operands.contains(&&b"-"[..]) {
        return Err(Unsupported::new("the operand -"));
    }
    if call.env.iter().any(|(name, _)| name == "QUOTING_STYLE") {
        return Err(Unsupported::new("QUOTING_STYLE in the environment"));
    }
    let mut pieces = read_format(text, kind == PRINTF)
        .ok_or_else(|| Unsupported::new(format!("the format {}", text.escape_ascii())))?;
    if kind == b'c' {
        pieces.push(Piece::Text(b"\n".to_vec()));
    }
    Ok(Command { parsed, pieces, zone: Zone::of(call.env)? })
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
                let letter = *tail.get(at)?;
                if !b"aAbBdDfFgGhinNostTuUwWxXyYzZ".contains(&letter) {
                    return None;
                }
                pieces.push(Piece::Text(std::mem::take(&mut literal)));
                pieces.push(Piece::Directive { letter, to_left, zeros, width });
                rest = tail.get(at + 1..).unwrap_or_default();
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
                    // Numbers: rare enough for the real program.
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

impl Utility for Stat {
    fn name(&self) -> &'static str {
        "stat"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(call).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.name(), context, read, run)
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
                running.failed_to(doing, operand, &error)?;
                status = 1;
                continue;
            }
        };
        let mut out = Vec::new();
        for piece in &command.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Directive { letter, to_left, zeros, width } => {
                    let value = value_of(*letter, operand, &path, &metadata, &command.zone);
                    let missing = width.saturating_sub(value.len());
                    let is_number = b"abBdDfghiostTuWXYZ".contains(letter);
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

fn value_of(letter: u8, name: &[u8], path: &std::path::Path, metadata: &Metadata, zone: &Zone) -> Vec<u8> {
    let stat = FileStat::of(metadata);
    // glibc's encoding of device numbers.
    let major = ((stat.rdev >> 8) & 0xfff) | ((stat.rdev >> 32) & !0xfff);
    let minor = (stat.rdev & 0xff) | ((stat.rdev >> 12) & !0xff);
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
        b'F' => kind(&stat).as_bytes().to_vec(),
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

fn kind(stat: &FileStat) -> &'static str {
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
