//! The command of a hook.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use hookshell_dispatch::command_line::KnownShell;
use hookshell_dispatch::{Command, Explanation, Invocation, Platform, Route, Search};
use hookshell_process::script_path;
use hookshell_syntax::{Dialect, ParseOptions, parse_for_analysis};

use super::guard::{OpenGuard, ReasonOn, Surroundings, open_guards};
use super::judge::{Allowance, Judge};
use super::programs::known_argument;
use super::target::RunBy;
use super::text::place_in_string;
use super::{Checker, FindingCode, Severity, Sink};
use crate::absolute::absolute_path;
use crate::config::{Exit, HookConfig, Place};
use crate::decision::Decision;
use crate::envelope::Envelope;
use crate::event::Event;
use crate::hint;

/// Programs other than shells whose first operand is a script.
const INTERPRETERS: [&str; 9] = ["node", "python", "python3", "ruby", "perl", "lua", "php", "pwsh", "powershell"];

/// Is it a program whose first operand is a script?
pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name) || KnownShell::named(name.as_bytes()).is_some()
}

/// Does the command say where programs are looked for? Who knows what is found there.
pub(super) fn sets_path(line: &str) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | '{'));
    words.into_iter().any(|word| word.starts_with("PATH=") || word.starts_with("PATH+="))
}

impl Checker {
    pub(super) fn check_command(&self, hook: &HookConfig, sink: &mut Sink<'_>) {
        let line = hook.command_line();
        if hook.starts_hookshell_for(hook.event) && !hook.is_installed_line() {
            let message = "it starts hookshell for its own event: run by hookshell it would start itself, and is skipped; name \
                           the hooks themselves, or let `hookshell install` wire them";
            sink.error(FindingCode::StartsItself, message.to_owned());
        }
        if let Some(reason) = hook.dialect.contract().refuses(hook) {
            sink.error(FindingCode::NotStartable, format!("it cannot be started: {reason}"));
        }
        if hook.args.is_none() && !self.check_syntax(hook, &line, sink) {
            return;
        }
        let (cwd, project) = self.place_of_event(hook);
        let cwd = hook.directory(&cwd, &project);
        self.check_arguments(hook, &cwd, &project, sink);
        if !cwd.is_dir() {
            sink.error(FindingCode::MissingDirectory, format!("its directory {} does not exist", cwd.display()));
            return;
        }
        let line = self.with_dirs(hook, line);
        if !self.check_line(&line, &cwd, sink) {
            self.check_program(&line, &cwd, sink);
        }
    }

    /// Checks a command that is one simple command: what it starts. Is it one?
    pub(super) fn check_line(&self, line: &str, cwd: &Path, sink: &mut Sink<'_>) -> bool {
        let mut invocation = Invocation::new(Command::source(line), cwd);
        invocation.env = self.env.clone();
        invocation.missing_shell = sink.hook.missing_shell;
        invocation.shell_scripts = sink.hook.shell_scripts;
        let mut explanation = self.dispatcher.explain(&invocation);
        // `hooks/x.sh` is a path for the shell, which looks at it only when it runs.
        if let (Route::Shell, Some(name)) = (&explanation.route, &explanation.argv0)
            && name.contains('/')
            && !self.dispatcher.has_command(name.as_bytes())
            && !is_expanded(name)
            && line.trim_start().starts_with(name.as_str())
        {
            invocation.command = Command::source(format!("./{}", line.trim_start()));
            explanation = self.dispatcher.explain(&invocation);
        }
        let passed_over = explanation.reasons.iter().filter(|reason| reason.contains("was passed over"));
        for reason in passed_over.filter(|_| self.judges_this_machine()) {
            sink.warn(FindingCode::PassedOverProgram, reason.clone());
        }
        match &explanation.route {
            // Its interpreter may be there on the target; its own lines are looked at all the same.
            Route::NotStartable { .. } if !self.judges_this_machine() && self.is_script_here(&explanation, cwd) => {
                let script = cwd.join(explanation.argv0.as_deref().unwrap_or_default());
                self.check_source(&script, Some(Path::new("")), sink);
            }
            Route::NotStartable { reason }
                if reason == "No such file or directory"
                    && sink.elsewhere.may_have(explanation.argv0.as_deref().unwrap_or_default()) => {}
            Route::NotStartable { reason } => {
                let name = explanation.argv0.as_deref().unwrap_or_default();
                let why = hint::of_line(line).or_else(|| hint::of_missing_command(reason, name, line, cwd));
                let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
                let message = format!("it cannot be started: {reason}{why}");
                sink.error(FindingCode::NotStartable, message);
            }
            Route::ShellSource { path } => self.check_source(path, None, sink),
            // Its language is that of its own interpreter, whatever runs that one.
            Route::Interpreter { interpreter, through, script } => {
                self.check_source(script, Some(through.last().unwrap_or(interpreter)), sink);
            }
            // What has an expansion in its first word is only known when it runs.
            Route::Shell if explanation.argv0.is_some() => self.check_words(&explanation.tokens, line, cwd, sink),
            Route::Shell => return false,
            // `/bin/bash x.sh`, `/usr/bin/env python3 x.py`
            Route::Binary { .. } => self.check_words(&explanation.tokens, line, cwd, sink),
            _ => {}
        }
        true
    }

