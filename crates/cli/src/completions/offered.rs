//! What completions offer: the commands and options that help shows, and words, files or directories for what they take.

use clap::{Arg, Command, ValueHint};

/// What may stand at a place of a command line.
pub(super) enum Offer {
    Words(Vec<String>),
    Files,
    Directories,
    Anything,
}

/// The command line without what is hidden: clap's generators do not ask.
pub(super) fn offered(command: &Command) -> Command {
    let mut made = Command::new(lasting(command.get_name()))
        .disable_help_flag(command.is_disable_help_flag_set())
        .args(
            command.get_arguments().filter(|argument| argument.is_positional() || !argument.is_hide_set()).map(option),
        )
        .subcommands(command.get_subcommands().filter(|each| !each.is_hide_set()).map(offered));
    if let Some(version) = command.get_version() {
        made = made.version(lasting(version));
    }
    if let Some(about) = command.get_about() {
        made = made.about(about.clone());
    }
    if let Some(about) = command.get_long_about() {
        made = made.long_about(about.clone());
    }
    made
}

/// clap's script for bash takes names with blanks apart where the hint is `AnyPath`, the default of a path.
fn option(argument: &Arg) -> Arg {
    let argument = argument.clone();
    if argument.is_positional() || argument.get_value_hint() != ValueHint::AnyPath {
        return argument;
    }
    argument.value_hint(ValueHint::FilePath)
}

/// A command's name is a `&'static str` for clap. This process ends when the script is printed.
fn lasting(name: &str) -> &'static str {
    name.to_owned().leak()
}

/// What an option or an operand takes.
pub(super) fn values(argument: &Arg) -> Offer {
    let words = argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set());
    let words: Vec<String> = words.map(|value| value.get_name().to_owned()).collect();
    if !words.is_empty() {
        return Offer::Words(words);
    }
    match argument.get_value_hint() {
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::ExecutablePath => Offer::Files,
        ValueHint::DirPath => Offer::Directories,
        _ => Offer::Anything,
    }
}

/// What a command's first operand is. `None`: it has none.
pub(super) fn operand(command: &Command) -> Option<Offer> {
    command.get_positionals().next().map(values)
}

/// The options of a command that take a value: their names and what they take.
pub(super) fn options_with_values(command: &Command) -> impl Iterator<Item = (String, Offer)> {
    let options = command.get_opts().filter(|option| option.get_action().takes_values());
    options.flat_map(|option| {
        let long = option.get_long().map(|name| (format!("--{name}"), values(option)));
        let short = option.get_short().map(|letter| (format!("-{letter}"), values(option)));
        long.into_iter().chain(short)
    })
}
