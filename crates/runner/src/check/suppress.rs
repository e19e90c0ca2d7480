//! Comments that switch findings off: `# hookshell: ignore=HS401` on the line or the line before it, and
//! `# hookshell: ignore-file=HS401` anywhere in the file. `//` begins a comment too.

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

impl Comments {
    pub(super) fn read(text: &[u8]) -> Self {
        let mut comments = Self::default();
        // What a comment on a line of its own says holds for the next line that is no comment.
        let mut pending: Vec<FindingCode> = Vec::new();
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let number = index + 1;
            let line = String::from_utf8_lossy(line);
            let is_comment = line.trim_start().starts_with(['#', '/']);
            if !is_comment {
                comments.lines.extend(pending.drain(..).map(|code| (number, code)));
            }
            let Some(Directive { is_for_file, codes }) = directive(&line) else { continue };
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

    pub(super) fn ignore(&self, code: FindingCode, line: Option<usize>) -> bool {
        self.file.contains(&code) || line.is_some_and(|line| self.lines.contains(&(line, code)))
    }
}

struct Directive<'l> {
    is_for_file: bool,
    codes: Vec<&'l str>,
}

fn directive(line: &str) -> Option<Directive<'_>> {
    const MARK: &str = "hookshell:";
    let at = line.find(MARK)?;
    let before = line.get(..at)?.trim_end();
    if !before.ends_with('#') && !before.ends_with("//") {
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
            None => return Some(Directive { is_for_file, codes }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Comments;
    use crate::check::FindingCode::{self, CrlfScript, NotPosix};

    #[test]
    fn a_comment_is_for_its_line_the_next_line_or_the_file() {
        let cases: [(&str, FindingCode, usize, bool); 11] = [
            ("a # hookshell: ignore=HS401\nb", NotPosix, 1, true),
            ("a # hookshell: ignore=HS401\nb", NotPosix, 2, false),
            ("# hookshell: ignore=HS401\nb\nc", NotPosix, 2, true),
            ("# hookshell: ignore=HS401\nb\nc", NotPosix, 3, false),
            ("# hookshell: ignore=HS401\n# why\nb", NotPosix, 3, true),
            ("  // hookshell: ignore=hs307, HS401 because\nb", NotPosix, 2, true),
            ("#hookshell:ignore = HS307,HS401\r\nb\r\n", CrlfScript, 2, true),
            ("a\nb\n# hookshell: ignore-file=HS401\n", NotPosix, 1, true),
            ("# hookshell: ignore=HS307\nb", NotPosix, 2, false),
            ("hookshell: ignore=HS401", NotPosix, 1, false),
            ("# hookshell: ignore", NotPosix, 1, false),
        ];
        for (text, code, line, expected) in cases {
            assert_eq!(Comments::read(text.as_bytes()).ignore(code, Some(line)), expected, "{text:?} {line}");
        }
        let unknown = Comments::read(b"a\n# hookshell: ignore=HS401,HS000\n").unknown;
        assert_eq!(unknown, [(2, "HS000".to_owned())]);
    }
}
