//! Command lines that are hookshell's own.

/// The program that is written into configs: looked up on PATH.
pub(crate) const PROGRAM: &str = "hookshell";

/// Does a command start hookshell: by its name, or by a path to it?
pub(crate) fn is_ours(command: &str) -> bool {
    let command = command.trim_start();
    let word = match command.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next().unwrap_or_default(),
        None => command.split_ascii_whitespace().next().unwrap_or_default(),
    };
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    name == PROGRAM || name.eq_ignore_ascii_case("hookshell.exe")
}

/// May a word stand in a command line of sh, cmd, PowerShell 5.1 and pwsh without quotes, and mean itself?
pub(crate) fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-:~".contains(&byte))
}

/// `hookshell exec 'COMMAND'` for a shell of POSIX's kind.
pub(crate) fn quoted_exec(command: &str) -> String {
    format!("{PROGRAM} exec '{}'", command.replace('\'', r"'\''"))
}

/// The command that [`quoted_exec`] was made of.
pub(crate) fn unquoted_exec(line: &str) -> Option<String> {
    let quoted = line.strip_prefix(PROGRAM)?.strip_prefix(" exec '")?.strip_suffix('\'')?;
    let command = quoted.replace(r"'\''", "'");
    (quoted_exec(&command) == line).then_some(command)
}

#[cfg(test)]
mod tests {
    use super::{is_ours, is_plain, quoted_exec, unquoted_exec};

    #[test]
    fn a_command_comes_back_from_its_quotes() {
        for command in ["", "a", "it's", "'", "''", r"'\''", "a\nb \"$c\" \\", "é"] {
            assert_eq!(unquoted_exec(&quoted_exec(command)).as_deref(), Some(command));
        }
        assert_eq!(unquoted_exec("hookshell exec 'a' 'b'"), None);
        assert_eq!(unquoted_exec("hookshell exec a"), None);
    }

    #[test]
    fn hookshell_is_known_by_its_name_and_by_its_path() {
        for command in ["hookshell run x", " hookshell", "/a/hookshell exec y", r#""C:\a b\hookshell.exe" run"#] {
            assert!(is_ours(command), "{command}");
        }
        for command in ["", "hookshell2", "echo hookshell", "hookshell/x"] {
            assert!(!is_ours(command), "{command}");
        }
    }

    #[test]
    fn a_plain_word_means_itself_in_every_shell() {
        assert!(is_plain("~/.codex/hookshell/hooks.json"));
        for word in ["", "a b", "a$b", "a\\b", "%a%", "@a", "é", "a'b", "a&b"] {
            assert!(!is_plain(word), "{word}");
        }
    }
}
