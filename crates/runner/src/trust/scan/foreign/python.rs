//! What Python code imports and runs.

use std::path::PathBuf;

use super::super::Use;
use super::super::names::Language;
use super::super::source::Source;
use super::call::literal;
use super::lexer::Token;
use super::tables::{PYTHON_MODULES, PYTHON_MODULES_THAT_RUN};

impl Source<'_, '_> {
    pub(super) fn python(&mut self, tokens: &[Token<'_>], at: usize, word: &[u8], bases: &[PathBuf]) -> bool {
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
            b"chdir" if is_called => self.changes_dir(tokens, at),
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
        let (mut is_continued, mut is_open) = (false, false);
        for token in tokens.get(at + 1..).unwrap_or_default() {
            let was_continued = std::mem::take(&mut is_continued);
            match token {
                Token::Sign(b'\n') if was_continued || is_open => {}
                Token::Sign(b'\\') => is_continued = true,
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
    pub(super) fn shadowed_in(&mut self, bases: &[PathBuf]) {
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
    pub(in super::super) fn shadowed_modules(&mut self) {
        let bases = self.scan.dirs.clone();
        self.shadowed_in(&bases);
    }
}
