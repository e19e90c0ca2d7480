//! Which shell ran a script, and command lines of shells that the interpreter does the work of.

use std::fmt;

use hookshell_shebang::base_name;
use hookshell_shell::command_line::{CommandLine, CommandLineError, Grammar, KnownShell};

use crate::platform::Platform;

/// Which shell ran a script or command line of a run, and why. It is recorded where the in-process shell did the work of
/// another one, and where it was asked to and did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellUse {
    /// The script, or the command line.
    pub command: String,
    /// `in-process`, or the shell's file.
    pub shell: String,
    /// Why that one.
    pub reason: String,
}

impl ShellUse {
    /// What [`Self::shell`] is if it was not an installed one.
    pub const IN_PROCESS: &'static str = "in-process";
}

impl fmt::Display for ShellUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.command, self.shell, self.reason)
    }
}

/// The shell of this name that the interpreter can stand in for; a file's name without its directory.
pub(crate) fn interpreted(platform: Platform, name: &[u8]) -> Option<KnownShell> {
    let known = match platform {
        Platform::Unix => KnownShell::named(name),
        Platform::Windows => {
            let name = name.to_ascii_lowercase();
            KnownShell::named(name.strip_suffix(b".exe").unwrap_or(&name))
        }
    };
    known.filter(|shell| shell.is_interpreted())
}

/// Is it the name of a shell that the interpreter can stand in for?
pub(crate) fn is_shell(platform: Platform, name: &[u8]) -> bool {
    interpreted(platform, name).is_some()
}

/// Reads a shell's command line, `argv[0]` included: a name or a path.
pub(crate) fn parse(platform: Platform, argv: &[Vec<u8>]) -> Result<CommandLine, CommandLineError> {
    let (name, words) = argv.split_first().map_or((&[][..], &[][..]), |(name, words)| (name.as_slice(), words));
    let name = interpreted(platform, base_name(name)).map_or(&b""[..], |shell| shell.name.as_bytes());
    CommandLine::parse(name, words, Grammar::Shell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_shells_are_known() {
        assert!(is_shell(Platform::Unix, b"bash"));
        assert!(!is_shell(Platform::Unix, b"bash.exe"));
        assert!(!is_shell(Platform::Unix, b"zsh"));
        assert!(is_shell(Platform::Windows, b"BASH.EXE"));
        assert!(is_shell(Platform::Windows, b"sh"));
    }

    #[test]
    fn a_shell_is_restricted_by_its_name() {
        for (platform, name, expected) in [
            (Platform::Unix, "/bin/rbash", true),
            (Platform::Unix, "/bin/bash", false),
            (Platform::Windows, r"C:\bin\RBash.exe", true),
        ] {
            let line = parse(platform, &[name.into(), b"a.sh".to_vec()]).unwrap();
            assert_eq!(line.setup.is_restricted(), expected, "{name}");
        }
    }
}
