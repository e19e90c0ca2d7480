//! `split`: cut a file into pieces.

mod chunks;

use std::sync::Arc;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source, reason};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, optional, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{ShellCall, StartedShell, Stopped, Stream, Unsupported, UtilityCall};

use self::chunks::{Chunks, parse_chunks};
use crate::size::parse_size;

utility! {
    /// `split [-l LINES | -b SIZE | -C SIZE | -n CHUNKS | -LINES] [-deux] [-a N] [-t SEPARATOR] [--filter=COMMAND] [FILE [PREFIX]]`
    /// (XCU `split`, GNU's additions).
    Split, "split"
}

const NUMERIC: u8 = LONG_ONLY;
const HEXADECIMAL: u8 = LONG_ONLY + 1;
const ADDITIONAL: u8 = LONG_ONLY + 2;
const VERBOSE: u8 = LONG_ONLY + 3;
const FILTER: u8 = LONG_ONLY + 4;
const OPTIONS: &[OptionSpec] = &[
    value(b'n', "number"),
    value(FILTER, "filter"),
    // What is written is written at once.
    flag(b'u', "unbuffered"),
    value(b'l', "lines"),
    value(b'b', "bytes"),
    value(b'C', "line-bytes"),
    value(b'a', "suffix-length"),
    value(b't', "separator"),
    flag(b'd', ""),
    flag(b'x', ""),
    optional(NUMERIC, "numeric-suffixes"),
    optional(HEXADECIMAL, "hex-suffixes"),
    value(ADDITIONAL, "additional-suffix"),
    flag(b'e', "elide-empty-files"),
    flag(VERBOSE, "verbose"),
];

#[derive(Debug, Clone, Copy)]
enum Unit {
    Lines,
    Bytes,
    /// Whole lines as far as they fit.
    LineBytes,
    /// A number of pieces.
    Chunks(Chunks),
}

struct Command<'a> {
    unit: Unit,
    size: u64,
    alphabet: &'static [u8],
    /// The digits of the first suffix.
    first: Vec<usize>,
    /// Suffixes get longer when they run out.
    grows: bool,
    additional: &'a [u8],
    separator: u8,
    is_verbose: bool,
    /// Pieces that would be empty are left out.
    elides: bool,
    /// What the pieces are written to in place of files.
    filter: Option<&'a [u8]>,
    file: &'a [u8],
    prefix: &'a [u8],
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let refused = |text: &[u8]| Unsupported::mistake(format!("the value {}", text.escape_ascii()));
    // The old form: `-5`.
    let old = call
        .argv
        .get(1)
        .and_then(|word| word.strip_prefix(b"-"))
        .filter(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit));
    let parsed = match old {
        Some(_) => hookshell_utility::options::parse_from(call.argv, 2, OPTIONS)?,
        None => parse(call.argv, OPTIONS)?,
    };
    if parsed.operands.len() > 2 {
        return Err(Unsupported::mistake("several files"));
    }
    let positive =
        |text: &'a [u8], units: &[u8]| parse_size(text, units).filter(|n| *n > 0).ok_or_else(|| refused(text));
    let (mut unit, mut size) = (Unit::Lines, 1000);
    let mut cuts = 0;
    if let Some(digits) = old {
        size = positive(digits, b"")?;
        cuts = 1;
    }
    let (mut alphabet, mut start): (&[u8], &[u8]) = (b"abcdefghijklmnopqrstuvwxyz", b"");
    let (mut length, mut separator) = (0, b'\n');
    for (option, value) in &parsed.options {
        match *option {
            b'l' | b'b' | b'C' => {
                let units: &[u8] = if *option == b'l' { b"" } else { b"b" };
                if *option == b'l' && !value.iter().all(u8::is_ascii_digit) {
                    return Err(refused(value));
                }
                size = positive(value, units)?;
                unit = match option {
                    b'l' => Unit::Lines,
                    b'b' => Unit::Bytes,
                    _ => Unit::LineBytes,
                };
                cuts += 1;
            }
            b'n' => {
                unit = Unit::Chunks(parse_chunks(value).ok_or_else(|| refused(value))?);
                cuts += 1;
            }
            b'a' => {
                length = usize::try_from(parse_size(value, b"").ok_or_else(|| refused(value))?)
                    .ok()
                    .filter(|length| *length < 200)
                    .ok_or_else(|| refused(value))?;
            }
            b't' => {
                separator = match *value {
                    [byte] => *byte,
                    b"\\0" => 0,
                    _ => return Err(refused(value)),
                };
            }
            b'd' | NUMERIC | b'x' | HEXADECIMAL => {
                alphabet = if matches!(*option, b'd' | NUMERIC) { b"0123456789" } else { b"0123456789abcdef" };
                start = if value.is_empty() { start } else { value };
            }
            ADDITIONAL if value.contains(&b'/') => return Err(refused(value)),
            _ => {}
        }
    }
    if cuts > 1 {
        return Err(Unsupported::mistake("several ways to split"));
    }
    // GNU's 9.1 counts on from letters in another way.
    if !start.iter().all(u8::is_ascii_digit) {
        return Err(refused(start));
    }
    let digit = |byte: &u8| alphabet.iter().position(|known| known == byte);
    let start: Vec<usize> = start.iter().map(digit).collect::<Option<_>>().ok_or_else(|| refused(start))?;
    let mut grows = length == 0 && start.is_empty();
    let mut needed = 0;
    if let Unit::Chunks(chunks) = unit {
        grows = false;
        let base = alphabet.len() as u64;
        let first = start.iter().try_fold(0_u64, |number, digit| number.checked_mul(base)?.checked_add(*digit as u64));
        let mut last = first.and_then(|first| first.checked_add(chunks.count - 1)).unwrap_or(u64::MAX);
        while needed == 0 || last > 0 {
            needed += 1;
            last /= base;
        }
        if length > 0 && length < needed {
            return Err(Unsupported::mistake("so short suffixes"));
        }
    }
    let length = if length == 0 { needed.max(2) } else { length };
    let filter = parsed.last(FILTER);
    if filter.is_some() && (matches!(unit, Unit::Chunks(Chunks { only: Some(_), .. })) || parsed.has(VERBOSE)) {
        return Err(Unsupported::new("--filter with one piece alone or --verbose"));
    }
    let zeros = length.checked_sub(start.len()).ok_or_else(|| Unsupported::mistake("so long a first suffix"))?;
    Ok(Command {
        unit,
        size,
        alphabet,
        first: [vec![0; zeros], start].concat(),
        grows,
        additional: parsed.last(ADDITIONAL).unwrap_or_default(),
        separator,
        is_verbose: parsed.has(VERBOSE),
        elides: parsed.has(b'e'),
        filter,
        file: parsed.operands.first().copied().unwrap_or(b"-"),
        prefix: parsed.operands.get(1).copied().unwrap_or(b"x"),
    })
}

