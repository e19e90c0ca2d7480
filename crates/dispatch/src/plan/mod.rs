//! From a command's words to what is started: look-up, probe, `#!` lines. `start` and `explain` go the same way.

mod fallback_shell;
mod in_process;
mod interpreter;
mod script_file;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use hookshell_process::{script_path, text};
use hookshell_shebang::{Head, Resolved, base_name, classify};
use hookshell_shell::{
    ExecError, MissingShell, Script, ScriptSource, ShellScripts, StandIn, decode_script, decode_source, is_utf16,
};

use self::script_file::ScriptFile;
use crate::code_guard::CodeGuard;
use crate::platform::Platform;
use crate::probe::{ProbeError, Probed, Prober};
use crate::programs::ScriptReader;
use crate::resolve::{Found, NotFound, Search};
use crate::route::Route;
use crate::shells::is_shell;
use hookshell_shell::command_line::Setup;

/// How many `#!` lines may follow each other: Linux's own limit (`exec_binprm`: a script, its interpreter that is one,
/// and so on, five in all).
const SCRIPT_DEPTH: usize = 5;

/// Extensions of scripts that no shell reads, and what runs them. Read as shell code such a file would end with any status, also
/// one that allows.
const OTHER_LANGUAGES: [(&str, &str); 20] = [
    ("py", "python3"),
    ("pyw", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("jsx", "node"),
    ("ts", "node"),
    ("mts", "node"),
    ("cts", "node"),
    ("tsx", "node"),
    ("rb", "ruby"),
    ("pl", "perl"),
    ("php", "php"),
    ("lua", "lua"),
    ("awk", "awk -f"),
    ("jq", "jq -f"),
    ("tcl", "tclsh"),
    ("go", "go run"),
    ("fish", "fish"),
    ("nu", "nu"),
];

/// What is started.
#[derive(Debug)]
pub(crate) enum Action {
    /// A program.
    Start {
        /// The file.
        program: PathBuf,
        /// Its arguments, `argv[0]` included.
        argv: Vec<Vec<u8>>,
        /// What `env` sets for it.
        assignments: Vec<(Vec<u8>, Vec<u8>)>,
    },
    /// Shell source.
    Interpret(Box<Script>),
}

/// A plan: what is started, the route that is reported, and why.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) action: Action,
    pub(crate) route: Route,
}

/// A command to be planned.
pub(crate) struct Planner<'a> {
    pub(crate) platform: Platform,
    pub(crate) missing_shell: MissingShell,
    pub(crate) shell_scripts: ShellScripts,
    /// Reads shell source.
    pub(crate) scripts: &'a ScriptReader,
    pub(crate) prober: &'a Prober,
    /// Who watches over the files that code is taken from.
    pub(crate) guard: Option<&'a dyn CodeGuard>,
    pub(crate) env: &'a [(OsString, OsString)],
    /// The value of PATH; `env` assignments of a `#!` line may change it.
    pub(crate) path: Vec<u8>,
    pub(crate) cwd: &'a Path,
    /// A script named by a path needs its x bit.
    pub(crate) needs_execute_bit: bool,
    /// What is found on the way.
    pub(crate) findings: Findings,
}

/// What planning a command has found out beside the plan.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Where the look-up of the command's name has led, in the words of the command or of PATH: what programs find in `_`.
    pub(crate) found_as: Vec<u8>,
    /// Of a shell that is not there: where it was looked for, and what to do.
    pub(crate) where_looked: Option<String>,
    /// Why the in-process shell does the work of another one.
    pub(crate) in_process: Option<String>,
    /// Why it does not, although it should.
    pub(crate) not_in_process: Option<String>,
    /// The why, for people.
    pub(crate) notes: Vec<String>,
}

