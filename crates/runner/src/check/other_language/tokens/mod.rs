//! The words of a program: names, numbers, texts and signs. Comments are none, and what stands in a text is no code.

mod javascript;
mod python;

pub(super) use javascript::tokens as of_javascript;
pub(super) use python::tokens as of_python;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// A string, a template or a regular expression: its text is what stands between the marks.
    Text,
    Sign,
}

/// A word of a program, with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub(super) kind: Kind,
    pub(super) text: &'s str,
    /// Counted from 1.
    pub(super) line: usize,
    /// How far it is indented, if it is the first of its line.
    pub(super) indent: Option<usize>,
}

impl Token<'_> {
    /// Is it this name or sign?
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }

    pub(super) fn is_one_of(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.is(text))
    }

    pub(super) fn is_name(&self) -> bool {
        self.kind == Kind::Name
    }

    pub(super) fn is_text(&self) -> bool {
        self.kind == Kind::Text
    }
}

/// A program that is read from its beginning to its end.
struct Reader<'s> {
    source: &'s str,
    at: usize,
    line: usize,
    /// Where the line begins, as long as only blanks have come.
    line_start: Option<usize>,
    found: Vec<Token<'s>>,
}

impl<'s> Reader<'s> {
    fn new(source: &'s str) -> Self {
        let at = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { source, at, line: 1, line_start: Some(at), found: Vec::new() }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Goes over a character; counts lines.
    fn skip(&mut self) {
        let Some(character) = self.rest().chars().next() else { return };
        self.at += character.len_utf8();
        if character == '\n' {
            self.line += 1;
            self.line_start = Some(self.at);
        }
    }

    fn skip_bytes(&mut self, count: usize) {
        let end = self.at + count;
        while self.at < end && self.byte().is_some() {
            self.skip();
        }
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Goes over what follows as long as it is such.
    fn skip_while(&mut self, is_such: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !is_such(c)).unwrap_or(rest.len());
    }

    /// A token whose first character is at `start`, and whose text is at the second two places.
    fn push(&mut self, kind: Kind, start: usize, line: usize, text: (usize, usize)) {
        let indent = self.line_start.take().map(|begin| {
            let blanks = self.source.get(begin..start).unwrap_or_default();
            blanks.chars().fold(0, |width, blank| if blank == '\t' { width / 8 * 8 + 8 } else { width + 1 })
        });
        let text = self.source.get(text.0..text.1).unwrap_or_default();
        self.found.push(Token { kind, text, line, indent });
    }

    /// A name or a number.
    fn word(&mut self) {
        let (start, line) = (self.at, self.line);
        let is_number = self.byte().is_some_and(|byte| byte.is_ascii_digit());
        let exponent = |at: usize, reader: &Self| matches!(reader.source.as_bytes().get(at), Some(b'.'));
        self.skip_while(is_of_name);
        while is_number && exponent(self.at, self) {
            self.at += 1;
            self.skip_while(is_of_name);
        }
        self.push(if is_number { Kind::Number } else { Kind::Name }, start, line, (start, self.at));
    }

    /// The first of these signs that stands here, else a single character.
    fn sign(&mut self, signs: &[&str]) {
        let (start, line) = (self.at, self.line);
        match signs.iter().find(|sign| self.starts_with(sign)) {
            Some(sign) => self.at += sign.len(),
            None => self.skip(),
        }
        self.push(Kind::Sign, start, line, (start, self.at));
    }
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}
