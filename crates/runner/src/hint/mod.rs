//! What may be wrong with a hook's command line: most were written for another shell.

mod crlf;

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use hookshell_dispatch::{Platform, foreign_shell_hint};

pub(crate) use self::crlf::of_crlf;
use crate::nearest::nearest;
use crate::outcome::Failure;

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

/// What the system says of a file that is not there.
const NO_FILE: &str = ": No such file or directory";

/// What the system says of a directory that was to be run.
const IS_DIRECTORY: &str = ": Is a directory";

/// How many words of a command may be one path.
const WORDS: usize = 8;

/// How many names of a directory are looked at for one that is near.
const NAMES: usize = 1000;

/// Programs that run scripts, of which a misspelled command is likely to be one.
const PROGRAMS: [&str; 14] =
    ["bash", "bun", "deno", "jq", "lua", "node", "npx", "perl", "php", "pwsh", "python", "python3", "ruby", "uvx"];

/// What is known of a failure for a file or a program that is not there, by its message. `line` is the command, `cwd` is where the hook
/// ran, and `directories` are those that its variables name.
pub(crate) fn of_missing(failure: &Failure, line: &str, cwd: &Path, directories: &[&Path]) -> Option<String> {
    let message = match failure {
        Failure::NotFound(message) => message,
        Failure::NotExecutable(message) => {
            let name = message.strip_suffix(IS_DIRECTORY)?.rsplit(": ").next()?;
            return of_split_path(name, line, cwd);
        }
        _ => return None,
    };
    let message = message.trim_start_matches("bash: ");
    if let Some(name) = unopened_script(message) {
        let given = Path::new(name).strip_prefix(cwd).ok().and_then(Path::to_str).unwrap_or(name);
        return Some(of_split_path(given, line, cwd).unwrap_or_else(|| of_missing_file(name, cwd, directories)));
    }
    if let Some(name) = message.strip_suffix(": command not found") {
        return of_missing_program(name);
    }
    let (before, _) = message.split_once(NO_FILE)?;
    let name = before.rsplit(": ").next().unwrap_or(before);
    let is_path = name.contains('/') || cfg!(windows) && name.contains('\\');
    let of_path = || {
        let of_variable = of_variable(name, line);
        of_variable
            .or_else(|| of_split_path(name, line, cwd))
            .or_else(|| of_split_after_variable(name, line, cwd, directories))
    };
    match is_path {
        true => Some(of_path().unwrap_or_else(|| of_missing_file(name, cwd, directories))),
        // `bash my hooks/x.sh`
        false => of_split_path(name, line, cwd),
    }
}

/// The script that Python or Perl was to run and could not open, of what they say of it. They exit with 2, which denies.
pub(crate) fn unopened_script(message: &str) -> Option<&str> {
    let (_, of_python) = message.split_once("can't open file '").unwrap_or_default();
    let (_, of_perl) = message.split_once("Can't open perl script \"").unwrap_or_default();
    let python = of_python.split_once("': [Errno 2]");
    python.or_else(|| of_perl.split_once("\": ")).map(|(name, _)| name)
}

/// Is what a shell printed the syntax error of a script that the command line names? It exits with 2, which denies.
pub(crate) fn is_syntax_error_of(line: &str, stderr: &str) -> bool {
    stderr.lines().any(|printed| {
        let place = [": syntax error", ": unexpected EOF while looking for", ": Syntax error: "];
        let Some(place) = place.iter().find_map(|error| Some(printed.split_once(error)?.0)) else { return false };
        // bash: `FILE: line 6`; dash: `FILE: 6`.
        let file = place.rsplit_once(": ").filter(|(_, number)| {
            let number = number.strip_prefix("line ").unwrap_or(number);
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        });
        let name = file.and_then(|(file, _)| file.rsplit(['/', '\\']).next());
        name.is_some_and(|name| !name.is_empty() && line.contains(name))
    })
}