    /// Is what the command starts a file that is there?
    fn is_script_here(&self, explanation: &Explanation, cwd: &Path) -> bool {
        explanation.argv0.as_ref().is_some_and(|name| cwd.join(name).is_file())
    }

    /// The command with the directories that agents name by variables put in, so that scripts in them can be looked at:
    /// `"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh`, `$HOME/.claude/hooks/x.sh`.
    fn with_dirs(&self, hook: &HookConfig, line: String) -> String {
        if !line.contains('$') {
            return line;
        }
        let project = hook.place.as_ref().and_then(|place| self.project_of(&place.file)).unwrap_or(self.cwd.clone());
        let home = Platform::HOST.variable(&self.env, "HOME").map(|home| ("HOME", home.to_owned()));
        self.variables(hook, &project).into_iter().chain(home).fold(line, |line, (name, value)| {
            let Some(value) = value.to_str() else { return line };
            let is_dir = Path::new(value).is_absolute();
            // Windows' own separator would be a quote to the shell.
            let value = &if cfg!(windows) { value.replace('\\', "/") } else { value.to_owned() };
            let is_plain =
                |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-') || cfg!(windows) && c == ':';
            if !is_dir || !value.chars().all(is_plain) {
                return line;
            }
            let name_ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let mut line = line.replace(&format!("${{{name}}}"), value);
            let variable = format!("${name}");
            let mut from = 0;
            while let Some(at) = line.get(from..).and_then(|rest| rest.find(&variable)).map(|at| from + at) {
                from = at + variable.len();
                if name_ends(line.get(from..).unwrap_or_default()) {
                    line.replace_range(at..from, value);
                    from = at + value.len();
                }
            }
            // A word of which only a directory was quoted is one word without the quotes.
            line.replace(&format!("\"{value}\"/"), &format!("{value}/"))
        })
    }

    /// Is the command valid shell code?
    fn check_syntax(&self, hook: &HookConfig, line: &str, sink: &mut Sink<'_>) -> bool {
        let source: Arc<[u8]> = line.as_bytes().into();
        let error = self.dispatcher.call({
            let source = source.clone();
            move || parse_for_analysis(source, &ParseOptions::default()).error
        });
        if let Some(Some(error)) = error {
            let place = place_of(hook, line, usize::try_from(error.span.start).unwrap_or_default());
            sink.push(Severity::Error, FindingCode::ShellSyntax, place, error.cause.to_string());
            return false;
        }
        let not_portable = if self.portable { self.not_portable(&source) } else { Vec::new() };
        for (offset, message) in not_portable {
            let message = format!("not portable to every sh: {message}");
            sink.push(Severity::Warning, FindingCode::NotPosix, place_of(hook, line, offset), message);
        }
        for found in self.open_guards(hook, &source, true, sink.allowance) {
            sink.push(found.severity, found.code, place_of(hook, line, found.offset), found.message);
        }
        if let Some(target) = self.target {
            let by_shell = |shell: &str| self.run_by(target, shell, sink);
            for missing in self.missing_on_target(target, &source, RunBy::Hookshell, &by_shell, &HashSet::new()) {
                sink.push(Severity::Warning, missing.code, place_of(hook, line, missing.offset), missing.message);
            }
        }
        true
    }

    /// The program in the arguments of a hook without a shell that does not compile.
    fn check_arguments(&self, hook: &HookConfig, cwd: &Path, project: &Path, sink: &mut Sink<'_>) {
        let Some(args) = &hook.args else { return };
        let words: Vec<_> =
            std::iter::once(hook.own_command()).chain(args.iter().map(String::as_str)).map(known_argument).collect();
        let judge = Judge::new(&self.dispatcher, &self.env, cwd, project, sink.allowance);
        if let Some(wrong) = judge.wrong_program(words) {
            let severity = if wrong.is_certain { Severity::Error } else { Severity::Warning };
            sink.push(severity, FindingCode::WrongProgram, None, wrong.message);
        }
    }

