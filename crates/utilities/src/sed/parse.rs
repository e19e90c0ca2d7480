//! Reading a sed script. What is wrong or not certain is left to the real sed.

use crate::text::brackets::is_bare_class;
use hookshell_regex::{Builder, Regex, Syntax};
use hookshell_shell::Unsupported;

use super::program::{Action, Address, Case, Command, End, Part, Program, Select, Source, Substitution, Translation};
use super::text::character;

struct Parser<'s> {
    source: &'s Source,
    script: &'s [u8],
    at: usize,
    program: Program,
    /// Open blocks.
    blocks: Vec<usize>,
    labels: Vec<(Vec<u8>, usize)>,
    /// Commands that go to labels.
    jumps: Vec<(usize, Vec<u8>)>,
    /// There was an expression that an empty one may mean.
    has_regex: bool,
    /// The least number of groups of any expression so far, and the greatest that `s//…\N…/` asks for.
    least_groups: usize,
    wanted_groups: usize,
}

type Result<T> = std::result::Result<T, Unsupported>;

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
        has_regex: false,
        least_groups: usize::MAX,
        wanted_groups: 0,
    };
    if source.script.contains(&0) || !source.bytes && std::str::from_utf8(&source.script).is_err() {
        return Err(parser.wrong());
    }
    if source.script == b"#n" || source.script.starts_with(b"#n\n") {
        parser.program.quiet = true;
    }
    while parser.command()? {}
    if parser.wanted_groups > parser.least_groups {
        // Which expression is meant is known when it runs.
        return Err(Unsupported::new("a reference to a group of an empty expression"));
    }
    parser.finish()
}

