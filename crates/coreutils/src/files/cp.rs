//! `cp`: copy files.

use std::collections::HashMap;
use std::path::PathBuf;

use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, optional, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

use super::backup::{Backups, Line};
use super::copy::{Copier, Follow, Instead, Preserve, is_same_entry};
use super::cp_parents;
use super::mv::without_slashes;
use super::target::{Target, base_name, join, target_of};

/// `cp [-abdfHilnprRsTuvxLP] [--preserve[=LIST]] [--no-preserve=LIST] [--parents] [--attributes-only] [--remove-destination] [--backup[=CONTROL]] [-S SUFFIX] [-t DIR]
/// SOURCE… DEST` (XCU `cp`, GNU's additions).
pub(crate) struct Cp;

const PRESERVE: u8 = LONG_ONLY;
const NO_PRESERVE: u8 = LONG_ONLY + 1;
const PARENTS: u8 = LONG_ONLY + 2;
const REMOVE: u8 = LONG_ONLY + 3;
const REFLINK: u8 = LONG_ONLY + 4;
const SPARSE: u8 = LONG_ONLY + 5;
const ATTRIBUTES: u8 = LONG_ONLY + 6;
const STRIP: u8 = LONG_ONLY + 7;
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
    flag(b'x', "one-file-system"),
    flag(b'H', ""),
    flag(b'L', "dereference"),
    flag(b'P', "no-dereference"),
    optional(PRESERVE, "preserve"),
    value(NO_PRESERVE, "no-preserve"),
    flag(PARENTS, "parents"),
    flag(REMOVE, "remove-destination"),
    optional(REFLINK, "reflink"),
    value(SPARSE, "sparse"),
    flag(ATTRIBUTES, "attributes-only"),
    value(b't', "target-directory"),
    flag(STRIP, "strip-trailing-slashes"),
];

/// What `--preserve` knows, which may be shortened.
const KINDS: [&[u8]; 7] = [b"mode", b"timestamps", b"ownership", b"links", b"context", b"xattr", b"all"];

struct Command<'a> {
    parsed: Parsed<'a>,
    preserve: Preserve,
    /// The originals' modes are not kept at all.
    plain_modes: bool,
    backups: Option<Backups>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let Line { parsed, backups } = Line::read(call, OPTIONS)?;
    let mut preserve = Preserve::default();
    let mut plain_modes = false;
    for &(option, list) in &parsed.options {
        match option {
            b'a' => preserve = Preserve { mode: true, owner: true, times: true, links: true, attributes: true },
            b'd' => preserve.links = true,
            b'p' => preserve = Preserve { mode: true, owner: true, times: true, ..preserve },
            PRESERVE if list.is_empty() => preserve = Preserve { mode: true, owner: true, times: true, ..preserve },
            PRESERVE | NO_PRESERVE => {
                let keeps = option == PRESERVE;
                let refused = if keeps { "--preserve=" } else { "--no-preserve=" };
                for item in list.split(|byte| *byte == b',') {
                    let mut meant = KINDS.iter().filter(|kind| kind.starts_with(item) && !item.is_empty());
                    let item = match (meant.next(), meant.next()) {
                        (Some(only), None) => only,
                        _ => item,
                    };
                    match item {
                        b"mode" => (preserve.mode, plain_modes) = (keeps, !keeps),
                        b"ownership" => preserve.owner = keeps,
                        b"timestamps" => preserve.times = keeps,
                        b"links" => preserve.links = keeps,
                        b"xattr" => preserve.attributes = keeps,
                        b"all" if !keeps => (preserve, plain_modes) = (Preserve::default(), true),
                        b"all" => {
                            preserve = Preserve { mode: true, owner: true, times: true, links: true, attributes: true };
                            plain_modes = false;
                        }
                        b"context" if !keeps => {}
                        _ => return Err(Unsupported::mistake(format!("{refused}{}", list.escape_ascii()))),
                    }
                }
            }
            // A copy that shares nothing and has no holes is one, too.
            REFLINK if matches!(list, b"auto" | b"never") => {}
            SPARSE if matches!(list, b"auto" | b"never" | b"always") => {}
            REFLINK | SPARSE => return Err(Unsupported::mistake(format!("the value {}", list.escape_ascii()))),
            _ => {}
        }
    }
    if parsed.has(b'l') && parsed.has(b's') || parsed.has(b's') && cfg!(windows) {
        return Err(Unsupported::option(b"-s"));
    }
    if parsed.has(b'T') && parsed.has(b't') {
        return Err(Unsupported::mistake("-T with -t"));
    }
    Ok(Command { parsed, preserve, plain_modes, backups })
}

impl Utility for Cp {
    fn name(&self) -> &'static str {
        "cp"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, read, run)
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let Command { parsed, preserve, plain_modes, backups } = command;
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
    // GNU's does so on the way into a directory only.
    if parsed.has(STRIP) && matches!(target, Target::Directory(_)) {
        operands.iter_mut().for_each(|name| *name = without_slashes(name));
    }
    let is_recursive = [b'r', b'R', b'a'].iter().any(|option| parsed.has(*option));
    let follow =
        match parsed.options.iter().rev().find(|(option, _)| matches!(option, b'H' | b'L' | b'P' | b'd' | b'a')) {
            Some((b'L', _)) => Follow::Always,
            Some((b'H', _)) => Follow::Operands,
            Some(_) => Follow::Never,
            None if is_recursive && !parsed.has(b'l') => Follow::Never,
            None => Follow::Always,
        };
    let mut copier = Copier::new(running);
    copier.is_recursive = is_recursive;
    copier.one_file_system = parsed.has(b'x');
    copier.follow = follow;
    copier.preserve = preserve;
    copier.plain_modes = plain_modes;
    copier.attributes_only = parsed.has(ATTRIBUTES);
    copier.removes = parsed.has(REMOVE);
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
    if parsed.has(PARENTS) && matches!(target, Target::File(_)) {
        return running.usage(b"with --parents, the destination must be a directory");
    }
    let mut status = 0;
    // The operands by their last components.
    let mut seen: HashMap<&[u8], Vec<PathBuf>> = HashMap::new();
    for &operand in &operands {
        running.check()?;
        if operands.len() > 1 && copier.backups.is_none() {
            let path = running.path(operand);
            let same_names = seen.entry(base_name(operand)).or_default();
            if same_names.iter().any(|other| is_same_entry(other, &path))
                && path.metadata().is_ok_and(|it| !it.is_dir())
            {
                let text = [&b"warning: source file "[..], &quote::always(operand), b" specified more than once"];
                running.message(&text.concat())?;
                continue;
            }
            same_names.push(path);
        }
        let mut parents = Vec::new();
        let destination = match &target {
            Target::Directory(directory) if parsed.has(PARENTS) => {
                let Some(made) = cp_parents::make(running, &copier, operand, directory)? else {
                    status = 1;
                    continue;
                };
                parents = made;
                cp_parents::destination(operand, directory)
            }
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
        if !cp_parents::finish(&copier, parents)? || !copied {
            status = 1;
        }
    }
    Ok(status)
}
