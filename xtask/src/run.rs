//! Starting the programs that a developer command is made of.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::error::Error;

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

pub(crate) fn announce(command: &Command) {
    eprintln!("$ {}", display(command));
}

pub(crate) fn start_error(command: &Command, source: std::io::Error) -> Error {
    Error::Start { program: command.get_program().to_string_lossy().into_owned(), source }
}

/// The command as a developer would type it, near enough: the program's base name and its
/// arguments, quoted where they hold more than plain characters.
pub(crate) fn display(command: &Command) -> String {
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
