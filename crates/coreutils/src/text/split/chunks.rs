//! `split -n`: a number of pieces.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, PER_LINE, Running};
use hookshell_utility::output::Output;

use super::pieces::{Piece, Pieces, Reported};

/// How a number of pieces is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Of the same number of bytes.
    Bytes,
    /// The same, and a line is where its first byte is.
    Lines,
    /// A line for each in turn.
    InTurn,
}

/// `-n [l/|r/][K/]N`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunks {
    way: Way,
    /// The piece that is written to standard output, and no other.
    pub(super) only: Option<u64>,
    pub(super) count: u64,
}

/// Reads the value of `-n`.
pub(super) fn parse_chunks(text: &[u8]) -> Option<Chunks> {
    let (way, rest) = match text {
        [b'l', b'/', rest @ ..] => (Way::Lines, rest),
        [b'r', b'/', rest @ ..] => (Way::InTurn, rest),
        _ => (Way::Bytes, text),
    };
    let number = |text: &[u8]| -> Option<u64> {
        let digits = !text.is_empty() && text.len() < 8 && text.iter().all(u8::is_ascii_digit);
        std::str::from_utf8(text).ok().filter(|_| digits)?.parse().ok().filter(|number| *number > 0)
    };
    let mut parts = rest.splitn(2, |byte| *byte == b'/');
    let first = number(parts.next()?)?;
    match parts.next() {
        None => Some(Chunks { way, only: None, count: first }),
        Some(count) => {
            number(count).filter(|count| first <= *count).map(|count| Chunks { way, only: Some(first), count })
        }
    }
}

impl Chunks {
    /// Makes the pieces. But for lines in turn the whole input is held, as its length must be known.
    pub(super) fn split(
        self,
        running: &Running<'_>,
        input: &mut Input,
        pieces: &mut Pieces<'_, '_, '_>,
    ) -> Result<Result<(), Reported>, Failure> {
        if self.way == Way::InTurn {
            return self.in_turn(running, input, pieces);
        }
        let mut data = Vec::new();
        let mut kept = running.keep();
        loop {
            let block = input.block(running)?;
            if block.is_empty() {
                break;
            }
            data.extend_from_slice(block);
            kept.set(data.capacity())?;
            let used = block.len();
            input.consume(used);
        }
        let mut out = Output::new(running);
        let mut start = 0;
        for number in 1..=self.count {
            running.check()?;
            let end = match self.way {
                _ if number == self.count => data.len(),
                Way::Bytes => self.end(number, data.len()).min(data.len()),
                // Up to the end of the line that holds the last byte.
                _ => {
                    let last = self.end(number, data.len());
                    if last <= start {
                        start
                    } else {
                        let from = last.saturating_sub(1).min(data.len());
                        let tail = data.get(from..).unwrap_or_default();
                        memchr::memchr(pieces.names.command.separator, tail).map_or(data.len(), |at| from + at + 1)
                    }
                }
            };
            let piece = data.get(start..end).unwrap_or_default();
            start = end.max(start);
            match self.only {
                Some(only) if only == number => {
                    out.push(piece)?;
                    break;
                }
                Some(_) => {}
                None => {
                    if let Err(told) = pieces.write(piece, true)? {
                        return Ok(Err(told));
                    }
                }
            }
        }
        out.flush()?;
        Ok(Ok(()))
    }

    /// Where a piece that is not the last would end by its bytes.
    fn end(self, number: u64, length: usize) -> usize {
        let size = (length as u64 / self.count).max(1);
        usize::try_from(size.saturating_mul(number)).unwrap_or(usize::MAX)
    }

    fn in_turn(
        self,
        running: &Running<'_>,
        input: &mut Input,
        pieces: &mut Pieces<'_, '_, '_>,
    ) -> Result<Result<(), Reported>, Failure> {
        let separator = pieces.names.command.separator;
        if let Some(only) = self.only {
            let mut out = Output::new(running);
            let mut number = 0;
            while let Some(line) = input.line(running, separator)? {
                number = number % self.count + 1;
                if number == only {
                    out.push(line)?;
                }
            }
            out.flush()?;
            return Ok(Ok(()));
        }
        let mut kept = running.keep();
        // What a piece holds back before it is written stands in memory.
        kept.set(
            usize::try_from(self.count).unwrap_or(usize::MAX).saturating_mul(hookshell_utility::io::BUFFER + PER_LINE),
        )?;
        let mut open: Vec<Piece<'_, '_>> = Vec::new();
        let mut at = 0;
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        while let Some(line) = input.line(running, separator)? {
            if at == open.len() {
                match pieces.next()? {
                    Ok(piece) => open.push(piece),
                    Err(told) => return Ok(Err(told)),
                }
            }
            if let Some(piece) = open.get_mut(at) {
                piece.push(line)?;
            }
            at = (at + 1) % count;
        }
        while open.len() < count && !pieces.names.command.elides {
            match pieces.next()? {
                Ok(piece) => open.push(piece),
                Err(told) => return Ok(Err(told)),
            }
        }
        for piece in open {
            if let Err(told) = piece.finish(pieces.names.command.filter.unwrap_or_default())? {
                return Ok(Err(told));
            }
        }
        Ok(Ok(()))
    }
}
