//! The output forms.

use super::compare::Change;
use hookshell_regex::{Regex, Subject};
use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;

use super::text::Text;

/// How differences are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Normal,
    /// With this many lines of context.
    Unified(usize),
    Context(usize),
    /// Only whether there are any.
    Brief,
    /// A script for `ed`.
    Ed,
    /// One for RCS.
    Rcs,
    SideBySide,
    /// Both files by formats.
    Formats,
}

/// The two files and what is written about them.
pub(super) struct Printer<'p, 'o, 'r, 'c> {
    pub(super) out: &'o mut Output<'r, 'c>,
    pub(super) left: &'p Text<'p>,
    pub(super) right: &'p Text<'p>,
    /// `-t`: as far apart as tabs stand.
    pub(super) expand_tabs: Option<usize>,
    /// `-T`: a tab between the mark and the line.
    pub(super) initial_tab: bool,
    /// Of lines that name what follows them.
    pub(super) heading: Option<&'p Regex>,
    pub(super) colors: bool,
    /// Of an empty line there is the mark alone.
    pub(super) suppress_empty: bool,
}

/// The colours of headers, places, and lines that are gone or new; and their end.
pub(super) const BOLD: &[u8] = b"\x1b[1m";
const PLACE: &[u8] = b"\x1b[36m";
const GONE: &[u8] = b"\x1b[31m";
const NEW: &[u8] = b"\x1b[32m";
pub(super) const RESET: &[u8] = b"\x1b[0m";

/// Changes that are shown together, and the lines from the first to the last, both within; of an empty range the end is
/// one less than the start.
struct Hunk<'h> {
    changes: &'h [Change],
    first: [usize; 2],
    /// After the last line.
    end: [usize; 2],
}

impl Printer<'_, '_, '_, '_> {
    fn color(&mut self, code: &[u8]) -> Result<(), Failure> {
        if self.colors { self.out.push(code) } else { Ok(()) }
    }

    fn line(&mut self, mark: &[u8], line: &[u8]) -> Result<(), Failure> {
        let code = match mark {
            b"<" | b"< " | b"-" => GONE,
            b">" | b"> " | b"+" => NEW,
            _ => b"",
        };
        if !self.colors || code.is_empty() {
            self.marked(mark, line)?;
        } else {
            self.out.push(code)?;
            self.marked(mark, line.strip_suffix(b"\n").unwrap_or(line))?;
            self.out.push(RESET)?;
            if line.last() == Some(&b'\n') {
                self.out.byte(b'\n')?;
            }
        }
        if line.last() != Some(&b'\n') {
            self.out.push(b"\n\\ No newline at end of file\n")?;
        }
        Ok(())
    }

    fn marked(&mut self, mark: &[u8], line: &[u8]) -> Result<(), Failure> {
        match mark {
            mark if self.suppress_empty && line == b"\n" => self.out.push(mark.trim_ascii_end())?,
            b" " if self.initial_tab => self.out.byte(b'\t')?,
            [first, ..] if self.initial_tab => self.out.push(&[*first, b'\t'])?,
            mark => self.out.push(mark)?,
        }
        self.text_after(mark, line)
    }

    /// A line without a mark.
    pub(super) fn text(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.text_after(b"", line)
    }

    fn text_after(&mut self, mark: &[u8], line: &[u8]) -> Result<(), Failure> {
        let Some(tab) = self.expand_tabs else { return self.out.push(line) };
        let mut column = 0;
        for (at, &byte) in line.iter().enumerate() {
            match byte {
                b'\t' => {
                    let spaces = tab - column % tab;
                    self.out.fill(b' ', spaces)?;
                    column += spaces;
                }
                b'\r' => {
                    self.out.byte(byte)?;
                    // The mark again, unless the line ends.
                    if mark.len() == 2 && !matches!(line.get(at + 1), None | Some(b'\n')) {
                        let between = if self.initial_tab { b'\t' } else { b' ' };
                        self.out.push(&[mark.first().copied().unwrap_or(b' '), between])?;
                    }
                    column = 0;
                }
                8 if column == 0 => {}
                8 => {
                    column -= 1;
                    self.out.byte(byte)?;
                }
                byte => {
                    column += usize::from(matches!(byte, b' '..=b'~'));
                    self.out.byte(byte)?;
                }
            }
        }
        Ok(())
    }

    /// ` HEADING`: the last line of the left file before `line` that the expression finds.
    fn write_heading(&mut self, line: usize) -> Result<(), Failure> {
        let (left, Some(regex)) = (self.left, self.heading) else { return Ok(()) };
        let is_heading = |text: &&&[u8]| {
            let text = text.strip_suffix(b"\n").unwrap_or(text);
            regex.is_match(&Subject::new(text)).unwrap_or(false)
        };
        if let Some(found) = left.lines.get(..line).unwrap_or_default().iter().rev().find(is_heading) {
            let text = found.strip_suffix(b"\n").unwrap_or(found).trim_ascii_start();
            let text = text.get(..40).unwrap_or(text).trim_ascii_end();
            self.out.byte(b' ')?;
            self.out.push(text)?;
        }
        Ok(())
    }

    /// `A`, or `A,B` where there are more lines.
    pub(super) fn range(&mut self, start: usize, count: usize) -> Result<(), Failure> {
        if count > 1 {
            self.out.text(format_args!("{},{}", start + 1, start + count))
        } else {
            self.out.text(format_args!("{}", start + count))
        }
    }

