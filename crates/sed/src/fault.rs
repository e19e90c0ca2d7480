//! What is wrong with a script, and where.

use std::borrow::Cow;

use hookshell_utility::Unsupported;

use super::program::{Piece, Source};

/// Why a script is not run.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The real sed may know it.
    Unsupported(Unsupported),
    /// Nor would the real sed: its message, and its status.
    Mistake(Vec<u8>, u8),
}

impl From<Unsupported> for Fault {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}

impl Fault {
    /// Wrong in a way that has no place in the script.
    pub(crate) fn fatal(message: impl Into<Vec<u8>>) -> Self {
        Self::Mistake(message.into(), 4)
    }
}

/// What a message about a place says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Up to here the script was read.
    At(usize),
    /// The piece where this stands, and no character.
    Piece(usize),
    /// The whole script was read.
    End,
}

impl Source {
    /// `-e expression #1, char 3: ` or `file F line 2: `, and what is wrong.
    pub(crate) fn message(&self, place: Place, what: &str) -> Vec<u8> {
        let at = match place {
            Place::At(at) => at,
            Place::Piece(at) => at + 1,
            Place::End => self.script.len(),
        };
        // Of a place where nothing was read yet, the first.
        let is_here = |piece: &&Piece| at <= piece.end + 1;
        let number =
            self.pieces.iter().position(|piece| is_here(&piece)).unwrap_or(self.pieces.len().saturating_sub(1));
        let start = number.checked_sub(1).and_then(|before| self.pieces.get(before)).map_or(0, |before| before.end + 1);
        let piece = self.pieces.get(number);
        let end = at.min(piece.map_or(at, |piece| piece.end));
        if let Some(name) = piece.and_then(|piece| piece.file.as_deref()) {
            let read = self.script.get(start..end).unwrap_or_default();
            let line = read.iter().filter(|byte| **byte == b'\n').count() + 1;
            return [b"file ", name, format!(" line {line}: {what}").as_bytes()].concat();
        }
        let expressions = self.pieces.iter().take(number + 1).filter(|piece| piece.file.is_none()).count();
        let character = if matches!(place, Place::At(_)) { end.saturating_sub(start) } else { 0 };
        format!("-e expression #{expressions}, char {character}: {what}").into_bytes()
    }

    /// The script is wrong at a place.
    pub(crate) fn mistake(&self, place: Place, what: impl Into<Cow<'static, str>>) -> Fault {
        Fault::Mistake(self.message(place, &what.into()), 1)
    }

    /// Does a piece end here that another follows?
    pub(crate) fn is_joint(&self, at: usize) -> bool {
        at < self.script.len() && self.pieces.binary_search_by_key(&at, |piece| piece.end).is_ok()
    }
}
