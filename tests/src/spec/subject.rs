//! Who runs a case.

use std::fmt;
use std::path::PathBuf;

use hookshell_test_support::oracles;

use super::Case;

/// Who runs a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Our interpreter in this process, in the dialect that the case asks for (bash's by default).
    InProcess,
    /// Our interpreter in this process, `--posix`: portable cases only.
    InProcessPosix,
    /// The built binary: `hookshell sh`.
    Hookshell(PathBuf),
    /// The built binary, as a hook whose scripts run in process: `hookshell exec --shell-scripts in-process 'bash …'`.
    Hook(PathBuf),
    /// bash
    Bash,
    /// bash with the newest jq, where the other one has the jq that ours is held to: cases about jq only.
    BashNewestJq,
    /// `bash --posix`: portable cases only.
    BashPosix,
    /// dash: portable cases only.
    Dash,
    /// busybox ash: portable cases only.
    Busybox,
}

impl Subject {
    /// The ones that `cargo test` runs.
    pub const STANDARD: [Self; 7] = [
        Self::InProcess,
        Self::InProcessPosix,
        Self::Bash,
        Self::BashNewestJq,
        Self::BashPosix,
        Self::Dash,
        Self::Busybox,
    ];

    /// By the name that `--against` and `--- differs` have for it.
    pub fn by_name(name: &str) -> Option<Self> {
        let hook = Self::Hook(PathBuf::new());
        Self::STANDARD.into_iter().chain([hook]).find(|subject| subject.to_string() == name)
    }

    /// Does it run this case?
    pub fn runs(&self, case: &Case) -> bool {
        match self {
            // What every POSIX shell must pass.
            Self::InProcessPosix | Self::BashPosix | Self::Dash | Self::Busybox => case.is_portable(),
            Self::BashNewestJq => case.bundled.iter().any(|name| name == "jq"),
            Self::InProcess | Self::Hookshell(_) | Self::Hook(_) | Self::Bash => true,
        }
    }

    /// Is it bash, in whatever way?
    pub fn is_bash(&self) -> bool {
        matches!(self, Self::Bash | Self::BashNewestJq | Self::BashPosix)
    }

    /// The jq that it has in cases about jq.
    pub fn jq_version(&self) -> &'static str {
        if *self == Self::BashNewestJq { oracles::NEWEST_JQ } else { oracles::JQ }
    }

    /// Is it our own interpreter?
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::InProcess | Self::InProcessPosix | Self::Hookshell(_) | Self::Hook(_))
    }

    /// Do the bundled utilities have to do what a case about them is about, since PATH leads to no program there?
    pub fn has_bundled_only(&self) -> bool {
        matches!(self, Self::InProcess | Self::InProcessPosix | Self::Hook(_))
    }

    /// Are its error messages the ones that we promise?
    pub fn has_our_messages(&self) -> bool {
        self.is_ours() || matches!(self, Self::Bash | Self::BashNewestJq)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InProcess => "in-process",
            Self::InProcessPosix => "in-process-posix",
            Self::Hookshell(_) => "hookshell",
            Self::Hook(_) => "hook",
            Self::Bash => "bash",
            Self::BashNewestJq => "newest-jq",
            Self::BashPosix => "bash-posix",
            Self::Dash => "dash",
            Self::Busybox => "busybox",
        })
    }
}
