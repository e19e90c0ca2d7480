//! `fold`: break lines.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, optional, parse, value, with_digits};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::each_input::each_input;

utility! {
    /// `fold [-bs] [-w N | -N] [FILE]…` (XCU `fold`; columns are bytes, as GNU's).
    Fold, "fold"
}

const OPTIONS: &[OptionSpec] =
    &with_digits::<13>(&[flag(b'b', "bytes"), flag(b's', "spaces"), value(b'w', "width")], optional(b'0', ""));

struct Command<'a> {
    bytes: bool,
    spaces: bool,
    width: usize,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut width = 80;
    for (letter, text) in &parsed.options {
        let text = match letter {
            b'w' => text.to_vec(),
            b'0'..=b'9' => [&[*letter], *text].concat(),
            _ => continue,
        };
        width = std::str::from_utf8(&text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse().ok())
            .filter(|width| (1..1 << 30).contains(width))
            .ok_or_else(|| Unsupported::mistake(format!("the width {}", text.escape_ascii())))?;
    }
    Ok(Command {
        bytes: parsed.has(b'b'),
        spaces: parsed.has(b's'),
        width,
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let status = each_input(&command.files, &mut out, |_, input, out| command.fold(input, out))?;
    out.flush()?;
    Ok(status)
}

impl Command<'_> {
    /// Folds the lines of an input.
    fn fold(&self, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        let running = out.running();
        // What is not yet written of the line.
        let mut held: Vec<u8> = Vec::new();
        let mut kept = running.keep();
        let mut column = 0;
        loop {
            let block = input.block(running)?;
            if block.is_empty() {
                break;
            }
            // A column may be as wide as any memory.
            kept.room(&mut held, block.len() + 1)?;
            for &byte in block {
                if byte == b'\n' {
                    held.push(byte);
                    out.push(&held)?;
                    held.clear();
                    column = 0;
                    continue;
                }
                loop {
                    column = self.after(column, byte);
                    if column <= self.width {
                        held.push(byte);
                        break;
                    }
                    let space = held.iter().rposition(|byte| matches!(byte, b' ' | b'\t')).filter(|_| self.spaces);
                    if let Some(at) = space {
                        out.push(held.get(..=at).unwrap_or_default())?;
                        out.byte(b'\n')?;
                        held.drain(..=at);
                        column = held.iter().fold(0, |column, byte| self.after(column, *byte));
                    } else if held.is_empty() {
                        held.push(byte);
                        break;
                    } else {
                        held.push(b'\n');
                        out.push(&held)?;
                        held.clear();
                        column = 0;
                    }
                }
            }
            let used = block.len();
            input.consume(used);
        }
        out.push(&held)?;
        Ok(())
    }

    /// The column after a byte.
    fn after(&self, column: usize, byte: u8) -> usize {
        match byte {
            _ if self.bytes => column + 1,
            8 => column.saturating_sub(1),
            b'\r' => 0,
            b'\t' => column + 8 - column % 8,
            _ => column + 1,
        }
    }
}
