//! A `-P` expression written anew in the syntax of the backtracking engine, with PCRE's meaning.

use super::pattern_text::{INTERVAL, PatternText};

/// The characters of `\w`, as members of a class.
pub(super) const WORD: &str = "0-9A-Za-z_";

const MAX_DEPTH: usize = 50;

pub(super) struct Translation<'a> {
    pub(super) text: PatternText,
    pub(super) out: String,
    /// The groups by number: the name, and whether it is closed.
    pub(super) groups: Vec<(Option<String>, bool)>,
    pub(super) keep: Option<usize>,
    pub(super) ignore_case: bool,
    /// Is a class, such as `\d`, an end of a range? PCRE takes it for a mistake.
    pub(super) has_invalid_range: &'a mut bool,
}

impl Translation<'_> {
    fn literal(&mut self, character: char) {
        if character.is_alphanumeric() {
            self.out.push(character);
        } else {
            self.out.push_str(&format!("\\x{{{:x}}}", u32::from(character)));
        }
    }

    /// `(?i)` at the start; lines have no newline for `s` and `m` to mean something.
    pub(super) fn options(&mut self) -> Option<()> {
        let start = self.text.at;
        if self.text.takes("(?") {
            let mut letters = String::new();
            while let Some(letter @ ('i' | 's' | 'm')) = self.text.peek() {
                letters.push(letter);
                self.text.at += 1;
            }
            if letters.is_empty() || !self.text.takes(")") {
                self.text.at = start;
            } else {
                self.ignore_case |= letters.contains('i');
            }
        }
        Some(())
    }

    /// Up to the end or a `)`; may it match the empty text?
    pub(super) fn alternatives(&mut self, depth: usize) -> Option<bool> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut empty = self.sequence(depth)?;
        while self.text.takes("|") {
            self.out.push('|');
            empty |= self.sequence(depth)?;
        }
        Some(empty)
    }

    fn sequence(&mut self, depth: usize) -> Option<bool> {
        let mut empty = true;
        while let Some(character) = self.text.peek() {
            if character == '|' {
                break;
            }
            if character == ')' {
                if depth == 0 {
                    return None;
                }
                break;
            }
            let start = self.out.len();
            match self.atom(depth)? {
                // A place: nothing may repeat it.
                None => {
                    if self.is_repetition() {
                        return None;
                    }
                }
                Some(may_be_empty) => {
                    let optional = self.repetition(start, may_be_empty)?;
                    empty &= may_be_empty || optional;
                }
            }
        }
        Some(empty)
    }

    fn is_repetition(&self) -> bool {
        match self.text.peek() {
            Some('*' | '+' | '?') => true,
            Some('{') => self.interval().is_some(),
            _ => false,
        }
    }

    /// `{N}`, `{N,}`, `{N,M}` at the current place: the lower bound, and its length.
    fn interval(&self) -> Option<(usize, usize)> {
        let rest = self.text.characters.get(self.text.at + 1..)?;
        let length = rest.iter().take(INTERVAL).position(|c| *c == '}')?;
        let inside: String = rest.get(..length)?.iter().collect();
        let (low, high) = inside.split_once(',').unwrap_or((&inside, &inside));
        let is_number = |text: &str| text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        if low.is_empty() || !is_number(low) || !is_number(high) {
            return None;
        }
        Some((low.parse().ok()?, length + 2))
    }

    /// What repeats the atom that was written from `start` on; may it be left out?
    fn repetition(&mut self, start: usize, may_be_empty: bool) -> Option<bool> {
        if !self.is_repetition() {
            return Some(false);
        }
        if may_be_empty && self.text.peek() != Some('?') {
            // Loops of nothing end differently.
            return None;
        }
        let (least, length) = match self.text.peek() {
            Some('{') => self.interval()?,
            Some('+') => (1, 1),
            _ => (0, 1),
        };
        self.out.extend(self.text.characters.get(self.text.at..self.text.at + length)?);
        self.text.at += length;
        if self.text.takes("?") {
            self.out.push('?');
        } else if self.text.takes("+") {
            self.out.insert_str(start, "(?>");
            self.out.push(')');
        }
        if self.is_repetition() {
            return None;
        }
        Some(least == 0)
    }

    /// One atom: `None` inside for a place, else whether it may match the empty text.
    fn atom(&mut self, depth: usize) -> Option<Option<bool>> {
        match self.text.next()? {
            '^' => self.out.push_str(r"\A"),
            '$' => self.out.push_str(r"\z"),
            '*' | '+' | '?' => return None,
            // One that repeats nothing, or so often that it is not done here.
            '{' if self.text.is_interval() => return None,
            '(' => return self.group(depth),
            '[' => {
                self.class()?;
                return Some(Some(false));
            }
            '.' => {
                self.out.push('.');
                return Some(Some(false));
            }
            '\\' => return self.escape(),
            other => {
                self.literal(other);
                return Some(Some(false));
            }
        }
        Some(None)
    }

    fn group(&mut self, depth: usize) -> Option<Option<bool>> {
        for look in ["?=", "?!", "?<=", "?<!"] {
            if self.text.takes(look) {
                self.out.push('(');
                self.out.push_str(look);
                let kept = self.keep;
                self.alternatives(depth + 1)?;
                if !self.text.takes(")") || self.keep != kept {
                    return None;
                }
                self.out.push(')');
                return Some(None);
            }
        }
        for prefix in ["?:", "?>", "?i:"] {
            if self.text.takes(prefix) {
                if prefix == "?i:" && self.text.characters.iter().any(|c| !c.is_ascii()) {
                    return None;
                }
                self.out.push('(');
                self.out.push_str(prefix);
                let empty = self.alternatives(depth + 1)?;
                self.out.push(')');
                return self.text.takes(")").then_some(Some(empty));
            }
        }
        let mut name = None;
        if self.text.takes("?P<") || self.text.takes("?<") || self.text.takes("?'") {
            let quote = if self.text.characters.get(self.text.at.wrapping_sub(1)) == Some(&'\'') { '\'' } else { '>' };
            let mut text = String::new();
            loop {
                match self.text.next()? {
                    c if c == quote => break,
                    c if c.is_ascii_alphanumeric() || c == '_' => text.push(c),
                    _ => return None,
                }
            }
            let known = self.groups.iter().any(|(own, _)| own.as_deref() == Some(&text));
            if known || text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            name = Some(text);
        } else if matches!(self.text.peek(), Some('?' | '*')) {
            return None;
        }
        self.groups.push((name, false));
        let number = self.groups.len();
        self.out.push('(');
        let empty = self.alternatives(depth + 1)?;
        self.out.push(')');
        if !self.text.takes(")") {
            return None;
        }
        if let Some((_, closed)) = self.groups.get_mut(number - 1) {
            *closed = true;
        }
        Some(Some(empty))
    }

    fn escape(&mut self) -> Option<Option<bool>> {
        let letter = self.text.next()?;
        match letter {
            'd' => self.out.push_str("[0-9]"),
            'w' => self.out.push_str(&format!("[{WORD}]")),
            's' => self.out.push_str(r"[\x{9}-\x{d} ]"),
            // As grep 3.8 has them: of ASCII only.
            'D' => self.out.push_str(r"[\x{0}-/:-\x{7f}]"),
            'W' => self.out.push_str(r"[\x{0}-/:-@\x{5b}-\x{5e}`\x{7b}-\x{7f}]"),
            'S' => self.out.push_str(r"[\x{0}-\x{8}\x{e}-\x{1f}!-\x{7f}]"),
            'h' => self.out.push_str(r"[\x{9} \x{a0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}]"),
            'b' => {
                self.out.push_str(&format!("(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"));
                return Some(None);
            }
            'B' => {
                self.out.push_str(&format!("(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"));
                return Some(None);
            }
            'A' => {
                self.out.push_str(r"\A");
                return Some(None);
            }
            'z' | 'Z' => {
                self.out.push_str(r"\z");
                return Some(None);
            }
            'K' => {
                if self.keep.is_some() {
                    return None;
                }
                self.groups.push((None, false));
                self.keep = Some(self.groups.len());
                self.out.push_str("()");
                return Some(None);
            }
            '1'..='9' => {
                if let Some(character) = self.text.three_octal_digits(letter) {
                    self.literal(character);
                    return Some(Some(false));
                }
                if self.text.peek().is_some_and(|c| c.is_ascii_digit()) {
                    return None;
                }
                return self.reference(usize::try_from(letter.to_digit(10)?).ok()?);
            }
            'g' if self.text.peek().is_some_and(|c| c.is_ascii_digit()) => {
                let number = usize::try_from(self.text.next()?.to_digit(10)?).ok()?;
                if self.text.peek().is_some_and(|c| c.is_ascii_digit()) {
                    return None;
                }
                return self.reference(number);
            }
            'k' | 'g' => {
                let close = match self.text.next()? {
                    '<' if letter == 'k' => '>',
                    '{' => '}',
                    '\'' if letter == 'k' => '\'',
                    _ => return None,
                };
                let mut name = String::new();
                loop {
                    match self.text.next()? {
                        c if c == close => break,
                        c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
                        _ => return None,
                    }
                }
                let number = match name.parse() {
                    Ok(number) => number,
                    Err(_) => self.groups.iter().position(|(own, _)| own.as_deref() == Some(&name))? + 1,
                };
                return self.reference(number);
            }
            other => {
                let character = self.escaped(other)?;
                self.literal(character);
            }
        }
        Some(Some(false))
    }

    /// A reference to a group by PCRE's number, which does not count `\K`.
    fn reference(&mut self, number: usize) -> Option<Option<bool>> {
        let number = if self.keep.is_some_and(|keep| keep <= number) { number + 1 } else { number };
        let (_, closed) = self.groups.get(number.checked_sub(1)?)?;
        if !closed || number > 9 {
            return None;
        }
        self.out.push_str(&format!("(?:\\{number})"));
        // It may be, if the group was.
        Some(Some(true))
    }

    fn escaped_in_brackets(&mut self, escape: char) -> Option<char> {
        if escape == ' ' { Some(escape) } else { self.text.escaped_in_brackets(escape) }
    }

    /// The character that an escape stands for; a blank stands for itself here.
    fn escaped(&mut self, escape: char) -> Option<char> {
        if escape == ' ' { Some(escape) } else { self.text.escaped(escape) }
    }

    /// A class after its `[`.
    fn class(&mut self) -> Option<()> {
        self.out.push('[');
        if self.text.takes("^") {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let character = self.text.next()?;
            if character == ']' && !first {
                self.out.push(']');
                return Some(());
            }
            first = false;
            let from = match character {
                '[' if matches!(self.text.peek(), Some(':' | '.' | '=')) => {
                    let rest: String = self.text.characters.get(self.text.at..)?.iter().take(12).collect();
                    let name = rest.strip_prefix(':')?.split(":]").next()?.to_owned();
                    // ASCII, as without PCRE's UCP.
                    let members = match name.as_str() {
                        "alpha" => "A-Za-z",
                        "digit" => "0-9",
                        "alnum" => "0-9A-Za-z",
                        "upper" if !self.ignore_case => "A-Z",
                        "lower" if !self.ignore_case => "a-z",
                        "space" => r"\x{9}-\x{d} ",
                        "blank" => r"\x{9} ",
                        "punct" => r"!-/:-@\x{5b}-`\x{7b}-~",
                        "xdigit" => "0-9A-Fa-f",
                        "word" => WORD,
                        _ => return None,
                    };
                    if !self.text.takes(&format!(":{name}:]")) {
                        return None;
                    }
                    self.out.push_str(members);
                    self.ends_class()?;
                    continue;
                }
                '\\' => match self.text.next()? {
                    class @ ('d' | 'w' | 's' | 'D' | 'W' | 'S') => {
                        self.out.push_str(match class {
                            'd' => "0-9",
                            'w' => WORD,
                            's' => r"\x{9}-\x{d} ",
                            'D' => r"\x{0}-/:-\x{10ffff}",
                            'W' => r"\x{0}-/:-@\x{5b}-\x{5e}`\x{7b}-\x{10ffff}",
                            _ => r"\x{0}-\x{8}\x{e}-\x{1f}!-\x{10ffff}",
                        });
                        self.ends_class()?;
                        continue;
                    }
                    'b' => '\x08',
                    other => self.escaped_in_brackets(other)?,
                },
                other => other,
            };
            self.member(from);
            if self.text.begins_range() {
                self.text.at += 1;
                let to = match self.text.next()? {
                    '[' => return None,
                    '\\' => {
                        let escape = self.text.next()?;
                        if matches!(escape, 'd' | 'w' | 's' | 'D' | 'W' | 'S') {
                            *self.has_invalid_range = true;
                            return None;
                        }
                        self.escaped_in_brackets(escape)?
                    }
                    other => other,
                };
                if to < from {
                    return None;
                }
                self.out.push('-');
                self.member(to);
            }
        }
    }

    /// After a class in brackets: PCRE takes a range that begins with it for a mistake.
    fn ends_class(&mut self) -> Option<()> {
        *self.has_invalid_range |= self.text.begins_range();
        (!*self.has_invalid_range).then_some(())
    }

    fn member(&mut self, character: char) {
        self.out.push_str(&format!("\\x{{{:x}}}", u32::from(character)));
    }
}
