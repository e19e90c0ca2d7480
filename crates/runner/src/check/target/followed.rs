//! The scripts that a command reads.

use hookshell_dispatch::command_line::KnownShell;

/// A script that a command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::check) struct Followed {
    /// As it is written, without its quotes.
    pub(in crate::check) path: String,
    /// `. FILE`: it is read by the shell that reads the command.
    pub(in crate::check) is_sourced: bool,
}

/// The script that a command reads: `. FILE`, `bash FILE`, `./FILE`.
pub(super) fn followed(words: &[String]) -> Option<Followed> {
    let (name, operands) = words.split_first()?;
    let found = |path: &str, is_sourced| {
        let path = path.replace(['"', '\''], "");
        (!path.is_empty()).then_some(Followed { path, is_sourced })
    };
    if matches!(&**name, "." | "source") {
        return found(operands.first()?, true);
    }
    if KnownShell::named(super::base_name(name).as_bytes()).is_some() {
        let first = operands.iter().find(|word| !word.starts_with(['-', '+']))?;
        let reads_text = operands.iter().take_while(|word| *word != first).any(|word| word.contains(['c', 's', 'o']));
        return if reads_text { None } else { found(first, false) };
    }
    if name.contains('/') { found(name, false) } else { None }
}
