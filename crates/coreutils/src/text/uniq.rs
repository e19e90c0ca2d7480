//! `uniq`: leave out repeated lines.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, optional, parse, value, with_digits};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `uniq [-cdDuiz] [-f N | -N] [-s N | +N] [-w N] [--group[=HOW]] [INPUT [OUTPUT]]` (XCU `uniq`, GNU's additions).
    Uniq, "uniq"
}

const GROUP: u8 = 128;

const OPTIONS: &[OptionSpec] = &with_digits::<21>(
    &[
        flag(b'c', "count"),
        flag(b'd', "repeated"),
        flag(b'D', ""),
        optional(b'D', "all-repeated"),
        optional(GROUP, "group"),
        flag(b'u', "unique"),
        flag(b'i', "ignore-case"),
        flag(b'z', "zero-terminated"),
        value(b'f', "skip-fields"),
        value(b's', "skip-chars"),
        value(b'w', "check-chars"),
    ],
    flag(b'0', ""),
);

/// Where an empty line stands around groups.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Delimit {
    No,
    Prepend,
    Append,
    Separate,
    Both,
}

struct Command<'a> {
    count: bool,
    unique: bool,
    first_repeated: bool,
    later_repeated: bool,
    repeated_groups: Delimit,
    groups: Delimit,
    compare: Compare,
    delimiter: u8,
    input: &'a [u8],
    output: Option<&'a [u8]>,
}

/// What of a line is compared.
#[derive(Clone, Copy)]
struct Compare {
    skip_fields: usize,
    skip_chars: usize,
    chars: usize,
    ignore_case: bool,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let mut parsed = parse(call.argv, OPTIONS)?;
    // `uniq +1` of old: characters to skip. After `--` it is a file.
    let mut files = parsed.operands.split_off(parsed.operands.len() - parsed.after_dashes);
    let old_chars = parsed.operands.iter().rev().find_map(|operand| digits_after_plus(operand));
    parsed.operands.retain(|operand| digits_after_plus(operand).is_none());
    parsed.operands.append(&mut files);
    if parsed.operands.len() > 2 {
        return Err(Unsupported::mistake("more than two operands"));
    }
    if old_chars.is_some() && parsed.has(b's') {
        return Err(Unsupported::new("-s with operands like +1"));
    }
    // `uniq -1` of old: fields to skip. Digits of several words make one number, and `-f` makes it anew.
    let mut old_fields: Option<usize> = None;
    for (option, _) in &parsed.options {
        match option {
            b'0'..=b'9' => {
                let before = old_fields.unwrap_or_default();
                old_fields = Some(before.saturating_mul(10).saturating_add(usize::from(*option - b'0')));
            }
            b'f' => old_fields = None,
            _ => {}
        }
    }
    let number = |letter: u8, default: usize| match parsed.last(letter) {
        None => Ok(default),
        Some(text) if !text.is_empty() && text.iter().all(u8::is_ascii_digit) => {
            Ok(std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX))
        }
        Some(text) => Err(Unsupported::mistake(format!("the number {}", text.escape_ascii()))),
    };
    let method = |name: &[u8]| Unsupported::mistake(format!("the method {}", name.escape_ascii()));
    let all = parsed.has(b'D');
    let repeated_groups = match parsed.last(b'D') {
        None | Some(b"" | b"none") => Delimit::No,
        Some(b"prepend") => Delimit::Prepend,
        Some(b"separate") => Delimit::Separate,
        Some(name) => return Err(method(name)),
    };
    let groups = match parsed.last(GROUP) {
        None => Delimit::No,
        Some(b"" | b"separate") => Delimit::Separate,
        Some(b"prepend") => Delimit::Prepend,
        Some(b"append") => Delimit::Append,
        Some(b"both") => Delimit::Both,
        Some(name) => return Err(method(name)),
    };
    let selects = parsed.has(b'c') || parsed.has(b'd') || all || parsed.has(b'u');
    if groups != Delimit::No && selects {
        return Err(Unsupported::mistake("--group with -c, -d, -D or -u"));
    }
    if all && parsed.has(b'c') {
        return Err(Unsupported::mistake("-D with -c"));
    }
    Ok(Command {
        count: parsed.has(b'c'),
        unique: !(parsed.has(b'd') || all),
        first_repeated: !parsed.has(b'u'),
        later_repeated: all,
        repeated_groups,
        groups,
        compare: Compare {
            skip_fields: old_fields.map_or_else(|| number(b'f', 0), Ok)?,
            skip_chars: number(b's', old_chars.unwrap_or(0))?,
            chars: number(b'w', usize::MAX)?,
            ignore_case: parsed.has(b'i'),
        },
        delimiter: if parsed.has(b'z') { 0 } else { b'\n' },
        input: parsed.operands.first().copied().unwrap_or(b"-"),
        output: parsed.operands.get(1).copied().filter(|name| *name != b"-"),
    })
}

