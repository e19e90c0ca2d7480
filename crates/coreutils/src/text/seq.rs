//! `seq`: print numbers.

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse_before_numbers, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `seq [-w] [-f FORMAT] [-s STRING] [FIRST [STEP]] LAST` (GNU's), of decimal numbers (also `1e-3`) and whole hexadecimal ones; the last one may be `inf`.
    ///
    /// Numbers are exact decimals. GNU's are long doubles, whose error does not show in as many digits as are printed;
    /// where it could show (`-f` with fewer digits than the numbers have) the call is refused.
    Seq, "seq"
}

const OPTIONS: &[OptionSpec] = &[value(b'f', "format"), value(b's', "separator"), flag(b'w', "equal-width")];

/// A decimal: `units / 10^decimals`.
#[derive(Debug, Clone, Copy)]
struct Number {
    units: i128,
    decimals: usize,
    /// The width of the text, as `-w` counts it.
    width: usize,
}

/// What `-f` asks for: text around one conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Format {
    before: Vec<u8>,
    after: Vec<u8>,
    minus: bool,
    zero: bool,
    plus: bool,
    space: bool,
    width: usize,
    /// Digits after the point; `None`: as few as the number needs (`%g`).
    decimals: Option<usize>,
    /// The letter of an exponent (`%e`, `%E`).
    exponent: Option<u8>,
}

struct Command<'a> {
    first: i128,
    step: i128,
    last: i128,
    /// The decimals of these three.
    scale: usize,
    separator: &'a [u8],
    format: Format,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse_before_numbers(call.argv, OPTIONS)?;
    let wrong = |text: &[u8]| Unsupported::mistake(format!("the number {}", text.escape_ascii()));
    let number = |text: &[u8]| parse_number(text).ok_or_else(|| wrong(text));
    let one = Number { units: 1, decimals: 0, width: 1 };
    let (first, step, last) = match parsed.operands[..] {
        [last] => (one, one, last),
        [first, last] => (number(first)?, one, last),
        [first, step, last] => (number(first)?, number(step)?, last),
        _ => return Err(Unsupported::mistake("this number of operands")),
    };
    let endless = infinity(last);
    // As GNU's -w counts it: without a width.
    let last = if endless.is_some() { Number { units: 0, decimals: 0, width: 0 } } else { number(last)? };
    if step.units == 0 {
        return Err(Unsupported::mistake("a step of 0"));
    }
    let scale = first.decimals.max(step.decimals).max(last.decimals);
    let scaled = |number: Number| {
        let power = 10_i128.checked_pow(u32::try_from(scale - number.decimals).ok()?)?;
        number.units.checked_mul(power).filter(|units| units.abs() < 1 << 100)
    };
    let too_large = || Unsupported::new("numbers of this size");
    let printed = first.decimals.max(step.decimals);
    let format = match parsed.last(b'f') {
        None if parsed.has(b'w') => Format::equal_width(first, last, printed),
        None => Format { decimals: Some(printed), ..Format::default() },
        Some(_) if parsed.has(b'w') => return Err(Unsupported::mistake("-f with -w")),
        Some(text) => {
            let digits = |number: Number| number.units.unsigned_abs().to_string().len().saturating_sub(number.decimals);
            let whole = match endless {
                Some(_) => MOST_DIGITS,
                None => digits(first).max(digits(last)).max(digits(step)) + 1,
            };
            parse_format(text, whole, printed)
                .ok_or_else(|| Unsupported::mistake(format!("the format {}", text.escape_ascii())))?
        }
    };
    Ok(Command {
        first: scaled(first).ok_or_else(too_large)?,
        step: scaled(step).ok_or_else(too_large)?,
        last: match endless {
            Some(end) => end,
            None => scaled(last).ok_or_else(too_large)?,
        },
        scale,
        separator: parsed.last(b's').unwrap_or(b"\n"),
        format,
    })
}

/// The digits of what a long double holds to the last one, and a sign.
const MOST_DIGITS: usize = 18;

