//! Programs in the languages of sed, awk and jq: what they run, and what they write.

use super::Use;
use super::names::Language;
use super::source::Source;
use super::word::UNKNOWN;

impl Source<'_, '_> {
    /// GNU sed: `e` runs a command, `w` writes a file.
    pub(super) fn sed(&mut self, code: &[u8]) {
        let mut sed = Sed { code, at: 0, runs: Vec::new(), writes: Vec::new() };
        let is_understood = sed.read().is_some();
        let Sed { runs, writes, .. } = sed;
        for command in runs {
            match command.is_empty() {
                // What stands in the line.
                true => self.scan.uncertain(format!("what `sed` runs: {}", String::from_utf8_lossy(code))),
                false => self.code(&command),
            }
        }
        writes.iter().for_each(|file| self.writes(file));
        if !is_understood {
            self.files_in_line(code, Use::Given);
            self.scan.uncertain(format!("what `sed` makes of {}", String::from_utf8_lossy(code)));
        }
    }

    /// awk: `system`, `|`, `@include`, `@load`.
    pub(super) fn awk(&mut self, code: &[u8]) {
        let plain = without_texts(code);
        let has = |what: &[u8]| plain.windows(what.len()).any(|part| part == what);
        let pipes = plain.iter().enumerate().any(|(at, byte)| {
            let before = at.checked_sub(1).and_then(|at| plain.get(at));
            *byte == b'|' && before != Some(&b'|') && plain.get(at + 1) != Some(&b'|')
        });
        if has(b"@") || has(b"system") || pipes {
            self.files_in_line(code, Use::Given);
            // `system("./x.sh")`: one text that is wholly known.
            let simple = literal_calls(code, b"system");
            match simple {
                Some(commands) if !pipes && !has(b"@") => commands.iter().for_each(|command| self.code(command)),
                _ => {
                    let shown = String::from_utf8_lossy(code.get(..80).unwrap_or(code)).into_owned();
                    self.scan.uncertain(format!("what `awk` runs: {shown}"));
                }
            }
        }
        if has(b">") {
            for text in texts(code) {
                self.writes(&text);
            }
        }
    }

    /// jq starts nothing, but it includes modules.
    pub(super) fn jq(&mut self, code: &[u8]) {
        let has = |what: &[u8]| code.windows(what.len()).any(|part| part == what);
        if has(b"include") || has(b"import") {
            for text in texts(code) {
                for end in [&b""[..], b".jq", b".json"] {
                    let name = [&text[..], end].concat();
                    self.path(&name, Use::Script(Language::Jq));
                    if let Some(dir) = self.scripts.first().and_then(|script| script.parent()) {
                        let path = dir.join(hookshell_process::text::to_path(&name));
                        self.scan.file(&path, Use::Script(Language::Jq));
                    }
                }
            }
            if has(b"search") || has(b"-L") {
                self.scan.uncertain("the modules that `jq` includes".to_owned());
            }
        }
    }
}

/// The texts in double quotes of a program.
fn texts(code: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.iter().position(|byte| *byte == b'"') {
        let after = rest.get(start + 1..).unwrap_or_default();
        let mut end = 0;
        while let Some(byte) = after.get(end) {
            match byte {
                b'\\' => end += 2,
                b'"' => break,
                _ => end += 1,
            }
        }
        let end = end.min(after.len());
        all.push(after.get(..end).unwrap_or_default().to_vec());
        rest = after.get(end + 1..).unwrap_or_default();
    }
    all
}

/// An awk program with its texts, patterns and comments left out.
fn without_texts(code: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(byte) = code.get(at) {
        at += 1;
        match byte {
            b'"' => {
                while let Some(byte) = code.get(at) {
                    at += if *byte == b'\\' { 2 } else { 1 };
                    if *byte == b'"' {
                        break;
                    }
                }
                out.extend(b"\"\"");
            }
            b'#' => {
                while code.get(at).is_some_and(|byte| *byte != b'\n') {
                    at += 1;
                }
            }
            b'/' => {
                let before = out.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
                let is_pattern = before.is_none_or(|before| b"(,~!{};&|\n?:=".contains(before));
                let line = code.get(at..).unwrap_or_default();
                let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
                let mut end = 0;
                while let Some(byte) = line.get(end).filter(|byte| **byte != b'/') {
                    end += if *byte == b'\\' { 2 } else { 1 };
                }
                match is_pattern && end < line.len() {
                    true => {
                        at += end + 1;
                        out.extend(b"//");
                    }
                    false => out.push(b'/'),
                }
            }
            byte => out.push(*byte),
        }
    }
    out
}

/// The texts of `name("…")`, where every call of it is one.
fn literal_calls(code: &[u8], name: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut calls = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.windows(name.len()).position(|part| part == name) {
        rest = rest.get(at + name.len()..)?;
        let call = rest.trim_ascii_start().strip_prefix(b"(")?.trim_ascii_start().strip_prefix(b"\"")?;
        let end = call.iter().position(|byte| *byte == b'"')?;
        let text = call.get(..end)?;
        if text.contains(&b'\\') || !call.get(end + 1..)?.trim_ascii_start().starts_with(b")") {
            return None;
        }
        calls.push(text.to_vec());
        rest = call.get(end + 1..)?;
    }
    Some(calls)
}

