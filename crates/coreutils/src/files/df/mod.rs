//! `df`: the room on file systems.

#[cfg(target_os = "linux")]
mod mounts;
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux's file systems are listed"))]
mod table;

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, parse, value};
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use super::ls::Unit;
use table::Column;

utility! {
    /// `df [-ahHiklmPT] [-B SIZE] [-t TYPE] [-x TYPE] [--output=COLUMNS] [--total] [FILE]…` (GNU's, of Linux).
    Df, "df"
}

const OUTPUT: u8 = LONG_ONLY;
const TOTAL: u8 = LONG_ONLY + 1;
const SYNC: u8 = LONG_ONLY + 2;

const OPTIONS: &[OptionSpec] = &[
    flag(b'a', "all"),
    value(b'B', "block-size"),
    flag(b'h', "human-readable"),
    flag(b'H', "si"),
    flag(b'i', "inodes"),
    flag(b'k', ""),
    flag(b'l', "local"),
    flag(b'm', ""),
    value(OUTPUT, "output"),
    flag(b'P', "portability"),
    flag(SYNC, "no-sync"),
    flag(TOTAL, "total"),
    value(b't', "type"),
    flag(b'T', "print-type"),
    flag(b'v', ""),
    value(b'x', "exclude-type"),
];

struct Command<'a> {
    all: bool,
    local: bool,
    portable: bool,
    /// The columns are those of `--output`.
    chosen: bool,
    total: bool,
    unit: Unit,
    columns: Vec<Column>,
    kinds: Vec<&'a [u8]>,
    excluded: Vec<&'a [u8]>,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    if !cfg!(target_os = "linux") {
        return Err(Unsupported::new("this system"));
    }
    let parsed = parse(call.argv, OPTIONS)?;
    let variable = ["DF_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE", "POSIXLY_CORRECT"];
    if let Some(name) = variable.into_iter().find(|name| call.env.iter().any(|(own, _)| own == name)) {
        return Err(Unsupported::new(format!("the variable {name}")));
    }
    let mut unit = Unit::Of(1024, "");
    for (letter, text) in &parsed.options {
        unit = match letter {
            b'h' => Unit::Human(1024),
            b'H' => Unit::Human(1000),
            b'k' => Unit::Of(1024, ""),
            b'm' => Unit::Of(1 << 20, ""),
            b'B' => match Unit::read(text) {
                // Other sizes have a name of their own in the header.
                Some(unit) if is_plain(unit) => unit,
                _ => return Err(Unsupported::mistake(format!("the block size {}", text.escape_ascii()))),
            },
            _ => continue,
        };
    }
    let given = |wanted: u8| parsed.options.iter().filter(move |(letter, _)| *letter == wanted).map(|(_, text)| *text);
    let mut columns = Vec::new();
    for name in given(OUTPUT).flat_map(|list| list.split(|byte| *byte == b',')) {
        match Column::by_name(name) {
            Some(column) if !columns.contains(&column) => columns.push(column),
            _ => return Err(Unsupported::mistake(format!("the column {}", name.escape_ascii()))),
        }
    }
    let (inodes, portable) = (parsed.has(b'i'), parsed.has(b'P'));
    if columns.is_empty() {
        columns = Column::usual(parsed.has(b'T'), inodes);
    } else if inodes || portable || parsed.has(b'T') {
        return Err(Unsupported::mistake("--output with -i, -P or -T"));
    }
    if inodes && portable {
        return Err(Unsupported::new("-i with -P"));
    }
    if parsed.has(TOTAL) && !columns.contains(&Column::Source) && !columns.contains(&Column::Target) {
        return Err(Unsupported::new("--total without a column for it"));
    }
    Ok(Command {
        all: parsed.has(b'a'),
        local: parsed.has(b'l'),
        portable,
        chosen: parsed.has(OUTPUT),
        total: parsed.has(TOTAL),
        unit,
        columns,
        kinds: given(b't').collect(),
        excluded: given(b'x').collect(),
        files: parsed.operands,
    })
}

