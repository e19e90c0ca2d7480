//! Reads a case file; the format is described in `tests/spec/README.md`.

use std::path::Path;
use std::sync::Arc;

use super::bytes::unescape;
use super::{Case, Error, Expectation, Given, Mode, Stdout, Subject};

const TITLE: &[u8] = b"=== ";
const SECTION: &[u8] = b"--- ";

/// Reads the text of the case file of `area`; `path` is for messages.
///
/// # Errors
/// The first place that is not in the format.
pub fn parse(area: &str, path: &Path, text: &[u8]) -> Result<Vec<Case>, Error> {
    let mut reader = Reader { path, line: 0 };
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let mut starts: Vec<usize> = (0..lines.len()).filter(|&index| lines[index].starts_with(TITLE)).collect();
    let mut defaults = blank(area, path);
    let head = starts.first().copied().unwrap_or(lines.len());
    reader.read_head(&lines[..head], &mut defaults)?;
    starts.push(lines.len());
    let mut cases = Vec::new();
    for range in starts.windows(2) {
        cases.push(reader.read_case(&lines, range[0], range[1], &defaults)?);
    }
    for (index, case) in cases.iter().enumerate() {
        if let Some(twin) = cases[..index].iter().find(|twin| twin.title == case.title) {
            reader.line = case.line - 1;
            return Err(reader.error(format!("the title is that of line {} too: say what is different", twin.line)));
        }
    }
    Ok(cases)
}

fn blank(area: &str, path: &Path) -> Case {
    Case {
        area: area.into(),
        path: Arc::new(path.to_path_buf()),
        line: 0,
        end_line: 0,
        title: String::new(),
        covers: Vec::new(),
        needs: Vec::new(),
        bundled: Vec::new(),
        mode: Mode::File,
        options: Vec::new(),
        args: Vec::new(),
        env: Vec::new(),
        given: Vec::new(),
        stdin: Vec::new(),
        script: Vec::new(),
        expected: Expectation::default(),
        differs: Vec::new(),
    }
}

struct Reader<'a> {
    path: &'a Path,
    /// The line that is read, counted from 0.
    line: usize,
}

