//! `-P`: Perl's expressions, as far as the regex crate's are the same.
//!
//! Both search leftmost-first. All else is done by [`Backtracking`], which also says what is wrong; `\K` is done here where it stands
//! by itself at the outer level. As in grep 3.8 `\d`, `\w`, `\s` and `\b` know ASCII only, and outside brackets `\D`, `\W` and `\S` match
//! ASCII characters only.

use hookshell_regex::pcre::property_class;
use hookshell_regex::{SEARCH_CACHES, SearchError};
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{Input, meta};

use super::backtrack::Backtracking;
use super::pattern_text::{INTERVAL, PatternText, unquoted};
use super::searched::Searched;
use super::source::{Source, Wrong};

/// What an expression may take.
const SIZE: usize = 16 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct Perl {
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    /// `keeps`: the part after `\K` is group 1.
    Automaton {
        regex: Regex,
        keeps: bool,
    },
    Backtracking(Backtracking),
}

impl Perl {
    pub(crate) fn compile(source: &Source) -> Result<Self, Wrong> {
        let engine = match Self::automaton(source) {
            Some(engine) => engine,
            None => Engine::Backtracking(Backtracking::compile(source)?),
        };
        Ok(Self { engine })
    }

    fn automaton(source: &Source) -> Option<Engine> {
        let text = std::str::from_utf8(&source.patterns).ok()?;
        if text.contains('\n') || source.bytes && !text.is_ascii() {
            return None;
        }
        // A quotation that is not closed quotes what grep puts around it too.
        if source.words && text.contains("\\Q") {
            return None;
        }
        let mut translation = Translation {
            text: PatternText::new(unquoted(text)?),
            out: String::new(),
            keeps: false,
            bytes: source.bytes,
            ignore_case: source.ignore_case,
            null: source.end == 0,
        };
        translation.alternatives(0)?;
        if translation.text.at < translation.text.characters.len() {
            return None;
        }
        let (inside, keeps) = (translation.out, translation.keeps);
        let inside = if keeps { inside.replace(KEEP, "(") + ")" } else { inside };
        let whole = match (source.lines, source.words) {
            (true, _) => format!(r"\A(?:{inside})\z"),
            (false, true) => format!(r"(?-u:\b{{start-half}})(?:{inside})(?-u:\b{{end-half}})"),
            (false, false) => inside,
        };
        let syntax = syntax::Config::new()
            .utf8(false)
            .unicode(!source.bytes)
            .case_insensitive(source.ignore_case)
            .nest_limit(200);
        let regex = Regex::builder()
            .configure(meta::Config::new().utf8_empty(false).nfa_size_limit(Some(SIZE)).pool_capacity(SEARCH_CACHES))
            .syntax(syntax)
            .build(&whole)
            .ok()?;
        Some(Engine::Automaton { regex, keeps })
    }

    /// The next line that may match begins here.
    pub(crate) fn candidate(&self, text: &[u8], from: usize) -> Option<usize> {
        (from < text.len()).then_some(from)
    }

    /// The leftmost match from `at` on.
    pub(crate) fn find(&self, line: &Searched<'_>, at: usize) -> Result<Option<(usize, usize)>, SearchError> {
        let (regex, keeps) = match &self.engine {
            Engine::Automaton { regex, keeps } => (regex, *keeps),
            Engine::Backtracking(regex) => return regex.find(line, at),
        };
        let input = Input::new(line.text).range(at..);
        if !keeps {
            return Ok(regex.find(input).map(|found| (found.start(), found.end())));
        }
        let mut captures = Captures::all(regex.group_info().clone());
        regex.search_captures(&input, &mut captures);
        Ok(captures.get_group(1).map(|span| (span.start, span.end)))
    }
}

/// Stands for `\K` while the rest is translated; no pattern has a NUL.
const KEEP: &str = "\0";

struct Translation {
    text: PatternText,
    out: String,
    keeps: bool,
    bytes: bool,
    ignore_case: bool,
    /// Lines end with NUL, so that a newline may stand in them.
    null: bool,
}

/// `\h` and `\v`, as members of a class.
const HORIZONTAL: &str = r"\t\x20\u{A0}\u{1680}\u{180E}\u{2000}-\u{200A}\u{202F}\u{205F}\u{3000}";
const VERTICAL: &str = r"\n-\r\u{85}\u{2028}\u{2029}";

impl Translation {
    fn literal(&mut self, character: char) {
        if regex_syntax::is_meta_character(character) {
            self.out.push('\\');
        }
        self.out.push(character);
    }

