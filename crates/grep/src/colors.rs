//! The colours of what is written, GNU's or one's own: `GREP_COLORS`, and the older `GREP_COLOR`.

use hookshell_utility::Environment;

/// What has a colour of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// What matches in a selected line.
    Match,
    /// What matches in a line of context.
    ContextMatch,
    Name,
    LineNumber,
    Offset,
    /// What stands between these, and between groups of lines.
    Separator,
    SelectedLine,
    ContextLine,
}

/// The code of each part; an empty one is no colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Colors {
    codes: [String; 8],
    /// `rv`: with `-v` the colours of selected lines and of context change places.
    pub(crate) reversed: bool,
    /// The rest of the line is erased at each change, so that it has no background (`ne` takes that away).
    erases: bool,
}

/// The names of `GREP_COLORS` that have a value. `mt` is both kinds of matches.
const NAMED: [(&[u8], &[Part]); 9] = [
    (b"mt", &[Part::Match, Part::ContextMatch]),
    (b"ms", &[Part::Match]),
    (b"mc", &[Part::ContextMatch]),
    (b"fn", &[Part::Name]),
    (b"ln", &[Part::LineNumber]),
    (b"bn", &[Part::Offset]),
    (b"se", &[Part::Separator]),
    (b"sl", &[Part::SelectedLine]),
    (b"cx", &[Part::ContextLine]),
];

impl Default for Colors {
    fn default() -> Self {
        let codes = ["01;31", "01;31", "35", "32", "32", "36", "", ""].map(str::to_string);
        Self { codes, reversed: false, erases: true }
    }
}

impl Colors {
    /// Those of an environment, and what GNU says of an old variable in it.
    pub(crate) fn of(env: &Environment) -> (Self, Option<String>) {
        let variable = |name: &str| {
            let value = env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_encoded_bytes());
            value.unwrap_or_default()
        };
        let mut colors = Self::default();
        let old = variable("GREP_COLOR");
        let old = (!old.is_empty() && old.iter().all(|byte| is_code(*byte))).then(|| text(old));
        if let Some(old) = &old {
            colors.set(Part::Match, old);
            colors.set(Part::ContextMatch, old);
        }
        colors.read(variable("GREP_COLORS"));
        let warning = old.map(|old| format!("warning: GREP_COLOR='{old}' is deprecated; use GREP_COLORS='mt={old}'"));
        (colors, warning)
    }

    /// Reads `GREP_COLORS`. What follows something malformed is not read; names that are not known are passed over.
    fn read(&mut self, list: &[u8]) {
        for capability in list.split(|byte| *byte == b':') {
            let (name, value) = match memchr::memchr(b'=', capability) {
                Some(0) => return,
                Some(at) => (capability.get(..at).unwrap_or_default(), capability.get(at + 1..)),
                None => (capability, None),
            };
            if value.is_some_and(|value| !value.iter().all(|byte| is_code(*byte))) {
                return;
            }
            match (name, value) {
                (b"rv", _) => self.reversed = true,
                (b"ne", _) => self.erases = false,
                // Without a value it is as it was, and the colour of context becomes that of what is selected.
                (b"mt", None) => {
                    let code = self.code(Part::Match).to_owned();
                    self.set(Part::ContextMatch, &code);
                }
                (_, Some(value)) => {
                    let parts = NAMED.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, parts)| parts);
                    parts.iter().for_each(|part| self.set(*part, &text(value)));
                }
                (_, None) => {}
            }
        }
    }

    fn set(&mut self, part: Part, code: &str) {
        if let Some(known) = self.codes.get_mut(part as usize) {
            *known = code.to_string();
        }
    }

    /// The code of a part; empty: it has no colour.
    pub(crate) fn code(&self, part: Part) -> &str {
        self.codes.get(part as usize).map_or("", |code| code)
    }

    /// What begins a part; nothing where it has no colour.
    pub(crate) fn start(&self, part: Part) -> String {
        match self.code(part) {
            "" => String::new(),
            code => format!("\x1b[{code}m{}", self.erased()),
        }
    }

    /// What ends a part.
    pub(crate) fn end(&self, part: Part) -> String {
        match self.code(part) {
            "" => String::new(),
            _ => format!("\x1b[m{}", self.erased()),
        }
    }

    fn erased(&self) -> &'static str {
        if self.erases { "\x1b[K" } else { "" }
    }
}

/// Nothing else is sent to a terminal.
fn is_code(byte: u8) -> bool {
    byte == b';' || byte.is_ascii_digit()
}

fn text(code: &[u8]) -> String {
    String::from_utf8_lossy(code).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Colors, Part};

    fn read(list: &str) -> Colors {
        let mut colors = Colors::default();
        colors.read(list.as_bytes());
        colors
    }

    #[test]
    fn a_match_has_two_colors_or_one() {
        assert_eq!(read("mt=1").code(Part::ContextMatch), "1");
        assert_eq!(read("ms=1").code(Part::ContextMatch), "01;31");
        assert_eq!(read("ms=4:mt").code(Part::ContextMatch), "4");
    }

    #[test]
    fn what_follows_a_mistake_is_not_read() {
        for list in ["fn=red:ln=1", "=1:ln=1", "fn=1=2:ln=1"] {
            assert_eq!(read(list), Colors::default(), "{list}");
        }
        assert_eq!(read("x=1::y:ln=1").code(Part::LineNumber), "1");
    }

    #[test]
    fn an_empty_color_is_none() {
        let colors = read("se=:ne:rv");
        assert_eq!(colors.start(Part::Separator), "");
        assert_eq!(colors.start(Part::Name), "\x1b[35m");
        assert!(colors.reversed);
    }
}
