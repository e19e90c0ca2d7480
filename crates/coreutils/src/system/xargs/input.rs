//! The items of the input, by the rules of `xargs` (XCU `xargs`, and findutils' `read_line` and `read_string`).

use hookshell_utility::io::{BUFFER, Failure, Running, Source};

/// What stands between items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// Blanks and newlines, with quotes and backslashes.
    Blanks,
    /// This byte, and every other byte means itself.
    Byte(u8),
}

/// One item.
pub(super) struct Item<'i> {
    /// Missing where a line ended without one.
    pub(super) text: Option<&'i [u8]>,
    /// The line that `-L` counts ends here.
    pub(super) ends_line: bool,
}

/// Why the input cannot be read further.
pub(super) enum Bad {
    Failure(Failure),
    /// A quote that the line does not close.
    Quote(u8),
    /// More than fits into a command.
    TooLong,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Space,
    Normal,
    Quote(u8),
    Backslash,
}

/// Reads items.
pub(super) struct Input<'a> {
    running: &'a Running<'a>,
    source: Source,
    buffer: Vec<u8>,
    position: usize,
    length: usize,
    item: Vec<u8>,
    /// The end of the file, or of what is read of it.
    is_over: bool,
    /// The last byte that was read, for `-L`: a blank joins lines.
    previous: Option<u8>,
    /// Nothing of this line has been an item yet.
    is_first: bool,
    /// A quoted item that may be empty stands in this line.
    has_item: bool,
    warned: bool,
}

impl<'a> Input<'a> {
    pub(super) fn new(running: &'a Running<'a>, source: Source) -> Self {
        Self {
            running,
            source,
            buffer: vec![0; BUFFER],
            position: 0,
            length: 0,
            item: Vec::new(),
            is_over: false,
            previous: None,
            is_first: true,
            has_item: false,
            warned: false,
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, Bad> {
        if self.position == self.length {
            self.position = 0;
            self.length = match self.running.read(&self.source, &mut self.buffer) {
                Ok(Ok(length)) => length,
                // As at the end: the real one looks for no error either.
                Ok(Err(_)) => 0,
                Err(stopped) => return Err(Bad::Failure(stopped.into())),
            };
            if self.length == 0 {
                return Ok(None);
            }
        }
        let byte = self.buffer.get(self.position).copied();
        self.position += 1;
        Ok(byte)
    }

    /// The next item, of at most `longest` bytes; `None` at the end. `whole_lines`: blanks within a line are part of the item.
    pub(super) fn next(
        &mut self,
        separator: Separator,
        end: Option<&[u8]>,
        whole_lines: bool,
        longest: usize,
    ) -> Result<Option<Item<'_>>, Bad> {
        if self.is_over {
            return Ok(None);
        }
        self.item.clear();
        match separator {
            Separator::Blanks => self.blank_separated(end, whole_lines, longest),
            Separator::Byte(delimiter) => self.delimited(delimiter, longest),
        }
    }

    fn delimited(&mut self, delimiter: u8, longest: usize) -> Result<Option<Item<'_>>, Bad> {
        loop {
            match self.byte()? {
                None => {
                    self.is_over = true;
                    if self.item.is_empty() {
                        return Ok(None);
                    }
                    return Ok(Some(self.item(false)));
                }
                Some(byte) if byte == delimiter => return Ok(Some(self.item(true))),
                Some(byte) => self.push(byte, longest)?,
            }
        }
    }

    fn push(&mut self, byte: u8, longest: usize) -> Result<(), Bad> {
        if self.item.len() >= longest {
            return Err(Bad::TooLong);
        }
        self.item.push(byte);
        Ok(())
    }

    /// What was read, as the system's strings hold it: up to a NUL.
    fn item(&self, ends_line: bool) -> Item<'_> {
        let end = memchr::memchr(0, &self.item).unwrap_or(self.item.len());
        Item { text: self.item.get(..end), ends_line }
    }

    fn is_end(&self, end: Option<&[u8]>) -> bool {
        end.is_some_and(|end| self.item(false).text == Some(end))
    }

    fn blank_separated(
        &mut self,
        end: Option<&[u8]>,
        whole_lines: bool,
        longest: usize,
    ) -> Result<Option<Item<'_>>, Bad> {
        let mut state = State::Space;
        loop {
            let before = self.previous;
            let next = self.byte()?;
            self.previous = next;
            let Some(byte) = next else {
                self.is_over = true;
                if self.item.is_empty() {
                    return Ok(None);
                }
                if let State::Quote(quote) = state {
                    return Err(Bad::Quote(quote));
                }
                if self.is_first && self.is_end(end) {
                    return Ok(None);
                }
                return Ok(Some(self.item(false)));
            };
            match state {
                State::Space if is_space(byte) || is_skipped(byte) => continue,
                State::Space | State::Normal => {
                    state = State::Normal;
                    if byte == b'\n' {
                        let ends_line = !matches!(before, Some(b' ' | b'\t'));
                        if self.item.is_empty() && !self.has_item {
                            // A blank line.
                            state = State::Space;
                            continue;
                        }
                        let was_first = std::mem::replace(&mut self.is_first, true);
                        self.has_item = false;
                        if self.is_end(end) {
                            self.is_over = true;
                            if was_first {
                                return Ok(None);
                            }
                            return Ok(Some(Item { text: None, ends_line }));
                        }
                        return Ok(Some(self.item(ends_line)));
                    }
                    if !whole_lines && is_space(byte) {
                        if self.is_end(end) {
                            self.is_over = true;
                            if self.is_first {
                                return Ok(None);
                            }
                            return Ok(Some(Item { text: None, ends_line: false }));
                        }
                        self.is_first = false;
                        return Ok(Some(self.item(false)));
                    }
                    match byte {
                        b'\\' => {
                            state = State::Backslash;
                            continue;
                        }
                        b'\'' | b'"' => {
                            state = State::Quote(byte);
                            self.has_item = true;
                            continue;
                        }
                        _ => {}
                    }
                }
                State::Quote(quote) => {
                    if byte == b'\n' {
                        return Err(Bad::Quote(quote));
                    }
                    if byte == quote {
                        state = State::Normal;
                        continue;
                    }
                }
                State::Backslash => state = State::Normal,
            }
            if byte == 0 && !self.warned {
                self.warned = true;
                let text = b"WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?";
                self.running.message(text).map_err(|stopped| Bad::Failure(stopped.into()))?;
            }
            self.push(byte, longest)?;
        }
    }
}

/// What stands before an item and is not part of it, though it separates none.
fn is_skipped(byte: u8) -> bool {
    matches!(byte, b'\r' | 0x0b | 0x0c)
}

/// What separates items.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}