/// What no number reaches, if the text is `inf` or `infinity` (strtold(3)).
fn infinity(text: &[u8]) -> Option<i128> {
    let is_infinite = |name: &[u8]| name.eq_ignore_ascii_case(b"inf") || name.eq_ignore_ascii_case(b"infinity");
    match text.split_first() {
        Some((b'-', name)) if is_infinite(name) => Some(i128::MIN),
        Some((b'+', name)) if is_infinite(name) => Some(i128::MAX),
        _ => is_infinite(text).then_some(i128::MAX),
    }
}

/// `[+-]DIGITS[.DIGITS][eN]`, which long doubles hold to the last digit, or a whole hexadecimal number.
fn parse_number(text: &[u8]) -> Option<Number> {
    // As strtold(3), before a sign; -w does not count them.
    let text = std::str::from_utf8(text).ok()?.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        let is_short = digits.len() <= 14 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let units = is_short.then(|| i128::from_str_radix(digits, 16).ok())??;
        // -0 is printed with its sign. `-w` does not count the digits of these.
        return (!negative || units != 0).then_some(Number {
            units: if negative { -units } else { units },
            decimals: 0,
            width: 0,
        });
    }
    let (body, exponent) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, 0),
        Some((body, exponent)) => {
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            let is_short = digits.bytes().all(|byte| byte.is_ascii_digit()) && (1..=2).contains(&digits.len());
            (body, is_short.then(|| exponent.parse::<i32>().ok())??)
        }
    };
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    let mut digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // The exponent moves the point; `1.50e1` is 15.0.
    let places = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let decimals = usize::try_from(places).unwrap_or(0);
    digits.extend(std::iter::repeat_n('0', usize::try_from(-places).unwrap_or(0)));
    if digits.len() > 17 || decimals > 17 {
        return None;
    }
    let units: i128 = digits.parse().ok()?;
    if negative && units == 0 {
        return None;
    }
    // As GNU's counts: without a plus and the exponent, and by its places wider.
    let point = body.contains('.');
    let width = unsigned.find(['e', 'E']).unwrap_or(unsigned.len()) + usize::from(negative);
    let width = match point {
        true if fraction.is_empty() => width - usize::from(exponent >= 0),
        true => width + usize::from(whole.is_empty()),
        false => width + usize::from(exponent < 0),
    };
    let width = width + usize::try_from(exponent.unsigned_abs()).ok()?;
    Some(Number { units: if negative { -units } else { units }, decimals, width })
}

impl Default for Format {
    fn default() -> Self {
        Self {
            before: Vec::new(),
            after: Vec::new(),
            minus: false,
            zero: false,
            plus: false,
            space: false,
            width: 0,
            decimals: Some(0),
            exponent: None,
        }
    }
}

impl Format {
    /// GNU's rule for `-w`: as wide as the wider end, with the decimals that are printed.
    fn equal_width(first: Number, last: Number, decimals: usize) -> Self {
        let mut first_width = first.width + (decimals - first.decimals);
        let mut last_width = (last.width + decimals).saturating_sub(last.decimals);
        if last.decimals > 0 && decimals == 0 {
            last_width = last_width.saturating_sub(1);
        }
        if last.decimals == 0 && decimals > 0 {
            last_width += 1;
        }
        if first.decimals == 0 && decimals > 0 {
            first_width += 1;
        }
        Self { zero: true, width: first_width.max(last_width), decimals: Some(decimals), ..Self::default() }
    }

