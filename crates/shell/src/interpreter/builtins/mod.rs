//! The built-in utilities.

mod alias;
mod caller;
mod cd;
mod command;
mod compgen;
mod complete;
mod control;
mod declare;
mod dirs;
mod echo;
mod enable;
mod exec;
pub(crate) mod function_export;
mod getopts;
mod hash;
mod help;
mod interactive;
mod jobs;
mod kill;
mod letters;
mod mapfile;
mod printf;
mod read;
mod set;
mod simple;
pub(crate) mod source;
mod test;
mod trap;
mod ulimit;
mod umask;
mod unset;
mod wait;

use std::ops::ControlFlow;

use hookshell_process::is_interrupted;
use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use self::letters::Letters;

pub(crate) use declare::list as declare_list;
pub(crate) use test::TestContext;

use crate::flow::{Divert, Flow, divert};
use crate::shell::Shell;

/// Exit status of a usage error.
pub(crate) const USAGE: u8 = 2;

/// What runs a built-in: its words (the name first), and for a declaration utility the words as they were parsed.
pub(crate) type Run = fn(&mut Shell, &Args, &[Argument]) -> Flow<u8>;

/// A built-in utility.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
    /// A special built-in (XCU 2.15).
    pub(crate) is_special: bool,
    /// Its operands may be assignments.
    pub(crate) is_declaration: bool,
    /// It may have to wait for the system or for others in ways that are not told elsewhere
    /// ([`before_wait`](hookshell_utility::RunToken::before_wait)).
    pub(crate) may_wait: bool,
}

impl Builtin {
    /// Does it look at its words as they stand in the source?
    pub(crate) fn reads_source(&self) -> bool {
        self.is_declaration || self.name == "unset"
    }

    const fn waiting(mut self) -> Self {
        self.may_wait = true;
        self
    }
}

const fn builtin(name: &'static str, run: Run) -> Builtin {
    Builtin { name, run, is_special: false, is_declaration: false, may_wait: false }
}

const fn special(name: &'static str, run: Run) -> Builtin {
    Builtin { name, run, is_special: true, is_declaration: false, may_wait: false }
}

const fn declaration(name: &'static str, run: Run, is_special: bool) -> Builtin {
    Builtin { name, run, is_special, is_declaration: true, may_wait: false }
}

/// All built-ins, sorted by name.
pub(crate) const BUILTINS: &[Builtin] = &[
    special(".", source::source).waiting(),
    special(":", simple::colon),
    builtin("[", test::bracket),
    builtin("alias", alias::alias),
    builtin("bg", jobs::bg).waiting(),
    builtin("bind", interactive::bind).waiting(),
    special("break", control::break_),
    builtin("builtin", command::builtin),
    builtin("caller", caller::caller),
    builtin("cd", cd::cd).waiting(),
    builtin("command", command::command).waiting(),
    builtin("compgen", compgen::compgen).waiting(),
    builtin("complete", complete::complete).waiting(),
    builtin("compopt", complete::compopt).waiting(),
    special("continue", control::continue_),
    declaration("declare", declare::declare, false),
    builtin("dirs", dirs::dirs).waiting(),
    builtin("disown", jobs::disown).waiting(),
    builtin("echo", echo::echo),
    builtin("enable", enable::enable).waiting(),
    special("eval", source::eval),
    special("exec", exec::exec).waiting(),
    special("exit", control::exit),
    declaration("export", declare::export, true),
    builtin("false", simple::false_),
    builtin("fc", interactive::fc).waiting(),
    builtin("fg", jobs::fg).waiting(),
    builtin("getopts", getopts::getopts),
    builtin("hash", hash::hash).waiting(),
    builtin("help", help::help),
    builtin("history", interactive::history).waiting(),
    builtin("jobs", jobs::jobs).waiting(),
    builtin("kill", kill::kill).waiting(),
    builtin("let", simple::let_),
    declaration("local", declare::local, false),
    builtin("logout", interactive::logout),
    builtin("mapfile", mapfile::mapfile).waiting(),
    builtin("popd", dirs::popd).waiting(),
    builtin("printf", printf::printf),
    builtin("pushd", dirs::pushd).waiting(),
    builtin("pwd", cd::pwd).waiting(),
    builtin("read", read::read),
    builtin("readarray", mapfile::mapfile).waiting(),
    declaration("readonly", declare::readonly, true),
    special("return", control::return_),
    special("set", set::set),
    special("shift", control::shift),
    builtin("shopt", set::shopt),
    special("source", source::source).waiting(),
    builtin("suspend", jobs::suspend).waiting(),
    builtin("test", test::test),
    special("times", simple::times),
    special("trap", trap::trap),
    builtin("true", simple::true_),
    builtin("type", command::type_).waiting(),
    declaration("typeset", declare::declare, false),
    builtin("ulimit", ulimit::ulimit).waiting(),
    builtin("umask", umask::umask).waiting(),
    builtin("unalias", alias::unalias),
    special("unset", unset::unset),
    builtin("wait", wait::wait).waiting(),
];

/// The built-in of this name.
#[inline]
pub(crate) fn find(name: &[u8]) -> Option<&'static Builtin> {
    let (from, to) = *PLACES.get(usize::from(*name.first()?))?;
    BUILTINS.get(usize::from(from)..usize::from(to))?.iter().find(|builtin| builtin.name.as_bytes() == name)
}

