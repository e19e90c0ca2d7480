//! Comments that switch findings off: `# hookshell: ignore=HS401` on the line or the line before it, and
//! `# hookshell: ignore-file=HS401` anywhere in the file. What begins a comment in another language does so here, too.

use super::FindingCode;

/// The comments of one file.
#[derive(Debug, Default)]
pub(super) struct Comments {
    /// For the whole file.
    file: Vec<FindingCode>,
    /// For a line, which is counted from 1.
    lines: Vec<(usize, FindingCode)>,
    /// What is no code, and its line.
    pub(super) unknown: Vec<(usize, String)>,
}

/// What comments begin with.
const MARKS: [&str; 7] = ["#", "//", "--", ";", "::", "<#", "REM "];

impl Comments {
    pub(super) fn read(text: &[u8]) -> Self {
        Self::of_lines(text, |_| false)
    }

    /// Of a config, whose commands have comments of their own: those are not for the line, on which other hooks may stand.
    pub(super) fn of_config(text: &[u8]) -> Self {
        Self::of_lines(text, is_in_string)
    }

    fn of_lines(text: &[u8], is_left_out: impl Fn(&str) -> bool) -> Self {
        let mut comments = Self::default();
        // What a comment on a line of its own says holds for the next line that is no comment.
        let mut pending: Vec<FindingCode> = Vec::new();
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let number = index + 1;
            let line = String::from_utf8_lossy(line);
            let is_comment = MARKS.iter().any(|mark| starts_with(line.trim_start(), mark));
            // A finding may stand on a comment too.
            comments.lines.extend(pending.iter().map(|code| (number, *code)));
            if !is_comment {
                pending.clear();
            }
            let Some(Directive { before, is_for_file, codes }) = directive(&line) else { continue };
            if is_left_out(before) {
                continue;
            }
            for word in codes {
                match word.parse() {
                    Err(_) => comments.unknown.push((number, word.to_owned())),
                    Ok(code) if is_for_file => comments.file.push(code),
                    Ok(code) => {
                        comments.lines.push((number, code));
                        if is_comment {
                            pending.push(code);
                        }
                    }
                }
            }
        }
        comments
    }

    /// Is the code switched off anywhere in it?
    pub(super) fn has(&self, code: FindingCode) -> bool {
        self.file.contains(&code) || self.lines.iter().any(|(_, ignored)| *ignored == code)
    }

    pub(super) fn ignore(&self, code: FindingCode, line: Option<usize>) -> bool {
        self.file.contains(&code) || line.is_some_and(|line| self.lines.contains(&(line, code)))
    }
}

struct Directive<'l> {
    /// What stands before it in its line.
    before: &'l str,
    is_for_file: bool,
    codes: Vec<&'l str>,
}

fn directive(line: &str) -> Option<Directive<'_>> {
    const MARK: &str = "hookshell:";
    let at = line.find(MARK)?;
    let before = line.get(..at)?;
    let is_end = |mark: &str| {
        let from = before.trim_end().len().checked_sub(mark.trim_end().len());
        from.and_then(|from| before.get(from..)).is_some_and(|end| starts_with(end, mark.trim_end()))
    };
    if !MARKS.iter().any(|mark| is_end(mark)) {
        return None;
    }
    let rest = line.get(at + MARK.len()..)?.trim_start();
    let rest = rest.strip_prefix("ignore")?;
    let (is_for_file, rest) = match rest.strip_prefix("-file") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let list = rest.trim_start().strip_prefix('=')?.trim_start();
    // The list ends with the first blank that no comma stands before; what follows is the reason.
    let mut codes = Vec::new();
    let mut rest = list;
    loop {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if !word.is_empty() {
            codes.push(word);
        }
        match after.trim_start().strip_prefix(',') {
            Some(next) => rest = next.trim_start(),
            None => return Some(Directive { before, is_for_file, codes }),
        }
    }
}

