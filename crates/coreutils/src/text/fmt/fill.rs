//! Paragraphs are read, their lines' ends chosen, and written.

use hookshell_utility::input::Input;
use hookshell_utility::io::Failure;
use hookshell_utility::output::Output;

use super::Command;

/// A paragraph is written in parts from so many words on, as GNU's is.
const MAX_WORDS: usize = 1000;

/// And from so many bytes on.
pub(super) const MAX_BYTES: usize = 5000;

/// GNU's costs are squares: of lines that are too short or of unlike lengths, and of breaks at bad places.
const LINE: i64 = 70 * 70;

const SENTENCE_BONUS: i64 = 50 * 50;

const NO_BREAK: i64 = 600 * 600;

const PARENTHESIS_BONUS: i64 = 40 * 40;

const PUNCTUATION_BONUS: i64 = 40 * 40;

const LINE_CREDIT: i64 = 3 * 3;

const TAB: usize = 8;

/// A word of the paragraph.
#[derive(Debug, Clone, Default)]
struct Word {
    text: Vec<u8>,
    /// The blanks after it.
    space: usize,
    /// It begins with an opening mark.
    opens: bool,
    /// It ends a sentence, but for closing marks.
    period: bool,
    /// It ends in punctuation.
    punctuated: bool,
    /// It ends a sentence, or the paragraph.
    last: bool,
    /// Of the best line that begins here.
    line_length: usize,
    cost: i64,
    next: usize,
}

impl Word {
    /// What its marks say. C's `strchr` finds a NUL byte among any of them.
    fn judge(&mut self) {
        let Some((first, last)) = self.text.first().zip(self.text.last()) else { return };
        self.opens = b"(['`\"\0".contains(first);
        self.punctuated = last.is_ascii_punctuation();
        let closing = self.text.iter().skip(1).rev().take_while(|byte| b")]'\"\0".contains(byte)).count();
        let end = self.text.len() - 1 - closing;
        self.period = self.text.get(end).is_some_and(|byte| b".?!\0".contains(byte));
    }

    fn len(&self) -> usize {
        self.text.len()
    }
}

/// An input that is filled.
pub(super) struct Filler<'f, 'r, 'c> {
    command: &'f Command<'f>,
    pub(super) input: Input,
    out: &'f mut Output<'r, 'c>,
    /// There was a tab: blanks are written as tabs as far as they go.
    tabs: bool,
    in_column: usize,
    out_column: usize,
    /// What was read last; `None` at the end.
    next: Option<u8>,
    /// The blanks before the prefix of this line.
    next_indent: usize,
    /// Of the paragraph's first line.
    prefix_indent: usize,
    first_indent: usize,
    other_indent: usize,
    last_length: usize,
    words: Vec<Word>,
    /// The word that is being read.
    word: Word,
    bytes: usize,
}

impl<'f, 'r, 'c> Filler<'f, 'r, 'c> {
    pub(super) fn new(command: &'f Command<'f>, input: Input, out: &'f mut Output<'r, 'c>) -> Self {
        Self {
            command,
            input,
            out,
            tabs: false,
            in_column: 0,
            out_column: 0,
            next: None,
            next_indent: 0,
            prefix_indent: 0,
            first_indent: 0,
            other_indent: 0,
            last_length: 0,
            words: Vec::new(),
            word: Word::default(),
            bytes: 0,
        }
    }

    pub(super) fn all(&mut self) -> Result<(), Failure> {
        self.prefix()?;
        while self.paragraph()? {
            self.choose();
            let end = self.words.len();
            self.write(end)?;
        }
        Ok(())
    }

    fn read(&mut self) -> Result<(), Failure> {
        self.next = self.input.block(self.out.running())?.first().copied();
        self.input.consume(1);
        Ok(())
    }

    /// Passes over blanks.
    fn blanks(&mut self) -> Result<(), Failure> {
        loop {
            match self.next {
                Some(b' ') => self.in_column += 1,
                Some(b'\t') => {
                    self.tabs = true;
                    self.in_column = (self.in_column / TAB + 1) * TAB;
                }
                _ => return Ok(()),
            }
            self.read()?;
        }
    }

    /// Reads a line's beginning: blanks, the prefix, blanks.
    fn prefix(&mut self) -> Result<(), Failure> {
        self.in_column = 0;
        self.read()?;
        self.blanks()?;
        if self.command.prefix.is_empty() {
            self.next_indent = self.command.lead.min(self.in_column);
            return Ok(());
        }
        self.next_indent = self.in_column;
        for byte in self.command.prefix {
            if self.next != Some(*byte) {
                return Ok(());
            }
            self.in_column += 1;
            self.read()?;
        }
        self.blanks()
    }