/// The names of the pieces in order.
struct Names<'c> {
    command: &'c Command<'c>,
    /// What stands before the suffix: the prefix, and a letter for each time that suffixes grew.
    base: Vec<u8>,
    /// `None`: they have run out.
    digits: Option<Vec<usize>>,
}

impl Names<'_> {
    fn next(&mut self) -> Option<Vec<u8>> {
        let digits = self.digits.as_mut()?;
        let alphabet = self.command.alphabet;
        let suffix = digits.iter().filter_map(|digit| alphabet.get(*digit)).copied();
        let mut name = self.base.clone();
        name.extend(suffix);
        name.extend_from_slice(self.command.additional);
        let mut at = digits.len();
        loop {
            let Some(digit) = at.checked_sub(1).and_then(|at| digits.get_mut(at)) else {
                self.digits = None;
                break;
            };
            at -= 1;
            *digit += 1;
            if self.command.grows && at == 0 && *digit + 1 == alphabet.len() {
                self.base.extend(alphabet.last());
                *digits = vec![0; digits.len() + 1];
                break;
            }
            if *digit < alphabet.len() {
                break;
            }
            *digit = 0;
        }
        Some(name)
    }
}

/// Why no more is written, which was told: the status.
struct Told(u8);

/// A piece that is being written.
struct Piece<'r, 'a> {
    out: Output<'r, 'a>,
    /// The command that reads it, and the name that it was told.
    command: Option<(Box<dyn StartedShell>, Vec<u8>)>,
    /// The command reads no more.
    is_closed: bool,
}

impl Piece<'_, '_> {
    fn push(&mut self, data: &[u8]) -> Result<(), Failure> {
        if self.is_closed {
            return Ok(());
        }
        let pushed = self.out.push(data);
        self.judged(pushed)
    }

