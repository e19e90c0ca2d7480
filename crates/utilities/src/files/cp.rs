//! `cp`: copy files.

use hookshell_shell::{Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use super::backup::{Backups, Line};
use super::copy::{Copier, Follow, Instead, Preserve};
use super::target::{Target, base_name, join, target_of};
use crate::io::{Failure, Running};
use crate::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, value};

/// `cp [-abdfilnprRsTuvLP] [--preserve[=LIST]] [--backup[=CONTROL]] [-S SUFFIX] [-t DIR] SOURCE… DEST` (XCU `cp`, GNU's
/// additions). `--parents` is the real program's.
pub(crate) struct Cp;

const PRESERVE: u8 = LONG_ONLY;
const OPTIONS: &[OptionSpec] = &[
    flag(b'a', "archive"),
    flag(b'd', ""),
    flag(b'f', "force"),
    flag(b'i', "interactive"),
    flag(b'l', "link"),
    flag(b's', "symbolic-link"),
    flag(b'n', "no-clobber"),
    flag(b'p', ""),
    flag(b'r', "recursive"),
    flag(b'R', ""),
    flag(b'T', "no-target-directory"),
    flag(b'u', "update"),
    flag(b'v', "verbose"),
    flag(b'L', "dereference"),
    flag(b'P', "no-dereference"),
    optional(PRESERVE, "preserve"),
    value(b't', "target-directory"),
];

struct Command<'a> {
    parsed: Parsed<'a>,
    preserve: Preserve,
    backups: Option<Backups>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let Line { parsed, backups } = Line::read(call, OPTIONS)?;
    let mut preserve = Preserve::default();
    for &(option, list) in &parsed.options {
        match option {
            b'a' => preserve = Preserve { mode: true, owner: true, times: true, links: true, attributes: true },
            b'd' => preserve.links = true,
            b'p' => preserve = Preserve { mode: true, owner: true, times: true, ..preserve },
            PRESERVE if list.is_empty() => preserve = Preserve { mode: true, owner: true, times: true, ..preserve },
            PRESERVE => {
                for item in list.split(|byte| *byte == b',') {
                    match item {
                        b"mode" => preserve.mode = true,
                        b"ownership" => preserve.owner = true,
                        b"timestamps" => preserve.times = true,
                        b"links" => preserve.links = true,
                        b"xattr" => preserve.attributes = true,
                        _ => return Err(Unsupported::mistake(format!("--preserve={}", list.escape_ascii()))),
                    }
                }
            }
            _ => {}
        }
    }
    if parsed.has(b'l') && parsed.has(b's') || parsed.has(b's') && cfg!(windows) {
        return Err(Unsupported::option(b"-s"));
    }
    if parsed.has(b'T') && parsed.has(b't') {
        return Err(Unsupported::mistake("-T with -t"));
    }
    Ok(Command { parsed, preserve, backups })
}

impl Utility for Cp {
    fn name(&self) -> &'static str {
        "cp"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        read(call).map(drop)
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(self.name(), context, read, run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let Command { parsed, preserve, backups } = command;
    // The last of them counts.
    let careful = parsed.options.iter().rev().find(|(option, _)| matches!(option, b'i' | b'n'));
    let keeps = matches!(careful, Some((b'n', _)));
    if keeps && backups.is_some() {
        return running.usage(b"options --backup and --no-clobber are mutually exclusive");
    }
    let mut operands = parsed.operands.clone();
    let target = match target_of(running, &mut operands, parsed.last(b't'), parsed.has(b'T'), true)? {
        Ok(target) => target,
        Err(status) => return Ok(status),
    };
    let is_recursive = [b'r', b'R', b'a'].iter().any(|option| parsed.has(*option));
    let follow = match parsed.options.iter().rev().find(|(option, _)| matches!(option, b'L' | b'P' | b'd' | b'a')) {
        Some((b'L', _)) => Follow::Always,
        Some(_) => Follow::Never,
        None if is_recursive && !parsed.has(b'l') => Follow::Never,
        None => Follow::Always,
    };
    let mut copier = Copier::new(running);
    copier.is_recursive = is_recursive;
    copier.follow = follow;
    copier.preserve = preserve;
    copier.force = parsed.has(b'f');
    copier.instead = match (parsed.has(b'l'), parsed.has(b's')) {
        (true, _) => Instead::Link,
        (_, true) => Instead::Symlink,
        _ => Instead::Copy,
    };
    copier.asks = matches!(careful, Some((b'i', _)));
    copier.keeps = keeps;
    copier.updates = parsed.has(b'u') && !copier.keeps;
    copier.is_verbose = parsed.has(b'v');
    copier.backups = backups;
    let mut status = 0;
    for &operand in &operands {
        running.check()?;
        let destination = match &target {
            Target::File(name) => name.clone(),
            Target::Directory(directory) if base_name(operand) == b".." => directory.clone(),
            Target::Directory(directory) => join(directory, base_name(operand)),
        };
        // A file onto itself, by force, is a back-up of it.
        let itself = copier.backups.take_if(|_| {
            parsed.has(b'f')
                && *operand == destination[..]
                && running.path(operand).symlink_metadata().is_ok_and(|it| it.is_file())
        });
        let backup = itself.as_ref().map(|backups| backups.name(running, &destination));
        let copied = copier.copy(operand, backup.as_deref().unwrap_or(&destination))?;
        if itself.is_some() {
            copier.backups = itself;
        }
        if !copied {
            status = 1;
        }
    }
    Ok(status)
}