impl Planner<'_> {
    /// Plans a command: `argv` has at least a name.
    pub(crate) fn command(&mut self, mut argv: Vec<Vec<u8>>, argv0: Option<&[u8]>) -> Result<Plan, ExecError> {
        let Some(name) = argv.first().cloned() else {
            return Err(ExecError::CommandNotFound);
        };
        if let Some(plan) = self.command_in_process(&argv, argv0)? {
            return Ok(plan);
        }
        let is_path = self.platform.has_separator(&name);
        if self.platform == Platform::Windows
            && let Some(program) = script_path::unix_program(&name)
            && !self.with_search(|search| search.absolute(&name)).exists()
        {
            let argv0 = argv0.map(<[u8]>::to_vec).unwrap_or_else(|| name.clone());
            argv[0] = program.to_vec();
            return self.command(argv, Some(&argv0)).map_err(|error| match error {
                ExecError::CommandNotFound => ExecError::NoSuchFile,
                error => error,
            });
        }
        let looked_up = self.with_search(|search| search.program(&name));
        match looked_up {
            Ok(found) => {
                self.note_found(&name, &found, is_path);
                let given = if is_path {
                    name
                } else {
                    script_path::by_relative_element(&self.path, &name, self.cwd, &found.path)
                        .unwrap_or_else(|| text::from_path(&found.path).into_owned())
                };
                self.findings.found_as.clone_from(&given);
                argv.splice(1..1, found.args.iter().map(|arg| arg.as_bytes().to_vec()));
                if let (Some(argv0), Some(first)) = (argv0, argv.first_mut()) {
                    *first = argv0.to_vec();
                }
                let planned = self.file(found.path, given, argv.clone());
                match planned {
                    // A shell named by a path that leads nowhere: `/bin/bash x.sh` on Windows.
                    Err(ExecError::NoSuchFile) if self.falls_back(&argv) => {
                        let reason = self.shell_not_found(&argv[0], &NotFound::default());
                        self.run_fallback_shell(&argv, argv0, reason)
                    }
                    planned => planned,
                }
            }
            Err(missing) => {
                self.note_passed_over(&missing);
                if is_shell(self.platform, base_name(&name)) {
                    let reason = self.shell_not_found(&name, &missing);
                    if self.falls_back(&argv) {
                        return self.run_fallback_shell(&argv, argv0, reason);
                    }
                    self.findings.notes.push(reason.clone());
                    self.findings.where_looked = Some(reason);
                }
                if missing.not_executable.is_some() {
                    Err(ExecError::PermissionDenied)
                } else if is_path && self.is_below_a_file(&name) {
                    // What the kernel of Unix says of it (ENOTDIR); Windows finds no such path.
                    Err(ExecError::Os("Not a directory".into()))
                } else if is_path {
                    Err(ExecError::NoSuchFile)
                } else {
                    Err(ExecError::CommandNotFound)
                }
            }
        }
    }

    /// Does a file stand where the path wants a directory?
    fn is_below_a_file(&self, name: &[u8]) -> bool {
        let path = self.with_search(|search| search.absolute(name));
        path.ancestors()
            .skip(1)
            .find_map(|directory| directory.metadata().ok())
            .is_some_and(|metadata| metadata.is_file())
    }

    /// Plans the start of a file that exists, or says why it cannot be started.
    fn file(&mut self, path: PathBuf, given: Vec<u8>, argv: Vec<Vec<u8>>) -> Result<Plan, ExecError> {
        let script = path.clone();
        let mut path = path;
        let mut given = given;
        let mut argv = argv;
        let mut assignments = Vec::new();
        let mut through = Vec::new();
        for depth in 0..=SCRIPT_DEPTH {
            let opened = self.probe(&path)?.map_err(|error| refusal(error, depth, &given))?;
            let probed = &opened.probed;
            if depth > 0 {
                self.check_executable(&path, &given)?;
            } else if self.needs_execute_bit && !interpreter::is_executable(&path) {
                return Err(ExecError::PermissionDenied);
            }
            let located = match self.kind(&path, &given, probed)? {
                Kind::Program => {
                    if depth == 0 {
                        self.findings.notes.push(format!("{} is a program", path.display()));
                    }
                    return Ok(Plan {
                        route: if depth == 0 {
                            Route::Binary { path: path.clone() }
                        } else {
                            Route::Interpreter { interpreter: path.clone(), through, script }
                        },
                        action: Action::Start { program: path, argv, assignments },
                    });
                }
                Kind::Source => {
                    self.findings.notes.push(format!("{} has no #! line: it is shell source", path.display()));
                    let (args, assignments) = (&argv[1..], &*assignments);
                    let file = ScriptFile { path: &path, given: &given, file: &opened, args, assignments };
                    let mut plan = self.interpret(file, Setup::default(), None)?;
                    if let Action::Interpret(script) = &mut plan.action {
                        script.is_bare = depth == 0;
                    }
                    return Ok(plan);
                }
                Kind::PowerShell => self.power_shell(&given)?,
                Kind::Script(resolved) => {
                    if depth == SCRIPT_DEPTH {
                        // As the kernel's ELOOP.
                        return Err(ExecError::SymlinkLoop);
                    }
                    self.assign(&resolved, &mut assignments);
                    let (args, assignments) = (&argv[1..], &*assignments);
                    let file = ScriptFile { path: &path, given: &given, file: &opened, args, assignments };
                    if let Some(plan) = self.script_in_process(&resolved, &file)? {
                        return Ok(plan);
                    }
                    match self.locate(&resolved) {
                        Ok(located) => {
                            if depth == 0
                                && let Some(setup) = self.unread_by_shell(&resolved, probed.bytes(), &given)
                            {
                                return self.interpret(file, setup, None);
                            }
                            (located, into_owned(&resolved.args))
                        }
                        Err(missing) if depth == 0 && self.may_fall_back(&resolved) => {
                            return self.fall_back(&resolved, &missing, file);
                        }
                        Err(missing) => return Err(self.bad_interpreter(&resolved, &missing)),
                    }
                }
            };
            let (located, line_args) = located;
            self.findings.notes.push(format!(
                "the interpreter of {} is {}",
                given.as_bstr(),
                located.found.path.display()
            ));
            // The kernel drops argv[0] and puts the interpreter, its argument and the script's path in its place.
            let mut next = vec![located.argv0];
            next.extend(located.found.args.iter().map(|arg| arg.as_bytes().to_vec()));
            next.extend(line_args);
            next.push(given);
            next.extend(argv.drain(1..));
            argv = next;
            if depth > 0 {
                through.insert(0, path);
            }
            path = located.found.path;
            given = located.started_by;
        }
        Err(ExecError::SymlinkLoop)
    }

    /// What to do with a file by its first bytes. Its extension counts as well, but not on Unix in `hookshell sh`, where a file
    /// without a `#!` line is shell source as in every shell.
    fn kind<'p>(&self, path: &Path, given: &[u8], probed: &'p Probed) -> Result<Kind<'p>, ExecError> {
        if is_utf16(probed.bytes()) {
            return self.utf16_kind(probed.bytes());
        }
        let Some(head) = probed.head() else {
            // It may be executed and not read: the system knows what it is.
            return Ok(Kind::Program);
        };
        let is_windows = self.platform == Platform::Windows;
        let extension = match path.extension() {
            Some(extension) if is_windows || !self.needs_execute_bit => {
                extension.to_string_lossy().to_ascii_lowercase()
            }
            _ => String::new(),
        };
        match head {
            Head::Shebang(shebang) => {
                let lookup = |name: &[u8]| self.variable(name);
                let resolved = shebang.resolve(&lookup).map_err(|error| ExecError::BadShebang(error.to_string()))?;
                Ok(Kind::Script(resolved))
            }
            Head::Binary(_) => Ok(Kind::Program),
            Head::ShellSource => match &*extension {
                // `: << 'CMDBLOCK'`: a batch file whose first part is a here-document to a shell.
                "cmd" | "bat" if is_windows && !is_polyglot(probed.bytes()) => Ok(Kind::Program),
                "exe" | "com" if is_windows => Ok(Kind::Program),
                "ps1" => Ok(Kind::PowerShell),
                extension => match OTHER_LANGUAGES.iter().find(|(known, _)| *known == extension) {
                    Some((_, interpreter)) => {
                        let env = if interpreter.contains(' ') { "env -S" } else { "env" };
                        Err(ExecError::NotExecutable(format!(
                            "{given} has no #! line, and its interpreter is not guessed from `.{extension}`: write \
                             `{interpreter} {given}` as the command, or #!/usr/bin/{env} {interpreter} as its first line",
                            given = given.as_bstr()
                        )))
                    }
                    None => Ok(Kind::Source),
                },
            },
        }
    }

    /// UTF-16 text is shell source, unless its first line names another interpreter, which could not read it.
    fn utf16_kind<'p>(&self, bytes: &[u8]) -> Result<Kind<'p>, ExecError> {
        let decoded = decode_source(bytes);
        let Head::Shebang(shebang) = classify(&decoded) else {
            return Ok(Kind::Source);
        };
        let is_for_shell = shebang
            .resolve(&|name| self.variable(name))
            .is_ok_and(|resolved| is_shell(self.platform, base_name(resolved.interpreter.as_bytes())));
        if is_for_shell {
            Ok(Kind::Source)
        } else {
            Err(ExecError::BadShebang(
                "the script is UTF-16 text, which its interpreter does not read: save it as UTF-8".into(),
            ))
        }
    }

    fn interpret(&mut self, file: ScriptFile<'_>, setup: Setup, stands_in: Option<StandIn>) -> Result<Plan, ExecError> {
        let ScriptFile { path, given, file, args, assignments } = file;
        let bytes = file.read(path, given, self.guard.is_some())?;
        if let Some(guard) = self.guard {
            guard.check(path, bytes).map_err(ExecError::Refused)?;
        }
        Ok(Plan {
            action: Action::Interpret(Box::new(Script {
                name: given.into(),
                source: ScriptSource::File(decode_script(bytes).into()),
                args: to_strings(args),
                setup,
                assignments: assignments.to_vec(),
                ignored_signals: 0,
                started_as: Box::default(),
                program: None,
                is_bare: false,
                stands_in,
            })),
            route: Route::ShellSource { path: path.to_owned() },
        })
    }

    fn with_search<T>(&self, look: impl FnOnce(Search<'_>) -> T) -> T {
        let path = text::to_os(&self.path);
        look(Search { platform: self.platform, path: &path, env: self.env, cwd: self.cwd })
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        let name = text::to_os(name);
        self.platform.variable(self.env, name.to_str()?).map(|value| text::from_os(value).into_owned())
    }

    fn assign(&mut self, resolved: &Resolved<'_>, assignments: &mut Vec<(Vec<u8>, Vec<u8>)>) {
        for (name, value) in &resolved.assignments {
            if name == b"PATH" {
                self.path.clone_from(value);
            }
            assignments.push((name.clone(), value.clone()));
        }
    }

    fn note_found(&mut self, name: &[u8], found: &Found, is_path: bool) {
        for passed in &found.passed_over {
            self.findings.notes.push(format!("{} was passed over: {}", passed.path.display(), passed.reason));
        }
        if !is_path {
            self.note_instead(name, found);
            self.findings.notes.push(format!("{} was found on PATH: {}", name.as_bstr(), found.path.display()));
        }
    }

    fn note_instead(&mut self, name: &[u8], found: &Found) {
        if let Some(instead) = found.instead {
            let args = found.args.join(" ");
            self.findings.notes.push(format!(
                "{} is not there: {} is used instead",
                name.as_bstr(),
                format!("{instead} {args}").trim_end()
            ));
        }
    }

    fn note_passed_over(&mut self, missing: &NotFound) {
        for passed in &missing.passed_over {
            self.findings.notes.push(format!("{} was passed over: {}", passed.path.display(), passed.reason));
        }
    }
}

