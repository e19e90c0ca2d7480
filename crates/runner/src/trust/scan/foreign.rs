//! Code in other languages than the shell's: what it includes by name, and where it runs what is only known then.
//!
//! It is read as words, texts and signs, not parsed: a name that loads or runs something counts wherever it stands, and what it
//! is given has to be texts that are wholly known, or the place is unknown.

mod lexer;
mod tables;

use std::path::{Path, PathBuf};

use hookshell_process::text;

use self::lexer::{Token, tokens};
use self::tables::{NODE_MODULES, NODE_MODULES_THAT_RUN, PYTHON_MODULES, PYTHON_MODULES_THAT_RUN, Rules, rules};
use super::Use;
use super::names::Language;
use super::source::Source;
use super::word::Values;

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
            bases.extend(self.scan.folders.iter().cloned());
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
        let bases = self.scan.folders.clone();
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

    fn python(&mut self, tokens: &[Token<'_>], at: usize, word: &[u8], bases: &[PathBuf]) -> bool {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let is_member = matches!(before, Some(Token::Sign(b'.')));
        let is_called = matches!(tokens.get(at + 1), Some(Token::Sign(b'(')));
        match word {
            // `from . import x` too.
            b"import" => self.python_import(tokens, at, bases),
            b"exec" | b"eval" | b"compile" if is_called && !is_member => match literal(tokens, at + 1) {
                Some(call) => {
                    call.texts.first().into_iter().for_each(|text| self.foreign(Language::Python, text));
                    true
                }
                None => false,
            },
            // Aliases of them: `e = exec`.
            b"exec" | b"eval" if !is_member => false,
            b"execfile"
            | b"__import__"
            | b"__builtins__"
            | b"__loader__"
            | b"__subclasses__"
            | b"__globals__"
            | b"CDLL"
            | b"LoadLibrary"
            | b"import_module"
            | b"run_path"
            | b"run_module"
            | b"spec_from_file_location"
            | b"exec_module"
            | b"meta_path"
            | b"path_hooks"
            | b"addsitedir"
            | b"create_subprocess_exec"
            | b"create_subprocess_shell"
            | b"builtins"
            | b"unsafe_load"
            | b"f_globals"
            | b"__self__"
            | b"__bases__"
            | b"__mro__"
            | b"__dict__"
            | b"__getattribute__"
            | b"__spec__"
            | b"__code__"
            | b"fileConfig" => false,
            b"chdir" if is_called => self.changes_folder(tokens, at),
            // Names are normalized: other characters may be letters of `exec`.
            _ if is_called && word.iter().any(|byte| *byte >= 0x80) => false,
            b"globals" | b"vars" | b"locals" => !is_called,
            b"getattr" if is_called => match tokens.get(at + 2..at + 5) {
                // An attribute of an object, by a fixed name.
                Some([Token::Word(object, _), Token::Sign(b','), Token::Text { .. }]) => {
                    !matches!(*object, b"os" | b"subprocess" | b"sys" | b"importlib")
                }
                _ => false,
            },
            b"path" => {
                let is_sys = is_member && at >= 2 && matches!(tokens.get(at - 2), Some(Token::Word(b"sys", _)));
                !is_sys || matches!(tokens.get(at + 1), Some(Token::Sign(b')' | b':')))
            }
            b"load" | b"loads" | b"Unpickler" | b"full_load" if is_member && at >= 2 => !matches!(
                tokens.get(at - 2),
                Some(Token::Word(
                    b"pickle" | b"marshal" | b"shelve" | b"dill" | b"cloudpickle" | b"yaml" | b"joblib",
                    _
                ))
            ),
            b"system" | b"popen" | b"getoutput" | b"getstatusoutput" if is_member => self.call_of(tokens, at, true),
            b"run" | b"call" | b"check_call" | b"check_output" | b"Popen"
                if is_member
                    && at >= 2
                    && matches!(tokens.get(at - 2), Some(Token::Word(b"subprocess" | b"sp", _))) =>
            {
                self.call_of(tokens, at, false)
            }
            b"Popen" | b"check_output" | b"check_call" => false,
            _ if is_member
                && [&b"execl"[..], b"execv", b"spawnl", b"spawnv", b"posix_spawn", b"startfile"]
                    .iter()
                    .any(|start| word.starts_with(start)) =>
            {
                false
            }
            _ => true,
        }
    }

    /// `import a.b as c, d` and `from .a import b`.
    fn python_import(&mut self, tokens: &[Token<'_>], at: usize, bases: &[PathBuf]) -> bool {
        let mut names: Vec<Vec<u8>> = Vec::new();
        let mut is_fine = true;
        // Backwards: `from .a.b`.
        let mut start = at;
        let mut from = None;
        while start > 0 && at - start < 40 {
            start -= 1;
            match tokens.get(start) {
                Some(Token::Word(b"from", _)) => {
                    from = Some(start);
                    break;
                }
                Some(Token::Word(..) | Token::Sign(b'.')) => {}
                _ => break,
            }
        }
        let mut current: Vec<u8> = Vec::new();
        let mut module: Vec<u8> = Vec::new();
        if let Some(from) = from {
            for token in tokens.get(from + 1..at).unwrap_or_default() {
                match token {
                    Token::Word(word, _) => module.extend_from_slice(word),
                    _ => module.push(b'.'),
                }
            }
            names.push(module.clone());
        }
        let mut skips = false;
        let (mut goes_on, mut is_open) = (false, false);
        for token in tokens.get(at + 1..).unwrap_or_default() {
            let was_continued = std::mem::take(&mut goes_on);
            match token {
                Token::Sign(b'\n') if was_continued || is_open => {}
                Token::Sign(b'\\') => goes_on = true,
                Token::Sign(b'(') => is_open = true,
                Token::Word(b"as", _) => skips = true,
                Token::Word(word, _) if !skips => current.extend_from_slice(word),
                Token::Word(..) => {}
                Token::Sign(b'.') => current.push(b'.'),
                Token::Sign(b',' | b'*') => {
                    names.push(std::mem::take(&mut current));
                    skips = false;
                }
                _ => break,
            }
        }
        names.push(current);
        let is_from = from.is_some();
        for (index, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let is_module = !is_from || index == 0;
            let full = if is_module {
                name.clone()
            } else {
                match module.iter().all(|byte| *byte == b'.') {
                    true => [&module[..], name].concat(),
                    false => [&module[..], b".", name].concat(),
                }
            };
            let dots = full.iter().take_while(|byte| **byte == b'.').count();
            let plain = full.get(dots..).unwrap_or_default();
            let plain = plain.strip_prefix(b".").unwrap_or(plain);
            let path: Vec<u8> = plain.iter().map(|byte| if *byte == b'.' { b'/' } else { *byte }).collect();
            let up: Vec<u8> = (1..dots).flat_map(|_| b"../".iter().copied()).collect();
            let path = [up, path].concat();
            // The packages on the way are run first.
            let mut part = &path[..];
            loop {
                self.include(bases, part, &[".py", "/__init__.py", ".so", ".pyc"], Language::Python);
                match part.iter().rposition(|byte| *byte == b'/') {
                    Some(at) => part = part.get(..at).unwrap_or_default(),
                    None => break,
                }
            }
            let top = full.split(|byte| *byte == b'.').next().unwrap_or_default();
            let top = String::from_utf8_lossy(top).into_owned();
            if is_module {
                is_fine &= !PYTHON_MODULES_THAT_RUN.contains(&&*top);
                // `from subprocess import run` gives other names to what is looked for.
                is_fine &= !(is_from
                    && matches!(&*top, "subprocess" | "os" | "pickle" | "sys")
                    && names.iter().skip(1).any(|name| {
                        !matches!(
                            &name[..],
                            b"path"
                                | b"environ"
                                | b"getenv"
                                | b"PIPE"
                                | b"DEVNULL"
                                | b"exit"
                                | b"stdin"
                                | b"stdout"
                                | b"stderr"
                                | b"argv"
                                | b"getcwd"
                                | b"sep"
                                | b"linesep"
                                | b"CalledProcessError"
                                | b"TimeoutExpired"
                                | b"listdir"
                                | b"makedirs"
                                | b""
                        )
                    }));
            }
        }
        // `import subprocess as x`
        let renames = !is_from && tokens.get(at + 1..at + 4).is_some_and(|next| {
            matches!(next, [Token::Word(b"subprocess" | b"os" | b"pickle" | b"sys", _), Token::Word(b"as", _), Token::Word(name, _)] if *name != b"sp")
        });
        is_fine && !renames
    }

    /// Modules of Python's own that a file beside the script stands in for.
    fn shadowed_in(&mut self, bases: &[PathBuf]) {
        for base in bases {
            if !self.scan.pass.shadows.insert(base.clone()) {
                continue;
            }
            let is_inside = base.canonicalize().is_ok_and(|base| self.scan.is_inside(&base));
            let Ok(entries) = (if is_inside { std::fs::read_dir(base) } else { continue }) else { continue };
            for entry in entries.flatten().take(4096) {
                let path = entry.path();
                let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
                let stem = stem.split('.').next().unwrap_or_default();
                if !PYTHON_MODULES.split_ascii_whitespace().any(|name| name == stem) {
                    continue;
                }
                match path.is_dir() {
                    true => self.scan.file(&path.join("__init__.py"), Use::Script(Language::Python)),
                    false if path.extension().is_some_and(|end| end == "py") => {
                        self.scan.file(&path, Use::Script(Language::Python));
                    }
                    false => self.scan.file(&path, Use::Read),
                }
            }
        }
    }

    /// As [`Self::shadowed_in`], for what is run from the working directory.
    pub(super) fn shadowed_modules(&mut self) {
        let bases = self.scan.folders.clone();
        self.shadowed_in(&bases);
    }

    fn javascript(
        &mut self,
        tokens: &[Token<'_>],
        at: usize,
        word: &[u8],
        bases: &[PathBuf],
        has_processes: bool,
    ) -> bool {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let next = tokens.get(at + 1);
        let is_member = matches!(before, Some(Token::Sign(b'.')));
        let is_called = matches!(next, Some(Token::Sign(b'(')));
        match word {
            b"require" => match tokens.get(at + 1..at + 4) {
                Some([Token::Sign(b'('), Token::Text { text, is_expanded: false, .. }, Token::Sign(b')')]) => {
                    self.node_module(text, bases)
                }
                Some([Token::Sign(b'.'), Token::Word(b"main", _), ..]) => true,
                _ => false,
            },
            b"import" if !is_member => match (next, tokens.get(at + 2)) {
                (Some(Token::Sign(b'.')), Some(Token::Word(b"meta", _))) => true,
                (Some(Token::Sign(b'(')), Some(Token::Text { text, is_expanded: false, .. }))
                    if matches!(tokens.get(at + 3), Some(Token::Sign(b')'))) =>
                {
                    self.node_module(text, bases)
                }
                (Some(Token::Sign(b'(')), _) => false,
                (Some(Token::Text { text, .. }), _) => self.node_module(text, bases),
                _ => true,
            },
            b"from" => match next {
                Some(Token::Text { text, .. }) if !is_member => self.node_module(text, bases),
                _ => true,
            },
            b"eval" | b"Function" | b"Worker" | b"importScripts" | b"dlopen" | b"createRequire" | b"mainModule"
            | b"_load" | b"getBuiltinModule" | b"WebAssembly" | b"runInThisContext" | b"runInNewContext"
            | b"runInContext" | b"binding" => {
                let _ = is_called;
                false
            }
            b"constructor" => {
                !(is_member && (is_called || matches!(next, Some(Token::Sign(b'.')))))
                    && !matches!(next, Some(Token::Sign(b':' | b'}' | b',')))
            }
            b"chdir" if is_called => self.changes_folder(tokens, at),
            // `\u0065val`
            _ if word.starts_with(b"u") && word.len() >= 5 && matches!(before, Some(Token::Sign(b'\\'))) => false,
            b"this" if matches!(next, Some(Token::Sign(b'['))) => {
                matches!(tokens.get(at + 2..at + 4), Some([Token::Text { .. }, Token::Sign(b']')]))
            }
            b"globalThis" | b"global" | b"process" | b"module" => !matches!(next, Some(Token::Sign(b'['))),
            b"exec" | b"execSync" | b"spawn" | b"spawnSync" | b"execFile" | b"execFileSync" | b"fork" => {
                // The method of a pattern.
                let is_pattern = is_member
                    && at >= 2
                    && match tokens.get(at - 2) {
                        Some(Token::Sign(b'/')) => true,
                        Some(Token::Word(flags, _)) => {
                            flags.iter().all(|flag| b"dgimsuvy".contains(flag))
                                && at >= 3
                                && matches!(tokens.get(at - 3), Some(Token::Sign(b'/')))
                        }
                        _ => false,
                    };
                if !has_processes || is_pattern {
                    return word == b"exec" || word == b"fork";
                }
                match next {
                    Some(Token::Sign(b'(')) => {
                        self.call_of(tokens, at, word.starts_with(b"exec") && !word.starts_with(b"execF"))
                    }
                    // `const { execSync } = require("child_process")`
                    Some(Token::Sign(b'}' | b',')) => !is_member,
                    _ => false,
                }
            }
            _ => true,
        }
    }

    /// What `require` and `import` name. Is all of it known?
    fn node_module(&mut self, name: &[u8], bases: &[PathBuf]) -> bool {
        let is_path = name.starts_with(b"./")
            || name.starts_with(b"../")
            || name.starts_with(b"/")
            || matches!(name, b"." | b"..");
        if is_path {
            let ends = ["", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/index.json", "/index.ts"];
            self.include(bases, name, &ends, Language::JavaScript);
            for base in bases {
                let package = base.join(text::to_path(name)).join("package.json");
                if package.is_file() {
                    self.scan.file(&package, Use::Given);
                    self.scan.uncertain(format!("what {} names", package.display()));
                }
            }
            // A file without an extension is JavaScript.
            return true;
        }
        let plain = name.strip_prefix(b"node:").unwrap_or(name);
        let plain = String::from_utf8_lossy(plain).into_owned();
        if NODE_MODULES_THAT_RUN.contains(&&*plain) {
            return false;
        }
        plain == "child_process" || NODE_MODULES.split_ascii_whitespace().any(|module| module == plain)
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
            return self.changes_folder(tokens, at);
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

    /// `chdir("x")`
    fn changes_folder(&mut self, tokens: &[Token<'_>], at: usize) -> bool {
        match literal(tokens, at + 1) {
            Some(call) if call.texts.len() == 1 => {
                let folders: Vec<Values> = call.texts.iter().map(|text| vec![text.clone()]).collect();
                self.change_folder(&folders, "chdir");
                true
            }
            _ => false,
        }
    }

    /// A call that runs what it is given. Is all of it known?
    fn call_of(&mut self, tokens: &[Token<'_>], at: usize, is_shell: bool) -> bool {
        let Some(call) = literal(tokens, at + 1) else { return false };
        match () {
            () if call.texts.is_empty() => false,
            () if call.is_list || !is_shell && call.texts.len() > 1 => {
                let words: Vec<Values> = call.texts.iter().map(|text| vec![text.clone()]).collect();
                let shown: Vec<String> =
                    call.texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
                self.command(&words, &shown);
                true
            }
            () => {
                self.code(&call.texts.join(&b' '));
                true
            }
        }
    }
}

/// The arguments of a call, where they are texts alone.
struct Call {
    texts: Vec<Vec<u8>>,
    /// They stand in a list: `["git", "diff"]`.
    is_list: bool,
}

/// What stands from a token on, in parentheses or up to the end of the statement. `None`: not all of it is known.
fn literal(tokens: &[Token<'_>], at: usize) -> Option<Call> {
    const WORDS: [&[u8]; 33] = [
        b"shell",
        b"check",
        b"capture_output",
        b"text",
        b"True",
        b"False",
        b"None",
        b"stdout",
        b"stderr",
        b"stdin",
        b"PIPE",
        b"STDOUT",
        b"DEVNULL",
        b"subprocess",
        b"sp",
        b"timeout",
        b"universal_newlines",
        b"encoding",
        b"errors",
        b"__DIR__",
        b"__dirname",
        b"or",
        b"die",
        b"stdio",
        b"maxBuffer",
        b"true",
        b"false",
        b"null",
        b"windowsHide",
        b"utf8",
        b"qw",
        b"q",
        b"qq",
    ];
    let mut call = Call { texts: Vec::new(), is_list: false };
    let has_parentheses = matches!(tokens.get(at), Some(Token::Sign(b'(')));
    let mut depth = 0_usize;
    let mut is_value = false;
    let mut is_first = true;
    for token in tokens.get(at..)? {
        match token {
            Token::Text { is_run: true, .. } => return None,
            Token::Text { is_expanded: true, text, .. } if text.iter().any(|byte| b"$#@{".contains(byte)) => {
                return None;
            }
            Token::Text { text, .. } => {
                // `encoding="utf-8"` is no word of the command.
                if !is_value {
                    call.texts.push(text.clone());
                }
                is_value = false;
            }
            Token::Word(word, _) => {
                if !WORDS.contains(word) && !word.iter().all(u8::is_ascii_digit) {
                    return None;
                }
                is_value = false;
            }
            Token::Sign(b'(' | b'[' | b'{') => {
                call.is_list |= is_first && depth > 0 && matches!(token, Token::Sign(b'['));
                depth += 1;
            }
            Token::Sign(b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 && has_parentheses {
                    return Some(call);
                }
            }
            Token::Sign(b'=' | b':') => is_value = true,
            Token::Sign(b',') => {}
            Token::Sign(b'.') => {}
            Token::Sign(b';' | b'\n') if !has_parentheses => return Some(call),
            Token::Sign(b'\n') => continue,
            Token::Sign(_) => return None,
        }
        is_first = is_first && matches!(token, Token::Sign(b'(' | b'[' | b'\n'));
    }
    (!has_parentheses).then_some(call)
}
