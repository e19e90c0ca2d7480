//! Which tools a hook is for.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::sync::OnceLock;

use thiserror::Error;

use crate::condition::{Condition, ConditionError, alternatives};
use crate::event::Event;
use crate::name_pattern::NamePattern;

/// A hook's matcher. Under the native contract it is an unanchored regular expression that is tested against the tool's
/// name; without one, or with an empty one, the hook is for every tool. Other dialects have rules of their own.
#[derive(Clone, Default)]
pub struct Matcher(Kind);

#[derive(Clone, Default)]
enum Kind {
    #[default]
    All,
    Regex(NamePattern),
    /// A regular expression, and the pattern as the config has it.
    Anchored(NamePattern, String),
    /// A regular expression with what only engines that backtrack have: look-around, back-references.
    LookAround(LookAround),
    /// One of these names.
    Names(Vec<String>, String),
    /// One of these names, or a regular expression on the first name of what is matched.
    NamesOrRegex(Vec<String>, Option<Box<Matcher>>, String),
    /// One of these rules, as permissions are written.
    Rules(Vec<Condition>, String),
}

/// A text that is no matcher.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MatcherError {
    /// Not a regular expression.
    #[error("{0}")]
    Regex(#[from] regex::Error),
    /// A permission's rule that is not complete.
    #[error("{0}")]
    Rule(#[from] ConditionError),
}

impl Matcher {
    /// Compiles a matcher of the native contract.
    ///
    /// # Errors
    /// The text is not a regular expression, or one that is too large.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        let matcher = Self::read(pattern)?;
        matcher.check_size()?;
        Ok(matcher)
    }

    /// Reads a matcher of the native contract, and does not compile it yet.
    pub fn read(pattern: &str) -> Result<Self, regex::Error> {
        match pattern {
            "" => Ok(Self(Kind::All)),
            _ => NamePattern::new(pattern).map(Kind::Regex).map(Self),
        }
    }

    /// Compiles it to see whether it can be, and keeps nothing of it: of a config with very many, few are ever asked.
    ///
    /// # Errors
    /// It is too large.
    pub fn check_size(&self) -> Result<(), regex::Error> {
        match &self.0 {
            Kind::Regex(pattern) | Kind::Anchored(pattern, _) => pattern.check_size(),
            Kind::LookAround(pattern) if pattern.compiled().is_none() => Err(pattern.error.clone()),
            Kind::NamesOrRegex(_, Some(regex), _) => regex.check_size(),
            Kind::All | Kind::LookAround(_) | Kind::Names(..) | Kind::NamesOrRegex(..) | Kind::Rules(..) => Ok(()),
        }
    }

    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        match &self.0 {
            Kind::Regex(pattern) | Kind::Anchored(pattern, _) => pattern.is_compiled(),
            _ => false,
        }
    }

    /// Sets how many bytes it may take when it is compiled. One that would take more is for everything: better a hook too
    /// many than a guard that is not asked.
    pub(crate) fn limit_size(&mut self, bytes: usize) {
        match &mut self.0 {
            Kind::Regex(pattern) | Kind::Anchored(pattern, _) => pattern.size_limit = bytes,
            Kind::LookAround(pattern) => pattern.size_limit = bytes,
            Kind::NamesOrRegex(_, Some(regex), _) => regex.limit_size(bytes),
            Kind::All | Kind::Names(..) | Kind::NamesOrRegex(..) | Kind::Rules(..) => {}
        }
    }

    /// What has to be compiled for it: nothing for plain names.
    pub fn cost(&self) -> usize {
        match &self.0 {
            Kind::All | Kind::Names(..) => 0,
            Kind::Regex(pattern) | Kind::Anchored(pattern, _) => usize::from(!pattern.is_literal()),
            Kind::LookAround(_) => LOOK_AROUND_COST,
            Kind::NamesOrRegex(_, regex, _) => regex.as_ref().map_or(0, |regex| regex.cost()),
            Kind::Rules(rules, _) => rules.len(),
        }
    }

    /// Reads a matcher of an agent whose regular expressions are JavaScript's: they have look-around too.
    pub(crate) fn of_javascript(pattern: &str) -> Result<Self, regex::Error> {
        Self::read(pattern).or_else(|error| LookAround::new(pattern, error).map(Kind::LookAround).map(Self))
    }

    /// A regular expression of JavaScript's that must match the whole name.
    #[cfg(test)]
    pub fn anchored(pattern: &str) -> Result<Self, regex::Error> {
        Self::anchored_as(pattern, pattern)
    }

    /// The same, for an expression that the config has as `written`.
    pub(crate) fn anchored_as(pattern: &str, written: &str) -> Result<Self, regex::Error> {
        // Alone first, so that an error shows it as it was written.
        if let Err(error) = NamePattern::new(pattern) {
            let error = LookAround::new(pattern, error)?.error;
            return LookAround::new(&format!("^(?:{pattern})$"), error).map(Kind::LookAround).map(Self);
        }
        Ok(Self(Kind::Anchored(NamePattern::new(&format!("^(?:{pattern})$"))?, written.to_owned())))
    }

    /// One of the names that `separators` separate.
    pub fn names(pattern: &str, separators: &[char]) -> Self {
        let names = pattern.split(separators).map(str::trim).filter(|name| !name.is_empty());
        Self(Kind::Names(names.map(str::to_owned).collect(), pattern.to_owned()))
    }

    /// One of some names, or a regular expression on the first name of what is matched. Without the regular expression it
    /// is none, and the names count alone.
    pub(crate) fn names_or_regex(pattern: &str, names: Vec<String>, regex: Option<Self>) -> Self {
        Self(Kind::NamesOrRegex(names, regex.map(Box::new), pattern.to_owned()))
    }

    /// Is it a list, of which a part is no regular expression?
    pub(crate) fn is_broken(&self) -> bool {
        matches!(&self.0, Kind::NamesOrRegex(names, None, _) if names.len() > 1)
    }

    /// Rules in the syntax of permissions, `Bash(git push *)|Write(*.py)`: any of them. `None` if the text does not
    /// look like it: each rule must begin with a tool's name that `is_tool` knows, and a parenthesis.
    pub fn rules(pattern: &str, is_tool: impl Fn(&str) -> bool) -> Option<Result<Self, ConditionError>> {
        let rules = alternatives(pattern);
        let names_tool = |rule: &&str| rule.split('(').next().is_some_and(|name| is_tool(name.trim()));
        if !pattern.contains('(') || !rules.iter().all(names_tool) {
            return None;
        }
        let rules: Result<Vec<Condition>, _> = rules.into_iter().map(str::parse).collect();
        Some(rules.map(|rules| Self(Kind::Rules(rules, pattern.to_owned()))))
    }

    /// Is the hook for this tool? Of a rule that is for some calls of a tool, yes.
    pub fn matches(&self, tool_name: &str) -> bool {
        match &self.0 {
            Kind::All => true,
            Kind::Regex(regex) | Kind::Anchored(regex, _) => regex.is_match(tool_name),
            Kind::LookAround(regex) => regex.is_match(tool_name),
            Kind::Names(names, _) => names.iter().any(|name| name == tool_name),
            Kind::NamesOrRegex(names, regex, _) => {
                names.iter().any(|name| name == tool_name)
                    || regex.as_ref().is_some_and(|regex| regex.matches(tool_name))
            }
            Kind::Rules(rules, _) => rules.iter().any(|rule| rule.is_for_tool(tool_name)),
        }
    }

    /// Is the hook for this event, by one of these names? `env`: the variables that the agent's commands have.
    pub fn is_for(&self, event: &Event, names: &[Cow<'_, str>], env: &[(OsString, OsString)]) -> bool {
        match &self.0 {
            Kind::Rules(rules, _) => rules.iter().any(|rule| rule.holds_by(event, names, env)),
            Kind::NamesOrRegex(listed, regex, _) => {
                listed.iter().any(|listed| names.iter().any(|name| name == listed))
                    || regex.as_ref().zip(names.first()).is_some_and(|(regex, first)| regex.matches(first))
            }
            _ => names.iter().any(|name| self.matches(name)),
        }
    }

    /// Is the hook for a tool with these names?
    pub fn matches_names(&self, names: &[&str]) -> bool {
        match &self.0 {
            Kind::NamesOrRegex(listed, regex, _) => {
                listed.iter().any(|listed| names.contains(&listed.as_str()))
                    || regex.as_ref().zip(names.first()).is_some_and(|(regex, first)| regex.matches(first))
            }
            _ => names.iter().any(|name| self.matches(name)),
        }
    }

    /// Is it rules in the syntax of permissions?
    pub(crate) fn is_rules(&self) -> bool {
        matches!(self.0, Kind::Rules(..))
    }

    /// The pattern as the config has it; `None` if every tool matches.
    pub fn pattern(&self) -> Option<&str> {
        match &self.0 {
            Kind::All => None,
            Kind::Regex(regex) => Some(regex.as_str()),
            Kind::LookAround(regex) => Some(&regex.source),
            Kind::Anchored(_, pattern)
            | Kind::Names(_, pattern)
            | Kind::NamesOrRegex(_, _, pattern)
            | Kind::Rules(_, pattern) => Some(pattern),
        }
    }

    /// How the pattern is read, for people.
    pub fn describe(&self) -> String {
        match &self.0 {
            Kind::All => "everything".to_owned(),
            Kind::Regex(regex) => format!("the regular expression {:?}, anywhere in the name", regex.as_str()),
            Kind::LookAround(regex) => format!("the regular expression {:?}", regex.source),
            Kind::Anchored(_, pattern) => format!("the regular expression {pattern:?}, for the whole name"),
            Kind::Names(names, _) => format!("exactly {}", names.join(" or ")),
            Kind::NamesOrRegex(_, Some(_), pattern) => {
                format!("{pattern:?}, as names or aliases, or as a regular expression, anywhere in the name")
            }
            Kind::NamesOrRegex(names, None, _) => format!("exactly {}", names.join(" or ")),
            Kind::Rules(_, pattern) => format!("the calls of {pattern}"),
        }
    }
}

