//! Variables whose value says which system the code runs on: `[ "$(uname)" = Darwin ] && mac=1`, then `if [ -n "$mac" ]`.

use std::collections::HashMap;

use hookshell_syntax::ast::{Arithmetic, Condition, ConditionOperator, SimpleCommand, Word};

use super::reach::{Answer, Reach, Systems};
use crate::check::walk::{text, words};

/// What a variable, or the output of a function, may be on each system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Values {
    on_each: [Possible; Systems::EACH.len()],
    /// Is there another value where none of them is: in Linux inside of Windows?
    is_set_elsewhere: bool,
}

/// The values that are possible on one system.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Possible {
    These(Vec<String>),
    /// Some are not known.
    Any,
}

impl Values {
    /// The same one on all systems.
    pub(super) fn one(value: &str) -> Self {
        let on_each = std::array::from_fn(|_| Possible::These(vec![value.to_owned()]));
        Self { on_each, is_set_elsewhere: false }
    }

    /// One more value, where it may be reached; the only one, where it is for sure.
    pub(super) fn add(&mut self, value: Option<&str>, reach: Reach) {
        self.is_set_elsewhere |= reach.may == Systems::NONE;
        for (possible, system) in self.on_each.iter_mut().zip(Systems::EACH) {
            if !reach.may.overlaps(system) {
                continue;
            }
            match (value, &mut *possible) {
                (Some(value), _) if reach.must.overlaps(system) => *possible = Possible::These(vec![value.to_owned()]),
                (Some(value), Possible::These(values)) if !values.iter().any(|known| known == value) => {
                    values.push(value.to_owned());
                }
                (Some(_), _) => {}
                (None, _) => *possible = Possible::Any,
            }
        }
    }

    /// Takes over what is assigned: the values of another variable or of a function's output.
    pub(super) fn assign(&mut self, values: &Self, reach: Reach) {
        self.is_set_elsewhere |= values.is_set_elsewhere || reach.may == Systems::NONE;
        for (at, system) in Systems::EACH.into_iter().enumerate() {
            if !reach.may.overlaps(system) {
                continue;
            }
            let reach = Reach { may: reach.may.and(system), must: reach.must.and(system) };
            match values.on_each.get(at) {
                Some(Possible::These(given)) => {
                    if reach.must.overlaps(system)
                        && let Some(possible) = self.on_each.get_mut(at)
                    {
                        *possible = Possible::These(given.clone());
                    } else {
                        given.iter().for_each(|value| self.add(Some(value), reach));
                    }
                }
                Some(Possible::Any) | None => self.add(None, reach),
            }
        }
    }

    /// On which systems a question about the value may be answered by yes, and by no. `None`: that tells no system from another.
    fn ask(&self, holds: impl Fn(&str) -> Option<bool>) -> Option<Answer> {
        let (mut yes, mut no) = (Systems::NONE, Systems::NONE);
        for (possible, system) in self.on_each.iter().zip(Systems::EACH) {
            let Possible::These(values) = possible else { return None };
            for value in values {
                match holds(value)? {
                    true => yes = yes.or(system),
                    false => no = no.or(system),
                }
            }
        }
        // A flag that no code has set yet, or that an option sets, says nothing of the system.
        let tells = match yes != Systems::NONE && no != Systems::NONE {
            true => (yes, no) != (Systems::ALL, Systems::ALL),
            false => self.is_set_elsewhere,
        };
        tells.then_some(Answer { yes, no })
    }

    /// Is it not the same on all systems?
    pub(super) fn tell_systems(&self) -> bool {
        let [first, rest @ ..] = &self.on_each;
        self.is_set_elsewhere || rest.iter().any(|other| other != first)
    }
}

/// The variables that were assigned so far.
#[derive(Debug, Default, Clone)]
pub(super) struct Flags(HashMap<String, Values>);

