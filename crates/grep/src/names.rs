//! `--include`, `--exclude`, `--exclude-from` and `--exclude-dir`.

use std::borrow::Cow;

use hookshell_text::pattern::{Options, matches};

/// Patterns in the order of the options.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    rules: Vec<Rule<'a>>,
}

#[derive(Debug)]
struct Rule<'a> {
    include: bool,
    pattern: Cow<'a, [u8]>,
    /// Names of the command line are not asked.
    of_directories: bool,
}

impl<'a> Names<'a> {
    pub(crate) fn push(&mut self, include: bool, pattern: &'a [u8]) {
        self.rules.push(Rule { include, pattern: Cow::Borrowed(pattern), of_directories: false });
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rules.len()
    }

    /// The lines of a file are patterns to exclude, without blanks at their ends. GNU reads it twice, for what it finds in directories and for
    /// names of the command line: what cannot be read `again` has none of the latter.
    pub(crate) fn exclude_lines(&mut self, at: usize, text: &[u8], again: bool) {
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
        let rule = |line: &[u8]| Rule { include: false, pattern: Cow::Owned(line.to_vec()), of_directories: !again };
        let _: Vec<Rule<'a>> = self.rules.splice(at..at, lines.map(rule)).collect();
    }

    /// Is this file left out? The last pattern that fits decides; when none does, the first option: an include leaves
    /// everything else out. Names of the command line may fit from any component on.
    pub(crate) fn excludes(&self, name: &[u8], command_line: bool) -> bool {
        let fits = |pattern: &[u8]| {
            let options = Options { extglob: false, nocase: false, bytes: false };
            matches(pattern, name, options)
                || command_line
                    && name
                        .iter()
                        .enumerate()
                        .filter(|&(at, &byte)| byte == b'/' && name.get(at + 1).is_some_and(|next| *next != b'/'))
                        .any(|(at, _)| matches(pattern, name.get(at + 1..).unwrap_or_default(), options))
        };
        let mut rules = self.rules.iter().filter(|rule| !(command_line && rule.of_directories));
        match rules.clone().rev().find(|rule| fits(&rule.pattern)) {
            Some(rule) => !rule.include,
            None => rules.next().is_some_and(|rule| rule.include),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn lines_of_a_file_exclude() {
        let mut names = Names::default();
        names.exclude_lines(0, b"*.c \n\n\t\nb b", true);
        assert!(names.excludes(b"a.c", true) && names.excludes(b"b b", false));
        assert!(!names.excludes(b"a.h", false));
    }

    #[test]
    fn what_is_read_once_excludes_nothing_of_the_command_line() {
        let mut names = Names::default();
        names.push(true, b"a*");
        names.exclude_lines(0, b"*.c", false);
        assert!(names.excludes(b"b.c", false) && names.excludes(b"b.c", true));
        assert!(!names.excludes(b"a.c", true));
        assert!(!names.excludes(b"a.c", false), "the last pattern that fits decides");
    }

    #[test]
    fn the_last_pattern_that_fits_decides() {
        let mut names = Names::default();
        assert!(!names.excludes(b"a.c", false));
        names.push(true, b"*.c");
        assert!(!names.excludes(b"a.c", false));
        assert!(names.excludes(b"a.h", false));
        names.push(false, b"b*");
        assert!(names.excludes(b"b.c", false));
        assert!(!names.excludes(b"dir/a.c", true));
        assert!(names.excludes(b"dir/b.c", true));
    }
}
