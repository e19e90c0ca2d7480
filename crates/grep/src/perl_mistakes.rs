//! What PCRE calls wrong in an expression, with its messages (PCRE2 10.42, `pcre2_error.c`), as grep prints them.
//!
//! It is asked only of what was not compiled. `None`: nothing wrong is seen, so that the real program is left to say.

use super::pattern_text::{INTERVAL, PatternText, unquoted};
use super::property;

const UNKNOWN_ESCAPE: &str = "unrecognized character follows \\";
const NOT_PERLS: &str = "PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u";
const NOT_IN_CLASS: &str = "escape sequence is invalid in character class";
const NO_DIGITS: &str = "digits missing in \\x{} or \\o{} or \\N{U+}";
const NO_GROUP: &str = "reference to non-existent subpattern";
const NOTHING_REPEATED: &str = "quantifier does not follow a repeatable item";
const END: &str = "\\ at end of pattern";
const UNCLOSED_CLASS: &str = "missing terminating ] for character class";
const UNCLOSED_GROUP: &str = "missing closing parenthesis";

/// How far the end of a POSIX class is looked for: names are shorter, and a pattern of `[:` alone takes no quadratic time.
const POSIX_CLASS: usize = 64;

/// The message.
pub(super) fn mistake(pattern: &str) -> Option<&'static str> {
    if pattern.contains('\n') {
        return Some("the -P option only supports a single pattern");
    }
    if is_left_to_pcre(pattern) {
        return None;
    }
    let Some(characters) = unquoted(pattern) else { return Some(END) };
    let mut reader = Reader {
        text: PatternText::new(characters),
        groups: Vec::new(),
        references: Vec::new(),
        depth: 0,
        has_unknown_property: false,
    };
    let found = reader.read().err().or_else(|| reader.missing_group());
    // PCRE says the first mistake, and the property may be one.
    found.filter(|_| !reader.has_unknown_property)
}

/// Has it what is not read here: a verb, a condition, a comment, or the option `x`, with which blanks and comments mean nothing?
fn is_left_to_pcre(pattern: &str) -> bool {
    let is_extended = |after: &str| after.chars().take_while(|c| "-imsxnJ^".contains(*c)).any(|c| c == 'x');
    ["(*", "(?(", "(?#"].iter().any(|open| pattern.contains(open)) || pattern.split("(?").skip(1).any(is_extended)
}

struct Reader {
    text: PatternText,
    /// The names of the groups.
    groups: Vec<Option<String>>,
    /// What `\1`, `\k<name>` ask for.
    references: Vec<Reference>,
    depth: usize,
    /// Is there a `\p{NAME}` that is not known here? PCRE may know it.
    has_unknown_property: bool,
}

enum Reference {
    Number(usize),
    Name(String),
}

/// `Err`: a mistake.
type Read<T> = Result<T, &'static str>;

