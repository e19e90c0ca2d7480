//! A rule's pattern of commands, and the commands that it is for.

use super::line::{Fields, HOLE, Word};

/// A pattern in which some places stand for any text.
#[derive(Debug, Clone)]
struct Glob {
    tokens: Vec<Token>,
    /// A blank and anything may follow.
    is_open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Byte(u8),
    Any,
}

impl Glob {
    fn new(text: &[u8], is_open: bool) -> Self {
        let mut tokens: Vec<Token> = Vec::with_capacity(text.len());
        for byte in text {
            let token = if *byte == b'*' { Token::Any } else { Token::Byte(*byte) };
            if token != Token::Any || tokens.last() != Some(&Token::Any) {
                tokens.push(token);
            }
        }
        Self { tokens, is_open }
    }

    /// May it match a text, whatever stands in the text's holes?
    fn may_match(&self, text: &[u8]) -> bool {
        let end = self.tokens.len();
        let mut active = vec![false; end + 1];
        let mut next = active.clone();
        self.activate(&mut active, 0);
        for byte in text {
            if self.is_open && active.last() == Some(&true) && (byte.is_ascii_whitespace() || *byte == HOLE) {
                return true;
            }
            next.fill(false);
            let mut is_alive = false;
            for (state, token) in self.tokens.iter().enumerate() {
                if !active.get(state).is_some_and(|active| *active) {
                    continue;
                }
                match token {
                    // What the hole stands for may be as much of the pattern as there is.
                    _ if *byte == HOLE => {
                        next.iter_mut().skip(state).for_each(|state| *state = true);
                        is_alive = true;
                        break;
                    }
                    Token::Any => {
                        self.activate(&mut next, state);
                        is_alive = true;
                    }
                    Token::Byte(expected) if expected == byte => {
                        self.activate(&mut next, state + 1);
                        is_alive = true;
                    }
                    Token::Byte(_) => {}
                }
            }
            if *byte == HOLE && active.last() == Some(&true) {
                if let Some(last) = next.last_mut() {
                    *last = true;
                }
                is_alive = true;
            }
            if !is_alive {
                return false;
            }
            std::mem::swap(&mut active, &mut next);
        }
        active.last() == Some(&true)
    }

    fn activate(&self, states: &mut [bool], state: usize) {
        if let Some(active) = states.get_mut(state) {
            *active = true;
        }
        // What matches any text matches none.
        if self.tokens.get(state) == Some(&Token::Any)
            && let Some(active) = states.get_mut(state + 1)
        {
            *active = true;
        }
    }
}

/// The specifier of a rule, for what it says of commands.
#[derive(Debug, Clone)]
pub(super) struct CommandPattern {
    /// As it is written.
    raw: Glob,
    /// Without quotes, with the base name of its program, up to what begins another command.
    plain: Glob,
    /// The base name of the program in small letters; `*` in it is any text.
    program: Vec<u8>,
    is_any_program: bool,
    options: Vec<Vec<u8>>,
    operands: Vec<Vec<u8>>,
    is_open: bool,
    /// It holds an operator, as a pipeline does.
    has_operator: bool,
}

impl CommandPattern {
    pub(super) fn new(pattern: &str) -> Self {
        let (body, is_open) = open(pattern);
        let raw = Glob::new(single(body.as_bytes()).as_slice(), is_open);
        let cut = pattern.find(['|', ';', '&', '<', '>', '\n']);
        let first = pattern.get(..cut.unwrap_or(pattern.len())).unwrap_or_default().trim();
        let has_operator = cut.is_some();
        let (body, is_open) = open(first);
        let is_open = is_open || has_operator || body.ends_with('*');
        let text: String = body.replace(['\'', '"', '\\'], "");
        let mut words: Vec<&[u8]> =
            text.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        // `FOO=1 make *` is for `make`.
        while words.len() > 1 && words.first().is_some_and(|word| super::line::is_assignment(word)) {
            words.remove(0);
        }
        let program = words.first().map(|word| base_name(word)).unwrap_or_default();
        let (options, operands): (Vec<_>, Vec<_>) =
            words.iter().skip(1).map(|word| word.to_vec()).partition(|word| word.starts_with(b"-") && word.len() > 1);
        let plain: Vec<u8> =
            std::iter::once(program.as_slice()).chain(words.iter().skip(1).copied()).collect::<Vec<_>>().join(&b' ');
        Self {
            raw,
            plain: Glob::new(&plain, is_open),
            // Expansions in a rule are not known either.
            is_any_program: program.iter().all(|byte| *byte == b'*')
                || program.iter().any(|byte| b"$`(".contains(byte)),
            program,
            options,
            operands,
            is_open,
            has_operator,
        }
    }

