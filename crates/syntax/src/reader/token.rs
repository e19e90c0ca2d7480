//! Operators and reserved words (XCU 2.2, 2.4).

use super::Reader;
use crate::bytes::{META, is};

/// The reserved words, each only where the grammar asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    If,
    Then,
    Elif,
    Else,
    Fi,
    For,
    Do,
    Done,
    While,
    Until,
    Case,
    Esac,
    LeftBrace,
    RightBrace,
    Bang,
    In,
    // bash
    Function,
    Select,
    Time,
    Coproc,
    Condition,
    ConditionEnd,
}

impl Keyword {
    /// Begins a compound command.
    pub(crate) fn begins_compound(self) -> bool {
        matches!(
            self,
            Self::LeftBrace
                | Self::If
                | Self::For
                | Self::While
                | Self::Until
                | Self::Case
                | Self::Select
                | Self::Condition
        )
    }

    /// Ends the list it stands behind.
    fn closes(self) -> bool {
        matches!(
            self,
            Self::Then | Self::Elif | Self::Else | Self::Fi | Self::Do | Self::Done | Self::Esac | Self::RightBrace
        )
    }
}

/// The control operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Newline,
    Semicolon,
    /// `;;`
    Break,
    /// `;&`
    FallThrough,
    /// `;;&`
    Continue,
    Background,
    And,
    Pipe,
    Or,
    /// `|&`
    PipeBoth,
    LeftParenthesis,
    RightParenthesis,
}

impl Reader<'_> {
    /// The control operator at the place, and where it ends. `&>` is none.
    pub(crate) fn operator(&self) -> Option<(Operator, usize)> {
        let (first, end) = self.byte_from(self.pos)?;
        if !is(first, META) {
            return None;
        }
        let second = self.byte_from(end);
        Some(match (first, second) {
            (b'\n', _) => (Operator::Newline, end),
            (b';', Some((b';', end))) => match self.byte_from(end) {
                Some((b'&', end)) if self.bash => (Operator::Continue, end),
                _ => (Operator::Break, end),
            },
            (b';', Some((b'&', end))) => (Operator::FallThrough, end),
            (b';', _) => (Operator::Semicolon, end),
            (b'&', Some((b'&', end))) => (Operator::And, end),
            (b'&', Some((b'>', _))) if self.bash => return None,
            (b'&', _) => (Operator::Background, end),
            (b'|', Some((b'|', end))) => (Operator::Or, end),
            (b'|', Some((b'&', end))) if self.bash => (Operator::PipeBoth, end),
            (b'|', _) => (Operator::Pipe, end),
            (b'(', _) => (Operator::LeftParenthesis, end),
            (b')', _) => (Operator::RightParenthesis, end),
            _ => return None,
        })
    }

    /// Reads the operator if it is at the place (blanks before it are skipped).
    pub(crate) fn take(&mut self, wanted: Operator) -> bool {
        self.blanks();
        match self.operator() {
            Some((operator, end)) if operator == wanted => {
                self.pos = end;
                true
            }
            _ => false,
        }
    }

    /// The reserved word at the place, and where it ends.
    pub(crate) fn keyword(&self) -> Option<(Keyword, usize)> {
        let first = self.peek()?;
        match first {
            b'i' | b't' | b'e' | b'f' | b'd' | b'w' | b'u' | b'c' | b'{' | b'}' | b'!' | b's' | b'[' | b']' => {}
            b'\\' if self.is_continuation(self.pos) => {}
            _ => return None,
        }
        // The longest is `function`.
        let mut word = [0; 9];
        let mut length = 0;
        let text = self.text();
        let mut pos = self.pos;
        loop {
            match text.get(pos) {
                Some(b'\\') if text.get(pos + 1) == Some(&b'\n') => pos += 2,
                Some(&byte) if !is(byte, META) => {
                    if length == word.len() {
                        return None;
                    }
                    word[length] = byte;
                    length += 1;
                    pos += 1;
                }
                _ => break,
            }
        }
        let keyword = match &word[..length] {
            b"if" => Keyword::If,
            b"then" => Keyword::Then,
            b"elif" => Keyword::Elif,
            b"else" => Keyword::Else,
            b"fi" => Keyword::Fi,
            b"for" => Keyword::For,
            b"do" => Keyword::Do,
            b"done" => Keyword::Done,
            b"while" => Keyword::While,
            b"until" => Keyword::Until,
            b"case" => Keyword::Case,
            b"esac" => Keyword::Esac,
            b"{" => Keyword::LeftBrace,
            b"}" => Keyword::RightBrace,
            b"!" => Keyword::Bang,
            b"in" => Keyword::In,
            b"function" if self.bash => Keyword::Function,
            b"select" if self.bash => Keyword::Select,
            b"time" if self.bash => Keyword::Time,
            b"coproc" if self.bash => Keyword::Coproc,
            b"[[" if self.bash => Keyword::Condition,
            b"]]" if self.bash => Keyword::ConditionEnd,
            _ => return None,
        };
        // `if<(x)` is a word, not a reserved word and a process substitution.
        if self.bash && matches!(text.get(pos), Some(b'<' | b'>')) && text.get(pos + 1) == Some(&b'(') {
            return None;
        }
        Some((keyword, pos))
    }

    /// Reads the reserved word if it is at the place (blanks before it are skipped).
    pub(crate) fn take_keyword(&mut self, wanted: Keyword) -> bool {
        self.blanks();
        match self.keyword() {
            Some((keyword, end)) if keyword == wanted => {
                self.pos = end;
                true
            }
            _ => false,
        }
    }

    /// Does a list end here: at the end of the source, at `)`, at the end of a branch of `case`, or at a reserved word
    /// that closes something?
    pub(crate) fn at_list_end(&self) -> bool {
        if self.at_end() {
            return true;
        }
        if let Some((keyword, _)) = self.keyword() {
            return keyword.closes();
        }
        matches!(
            self.operator(),
            Some((Operator::RightParenthesis | Operator::Break | Operator::FallThrough | Operator::Continue, _))
        )
    }

    /// Where the token at the place ends, roughly: for messages.
    pub(crate) fn token_end(&self) -> usize {
        if let Some((_, end)) = self.operator() {
            return end;
        }
        let text = self.text();
        match text.get(self.pos) {
            None => self.pos,
            Some(b'<' | b'>' | b'&') => {
                let mut end = self.pos + 1;
                while end < self.pos + 3 && matches!(text.get(end), Some(b'<' | b'>' | b'&' | b'|')) {
                    end += 1;
                }
                end
            }
            Some(_) => text[self.pos..].iter().position(|&b| is(b, META)).map_or(text.len(), |i| self.pos + i),
        }
    }
}
