//! Regular expressions that names are tested against.
//!
//! Most are a few literals (`^bash$`, `Edit|Write`, `mcp__.*`). Those are compared as such: to compile an expression takes
//! longer than an inline hook, and `hookshell run` would do so for every matcher of a config (docs/PERFORMANCE.md).

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Dot, Hir, HirKind, Look};

/// How many bytes a compiled expression may take unless less was set: the regex crate's own limit.
const SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// An unanchored regular expression.
#[derive(Clone)]
pub(crate) struct NamePattern {
    source: String,
    /// What it amounts to for a name without a newline, which `.` does not match.
    literals: Option<Vec<Literal>>,
    /// How many bytes it may take when it is compiled.
    pub size_limit: usize,
    /// Compiled where there are no literals, or a name has a newline.
    regex: OnceLock<Option<Regex>>,
}

/// A literal that stands somewhere in the name.
#[derive(Debug, Clone, PartialEq)]
struct Literal {
    text: String,
    /// At its start.
    starts: bool,
    /// At its end.
    ends: bool,
}

impl NamePattern {
    /// Reads an expression; it is compiled when it is first asked for more than literals.
    ///
    /// # Errors
    /// The text is not a regular expression.
    pub(crate) fn new(pattern: &str) -> Result<Self, regex::Error> {
        let literals = match regex_syntax::parse(pattern) {
            Ok(hir) => literals(&hir),
            // What is wrong with it is said by who compiles it, and that begins with reading it.
            Err(_) => {
                Regex::new(pattern)?;
                None
            }
        };
        Ok(Self { source: pattern.to_owned(), literals, size_limit: SIZE_LIMIT, regex: OnceLock::new() })
    }

    /// Is it compared, and never compiled for an ordinary name?
    pub(crate) fn is_literal(&self) -> bool {
        self.literals.is_some()
    }

    /// Compiles it where it is more than literals, and keeps nothing of it.
    ///
    /// # Errors
    /// It would take more bytes than it may.
    pub(crate) fn check_size(&self) -> Result<(), regex::Error> {
        if self.literals.is_none() && self.regex.get().is_none() {
            self.build()?;
        }
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.regex.get().is_some()
    }

    fn build(&self) -> Result<Regex, regex::Error> {
        RegexBuilder::new(&self.source).size_limit(self.size_limit).dfa_size_limit(self.size_limit).build()
    }

    pub(crate) fn is_match(&self, name: &str) -> bool {
        match &self.literals {
            Some(literals) if !name.contains('\n') => literals.iter().any(|literal| literal.is_in(name)),
            _ => {
                let regex = self.regex.get_or_init(|| self.build().ok());
                // Where it is too large: better a hook too many than a guard that is not asked.
                regex.as_ref().is_none_or(|regex| regex.is_match(name))
            }
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.source
    }
}

impl Literal {
    fn is_in(&self, name: &str) -> bool {
        match (self.starts, self.ends) {
            (true, true) => name == self.text,
            (true, false) => name.starts_with(&self.text),
            (false, true) => name.ends_with(&self.text),
            (false, false) => name.contains(&self.text),
        }
    }
}

/// What an alternative is made of.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    Start,
    End,
    Text(String),
    /// `.*`
    Anything,
}

/// How many literals an expression may amount to.
const MAX_ALTERNATIVES: usize = 64;

fn literals(hir: &Hir) -> Option<Vec<Literal>> {
    alternatives(hir)?.iter().map(|items| literal(items)).collect()
}

