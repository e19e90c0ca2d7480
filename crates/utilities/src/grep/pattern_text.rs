//! The text of a pattern while it is translated.

/// The characters of a pattern, and the place of the next one.
pub(super) struct PatternText {
    pub(super) characters: Vec<char>,
    pub(super) at: usize,
}

impl PatternText {
    pub(super) fn new(characters: Vec<char>) -> Self {
        Self { characters, at: 0 }
    }

    /// Takes the next character.
    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek();
        self.at += usize::from(character.is_some());
        character
    }

    /// The next character, which stays.
    pub(super) fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    /// Takes this text, if it is what comes next.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let found = text.chars().enumerate().all(|(n, wanted)| self.characters.get(self.at + n) == Some(&wanted));
        if found {
            self.at += text.chars().count();
        }
        found
    }
}
