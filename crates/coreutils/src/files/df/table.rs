//! The table of `df`.

use super::super::ls::Unit;

/// A column, in the order of `--output`'s list in GNU's manual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Source,
    Kind,
    Inodes,
    InodesUsed,
    InodesFree,
    InodesPercent,
    Size,
    Used,
    Available,
    Percent,
    File,
    Target,
}

/// Name, header and least width of each.
const COLUMNS: [(Column, &str, &str, usize); 12] = [
    (Column::Source, "source", "Filesystem", 14),
    (Column::Kind, "fstype", "Type", 4),
    (Column::Inodes, "itotal", "Inodes", 5),
    (Column::InodesUsed, "iused", "IUsed", 5),
    (Column::InodesFree, "iavail", "IFree", 5),
    (Column::InodesPercent, "ipcent", "IUse%", 4),
    (Column::Size, "size", "Size", 5),
    (Column::Used, "used", "Used", 5),
    (Column::Available, "avail", "Avail", 5),
    (Column::Percent, "pcent", "Use%", 4),
    (Column::File, "file", "File", 0),
    (Column::Target, "target", "Mounted on", 0),
];

impl Column {
    pub(super) fn by_name(name: &[u8]) -> Option<Self> {
        COLUMNS.iter().find(|(_, own, _, _)| own.as_bytes() == name).map(|(column, _, _, _)| *column)
    }

    pub(super) fn usual(with_kind: bool, inodes: bool) -> Vec<Self> {
        let mut columns = vec![Self::Source];
        if with_kind {
            columns.push(Self::Kind);
        }
        columns.extend(match inodes {
            true => [Self::Inodes, Self::InodesUsed, Self::InodesFree, Self::InodesPercent],
            false => [Self::Size, Self::Used, Self::Available, Self::Percent],
        });
        columns.push(Self::Target);
        columns
    }

    /// Is it text, which begins at the left?
    fn is_text(self) -> bool {
        matches!(self, Self::Source | Self::Kind | Self::File | Self::Target)
    }
}

/// What a file system has, in bytes and inodes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) blocks: u64,
    size: u128,
    free: u128,
    available: u128,
    inodes: u64,
    inodes_free: u64,
}

#[cfg(target_os = "linux")]
impl Usage {
    pub(super) fn of(target: &[u8]) -> std::io::Result<Self> {
        let found = rustix::fs::statvfs(target)?;
        let bytes = |blocks: u64| u128::from(blocks) * u128::from(found.f_frsize);
        Ok(Self {
            blocks: found.f_blocks,
            size: bytes(found.f_blocks),
            free: bytes(found.f_bfree),
            available: bytes(found.f_bavail),
            inodes: found.f_files,
            inodes_free: found.f_ffree,
        })
    }
}

pub(super) struct Table<'c> {
    columns: &'c [Column],
    unit: Unit,
    rows: Vec<Vec<Vec<u8>>>,
    sum: Usage,
}

