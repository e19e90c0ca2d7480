//! `join`: join lines of two sorted files on a field.

use std::cmp::Ordering;
use std::ops::Range;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, PER_LINE, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `join [-iz] [-a N] [-v N] [-1 F] [-2 F] [-j F] [-t C] [-e S] [-o LIST] [--header] [--[no]check-order] FILE FILE`
    /// (XCU `join`, GNU's additions).
    Join, "join"
}

const CHECK: u8 = 128;
const NO_CHECK: u8 = 129;
const HEADER: u8 = 130;

const OPTIONS: &[OptionSpec] = &[
    value(b'a', ""),
    value(b'e', ""),
    flag(b'i', "ignore-case"),
    value(b'j', ""),
    value(b'o', ""),
    value(b't', ""),
    value(b'v', ""),
    value(b'1', ""),
    value(b'2', ""),
    flag(b'z', "zero-terminated"),
    flag(CHECK, "check-order"),
    flag(NO_CHECK, "nocheck-order"),
    flag(HEADER, "header"),
];

/// What separates fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    Blanks,
    Byte(u8),
    /// The line is one field.
    None,
}

/// When order is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    Default,
    Always,
    Never,
}

/// An output field.
#[derive(Clone, Copy)]
enum Field {
    Joined,
    Of(usize, usize),
}

struct Command<'a> {
    files: [&'a [u8]; 2],
    fields: [usize; 2],
    unpaired: [bool; 2],
    paired: bool,
    ignore_case: bool,
    separator: Separator,
    filler: Option<&'a [u8]>,
    /// Empty: all.
    output: Vec<Field>,
    auto: bool,
    end: u8,
    header: bool,
    check: Check,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let [left, right] = parsed.operands[..] else {
        return Err(Unsupported::mistake("any number of operands but two"));
    };
    if left == b"-" && right == b"-" {
        return Err(Unsupported::mistake("standard input as both files"));
    }
    let wrong = |text: &[u8]| Unsupported::mistake(format!("the value {}", text.escape_ascii()));
    let number = |text: &[u8]| {
        std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse::<usize>().ok())
            .and_then(|number| number.checked_sub(1))
            .ok_or_else(|| wrong(text))
    };
    let mut fields = [None; 2];
    let mut command = Command {
        files: [left, right],
        fields: [0; 2],
        unpaired: [false; 2],
        paired: true,
        ignore_case: parsed.has(b'i'),
        separator: Separator::Blanks,
        filler: None,
        output: Vec::new(),
        auto: false,
        end: if parsed.has(b'z') { 0 } else { b'\n' },
        header: parsed.has(HEADER),
        check: Check::Default,
    };
    for &(letter, text) in &parsed.options {
        match letter {
            b'a' | b'v' => {
                match text {
                    b"1" => command.unpaired[0] = true,
                    b"2" => command.unpaired[1] = true,
                    _ => return Err(wrong(text)),
                }
                command.paired &= letter == b'a';
            }
            b'e' => match command.filler {
                Some(before) if before != text => return Err(wrong(text)),
                _ => command.filler = Some(text),
            },
            b'j' | b'1' | b'2' => {
                let field = number(text)?;
                for (place, option) in fields.iter_mut().zip(*b"12") {
                    if letter != b'j' && letter != option {
                        continue;
                    }
                    if place.is_some_and(|before| before != field) {
                        return Err(wrong(text));
                    }
                    *place = Some(field);
                }
            }
            b't' => {
                let separator = match text {
                    b"" => Separator::None,
                    b"\n" => return Err(wrong(text)),
                    b"\\0" => Separator::Byte(0),
                    [byte] => Separator::Byte(*byte),
                    _ => return Err(wrong(text)),
                };
                if command.separator != Separator::Blanks && command.separator != separator {
                    return Err(wrong(text));
                }
                command.separator = separator;
            }
            b'o' if text == b"auto" && command.output.is_empty() => command.auto = true,
            b'o' if command.auto => return Err(wrong(text)),
            b'o' => {
                for item in text.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
                    command.output.push(match item {
                        b"0" => Field::Joined,
                        [b'1', b'.', field @ ..] => Field::Of(0, number(field)?),
                        [b'2', b'.', field @ ..] => Field::Of(1, number(field)?),
                        _ => return Err(wrong(text)),
                    });
                }
            }
            CHECK => command.check = Check::Always,
            NO_CHECK => command.check = Check::Never,
            _ => {}
        }
    }
    command.fields = fields.map(|field| field.unwrap_or(0));
    Ok(command)
}

