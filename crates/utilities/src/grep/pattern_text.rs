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

    /// In brackets: does a `-` come next that makes a range of the character before it?
    pub(super) fn begins_range(&self) -> bool {
        self.peek() == Some('-') && !matches!(self.characters.get(self.at + 1), None | Some(']'))
    }

    /// The character that an escape stands for (PCRE's `\n`, `\x41`, `\x{41}`, `\.`); its letter has been taken. `None`: not supported.
    pub(super) fn escaped(&mut self, escape: char) -> Option<char> {
        Some(match escape {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\x0c',
            'a' => '\x07',
            'e' => '\x1b',
            'x' => {
                let digits: String = if self.takes("{") {
                    let mut digits = String::new();
                    loop {
                        match self.next()? {
                            '}' => break digits,
                            digit if digit.is_ascii_hexdigit() && digits.len() < 6 => digits.push(digit),
                            _ => return None,
                        }
                    }
                } else {
                    [self.next()?, self.next()?].iter().collect()
                };
                // A sign is no digit.
                if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return None;
                }
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            other if other.is_ascii_punctuation() || !other.is_ascii() => other,
            _ => return None,
        })
    }
}
