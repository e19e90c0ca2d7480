//! `hookshell completions` and `hookshell man`: made from the command line's own definition.

use crate::exit_code::ExitCode;
use std::io;
use std::path::Path;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::failure::{Failure, Sysexit};
use crate::{manual, output};

pub(crate) const EXAMPLES: &str = r"Examples:
  hookshell completions bash > ~/.local/share/bash-completion/completions/hookshell
  hookshell completions zsh > ~/.zfunc/_hookshell
  hookshell completions powershell >> $PROFILE";

pub(crate) const MAN_EXAMPLES: &str = r"Examples:
  hookshell man | man -l -
  hookshell man ~/.local/share/man/man1";

/// Prints a shell's completions.
pub(crate) fn completions(mut line: Command, shell: Shell) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut line, "hookshell", &mut script);
    print(&script)
}

/// Prints the manual page, or writes the pages of all commands.
pub(crate) fn man(line: Command, directory: Option<&Path>) -> Result<ExitCode, Failure> {
    let mut line = line.disable_help_subcommand(true);
    // Sub-commands get their full names, `hookshell run`.
    line.build();
    let failed = |error| Failure::new(Sysexit::Io, "man", error);
    // `hookshell-run`, as the file is called.
    let name = |command: &Command| {
        let file = Man::new(command.clone()).get_filename();
        file.strip_suffix(".1").unwrap_or(&file).to_owned()
    };
    let pages: Vec<String> = std::iter::once(&line).chain(line.get_subcommands()).map(name).collect();
    let page = |command: &Command| {
        let mut roff = page(command)?;
        roff.extend(manual::sections(&name(command), &pages).bytes());
        Ok::<_, io::Error>(roff)
    };
    let Some(directory) = directory else {
        return print(&page(&line).map_err(failed)?);
    };
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::new(Sysexit::Io, directory.display().to_string(), error))?;
    for command in std::iter::once(&line).chain(line.get_subcommands()) {
        let file = directory.join(Man::new(command.clone()).get_filename());
        let page = page(command).map_err(failed)?;
        std::fs::write(&file, page).map_err(|error| Failure::new(Sysexit::Io, file.display().to_string(), error))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The page of a command. What `--help` says at its end has lines and columns of its own, which stay as they are.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let page = Man::new(command.clone()).source(concat!("hookshell ", env!("CARGO_PKG_VERSION")));
    let mut roff = Vec::new();
    page.render_title(&mut roff)?;
    page.render_name_section(&mut roff)?;
    page.render_synopsis_section(&mut roff)?;
    page.render_description_section(&mut roff)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        page.render_options_section(&mut roff)?;
    }
    if command.has_subcommands() {
        page.render_subcommands_section(&mut roff)?;
    }
    if let Some(notes) = command.get_after_help() {
        roff.extend(b".SH NOTES\n.nf\n");
        for line in notes.to_string().lines() {
            // The guard keeps a dot or an apostrophe at its beginning from being a request.
            let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
            roff.extend(format!("\\&{line}\n").bytes());
        }
        roff.extend(b".fi\n");
    }
    Ok(roff)
}

fn print(text: &[u8]) -> Result<ExitCode, Failure> {
    output::print(&String::from_utf8_lossy(text)).map(|()| ExitCode::SUCCESS).map_err(Failure::output)
}
