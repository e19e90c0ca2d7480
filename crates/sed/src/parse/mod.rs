//! Reading a sed script, as GNU's `compile.c` does. What is not certain is left to the real sed.

mod address;
mod pattern;
mod substitution;

use std::borrow::Cow;
use std::collections::HashMap;

use hookshell_utility::Unsupported;

use super::fault::{Fault, Place};
use super::program::{Action, Address, Command, Program, Select, Source};
use super::text::{character, is_recursive};

const EXTRA: &str = "extra characters after command";
const UNTERMINATED_ADDRESS: &str = "unterminated address regex";
const UNTERMINATED_SUBSTITUTION: &str = "unterminated `s' command";
const UNTERMINATED_TRANSLATION: &str = "unterminated `y' command";
const UNKNOWN_FLAG: &str = "unknown option to `s'";
const LENGTHS: &str = "strings for `y' command are different lengths";
const SANDBOX: &str = "e/r/w commands disabled in sandbox mode";
const LINE_0: &str = "invalid usage of line address 0";
const NO_BACKSLASH: &str = "expected \\ after `a', `c' or `i'";
const ONE_ADDRESS: &str = "command only uses one address";

struct Parser<'s> {
    source: &'s Source,
    script: &'s [u8],
    at: usize,
    program: Program,
    /// Open blocks, and where their braces stand.
    blocks: Vec<(usize, usize)>,
    labels: Vec<(Vec<u8>, usize)>,
    /// Commands that go to labels.
    jumps: Vec<(usize, Vec<u8>)>,
    /// The least number of groups of any expression so far, and the greatest that `s//…\N…/` asks for.
    least_groups: usize,
    wanted_groups: usize,
}

type Result<T> = std::result::Result<T, Fault>;

/// Reads a script.
pub(crate) fn parse(source: &Source) -> Result<Program> {
    let mut parser = Parser {
        source,
        script: &source.script,
        at: 0,
        program: Program::default(),
        blocks: Vec::new(),
        labels: Vec::new(),
        jumps: Vec::new(),
        least_groups: usize::MAX,
        wanted_groups: 0,
    };
    if source.script.contains(&0) || !source.bytes && std::str::from_utf8(&source.script).is_err() {
        return Err(parser.unsupported());
    }
    if source.script == b"#n" || source.script.starts_with(b"#n\n") {
        parser.program.quiet = true;
    }
    while parser.command()? {}
    if parser.wanted_groups > parser.least_groups {
        // Which expression is meant is known when it runs.
        return Err(Unsupported::new("a reference to a group of an empty expression").into());
    }
    parser.finish()
}