    /// Up to the end or a `)`. `None`: something that is not the same.
    fn alternatives(&mut self, depth: usize) -> Option<()> {
        if depth > 100 {
            return None;
        }
        while let Some(character) = self.text.peek() {
            let start = self.out.len();
            match character {
                ')' => return (depth > 0).then_some(()),
                '|' => {
                    if self.keeps {
                        return None;
                    }
                    self.text.at += 1;
                    self.out.push('|');
                    continue;
                }
                '^' | '$' => {
                    self.text.at += 1;
                    self.out.push_str(if character == '^' { r"\A" } else { r"\z" });
                    if matches!(self.text.peek(), Some('*' | '+' | '?' | '{')) {
                        return None;
                    }
                    continue;
                }
                '*' | '+' | '?' => return None,
                '{' => {
                    self.text.at += 1;
                    // One that repeats nothing, or so often that it is not done here.
                    if self.text.is_interval() {
                        return None;
                    }
                    self.literal(character);
                }
                '(' => {
                    self.text.at += 1;
                    let open = if self.text.takes("?:") || !matches!(self.text.peek(), Some('?' | '*')) {
                        "(?:"
                    } else if self.text.takes("?i:") {
                        self.ignore_case = true;
                        "(?i:"
                    } else if start == 0 && self.text.takes("?i)") {
                        self.ignore_case = true;
                        self.out.push_str("(?i)");
                        continue;
                    } else {
                        return None;
                    };
                    self.out.push_str(open);
                    let keeps = self.keeps;
                    self.alternatives(depth + 1)?;
                    if self.text.next() != Some(')') || self.keeps != keeps {
                        return None;
                    }
                    self.out.push(')');
                }
                '[' => {
                    self.text.at += 1;
                    self.class()?;
                }
                '.' => {
                    self.text.at += 1;
                    self.out.push('.');
                }
                '\\' => {
                    self.text.at += 1;
                    if self.text.peek() == Some('K') {
                        if depth > 0 || self.keeps || self.has_alternatives() {
                            return None;
                        }
                        self.text.at += 1;
                        self.keeps = true;
                        self.out.push_str(KEEP);
                        continue;
                    }
                    if !self.escape()? {
                        continue;
                    }
                }
                other => {
                    self.text.at += 1;
                    self.literal(other);
                }
            }
            self.repetition(start)?;
        }
        (depth == 0).then_some(())
    }

    /// Is there a `|` anywhere?
    fn has_alternatives(&self) -> bool {
        self.text.characters.contains(&'|')
    }

    /// An escape outside brackets; `false`: it is a place, which is not repeated.
    fn escape(&mut self) -> Option<bool> {
        let character = self.text.next()?;
        match character {
            'd' => self.out.push_str("[0-9]"),
            // Outside brackets grep 3.8's PCRE finds ASCII characters only, or any byte.
            'D' | 'W' | 'S' => {
                let class = match character {
                    'D' => "0-9",
                    'W' => "0-9A-Za-z_",
                    _ => r"\t-\r\x20",
                };
                let within = if self.bytes { r"\x00-\xFF" } else { r"\x00-\x7F" };
                self.out.push_str(&format!("(?-i:[{within}--[{class}]])"));
            }
            // Their letters have no other cases beyond ASCII.
            'w' => self.out.push_str("(?-i:[0-9A-Za-z_])"),
            's' => self.out.push_str(r"[\t-\r ]"),
            'h' if self.bytes => return None,
            'h' => self.out.push_str(&format!("[{HORIZONTAL}]")),
            'H' | 'V' | 'v' | 'R' | 'N' if self.bytes || self.null => return None,
            'H' => self.out.push_str(&format!("[^{HORIZONTAL}]")),
            'v' => self.out.push_str(&format!("[{VERTICAL}]")),
            'V' => self.out.push_str(&format!("[^{VERTICAL}]")),
            // There is no newline in a line that `\r` could belong to.
            'R' => self.out.push_str(&format!("[{VERTICAL}]")),
            'N' if self.text.peek() != Some('{') => self.out.push('.'),
            'p' | 'P' => {
                let class = self.property(character == 'P')?;
                self.out.push_str(&class);
            }
            // Before a newline at the end too.
            'Z' if self.null => return None,
            'b' | 'B' | 'A' | 'z' | 'Z' => {
                self.out.push_str(match character {
                    'b' => r"(?-u:\b)",
                    'B' => r"(?-u:\B)",
                    'A' => r"\A",
                    _ => r"\z",
                });
                return (!matches!(self.text.peek(), Some('*' | '+' | '?' | '{'))).then_some(false);
            }
            '1'..='7' => {
                let character = self.text.three_octal_digits(character).filter(|c| c.is_ascii() || !self.bytes)?;
                self.literal(character);
            }
            other => {
                let character = self
                    .text
                    .escaped(other)
                    .filter(|character| *character != '\0' && (character.is_ascii() || !self.bytes))?;
                self.literal(character);
            }
        }
        Some(true)
    }

    /// The class of `\p` or `\P`.
    fn property(&mut self, negated: bool) -> Option<String> {
        // The case of a property is not ignored.
        if self.bytes || self.ignore_case {
            return None;
        }
        let (name, inverted) = self.text.property()?;
        let class = property_class(&name)?;
        Some(if negated != inverted { format!("[^{class}]") } else { class })
    }

