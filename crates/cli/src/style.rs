//! Colour, and lines that move, on terminals: one rule for every command.

use std::ffi::OsString;
use std::io::{self, IsTerminal};

use clap::ColorChoice;

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    is_coloured: bool,
}

impl Style {
    /// Standard output's: coloured if it is a terminal that can do it. `NO_COLOR` switches colour off, `CLICOLOR_FORCE` on
    /// (<https://no-color.org>, <https://bixense.com/clicolors>).
    pub(crate) fn of_stdout() -> Self {
        Self { is_coloured: is_coloured(|name| std::env::var_os(name), takes_escapes(&io::stdout())) }
    }

    /// The same for what clap prints: help.
    pub(crate) fn of_clap(self) -> ColorChoice {
        if self.is_coloured { ColorChoice::Always } else { ColorChoice::Never }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// The line of a finding, the word for how bad it is painted.
    pub(crate) fn finding(self, line: &str) -> String {
        const ERROR: &str = ": error: ";
        const WARNING: &str = ": warning: ";
        match (line.find(ERROR), line.find(WARNING)) {
            (Some(at), warning) if warning.is_none_or(|warning| at < warning) => {
                line.replacen(ERROR, &format!(": {}: ", self.red("error")), 1)
            }
            (_, Some(_)) => line.replacen(WARNING, &format!(": {}: ", self.yellow("warning")), 1),
            _ => line.to_owned(),
        }
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.paint("32", text)
    }
}

/// Is it a terminal on which escape sequences do something? Windows' consoles are told that they come.
pub(crate) fn takes_escapes(stream: &impl IsTerminal) -> bool {
    if !stream.is_terminal() || is_dumb(std::env::var_os("TERM")) {
        return false;
    }
    #[cfg(windows)]
    anstyle_query::windows::enable_ansi_colors();
    true
}

/// Windows' consoles have no `TERM`; elsewhere a terminal without one is nothing that is known.
fn is_dumb(term: Option<OsString>) -> bool {
    term.map_or(cfg!(unix), |term| term.is_empty() || term == "dumb")
}

fn is_coloured(variable: impl Fn(&str) -> Option<OsString>, takes_escapes: bool) -> bool {
    let value = |name| variable(name).filter(|value| !value.is_empty());
    match (value("NO_COLOR"), value("CLICOLOR_FORCE"), value("CLICOLOR")) {
        (Some(_), _, _) => false,
        (None, Some(force), _) if force != "0" => true,
        (None, _, Some(colour)) if colour == "0" => false,
        _ => takes_escapes,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_coloured, is_dumb};

    #[test]
    fn variables_decide_before_the_terminal() {
        for (set, on_a_terminal, in_a_pipe) in [
            (&[][..], true, false),
            (&[("NO_COLOR", "1")], false, false),
            (&[("NO_COLOR", "")], true, false),
            (&[("CLICOLOR_FORCE", "1")], true, true),
            (&[("CLICOLOR_FORCE", "0")], true, false),
            (&[("CLICOLOR_FORCE", "")], true, false),
            (&[("CLICOLOR", "0")], false, false),
            (&[("CLICOLOR", "1")], true, false),
            (&[("CLICOLOR", "0"), ("CLICOLOR_FORCE", "1")], true, true),
            (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false, false),
        ] {
            let variable = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into());
            assert_eq!(
                (is_coloured(variable, true), is_coloured(variable, false)),
                (on_a_terminal, in_a_pipe),
                "{set:?}"
            );
        }
    }

    #[test]
    fn a_terminal_says_what_it_is() {
        assert!(is_dumb(Some("dumb".into())) && is_dumb(Some("".into())) && !is_dumb(Some("xterm".into())));
        assert_eq!(is_dumb(None), cfg!(unix));
    }
}