/// Is it a power of two?
fn is_plain(unit: Unit) -> bool {
    matches!(unit, Unit::Of(bytes, _) if bytes.is_power_of_two()) || matches!(unit, Unit::Human(_))
}

#[cfg(not(target_os = "linux"))]
fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    // The command line was refused.
    let _ = (command.all, command.local, command.kinds, command.excluded, command.files);
    let _ = (command.portable, command.chosen, command.total, command.unit, command.columns);
    running.message(b"hookshell's own df does not support this system")?;
    Ok(1)
}

#[cfg(target_os = "linux")]
fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};

    use hookshell_process::text;

    use hookshell_utility::quote;

    let mounts = match mounts::all() {
        Ok(mounts) => mounts,
        Err(error) => {
            running.report_error(b"cannot read table of mounted file systems", &error)?;
            return Ok(1);
        }
    };
    let is_chosen = |mount: &mounts::Mount| {
        (command.kinds.is_empty() || command.kinds.contains(&&*mount.kind))
            && !command.excluded.contains(&&*mount.kind)
            && !(command.local && mount.is_remote())
    };
    let mut table = table::Table::new(&command.columns, command.unit, command.portable, command.chosen);
    let mut status = 0;
    for file in &command.files {
        running.check()?;
        let path = running.path(file);
        let metadata = match std::fs::metadata(&path) {
            Ok(metadata) if !file.is_empty() => metadata,
            found => {
                let missing = std::io::ErrorKind::NotFound.into();
                running.report_error(&quote::if_needed(file), &found.err().unwrap_or(missing))?;
                status = 1;
                continue;
            }
        };
        let resolved = std::fs::canonicalize(&path).unwrap_or(path);
        let resolved = text::from_os(resolved.as_os_str());
        let kind = metadata.file_type();
        // What is mounted from a device, or else where its file is.
        let of_device = mounts
            .iter()
            .rev()
            .find(|mount| (kind.is_block_device() || kind.is_char_device()) && mount.source == *resolved);
        let mount = of_device.or_else(|| mounts::of_file(&mounts, &resolved, metadata.dev()));
        let Some(mount) = mount else {
            running.report_error(&quote::if_needed(file), &std::io::ErrorKind::NotFound.into())?;
            status = 1;
            continue;
        };
        if !is_chosen(mount) {
            continue;
        }
        match table::Usage::of(&mount.target) {
            Ok(usage) => table.add(&mount.source, &mount.kind, &mount.target, file, &usage),
            Err(error) => {
                running.report_error(&quote::if_needed(&mount.target), &error)?;
                status = 1;
            }
        }
    }
    if command.files.is_empty() {
        let is_listed = |mount: &mounts::Mount| is_chosen(mount) && (command.all || !mount.is_dummy());
        let list = match command.all {
            true => mounts.into_iter().filter(is_listed).collect(),
            false => mounts::listed(mounts, is_listed, command.total),
        };
        for mount in list {
            running.check()?;
            match table::Usage::of(&mount.target) {
                // Those without blocks are of no interest.
                Ok(usage) if usage.blocks == 0 && !command.all && command.kinds.is_empty() => {}
                Ok(usage) => table.add(&mount.source, &mount.kind, &mount.target, b"-", &usage),
                // GNU's passes over what the user may not see.
                Err(_) if !command.all => {}
                Err(error) => {
                    running.report_error(&quote::if_needed(&mount.target), &error)?;
                    status = 1;
                }
            }
        }
    }
    if table.is_empty() {
        if status == 0 {
            running.message(b"no file systems processed")?;
        }
        return Ok(1);
    }
    if command.total {
        table.add_total();
    }
    running.write(&table.text())?;
    Ok(status)
}

/// The devices of the mounted file systems of a type, by the last mount of each.
#[cfg(target_os = "linux")]
pub(super) fn devices_of(kind: &[u8]) -> std::io::Result<Vec<u64>> {
    let mut kinds = std::collections::BTreeMap::new();
    for mount in mounts::all()? {
        kinds.insert(mount.device, mount.kind);
    }
    Ok(kinds.into_iter().filter(|(_, known)| known == kind).map(|(device, _)| device).collect())
}
