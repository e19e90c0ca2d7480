//! Code in other languages than the shell's: what it includes by name, and where it runs what is only known then.
//!
//! It is read as words, texts and signs, not parsed: a name that loads or runs something counts wherever it stands, and what it
//! is given has to be texts that are wholly known, or the place is unknown.

mod call;
mod javascript;
mod lexer;
mod python;
mod tables;

use std::path::{Path, PathBuf};

use hookshell_process::text;

use self::call::literal;
use self::lexer::{Token, tokens};
use self::tables::{Rules, rules};
use super::Use;
use super::names::Language;
use super::source::Source;

/// How many places of a text are shown that are unknown.
const SHOWN: usize = 8;

impl Source<'_, '_> {
    /// Code in another language: a file of it, or what `-c` and `-e` are given.
    pub(super) fn foreign(&mut self, language: Language, code: &[u8]) {
        if code.iter().all(|byte| *byte == 0) {
            return;
        }
        if !self.scan.may_look_through(code.len()) {
            let whose = self.whose();
            return self.scan.uncertain(format!("what {whose} names (too much code)"));
        }
        match language {
            Language::Sed => self.sed(code),
            Language::Awk => self.awk(code),
            Language::Jq => self.jq(code),
            Language::Other => {
                self.files_in_line(code, Use::Given);
                let whose = self.whose();
                self.scan.uncertain(format!("what {whose} names (its language is not looked through)"));
            }
            language => {
                if self.scan.depth >= super::DEPTH_LIMIT {
                    let whose = self.whose();
                    return self.scan.uncertain(format!("what {whose} names (too deep)"));
                }
                self.scan.depth += 1;
                self.words_of(language, code);
                self.scan.depth -= 1;
            }
        }
    }

