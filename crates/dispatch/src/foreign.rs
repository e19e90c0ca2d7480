//! Command lines and commands that were written for another kind of shell.

use std::path::Path;

/// What is probably meant by a command line that leads nowhere: `%NAME%` is cmd's, `$env:NAME` and a leading `&` are
/// PowerShell's, and a backslash outside quotes is no separator but quotes the character after it. `source` is the line as
/// the parser gets it. `None` if nothing of this is in it.
pub fn foreign_shell_hint(source: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(source);
    if let Some(name) = percent_name(&text) {
        return Some(format!("%{name}% is expanded by cmd only: the shell has \"${name}\""));
    }
    if let Some(at) = text.to_ascii_lowercase().find("$env:") {
        let name = name_at(text.get(at + 5..)?);
        return Some(format!("$env:{name} is expanded by PowerShell only: the shell has \"${name}\""));
    }
    if text.trim_start().starts_with("& ") {
        return Some("`&` in front of a command is PowerShell's: leave it out".to_owned());
    }
    has_bare_backslash(&text).then(|| {
        "to the shell a backslash outside quotes is no separator: write `/`, or put the path in single quotes"
            .to_owned()
    })
}

/// What is probably meant by a command that was not found: a word of cmd's or PowerShell's, or a file of the working directory.
pub fn unknown_command_hint(name: &str, cwd: &Path) -> Option<String> {
    /// Words of cmd, and what does their work.
    const CMD: [(&str, &str); 17] = [
        ("dir", "`ls`"),
        ("del", "`rm`"),
        ("erase", "`rm`"),
        ("copy", "`cp`"),
        ("xcopy", "`cp -R`"),
        ("move", "`mv`"),
        ("ren", "`mv`"),
        ("md", "`mkdir -p`"),
        ("rd", "`rm -r`"),
        ("mklink", "`ln -s`"),
        ("rem", "`#`"),
        ("ver", "`uname -a`"),
        ("findstr", "`grep`"),
        ("call", "the command without it"),
        ("goto", "`if`, `case` and functions"),
        ("setlocal", "`( … )`"),
        ("endlocal", "`( … )`"),
    ];
    /// Verbs that the names of PowerShell's commands begin with.
    const VERBS: [&str; 28] = [
        "Add",
        "Clear",
        "Compare",
        "Convert",
        "ConvertFrom",
        "ConvertTo",
        "Copy",
        "Export",
        "ForEach",
        "Format",
        "Get",
        "Import",
        "Invoke",
        "Join",
        "Measure",
        "Move",
        "New",
        "Out",
        "Read",
        "Remove",
        "Rename",
        "Select",
        "Set",
        "Start",
        "Stop",
        "Test",
        "Where",
        "Write",
    ];
    if let Some((word, ours)) = CMD.iter().find(|(word, _)| word.eq_ignore_ascii_case(name)) {
        return Some(format!("{word} is cmd's: the shell has {ours}"));
    }
    if let Some((verb, noun)) = name.split_once('-')
        && VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb))
        // `test-runner` is a program's name.
        && verb.starts_with(|first: char| first.is_ascii_uppercase())
        && noun.starts_with(|first: char| first.is_ascii_uppercase())
        && noun.chars().all(|c| c.is_ascii_alphabetic())
    {
        return Some(format!("{name} is PowerShell's: put it into a file `x.ps1`, and let `./x.ps1` be the command"));
    }
    let is_plain = !name.is_empty() && !name.contains(['/', '\\', ':']);
    (is_plain && cwd.join(name).is_file())
        .then(|| format!("the shell looks on PATH only, not in the working directory: write `./{name}`"))
}

/// The name that stands at the beginning.
fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The first `%NAME%`.
fn percent_name(text: &str) -> Option<&str> {
    text.match_indices('%').find_map(|(at, _)| {
        let rest = text.get(at + 1..)?;
        let name = name_at(rest);
        // Shorter ones are conversions: `date +%Y%m%d`.
        let is_name = name.len() > 2 && !name.starts_with(|first: char| first.is_ascii_digit());
        (is_name && rest.get(name.len()..)?.starts_with('%')).then_some(name)
    })
}

/// Is there a backslash outside quotes, in front of a letter, a digit, a dot or an underscore and after the beginning of a
/// word? In front of a word it keeps an alias away (`\rm`), in front of anything else it has something to quote.
fn has_bare_backslash(text: &str) -> bool {
    let (mut quote, mut before) = (None, ' ');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('"') | None, '\\') => {
                let Some(escaped) = chars.next() else { return false };
                let is_plain = escaped.is_alphanumeric() || matches!(escaped, '.' | '_');
                if quote.is_none() && is_plain && !before.is_whitespace() {
                    return true;
                }
            }
            (None, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        before = c;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{foreign_shell_hint, unknown_command_hint};

    #[test]
    fn a_command_of_another_shell_is_named() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("guard.bat"), "").unwrap();
        let cases: &[(&str, Option<&str>)] = &[
            ("dir", Some("dir is cmd's: the shell has `ls`")),
            ("DEL", Some("the shell has `rm`")),
            ("Get-Content", Some("Get-Content is PowerShell's")),
            ("Invoke-WebRequest", Some("./x.ps1")),
            ("guard.bat", Some("write `./guard.bat`")),
            ("test-runner", None),
            ("Test-runner", None),
            ("nonesuch", None),
            ("guard.cmd", None),
            ("", None),
        ];
        for (name, expected) in cases {
            let hint = unknown_command_hint(name, directory.path());
            match expected {
                Some(part) => assert!(hint.as_deref().is_some_and(|hint| hint.contains(part)), "{name}: {hint:?}"),
                None => assert_eq!(hint, None, "{name}"),
            }
        }
    }

    #[test]
    fn what_another_shell_would_read_is_named() {
        let cases: &[(&str, Option<&str>)] = &[
            (r"%CLAUDE_PROJECT_DIR%\x.cmd", Some("%CLAUDE_PROJECT_DIR% is")),
            ("\"%USERPROFILE%\\.claude\\x.sh\"", Some("has \"$USERPROFILE\"")),
            (r"$env:USERPROFILE\x.ps1", Some("$env:USERPROFILE is")),
            (r"node $Env:X\x.js", Some("$env:X is")),
            ("& 'C:\\x.cmd'", Some("`&` in front")),
            (r"hooks\x.sh", Some("no separator")),
            (r"node .\hooks\y.js a", Some("no separator")),
            (r"node 'hooks\y.js' a", None),
            ("node \"hooks\\y.js\" a", None),
            ("nonesuch +%Y%m%d", None),
            (r"\rm -rf x", None),
            (r"echo a\ b 100% %1 50%x", None),
            ("echo it\\'s", None),
            ("nonesuch --x", None),
            ("x\\", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let hint = foreign_shell_hint(line.as_bytes());
            match expected {
                Some(part) => assert!(hint.as_deref().is_some_and(|hint| hint.contains(part)), "{line}: {hint:?}"),
                None => assert_eq!(hint, None, "{line}"),
            }
        }
    }
}
