//! What stands in parentheses: groups, look-around, conditions, calls, options and verbs.

use super::node::{Condition, Fault, Node, Verb};
use super::parse::{Flags, Parser};

const UNCLOSED: Fault = Fault::Invalid("missing closing parenthesis");
const UNKNOWN: Fault = Fault::Invalid("unrecognized character after (? or (?-");
const UNKNOWN_VERB: Fault = Fault::Invalid("(*VERB) not recognized or malformed");

/// The look-arounds and atomic groups by their words: `(*pla:…)`.
const WORDS: [(&str, &str); 15] = [
    ("pla", "="),
    ("positive_lookahead", "="),
    ("nla", "!"),
    ("negative_lookahead", "!"),
    ("plb", "<="),
    ("positive_lookbehind", "<="),
    ("nlb", "<!"),
    ("negative_lookbehind", "<!"),
    ("napla", "*"),
    ("non_atomic_positive_lookahead", "*"),
    ("naplb", "*"),
    ("non_atomic_positive_lookbehind", "*"),
    ("atomic", ">"),
    ("sr", "*"),
    ("script_run", "*"),
];

impl Parser<'_> {
    /// After a `(`: what it is, and whether it can be repeated.
    pub(super) fn parenthesis(&mut self) -> Result<(Node, bool), Fault> {
        if self.peek() == Some('*')
            && self.characters.get(self.at + 1).is_some_and(|c| *c == ':' || c.is_ascii_alphabetic())
        {
            self.at += 1;
            return self.word();
        }
        if !self.takes("?") {
            let node = if self.flags.no_capture { self.inside()? } else { self.capture(None)? };
            return Ok((node, true));
        }
        let Some(kind) = self.peek() else { return Err(UNCLOSED) };
        let node = match kind {
            ':' => {
                self.at += 1;
                match self.inside()? {
                    // In a look-behind each of its own alternatives has a length, but not those of a group in it.
                    node @ Node::Alternatives(_) => Node::Concat(vec![node]),
                    node => node,
                }
            }
            '|' => {
                self.at += 1;
                // As above.
                Node::Concat(vec![self.branch_reset()?])
            }
            '>' => {
                self.at += 1;
                Node::Atomic(Box::new(self.inside()?))
            }
            '=' | '!' | '*' => {
                self.at += 1;
                if kind == '*' {
                    return Err(Fault::Unsupported);
                }
                self.look(true, kind == '!')?
            }
            '<' if matches!(self.characters.get(self.at + 1), Some('=' | '!')) => {
                let negated = self.characters.get(self.at + 1) == Some(&'!');
                self.at += 2;
                self.look(false, negated)?
            }
            '<' | '\'' => {
                self.at += 1;
                self.named_capture(if kind == '<' { '>' } else { '\'' })?
            }
            'P' => {
                self.at += 1;
                match self.next() {
                    Some('<') => self.named_capture('>')?,
                    Some('=') => {
                        let name = self.name(')')?;
                        self.reference(self.named(&name)?)
                    }
                    Some('>') => self.named_call()?,
                    Some(_) => return Err(Fault::Invalid("unrecognized character after (?P")),
                    None => return Err(UNCLOSED),
                }
            }
            '&' => {
                self.at += 1;
                self.named_call()?
            }
            'R' => {
                self.at += 1;
                match self.next() {
                    Some(')') => Node::Call(0),
                    _ => {
                        return Err(Fault::Invalid(
                            "(?R (recursive pattern call) must be followed by a closing parenthesis",
                        ));
                    }
                }
            }
            '+' | '0'..='9' => self.numbered_call()?,
            '-' if self.characters.get(self.at + 1).is_some_and(char::is_ascii_digit) => self.numbered_call()?,
            'C' => return self.call_out(),
            '(' => {
                self.at += 1;
                self.condition()?
            }
            '[' => return Err(Fault::Unsupported),
            _ => return self.options(),
        };
        Ok((node, true))
    }

    /// The rest of a group, with its `)`. Options that are set in it end with it.
    fn inside(&mut self) -> Result<Node, Fault> {
        let flags = self.flags;
        let node = self.alternatives()?;
        self.flags = flags;
        self.close()?;
        Ok(node)
    }

    fn close(&mut self) -> Result<(), Fault> {
        if self.next() == Some(')') { Ok(()) } else { Err(UNCLOSED) }
    }

    fn capture(&mut self, name: Option<String>) -> Result<Node, Fault> {
        self.groups.count += 1;
        let number = self.groups.count;
        if let Some(name) = name {
            let known = self.groups.names.iter().find(|(own, _)| *own == name).map(|(_, number)| *number);
            match known {
                Some(own) if own != number && !self.flags.duplicate_names => {
                    return Err(Fault::Invalid("two named subpatterns have the same name (PCRE2_DUPNAMES not set)"));
                }
                Some(own) if own == number => {}
                _ => {
                    if self.groups.names.iter().any(|(_, own)| *own == number) {
                        return Err(Fault::Invalid(
                            "different names for subpatterns of the same number are not allowed",
                        ));
                    }
                    self.groups.names.push((name, number));
                }
            }
        }
        Ok(Node::Group(number, Box::new(self.inside()?)))
    }

    fn named_capture(&mut self, close: char) -> Result<Node, Fault> {
        let name = self.name(close)?;
        self.capture(Some(name))
    }

    fn named_call(&mut self) -> Result<Node, Fault> {
        let name = self.name(')')?;
        let number = self.named(&name)?.first().copied().unwrap_or(0);
        self.call(number)
    }

    fn numbered_call(&mut self) -> Result<Node, Fault> {
        let number = self.signed()?.ok_or(Fault::Invalid("digit expected after (?+ or (?-"))?;
        if self.next() != Some(')') {
            return Err(Fault::Invalid("(?R (recursive pattern call) must be followed by a closing parenthesis"));
        }
        self.call(number)
    }

    fn look(&mut self, ahead: bool, negated: bool) -> Result<Node, Fault> {
        self.looks += 1;
        let inner = self.inside()?;
        self.looks -= 1;
        Ok(Node::Look { ahead, negated, inner: Box::new(inner) })
    }

    /// `(?|`: each alternative numbers its groups from the same number on.
    fn branch_reset(&mut self) -> Result<Node, Fault> {
        let flags = self.flags;
        let start = self.groups.count;
        let mut most = start;
        let mut nodes = Vec::new();
        loop {
            self.groups.count = start;
            nodes.push(self.sequence()?);
            most = most.max(self.groups.count);
            if self.peek() != Some('|') {
                break;
            }
            self.at += 1;
        }
        self.groups.count = most;
        self.flags = flags;
        self.close()?;
        Ok(Node::Alternatives(nodes))
    }

    /// `(?i)`, `(?i:…)`: the letter has not been taken.
    fn options(&mut self) -> Result<(Node, bool), Fault> {
        let outer = self.flags;
        let mut flags = outer;
        let mut on = true;
        let mut may_unset = true;
        if self.takes("^") {
            flags = Flags { duplicate_names: outer.duplicate_names, lazy: outer.lazy, ..Flags::default() };
            may_unset = false;
        }
        loop {
            match self.next() {
                Some('-') if on && may_unset => on = false,
                Some('-') => return Err(Fault::Invalid("invalid hyphen in option setting")),
                Some('i') => flags.ignore_case = on,
                Some('m') => flags.multi_line = on,
                Some('s') => flags.dot_all = on,
                Some('n') => flags.no_capture = on,
                Some('J') => flags.duplicate_names = on,
                Some('U') => flags.lazy = on,
                Some('x') => {
                    flags.extended = on;
                    flags.more_extended = on && self.takes("x");
                    if !on {
                        self.takes("x");
                    }
                }
                // They hold up to the end of the group that they stand in.
                Some(')') => {
                    self.flags = flags;
                    return Ok((Node::Empty, false));
                }
                Some(':') => {
                    self.flags = flags;
                    let node = self.alternatives()?;
                    self.flags = outer;
                    self.close()?;
                    return Ok((node, true));
                }
                Some(_) => return Err(UNKNOWN),
                None => return Err(UNCLOSED),
            }
        }
    }

    /// `(?C)`, `(?C1)`: without a program to call it does nothing.
    fn call_out(&mut self) -> Result<(Node, bool), Fault> {
        self.at += 1;
        let digits = self.digits();
        if self.peek().is_some_and(|c| "`'\"^%#${".contains(c)) && digits.is_empty() {
            return Err(Fault::Unsupported);
        }
        if !digits.is_empty() && digits.parse::<u8>().is_err() {
            return Err(Fault::Invalid("number after (?C is greater than 255"));
        }
        match self.next() {
            Some(')') => Ok((Node::Empty, false)),
            None if digits.is_empty() => Err(UNCLOSED),
            _ => Err(Fault::Invalid("closing parenthesis for (?C expected")),
        }
    }

    /// `(?(`: which condition, and its two branches.
    fn condition(&mut self) -> Result<Node, Fault> {
        const UNCLOSED_CONDITION: Fault = Fault::Invalid("missing closing parenthesis for condition");
        let mut defines = false;
        let Some(kind) = self.peek() else { return Err(UNCLOSED) };
        let condition = if matches!(kind, '?' | '*') {
            let by_word = kind == '*';
            let is_look = matches!(self.characters.get(self.at + 1), Some('=' | '!' | '<' | '*' | 'C'));
            if !by_word && !is_look {
                return Err(Fault::Invalid("assertion expected after (?( or (?(?C)"));
            }
            self.depth += 1;
            let found = self.parenthesis();
            self.depth -= 1;
            match found? {
                (look @ Node::Look { .. }, _) => Condition::Look(Box::new(look)),
                _ if by_word => return Err(Fault::Invalid("(*alpha_assertion) not recognized")),
                _ => return Err(Fault::Invalid("assertion expected after (?( or (?(?C)")),
            }
        } else if let Some(number) = self.signed()? {
            if self.next() != Some(')') {
                return Err(UNCLOSED_CONDITION);
            }
            if number == 0 {
                return Err(super::parse::NO_GROUP);
            }
            Condition::Group(self.number(number)?)
        } else if self.takes("R&") {
            let name = self.name(')')?;
            Condition::Recursion(Some(self.named(&name)?))
        } else if self.takes("VERSION") {
            self.version()?
        } else {
            let close = match self.peek() {
                Some('<') => Some('>'),
                Some('\'') => Some('\''),
                _ => None,
            };
            self.at += usize::from(close.is_some());
            let name = self.name(close.unwrap_or(')'))?;
            if close.is_some() && self.next() != Some(')') {
                return Err(UNCLOSED_CONDITION);
            }
            let is_known = self.all.is_none_or(|all| !all.named(&name).is_empty());
            match name.strip_prefix('R') {
                _ if close.is_some() => Condition::Group(self.named(&name)?),
                Some("") if !is_known || self.all.is_none() => Condition::Recursion(None),
                Some(digits)
                    if !digits.is_empty()
                        && digits.bytes().all(|b| b.is_ascii_digit())
                        && (!is_known || self.all.is_none()) =>
                {
                    let number = digits.parse::<usize>().map_err(|_| super::parse::NO_GROUP)?;
                    Condition::Recursion(Some(self.number(number)?))
                }
                _ if name == "DEFINE" => {
                    defines = true;
                    Condition::Never
                }
                _ => Condition::Group(self.named(&name)?),
            }
        };
        let flags = self.flags;
        let yes = self.sequence()?;
        let mut no = Node::Empty;
        if self.peek() == Some('|') {
            if defines {
                return Err(Fault::Invalid("DEFINE subpattern contains more than one branch"));
            }
            self.at += 1;
            no = self.sequence()?;
            while self.peek() == Some('|') {
                // PCRE sees this when it has read all.
                if self.all.is_some() {
                    return Err(Fault::Invalid("conditional subpattern contains more than two branches"));
                }
                self.at += 1;
                no = self.sequence()?;
            }
        }
        self.flags = flags;
        self.close()?;
        Ok(Node::Condition(condition, Box::new(yes), Box::new(no)))
    }

    /// `VERSION>=10.4`: this is 10.42.
    fn version(&mut self) -> Result<Condition, Fault> {
        const WRONG: Fault = Fault::Invalid("syntax error or number too big in (?(VERSION condition");
        const OWN: (u32, u32) = (10, 42);
        let at_least = self.takes(">");
        if !self.takes("=") {
            return Err(WRONG);
        }
        let major = self.digits().parse::<u32>().map_err(|_| WRONG)?;
        let mut minor = 0;
        if self.takes(".") {
            let digits = self.digits();
            minor = match digits.len() {
                1 => digits.parse::<u32>().map_err(|_| WRONG)? * 10,
                2 => digits.parse().map_err(|_| WRONG)?,
                _ => return Err(WRONG),
            };
        }
        if self.next() != Some(')') {
            return Err(WRONG);
        }
        let holds = if at_least { OWN >= (major, minor) } else { OWN == (major, minor) };
        Ok(if holds { Condition::Always } else { Condition::Never })
    }

    /// `(*`: a verb, or a group by its word.
    fn word(&mut self) -> Result<(Node, bool), Fault> {
        let mut name = String::new();
        while let Some(character) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(character);
            self.at += 1;
        }
        if name.starts_with(|c: char| c.is_ascii_lowercase()) {
            const NOT_KNOWN: Fault = Fault::Invalid("(*alpha_assertion) not recognized");
            if self.next() != Some(':') {
                return Err(NOT_KNOWN);
            }
            let sign = WORDS.iter().find(|(own, _)| *own == name).map(|(_, sign)| *sign);
            let node = match sign {
                Some(">") => Node::Atomic(Box::new(self.inside()?)),
                Some("*") => return Err(Fault::Unsupported),
                Some(sign) => self.look(!sign.starts_with('<'), sign.ends_with('!'))?,
                None if name == "asr" || name == "atomic_script_run" => return Err(Fault::Unsupported),
                None => return Err(NOT_KNOWN),
            };
            return Ok((node, true));
        }
        let mut argument = None;
        if self.takes(":") {
            let mut text = String::new();
            while let Some(character) = self.peek().filter(|c| *c != ')') {
                text.push(character);
                self.at += 1;
            }
            argument = Some(text);
        }
        if self.next() != Some(')') {
            return Err(UNKNOWN_VERB);
        }
        let mark = |parser: &mut Self, text: String| match parser.marks.iter().position(|own| *own == text) {
            Some(number) => number,
            None => {
                parser.marks.push(text);
                parser.marks.len() - 1
            }
        };
        let argument = argument.filter(|text| !text.is_empty());
        let node = match (name.as_str(), argument) {
            ("" | "MARK", None) => return Err(Fault::Invalid("(*MARK) must have an argument")),
            ("" | "MARK", Some(text)) => Node::Mark(mark(self, text)),
            ("SKIP", Some(text)) => Node::Verb(Verb::SkipTo(mark(self, text))),
            (name, argument) => {
                let node = match name {
                    "ACCEPT" => Node::Accept,
                    "F" | "FAIL" => Node::Fail,
                    "COMMIT" => Node::Verb(Verb::Commit),
                    "PRUNE" => Node::Verb(Verb::Prune),
                    "SKIP" => Node::Verb(Verb::Skip),
                    "THEN" => Node::Verb(Verb::Then),
                    _ => return Err(UNKNOWN_VERB),
                };
                match argument {
                    Some(text) => Node::Concat(vec![Node::Mark(mark(self, text)), node]),
                    None => node,
                }
            }
        };
        // PCRE lets this verb alone be repeated.
        Ok((node, name == "ACCEPT"))
    }
}