impl Reader<'_> {
    fn error(&self, what: impl Into<String>) -> Error {
        Error::Malformed { path: self.path.to_path_buf(), line: self.line + 1, what: what.into() }
    }

    /// What stands before the first case: comments, and settings for all cases of the file.
    fn read_head(&mut self, lines: &[&[u8]], defaults: &mut Case) -> Result<(), Error> {
        for (index, line) in lines.iter().enumerate() {
            self.line = index;
            match line.strip_prefix(SECTION) {
                Some(header) => {
                    let header = self.utf8(header)?;
                    let (key, rest) = split(header);
                    if !matches!(key, "covers" | "needs" | "bundled" | "options" | "differs") {
                        return Err(self.error(format!("`--- {key}` belongs into a case (`=== title`)")));
                    }
                    self.directive(key, rest, defaults)?;
                }
                None if line.is_empty() || line.starts_with(b"#") => {}
                None => {
                    return Err(self.error("before the first case (`=== title`) only comments (#) and `--- ` lines"));
                }
            }
        }
        Ok(())
    }

    fn read_case(&mut self, lines: &[&[u8]], start: usize, end: usize, defaults: &Case) -> Result<Case, Error> {
        // Blank lines before the next title are there for the reader.
        let end = (start..end).rev().find(|&index| !lines[index].is_empty()).map_or(start + 1, |last| last + 1);
        self.line = start;
        let mut case = Case { line: start + 1, end_line: end + 1, ..defaults.clone() };
        case.title = self.utf8(&lines[start][TITLE.len()..])?.trim().to_owned();
        if case.title.is_empty() {
            return Err(self.error("a title in words is missing after `===`"));
        }
        let sections: Vec<usize> = (start + 1..end).filter(|&index| lines[index].starts_with(SECTION)).collect();
        let first = sections.first().copied().unwrap_or(end);
        let direct = &lines[start + 1..first];
        let mut has_script = direct.iter().any(|line| !line.is_empty());
        if has_script {
            case.script = content(direct, Flags::default()).map_err(|what| self.error(what))?;
        }
        for (index, &at) in sections.iter().enumerate() {
            let body = &lines[at + 1..sections.get(index + 1).copied().unwrap_or(end)];
            self.line = at;
            let header = self.utf8(&lines[at][SECTION.len()..])?;
            let (key, rest) = split(header);
            if key == "script" {
                if has_script {
                    return Err(self.error("the case has its script already"));
                }
                has_script = true;
            }
            self.section(key, rest, body, &mut case)?;
        }
        if !has_script {
            self.line = start;
            return Err(self.error("the case has no script: write it after the title or after `--- script`"));
        }
        Ok(case)
    }

    fn section(&self, key: &str, rest: &str, body: &[&[u8]], case: &mut Case) -> Result<(), Error> {
        if !matches!(key, "script" | "stdin" | "args" | "env" | "file" | "stdout" | "leaves" | "directory") {
            if body.iter().any(|line| !line.is_empty()) {
                return Err(self.error(format!("`--- {key}` has nothing below it; a script goes below `--- script`")));
            }
            return self.directive(key, rest, case);
        }
        let (words, flags) = self.words(rest)?;
        let text = content(body, flags).map_err(|what| self.error(what))?;
        let has_name = matches!(key, "file" | "leaves");
        let most = if key == "file" { 2 } else { usize::from(has_name) };
        if words.len() > most || (has_name && words.is_empty()) {
            return Err(self.error(format!("`--- {key} {rest}`: wrong words after the key")));
        }
        let lines = || text.strip_suffix(b"\n").unwrap_or(&text).split(|byte| *byte == b'\n');
        match key {
            "script" => case.script = text,
            "stdin" => case.stdin = text,
            "args" => {
                for line in body {
                    let line = unprotected(line).to_vec();
                    let line = if flags.escaped { unescape(&line).map_err(|what| self.error(what))? } else { line };
                    case.args.push(line);
                }
            }
            "env" => {
                for line in lines().filter(|line| !line.is_empty()) {
                    let at = line.iter().position(|byte| *byte == b'=').ok_or_else(|| self.error("NAME=value"))?;
                    case.env.push((self.utf8(&line[..at])?.to_owned(), line[at + 1..].to_vec()));
                }
            }
            "file" => {
                let mode = match words.get(1) {
                    Some(mode) => Some(
                        u32::from_str_radix(mode, 8)
                            .map_err(|_| self.error(format!("{mode}: permissions are octal, as in 755")))?,
                    ),
                    None => None,
                };
                let name = words[0].trim_end_matches('/').to_owned();
                let content = (name == words[0]).then_some(text);
                case.given.push(Given { name, content, mode });
            }
            "stdout" if flags.any => case.expected.stdout = Stdout::Any,
            "stdout" => case.expected.stdout = Stdout::Exact(text),
            "leaves" => case.expected.leaves.push((words[0].clone(), text)),
            _ => {
                let mut names = Vec::new();
                for line in lines().filter(|line| !line.is_empty()) {
                    names.push(self.utf8(line)?.to_owned());
                }
                names.sort();
                case.expected.directory = Some(names);
            }
        }
        Ok(())
    }

    /// A line without a body.
    fn directive(&self, key: &str, rest: &str, case: &mut Case) -> Result<(), Error> {
        let wants = |what: &str| {
            if rest.is_empty() { Err(self.error(format!("`--- {key}` wants {what}"))) } else { Ok(()) }
        };
        match key {
            "status" => {
                let (number, elsewhere) = split(rest);
                let status = number.parse().map_err(|_| self.error(format!("{rest}: a status is 0 to 255")))?;
                match elsewhere {
                    "" => {}
                    "elsewhere >0" if status != 0 => case.expected.is_any_failure_elsewhere = true,
                    _ => return Err(self.error("after the status only `elsewhere >0`, and only after a failure")),
                }
                case.expected.status = Some(status);
            }
            "stderr-has" => {
                wants("a text")?;
                case.expected.stderr_has.push(rest.as_bytes().to_vec());
            }
            "leaves-not" => {
                wants("a name")?;
                case.expected.leaves_not.extend(self.words(rest)?.0);
            }
            "mode" => {
                case.mode = match rest {
                    "file" => Mode::File,
                    "-c" => Mode::Command,
                    "stdin" => Mode::Stdin,
                    _ => return Err(self.error(format!("{rest}: the modes are file, -c and stdin"))),
                }
            }
            "options" => case.options.extend(rest.split_whitespace().map(str::to_owned)),
            "needs" => {
                wants("a program, `unix` or `non-root`")?;
                case.needs.extend(rest.split_whitespace().map(str::to_owned));
            }
            "bundled" => {
                wants("bundled utilities")?;
                case.bundled.extend(rest.split_whitespace().map(str::to_owned));
            }
            "covers" => {
                wants("an item of INDEX.md")?;
                case.covers.push(rest.to_owned());
            }
            "differs" => {
                let (names, reason) = rest
                    .split_once(": ")
                    .filter(|(_, reason)| !reason.trim().is_empty())
                    .ok_or_else(|| self.error("`--- differs SHELL, SHELL: reason`"))?;
                for name in names.split(',').map(str::trim) {
                    let subject = Subject::by_name(name)
                        .filter(|subject| *subject != Subject::InProcess)
                        .ok_or_else(|| self.error(format!("{name}: no shell that can differ")))?;
                    case.differs.push((subject, reason.to_owned()));
                }
            }
            "end" => {}
            _ => return Err(self.error(format!("`--- {key}`: no such section"))),
        }
        Ok(())
    }

    fn utf8<'t>(&self, bytes: &'t [u8]) -> Result<&'t str, Error> {
        std::str::from_utf8(bytes).map_err(|_| self.error("not UTF-8: write it below a section with `escaped`"))
    }

    /// The words of a header, `"quoted"` where they hold blanks, and the flags among them.
    fn words(&self, text: &str) -> Result<(Vec<String>, Flags), Error> {
        let mut words = Vec::new();
        let mut flags = Flags::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            if let Some(quoted) = rest.strip_prefix('"') {
                let (word, after) = quoted.split_once('"').ok_or_else(|| self.error("a quote is missing"))?;
                words.push(word.to_owned());
                rest = after.trim_start();
                continue;
            }
            let (word, after) = split(rest);
            match word {
                "no-newline" => flags.no_newline = true,
                "escaped" => flags.escaped = true,
                "any" => flags.any = true,
                word => words.push(word.to_owned()),
            }
            rest = after;
        }
        Ok((words, flags))
    }
}