/// Where the names with each first byte stand in [`BUILTINS`].
static PLACES: [(u8, u8); 256] = places();

const fn places() -> [(u8, u8); 256] {
    let mut places = [(0, 0); 256];
    let mut at = 0;
    while at < BUILTINS.len() {
        let place = &mut places[BUILTINS[at].name.as_bytes()[0] as usize];
        if place.1 == 0 {
            place.0 = at as u8;
        }
        place.1 = at as u8 + 1;
        at += 1;
    }
    places
}

/// Is this the name of a built-in utility?
pub fn is_builtin(name: &[u8]) -> bool {
    find(name).is_some()
}

/// Is this the name of a special built-in (XCU 2.15)?
pub(crate) fn is_special(name: &[u8]) -> bool {
    find(name).is_some_and(|builtin| builtin.is_special)
}

/// A built-in has done its work with this status.
pub(crate) fn done(status: u8) -> Flow<u8> {
    ControlFlow::Continue(status)
}

/// Carries out an assignment for a built-in. Where a read-only variable was not assigned to, the built-in fails and the
/// script continues.
pub(crate) fn assigned(shell: &mut Shell, assign: impl FnOnce(&mut Shell) -> Flow) -> Flow<bool> {
    match shell.for_builtin(assign) {
        ControlFlow::Continue(()) => ControlFlow::Continue(true),
        ControlFlow::Break(Divert::Discard) => ControlFlow::Continue(false),
        ControlFlow::Break(divert) => ControlFlow::Break(divert),
    }
}

/// Options of a built-in read by XBD 12.2: letters of `allowed` in clusters, ended by `--` or the first operand. An
/// unknown one is written as a usage error.
pub(crate) fn options(shell: &mut Shell, args: &Args, allowed: &[u8]) -> Result<(Vec<u8>, usize), u8> {
    let mut words = Letters::of(args);
    let mut letters = Vec::new();
    while let Some(letter) = words.next() {
        if !allowed.contains(&letter) {
            return Err(help::invalid_option(shell, &args[0], &[b'-', letter]));
        }
        letters.push(letter);
    }
    Ok((letters, words.operands()))
}

impl Builtin {
    /// Runs it. bash: `--help` as the first word shows what it is for.
    #[inline]
    pub(crate) fn call(&self, shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
        if self.may_wait {
            shell.host.cancel.before_wait();
        }
        if args.get(1) == Some(b"--help") && self.has_help() {
            return help::help_option(shell, self.name.as_bytes());
        }
        (self.run)(shell, args, declarations)
    }

    /// Is `--help` no operand of it?
    fn has_help(&self) -> bool {
        !matches!(self.name, ":" | "[" | "echo" | "false" | "test" | "true")
    }
}

impl Shell {
    /// Writes what a built-in has to print so far, before it reports an error: both stand in order where they go to the same
    /// file. What could not be written stays for [`Self::print`], which says so.
    pub(crate) fn print_before_error(&mut self, output: &mut Vec<u8>) {
        if let Some(stream) = self.env.fds.get(1)
            && !output.is_empty()
            && stream.write_all(output, &self.context.interrupt).is_ok()
        {
            output.clear();
        }
    }

    /// As [`Self::print`] for the built-ins that do not look whether their output arrives in bash (`command -v`,
    /// `kill -l`); they do in the POSIX dialect.
    pub(crate) fn print_unchecked(&mut self, name: &[u8], bytes: &[u8]) -> Flow<u8> {
        if self.env.dialect == hookshell_syntax::Dialect::Posix {
            return self.print(name, bytes);
        }
        let Some(stream) = self.env.fds.get(1) else { return done(0) };
        match stream.write_all(bytes, &self.context.interrupt) {
            Err(error) if is_interrupted(&error) || error.kind() == std::io::ErrorKind::BrokenPipe => {
                self.print(name, bytes)
            }
            _ => done(0),
        }
    }

    /// Writes a built-in's output as one write. A closed pipe ends the shell as SIGPIPE would, unless that is trapped or
    /// ignored; any other failure is an error of the built-in.
    pub(crate) fn print(&mut self, name: &[u8], bytes: &[u8]) -> Flow<u8> {
        let Some(stream) = self.env.fds.get(1) else {
            if bytes.is_empty() {
                return done(0);
            }
            self.builtin_error(name, "write error: Bad file descriptor");
            return done(1);
        };
        match stream.write_all(bytes, &self.context.interrupt) {
            Ok(()) => done(0),
            Err(error) if is_interrupted(&error) => divert(Divert::Stop),
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                /// SIGPIPE has this number on every system that has it.
                const SIGPIPE: i32 = 13;
                if self.traps.get(SIGPIPE).is_none() {
                    self.scratch.died_of = SIGPIPE;
                    self.env.status = 141;
                    return divert(Divert::Die);
                }
                self.builtin_error(name, "write error: Broken pipe");
                done(1)
            }
            Err(error) => {
                self.builtin_error(name, format!("write error: {}", crate::interpreter::exec::reason(&error)));
                done(1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BUILTINS;

    #[test]
    fn the_table_is_sorted() {
        assert!(BUILTINS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
