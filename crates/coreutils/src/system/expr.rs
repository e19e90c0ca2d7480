//! `expr`: evaluate expressions.

use hookshell_regex::{Builder, Captures, Subject, Syntax};
use hookshell_utility::Profile;
use hookshell_utility::locale;
use hookshell_utility::prepare;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `expr EXPRESSION` (XCU `expr`, GNU's `match substr index length +`). Numbers beyond 128 bits are the real one's.
pub(crate) struct Expr;

/// How deep parentheses may nest.
const DEPTH: usize = 200;

/// What an expression came to: its text, or the message of an error.
type Outcome = Result<Vec<u8>, String>;

impl Utility for Expr {
    fn name(&self) -> &'static str {
        "expr"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(Profile::new(self.name()).usage(2).write_error(Some(3)), call, read, |running, outcome| match outcome {
            Ok(text) => {
                running.write(&[&text[..], b"\n"].concat())?;
                Ok(u8::from(is_null(&text)))
            }
            Err(message) => {
                running.message(message.as_bytes())?;
                Ok(2)
            }
        })
    }
}

/// Evaluates: nothing but the words takes part, so that what is not exact is known at once.
fn read(call: &UtilityCall<'_>) -> Result<Outcome, Unsupported> {
    let mut words: Vec<&[u8]> = call.argv.iter_from(1).collect();
    if words.first() == Some(&&b"--"[..]) {
        words.remove(0);
    }
    if words.is_empty() {
        return Ok(Err("missing operand\nTry 'expr --help' for more information.".to_owned()));
    }
    if words.len() == 1 && matches!(words.first(), Some(&(b"--help" | b"--version"))) {
        return Err(Unsupported::new("these operands"));
    }
    let mut evaluation = Evaluation { words, at: 0, bytes: locale::is_bytes(call.env), depth: 0 };
    let result = evaluation.or(true);
    let result = match result {
        Ok(_) if evaluation.at < evaluation.words.len() => {
            let word = evaluation.words.get(evaluation.at).copied().unwrap_or_default();
            let word = quoted(word).ok_or_else(|| Unsupported::new("these operands"))?;
            Err(Stop::Message(format!("syntax error: unexpected argument {word}")))
        }
        result => result,
    };
    match result {
        Ok(text) => Ok(Ok(text)),
        Err(Stop::Message(message)) => Ok(Err(message)),
        Err(Stop::Unsupported(what)) => Err(Unsupported::new(what)),
    }
}

/// Why an evaluation ended.
enum Stop {
    Message(String),
    Unsupported(&'static str),
}

/// A word in a message; what is not plain is quoted by the real one.
fn quoted(word: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(word).ok()?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\'');
    is_plain.then(|| format!("'{}'", text.replace('\\', r"\\")))
}

struct Evaluation<'a> {
    words: Vec<&'a [u8]>,
    at: usize,
    bytes: bool,
    depth: usize,
}

/// Empty, or zero with any sign and number of digits.
fn is_null(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    text.is_empty() || !digits.is_empty() && digits.iter().all(|byte| *byte == b'0')
}

