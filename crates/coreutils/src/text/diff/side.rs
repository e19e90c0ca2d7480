//! `-y`: both files side by side, as GNU's `side.c` lays them out.

use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;

use super::super::characters;
use super::compare::Change;
use super::text::Text;

/// Between the halves there are at least so many columns.
const GUTTER: usize = 3;

/// How the halves stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) width: usize,
    pub(super) tab: usize,
    pub(super) expand_tabs: bool,
    pub(super) left_column: bool,
    pub(super) suppress_common: bool,
}

impl Side {
    /// The width of a half, and where the second begins.
    fn halves(self) -> (usize, usize) {
        let tab = if self.expand_tabs { 1 } else { self.tab };
        let wide = tab + GUTTER;
        let unaligned = (self.width >> 1) + (wide >> 1) + (self.width & wide & 1);
        let offset = unaligned - unaligned % tab;
        let half = offset.saturating_sub(GUTTER).min(self.width.saturating_sub(offset));
        (half, if half > 0 { offset } else { self.width })
    }
}

pub(super) struct Columns<'p, 'o, 'r, 'c> {
    out: &'o mut Output<'r, 'c>,
    left: &'p Text<'p>,
    right: &'p Text<'p>,
    side: Side,
    half: usize,
    second: usize,
    next: [usize; 2],
}

impl<'p, 'o, 'r, 'c> Columns<'p, 'o, 'r, 'c> {
    pub(super) fn new(out: &'o mut Output<'r, 'c>, left: &'p Text<'p>, right: &'p Text<'p>, side: Side) -> Self {
        let (half, second) = side.halves();
        Self { out, left, right, side, half, second, next: [0, 0] }
    }

    pub(super) fn print(mut self, changes: &[Change]) -> Result<(), Failure> {
        for change in changes.iter().filter(|change| !change.ignored) {
            self.common(change.lines)?;
            let both = change.deleted.min(change.inserted);
            for at in 0..both {
                self.line(Some(change.lines[0] + at), b'|', Some(change.lines[1] + at))?;
            }
            for at in both..change.inserted {
                self.line(None, b'>', Some(change.lines[1] + at))?;
            }
            for at in both..change.deleted {
                self.line(Some(change.lines[0] + at), b'<', None)?;
            }
            self.next = [change.lines[0] + change.deleted, change.lines[1] + change.inserted];
        }
        self.common([self.left.lines.len(), self.right.lines.len()])
    }

    /// The lines up to these.
    fn common(&mut self, limits: [usize; 2]) -> Result<(), Failure> {
        let [mut left, mut right] = std::mem::replace(&mut self.next, limits);
        if self.side.suppress_common {
            return Ok(());
        }
        if !self.side.left_column {
            while left < limits[0] && right < limits[1] {
                self.line(Some(left), b' ', Some(right))?;
                left += 1;
                right += 1;
            }
            while right < limits[1] {
                self.line(None, b')', Some(right))?;
                right += 1;
            }
        }
        while left < limits[0] {
            self.line(Some(left), b'(', None)?;
            left += 1;
        }
        Ok(())
    }

    fn line(&mut self, left: Option<usize>, mut mark: u8, right: Option<usize>) -> Result<(), Failure> {
        let (first, second) = (self.left, self.right);
        let left = left.and_then(|at| first.lines.get(at)).copied();
        let right = right.and_then(|at| second.lines.get(at)).copied();
        let ends = |line: Option<&[u8]>| line.is_some_and(|line| line.ends_with(b"\n"));
        let mut column = 0;
        if let Some(left) = left {
            column = self.half_line(left, 0)?;
        }
        if mark != b' ' {
            let to = (self.half + self.second - 1) / 2;
            self.gap(column, to)?;
            column = column.max(to) + 1;
            if mark == b'|' && ends(left) != ends(right) {
                mark = if ends(left) { b'/' } else { b'\\' };
            }
            self.out.byte(mark)?;
        }
        if let Some(right) = right.filter(|right| !right.starts_with(b"\n")) {
            self.gap(column, self.second)?;
            self.half_line(right, self.second)?;
        }
        if ends(left) || ends(right) {
            self.out.byte(b'\n')?;
        }
        Ok(())
    }

    /// Blanks from one column to another, with tabs unless they are expanded.
    fn gap(&mut self, mut from: usize, to: usize) -> Result<(), Failure> {
        let tab = self.side.tab;
        if !self.side.expand_tabs {
            let mut stop = from + tab - from % tab;
            while stop <= to {
                self.out.byte(b'\t')?;
                from = stop;
                stop += tab;
            }
        }
        self.out.fill(b' ', to.saturating_sub(from))
    }

    /// As much of a line as fits, and the column after it.
    fn half_line(&mut self, line: &[u8], indent: usize) -> Result<usize, Failure> {
        let bound = self.half;
        let (mut read, mut written) = (0_usize, 0_usize);
        for chunk in line.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '\n' => return Ok(written),
                    '\t' => {
                        let spaces = self.side.tab - read % self.side.tab;
                        if read == written {
                            let stop = written + spaces;
                            if self.side.expand_tabs {
                                let stop = stop.min(bound);
                                self.out.fill(b' ', stop.saturating_sub(written))?;
                                written = written.max(stop);
                            } else if stop < bound {
                                written = stop;
                                self.out.byte(b'\t')?;
                            }
                        }
                        read += spaces;
                    }
                    '\r' => {
                        self.out.byte(b'\r')?;
                        self.gap(0, indent)?;
                        (read, written) = (0, 0);
                    }
                    '\u{8}' => {
                        if read != 0 {
                            read -= 1;
                            if read < bound {
                                if written <= read {
                                    self.out.fill(b' ', read - written)?;
                                    written = read;
                                } else {
                                    written = read;
                                    self.out.byte(8)?;
                                }
                            }
                        }
                    }
                    _ => {
                        let width = if character.is_ascii() {
                            usize::from(!character.is_ascii_control())
                        } else {
                            characters::width(u32::from(character))
                        };
                        let mut buffer = [0; 4];
                        let bytes = character.encode_utf8(&mut buffer).as_bytes();
                        if width == 0 {
                            if read < bound {
                                self.out.push(bytes)?;
                            }
                        } else {
                            read += width;
                            if read <= bound {
                                written = read;
                                self.out.push(bytes)?;
                            }
                        }
                    }
                }
            }
            for byte in chunk.invalid() {
                if read < bound {
                    self.out.byte(*byte)?;
                }
            }
        }
        Ok(written)
    }
}
