//! Variables that the shell itself computes or takes notice of.

/// What the shell makes of a variable's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Special {
    /// Nothing.
    #[default]
    None,
    // Computed when read.
    Lineno,
    Random,
    Srandom,
    Seconds,
    Epochseconds,
    Epochrealtime,
    Bashpid,
    BashSubshell,
    Histcmd,
    BashCommand,
    Funcname,
    BashSource,
    BashLineno,
    Pipestatus,
    Dirstack,
    Groups,
    /// BASH_ARGV
    Arguments,
    /// BASH_ARGC
    ArgumentCounts,
    Argv0,
    LastArgument,
    // Noticed when assigned.
    Ifs,
    Optind,
    Locale,
    Path,
    Xtracefd,
    PosixlyCorrect,
    Funcnest,
    /// TMOUT
    ReadTimeout,
    /// BASH_COMPAT
    Compat,
    Globignore,
    /// BASH_ALIASES
    Aliases,
    /// BASH_CMDS
    Commands,
}

impl Special {
    pub(crate) fn of(name: &[u8]) -> Self {
        match name {
            b"LINENO" => Self::Lineno,
            b"RANDOM" => Self::Random,
            b"SRANDOM" => Self::Srandom,
            b"SECONDS" => Self::Seconds,
            b"EPOCHSECONDS" => Self::Epochseconds,
            b"EPOCHREALTIME" => Self::Epochrealtime,
            b"BASHPID" => Self::Bashpid,
            b"BASH_SUBSHELL" => Self::BashSubshell,
            b"HISTCMD" => Self::Histcmd,
            b"BASH_COMMAND" => Self::BashCommand,
            b"FUNCNAME" => Self::Funcname,
            b"BASH_SOURCE" => Self::BashSource,
            b"BASH_LINENO" => Self::BashLineno,
            b"PIPESTATUS" => Self::Pipestatus,
            b"DIRSTACK" => Self::Dirstack,
            b"GROUPS" => Self::Groups,
            b"BASH_ARGV" => Self::Arguments,
            b"BASH_ARGC" => Self::ArgumentCounts,
            b"BASH_ARGV0" => Self::Argv0,
            b"_" => Self::LastArgument,
            b"IFS" => Self::Ifs,
            b"OPTIND" => Self::Optind,
            b"LC_ALL" | b"LC_CTYPE" | b"LANG" => Self::Locale,
            b"PATH" => Self::Path,
            b"BASH_XTRACEFD" => Self::Xtracefd,
            b"POSIXLY_CORRECT" => Self::PosixlyCorrect,
            b"FUNCNEST" => Self::Funcnest,
            b"TMOUT" => Self::ReadTimeout,
            b"BASH_COMPAT" => Self::Compat,
            b"GLOBIGNORE" => Self::Globignore,
            b"BASH_ALIASES" => Self::Aliases,
            b"BASH_CMDS" => Self::Commands,
            _ => Self::None,
        }
    }

    /// Is its value computed when it is read?
    #[inline]
    pub(crate) fn is_computed(self) -> bool {
        (Self::Lineno as u8..=Self::LastArgument as u8).contains(&(self as u8))
    }

    /// Is it an array that assignments leave alone?
    pub(crate) fn is_fixed_array(self) -> bool {
        matches!(
            self,
            Self::Funcname
                | Self::BashSource
                | Self::BashLineno
                | Self::Groups
                | Self::Arguments
                | Self::ArgumentCounts
        )
    }

    /// Is its value an array, when it is computed?
    pub(crate) fn is_computed_array(self) -> bool {
        self.is_fixed_array() || matches!(self, Self::Pipestatus | Self::Dirstack)
    }

    /// Does the shell take notice when it is assigned or unset?
    #[inline]
    pub(crate) fn is_watched(self) -> bool {
        self as u8 >= Self::Ifs as u8
    }

    /// Does bash take notice where the environment brings it?
    pub(crate) fn is_imported(self) -> bool {
        matches!(
            self,
            Self::Bashpid
                | Self::Argv0
                | Self::BashCommand
                | Self::Compat
                | Self::BashSubshell
                | Self::Xtracefd
                | Self::Epochrealtime
                | Self::Epochseconds
                | Self::Funcnest
                | Self::ReadTimeout
                | Self::Histcmd
                | Self::Lineno
                | Self::Random
                | Self::Seconds
                | Self::Srandom
        )
    }

    /// Is it an array that shows one of the shell's own tables?
    #[inline]
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::Aliases | Self::Commands)
    }
}
