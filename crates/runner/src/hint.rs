//! What may be wrong with a hook's command line: most were written for another shell.

use hookshell_dispatch::{Platform, foreign_shell_hint};

use crate::report::Failure;

/// What is probably meant by a line that leads nowhere.
pub(crate) fn of_line(line: &str) -> Option<String> {
    foreign_shell_hint(&Platform::HOST.protect_first_word(line.as_bytes()))
}

/// The same for a line that has failed, with what was printed to standard error. A program that was started fails for reasons of
/// its own: there must be a sign.
pub(crate) fn of_failure(line: &str, failure: &Failure, stderr: &str) -> Option<String> {
    let is_certain = match failure {
        Failure::NotFound(_) | Failure::NotExecutable(_) | Failure::Parse(_) => true,
        // `%NAME%` names a job.
        Failure::ExitCode { .. } => stderr.contains("no job control") || has_what_is_left(line, stderr),
        _ => false,
    };
    if is_certain { of_line(line) } else { None }
}

/// Does a message have what the shell makes of one of the line's words: `hooksx.py` of `hooks\x.py`?
fn has_what_is_left(line: &str, message: &str) -> bool {
    /// A shorter word may stand in any message.
    const TELLING: usize = 4;
    line.split_whitespace().map(|word| word.trim_matches(['"', '\''])).any(|word| {
        let left = word.trim_start_matches(['.', '\\']).replace('\\', "");
        let left = left.replace("$env", "");
        left.len() >= TELLING && left.len() < word.len() && message.contains(&left)
    })
}

#[cfg(test)]
mod tests {
    use super::of_failure;
    use crate::report::Failure;

    #[test]
    fn a_program_that_was_given_something_else_is_told_why() {
        let failed = |line: &str, stderr: &str| {
            of_failure(line, &Failure::ExitCode { code: 1, last_line: String::new() }, stderr)
        };
        let module = "Error: Cannot find module 'C:\\w\\.claudehooksy.js'";
        assert!(failed(r"node .\.claude\hooks\y.js a", module).is_some_and(|hint| hint.contains("no separator")));
        assert!(
            failed(r"%X_DIR%\x.cmd", "bash: line 1: fg: no job control").is_some_and(|hint| hint.contains("%X_DIR%"))
        );
        assert!(
            failed(r"node $env:USER\x.js", "no module ':USERx.js'").is_some_and(|hint| hint.contains("PowerShell"))
        );
        assert_eq!(failed(r"node .\.claude\hooks\y.js a", "TypeError: x"), None);
        assert_eq!(failed(r"grep 'a\.b' x", "grep: x: No such file"), None);
        assert_eq!(failed("node y.js", "Cannot find module y.js"), None);
        assert_eq!(of_failure(r"x\y", &Failure::Cancelled, "xy"), None);
        let not_found = Failure::NotFound(String::new());
        assert!(of_failure("\"%USERPROFILE%\\x.cmd\"", &not_found, "").is_some());
        assert_eq!(of_failure("nonesuch", &not_found, ""), None);
    }
}
