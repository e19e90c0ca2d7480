//! What JavaScript code requires and runs.

use std::path::PathBuf;

use hookshell_process::text;

use super::super::Use;
use super::super::names::Language;
use super::super::source::Source;
use super::lexer::Token;
use super::tables::{NODE_MODULES, NODE_MODULES_THAT_RUN};

impl Source<'_, '_> {
    pub(super) fn javascript(
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
            b"chdir" if is_called => self.changes_dir(tokens, at),
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
    pub(super) fn node_module(&mut self, name: &[u8], bases: &[PathBuf]) -> bool {
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
}
