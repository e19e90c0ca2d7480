//! The in-process shell in the place of one that is not there.

use bstr::ByteSlice;
use hookshell_process::{Lead, lead};
use hookshell_shebang::{Head, Resolved, base_name};
use hookshell_shell::{ExecError, MissingShell, Script, ScriptSource, StandIn, decode_source, is_utf16};

use super::script_file::ScriptFile;
use super::{Action, Plan, Planner, into_owned, refusal, to_strings};
use crate::probe::ProbeError;
use crate::resolve::NotFound;
use crate::route::Route;
use crate::shells::{self, interpreted, is_shell};
use hookshell_shell::command_line::{CommandLine, CommandLineError, Input, KnownShell, Setup};

impl Planner<'_> {
    pub(super) fn may_fall_back(&self, resolved: &Resolved<'_>) -> bool {
        self.missing_shell == MissingShell::Interpret
            && is_shell(self.platform, base_name(resolved.interpreter.as_bytes()))
    }

    pub(super) fn falls_back(&self, argv: &[Vec<u8>]) -> bool {
        self.missing_shell == MissingShell::Interpret
            && argv.first().is_some_and(|name| is_shell(self.platform, base_name(name)))
    }

    /// A script for a shell, in whose lines that shell would take the CR of Windows' line ends, or the byte order mark, for
    /// text (`exit 0` is a wrong command line then, and exits with 2): it is read as any other source of ours. Gives what the
    /// options of its `#!` line are here; `None` if the shell is to run it.
    pub(super) fn unread_by_shell(&mut self, resolved: &Resolved<'_>, head: &[u8], given: &[u8]) -> Option<Setup> {
        let is_shell = is_shell(self.platform, base_name(resolved.interpreter.as_bytes()));
        if !is_shell || !resolved.assignments.is_empty() || *decode_source(head) == *head {
            return None;
        }
        let argv = command_line(resolved, given);
        // With `-c` or `-s` in the `#!` line the file is no source: it may be Python's that starts itself.
        let line = shells::parse(self.platform, &argv).ok().filter(|line| line.input.is_file(given))?;
        self.findings.notes.push(format!(
            "{} has CRLF line ends or a byte order mark, which {} takes for text: it runs in the in-process shell",
            given.as_bstr(),
            resolved.interpreter.as_bytes().as_bstr()
        ));
        self.findings.in_process = Some("it has CRLF line ends or a byte order mark".into());
        Some(line.setup)
    }

    /// A script whose shell is not there.
    pub(super) fn fall_back(
        &mut self,
        resolved: &Resolved<'_>,
        missing: &NotFound,
        file: ScriptFile<'_>,
    ) -> Result<Plan, ExecError> {
        let name = resolved.interpreter.as_bytes().as_bstr();
        self.note_passed_over(missing);
        let mut shell = command_line(resolved, file.given);
        let parse = |platform, shell: &[Vec<u8>]| {
            shells::parse(platform, shell).map_err(|error| not_taken(shell.first().map(Vec::as_slice), &error))
        };
        let line = parse(self.platform, &shell)?;
        self.findings
            .notes
            .push(format!("{name} is not there: the script runs in the in-process shell (missing_shell = interpret)"));
        self.findings.in_process = Some(format!("{name} is not installed; missing_shell = interpret"));
        let reason = self.shell_not_found(name, missing);
        let stands_in = Some(StandIn { reason, shell: resolved.interpreter.as_bytes().into() });
        if line.input.is_file(file.given) {
            return self.interpret(file, line.setup, stands_in);
        }
        // `-c` or `-s`: the file is an operand of the `#!` line's own command.
        shell.extend_from_slice(file.args);
        let line = parse(self.platform, &shell)?;
        self.shell_command_line(line, &shell[0], stands_in, file.assignments)
    }

    /// `bash script.sh`, `sh -c '…'` without a bash or sh. `reason`: where it was looked for.
    pub(super) fn run_fallback_shell(
        &mut self,
        argv: &[Vec<u8>],
        argv0: Option<&[u8]>,
        reason: String,
    ) -> Result<Plan, ExecError> {
        let name = argv0.or(argv.first().map(Vec::as_slice)).unwrap_or_default();
        self.findings.notes.push(format!(
            "{} is not there: the in-process shell stands in for it (missing_shell = interpret)",
            name.as_bstr()
        ));
        self.findings.in_process = Some(format!("{} is not installed; missing_shell = interpret", name.as_bstr()));
        let line = match shells::parse(self.platform, argv) {
            Ok(line) => line,
            Err(error) => {
                self.findings.where_looked = Some(reason);
                return Err(not_taken(None, &error));
            }
        };
        self.shell_command_line(line, name, Some(StandIn { shell: name.into(), reason }), &[])
    }

    /// A shell's command line, which the in-process shell runs. `name` is the shell's own `argv[0]`.
    pub(super) fn shell_command_line(
        &mut self,
        mut line: CommandLine,
        name: &[u8],
        stands_in: Option<StandIn>,
        assignments: &[(Vec<u8>, Vec<u8>)],
    ) -> Result<Plan, ExecError> {
        if interpreted(self.platform, base_name(name)).is_some_and(KnownShell::is_restricted) {
            // `exec -a rbash bash`
            line.setup.restrict();
        }
        let run = |name: Vec<u8>, source: ScriptSource| Plan {
            action: Action::Interpret(Box::new(Script {
                name: name.into(),
                source,
                args: to_strings(&line.args),
                setup: line.setup.clone(),
                assignments: assignments.to_vec(),
                ignored_signals: 0,
                started_as: Box::default(),
                program: None,
                is_bare: false,
                stands_in: stands_in.clone(),
            })),
            route: Route::Shell,
        };
        match line.input {
            Input::Command { text, name: zero } => {
                Ok(run(zero.unwrap_or_else(|| name.to_vec()), ScriptSource::CommandString(text.into())))
            }
            Input::Stdin => Ok(run(name.to_vec(), ScriptSource::Stdin)),
            Input::Print(text) => Ok(Plan {
                action: Action::Interpret(Box::new(Script {
                    name: name.into(),
                    source: ScriptSource::File(
                        format!("printf '%s' '{}'", text.replace('\'', r"'\''")).into_bytes().into(),
                    ),
                    args: Vec::new(),
                    setup: Setup::default(),
                    assignments: Vec::new(),
                    ignored_signals: 0,
                    started_as: Box::default(),
                    program: None,
                    is_bare: false,
                    stands_in: None,
                })),
                route: Route::Shell,
            }),
            Input::File(file) => {
                // The path is that of the working directory.
                if file.is_empty() {
                    return Err(ExecError::NoSuchOperand { file: file.into() });
                }
                let mut path = self.with_search(|search| search.absolute(&file));
                if !path.exists() && !self.platform.has_separator(&file) {
                    // As bash: a name without a slash is looked up in PATH as well.
                    if let Ok(found) = self.with_search(|search| search.program(&file)) {
                        path = found.path;
                    }
                }
                if let Lead::Descriptor(number) = lead(&path, self.cwd) {
                    return Ok(run(file, ScriptSource::Descriptor(number)));
                }
                let opened = match self.probe(&path)? {
                    Ok(opened) => opened,
                    Err(ProbeError::NotFound) => return Err(ExecError::NoSuchOperand { file: file.into() }),
                    Err(error @ (ProbeError::IsDirectory | ProbeError::PermissionDenied)) => {
                        return Err(ExecError::UnusableOperand { file: file.into(), reason: error.to_string() });
                    }
                    Err(error) => return Err(refusal(error, 0, &file)),
                };
                let probed = &opened.probed;
                if !is_utf16(probed.bytes()) && matches!(probed.head(), Some(Head::Binary(_))) {
                    let reason = "cannot execute binary file".to_owned();
                    return Err(ExecError::UnusableOperand { file: file.into(), reason });
                }
                let file = ScriptFile { path: &path, given: &file, file: &opened, args: &line.args, assignments };
                self.interpret(file, line.setup, stands_in)
            }
        }
    }
}

/// What a shell that a `#!` line names would be started as.
pub(super) fn command_line(resolved: &Resolved<'_>, script: &[u8]) -> Vec<Vec<u8>> {
    let mut argv = vec![resolved.interpreter.as_bytes().to_vec()];
    argv.extend(into_owned(&resolved.args));
    argv.push(script.to_vec());
    argv
}

/// A command line that the shell in the missing one's place does not take; `shell` is the missing one where the command is a script.
pub(super) fn not_taken(shell: Option<&[u8]>, error: &CommandLineError) -> ExecError {
    let shell = shell.map(|shell| format!("{}: ", shell.as_bstr())).unwrap_or_default();
    ExecError::Refused(format!(
        "{shell}not found, and the in-process shell that stands in for it does not take its command line: {error}"
    ))
}
