//! The execution environment (XCU 2.13): what a subshell begins with as its parent has it.

use std::time::{Duration, Instant};

use hookshell_syntax::Dialect;
use hookshell_utility::FdTable;
use smallvec::SmallVec;

use crate::call::Positional;
use crate::inherited::Inherited;
use crate::options::Options;
use crate::random::Generator;

/// Where `getopts` stands in a cluster of options; an assignment to OPTIND resets it.
#[derive(Debug, Clone, Default)]
pub(crate) struct GetoptsState {
    pub(crate) letters: usize,
}

/// What a subshell inherits and may change for itself: it works on a clone.
///
/// Three tables belong to it that are not here: variables, jobs and traps keep journals, by which a subshell on the same
/// thread undoes its changes instead of copying them. They are fields of [`crate::shell::Shell`].
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    /// What subshells seldom change: functions, aliases, the working directory, IFS and others.
    pub(crate) inherited: Inherited,
    pub(crate) positional: Positional,
    pub(crate) options: Options,
    pub(crate) dialect: Dialect,
    /// It was started as `bash`: a script without a `#!` line that it starts is, too.
    pub(crate) is_bash: bool,
    pub(crate) fds: FdTable,
    /// `$?`
    pub(crate) status: u8,
    pub(crate) pipe_status: SmallVec<[u8; 4]>,
    /// `$!`
    pub(crate) background_id: Option<u32>,
    /// `$_`
    pub(crate) last_argument: Vec<u8>,
    /// BASH_ARGV: the positional parameters when it was first asked for.
    pub(crate) first_arguments: Option<Positional>,
    pub(crate) getopts: GetoptsState,
    /// The C locale: every byte is a character.
    pub(crate) bytes: bool,
    /// FUNCNEST: so many functions may be called within each other; 0 is no limit of the script's own.
    pub(crate) function_nesting: usize,
    /// TMOUT: how long `read` waits where it is not told.
    pub(crate) read_timeout: Option<Duration>,
    pub(crate) random: Generator,
    pub(crate) seconds_base: (Instant, i64),
    /// Options that steer the parser have changed since the program was parsed.
    pub(crate) parse_epoch: u32,
    /// Where the trace of `set -x` goes (BASH_XTRACEFD).
    pub(crate) trace_fd: u32,
}

impl Environment {
    /// That of a shell which begins: `$0`, its directory and its descriptors are the host's.
    pub(crate) fn new(
        inherited: Inherited,
        args: Positional,
        dialect: Dialect,
        fds: FdTable,
        started: Instant,
        random: Generator,
    ) -> Self {
        Self {
            inherited,
            positional: args,
            options: Options::default(),
            dialect,
            is_bash: false,
            fds,
            status: 0,
            pipe_status: SmallVec::new(),
            background_id: None,
            last_argument: Vec::new(),
            first_arguments: None,
            getopts: GetoptsState::default(),
            bytes: false,
            function_nesting: 0,
            read_timeout: None,
            random,
            seconds_base: (started, 0),
            parse_epoch: 0,
            trace_fd: 2,
        }
    }

    /// The positional parameters become the first of BASH_ARGV, unless there are some.
    pub(crate) fn note_arguments(&mut self) {
        if self.first_arguments.is_none() {
            self.first_arguments = Some(self.positional.clone());
        }
    }

    /// In a subshell: the coprocesses are the parent's.
    #[inline]
    pub(crate) fn leave_coprocesses(&mut self) {
        if self.inherited.coprocesses.is_empty() {
            return;
        }
        for coprocess in std::mem::take(&mut self.inherited.coprocesses) {
            coprocess.close(&mut self.fds);
        }
    }

    /// The environment as a subshell on this thread leaves it to its parent again. `spare` is an empty buffer: `$_` of the
    /// subshell, so that nothing is allocated for it.
    #[inline]
    pub(crate) fn enter_subshell(&mut self, mut spare: Vec<u8>) -> Self {
        spare.extend_from_slice(&self.last_argument);
        let last_argument = std::mem::take(&mut self.last_argument);
        let mut outer = self.clone();
        outer.last_argument = last_argument;
        self.last_argument = spare;
        outer
    }

    /// Ends a subshell on this thread: all is as `outer` has it but `$?`. The buffer of the subshell's `$_` is given back.
    #[inline]
    pub(crate) fn leave_subshell(&mut self, mut outer: Self) -> Vec<u8> {
        outer.status = self.status;
        let spare = std::mem::take(&mut self.last_argument);
        *self = outer;
        spare
    }
}