/// How many steps a search may take until it is given up: names are short, and a pattern that needs more is a trap.
const BACKTRACK_LIMIT: usize = 100_000;

/// What a regular expression with look-around counts among those that have to be compiled: its parts are compiled one by one.
const LOOK_AROUND_COST: usize = 4;

/// How many bytes each part of it may take.
const PART_SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// A regular expression with look-around or back-references, which is compiled when it is first asked.
#[derive(Clone)]
struct LookAround {
    source: String,
    size_limit: usize,
    /// What is wrong with it where it is none after all: some mistakes only the compiler finds.
    error: regex::Error,
    regex: OnceLock<Option<fancy_regex::Regex>>,
}

impl LookAround {
    /// Reads what is no regular expression without look-around, by this error.
    fn new(pattern: &str, error: regex::Error) -> Result<Self, regex::Error> {
        match fancy_regex::Expr::parse_tree(pattern) {
            Ok(_) => {
                Ok(Self { source: pattern.to_owned(), size_limit: PART_SIZE_LIMIT, error, regex: OnceLock::new() })
            }
            Err(_) => Err(error),
        }
    }

    fn compiled(&self) -> Option<&fancy_regex::Regex> {
        let compile = || {
            let mut builder = fancy_regex::RegexBuilder::new(&self.source);
            builder.backtrack_limit(BACKTRACK_LIMIT).delegate_size_limit(self.size_limit).build().ok()
        };
        self.regex.get_or_init(compile).as_ref()
    }

