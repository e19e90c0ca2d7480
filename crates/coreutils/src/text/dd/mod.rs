//! `dd`: copy and convert blocks.

mod command;
mod convert;
mod report;

use std::io::{ErrorKind, IsTerminal, Seek, SeekFrom};
use std::sync::Arc;
use std::time::Instant;

use hookshell_process::FileKind;
use hookshell_utility::io::{Failure, Running, Source, reason};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{SpecialFile, Stream};

use self::command::{Command, Status, read};
use self::convert::{ASCII, Converter};
use self::report::{Counts, report, say, transferred};

utility! {
    /// `dd [if=FILE] [of=FILE] [bs=N | ibs=N obs=N] [cbs=N] [count=N] [skip=N] [seek=N] [conv=LIST] [iflag=LIST] [oflag=LIST]
    /// [status=none|noxfer|progress]` (XCU `dd`, GNU's additions). All else is the real program's.
    Dd, "dd"
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    if command.appends && !command.keeps {
        running.message(b"you probably want conv=notrunc with oflag=append")?;
    }
    let input = match command.input {
        None => running.descriptor(0).map(Source::Stream),
        Some(file) => running.open_file(file)?,
    };
    let input = match input {
        Ok(input) => input,
        Err(error) => {
            let name = command.input.unwrap_or(b"standard input");
            running.report_error_of("failed to open", name, &error)?;
            return Ok(1);
        }
    };
    let output = match command.output {
        None => running.descriptor(1),
        Some(file) => open_output(running, file, &command),
    };
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            let name = command.output.unwrap_or(b"standard output");
            running.report_error_of("failed to open", name, &error)?;
            return Ok(1);
        }
    };
    let mut kept = running.keep();
    // Before they are there; of blocks that are gathered the last one is there beside the new one.
    let gathers = !command.same_size || command.converts();
    let gathered = if gathers { command.write_size } else { 0 };
    kept.set(command.read_size.saturating_add(gathered))?;
    let start = Instant::now();
    let mut counts = Counts::default();
    let mut status = 0;
    let position = match seek(&output, &command) {
        Ok(()) => skip(running, &input, &command)?,
        Err(error) => {
            let name = command.output.unwrap_or(b"standard output");
            running.message(&[&quote::if_needed(name)[..], b": cannot seek: ", reason(&error).as_bytes()].concat())?;
            return Ok(1);
        }
    };
    match position {
        Err(error) => {
            running.report_error_of("error reading", command.input.unwrap_or(b"standard input"), &error)?;
            status = 1;
        }
        Ok(false) => {
            if command.status != Status::None {
                let name = quote::if_needed(command.input.unwrap_or(b"standard input"));
                running.message(&[&name[..], b": cannot skip to specified offset"].concat())?;
            }
            status = copy(running, &input, &output, &command, &mut counts)?;
        }
        Ok(true) => status = copy(running, &input, &output, &command, &mut counts)?.max(status),
    }
    report(running, &counts, start.elapsed().as_secs_f64(), command.status)?;
    Ok(status)
}

fn open_output(running: &Running<'_>, file: &[u8], command: &Command<'_>) -> std::io::Result<Arc<Stream>> {
    if command.excludes || command.no_create {
        let exists = running.path(file).symlink_metadata().is_ok();
        match exists {
            true if command.excludes => return Err(ErrorKind::AlreadyExists.into()),
            false if command.no_create => return Err(ErrorKind::NotFound.into()),
            _ => {}
        }
    }
    if !command.keeps && command.seek == 0 {
        let made = running.create(file, false)?;
        if !command.appends {
            return Ok(made);
        }
    }
    if running.special(file).is_some() {
        return running.create(file, true);
    }
    // Made where it is missing; what is in it stays.
    let made = running.create(file, true)?;
    if command.appends {
        return Ok(made);
    }
    let path = running.path(file);
    let opened = running.open_as(&path, hookshell_process::Opening::to_write())?;
    Ok(Arc::new(Stream::from_file(opened)))
}