    /// That a command does not read everything is no error.
    fn judged(&mut self, written: Result<(), Failure>) -> Result<(), Failure> {
        match written {
            Err(Failure::Stopped(Stopped::BrokenPipe)) if self.command.is_some() => {
                self.is_closed = true;
                Ok(())
            }
            written => written,
        }
    }

    /// Writes what is left, and waits for the command. The status of one that failed, which was told.
    fn finish(mut self, filter: &[u8]) -> Result<Result<(), Told>, Failure> {
        if !self.is_closed {
            let flushed = self.out.flush();
            self.judged(flushed)?;
        }
        let running = self.out.running();
        let Some((mut started, name)) = self.command else { return Ok(Ok(())) };
        // The pipe ends here.
        drop(self.out);
        let status = started.wait()?;
        if status == 0 {
            return Ok(Ok(()));
        }
        let text = [&b"with FILE="[..], &name, format!(", exit {status} from command: ").as_bytes(), filter].concat();
        running.message(&text)?;
        Ok(Err(Told(status)))
    }
}

/// The piece that is being written.
struct Pieces<'c, 'r, 'a> {
    running: &'r Running<'a>,
    names: Names<'c>,
    out: Option<Piece<'r, 'a>>,
    input: Option<(u64, u64)>,
}

impl<'r, 'a> Pieces<'_, 'r, 'a> {
    /// Writes to the piece, or to the next one.
    fn write(&mut self, data: &[u8], begins: bool) -> Result<Result<(), Told>, Failure> {
        if begins {
            if let Err(told) = self.finish()? {
                return Ok(Err(told));
            }
            if data.is_empty() && self.names.command.elides {
                return Ok(Ok(()));
            }
            match self.next()? {
                Ok(piece) => self.out = Some(piece),
                Err(told) => return Ok(Err(told)),
            }
        }
        if let Some(out) = &mut self.out {
            out.push(data)?;
        }
        Ok(Ok(()))
    }

    /// Begins the next piece.
    fn next(&mut self) -> Result<Result<Piece<'r, 'a>, Told>, Failure> {
        let Some(name) = self.names.next() else {
            self.running.message(b"output file suffixes exhausted")?;
            return Ok(Err(Told(1)));
        };
        self.open(name)
    }

    fn open(&self, name: Vec<u8>) -> Result<Result<Piece<'r, 'a>, Told>, Failure> {
        if let Some(filter) = self.names.command.filter {
            return self.start(filter, name);
        }
        if self.names.command.is_verbose {
            self.running.write(&[&b"creating file "[..], &quote::always(&name), b"\n"].concat())?;
        }
        if self.input.is_some() && self.input == id_of(self.running.path(&name).metadata()) {
            self.running.message(&[&quote::always(&name)[..], b" would overwrite input; aborting"].concat())?;
            return Ok(Err(Told(1)));
        }
        match self.running.create(&name, false) {
            Ok(stream) => Ok(Ok(Piece { out: Output::to(self.running, stream), command: None, is_closed: false })),
            Err(error) => {
                self.running.message(&[&name[..], b": ", reason(&error).as_bytes()].concat())?;
                Ok(Err(Told(1)))
            }
        }
    }

    /// Starts the command that a piece is written to.
    fn start(&self, filter: &[u8], name: Vec<u8>) -> Result<Result<Piece<'r, 'a>, Told>, Failure> {
        let context = self.running.context();
        let (reader, writer) = hookshell_process::pipe().map_err(Failure::Write)?;
        let mut fds = context.fds.clone();
        fds.replace(0, Some(Arc::new(Stream::from_private_pipe(reader))));
        let mut env = context.env.to_vec();
        env.retain(|(known, _)| known != "FILE");
        env.push(("FILE".into(), hookshell_process::text::to_os(&name).into_owned()));
        let env = Arc::new(env);
        let call = ShellCall { source: filter, env: &env, cwd: context.cwd, fds };
        match context.commands.start_shell(&call) {
            Ok(started) => {
                let stream = Arc::new(Stream::from_private_pipe(writer));
                let command = Some((started, name));
                Ok(Ok(Piece { out: Output::to(self.running, stream), command, is_closed: false }))
            }
            Err(reason) => {
                self.running.message(&[b"failed to run command: ", reason.as_bytes()].concat())?;
                Ok(Err(Told(1)))
            }
        }
    }

    fn finish(&mut self) -> Result<Result<(), Told>, Failure> {
        match self.out.take() {
            Some(piece) => piece.finish(self.names.command.filter.unwrap_or_default()),
            None => Ok(Ok(())),
        }
    }
}

