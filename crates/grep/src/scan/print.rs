//! How selected lines are written.

use hookshell_utility::io::Failure;

use super::{Input, REJECTED, SELECTED, Scanner, line_end, line_start};
use crate::colors::Part;
use crate::searched::Searched;

impl<'c, 'r, 'a> Scanner<'c, 'r, 'a> {
    /// Writes selected lines with the context before them.
    pub(super) fn selected(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        input: &mut Input<'_>,
    ) -> Result<(), Failure> {
        let terminator = self.command.source.end;
        if self.bare
            && !input.quiet
            && input.name.is_none()
            && (!self.judges || input.has_characters(block, block.get(start..end).unwrap_or_default()))
        {
            let text = block.get(start..end).unwrap_or_default();
            self.out.push(text)?;
            self.used = true;
            input.last_out = Some(end);
            input.left -= if self.command.invert { memchr::memchr_iter(terminator, text).count() as u64 } else { 1 };
            return Ok(());
        }
        if !input.quiet && input.pending > 0 {
            self.pending(block, start, input)?;
        }
        let mut at = start;
        if !input.quiet {
            let bound = input.last_out.unwrap_or(0);
            for _ in 0..self.command.before.unwrap_or(0) {
                if at <= bound {
                    break;
                }
                at = line_start(block, at, terminator);
            }
            let context = self.command.before.is_some() || self.command.after.is_some();
            if context
                && self.used
                && Some(at) != input.last_out
                && let Some(separator) = self.command.separator
            {
                self.out.colored(Part::Separator, separator)?;
                self.out.byte(b'\n')?;
            }
            while at < start {
                let next = line_end(block, at, terminator);
                self.line(block, at, next, REJECTED, input)?;
                at = next;
            }
        }
        let mut count = 0;
        while at < end && count < input.left {
            let next = line_end(block, at, terminator);
            if !input.quiet {
                self.line(block, at, next, SELECTED, input)?;
            }
            at = next;
            count += 1;
        }
        input.pending = if input.quiet { 0 } else { self.command.after.unwrap_or(0) };
        self.used = true;
        input.left -= count;
        Ok(())
    }

    /// Writes context after a match, up to `limit`.
    pub(super) fn pending(&mut self, block: &[u8], limit: usize, input: &mut Input<'_>) -> Result<(), Failure> {
        let mut at = input.last_out.unwrap_or(0);
        while input.pending > 0 && at < limit {
            let next = line_end(block, at, self.command.source.end);
            // GNU does not pass over a line that is not written, and tries it again.
            if self.line(block, at, next, REJECTED, input)? {
                at = next;
            }
            input.pending = input.pending.saturating_sub(1);
        }
        Ok(())
    }

    pub(super) fn line(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        sign: u8,
        input: &mut Input<'_>,
    ) -> Result<bool, Failure> {
        let only = self.command.only_matching;
        if !only && !self.head(block, start, end - 1, end, sign, input)? {
            return Ok(false);
        }
        let matching = (sign == SELECTED) != self.command.invert;
        if only {
            if matching && !self.parts(block, start, end, input)? {
                return Ok(false);
            }
        } else if let Some((line, matched)) = self.parts_of(sign) {
            self.colored(block, start, end, line, matched.filter(|_| matching), input)?;
        } else {
            self.out.push(block.get(start..end).unwrap_or_default())?;
        }
        if self.command.line_buffered {
            self.out.flush()?;
        }
        input.last_out = Some(end);
        Ok(true)
    }

    /// What lines with this sign are, and what matches in them, where one of them has a colour.
    fn parts_of(&self, sign: u8) -> Option<(Part, Option<Part>)> {
        let colors = self.out.colors.as_ref()?;
        let selected = (sign == SELECTED) != (self.command.invert && colors.reversed);
        let line = if selected { Part::SelectedLine } else { Part::ContextLine };
        let matched = if sign == SELECTED { Part::Match } else { Part::ContextMatch };
        let has_color = |part: Part| !colors.code(part).is_empty();
        (has_color(line) || has_color(matched)).then(|| (line, Some(matched).filter(|part| has_color(*part))))
    }

