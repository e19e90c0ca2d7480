//! `expand` and `unexpand`: tabs to blanks and back.

use std::borrow::Cow;

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, optional, parse, value, with_digits};
use hookshell_utility::output::Output;
use hookshell_utility::prepare;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use super::each_input::each_input;

/// `expand [-i] [-t N|LIST | -N] [FILE]…` (XCU `expand`).
pub(crate) struct Expand;

/// `unexpand [-a] [--first-only] [-t N|LIST | -N] [FILE]…` (XCU `unexpand`).
pub(crate) struct Unexpand;

const FIRST_ONLY: u8 = 128;

const EXPAND: &[OptionSpec] = &with_digits::<12>(&[flag(b'i', "initial"), value(b't', "tabs")], optional(b'0', ""));
const UNEXPAND: &[OptionSpec] =
    &with_digits::<13>(&[flag(b'a', "all"), flag(FIRST_ONLY, "first-only"), value(b't', "tabs")], optional(b'0', ""));

/// Where tabs stop.
#[derive(Default)]
struct Stops {
    /// At these columns, ascending.
    at: Vec<usize>,
    /// After them (with none, everywhere) every so many columns.
    every: Option<usize>,
    /// Such steps count from the last of the columns (`+N`) and not from the line's beginning (`/N`).
    from_last: bool,
}

struct Command<'a> {
    stops: Stops,
    /// Only what stands before the first byte that is no blank.
    initial: bool,
    files: Vec<&'a [u8]>,
}

/// Reads lists of stops: the values of several options are one list.
fn read_stops<'t>(lists: impl Iterator<Item = Cow<'t, [u8]>>) -> Result<Stops, Unsupported> {
    let mut stops = Stops::default();
    for text in lists {
        let wrong = || Unsupported::mistake(format!("the tab stops {}", text.escape_ascii()));
        for word in text.split(|byte| matches!(byte, b',' | b' ')) {
            let (sign, digits) = match word {
                [sign @ (b'+' | b'/'), digits @ ..] => (Some(*sign), digits),
                _ => (None, word),
            };
            let number = std::str::from_utf8(digits)
                .ok()
                .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|digits| digits.parse::<usize>().ok())
                .filter(|stop| (1..1 << 20).contains(stop))
                .ok_or_else(wrong)?;
            // Nothing may follow a step.
            if stops.every.is_some() {
                return Err(wrong());
            }
            match sign {
                Some(sign) => (stops.every, stops.from_last) = (Some(number), sign == b'+'),
                None if stops.at.last().is_some_and(|last| *last >= number) => return Err(wrong()),
                None => stops.at.push(number),
            }
        }
    }
    match (&stops.at[..], stops.every) {
        ([], None) => stops.every = Some(8),
        (&[one], None) => stops = Stops { every: Some(one), ..Stops::default() },
        _ => {}
    }
    Ok(stops)
}

impl Stops {
    /// The next stop after a column; none after the last one of a list.
    fn after(&self, column: usize) -> Option<usize> {
        let step = || {
            let every = self.every?;
            let start = if self.from_last { self.at.last().copied().unwrap_or(0) } else { 0 };
            Some(column + every - column.saturating_sub(start) % every)
        };
        self.at.iter().copied().find(|stop| *stop > column).or_else(step)
    }
}

/// The list of tab stops in an option: `-t LIST`, or `-8` of old.
fn list_of<'t>((letter, text): &(u8, &'t [u8])) -> Option<Cow<'t, [u8]>> {
    match letter {
        b't' => Some(Cow::Borrowed(text)),
        b'0'..=b'9' => Some(Cow::Owned([&[*letter], *text].concat())),
        _ => None,
    }
}

