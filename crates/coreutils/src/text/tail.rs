//! `tail`: the last part of files.

use std::collections::VecDeque;
use std::io::{self, Seek, SeekFrom};

use hookshell_process::FileKind;
use hookshell_utility::io::{BUFFER, Failure, Running, Source};
use hookshell_utility::prepare;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use memchr::{memchr, memchr_iter};

use super::count::{Command, header, read_tail};
use super::follow::{self, Followed};
use super::head::display_name;

/// `tail [-n [+]N | -c [+]N | [+-]N[bcl][f]] [-fFqvz] [--follow[=HOW]] [--retry] [--pid=PID] [-s N] [FILE]…` (XCU `tail`,
/// GNU's additions).
pub(crate) struct Tail;

impl Utility for Tail {
    fn name(&self) -> &'static str {
        "tail"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(
            self.name(),
            call,
            |call| read_tail(call.argv),
            |running, command| {
                for warning in &command.warnings {
                    running.message(warning)?;
                }
                let from_start = command.count.sign == Some(b'+');
                if command.count.number == 0 && !from_start && command.follow.is_none() {
                    // GNU does not even open the files.
                    return Ok(0);
                }
                let headers = command.headers.unwrap_or(command.operands.len() > 1);
                let mut status = 0;
                let mut first = true;
                let mut followed = Vec::new();
                let mut last = None;
                for (at, &operand) in command.operands.iter().enumerate() {
                    let source = match running.open(operand)? {
                        Ok(source) => source,
                        Err(error) => {
                            followed.push(Followed { operand, place: at, source: None });
                            let name = hookshell_utility::quote::always(display_name(operand));
                            running.report_error(&[&b"cannot open "[..], &name, b" for reading"].concat(), &error)?;
                            status = 1;
                            continue;
                        }
                    };
                    if headers {
                        running.write(&header(operand, first))?;
                        first = false;
                    }
                    let copied = if from_start {
                        from(running, &source, &command)?
                    } else if command.count.bytes {
                        last_bytes(running, &source, command.count.number)?
                    } else {
                        last_lines(running, &source, &command)?
                    };
                    last = Some(at);
                    if let Err(error) = copied {
                        running.report_error_of("error reading", display_name(operand), &error)?;
                        status = 1;
                        // Where GNU copies the rest of a file it gives up altogether.
                        if command.count.bytes || (from_start && command.count.number <= 1) {
                            break;
                        }
                        followed.push(Followed { operand, place: at, source: None });
                        continue;
                    }
                    followed.push(Followed { operand, place: at, source: Some(source) });
                }
                if let Some(follow) = &command.follow {
                    if !follow.retries {
                        followed.retain(|file| file.source.is_some());
                    }
                    if followed.is_empty() {
                        running.message(b"no files remaining")?;
                        return Ok(1);
                    }
                    return follow::follow(running, &command, follow, followed, headers, last).map(|own| status | own);
                }
                Ok(status)
            },
        )
    }
}

/// All from the N-th line or byte on; 0 is the first one too.
fn from(running: &Running<'_>, source: &Source, command: &Command<'_>) -> Result<io::Result<()>, Failure> {
    let mut skip = command.count.number.saturating_sub(1);
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = match running.read(source, &mut buffer)? {
            Ok(0) => return Ok(Ok(())),
            Ok(count) => count,
            Err(error) => return Ok(Err(error)),
        };
        let mut data = buffer.get(..count).unwrap_or_default();
        if skip > 0 && command.count.bytes {
            let cut = usize::try_from(skip).unwrap_or(count).min(count);
            skip -= cut as u64;
            data = data.get(cut..).unwrap_or_default();
        }
        while skip > 0 {
            let Some(at) = memchr(command.delimiter, data) else {
                data = &[];
                break;
            };
            data = data.get(at + 1..).unwrap_or_default();
            skip -= 1;
        }
        running.write(data)?;
    }
}

