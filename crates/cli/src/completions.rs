//! `hookshell completions` and `hookshell man`: made from the command line's own definition.

use crate::exit_code::ExitCode;
use std::path::Path;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::failure::{Failure, Sysexit};
use crate::output;

/// Prints a shell's completions.
pub(crate) fn completions(mut line: Command, shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut line, "hookshell", &mut script);
    print(&script)
}

/// Prints the manual page, or writes the pages of all commands.
pub(crate) fn man(mut line: Command, folder: Option<&Path>) -> Result<ExitCode, Failure> {
    // Sub-commands get their full names, `hookshell run`.
    line.build();
    let failed = |error| Failure::new(Sysexit::Io, "man", error);
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(line).render(&mut page).map_err(failed)?;
        return print(&page);
    };
    std::fs::create_dir_all(folder).map_err(|error| Failure::new(Sysexit::Io, folder.display().to_string(), error))?;
    clap_mangen::generate_to(line, folder).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

fn print(text: &[u8]) -> Result<ExitCode, Failure> {
    output::print(&String::from_utf8_lossy(text))
        .map(|()| ExitCode::SUCCESS)
        .map_err(|error| Failure::new(Sysexit::Io, "standard output", error))
}
