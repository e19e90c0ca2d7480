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

    fn is_of_bash(self) -> bool {
        matches!(self, Self::Function | Self::Select | Self::Time | Self::Coproc | Self::Condition | Self::ConditionEnd)
    }

    /// Ends the list it stands after.
    fn closes(self) -> bool {
        matches!(
            self,
            Self::Then | Self::Elif | Self::Else | Self::Fi | Self::Do | Self::Done | Self::Esac | Self::RightBrace
        )
    }
}

/// A reserved word as the number that its bytes are, the first one the lowest.
struct Reserved {
    word: u64,
    length: usize,
    keyword: Keyword,
}

const fn reserved(word: &[u8], keyword: Keyword) -> Reserved {
    let mut number = 0;
    let mut at = word.len();
    while at > 0 {
        at -= 1;
        number = number << 8 | word[at] as u64;
    }
    Reserved { word: number, length: word.len(), keyword }
}

/// Is one of the number's bytes this one?
#[inline]
fn has_byte(number: u64, byte: u8) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    // What borrows from a higher bit was zero, or stands above one that was.
    let zero = number ^ (ONES * byte as u64);
    zero.wrapping_sub(ONES) & !zero & (ONES << 7) != 0
}

/// The length of the longest reserved word, `function`: that of a number.
const LONGEST: usize = 8;

// The reserved words by their first letter, and the others. One that begins with another stands before it.
static IN_I: [Reserved; 2] = [reserved(b"if", Keyword::If), reserved(b"in", Keyword::In)];
static IN_T: [Reserved; 2] = [reserved(b"then", Keyword::Then), reserved(b"time", Keyword::Time)];
static IN_E: [Reserved; 3] =
    [reserved(b"else", Keyword::Else), reserved(b"elif", Keyword::Elif), reserved(b"esac", Keyword::Esac)];
static IN_F: [Reserved; 3] =
    [reserved(b"fi", Keyword::Fi), reserved(b"for", Keyword::For), reserved(b"function", Keyword::Function)];
static IN_D: [Reserved; 2] = [reserved(b"done", Keyword::Done), reserved(b"do", Keyword::Do)];
static IN_W: [Reserved; 1] = [reserved(b"while", Keyword::While)];
static IN_U: [Reserved; 1] = [reserved(b"until", Keyword::Until)];
static IN_C: [Reserved; 2] = [reserved(b"case", Keyword::Case), reserved(b"coproc", Keyword::Coproc)];
static IN_S: [Reserved; 1] = [reserved(b"select", Keyword::Select)];
static SIGNS: [Reserved; 5] = [
    reserved(b"{", Keyword::LeftBrace),
    reserved(b"}", Keyword::RightBrace),
    reserved(b"!", Keyword::Bang),
    reserved(b"[[", Keyword::Condition),
    reserved(b"]]", Keyword::ConditionEnd),
];

/// By the number of a letter in the alphabet: the numbers of those that are the second one of a reserved word that begins
/// with it, as bits.
static SECOND_LETTERS: [u32; 32] = {
    let mut seconds = [0; 32];
    let lists: [&[Reserved]; 9] = [&IN_I, &IN_T, &IN_E, &IN_F, &IN_D, &IN_W, &IN_U, &IN_C, &IN_S];
    let mut list = 0;
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            let word = lists[list][at].word;
            seconds[(word & 31) as usize] |= 1 << (word >> 8 & 31);
            at += 1;
        }
        list += 1;
    }
    seconds
};

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

