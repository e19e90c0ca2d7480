//! The text of a pattern while it is translated.

use hookshell_regex::control_character;

/// How far the `}` of a repetition is looked for: `{65535,65535}` is shorter, and a pattern of `{` alone takes no quadratic time.
pub(super) const INTERVAL: usize = 16;

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

    /// After a `{`: is the rest that of a repetition (`{N}`, `{N,}`, `{N,M}`), however large its numbers are?
    pub(super) fn is_interval(&self) -> bool {
        let digits = |text: &[char]| text.iter().take_while(|c| c.is_ascii_digit()).count();
        let rest = self.characters.get(self.at..).unwrap_or_default();
        let low = digits(rest);
        low > 0
            && match rest.get(low..).unwrap_or_default() {
                ['}', ..] => true,
                [',', rest @ ..] => rest.get(digits(rest)) == Some(&'}'),
                _ => false,
            }
    }

    /// In brackets: does a `-` come next that makes a range of the character before it?
    pub(super) fn begins_range(&self) -> bool {
        self.peek() == Some('-') && !matches!(self.characters.get(self.at + 1), None | Some(']'))
    }

    /// The character whose octal code begins with `first` and has at most so many more digits.
    fn octal(&mut self, first: u32, more: usize) -> Option<char> {
        let mut code = first;
        for _ in 0..more {
            let Some(digit) = self.peek().and_then(|digit| digit.to_digit(8)) else { break };
            code = code * 8 + digit;
            self.at += 1;
        }
        char::from_u32(code)
    }

    /// PCRE's `\047` with three digits, of which the first was taken: no reference to a group.
    pub(super) fn three_octal_digits(&mut self, first: char) -> Option<char> {
        let is_octal = |ahead: usize| self.characters.get(self.at + ahead).is_some_and(|digit| digit.is_digit(8));
        if !is_octal(0) || !is_octal(1) {
            return None;
        }
        self.octal(first.to_digit(8)?, 2)
    }

    /// The same in brackets, where no digit is a reference.
    pub(super) fn escaped_in_brackets(&mut self, escape: char) -> Option<char> {
        match escape {
            '1'..='7' => self.octal(escape.to_digit(8)?, 2),
            // They mean nothing there.
            '8' | '9' | 'E' | 'g' => Some(escape),
            _ => self.escaped(escape),
        }
    }

    /// The character that an escape stands for (PCRE's `\n`, `\x41`, `\x{41}`, `\.`); its letter has been taken. `None`: not supported.
    pub(super) fn escaped(&mut self, escape: char) -> Option<char> {
        if let Some(control) = control_character(escape) {
            return Some(control);
        }
        Some(match escape {
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
                    let mut digits = String::from("0");
                    while let Some(digit) = self.peek().filter(|digit| digit.is_ascii_hexdigit() && digits.len() < 3) {
                        digits.push(digit);
                        self.at += 1;
                    }
                    digits
                };
                // A sign is no digit.
                if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return None;
                }
                char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
            }
            '0' => self.octal(0, 2)?,
            'o' if self.takes("{") => {
                let character = self.octal(0, 7)?;
                return self.takes("}").then_some(character);
            }
            'c' => {
                let letter = u8::try_from(self.next()?).ok().filter(|letter| matches!(letter, b' '..=b'~'))?;
                char::from(letter.to_ascii_uppercase() ^ 0x40)
            }
            'N' if self.takes("{U+") => {
                let mut code = 0_u32;
                let mut count = 0;
                loop {
                    match self.next()? {
                        '}' if count > 0 => break char::from_u32(code)?,
                        digit => code = code.checked_mul(16)?.checked_add(digit.to_digit(16)?)?,
                    }
                    count += 1;
                }
            }
            // Of letters and digits each has a meaning, or will have one.
            other if !other.is_ascii_alphanumeric() => other,
            _ => return None,
        })
    }

    /// The name after `\p` or `\P`, and whether `^` inverts it.
    pub(super) fn property(&mut self) -> Option<(String, bool)> {
        if !self.takes("{") {
            return self.next().map(|letter| (letter.to_string(), false));
        }
        let inverted = self.takes("^");
        let mut name = String::new();
        loop {
            match self.next()? {
                '}' => return Some((name, inverted)),
                character => name.push(character),
            }
        }
    }
}

/// The pattern with the characters between `\Q` and `\E` escaped.
pub(super) fn unquoted(text: &str) -> Option<Vec<char>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(at)?;
        out.extend(before.chars());
        if let Some(quoted) = escape.strip_prefix("\\Q") {
            let (inside, after) = quoted.split_once("\\E").unwrap_or((quoted, ""));
            for character in inside.chars() {
                if !character.is_alphanumeric() {
                    out.push('\\');
                }
                out.push(character);
            }
            rest = after;
        } else if let Some(after) = escape.strip_prefix("\\E") {
            // Without a `\Q` before it, it is nothing.
            rest = after;
        } else {
            let mut characters = escape.chars();
            out.extend(characters.next());
            out.push(characters.next()?);
            rest = characters.as_str();
        }
    }
    out.extend(rest.chars());
    Some(out)
}
