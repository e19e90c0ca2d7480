//! `read` (XCU read)

mod fields;
mod request;

use std::ops::ControlFlow;
use std::time::Duration;

use hookshell_process::{Interrupt, is_interrupted, start_thread};
use hookshell_syntax::ast::Argument;
use hookshell_syntax::{Dialect, is_name};
use hookshell_utility::{Args, Stream};
use smallvec::SmallVec;

use self::fields::split;
use self::request::{Request, request};
use super::{assigned, done};
use crate::flow::{Divert, Flow, divert};
use crate::interpreter::reference::Reference;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, ELEMENT, Value};
use hookshell_utility::Held;

/// A line as `read` takes it: backslashes gone, and which bytes they protected from splitting.
#[derive(Default)]
struct Line {
    text: Vec<u8>,
    protected: Vec<usize>,
    /// It ended with the delimiter (or with as many characters as were asked for).
    complete: bool,
    timed_out: bool,
    /// POSIX mode: a signal that is trapped has ended the reading.
    signal: Option<i32>,
}

/// `read [-r] [-a array] [-d delim] [-n n] [-N n] [-p prompt] [-t seconds] [-u fd] [name …]`
pub(super) fn read(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let (mut request, first) = match request(shell, args) {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    if let Some(array) = &request.array {
        if !is_name(array) {
            shell.builtin_error(b"read", [b"`", &**array, b"': not a valid identifier"].concat());
            return done(1);
        }
        if shell.vars.find_bytes(array).is_some_and(|id| shell.is_associative(id)) {
            shell.builtin_error(b"read", [&**array, b": not an indexed array"].concat());
            return done(1);
        }
    }
    // bash looks at the other names when it comes to them.
    if let Some(name) = args.iter_from(first).next()
        && !is_assignable(shell, name)
    {
        return done(1);
    }
    let Some(stream) = shell.env.fds.get(request.fd) else {
        if request.fd == 0 && request.timeout == Some(Duration::ZERO) {
            return done(1);
        }
        let message = match request.fd {
            // Without `-u` it is the reading that fails.
            0 => "read error: 0: Bad file descriptor".into(),
            fd => format!("{fd}: invalid file descriptor: Bad file descriptor"),
        };
        shell.builtin_error(b"read", message);
        return done(1);
    };
    if request.timeout.is_none() && shell.env.dialect == Dialect::Bash {
        request.timeout = shell.env.read_timeout;
    }
    let is_immediate = request.timeout == Some(Duration::ZERO);
    let is_ready = is_immediate && stream.is_ready();
    if let Some(prompt) = &request.prompt
        && stream.is_terminal()
    {
        shell.write_error(prompt);
    }
    if is_immediate {
        return done(u8::from(!is_ready));
    }
    let mut line = Line { text: shell.take_bytes(), ..Line::default() };
    match read_line(shell, &request, &mut line)? {
        Ok(()) => {}
        Err(error) if is_interrupted(&error) => return divert(Divert::Stop),
        Err(error) if error.kind() == std::io::ErrorKind::OutOfMemory => {
            let message = shell.host.limits.message(Limit::ExpansionBytes, "the line is longer");
            shell.builtin_error(b"read", message);
            return done(1);
        }
        Err(error) => {
            let reason = crate::interpreter::exec::reason(&error);
            shell.builtin_error(b"read", format!("read error: {}: {reason}", request.fd));
            return done(1);
        }
    }
    // XCU read: interrupted, it leaves the variables alone.
    if let Some(signal) = line.signal {
        return done(128u8.saturating_add(u8::try_from(signal).unwrap_or(0)));
    }
    let status = match (line.complete, line.timed_out) {
        (true, _) => 0,
        (false, true) => 142,
        (false, false) => 1,
    };
    let assign = |shell: &mut Shell| assign(shell, args, first, &request, &line);
    let assigned = shell.assigning_as("read", |shell| assigned(shell, assign))?;
    shell.give_bytes(line.text);
    done(if assigned { status } else { 1 })
}

fn read_line(shell: &mut Shell, request: &Request, line: &mut Line) -> Flow<std::io::Result<()>> {
    let Some(delimiter) = request.line_delimiter() else { return read_characters(shell, request, line) };
    // A line at once; a backslash at its end continues it with the next.
    loop {
        let start = line.text.len();
        let is_there =
            shell.env.fds.get(request.fd).is_some_and(|stream| stream.take_buffered(delimiter, &mut line.text));
        let found = match if is_there { Ok(true) } else { wait_for_line(shell, request.fd, delimiter, line)? } {
            Ok(found) => found,
            Err(error) => return ControlFlow::Continue(Err(error)),
        };
        if found {
            line.text.pop();
        }
        let should_continue = !request.raw
            && matches!(unescape(line, start, found && delimiter == b'\n', delimiter), Continuation::Line)
            && found;
        if !should_continue {
            line.complete = found;
            line.drop_nuls();
            return ControlFlow::Continue(Ok(()));
        }
    }
}

/// Reads up to and including the delimiter; says whether it was found.
fn wait_for_line(shell: &mut Shell, fd: u32, delimiter: u8, line: &mut Line) -> Flow<std::io::Result<bool>> {
    let Some(stream) = shell.env.fds.get(fd).cloned() else { return ControlFlow::Continue(Ok(false)) };
    let limit = shell.host.limits.expansion_bytes;
    // While it grows it is there twice.
    let mut held: Option<Held> = None;
    let start = line.text.len();
    loop {
        let from = line.text.len();
        let found = read_piece(shell, &stream, delimiter, line)?;
        if !matches!(&found, Err(error) if error.kind() == std::io::ErrorKind::OutOfMemory) {
            return ControlFlow::Continue(found);
        }
        line.drop_free_nuls(start, from);
        if line.text.len() > limit {
            return ControlFlow::Continue(found);
        }
        drop(held.take());
        held = Some(shell.hold(2 * line.text.len())?);
    }
}

/// As [`wait_for_line`]; `OutOfMemory`: the line is longer than a piece, and continues.
fn read_piece(shell: &mut Shell, stream: &Stream, delimiter: u8, line: &mut Line) -> Flow<std::io::Result<bool>> {
    /// After so many bytes it is looked whether the line becomes too long.
    const PIECE: usize = 1 << 18;
    let limit = PIECE.min(shell.host.limits.expansion_bytes.saturating_sub(line.text.len()));
    let text = &mut line.text;
    if !(shell.opt(Opt::Posix) && shell.traps.has_any()) {
        return shell.blocking_call(|interrupt| stream.read_until(delimiter, text, limit, interrupt));
    }
    let interrupt = shell.context.interrupt.clone();
    let found = shell.nudged_call(&interrupt, |interrupt| stream.read_until(delimiter, text, limit, interrupt));
    ControlFlow::Continue(match found {
        // XCU read: a signal that is trapped ends it, and its action runs after it.
        Err(error) if is_interrupted(&error) && shell.has_signal_to_handle() => {
            line.signal = shell.host.run.first_signal(shell.context.subshell.id);
            Ok(false)
        }
        found => found,
    })
}

/// As [`read_line`], byte by byte.
fn read_characters(shell: &mut Shell, request: &Request, line: &mut Line) -> Flow<std::io::Result<()>> {
    let Some(stream) = shell.env.fds.get(request.fd).cloned() else { return ControlFlow::Continue(Ok(())) };
    let limit = shell.host.limits.expansion_bytes;
    let timer = request.timeout.map(|timeout| Timer::start(&shell.context.interrupt, timeout));
    let interrupt = timer.as_ref().map_or(&shell.context.interrupt, |timer| &timer.reading).clone();
    let most = request.exactly.or(request.most).unwrap_or(usize::MAX);
    let mut count = 0;
    let mut escaped = false;
    while count < most {
        let read = if shell.traps.has_any() {
            shell.nudged_call(&interrupt, |interrupt| stream.read_byte(interrupt))
        } else {
            stream.read_byte(&interrupt)
        };
        let byte = match read {
            Ok(Some(byte)) => byte,
            Ok(None) => break,
            Err(error) if is_interrupted(&error) && !interrupt.is_raised() => {
                if shell.opt(Opt::Posix) && shell.has_signal_to_handle() {
                    line.signal = shell.host.run.first_signal(shell.context.subshell.id);
                    break;
                }
                shell.run_pending_traps()?;
                continue;
            }
            Err(error) if is_interrupted(&error) && !shell.context.interrupt.is_raised() => {
                line.timed_out = true;
                break;
            }
            Err(error) => return ControlFlow::Continue(Err(error)),
        };
        if escaped {
            escaped = false;
            if byte == b'\n' {
                continue;
            }
            line.protected.push(line.text.len());
        } else if !request.raw && byte == b'\\' {
            escaped = true;
            continue;
        } else if request.exactly.is_none() && Some(byte) == request.delimiter {
            line.complete = true;
            break;
        }
        if byte == 0 {
            continue;
        }
        line.text.push(byte);
        if line.text.len() > limit {
            let error = std::io::Error::new(std::io::ErrorKind::OutOfMemory, "line too long");
            return ControlFlow::Continue(Err(error));
        }
        // The bytes of one character count once.
        if shell.env.bytes || !hookshell_process::text::is_continuation(byte) {
            count += 1;
        }
        if count == most && byte >= 0xc0 && !shell.env.bytes {
            let more = match byte {
                0xc0..=0xdf => 1,
                0xe0..=0xef => 2,
                _ => 3,
            };
            for _ in 0..more {
                match stream.read_byte(&interrupt) {
                    Ok(Some(byte)) => line.text.push(byte),
                    Ok(None) => {}
                    Err(error) => return ControlFlow::Continue(Err(error)),
                }
            }
        }
    }
    if count >= most {
        line.complete = true;
    }
    ControlFlow::Continue(Ok(()))
}

/// Wakes a read when its time is over.
struct Timer {
    reading: Interrupt,
    waiting: Interrupt,
}

impl Timer {
    fn start(run: &Interrupt, timeout: Duration) -> Self {
        let timer = Self { reading: run.child(), waiting: run.child() };
        let (reading, waiting) = (timer.reading.clone(), timer.waiting.clone());
        let started = start_thread("hookshell-timer", 64 * 1024, move || {
            if waiting.sleep(timeout) {
                reading.raise();
            }
        });
        if started.is_err() {
            // Without a thread there is no way to wake up later: the time is over at once.
            timer.reading.raise();
        }
        timer
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.waiting.raise();
    }
}

enum Continuation {
    None,
    Line,
}

/// Takes the backslashes out of what was read from `start` on.
fn unescape(line: &mut Line, start: usize, newline: bool, delimiter: u8) -> Continuation {
    if memchr::memchr(b'\\', &line.text[start..]).is_none() {
        return Continuation::None;
    }
    let raw = line.text.split_off(start);
    let mut bytes = raw.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            line.text.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'\n') => {}
            Some(next) => {
                line.protected.push(line.text.len());
                line.text.push(next);
            }
            None if newline => return Continuation::Line,
            None => {
                // The delimiter itself was escaped: it belongs to the line.
                if delimiter != b'\n' {
                    line.protected.push(line.text.len());
                    line.text.push(delimiter);
                }
                return Continuation::Line;
            }
        }
    }
    Continuation::None
}

