//! The interpreter of a script.

use std::path::Path;

use bstr::ByteSlice;
use hookshell_process::text;
use hookshell_shebang::{Interpreter, Resolved, base_name};
use hookshell_shell::{ExecError, MissingShell};

use super::Planner;
use crate::platform::Platform;
use crate::resolve::{Found, NotFound};
use crate::shells::is_shell;

/// An interpreter that was looked up.
pub(super) struct Located {
    pub(super) found: Found,
    /// Its `argv[0]`.
    pub(super) argv0: Vec<u8>,
    /// The path that it would be started by, which is what its own interpreter gets if it is a script itself.
    pub(super) started_by: Vec<u8>,
}

impl Planner<'_> {
    pub(super) fn power_shell(&mut self, given: &[u8]) -> Result<(Located, Vec<Vec<u8>>), ExecError> {
        for name in [&b"pwsh"[..], b"powershell"] {
            if let Ok(found) = self.with_search(|search| search.program(name)) {
                let located =
                    Located { argv0: name.to_vec(), started_by: text::from_path(&found.path).into_owned(), found };
                // `-File` keeps the exit status; `-Command` makes 1 of every failure.
                let args = ["-NoProfile", "-ExecutionPolicy", "Bypass", "-File"];
                return Ok((located, args.iter().map(|arg| arg.as_bytes().to_vec()).collect()));
            }
        }
        Err(ExecError::BadInterpreter {
            interpreter: "pwsh".into(),
            reason: format!("neither pwsh nor powershell is on PATH, and {} needs one of them", given.as_bstr()),
        })
    }

    /// Looks an interpreter up: a path literally, and only when it does not exist its base name on PATH.
    pub(super) fn locate(&mut self, resolved: &Resolved<'_>) -> Result<Located, NotFound> {
        let written = resolved.interpreter.as_bytes();
        let found = |found: Found, argv0: &[u8], started_by: Option<&[u8]>| Located {
            argv0: argv0.to_vec(),
            started_by: started_by.map_or_else(|| text::from_path(&found.path).into_owned(), <[u8]>::to_vec),
            found,
        };
        match &resolved.interpreter {
            Interpreter::Name(name) => {
                let is_path = self.platform.has_separator(name);
                let located = self.with_search(|search| search.program(name))?;
                if is_path && located.path.symlink_metadata().is_err() {
                    return Err(NotFound::default());
                }
                self.note_instead(name, &located);
                Ok(found(located, name, is_path.then_some(&**name)))
            }
            Interpreter::Path(path) => {
                let literal = self.with_search(|search| search.file(path));
                if let Some(literal) = literal
                    && literal.exists()
                {
                    let located = Found { path: literal, args: Vec::new(), instead: None, passed_over: Vec::new() };
                    return Ok(found(located, written, Some(written)));
                }
                let name = base_name(path).to_vec();
                if name.is_empty() {
                    return Err(NotFound::default());
                }
                let located = self.with_search(|search| search.program(&name))?;
                self.findings.notes.push(format!(
                    "{} does not exist: {} was found on PATH instead",
                    written.as_bstr(),
                    located.path.display()
                ));
                self.note_instead(&name, &located);
                Ok(found(located, written, None))
            }
        }
    }

    /// The kernel starts no interpreter without the x bit.
    pub(super) fn check_executable(&self, path: &Path, given: &[u8]) -> Result<(), ExecError> {
        if self.platform == Platform::Unix && !is_executable(path) {
            return Err(ExecError::NotExecutable(format!("{}: bad interpreter: Permission denied", given.as_bstr())));
        }
        Ok(())
    }

    /// Of a shell that is not there: where it was looked for, and what to do.
    pub(super) fn shell_not_found(&self, written: &[u8], missing: &NotFound) -> String {
        let name = base_name(written).as_bstr();
        let mut reason = format!("{name} is not on PATH");
        for passed in &missing.passed_over {
            reason.push_str(&format!("; {} was passed over: {}", passed.path.display(), passed.reason));
        }
        reason.push_str(&format!("; install {name}"));
        if self.missing_shell == MissingShell::Fail {
            reason.push_str(", or let the in-process shell do its work: missing_shell = \"interpret\"");
        }
        reason
    }

    pub(super) fn bad_interpreter(&mut self, resolved: &Resolved<'_>, missing: &NotFound) -> ExecError {
        let written = resolved.interpreter.as_bytes().to_vec();
        let name = base_name(&written).as_bstr().to_string();
        let mut reason = match &resolved.interpreter {
            Interpreter::Path(path) => format!(
                "No such file or directory: {} does not exist, and {name} is not on PATH either",
                path.as_bstr()
            ),
            Interpreter::Name(_) => format!("No such file or directory: {name} is not on PATH"),
        };
        self.findings.notes.push(format!("PATH is {}", self.path.as_bstr()));
        for passed in &missing.passed_over {
            reason.push_str(&format!("; {} was passed over: {}", passed.path.display(), passed.reason));
        }
        if let Some(hint) = resolved.hint() {
            reason.push_str(&format!("; {hint}"));
        } else {
            reason.push_str(&format!("; install {name}, or name another interpreter in the script's first line"));
            if is_shell(self.platform, name.as_bytes()) {
                reason.push_str(", or let the in-process shell run it: missing_shell = \"interpret\"");
            }
        }
        ExecError::BadInterpreter { interpreter: written.into(), reason }
    }
}

/// May the file be executed, as far as the system says so beforehand?
pub(super) fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        true
    }
}
