//! The shells that are known by name.

/// A shell whose command line is [this one](super::CommandLine).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownShell {
    /// Its name, in small letters, without `.exe`.
    pub name: &'static str,
    kinship: Kinship,
}

/// How near a shell is to the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kinship {
    /// Its scripts may mean something else: what they are is not known.
    Relative,
    /// Its scripts can be read, but the interpreter does not do its work.
    Readable,
    /// The interpreter does its work where it is not installed.
    Interpreted,
    /// hookshell is this shell when it is started by this name.
    Own,
}

/// All of them.
pub(super) const SHELLS: &[KnownShell] = &[
    KnownShell { name: "sh", kinship: Kinship::Own },
    KnownShell { name: "bash", kinship: Kinship::Own },
    KnownShell { name: RESTRICTED_BASH, kinship: Kinship::Own },
    KnownShell { name: "dash", kinship: Kinship::Interpreted },
    KnownShell { name: "ash", kinship: Kinship::Interpreted },
    KnownShell { name: "ksh", kinship: Kinship::Interpreted },
    KnownShell { name: "mksh", kinship: Kinship::Interpreted },
    KnownShell { name: "zsh", kinship: Kinship::Readable },
    KnownShell { name: "ksh93", kinship: Kinship::Relative },
    KnownShell { name: "rksh", kinship: Kinship::Relative },
    KnownShell { name: "lksh", kinship: Kinship::Relative },
    KnownShell { name: "oksh", kinship: Kinship::Relative },
    KnownShell { name: "pdksh", kinship: Kinship::Relative },
    KnownShell { name: "rzsh", kinship: Kinship::Relative },
    KnownShell { name: "yash", kinship: Kinship::Relative },
    KnownShell { name: "posh", kinship: Kinship::Relative },
    KnownShell { name: "hush", kinship: Kinship::Relative },
    KnownShell { name: "bosh", kinship: Kinship::Relative },
    KnownShell { name: "brush", kinship: Kinship::Relative },
    KnownShell { name: "osh", kinship: Kinship::Relative },
    KnownShell { name: "git-bash", kinship: Kinship::Relative },
];

/// The name under which bash is a restricted shell.
const RESTRICTED_BASH: &str = "rbash";

impl KnownShell {
    /// The shell of this name: a file's name without its directory. Letters count as they are.
    pub fn named(name: &[u8]) -> Option<Self> {
        SHELLS.iter().find(|shell| shell.name.as_bytes() == name).copied()
    }

    /// Can its scripts be read as the interpreter's own language?
    pub fn is_readable(self) -> bool {
        self.kinship >= Kinship::Readable
    }

    /// Does the interpreter do its work where it is not installed?
    pub fn is_interpreted(self) -> bool {
        self.kinship >= Kinship::Interpreted
    }

    /// Is hookshell this shell when it is started by this name?
    pub fn is_own(self) -> bool {
        self.kinship == Kinship::Own
    }

    /// Are its scripts to be those of every POSIX shell, and nothing beside?
    pub fn is_posix(self) -> bool {
        matches!(self.name, "sh" | "dash" | "ash")
    }

    /// Is it bash itself, so that its long options may have one hyphen?
    pub fn is_bash(self) -> bool {
        matches!(self.name, "bash" | RESTRICTED_BASH)
    }

    /// Is it a restricted shell by its name alone?
    pub fn is_restricted(self) -> bool {
        self.name == RESTRICTED_BASH
    }
}