impl Line {
    /// Drops NUL bytes, which no variable can hold.
    fn drop_nuls(&mut self) {
        if memchr::memchr(0, &self.text).is_none() {
            return;
        }
        let text = &self.text;
        let (mut nuls, mut counted) = (0, 0);
        self.protected.retain_mut(|at| {
            nuls += memchr::memchr_iter(0, text.get(counted..*at).unwrap_or_default()).count();
            counted = *at;
            let stays = text.get(*at) != Some(&0);
            *at -= nuls;
            stays
        });
        self.text.retain(|&b| b != 0);
    }

    /// As [`Self::drop_nuls`], of what was read from `from` on and still has its backslashes: what one of them protects
    /// stays. `start` is where the text with backslashes begins.
    fn drop_free_nuls(&mut self, start: usize, from: usize) {
        let Some(first) = memchr::memchr(0, self.text.get(from..).unwrap_or_default()).map(|at| from + at) else {
            return;
        };
        let mut before = if first > start { self.text[first - 1] } else { 0 };
        let mut kept = first;
        for at in first..self.text.len() {
            let byte = self.text[at];
            if byte != 0 || before == b'\\' {
                self.text[kept] = byte;
                kept += 1;
            }
            before = byte;
        }
        self.text.truncate(kept);
    }
}