/// What to do with a file.
enum Kind<'a> {
    Program,
    Source,
    PowerShell,
    Script(Resolved<'a>),
}

/// Is a batch file one that a shell can read too: does it begin `: << 'CMDBLOCK'`, a here-document to a shell?
pub fn is_polyglot(head: &[u8]) -> bool {
    let rest = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    rest.strip_prefix(b":").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"<<"))
}

fn refusal(error: ProbeError, depth: usize, given: &[u8]) -> ExecError {
    if depth > 0 {
        return ExecError::NotExecutable(format!("{}: bad interpreter: {error}", given.as_bstr()));
    }
    match error {
        ProbeError::NotFound => ExecError::NoSuchFile,
        ProbeError::IsDirectory => ExecError::IsDirectory,
        ProbeError::PermissionDenied => ExecError::PermissionDenied,
        ProbeError::SymlinkLoop => ExecError::SymlinkLoop,
        ProbeError::Os(error) => ExecError::Os(error_text(&error)),
    }
}

/// The system's text without the number.
pub(crate) fn error_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(at) => text.get(..at).unwrap_or(&text).to_owned(),
        None => text,
    }
}

fn into_owned(args: &[std::borrow::Cow<'_, [u8]>]) -> Vec<Vec<u8>> {
    args.iter().map(|arg| arg.to_vec()).collect()
}

fn to_strings(args: &[Vec<u8>]) -> Vec<BString> {
    args.iter().map(|arg| BString::from(arg.as_slice())).collect()
}