/// What is wrong with a path that names a file with a blank in it and stands without quotes: `name` is its part before the blank.
pub(crate) fn of_split_path(name: &str, line: &str, cwd: &Path) -> Option<String> {
    let line = with_slashes(line);
    let starts = line.match_indices(&*with_slashes(name)).map(|(at, _)| at).collect::<Vec<_>>();
    starts.into_iter().find_map(|start| {
        let rest = line.get(start..)?;
        let after = rest.get(name.len()..)?;
        // What ends a word, or what is quoted, is no part of a path that was meant as one word.
        let end = after.find(['\'', '"', ';', '|', '&', '<', '>', '\n']).unwrap_or(after.len()) + name.len();
        let rest = rest.get(..end)?.trim_end();
        let blanks = rest.match_indices([' ', '\t']).map(|(at, _)| at).filter(|at| *at >= name.len());
        let ends = blanks.skip(1).chain([rest.len()]).take(WORDS);
        let mut paths = ends.filter_map(|end| rest.get(..end)).filter(|path| path.len() > name.len());
        let path = paths.find(|path| cwd.join(path).is_file())?;
        Some(format!("its path is split at the blank: write it in double quotes, \"{path}\" (in JSON, \\\"{path}\\\")"))
    })
}

/// The same of a path that begins with a variable: `name` has what is in it, and the line its name.
fn of_split_after_variable(name: &str, line: &str, cwd: &Path, directories: &[&Path]) -> Option<String> {
    let (name, line) = (with_slashes(name), with_slashes(line));
    directories.iter().filter_map(|directory| directory.to_str()).find_map(|directory| {
        let directory = with_slashes(directory);
        let rest = name.strip_prefix(&*directory)?;
        let is_after_name = |at: &usize| {
            let before = line.get(..*at).unwrap_or_default();
            before.ends_with(|letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '}'))
        };
        let starts = line.match_indices(rest).map(|(at, _)| at).filter(is_after_name);
        let mut expanded = starts.filter_map(|at| Some(format!("{directory}{}", line.get(at..)?)));
        if rest.starts_with('/') { expanded.find_map(|line| of_split_path(&name, &line, cwd)) } else { None }
    })
}

/// The program that a name is likely meant to be.
pub(crate) fn of_missing_program(name: &str) -> Option<String> {
    // A short name is near to many.
    let meant = if name.len() > 3 { nearest(name, PROGRAMS) } else { None };
    meant.filter(|meant| *meant != name).map(|meant| format!("did you mean `{meant}`?"))
}

/// What is wrong with the variable that the path of a missing file begins with: it is in single quotes, or empty. `line` is the command.
fn of_variable(name: &str, line: &str) -> Option<String> {
    if name.starts_with('$') && line.contains('\'') {
        return Some("a variable in single quotes is not expanded: write it in double quotes".to_owned());
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.split('$').skip(1).find_map(|rest| {
        let (is_braced, rest) = match rest.strip_prefix('{') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let (variable, rest) = rest.split_at(rest.find(|c| !is_name(c))?);
        let rest = if is_braced { rest.strip_prefix(['-', ':']).unwrap_or(rest).strip_prefix('}')? } else { rest };
        let rest = rest.strip_prefix('"').unwrap_or(rest);
        let is_it = !variable.is_empty() && name.starts_with('/') && rest.starts_with(name);
        is_it.then(|| format!("{variable} is empty here: `hookshell check` says who sets it"))
    })
}

/// Why a command's first word names no file, where that is the `reason` that it cannot be started: where it was looked for and what is
/// there instead, or that it is a part of a path with a blank.
pub fn of_missing_command(reason: &str, name: &str, line: &str, cwd: &Path) -> Option<String> {
    let is_missing = NO_FILE.strip_prefix(": ") == Some(reason) && !name.is_empty();
    is_missing.then(|| of_split_path(name, line, cwd).unwrap_or_else(|| of_missing_file(name, cwd, &[])))
}

/// Where a file was looked for that is not there, and what is there instead.
pub(crate) fn of_missing_file(name: &str, cwd: &Path, directories: &[&Path]) -> String {
    let path = plain(&cwd.join(name));
    let shown = path.display();
    let name = with_slashes(name);
    let is_cut = |directory: &&&Path| {
        let directory = directory.to_str().map(with_slashes);
        let rest = directory.as_deref().and_then(|directory| directory.strip_prefix(&*name));
        rest.is_some_and(|rest| rest.starts_with([' ', '\t']))
    };
    if let Some(directory) = directories.iter().find(is_cut) {
        let directory = directory.display();
        return format!("{directory} is split at its blank: write the variable in double quotes, \"$NAME\"/…");
    }
    match instead_of(&path) {
        Some(instead) => format!("it was looked for as {shown}: {instead}"),
        None => format!("it was looked for as {shown}"),
    }
}

/// What is there instead of a file that is not.
pub(crate) fn instead_of(path: &Path) -> Option<String> {
    if path.symlink_metadata().is_ok() {
        return Some("it is a link that leads nowhere".to_owned());
    }
    let directory = path.ancestors().skip(1).find(|directory| directory.is_dir())?;
    let missing = path.strip_prefix(directory).ok()?.components().next()?.as_os_str().to_string_lossy().into_owned();
    let near = near(directory, &missing).map(|near| format!("did you mean `{near}`?"));
    if path.parent() == Some(directory) {
        return near;
    }
    let none = format!("{} has no directory `{missing}`", directory.display());
    Some(near.map_or_else(|| none.clone(), |near| format!("{none}: {near}")))
}

/// The name in a directory that is nearest to another.
fn near(directory: &Path, wanted: &str) -> Option<String> {
    let entries = directory.read_dir().ok()?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).take(NAMES);
    let names: Vec<String> = names.filter(|name| name != wanted).collect();
    nearest(wanted, names.iter().map(String::as_str)).map(str::to_owned)
}

