//! `comm`: what two sorted files have in common.

use std::cmp::Ordering;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `comm [-123z] [--check-order | --nocheck-order] [--output-delimiter=S] [--total] FILE FILE` (XCU `comm`).
    Comm, "comm"
}

const CHECK: u8 = 128;
const NO_CHECK: u8 = 129;
const DELIMITER: u8 = 130;
const TOTAL: u8 = 131;

const OPTIONS: &[OptionSpec] = &[
    flag(b'1', ""),
    flag(b'2', ""),
    flag(b'3', ""),
    flag(b'z', "zero-terminated"),
    flag(CHECK, "check-order"),
    flag(NO_CHECK, "nocheck-order"),
    value(DELIMITER, "output-delimiter"),
    flag(TOTAL, "total"),
];

/// When order is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    /// Once lines did not pair.
    Default,
    Always,
    Never,
}

struct Command<'a> {
    show: [bool; 3],
    check: Check,
    end: u8,
    delimiter: &'a [u8],
    total: bool,
    files: [&'a [u8]; 2],
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let [left, right] = parsed.operands[..] else {
        return Err(Unsupported::mistake("any number of operands but two"));
    };
    let mut delimiters = parsed.options.iter().filter(|(letter, _)| *letter == DELIMITER).map(|(_, text)| *text);
    let delimiter = delimiters.next();
    if delimiters.any(|other| Some(other) != delimiter) {
        return Err(Unsupported::mistake("several output delimiters"));
    }
    let check = parsed.options.iter().rev().find(|(letter, _)| matches!(*letter, CHECK | NO_CHECK));
    Ok(Command {
        show: [!parsed.has(b'1'), !parsed.has(b'2'), !parsed.has(b'3')],
        check: match check {
            None => Check::Default,
            Some((CHECK, _)) => Check::Always,
            Some(_) => Check::Never,
        },
        end: if parsed.has(b'z') { 0 } else { b'\n' },
        delimiter: match delimiter {
            None => b"\t",
            Some(b"") => b"\0",
            Some(text) => text,
        },
        total: parsed.has(TOTAL),
        files: [left, right],
    })
}

/// A file with its current line.
struct Side {
    input: Input,
    line: Vec<u8>,
    /// The line before that one; empty, which is in order with anything, where there is none.
    before: Vec<u8>,
    ended: bool,
    /// The disorder was told.
    warned: bool,
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut sides = Vec::new();
    for file in command.files {
        match running.open(file)? {
            Ok(source) => {
                sides.push(Side {
                    input: Input::new(source),
                    line: Vec::new(),
                    before: Vec::new(),
                    ended: false,
                    warned: false,
                });
            }
            Err(error) => {
                out.report_error(&quote::if_needed(file), &error)?;
                return Ok(1);
            }
        }
    }
    let [left, right] = &mut sides[..] else { return Ok(1) };
    let mut state = State { command: &command, unpaired: false, disorder: false };
    for (side, number) in [(&mut *left, 0), (&mut *right, 1)] {
        if !state.advance(running, side, number, &mut out)? {
            return Ok(1);
        }
    }
    let mut totals = [0_u64; 3];
    while !left.ended || !right.ended {
        let order = match (left.ended, right.ended) {
            (true, _) => Ordering::Greater,
            (_, true) => Ordering::Less,
            _ => left.line.cmp(&right.line),
        };
        let column = match order {
            Ordering::Less => 0,
            Ordering::Greater => 1,
            Ordering::Equal => 2,
        };
        state.unpaired |= column != 2;
        if let Some(total) = totals.get_mut(column) {
            *total += 1;
        }
        if command.show.get(column) == Some(&true) {
            for shown in command.show.iter().take(column) {
                if *shown {
                    out.push(command.delimiter)?;
                }
            }
            out.push(if column == 1 { &right.line } else { &left.line })?;
            out.byte(command.end)?;
        }
        if column != 1 && !state.advance(running, left, 0, &mut out)? {
            return Ok(1);
        }
        if column != 0 && !state.advance(running, right, 1, &mut out)? {
            return Ok(1);
        }
    }
    if command.total {
        let [one, two, three] = totals;
        for total in [one, two, three] {
            out.text(format_args!("{total}"))?;
            // GNU's prints an empty delimiter as a NUL between columns, and as nothing here.
            out.push(if command.delimiter == b"\0" { b"" } else { command.delimiter })?;
        }
        out.push(b"total")?;
        out.byte(command.end)?;
    }
    if state.disorder {
        out.message(b"input is not in sorted order")?;
        return Ok(1);
    }
    out.flush()?;
    Ok(0)
}

struct State<'c> {
    command: &'c Command<'c>,
    unpaired: bool,
    disorder: bool,
}

impl State<'_> {
    /// Goes to the next line; `false` when all is over.
    fn advance(
        &mut self,
        running: &Running<'_>,
        side: &mut Side,
        number: usize,
        out: &mut Output<'_, '_>,
    ) -> Result<bool, Failure> {
        let check = match self.command.check {
            Check::Always => true,
            Check::Default => self.unpaired,
            Check::Never => false,
        };
        let Some(line) = side.input.text(running, self.command.end)? else {
            side.ended = true;
            // Whether lines are unpaired may have been unknown when the last two were compared: GNU's does it again.
            if check && !side.warned && side.before > side.line && !self.disordered(side, number, out)? {
                return Ok(false);
            }
            if let Some(error) = side.input.error.take() {
                let name = self.command.files.get(number).copied().unwrap_or_default();
                out.report_error(&quote::if_needed(name), &error)?;
                return Ok(false);
            }
            return Ok(true);
        };
        std::mem::swap(&mut side.before, &mut side.line);
        side.line.clear();
        side.line.extend_from_slice(line);
        if check && !side.warned && side.before > side.line {
            return self.disordered(side, number, out);
        }
        Ok(true)
    }

    /// Tells that a file is not sorted; `false` when all is over.
    fn disordered(&mut self, side: &mut Side, number: usize, out: &mut Output<'_, '_>) -> Result<bool, Failure> {
        out.message(format!("file {} is not in sorted order", number + 1).as_bytes())?;
        side.warned = true;
        self.disorder = true;
        Ok(self.command.check != Check::Always)
    }
}
