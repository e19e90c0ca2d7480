//! Where the interpreter stands: the constructs around the command that runs, and its place in the source.

use std::sync::Arc;

use hookshell_process::Interrupt;
use hookshell_utility::CancelToken;

use crate::call::Frame;
use crate::options::Options;

/// What is around the command that runs.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// The execution environment that it runs in.
    pub(crate) subshell: Subshell,
    /// The line of the command that runs.
    pub(crate) line: u32,
    /// Where the simple command stands that ran last.
    pub(crate) command_start: u32,
    /// The line of the last command that could fail by itself: LINENO of the ERR trap.
    pub(crate) error_line: u32,
    /// The file that is read: `$0` in error messages is this one's name.
    pub(crate) source: Arc<[u8]>,
    pub(crate) frames: Vec<Frame>,
    /// Functions that are active: the scope of locals.
    pub(crate) function_depth: u32,
    /// Nested calls of every kind, against [`crate::Limits::call_depth`].
    pub(crate) depth: u32,
    /// Nested `.`
    pub(crate) source_depth: u32,
    /// Nested `eval` and traps.
    pub(crate) eval_depth: u32,
    pub(crate) loop_depth: u32,
    /// Over 0 where a failing command does not end the shell (conditions, `!`, all but the last of `&&` and `||`).
    pub(crate) errexit_ignored: u32,
    /// The first character of PS4 is repeated by this: command substitutions, `eval` and `.`.
    pub(crate) trace_depth: u32,
    /// What `local -` saved: the depths of its function and subshell, and the options to return to.
    pub(crate) local_options: Vec<(u32, u32, Options)>,
    /// The interrupt of blocking calls: the soft one, or the hard one while traps run after a cancel.
    pub(crate) interrupt: Interrupt,
    /// Ends this environment, or the whole run.
    pub(crate) cancel: CancelToken,
    /// The complete commands that were read from the script or standard input (`\#` in prompts).
    pub(crate) commands_read: u64,
    /// The script comes from standard input (`$-` has an `s`).
    pub(crate) reads_stdin: bool,
    /// The script reads BASH_COMMAND: commands are noted for it.
    pub(crate) uses_bash_command: bool,
    /// Nobody is told of commands that a signal ended (in the command substitutions of a command string).
    pub(crate) quiet_deaths: bool,
    /// The process substitutions of the commands being run.
    pub(crate) substitutions: Vec<crate::expand::Substitution>,
}

/// The execution environment that commands run in: the shell's own, or that of a subshell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Subshell {
    /// BASHPID
    pub(crate) id: u32,
    /// How deep it is within others (BASH_SUBSHELL); 0 is the shell's own.
    pub(crate) depth: u32,
    /// How many of those bash does not count: simple commands of pipelines.
    pub(crate) uncounted: u32,
    /// It is that of a stage, which bash does not count until the stage's command is called.
    pub(crate) is_uncounted_stage: bool,
    /// It is that of a simple command of the main shell: an expansion error ends it as it ends that.
    pub(crate) is_own_command: bool,
    /// The DEBUG trap has run for the command that it was made for.
    pub(crate) debug_trap_ran: bool,
    /// The next simple or compound command is all that it runs (a stage, a background list): the redirections last to its
    /// end.
    pub(crate) is_sole: bool,
    /// bash: a simple command in the background has its empty standard input only after the expansion of its words.
    pub(crate) null_stdin_due: bool,
    /// It, or the one that it is a stage of, is a pipeline in the background: bash has none of its own for that.
    pub(crate) is_background_pipeline: bool,
    /// bash: the EXIT trap that a control structure sets, as a stage or in the background, does not run.
    pub(crate) skips_exit_trap: bool,
    /// bash: how many texts (`eval`, sourced files) deep the commands stand that it reads or holds itself.
    /// Their redirections last until the EXIT trap has run. `None`: they come from a text (`-c`, `$( )`), which undoes them.
    pub(crate) reads_at: Option<u32>,
    /// bash: an error has ended a function, so FUNCNAME shows `main` outside of functions.
    pub(crate) shows_main: bool,
    /// It was made for the subshell command that runs next, which needs no other one.
    pub(crate) forked: bool,
    /// Standard input of a compound command around was redirected: background lists keep it (bash).
    pub(crate) stdin_redirected: bool,
    /// It is on the thread of its parent, and has a mailbox for signals.
    pub(crate) has_mailbox: bool,
}

impl Subshell {
    /// A subshell in this one.
    fn inner(&self, id: u32) -> Self {
        Self {
            id,
            depth: self.depth + 1,
            uncounted: self.uncounted,
            is_background_pipeline: self.is_background_pipeline,
            shows_main: self.shows_main,
            stdin_redirected: self.stdin_redirected,
            ..Self::default()
        }
    }
}

/// What a subshell on the same thread gives back to the context around it.
pub(crate) struct OuterContext {
    subshell: Subshell,
    frames: usize,
    function_depth: u32,
    loop_depth: u32,
}

impl Context {
    /// That of a shell which begins, whose environment has an id.
    pub(crate) fn new(id: u32, name: Arc<[u8]>, cancel: CancelToken) -> Self {
        Self {
            subshell: Subshell { id, ..Subshell::default() },
            line: 1,
            command_start: 0,
            error_line: 1,
            source: name,
            frames: Vec::new(),
            function_depth: 0,
            depth: 0,
            source_depth: 0,
            eval_depth: 0,
            loop_depth: 0,
            errexit_ignored: 0,
            trace_depth: 0,
            local_options: Vec::new(),
            interrupt: cancel.interrupt().clone(),
            cancel,
            commands_read: 0,
            reads_stdin: false,
            uses_bash_command: false,
            quiet_deaths: false,
            substitutions: Vec::new(),
        }
    }

    /// That of a subshell on a thread of its own, whose stack is empty.
    pub(crate) fn fork(&self, id: u32) -> Self {
        Self { subshell: self.subshell.inner(id), depth: 0, ..self.clone() }
    }

    /// Enters a subshell on this thread.
    pub(crate) fn enter_subshell(&mut self, id: u32) -> OuterContext {
        self.depth += 1;
        let inner = self.subshell.inner(id);
        OuterContext {
            subshell: std::mem::replace(&mut self.subshell, inner),
            frames: self.frames.len(),
            function_depth: self.function_depth,
            loop_depth: self.loop_depth,
        }
    }

    /// Leaves it.
    pub(crate) fn leave_subshell(&mut self, outer: OuterContext) {
        self.depth -= 1;
        self.subshell = outer.subshell;
        self.frames.truncate(outer.frames);
        self.function_depth = outer.function_depth;
        self.loop_depth = outer.loop_depth;
    }
}
