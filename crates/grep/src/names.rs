//! `--include`, `--exclude`, `--exclude-from` and `--exclude-dir`.

use std::borrow::Cow;

use hookshell_text::pattern::{Options, matches};

/// Patterns in the order of the options; `true`: an include.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    rules: Vec<(bool, Cow<'a, [u8]>)>,
}

impl<'a> Names<'a> {
    pub(crate) fn push(&mut self, include: bool, pattern: &'a [u8]) {
        self.rules.push((include, Cow::Borrowed(pattern)));
    }

    /// The lines of a file are patterns to exclude, without blanks at their ends.
    pub(crate) fn exclude_lines(&mut self, text: &[u8]) {
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        self.rules.extend(lines.filter(|line| !line.is_empty()).map(|line| (false, Cow::Owned(line.to_vec()))));
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
        match self.rules.iter().rev().find(|(_, pattern)| fits(pattern)) {
            Some((include, _)) => !include,
            None => self.rules.first().is_some_and(|(include, _)| *include),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn lines_of_a_file_exclude() {
        let mut names = Names::default();
        names.exclude_lines(b"*.c \n\n\t\nb b");
        assert!(names.excludes(b"a.c", false) && names.excludes(b"b b", false));
        assert!(!names.excludes(b"a.h", false));
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