/// A line and its fields.
#[derive(Clone, Default)]
struct Line {
    text: Vec<u8>,
    fields: Vec<Range<usize>>,
}

impl Line {
    fn memory(&self) -> usize {
        self.text.capacity() + self.fields.capacity() * size_of::<Range<usize>>() + PER_LINE
    }

    fn field(&self, number: usize) -> &[u8] {
        self.fields.get(number).and_then(|range| self.text.get(range.clone())).unwrap_or_default()
    }
}

fn split(text: &[u8], separator: Separator) -> Vec<Range<usize>> {
    let mut fields = Vec::new();
    if text.is_empty() {
        return fields;
    }
    match separator {
        Separator::None => fields.push(0..text.len()),
        Separator::Byte(byte) => {
            let mut start = 0;
            for end in memchr::memchr_iter(byte, text).chain([text.len()]) {
                fields.push(start..end);
                start = end + 1;
            }
        }
        Separator::Blanks => {
            let is_blank = |at: usize| text.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
            let mut at = 0;
            while is_blank(at) {
                at += 1;
            }
            if at == text.len() {
                return fields;
            }
            while at < text.len() {
                let start = at;
                while at < text.len() && !is_blank(at) {
                    at += 1;
                }
                fields.push(start..at);
                if at == text.len() {
                    return fields;
                }
                while is_blank(at) {
                    at += 1;
                }
            }
            // Blanks at the end stand before an empty field.
            fields.push(at..at);
        }
    }
    fields
}

/// A file and what was read of it.
struct Side {
    number: usize,
    input: Input,
    /// The last line that was read, for the check of the order.
    previous: Option<Line>,
    lines: u64,
    warned: bool,
}

struct Joining<'a, 'r, 'c> {
    command: &'a Command<'a>,
    out: Output<'r, 'c>,
    unpaired: bool,
    auto: [usize; 2],
}

/// What ends the work: a message was written.
enum End {
    Failure(Failure),
    Told,
}

impl<T: Into<Failure>> From<T> for End {
    fn from(failure: T) -> Self {
        Self::Failure(failure.into())
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut sides = Vec::new();
    for (number, file) in command.files.iter().enumerate() {
        match running.open(file)? {
            Ok(source) => {
                let input = Input::new(source);
                sides.push(Side { number, input, previous: None, lines: 0, warned: false });
            }
            Err(error) => {
                running.report_error(&quote::if_needed(file), &error)?;
                return Ok(1);
            }
        }
    }
    let [left, right] = &mut sides[..] else { return Ok(1) };
    let mut joining = Joining { command: &command, out: Output::new(running), unpaired: false, auto: [0; 2] };
    match joining.join(left, right) {
        Err(End::Failure(failure)) => return Err(failure),
        Err(End::Told) => {
            joining.out.flush()?;
            return Ok(1);
        }
        Ok(()) => {}
    }
    if left.warned || right.warned {
        joining.out.message(b"input is not in sorted order")?;
        return Ok(1);
    }
    joining.out.flush()?;
    Ok(0)
}

impl Joining<'_, '_, '_> {
    fn compare(&self, left: &Line, right: &Line, fields: [usize; 2]) -> Ordering {
        let (left, right) = (left.field(fields[0]), right.field(fields[1]));
        if self.command.ignore_case {
            let lower = |byte: &u8| byte.to_ascii_lowercase();
            return left.iter().map(lower).cmp(right.iter().map(lower));
        }
        left.cmp(right)
    }

    fn next(&mut self, side: &mut Side) -> Result<Option<Line>, End> {
        let running = self.out.running();
        let Some(text) = side.input.text(running, self.command.end)? else {
            if let Some(error) = side.input.error.take() {
                self.out.message(format!("read error: {}", hookshell_utility::io::reason(&error)).as_bytes())?;
                return Err(End::Told);
            }
            return Ok(None);
        };
        let line = Line { fields: split(text, self.command.separator), text: text.to_vec() };
        side.lines += 1;
        let check = match self.command.check {
            Check::Always => true,
            Check::Default => self.unpaired,
            Check::Never => false,
        };
        if check
            && !side.warned
            && let Some(previous) = &side.previous
        {
            let field = self.command.fields.get(side.number).copied().unwrap_or(0);
            if self.compare(previous, &line, [field; 2]).is_gt() {
                let name = self.command.files.get(side.number).copied().unwrap_or_default();
                let place = format!(":{}: is not sorted: ", side.lines);
                let end = line.text.iter().position(|byte| *byte == 0).unwrap_or(line.text.len());
                let shown = line.text.get(..end).unwrap_or_default();
                self.out.message(&[name, place.as_bytes(), shown].concat())?;
                if self.command.check == Check::Always {
                    return Err(End::Told);
                }
                side.warned = true;
            }
        }
        side.previous = Some(line.clone());
        Ok(Some(line))
    }

