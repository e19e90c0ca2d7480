//! `stat`: what the system knows of files.

mod file_system;
mod format;

use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::Path;

use hookshell_files::file_stat::{BLOCK, CHARACTER, DIRECTORY, FIFO, FileStat, LINK, REGULAR, SOCKET};
use hookshell_process::{system, text};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::zone::{Zone, since_epoch};
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use crate::date::{Moment, format as date_format};

use file_system::FileSystem;
use format::{Piece, Value};

/// `stat [-fL] [-c FORMAT | --printf=FORMAT | -t] FILE…` (GNU). BSD's options are the real program's.
pub(crate) struct Stat;

const PRINTF: u8 = LONG_ONLY;
const CACHED: u8 = LONG_ONLY + 1;
const OPTIONS: &[OptionSpec] = &[
    value(b'c', "format"),
    value(PRINTF, "printf"),
    flag(b'L', "dereference"),
    flag(b't', "terse"),
    flag(b'f', "file-system"),
    value(CACHED, "cached"),
];

struct Command<'a> {
    parsed: Parsed<'a>,
    shape: Shape,
    /// Does `%N` quote?
    quotes: bool,
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

/// The lines without a format, around the name and what stands after the number of links.
const FULL: [&[u8]; 2] = [
    b"  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: ",
    b"Access: (%04a/%10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n",
];

/// What is written at once: a short format can ask for wide fields a thousand times.
const CHUNK: usize = 1 << 16;

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
    let of_system = parsed.has(b'f');
    if of_system && !cfg!(target_os = "linux") {
        return Err(Unsupported::new("-f on this system"));
    }
    for (_, mode) in parsed.options.iter().filter(|(option, _)| *option == CACHED) {
        // What is cached is the system's affair.
        if !matches!(*mode, b"always" | b"never" | b"default") {
            return Err(Unsupported::mistake(format!("--cached={}", mode.escape_ascii())));
        }
    }
    let given = |text: &[u8], kind: u8| {
        let mut pieces = format::read(text, kind == PRINTF, !of_system)
            .ok_or_else(|| Unsupported::new(format!("the format {}", text.escape_ascii())))?;
        if kind == b'c' {
            pieces.push(Piece::Text(b"\n".to_vec()));
        }
        Ok::<_, Unsupported>(pieces)
    };
    let shape = match formats.last() {
        Some(&(kind, text)) => Shape::Given(given(text, kind)?),
        None => match (of_system, parsed.has(b't')) {
            (true, true) => Shape::Given(given(file_system::TERSE, PRINTF)?),
            (true, false) => Shape::Given(given(file_system::FULL, PRINTF)?),
            (false, true) => Shape::Given(given(TERSE, PRINTF)?),
            (false, false) => {
                let [before, after] = FULL;
                let lines = |links: &[u8]| given(&[before, links, after].concat(), PRINTF);
                Shape::Full { plain: lines(b"%h\n")?, device: lines(b"%-5h Device type: %Hr,%Lr\n")? }
            }
        },
    };
    // GNU's looks for these two characters before it quotes any name.
    let quotes = formats.last().is_some_and(|(_, text)| text.windows(2).any(|pair| pair == b"%N"));
    if quotes && call.env.iter().any(|(name, _)| name == "QUOTING_STYLE") {
        return Err(Unsupported::new("%N with QUOTING_STYLE in the environment"));
    }
    Ok(Command { parsed, shape, quotes, zone: Zone::of(call.env)? })
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
    if command.parsed.has(b'f') {
        return run_of_system(running, &command);
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
        // Each time that it is asked for.
        let mut context = Vec::new();
        for _ in pieces.iter().filter(|piece| matches!(piece, Piece::Directive(directive) if directive.letter == b'C'))
        {
            context = match hookshell_files::attributes::context(&path, follow) {
                Ok(context) => context,
                Err(error) => {
                    running.report_error_of("failed to get security context of", operand, &error)?;
                    status = 1;
                    b"?".to_vec()
                }
            };
        }
        let file = File { operand, path: &path, metadata: &metadata, command: &command, context };
        if let Some(wrong) = write(running, &mut out, pieces, |directive| file.value(directive))? {
            return Ok(wrong);
        }
    }
    Ok(status)
}

/// `-f`.
fn run_of_system(running: &Running<'_>, command: &Command<'_>) -> Result<u8, Failure> {
    let mut status = 0;
    let (Shape::Given(pieces) | Shape::Full { plain: pieces, .. }) = &command.shape;
    for &operand in &command.parsed.operands {
        running.check()?;
        let found =
            if operand.is_empty() { Err(ErrorKind::NotFound.into()) } else { FileSystem::of(&running.path(operand)) };
        let system = match found {
            Ok(system) => system,
            Err(error) => {
                running.report_error_of("cannot read file system information for", operand, &error)?;
                status = 1;
                continue;
            }
        };
        let value = |directive: &format::Directive| system.value(directive.letter, operand).map(|value| vec![value]);
        if let Some(wrong) = write(running, &mut Vec::new(), pieces, value)? {
            return Ok(wrong);
        }
    }
    Ok(status)
}

