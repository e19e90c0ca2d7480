//! `INDEX.md`: the list of what the language is, each item with the case files that cover it.
//!
//! An item is a line ``- `item`: files``, or ``- `item` (open): files`` while it has fewer than [`ENOUGH`] cases. The
//! items are written by hand, what is after the colon by [`Index::updated`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Case, CaseFile, Error};

/// An item with fewer cases is not done.
pub(crate) const ENOUGH: usize = 5;

/// The index as it is written.
pub(crate) struct Index {
    lines: Vec<String>,
}

/// The item, whether it is open, and the files, of a line that is one.
fn item(line: &str) -> Option<(&str, bool, &str)> {
    let (name, rest) = line.strip_prefix("- `")?.split_once('`')?;
    let (open, rest) = match rest.strip_prefix(" (open)") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    Some((name, open, rest.strip_prefix(':')?.trim()))
}

impl Index {
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
        Ok(Self { lines: text.lines().map(str::to_owned).collect() })
    }

    /// The text with the files, and the mark `(open)`, as the cases have it.
    pub(crate) fn updated(&self, files: &[CaseFile]) -> String {
        let covered = covered(files);
        let mut text = String::new();
        for line in &self.lines {
            match item(line) {
                Some((name, _, _)) => {
                    let cases = covered.get(name).map_or(&[][..], Vec::as_slice);
                    let open = if cases.len() < ENOUGH { " (open)" } else { "" };
                    text.push_str(format!("- `{name}`{open}: {}", areas(cases)).trim_end());
                }
                None => text.push_str(line),
            }
            text.push('\n');
        }
        text
    }

    /// Item and number of cases.
    pub(crate) fn counts(&self, files: &[CaseFile]) -> Vec<(String, usize)> {
        let covered = covered(files);
        let count = |name: &str| covered.get(name).map_or(0, Vec::len);
        self.lines.iter().filter_map(|line| item(line)).map(|(name, ..)| (name.to_owned(), count(name))).collect()
    }

    /// What is not as it must be: items that cases name and the index has not, open ones that are done, done ones that
    /// have too few cases, files that are not the right ones.
    pub(crate) fn problems(&self, files: &[CaseFile]) -> Vec<String> {
        let covered = covered(files);
        let known: BTreeSet<&str> = self.lines.iter().filter_map(|line| item(line)).map(|(name, ..)| name).collect();
        let mut problems = Vec::new();
        for (name, cases) in &covered {
            if !known.contains(name) {
                problems.push(format!("{}: `--- covers {name}`: INDEX.md has no such item", cases[0].place()));
            }
        }
        for line in &self.lines {
            let Some((name, open, files)) = item(line) else { continue };
            let cases = covered.get(name).map_or(&[][..], Vec::as_slice);
            match (open, cases.len() < ENOUGH) {
                (false, true) => {
                    problems.push(format!("INDEX.md: `{name}` has {} cases, needs {ENOUGH}", cases.len()));
                }
                (true, false) => problems.push(format!("INDEX.md: `{name}` is done: no longer (open)")),
                _ if files != areas(cases) => problems.push(format!("INDEX.md: `{name}` names the wrong files")),
                _ => {}
            }
        }
        problems
    }
}

fn covered(files: &[CaseFile]) -> BTreeMap<&str, Vec<&Case>> {
    let mut covered: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
    for case in files.iter().flat_map(|file| &file.cases) {
        let items: BTreeSet<&str> = case.covers.iter().map(String::as_str).collect();
        for item in items {
            covered.entry(item).or_default().push(case);
        }
    }
    covered
}

fn areas(cases: &[&Case]) -> String {
    let areas: BTreeSet<&str> = cases.iter().map(|case| &*case.area).collect();
    areas.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse;
    use super::*;

    #[test]
    fn an_item_is_open_until_it_has_enough_cases() {
        let text: String = (0..5).map(|n| format!("=== c{n}\n--- covers five\n--- script\ntrue\n")).collect();
        let text = text + "=== one\n--- covers one\n--- script\ntrue\n";
        let cases = parse("posix/x", Path::new("x"), text.as_bytes()).unwrap();
        let files = [CaseFile { path: "x".into(), cases }];
        let index = |text: &str| Index { lines: text.lines().map(str::to_owned).collect() };
        let right = "# title\n- `five`: posix/x\n- `one` (open): posix/x\n- `none` (open):\n";
        assert_eq!(index("# title\n- `five` (open):\n- `one`: a\n- `none`:\n").updated(&files), right);
        assert_eq!(index(right).problems(&files), [""; 0]);
        assert_eq!(index("- `five` (open): posix/x\n- `one`: posix/x\n").problems(&files).len(), 2);
        assert_eq!(index("- `five`: posix/y\n").problems(&files).len(), 2);
    }
}