/// The alternatives of an expression without loops.
fn alternatives(hir: &Hir) -> Option<Vec<Vec<Item>>> {
    let found = match hir.kind() {
        HirKind::Empty => vec![Vec::new()],
        HirKind::Literal(literal) => vec![vec![Item::Text(str::from_utf8(&literal.0).ok()?.to_owned())]],
        HirKind::Look(Look::Start) => vec![vec![Item::Start]],
        HirKind::Look(Look::End) => vec![vec![Item::End]],
        HirKind::Look(_) => return None,
        HirKind::Class(Class::Unicode(class)) => {
            let count: usize = class.iter().map(|range| range.len()).sum();
            if count > MAX_ALTERNATIVES {
                return None;
            }
            let characters = class.iter().flat_map(|range| range.start()..=range.end());
            characters.map(|character| vec![Item::Text(character.into())]).collect()
        }
        HirKind::Class(Class::Bytes(_)) => return None,
        HirKind::Repetition(repetition) => match (repetition.min, repetition.max) {
            (0, None) if *repetition.sub == Hir::dot(Dot::AnyCharExceptLF) => vec![vec![Item::Anything]],
            (0, Some(1)) => {
                let mut alternatives = alternatives(&repetition.sub)?;
                alternatives.push(Vec::new());
                alternatives
            }
            _ => return None,
        },
        HirKind::Capture(capture) => alternatives(&capture.sub)?,
        HirKind::Concat(parts) => {
            let mut combined = vec![Vec::new()];
            for part in parts {
                let after = alternatives(part)?;
                if combined.len() * after.len() > MAX_ALTERNATIVES {
                    return None;
                }
                let joined = |before: &Vec<Item>| -> Vec<Vec<Item>> {
                    after.iter().map(|items| [&before[..], items].concat()).collect()
                };
                combined = combined.iter().flat_map(joined).collect();
            }
            combined
        }
        HirKind::Alternation(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(alternatives(part)?);
            }
            all
        }
    };
    (found.len() <= MAX_ALTERNATIVES).then_some(found)
}

/// The literal that an alternative amounts to: at most an anchor and `.*` before it, and after it.
fn literal(items: &[Item]) -> Option<Literal> {
    let mut literal = Literal { text: String::new(), starts: false, ends: false };
    // `.*` before the text, and after it.
    let (mut leads, mut trails) = (false, false);
    for item in items {
        match item {
            Item::Start if literal.text.is_empty() && !leads && !literal.ends => literal.starts = true,
            Item::Anything if literal.ends => {}
            Item::Anything if literal.text.is_empty() => leads = true,
            Item::Anything => trails = true,
            Item::Text(text) if !trails && !literal.ends => literal.text.push_str(text),
            Item::End => literal.ends = true,
            Item::Start | Item::Text(_) => return None,
        }
    }
    literal.starts &= !leads;
    literal.ends &= !(trails || leads && literal.text.is_empty());
    Some(literal)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::NamePattern;

    #[test]
    fn what_matchers_are_made_of_is_compared_and_not_compiled() {
        let patterns = [
            "bash",
            "^bash$",
            "Edit|Write",
            "^(Edit|MultiEdit|Write)$",
            "^(?:Edit|MultiEdit)$",
            "mcp__.*",
            "^mcp__.*$",
            ".*",
            "^.*$",
            "(?i)bash",
            "[Bb]ash",
            "Notebook(Edit)?",
            "^Bash$|^Edit$",
            "mcp__memory__.*|Read",
        ];
        for pattern in patterns {
            let pattern = NamePattern::new(pattern).unwrap();
            assert!(pattern.literals.is_some(), "{:?}", pattern.source);
        }
        for pattern in ["a+", r"\bbash\b", "^a.b$", "a.*b", "[^a]", "(?i)a long name of a tool"] {
            let pattern = NamePattern::new(pattern).unwrap();
            assert!(pattern.literals.is_none() && pattern.regex.get().is_none(), "{:?}", pattern.source);
            pattern.check_size().unwrap();
            pattern.is_match("name");
            assert!(pattern.regex.get().is_some());
        }
        for wrong in ["*", "(", "[b-a]", "a{2,1}"] {
            assert_eq!(NamePattern::new(wrong).err(), Regex::new(wrong).err(), "{wrong:?}");
        }
    }

    fn any_pattern() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a", "b", "ab", "^", "$", ".*", ".*?", "|", "(", ")", "(?:", "?", "[ab]", "(?i)", ".", "\\n",
        ]);
        prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn it_matches_what_the_compiled_expression_matches(pattern in any_pattern(), names in prop::collection::vec("[abA\n]{0,4}", 8)) {
            let Ok(regex) = Regex::new(&pattern) else {
                prop_assert!(NamePattern::new(&pattern).is_err());
                return Ok(());
            };
            let own = NamePattern::new(&pattern).unwrap();
            for name in names {
                prop_assert_eq!(own.is_match(&name), regex.is_match(&name), "{:?} on {:?}", &pattern, &name);
            }
        }
    }
}