    fn print(&self, units: i128, scale: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before);
        let digits = format!("{:0>1$}", units.unsigned_abs(), scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let mut body = whole.to_owned();
        match self.decimals {
            Some(decimals) if let Some(letter) = self.exponent => {
                body = scientific(&digits, whole.len(), decimals, char::from(letter));
            }
            None => {
                let fraction = fraction.trim_end_matches('0');
                if !fraction.is_empty() {
                    body.push('.');
                    body.push_str(fraction);
                }
            }
            Some(0) => {}
            Some(decimals) => {
                body.push('.');
                body.extend(fraction.chars().chain(std::iter::repeat('0')).take(decimals));
            }
        }
        let sign = match units < 0 {
            true => "-",
            false if self.plus => "+",
            false if self.space => " ",
            false => "",
        };
        let missing = self.width.saturating_sub(sign.len() + body.len());
        let padding = |byte: u8| std::iter::repeat_n(byte, missing);
        if !self.minus && !self.zero {
            out.extend(padding(b' '));
        }
        out.extend_from_slice(sign.as_bytes());
        if !self.minus && self.zero {
            out.extend(padding(b'0'));
        }
        out.extend_from_slice(body.as_bytes());
        if self.minus {
            out.extend(padding(b' '));
        }
        out.extend_from_slice(&self.after);
    }
}

/// `D.DDDe+XX` with so many decimals, which hold all the digits; the point stands after `whole` of them.
fn scientific(digits: &str, whole: usize, decimals: usize, letter: char) -> String {
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let (first, rest) = digits.get(zeros..).unwrap_or_default().split_at_checked(1).unwrap_or(("0", ""));
    // A zero has the exponent 0.
    let exponent = if zeros == digits.len() { 0 } else { whole as i64 - zeros as i64 - 1 };
    let mut body = first.to_owned();
    if decimals > 0 {
        body.push('.');
        body.extend(rest.chars().chain(std::iter::repeat('0')).take(decimals));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    body + &format!("{letter}{sign}{:02}", exponent.abs())
}

/// One `%e`, `%f` or `%g` with flags, width and precision, where no digit of the numbers is rounded away.
fn parse_format(text: &[u8], whole: usize, decimals: usize) -> Option<Format> {
    let mut format = Format::default();
    let mut rest = text;
    let mut found = false;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            if found {
                format.after.push(byte)
            } else {
                format.before.push(byte)
            }
            continue;
        }
        if let Some(after) = rest.strip_prefix(b"%") {
            rest = after;
            if found {
                format.after.push(b'%')
            } else {
                format.before.push(b'%')
            }
            continue;
        }
        if found {
            return None;
        }
        found = true;
        while let Some((&letter, after)) = rest.split_first() {
            match letter {
                b'-' => format.minus = true,
                b'0' => format.zero = true,
                b'+' => format.plus = true,
                b' ' => format.space = true,
                _ => break,
            }
            rest = after;
        }
        let number = |rest: &mut &[u8]| {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (number, after) = rest.split_at_checked(digits)?;
            *rest = after;
            if digits == 0 { Some(0) } else { std::str::from_utf8(number).ok()?.parse().ok().filter(|n| *n < 1000) }
        };
        format.width = number(&mut rest)?;
        let precision = match rest.strip_prefix(b".") {
            Some(after) => {
                rest = after;
                number(&mut rest)?
            }
            None => 6,
        };
        let (&letter, after) = rest.split_first()?;
        rest = after;
        match letter {
            b'e' | b'E' if precision >= whole + decimals && precision <= 100 => {
                format.exponent = Some(letter);
                format.decimals = Some(precision);
            }
            b'f' if precision >= decimals && precision + whole <= MOST_DIGITS => format.decimals = Some(precision),
            b'g' if precision >= whole + decimals && precision <= MOST_DIGITS && decimals < 4 => format.decimals = None,
            _ => return None,
        }
    }
    found.then_some(format)
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut number = command.first;
    let mut any = false;
    let mut line = Vec::new();
    while if command.step > 0 { number <= command.last } else { number >= command.last } {
        if any {
            out.push(command.separator)?;
        }
        any = true;
        if command.scale == 0 && command.format == Format::default() {
            out.text(format_args!("{number}"))?;
        } else {
            line.clear();
            command.format.print(number, command.scale, &mut line);
            out.push(&line)?;
        }
        // A number is far from the ends of an i128; what never ends does not get there either.
        number = number.saturating_add(command.step);
    }
    if any {
        out.byte(b'\n')?;
    }
    out.flush()?;
    Ok(0)
}