impl Flags {
    /// `mac=1`, where it is reached; `None`: a value that is only known when it runs.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>, reach: Reach) {
        let unset = || Values::one("");
        self.0.entry(name.to_owned()).or_insert_with(unset).add(value, reach);
    }

    /// `os=$(detect)`
    pub(super) fn set_all(&mut self, name: &str, values: &Values, reach: Reach) {
        let unset = || Values::one("");
        self.0.entry(name.to_owned()).or_insert_with(unset).assign(values, reach);
    }

    /// Does one of them tell systems apart?
    pub(super) fn tell_systems(&self) -> bool {
        self.0.values().any(Values::tell_systems)
    }

    /// `"$mac"`
    pub(super) fn value(&self, word: &str) -> Option<&Values> {
        let word = word.trim_matches('"');
        match variable(word)? {
            (name, "", "") => self.0.get(name),
            _ => None,
        }
    }

    /// `$mac`, `[ -n "$mac" ]`
    pub(super) fn simple(&self, simple: &SimpleCommand) -> Option<Answer> {
        let words: Vec<String> = words(simple).map(text).collect();
        let values = self.only_one(&words)?;
        match &*words {
            [command] => values.ask(|value| match &*expanded(command, value)? {
                "" | "true" | ":" => Some(true),
                "false" => Some(false),
                _ => None,
            }),
            [name, operands @ ..] if matches!(&**name, "[" | "test") => {
                let operands = match operands.split_last() {
                    Some((last, rest)) if last == "]" => rest,
                    _ => operands,
                };
                values.ask(|value| {
                    let mut given = Vec::new();
                    for operand in operands {
                        let word = expanded(operand, value)?;
                        // Without quotes nothing is no word at all.
                        if !word.is_empty() || operand.is_empty() || operand.contains(['"', '\'']) {
                            given.push(word);
                        }
                    }
                    test(&given.iter().map(String::as_str).collect::<Vec<_>>())
                })
            }
            _ => None,
        }
    }

    /// `[[ -n $mac ]]`, `[[ $os == mac* ]]`
    pub(super) fn condition(&self, condition: &Condition) -> Option<Answer> {
        match condition {
            Condition::Unary(operator @ (b'n' | b'z'), word) => {
                let word = text(word);
                let values = self.only_one([&word])?;
                values.ask(|value| Some(expanded(&word, value)?.is_empty() == (*operator == b'z')))
            }
            Condition::Binary(operator, left, right) => {
                let (left, right) = (text(left), text(right));
                let values = self.only_one([&left, &right])?;
                values.ask(|value| {
                    let (left, right) = (expanded(&left, value)?, expanded(&right, value)?);
                    compare(*operator, &left, &right)
                })
            }
            _ => None,
        }
    }

    /// `(( mac ))`, `(( mac == 1 ))`
    pub(super) fn arithmetic(&self, arithmetic: &Arithmetic) -> Option<Answer> {
        let text = text(&arithmetic.text);
        let words: Vec<String> = arithmetic_words(&text)
            .map(|word| {
                if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                    format!("${word}")
                } else {
                    word.to_owned()
                }
            })
            .collect();
        let values = self.only_one(&words)?;
        values.ask(|value| {
            let expanded: Option<Vec<String>> = words.iter().map(|word| expanded(word, value)).collect();
            match &*expanded?.iter().map(String::as_str).collect::<Vec<_>>() {
                [one] => Some(integer(one)? != 0),
                ["!", one] => Some(integer(one)? == 0),
                [left, operator, right] => by_order(operator, integer(left)?, integer(right)?),
                _ => None,
            }
        })
    }

    /// Which systems each branch of a `case` is for.
    pub(super) fn cases(&self, subject: &Word, patterns: &[Vec<String>]) -> Option<Vec<Reach>> {
        let subject = text(subject);
        let values = self.only_one([&subject])?;
        let mut reaches = vec![Reach { may: Systems::NONE, must: Systems::NONE }; patterns.len()];
        for (possible, system) in values.on_each.iter().zip(Systems::EACH) {
            let Possible::These(known) = possible else { return None };
            let mut branches = Vec::new();
            for value in known {
                let subject = expanded(&subject, value)?;
                for (branch, patterns) in patterns.iter().enumerate() {
                    let mut found = false;
                    for pattern in patterns {
                        found |= matches(&unquoted(pattern), &subject)?;
                    }
                    if found {
                        branches.push(Some(branch));
                        break;
                    }
                }
            }
            for branch in branches.iter().flatten() {
                let Some(reach) = reaches.get_mut(*branch) else { continue };
                reach.may = reach.may.or(system);
                if branches.len() == 1 {
                    reach.must = reach.must.or(system);
                }
            }
        }
        let tells = reaches.iter().any(|reach| reach.may != Systems::ALL && reach.may != Systems::NONE);
        tells.then_some(reaches)
    }

    /// The values of the one variable that the words expand, if they expand nothing else.
    fn only_one<'w>(&self, words: impl IntoIterator<Item = &'w String>) -> Option<&Values> {
        let mut found: Option<&str> = None;
        for word in words {
            let mut rest = word.as_str();
            if rest.contains('`') {
                return None;
            }
            while let Some(at) = rest.find('$') {
                let (name, _, after) = variable(rest.get(at..)?)?;
                if found.is_some_and(|known| known != name) {
                    return None;
                }
                found = Some(name);
                rest = after;
            }
        }
        self.0.get(found?)
    }
}

