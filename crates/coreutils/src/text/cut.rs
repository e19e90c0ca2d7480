//! `cut`: select parts of lines.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};
use memchr::{memchr, memchr_iter};

use super::each_input::each_input;

utility! {
    /// `cut (-b | -c | -f) LIST [-nsz] [-d C] [--complement] [--output-delimiter=S] [FILE]…` (XCU `cut`; characters are
    /// bytes, as GNU's).
    Cut, "cut"
}

const COMPLEMENT: u8 = 128;
const OUTPUT_DELIMITER: u8 = 129;

const OPTIONS: &[OptionSpec] = &[
    value(b'b', "bytes"),
    value(b'c', "characters"),
    value(b'f', "fields"),
    value(b'd', "delimiter"),
    flag(b'n', ""),
    flag(b's', "only-delimited"),
    flag(b'z', "zero-terminated"),
    flag(COMPLEMENT, "complement"),
    value(OUTPUT_DELIMITER, "output-delimiter"),
];

struct Command<'a> {
    fields: bool,
    /// Sorted, not overlapping; both ends are within.
    ranges: Vec<(usize, usize)>,
    delimiter: u8,
    only_delimited: bool,
    /// Of lines.
    end: u8,
    output_delimiter: Option<&'a [u8]>,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let mut lists = parsed.options.iter().filter(|(letter, _)| matches!(letter, b'b' | b'c' | b'f'));
    let (Some(&(letter, list)), None) = (lists.next(), lists.next()) else {
        return Err(Unsupported::mistake("any number of lists but one"));
    };
    let fields = letter == b'f';
    if !fields && (parsed.has(b'd') || parsed.has(b's')) {
        return Err(Unsupported::mistake("-d or -s without -f"));
    }
    let delimiter = match parsed.last(b'd') {
        None => b'\t',
        Some(b"") => 0,
        Some([byte]) => *byte,
        Some(_) => return Err(Unsupported::mistake("a delimiter of several bytes")),
    };
    let mut ranges =
        parse_list(list).ok_or_else(|| Unsupported::mistake(format!("the list {}", list.escape_ascii())))?;
    if parsed.has(COMPLEMENT) {
        ranges = complement(&ranges);
    }
    Ok(Command {
        fields,
        ranges,
        delimiter,
        only_delimited: parsed.has(b's'),
        end: if parsed.has(b'z') { 0 } else { b'\n' },
        // An empty one is a NUL.
        output_delimiter: parsed.last(OUTPUT_DELIMITER).map(|text| if text.is_empty() { b"\0" } else { text }),
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

/// `N`, `N-`, `N-M`, `-M`, separated by commas or blanks.
fn parse_list(list: &[u8]) -> Option<Vec<(usize, usize)>> {
    let number = |text: &str| match text.parse::<usize>() {
        Ok(0) | Err(_) => None,
        Ok(number) => text.bytes().all(|byte| byte.is_ascii_digit()).then_some(number).filter(|n| *n < usize::MAX),
    };
    let mut ranges = Vec::new();
    for item in std::str::from_utf8(list).ok()?.split([',', ' ', '\t']) {
        ranges.push(match item.split_once('-') {
            None => {
                let number = number(item)?;
                (number, number)
            }
            Some(("", "")) => return None,
            Some((low, "")) => (number(low)?, usize::MAX),
            Some(("", high)) => (1, number(high)?),
            Some((low, high)) => (number(low)?, number(high)?),
        });
    }
    if ranges.iter().any(|(low, high)| low > high) {
        return None;
    }
    ranges.sort_unstable();
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (low, high) in ranges {
        match merged.last_mut() {
            // Only what overlaps is one range: the output delimiter stands between neighbours.
            Some(last) if low <= last.1 => last.1 = last.1.max(high),
            _ => merged.push((low, high)),
        }
    }
    Some(merged)
}

fn complement(ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut gaps = Vec::new();
    let mut next = 1;
    for &(low, high) in ranges {
        if low > next {
            gaps.push((next, low - 1));
        }
        if high == usize::MAX {
            return gaps;
        }
        next = high + 1;
    }
    gaps.push((next, usize::MAX));
    gaps
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let status = each_input(&command.files, &mut out, |_, input, out| command.cut(input, out))?;
    out.flush()?;
    Ok(status)
}

impl Command<'_> {
    /// Cuts the lines of an input.
    fn cut(&self, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        let running = out.running();
        if !self.fields {
            while let Some(line) = input.text(running, self.end)? {
                self.cut_bytes(line, out)?;
            }
        } else if self.delimiter == self.end {
            self.cut_lines(input, out)?;
        } else {
            while let Some(line) = input.text(running, self.end)? {
                self.cut_fields(line, out)?;
            }
        }
        Ok(())
    }

    fn cut_bytes(&self, line: &[u8], out: &mut Output<'_, '_>) -> Result<(), Failure> {
        let mut first = true;
        for &(low, high) in &self.ranges {
            let Some(part) = line.get(low - 1..high.min(line.len())).filter(|part| !part.is_empty()) else {
                break;
            };
            if !first && let Some(delimiter) = self.output_delimiter {
                out.push(delimiter)?;
            }
            first = false;
            out.push(part)?;
        }
        out.byte(self.end)
    }

    fn cut_fields(&self, line: &[u8], out: &mut Output<'_, '_>) -> Result<(), Failure> {
        if memchr(self.delimiter, line).is_none() {
            if !self.only_delimited {
                out.push(line)?;
                out.byte(self.end)?;
            }
            return Ok(());
        }
        let own = [self.delimiter];
        let between = self.output_delimiter.unwrap_or(&own);
        let mut ranges = self.ranges.iter();
        let mut range = ranges.next();
        let mut first = true;
        let mut start = 0;
        let ends = memchr_iter(self.delimiter, line).chain(std::iter::once(line.len()));
        for (number, end) in (1..).zip(ends) {
            while range.is_some_and(|(_, high)| number > *high) {
                range = ranges.next();
            }
            let Some((low, high)) = range else { break };
            if number >= *low {
                if !first {
                    out.push(between)?;
                }
                first = false;
                if *high == usize::MAX && self.output_delimiter.is_none() {
                    out.push(line.get(start..).unwrap_or_default())?;
                    break;
                }
                out.push(line.get(start..end).unwrap_or_default())?;
            }
            start = end + 1;
        }
        out.byte(self.end)
    }

    fn selects(&self, number: usize) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&number))
    }

    /// Where what ends lines delimits fields too, all lines are fields of one: but the last one's end is none.
    fn cut_lines(&self, input: &mut Input, out: &mut Output<'_, '_>) -> Result<(), Failure> {
        let running = out.running();
        let own = [self.delimiter];
        let between = self.output_delimiter.unwrap_or(&own);
        let wants_first = self.selects(1);
        let mut number = 0;
        let mut found = false;
        let mut held = Vec::new();
        loop {
            number += 1;
            let Some(line) = input.line(running, self.end)? else { break };
            let text = line.strip_suffix(&[self.end]).unwrap_or(line);
            let terminated = text.len() < line.len();
            if number == 1 {
                held.extend_from_slice(text);
                if !terminated || (self.only_delimited && !wants_first && input.at_end(running)?) {
                    if !self.only_delimited {
                        out.push(&held)?;
                        out.byte(self.end)?;
                    }
                    return Ok(());
                }
                if wants_first {
                    out.push(&held)?;
                    found = true;
                }
                continue;
            }
            if self.selects(number) {
                if found {
                    out.push(between)?;
                }
                found = true;
                out.push(text)?;
            }
        }
        if number > 1 {
            out.byte(self.end)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{complement, parse_list};

    #[test]
    fn lists_are_sorted_and_merged() {
        let all = usize::MAX;
        type Expected<'a> = Option<&'a [(usize, usize)]>;
        let cases: &[(&str, Expected<'_>)] = &[
            ("1", Some(&[(1, 1)])),
            ("3,1-2", Some(&[(1, 2), (3, 3)])),
            ("2-5,3-4 9-", Some(&[(2, 5), (9, all)])),
            ("-3", Some(&[(1, 3)])),
            ("0", None),
            ("-", None),
            ("3-2", None),
            ("1,,2", None),
            ("+1", None),
            ("", None),
        ];
        for (list, expected) in cases {
            assert_eq!(parse_list(list.as_bytes()).as_deref(), *expected, "{list}");
        }
        assert_eq!(complement(&[(2, 3), (5, all)]), [(1, 1), (4, 4)]);
        assert_eq!(complement(&[(1, 2)]), [(3, all)]);
    }
}