/// Cuts the output where it begins, and goes there.
fn seek(output: &Stream, command: &Command<'_>) -> std::io::Result<()> {
    let offset = command.seek;
    let Some(file) = output.file().filter(|_| command.output.is_some()) else {
        return if offset == 0 { Ok(()) } else { Err(ErrorKind::InvalidInput.into()) };
    };
    if offset > 0 && file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        if !command.keeps {
            file.set_len(offset)?;
        }
        if !command.appends {
            (&**file).seek(SeekFrom::Start(offset))?;
        }
    }
    Ok(())
}

/// Leaves out the first blocks; `false`: the input has not so many bytes.
fn skip(running: &Running<'_>, input: &Source, command: &Command<'_>) -> Result<std::io::Result<bool>, Failure> {
    let mut left = command.skip;
    if left == 0 {
        return Ok(Ok(true));
    }
    let mut buffer = vec![0; command.read_size];
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        match read_block(running, input, buffer.get_mut(..most).unwrap_or_default(), true)? {
            Ok(count) if count < most => return Ok(Ok(false)),
            Ok(count) => left -= count as u64,
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(true))
}

/// Reads once, or until the block is full.
fn read_block(
    running: &Running<'_>,
    input: &Source,
    buffer: &mut [u8],
    fully: bool,
) -> Result<std::io::Result<usize>, Failure> {
    let mut filled = 0;
    while filled < buffer.len() {
        match running.read(input, buffer.get_mut(filled..).unwrap_or_default())? {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) => return Ok(Err(error)),
        }
        // A device such as /dev/zero fills the block too, whatever one read here gives.
        let fills = match input {
            Source::File(_, FileKind::Regular) => true,
            Source::File(file, FileKind::Character) => !file.is_terminal(),
            _ => false,
        };
        if !fully && !fills {
            break;
        }
    }
    Ok(Ok(filled))
}

/// Other characters for those of a block: from EBCDIC before the case is changed, into it afterwards.
fn translate(data: &mut [u8], command: &Command<'_>) {
    let by = |data: &mut [u8], table: &[u8; 256]| {
        data.iter_mut().for_each(|byte| *byte = table.get(usize::from(*byte)).copied().unwrap_or(*byte));
    };
    let is_from_ebcdic = command.table == Some(&ASCII);
    if let Some(table) = command.table.filter(|_| is_from_ebcdic) {
        by(data, table);
    }
    match command.case {
        Some(true) => data.make_ascii_uppercase(),
        Some(false) => data.make_ascii_lowercase(),
        None => {}
    }
    if let Some(table) = command.table.filter(|_| !is_from_ebcdic) {
        by(data, table);
    }
}

/// Each two bytes in the other order. `odd`: the byte that waits for its other.
fn swap(data: &[u8], odd: &mut Option<u8>) -> Vec<u8> {
    let mut swapped = Vec::with_capacity(data.len() + 1);
    for &byte in data {
        match odd.take() {
            Some(first) => swapped.extend_from_slice(&[byte, first]),
            None => *odd = Some(byte),
        }
    }
    swapped
}

/// Takes out what makes whole blocks.
fn whole_blocks(pending: &mut Vec<u8>, size: usize) -> Vec<u8> {
    let rest = pending.split_off(pending.len() - pending.len() % size);
    std::mem::replace(pending, rest)
}