    fn join(&mut self, left: &mut Side, right: &mut Side) -> Result<(), End> {
        let fields = self.command.fields;
        let mut a = self.next(left)?;
        let mut b = self.next(right)?;
        self.auto = [&a, &b].map(|line| line.as_ref().map_or(0, |line| line.fields.len()));
        if self.command.header && (a.is_some() || b.is_some()) {
            self.print(a.as_ref(), b.as_ref())?;
            left.previous = None;
            right.previous = None;
            if a.is_some() {
                a = self.next(left)?;
            }
            if b.is_some() {
                b = self.next(right)?;
            }
        }
        while let (Some(first), Some(second)) = (&a, &b) {
            match self.compare(first, second, fields) {
                Ordering::Less => {
                    if self.command.unpaired[0] {
                        self.print(Some(first), None)?;
                    }
                    a = self.next(left)?;
                    self.unpaired = true;
                }
                Ordering::Greater => {
                    if self.command.unpaired[1] {
                        self.print(None, Some(second))?;
                    }
                    b = self.next(right)?;
                    self.unpaired = true;
                }
                Ordering::Equal => {
                    let mut firsts = vec![first.clone()];
                    let mut seconds = vec![second.clone()];
                    let mut bytes = 0;
                    let mut kept = self.out.running().keep();
                    let next_a = loop {
                        match self.next(left)? {
                            Some(line) if self.compare(&line, second, fields).is_eq() => {
                                bytes += line.memory();
                                kept.set(bytes)?;
                                firsts.push(line);
                            }
                            other => break other,
                        }
                    };
                    let next_b = loop {
                        match self.next(right)? {
                            Some(line) if self.compare(first, &line, fields).is_eq() => {
                                bytes += line.memory();
                                kept.set(bytes)?;
                                seconds.push(line);
                            }
                            other => break other,
                        }
                    };
                    if self.command.paired {
                        for first in &firsts {
                            for second in &seconds {
                                self.print(Some(first), Some(second))?;
                            }
                        }
                    }
                    (a, b) = (next_a, next_b);
                }
            }
        }
        // The rest is read too, for its order.
        let check = self.command.check != Check::Never && !(left.warned && right.warned);
        let left_over = [a.is_some(), b.is_some()];
        for (side, mut line, other) in [(left, a, left_over[1]), (right, b, left_over[0])] {
            let print = self.command.unpaired.get(side.number) == Some(&true);
            if !(print || check) || line.is_none() {
                continue;
            }
            let mut first = true;
            while let Some(current) = line {
                if print {
                    if side.number == 0 { self.print(Some(&current), None)? } else { self.print(None, Some(&current))? }
                }
                if first {
                    self.unpaired |= other;
                } else if side.warned && !print {
                    break;
                }
                first = false;
                line = self.next(side)?;
            }
        }
        Ok(())
    }

    fn field(&mut self, line: Option<&Line>, number: usize) -> Result<(), Failure> {
        let text = line.map_or(&b""[..], |line| line.field(number));
        match self.command.filler {
            Some(filler) if text.is_empty() => self.out.push(filler),
            _ => self.out.push(text),
        }
    }

    /// `None` is a line that is not there.
    fn print(&mut self, left: Option<&Line>, right: Option<&Line>) -> Result<(), Failure> {
        let separator = match self.command.separator {
            Separator::Blanks => b' ',
            Separator::Byte(byte) => byte,
            Separator::None => b'\n',
        };
        let fields = self.command.fields;
        let joined = if left.is_some() { (left, fields[0]) } else { (right, fields[1]) };
        if self.command.output.is_empty() {
            self.field(joined.0, joined.1)?;
            for ((line, joined), auto) in [left, right].into_iter().zip(fields).zip(self.auto) {
                let count = if self.command.auto { auto } else { line.map_or(0, |line| line.fields.len()) };
                for number in (0..count).filter(|number| *number != joined) {
                    self.out.byte(separator)?;
                    self.field(line, number)?;
                }
            }
        } else {
            for (at, field) in self.command.output.iter().enumerate() {
                if at > 0 {
                    self.out.byte(separator)?;
                }
                match *field {
                    Field::Joined => self.field(joined.0, joined.1)?,
                    Field::Of(0, number) => self.field(left, number)?,
                    Field::Of(_, number) => self.field(right, number)?,
                }
            }
        }
        self.out.byte(self.command.end)
    }
}