    pub(super) fn normal(&mut self, changes: &[Change]) -> Result<(), Failure> {
        let (left, right) = (self.left, self.right);
        for change in changes.iter().filter(|change| !change.ignored) {
            self.color(PLACE)?;
            self.range(change.lines[0], change.deleted)?;
            self.out.byte(match (change.deleted, change.inserted) {
                (0, _) => b'a',
                (_, 0) => b'd',
                _ => b'c',
            })?;
            self.range(change.lines[1], change.inserted)?;
            self.color(RESET)?;
            self.out.byte(b'\n')?;
            for line in left.lines.iter().skip(change.lines[0]).take(change.deleted) {
                self.line(b"< ", line)?;
            }
            if change.deleted > 0 && change.inserted > 0 {
                self.out.push(b"---\n")?;
            }
            for line in right.lines.iter().skip(change.lines[1]).take(change.inserted) {
                self.line(b"> ", line)?;
            }
        }
        Ok(())
    }

    /// Changes with so little between them that their contexts meet; those that are ignored alone are left out.
    fn hunks<'h>(&self, changes: &'h [Change], context: usize) -> Vec<Hunk<'h>> {
        let mut hunks = Vec::new();
        let mut rest = changes;
        while !rest.is_empty() {
            let mut count = 1;
            while let (Some(previous), Some(next)) = (rest.get(count - 1), rest.get(count)) {
                let threshold = if next.ignored { context } else { 2 * context + 1 };
                if next.lines[0] >= previous.lines[0] + previous.deleted + threshold {
                    break;
                }
                count += 1;
            }
            let (changes, after) = rest.split_at(count);
            rest = after;
            let (Some(first), Some(last)) = (changes.first(), changes.last()) else { break };
            if changes.iter().all(|change| change.ignored) {
                continue;
            }
            let limits = [self.left.lines.len(), self.right.lines.len()];
            let ends = [last.lines[0] + last.deleted, last.lines[1] + last.inserted];
            hunks.push(Hunk {
                changes,
                first: first.lines.map(|line| line.saturating_sub(context)),
                end: [(ends[0] + context).min(limits[0]), (ends[1] + context).min(limits[1])],
            });
        }
        hunks
    }

    pub(super) fn unified(&mut self, changes: &[Change], context: usize) -> Result<(), Failure> {
        let (left, right) = (self.left, self.right);
        for hunk in self.hunks(changes, context) {
            self.color(PLACE)?;
            self.out.push(b"@@ -")?;
            self.unified_range(hunk.first[0], hunk.end[0])?;
            self.out.push(b" +")?;
            self.unified_range(hunk.first[1], hunk.end[1])?;
            self.out.push(b" @@")?;
            self.color(RESET)?;
            self.write_heading(hunk.first[0])?;
            self.out.byte(b'\n')?;
            let mut at = hunk.first[0];
            for change in hunk.changes {
                for line in left.lines.iter().take(change.lines[0]).skip(at) {
                    self.line(b" ", line)?;
                }
                at = change.lines[0] + change.deleted;
                for line in left.lines.iter().take(at).skip(change.lines[0]) {
                    self.line(b"-", line)?;
                }
                for line in right.lines.iter().skip(change.lines[1]).take(change.inserted) {
                    self.line(b"+", line)?;
                }
            }
            for line in left.lines.iter().take(hunk.end[0]).skip(at) {
                self.line(b" ", line)?;
            }
        }
        Ok(())
    }

    fn unified_range(&mut self, first: usize, end: usize) -> Result<(), Failure> {
        match end - first {
            0 => self.out.text(format_args!("{first},0")),
            1 => self.out.text(format_args!("{end}")),
            count => self.out.text(format_args!("{},{count}", first + 1)),
        }
    }

    pub(super) fn context(&mut self, changes: &[Change], context: usize) -> Result<(), Failure> {
        let texts = [self.left, self.right];
        for hunk in self.hunks(changes, context) {
            self.out.push(b"***************")?;
            self.write_heading(hunk.first[0])?;
            self.out.byte(b'\n')?;
            let has = [
                hunk.changes.iter().any(|change| change.deleted > 0),
                hunk.changes.iter().any(|change| change.inserted > 0),
            ];
            let marks: [(&[u8], &[u8], &[u8]); 2] = [(b"*** ", b" ****\n", b"- "), (b"--- ", b" ----\n", b"+ ")];
            for (side, (before, after, own)) in marks.into_iter().enumerate() {
                let pick = |pair: [usize; 2]| pair.get(side).copied().unwrap_or(0);
                let (first, end) = (pick(hunk.first), pick(hunk.end));
                self.out.push(before)?;
                if end > first + 1 {
                    self.out.text(format_args!("{},{end}", first + 1))?;
                } else {
                    self.out.text(format_args!("{end}"))?;
                }
                self.out.push(after)?;
                if has.get(side) != Some(&true) {
                    continue;
                }
                let Some(text) = texts.get(side) else { continue };
                let mut changes = hunk.changes.iter().peekable();
                for (at, line) in text.lines.iter().enumerate().take(end).skip(first) {
                    let count = |change: &Change| pick([change.deleted, change.inserted]);
                    while changes.peek().is_some_and(|change| pick(change.lines) + count(change) <= at) {
                        changes.next();
                    }
                    let mark = match changes.peek() {
                        Some(change) if pick(change.lines) <= at => {
                            if change.deleted > 0 && change.inserted > 0 {
                                b"! "
                            } else {
                                own
                            }
                        }
                        _ => b"  ",
                    };
                    self.line(mark, line)?;
                }
            }
        }
        Ok(())
    }
}
