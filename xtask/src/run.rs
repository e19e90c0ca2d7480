//! Starting the programs that a developer command is made of.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{ChildStdout, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::counts::TestCounts;
use crate::error::Error;

/// How long output is still awaited after the program itself has ended: something it left behind
/// (a wineserver, a hung grandchild) may hold the pipe open for ever.
const DRAIN: Duration = Duration::from_secs(5);

/// Runs `command` with this process's streams; anything but exit code 0 is an error.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    announce(command);
    let status = command.status().map_err(|source| start_error(command, source))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: display(command), status })
}

/// Runs `command` with this process's stdin and stderr, and keeps what it writes to stdout.
pub(crate) fn capture(command: &mut Command) -> Result<Output, Error> {
    announce(command);
    command.stderr(Stdio::inherit()).output().map_err(|source| start_error(command, source))
}

/// Runs `command`, which runs `cargo test`: its stdout is passed on line by line, and the results
/// of its test binaries are added to `counts`, for a failed run too. Tests that said that they are skipped are listed.
pub(crate) fn count_tests(command: &mut Command, counts: &mut TestCounts) -> Result<(), Error> {
    announce(command);
    let skips = std::env::temp_dir().join(format!("xtask-skips-{}", std::process::id()));
    std::fs::write(&skips, "").map_err(|source| Error::File { path: skips.clone(), source })?;
    command.env(hookshell_test_support::SKIPS_FILE, &skips);
    let mut all = TestCounts::default();
    let result = add_results(command, &mut all);
    let text = std::fs::read_to_string(&skips).unwrap_or_default();
    let _ = std::fs::remove_file(&skips);
    // A test that is run once more says it twice.
    let skipped: BTreeSet<&str> = text.lines().collect();
    for line in &skipped {
        println!("skipped: {line}");
    }
    *counts += all.without_skipped(skipped.len() as u64);
    result
}

fn add_results(command: &mut Command, counts: &mut TestCounts) -> Result<(), Error> {
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|source| start_error(command, source))?;
    let (found, results) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || pass_on(stdout, &found));
    }
    let status = child.wait().map_err(|source| start_error(command, source))?;
    while let Ok(one_binary) = results.recv_timeout(DRAIN) {
        *counts += one_binary;
    }
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: display(command), status })
}

/// Copies lines to this process's stdout and sends the counts that stand in them; ends with the input.
fn pass_on(input: ChildStdout, found: &mpsc::Sender<TestCounts>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    // A failed write means that nobody reads xtask's output any more; the tests still count.
    while matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
        let _ = std::io::stdout().write_all(&line);
        if let Some(counts) = TestCounts::from_line(&String::from_utf8_lossy(&line)) {
            let _ = found.send(counts);
        }
        line.clear();
    }
    let _ = std::io::stdout().flush();
}

fn announce(command: &Command) {
    eprintln!("$ {}", display(command));
}

fn start_error(command: &Command, source: std::io::Error) -> Error {
    Error::Start { program: command.get_program().to_string_lossy().into_owned(), source }
}

/// The command as a developer would type it, near enough: the program's base name and its
/// arguments, quoted where they hold more than plain characters.
fn display(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut text = program.file_stem().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for argument in command.get_args() {
        let argument = argument.to_string_lossy();
        text.push(' ');
        if argument.is_empty() || argument.contains(|c: char| c.is_whitespace() || "'\"{}$\\".contains(c)) {
            text.push('\'');
            text.push_str(&argument.replace('\'', r"'\''"));
            text.push('\'');
        } else {
            text.push_str(&argument);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["run", "--input", r#"{"command":"rm -rf /"}"#, "", "it's"]);
        assert_eq!(display(&command), r#"cargo run --input '{"command":"rm -rf /"}' '' 'it'\''s'"#);
    }
}
