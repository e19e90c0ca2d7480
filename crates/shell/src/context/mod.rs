//! Where the interpreter stands: the constructs around the command that runs, and its place in the source.

mod frames;
mod subshell;
mod substitution;

use std::sync::Arc;

use hookshell_process::Interrupt;
use hookshell_utility::RunToken;

pub(crate) use self::frames::{Frame, Frames, Text};
pub(crate) use self::subshell::Subshell;
pub(crate) use self::substitution::Substitution;
use crate::options::Options;

/// What is around the command that runs.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The constructs that the command stands in, the outermost first.
    pub(crate) frames: Frames,
    /// The execution environment that it runs in: those around it are frames.
    pub(crate) subshell: Subshell,
    /// Nested calls of every kind on this thread, against [`crate::Limits::call_depth`].
    pub(crate) depth: u32,
    /// The line of the command that runs.
    pub(crate) line: u32,
    /// What is added to the lines of the syntax tree (modulo 2^32): bash counts the lines of a substitution from its command on.
    pub(crate) line_shift: u32,
    /// Where the simple command stands that ran last.
    pub(crate) command_start: u32,
    /// The line of the last command that could fail by itself: LINENO of the ERR trap.
    pub(crate) error_line: u32,
    /// The file that is read: `$0` in error messages is this one's name.
    pub(crate) source: Arc<[u8]>,
    /// What `local -` saved: the depths of its function and subshell, and the options to return to.
    pub(crate) local_options: Vec<(u32, u32, Options)>,
    /// The interrupt of blocking calls: the soft one, or the hard one while traps run after a cancel.
    pub(crate) interrupt: Interrupt,
    /// Ends this environment, or the whole run.
    pub(crate) cancel: RunToken,
    /// The complete commands that were read from the script or standard input (`\#` in prompts).
    pub(crate) commands_read: u64,
    /// The script comes from standard input (`$-` has an `s`).
    pub(crate) reads_stdin: bool,
    /// The script reads BASH_COMMAND: commands are noted for it.
    pub(crate) uses_bash_command: bool,
    /// The process substitutions of the commands being run.
    pub(crate) substitutions: Vec<Substitution>,
}

impl Context {
    /// That of a shell which begins, whose environment has an id.
    pub(crate) fn new(id: u32, name: Arc<[u8]>, cancel: RunToken) -> Self {
        Self {
            frames: Frames::default(),
            subshell: Subshell { id, ..Subshell::default() },
            depth: 0,
            line: 1,
            command_start: 0,
            error_line: 1,
            line_shift: 0,
            source: name,
            local_options: Vec::new(),
            interrupt: cancel.interrupt().clone(),
            cancel,
            commands_read: 0,
            reads_stdin: false,
            uses_bash_command: false,
            substitutions: Vec::new(),
        }
    }

    /// Enters a subshell on this thread.
    #[inline]
    pub(crate) fn enter_subshell(&mut self, id: u32) {
        self.depth += 1;
        let inner = self.subshell.inner(id);
        self.frames.enter(Frame::Subshell(std::mem::replace(&mut self.subshell, inner)));
    }

    /// Leaves it.
    #[inline]
    pub(crate) fn leave_subshell(&mut self) {
        self.depth -= 1;
        if let Some(outer) = self.frames.leave_subshell() {
            self.subshell = outer;
        }
    }

    /// That of a subshell on a thread of its own, whose stack is empty.
    pub(crate) fn fork(&self, id: u32) -> Self {
        let mut fork = Self { depth: 0, ..self.clone() };
        fork.frames.enter(Frame::Subshell(self.subshell));
        fork.subshell = self.subshell.inner(id);
        fork
    }

    /// In a shell of its own that this one's script has started: what is nested there counts as nested here.
    pub(crate) fn nest_in(&mut self, outer: &Self) {
        self.depth = outer.depth;
        self.frames.nest_in(&outer.frames);
    }

    /// The loops that `break` and `continue` reach.
    pub(crate) fn loops(&self) -> u32 {
        let mut subshell = &self.subshell;
        let mut loops = 0;
        for frame in self.frames.inner_first() {
            match frame {
                Frame::Loop => loops += 1,
                Frame::Call(call) if call.hides_loops => break,
                Frame::Text(Text::ExitTrap) => break,
                Frame::Subshell(_) if subshell.hides_loops => break,
                Frame::Subshell(outer) => subshell = outer,
                _ => {}
            }
        }
        loops
    }

    /// Does a failing command not end the shell here: in conditions, after `!`, in all but the last of `&&` and `||`? bash:
    /// `set -e` holds in the actions of traps wherever they run.
    pub(crate) fn ignores_errexit(&self) -> bool {
        let mut subshell = &self.subshell;
        for frame in self.frames.inner_first() {
            match frame {
                Frame::Condition => return true,
                Frame::Text(Text::Trap(_) | Text::ExitTrap) => return false,
                Frame::Subshell(_) if subshell.hides_conditions => return false,
                Frame::Subshell(outer) => subshell = outer,
                _ => {}
            }
        }
        false
    }

    /// Was standard input of a compound command around redirected? Background lists keep it (bash).
    pub(crate) fn has_own_stdin(&self) -> bool {
        let mut subshell = &self.subshell;
        for frame in self.frames.inner_first() {
            match frame {
                Frame::Stdin => return true,
                Frame::Subshell(outer) => {
                    if let Some(has_own_stdin) = subshell.has_own_stdin {
                        return has_own_stdin;
                    }
                    subshell = outer;
                }
                _ => {}
            }
        }
        false
    }

    /// Is it a command substitution that runs, or part of one?
    pub(crate) fn is_substituted(&self) -> bool {
        self.frames.inner_first().any(|frame| matches!(frame, Frame::CommandSubstitution))
    }
}