    fn words_of(&mut self, language: Language, code: &[u8]) {
        let bases = self.bases(language);
        self.files_in_code(code, &bases);
        let tokens = tokens(language, code);
        if language == Language::Python {
            self.shadowed_in(&bases);
        }
        let rules = rules(language);
        let mut unknown: Vec<u32> = Vec::new();
        let is_shadow = language == Language::JavaScript && code.windows(13).any(|part| part == b"child_process");
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let before = at.checked_sub(1).and_then(|at| tokens.get(at));
            let next = tokens.get(at + 1);
            match token {
                Token::Word(word, line) => {
                    let is_fine = match language {
                        Language::Python => self.python(&tokens, at, word, &bases),
                        Language::JavaScript => self.javascript(&tokens, at, word, &bases, is_shadow),
                        _ => self.other(language, &rules, &tokens, at, word, &bases),
                    };
                    if !is_fine && !unknown.contains(line) {
                        unknown.push(*line);
                    }
                }
                Token::Text { text, line, is_expanded, is_run } => {
                    if *is_run {
                        // Perl's and Ruby's backquotes.
                        if text.iter().any(|byte| b"$#@".contains(byte)) {
                            unknown.push(*line);
                        }
                        self.code(text);
                    }
                    if *is_expanded && rules.is_named_in(text) && !unknown.contains(line) {
                        unknown.push(*line);
                    }
                    // `cp["exec"]`
                    let is_key = matches!(before, Some(Token::Sign(b'['))) && matches!(next, Some(Token::Sign(b']')));
                    if is_key && rules.all().any(|name| name.as_bytes() == &text[..]) && !unknown.contains(line) {
                        unknown.push(*line);
                    }
                }
                // `x[name](…)`
                Token::Sign(b']') if language == Language::JavaScript && matches!(next, Some(Token::Sign(b'('))) => {
                    let is_fixed = matches!(before, Some(Token::Text { .. }));
                    let line = tokens.get(..at).unwrap_or_default().iter().rev().find_map(|token| match token {
                        Token::Word(_, line) => Some(*line),
                        _ => None,
                    });
                    if let (false, Some(line)) = (is_fixed, line)
                        && !unknown.contains(&line)
                    {
                        unknown.push(line);
                    }
                }
                // `cp["ex" + "ec"]`
                Token::Sign(b'[')
                    if is_shadow && matches!(before, Some(Token::Word(..) | Token::Sign(b')' | b']'))) =>
                {
                    let is_fixed = match tokens.get(at + 1..at + 3) {
                        Some([Token::Text { .. }, Token::Sign(b']')]) => true,
                        Some([Token::Word(word, _), Token::Sign(b']')]) => word.iter().all(u8::is_ascii_digit),
                        _ => false,
                    };
                    if let (false, Some(Token::Word(_, line))) = (is_fixed, before)
                        && !unknown.contains(line)
                    {
                        unknown.push(*line);
                    }
                }
                Token::Sign(_) => {}
            }
            at += 1;
        }
        let lines: Vec<&[u8]> = code.split(|byte| *byte == b'\n').collect();
        let whose = self.whose();
        for line in unknown.iter().take(SHOWN) {
            let text = lines.get((*line as usize).saturating_sub(1)).copied().unwrap_or_default().trim_ascii();
            let text = String::from_utf8_lossy(text.get(..100).unwrap_or(text)).into_owned();
            self.scan.uncertain(format!("what `{text}` in {whose} loads or runs"));
        }
        if unknown.len() > SHOWN {
            self.scan.uncertain(format!("what {whose} loads or runs in {} more lines", unknown.len() - SHOWN));
        }
    }

    /// Where includes are looked for: the script's directory, by its name and where its links lead, and the directories of the hook.
    fn bases(&self, language: Language) -> Vec<PathBuf> {
        let mut bases: Vec<PathBuf> = Vec::new();
        if let Some(script) = self.scripts.first() {
            bases.extend(script.parent().map(Path::to_owned));
            bases.extend(script.canonicalize().ok().and_then(|script| script.parent().map(Path::to_owned)));
        }
        // Python looks there only for what it is given by -c and -m; others may.
        if language != Language::Python || self.scripts.is_empty() {
            bases.extend(self.scan.dirs.iter().cloned());
        }
        let mut seen: Vec<PathBuf> = Vec::new();
        for base in bases {
            if !seen.contains(&base) {
                seen.push(base);
            }
        }
        seen
    }

    /// Every word that names a file which looks like code.
    fn files_in_code(&mut self, code: &[u8], bases: &[PathBuf]) {
        let separates = |byte: &u8| b"\0 \t\r\n;&|<>()[]{}=,@'\"`!".contains(byte);
        let mut seen = std::collections::HashSet::new();
        for piece in code.split(separates) {
            if piece.is_empty() || piece.len() > 4096 || !seen.insert(piece) {
                continue;
            }
            // A name without a dot and a slash is a word of the language far more often.
            if !piece.iter().any(|byte| b"./".contains(byte)) || piece.iter().all(|byte| b"./".contains(byte)) {
                continue;
            }
            self.path(piece, Use::Read);
            for base in bases {
                self.scan.file(&base.join(text::to_path(piece)), Use::Read);
            }
        }
    }

    /// A file that code includes: its name as it stands, or with an extension. Is there one?
    fn include(&mut self, bases: &[PathBuf], name: &[u8], ends: &[&str], language: Language) -> bool {
        if name.is_empty() || name.contains(&0) || name.len() > 4096 {
            return false;
        }
        let mut is_there = false;
        for base in bases {
            for end in ends {
                let mut path = base.join(text::to_path(name)).into_os_string();
                path.push(end);
                let path = PathBuf::from(path);
                if path.is_file() {
                    is_there = true;
                    let language = Language::of_file(&path, b"").unwrap_or(language);
                    let is_data = path.extension().is_some_and(|extension| extension == "json");
                    self.scan.file(&path, if is_data { Use::Given } else { Use::Script(language) });
                }
            }
        }
        is_there
    }

    /// What an option of an interpreter names: `-r ./x`, `-MFoo`.
    pub(super) fn included(&mut self, language: Language, name: &[u8]) {
        let bases = self.scan.dirs.clone();
        let name = name.split(|byte| *byte == b'=').next().unwrap_or_default();
        let name = name.strip_prefix(b"-").unwrap_or(name);
        match language {
            Language::JavaScript => self.node_module(name, &bases),
            Language::Perl => {
                let path = String::from_utf8_lossy(name).replace("::", "/");
                self.include(&bases, path.as_bytes(), &[".pm"], language)
            }
            Language::Ruby => self.include(&bases, name, &["", ".rb"], language),
            Language::Lua => self.include(&bases, name, &["", ".lua", "/init.lua"], language),
            _ => self.include(&bases, name, &[""], language),
        };
    }

    /// Perl, Ruby, Lua and PHP, by their tables.
    fn other(
        &mut self,
        language: Language,
        rules: &Rules,
        tokens: &[Token<'_>],
        at: usize,
        word: &[u8],
        bases: &[PathBuf],
    ) -> bool {
        let Ok(word) = std::str::from_utf8(word) else { return true };
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(at + 1);
        if word == "chdir" {
            return self.changes_dir(tokens, at);
        }
        // Libraries of Lua that are handed on under another name.
        if language == Language::Lua && matches!(word, "os" | "io") && !matches!(next, Some(Token::Sign(b'.' | b':'))) {
            return false;
        }
        // A key of a table, a variable.
        if matches!(before, Some(Token::Sign(b'$' | b'%')))
            || language == Language::Perl
                && matches!(before, Some(Token::Sign(b'{' | b'>')))
                && matches!(next, Some(Token::Sign(b'}')))
        {
            return true;
        }
        if rules.always.contains(&word) {
            return false;
        }
        if rules.includes.contains(&word) {
            if language == Language::Perl {
                if word == "do" && matches!(next, Some(Token::Sign(b'{'))) {
                    return true;
                }
                if let Some(is_fine) = self.perl_module(tokens, at, word, bases) {
                    return is_fine;
                }
            }
            if matches!(before, Some(Token::Sign(b'.'))) && language != Language::Ruby {
                return true;
            }
            return match literal(tokens, at + 1) {
                Some(call) => {
                    let name = call.texts.concat();
                    let slashed: Vec<u8> = name
                        .iter()
                        .map(|byte| if *byte == b'.' && language == Language::Lua { b'/' } else { *byte })
                        .collect();
                    let ends: &[&str] = match language {
                        Language::Ruby => &["", ".rb", ".so"],
                        Language::Lua => &["", ".lua", "/init.lua"],
                        _ => &[""],
                    };
                    self.include(bases, &name, ends, language);
                    self.include(bases, &slashed, ends, language);
                    // `__DIR__ . '/x.php'`
                    if let Some(relative) = name.strip_prefix(b"/") {
                        self.include(bases, relative, ends, language);
                    }
                    !call.texts.is_empty()
                }
                None => false,
            };
        }
        if rules.evaluates.contains(&word) {
            if matches!(next, Some(Token::Sign(b'{')))
                || language == Language::Ruby && matches!(next, Some(Token::Word(b"do", _)))
            {
                return true;
            }
            return match literal(tokens, at + 1) {
                Some(call) if !call.texts.is_empty() => {
                    call.texts.iter().for_each(|text| self.foreign(language, text));
                    true
                }
                _ => false,
            };
        }
        if rules.runs.contains(&word) {
            if word == "open" {
                // `open(my $file, '<', 'x')` reads and writes files; `|` runs.
                let line = tokens.get(at + 1..(at + 12).min(tokens.len())).unwrap_or_default();
                let mode = line.iter().find_map(|token| match token {
                    Token::Text { text, .. } => Some(&text[..]),
                    _ => None,
                });
                let is_plain = |mode: &[u8]| {
                    matches!(mode.first(), Some(b'<' | b'>' | b'+' | b'r' | b'w' | b'a'))
                        && !mode.contains(&b'|')
                        && mode.len() < 24
                };
                return language == Language::Ruby && matches!(before, Some(Token::Sign(b'.')))
                    || mode.is_some_and(is_plain);
            }
            return self.call_of(tokens, at, true);
        }
        true
    }

    /// `use Foo::Bar`, `require Foo::Bar`, `use lib 'x'`. `None`: it is no module by name.
    fn perl_module(&mut self, tokens: &[Token<'_>], at: usize, word: &str, bases: &[PathBuf]) -> Option<bool> {
        let Some(Token::Word(first, _)) = tokens.get(at + 1) else { return None };
        if word == "do" {
            return None;
        }
        if first.first().is_some_and(u8::is_ascii_digit) || first.starts_with(b"v5") {
            return Some(true);
        }
        if *first == b"lib" {
            return Some(false);
        }
        let mut path = first.to_vec();
        let mut at = at + 2;
        while let Some([Token::Sign(b':'), Token::Sign(b':'), Token::Word(part, _)]) = tokens.get(at..at + 3) {
            path.push(b'/');
            path.extend_from_slice(part);
            at += 3;
        }
        self.include(bases, &path, &[".pm"], Language::Perl);
        let runs = matches!(
            &path[..],
            b"IPC/Open3" | b"IPC/Open2" | b"IPC/Run" | b"Inline" | b"DynaLoader" | b"XSLoader" | b"Safe" | b"FindBin"
        );
        Some(!runs)
    }
}
