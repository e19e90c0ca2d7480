//! bash: `mapfile`, `readarray`

use std::ops::ControlFlow;

use hookshell_process::is_interrupted;
use hookshell_syntax::ast::Argument;
use hookshell_syntax::is_name;
use hookshell_text::{integer, quote};
use hookshell_utility::Args;

use super::help::invalid_option;
use super::letters::Letters;
use super::{USAGE, done};
use crate::context::Text;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::reference::Reference;
use crate::limits::Limit;
use crate::shell::Shell;
use crate::vars::{Attributes, IndexedArray, SlotId, Value, Variable};

struct Request {
    delimiter: u8,
    /// Lines to store; 0: all.
    count: u64,
    /// The index of the first line; `None`: 0, and the array is emptied first.
    origin: Option<u64>,
    skip: u64,
    chop: bool,
    fd: u32,
    callback: Option<Vec<u8>>,
    quantum: u64,
}

fn request(shell: &mut Shell, args: &Args) -> Result<(Request, usize), u8> {
    let builtin = args[0].to_vec();
    let mut request = Request {
        delimiter: b'\n',
        count: 0,
        origin: None,
        skip: 0,
        chop: false,
        fd: 0,
        callback: None,
        quantum: 5000,
    };
    let mut letters = Letters::of(args);
    while let Some(letter) = letters.next() {
        if letter == b't' {
            request.chop = true;
            continue;
        }
        if !b"dnOsuCc".contains(&letter) {
            return Err(invalid_option(shell, &builtin, &[b'-', letter]));
        }
        let value = letters.value(shell, letter)?;
        set(shell, &mut request, &builtin, letter, value)?;
    }
    Ok((request, letters.operands()))
}

/// One option with its value.
fn set(shell: &mut Shell, request: &mut Request, builtin: &[u8], letter: u8, value: &[u8]) -> Result<(), u8> {
    let number = integer::parse_integer(value);
    // bash keeps the counts in an unsigned int.
    let count = number.and_then(|n| u32::try_from(n).ok()).map(u64::from);
    let what = match letter {
        b'd' => {
            request.delimiter = value.first().copied().unwrap_or(0);
            return Ok(());
        }
        b'C' => {
            request.callback = Some(value.to_vec());
            return Ok(());
        }
        b'n' | b's' => match count {
            Some(count) if letter == b'n' => {
                request.count = count;
                return Ok(());
            }
            Some(count) => {
                request.skip = count;
                return Ok(());
            }
            None => "invalid line count",
        },
        b'O' => match count {
            Some(origin) => {
                request.origin = Some(origin);
                return Ok(());
            }
            None => "invalid array origin",
        },
        b'c' => match count {
            Some(quantum) if quantum > 0 => {
                request.quantum = quantum;
                return Ok(());
            }
            _ => "invalid callback quantum",
        },
        _ => match number.and_then(|n| i32::try_from(n).ok()).and_then(|n| u32::try_from(n).ok()) {
            Some(fd) if shell.env.fds.get(fd).is_some() => {
                request.fd = fd;
                return Ok(());
            }
            Some(_) => "invalid file descriptor: Bad file descriptor",
            None => "invalid file descriptor specification",
        },
    };
    shell.builtin_error(builtin, [value, b": ", what.as_bytes()].concat());
    Err(1)
}