fn read_expand<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, EXPAND)?;
    Ok(Command {
        stops: read_stops(parsed.options.iter().filter_map(list_of))?,
        initial: parsed.has(b'i'),
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

fn read_unexpand<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, UNEXPAND)?;
    Ok(Command {
        stops: read_stops(parsed.options.iter().filter_map(list_of))?,
        // -t means -a, and a number of old does not.
        initial: parsed.has(FIRST_ONLY) || !(parsed.has(b'a') || parsed.has(b't')),
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

impl Utility for Expand {
    fn name(&self) -> &'static str {
        "expand"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare("expand", call, |call| read_expand(call), |running, command| run(running, &command, expand))
    }
}

impl Utility for Unexpand {
    fn name(&self) -> &'static str {
        "unexpand"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare("unexpand", call, |call| read_unexpand(call), |running, command| run(running, &command, unexpand))
    }
}

/// The place in the line; a file without a newline at its end is continued by the next.
struct State {
    column: usize,
    convert: bool,
    one_blank_before_stop: bool,
    before_blank: bool,
    pending: Vec<u8>,
}

impl Default for State {
    fn default() -> Self {
        Self { column: 0, convert: true, one_blank_before_stop: false, before_blank: true, pending: Vec::new() }
    }
}

type Change = fn(&Command<'_>, &mut State, u8, &mut Output<'_, '_>) -> Result<(), Failure>;

fn run(running: &Running<'_>, command: &Command<'_>, change: Change) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut state = State::default();
    let status = each_input(&command.files, &mut out, |_, input, out| {
        loop {
            let block = input.block(running)?;
            if block.is_empty() {
                return Ok(());
            }
            for byte in block {
                change(command, &mut state, *byte, out)?;
                if *byte == b'\n' {
                    state = State { pending: std::mem::take(&mut state.pending), ..State::default() };
                }
            }
            let used = block.len();
            input.consume(used);
        }
    })?;
    state.release(&mut out)?;
    out.flush()?;
    Ok(status)
}

fn expand(command: &Command<'_>, state: &mut State, byte: u8, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    match byte {
        b'\t' if state.convert => {
            let next = command.stops.after(state.column).unwrap_or(state.column + 1);
            out.fill(b' ', next - state.column)?;
            state.column = next;
            return Ok(());
        }
        8 => state.column = state.column.saturating_sub(1),
        _ => state.column += 1,
    }
    state.convert &= !command.initial || matches!(byte, b' ' | b'\t');
    out.byte(byte)
}

impl State {
    /// Writes the blanks that were held back.
    fn release(&mut self, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        if self.pending.len() > 1 && self.one_blank_before_stop {
            self.begin_with_tab();
        }
        out.push(&self.pending)?;
        self.pending.clear();
        self.one_blank_before_stop = false;
        Ok(())
    }

    fn begin_with_tab(&mut self) {
        if let Some(first) = self.pending.first_mut() {
            *first = b'\t';
        }
    }
}

/// GNU's: blanks that reach a tab stop become a tab, but a single blank before a stop stays one unless more follow.
fn unexpand(command: &Command<'_>, state: &mut State, byte: u8, out: &mut Output<'_, '_>) -> Result<(), Failure> {
    if !state.convert {
        return out.byte(byte);
    }
    let mut byte = byte;
    let blank = matches!(byte, b' ' | b'\t');
    if blank {
        match command.stops.after(state.column) {
            None => state.convert = false,
            Some(next) => {
                if byte == b'\t' {
                    state.column = next;
                    state.begin_with_tab();
                } else {
                    state.column += 1;
                    if !(state.before_blank && state.column == next) {
                        state.one_blank_before_stop |= state.column == next;
                        state.pending.push(byte);
                        state.before_blank = true;
                        return Ok(());
                    }
                    state.begin_with_tab();
                    byte = b'\t';
                }
                state.pending.truncate(usize::from(state.one_blank_before_stop));
            }
        }
    } else if byte == 8 {
        state.column = state.column.saturating_sub(1);
    } else {
        state.column += 1;
    }
    if !state.pending.is_empty() {
        state.release(out)?;
    }
    state.before_blank = blank;
    state.convert &= !command.initial || blank;
    out.byte(byte)
}