    /// Is a whole line one that the rule has as it is written?
    pub(super) fn is_line(&self, line: &[u8]) -> bool {
        let starts_anywhere = self.raw.tokens.first() == Some(&Token::Any);
        (self.has_operator || starts_anywhere) && (self.raw.may_match(&single(line)) || self.raw.may_match(line))
    }

    /// Is a command, as it is written, one of the rule's?
    pub(super) fn is_text(&self, text: &[u8]) -> bool {
        self.raw.may_match(&single(text))
    }

    /// May a command of these words be one of the rule's? The first word is known.
    pub(super) fn may_be(&self, words: &[Word]) -> bool {
        let Some(first) = words.first() else { return false };
        if self.is_any_program && self.operands.is_empty() && self.options.is_empty() {
            return true;
        }
        let base = base_name(&first.text);
        let mut joined = base.clone();
        for word in words.iter().skip(1) {
            joined.push(b' ');
            joined.extend_from_slice(&word.text);
        }
        if self.plain.may_match(&joined) || self.raw.may_match(&joined) {
            return true;
        }
        // `git-push` is `git push`.
        if let Some((program, command)) = split_once(&base, b'-')
            && program == b"git"
            && !command.is_empty()
        {
            let own = [Word::known(b"git"), Word::known(command)];
            let words: Vec<Word> = own.into_iter().chain(words.iter().skip(1).cloned()).collect();
            return self.is_structure(b"git", &words);
        }
        self.is_structure(&base, words)
    }

    /// Its words one by one: options may stand between them.
    fn is_structure(&self, base: &[u8], words: &[Word]) -> bool {
        if !(self.is_any_program || Glob::new(&self.program, false).may_match(base)) {
            return false;
        }
        let arguments = words.get(1..).unwrap_or_default();
        if !self.options.iter().all(|option| arguments.iter().any(|word| may_be_option(option, word))) {
            return false;
        }
        let operands: Vec<Glob> = self.operands.iter().map(|operand| Glob::new(operand, false)).collect();
        let end = operands.len();
        // How many operands have been found; and what the next word is after an option: its value, perhaps, or not.
        let mut states: Vec<(usize, Pending)> = vec![(0, Pending::No)];
        for word in arguments {
            let mut next: Vec<(usize, Pending)> = Vec::new();
            let mut push = |state: (usize, Pending)| {
                if !next.contains(&state) {
                    next.push(state);
                }
            };
            for (found, pending) in states {
                if found == end && self.is_open {
                    return true;
                }
                if word.fields == Fields::Any {
                    return true;
                }
                if pending != Pending::No {
                    push((found, Pending::No));
                    if pending == Pending::Yes {
                        continue;
                    }
                }
                let first = word.text.first();
                if matches!(first, Some(b'-' | b'+' | &HOLE)) && (found < end || !self.options.is_empty()) {
                    push((found, takes_value(base, &word.text, found)));
                    if first != Some(&HOLE) {
                        continue;
                    }
                }
                let Some(operand) = operands.get(found) else { continue };
                let is_any = operand.tokens == [Token::Any];
                if operand.may_match(&word.text) {
                    if word.fields == Fields::Alike && found + 1 < end {
                        return true;
                    }
                    push((found + 1, Pending::No));
                }
                if is_any {
                    push((found, Pending::No));
                }
                // `*` in the middle is no word as well.
                if is_any && operands.get(found + 1).is_some_and(|operand| operand.may_match(&word.text)) {
                    push((found + 2, Pending::No));
                }
            }
            if next.is_empty() {
                return false;
            }
            states = next;
        }
        states.iter().any(|(found, _)| {
            *found == end || *found + 1 == end && operands.last().is_some_and(|last| last.tokens == [Token::Any])
        })
    }

