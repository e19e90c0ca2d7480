//! `cksum` and `sum`: checksums of the old kinds.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, Parsed, flag, parse};
use hookshell_utility::output::Output;
use hookshell_utility::prepare;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use super::each_input::each_input;
use super::sums::{self, CKSUM_OPTIONS, Sum};

/// `cksum [-a ALGORITHM] [-cwz] [-l BITS] [--untagged] [FILE]…` (XCU `cksum`, GNU's), `sum [-rs] [FILE]…` (GNU). SM3 is the
/// real program's.
pub(crate) struct Cksum {
    name: &'static str,
}

impl Cksum {
    pub(crate) const CRC: Self = Self { name: "cksum" };
    pub(crate) const SUM: Self = Self { name: "sum" };
}

const SUM_OPTIONS: &[OptionSpec] = &[flag(b'r', ""), flag(b's', "sysv")];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Crc,
    /// 16 bits that rotate.
    Bsd,
    /// The sum of all bytes.
    SystemV,
}

enum Command<'a> {
    Old(Old<'a>),
    Digest(Sum, sums::Command<'a>),
}

struct Old<'a> {
    kind: Kind,
    files: Vec<&'a [u8]>,
    /// After each line.
    end: u8,
}

/// Which options `cksum` has where it prints sums that are no digests.
fn check_options(parsed: &Parsed<'_>) -> Result<(), Unsupported> {
    for (letter, value) in &parsed.options {
        match *letter {
            b'a' | b'z' | sums::TAG | sums::UNTAGGED => {}
            b'l' if !value.is_empty() && value.iter().all(|byte| *byte == b'0') => {}
            b'l' => return Err(Unsupported::mistake("--length with this algorithm")),
            b'c' => return Err(Unsupported::mistake("--check with this algorithm")),
            _ => return Err(Unsupported::mistake("an option that counts with --check only")),
        }
    }
    Ok(())
}

fn read<'a>(name: &str, call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let is_crc = name == "cksum";
    let parsed = parse(call.argv, if is_crc { CKSUM_OPTIONS } else { SUM_OPTIONS })?;
    let algorithm = parsed.last(b'a');
    let sum = match algorithm {
        None if is_crc && parsed.has(b'c') => Some(Sum::any_of_cksum()),
        Some(b"crc" | b"bsd" | b"sysv") | None => None,
        Some(name) => Some(
            Sum::of_cksum(name)
                .ok_or_else(|| Unsupported::mistake(format!("the algorithm {}", name.escape_ascii())))?,
        ),
    };
    if let Some(sum) = sum {
        let command = sum.command_of_cksum(parsed)?;
        return Ok(Command::Digest(sum, command));
    }
    if is_crc {
        check_options(&parsed)?;
    }
    let end = if is_crc && parsed.has(b'z') { 0 } else { b'\n' };
    let kind = match parsed.options.last() {
        _ if algorithm == Some(b"bsd") => Kind::Bsd,
        _ if algorithm == Some(b"sysv") => Kind::SystemV,
        _ if is_crc => Kind::Crc,
        Some((b's', _)) => Kind::SystemV,
        _ => Kind::Bsd,
    };
    // GNU's takes a directory for an empty file, depending on the processor.
    let is_dir = |file: &&&[u8]| call.cwd.join(hookshell_process::text::to_os(file)).is_dir();
    if let Some(file) = parsed.operands.iter().find(|file| kind == Kind::Crc && is_dir(file)) {
        return Err(Unsupported::new(format!("the directory {}", file.escape_ascii())));
    }
    Ok(Command::Old(Old { kind, files: parsed.operands, end }))
}

impl Utility for Cksum {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            self.name,
            call,
            |call| read(self.name, call),
            |running, command| match command {
                Command::Old(command) => run(running, command),
                Command::Digest(sum, command) => sum.go(running, &command),
            },
        )
    }
}

fn run(running: &Running<'_>, command: Old<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let files = if command.files.is_empty() { vec![&b"-"[..]] } else { command.files.clone() };
    let table = table();
    let status = each_input(&files, &mut out, |file, input, out| {
        let (mut length, mut state) = (0_u64, 0_u32);
        loop {
            let block = input.block(running)?;
            if block.is_empty() {
                break;
            }
            state = match command.kind {
                Kind::Crc => block.iter().fold(state, |crc, byte| step(&table, crc, *byte)),
                Kind::Bsd => {
                    block.iter().fold(state, |sum, byte| (((sum >> 1) | ((sum & 1) << 15)) + u32::from(*byte)) & 0xffff)
                }
                Kind::SystemV => block.iter().fold(state, |sum, byte| sum.wrapping_add((*byte).into())),
            };
            let used = block.len();
            length += used as u64;
            input.consume(used);
        }
        if input.error.is_some() {
            return Ok(());
        }
        match command.kind {
            Kind::Crc => {
                let mut rest = length;
                while rest > 0 {
                    state = step(&table, state, u8::try_from(rest & 0xff).unwrap_or(0));
                    rest >>= 8;
                }
                out.text(format_args!("{} {length}", !state))?;
            }
            Kind::Bsd => out.text(format_args!("{state:05} {:5}", length.div_ceil(1024)))?,
            Kind::SystemV => {
                let folded = (state & 0xffff) + (state >> 16);
                let folded = (folded & 0xffff) + (folded >> 16);
                out.text(format_args!("{folded} {}", length.div_ceil(512)))?;
            }
        }
        if !command.files.is_empty() {
            out.byte(b' ')?;
            out.push(file)?;
        }
        out.byte(command.end)
    })?;
    out.flush()?;
    Ok(status)
}

/// CRC-32 with the polynomial 0x04C11DB7, the highest bit first (XCU `cksum`).
fn table() -> [u32; 256] {
    let mut table = [0; 256];
    for (byte, entry) in (0_u32..).zip(table.iter_mut()) {
        let mut crc = byte << 24;
        for _ in 0..8 {
            crc = if crc & 0x8000_0000 != 0 { (crc << 1) ^ 0x04c1_1db7 } else { crc << 1 };
        }
        *entry = crc;
    }
    table
}

fn step(table: &[u32; 256], crc: u32, byte: u8) -> u32 {
    let index = usize::try_from((crc >> 24) ^ u32::from(byte)).unwrap_or(0);
    (crc << 8) ^ table.get(index).copied().unwrap_or(0)
}
