//! A simple command of plain words: its program, and the script that this is given.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookshell_dispatch::command_line::KnownShell;
use hookshell_dispatch::{Platform, Search, unknown_command_hint};

use super::command::{hinted, is_expanded, is_interpreter, quoted, sets_path, unix_program};
use super::operands;
use super::{Checker, FindingCode, Sink};
use crate::hint;

/// Such a command.
#[derive(Clone, Copy)]
struct Words<'w> {
    name: &'w str,
    /// The name without directory and extension.
    stem: &'w str,
    operands: &'w [String],
    /// The whole line that it stands in.
    line: &'w str,
    cwd: &'w Path,
}

impl Checker {
    /// Does the program of a simple command exist, and the script that it is given?
    pub(super) fn check_words(&self, words: &[String], line: &str, cwd: &Path, sink: &mut Sink<'_>) {
        let Some((name, operands)) = words.split_first() else { return };
        if is_expanded(name) {
            return;
        }
        let stem = Path::new(name).file_stem().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        let words = Words { name, stem: &stem, operands, line, cwd };
        words.check_power_shell(sink);
        if !self.dispatcher.has_command(name.as_bytes()) && !self.is_there(words, sink) {
            return;
        }
        // `/usr/bin/env bash x.sh`
        let wrapper = ["/usr/bin/", "/bin/"].iter().find_map(|at| name.strip_prefix(at)).unwrap_or(unix_program(name));
        if let Some(rest) = operands::wrapped(wrapper, operands)
            && rest.iter().all(|word| !is_expanded(word))
        {
            let line = rest.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
            self.check_line(&line, cwd, sink);
            return;
        }
        if is_interpreter(&stem)
            && let Some(script) = words.script().filter(|word| !word.starts_with('-') && !is_expanded(word))
        {
            self.check_script_of(words, script, sink);
        }
    }

    /// Says where the program of a command is not found. Is there more to be said of the command?
    fn is_there(&self, words: Words<'_>, sink: &mut Sink<'_>) -> bool {
        let Words { name, stem, operands, line, cwd } = words;
        let platform = Platform::HOST;
        let search = Search { platform, path: platform.search_path(&self.env), env: &self.env, cwd };
        let (is_found, passed_over) = match search.program(name.as_bytes()) {
            Ok(found) => (true, found.passed_over),
            Err(missing) => (false, missing.passed_over),
        };
        // Say, the Microsoft Store's `python3`, which exits with 49: a halt.
        for passed in passed_over.into_iter().filter(|_| self.judges_this_machine()) {
            sink.warn(
                FindingCode::PassedOverProgram,
                format!("{} was passed over: {}", passed.path.display(), passed.reason),
            );
        }
        let is_ours = self.dispatcher.stands_in_for(name.as_bytes(), sink.hook.missing_shell)
            || self.dispatcher.replaces(name.as_bytes(), sink.hook.shell_scripts);
        if !is_found && !is_ours {
            if !sink.is_tolerated && self.judges_this_machine() && !sets_path(&sink.hook.command_line()) {
                let message = format!("there is no command `{name}` on PATH, and none is bundled");
                let message = match unknown_command_hint(name, cwd) {
                    Some(hint) => format!("{message} ({hint})"),
                    None => match hint::of_missing_program(name) {
                        Some(hint) if hint::of_line(line).is_none() => format!("{message} ({hint})"),
                        _ => hinted(message, line),
                    },
                };
                sink.error(FindingCode::MissingCommand, message);
            }
            if self.judges_this_machine() {
                return false;
            }
        }
        if !is_found && let Some(mistake) = operands::mistake_of_shell(stem, operands, |word| !is_expanded(word)) {
            sink.error(
                FindingCode::ShellOption,
                format!("the in-process shell that stands in for {name} does not take its options: {mistake}"),
            );
            return false;
        }
        true
    }

    /// Does the script exist that an interpreter is given? One for a shell is looked at.
    fn check_script_of(&self, words: Words<'_>, given: &str, sink: &mut Sink<'_>) {
        let script = match given.strip_prefix("~/") {
            Some(rest) => match Platform::HOST.variable(&self.env, "HOME") {
                Some(home) => PathBuf::from(home).join(rest),
                None => return,
            },
            None => words.cwd.join(given),
        };
        match script.metadata() {
            Err(_) if sink.elsewhere.may_have(given) => {}
            Err(_) => {
                let message = format!("its script {} does not exist", script.display());
                let message = match hint::of_line(words.line)
                    .or_else(|| hint::of_split_path(given, words.line, words.cwd))
                    .or_else(|| hint::instead_of(&script))
                {
                    Some(hint) => format!("{message} ({hint})"),
                    None => message,
                };
                sink.error(FindingCode::MissingScript, message);
            }
            Ok(metadata) if metadata.is_dir() => {
                sink.error(FindingCode::MissingScript, format!("its script {} is a directory", script.display()));
            }
            Ok(_) if KnownShell::named(words.stem.as_bytes()).is_some_and(KnownShell::is_interpreted) => {
                self.check_source(&script, Some(Path::new(words.name)), sink);
            }
            Ok(_) => self.check_other_language(&script, words.stem, sink),
        }
    }
}

impl<'w> Words<'w> {
    fn is_power_shell(self) -> bool {
        matches!(self.stem, "pwsh" | "powershell")
    }

    /// PowerShell gives 1 for every failing exit code of a command that is no file.
    fn check_power_shell(self, sink: &mut Sink<'_>) {
        let is_command = self.operands.iter().any(|word| is_power_shell_option(word, "-command"))
            // What Windows' own PowerShell is given without an option is a command; pwsh takes it for a file.
            || self.stem == "powershell" && self.operands.first().is_some_and(|word| !word.starts_with('-'));
        // As hookshell itself writes it for a `powershell` command.
        let gives_status = || self.operands.iter().any(|word| word.to_ascii_lowercase().contains("exit $lastexitcode"));
        if self.is_power_shell() && self.file_option().is_none() && is_command && !gives_status() {
            sink.warn(
                FindingCode::PowerShellCommand,
                "PowerShell's -Command makes 1 of every failing exit code, so that a deny (2) is lost: use -File"
                    .into(),
            );
        }
    }

    /// Where PowerShell's `-File` stands.
    fn file_option(self) -> Option<usize> {
        self.operands.iter().position(|word| is_power_shell_option(word, "-file"))
    }

    /// The script that an interpreter is given: the first operand, unless an option before it takes commands or a module.
    fn script(self) -> Option<&'w String> {
        if !self.is_power_shell() {
            return operands::script(self.stem, self.operands);
        }
        let file = self.file_option().and_then(|file| self.operands.get(file + 1));
        file.or(self.operands.first().filter(|_| self.stem == "pwsh"))
    }
}

/// Is it this option of PowerShell's, which takes the beginning of an option's name for it?
fn is_power_shell_option(word: &str, option: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.len() > 1 && option.starts_with(&word)
}
