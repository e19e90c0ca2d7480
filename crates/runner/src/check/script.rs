//! The script of a hook.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookshell_dispatch::command_line::KnownShell;
use hookshell_dispatch::{MissingShell, Platform, Search, ShellScripts, decode_script};
use hookshell_syntax::parse_for_analysis;

use super::command::{options, sets_path};
use super::other_language::failures;
use super::suppress::Comments;
use super::target::{CheckTarget, Followed, RunBy};
use super::{Checker, FindingCode, Severity, Sink, finding};
use crate::config::Place;
use crate::read_file::read_regular;
use crate::shebang_name::shebang_name;

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
        let asked = shebang_name(&bytes);
        let own = interpreter.and_then(|_| asked.clone());
        let name = own.unwrap_or_else(|| {
            interpreter.and_then(Path::file_stem).unwrap_or_default().to_string_lossy().to_ascii_lowercase()
        });
        let shell = KnownShell::named(name.as_bytes());
        let is_shell = interpreter.is_none() || shell.is_some_and(KnownShell::is_readable);
        let shown = path.strip_prefix(&self.cwd).unwrap_or(path);
        sink.comments.entry(finding::shown(shown)).or_insert_with(|| Comments::read(&bytes));
        // A generated script may have very many findings.
        let line_ends: Vec<usize> =
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
        let line_of = |offset: usize| line_ends.partition_point(|end| *end < offset) + 1;
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
        if !is_shell {
            failures_of(&bytes, &name, shown, sink);
        }
        // What else another shell or language reads is not ours to judge.
        if !is_shell || shell.is_some_and(|shell| !shell.is_interpreted()) {
            return;
        }
        let source: Arc<[u8]> = decode_script(&bytes).into_owned().into();
        let error = self.dispatcher.call({
            let source = source.clone();
            move || parse_for_analysis(source, &options()).error
        });
        // Whatever runs it here (this shell, where there is no sh): elsewhere sh does.
        let for_sh = asked
            .or_else(|| interpreter.map(|_| name.clone()))
            .filter(|name| KnownShell::named(name.as_bytes()).is_some_and(KnownShell::is_posix));
        if let Some(Some(error)) = error {
            let column = usize::try_from(error.position.column).unwrap_or(1);
            let line = usize::try_from(error.position.line).unwrap_or(1);
            let mut message = error.cause.to_string();
            if !bytes.starts_with(b"#!") && is_of_another_language(path) {
                message.push_str(" (it is read as shell code here: name its own interpreter)");
            }
            sink.push(Severity::Error, FindingCode::ShellSyntax, place(line, column), message);
            return;
        }
        let not_portable = if self.portable || for_sh.is_some() { self.not_portable(&source) } else { Vec::new() };
        for (offset, message) in not_portable {
            let why = for_sh.as_ref().map(|name| format!("it is a script for {name}, and ")).unwrap_or_default();
            let message = format!("{why}not portable to every sh: {message}");
            sink.push(Severity::Warning, FindingCode::NotPosix, place(line_of(offset), 1), message);
        }
        for found in self.open_guards(sink.hook, &source, false, sink.allowance) {
            sink.push(found.severity, found.code, place(line_of(found.offset), 1), found.message);
        }
        if interpreter.is_some_and(|named| !self.is_stood_in_for(named, sink))
            && self.judges_this_machine()
            && !self.runs_in_process(sink.hook.shell_scripts)
        {
            self.check_commands(path, &source, &name, &line_of, sink);
        }
        if let Some(target) = self.target {
            let run_by = if interpreter.is_none() { RunBy::Hookshell } else { self.run_by(target, &name, sink) };
            self.check_for_target(target, path, source, run_by, sink);
        }
    }

    /// A script in another language, by the name of its interpreter.
    pub(super) fn check_other_language(&self, path: &Path, interpreter: &str, sink: &mut Sink<'_>) {
        if path.is_file()
            && let Ok(bytes) = read_regular(path, SCRIPT_LIMIT)
        {
            let shown = path.strip_prefix(&self.cwd).unwrap_or(path);
            sink.comments.entry(finding::shown(shown)).or_insert_with(|| Comments::read(&bytes));
            failures_of(&bytes, interpreter, shown, sink);
        }
    }

    /// The commands of a script that an installed shell runs: of those that are bundled, or look like a slip of one that is known, which
    /// are not on PATH? Of others nobody knows where they are meant to be.
    fn check_commands(
        &self,
        path: &Path,
        source: &Arc<[u8]>,
        shell: &str,
        line_of: &dyn Fn(usize) -> usize,
        sink: &mut Sink<'_>,
    ) {
        let run_by = RunBy::System { is_bash: shell == "bash" };
        let scripts = self.scripts(path, source.clone(), run_by, &|_| run_by);
        // What is read by `.` may say where programs are looked for, too.
        let set_path = scripts.files.iter().any(|(_, source, _)| sets_path(&String::from_utf8_lossy(source)));
        if set_path || !scripts.are_all_found {
            return;
        }
        let platform = Platform::HOST;
        let search = Search { platform, path: platform.search_path(&self.env), env: &self.env, cwd: &self.cwd };
        let shown = path.strip_prefix(&self.cwd).unwrap_or(path);
        let mut said = HashSet::new();
        for (offset, name) in self.commands_of(source) {
            if scripts.known.contains(&name) || !said.insert(name.clone()) || search.program(name.as_bytes()).is_ok() {
                continue;
            }
            let message = if self.dispatcher.has_command(name.as_bytes()) {
                format!(
                    "there is no command `{name}` on PATH, and {shell} does not have hookshell's own: install it, or let hookshell run \
                     the script (`shell_scripts = \"in-process\"`)"
                )
            } else if let Some(meant) = self.command_meant(&name) {
                format!("there is no command `{name}` on PATH: is `{meant}` meant?")
            } else {
                continue;
            };
            let place = Some(Place { file: shown.into(), line: line_of(offset), column: 1 });
            sink.push(Severity::Warning, FindingCode::MissingCommand, place, message);
        }
    }

    /// What the target does not have of what a script uses, and the scripts that it reads: `. FILE`, `bash FILE`, `./FILE`.
    fn check_for_target(
        &self,
        target: CheckTarget,
        path: &Path,
        source: Arc<[u8]>,
        run_by: RunBy,
        sink: &mut Sink<'_>,
    ) {
        let Scripts { files, known, .. } =
            self.scripts(path, source, run_by, &|shell: &str| self.run_by(target, shell, sink));
        for (path, source, run_by) in files {
            let shown = path.strip_prefix(&self.cwd).unwrap_or(&path);
            sink.comments.entry(finding::shown(shown)).or_insert_with(|| Comments::read(&source));
            let by_shell = |shell: &str| self.run_by(target, shell, sink);
            for missing in self.missing_on_target(target, &source, run_by, &by_shell, &known) {
                let before = source.get(..missing.offset).unwrap_or(&source);
                let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let column = String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1;
                let place = Some(Place { file: shown.into(), line, column });
                sink.push(Severity::Warning, missing.code, place, missing.message);
            }
        }
    }

    /// A script and those that it reads.
    fn scripts(&self, path: &Path, source: Arc<[u8]>, run_by: RunBy, by_shell: &dyn Fn(&str) -> RunBy) -> Scripts {
        let mut scripts =
            Scripts { files: vec![(path.to_owned(), source, run_by)], known: HashSet::new(), are_all_found: true };
        let mut seen = HashSet::from([path.canonicalize().unwrap_or_else(|_| path.to_owned())]);
        let mut at = 0;
        while let Some((path, source, run_by)) = scripts.files.get(at).cloned() {
            at += 1;
            let (followed, names) = self.read_by(&source);
            scripts.known.extend(names);
            for next in followed {
                let Some(file) = self.file_of(&next, &path).filter(|_| scripts.files.len() < MOST_SCRIPTS) else {
                    scripts.are_all_found &= !next.is_sourced;
                    continue;
                };
                if !seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
                    continue;
                }
                let Ok(bytes) = read_regular(&file, SCRIPT_LIMIT) else { continue };
                let own = shebang_name(&bytes).unwrap_or_else(|| "bash".to_owned());
                // What another language reads is not ours to judge.
                let run_by = match next.is_sourced {
                    true => run_by,
                    false if KnownShell::named(own.as_bytes()).is_some_and(KnownShell::is_interpreted) => {
                        by_shell(&own)
                    }
                    false => continue,
                };
                scripts.files.push((file, decode_script(&bytes).into_owned().into(), run_by));
            }
        }
        scripts
    }

    /// What runs a script for this shell on the target.
    pub(super) fn run_by(&self, target: CheckTarget, shell: &str, sink: &Sink<'_>) -> RunBy {
        let is_ours = self.runs_in_process(sink.hook.shell_scripts)
            || target == CheckTarget::Windows && self.stands_in_on(target, sink.hook.missing_shell);
        if is_ours { RunBy::Hookshell } else { RunBy::System { is_bash: shell == "bash" } }
    }

    /// The file that a script names; one that is named by an expansion (`"$DIR/lib.sh"`, `"$(dirname "$0")/lib.sh"`) is looked for
    /// beside the script.
    fn file_of(&self, followed: &Followed, script: &Path) -> Option<PathBuf> {
        let directory = script.parent()?;
        let text = &*followed.path;
        let found = |path: PathBuf| path.is_file().then_some(path);
        let Some(dollar) = text.rfind('$') else {
            return found(self.cwd.join(text)).or_else(|| found(directory.join(text)));
        };
        let end = text.rfind([')', '}']).filter(|end| *end > dollar);
        let rest = match end {
            Some(end) => text.get(end + 1..)?,
            None => text.get(dollar + 1..)?.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        };
        let rest = rest.strip_prefix('/')?;
        found(directory.join(rest)).or_else(|| found(self.cwd.join(rest)))
    }
}

/// Exits of a script in another language that deny nothing.
fn failures_of(bytes: &[u8], interpreter: &str, shown: &Path, sink: &mut Sink<'_>) {
    let (dialect, event) = (sink.hook.dialect, sink.hook.event);
    if !event.can_block() {
        return;
    }
    let exit_meaning = |code| dialect.contract().exit_meaning(event, code, true);
    for (line, message) in failures(&String::from_utf8_lossy(bytes), interpreter, &exit_meaning) {
        let place = Some(Place { file: shown.into(), line, column: 1 });
        sink.push(Severity::Warning, FindingCode::DeniesNothing, place, message);
    }
}

/// A script and those that it reads.
struct Scripts {
    /// Each with what runs it.
    files: Vec<(PathBuf, Arc<[u8]>, RunBy)>,
    /// What they define, or ask for.
    known: HashSet<String>,
    /// Is every file there that is read by `.`?
    are_all_found: bool,
}

/// How many files of one script are read.
const MOST_SCRIPTS: usize = 64;

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