/// `mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]`
pub(super) fn mapfile(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let (request, first) = match request(shell, args) {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let name = args.get(first).unwrap_or(b"MAPFILE");
    if name.is_empty() {
        shell.builtin_error(&args[0], "empty array variable name");
        return done(USAGE);
    }
    if !is_name(name) {
        shell.builtin_error(&args[0], [b"`", name, b"': not a valid identifier"].concat());
        return done(1);
    }
    let slot = shell.vars.slot_bytes(name);
    let slot = match shell.follow(slot)? {
        Reference::Variable(target) => target,
        _ => slot,
    };
    if !prepare(shell, slot, request.origin.is_none(), &args[0]) {
        return done(1);
    }
    match fill(shell, slot, &request, &args[0]) {
        ControlFlow::Continue(()) => done(0),
        ControlFlow::Break(Divert::Discard) => done(1),
        ControlFlow::Break(divert) => ControlFlow::Break(divert),
    }
}

/// Makes the variable an indexed array; `false`: it cannot become one.
fn prepare(shell: &mut Shell, slot: SlotId, clear: bool, builtin: &[u8]) -> bool {
    let name = shell.vars.name(slot);
    if shell.vars.get(slot).is_some_and(|v| v.attributes.has(Attributes::READONLY)) {
        shell.error([&*name, b": readonly variable"].concat());
        return false;
    }
    if shell.is_associative(slot) {
        shell.builtin_error(builtin, [&*name, b": not an indexed array"].concat());
        return false;
    }
    let variable = shell.vars.change(slot).get_or_insert_with(|| Variable::new(Value::Unset));
    match &mut variable.value {
        Value::Indexed(_) if !clear => {}
        Value::Scalar(text) if !clear => {
            let text = std::mem::take(text);
            variable.value = Value::Indexed(Box::new(std::iter::once(text).collect()));
        }
        other => *other = Value::Indexed(Box::<IndexedArray>::default()),
    }
    true
}

/// After so many lines it is looked whether the run was told to stop.
const LINES_PER_LOOK: u64 = 1024;

/// Reads the lines and stores them.
fn fill(shell: &mut Shell, slot: SlotId, request: &Request, builtin: &[u8]) -> Flow {
    let Some(stream) = shell.env.fds.get(request.fd).cloned() else { return NEXT };
    let mut skip = request.skip;
    let mut stored: u64 = 0;
    let mut lines: u64 = 0;
    let mut bytes = 0;
    let mut line = Vec::new();
    while request.count == 0 || stored < request.count {
        line.clear();
        let limit = shell.host.limits.expansion_bytes;
        let complete = match stream.read_until(request.delimiter, &mut line, limit, &shell.context.interrupt) {
            Ok(complete) => complete,
            Err(error) if is_interrupted(&error) => return divert(Divert::Stop),
            Err(error) if error.kind() == std::io::ErrorKind::OutOfMemory => {
                return shell.exceed(Limit::ExpansionBytes, "a line that mapfile reads is longer");
            }
            Err(error) => {
                let reason = crate::interpreter::exec::reason(&error);
                shell.builtin_error(builtin, format!("read error: {}: {reason}", request.fd));
                return divert(Divert::Discard);
            }
        };
        if line.is_empty() {
            return NEXT;
        }
        lines += 1;
        if lines.is_multiple_of(LINES_PER_LOOK) && shell.is_stopping() {
            return divert(Divert::Stop);
        }
        if skip > 0 {
            skip -= 1;
            continue;
        }
        bytes += line.len();
        if bytes > limit {
            return shell.exceed(Limit::ExpansionBytes, "what mapfile reads is larger");
        }
        if complete && request.chop {
            line.pop();
        }
        // No variable can hold a NUL: bash keeps what stands before it.
        if let Some(end) = memchr::memchr(0, &line) {
            line.truncate(end);
        }
        stored += 1;
        let index = request.origin.unwrap_or(0).saturating_add(stored - 1);
        if let Some(callback) = &request.callback
            && stored.is_multiple_of(request.quantum)
        {
            let mut text = callback.clone();
            text.extend_from_slice(format!(" {index} ").as_bytes());
            quote::single(&line, &mut text);
            match shell.run_text(&text, Text::Builtin("mapfile")) {
                // An expansion error drops what the callback was and no more.
                ControlFlow::Continue(()) | ControlFlow::Break(Divert::Discard) => {}
                ControlFlow::Break(divert) => return ControlFlow::Break(divert),
            }
        }
        let element = Reference::Index(slot, index);
        shell.assigning_as("mapfile", |shell| shell.assign_reference(&element, line.clone(), false))?;
    }
    NEXT
}