    /// Does a text of whatever language name the rule's program, and the words that the rule has after it?
    pub(super) fn is_mentioned(&self, text: &[u8]) -> bool {
        if self.is_any_program {
            return true;
        }
        let unquoted: Vec<u8> = text.iter().copied().filter(|byte| !b"'\"\\^`".contains(byte)).collect();
        self.is_named(text) || unquoted.len() < text.len() && self.is_named(&unquoted)
    }

    fn is_named(&self, text: &[u8]) -> bool {
        let tokens = || {
            text.split(|byte| !(byte.is_ascii_alphanumeric() || b"_.+-@%".contains(byte)))
                .filter(|token| !token.is_empty())
        };
        let program = Glob::new(&self.program, false);
        let is_program = |token: &[u8]| {
            let name = base_name(token);
            program.may_match(&name)
                || split_once(&name, b'-').is_some_and(|(front, _)| front == b"git" && program.may_match(front))
        };
        if !tokens().any(is_program) {
            return false;
        }
        let has_hole = text.contains(&HOLE);
        self.operands.iter().all(|operand| {
            let operand = Glob::new(operand, false);
            has_hole
                || tokens()
                    .any(|token| operand.may_match(token) || token.ends_with(b"-push") && operand.may_match(b"push"))
        })
    }

    /// The program's name, where it is one.
    pub(super) fn program(&self) -> Option<&[u8]> {
        (!self.program.contains(&b'*') && !self.is_any_program).then_some(self.program.as_slice())
    }

