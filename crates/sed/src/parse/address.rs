//! The addresses before a command.

use super::{LINE_0, Parser, Result, UNTERMINATED_ADDRESS};
use crate::fault::Fault;
use crate::program::{Address, End, Select};

impl Parser<'_> {
    pub(super) fn select(&mut self) -> Result<Select> {
        let Some(first) = self.address()? else { return Ok(Select::All) };
        self.blanks();
        if self.peek() != Some(b',') {
            if matches!(first, Address::Line(0)) && (self.source.posix || self.peek() != Some(b'r')) {
                return Err(self.line_0());
            }
            return Ok(Select::One(first));
        }
        self.at += 1;
        self.blanks();
        let end = match self.peek() {
            Some(sign @ (b'+' | b'~')) if !self.source.posix => {
                self.at += 1;
                let number = self.number()?.unwrap_or(0);
                if sign == b'+' { End::Lines(number) } else { End::Multiple(number) }
            }
            _ => match self.address()? {
                Some(address) => End::At(address),
                None => {
                    self.at += usize::from(!self.is_at_end());
                    return Err(self.wrong("unexpected `,'"));
                }
            },
        };
        let from_zero = matches!(first, Address::Line(0));
        if from_zero && (self.source.posix || !matches!(end, End::At(Address::Match(_)))) {
            self.blanks();
            return Err(self.line_0());
        }
        self.program.ranges += 1;
        Ok(Select::Range(first, end, self.program.ranges - 1))
    }

    /// Line 0 where it has no meaning, of which sed says when it has read the next character.
    fn line_0(&mut self) -> Fault {
        self.at += usize::from(!self.is_at_end());
        self.wrong(LINE_0)
    }

    pub(super) fn address(&mut self) -> Result<Option<Address>> {
        match self.peek() {
            Some(b'$') => {
                self.at += 1;
                Ok(Some(Address::Last))
            }
            Some(b'0'..=b'9') => {
                let number = self.number()?.unwrap_or(0);
                self.blanks();
                if self.source.posix || self.peek() != Some(b'~') {
                    return Ok(Some(Address::Line(number)));
                }
                self.at += 1;
                self.blanks();
                let step = self.number()?.unwrap_or(0);
                Ok(Some(if step == 0 { Address::Line(number) } else { Address::Step(number, step) }))
            }
            Some(b'/' | b'\\') => {
                let mut delimiter = self.next().unwrap_or(b'/');
                if delimiter == b'\\' {
                    delimiter = self.delimiter(UNTERMINATED_ADDRESS)?;
                }
                let pattern = self.delimited(delimiter, true, UNTERMINATED_ADDRESS)?;
                let (mut ignore_case, mut lines) = (false, false);
                loop {
                    self.blanks();
                    match self.peek().filter(|_| !self.source.posix) {
                        Some(b'I') => ignore_case = true,
                        Some(b'M') => lines = true,
                        _ => break,
                    }
                    self.at += 1;
                }
                Ok(Some(Address::Match(self.regex(&pattern, ignore_case, lines)?)))
            }
            Some(b'+' | b'~') if !self.source.posix => {
                self.at += 1;
                self.blanks();
                match self.number()? {
                    // Every line is that.
                    None | Some(0) => Ok(Some(Address::Step(0, 1))),
                    Some(_) => Err(self.wrong("invalid usage of +N or ~N as first address")),
                }
            }
            _ => Ok(None),
        }
    }
}
