//! `csplit`: split a file at lines that patterns find.

use std::collections::VecDeque;

use hookshell_regex::{Builder, Regex, Subject, Syntax};
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, MemoryCharge, PER_LINE, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::characters;

utility! {
    /// `csplit [-ksz] [-f PREFIX] [-n DIGITS | -b FORMAT] [--suppress-matched] FILE PATTERN…` (XCU `csplit`, GNU's additions).
    /// Patterns that GNU's refuses, and formats with other flags than `0`, are the real program's.
    Csplit, "csplit"
}

const SUPPRESS: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] = &[
    value(b'f', "prefix"),
    value(b'b', "suffix-format"),
    value(b'n', "digits"),
    flag(b'k', "keep-files"),
    flag(b's', "quiet"),
    flag(b's', "silent"),
    flag(b'q', ""),
    flag(b'z', "elide-empty-files"),
    flag(SUPPRESS, "suppress-matched"),
];

/// Where a piece ends.
enum Place {
    /// Before the line of this number.
    Line(u64),
    /// So many lines after the next line that matches; what lies before it is left out (`%…%`).
    Match { regex: Regex, offset: i64, skips: bool },
}

struct Pattern<'a> {
    text: &'a [u8],
    place: Place,
    /// How often it is done again; `None`: until the end.
    repeats: Option<u64>,
}

/// How a file's number is written.
struct Suffix<'a> {
    before: &'a [u8],
    after: &'a [u8],
    zeros: bool,
    width: usize,
    kind: u8,
}

struct Command<'a> {
    parsed: Parsed<'a>,
    suffix: Suffix<'a>,
    patterns: Vec<Pattern<'a>>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let refused = |what: &str, text: &[u8]| Unsupported::mistake(format!("the {what} {}", text.escape_ascii()));
    let suffix = match (parsed.last(b'b'), parsed.last(b'n')) {
        (Some(format), _) => suffix(format).ok_or_else(|| refused("suffix", format))?,
        (None, digits) => {
            let digits = digits.unwrap_or(b"2");
            let width = number(digits).filter(|width| *width < 200).ok_or_else(|| refused("number", digits))?;
            let width = usize::try_from(width).unwrap_or(2);
            Suffix { before: b"", after: b"", zeros: true, width, kind: b'd' }
        }
    };
    let bytes = characters::are_bytes_in(call);
    let mut patterns: Vec<Pattern<'a>> = Vec::new();
    let mut last = 0;
    for (at, &text) in parsed.operands.iter().enumerate().skip(1) {
        if let Some(count) = text.strip_prefix(b"{") {
            let is_after = parsed.operands.get(at - 1).is_some_and(|before| !before.starts_with(b"{")) && at > 1;
            let Some(pattern) = patterns.last_mut().filter(|_| is_after) else {
                return Err(refused("pattern", text));
            };
            let count = count.strip_suffix(b"}").ok_or_else(|| refused("pattern", text))?;
            pattern.repeats = match count {
                b"*" => None,
                count => Some(number(count).ok_or_else(|| refused("pattern", text))?),
            };
            continue;
        }
        let place = match text {
            [delimiter @ (b'/' | b'%'), rest @ ..] => {
                let end = rest.iter().rposition(|byte| byte == delimiter).ok_or_else(|| refused("pattern", text))?;
                let (expression, offset) = rest.split_at_checked(end).unwrap_or_default();
                let offset = match offset.get(1..).unwrap_or_default() {
                    b"" => 0,
                    digits => signed(digits).ok_or_else(|| refused("pattern", text))?,
                };
                let regex = Builder::new(Syntax::Basic).bytes(bytes).build(expression);
                let regex = regex.ok().filter(|_| !expression.is_empty()).ok_or_else(|| refused("pattern", text))?;
                Place::Match { regex, offset, skips: *delimiter == b'%' }
            }
            // Numbers that do not grow are errors or get a warning.
            digits => match number(digits).filter(|number| *number > last) {
                Some(line) => {
                    last = line;
                    Place::Line(line)
                }
                None => return Err(refused("pattern", text)),
            },
        };
        patterns.push(Pattern { text, place, repeats: Some(0) });
    }
    Ok(Command { parsed, suffix, patterns })
}

fn number(digits: &[u8]) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.len() < 15 && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}

fn signed(text: &[u8]) -> Option<i64> {
    match text {
        [b'-', digits @ ..] => i64::try_from(number(digits)?).ok().map(|number| -number),
        [b'+', digits @ ..] | digits => i64::try_from(number(digits)?).ok(),
    }
}

/// `-b`: one conversion of C's `printf` for an integer.
fn suffix(format: &[u8]) -> Option<Suffix<'_>> {
    let at = format.iter().position(|byte| *byte == b'%')?;
    let (before, rest) = format.split_at_checked(at)?;
    let rest = rest.get(1..)?;
    let zeros = rest.first() == Some(&b'0');
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let width = if digits == 0 { 0 } else { number(rest.get(..digits)?).filter(|width| *width < 200)? };
    let (&kind, after) = rest.get(digits..)?.split_first()?;
    let is_known = matches!(kind, b'd' | b'i' | b'u' | b'o' | b'x' | b'X') && !after.contains(&b'%');
    is_known.then_some(Suffix { before, after, zeros, width: usize::try_from(width).ok()?, kind })
}