/// A path as it is compared: on Windows both separators are one.
fn with_slashes(path: &str) -> Cow<'_, str> {
    if cfg!(windows) { path.replace('\\', "/").into() } else { path.into() }
}

/// A path without `.` in it.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
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
    use super::{is_syntax_error_of, of_failure, of_missing};
    use crate::outcome::Failure;

    #[test]
    fn a_file_that_is_not_there_is_said_to_be_looked_for_where_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().join("my project");
        std::fs::create_dir_all(project.join("guards")).unwrap();
        std::fs::write(project.join("guards").join("guard.sh"), "").unwrap();
        let hint = |message: &str| {
            let message = message.replace("ROOT", &directory.path().display().to_string());
            let hint = of_missing(&Failure::NotFound(message), "cat x; ./guards/gaurd.sh", &project, &[&project])?;
            Some(hint.replace(&directory.path().display().to_string(), "ROOT").replace('\\', "/"))
        };
        let cases = [
            ("pyhton3: command not found", Some("did you mean `python3`?")),
            ("python3: command not found", None),
            ("ls: command not found", None),
            (
                "./guards/gaurd.sh: No such file or directory",
                Some("it was looked for as ROOT/my project/guards/gaurd.sh: did you mean `guard.sh`?"),
            ),
            (
                "bash: ./guards/nonesuch: No such file or directory",
                Some("it was looked for as ROOT/my project/guards/nonesuch"),
            ),
            (
                "gards/guard.sh: No such file or directory",
                Some(
                    "it was looked for as ROOT/my project/gards/guard.sh: ROOT/my project has no directory `gards`: did you mean `guards`?",
                ),
            ),
            (
                "ROOT/my: No such file or directory",
                Some("ROOT/my project is split at its blank: write the variable in double quotes, \"$NAME\"/…"),
            ),
            ("cat: x: No such file or directory", None),
            (
                "python3: can't open file 'ROOT/my project/guards/gaurd.sh': [Errno 2] No such file or directory",
                Some("it was looked for as ROOT/my project/guards/gaurd.sh: did you mean `guard.sh`?"),
            ),
            (
                "Can't open perl script \"guards/gaurd.sh\": No such file or directory",
                Some("it was looked for as ROOT/my project/guards/gaurd.sh: did you mean `guard.sh`?"),
            ),
        ];
        for (message, expected) in cases {
            assert_eq!(hint(message).as_deref(), expected, "{message}");
        }
        assert_eq!(of_missing(&Failure::Cancelled, "x", &project, &[]), None);
    }

    #[test]
    fn a_path_that_is_split_at_its_blank_is_told_how_it_is_written() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path();
        std::fs::create_dir_all(project.join("My Own Dir")).unwrap();
        std::fs::create_dir(project.join("My")).unwrap();
        std::fs::write(project.join("My Own Dir").join("g.sh"), "").unwrap();
        let no_file = |name: &str| Failure::NotFound(format!("{name}: No such file or directory"));
        let is_directory = |name: &str| Failure::NotExecutable(format!("{name}: Is a directory"));
        let quoted = "its path is split at the blank: write it in double quotes, \"./My Own Dir/g.sh\" (in JSON, \\\"./My Own Dir/g.sh\\\")";
        let plain = "its path is split at the blank: write it in double quotes, \"My Own Dir/g.sh\" (in JSON, \\\"My Own Dir/g.sh\\\")";
        let cases = [
            (is_directory("./My"), "./My Own Dir/g.sh", Some(quoted)),
            (is_directory("bash: ./My"), "bash ./My Own Dir/g.sh --strict; true", Some(quoted)),
            (no_file("./My"), "cat; ./My Own Dir/g.sh&& true", Some(quoted)),
            (no_file("bash: ./My"), "bash ./My Own Dir/g.sh", Some(quoted)),
            (no_file("sh: 0: cannot open My"), "sh My Own Dir/g.sh", None),
            (no_file("bash: My"), "bash My Own Dir/g.sh --strict", Some(plain)),
            (is_directory("./My"), "./My", None),
            (is_directory("./My"), "./My Own Dir/h.sh", None),
            (is_directory("./My"), "./My; echo 'Own Dir/g.sh'", None),
        ];
        for (failure, line, expected) in cases {
            assert_eq!(of_missing(&failure, line, project, &[]).as_deref(), expected, "{line}");
        }
        assert!(
            of_missing(&no_file("./My"), "./My 'Own Dir/g.sh'", project, &[])
                .is_some_and(|hint| hint.starts_with("it was looked for as "))
        );
    }

    #[test]
    fn the_syntax_error_of_a_hooks_own_script_is_known() {
        for (line, stderr, expected) in [
            (".claude/g.sh", ".claude/g.sh: line 6: syntax error: unexpected end of file\n", true),
            ("bash \"$X\"/g.sh -q", "/a b/g.sh: line 1: unexpected EOF while looking for matching `\"'", true),
            ("sh g.sh", "g.sh: 3: Syntax error: end of file unexpected (expecting \"fi\")", true),
            (
                "./g.sh",
                "was printed\n./g.sh: line 2: syntax error near unexpected token `fi'\n./g.sh: line 2: `fi'",
                true,
            ),
            // A guard that says so of what it looks at.
            ("./g.sh", "main.sh: line 2: syntax error near unexpected token `fi'", false),
            ("./g.sh", "./g.sh: syntax error in what you wrote", false),
            ("./g.sh", "no", false),
        ] {
            assert_eq!(is_syntax_error_of(line, stderr), expected, "{line}: {stderr}");
        }
    }

    #[test]
    fn a_variable_that_leads_nowhere_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let hint = |line: &str, name: &str| {
            let failure = Failure::NotFound(format!("{name}: No such file or directory"));
            of_missing(&failure, line, directory.path(), &[]).unwrap_or_default()
        };
        let quoted = "a variable in single quotes is not expanded: write it in double quotes";
        assert_eq!(hint("'${X}/g.sh'", "${X}/g.sh"), quoted);
        assert_eq!(hint("bash '$X/g.sh' a", "$X/g.sh"), quoted);
        for line in ["$X_Y/g.sh a", "\"$X_Y\"/g.sh", "\"${X_Y}/g.sh\"", "echo $Z; ${X_Y-}/g.sh", "bash ${X_Y}/g.sh"] {
            assert_eq!(hint(line, "/g.sh"), "X_Y is empty here: `hookshell check` says who sets it", "{line}");
        }
        for (line, name) in [("/g.sh $X", "/g.sh"), ("$X/h.sh", "/g.sh"), ("./g.sh '$'", "./g.sh"), ("$", "/g.sh")] {
            assert!(hint(line, name).starts_with("it was looked for as "), "{line}");
        }
    }

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

    #[test]
    fn a_path_after_a_variable_is_split_likewise() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path();
        std::fs::create_dir(project.join("my hooks")).unwrap();
        std::fs::write(project.join("my hooks").join("g.sh"), "").unwrap();
        let shown = project.display().to_string().replace('\\', "/");
        let failure = Failure::NotFound(format!("{shown}/my: No such file or directory"));
        for (line, is_told) in [
            ("$CLAUDE_PROJECT_DIR/my hooks/g.sh", true),
            ("${CLAUDE_PROJECT_DIR}/my hooks/g.sh --strict", true),
            ("$CLAUDE_PROJECT_DIR/my hooks/h.sh", false),
            ("x /my hooks/g.sh", false),
        ] {
            let hint = of_missing(&failure, line, project, &[project]).unwrap();
            let path = format!("its path is split at the blank: write it in double quotes, \"{shown}/my hooks/g.sh\"");
            assert_eq!(hint.starts_with(&path), is_told, "{line}: {hint}");
        }
    }
}