impl Parser<'_> {
    /// GNU's message, which says how far the script was read.
    fn wrong(&self, what: impl Into<Cow<'static, str>>) -> Fault {
        self.source.mistake(Place::At(self.at), what)
    }

    fn unknown_command(&self, letter: u8) -> Fault {
        self.wrong(format!("unknown command: `{}'", String::from_utf8_lossy(&[letter])))
    }

    fn recursive(&self) -> Fault {
        self.wrong("recursive escaping after \\c not allowed")
    }

    fn unsupported(&self) -> Fault {
        let rest = self.script.get(self.at.saturating_sub(1)..).unwrap_or_default();
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Unsupported::new(format!(
            "this script, at {}",
            line.get(..line.len().min(40)).unwrap_or_default().escape_ascii()
        ))
        .into()
    }

    /// At the end of the script, or of what one `-e` gave.
    fn is_at_end(&self) -> bool {
        self.at >= self.script.len() || self.source.is_joint(self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.script.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// The next byte, unless the line ends here.
    fn next_of_line(&mut self) -> Option<u8> {
        if self.peek() == Some(b'\n') { None } else { self.next() }
    }

    fn skip(&mut self, test: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&test) {
            self.at += 1;
        }
    }

    fn blanks(&mut self) {
        self.skip(|byte| matches!(byte, b' ' | b'\t'));
    }

    fn number(&mut self) -> Result<Option<u64>> {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_digit());
        let digits = self.script.get(start..self.at).unwrap_or_default();
        if digits.is_empty() {
            return Ok(None);
        }
        let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        number.filter(|number: &u64| *number < 1 << 60).map(Some).ok_or_else(|| self.unsupported())
    }

    /// Reads one command; `false`: the script is at its end.
    fn command(&mut self) -> Result<bool> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b';');
        if self.peek().is_none() {
            return Ok(false);
        }
        let select = self.select()?;
        self.blanks();
        let mut negated = false;
        if self.peek() == Some(b'!') {
            negated = true;
            self.at += 1;
            self.blanks();
            if self.peek() == Some(b'!') {
                self.at += 1;
                return Err(self.wrong("multiple `!'s"));
            }
        }
        let letter = match self.is_at_end() {
            true => None,
            false => self.next(),
        };
        let letter = letter.ok_or_else(|| self.wrong("missing command"))?;
        if self.source.posix && b"eFLQRTvWz".contains(&letter) {
            return Err(self.unknown_command(letter));
        }
        let has_address = !matches!(select, Select::All);
        let index = self.program.commands.len();
        let action = match letter {
            b'#' => {
                if has_address {
                    return Err(self.wrong("comments don't accept any addresses"));
                }
                self.skip(|byte| byte != b'\n');
                return Ok(true);
            }
            b':' => {
                if has_address {
                    return Err(self.wrong(": doesn't want any addresses"));
                }
                let label = self.label();
                if label.is_empty() {
                    return Err(self.wrong("\":\" lacks a label"));
                }
                self.labels.push((label, index));
                return Ok(true);
            }
            b'{' => {
                self.blocks.push((index, self.at - 1));
                self.push(select, negated, Action::Block(0));
                return Ok(true);
            }
            b'}' => {
                let Some((open, _)) = self.blocks.pop() else { return Err(self.wrong("unexpected `}'")) };
                if has_address {
                    return Err(self.wrong("`}' doesn't want any addresses"));
                }
                if let Some(Command { action: Action::Block(end), .. }) = self.program.commands.get_mut(open) {
                    *end = index;
                }
                self.end()?;
                return Ok(true);
            }
            b'a' | b'i' | b'c' => {
                let text = self.text()?;
                let action = match letter {
                    b'a' => Action::Append(text),
                    b'i' => Action::Insert(text),
                    _ => Action::Change(text),
                };
                self.push(select, negated, action);
                return Ok(true);
            }
            b'e' if self.source.sandbox => return Err(self.wrong(SANDBOX)),
            b'e' => {
                self.blanks();
                let command = match self.peek() {
                    None | Some(b'\n') => None,
                    // What ends other commands is a command here.
                    Some(b'\r' | b';' | b'}' | b'#') => return Err(self.unsupported()),
                    Some(_) => {
                        let mut text = self.text()?;
                        text.pop();
                        Some(text)
                    }
                };
                self.push(select, negated, Action::Execute(command));
                return Ok(true);
            }
            b'b' | b't' | b'T' => {
                let label = self.label();
                self.jumps.push((index, label));
                let action = match letter {
                    b'b' => Action::Jump(0),
                    b't' => Action::JumpIfReplaced(0),
                    _ => Action::JumpIfNot(0),
                };
                self.push(select, negated, action);
                return Ok(true);
            }
            b'r' | b'R' | b'w' | b'W' => {
                let name = self.file_name()?;
                let action = match letter {
                    b'r' if matches!(select, Select::One(Address::Line(0))) => {
                        self.push(Select::One(Address::Line(1)), negated, Action::ReadBefore(name));
                        return Ok(true);
                    }
                    b'r' => Action::ReadFile(name),
                    b'R' => Action::ReadLine(place_of(name, &mut self.program.inputs)),
                    b'w' => Action::Write(place_of(name, &mut self.program.outputs)),
                    _ => Action::WriteFirst(place_of(name, &mut self.program.outputs)),
                };
                self.push(select, negated, action);
                return Ok(true);
            }
            b's' => self.substitution()?,
            b'y' => self.translation()?,
            b'q' | b'Q' | b'l' => {
                if letter != b'l' && matches!(select, Select::Range(..)) {
                    return Err(self.wrong(ONE_ADDRESS));
                }
                self.blanks();
                let number = if self.source.posix { None } else { self.number()? };
                match letter {
                    b'l' => Action::List(number),
                    _ => {
                        // A status has eight bits.
                        let [.., status] = number.unwrap_or(0).to_be_bytes();
                        Action::Quit { status, print: letter == b'q' }
                    }
                }
            }
            b'=' => Action::LineNumber,
            b'd' => Action::Delete,
            b'D' => Action::DeleteFirst,
            b'F' => Action::FileName,
            b'g' => Action::Get,
            b'G' => Action::GetAppend,
            b'h' => Action::Hold,
            b'H' => Action::HoldAppend,
            b'x' => Action::Exchange,
            b'n' => Action::Next,
            b'N' => Action::NextAppend,
            b'p' => Action::Print,
            b'P' => Action::PrintFirst,
            b'z' => Action::Zap,
            b'v' => {
                let version = self.label();
                return match is_newer(&version) {
                    Some(true) => Err(self.wrong("expected newer version of sed")),
                    Some(false) => Ok(true),
                    None => Err(self.unsupported()),
                };
            }
            // An old command of GNU's.
            b'L' => return Err(self.unsupported()),
            _ => return Err(self.unknown_command(letter)),
        };
        if letter != b's' {
            self.end()?;
        }
        self.push(select, negated, action);
        Ok(true)
    }

    fn push(&mut self, select: Select, negated: bool, action: Action) {
        self.program.commands.push(Command { select, negated, action });
    }

    /// What may follow a command.
    fn end(&mut self) -> Result<()> {
        self.blanks();
        match self.peek() {
            None | Some(b'}' | b'#') => Ok(()),
            Some(b'\n' | b';') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => {
                self.at += 1;
                Err(self.wrong(EXTRA))
            }
        }
    }

    fn label(&mut self) -> Vec<u8> {
        self.blanks();
        let start = self.at;
        self.skip(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'}' | b'#'));
        self.script.get(start..self.at).unwrap_or_default().to_vec()
    }

    fn file_name(&mut self) -> Result<Vec<u8>> {
        if self.source.sandbox {
            return Err(self.wrong(SANDBOX));
        }
        self.blanks();
        let start = self.at;
        self.skip(|byte| byte != b'\n');
        let name = self.script.get(start..self.at).unwrap_or_default().to_vec();
        let special = hookshell_utility::special_name(&name).is_some();
        let known = [&b"/dev/stdin"[..], b"/dev/stdout", b"/dev/stderr", b"/dev/null"];
        if name.is_empty() {
            return Err(self.wrong("missing filename in r/R/w/W commands"));
        }
        // Under --posix GNU's opens the system's files of these names.
        if special && (self.source.posix || !known.contains(&&name[..])) {
            return Err(self.unsupported());
        }
        Ok(name)
    }

    /// The text of `a`, `i` and `c`.
    fn text(&mut self) -> Result<Vec<u8>> {
        let after_letter = self.at;
        self.blanks();
        let had_blanks = self.at > after_letter;
        if self.is_at_end() {
            return Err(self.wrong(NO_BACKSLASH));
        }
        if self.source.posix && self.peek() != Some(b'\\') {
            self.at += 1;
            return Err(self.wrong(NO_BACKSLASH));
        }
        if self.peek() == Some(b'\\') {
            self.at += 1;
            let mark = self.at;
            self.blanks();
            if self.peek() == Some(b'\n') {
                self.at += 1;
                if had_blanks && self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
                    return Err(self.unsupported());
                }
            } else {
                // `a\  text`: the blanks belong to the text.
                self.at = mark;
            }
            if self.source.posix && self.is_at_end() {
                return Err(self.wrong("incomplete command"));
            }
            if self.at == mark && self.peek().is_none() {
                // `$a\` adds nothing but the newline that the last line lacks.
                return Ok(Vec::new());
            }
        }
        let mut text = Vec::new();
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => break,
                b'\\' => {
                    let Some(letter) = self.next() else { break };
                    let rest = self.script.get(self.at..).unwrap_or_default();
                    let rest = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
                    if is_recursive(letter, rest) {
                        return Err(self.recursive());
                    }
                    match character(letter, rest) {
                        Some((character, length)) => {
                            self.at += length;
                            text.push(character);
                        }
                        None => text.push(letter),
                    }
                }
                _ => text.push(byte),
            }
        }
        text.push(b'\n');
        Ok(text)
    }

    fn finish(mut self) -> Result<Program> {
        if let Some((_, brace)) = self.blocks.last() {
            return Err(self.source.mistake(Place::Piece(*brace), "unmatched `{'"));
        }
        let end = self.program.commands.len();
        // The last label of a name counts.
        let labels: HashMap<&[u8], usize> = self.labels.iter().map(|(label, at)| (&label[..], *at)).collect();
        for (command, label) in std::mem::take(&mut self.jumps).into_iter().rev() {
            let target = match labels.get(&label[..]).copied() {
                Some(target) => target,
                None if label.is_empty() => end,
                None => return Err(Fault::fatal([b"can't find label for jump to `", &label[..], b"'"].concat())),
            };
            match self.program.commands.get_mut(command).map(|command| &mut command.action) {
                Some(Action::Jump(to) | Action::JumpIfReplaced(to) | Action::JumpIfNot(to)) => *to = target,
                _ => return Err(self.unsupported()),
            }
        }
        Ok(self.program)
    }
}

/// The place of a name in a list, where it is added if it is new.
fn place_of(name: Vec<u8>, list: &mut Vec<Vec<u8>>) -> usize {
    list.iter().position(|known| *known == name).unwrap_or_else(|| {
        list.push(name);
        list.len() - 1
    })
}

/// Is a version that `v` asks for newer than the one this is? `None`: it is no simple number.
fn is_newer(version: &[u8]) -> Option<bool> {
    const OURS: [u32; 2] = [4, 9];
    if version.is_empty() {
        return Some(false);
    }
    let version = std::str::from_utf8(version).ok()?;
    let numbers: Vec<u32> = version.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    Some(numbers[..] > OURS[..])
}
