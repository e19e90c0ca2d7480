//! `shuf`: lines in random order.

use hookshell_utility::input::{Input, Rest};
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::random::{SplitMix, Unforeseen};
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `shuf [-rz] [-n COUNT] [-o FILE] [FILE | -e [TEXT]… | -i FIRST-LAST]` (GNU; a source of random bytes is for the real
    /// program). What is read is held in memory.
    Shuf, "shuf"
}

const OPTIONS: &[OptionSpec] = &[
    flag(b'e', "echo"),
    value(b'i', "input-range"),
    value(b'n', "head-count"),
    value(b'o', "output"),
    flag(b'r', "repeat"),
    flag(b'z', "zero-terminated"),
];

/// More numbers are not drawn from here without repeating them.
const MOST: u64 = 10_000_000;

enum From<'a> {
    File(&'a [u8]),
    Words(Vec<&'a [u8]>),
    Range(u64, u64),
}

struct Command<'a> {
    from: From<'a>,
    count: u64,
    output: Option<&'a [u8]>,
    repeats: bool,
    end: u8,
}

fn number(text: &[u8]) -> Option<u64> {
    let digits = !text.is_empty() && text.len() < 19 && text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| digits)?.parse().ok()
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let refused = |text: &[u8]| Unsupported::mistake(format!("the value {}", text.escape_ascii()));
    let ranges = parsed.options.iter().filter(|(option, _)| *option == b'i').count();
    let outputs = parsed.options.iter().filter(|(option, _)| *option == b'o').count();
    if ranges > 1 || outputs > 1 || (ranges > 0 && (parsed.has(b'e') || !parsed.operands.is_empty())) {
        return Err(Unsupported::mistake("these options together"));
    }
    let mut count = u64::MAX;
    for (_, text) in parsed.options.iter().filter(|(option, _)| *option == b'n') {
        count = count.min(number(text).ok_or_else(|| refused(text))?);
    }
    let from = if let Some(text) = parsed.last(b'i') {
        let dash = text.iter().position(|byte| *byte == b'-').ok_or_else(|| refused(text))?;
        let ends = number(text.get(..dash).unwrap_or_default()).zip(number(text.get(dash + 1..).unwrap_or_default()));
        let (first, last) = ends.filter(|(first, last)| first <= last).ok_or_else(|| refused(text))?;
        if !parsed.has(b'r') && last - first > MOST {
            return Err(refused(text));
        }
        From::Range(first, last)
    } else if parsed.has(b'e') {
        From::Words(parsed.operands.clone())
    } else {
        match parsed.operands[..] {
            [] => From::File(b"-"),
            [file] => From::File(file),
            _ => return Err(Unsupported::mistake("several files")),
        }
    };
    Ok(Command {
        from,
        count,
        output: parsed.last(b'o'),
        repeats: parsed.has(b'r'),
        end: if parsed.has(b'z') { 0 } else { b'\n' },
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut text = Vec::new();
    let _kept;
    if command.count == 0 && !matches!(command.from, From::Words(_)) {
        // Nothing is read, but the output is made.
        return match command.output.map(|file| (file, running.create(file, false))) {
            Some((file, Err(error))) => {
                running.message(&[file, b": ", reason(&error).as_bytes()].concat())?;
                Ok(1)
            }
            _ => Ok(0),
        };
    }
    if let From::File(file) = command.from {
        let source = match running.open(file)? {
            Ok(source) => source,
            Err(error) => {
                running.report_error(&quote::if_needed(file), &error)?;
                return Ok(1);
            }
        };
        let Rest { data, error, kept } = Input::new(source).rest(running)?;
        _kept = kept;
        if let Some(error) = error {
            running.message(format!("read error: {}", reason(&error)).as_bytes())?;
            return Ok(1);
        }
        text = data;
    }
    let mut kept = running.keep();
    let mut held = 0;
    let lines: Vec<&[u8]> = match &command.from {
        From::File(_) => {
            let count = memchr::memchr_iter(command.end, &text).count() + 1;
            // They grow into it.
            held = 2 * count * size_of::<&[u8]>();
            kept.set(held)?;
            let mut lines: Vec<&[u8]> = text.split(|byte| *byte == command.end).collect();
            if lines.last().is_some_and(|last| last.is_empty()) {
                lines.pop();
            }
            lines
        }
        From::Words(words) => words.clone(),
        From::Range(..) => Vec::new(),
    };
    let mut out = match command.output {
        None => Output::new(running),
        Some(file) => match running.create(file, false) {
            Ok(stream) => Output::to(running, stream),
            Err(error) => {
                running.message(&[file, b": ", reason(&error).as_bytes()].concat())?;
                return Ok(1);
            }
        },
    };
    let total = match command.from {
        From::Range(first, last) => last - first + 1,
        _ => lines.len() as u64,
    };
    let put = |out: &mut Output<'_, '_>, index: u64| {
        match command.from {
            From::Range(first, _) => out.text(format_args!("{}", first + index))?,
            _ => out.push(usize::try_from(index).ok().and_then(|at| lines.get(at)).copied().unwrap_or_default())?,
        }
        out.byte(command.end)
    };
    let mut random = SplitMix(Unforeseen::new().at(0));
    if command.repeats {
        if total == 0 && command.count > 0 {
            running.message(b"no lines to repeat")?;
            return Ok(1);
        }
        let mut left = command.count;
        while left > 0 {
            running.check()?;
            put(&mut out, random.below(total))?;
            left -= 1;
        }
    } else {
        kept.set(held.saturating_add(usize::try_from(total).unwrap_or(usize::MAX).saturating_mul(size_of::<u64>())))?;
        let mut order: Vec<u64> = (0..total).collect();
        let count = usize::try_from(command.count).unwrap_or(usize::MAX).min(order.len());
        for at in 0..count {
            running.check()?;
            let other = at + usize::try_from(random.below(total - at as u64)).unwrap_or(0);
            order.swap(at, other);
            put(&mut out, order.get(at).copied().unwrap_or(0))?;
        }
    }
    out.flush()?;
    Ok(0)
}