impl Parser<'_> {
    fn wrong(&self) -> Unsupported {
        let rest = self.script.get(self.at.saturating_sub(1)..).unwrap_or_default();
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        Unsupported::new(format!(
            "this script, at {}",
            line.get(..line.len().min(40)).unwrap_or_default().escape_ascii()
        ))
    }

    fn peek(&self) -> Option<u8> {
        self.script.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
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
        number.filter(|number: &u64| *number < 1 << 60).map(Some).ok_or_else(|| self.wrong())
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
                return Err(self.wrong());
            }
        }
        let letter = self.next().ok_or_else(|| self.wrong())?;
        let has_address = !matches!(select, Select::All);
        let index = self.program.commands.len();
        let action = match letter {
            b'#' if !has_address && !negated => {
                self.skip(|byte| byte != b'\n');
                return Ok(true);
            }
            b':' if !has_address && !negated => {
                self.blanks();
                let label = self.label(false);
                if label.is_empty() || label.contains(&b'}') || self.labels.iter().any(|(known, _)| *known == label) {
                    return Err(self.wrong());
                }
                self.labels.push((label, index));
                return Ok(true);
            }
            b'{' => {
                self.blocks.push(index);
                self.push(select, negated, Action::Block(0));
                return Ok(true);
            }
            b'}' if !has_address && !negated => {
                let open = self.blocks.pop().ok_or_else(|| self.wrong())?;
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
            b'e' => {
                self.blanks();
                let command = match self.peek() {
                    None | Some(b'\n') => None,
                    // What ends other commands is a command here.
                    Some(b'\r' | b';' | b'}' | b'#') => return Err(self.wrong()),
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
                self.blanks();
                let label = self.label(true);
                if label.is_empty() {
                    self.end()?;
                }
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
                    return Err(self.wrong());
                }
                self.blanks();
                let number = self.number()?;
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
                self.blanks();
                let version = self.label(true);
                // Of 4.9 or before.
                if !matches!(
                    &version[..],
                    b"" | b"4.0" | b"4.1" | b"4.2" | b"4.3" | b"4.4" | b"4.5" | b"4.6" | b"4.7" | b"4.8" | b"4.9"
                ) {
                    return Err(self.wrong());
                }
                Action::Nothing
            }
            _ => return Err(self.wrong()),
        };
        self.end()?;
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
            Some(b'\r') | Some(_) => Err(self.wrong()),
        }
    }

    fn label(&mut self, ends_at_brace: bool) -> Vec<u8> {
        let start = self.at;
        self.skip(|byte| !byte.is_ascii_whitespace() && byte != b';' && !(ends_at_brace && byte == b'}'));
        self.script.get(start..self.at).unwrap_or_default().to_vec()
    }

    fn file_name(&mut self) -> Result<Vec<u8>> {
        self.blanks();
        let start = self.at;
        self.skip(|byte| byte != b'\n');
        let name = self.script.get(start..self.at).unwrap_or_default().to_vec();
        let special = hookshell_shell::special_file(&name).is_some();
        let known = [&b"/dev/stdin"[..], b"/dev/stdout", b"/dev/stderr", b"/dev/null"];
        if name.is_empty() || special && !known.contains(&&name[..]) {
            return Err(self.wrong());
        }
        Ok(name)
    }

    fn select(&mut self) -> Result<Select> {
        let Some(first) = self.address()? else { return Ok(Select::All) };
        self.blanks();
        if self.peek() != Some(b',') {
            if matches!(first, Address::Line(0)) {
                return Err(self.wrong());
            }
            return Ok(Select::One(first));
        }
        self.at += 1;
        self.blanks();
        let end = match self.peek() {
            Some(sign @ (b'+' | b'~')) => {
                self.at += 1;
                let number = self.number()?.unwrap_or(0);
                if sign == b'+' { End::Behind(number) } else { End::Multiple(number) }
            }
            _ => End::At(self.address()?.ok_or_else(|| self.wrong())?),
        };
        let from_zero = matches!(first, Address::Line(0));
        if from_zero && !matches!(end, End::At(Address::Match(_))) {
            return Err(self.wrong());
        }
        self.program.ranges += 1;
        Ok(Select::Range(first, end, self.program.ranges - 1))
    }

    fn address(&mut self) -> Result<Option<Address>> {
        match self.peek() {
            Some(b'$') => {
                self.at += 1;
                Ok(Some(Address::Last))
            }
            Some(b'0'..=b'9') => {
                let number = self.number()?.unwrap_or(0);
                self.blanks();
                if self.peek() != Some(b'~') {
                    return Ok(Some(Address::Line(number)));
                }
                self.at += 1;
                self.blanks();
                let step = self.number()?.unwrap_or(0);
                Ok(Some(if step == 0 { Address::Line(number) } else { Address::Step(number, step) }))
            }
            Some(b'/' | b'\\') => {
                let mut delimiter = self.next().unwrap_or(b'/');
                if delimiter == b'\\' {
                    delimiter =
                        self.next().filter(|byte| !matches!(byte, b'\n' | b'\\')).ok_or_else(|| self.wrong())?;
                }
                let pattern = self.delimited(delimiter, true)?;
                let (mut ignore_case, mut lines) = (false, false);
                loop {
                    match self.peek() {
                        Some(b'I') => ignore_case = true,
                        Some(b'M') => lines = true,
                        _ => break,
                    }
                    self.at += 1;
                }
                Ok(Some(Address::Match(self.regex(&pattern, ignore_case, lines)?)))
            }
            _ => Ok(None),
        }
    }

    /// The text up to the next delimiter that is not escaped. An escaped delimiter stands for itself.
    fn delimited(&mut self, delimiter: u8, is_regex: bool) -> Result<Vec<u8>> {
        if !delimiter.is_ascii() {
            return Err(self.wrong());
        }
        let mut text = Vec::new();
        loop {
            let byte = self.next().ok_or_else(|| self.wrong())?;
            if byte == delimiter {
                return Ok(text);
            }
            match byte {
                b'\n' if is_regex => return Err(self.wrong()),
                b'\\' => {
                    let escaped = self.next().ok_or_else(|| self.wrong())?;
                    if escaped == delimiter {
                        // In an expression it is what it is without the backslash, special or not (as GNU's); letters
                        // are escapes of their own.
                        if escaped.is_ascii_alphabetic() || escaped == b'[' {
                            return Err(self.wrong());
                        }
                        if escaped == b'&' && !is_regex {
                            text.push(b'\\');
                        }
                    } else {
                        text.push(b'\\');
                    }
                    text.push(escaped);
                }
                b'[' if is_regex => {
                    text.push(byte);
                    self.bracket(&mut text)?;
                }
                _ => text.push(byte),
            }
        }
    }

    /// A bracket expression behind its `[`: a delimiter in it does not end the expression around it.
    fn bracket(&mut self, text: &mut Vec<u8>) -> Result<()> {
        let start = self.at + usize::from(self.peek() == Some(b'^'));
        loop {
            let byte = self.next().filter(|byte| *byte != b'\n').ok_or_else(|| self.wrong())?;
            match byte {
                b']' if self.at > start + 1 => {
                    text.push(byte);
                    return Ok(());
                }
                b'[' if matches!(self.peek(), Some(b':' | b'.' | b'=')) => {
                    let rest = self.script.get(self.at..).unwrap_or_default();
                    let kind = rest.first().copied().unwrap_or_default();
                    let inside = rest.get(1..).unwrap_or_default();
                    let close = inside.windows(2).position(|pair| pair == [kind, b']']).ok_or_else(|| self.wrong())?;
                    text.push(byte);
                    text.extend_from_slice(rest.get(..close + 3).unwrap_or_default());
                    self.at += close + 3;
                }
                _ => text.push(byte),
            }
        }
    }

    /// Compiles an expression; `None`: the empty one.
    fn regex(&mut self, pattern: &[u8], ignore_case: bool, lines: bool) -> Result<Option<Regex>> {
        if pattern.is_empty() {
            if ignore_case || lines || !self.has_regex {
                return Err(self.wrong());
            }
            return Ok(None);
        }
        if lines && self.source.null {
            // Another kind of lines.
            return Err(self.wrong());
        }
        self.has_regex = true;
        let pattern = self.resolve(pattern)?;
        let syntax = if self.source.extended { Syntax::SedExtended } else { Syntax::SedBasic };
        let regex = Builder::new(syntax)
            .ignore_case(ignore_case)
            .newline(lines)
            .bytes(self.source.bytes)
            .build(&pattern)
            .map_err(|_| self.wrong())?;
        self.least_groups = self.least_groups.min(regex.group_count());
        Ok(Some(regex))
    }

    /// Puts the characters in the place of their escapes.
    fn resolve(&self, pattern: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(pattern.len());
        let mut at = 0;
        // Within brackets: where they began.
        let mut bracket = None;
        while let Some(&byte) = pattern.get(at) {
            at += 1;
            if let Some(start) = bracket {
                match byte {
                    b']' if at > start => {
                        bracket = None;
                        let inside = pattern.get(start - 1..at - 1).unwrap_or_default();
                        if is_bare_class(inside) {
                            return Err(self.wrong());
                        }
                    }
                    b'[' if matches!(pattern.get(at), Some(b':' | b'.' | b'=')) => {
                        let kind = pattern.get(at).copied().unwrap_or_default();
                        let rest = pattern.get(at + 1..).unwrap_or_default();
                        let close =
                            rest.windows(2).position(|pair| pair == [kind, b']']).ok_or_else(|| self.wrong())?;
                        out.push(byte);
                        out.extend_from_slice(pattern.get(at..at + close + 3).unwrap_or_default());
                        at += close + 3;
                        continue;
                    }
                    b'\\' => match pattern.get(at).map(|&letter| (letter, character(letter, b""))) {
                        Some((_, Some(Ok((character, _))))) => {
                            out.push(character);
                            at += 1;
                            continue;
                        }
                        Some((_, Some(Err(())))) => return Err(self.wrong()),
                        _ => {}
                    },
                    _ => {}
                }
                out.push(byte);
                continue;
            }
            match byte {
                b'[' => {
                    out.push(byte);
                    if pattern.get(at) == Some(&b'^') {
                        out.push(b'^');
                        at += 1;
                    }
                    bracket = Some(at + 1);
                }
                b'\\' => {
                    let letter = *pattern.get(at).ok_or_else(|| self.wrong())?;
                    at += 1;
                    match character(letter, pattern.get(at..).unwrap_or_default()) {
                        Some(Ok((character, length))) => {
                            at += length;
                            if b"*.[]^$\\/+?(){}|".contains(&character) || !character.is_ascii() {
                                return Err(self.wrong());
                            }
                            out.push(character);
                        }
                        Some(Err(())) => return Err(self.wrong()),
                        None if letter == b'\n' => out.push(letter),
                        None => out.extend_from_slice(&[b'\\', letter]),
                    }
                }
                _ => out.push(byte),
            }
        }
        Ok(out)
    }

    fn substitution(&mut self) -> Result<Action> {
        let delimiter = self.next().filter(|byte| !matches!(byte, b'\n' | b'\\')).ok_or_else(|| self.wrong())?;
        let pattern = self.delimited(delimiter, true)?;
        let replacement = self.delimited(delimiter, false)?;
        let mut found = Substitution {
            regex: None,
            parts: Vec::new(),
            uses_groups: false,
            global: false,
            number: 0,
            print: false,
            execute: false,
            write: None,
        };
        let (mut ignore_case, mut lines) = (false, false);
        loop {
            match self.peek() {
                Some(b'g') if !found.global => found.global = true,
                Some(b'p') if !found.print => found.print = true,
                Some(b'e') if !found.execute => found.execute = true,
                Some(b'i' | b'I') => ignore_case = true,
                Some(b'm' | b'M') => lines = true,
                Some(b'1'..=b'9') if found.number == 0 => {
                    found.number = self.number()?.unwrap_or(1);
                    continue;
                }
                Some(b'w') => {
                    self.at += 1;
                    let name = self.file_name()?;
                    found.write = Some(place_of(name, &mut self.program.outputs));
                    break;
                }
                Some(b'g' | b'p' | b'e' | b'0'..=b'9') => return Err(self.wrong()),
                _ => break,
            }
            self.at += 1;
        }
        if found.execute && found.print {
            // What is printed depends on their order.
            return Err(self.wrong());
        }
        found.number = found.number.max(1);
        found.regex = self.regex(&pattern, ignore_case, lines)?;
        self.replacement(&replacement, &mut found)?;
        let most = found.parts.iter().filter_map(|part| if let Part::Group(n) = part { Some(*n) } else { None }).max();
        if let Some(most) = most.filter(|most| *most > 0) {
            found.uses_groups = true;
            match &found.regex {
                Some(regex) if regex.group_count() < most => return Err(self.wrong()),
                Some(_) => {}
                None => self.wanted_groups = self.wanted_groups.max(most),
            }
        }
        Ok(Action::Substitute(Box::new(found)))
    }

    fn replacement(&self, text: &[u8], found: &mut Substitution) -> Result<()> {
        let mut literal = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at += 1;
            let part = match byte {
                b'&' => Part::Group(0),
                b'\\' => {
                    let letter = *text.get(at).ok_or_else(|| self.wrong())?;
                    at += 1;
                    match letter {
                        b'0'..=b'9' => Part::Group(usize::from(letter - b'0')),
                        b'U' => Part::Case(Some(Case::Upper)),
                        b'L' => Part::Case(Some(Case::Lower)),
                        b'E' => Part::Case(None),
                        b'u' => Part::First(Case::Upper),
                        b'l' => Part::First(Case::Lower),
                        _ => {
                            match character(letter, text.get(at..).unwrap_or_default()) {
                                Some(Ok((character, length))) if character.is_ascii() && character != b'\\' => {
                                    at += length;
                                    literal.push(character);
                                }
                                Some(_) => return Err(self.wrong()),
                                None => literal.push(letter),
                            }
                            continue;
                        }
                    }
                }
                b'\n' => return Err(self.wrong()),
                _ => {
                    literal.push(byte);
                    continue;
                }
            };
            if !literal.is_empty() {
                found.parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            found.parts.push(part);
        }
        if !literal.is_empty() {
            found.parts.push(Part::Text(literal));
        }
        Ok(())
    }

    fn translation(&mut self) -> Result<Action> {
        let delimiter = self.next().filter(|byte| !matches!(byte, b'\n' | b'\\')).ok_or_else(|| self.wrong())?;
        let mut sides = Vec::new();
        for _ in 0..2 {
            let text = self.delimited(delimiter, false)?;
            let mut side = Vec::new();
            let mut at = 0;
            while let Some(&byte) = text.get(at) {
                at += 1;
                if byte != b'\\' {
                    side.push(byte);
                    continue;
                }
                match text.get(at) {
                    Some(b'\\') => side.push(b'\\'),
                    Some(b'n' | b'\n') => side.push(b'\n'),
                    Some(&letter) => match character(letter, text.get(at + 1..).unwrap_or_default()) {
                        Some(Ok((character, length))) if character.is_ascii() && character != b'\\' => {
                            side.push(character);
                            at += length;
                        }
                        _ => return Err(self.wrong()),
                    },
                    None => return Err(self.wrong()),
                }
                at += 1;
            }
            sides.push(side);
        }
        let (Some(to), Some(from)) = (sides.pop(), sides.pop()) else { return Err(self.wrong()) };
        if self.source.bytes || from.is_ascii() && to.is_ascii() {
            if from.len() != to.len() {
                return Err(self.wrong());
            }
            let mut table = Box::new([0; 256]);
            for (byte, place) in (0..=255).zip(table.iter_mut()) {
                *place = byte;
            }
            let mut seen = [false; 256];
            for (&from, &to) in from.iter().zip(&to) {
                // Of several the last counts where characters are bytes, else the first.
                if let (Some(seen), Some(place)) = (seen.get_mut(usize::from(from)), table.get_mut(usize::from(from)))
                    && (!std::mem::replace(seen, true) || self.source.bytes)
                {
                    *place = to;
                }
            }
            return Ok(Action::Translate(Box::new(Translation::Bytes(table))));
        }
        let (Ok(from), Ok(to)) = (String::from_utf8(from), String::from_utf8(to)) else { return Err(self.wrong()) };
        if from.chars().count() != to.chars().count() {
            return Err(self.wrong());
        }
        Ok(Action::Translate(Box::new(Translation::Characters(from.chars().zip(to.chars()).collect()))))
    }

    /// The text of `a`, `i` and `c`.
    fn text(&mut self) -> Result<Vec<u8>> {
        let after_letter = self.at;
        self.blanks();
        let had_blanks = self.at > after_letter;
        match self.peek() {
            None | Some(b'\n' | b'\r') => return Err(self.wrong()),
            Some(b'\\') => {
                self.at += 1;
                let mark = self.at;
                self.blanks();
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                    if had_blanks && self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
                        return Err(self.wrong());
                    }
                } else {
                    // `a\  text`: the blanks belong to the text.
                    self.at = mark;
                }
                if self.at == mark && self.peek().is_none() {
                    // `$a\` adds nothing but the newline that the last line lacks.
                    return Ok(Vec::new());
                }
            }
            Some(_) => {}
        }
        let mut text = Vec::new();
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => break,
                b'\\' => {
                    let Some(letter) = self.next() else { break };
                    match character(letter, self.script.get(self.at..).unwrap_or_default()) {
                        Some(Ok((character, length))) if character.is_ascii() && character != b'\\' => {
                            self.at += length;
                            text.push(character);
                        }
                        Some(_) => return Err(self.wrong()),
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
        if !self.blocks.is_empty() {
            return Err(self.wrong());
        }
        let end = self.program.commands.len();
        for (command, label) in std::mem::take(&mut self.jumps) {
            let target = if label.is_empty() {
                end
            } else {
                self.labels.iter().find(|(known, _)| *known == label).map(|(_, at)| *at).ok_or_else(|| self.wrong())?
            };
            match self.program.commands.get_mut(command).map(|command| &mut command.action) {
                Some(Action::Jump(to) | Action::JumpIfReplaced(to) | Action::JumpIfNot(to)) => *to = target,
                _ => return Err(self.wrong()),
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