impl Reader {
    fn missing_group(&self) -> Option<&'static str> {
        let is_missing = |reference: &Reference| match reference {
            Reference::Number(number) => *number > self.groups.len(),
            Reference::Name(name) => !self.groups.iter().any(|group| group.as_ref() == Some(name)),
        };
        self.references.iter().any(is_missing).then_some(NO_GROUP)
    }

    fn read(&mut self) -> Read<()> {
        // Can what was read last be repeated?
        let mut repeatable = false;
        while let Some(character) = self.text.next() {
            match character {
                '\\' => repeatable = self.escape()?,
                '[' => {
                    self.class()?;
                    repeatable = true;
                }
                '(' => {
                    self.open()?;
                    repeatable = false;
                }
                ')' if self.depth == 0 => return Err("unmatched closing parenthesis"),
                ')' => {
                    self.depth -= 1;
                    repeatable = true;
                }
                '|' | '^' | '$' => repeatable = false,
                '*' | '+' | '?' => self.repeat(&mut repeatable)?,
                '{' => {
                    if let Some(length) = self.interval()? {
                        self.text.at += length;
                        self.repeat(&mut repeatable)?;
                    } else {
                        repeatable = true;
                    }
                }
                _ => repeatable = true,
            }
        }
        if self.depth > 0 { Err(UNCLOSED_GROUP) } else { Ok(()) }
    }

    fn repeat(&mut self, repeatable: &mut bool) -> Read<()> {
        if !*repeatable {
            return Err(NOTHING_REPEATED);
        }
        if matches!(self.text.peek(), Some('+' | '?')) {
            self.text.at += 1;
        }
        *repeatable = false;
        Ok(())
    }

    /// After `{`: the length of the rest of a repetition, if it is one.
    fn interval(&self) -> Read<Option<usize>> {
        let rest = self.text.characters.get(self.text.at..).unwrap_or_default();
        let Some(length) = rest.iter().take(INTERVAL).position(|c| *c == '}') else { return Ok(None) };
        let inside: String = rest.iter().take(length).collect();
        let (low, high) = inside.split_once(',').unwrap_or((&inside, &inside));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if low.is_empty() || !is_number(low) || !is_number(high) {
            return Ok(None);
        }
        let number = |text: &str| match text.parse::<u32>() {
            Ok(number) if number <= 65_535 => Ok(number),
            _ => Err("number too big in {} quantifier"),
        };
        let low = number(low)?;
        if !high.is_empty() && number(high)? < low {
            return Err("numbers out of order in {} quantifier");
        }
        Ok(Some(length + 1))
    }

    /// An escape outside of brackets; may it be repeated?
    fn escape(&mut self) -> Read<bool> {
        let letter = self.text.next().ok_or(END)?;
        match letter {
            '1'..='9' => {
                let mut number = letter.to_string();
                while let Some(digit) = self.text.peek().filter(char::is_ascii_digit) {
                    number.push(digit);
                    self.text.at += 1;
                }
                // From 10 on it may be an octal code, which depends on all groups.
                if number.len() == 1 || letter >= '8' {
                    self.references.push(Reference::Number(number.parse().unwrap_or(usize::MAX)));
                }
                Ok(true)
            }
            'N' if self.text.peek() != Some('{') => Ok(true),
            'g' => self
                .reference(&[('{', '}'), ('<', '>'), ('\'', '\'')], true)
                .ok_or("\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number"),
            'k' => self
                .reference(&[('{', '}'), ('<', '>'), ('\'', '\'')], false)
                .ok_or("\\k is not followed by a braced, angle-bracketed, or quoted name"),
            'A' | 'B' | 'G' | 'K' | 'Z' | 'b' | 'z' => Ok(false),
            'C' | 'R' | 'X' => Ok(true),
            other => self.character(other).map(|()| true),
        }
    }

    /// What follows `\g` or `\k`.
    fn reference(&mut self, quotes: &[(char, char)], plain: bool) -> Option<bool> {
        let open = self.text.peek()?;
        if plain && open.is_ascii_digit() {
            let mut number = String::new();
            while let Some(digit) = self.text.peek().filter(char::is_ascii_digit) {
                number.push(digit);
                self.text.at += 1;
            }
            self.references.push(Reference::Number(number.parse().unwrap_or(usize::MAX)));
            return Some(true);
        }
        if plain && matches!(open, '-' | '+') {
            return Some(true);
        }
        let (_, close) = quotes.iter().find(|(first, _)| *first == open)?;
        self.text.at += 1;
        let mut name = String::new();
        while let Some(character) = self.text.next().filter(|character| character != close) {
            name.push(character);
        }
        match name.parse() {
            Ok(number) => self.references.push(Reference::Number(number)),
            Err(_) if name.starts_with(['-', '+']) => {}
            Err(_) => self.references.push(Reference::Name(name)),
        }
        Some(true)
    }

    /// The escapes that stand for characters, in brackets or not.
    fn character(&mut self, letter: char) -> Read<()> {
        match letter {
            'F' | 'L' | 'l' | 'U' | 'u' => Err(NOT_PERLS),
            'N' => {
                if !self.text.takes("{U+") {
                    return Err(NOT_PERLS);
                }
                self.digits(16, "non-hex character in \\x{} (closing brace missing?)")
            }
            'x' if self.text.takes("{") => self.digits(16, "non-hex character in \\x{} (closing brace missing?)"),
            'o' if self.text.takes("{") => self.digits(8, "non-octal character in \\o{} (closing brace missing?)"),
            'o' => Err("missing opening brace after \\o"),
            'c' => match self.text.next() {
                None => Err("\\c at end of pattern"),
                Some(' '..='~') => Ok(()),
                Some(_) => Err("\\c must be followed by a printable ASCII character"),
            },
            'p' | 'P' => self.property(),
            'I' | 'J' | 'M' | 'O' | 'T' | 'Y' | 'i' | 'j' | 'm' | 'q' | 'y' => Err(UNKNOWN_ESCAPE),
            _ => Ok(()),
        }
    }

    /// Digits up to `}`.
    fn digits(&mut self, radix: u32, wrong: &'static str) -> Read<()> {
        let mut count = 0;
        loop {
            match self.text.next() {
                Some('}') if count > 0 => return Ok(()),
                None | Some('}') if count == 0 => return Err(NO_DIGITS),
                Some(digit) if digit.is_digit(radix) => count += 1,
                _ => return Err(wrong),
            }
        }
    }

    fn property(&mut self) -> Read<()> {
        const MALFORMED: &str = "malformed \\P or \\p sequence";
        let name = match self.text.next().ok_or(MALFORMED)? {
            '{' => {
                let mut name = String::new();
                loop {
                    match self.text.next().ok_or(MALFORMED)? {
                        '}' => break name,
                        character => name.push(character),
                    }
                }
            }
            letter if letter.is_ascii_alphabetic() => letter.to_string(),
            _ => return Err(MALFORMED),
        };
        self.has_unknown_property |= property::class(name.trim_start_matches('^')).is_none();
        Ok(())
    }

    /// After a `[`.
    fn class(&mut self) -> Read<()> {
        let start = self.text.at;
        if self.text.takes(":") {
            let rest: String = self.text.characters.iter().skip(self.text.at).take_while(|c| **c != ']').collect();
            if rest.ends_with(':') && rest.trim_end_matches(':').chars().all(|c| c.is_ascii_lowercase()) {
                return Err("POSIX named classes are supported only within a class");
            }
            self.text.at = start;
        }
        self.text.takes("^");
        let mut first = true;
        loop {
            let from = match self.text.next().ok_or(UNCLOSED_CLASS)? {
                ']' if !first => return Ok(()),
                '[' if matches!(self.text.peek(), Some(':' | '.' | '=')) => {
                    self.posix_class()?;
                    None
                }
                '\\' => self.class_escape()?,
                other => Some(other),
            };
            first = false;
            if !self.text.begins_range() {
                continue;
            }
            // A class as one end of a range.
            const RANGE: &str = "invalid range in character class";
            self.text.at += 1;
            let from = from.ok_or(RANGE)?;
            let to = match self.text.next().ok_or(UNCLOSED_CLASS)? {
                '[' if matches!(self.text.peek(), Some(':' | '.' | '=')) => {
                    self.posix_class()?;
                    return Err(RANGE);
                }
                '\\' => self.class_escape()?.ok_or(RANGE)?,
                other => other,
            };
            if to < from {
                return Err("range out of order in character class");
            }
        }
    }

    /// `[:NAME:]` after its first bracket.
    fn posix_class(&mut self) -> Read<()> {
        const NAMES: [&str; 14] = [
            "alpha", "lower", "upper", "alnum", "ascii", "blank", "cntrl", "digit", "graph", "print", "punct", "space",
            "word", "xdigit",
        ];
        let kind = self.text.peek().unwrap_or(':');
        let rest: String = self.text.characters.iter().skip(self.text.at + 1).take(POSIX_CLASS).collect();
        let Some((name, _)) = rest.split_once(&format!("{kind}]")) else { return Ok(()) };
        if !name.chars().all(|c| c.is_ascii_alphabetic() || c == '^') {
            return Ok(());
        }
        if kind != ':' {
            return Err("POSIX collating elements are not supported");
        }
        if !NAMES.contains(&name.trim_start_matches('^')) {
            return Err("unknown POSIX class name");
        }
        self.text.at += name.len() + 3;
        Ok(())
    }

    /// An escape in brackets after its backslash: the character that it stands for, if it is one.
    fn class_escape(&mut self) -> Read<Option<char>> {
        let letter = self.text.next().ok_or(UNCLOSED_CLASS)?;
        match letter {
            'A' | 'B' | 'C' | 'G' | 'K' | 'R' | 'X' | 'Z' | 'k' | 'z' => return Err(NOT_IN_CLASS),
            'N' if self.text.peek() != Some('{') => return Err("\\N is not supported in a class"),
            'd' | 'D' | 'h' | 'H' | 's' | 'S' | 'v' | 'V' | 'w' | 'W' => return Ok(None),
            'b' => return Ok(Some('\x08')),
            'p' | 'P' => return self.property().map(|()| None),
            _ => {}
        }
        let start = self.text.at;
        self.character(letter)?;
        self.text.at = start;
        let character = self.text.escaped_in_brackets(letter);
        Ok(Some(character.unwrap_or(letter)))
    }

    /// After a `(`.
    fn open(&mut self) -> Read<()> {
        self.depth += 1;
        if !self.text.takes("?") {
            self.groups.push(None);
            return Ok(());
        }
        match self.text.next().ok_or(UNCLOSED_GROUP)? {
            'P' if self.text.takes("<") => self.name('>')?,
            '<' if !matches!(self.text.peek(), Some('=' | '!')) => self.name('>')?,
            '\'' => self.name('\'')?,
            '<' | '=' | '!' | ':' | '>' | '|' | 'P' | '&' | 'R' | '+' | '0'..='9' | 'C' => {}
            '-' | 'i' | 'm' | 's' | 'x' | 'n' | 'J' | '^' => {
                while let Some(character) = self.text.peek() {
                    match character {
                        '-' | 'i' | 'm' | 's' | 'x' | 'n' | 'J' | '^' => self.text.at += 1,
                        ')' | ':' => return Ok(()),
                        _ => return Err("unrecognized character after (? or (?-"),
                    }
                }
                return Err(UNCLOSED_GROUP);
            }
            _ => return Err("unrecognized character after (? or (?-"),
        }
        Ok(())
    }

    /// The name of a group.
    fn name(&mut self, close: char) -> Read<()> {
        if self.text.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Err("subpattern name must start with a non-digit");
        }
        let mut name = String::new();
        loop {
            match self.text.next() {
                Some(character) if character == close && !name.is_empty() => break,
                Some(character) if character == '_' || character.is_alphanumeric() => name.push(character),
                Some(_) if name.is_empty() => return Err("subpattern name expected"),
                _ => return Err("syntax error in subpattern name (missing terminator?)"),
            }
        }
        self.groups.push(Some(name));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::mistake;

    #[test]
    fn what_pcre_may_take_is_no_mistake() {
        let patterns = [
            "(a)?(?(1)b|c)",
            r"(*UCP)\w+",
            "(*CRLF)a",
            "(*NUL)a",
            "(*BSR_ANYCRLF)a",
            "(*atomic:a)b",
            "(*pla:a)a",
            "(*:x)a",
            "a(?#c)*",
            "(?x)a # ( x",
            "(?i-x)(?ix: a # (\u{e9} x",
            r"\p{Quotation_Mark}",
            r"\p{Bidi_Mirrored}",
            r"\p{Bidi_Class:L}",
            r"\p{IDS_Binary_Operator}",
            r"\p{Cs}",
            r"\p{Lc}",
            // A mistake, and PCRE's first one may be another.
            r"\p{Foo}(",
        ];
        for pattern in patterns {
            assert_eq!(mistake(pattern), None, "{pattern}");
        }
        assert_eq!(mistake(r"\p{L}("), Some("missing closing parenthesis"));
        assert_eq!(mistake("(?i)("), Some("missing closing parenthesis"));
    }

    #[test]
    fn a_hostile_pattern_is_read_in_linear_time() {
        let repeated = |text: &str| text.repeat(200_000);
        let start = std::time::Instant::now();
        assert_eq!(mistake(&repeated("{")), None);
        assert_eq!(mistake(&(repeated("{") + "}")), None);
        assert_eq!(mistake(&format!("[{}]", repeated("[:"))), None);
        assert_eq!(mistake(&format!("[{}:]]", repeated("[:"))), Some("unknown POSIX class name"));
        // With quadratic time it is minutes.
        assert!(start.elapsed() < std::time::Duration::from_secs(20));
    }
}