impl<const DIRECT: bool> Reader<'_, DIRECT> {
    /// The control operator at the place, and where it ends. `&>` is none.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn operator(&self) -> Option<(Operator, usize)> {
        match self.peek() {
            Some(byte) if is(byte, META) || byte == b'\\' => self.operator_here(),
            _ => None,
        }
    }

    #[inline(never)]
    fn operator_here(&self) -> Option<(Operator, usize)> {
        // Most are a byte with another one after it that belongs to no operator.
        let text = self.text();
        if let [first, second, ..] = text.get(self.pos..)?
            && *second != b'\\'
            && (!is(*second, META) || matches!(second, b' ' | b'\n'))
        {
            let operator = match first {
                b'\n' => Some(Operator::Newline),
                b';' => Some(Operator::Semicolon),
                b'|' => Some(Operator::Pipe),
                b')' => Some(Operator::RightParenthesis),
                b'<' | b'>' | b' ' | b'\t' => return None,
                _ => None,
            };
            if let Some(operator) = operator {
                return Some((operator, self.pos + 1));
            }
        }
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn keyword(&self) -> Option<(Keyword, usize)> {
        match self.peek()? {
            first @ (b'i' | b't' | b'e' | b'f' | b'd' | b'w' | b'u' | b'c' | b's') if !self.may_go_on(first) => None,
            b'i' | b't' | b'e' | b'f' | b'd' | b'w' | b'u' | b'c' | b's' | b'{' | b'}' | b'!' | b'[' | b']' | b'\\' => {
                let (place, found) = self.last_keyword.get();
                // Text of aliases takes the place of what was there.
                if place == self.pos && (DIRECT || self.spliced.is_none()) {
                    return found;
                }
                let found = self.keyword_here();
                self.last_keyword.set((self.pos, found));
                found
            }
            _ => None,
        }
    }

    /// Is the byte after this letter, which is at the place, the second one of a reserved word that begins with it? Most
    /// words end here.
    #[inline]
    fn may_go_on(&self, first: u8) -> bool {
        let Some(second) = self.peek_at(1) else { return false };
        second == b'\\' || SECOND_LETTERS[usize::from(first & 31)] >> (second & 31) & 1 != 0
    }

    #[inline(never)]
    fn keyword_here(&self) -> Option<(Keyword, usize)> {
        let text = &self.text()[self.pos..];
        let Some(next) = text.first_chunk::<LONGEST>() else { return self.keyword_by_bytes() };
        let words: &[Reserved] = match next[0] {
            b'i' => &IN_I,
            b't' => &IN_T,
            b'e' => &IN_E,
            b'f' => &IN_F,
            b'd' => &IN_D,
            b'w' => &IN_W,
            b'u' => &IN_U,
            b'c' => &IN_C,
            b's' => &IN_S,
            _ => &SIGNS,
        };
        let next = u64::from_le_bytes(*next);
        if has_byte(next, b'\\') {
            return self.keyword_by_bytes();
        }
        let begins = |word: &&Reserved| (next ^ word.word) << (64 - 8 * word.length) == 0;
        let word = words.iter().find(begins)?;
        match text.get(word.length) {
            Some(b'\\') => self.keyword_by_bytes(),
            Some(&byte) if !is(byte, META) => None,
            _ => self.accepted(word.keyword, self.pos + word.length),
        }
    }

    /// As [`Self::keyword`], near the end of the text and of a word that may have line continuations in it.
    fn keyword_by_bytes(&self) -> Option<(Keyword, usize)> {
        let mut word = 0;
        let mut length = 0;
        let mut end = self.pos;
        while let Some((byte, next)) = self.byte_from(end)
            && !is(byte, META)
        {
            if length == LONGEST {
                return None;
            }
            word |= u64::from(byte) << (8 * length);
            length += 1;
            end = next;
        }
        let mut all = IN_I.iter().chain(&IN_T).chain(&IN_E).chain(&IN_F).chain(&IN_D);
        let mut others = IN_W.iter().chain(&IN_U).chain(&IN_C).chain(&IN_S).chain(&SIGNS);
        let same = |reserved: &&Reserved| reserved.length == length && reserved.word == word;
        let keyword = all.find(same).or_else(|| others.find(same))?.keyword;
        // The place just after the word, and what is continued there.
        while self.is_continuation(end) {
            end += 2;
        }
        self.accepted(keyword, end)
    }

    /// Is this a reserved word where it stands, up to `end`, and in this dialect?
    fn accepted(&self, keyword: Keyword, end: usize) -> Option<(Keyword, usize)> {
        if !self.bash {
            return (!keyword.is_of_bash()).then_some((keyword, end));
        }
        let text = self.text();
        // `if<(x)` is a word, not a reserved word and a process substitution.
        if matches!(text.get(end), Some(b'<' | b'>')) && text.get(end + 1) == Some(&b'(') {
            return None;
        }
        Some((keyword, end))
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
        if !matches!(self.peek(), Some(b')' | b';' | b'\\')) {
            return false;
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
