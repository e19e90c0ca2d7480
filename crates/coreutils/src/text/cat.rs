//! `cat`: concatenate files.

use hookshell_utility::io::{BUFFER, Failure, Running, Source};
use hookshell_utility::options::{OptionSpec, flag, parse};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `cat [-nbsuAeEtTv] [FILE]…` (XCU `cat`, GNU's additions).
pub(crate) struct Cat;

const OPTIONS: &[OptionSpec] = &[
    flag(b'u', ""),
    flag(b'n', "number"),
    flag(b'b', "number-nonblank"),
    flag(b's', "squeeze-blank"),
    flag(b'A', "show-all"),
    flag(b'e', ""),
    flag(b't', ""),
    flag(b'E', "show-ends"),
    flag(b'T', "show-tabs"),
    flag(b'v', "show-nonprinting"),
];

/// What is changed of lines; it continues from file to file.
struct Lines {
    number: bool,
    nonblank_only: bool,
    squeeze: bool,
    ends: bool,
    tabs: bool,
    nonprinting: bool,
    count: u64,
    /// Newlines in a row before this place.
    newlines: u64,
    /// A carriage return that is `^M` when a newline follows (`-E` alone).
    carriage_return: bool,
}

impl Utility for Cat {
    fn name(&self) -> &'static str {
        "cat"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            self.name(),
            call,
            |call| parse(call.argv, OPTIONS),
            |running, parsed| {
                let has = |letters: &[u8]| letters.iter().any(|letter| parsed.has(*letter));
                let mut lines = Lines {
                    number: has(b"nb"),
                    nonblank_only: has(b"b"),
                    squeeze: has(b"s"),
                    ends: has(b"AeE"),
                    tabs: has(b"AtT"),
                    nonprinting: has(b"Aetv"),
                    count: 0,
                    newlines: 1,
                    carriage_return: false,
                };
                // GNU's cat looks at its output first.
                if running.context().stdout().is_none() {
                    running.message(b"standard output: Bad file descriptor")?;
                    return Ok(1);
                }
                let changes = has(b"nbsAetETv");
                let operands = if parsed.operands.is_empty() { vec![&b"-"[..]] } else { parsed.operands };
                let mut status = 0;
                for operand in operands {
                    let source = match running.open(operand)? {
                        Ok(source) => source,
                        Err(error) => {
                            running.report_error(&quote::if_needed(operand), &error)?;
                            status = 1;
                            continue;
                        }
                    };
                    if is_output(running, &source) {
                        running.message(&[&quote::if_needed(operand), &b": input file is output file"[..]].concat())?;
                        status = 1;
                        continue;
                    }
                    let lines = if changes { Some(&mut lines) } else { None };
                    if let Some(error) = copy(running, &source, lines)? {
                        running.report_error(&quote::if_needed(operand), &error)?;
                        status = 1;
                    }
                }
                if lines.carriage_return {
                    running.write(b"\r")?;
                }
                Ok(status)
            },
        )
    }
}

/// Copies until the end of the file; gives the error that ended it before.
fn copy(
    running: &Running<'_>,
    source: &Source,
    mut lines: Option<&mut Lines>,
) -> Result<Option<std::io::Error>, Failure> {
    let mut buffer = vec![0; BUFFER];
    let mut changed = Vec::new();
    loop {
        let count = match running.read(source, &mut buffer)? {
            Ok(0) => return Ok(None),
            Ok(count) => count,
            Err(error) => return Ok(Some(error)),
        };
        let data = buffer.get(..count).unwrap_or_default();
        match &mut lines {
            None => running.write(data)?,
            Some(lines) => {
                changed.clear();
                lines.change(data, &mut changed);
                running.write(&changed)?;
            }
        }
    }
}

impl Lines {
    fn change(&mut self, data: &[u8], out: &mut Vec<u8>) {
        for &byte in data {
            let at_start = self.newlines > 0;
            if byte == b'\n' {
                self.newlines += 1;
                // The first newline ends a line with text; the second is a blank line; more are squeezed.
                if self.squeeze && self.newlines > 2 {
                    continue;
                }
                if at_start && self.number && !self.nonblank_only {
                    self.push_number(out);
                }
                if self.ends {
                    if std::mem::take(&mut self.carriage_return) {
                        out.extend_from_slice(b"^M");
                    }
                    out.push(b'$');
                }
                out.push(byte);
            } else {
                if at_start && self.number {
                    self.push_number(out);
                }
                self.newlines = 0;
                if std::mem::take(&mut self.carriage_return) {
                    out.push(b'\r');
                }
                self.show(byte, out);
            }
        }
    }

    fn show(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            b'\t' if self.tabs => out.extend_from_slice(b"^I"),
            b'\r' if self.ends && !self.nonprinting => self.carriage_return = true,
            b'\t' => out.push(byte),
            _ if self.nonprinting => {
                if byte >= 0x80 {
                    out.extend_from_slice(b"M-");
                }
                match byte & 0x7f {
                    0x7f => out.extend_from_slice(b"^?"),
                    low @ ..0x20 => out.extend_from_slice(&[b'^', low + 64]),
                    low => out.push(low),
                }
            }
            _ => out.push(byte),
        }
    }

    fn push_number(&mut self, out: &mut Vec<u8>) {
        self.count += 1;
        out.extend_from_slice(format!("{:6}\t", self.count).as_bytes());
    }
}

/// `cat x >> x` would never end.
#[cfg(unix)]
fn is_output(running: &Running<'_>, source: &Source) -> bool {
    use std::io::Seek;
    use std::os::unix::fs::MetadataExt;
    let stdout = running.context().stdout();
    let Some(output) = stdout
        .and_then(|stream| stream.file())
        .and_then(|file| file.metadata().ok())
        .filter(std::fs::Metadata::is_file)
    else {
        return false;
    };
    let file = match source {
        Source::File(file, _) => file,
        Source::Stream(stream) => match stream.file() {
            Some(file) => file.as_ref(),
            None => return false,
        },
    };
    let Ok(input) = file.metadata() else {
        return false;
    };
    let mut file = file;
    (input.dev(), input.ino()) == (output.dev(), output.ino())
        && file.stream_position().is_ok_and(|at| at < input.len())
}

#[cfg(not(unix))]
fn is_output(_: &Running<'_>, _: &Source) -> bool {
    false
}
