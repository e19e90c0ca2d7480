//! The rules that differ between systems, as pure functions of a named system.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use hookshell_shell::MissingShell;

/// The system whose rules apply. It is passed explicitly, so that Windows' rules are tested on every system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux, macOS and the others.
    Unix,
    /// Windows.
    Windows,
}

impl Platform {
    /// The system that this was built for.
    pub const HOST: Self = if cfg!(windows) { Self::Windows } else { Self::Unix };

    /// What is done about scripts for a shell that is not there, unless something else is said: Windows has no shell of its own, on
    /// Unix a missing one is an error to be seen.
    pub fn missing_shell(self) -> MissingShell {
        match self {
            Self::Windows => MissingShell::Interpret,
            Self::Unix => MissingShell::Fail,
        }
    }

    /// Does a command that begins with this word name a file? `./ ../ / ~/`, on Windows also `.\ ..\ ~\ \\`, `C:\`
    /// and `C:/`. `relative/path.sh` is not routed as a file: the shell resolves it, by the same probe.
    pub(crate) fn is_path_like(self, word: &[u8]) -> bool {
        let unix = [&b"./"[..], b"../", b"/", b"~/"];
        if unix.iter().any(|prefix| word.starts_with(prefix)) {
            return true;
        }
        self == Self::Windows && is_windows_path_like(word)
    }

    /// Is a command of this name a path, so that PATH is not searched? It is when it has a slash; on Windows also
    /// with a backslash or a drive letter.
    pub fn has_separator(self, name: &[u8]) -> bool {
        name.contains(&b'/') || (self == Self::Windows && (name.contains(&b'\\') || has_drive_letter(name)))
    }

    /// The value of a variable; on Windows the case of names does not matter.
    pub fn variable<'a>(self, env: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
        env.iter().find(|(key, _)| self.is_same_name(key, OsStr::new(name))).map(|(_, value)| value.as_os_str())
    }

    /// Where programs are looked for: PATH, or where it is unset what the shell takes instead.
    pub fn search_path(self, env: &[(OsString, OsString)]) -> &OsStr {
        self.variable(env, "PATH").unwrap_or(OsStr::new(hookshell_shell::DEFAULT_PATH))
    }

    /// Do these name the same variable?
    pub(crate) fn is_same_name(self, left: &OsStr, right: &OsStr) -> bool {
        match self {
            Self::Unix => left == right,
            Self::Windows => left.eq_ignore_ascii_case(right),
        }
    }

    /// The command line with a first word that is an unquoted Windows path put in single quotes, for the shell would
    /// take its backslashes for quoting: `.\hooks\check.cmd --all`. The word ends where a shell word does. It stays as
    /// it is on other systems, without a backslash, with a quote or an expansion inside, where only the author knows what
    /// is meant, and with slashes and an escaped blank.
    pub fn protect_first_word(self, command: &[u8]) -> Cow<'_, [u8]> {
        let blanks = command.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let (before, text) = command.split_at(blanks);
        if self == Self::Unix || !is_windows_path_like(text) {
            return Cow::Borrowed(command);
        }
        let end =
            text.iter().position(|byte| byte.is_ascii_whitespace() || b";&|<>()".contains(byte)).unwrap_or(text.len());
        let (word, after) = text.split_at(end);
        if !word.contains(&b'\\') || word.iter().any(|byte| b"'\"$`".contains(byte)) {
            return Cow::Borrowed(command);
        }
        // `C:/Program\ Files/x.exe` is written for a shell: its only backslash is in front of the blank.
        if word.contains(&b'/') && word.iter().position(|byte| *byte == b'\\') == Some(word.len() - 1) {
            return Cow::Borrowed(command);
        }
        // Within quotes a tilde would be a name.
        Cow::Owned(match word.strip_prefix(b"~\\") {
            Some(rest) => [before, b"~/'", rest, b"'", after].concat(),
            None => [before, b"'", word, b"'", after].concat(),
        })
    }
}

fn is_windows_path_like(word: &[u8]) -> bool {
    let prefixes = [&b".\\"[..], b"..\\", b"~\\", b"\\\\"];
    prefixes.iter().any(|prefix| word.starts_with(prefix))
        || (has_drive_letter(word) && matches!(word.get(2), Some(b'/' | b'\\')))
}

/// `C:` and what follows.
fn has_drive_letter(word: &[u8]) -> bool {
    matches!(word, [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::Platform::{self, Unix, Windows};

    #[test]
    fn path_like_words_are_routed_as_files() {
        let cases: &[(&str, bool, bool)] = &[
            ("./a.sh", true, true),
            ("../a.sh", true, true),
            ("/bin/a", true, true),
            ("~/a.sh", true, true),
            ("~", false, false),
            ("~user/a", false, false),
            (".", false, false),
            ("..", false, false),
            ("relative/path.sh", false, false),
            ("ls", false, false),
            (".\\a.cmd", false, true),
            ("..\\a.cmd", false, true),
            ("\\\\server\\share\\a.exe", false, true),
            ("C:\\a.exe", false, true),
            ("c:/a.exe", false, true),
            ("C:a.exe", false, false),
            ("hooks\\a.cmd", false, false),
            ("", false, false),
        ];
        for (word, unix, windows) in cases {
            assert_eq!(Unix.is_path_like(word.as_bytes()), *unix, "{word}");
            assert_eq!(Windows.is_path_like(word.as_bytes()), *windows, "{word}");
        }
    }

    #[test]
    fn a_name_with_a_separator_is_a_path() {
        assert!(Unix.has_separator(b"a/b"));
        assert!(!Unix.has_separator(b"a\\b"));
        assert!(!Unix.has_separator(b"c:b"));
        assert!(Windows.has_separator(b"a\\b"));
        assert!(Windows.has_separator(b"c:b"));
        assert!(!Windows.has_separator(b"node"));
    }

    #[test]
    fn an_unquoted_windows_path_keeps_its_backslashes() {
        let cases: &[(&str, &str)] = &[
            (".\\x\\y.cmd a b", "'.\\x\\y.cmd' a b"),
            ("  C:\\x\\y.exe", "  'C:\\x\\y.exe'"),
            ("C:\\x\\y.exe&&echo hi", "'C:\\x\\y.exe'&&echo hi"),
            ("\\\\srv\\s\\t.exe|cat", "'\\\\srv\\s\\t.exe'|cat"),
            ("~\\x\\y.cmd", "~/'x\\y.cmd'"),
            ("C:/x/y.exe a\\ b", "C:/x/y.exe a\\ b"),
            ("C:/Program\\ Files/y.exe a", "C:/Program\\ Files/y.exe a"),
            ("\"C:\\x y\\z.exe\" a", "\"C:\\x y\\z.exe\" a"),
            (".\\$X\\y.cmd", ".\\$X\\y.cmd"),
            ("echo .\\x", "echo .\\x"),
        ];
        for (command, expected) in cases {
            let found = Windows.protect_first_word(command.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), *expected);
            assert_eq!(&*Unix.protect_first_word(command.as_bytes()), command.as_bytes());
        }
    }

    #[test]
    fn names_of_variables_ignore_case_on_windows_only() {
        let env = [("Path".into(), "x".into())];
        assert_eq!(Unix.variable(&env, "PATH"), None);
        assert_eq!(Unix.search_path(&env), hookshell_shell::DEFAULT_PATH);
        assert_eq!(Windows.search_path(&env), "x");
        assert_eq!(Windows.variable(&env, "PATH"), Some("x".as_ref()));
        assert_eq!(Platform::HOST == Windows, cfg!(windows));
    }
}
