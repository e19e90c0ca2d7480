//! `head`: the first part of files.

use std::collections::VecDeque;
use std::io::{self, Seek};

use hookshell_process::FileKind;
use hookshell_utility::io::{BUFFER, Failure, PER_LINE, Running, Source};
use hookshell_utility::prepare;
use hookshell_utility::{Piece, Prepared, Stopped, Unsupported, Utility, UtilityCall};

use memchr::memchr_iter;

use super::count::{Command, header, read_head};

/// `head [-n [-]N | -c [-]N | -N[cl]] [-qvz] [FILE]…` (XCU `head`, GNU's additions).
pub(crate) struct Head;

impl Utility for Head {
    fn name(&self) -> &'static str {
        "head"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        // `head -n +5`: GNU reads the plus as part of the number.
        prepare(
            self.name(),
            call,
            |call| read_head(call.argv),
            |running, command| {
                let headers = command.headers.unwrap_or(command.operands.len() > 1);
                let mut status = 0;
                let mut first = true;
                for &operand in &command.operands {
                    let source = match running.open(operand)? {
                        Ok(source) => source,
                        Err(error) => {
                            let name = display_name(operand);
                            running.report_error(
                                &[b"cannot open ", &hookshell_utility::quote::always(name)[..], b" for reading"]
                                    .concat(),
                                &error,
                            )?;
                            status = 1;
                            continue;
                        }
                    };
                    if headers {
                        running.write(&header(operand, first))?;
                        first = false;
                    }
                    if let Err(error) = copy(running, &source, &command)? {
                        running.report_error_of("error reading", display_name(operand), &error)?;
                        status = 1;
                    }
                }
                Ok(status)
            },
        )
    }
}

/// The name in messages.
pub(crate) fn display_name(operand: &[u8]) -> &[u8] {
    if operand == b"-" { b"standard input" } else { operand }
}

fn copy(running: &Running<'_>, source: &Source, command: &Command<'_>) -> Result<io::Result<()>, Failure> {
    let count = command.count;
    match (count.sign == Some(b'-'), count.bytes) {
        (false, true) => first_bytes(running, source, count.number),
        (false, false) => first_lines(running, source, count.number, command.delimiter),
        (true, true) => all_but_bytes(running, source, count.number),
        (true, false) => all_but_lines(running, source, count.number, command.delimiter),
    }
}

fn first_bytes(running: &Running<'_>, source: &Source, mut left: u64) -> Result<io::Result<()>, Failure> {
    let mut buffer = vec![0; BUFFER];
    while left > 0 {
        let room = usize::try_from(left).unwrap_or(BUFFER).min(BUFFER);
        let count = match running.read(source, buffer.get_mut(..room).unwrap_or_default())? {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => return Ok(Err(error)),
        };
        running.write(buffer.get(..count).unwrap_or_default())?;
        left = left.saturating_sub(count as u64);
    }
    Ok(Ok(()))
}

fn first_lines(
    running: &Running<'_>,
    source: &Source,
    mut left: u64,
    delimiter: u8,
) -> Result<io::Result<()>, Failure> {
    if let Source::Stream(stream) = source {
        // What follows the lines belongs to the next reader, where that can be left to it: GNU seeks back too. From a
        // pipe it reads in blocks, and so do we.
        let exact = stream.file().is_none_or(|file| FileKind::of(file) == FileKind::Regular);
        if exact {
            let mut line = Vec::new();
            while left > 0 {
                running.check()?;
                line.clear();
                // A line longer than the buffer comes in pieces.
                let read = match stream.read_piece_until(delimiter, &mut line, BUFFER, running.interrupt()) {
                    Ok(read) => read,
                    Err(error) if hookshell_process::is_interrupted(&error) => {
                        return Err(Stopped::Cancelled.into());
                    }
                    Err(error) => return Ok(Err(error)),
                };
                running.write(&line)?;
                match read {
                    Piece::Found => {}
                    Piece::Part => continue,
                    Piece::End => break,
                }
                left -= 1;
            }
            return Ok(Ok(()));
        }
    }
    let mut buffer = vec![0; BUFFER];
    while left > 0 {
        let count = match running.read(source, &mut buffer)? {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => return Ok(Err(error)),
        };
        let data = buffer.get(..count).unwrap_or_default();
        let mut end = data.len();
        for at in memchr_iter(delimiter, data) {
            left -= 1;
            if left == 0 {
                end = at + 1;
                break;
            }
        }
        running.write(data.get(..end).unwrap_or_default())?;
    }
    Ok(Ok(()))
}

/// What was held back is for the next reader of a file, as with GNU's.
fn give_back(source: &Source, count: usize) -> io::Result<()> {
    if let Source::Stream(stream) = source
        && let Some(file) = stream.file().filter(|file| FileKind::of(file) == FileKind::Regular)
    {
        (&**file).seek_relative(-i64::try_from(count).unwrap_or(0))?;
    }
    Ok(())
}

/// Holds back the last `number` bytes.
fn all_but_bytes(running: &Running<'_>, source: &Source, number: u64) -> Result<io::Result<()>, Failure> {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let mut held: VecDeque<u8> = VecDeque::new();
    let mut kept = running.keep();
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = match running.read(source, &mut buffer)? {
            Ok(0) => return Ok(give_back(source, held.len())),
            Ok(count) => count,
            Err(error) => return Ok(Err(error)),
        };
        held.extend(buffer.get(..count).unwrap_or_default());
        let ready: Vec<u8> = held.drain(..held.len().saturating_sub(number)).collect();
        kept.set(held.capacity())?;
        running.write(&ready)?;
    }
}

/// Holds back the last `number` lines; an unterminated one at the end counts.
fn all_but_lines(
    running: &Running<'_>,
    source: &Source,
    number: u64,
    delimiter: u8,
) -> Result<io::Result<()>, Failure> {
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let mut held: VecDeque<Vec<u8>> = VecDeque::new();
    let mut bytes = 0;
    let mut kept = running.keep();
    let mut open = false;
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = match running.read(source, &mut buffer)? {
            Ok(0) => return Ok(give_back(source, bytes)),
            Ok(count) => count,
            Err(error) => return Ok(Err(error)),
        };
        let mut ready = Vec::new();
        bytes += count;
        for piece in buffer.get(..count).unwrap_or_default().split_inclusive(|byte| *byte == delimiter) {
            match held.back_mut() {
                Some(line) if open => line.extend_from_slice(piece),
                _ => held.push_back(piece.to_vec()),
            }
            open = piece.last() != Some(&delimiter);
            while held.len() > number {
                // Only whole lines can be more than are held back, except where none is.
                match held.pop_front() {
                    Some(line) => ready.extend_from_slice(&line),
                    None => break,
                }
            }
        }
        bytes -= ready.len();
        kept.set(bytes + held.len() * PER_LINE)?;
        running.write(&ready)?;
    }
}
