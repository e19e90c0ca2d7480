//! Back-ups of what `cp`, `mv`, `ln` and `install` replace.

use std::io::{self, ErrorKind};

use hookshell_process::text;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional_or_empty, parse, value};
use hookshell_utility::quote;
use hookshell_utility::{Unsupported, UtilityCall};

use super::target::base_name;

/// `--backup`, which has no letter.
const BACKUP: u8 = LONG_ONLY + 0x40;

/// `-b`, `--backup[=CONTROL]`, `-S SUFFIX`
const OPTIONS: [OptionSpec; 3] = [flag(b'b', ""), optional_or_empty(BACKUP, "backup"), value(b'S', "suffix")];

/// How back-ups are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    /// With the suffix.
    Simple,
    /// With a number where there are such, otherwise with the suffix.
    Existing,
    /// `NAME.~N~`
    Numbered,
}

/// What the command line says about back-ups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Backups {
    method: Method,
    suffix: Vec<u8>,
}

/// The words of a utility that makes back-ups, and what they say about them.
pub(super) struct Line<'a> {
    pub(super) parsed: Parsed<'a>,
    pub(super) backups: Option<Backups>,
}

impl<'a> Line<'a> {
    /// Reads them: `own` are the utility's options besides those of the back-ups.
    pub(super) fn read(call: &UtilityCall<'a>, own: &[OptionSpec]) -> Result<Self, Unsupported> {
        let parsed = parse(call.argv, &[own, &OPTIONS].concat())?;
        // `-t` of all four: GNU's message is "multiple target directories specified".
        if parsed.options.iter().filter(|(option, _)| *option == b't').count() > 1 {
            return Err(Unsupported::mistake("several target directories"));
        }
        let backups = Backups::of(&parsed, call)?;
        Ok(Self { parsed, backups })
    }
}

/// A control's name, which may be shortened to what is no other's; `Some(None)` makes none.
fn method(control: &[u8]) -> Option<Option<Method>> {
    const NAMES: [(&[u8], Option<Method>); 8] = [
        (b"none", None),
        (b"off", None),
        (b"simple", Some(Method::Simple)),
        (b"never", Some(Method::Simple)),
        (b"existing", Some(Method::Existing)),
        (b"nil", Some(Method::Existing)),
        (b"numbered", Some(Method::Numbered)),
        (b"t", Some(Method::Numbered)),
    ];
    if let Some((_, exact)) = NAMES.iter().find(|(name, _)| *name == control) {
        return Some(*exact);
    }
    let mut found = NAMES.iter().filter(|(name, _)| name.starts_with(control)).map(|(_, method)| *method);
    let first = found.next()?;
    found.all(|other| other == first).then_some(first)
}

impl Backups {
    /// What the options ask for; `None`: no back-ups. The error: a control that GNU refuses.
    fn of(parsed: &Parsed<'_>, call: &UtilityCall<'_>) -> Result<Option<Self>, Unsupported> {
        if !parsed.options.iter().any(|(option, _)| matches!(*option, b'b' | BACKUP | b'S')) {
            return Ok(None);
        }
        let variable = |wanted: &str| {
            let found = call.env.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| text::from_os(value).to_vec()).filter(|value| !value.is_empty())
        };
        let given = parsed.options.iter().rev().find(|(option, value)| *option == BACKUP && !value.is_empty());
        let control = given.map(|(_, value)| value.to_vec()).or_else(|| variable("VERSION_CONTROL"));
        let method = match control {
            None => Some(Method::Existing),
            Some(control) => method(&control)
                .ok_or_else(|| Unsupported::mistake(format!("the backup type {}", control.escape_ascii())))?,
        };
        let suffix = parsed.last(b'S').map(<[u8]>::to_vec).or_else(|| variable("SIMPLE_BACKUP_SUFFIX"));
        // It stays in the directory.
        let suffix = suffix.filter(|suffix| !suffix.is_empty() && !suffix.contains(&b'/'));
        let suffix = suffix.unwrap_or_else(|| b"~".to_vec());
        Ok(method.map(|method| Self { method, suffix }))
    }

    /// Would the back-up of `destination` take the name of `source`?
    pub(super) fn destroys(&self, source: &[u8], destination: &[u8]) -> bool {
        self.method != Method::Numbered && [base_name(destination), &self.suffix].concat() == base_name(source)
    }

    /// What the file will be called.
    pub(super) fn name(&self, running: &Running<'_>, destination: &[u8]) -> Vec<u8> {
        let end = destination.iter().rposition(|byte| *byte != b'/').map_or(destination.len(), |at| at + 1);
        let name = destination.get(..end).unwrap_or_default();
        let highest = if self.method == Method::Simple { 0 } else { highest(running, name) };
        if self.method == Method::Numbered || highest > 0 {
            return [name, format!(".~{}~", highest.saturating_add(1)).as_bytes()].concat();
        }
        [name, &self.suffix].concat()
    }

    /// Is no back-up ever replaced by another?
    pub(super) fn keeps_all(&self) -> bool {
        self.method == Method::Numbered
    }

    /// Renames the file; gives its new name. One that is not there needs none.
    pub(super) fn make(&self, running: &Running<'_>, destination: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let name = self.name(running, destination);
        match std::fs::rename(running.path(destination), running.path(&name)) {
            Ok(()) => Ok(Some(name)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// What was to replace the file could not be made: it gets its name back.
pub(super) fn undo(running: &Running<'_>, backup: &[u8], destination: &[u8], verbose: bool) -> Result<(), Failure> {
    if let Err(error) = std::fs::rename(running.path(backup), running.path(destination)) {
        running.report_error_of("cannot un-backup", destination, &error)?;
    } else if verbose {
        let names = [&quote::always(backup)[..], b" -> ", &quote::always(destination)].concat();
        running.write(&[&names[..], b" (unbackup)\n"].concat())?;
    }
    Ok(())
}

/// The highest number of the back-ups that are there.
fn highest(running: &Running<'_>, name: &[u8]) -> u64 {
    let path = running.path(name);
    let Some(Ok(entries)) = path.parent().map(std::fs::read_dir) else { return 0 };
    let beginning = [base_name(name), b".~"].concat();
    let number = |entry: &[u8]| -> Option<u64> {
        let digits = entry.strip_prefix(&*beginning)?.strip_suffix(b"~")?;
        let is_number = digits.iter().all(u8::is_ascii_digit) && digits.first().is_some_and(|digit| *digit != b'0');
        std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
    };
    entries.flatten().filter_map(|entry| number(&text::from_os(&entry.file_name()))).max().unwrap_or(0)
}
