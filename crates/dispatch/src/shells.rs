//! Command lines of a shell that is not there.

use hookshell_shebang::base_name;
use hookshell_shell::command_line::{CommandLine, CommandLineError, Grammar, KnownShell};

use crate::platform::Platform;

/// What is done about a script or command line for a POSIX shell when no such shell is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingShell {
    /// It runs in process, in the bash dialect.
    Interpret,
    /// It fails, as the kernel would say it.
    Fail,
}

impl MissingShell {
    /// The default: Windows has no shell of its own, on Unix a missing one is an error to be seen.
    pub fn default_for(platform: Platform) -> Self {
        match platform {
            Platform::Windows => Self::Interpret,
            Platform::Unix => Self::Fail,
        }
    }
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