/// The number of `+N`; `None`: it is no number, or none that a count can be.
fn digits_after_plus(operand: &[u8]) -> Option<usize> {
    let digits =
        operand.strip_prefix(b"+").filter(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

impl Compare {
    fn key<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        let mut rest = line;
        for _ in 0..self.skip_fields {
            if rest.is_empty() {
                break;
            }
            let field = rest.iter().position(|byte| !is_blank(byte)).unwrap_or(rest.len());
            rest = rest.get(field..).unwrap_or_default();
            let end = rest.iter().position(is_blank).unwrap_or(rest.len());
            rest = rest.get(end..).unwrap_or_default();
        }
        rest = rest.get(self.skip_chars..).unwrap_or_default();
        rest.get(..self.chars).unwrap_or(rest)
    }

    fn same(&self, left: &[u8], right: &[u8]) -> bool {
        let (left, right) = (self.key(left), self.key(right));
        if self.ignore_case { left.eq_ignore_ascii_case(right) } else { left == right }
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let source = match running.open(command.input)? {
        Ok(source) => source,
        Err(error) => {
            running.report_error(&quote::if_needed(command.input), &error)?;
            return Ok(1);
        }
    };
    let mut out = match command.output {
        None => Output::new(running),
        Some(name) => match running.create(name, false) {
            Ok(stream) => Output::to(running, stream),
            Err(error) => {
                running.report_error(&quote::if_needed(name), &error)?;
                return Ok(1);
            }
        },
    };
    let mut input = Input::new(source);
    if command.unique && command.first_repeated && !command.count {
        command.first_of_each(&mut input, &mut out)?;
    } else {
        command.selected(&mut input, &mut out)?;
    }
    if input.error.is_some() {
        // Without the reason, as GNU's.
        out.message(&[b"error reading ", &quote::always(command.input)[..]].concat())?;
        return Ok(1);
    }
    out.flush()?;
    Ok(0)
}

impl Command<'_> {
    fn first_of_each(&self, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        let running = out.running();
        let mut previous: Option<Vec<u8>> = None;
        while let Some(line) = input.text(running, self.delimiter)? {
            let new = previous.as_ref().is_none_or(|previous| !self.compare.same(line, previous));
            let between = match self.groups {
                Delimit::Prepend | Delimit::Both => true,
                Delimit::Append | Delimit::Separate => previous.is_some(),
                Delimit::No => false,
            };
            if new && between {
                out.byte(self.delimiter)?;
            }
            if new || self.groups != Delimit::No {
                out.push(line)?;
                out.byte(self.delimiter)?;
                let previous = previous.get_or_insert_default();
                previous.clear();
                previous.extend_from_slice(line);
            }
        }
        if matches!(self.groups, Delimit::Both | Delimit::Append) && previous.is_some() {
            out.byte(self.delimiter)?;
        }
        Ok(())
    }

    fn selected(&self, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        let running = out.running();
        let Some(first) = input.text(running, self.delimiter)? else { return Ok(()) };
        let mut previous = first.to_vec();
        let mut matches: u64 = 0;
        let mut first_delimiter = true;
        while let Some(line) = input.text(running, self.delimiter)? {
            let same = self.compare.same(line, &previous);
            matches += u64::from(same);
            if self.repeated_groups != Delimit::No {
                if !same {
                    first_delimiter &= matches == 0;
                } else if matches == 1 && (self.repeated_groups == Delimit::Prepend || !first_delimiter) {
                    out.byte(self.delimiter)?;
                }
            }
            if !same || self.later_repeated {
                self.write(&previous, same, matches, out)?;
                previous.clear();
                previous.extend_from_slice(line);
                if !same {
                    matches = 0;
                }
            }
        }
        if input.error.is_some() {
            return Ok(());
        }
        self.write(&previous, false, matches, out)
    }

    fn write(&self, line: &[u8], same: bool, matches: u64, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        let wanted = match (matches, same) {
            (0, _) => self.unique,
            (_, false) => self.first_repeated,
            (_, true) => self.later_repeated,
        };
        if !wanted {
            return Ok(());
        }
        if self.count {
            out.text(format_args!("{:7} ", matches + 1))?;
        }
        out.push(line)?;
        out.byte(self.delimiter)
    }
}
