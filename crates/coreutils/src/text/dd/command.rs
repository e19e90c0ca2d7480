//! The operands of the command line.

use hookshell_utility::{Unsupported, UtilityCall};

use super::convert::{ASCII, EBCDIC, IBM, Lines};
use crate::size::parse_size;

pub(super) struct Command<'a> {
    pub(super) input: Option<&'a [u8]>,
    pub(super) output: Option<&'a [u8]>,
    pub(super) read_size: usize,
    pub(super) write_size: usize,
    /// `bs=`: each block that is read is written as it is.
    pub(super) same_size: bool,
    /// So many blocks, and so many bytes of another.
    pub(super) count: Option<(u64, u64)>,
    /// Bytes.
    pub(super) skip: u64,
    pub(super) seek: u64,
    pub(super) keeps: bool,
    /// The output must not be there, or must.
    pub(super) excludes: bool,
    pub(super) no_create: bool,
    pub(super) pads: bool,
    pub(super) swaps: bool,
    /// `cbs=`; 0: none.
    pub(super) line_size: usize,
    pub(super) lines: Option<Lines>,
    pub(super) table: Option<&'static [u8; 256]>,
    pub(super) case: Option<bool>,
    pub(super) full_blocks: bool,
    pub(super) appends: bool,
    pub(super) status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    All,
    NoTransfer,
    None,
    /// Each second it is said how far it is.
    Progress,
}

/// Blocks are held in memory.
const LARGEST: u64 = 256 * 1024 * 1024;