/// The lines that were not written yet.
struct Lines {
    input: Input,
    waiting: VecDeque<Vec<u8>>,
    /// The number of the first one.
    first: u64,
    kept: MemoryCharge,
    size: usize,
}

impl Lines {
    /// Is there a line of this number (that was not taken)?
    fn find(&mut self, running: &Running<'_>, number: u64) -> Result<Option<&[u8]>, Failure> {
        let Some(at) = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok()) else {
            return Ok(None);
        };
        while self.waiting.len() <= at {
            let Some(line) = self.input.line(running, b'\n')? else { return Ok(None) };
            self.size += line.len() + PER_LINE;
            self.kept.set(self.size)?;
            self.waiting.push_back(line.to_vec());
        }
        Ok(self.waiting.get(at).map(|line| &line[..]))
    }

    fn take(&mut self, running: &Running<'_>) -> Result<Option<Vec<u8>>, Failure> {
        self.find(running, self.first)?;
        let line = self.waiting.pop_front();
        if let Some(line) = &line {
            self.size = self.size.saturating_sub(line.len() + PER_LINE);
            self.first += 1;
        }
        Ok(line)
    }

    fn is_at_end(&mut self, running: &Running<'_>) -> Result<bool, Failure> {
        Ok(self.find(running, self.first)?.is_none())
    }
}

/// Why it ends before its patterns.
enum End {
    /// All was written.
    Done,
    /// It has been said.
    Wrong,
    /// There was no line to begin with: GNU's ends at once, and its file stays.
    Gone,
    Failed(Failure),
}

impl<F: Into<Failure>> From<F> for End {
    fn from(failure: F) -> Self {
        Self::Failed(failure.into())
    }
}

struct Splitter<'r, 'a, 'c> {
    running: &'r Running<'a>,
    command: &'c Command<'c>,
    lines: Lines,
    /// The line that was looked at last.
    current: u64,
    output: Option<(Vec<u8>, Output<'r, 'a>)>,
    written: u64,
    made: u64,
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let &[file, ..] = &command.parsed.operands[..] else { return running.usage(b"missing operand") };
    if command.parsed.operands.len() < 2 {
        return running.usage(&[&b"missing operand after "[..], &quote::always(file)].concat());
    }
    let source = match running.open(file)? {
        Ok(source) => source,
        Err(error) => {
            let what = [&b"cannot open "[..], &quote::always(file), b" for reading"].concat();
            running.report_error(&what, &error)?;
            return Ok(1);
        }
    };
    let kept = running.keep();
    let lines = Lines { input: Input::new(source), waiting: VecDeque::new(), first: 1, kept, size: 0 };
    let mut splitter = Splitter { running, command: &command, lines, current: 0, output: None, written: 0, made: 0 };
    let end = splitter.all();
    let read_error = splitter.lines.input.error.take();
    match end {
        Ok(()) | Err(End::Done) if read_error.is_none() => Ok(0),
        Err(End::Failed(failure)) => Err(failure),
        Err(End::Gone) => Ok(1),
        _ => {
            splitter.close()?;
            if let Some(error) = read_error {
                running.report_error(b"read error", &error)?;
            }
            if !command.parsed.has(b'k') {
                for number in 0..splitter.made {
                    let _ = std::fs::remove_file(running.path(&command.name(number)));
                }
            }
            Ok(1)
        }
    }
}

impl Command<'_> {
    fn name(&self, number: u64) -> Vec<u8> {
        let Suffix { before, after, zeros, width, kind } = self.suffix;
        let digits = match kind {
            b'o' => format!("{number:o}"),
            b'x' => format!("{number:x}"),
            b'X' => format!("{number:X}"),
            _ => number.to_string(),
        };
        let digits = if zeros { format!("{digits:0>width$}") } else { format!("{digits:>width$}") };
        [self.parsed.last(b'f').unwrap_or(b"xx"), before, digits.as_bytes(), after].concat()
    }
}

