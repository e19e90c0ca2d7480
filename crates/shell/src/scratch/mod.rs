//! What one step of the interpreter leaves for the next, and buffers that are used again. No subshell inherits it.

mod choices;

use std::sync::Arc;

use hookshell_syntax::SyntaxError;
use hookshell_text::pattern::Cache;
use hookshell_utility::{Args, Capture, Stream};

use self::choices::Choices;
use crate::jobs::Death;

/// See the module.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Buffers that are used again.
    pub(crate) spare_args: Vec<Args>,
    /// Empty lists for the arguments of functions.
    pub(crate) spare_positional: Vec<Arc<Args>>,
    pub(crate) spare_bytes: Vec<Vec<u8>>,
    /// Those of command substitutions that have ended, empty.
    pub(crate) spare_captures: Vec<(Arc<Stream>, Capture)>,
    /// Those of `case`, `[[ ]]` and `${x#…}`.
    pub(crate) patterns: Cache,
    /// Where bundled utilities and programs have the same name.
    pub(crate) utility_choices: Choices,
    /// The file that `BASH_ENV` names has yet to run.
    pub(crate) start_up_due: bool,
    /// Texts of variables whose values are being evaluated: one's subscript may lead to the next.
    pub(crate) value_depth: u32,
    /// Namerefs to elements whose array is being looked up: a nameref may be among those arrays.
    pub(crate) nameref_depth: usize,
    /// What the list is assigned to that is about to be expanded and traced: `name=`.
    pub(crate) traced_list: Option<Vec<u8>>,
    pub(crate) printing_trace: bool,
    /// `$?` as the last `return` found it: what the RETURN trap sees.
    pub(crate) status_before_return: u8,
    /// The line of the last `return`.
    pub(crate) line_of_return: u32,
    /// Status of the last command substitution of the command being expanded; for commands without a name.
    pub(crate) substitution_status: Option<u8>,
    /// The simple command that runs now stands after a `!` that does not shelter from errexit.
    pub(crate) is_negated: bool,
    /// A built-in is called by `command`, so that its errors do not end the shell.
    pub(crate) by_command: bool,
    /// The text that is read next is that of `command eval`, whose syntax errors do not end the shell.
    pub(crate) survives_syntax_error: bool,
    /// A built-in assigns: see [`crate::shell::Shell::for_builtin`].
    pub(crate) assigns_for_builtin: bool,
    /// The name of that built-in, for messages about arithmetic; empty: none is to be named.
    pub(crate) assigning: &'static str,
    /// The built-in that runs has failed in a way that ends a shell in POSIX mode if it is a special one.
    pub(crate) special_failed: bool,
    /// The unit was dropped for something that does not end a shell in POSIX mode.
    pub(crate) is_lenient_discard: bool,
    pub(crate) syntax_error: Option<Box<SyntaxError>>,
    /// How the last command that a signal ended did so, until it has been reported.
    pub(crate) death: Option<Death>,
    /// The last signal that this environment has sent to itself was not handled by a trap.
    pub(crate) killed_itself: bool,
    /// INT has ended the shell while it was in `wait`, and `$?` says so.
    pub(crate) interrupted_wait: bool,
    /// The signal that ended this environment (with [`crate::flow::Divert::Die`]).
    pub(crate) died_of: i32,
    /// Where the command stands that bash's subshell ends as, in its own process: its death is the subshell's.
    pub(crate) replaced_last: Option<u32>,
    /// The next compound command is a subshell with redirections that `time` is for.
    pub(crate) times_subshell: bool,
    /// Where the standard error of the last subshell with redirections led.
    pub(crate) subshell_error: Option<Arc<Stream>>,
    /// How deep a subshell was of which `exec` has made a program.
    pub(crate) replaced_depth: u32,
}
