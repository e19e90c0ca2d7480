//! Colour on terminals.

use std::io::{self, IsTerminal};

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    is_coloured: bool,
}

impl Style {
    /// Standard output's: coloured if it is a terminal. `NO_COLOR` switches colour off, `CLICOLOR_FORCE` on
    /// (<https://no-color.org>, <https://bixense.com/clicolors>).
    pub(crate) fn of_stdout() -> Self {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_forced =
            is_set("CLICOLOR_FORCE") && std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_off = std::env::var_os("CLICOLOR").is_some_and(|value| value == "0");
        let is_coloured = !is_set("NO_COLOR") && (is_forced || io::stdout().is_terminal() && !is_dumb && !is_off);
        Self { is_coloured }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.is_coloured { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
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