    /// Is it a rule for this program?
    pub(super) fn is_for_program(&self, name: &[u8]) -> bool {
        self.is_any_program || Glob::new(&self.program, false).may_match(name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    No,
    Perhaps,
    Yes,
}

/// Has an option a value in the next word?
fn takes_value(program: &[u8], option: &[u8], found: usize) -> Pending {
    if option.contains(&b'=') || option.starts_with(b"+") || option == b"--" || option == b"-" {
        return Pending::No;
    }
    if found > 0 {
        return Pending::Perhaps;
    }
    let values: &[&[u8]] = match program {
        b"git" => &[
            b"-C",
            b"-c",
            b"--git-dir",
            b"--work-tree",
            b"--namespace",
            b"--super-prefix",
            b"--config-env",
            b"--attr-source",
        ],
        b"kubectl" | b"oc" | b"helm" => &[
            b"-n",
            b"--namespace",
            b"--context",
            b"--cluster",
            b"--kubeconfig",
            b"-s",
            b"--server",
            b"--as",
            b"--user",
            b"--token",
            b"-v",
            b"-l",
            b"-f",
            b"--kube-context",
        ],
        b"docker" | b"podman" => &[b"-H", b"--host", b"-c", b"--context", b"--config", b"-l", b"--log-level", b"--url"],
        b"npm" | b"pnpm" | b"yarn" => &[
            b"-C",
            b"--prefix",
            b"--dir",
            b"--cwd",
            b"-w",
            b"--workspace",
            b"--filter",
            b"--registry",
            b"--userconfig",
            b"--cache",
            b"-F",
            b"--loglevel",
            b"--tag",
            b"--otp",
        ],
        b"cargo" => &[b"-C", b"-Z", b"--config", b"--color", b"--manifest-path", b"--target-dir"],
        b"gh" => &[b"-R", b"--repo", b"--hostname"],
        b"aws" => &[b"--profile", b"--region", b"--output", b"--endpoint-url", b"--query"],
        _ => return Pending::Perhaps,
    };
    match values.contains(&option) {
        true => Pending::Yes,
        // All of git's and cargo's are told above.
        false if matches!(program, b"git" | b"cargo") => Pending::No,
        false => Pending::Perhaps,
    }
}

/// May a word be an option that the rule wants? A short one may be the long one's, and the other way round.
fn may_be_option(wanted: &[u8], word: &Word) -> bool {
    let text = &word.text;
    match (text.first(), text.get(1)) {
        _ if word.fields == Fields::Any => true,
        (Some(&HOLE), _) | (Some(b'-'), Some(&HOLE)) => true,
        (Some(b'-'), Some(b'-')) => match wanted.strip_prefix(b"--") {
            Some(wanted) => {
                let name = text.get(2..).unwrap_or_default();
                let name = name.split(|byte| matches!(*byte, b'=' | HOLE)).next().unwrap_or_default();
                let wanted_name = wanted.split(|byte| matches!(byte, b'=' | b'*')).next().unwrap_or_default();
                name.starts_with(wanted_name) || wanted_name.starts_with(name) && !name.is_empty()
            }
            None => text.len() > 2,
        },
        (Some(b'-'), Some(_)) => match wanted.strip_prefix(b"--") {
            Some(_) => true,
            None => {
                let letters = wanted.get(1..).unwrap_or_default();
                letters.contains(&b'*') || letters.iter().any(|letter| text.contains(letter)) || text.contains(&HOLE)
            }
        },
        _ => false,
    }
}

/// A pattern without what says that it is also for less.
fn open(pattern: &str) -> (&str, bool) {
    match pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")) {
        Some(body) => (body, true),
        None => (pattern, false),
    }
}

/// A text with single blanks.
fn single(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text.trim_ascii() {
        match byte {
            b' ' | b'\t' if out.last() == Some(&b' ') => {}
            b'\t' => out.push(b' '),
            other => out.push(*other),
        }
    }
    out
}

fn split_once(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = text.iter().position(|byte| *byte == at)?;
    Some((text.get(..place)?, text.get(place + 1..)?))
}

/// A program's name without its directory and what Windows has after it, in small letters.
pub(super) fn base_name(word: &[u8]) -> Vec<u8> {
    let word = word.trim_ascii();
    let trimmed = word.strip_suffix(b"/").unwrap_or(word);
    let base = trimmed.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    let base = base.to_ascii_lowercase();
    // Windows takes dots off the end.
    let dots = base.iter().rev().take_while(|byte| **byte == b'.').count();
    let base = if dots < base.len() { base.get(..base.len() - dots).unwrap_or_default().to_vec() } else { base };
    match [&b".exe"[..], b".cmd", b".bat", b".com"].iter().find_map(|end| base.strip_suffix(*end)) {
        Some(stem) if !stem.is_empty() => stem.to_vec(),
        _ => base,
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn what_stands_in_a_hole_may_be_anything() {
        let cases: [(&str, bool, &[u8], bool); 12] = [
            ("git push", true, b"git push", true),
            ("git push", true, b"git push x", true),
            ("git push", true, b"git pushx", false),
            ("git push", false, b"git push x", false),
            ("git push", true, b"git \0", true),
            ("git push", true, b"git commit \0", false),
            ("git push", true, b"\0", true),
            ("git push", true, b"g\0 push", true),
            ("rm*", false, b"rmdir x", true),
            ("*--force*", false, b"a --force", true),
            ("*--force*", false, b"a \0", true),
            ("a*b*c", false, b"aXXbYYd", false),
        ];
        for (pattern, is_open, text, expected) in cases {
            assert_eq!(Glob::new(pattern.as_bytes(), is_open).may_match(text), expected, "{pattern} {text:?}");
        }
    }
}
