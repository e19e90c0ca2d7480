//! `hookshell completions` and `hookshell man`: made from the command line's own definition.

mod offered;
mod scripts;

use crate::exit_code::ExitCode;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;

use self::offered::offered;
use crate::failure::{Failure, Sysexit};
use crate::{manual, output, value_parsers};

pub(crate) const EXAMPLES: &str = r"Examples:
  hookshell completions bash > ~/.local/share/bash-completion/completions/hookshell
  hookshell completions zsh > ~/.zfunc/_hookshell
  hookshell completions powershell >> $PROFILE";

pub(crate) const MAN_EXAMPLES: &str = r"Examples:
  hookshell man run | man -l -
  hookshell man --dir ~/.local/share/man/man1";

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command [default: hookshell itself]. A path is a directory, as with --dir
    #[arg(value_name = "COMMAND", value_parser = value_parsers::page(), hide_possible_values = true)]
    page: Option<PathBuf>,
    /// Write the pages of all commands to this directory, which is made if it is not there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "page")]
    dir: Option<PathBuf>,
}

/// Prints a shell's completions.
pub(crate) fn completions(line: &Command, shell: Shell) -> Result<ExitCode, Failure> {
    print(script(line, shell).as_bytes())
}

/// clap's script, with what it lacks.
pub(crate) fn script(line: &Command, shell: Shell) -> String {
    let mut line = offered(line);
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut line, "hookshell", &mut script);
    let script = String::from_utf8_lossy(&script);
    match shell {
        Shell::Bash => scripts::bash(&script, &line),
        Shell::Zsh => scripts::zsh(&script),
        Shell::Fish => scripts::fish(&script, &line),
        Shell::Elvish => scripts::elvish(&script, &line),
        Shell::PowerShell => scripts::power_shell(&script, &line),
        _ => script.into_owned(),
    }
}

/// Prints a manual page, or writes the pages of all commands.
pub(crate) fn man(args: &ManArgs, line: Command) -> Result<ExitCode, Failure> {
    let mut line = line.disable_help_subcommand(true);
    // Sub-commands get their full names, `hookshell run`.
    line.build();
    match (wanted(args, &line)?, &args.page) {
        (Wanted::Page(command), named) => {
            print(page(command, &line).map_err(page_failed)?.as_slice())?;
            if io::stdout().is_terminal() {
                let name = named.as_deref().map(|name| format!(" {}", name.display())).unwrap_or_default();
                output::note(&format!("man: to read it: hookshell man{name} | man -l -"));
            }
        }
        (Wanted::Pages(directory), _) => write_pages(directory, &line)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What `man` is asked for.
enum Wanted<'a> {
    Page(&'a Command),
    /// All of them, in this directory.
    Pages(&'a Path),
}

/// A word is a command's name, also with `hookshell-` before it, as its file is called. A path is a directory, and so is a word
/// that is no command where a directory of that name is there.
fn wanted<'a>(args: &'a ManArgs, line: &'a Command) -> Result<Wanted<'a>, Failure> {
    let named = match (&args.dir, &args.page) {
        (Some(directory), _) => return Ok(Wanted::Pages(directory)),
        (None, None) => return Ok(Wanted::Page(line)),
        (None, Some(named)) => named,
    };
    if let Some(word) = named.to_str() {
        if word == line.get_name() {
            return Ok(Wanted::Page(line));
        }
        let short = word.strip_prefix("hookshell-").unwrap_or(word);
        if let Some(command) = line.get_subcommands().find(|command| command.get_name() == short) {
            return Ok(Wanted::Page(command));
        }
    }
    let bytes = named.as_os_str().as_encoded_bytes();
    let is_path = bytes.iter().any(|byte| std::path::is_separator(char::from(*byte)));
    if is_path || named.is_dir() {
        return Ok(Wanted::Pages(named));
    }
    let name = named.display();
    Err(Failure::new(Sysexit::Usage, "man", format!("there is no command `{name}`"))
        .hint(format!("`hookshell --help` lists them; a directory is given so: hookshell man --dir {name}")))
}

fn write_pages(directory: &Path, line: &Command) -> Result<(), Failure> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::new(Sysexit::Io, directory.display().to_string(), error))?;
    for command in std::iter::once(line).chain(line.get_subcommands()) {
        let file = directory.join(Man::new(command.clone()).get_filename());
        let page = page(command, line).map_err(page_failed)?;
        std::fs::write(&file, page).map_err(|error| Failure::new(Sysexit::Io, file.display().to_string(), error))?;
    }
    Ok(())
}

fn page_failed(error: io::Error) -> Failure {
    Failure::new(Sysexit::Io, "man", error)
}

/// The page of a command, with what refers to the others.
fn page(command: &Command, line: &Command) -> io::Result<Vec<u8>> {
    // `hookshell-run`, as the file is called.
    let name = |command: &Command| {
        let file = Man::new(command.clone()).get_filename();
        file.strip_suffix(".1").unwrap_or(&file).to_owned()
    };
    let pages: Vec<String> = std::iter::once(line).chain(line.get_subcommands()).map(name).collect();
    let mut roff = own_sections(command)?;
    roff.extend(manual::sections(&name(command), &pages).bytes());
    Ok(portable(&String::from_utf8_lossy(&roff)).into_bytes())
}

/// roff that every formatter reads: other characters than ASCII's by their numbers, and a page without a date that says so. clap_mangen
/// leaves the place of the date empty, and what follows would be taken for it.
fn portable(roff: &str) -> String {
    let roff = roff.replacen(" 1  \"", " 1 \"\" \"", 1);
    let mut made = String::with_capacity(roff.len());
    for letter in roff.chars() {
        if letter.is_ascii() {
            made.push(letter);
        } else {
            made.push_str(&format!("\\[u{:04X}]", u32::from(letter)));
        }
    }
    made
}

/// What a command's own definition says. What `--help` says at its end has lines and columns of its own, which stay as they are.
fn own_sections(command: &Command) -> io::Result<Vec<u8>> {
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