/// The variable that a text begins with, its default, and what stands after it: `$mac`, `${mac}`, `${mac:-0}`.
fn variable(text: &str) -> Option<(&str, &str, &str)> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = text.strip_prefix('$')?;
    let braced = text.strip_prefix('{');
    let from = braced.unwrap_or(text);
    let end = from.find(|c| !is_of_name(c)).unwrap_or(from.len());
    let (name, rest) = from.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if braced.is_none() {
        return Some((name, "", rest));
    }
    let (inner, after) = rest.split_once('}')?;
    match inner.strip_prefix(":-").or_else(|| inner.strip_prefix('-')) {
        Some(default) if !default.contains(['$', '`', '{']) => Some((name, default, after)),
        None if inner.is_empty() => Some((name, "", after)),
        _ => None,
    }
}

/// A word with the variable's value in it, without quotes.
fn expanded(word: &str, value: &str) -> Option<String> {
    let mut result = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        let (_, default, after) = variable(from)?;
        result += before;
        result += if value.is_empty() { default } else { value };
        rest = after;
    }
    Some(unquoted(&(result + rest)))
}

fn unquoted(word: &str) -> String {
    word.replace(['"', '\''], "")
}

/// What `[` says of its operands.
fn test(operands: &[&str]) -> Option<bool> {
    match operands {
        [] => Some(false),
        ["!", rest @ ..] if !rest.is_empty() => Some(!test(rest)?),
        [one] => Some(!one.is_empty()),
        ["-n", one] => Some(!one.is_empty()),
        ["-z", one] => Some(one.is_empty()),
        // `[ $mac = 1 ]` with nothing in `$mac` is an error.
        ["=" | "==" | "!=" | "-eq" | "-ne", _] => Some(false),
        [left, "=" | "==", right] => Some(left == right),
        [left, "!=", right] => Some(left != right),
        // What is no number is an error.
        [left, operator, right] => match (integer(left), integer(right)) {
            (Some(left), Some(right)) if !operands.contains(&"") => by_order(operator, left, right),
            _ if operator.starts_with('-') => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// What `[[` says of two words.
fn compare(operator: ConditionOperator, left: &str, right: &str) -> Option<bool> {
    use ConditionOperator as Operator;

    let operator = match operator {
        Operator::Match | Operator::SingleMatch => return matches(right, left),
        Operator::NotMatch => return matches(right, left).map(|found| !found),
        Operator::Equal => "-eq",
        Operator::NotEqual => "-ne",
        Operator::Less => "-lt",
        Operator::LessEqual => "-le",
        Operator::Greater => "-gt",
        Operator::GreaterEqual => "-ge",
        _ => return None,
    };
    by_order(operator, integer(left)?, integer(right)?)
}

fn by_order(operator: &str, left: i64, right: i64) -> Option<bool> {
    Some(match operator {
        "-eq" | "==" => left == right,
        "-ne" | "!=" => left != right,
        "-lt" | "<" => left < right,
        "-le" | "<=" => left <= right,
        "-gt" | ">" => left > right,
        "-ge" | ">=" => left >= right,
        _ => return None,
    })
}

/// As arithmetic has it: nothing is 0.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.is_empty() { Some(0) } else { text.parse().ok() }
}

/// The names, numbers and operators of an expression.
fn arithmetic_words(text: &str) -> impl Iterator<Item = &str> {
    let kind = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '{' | '}') { 0 } else { 1 };
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = rest.find(|c: char| c.is_whitespace() || kind(c) != kind(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

/// Does a pattern of `*` and `?` match? `None`: it has other things in it.
fn matches(pattern: &str, value: &str) -> Option<bool> {
    if pattern.contains(['[', '\\', '(', '$', '`']) {
        return None;
    }
    let value: Vec<char> = value.chars().collect();
    // Where a match of what was read of the pattern may end.
    let mut ends: Vec<bool> = std::iter::once(true).chain(value.iter().map(|_| false)).collect();
    for letter in pattern.chars() {
        if letter == '*' {
            let mut is_reached = false;
            ends.iter_mut().for_each(|end| {
                is_reached |= *end;
                *end = is_reached;
            });
        } else {
            let next = std::iter::once(false)
                .chain(ends.iter().zip(&value).map(|(end, c)| *end && (letter == '?' || letter == *c)));
            ends = next.collect();
        }
    }
    ends.last().copied()
}

#[cfg(test)]
mod tests {
    use super::{arithmetic_words, expanded, matches, test, variable};

    #[test]
    fn words_are_expanded_by_one_variable() {
        for (word, value, expected) in [
            ("$mac", "1", Some("1")),
            ("\"${mac}\"", "", Some("")),
            ("\"x${mac:-0}\"", "", Some("x0")),
            ("${mac-0}y", "1", Some("1y")),
            ("${mac:+1}", "", None),
            ("${#mac}", "", None),
            ("$(uname)", "", None),
            ("plain", "1", Some("plain")),
        ] {
            assert_eq!(expanded(word, value).as_deref(), expected, "{word}");
        }
        assert_eq!(variable("$mac_1/x"), Some(("mac_1", "", "/x")));
        assert_eq!(variable("$1"), None);
    }

    #[test]
    fn tests_are_answered() {
        for (operands, expected) in [
            (&["-n", ""][..], Some(false)),
            (&["-n"], Some(true)),
            (&["", "=", ""], Some(true)),
            (&["=", "1"], Some(false)),
            (&["!", "a", "=", "b"], Some(true)),
            (&["1", "-eq", "1"], Some(true)),
            (&["", "-eq", "1"], Some(false)),
            (&["true", "-eq", "1"], Some(false)),
            (&["-f", "x"], None),
        ] {
            assert_eq!(test(operands), expected, "{operands:?}");
        }
    }

    #[test]
    fn patterns_match() {
        for (pattern, value, expected) in [
            ("mac*", "macos", Some(true)),
            ("*mac", "macos", Some(false)),
            ("m?c", "mac", Some(true)),
            ("*", "", Some(true)),
            ("", "", Some(true)),
            ("[m]ac", "mac", None),
        ] {
            assert_eq!(matches(pattern, value), expected, "{pattern}");
        }
        assert_eq!(arithmetic_words("mac==1").collect::<Vec<_>>(), ["mac", "==", "1"]);
        assert_eq!(arithmetic_words("! $mac ").collect::<Vec<_>>(), ["!", "$mac"]);
    }
}