fn is_integer(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

impl Evaluation<'_> {
    fn peek(&self) -> Option<&[u8]> {
        self.words.get(self.at).copied()
    }

    fn takes(&mut self, word: &[u8]) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn one_of<'t>(&mut self, words: &[&'t [u8]]) -> Option<&'t [u8]> {
        let found = words.iter().copied().find(|word| self.peek() == Some(word));
        self.at += usize::from(found.is_some());
        found
    }

    /// `evaluate`: the value counts; else only the words are read, as after `0 &`.
    fn or(&mut self, evaluate: bool) -> Result<Vec<u8>, Stop> {
        let mut left = self.and(evaluate)?;
        while self.takes(b"|") {
            let right = self.and(evaluate && is_null(&left))?;
            if is_null(&left) {
                left = if is_null(&right) { b"0".to_vec() } else { right };
            }
        }
        Ok(left)
    }

    fn and(&mut self, evaluate: bool) -> Result<Vec<u8>, Stop> {
        let mut left = self.comparison(evaluate)?;
        while self.takes(b"&") {
            let right = self.comparison(evaluate && !is_null(&left))?;
            if is_null(&left) || is_null(&right) {
                left = b"0".to_vec();
            }
        }
        Ok(left)
    }

    fn comparison(&mut self, evaluate: bool) -> Result<Vec<u8>, Stop> {
        let mut left = self.sum(evaluate)?;
        while let Some(sign) = self.one_of(&[b"<=", b"<", b"==", b"=", b"!=", b">=", b">"]) {
            let right = self.sum(evaluate)?;
            let order = if is_integer(&left) && is_integer(&right) {
                number(&left)?.cmp(&number(&right)?)
            } else {
                left.cmp(&right)
            };
            let holds = match sign {
                b"<" => order.is_lt(),
                b"<=" => order.is_le(),
                b"=" | b"==" => order.is_eq(),
                b"!=" => order.is_ne(),
                b">=" => order.is_ge(),
                _ => order.is_gt(),
            };
            left = if holds { b"1".to_vec() } else { b"0".to_vec() };
        }
        Ok(left)
    }

    fn sum(&mut self, evaluate: bool) -> Result<Vec<u8>, Stop> {
        let mut left = self.product(evaluate)?;
        while let Some(sign) = self.one_of(&[b"+", b"-"]) {
            let right = self.product(evaluate)?;
            if evaluate {
                let (a, b) = (number(&left)?, number(&right)?);
                let result = if sign == b"+" { a.checked_add(b) } else { a.checked_sub(b) };
                left = written(result)?;
            }
        }
        Ok(left)
    }

    fn product(&mut self, evaluate: bool) -> Result<Vec<u8>, Stop> {
        let mut left = self.matching(evaluate)?;
        while let Some(sign) = self.one_of(&[b"*", b"/", b"%"]) {
            let right = self.matching(evaluate)?;
            if evaluate {
                let (a, b) = (number(&left)?, number(&right)?);
                if sign != b"*" && b == 0 {
                    return Err(Stop::Message("division by zero".to_owned()));
                }
                left = written(match sign {
                    b"*" => a.checked_mul(b),
                    b"/" => a.checked_div(b),
                    _ => a.checked_rem(b),
                })?;
            }
        }
        Ok(left)
    }

    fn matching(&mut self, evaluate: bool) -> Result<Vec<u8>, Stop> {
        let mut left = self.function(evaluate)?;
        while self.takes(b":") {
            let right = self.function(evaluate)?;
            if evaluate {
                left = self.matched(&left, &right)?;
            }
        }
        Ok(left)
    }

    fn function(&mut self, evaluate: bool) -> Result<Vec<u8>, Stop> {
        if self.takes(b"+") {
            return self.word();
        }
        if self.takes(b"length") {
            let text = self.function(evaluate)?;
            return Ok(self.count(&text).to_string().into_bytes());
        }
        if self.takes(b"match") {
            let text = self.function(evaluate)?;
            let pattern = self.function(evaluate)?;
            return if evaluate { self.matched(&text, &pattern) } else { Ok(text) };
        }
        if self.takes(b"index") {
            let text = self.function(evaluate)?;
            let wanted = self.function(evaluate)?;
            let wanted: Vec<_> = self.characters(&wanted).collect();
            let place = self.characters(&text).position(|character| wanted.contains(&character)).map_or(0, |at| at + 1);
            return Ok(place.to_string().into_bytes());
        }
        if self.takes(b"substr") {
            let text = self.function(evaluate)?;
            let from = self.function(evaluate)?;
            let length = self.function(evaluate)?;
            if !is_integer(&from) || !is_integer(&length) {
                return Ok(Vec::new());
            }
            let (from, length) = (number(&from)?, number(&length)?);
            if from <= 0 || length <= 0 {
                return Ok(Vec::new());
            }
            let skip = usize::try_from(from - 1).unwrap_or(usize::MAX);
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            return Ok(self.characters(&text).skip(skip).take(length).flatten().copied().collect());
        }
        self.primary(evaluate)
    }

    /// The next word, whatever it is.
    fn word(&mut self) -> Result<Vec<u8>, Stop> {
        match self.words.get(self.at) {
            Some(word) => {
                self.at += 1;
                Ok(word.to_vec())
            }
            None => Err(self.missing()),
        }
    }

    fn missing(&self) -> Stop {
        let before = self.at.checked_sub(1).and_then(|at| self.words.get(at)).copied().unwrap_or_default();
        match quoted(before) {
            Some(before) => Stop::Message(format!("syntax error: missing argument after {before}")),
            None => Stop::Unsupported("these operands"),
        }
    }

    fn primary(&mut self, evaluate: bool) -> Result<Vec<u8>, Stop> {
        if self.peek().is_none() {
            return Err(self.missing());
        }
        if self.takes(b"(") {
            self.depth += 1;
            if self.depth > DEPTH {
                return Err(Stop::Unsupported("so many parentheses"));
            }
            let value = self.or(evaluate)?;
            self.depth -= 1;
            if self.takes(b")") {
                return Ok(value);
            }
            let (place, at) = match self.peek() {
                None => ("after", self.at.saturating_sub(1)),
                Some(_) => ("instead of", self.at),
            };
            let word = quoted(self.words.get(at).copied().unwrap_or_default());
            let word = word.ok_or(Stop::Unsupported("a parenthesis that is not closed"))?;
            return Err(Stop::Message(format!("syntax error: expecting ')' {place} {word}")));
        }
        if self.peek() == Some(b")") {
            return Err(Stop::Message("syntax error: unexpected ')'".to_owned()));
        }
        self.word()
    }

    /// `text : pattern`: the first group, or how many characters match from the start.
    fn matched(&self, text: &[u8], pattern: &[u8]) -> Result<Vec<u8>, Stop> {
        let enclosed = Builder::new(Syntax::Expr).bytes(self.bytes).build(&[b"\\`\\(", pattern, b"\\)"].concat());
        // Alone, for what is wrong with it, and because back-references count from it.
        let alone = Builder::new(Syntax::Expr).bytes(self.bytes).build(pattern);
        let alone = match alone {
            Ok(regex) => regex,
            Err(hookshell_regex::Error::Memory) => return Err(Stop::Unsupported("so large an expression")),
            Err(error) => return Err(Stop::Message(error.to_string())),
        };
        // With a group around it their numbers would be others. The leftmost match is then the one at the start, where there
        // is one.
        let is_alone = alone.has_back_references();
        let groups = alone.group_count();
        let regex = if is_alone { Ok(alone) } else { enclosed };
        let Ok(regex) = regex else { return Err(Stop::Unsupported("this expression")) };
        let mut captures = Captures::new();
        let found = regex
            .captures(&Subject::new(text), &mut captures)
            .map_err(|_| Stop::Unsupported("an expression that takes so long"))?
            && captures.get(0).is_some_and(|(start, _)| start == 0);
        if groups > 0 {
            let span = if found { captures.get(if is_alone { 1 } else { 2 }) } else { None };
            return Ok(span.and_then(|(from, to)| text.get(from..to)).unwrap_or_default().to_vec());
        }
        let length = if found {
            captures.get(0).map_or(0, |(_, end)| self.count(text.get(..end).unwrap_or_default()))
        } else {
            0
        };
        Ok(length.to_string().into_bytes())
    }

    fn characters<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let single = self.bytes || text.is_ascii();
        let mut rest = text;
        std::iter::from_fn(move || {
            let length = if single { 1 } else { character(rest) };
            let (head, tail) = rest.split_at_checked(length).filter(|(head, _)| !head.is_empty())?;
            rest = tail;
            Some(head)
        })
    }

    fn count(&self, text: &[u8]) -> usize {
        if self.bytes || text.is_ascii() { text.len() } else { self.characters(text).count() }
    }
}

/// How long the first character is; a byte of none stands for itself.
fn character(text: &[u8]) -> usize {
    let whole = |length: &usize| {
        text.get(..*length).is_some_and(|head| std::str::from_utf8(head).is_ok_and(|head| head.chars().count() == 1))
    };
    (1..=4).find(whole).unwrap_or(1).min(text.len())
}

fn number(text: &[u8]) -> Result<i128, Stop> {
    if !is_integer(text) {
        return Err(Stop::Message("non-integer argument".to_owned()));
    }
    let value = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    value.ok_or(Stop::Unsupported("numbers of so many digits"))
}

fn written(number: Option<i128>) -> Result<Vec<u8>, Stop> {
    number.map(|number| number.to_string().into_bytes()).ok_or(Stop::Unsupported("numbers of so many digits"))
}