/// What the words after a key say of the text below it.
#[derive(Clone, Copy, Default)]
struct Flags {
    no_newline: bool,
    escaped: bool,
    any: bool,
}

/// The first word and what is after it.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

fn content(lines: &[&[u8]], flags: Flags) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(unprotected(line));
        text.push(b'\n');
    }
    if flags.no_newline {
        text.pop();
    }
    if flags.escaped { unescape(&text) } else { Ok(text) }
}

/// Is it a line that would be taken for a title or a section, backslashes before it or not?
pub(crate) fn is_reserved(line: &[u8]) -> bool {
    let start = line.iter().position(|byte| *byte != b'\\').unwrap_or(line.len());
    line[start..].starts_with(TITLE) || line[start..].starts_with(SECTION)
}

/// `\--- ` stands for `--- `.
fn unprotected(line: &[u8]) -> &[u8] {
    match line {
        [b'\\', rest @ ..] if is_reserved(rest) => rest,
        line => line,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read(text: &str) -> Result<Vec<Case>, Error> {
        parse("posix/x", Path::new("x.spec"), text.as_bytes())
    }

    #[test]
    fn a_case_is_read_with_all_its_sections() {
        let text = "# comment\n--- covers all\n\n=== first\necho a\n\necho b\n--- args\none\n\ntwo words\n\
                    --- file \"a b\" 755\nx\n--- file d/\n--- stdin no-newline\nin\n--- stdout escaped\n\\xff\\\\\n\
                    \\--- x\n--- status 3\n--- stderr-has a: b\n--- leaves f no-newline\nhi\n--- leaves-not g h\n\
                    --- mode -c\n--- options --posix -e\n--- differs dash, busybox: they: no\n--- needs sed awk\n\
                    --- env\nA=b=c\n\n\n=== second\n--- script\ntrue\n--- stdout\n";
        let cases = read(text).unwrap();
        assert_eq!(cases.len(), 2);
        let case = &cases[0];
        assert_eq!(case.name(), "posix/x: first");
        assert_eq!((case.line, case.end_line), (4, 31));
        assert_eq!(case.script, b"echo a\n\necho b\n");
        assert_eq!(case.args, [&b"one"[..], b"", b"two words"]);
        assert_eq!(case.given[0], Given { name: "a b".into(), content: Some(b"x\n".to_vec()), mode: Some(0o755) });
        assert_eq!(case.given[1], Given { name: "d".into(), content: None, mode: None });
        assert_eq!(case.stdin, b"in");
        assert_eq!(case.expected.stdout, Stdout::Exact(b"\xff\\\n--- x\n".to_vec()));
        assert_eq!(case.expected.status, Some(3));
        assert_eq!(case.expected.stderr_has, [b"a: b"]);
        assert_eq!(case.expected.leaves, [("f".to_owned(), b"hi".to_vec())]);
        assert_eq!(case.expected.leaves_not, ["g", "h"]);
        assert_eq!(case.mode, Mode::Command);
        assert_eq!(case.options, ["--posix", "-e"]);
        assert_eq!(case.differs_for(&Subject::Busybox), Some("they: no"));
        assert_eq!(case.needs, ["sed", "awk"]);
        assert_eq!(case.env, [("A".to_owned(), b"b=c".to_vec())]);
        assert_eq!(case.covers, ["all"]);
        assert_eq!(cases[1].expected.stdout, Stdout::Exact(Vec::new()));
    }

    #[test]
    fn what_is_not_in_the_format_is_named_with_its_line() {
        let cases = [
            ("echo\n", 1),
            ("=== a\n", 1),
            ("=== a\n--- stdout\nx\n", 1),
            ("=== a\ntrue\n--- nonsense\n", 3),
            ("=== a\ntrue\n--- status 256\n", 3),
            ("=== a\ntrue\n--- status 0 elsewhere >0\n", 3),
            ("=== a\ntrue\n--- status 0\necho\n", 3),
            ("=== a\ntrue\n--- differs zsh: no\n", 3),
            ("=== a\ntrue\n--- differs dash\n", 3),
            ("=== a\ntrue\n--- file\n", 3),
            ("=== a\ntrue\n--- stdout escaped\n\\q\n", 3),
            ("=== a\ntrue\n=== a\ntrue\n", 3),
            ("=== a\ntrue\n--- script\ntrue\n", 3),
        ];
        for (text, expected) in cases {
            match read(text) {
                Err(Error::Malformed { line, .. }) => assert_eq!(line, expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
