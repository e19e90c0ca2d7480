//! Sets in brackets, and the properties of characters.

use super::{Fault, Options, Parser, invalid};
use crate::oniguruma::property;
use crate::oniguruma::set::{Class, Set};

impl Parser<'_> {
    /// After `[`.
    pub(super) fn set(&mut self, options: &Options) -> Result<Set, Fault> {
        let mut set = Set { negated: self.take("^"), ignore_case: options.ignore_case, ..Set::default() };
        let mut first = true;
        // Was the last member a class, such as `\d`?
        let mut after_class = false;
        loop {
            let Some(c) = self.peek() else {
                return invalid("premature end of char-class");
            };
            if std::mem::take(&mut after_class) && c == '-' && self.text.get(self.at + 1).is_some_and(|c| *c != ']') {
                return invalid("unmatched range specifier in char-class");
            }
            if c == ']' && first && !self.text.get(self.at + 1..).unwrap_or_default().contains(&']') {
                return invalid("empty char-class");
            }
            if c == ']' && !first {
                self.at += 1;
                return Ok(set);
            }
            first = false;
            if c == '[' && self.ahead("[:") && self.closes_bracket() {
                let names = [
                    ("[:digit:]", Class::Digit),
                    ("[:word:]", Class::Word),
                    ("[:space:]", Class::Space),
                    ("[:alpha:]", Class::Alpha),
                    ("[:alnum:]", Class::Alnum),
                    ("[:upper:]", Class::Upper),
                    ("[:lower:]", Class::Lower),
                    ("[:blank:]", Class::Blank),
                    ("[:cntrl:]", Class::Cntrl),
                    ("[:xdigit:]", Class::Xdigit),
                    ("[:ascii:]", Class::Ascii),
                ];
                if let Some((_, class)) = names.iter().find(|(name, _)| self.take(name)) {
                    set.classes.push((*class, false));
                    after_class = true;
                    continue;
                }
                self.at += 2;
                let negated = self.take("^");
                let mut name = String::new();
                while let Some(c) = self.peek().filter(|c| *c != ':') {
                    name.push(c);
                    self.at += 1;
                }
                self.at += 2;
                if !matches!(
                    name.as_str(),
                    "alnum"
                        | "alpha"
                        | "ascii"
                        | "blank"
                        | "cntrl"
                        | "digit"
                        | "graph"
                        | "lower"
                        | "print"
                        | "punct"
                        | "space"
                        | "upper"
                        | "word"
                        | "xdigit"
                ) {
                    return invalid("invalid POSIX bracket type");
                }
                // Here, unlike in `\p{Punct}`, symbols of ASCII are punctuation.
                let name = if name == "punct" { "punct or symbol" } else { &name };
                set.ranges.extend(property::ranges(name, negated).unwrap_or_default());
                after_class = true;
                continue;
            }
            self.at += 1;
            let from = match self.member(c, &mut set)? {
                Some(from) => from,
                None => {
                    after_class = true;
                    continue;
                }
            };
            if self.ahead("-") && self.text.get(self.at + 1).is_some_and(|c| *c != ']') {
                self.at += 1;
                let Some(c) = self.peek() else {
                    return invalid("premature end of char-class");
                };
                if c == '[' && self.ahead("[:") {
                    return Err("a class in a class".into());
                }
                self.at += 1;
                match self.member(c, &mut set)? {
                    Some(to) if to >= from => set.ranges.push((from, to)),
                    Some(_) => return invalid("empty range in char class"),
                    None => return invalid("char-class value at end of range"),
                }
            } else {
                set.ranges.push((from, from));
            }
        }
    }

    /// Does a `[:` have its `:]`?
    fn closes_bracket(&self) -> bool {
        let rest = self.text.get(self.at + 2..).unwrap_or_default();
        let end = rest.iter().position(|c| !(c.is_ascii_alphanumeric() || *c == '^'));
        end.is_some_and(|end| rest.get(end..end + 2) == Some(&[':', ']']))
    }

    /// A character of a class; `None`: it was a class.
    fn member(&mut self, c: char, set: &mut Set) -> Result<Option<char>, Fault> {
        if c != '\\' {
            return Ok(Some(c));
        }
        let Some(c) = self.peek() else {
            return invalid("end pattern at escape");
        };
        self.at += 1;
        if let Some(class) = Self::class(c) {
            set.classes.push(class);
            return Ok(None);
        }
        if c == 'b' {
            return Ok(Some('\x08'));
        }
        if let Some(digit) = c.to_digit(8) {
            return self.octal(digit, 2, true).map(Some);
        }
        if let Some(ranges) = self.property(c)? {
            set.ranges.extend(ranges);
            return Ok(None);
        }
        match self.escaped_char(c, true)? {
            Some(c) => Ok(Some(c)),
            None => Err(Fault::Unsupported(format!("\\{c}"))),
        }
    }

    /// After `\p` or `\P`.
    pub(super) fn property(&mut self, c: char) -> Result<Option<Vec<(char, char)>>, Fault> {
        if !matches!(c, 'p' | 'P') || !self.take("{") {
            return Ok(None);
        }
        let negated = self.take("^") != (c == 'P');
        let Some(length) = self.text.get(self.at..).and_then(|rest| rest.iter().position(|c| *c == '}')) else {
            return Err("such a property".into());
        };
        let name: String = self.text.get(self.at..self.at + length).unwrap_or_default().iter().collect();
        self.at += length + 1;
        match property::ranges(&name, negated) {
            Some(ranges) => Ok(Some(ranges)),
            None if name.to_ascii_lowercase().starts_with("in") => Err("such a property".into()),
            None => Err(Fault::Invalid(format!("invalid character property name {{{name}}}"))),
        }
    }
}