    /// Reads a paragraph and writes what stands before it; `false` at the end.
    fn paragraph(&mut self) -> Result<bool, Failure> {
        self.last_length = 0;
        while matches!(self.next, None | Some(b'\n'))
            || self.next_indent < self.command.lead
            || self.in_column < self.next_indent + self.command.full_prefix
        {
            self.copy_rest()?;
            if self.next.is_none() {
                return Ok(false);
            }
            self.out.byte(b'\n')?;
            self.prefix()?;
        }
        self.prefix_indent = self.next_indent;
        self.first_indent = self.in_column;
        self.words.clear();
        self.bytes = 0;
        self.line()?;
        let continues = self.continues();
        self.set_other_indent(continues);
        let more = !self.command.split_only
            && continues
            && match (self.command.crown, self.command.tagged) {
                (true, _) => true,
                (_, true) => self.in_column != self.first_indent,
                _ => self.in_column == self.other_indent,
            };
        if more {
            self.line()?;
            while self.continues() && self.in_column == self.other_indent {
                self.line()?;
            }
        }
        if let Some(word) = self.words.last_mut() {
            word.period = true;
            word.last = true;
        }
        Ok(true)
    }

    /// Is the line that begins here of the same paragraph?
    fn continues(&self) -> bool {
        self.next_indent == self.prefix_indent
            && self.in_column >= self.next_indent + self.command.full_prefix
            && !matches!(self.next, None | Some(b'\n'))
    }

    fn set_other_indent(&mut self, continues: bool) {
        if self.command.split_only {
            self.other_indent = self.first_indent;
        } else if self.command.crown {
            self.other_indent = if continues { self.in_column } else { self.first_indent };
        } else if self.command.tagged {
            if continues && self.in_column != self.first_indent {
                self.other_indent = self.in_column;
            } else if self.other_indent == self.first_indent {
                self.other_indent = if self.first_indent == 0 { 3 } else { 0 };
            }
        } else {
            self.other_indent = self.first_indent;
        }
    }

    /// Copies a line that is not filled, without its newline.
    fn copy_rest(&mut self) -> Result<(), Failure> {
        self.out_column = 0;
        let ends = matches!(self.next, None | Some(b'\n'));
        if self.in_column > self.next_indent || !ends {
            self.space(self.next_indent)?;
            for byte in self.command.prefix {
                if self.out_column == self.in_column {
                    break;
                }
                self.out.byte(*byte)?;
                self.out_column += 1;
            }
            if !ends {
                self.space(self.in_column.saturating_sub(self.out_column))?;
            }
            if self.next.is_none() && self.in_column >= self.next_indent + self.command.prefix.len() {
                self.out.byte(b'\n')?;
            }
        }
        while let Some(byte) = self.next
            && byte != b'\n'
        {
            self.out.byte(byte)?;
            self.read()?;
        }
        Ok(())
    }

    /// Reads the rest of a line, and the beginning of the next one.
    fn line(&mut self) -> Result<(), Failure> {
        loop {
            self.word = Word::default();
            while let Some(byte) = self.next {
                if self.bytes == MAX_BYTES {
                    self.set_other_indent(true);
                    self.write_part()?;
                }
                self.word.text.push(byte);
                self.bytes += 1;
                self.read()?;
                if matches!(self.next, Some(b' ' | 0x09..=0x0d)) {
                    break;
                }
            }
            self.in_column += self.word.len();
            self.word.judge();
            let start = self.in_column;
            self.blanks()?;
            let ends = matches!(self.next, None | Some(b'\n'));
            let space = self.in_column - start;
            self.word.last = self.next.is_none() || self.word.period && (ends || space > 1);
            self.word.space = match ends || self.command.uniform {
                true => 1 + usize::from(self.word.last),
                false => space,
            };
            if self.words.len() == MAX_WORDS - 2 {
                self.set_other_indent(true);
                self.write_part()?;
            }
            self.words.push(std::mem::take(&mut self.word));
            if ends {
                return self.prefix();
            }
        }
    }

