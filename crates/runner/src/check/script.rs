//! The script of a hook.

use std::ffi::OsStr;
use std::path::Path;

use hookshell_dispatch::command_line::KnownShell;
use hookshell_dispatch::{MissingShell, ShellScripts, decode_source};
use hookshell_syntax::parse_for_analysis;

use super::command::options;
use super::suppress::Comments;
use super::target::{CheckTarget, RunBy};
use super::{Checker, FindingCode, Severity, Sink};
use crate::config::Place;
use crate::read_file::read_regular;

/// Nobody writes a longer hook by hand; more is not read.
const SCRIPT_LIMIT: u64 = 4 * 1024 * 1024;

impl Checker {
    /// A script: by what it is run (`None`: in process), and whether that can read it.
    pub(super) fn check_source(&self, path: &Path, interpreter: Option<&Path>, sink: &mut Sink<'_>) {
        if path.metadata().map_or(true, |metadata| !metadata.is_file() || metadata.len() > SCRIPT_LIMIT) {
            return;
        }
        let bytes = match read_regular(path, SCRIPT_LIMIT) {
            Ok(bytes) => bytes,
            Err(error) => {
                sink.error(
                    FindingCode::UnreadableScript,
                    format!("its script {} cannot be read: {error}", path.display()),
                );
                return;
            }
        };
        // What the script itself asks for: that may be a script too (pyenv's `python3` is one for bash).
        let own = interpreter.and_then(|_| shebang_name(&bytes));
        let name = own.unwrap_or_else(|| {
            interpreter.and_then(Path::file_stem).unwrap_or_default().to_string_lossy().to_ascii_lowercase()
        });
        let shell = KnownShell::named(name.as_bytes());
        let is_shell = interpreter.is_none() || shell.is_some_and(KnownShell::is_readable);
        let shown = path.strip_prefix(&self.cwd).unwrap_or(path);
        sink.comments.entry(shown.display().to_string()).or_insert_with(|| Comments::read(&bytes));
        let line_of =
            |offset: usize| bytes.get(..offset).unwrap_or(&bytes).iter().filter(|byte| **byte == b'\n').count() + 1;
        let place = |line, column| Some(Place { file: shown.into(), line, column });
        if interpreter.is_some()
            && is_shell
            && let Some(at) = bytes.windows(2).position(|two| two == b"\r\n")
        {
            let (severity, else_where) = match interpreter.is_some_and(|named| self.is_stood_in_for(named, sink)) {
                true => (Severity::Warning, " on a machine that has it"),
                false => (Severity::Error, ""),
            };
            sink.push(
                severity,
                FindingCode::CrlfScript,
                place(line_of(at), 1),
                format!(
                    "the script has CRLF line ends, which {name} takes for text{else_where}: save it with LF line ends"
                ),
            );
            if severity == Severity::Error {
                return;
            }
        }
        if let Some(target) = self.target
            && interpreter.is_some()
            && let Some((code, message)) = Self::missing_interpreter(
                target,
                &name,
                self.runs_in_process(sink.hook.shell_scripts) || self.stands_in_on(target, sink.hook.missing_shell),
            )
        {
            sink.push(Severity::Warning, code, place(1, 1), message);
        }
        // What another shell or language reads is not ours to judge.
        if !is_shell || shell.is_some_and(|shell| !shell.is_interpreted()) {
            return;
        }
        let source: std::sync::Arc<[u8]> = decode_source(&bytes).into_owned().into();
        let error = self.dispatcher.call({
            let source = source.clone();
            move || parse_for_analysis(source, &options()).error
        });
        let is_for_sh = cfg!(feature = "portable") && interpreter.is_some() && POSIX_SHELLS.contains(&&*name);
        if let Some(Some(error)) = error {
            let column = usize::try_from(error.position.column).unwrap_or(1);
            let line = usize::try_from(error.position.line).unwrap_or(1);
            let mut message = error.cause.to_string();
            if interpreter.is_none() && !bytes.starts_with(b"#!") && is_of_another_language(path) {
                message.push_str(" (without a `#!` line it is read as shell code: name its interpreter there)");
            }
            sink.push(Severity::Error, FindingCode::ShellSyntax, place(line, column), message);
            return;
        }
        if (self.portable || is_for_sh)
            && let Some((offset, message)) = self.not_portable(&source)
        {
            let why = if is_for_sh { format!("it is a script for {name}, and ") } else { String::new() };
            let message = format!("{why}not portable to every sh: {message}");
            sink.push(Severity::Warning, FindingCode::NotPosix, place(line_of(offset), 1), message);
        }
        for found in self.open_guards(sink.hook, &source, false) {
            sink.push(found.severity, found.code, place(line_of(found.offset), 1), found.message);
        }
        if let Some(target) = self.target {
            let is_ours = interpreter.is_none()
                || self.runs_in_process(sink.hook.shell_scripts)
                || target == CheckTarget::Windows && self.stands_in_on(target, sink.hook.missing_shell);
            let run_by = if is_ours { RunBy::Hookshell } else { RunBy::System { is_bash: name == "bash" } };
            for missing in self.missing_on_target(target, &source, run_by) {
                let line = line_of(missing.offset);
                let line_start = bytes
                    .get(..missing.offset)
                    .and_then(|text| text.iter().rposition(|byte| *byte == b'\n'))
                    .map_or(0, |at| at + 1);
                let column =
                    String::from_utf8_lossy(bytes.get(line_start..missing.offset).unwrap_or_default()).chars().count()
                        + 1;
                sink.push(Severity::Warning, missing.code, place(line, column), missing.message);
            }
        }
    }
}

/// Shells whose scripts are to be POSIX's.
const POSIX_SHELLS: [&str; 3] = ["sh", "dash", "ash"];

impl Checker {
    /// Do scripts for shells run in process, whatever is installed?
    fn runs_in_process(&self, of_hook: Option<ShellScripts>) -> bool {
        of_hook.unwrap_or(self.shell_scripts) == ShellScripts::InProcess
    }

    /// Does the in-process shell do the work of a shell that the target does not have?
    fn stands_in_on(&self, target: CheckTarget, missing_shell: Option<MissingShell>) -> bool {
        let missing_shell = missing_shell.or(self.missing_shell);
        match missing_shell {
            Some(missing_shell) => missing_shell == MissingShell::Interpret,
            None => target == CheckTarget::Windows,
        }
    }
}

/// Does the extension say that it is no shell code?
fn is_of_another_language(path: &Path) -> bool {
    const EXTENSIONS: [&str; 9] = ["py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua"];
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// The name of the interpreter that a script's `#!` line asks for, without its directory.
fn shebang_name(script: &[u8]) -> Option<String> {
    let line = script.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split_whitespace();
    let base = |word: &str| word.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let name = base(words.next()?);
    if name != "env" {
        return Some(name.trim_end_matches(".exe").to_owned());
    }
    words.find(|word| !word.starts_with('-') && !word.contains('=')).map(base)
}

#[cfg(test)]
mod tests {
    use super::shebang_name;

    #[test]
    fn whose_script_it_is() {
        let cases: [(&str, Option<&str>); 6] = [
            ("#!/bin/bash\necho", Some("bash")),
            ("#!/usr/bin/env python3\r\n", Some("python3")),
            ("#!/usr/bin/env -S node --flag\n", Some("node")),
            ("#! C:/Git/bin/sh.exe -e\n", Some("sh")),
            ("#!\n", None),
            ("echo\n", None),
        ];
        for (script, expected) in cases {
            assert_eq!(shebang_name(script.as_bytes()).as_deref(), expected, "{script:?}");
        }
    }
}
