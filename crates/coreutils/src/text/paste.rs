//! `paste`: lines of files side by side.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::each_input::each_input;

utility! {
    /// `paste [-sz] [-d LIST] [FILE]…` (XCU `paste`).
    Paste, "paste"
}

const OPTIONS: &[OptionSpec] = &[flag(b's', "serial"), flag(b'z', "zero-terminated"), value(b'd', "delimiters")];

struct Command<'a> {
    serial: bool,
    end: u8,
    /// `None` is none (`\0`).
    delimiters: Vec<Option<u8>>,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut delimiters = Vec::new();
    let mut bytes = parsed.last(b'd').unwrap_or(b"\t").iter();
    while let Some(&byte) = bytes.next() {
        delimiters.push(match byte {
            b'\\' => match bytes.next() {
                None => return Err(Unsupported::mistake("a backslash at the end of the delimiters")),
                Some(b'0') => None,
                Some(b'b') => Some(8),
                Some(b'f') => Some(12),
                Some(b'n') => Some(b'\n'),
                Some(b'r') => Some(b'\r'),
                Some(b't') => Some(b'\t'),
                Some(b'v') => Some(11),
                Some(other) => Some(*other),
            },
            byte => Some(byte),
        });
    }
    if delimiters.is_empty() {
        delimiters.push(None);
    }
    Ok(Command {
        serial: parsed.has(b's'),
        end: if parsed.has(b'z') { 0 } else { b'\n' },
        delimiters,
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let status = if command.serial { command.serial(&mut out)? } else { command.parallel(&mut out)? };
    out.flush()?;
    Ok(status)
}

impl Command<'_> {
    fn delimiter(&self, column: usize, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        match self.delimiters.get(column % self.delimiters.len().max(1)) {
            Some(Some(byte)) => out.byte(*byte),
            _ => Ok(()),
        }
    }

    fn serial(&self, out: &mut Output<'_, '_>) -> Result<u8, Failure> {
        let running = out.running();
        each_input(&self.files, out, |_, input, out| {
            let mut column = 0;
            while let Some(line) = input.text(running, self.end)? {
                if column > 0 {
                    self.delimiter(column - 1, out)?;
                }
                out.push(line)?;
                column += 1;
            }
            out.byte(self.end)?;
            Ok(())
        })
    }

    fn parallel(&self, out: &mut Output<'_, '_>) -> Result<u8, Failure> {
        let running = out.running();
        // Several `-` take their lines from one input in turn.
        let mut inputs: Vec<Option<Input>> = Vec::new();
        let mut columns: Vec<usize> = Vec::new();
        let mut stdin = None;
        for file in &self.files {
            if *file == b"-"
                && let Some(at) = stdin
            {
                columns.push(at);
                continue;
            }
            match running.open(file)? {
                Ok(source) => inputs.push(Some(Input::new(source))),
                Err(error) => {
                    out.report_error(&quote::if_needed(file), &error)?;
                    return Ok(1);
                }
            }
            columns.push(inputs.len() - 1);
            if *file == b"-" {
                stdin = Some(inputs.len() - 1);
            }
        }
        let mut status = 0;
        loop {
            // Columns that have ended, before the first one of this line that has not.
            let mut held = 0;
            let mut any = false;
            for (column, (at, file)) in columns.iter().zip(&self.files).enumerate() {
                let input = inputs.get_mut(*at);
                let line = match input {
                    Some(Some(input)) => input.text(running, self.end)?,
                    _ => None,
                };
                if let Some(line) = line {
                    if !any {
                        for before in 0..held {
                            self.delimiter(before, out)?;
                        }
                        any = true;
                    }
                    out.push(line)?;
                } else if let Some(Some(input)) = inputs.get_mut(*at)
                    && let Some(error) = input.error.take()
                {
                    out.report_error(&quote::if_needed(file), &error)?;
                    status = 1;
                }
                if column + 1 < columns.len() {
                    if any { self.delimiter(column, out)? } else { held += 1 }
                }
            }
            if !any {
                return Ok(status);
            }
            out.byte(self.end)?;
        }
    }
}