    /// The character that an escape in brackets stands for; NUL is not done.
    fn escaped(&mut self, escape: char) -> Option<char> {
        self.text
            .escaped_in_brackets(escape)
            .filter(|character| *character != '\0' && (character.is_ascii() || !self.bytes))
    }

    fn class(&mut self) -> Option<()> {
        // `[:alpha:]` without another pair of brackets is an error.
        if let Some(sign @ (':' | '.' | '=')) = self.text.peek() {
            let rest = self.text.characters.get(self.text.at + 1..)?;
            let end = rest.iter().position(|c| *c == ']')?;
            if end > 0 && rest.get(end - 1) == Some(&sign) {
                return None;
            }
        }
        self.out.push('[');
        if self.text.takes("^") {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let character = self.text.next()?;
            match character {
                ']' if !first => break,
                '[' if matches!(self.text.peek(), Some(':' | '.' | '=')) => {
                    let rest: String = self.text.characters.get(self.text.at..)?.iter().take(12).collect();
                    let name = rest.strip_prefix(':')?.split(":]").next()?.to_owned();
                    let known = [
                        "alpha", "digit", "alnum", "upper", "lower", "space", "punct", "xdigit", "blank", "cntrl",
                        "graph", "print", "word",
                    ];
                    if !known.contains(&name.as_str()) || !self.text.takes(&format!(":{name}:]")) {
                        return None;
                    }
                    self.out.push_str(&format!("[:{name}:]"));
                    self.ends_class()?;
                }
                '\\' => match self.text.next()? {
                    class @ ('d' | 'w' | 's' | 'D' | 'W' | 'S') => {
                        self.out.push_str(match class {
                            'd' => "0-9",
                            'w' => "0-9A-Za-z_",
                            's' => r"\t-\r\x20",
                            'D' => "[^0-9]",
                            'W' => "[^0-9A-Za-z_]",
                            _ => r"[^\t-\r\x20]",
                        });
                        self.ends_class()?;
                    }
                    'h' | 'H' | 'V' | 'v' | 'N' if self.bytes => return None,
                    class @ ('h' | 'v' | 'H' | 'V') => {
                        let members = if matches!(class, 'h' | 'H') { HORIZONTAL } else { VERTICAL };
                        if class.is_ascii_uppercase() {
                            self.out.push_str(&format!("[^{members}]"));
                        } else {
                            self.out.push_str(members);
                        }
                        self.ends_class()?;
                    }
                    escape @ ('p' | 'P') => {
                        let class = self.property(escape == 'P')?;
                        self.out.push_str(&class);
                        self.ends_class()?;
                    }
                    'b' => {
                        self.literal('\x08');
                        self.range()?;
                    }
                    other => {
                        let unit = self.escaped(other)?;
                        self.literal(unit);
                        self.range()?;
                    }
                },
                other => {
                    self.literal(other);
                    self.range()?;
                }
            }
            first = false;
        }
        self.out.push(']');
        Some(())
    }

    /// After a class in brackets: no range begins with it.
    fn ends_class(&self) -> Option<()> {
        (!self.text.begins_range()).then_some(())
    }

    /// What may follow a character in brackets.
    fn range(&mut self) -> Option<()> {
        if !self.text.begins_range() {
            return Some(());
        }
        self.text.at += 1;
        let end = match self.text.next()? {
            '[' => return None,
            '\\' => {
                let escape = self.text.next()?;
                self.escaped(escape)?
            }
            other => other,
        };
        self.out.push('-');
        self.literal(end);
        Some(())
    }

    /// A repetition of what was written from `start` on.
    fn repetition(&mut self, start: usize) -> Option<()> {
        let times = match self.text.peek() {
            Some(sign @ ('*' | '+' | '?')) => {
                self.text.at += 1;
                sign.to_string()
            }
            Some('{') => {
                let rest = self.text.characters.get(self.text.at + 1..)?;
                let length = rest.iter().take(INTERVAL).position(|c| *c == '}');
                let inside: String = rest.get(..length.unwrap_or(0))?.iter().collect();
                let (low, high) = inside.split_once(',').unwrap_or((&inside, &inside));
                let is_number = |text: &str| text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
                if low.is_empty() || !is_number(low) || !is_number(high) {
                    // It stands for itself.
                    return Some(());
                }
                self.text.at += inside.chars().count() + 2;
                format!("{{{inside}}}")
            }
            _ => return Some(()),
        };
        let repeated = self.out.get(start..)?;
        // Loops of nothing end differently.
        let mut parser = regex_syntax::ParserBuilder::new().utf8(false).build();
        if times != "?" && parser.parse(repeated).ok()?.properties().minimum_len() == Some(0) {
            return None;
        }
        self.out.push_str(&times);
        match self.text.peek() {
            Some('?') => {
                self.text.at += 1;
                self.out.push('?');
                (!matches!(self.text.peek(), Some('*' | '+' | '?' | '{'))).then_some(())
            }
            Some('+' | '*' | '{') => None,
            _ => Some(()),
        }
    }
}
