//! Execution environments within each other.

/// The execution environment that commands run in: the shell's own, or that of a subshell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Subshell {
    /// BASHPID
    pub(crate) id: u32,
    /// How deep it is within others (BASH_SUBSHELL); 0 is the shell's own.
    pub(crate) depth: u32,
    /// How many of those bash does not count: simple commands of pipelines.
    pub(crate) uncounted: u32,
    /// bash: how many texts (`eval`, sourced files) deep the commands stand that it reads or holds itself. Their redirections
    /// last until the EXIT trap has run. `None`: they come from a text (`-c`, `$( )`), which undoes them.
    pub(crate) reads_at: Option<u32>,
    /// Standard input was made its own (true), or is that of the shell around whatever that has (false).
    pub(crate) has_own_stdin: Option<bool>,
    /// The loops around it are not its own (bash).
    pub(crate) hides_loops: bool,
    /// So are the conditions around it.
    pub(crate) hides_conditions: bool,
    /// It is that of a stage, which bash does not count until the stage's command is called.
    pub(crate) is_uncounted_stage: bool,
    /// It is that of a simple command of the main shell: an expansion error ends it as it ends that.
    pub(crate) is_own_command: bool,
    /// The DEBUG trap has run for the command that it was made for.
    pub(crate) debug_trap_ran: bool,
    /// The next simple or compound command is all that it runs (a stage, a background list): the redirections last to its
    /// end.
    pub(crate) is_only_command: bool,
    /// It was made for the subshell command that runs next, which needs no other one.
    pub(crate) forked: bool,
    /// bash: a simple command in the background has its empty standard input only after the expansion of its words.
    pub(crate) null_stdin_due: bool,
    /// It, or the one that it is a stage of, is a pipeline in the background: bash has none of its own for that.
    pub(crate) is_background_pipeline: bool,
    /// The pipeline that runs next is all of it, and its failure is that of the list (bash: no matter for the ERR trap).
    pub(crate) fails_as_list: bool,
    /// bash: the EXIT trap that a control structure sets, as a stage or in the background, does not run.
    pub(crate) skips_exit_trap: bool,
    /// bash: an error has ended a function, so FUNCNAME shows `main` outside of functions.
    pub(crate) shows_main: bool,
    /// It is on the thread of its parent, and has a mailbox for signals.
    pub(crate) has_mailbox: bool,
    /// It is that of a program that ends a pipeline of processes: an INT that nobody traps is left to them all.
    pub(crate) leaves_interrupts: bool,
    /// It stands in parentheses, or within one that does: its `exec` leaves SHLVL as it is.
    pub(crate) is_in_parentheses: bool,
}

impl Subshell {
    /// A subshell in this one.
    #[inline]
    pub(super) fn inner(&self, id: u32) -> Self {
        Self {
            id,
            depth: self.depth + 1,
            uncounted: self.uncounted,
            is_background_pipeline: self.is_background_pipeline,
            shows_main: self.shows_main,
            is_in_parentheses: self.is_in_parentheses,
            ..Self::default()
        }
    }
}