    /// What leaves a guard open in valid shell code of a hook: the command itself, or its script.
    pub(super) fn open_guards(
        &self,
        hook: &HookConfig,
        source: &Arc<[u8]>,
        is_inline: bool,
        allowance: &Arc<Allowance>,
    ) -> Vec<OpenGuard> {
        let project = hook.place.as_ref().and_then(|place| self.project_of(&place.file)).unwrap_or(self.cwd.clone());
        let variables = self.variables(hook, &project);
        let directories = variables
            .iter()
            .filter(|(_, value)| Path::new(value).is_absolute())
            .map(|(name, value)| ((*name).to_owned(), value.to_string_lossy().into_owned()))
            .collect::<Vec<_>>();
        let mut set: HashSet<String> = variables.iter().map(|(name, _)| (*name).to_owned()).collect();
        let event = Event::session_start("", absolute_path(&self.cwd)).with_project_dir(absolute_path(&project));
        let more = hook.dialect.contract().more_variables(hook, &event, &self.env);
        set.extend(more.into_iter().filter_map(|(name, _)| name.into_string().ok()));
        set.extend(self.env.iter().filter_map(|(name, _)| name.to_str().map(str::to_owned)));
        set.extend(assigned(&hook.command));
        // What a plugin's hooks get no other hook does.
        let is_meant = |prefix: &&str| hook.plugin_root.is_some() || !prefix.contains("PLUGIN");
        let prefixes: Vec<&str> = hook.dialect.contract().may_set().iter().copied().filter(is_meant).collect();
        let source = source.clone();
        let (can_block, is_strict) = (hook.event.can_block(), self.portable);
        let event = hook.event;
        // The others read it at every exit code, or have rules that are told of where they are broken.
        let reads_at_zero = hook.dialect.contract().reads_at_zero_only();
        let dialect = hook.dialect;
        let reason_on = reason_on(hook);
        let splits_projects = dialect.contract().splits_project_variable();
        let directory = hook.directory(&self.cwd, &project);
        let judge = Judge::new(&self.dispatcher, &self.env, &directory, &project, allowance);
        let found = self.dispatcher.call(move || {
            let around = Surroundings {
                is_set: &|name| set.contains(name) || prefixes.iter().any(|prefix| name.starts_with(prefix)),
                directories: &directories,
                can_block,
                exit_meaning: &|code| dialect.contract().exit_meaning(event, code, true),
                reason_on,
                reads_at_zero,
                is_of_event: &|name| is_of_event(name),
                unset: &|name| unset_variable(name, dialect),
                is_inline,
                is_strict,
                splits_projects,
                wrong_program: &|words| judge.wrong_program(words),
            };
            open_guards(&source, &around)
        });
        found.unwrap_or_default()
    }

    /// The variables that the agent sets for the hook.
    fn variables(&self, hook: &HookConfig, project: &Path) -> Vec<(&'static str, OsString)> {
        let event = Event::session_start("", absolute_path(&self.cwd)).with_project_dir(absolute_path(project));
        let contract = hook.dialect.contract();
        let mut variables = contract.variables(hook, &event, &self.env);
        variables.extend(contract.directory_variables(&self.cwd, project));
        variables
    }

    /// Is it a shell that is not there, and whose work is done in process?
    pub(super) fn is_stood_in_for(&self, named: &Path, sink: &Sink<'_>) -> bool {
        let Some(name) = named.to_str().filter(|name| !name.contains(['/', '\\'])) else { return false };
        let platform = Platform::HOST;
        let search = Search { platform, path: platform.search_path(&self.env), env: &self.env, cwd: &self.cwd };
        search.program(name.as_bytes()).is_err()
            && self.dispatcher.stands_in_for(name.as_bytes(), sink.hook.missing_shell)
    }
}

/// The variables that a command gives to the script that it starts: `DIR=/x ./guard.sh`.
fn assigned(command: &str) -> impl Iterator<Item = String> {
    let names = command.match_indices('=').map(|(at, _)| {
        let before = command.get(..at).unwrap_or_default();
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        before.get(start..).unwrap_or_default()
    });
    names.filter(|name| !name.is_empty()).map(str::to_owned)
}