    /// Where it gives up, or cannot be compiled, the hook runs: better once too often than a guard that is not asked.
    fn is_match(&self, name: &str) -> bool {
        self.compiled().is_none_or(|regex| regex.is_match(name).unwrap_or(true))
    }
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Matcher").field(&self.pattern()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Matcher;

    #[test]
    fn a_matcher_is_an_unanchored_regular_expression() {
        let cases = [
            ("", "bash", true),
            ("", "", true),
            ("bash", "bash", true),
            ("bash", "my_bash_tool", true),
            ("^bash$", "my_bash_tool", false),
            ("^(edit|write|multiedit)$", "multiedit", true),
            ("^(edit|write|multiedit)$", "multiedits", false),
            ("^mcp_", "mcp_github_create_pull_request", true),
            ("^mcp_", "bash", false),
            ("Bash", "bash", false),
            ("(?i)BASH", "bash", true),
        ];
        for (pattern, tool, expected) in cases {
            assert_eq!(Matcher::new(pattern).unwrap().matches(tool), expected, "{pattern:?} on {tool:?}");
        }
        assert!(Matcher::new("*").is_err());
    }

    #[test]
    fn other_agents_expressions_may_look_around() {
        let cases = [
            ("^(?!mcp__).*", "Bash", true),
            ("^(?!mcp__).*", "mcp__github__x", false),
            ("Edit(?!or)", "Editor", false),
            ("(?<=Multi)Edit", "MultiEdit", true),
            (r"(.)\1", "Grepp", true),
            ("bash", "my_bash", true),
            // It gives up, and the hook runs.
            (r"^(?:(?=a)a|a(?!z))+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", true),
        ];
        for (pattern, tool, expected) in cases {
            assert_eq!(Matcher::of_javascript(pattern).unwrap().matches(tool), expected, "{pattern:?} on {tool:?}");
        }
        let whole = Matcher::anchored("(?!bash).*").unwrap();
        assert_eq!((whole.matches("edit"), whole.matches("bash"), whole.matches("my bash")), (true, false, true));
        assert_eq!(whole.describe(), "the regular expression \"^(?:(?!bash).*)$\"");
        // What is wrong is said as ever, and the native contract has no look-around.
        assert!(Matcher::of_javascript("*").is_err());
        assert!(Matcher::new("^(?!mcp__).*").unwrap_err().to_string().contains("look-around"));
    }
}