    /// Writes the beginning of a paragraph that is too long to be held, up to a line's end that costs little.
    fn write_part(&mut self) -> Result<(), Failure> {
        if self.words.is_empty() {
            self.out.push(&self.word.text)?;
            self.word.text.clear();
            self.bytes = 0;
            return Ok(());
        }
        self.choose();
        let end = self.words.len();
        let (mut split, mut best) = (end, i64::MAX);
        let of = |words: &[Word], at: usize| words.get(at).map_or((0, end), |word| (word.cost, word.next));
        let mut at = of(&self.words, 0).1;
        while at < end {
            let (cost, next) = of(&self.words, at);
            let line = cost - of(&self.words, next).0;
            if line < best {
                (split, best) = (at, line);
            }
            best = best.saturating_add(LINE_CREDIT);
            at = next;
        }
        self.write(split)?;
        self.words.drain(..split);
        self.bytes = self.words.iter().map(Word::len).sum::<usize>() + self.word.len();
        Ok(())
    }

    /// Chooses the lines' ends, from the last word back.
    fn choose(&mut self) {
        let end = self.words.len();
        let signed = |number: usize| i64::try_from(number).unwrap_or(i64::MAX / 4096);
        let ragged = |a: usize, b: usize| {
            let off = (signed(a) - signed(b)) * 10;
            off * off / 2
        };
        for start in (0..end).rev() {
            let mut best = (i64::MAX, end, 0);
            let mut length = if start == 0 { self.first_indent } else { self.other_indent };
            length += self.words.get(start).map_or(0, Word::len);
            let mut at = start;
            loop {
                at += 1;
                let mut cost = match self.words.get(at) {
                    None => 0,
                    Some(next) => {
                        let short = (signed(self.command.goal) - signed(length)) * 10;
                        let unlike = if next.next == end { 0 } else { ragged(length, next.line_length) };
                        short * short + unlike + next.cost
                    }
                };
                if start == 0 && self.last_length > 0 {
                    cost += ragged(length, self.last_length);
                }
                if cost < best.0 {
                    best = (cost, at, length);
                }
                let (Some(before), Some(word)) = (self.words.get(at - 1), self.words.get(at)) else { break };
                length += before.space + word.len();
                if length >= self.command.width {
                    break;
                }
            }
            let base = self.base_cost(start);
            if let Some(word) = self.words.get_mut(start) {
                (word.cost, word.next, word.line_length) = (best.0 + base, best.1, best.2);
            }
        }
    }

    /// What it costs that a line begins with this word.
    fn base_cost(&self, at: usize) -> i64 {
        let shared = |square: i64, word: &Word| square / (i64::try_from(word.len()).unwrap_or(i64::MAX - 2) + 2);
        let mut cost = LINE;
        let before = |back: usize| at.checked_sub(back).and_then(|at| self.words.get(at));
        if let Some(previous) = before(1) {
            if previous.period {
                cost += if previous.last { -SENTENCE_BONUS } else { NO_BREAK };
            } else if previous.punctuated {
                cost -= PUNCTUATION_BONUS;
            } else if before(2).is_some_and(|word| word.last) {
                cost += shared(200 * 200, previous);
            }
        }
        if let Some(word) = self.words.get(at) {
            if word.opens {
                cost -= PARENTHESIS_BONUS;
            } else if word.last {
                cost += shared(150 * 150, word);
            }
        }
        cost
    }

    /// Writes the lines before the word `end`.
    fn write(&mut self, end: usize) -> Result<(), Failure> {
        let mut at = 0;
        while at < end {
            let Some(next) = self.words.get(at).map(|word| word.next) else { break };
            let indent = if at == 0 { self.first_indent } else { self.other_indent };
            self.out_column = 0;
            self.space(self.prefix_indent)?;
            self.out.push(self.command.prefix)?;
            self.out_column += self.command.prefix.len();
            self.space(indent.saturating_sub(self.out_column))?;
            for number in at..next {
                let Some(word) = self.words.get(number) else { break };
                self.out.push(&word.text)?;
                self.out_column += word.len();
                let space = word.space;
                if number + 1 < next {
                    self.space(space)?;
                }
            }
            self.last_length = self.out_column;
            self.out.byte(b'\n')?;
            at = next;
        }
        Ok(())
    }

    fn space(&mut self, count: usize) -> Result<(), Failure> {
        let target = self.out_column + count;
        if self.tabs {
            let stop = target / TAB * TAB;
            if self.out_column + 1 < stop {
                while self.out_column < stop {
                    self.out.byte(b'\t')?;
                    self.out_column = (self.out_column / TAB + 1) * TAB;
                }
            }
        }
        while self.out_column < target {
            self.out.byte(b' ')?;
            self.out_column += 1;
        }
        Ok(())
    }
}