fn starts_with(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

/// Does what stands before a place in a line of JSON or TOML end in a string?
fn is_in_string(before: &str) -> bool {
    let mut quote = None;
    let mut characters = before.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some('"'), '\\') => {
                characters.next();
            }
            (Some(open), _) if open == character => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            // What stands in a comment opens no string.
            (None, '#') => return false,
            (None, '/') if characters.as_str().starts_with('/') => return false,
            _ => {}
        }
    }
    quote.is_some()
}

/// The line of TOML on which the command of the table stands that begins on a line.
pub(super) fn line_of_command(text: &[u8], begins: usize) -> Option<usize> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().enumerate().skip(begins).take_while(|(_, line)| !line.trim_start().starts_with('['));
    let is_command =
        |line: &str| line.trim_start().strip_prefix("command").is_some_and(|rest| rest.trim_start().starts_with('='));
    lines.into_iter().find(|(_, line)| is_command(line)).map(|(index, _)| index + 1)
}

/// The line of a config on which this string stands.
pub(super) fn line_of_string(text: &[u8], string: &str) -> Option<usize> {
    let text = String::from_utf8_lossy(text);
    let at = ['"', '\''].into_iter().find_map(|quote| text.find(&format!("{quote}{string}{quote}")))?;
    Some(text.get(..at)?.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use super::Comments;
    use crate::check::FindingCode::{self, CrlfScript, NotPosix};

    #[test]
    fn a_comment_is_for_its_line_the_next_line_or_the_file() {
        let cases: [(&str, FindingCode, usize, bool); 17] = [
            ("a # hookshell: ignore=HS401\nb", NotPosix, 1, true),
            ("a # hookshell: ignore=HS401\nb", NotPosix, 2, false),
            ("# hookshell: ignore=HS401\nb\nc", NotPosix, 2, true),
            ("# hookshell: ignore=HS401\nb\nc", NotPosix, 3, false),
            ("# hookshell: ignore=HS401\n# why\nb", NotPosix, 3, true),
            ("# hookshell: ignore=HS401\n# why\nb", NotPosix, 2, true),
            ("  // hookshell: ignore=hs307, HS401 because\nb", NotPosix, 2, true),
            ("#hookshell:ignore = HS307,HS401\r\nb\r\n", CrlfScript, 2, true),
            ("a\nb\n# hookshell: ignore-file=HS401\n", NotPosix, 1, true),
            ("# hookshell: ignore=HS307\nb", NotPosix, 2, false),
            ("hookshell: ignore=HS401", NotPosix, 1, false),
            ("# hookshell: ignore", NotPosix, 1, false),
            ("-- hookshell: ignore=HS401\nb", NotPosix, 2, true),
            ("rem hookshell: ignore=HS401\r\nb", NotPosix, 2, true),
            (":: hookshell: ignore-file=HS401\r\nb", NotPosix, 2, true),
            ("<# hookshell: ignore=HS401 #>\nb", NotPosix, 2, true),
            ("b ; hookshell: ignore=HS401", NotPosix, 1, true),
        ];
        for (text, code, line, expected) in cases {
            assert_eq!(Comments::read(text.as_bytes()).ignore(code, Some(line)), expected, "{text:?} {line}");
        }
        for (line, expected) in [
            (r#"{"command":"a # hookshell: ignore=HS401"},"#, false),
            (r#"{"command":"a \" # hookshell: ignore=HS401"},"#, false),
            (r#"{"command":"a"}, // hookshell: ignore=HS401"#, true),
            (r#"command = 'it"s' # hookshell: ignore=HS401"#, true),
            (r#"# it's "so": hookshell: ignore=HS401"#, false),
            (r#"# it's so # hookshell: ignore=HS401"#, true),
        ] {
            assert_eq!(Comments::of_config(line.as_bytes()).ignore(NotPosix, Some(1)), expected, "{line}");
        }
        let unknown = Comments::read(b"a\n# hookshell: ignore=HS401,HS000\n").unknown;
        assert_eq!(unknown, [(2, "HS000".to_owned())]);
    }
}