fn assign(shell: &mut Shell, args: &Args, first: usize, request: &Request, line: &Line) -> Flow {
    if let Some(array) = &request.array {
        // At most so many fields come of it.
        shell.reserve(line.text.len())?;
        let fields = match request.exactly {
            // -N: no splitting at all.
            Some(_) if line.text.is_empty() => SmallVec::new(),
            Some(_) => SmallVec::from_elem(0..line.text.len(), 1),
            None => split(line, &shell.env.inherited.ifs, usize::MAX, &|| shell.is_stopping()),
        };
        if shell.is_stopping() {
            return divert(Divert::Stop);
        }
        shell.reserve(fields.len() * 2 * ELEMENT)?;
        let id = shell.vars.slot_bytes(array);
        let id = match shell.follow(id)? {
            Reference::Variable(id) => id,
            _ => id,
        };
        shell.check_assignable(id)?;
        let elements = fields.into_iter().map(|field| line.text[field].to_vec());
        if shell.vars.get(id).is_some_and(|variable| variable.attributes.has(Attributes::SLOW)) {
            shell.store(id, Value::Indexed(Box::default()));
            return (0..)
                .zip(elements)
                .try_for_each(|(index, value)| shell.assign_reference(&Reference::Index(id, index), value, false));
        }
        shell.store(id, Value::Indexed(Box::new(elements.collect())));
        return crate::flow::NEXT;
    }
    if first >= args.len() {
        // REPLY gets the line as it is.
        return shell.set_variable(b"REPLY", &line.text);
    }
    if request.exactly.is_some() {
        // -N: no splitting at all.
        for (index, name) in args.iter_from(first).enumerate() {
            set(shell, name, if index == 0 { &line.text } else { b"" })?;
        }
        return crate::flow::NEXT;
    }
    let names = args.len() - first;
    let mut fields = split(line, &shell.env.inherited.ifs, names, &|| false).into_iter();
    for name in args.iter_from(first) {
        set(shell, name, fields.next().map_or(b"", |field| &line.text[field]))?;
    }
    crate::flow::NEXT
}

