//! The options of `patch`.

use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, optional, parse, value};
use hookshell_utility::{Unsupported, UtilityCall};

const DRY_RUN: u8 = LONG_ONLY;
const NO_BACKUP: u8 = LONG_ONLY + 1;
const BACKUP_IF_MISMATCH: u8 = LONG_ONLY + 2;
const BINARY: u8 = LONG_ONLY + 3;

const OPTIONS: &[OptionSpec] = &[
    flag(b'b', "backup"),
    flag(b'E', "remove-empty-files"),
    flag(b'f', "force"),
    flag(b'N', "forward"),
    flag(b'R', "reverse"),
    flag(b's', "silent"),
    flag(b's', "quiet"),
    flag(b't', "batch"),
    flag(b'u', "unified"),
    value(b'd', "directory"),
    value(b'F', "fuzz"),
    value(b'i', "input"),
    value(b'o', "output"),
    value(b'p', "strip"),
    value(b'r', "reject-file"),
    value(b'z', "suffix"),
    flag(DRY_RUN, "dry-run"),
    flag(NO_BACKUP, "no-backup-if-mismatch"),
    flag(BACKUP_IF_MISMATCH, "backup-if-mismatch"),
    optional(BINARY, "binary"),
];

/// What `patch` was asked for.
pub(super) struct Command<'a> {
    pub(super) backup: bool,
    pub(super) backup_if_mismatch: bool,
    pub(super) removes_empty: bool,
    pub(super) force: bool,
    pub(super) forward: bool,
    pub(super) reverse: bool,
    pub(super) silent: bool,
    pub(super) batch: bool,
    pub(super) dry_run: bool,
    pub(super) directory: Option<&'a [u8]>,
    pub(super) fuzz: usize,
    pub(super) patch: &'a [u8],
    pub(super) output: Option<&'a [u8]>,
    pub(super) strip: Option<usize>,
    pub(super) rejects: Option<&'a [u8]>,
    pub(super) suffix: &'a [u8],
    pub(super) file: Option<&'a [u8]>,
}

/// The options and operands.
pub(super) fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let number = |option| match parsed.last(option) {
        None => Ok(None),
        Some(text) => match std::str::from_utf8(text).ok().and_then(|text| text.parse::<usize>().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(Unsupported::mistake(format!("the number {}", text.escape_ascii()))),
        },
    };
    if parsed.operands.len() > 2 {
        return Err(Unsupported::mistake("more than two operands"));
    }
    Ok(Command {
        backup: parsed.has(b'b'),
        backup_if_mismatch: !parsed.has(NO_BACKUP),
        removes_empty: parsed.has(b'E'),
        force: parsed.has(b'f'),
        forward: parsed.has(b'N'),
        reverse: parsed.has(b'R'),
        silent: parsed.has(b's'),
        batch: parsed.has(b't'),
        dry_run: parsed.has(DRY_RUN),
        directory: parsed.last(b'd'),
        fuzz: number(b'F')?.unwrap_or(2),
        patch: parsed.last(b'i').or(parsed.operands.get(1).copied()).unwrap_or(b"-"),
        output: parsed.last(b'o'),
        strip: number(b'p')?,
        rejects: parsed.last(b'r'),
        suffix: parsed.last(b'z').unwrap_or(b".orig"),
        file: parsed.operands.first().copied(),
    })
}
