//! `realpath`: the resolved path of files.

use hookshell_files::canonical::{Existing, canonicalize, is_below, relative};
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, Parsed, flag, parse, value};
use hookshell_utility::prepare;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall};

/// `realpath [-emsqzLP] [--relative-to=DIR] [--relative-base=DIR] FILE…` (GNU).
pub(crate) struct Realpath;

const RELATIVE_TO: u8 = LONG_ONLY;
const RELATIVE_BASE: u8 = LONG_ONLY + 1;
const OPTIONS: &[OptionSpec] = &[
    flag(b'e', "canonicalize-existing"),
    flag(b'm', "canonicalize-missing"),
    flag(b's', "strip"),
    flag(b's', "no-symlinks"),
    flag(b'P', "physical"),
    flag(b'L', "logical"),
    flag(b'q', "quiet"),
    flag(b'z', "zero"),
    value(RELATIVE_TO, "relative-to"),
    value(RELATIVE_BASE, "relative-base"),
];

impl Utility for Realpath {
    fn name(&self) -> &'static str {
        "realpath"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare(self.name(), call, |call| parse(call.argv, OPTIONS), run)
    }
}

fn run(running: &Running<'_>, parsed: Parsed<'_>) -> Result<u8, Failure> {
    if parsed.operands.is_empty() {
        return running.usage(b"missing operand");
    }
    let existing = match parsed.options.iter().rev().find(|(option, _)| matches!(option, b'e' | b'm')) {
        Some((b'e', _)) => Existing::All,
        Some(_) => Existing::Nothing,
        None => Existing::AllButLast,
    };
    let links = parsed.options.iter().rev().map(|(option, _)| *option).find(|it| matches!(it, b's' | b'P' | b'L'));
    let follow = !matches!(links, Some(b's' | b'L'));
    let cwd = running.context().cwd;
    let resolve = |name: &[u8]| {
        let path = canonicalize(cwd, &running.native(name), existing, follow)?;
        // `..` is resolved before the links are.
        if links == Some(b'L') {
            return canonicalize(cwd, &path, existing, true);
        }
        Ok(path)
    };
    let mut to = parsed.last(RELATIVE_TO).or_else(|| parsed.last(RELATIVE_BASE)).map(|name| (name, resolve(name)));
    let mut base = parsed.last(RELATIVE_BASE).map(|name| (name, resolve(name)));
    let mut anchors = [None, None];
    for (index, anchor) in [&mut to, &mut base].into_iter().enumerate() {
        let Some((name, resolved)) = anchor.take() else { continue };
        let resolved = resolved.and_then(|path| {
            let is_dir = || hookshell_process::text::to_path(&path).is_dir();
            if existing == Existing::All && !is_dir() {
                return Err(std::io::ErrorKind::NotADirectory.into());
            }
            Ok(path)
        });
        match resolved {
            Ok(path) => anchors[index] = Some(path),
            Err(error) => {
                running.report_error(&quote::if_needed(name), &error)?;
                return Ok(1);
            }
        }
    }
    let [mut to, mut base] = anchors;
    if let (Some(anchor), Some(root)) = (&to, &base)
        && !is_below(anchor, root)
    {
        // Without the base above it, the other option has no effect.
        (base, to) = (to, None);
    }
    let mut out = Vec::new();
    let mut status = 0;
    for &operand in &parsed.operands {
        match resolve(operand) {
            Ok(path) => {
                let shown = match &to {
                    Some(to) if base.as_ref().is_none_or(|base| is_below(&path, base)) => relative(&path, to),
                    _ => path,
                };
                out.extend_from_slice(&shown);
                out.push(if parsed.has(b'z') { 0 } else { b'\n' });
            }
            Err(error) => {
                status = 1;
                if !parsed.has(b'q') {
                    running.write(&std::mem::take(&mut out))?;
                    running.report_error(&quote::if_needed(operand), &error)?;
                }
            }
        }
    }
    running.write(&out)?;
    Ok(status)
}