/// Is it a name, or one with a subscript? Otherwise it says that it is not.
fn is_assignable(shell: &mut Shell, name: &[u8]) -> bool {
    let is_assignable = is_name(name)
        || crate::interpreter::reference::split_subscript(name).is_some()
        || shell.opt(Opt::AssocExpandOnce)
            && crate::interpreter::reference::split_expanded(name)
                .is_some_and(|(_, subscript)| !subscript.contains(&b']'));
    if !is_assignable {
        shell.builtin_error(b"read", [b"`", name, b"': not a valid identifier"].concat());
    }
    is_assignable
}

fn set(shell: &mut Shell, name: &[u8], value: &[u8]) -> Flow {
    if is_name(name) {
        return shell.set_variable(name, value);
    }
    if !is_assignable(shell, name) {
        return divert(Divert::Discard);
    }
    match shell.reference_of_word(name)? {
        Some(reference) => shell.assign_reference(&reference, value.to_vec(), false),
        None => crate::flow::NEXT,
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    /// What [`Line::drop_free_nuls`] leaves of a text that is read in pieces of this size, after what was read before.
    fn read_in_pieces(text: &[u8], size: usize) -> Vec<u8> {
        let mut line = Line { text: b"a\0\\".to_vec(), ..Line::default() };
        let start = line.text.len();
        for piece in text.chunks(size) {
            let from = line.text.len();
            line.text.extend_from_slice(piece);
            line.drop_free_nuls(start, from);
        }
        assert_eq!(&line.text[..start], b"a\0\\");
        line.text.split_off(start)
    }

    #[test]
    fn nuls_are_dropped_but_those_after_a_backslash_whatever_the_pieces() {
        for size in 1..10 {
            assert_eq!(read_in_pieces(b"\0a\0\0b\\\0c\0\\d", size), b"ab\\\0c\\d");
            assert_eq!(read_in_pieces(b"abc", size), b"abc");
            assert_eq!(read_in_pieces(b"\0\0\0", size), b"");
        }
    }
}
