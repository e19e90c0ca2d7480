//! Scripts with Windows' line ends that a shell took for text.

use std::path::Path;

use hookshell_dispatch::command_line::KnownShell;

use crate::read_file::read_regular;
use crate::shebang_name::shebang_name;

/// How many words of a command may be the script.
const WORDS: usize = 32;

/// How large a script is that is looked at.
const SIZE_LIMIT: u64 = 1024 * 1024;

/// Which script of a hook's command has CRLF line ends, where what was printed to standard error is what comes of them. A relative path,
/// or what follows a variable, is looked for in `directories`.
pub(crate) fn of_crlf(line: &str, stderr: &str, directories: &[&Path]) -> Option<String> {
    let is_end = |c: char| c.is_whitespace() || "\"'`;|&()<>=".contains(c);
    let paths = line.split(is_end).filter(|word| !word.is_empty() && !word.starts_with('-')).take(WORDS);
    paths.into_iter().find_map(|path| {
        let script = script(path, directories)?;
        is_cause(path, &script, stderr).then(|| {
            format!("{path} has CRLF line ends, which its interpreter takes for text: save it with LF line ends")
        })
    })
}

/// The text of a script with CRLF line ends.
fn script(path: &str, directories: &[&Path]) -> Option<Vec<u8>> {
    // `$CLAUDE_PROJECT_DIR/guard.sh`, and what is left of it after a quote.
    let below = if path.starts_with('$') { path.split_once('/').map(|(_, rest)| rest) } else { path.strip_prefix('/') };
    let mut paths =
        directories.iter().flat_map(|directory| [Some(path), below].map(|path| Some(directory.join(path?))));
    let bytes = paths.find_map(|path| read_regular(&path?, SIZE_LIMIT).ok())?;
    bytes.windows(2).any(|two| two == b"\r\n").then_some(bytes)
}

/// Is what was printed to standard error what comes of a CR at the end of a line?
fn is_cause(path: &str, script: &[u8], stderr: &str) -> bool {
    let first = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let named = shebang_name(script);
    let mut lines = stderr.lines().filter(|line| line.contains(path) || line.contains("\\r'") || line.contains('\r'));
    // The system looks for an interpreter whose name ends in a CR.
    let asks_for = named.as_deref().filter(|_| first.ends_with(b"\r"));
    if let Some(name) = asks_for {
        let of_system = ["not found", "No such file", "cannot execute", "bad interpreter"];
        let is_it = |line: &str| {
            let names_interpreter = ["\r", "\\r", "^M"].iter().any(|end| line.contains(&format!("{name}{end}")));
            // Of the script itself, which is there: it may also tell of a program that is not.
            of_system
                .iter()
                .any(|text| line.contains(&format!("{path}: {text}")) || names_interpreter && line.contains(text))
        };
        if stderr.lines().any(is_it) {
            return true;
        }
    }
    let is_shell = match &named {
        Some(name) => KnownShell::named(name.as_bytes()).is_some(),
        None => Path::new(path)
            .extension()
            .is_none_or(|extension| KnownShell::named(extension.as_encoded_bytes()).is_some()),
    };
    let is_told = |line: &str| {
        let line_in_lower_case = line.to_ascii_lowercase();
        line.contains('\r')
            || line.contains("\\r'")
            || ["syntax error", "parse error"].iter().any(|text| line_in_lower_case.contains(text))
    };
    is_shell && lines.any(is_told)
}

#[cfg(test)]
mod tests {
    use super::of_crlf;

    #[test]
    fn a_script_with_crlf_is_told_where_its_cr_is_seen() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).unwrap();
        write("g.sh", "#!/bin/bash\r\nexit 2\r\n");
        write("lf.sh", "#!/bin/bash\nexit 2\n");
        write("guard", "#!/usr/bin/env python3\r\nprint()\r\n");
        write("plain.py", "print()\r\n");
        let told = |line: &str, stderr: &str| of_crlf(line, stderr, &[directory.path()]);
        let hint = |path: &str| {
            Some(format!("{path} has CRLF line ends, which its interpreter takes for text: save it with LF line ends"))
        };
        for (line, path, stderr) in [
            ("bash ./g.sh", "./g.sh", "./g.sh: line 2: exit: 2\r: numeric argument required"),
            ("cat | sh g.sh; true", "g.sh", "g.sh: 6: Syntax error: end of file unexpected"),
            ("/bin/bash g.sh", "g.sh", "g.sh: line 3: syntax error near unexpected token `$'in\\r''"),
            ("sh -c ./g.sh", "./g.sh", "sh: 1: ./g.sh: not found"),
            ("bash -c './guard -x'", "./guard", "env: 'python3\\r': No such file or directory"),
            (
                "sh -c ./guard",
                "./guard",
                "/usr/bin/env: ‘python3\\r’: No such file or directory\n/usr/bin/env: use -[v]S to pass options",
            ),
            ("bash -c ./g.sh", "./g.sh", "bash: ./g.sh: /bin/bash^M: bad interpreter: No such file or directory"),
            ("\"$X_DIR\"/g.sh", "/g.sh", "/x/g.sh: line 2: $'\\r': command not found"),
            ("bash $X_DIR/g.sh", "$X_DIR/g.sh", "/x/g.sh: line 2: $'\\r': command not found"),
        ] {
            assert_eq!(told(line, stderr), hint(path), "{line}");
        }
        for (line, stderr) in [
            ("bash ./lf.sh", "./lf.sh: line 2: exit: 2\r: numeric argument required"),
            ("./g.sh", "no"),
            ("./g.sh", "./g.sh: line 2: nonesuch: command not found"),
            ("./g.sh", "curl: (6) Could not resolve host"),
            ("./g.sh", "jq: No such file or directory"),
            ("python3 plain.py", " 50%\r100%"),
            ("./guard", "Traceback\nValueError: x"),
            ("bash none.sh", "none.sh: syntax error"),
        ] {
            assert_eq!(told(line, stderr), None, "{line}: {stderr}");
        }
    }
}
