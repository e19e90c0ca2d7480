//! The in-process shell in the place of one that is not there.

use bstr::ByteSlice;
use hookshell_process::{Lead, lead};
use hookshell_shebang::{Head, Resolved, base_name};
use hookshell_shell::{ExecError, Script, StandIn};

use super::{Action, Plan, Planner, into_owned, refusal, to_strings};
use crate::probe::ProbeError;
use crate::route::Route;
use crate::shells::{MissingShell, ShellInput, is_shell, read_shell_line};
use hookshell_shell::source_text as source;

impl Planner<'_> {
    pub(super) fn may_stand_in(&self, resolved: &Resolved<'_>) -> bool {
        self.missing_shell == MissingShell::Interpret
            && is_shell(self.platform, base_name(resolved.interpreter.as_bytes()))
    }

    pub(super) fn stands_in(&self, argv: &[Vec<u8>]) -> bool {
        self.missing_shell == MissingShell::Interpret
            && argv.first().is_some_and(|name| is_shell(self.platform, base_name(name)))
    }

    /// A script for a shell, in whose lines that shell would take the CR of Windows' line ends, or the byte order mark, for
    /// text (`exit 0` is a wrong command line then, and exits with 2): it is read as any other source of ours. Gives what the
    /// options of its `#!` line are here; `None` where the shell is to run it.
    pub(super) fn unread_by_shell(&mut self, resolved: &Resolved<'_>, head: &[u8], given: &[u8]) -> Option<Vec<u8>> {
        let is_shell = is_shell(self.platform, base_name(resolved.interpreter.as_bytes()));
        if !is_shell || !resolved.assignments.is_empty() || *source::decode(head) == *head {
            return None;
        }
        let mut line = into_owned(&resolved.args);
        line.push(given.to_vec());
        // With `-c` or `-s` in the `#!` line the file is no source: it may be Python's that starts itself.
        let line = read_shell_line(&line).ok().filter(|line| line.input.is_file(given))?;
        self.notes.push(format!(
            "{} has CRLF line ends or a byte order mark, which {} takes for text: it runs in the in-process shell",
            given.as_bstr(),
            resolved.interpreter.as_bytes().as_bstr()
        ));
        Some(line.prelude)
    }

    /// `bash script.sh`, `sh -c '…'` without a bash or sh.
    /// `argv0` is what `exec -a` calls it.
    pub(super) fn shell_command_line(&mut self, argv: &[Vec<u8>], argv0: Option<&[u8]>) -> Result<Plan, ExecError> {
        let name = argv0.map(<[u8]>::to_vec).or_else(|| argv.first().cloned()).unwrap_or_default();
        let line = read_shell_line(argv.get(1..).unwrap_or_default()).map_err(|option| {
            ExecError::Refused(format!(
                "not found, and the in-process shell that stands in for it does not have the option `{option}`"
            ))
        })?;
        self.notes.push(format!(
            "{} is not there: the in-process shell stands in for it (missing_shell = interpret)",
            name.as_bstr()
        ));
        let stands_in =
            Some(StandIn { shell: name.clone().into(), reason: self.where_looked.take().unwrap_or_default() });
        match line.input {
            ShellInput::Command(source, zero) => Ok(Plan {
                action: Action::Interpret(Script {
                    name: zero.unwrap_or(name).into(),
                    source: [line.prelude, source].concat().into(),
                    args: to_strings(line.args),
                    stands_in,
                }),
                route: Route::Shell,
            }),
            ShellInput::File(file) => {
                let mut path = self.with_search(|search| search.absolute(&file));
                if !path.exists() && !self.platform.has_separator(&file) {
                    // As bash: a name without a slash is looked up in PATH as well.
                    if let Ok(found) = self.with_search(|search| search.program(&file)) {
                        path = found.path;
                    }
                }
                if let Lead::Descriptor(number) = lead(&path, self.cwd) {
                    return Ok(Plan {
                        action: Action::Interpret(Script {
                            name: file.into(),
                            source: [&*line.prelude, format!(". /dev/fd/{number}").as_bytes()].concat().into(),
                            args: to_strings(line.args),
                            stands_in,
                        }),
                        route: Route::Shell,
                    });
                }
                match self.probe(&path)? {
                    Ok(probed) if source::is_utf16(probed.bytes()) => {}
                    Ok(probed) => {
                        if let Some(Head::Binary(_)) = probed.head() {
                            return Err(ExecError::NotExecutable(format!(
                                "{}: cannot execute binary file",
                                file.as_bstr()
                            )));
                        }
                    }
                    Err(ProbeError::NotFound) => return Err(ExecError::NoSuchOperand { file: file.into() }),
                    Err(error) => return Err(refusal(error, 0, &file)),
                }
                self.interpret(&path, file, line.prelude, line.args, stands_in)
            }
            // Commands from standard input: all of it is read before the first runs, so they cannot read it too.
            ShellInput::Stdin => Ok(Plan {
                action: Action::Interpret(Script {
                    name: name.into(),
                    source: [&*line.prelude, b". /dev/stdin"].concat().into(),
                    args: to_strings(line.args),
                    stands_in,
                }),
                route: Route::Shell,
            }),
        }
    }
}