impl<'c> Table<'c> {
    /// `chosen`: by `--output`.
    pub(super) fn new(columns: &'c [Column], unit: Unit, portable: bool, chosen: bool) -> Self {
        let is_human = matches!(unit, Unit::Human(_));
        // For people there is one form only.
        let portable = portable && !is_human;
        let header = columns.iter().map(|column| {
            let usual = COLUMNS.iter().find(|(own, _, _, _)| own == column).map_or("", |(_, _, header, _)| header);
            let text = match (column, unit) {
                (Column::Size, Unit::Of(bytes, _)) if portable => format!("{bytes}-blocks"),
                (Column::Size, Unit::Of(bytes, _)) => format!("{}-blocks", block(bytes)),
                // As it always was, unless sizes are for people, or the columns were chosen.
                (Column::Available, _) if portable || !chosen && !is_human => "Available".to_owned(),
                (Column::Percent, _) if portable => "Capacity".to_owned(),
                _ => usual.to_owned(),
            };
            text.into_bytes()
        });
        Self { columns, unit, rows: vec![header.collect()], sum: Usage::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    pub(super) fn add(&mut self, source: &[u8], kind: &[u8], target: &[u8], file: &[u8], usage: &Usage) {
        self.sum.size += usage.size;
        self.sum.free += usage.free;
        self.sum.available += usage.available;
        self.sum.inodes += usage.inodes;
        self.sum.inodes_free += usage.inodes_free;
        self.push(source, kind, target, file, usage);
    }

    pub(super) fn add_total(&mut self) {
        let sum = self.sum;
        // The name stands in the column of the target where there is none for the source.
        let target: &[u8] = if self.columns.contains(&Column::Source) { b"-" } else { b"total" };
        self.push(b"total", b"-", target, b"-", &sum);
    }

    fn push(&mut self, source: &[u8], kind: &[u8], target: &[u8], file: &[u8], usage: &Usage) {
        let used = usage.size.saturating_sub(usage.free);
        let inodes_used = usage.inodes.saturating_sub(usage.inodes_free);
        let clean = |name: &[u8]| -> Vec<u8> {
            name.iter().map(|byte| if byte.is_ascii_control() { b'?' } else { *byte }).collect()
        };
        let count = |number: u64| match self.unit {
            unit @ Unit::Human(_) => unit.show(number),
            Unit::Of(..) => number.to_string(),
        };
        let row = self.columns.iter().map(|column| match column {
            Column::Source => clean(source),
            Column::Kind => clean(kind),
            Column::File => clean(file),
            Column::Target => clean(target),
            Column::Inodes => count(usage.inodes).into_bytes(),
            Column::InodesUsed => count(inodes_used).into_bytes(),
            Column::InodesFree => count(usage.inodes_free).into_bytes(),
            Column::InodesPercent => percent(inodes_used.into(), usage.inodes_free.into()).into_bytes(),
            Column::Size => self.size(usage.size).into_bytes(),
            Column::Used => self.size(used).into_bytes(),
            Column::Available => self.size(usage.available).into_bytes(),
            Column::Percent => percent(used, usage.available).into_bytes(),
        });
        let row = row.collect();
        self.rows.push(row);
    }

    fn size(&self, bytes: u128) -> String {
        self.unit.show(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    pub(super) fn text(&self) -> Vec<u8> {
        let characters = |text: &[u8]| String::from_utf8_lossy(text).chars().count();
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                let least = COLUMNS.iter().find(|(own, _, _, _)| own == column).map_or(0, |(_, _, _, width)| *width);
                let widest = self.rows.iter().filter_map(|row| row.get(at)).map(|text| characters(text)).max();
                widest.unwrap_or(0).max(least)
            })
            .collect();
        let mut out = Vec::new();
        for row in &self.rows {
            for (at, ((text, width), column)) in row.iter().zip(&widths).zip(self.columns).enumerate() {
                if at > 0 {
                    out.push(b' ');
                }
                let fill = width.saturating_sub(characters(text));
                let blanks = std::iter::repeat_n(b' ', fill);
                if column.is_text() {
                    out.extend_from_slice(text);
                    if at + 1 < row.len() {
                        out.extend(blanks);
                    }
                } else {
                    out.extend(blanks);
                    out.extend_from_slice(text);
                }
            }
            out.push(b'\n');
        }
        out
    }
}

/// `1K`, `512B`
fn block(bytes: u64) -> String {
    for (unit, letter) in [(1 << 40, 'T'), (1 << 30, 'G'), (1 << 20, 'M'), (1 << 10, 'K')] {
        if bytes >= unit {
            return format!("{}{letter}", bytes / unit);
        }
    }
    format!("{bytes}B")
}

/// Rounded up.
fn percent(used: u128, available: u128) -> String {
    match used + available {
        0 => "-".to_owned(),
        all => format!("{}%", (used * 100).div_ceil(all)),
    }
}
