//! Who runs a case.

use std::fmt;
use std::path::PathBuf;

/// Who runs a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Our interpreter in this process, in the dialect that the case asks for (bash's by default).
    InProcess,
    /// Our interpreter in this process, `--posix`: portable cases only.
    InProcessPosix,
    /// The built binary: `hookshell sh`.
    Hookshell(PathBuf),
    /// bash
    Bash,
    /// `bash --posix`: portable cases only.
    BashPosix,
    /// dash: portable cases only.
    Dash,
    /// busybox ash: portable cases only.
    Busybox,
}

impl Subject {
    /// The ones that `cargo test` runs.
    pub const STANDARD: [Self; 6] =
        [Self::InProcess, Self::InProcessPosix, Self::Bash, Self::BashPosix, Self::Dash, Self::Busybox];

    /// By the name that `--against` and `--- differs` have for it.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::STANDARD.into_iter().find(|subject| subject.to_string() == name)
    }

    /// Does it only run what every POSIX shell must pass?
    pub fn is_portable_only(&self) -> bool {
        matches!(self, Self::InProcessPosix | Self::BashPosix | Self::Dash | Self::Busybox)
    }

    /// Is it our own interpreter?
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::InProcess | Self::InProcessPosix | Self::Hookshell(_))
    }

    /// Are its error messages the ones that we promise?
    pub fn has_our_messages(&self) -> bool {
        self.is_ours() || *self == Self::Bash
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InProcess => "in-process",
            Self::InProcessPosix => "in-process-posix",
            Self::Hookshell(_) => "hookshell",
            Self::Bash => "bash",
            Self::BashPosix => "bash-posix",
            Self::Dash => "dash",
            Self::Busybox => "busybox",
        })
    }
}