    /// Writes a line in its colour, and what matches in it in that of matches.
    fn colored(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        whole: Part,
        matched: Option<Part>,
        input: &mut Input<'_>,
    ) -> Result<(), Failure> {
        let line = block.get(start..end - 1).unwrap_or_default();
        let running = self.running;
        let interrupt = || running.check().is_err();
        let searched = Searched::new(line, &interrupt);
        let mut written = 0;
        if let Some(matched) = matched {
            while let Some((from, to)) = self.part_from(&searched, written, input) {
                // GNU does not end the line's colour where that of a match begins.
                self.out.begin(whole)?;
                self.out.push(line.get(written..from).unwrap_or_default())?;
                self.out.colored(matched, line.get(from..to).unwrap_or_default())?;
                written = to;
            }
        }
        // The colour ends before a carriage return at the end.
        let tail = line.strip_suffix(b"\r").unwrap_or(line).get(written..).unwrap_or_default();
        if !tail.is_empty() {
            self.out.colored(whole, tail)?;
            written += tail.len();
        }
        self.out.push(block.get(start + written..end).unwrap_or_default())
    }

    /// The next part of a line that matches and is not empty, from `at` on; what fails there is the input's trouble.
    fn part_from(&self, line: &Searched<'_>, mut at: usize, input: &mut Input<'_>) -> Option<(usize, usize)> {
        while at <= line.text.len() {
            match self.matcher.next_part(line, at) {
                Ok(Some((from, to))) if from == to => at = self.next_character(line.text, from),
                Ok(found) => return found,
                Err(error) => {
                    input.trouble = Some(error);
                    return None;
                }
            }
        }
        None
    }

    /// The place of the character after the one at `at`.
    fn next_character(&self, line: &[u8], at: usize) -> usize {
        let mut next = at + 1;
        while !self.command.source.bytes
            && line.get(next).is_some_and(|byte| hookshell_process::text::is_continuation(*byte))
        {
            next += 1;
        }
        next
    }

    /// Writes the parts of a line that match; `false`: not all of them.
    fn parts(&mut self, block: &[u8], start: usize, end: usize, input: &mut Input<'_>) -> Result<bool, Failure> {
        let line = block.get(start..end - 1).unwrap_or_default();
        let running = self.running;
        let interrupt = || running.check().is_err();
        let searched = Searched::new(line, &interrupt);
        let sign = if self.command.invert { REJECTED } else { SELECTED };
        let part = if self.command.invert { Part::ContextMatch } else { Part::Match };
        let mut at = 0;
        while let Some((from, to)) = self.part_from(&searched, at, input) {
            if !self.head(block, start + from, start + to, end, sign, input)? {
                return Ok(false);
            }
            self.out.colored(part, line.get(from..to).unwrap_or_default())?;
            self.out.byte(self.command.source.end)?;
            at = to;
        }
        Ok(true)
    }

    /// Writes what stands before a line or part; `false`: it has bytes that are not characters, and nothing is written.
    fn head(
        &mut self,
        block: &[u8],
        start: usize,
        to: usize,
        line_after: usize,
        sign: u8,
        input: &mut Input<'_>,
    ) -> Result<bool, Failure> {
        let command = self.command;
        let text = block.get(start..to).unwrap_or_default();
        // Of a part it is not known what it is where the block is characters.
        let fits = |input: &mut Input<'_>| match command.only_matching {
            true => std::str::from_utf8(text).is_ok(),
            false => input.has_characters(block, text),
        };
        if self.judges && !fits(input) {
            input.encoding_error = true;
            return Ok(false);
        }
        if let Some(name) = input.name {
            self.out.colored(Part::Name, name)?;
            if command.null_names {
                self.out.byte(0)?;
            } else {
                self.out.colored(Part::Separator, &[sign])?;
            }
        }
        if command.numbers {
            if input.last_newline < line_after {
                input.count_newlines(block, start, command.source.end);
                input.newlines += 1;
                input.last_newline = line_after;
            }
            self.out.number(Part::LineNumber, input.newlines)?;
            self.out.colored(Part::Separator, &[sign])?;
        }
        if command.offsets {
            self.out.number(Part::Offset, input.bytes_before + start as u64)?;
            self.out.colored(Part::Separator, &[sign])?;
        }
        let fields = input.name.is_some() || command.numbers || command.offsets;
        if command.initial_tab && fields && !text.is_empty() {
            self.out.byte(b'\t')?;
        }
        Ok(true)
    }
}
