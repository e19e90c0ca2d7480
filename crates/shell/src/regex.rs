//! The regular expressions of `[[ =~ ]]`: POSIX extended ones, leftmost-longest.

use std::sync::{Mutex, MutexGuard};

use hookshell_process::sync::lock;
use hookshell_regex::{Builder, Captures, Error, Regex, Subject, Syntax};

/// How many compiled expressions a run keeps: a loop uses few, and each takes some kilobytes.
const KEPT: usize = 16;

/// The expressions that were compiled last, the newest at the end.
#[derive(Debug, Default)]
pub(crate) struct RegexCache {
    kept: Mutex<Vec<Compiled>>,
}

/// What an expression's characters are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Characters {
    /// `shopt -s nocasematch`
    pub(crate) ignore_case: bool,
    /// Bytes, in the C locale.
    pub(crate) bytes: bool,
}

#[derive(Debug)]
struct Compiled {
    source: Box<[u8]>,
    characters: Characters,
    regex: Regex,
}

impl RegexCache {
    /// Compiles an expression of at most so many steps, unless it was compiled just before.
    pub(crate) fn compile(&self, source: &[u8], characters: Characters, size: usize) -> Result<Regex, Error> {
        let known = |kept: &&Compiled| *kept.source == *source && kept.characters == characters;
        if let Some(kept) = self.kept().iter().find(known) {
            return Ok(kept.regex.clone());
        }
        let Characters { ignore_case, bytes } = characters;
        let regex =
            Builder::new(Syntax::Extended).ignore_case(ignore_case).bytes(bytes).size_limit(size).build(source)?;
        let mut kept = self.kept();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(Compiled { source: source.into(), characters, regex: regex.clone() });
        Ok(regex)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Compiled>> {
        lock(&self.kept)
    }
}

/// The match and its groups; a group that took no part is empty. `None`: there is no match, or no answer (the search
/// was interrupted or took too much).
pub(crate) fn groups<'t>(regex: &Regex, text: &'t [u8], interrupt: &dyn Fn() -> bool) -> Option<Vec<&'t [u8]>> {
    let mut captures = Captures::new();
    let subject = Subject::new(text).interruptible(interrupt);
    if !regex.captures(&subject, &mut captures).unwrap_or(false) {
        return None;
    }
    let group = |span: Option<(usize, usize)>| span.and_then(|(start, end)| text.get(start..end)).unwrap_or_default();
    Some(captures.iter().map(group).collect())
}

#[cfg(test)]
mod tests {
    use hookshell_regex::DEFAULT_SIZE_LIMIT as SIZE;

    use super::{Characters, RegexCache, groups};

    fn matches(pattern: &str, subject: &str) -> Option<Vec<String>> {
        let regex = RegexCache::default().compile(pattern.as_bytes(), Characters::default(), SIZE).expect("a pattern");
        let groups = groups(&regex, subject.as_bytes(), &|| false)?;
        Some(groups.into_iter().map(|g| String::from_utf8(g.to_vec()).expect("text")).collect())
    }

    #[test]
    fn the_longest_alternative_wins() {
        assert_eq!(matches("ab|abcd", "xabcd"), Some(vec!["abcd".into()]));
        assert_eq!(matches("^(a|ab)(c|bcd)?$", "abcd").map(|g| g[0].clone()), Some("abcd".into()));
        assert_eq!(matches("x*", "aaa"), Some(vec![String::new()]));
        assert_eq!(
            matches("^([a-z]+)-([0-9]{2,3})$", "abc-123"),
            Some(vec!["abc-123".into(), "abc".into(), "123".into()])
        );
        assert_eq!(matches("(a)|(b)", "b"), Some(vec!["b".into(), String::new(), "b".into()]));
        assert_eq!(matches(r"(.)(.)\2\1", "xabba"), Some(vec!["abba".into(), "a".into(), "b".into()]));
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        let cache = RegexCache::default();
        for wrong in ["(", "a[", "*a", "a{x", "a{2,1}", r"\"] {
            assert!(cache.compile(wrong.as_bytes(), Characters::default(), SIZE).is_err(), "{wrong}");
        }
    }

    #[test]
    fn few_expressions_are_kept() {
        let cache = RegexCache::default();
        for n in 0..100 {
            assert!(
                cache
                    .compile(format!("a{n}").as_bytes(), Characters { ignore_case: n % 2 == 0, bytes: false }, SIZE)
                    .is_ok()
            );
        }
        assert_eq!(cache.kept().len(), super::KEPT);
    }
}