#[cfg(unix)]
fn id_of(metadata: std::io::Result<std::fs::Metadata>) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    metadata.ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn id_of(_: std::io::Result<std::fs::Metadata>) -> Option<(u64, u64)> {
    None
}

/// Which file it is, standard input too.
fn file_id(source: &Source) -> Option<(u64, u64)> {
    match source {
        Source::Stream(stream) => stream.file().and_then(|file| id_of(file.metadata())),
        Source::File(file, _) => id_of(file.metadata()),
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let source = match running.open(command.file)? {
        Ok(source) => source,
        Err(error) => {
            let what = [&b"cannot open "[..], &quote::always(command.file), b" for reading"].concat();
            running.report_error(&what, &error)?;
            return Ok(1);
        }
    };
    let id = file_id(&source);
    let mut input = Input::new(source);
    let names = Names { command: &command, base: command.prefix.to_vec(), digits: Some(command.first.clone()) };
    let mut pieces = Pieces { running, names, out: None, input: id };
    let done = match command.unit {
        Unit::Lines => lines(running, &mut input, &mut pieces, command.size, command.separator)?,
        Unit::Bytes => bytes(running, &mut input, &mut pieces, command.size)?,
        Unit::LineBytes => line_bytes(running, &mut input, &mut pieces, command.size, command.separator)?,
        Unit::Chunks(chunks) => chunks.split(running, &mut input, &mut pieces)?,
    };
    let finished = pieces.finish()?;
    if let Some(error) = &input.error {
        running.report_error(&quote::if_needed(command.file), error)?;
        return Ok(1);
    }
    Ok(match (done, finished) {
        (Err(Told(status)), _) | (_, Err(Told(status))) => status,
        _ => 0,
    })
}

fn lines(
    running: &Running<'_>,
    input: &mut Input,
    pieces: &mut Pieces<'_, '_, '_>,
    size: u64,
    separator: u8,
) -> Result<Result<(), Told>, Failure> {
    let mut left = 0;
    // The last block ended within a line.
    let mut is_open = false;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            return Ok(Ok(()));
        }
        let mut rest = block;
        while !rest.is_empty() {
            let begins = left == 0 && !is_open;
            if begins {
                left = size;
            }
            // As many lines as still belong to this piece.
            let mut end = rest.len();
            is_open = true;
            for at in memchr::memchr_iter(separator, rest) {
                left -= 1;
                is_open = at + 1 < rest.len();
                if left == 0 {
                    end = at + 1;
                    is_open = false;
                    break;
                }
            }
            let (now, later) = rest.split_at_checked(end).unwrap_or((rest, b""));
            if let Err(told) = pieces.write(now, begins)? {
                return Ok(Err(told));
            }
            rest = later;
        }
        // Between two pieces nothing is open.
        is_open = left > 0;
        let used = block.len();
        input.consume(used);
    }
}

fn bytes(
    running: &Running<'_>,
    input: &mut Input,
    pieces: &mut Pieces<'_, '_, '_>,
    size: u64,
) -> Result<Result<(), Told>, Failure> {
    let mut left = 0;
    loop {
        let block = input.block(running)?;
        if block.is_empty() {
            return Ok(Ok(()));
        }
        let begins = left == 0;
        if begins {
            left = size;
        }
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        if let Err(told) = pieces.write(block.get(..count).unwrap_or_default(), begins)? {
            return Ok(Err(told));
        }
        left -= count as u64;
        input.consume(count);
    }
}

fn line_bytes(
    running: &Running<'_>,
    input: &mut Input,
    pieces: &mut Pieces<'_, '_, '_>,
    size: u64,
    separator: u8,
) -> Result<Result<(), Told>, Failure> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    loop {
        // A piece ends after the last line that fits into it; a longer line is cut.
        let block = input.at_least(running, size)?;
        if block.is_empty() {
            return Ok(Ok(()));
        }
        let window = block.get(..size).unwrap_or(block);
        let is_rest = block.len() <= size && block.len() < size;
        let count = match memchr::memrchr(separator, window) {
            _ if is_rest => block.len(),
            Some(at) => at + 1,
            None => window.len(),
        };
        if let Err(told) = pieces.write(block.get(..count).unwrap_or_default(), true)? {
            return Ok(Err(told));
        }
        input.consume(count);
    }
}