/// A reader of sed's commands: POSIX, XCU sed, with GNU's `e`, `w`, `W`, `R`, `F`, `M` flags.
struct Sed<'c> {
    code: &'c [u8],
    at: usize,
    /// Commands that are run; an empty one is what stands in the line.
    runs: Vec<Vec<u8>>,
    writes: Vec<Vec<u8>>,
}

impl Sed<'_> {
    fn peek(&self) -> Option<u8> {
        self.code.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, which: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&which) {
            self.at += 1;
        }
    }

    /// Up to the end of the line.
    fn line(&mut self) -> Vec<u8> {
        let start = self.at;
        self.skip(|byte| byte != b'\n');
        self.code.get(start..self.at).unwrap_or_default().trim_ascii().to_vec()
    }

    /// Past the next delimiter that no backslash stands before and no bracket is around.
    fn part(&mut self, delimiter: u8, is_pattern: bool) -> Option<()> {
        let mut is_in_bracket = false;
        loop {
            let byte = self.next()?;
            match byte {
                b'\\' => {
                    self.next()?;
                }
                b'[' if is_pattern && !is_in_bracket => {
                    is_in_bracket = true;
                    // `[]…]`, `[^]…]`
                    if self.peek() == Some(b'^') {
                        self.at += 1;
                    }
                    if self.peek() == Some(b']') {
                        self.at += 1;
                    }
                }
                b']' if is_in_bracket => is_in_bracket = false,
                _ if byte == delimiter && !is_in_bracket => return Some(()),
                _ => {}
            }
        }
    }

    fn address(&mut self) -> Option<()> {
        match self.peek() {
            Some(b'/') => {
                self.at += 1;
                self.part(b'/', true)?;
                self.skip(|byte| matches!(byte, b'I' | b'M'));
            }
            Some(b'\\') => {
                self.at += 1;
                let delimiter = self.next()?;
                self.part(delimiter, true)?;
                self.skip(|byte| matches!(byte, b'I' | b'M'));
            }
            Some(byte) if byte.is_ascii_digit() || matches!(byte, b'$' | b'+' | b'~') => {
                self.skip(|byte| byte.is_ascii_digit() || matches!(byte, b'$' | b'~' | b'+'));
            }
            _ => {}
        }
        Some(())
    }

    /// All of it. `None`: it is not understood.
    fn read(&mut self) -> Option<()> {
        // What is unknown may be anything: the commands around it are not told from each other.
        if self.code.windows(UNKNOWN.len()).any(|part| part == UNKNOWN) {
            return Some(());
        }
        loop {
            self.skip(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b'}'));
            if self.peek().is_none() {
                return Some(());
            }
            self.address()?;
            self.skip(|byte| matches!(byte, b' ' | b'\t'));
            if self.peek() == Some(b',') {
                self.at += 1;
                self.skip(|byte| matches!(byte, b' ' | b'\t'));
                self.address()?;
            }
            self.skip(|byte| matches!(byte, b' ' | b'\t' | b'!'));
            match self.next()? {
                b'{' => {}
                b'#' => {
                    self.line();
                }
                b'a' | b'i' | b'c' => {
                    // The text continues after a backslash at the line's end.
                    loop {
                        let line = self.line();
                        if !line.ends_with(b"\\") || self.next().is_none() {
                            break;
                        }
                    }
                }
                b'r' | b'R' => {
                    self.line();
                }
                b'w' | b'W' => {
                    let file = self.line();
                    self.writes.push(file);
                }
                b':' | b'b' | b't' | b'T' => {
                    self.skip(|byte| !matches!(byte, b'\n' | b';' | b'}'));
                }
                b'e' => {
                    let command = self.line();
                    self.runs.push(command);
                }
                b's' => {
                    let delimiter = self.next()?;
                    self.part(delimiter, true)?;
                    self.part(delimiter, false)?;
                    loop {
                        match self.peek() {
                            Some(b'e') => {
                                self.at += 1;
                                self.runs.push(Vec::new());
                            }
                            Some(b'w') => {
                                self.at += 1;
                                let file = self.line();
                                self.writes.push(file);
                                break;
                            }
                            Some(byte)
                                if byte.is_ascii_digit() || matches!(byte, b'g' | b'p' | b'i' | b'I' | b'm' | b'M') =>
                            {
                                self.at += 1
                            }
                            _ => break,
                        }
                    }
                }
                b'y' => {
                    let delimiter = self.next()?;
                    self.part(delimiter, false)?;
                    self.part(delimiter, false)?;
                }
                b'q' | b'Q' | b'l' | b'L' => self.skip(|byte| byte.is_ascii_digit() || byte == b' '),
                b'=' | b'd' | b'D' | b'g' | b'G' | b'h' | b'H' | b'n' | b'N' | b'p' | b'P' | b'x' | b'z' | b'F' => {}
                b'v' => {
                    self.line();
                }
                _ => return None,
            }
        }
    }
}