pub(super) fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let mut command = Command {
        input: None,
        output: None,
        read_size: 512,
        write_size: 512,
        same_size: false,
        count: None,
        skip: 0,
        seek: 0,
        keeps: false,
        excludes: false,
        no_create: false,
        pads: false,
        swaps: false,
        line_size: 0,
        lines: None,
        table: None,
        case: None,
        full_blocks: false,
        appends: false,
        status: Status::All,
    };
    // Counts of blocks, or of bytes.
    let (mut count, mut skip, mut seek) = (None, (0, false), (0, false));
    let mut in_bytes = (false, false, false);
    let mut words = call.argv.iter_from(1).peekable();
    if words.peek() == Some(&&b"--"[..]) {
        words.next();
    }
    for word in words {
        let refused = || Unsupported::mistake(format!("the operand {}", word.escape_ascii()));
        let at = word.iter().position(|byte| *byte == b'=').ok_or_else(refused)?;
        let (name, value) = (word.get(..at).unwrap_or_default(), word.get(at + 1..).unwrap_or_default());
        let number = || parse_number(value).map(|number| (number, value.contains(&b'B'))).ok_or_else(refused);
        let size = || parse_number(value).filter(|n| (1..=LARGEST).contains(n)).and_then(|n| usize::try_from(n).ok());
        match name {
            b"if" => command.input = Some(value),
            b"of" => command.output = Some(value),
            b"bs" => {
                command.read_size = size().ok_or_else(refused)?;
                command.write_size = command.read_size;
                command.same_size = true;
            }
            b"ibs" if !command.same_size => command.read_size = size().ok_or_else(refused)?,
            b"obs" if !command.same_size => command.write_size = size().ok_or_else(refused)?,
            b"cbs" => command.line_size = size().ok_or_else(refused)?,
            b"count" => count = Some(number()?),
            b"skip" | b"iseek" => skip = number()?,
            b"seek" | b"oseek" => seek = number()?,
            b"conv" => {
                for conversion in value.split(|byte| *byte == b',') {
                    match conversion {
                        b"notrunc" => command.keeps = true,
                        b"sync" => command.pads = true,
                        b"swab" => command.swaps = true,
                        b"excl" if !command.no_create => command.excludes = true,
                        b"nocreat" if !command.excludes => command.no_create = true,
                        b"block" if command.lines != Some(Lines::FromBlocks) => command.lines = Some(Lines::ToBlocks),
                        b"unblock" if command.lines != Some(Lines::ToBlocks) => command.lines = Some(Lines::FromBlocks),
                        b"ascii" if command.table.is_none() => command.table = Some(&ASCII),
                        b"ebcdic" if command.table.is_none() => command.table = Some(&EBCDIC),
                        b"ibm" if command.table.is_none() => command.table = Some(&IBM),
                        b"lcase" if command.case != Some(true) => command.case = Some(false),
                        b"ucase" if command.case != Some(false) => command.case = Some(true),
                        // After an error of reading, which ends it here, GNU's skips the block.
                        b"fsync" | b"fdatasync" | b"noerror" => {}
                        // Holes are the file system's affair.
                        b"sparse" => {}
                        _ => return Err(refused()),
                    }
                }
            }
            b"iflag" => {
                for flag in value.split(|byte| *byte == b',') {
                    match flag {
                        b"fullblock" => command.full_blocks = true,
                        b"count_bytes" => in_bytes.0 = true,
                        b"skip_bytes" => in_bytes.1 = true,
                        flag if is_for_the_system(flag) => {}
                        _ => return Err(refused()),
                    }
                }
            }
            b"oflag" => {
                for flag in value.split(|byte| *byte == b',') {
                    match flag {
                        b"append" => command.appends = true,
                        b"seek_bytes" => in_bytes.2 = true,
                        flag if is_for_the_system(flag) => {}
                        _ => return Err(refused()),
                    }
                }
            }
            b"status" => {
                command.status = match value {
                    b"none" => Status::None,
                    b"noxfer" => Status::NoTransfer,
                    b"progress" => Status::Progress,
                    _ => return Err(refused()),
                }
            }
            _ => return Err(refused()),
        }
    }
    // These tables go with lines or blocks of their own.
    let implied = command.table.map(|table| if *table == ASCII { Lines::FromBlocks } else { Lines::ToBlocks });
    if implied.is_some() && command.lines.is_some_and(|lines| Some(lines) != implied) {
        return Err(Unsupported::mistake("block with unblock"));
    }
    command.lines = command.lines.or(implied).filter(|_| command.line_size > 0);
    let (read_size, write_size) = (command.read_size as u64, command.write_size as u64);
    let too_large = || Unsupported::mistake("numbers of this size");
    command.count = count.map(|(count, is_bytes): (u64, bool)| match is_bytes || in_bytes.0 {
        true => (count / read_size, count % read_size),
        false => (count, 0),
    });
    let bytes =
        |(number, is_bytes): (u64, bool), size: u64| if is_bytes { Some(number) } else { number.checked_mul(size) };
    command.skip = bytes((skip.0, skip.1 || in_bytes.1), read_size).ok_or_else(too_large)?;
    command.seek = bytes((seek.0, seek.1 || in_bytes.2), write_size).ok_or_else(too_large)?;
    if (command.appends || command.seek > 0) && command.output.is_none() {
        return Err(Unsupported::new("a place in standard output"));
    }
    if command.swaps && command.read_size % 2 == 1 && command.read_size != command.write_size {
        return Err(Unsupported::new("conv=swab of blocks of odd length"));
    }
    Ok(command)
}

/// How the system reads and writes, which changes no byte.
fn is_for_the_system(flag: &[u8]) -> bool {
    const FLAGS: [&[u8]; 7] = [b"direct", b"dsync", b"sync", b"nonblock", b"noatime", b"nocache", b"noctty"];
    FLAGS.contains(&flag)
}

/// `3`, `2k`, `5B`, `2x3`: GNU's numbers, of which a `B` says that they count bytes.
fn parse_number(text: &[u8]) -> Option<u64> {
    let (left, right) = match memchr::memchr(b'x', text) {
        Some(at) => (text.get(..at)?, text.get(at + 1..)),
        None => (text, None),
    };
    let number = parse_size(left, b"bcw").or_else(|| {
        left.strip_suffix(b"B").filter(|left| !left.ends_with(b"B")).and_then(|left| parse_size(left, b"bcw"))
    })?;
    match right {
        None => Some(number),
        Some(right) if left.ends_with(b"B") && right.contains(&b'B') => None,
        Some(right) => number.checked_mul(parse_size(right, b"bcw")?),
    }
}

impl Command<'_> {
    /// Are there other bytes in the output than in the input?
    pub(super) fn converts(&self) -> bool {
        self.case.is_some() || self.swaps || self.lines.is_some() || self.table.is_some()
    }
}