fn last_bytes(running: &Running<'_>, source: &Source, number: u64) -> Result<io::Result<()>, Failure> {
    if let Source::File(file, FileKind::Regular) = source {
        let mut file = file;
        // Files of /proc say that they are empty: those are read.
        if let Ok(len) = file.seek(SeekFrom::End(0)) {
            let _ = file.seek(SeekFrom::Start(len.saturating_sub(number)));
        }
    }
    let number = usize::try_from(number).unwrap_or(usize::MAX);
    let mut kept: VecDeque<u8> = VecDeque::new();
    let mut memory = running.keep();
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = match running.read(source, &mut buffer)? {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => return Ok(Err(error)),
        };
        kept.extend(buffer.get(..count).unwrap_or_default());
        kept.drain(..kept.len().saturating_sub(number));
        memory.set(kept.capacity())?;
    }
    running.write(kept.make_contiguous())?;
    Ok(Ok(()))
}

/// The last lines: from the end of a file, else all is read and no more than those lines is kept.
fn last_lines(running: &Running<'_>, source: &Source, command: &Command<'_>) -> Result<io::Result<()>, Failure> {
    let number = usize::try_from(command.count.number).unwrap_or(usize::MAX);
    if let Source::File(file, FileKind::Regular) = source {
        match seek_to_lines(running, file, number, command.delimiter)? {
            Ok(()) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
    let mut chunks: VecDeque<(Vec<u8>, usize)> = VecDeque::new();
    let mut total = 0;
    let mut bytes = 0;
    let mut kept = running.keep();
    let mut buffer = vec![0; BUFFER];
    loop {
        let count = match running.read(source, &mut buffer)? {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => return Ok(Err(error)),
        };
        let data = buffer.get(..count).unwrap_or_default();
        let ends = memchr_iter(command.delimiter, data).count();
        total += ends;
        bytes += count;
        match chunks.back_mut() {
            // Small reads from a pipe are put together.
            Some((last, last_ends)) if last.len() + data.len() <= BUFFER => {
                last.extend_from_slice(data);
                *last_ends += ends;
            }
            _ => chunks.push_back((data.to_vec(), ends)),
        }
        while chunks.front().is_some_and(|(_, ends)| total - ends > number) {
            if let Some((data, ends)) = chunks.pop_front() {
                total -= ends;
                bytes -= data.len();
            }
        }
        kept.set(bytes)?;
    }
    let unterminated =
        chunks.back().is_some_and(|(data, _)| data.last().is_some_and(|byte| *byte != command.delimiter));
    let mut skip = (total + usize::from(unterminated)).saturating_sub(number);
    for (data, _) in &chunks {
        let mut data = &data[..];
        while skip > 0 {
            match memchr(command.delimiter, data) {
                Some(at) => {
                    data = data.get(at + 1..).unwrap_or_default();
                    skip -= 1;
                }
                None => {
                    data = &[];
                    break;
                }
            }
        }
        running.write(data)?;
    }
    Ok(Ok(()))
}

/// Moves to where the last `number` lines begin, or to a place before it.
fn seek_to_lines(
    running: &Running<'_>,
    mut file: &std::fs::File,
    number: usize,
    delimiter: u8,
) -> Result<io::Result<()>, Failure> {
    use std::io::Read;
    let mut at = match file.seek(SeekFrom::End(0)) {
        Ok(end) => end,
        Err(_) => return Ok(Ok(())),
    };
    let mut ends = 0;
    let mut buffer = vec![0; BUFFER];
    // One more end than lines: the one before the first of them.
    while at > 0 && ends <= number {
        running.check()?;
        let step = at.min(BUFFER as u64);
        at -= step;
        let room = usize::try_from(step).unwrap_or(BUFFER);
        let data = buffer.get_mut(..room).unwrap_or_default();
        let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(data));
        if let Err(error) = read {
            // The file has become shorter meanwhile: read what is there.
            if error.kind() == io::ErrorKind::UnexpectedEof {
                at = 0;
                break;
            }
            return Ok(Err(error));
        }
        ends += memchr_iter(delimiter, data).count();
    }
    Ok(file.seek(SeekFrom::Start(at)).map(drop))
}