/// Where the agent looks for the reason of a deny by exit code, without which it denies nothing.
fn reason_on(hook: &HookConfig) -> Option<ReasonOn> {
    let contract = hook.dialect.contract();
    if !contract.exit_meaning(hook.event, 2, true).is_deny() || contract.exit_meaning(hook.event, 2, false).is_deny() {
        return None;
    }
    let name = hook.event.to_string();
    let exit = Exit {
        hook: None,
        dialect_event_name: &name,
        event: hook.event,
        status: 2,
        is_killed: false,
        stdout: b"no",
        stderr: b"",
    };
    let denies = |envelope: Envelope| envelope.opinion.decision == Some(Decision::Deny);
    let counts = contract.read_exit(&exit).and_then(Result::ok).flatten().is_some_and(denies);
    Some(if counts { ReasonOn::Any } else { ReasonOn::Stderr })
}

/// What of the event is meant by a name that has this in it.
const MEMBERS: [(&str, &str); 8] = [
    ("tool_name", ".tool_name"),
    ("command", ".tool_input.command"),
    ("file", ".tool_input.file_path"),
    ("path", ".tool_input.file_path"),
    ("tool_input", ".tool_input"),
    ("tool", ".tool_name"),
    ("prompt", ".prompt"),
    ("session", ".session_id"),
];

/// Is a part of the event meant? A name says so at the beginning of one of its words: `AWS_PROFILE` is no file.
fn is_of_event(name: &str) -> bool {
    member(name).is_some()
}

/// What of the event is meant by a name.
fn member(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let begins_a_word = |at: usize| name.get(..at).is_some_and(|before| before.is_empty() || before.ends_with('_'));
    let has = |part: &str| name.match_indices(part).any(|(at, _)| begins_a_word(at));
    MEMBERS.iter().find(|(part, _)| has(part)).map(|(_, member)| *member)
}

/// What to do about a variable that nobody sets: most are another agent's, or meant for a part of the event.
fn unset_variable(name: &str, dialect: crate::dialect::Dialect) -> String {
    use crate::dialect::Dialect;

    if name.contains("PLUGIN_ROOT") && name.starts_with(dialect.contract().variable_prefix()) {
        return "only the hooks of a plugin have it, and this file is no plugin's".to_owned();
    }
    let member = member(name);
    let is_its = |whose: &Dialect| name.starts_with(whose.contract().variable_prefix());
    let whose = Dialect::ALL.into_iter().find(|whose| *whose != dialect && is_its(whose));
    match (whose, member) {
        (Some(whose), None) => format!("it is {}'s, and {} does not set it", whose.agent(), dialect.agent()),
        (_, Some(member)) => {
            format!("the event is JSON on standard input, of which `jq -r {member}` reads this")
        }
        (None, None) => "the event is JSON on standard input (jq reads it)".to_owned(),
    }
}

/// The dialect that hooks' shell code is read in.
pub(super) fn options() -> ParseOptions {
    ParseOptions { dialect: Dialect::Bash, ..ParseOptions::default() }
}

/// A message, and what may be wrong with the line that it is about.
pub(super) fn hinted(message: String, line: &str) -> String {
    match hint::of_line(line) {
        Some(hint) => format!("{message} ({hint})"),
        None => message,
    }
}

/// The name of a program that Windows does not have under a path like `/usr/bin/env`.
pub(super) fn unix_program(name: &str) -> &str {
    let is_theirs = Platform::HOST == Platform::Windows;
    let program = is_theirs.then(|| script_path::unix_program(name.as_bytes())).flatten();
    program.and_then(|program| std::str::from_utf8(program).ok()).unwrap_or(name)
}

/// Does the word, as it stands in the source, have an expansion?
pub(super) fn is_expanded(word: &str) -> bool {
    word.contains(['$', '`', '*', '?', '[', '{'])
}

/// A word as shell code; a tilde stays one.
pub(super) fn quoted(word: &str) -> Cow<'_, str> {
    if word.starts_with("~/") { word.into() } else { shell_words::quote(word) }
}

/// Where a byte of the command stands in the config file.
fn place_of(hook: &HookConfig, line: &str, offset: usize) -> Option<Place> {
    // Another command is run here than the one whose place is known.
    if line != hook.command {
        return hook.place.clone();
    }
    let (start, raw) = hook.command_text.as_ref()?;
    Some(place_in_string(start, raw, offset))
}

#[cfg(test)]
mod tests {
    use super::is_of_event;

    #[test]
    fn parts_of_the_event_are_known_by_the_words_of_a_name() {
        for name in ["TOOL_NAME", "CLAUDE_FILE_PATHS", "CLAUDE_TOOL_INPUT", "COMMAND", "file", "toolName"] {
            assert!(is_of_event(name), "{name}");
        }
        for name in ["AWS_PROFILE", "GOPATH", "GEMINI_API_KEY", "CURSOR_VERSION", "NTFY_URL"] {
            assert!(!is_of_event(name), "{name}");
        }
    }
}
