//! What stands between delimiters: `s` with its flags and its replacement, and `y`.

use super::{
    LENGTHS, Parser, Result, SANDBOX, UNKNOWN_FLAG, UNTERMINATED_SUBSTITUTION, UNTERMINATED_TRANSLATION, place_of,
};
use crate::program::{Action, Case, Part, Substitution, Translation};
use crate::text::{character, is_recursive, units};

impl Parser<'_> {
    pub(super) fn substitution(&mut self) -> Result<Action> {
        let delimiter = self.delimiter(UNTERMINATED_SUBSTITUTION)?;
        let pattern = self.delimited(delimiter, true, UNTERMINATED_SUBSTITUTION)?;
        let replacement = self.delimited(delimiter, false, UNTERMINATED_SUBSTITUTION)?;
        let mut found = Substitution {
            regex: None,
            parts: Vec::new(),
            uses_groups: false,
            global: false,
            number: 0,
            print: false,
            execute: false,
            write: None,
        };
        self.replacement(&replacement, &mut found)?;
        let (mut ignore_case, mut lines) = (false, false);
        loop {
            self.blanks();
            let letter = match self.is_at_end() {
                true => b'\n',
                false => self.peek().unwrap_or(b'\n'),
            };
            if matches!(letter, b'\n' | b';' | b'}' | b'#') {
                break;
            }
            if letter.is_ascii_digit() {
                if found.number > 0 {
                    self.at += 1;
                    return Err(self.wrong("multiple number options to `s' command"));
                }
                found.number = self.number()?.unwrap_or_default();
                if found.number == 0 {
                    return Err(self.wrong("number option to `s' command may not be zero"));
                }
                continue;
            }
            self.at += 1;
            match letter {
                b'g' if found.global => return Err(self.wrong("multiple `g' options to `s' command")),
                b'g' => found.global = true,
                b'p' if found.print => return Err(self.wrong("multiple `p' options to `s' command")),
                b'p' => found.print = true,
                b'e' | b'i' | b'I' | b'm' | b'M' if self.source.posix => return Err(self.wrong(UNKNOWN_FLAG)),
                b'e' => found.execute = true,
                b'i' | b'I' => ignore_case = true,
                b'm' | b'M' => lines = true,
                b'w' => {
                    let name = self.file_name()?;
                    found.write = Some(place_of(name, &mut self.program.outputs));
                    break;
                }
                b'\r' if self.peek() == Some(b'\n') => break,
                b'\r' => {
                    self.at += usize::from(!self.is_at_end());
                    return Err(self.wrong(UNKNOWN_FLAG));
                }
                _ => return Err(self.wrong(UNKNOWN_FLAG)),
            }
        }
        self.end()?;
        if found.execute && found.print {
            // What is printed depends on their order.
            return Err(self.unsupported());
        }
        found.number = found.number.max(1);
        found.regex = self.regex(&pattern, ignore_case, lines)?;
        let most = found.parts.iter().filter_map(|part| if let Part::Group(n) = part { Some(*n) } else { None }).max();
        if let Some(most) = most.filter(|most| *most > 0) {
            found.uses_groups = true;
            match &found.regex {
                // Under --posix GNU's takes a group that there is not for an empty one.
                Some(regex) if regex.group_count() < most && !self.source.posix => {
                    return Err(self.wrong(format!("invalid reference \\{most} on `s' command's RHS")));
                }
                Some(_) => {}
                None if self.source.posix => {}
                None => self.wanted_groups = self.wanted_groups.max(most),
            }
        }
        if found.execute && self.source.sandbox {
            return Err(self.wrong(SANDBOX));
        }
        Ok(Action::Substitute(Box::new(found)))
    }

    fn replacement(&self, text: &[u8], found: &mut Substitution) -> Result<()> {
        let mut literal = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at += 1;
            let part = match byte {
                b'&' => Part::Group(0),
                b'\\' => {
                    let letter = *text.get(at).ok_or_else(|| self.unsupported())?;
                    at += 1;
                    match letter {
                        b'0'..=b'9' => Part::Group(usize::from(letter - b'0')),
                        b'U' | b'L' | b'E' | b'u' | b'l' if self.source.posix => {
                            literal.push(letter);
                            continue;
                        }
                        b'U' => Part::Case(Some(Case::Upper)),
                        b'L' => Part::Case(Some(Case::Lower)),
                        b'E' => Part::Case(None),
                        b'u' => Part::First(Case::Upper),
                        b'l' => Part::First(Case::Lower),
                        _ => {
                            let rest = text.get(at..).unwrap_or_default();
                            if is_recursive(letter, rest) {
                                return Err(self.recursive());
                            }
                            match character(letter, rest) {
                                Some((character, length)) => {
                                    at += length;
                                    literal.push(character);
                                }
                                // What follows is as it is written.
                                None if letter == b'c' => literal.extend_from_slice(b"\\"),
                                None => literal.push(letter),
                            }
                            continue;
                        }
                    }
                }
                _ => {
                    literal.push(byte);
                    continue;
                }
            };
            if !literal.is_empty() {
                found.parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            found.parts.push(part);
        }
        if !literal.is_empty() {
            found.parts.push(Part::Text(literal));
        }
        Ok(())
    }

    pub(super) fn translation(&mut self) -> Result<Action> {
        let delimiter = self.delimiter(UNTERMINATED_TRANSLATION)?;
        let mut sides = Vec::new();
        for _ in 0..2 {
            let text = self.delimited(delimiter, false, UNTERMINATED_TRANSLATION)?;
            let mut side = Vec::new();
            let mut at = 0;
            while let Some(&byte) = text.get(at) {
                at += 1;
                if byte != b'\\' {
                    side.push(byte);
                    continue;
                }
                let Some(&letter) = text.get(at) else { return Err(self.unsupported()) };
                at += 1;
                let rest = text.get(at..).unwrap_or_default();
                if is_recursive(letter, rest) {
                    return Err(self.recursive());
                }
                match character(letter, rest) {
                    Some((character, length)) => {
                        side.push(character);
                        at += length;
                    }
                    // A `\c` at the end is never as long as what it is replaced by.
                    None if letter == b'c' => return Err(self.wrong(LENGTHS)),
                    None => side.push(letter),
                }
            }
            sides.push(side);
        }
        let (Some(to), Some(from)) = (sides.pop(), sides.pop()) else { return Err(self.unsupported()) };
        if self.source.bytes || from.is_ascii() && to.is_ascii() {
            if from.len() != to.len() {
                return Err(self.wrong(LENGTHS));
            }
            let mut table = Box::new([0; 256]);
            for (byte, place) in (0..=255).zip(table.iter_mut()) {
                *place = byte;
            }
            let mut seen = [false; 256];
            for (&from, &to) in from.iter().zip(&to) {
                // Of several the last counts where characters are bytes, else the first.
                if let (Some(seen), Some(place)) = (seen.get_mut(usize::from(from)), table.get_mut(usize::from(from)))
                    && (!std::mem::replace(seen, true) || self.source.bytes)
                {
                    *place = to;
                }
            }
            return Ok(Action::Translate(Box::new(Translation::Bytes(table))));
        }
        let (from, to) = (units(&from), units(&to));
        if from.len() != to.len() {
            return Err(self.wrong(LENGTHS));
        }
        let pairs = from.into_iter().zip(to).map(|(from, to)| (from.into(), to.into())).collect();
        Ok(Action::Translate(Box::new(Translation::Characters(pairs))))
    }

    /// The delimiter of what follows.
    pub(super) fn delimiter(&mut self, unterminated: &'static str) -> Result<u8> {
        match self.peek() {
            // What follows in the line, if this one continues.
            Some(b'\n') if !self.is_at_end() => {
                self.at += 1;
                self.skip(|byte| byte != b'\n');
                Err(self.wrong(unterminated))
            }
            Some(byte) if !self.is_at_end() => {
                self.at += 1;
                Ok(byte)
            }
            _ => Err(self.wrong(unterminated)),
        }
    }
}