/// Copies to the end of the input, or as much as is asked for.
fn copy(
    running: &Running<'_>,
    input: &Source,
    output: &Stream,
    command: &Command<'_>,
    counts: &mut Counts,
) -> Result<u8, Failure> {
    let mut buffer = vec![0; command.read_size];
    let mut writer = Writer { running, output, command, pending: Vec::new() };
    // A device fills a block, and so must the pipe that stands for one.
    let is_device = command.input.is_some_and(|file| matches!(running.special(file), Some(SpecialFile::Device(_))));
    let mut status = 0;
    // Of two blocks of odd length, the byte that waits for its other.
    let mut odd: Option<u8> = None;
    let mut converter = command.lines.map(|kind| Converter::new(kind, command.line_size, command.table));
    let start = Instant::now();
    let mut said = 0;
    loop {
        let seconds = start.elapsed().as_secs();
        if command.status == Status::Progress && seconds > said {
            said = seconds;
            say(running, &format!("\r{}", transferred(counts.bytes, start.elapsed().as_secs_f64())));
        }
        let Some(most) = most(command, counts.read_full + counts.read_partial) else { break };
        let room = buffer.get_mut(..most).unwrap_or_default();
        let count = match read_block(running, input, room, command.full_blocks || is_device)? {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) => {
                running.report_error_of("error reading", command.input.unwrap_or(b"standard input"), &error)?;
                status = 1;
                break;
            }
        };
        let data = count_block(&mut buffer, count, command, counts);
        translate(data, command);
        if command.same_size && !command.converts() {
            if !writer.write(counts, data)? {
                return Ok(1);
            }
            continue;
        }
        let swapped = command.swaps.then(|| swap(data, &mut odd));
        let data = swapped.as_deref().unwrap_or(data);
        match &mut converter {
            Some(converter) => converter.take(data, &mut writer.pending),
            None => writer.pending.extend_from_slice(data),
        }
        if !writer.write_whole_blocks(counts)? {
            return Ok(1);
        }
    }
    match &mut converter {
        Some(converter) => {
            converter.take(odd.as_slice(), &mut writer.pending);
            converter.finish(&mut writer.pending);
            counts.truncated = converter.truncated;
        }
        None => writer.pending.extend(odd),
    }
    if writer.write_whole_blocks(counts)? && writer.write_rest(counts)? { Ok(status) } else { Ok(1) }
}

/// How many bytes to read next, after so many blocks; `None`: it was asked for no more.
fn most(command: &Command<'_>, read: u64) -> Option<usize> {
    match command.count {
        Some((blocks, bytes)) if read >= blocks => {
            usize::try_from(bytes).ok().filter(|bytes| *bytes > 0 && read == blocks)
        }
        _ => Some(command.read_size),
    }
}

/// Counts a block that was read, and fills one that is not whole where that is asked for. Gives what there is of it then.
fn count_block<'b>(buffer: &'b mut [u8], count: usize, command: &Command<'_>, counts: &mut Counts) -> &'b mut [u8] {
    if count == buffer.len() {
        counts.read_full += 1;
        return buffer;
    }
    counts.read_partial += 1;
    if command.pads {
        let padding = if command.lines.is_some() { b' ' } else { 0 };
        buffer.get_mut(count..).unwrap_or_default().fill(padding);
        return buffer;
    }
    buffer.get_mut(..count).unwrap_or_default()
}

/// Writes, and counts what was written. Each says whether it could: where not, it has told why.
struct Writer<'w> {
    running: &'w Running<'w>,
    output: &'w Stream,
    command: &'w Command<'w>,
    /// What waits until there is a whole block.
    pending: Vec<u8>,
}

impl Writer<'_> {
    fn write(&self, counts: &mut Counts, data: &[u8]) -> Result<bool, Failure> {
        match self.running.write_to(self.output, data)? {
            Ok(()) => {
                if data.len() == self.command.write_size {
                    counts.written_full += 1;
                } else {
                    counts.written_partial += 1;
                }
                counts.bytes += data.len() as u64;
                Ok(true)
            }
            Err(error) => {
                let name = self.command.output.unwrap_or(b"standard output");
                self.running.report_error_of("error writing", name, &error)?;
                Ok(false)
            }
        }
    }

    fn write_whole_blocks(&mut self, counts: &mut Counts) -> Result<bool, Failure> {
        let size = self.command.write_size;
        for block in whole_blocks(&mut self.pending, size).chunks_exact(size) {
            if !self.write(counts, block)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn write_rest(&self, counts: &mut Counts) -> Result<bool, Failure> {
        Ok(self.pending.is_empty() || self.write(counts, &self.pending)?)
    }
}
