//! Whose shell runs a script: what a config or a command line says about scripts for a POSIX shell. Who starts programs heeds it.

/// What is done about a script or command line for a POSIX shell when no such shell is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingShell {
    /// It runs in process, in the bash dialect.
    Interpret,
    /// It fails, as the kernel would say it.
    Fail,
}

impl std::str::FromStr for MissingShell {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "interpret" => Ok(Self::Interpret),
            "fail" => Ok(Self::Fail),
            other => Err(format!("{other:?} is none of interpret, fail")),
        }
    }
}

/// What runs scripts and command lines for sh, bash, dash, ash or ksh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShellScripts {
    /// The shell that is installed; if there is none, what [`MissingShell`] says.
    #[default]
    Installed,
    /// The in-process shell, whatever is installed. What it refuses (an option, a syntax) goes to the installed one.
    InProcess,
}

impl ShellScripts {
    /// How it is spelled.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Installed => "installed",
            Self::InProcess => "in-process",
        }
    }
}

impl std::str::FromStr for ShellScripts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "installed" => Ok(Self::Installed),
            "in-process" => Ok(Self::InProcess),
            other => Err(format!("{other:?} is none of installed, in-process")),
        }
    }
}