impl Splitter<'_, '_, '_> {
    fn all(&mut self) -> Result<(), End> {
        let command = self.command;
        for pattern in &command.patterns {
            let mut repetition = 0;
            while pattern.repeats.is_none_or(|repeats| repetition <= repeats) {
                self.running.check()?;
                match &pattern.place {
                    Place::Line(line) => self.split_at_line(*line, repetition)?,
                    Place::Match { regex, offset, skips } => {
                        self.split_at_match(pattern, regex, *offset, *skips, repetition)?;
                    }
                }
                repetition += 1;
            }
        }
        self.create()?;
        self.rest()?;
        Ok(self.close()?)
    }

    fn suppresses(&self) -> bool {
        self.command.parsed.has(SUPPRESS)
    }

    fn create(&mut self) -> Result<(), End> {
        let name = self.command.name(self.made);
        self.written = 0;
        match self.running.create(&name, false) {
            Ok(stream) => {
                self.made += 1;
                self.output = Some((name, Output::to(self.running, stream)));
                Ok(())
            }
            Err(error) => {
                self.running.report_error(&quote::if_needed(&name), &error)?;
                Err(End::Wrong)
            }
        }
    }

    fn close(&mut self) -> Result<(), Failure> {
        let Some((name, mut out)) = self.output.take() else { return Ok(()) };
        out.flush()?;
        drop(out);
        let parsed = &self.command.parsed;
        if self.written == 0 && parsed.has(b'z') {
            let _ = std::fs::remove_file(self.running.path(&name));
            self.made -= 1;
        } else if !parsed.has(b's') && !parsed.has(b'q') {
            self.running.write(format!("{}\n", self.written).as_bytes())?;
        }
        Ok(())
    }

    /// Takes a line out of the input.
    fn take(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let number = self.lines.first;
        let line = self.lines.take(self.running)?;
        if line.is_some() {
            self.current = self.current.max(number);
        }
        Ok(line)
    }

    fn save(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.written += line.len() as u64;
        match &mut self.output {
            Some((_, out)) => out.push(line),
            None => Ok(()),
        }
    }

    fn rest(&mut self) -> Result<(), Failure> {
        while let Some(line) = self.take()? {
            self.running.check()?;
            self.save(&line)?;
        }
        Ok(())
    }

    fn wrong(&self, text: &[u8], what: &[u8], repetition: u64) -> Result<End, Failure> {
        if self.lines.input.error.is_some() {
            // That is said instead.
            return Ok(End::Wrong);
        }
        let times = if repetition > 0 { format!(" on repetition {repetition}") } else { String::new() };
        self.running.message(&[&quote::locale(text)[..], b": ", what, times.as_bytes()].concat())?;
        Ok(End::Wrong)
    }

    fn split_at_line(&mut self, line: u64, repetition: u64) -> Result<(), End> {
        const OUT_OF_RANGE: &[u8] = b"line number out of range";
        self.create()?;
        let shown = line.to_string().into_bytes();
        if self.lines.is_at_end(self.running)? {
            if self.suppresses() || self.lines.input.error.is_some() {
                return Err(self.wrong(&shown, OUT_OF_RANGE, repetition)?);
            }
            self.running.message(b"input disappeared")?;
            return Err(End::Gone);
        }
        let end = line.saturating_mul(repetition + 1);
        while self.lines.first < end {
            let Some(taken) = self.take()? else {
                return Err(self.wrong(&shown, OUT_OF_RANGE, repetition)?);
            };
            self.save(&taken)?;
        }
        self.close()?;
        if self.suppresses() {
            self.take()?;
        } else if self.lines.is_at_end(self.running)? {
            return Err(self.wrong(&shown, OUT_OF_RANGE, repetition)?);
        }
        Ok(())
    }

    fn split_at_match(
        &mut self,
        pattern: &Pattern<'_>,
        regex: &Regex,
        offset: i64,
        skips: bool,
        repetition: u64,
    ) -> Result<(), End> {
        if !skips {
            self.create()?;
        }
        loop {
            self.current += 1;
            self.running.check()?;
            let Some(line) = self.lines.find(self.running, self.current)? else {
                if pattern.repeats.is_some() {
                    self.wrong(pattern.text, b"match not found", repetition)?;
                }
                if !skips {
                    self.rest()?;
                    self.close()?;
                }
                return Err(if pattern.repeats.is_some() { End::Wrong } else { End::Done });
            };
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let interrupt = || self.running.check().is_err();
            match regex.is_match(&Subject::new(text).interruptible(&interrupt)) {
                Ok(true) => break,
                Ok(false) => {}
                Err(error) => {
                    self.running.check()?;
                    let text = error.to_string();
                    self.running.message(&[b"error in regular expression search: ", text.as_bytes()].concat())?;
                    return Err(End::Wrong);
                }
            }
            // With an offset backwards they may belong to the next piece.
            if offset >= 0
                && let Some(line) = self.take()?
                && !skips
            {
                self.save(&line)?;
            }
        }
        let end = self.current.checked_add_signed(offset).unwrap_or(0);
        if self.lines.first > end {
            return Err(self.wrong(pattern.text, b"line number out of range", 0)?);
        }
        while self.lines.first < end {
            let Some(line) = self.take()? else {
                return Err(self.wrong(pattern.text, b"line number out of range", 0)?);
            };
            if !skips {
                self.save(&line)?;
            }
        }
        if !skips {
            self.close()?;
        }
        if offset > 0 {
            self.current = end;
        }
        if self.suppresses() {
            self.take()?;
        }
        Ok(())
    }
}
