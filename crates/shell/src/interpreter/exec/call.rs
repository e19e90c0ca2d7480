//! What a command's name stands for (XCU 2.9.1.4), and the call of it by the expanded words.

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::Dialect;
use hookshell_syntax::ast::{Argument, SimpleCommand};
use hookshell_utility::Args;

use super::Place;
use super::utility::Tried;
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::interpreter::builtins::{self, Builtin};
use crate::options::Opt;
use crate::shell::Shell;

/// What a command name stands for, in the order of XCU 2.9.1.4.
pub(crate) enum Target {
    Function(Arc<crate::call::Function>),
    Builtin(&'static Builtin),
    /// A bundled utility, or a program.
    Program,
}

impl Shell {
    /// bash: wrong usage of a special built-in ends a shell in POSIX mode only where `set -e` would end it.
    fn survives_usage_error(&self, status: u8, is_negated: bool) -> bool {
        self.env.dialect == Dialect::Bash && status == builtins::USAGE && (is_negated || self.context.ignores_errexit())
    }

    /// What a command name stands for.
    pub(crate) fn target(&mut self, args: &Args, functions: bool) -> Target {
        let name = &args[0];
        if let Some(builtin) = self.builtin_of_job(name) {
            return Target::Builtin(builtin);
        }
        if functions
            && !self.env.inherited.functions.is_empty()
            && let Some(function) = self.env.inherited.functions.get(name)
        {
            // POSIX: special built-ins come before functions.
            if !(self.opt(Opt::Posix) && builtins::is_special(name)) {
                return Target::Function(function.clone());
            }
        }
        if let Some(builtin) = builtins::find(name)
            && !self.jobs.is_disabled(name)
        {
            return Target::Builtin(builtin);
        }
        if cfg!(windows)
            && let Some(builtin) = self.builtin_of_unix_path(name)
        {
            return Target::Builtin(builtin);
        }
        self.host.cancel.before_wait();
        Target::Program
    }

    /// bash: `%1` is `fg %1`, before any function.
    pub(crate) fn builtin_of_job(&self, name: &[u8]) -> Option<&'static Builtin> {
        if name.starts_with(b"%") && self.env.dialect == Dialect::Bash { builtins::find(b"fg") } else { None }
    }

    /// Calls a command by its expanded words.
    pub(super) fn call(&mut self, command: &SimpleCommand, args: &mut Args, place: Place) -> Flow {
        match self.target(args, true) {
            Target::Function(function) => {
                self.call_function(&function, args)?;
                self.pipe_status_of_one();
                NEXT
            }
            Target::Builtin(builtin) => self.call_builtin(builtin, args, Some(command)),
            Target::Program => {
                let tried = match place {
                    Place::AtEnd if passes_environment(&args[0]) && self.ends_as_program() => {
                        self.at_lower_level(|shell| shell.try_utility(args))
                    }
                    _ => self.try_utility(args),
                };
                match tried? {
                    Tried::Ran => self.report_jobs(),
                    Tried::NotOurs(refused) if place == Place::AtEnd && self.ends_as_program() => {
                        self.end_as_external(args, refused.as_ref())?;
                    }
                    Tried::NotOurs(refused) => self.run_external(args, refused.as_ref(), place)?,
                }
                self.after_simple(args);
                NEXT
            }
        }
    }

    /// Calls a utility or program by its expanded words (`command name …`).
    pub(crate) fn call_plain(&mut self, args: &mut Args) -> Flow {
        let refused = match self.target(args, false) {
            Target::Program => match self.try_utility(args)? {
                Tried::Ran => return NEXT,
                Tried::NotOurs(refused) => refused,
            },
            _ => None,
        };
        self.run_external(args, refused.as_ref(), Place::Within)
    }

    #[inline]
    pub(crate) fn pipe_status_of_one(&mut self) {
        self.env.pipe_status.clear();
        self.env.pipe_status.push(self.env.status);
    }

    #[inline]
    pub(super) fn after_simple(&mut self, args: &Args) {
        self.pipe_status_of_one();
        self.env.last_argument.clear();
        if let Some(last) = args.len().checked_sub(1).and_then(|i| args.get(i)) {
            self.env.last_argument.extend_from_slice(last);
        }
    }

    /// The operand of a built-in that assigns to arrays which is a local nameref that names itself.
    fn self_nameref_among<'a>(&self, builtin: &Builtin, args: &'a Args) -> Option<&'a [u8]> {
        if self.context.frames.functions() == 0 {
            return None;
        }
        let mut operands = args.iter_from(1);
        match builtin.name {
            "mapfile" | "readarray" | "read" => operands.find(|operand| self.is_self_nameref_text(operand)),
            // The variable itself is left alone.
            "unset" => operands.find(|operand| operand.ends_with(b"]") && self.is_self_nameref_text(operand)),
            "printf" if args.get(1) == Some(b"-v") => args.get(2).filter(|operand| self.is_self_nameref_text(operand)),
            _ => None,
        }
    }

    pub(crate) fn call_builtin(
        &mut self,
        builtin: &'static Builtin,
        args: &Args,
        command: Option<&SimpleCommand>,
    ) -> Flow {
        let is_negated = std::mem::take(&mut self.scratch.is_negated);
        let declarations: &[Argument] = match command {
            Some(command) if builtin.reads_source() => &command.arguments,
            _ => &[],
        };
        let flow = match self.self_nameref_among(builtin, args) {
            Some(name) => self.with_global_of_text(name, |shell| builtin.call(shell, args, declarations)),
            None => None,
        };
        let flow = flow.unwrap_or_else(|| builtin.call(self, args, declarations));
        match flow {
            ControlFlow::Continue(status) => {
                self.env.status = status;
                let usage_ends = self.opt(Opt::Posix) && !self.survives_usage_error(status, is_negated);
                if std::mem::take(&mut self.scratch.special_failed) && builtin.is_special && usage_ends {
                    // XCU 2.8.1: an error of a special built-in ends a shell that is not interactive.
                    return divert(Divert::Exit);
                }
                self.after_simple(args);
                if status == builtins::USAGE && usage_ends && !self.scratch.by_command && has_usage_errors(&args[0]) {
                    return divert(Divert::Exit);
                }
                NEXT
            }
            ControlFlow::Break(divert) => {
                if matches!(divert, Divert::Break(_) | Divert::Continue(_)) {
                    self.pipe_status_of_one();
                }
                ControlFlow::Break(divert)
            }
        }
    }
}

/// Special built-ins that end with 2 for a usage error only. XCU 2.8.1: that ends a shell which is not interactive.
fn has_usage_errors(name: &[u8]) -> bool {
    matches!(name, b"unset" | b"trap" | b"export" | b"readonly" | b"shift" | b"times" | b"break" | b"continue")
}

/// Does the utility show its environment, or give it to another command?
fn passes_environment(name: &[u8]) -> bool {
    matches!(name, b"env" | b"printenv" | b"timeout" | b"nice" | b"nohup" | b"setsid" | b"xargs" | b"find")
}