/// Writes what stands in `out` and the pieces; a status where they end the run.
fn write(
    running: &Running<'_>,
    out: &mut Vec<u8>,
    pieces: &[Piece],
    value: impl Fn(&format::Directive) -> Option<Vec<Value>>,
) -> Result<Option<u8>, Failure> {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Warning(text) => running.message(text)?,
            Piece::Invalid(text) => {
                running.write(out)?;
                running.message(&[&quote::always(text), &b": invalid directive"[..]].concat())?;
                return Ok(Some(1));
            }
            Piece::Directive(directive) => match value(directive) {
                Some(values) => {
                    for (index, value) in values.iter().enumerate() {
                        if index > 0 {
                            out.extend_from_slice(b" -> ");
                        }
                        directive.write(out, value);
                    }
                }
                None => out.push(b'?'),
            },
        }
        if out.len() >= CHUNK {
            running.write(out)?;
            out.clear();
        }
    }
    running.write(out)?;
    Ok(None)
}

/// The major and the minor number, as glibc has them in a device number.
fn device_numbers(device: u64) -> (u64, u64) {
    (((device >> 8) & 0xfff) | ((device >> 32) & !0xfff), (device & 0xff) | ((device >> 12) & !0xff))
}

/// One file.
struct File<'a> {
    operand: &'a [u8],
    path: &'a Path,
    metadata: &'a Metadata,
    command: &'a Command<'a>,
    /// SELinux's, where it is shown.
    context: Vec<u8>,
}

impl File<'_> {
    /// What a directive stands for; `None`: nothing. A link with its name has two.
    fn value(&self, directive: &format::Directive) -> Option<Vec<Value>> {
        let stat = FileStat::of(self.metadata);
        let zone = &self.command.zone;
        if let Some(part) = directive.part {
            let (major, minor) = device_numbers(if directive.letter == b'd' { stat.device } else { stat.rdev });
            return Some(vec![Value::Unsigned(if part == b'H' { major } else { minor })]);
        }
        let (major, minor) = device_numbers(stat.rdev);
        let birth = || self.metadata.created().ok().map(since_epoch);
        let text = |text: &[u8]| Value::Text(text.to_vec());
        let time = |(seconds, nanos)| Value::Time(seconds, nanos);
        let unknown = || b"UNKNOWN".to_vec();
        Some(vec![match directive.letter {
            b'C' => Value::Text(self.context.clone()),
            b'a' => Value::Octal(u64::from(stat.mode & 0o7777)),
            b'A' => text(&stat.mode_text()),
            b'b' => Value::Unsigned(stat.blocks),
            b'B' => Value::Unsigned(512),
            b'd' => Value::Unsigned(stat.device),
            b'D' => Value::Hexadecimal(stat.device),
            b'f' => Value::Hexadecimal(stat.mode.into()),
            b'F' => text(kind_name(&stat).as_bytes()),
            b'g' => Value::Unsigned(stat.gid.into()),
            b'G' => Value::Text(system::group_name(stat.gid).unwrap_or_else(unknown)),
            b'h' => Value::Unsigned(stat.links),
            b'i' => Value::Unsigned(stat.inode),
            b'm' => Value::Text(self.mount_point()),
            b'n' => text(self.operand),
            b'N' => {
                let shown = |name: &[u8]| if self.command.quotes { quote::always(name) } else { name.to_vec() };
                let target = stat.is_link().then(|| std::fs::read_link(self.path).ok()).flatten();
                let target = target.map(|target| Value::Text(shown(&text::from_path(&target))));
                return Some(std::iter::once(Value::Text(shown(self.operand))).chain(target).collect());
            }
            b'o' => Value::Unsigned(stat.block_size),
            b'r' => Value::Unsigned(stat.rdev),
            b'R' => Value::Hexadecimal(stat.rdev),
            b's' => Value::Signed(i64::try_from(stat.size).unwrap_or(i64::MAX)),
            b't' => Value::Hexadecimal(major),
            b'T' => Value::Hexadecimal(minor),
            b'u' => Value::Unsigned(stat.uid.into()),
            b'U' => Value::Text(system::user_name(stat.uid).unwrap_or_else(unknown)),
            b'w' => Value::Text(birth().map_or_else(|| b"-".to_vec(), |time| human(time, zone))),
            b'W' => time(birth().unwrap_or_default()),
            b'x' => Value::Text(human(stat.accessed, zone)),
            b'X' => time(stat.accessed),
            b'y' => Value::Text(human(stat.modified, zone)),
            b'Y' => time(stat.modified),
            b'z' => Value::Text(human(stat.changed, zone)),
            b'Z' => time(stat.changed),
            _ => return None,
        }])
    }

    /// The topmost directory above the file on the same device.
    fn mount_point(&self) -> Vec<u8> {
        let is_link = self.metadata.is_symlink();
        // Of a link the directory that it stands in.
        let parent = self.path.parent().filter(|_| is_link);
        let found = std::fs::canonicalize(parent.unwrap_or(self.path));
        // Windows has drives, and no numbers of devices.
        let Some(mut found) = found.ok().filter(|_| cfg!(unix)) else { return b"?".to_vec() };
        let device = |path: &Path| path.metadata().map(|metadata| FileStat::of(&metadata).device).ok();
        let own = FileStat::of(self.metadata).device;
        while let Some(above) = found.parent()
            && device(above) == Some(own)
        {
            found = above.to_path_buf();
        }
        text::from_path(&found).into_owned()
    }
}

fn human((seconds, nanos): (i64, u32), zone: &Zone) -> Vec<u8> {
    let mut out = Vec::new();
    date_format(&mut out, b"%Y-%m-%d %H:%M:%S.%N %z", &Moment::new(zone, seconds, nanos));
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
