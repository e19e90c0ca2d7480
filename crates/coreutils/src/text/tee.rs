//! `tee`: copy standard input to files and to standard output.

use std::sync::Arc;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, Source, reason};
use hookshell_utility::options::{OptionSpec, flag, optional, parse};
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Stopped, Stream, Unsupported, UtilityCall};

utility! {
    /// `tee [-aip] [--output-error[=MODE]] [FILE]…` (XCU `tee`, GNU's `-p`). Nothing is held back. `-i` has no
    /// meaning here: signals are not delivered to utilities.
    Tee, "tee"
}

const OPTIONS: &[OptionSpec] =
    &[flag(b'a', "append"), flag(b'i', "ignore-interrupts"), flag(b'p', ""), optional(b'p', "output-error")];

struct Command<'a> {
    append: bool,
    errors: Errors,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let errors = match parsed.last(b'p') {
        None => Errors::Plain,
        Some(b"" | b"warn-nopipe") => Errors::Warn { pipes: false },
        Some(b"warn") => Errors::Warn { pipes: true },
        Some(b"exit") => Errors::Exit { pipes: true },
        Some(b"exit-nopipe") => Errors::Exit { pipes: false },
        Some(mode) => return Err(Unsupported::mistake(format!("the mode {}", mode.escape_ascii()))),
    };
    Ok(Command { append: parsed.has(b'a'), errors, files: parsed.operands })
}

/// What is done when an output cannot be written to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Errors {
    /// A closed pipe ends it; others are said.
    Plain,
    /// All are said, or all but closed pipes: it continues while another output is left.
    Warn { pipes: bool },
    /// The first that is said ends it.
    Exit { pipes: bool },
}

/// Something that is written to.
struct Target<'a> {
    stream: Arc<Stream>,
    name: &'a [u8],
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut targets = Vec::new();
    let mut status = 0;
    match running.descriptor(1) {
        Ok(stream) => targets.push(Target { stream, name: b"standard output" }),
        Err(error) => {
            running.report_error(b"standard output", &error)?;
            status = 1;
        }
    }
    for &name in &command.files {
        match running.create(name, command.append) {
            Ok(stream) => targets.push(Target { stream, name }),
            Err(error) => {
                running.report_error(&quote::if_needed(name), &error)?;
                status = 1;
                if matches!(command.errors, Errors::Exit { .. }) {
                    return Ok(1);
                }
            }
        }
    }
    let source = match running.descriptor(0) {
        Ok(stream) => Source::Stream(stream),
        Err(error) => {
            running.message(format!("read error: {}", reason(&error)).as_bytes())?;
            return Ok(1);
        }
    };
    let mut input = Input::new(source);
    while !targets.is_empty() {
        let block = input.block(running)?;
        if block.is_empty() {
            break;
        }
        let mut kept = Vec::with_capacity(targets.len());
        for target in targets {
            match running.write_to(&target.stream, block) {
                Ok(Ok(())) => kept.push(target),
                Ok(Err(error)) => {
                    running.report_error(&quote::if_needed(target.name), &error)?;
                    status = 1;
                    if matches!(command.errors, Errors::Exit { .. }) {
                        return Ok(1);
                    }
                }
                Err(Stopped::BrokenPipe) if command.errors != Errors::Plain => {
                    let (Errors::Warn { pipes: true } | Errors::Exit { pipes: true }) = command.errors else {
                        continue;
                    };
                    running.message(&[&quote::if_needed(target.name)[..], b": Broken pipe"].concat())?;
                    status = 1;
                    if matches!(command.errors, Errors::Exit { .. }) {
                        return Ok(1);
                    }
                }
                Err(stopped) => return Err(stopped.into()),
            }
        }
        targets = kept;
        let used = block.len();
        input.consume(used);
    }
    if let Some(error) = &input.error {
        running.message(format!("read error: {}", reason(error)).as_bytes())?;
        return Ok(1);
    }
    Ok(status)
}
