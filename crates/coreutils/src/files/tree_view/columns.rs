//! What `tree` shows in brackets before a name.

use hookshell_files::file_stat::FileStat;
use hookshell_process::system;
use hookshell_utility::options::Parsed;
use hookshell_utility::zone::{Zone, since_epoch};
use hookshell_utility::{Unsupported, UtilityCall};

use super::command::{SI, TIME_FORMAT};
use crate::date::{Moment, format};

/// What stands in brackets before a name.
pub(super) struct Columns {
    mode: bool,
    user: bool,
    group: bool,
    size: Option<Size>,
    /// The format of the time of the last change; empty: a short one that depends on how long ago that was.
    time: Option<Vec<u8>>,
    zone: Zone,
    now: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    Bytes,
    /// With a unit of 1024 or 1000.
    Units(u64),
}

impl Columns {
    pub(super) fn of(parsed: &Parsed<'_>, call: &UtilityCall<'_>) -> Result<Option<Self>, Unsupported> {
        let size = match (parsed.has(SI), parsed.has(b'h'), parsed.has(b's')) {
            (true, _, _) => Some(Size::Units(1000)),
            (_, true, _) => Some(Size::Units(1024)),
            (_, _, true) => Some(Size::Bytes),
            _ => None,
        };
        let time = parsed.last(TIME_FORMAT).map(<[u8]>::to_vec).or(parsed.has(b'D').then(Vec::new));
        let columns = Self {
            mode: parsed.has(b'p'),
            user: parsed.has(b'u'),
            group: parsed.has(b'g'),
            size,
            time,
            zone: Zone::of(call.env)?,
            now: since_epoch(std::time::SystemTime::now()).0,
        };
        let has_some =
            columns.mode || columns.user || columns.group || columns.size.is_some() || columns.time.is_some();
        Ok(has_some.then_some(columns))
    }

    /// `[-rw-r--r-- root       40 Sep 13  2020]  `
    pub(super) fn show(&self, stat: &FileStat, changed: bool) -> Vec<u8> {
        let mut parts: Vec<Vec<u8>> = Vec::new();
        if self.mode {
            parts.push(stat.mode_text().to_vec());
        }
        let name = |known: Option<Vec<u8>>, id: u32| {
            let mut name = known.unwrap_or_else(|| id.to_string().into_bytes());
            name.truncate(32);
            name.resize(name.len().max(8), b' ');
            name
        };
        if self.user {
            parts.push(name(system::user_name(stat.uid), stat.uid));
        }
        if self.group {
            parts.push(name(system::group_name(stat.gid), stat.gid));
        }
        match self.size {
            None => {}
            Some(Size::Bytes) => parts.push(format!("{:>11}", stat.size).into_bytes()),
            Some(Size::Units(unit)) => parts.push(in_units(stat.size, unit).into_bytes()),
        }
        if let Some(shape) = &self.time {
            /// What tree takes for half a year.
            const RECENT: i64 = 6 * 31 * 24 * 60 * 60;
            let (seconds, nanos) = if changed { stat.changed } else { stat.modified };
            let shape: &[u8] = match &shape[..] {
                b"" if seconds > self.now || seconds + RECENT < self.now => b"%b %e  %Y",
                b"" => b"%b %e %R",
                own => own,
            };
            let mut text = Vec::new();
            format(&mut text, shape, &Moment::new(&self.zone, seconds, nanos));
            parts.push(text);
        }
        [b"[", &parts.join(&b' ')[..], b"]  "].concat()
    }
}

/// Four characters, where they suffice.
#[allow(clippy::cast_precision_loss, reason = "three digits of a size are shown")]
fn in_units(size: u64, unit: u64) -> String {
    let units = if unit == 1000 { "dkMGTPEZY" } else { "BKMGTPEZY" };
    if size < unit {
        return format!("{size:>4}");
    }
    let (mut index, mut rest) = (1, size);
    while rest >= unit * unit {
        index += 1;
        rest /= unit;
    }
    let letter = units.chars().nth(index).unwrap_or('?');
    let value = rest as f32 / unit as f32;
    if rest / unit >= 10 { format!("{value:>3.0}{letter}") } else { format!("{value:>3.1}{letter}") }
}

#[cfg(test)]
mod tests {
    use super::in_units;

    #[test]
    fn sizes_have_units() {
        for (size, unit, expected) in [
            (0, 1024, "   0"),
            (1023, 1024, "1023"),
            (1024, 1024, "1.0K"),
            (10_240, 1024, " 10K"),
            (2_000_000, 1024, "1.9M"),
            (4096, 1000, "4.1k"),
            (999, 1000, " 999"),
        ] {
            assert_eq!(in_units(size, unit), expected, "{size}");
        }
    }
}
