//! Terminal descriptions: the compiled ones of ncurses (term(5)).

use std::path::PathBuf;

use hookshell_utility::io::Running;

use super::names::{FLAGS, NUMBERS, STRINGS};

/// A terminal description.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Description {
    /// Its names and, as the last, its long name.
    pub(super) names: Vec<u8>,
    flags: Vec<Vec<u8>>,
    numbers: Vec<(Vec<u8>, i32)>,
    strings: Vec<(Vec<u8>, Vec<u8>)>,
}

/// What a capability is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Capability<'d> {
    Flag(bool),
    /// -1 where the terminal has none.
    Number(i32),
    String(Option<&'d [u8]>),
    Unknown,
}

impl Description {
    /// The description of a terminal, as ncurses looks for it.
    pub(super) fn find(running: &Running<'_>, terminal: &[u8]) -> Option<Self> {
        let first = *terminal.first()?;
        if terminal.contains(&b'/') || terminal.contains(&0) || matches!(terminal, b"." | b"..") {
            return None;
        }
        if cfg!(windows) {
            return super::builtin::description(terminal);
        }
        let directory_of = |name: &str, below: &str| {
            let value = running.context().variable(name).filter(|value| !value.is_empty())?;
            Some(PathBuf::from(value).join(below))
        };
        let directories = [directory_of("TERMINFO", ""), directory_of("HOME", ".terminfo")].into_iter().flatten();
        let usual = ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo"].map(PathBuf::from);
        for directory in directories.chain(usual) {
            let directory = running.context().cwd.join(directory);
            let name = hookshell_process::text::to_os(terminal);
            for letter in [char::from(first).to_string(), format!("{first:x}")] {
                if let Ok(compiled) = std::fs::read(directory.join(letter).join(&name)) {
                    return Self::parse(&compiled);
                }
            }
        }
        None
    }

    /// Reads a compiled description; `None` if absent.
    fn parse(compiled: &[u8]) -> Option<Self> {
        let mut reader = Reader { rest: compiled, wide: false };
        // Numbers of 16 bits, or of 32.
        reader.wide = match reader.short()? {
            0o432 => false,
            0o1036 => true,
            _ => return None,
        };
        let mut description = Self::default();
        let counts = reader.counts::<5>()?;
        let [names, flags, numbers, strings, table] = counts;
        description.names = reader.take(names)?.strip_suffix(b"\0")?.to_vec();
        let set = reader.take(flags)?;
        description.flags = FLAGS
            .iter()
            .zip(set)
            .filter(|(_, is_set)| **is_set == 1)
            .map(|(name, _)| name.as_bytes().to_vec())
            .collect();
        reader.align(names + flags)?;
        for at in 0..numbers {
            let value = reader.number()?;
            if let Some(name) = NUMBERS.get(at).filter(|_| value >= 0) {
                description.numbers.push((name.as_bytes().to_vec(), value));
            }
        }
        let offsets = (0..strings).map(|_| reader.short()).collect::<Option<Vec<_>>>()?;
        let texts = reader.take(table)?;
        for (name, offset) in STRINGS.iter().zip(offsets) {
            if let Some(text) = text_at(texts, offset) {
                description.strings.push((name.as_bytes().to_vec(), text.to_vec()));
            }
        }
        if reader.align(table).is_some() && reader.rest.len() >= 10 {
            description.parse_extended(&mut reader)?;
        }
        Some(description)
    }

    /// Capabilities beyond the standard's, with their names.
    fn parse_extended(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let [flags, numbers, strings, _, table] = reader.counts::<5>()?;
        let set = reader.take(flags)?.to_vec();
        reader.align(flags)?;
        let values = (0..numbers).map(|_| reader.number()).collect::<Option<Vec<_>>>()?;
        let offsets = (0..strings).map(|_| reader.short()).collect::<Option<Vec<_>>>()?;
        let names = (0..flags + numbers + strings).map(|_| reader.short()).collect::<Option<Vec<_>>>()?;
        let texts = reader.take(table)?;
        // The names stand after the strings that are there, and count from their own start.
        let values_end = offsets
            .iter()
            .filter_map(|offset| Some(usize::try_from(*offset).ok()? + text_at(texts, *offset)?.len() + 1))
            .max()
            .unwrap_or(0);
        let name_table = texts.get(values_end..)?;
        let mut names = names.into_iter().map(|offset| text_at(name_table, offset).map(<[u8]>::to_vec));
        for is_set in set {
            let name = names.next()??;
            if is_set == 1 {
                self.flags.push(name);
            }
        }
        for value in values {
            let name = names.next()??;
            if value >= 0 {
                self.numbers.push((name, value));
            }
        }
        for offset in offsets {
            let name = names.next()??;
            if let Some(text) = text_at(texts, offset) {
                self.strings.push((name, text.to_vec()));
            }
        }
        Some(())
    }

    /// One that is made of lists.
    #[cfg_attr(not(any(windows, test)), allow(dead_code, reason = "other systems have a database"))]
    pub(super) fn of(names: &[u8], flags: &[&str], numbers: &[(&str, i32)], strings: &[(&str, &str)]) -> Self {
        let name = |name: &str| name.as_bytes().to_vec();
        Self {
            names: names.to_vec(),
            flags: flags.iter().map(|flag| name(flag)).collect(),
            numbers: numbers.iter().map(|(key, value)| (name(key), *value)).collect(),
            strings: strings.iter().map(|(key, value)| (name(key), value.as_bytes().to_vec())).collect(),
        }
    }

    /// What a name means.
    pub(super) fn capability(&self, name: &[u8]) -> Capability<'_> {
        let is_in = |names: &[&str]| names.iter().any(|known| known.as_bytes() == name);
        if let Some((_, value)) = self.numbers.iter().find(|(known, _)| known == name) {
            return Capability::Number(*value);
        }
        if let Some((_, text)) = self.strings.iter().find(|(known, _)| known == name) {
            return Capability::String(Some(text));
        }
        if self.flags.iter().any(|known| known == name) {
            return Capability::Flag(true);
        }
        if is_in(&FLAGS) {
            Capability::Flag(false)
        } else if is_in(&NUMBERS) {
            Capability::Number(-1)
        } else if is_in(&STRINGS) {
            Capability::String(None)
        } else {
            Capability::Unknown
        }
    }
}

/// The text that begins there, to the NUL byte; none for a negative offset.
fn text_at(table: &[u8], offset: i16) -> Option<&[u8]> {
    let rest = table.get(usize::try_from(offset).ok()?..)?;
    rest.split(|byte| *byte == 0).next()
}

struct Reader<'c> {
    rest: &'c [u8],
    /// Numbers have 32 bits.
    wide: bool,
}

impl<'c> Reader<'c> {
    fn take(&mut self, count: usize) -> Option<&'c [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn short(&mut self) -> Option<i16> {
        Some(i16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<i32> {
        if self.wide { Some(i32::from_le_bytes(self.take(4)?.try_into().ok()?)) } else { self.short().map(i32::from) }
    }

    fn counts<const N: usize>(&mut self) -> Option<[usize; N]> {
        let mut counts = [0; N];
        for count in &mut counts {
            *count = usize::try_from(self.short()?).ok()?;
        }
        Some(counts)
    }

    /// Sections begin at even places.
    fn align(&mut self, length: usize) -> Option<()> {
        self.take(length % 2).map(drop)
    }
}
