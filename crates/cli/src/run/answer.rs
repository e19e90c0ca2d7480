//! What `hookshell run` prints, and the exit code that it ends with.

use std::io;

use hookshell_runner::{Dialect, Verdict};

use super::{BLOCKED, RunArgs, is_quiet};
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::output::{self, note};
use crate::relay::{Relayed, Response};
use crate::signals::signal_status;

/// Gives what another process has answered.
pub(super) fn relay_answer(relayed: Relayed, is_closed: bool) -> Result<ExitCode, Failure> {
    match relayed {
        Relayed::Answered(Response { text, code, printed, unprinted, reason }, said) => {
            let _ = output::print_to_stderr(&said);
            let mut answer = PrintedVerdict { text: Ok(text), stderr: String::new(), code: printed, unprinted, reason };
            let (held, failed) = answer.print();
            let code = if held == 0 { code } else { held };
            match failed {
                Err(error) if is_no_verdict(code) => Err(Failure::new(Sysexit::Io, "standard output", error)),
                _ => Ok(ExitCode::from(code)),
            }
        }
        Relayed::Ended(code, printed, said) => {
            let _ = output::print_to_stderr(&said);
            if said.is_empty() {
                note(&format!("the process that ran the hooks ended with {code} and gave no verdict"));
            }
            let _ = output::print(&printed);
            Ok(ExitCode::from(if is_closed { BLOCKED } else { code }))
        }
        Relayed::Signalled(signal, said) => {
            let _ = output::print_to_stderr(&said);
            Ok(ExitCode::from(signal_status(signal)))
        }
    }
}

/// Is an exit code none that blocks?
pub(super) fn is_no_verdict(code: u8) -> bool {
    code == 0 || code == Sysexit::Data as u8 || code == Sysexit::NoInput as u8
}

/// The exit code of the process, whose verdict holds with `code`. Reports what is wrong in the configs, and has the exit code say it
/// where the verdict has none: a verdict that blocks has the exit code, and for another agent standard error too.
pub(super) fn exit_code(args: &RunArgs, verdict: &Verdict, code: u8, broken: Option<&Failure>) -> u8 {
    let Some(failure) = broken else { return code };
    let report = || drop(output::print_error(failure.to_string().trim_end()));
    if code != 0 {
        if !is_quiet(args) {
            report();
        }
        return code;
    }
    // An agent drops what a hook says that fails: what there is to say goes before the report.
    if args.output.is_some_and(|agent| verdict.render(agent).stdout != "{}") {
        return code;
    }
    report();
    // An agent that denies at every other exit code passes over what is wrong in a config of its own.
    let is_its_own =
        args.output.is_some_and(|agent| agent.contract().denies_unknown_codes()) && args.sources.dialect == args.output;
    if is_its_own { code } else { failure.code as u8 }
}

/// What is printed of a verdict: for an agent as its hooks print it.
pub(super) struct PrintedVerdict {
    text: io::Result<String>,
    stderr: String,
    code: u8,
    /// The exit code with which it holds where it cannot be printed.
    unprinted: u8,
    /// What is then said on standard error.
    reason: String,
}

impl PrintedVerdict {
    pub(super) fn new(output: Option<Dialect>, verdict: &Verdict) -> Self {
        let reason = verdict.opinion.reason.clone().unwrap_or_default();
        match output {
            None => {
                let code = verdict.exit_code();
                let unprinted = verdict.exit_code_unprinted(code);
                Self { text: output::verdict_json(verdict), stderr: String::new(), code, unprinted, reason }
            }
            Some(agent) => {
                let rendered = verdict.render(agent);
                Self {
                    text: Ok(format!("{}\n", rendered.stdout)),
                    reason: if rendered.stderr.is_empty() { reason } else { String::new() },
                    stderr: rendered.stderr,
                    code: rendered.exit_code,
                    unprinted: rendered.exit_code_unprinted,
                }
            }
        }
    }

    /// Prints it. Gives the exit code with which it holds, whether it could be printed or not: what denies, halts or asks is not
    /// let through where nobody can read it.
    pub(super) fn print(&mut self) -> (u8, io::Result<()>) {
        let code = self.report_reason();
        let text = std::mem::replace(&mut self.text, Ok(String::new()));
        match text.and_then(|text| output::print_verdict(&text, code != self.unprinted)) {
            Err(error) if self.unprinted != 0 => {
                let _ = output::print_error(&self.reason);
                note(&format!(
                    "standard output: {error}: the verdict was not printed, and the exit code {} blocks",
                    self.unprinted
                ));
                (self.unprinted, Err(error))
            }
            printed => (code, printed),
        }
    }

    /// Prints what belongs on standard error. Gives the exit code with which the verdict holds.
    pub(super) fn report_reason(&self) -> u8 {
        // A reason that nobody can read leaves the exit code.
        let _ = output::print_error(&self.stderr);
        self.code
    }

    /// The same for a process that prints it, and what this one ends with.
    pub(super) fn response(self, code: u8) -> io::Result<Response> {
        Ok(Response { text: self.text?, code, printed: self.code, unprinted: self.unprinted, reason: self.reason })
    }
}
