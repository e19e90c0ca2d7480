//! `sort`: sort lines.

mod chunk;
mod key;
mod merge;
mod number;
mod old_keys;

use std::io;
use std::path::PathBuf;

use hookshell_process::text;
use hookshell_utility::input::{Input, Rest};
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::options::{OptionSpec, choice, flag, optional, parse_except, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::random::Unforeseen;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

use self::chunk::Chunk;
use self::key::{Key, Kind, Order, read_key, set_option};
use self::merge::{Origin, merge};
use crate::files0::{fault, names_from};

utility! {
    /// `sort [-bdfghiMnrsuVz] [-c | -C | -m] [-k KEY]… [-t C] [-o FILE] [--files0-from=FILE | FILE…]` (XCU `sort`, GNU's additions). In the
    /// locale C.UTF-8 text collates by its bytes.
    ///
    /// What is more than [`LIMIT`] or `-S` goes through temporary files in the run's TMPDIR.
    Sort, "sort", usage: 2, write_error: Some(2)
}

/// The most memory for what is sorted at once; `-S` takes less.
const LIMIT: usize = 256 << 20;

/// With less than this nothing is gained.
const LEAST: usize = 64 << 10;

/// As many temporary files are open before they become one.
const RUNS: usize = 64;

const SORT: u8 = 128;
const PARALLEL: u8 = 129;
const CHECK: u8 = 130;
const FILES_FROM: u8 = 131;
const BATCH: u8 = 132;
const COMPRESS: u8 = 133;

const OPTIONS: &[OptionSpec] = &[
    flag(b'b', "ignore-leading-blanks"),
    flag(b'd', "dictionary-order"),
    flag(b'f', "ignore-case"),
    flag(b'g', "general-numeric-sort"),
    flag(b'h', "human-numeric-sort"),
    flag(b'i', "ignore-nonprinting"),
    flag(b'M', "month-sort"),
    flag(b'n', "numeric-sort"),
    flag(b'r', "reverse"),
    flag(b'R', "random-sort"),
    flag(b'V', "version-sort"),
    flag(b'c', ""),
    optional(CHECK, "check"),
    flag(b'C', ""),
    flag(b'm', "merge"),
    flag(b's', "stable"),
    flag(b'u', "unique"),
    flag(b'z', "zero-terminated"),
    value(b'k', "key"),
    value(b'o', "output"),
    value(b't', "field-separator"),
    value(b'S', "buffer-size"),
    value(b'T', "temporary-directory"),
    value(PARALLEL, "parallel"),
    value(SORT, "sort"),
    value(FILES_FROM, "files0-from"),
    value(BATCH, "batch-size"),
    value(COMPRESS, "compress-program"),
];

const ORDERS: &[(&str, u8)] = &[
    ("general-numeric", b'g'),
    ("human-numeric", b'h'),
    ("month", b'M'),
    ("numeric", b'n'),
    ("random", b'R'),
    ("version", b'V'),
];

const CHECKS: &[(&str, bool)] = &[("quiet", true), ("silent", true), ("diagnose-first", false)];

/// What is done with the lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Sort,
    Merge,
    Check { quiet: bool },
}

struct Command<'a> {
    order: Order,
    mode: Mode,
    limit: usize,
    output: Option<&'a [u8]>,
    temporary: Option<&'a [u8]>,
    files: Vec<&'a [u8]>,
    files_from: Option<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let (old, taken) = old_keys::find(call.argv, OPTIONS)?;
    let parsed = parse_except(call.argv, OPTIONS, &taken)?;
    if !old.is_empty() && parsed.has(b'k') {
        return Err(Unsupported::new("-k with keys like +1"));
    }
    let refused = |what: &str, text: &[u8]| Err(Unsupported::mistake(format!("the {what} {}", text.escape_ascii())));
    let mut global = Key::default();
    let mut order = Order { keys: old, ..Order::default() };
    let mut mode = Mode::Sort;
    let mut output = None;
    let mut limit = LIMIT;
    for &(letter, given) in &parsed.options {
        match letter {
            b'c' => mode = check(mode, false)?,
            b'C' => mode = check(mode, true)?,
            CHECK if given.is_empty() => mode = check(mode, false)?,
            CHECK => match choice(given, CHECKS) {
                Some(is_quiet) => mode = check(mode, is_quiet)?,
                None => return refused("check", given),
            },
            b'm' => mode = if mode == Mode::Sort { Mode::Merge } else { mode },
            b's' => order.stable = true,
            b'u' => order.unique = true,
            b'z' => order.end = 0,
            b'k' => match read_key(given) {
                Some(key) => order.keys.push(key),
                None => return refused("key", given),
            },
            b'o' => match output {
                Some(before) if before != given => return refused("second output", given),
                _ => output = Some(given),
            },
            b't' => {
                let tab = match given {
                    [byte] => *byte,
                    b"\\0" => 0,
                    other => return refused("separator", other),
                };
                if order.tab.is_some_and(|before| before != tab) {
                    return refused("second separator", given);
                }
                order.tab = Some(tab);
            }
            b'S' => match size(given) {
                Some(size) => limit = size.clamp(LEAST, LIMIT),
                None => return refused("size", given),
            },
            PARALLEL if given.is_empty() || !given.iter().all(u8::is_ascii_digit) || given == b"0" => {
                return refused("number", given);
            }
            // How many files are open at once, and whether temporary ones are compressed, changes no result.
            BATCH if given.len() > 9 || !given.iter().all(u8::is_ascii_digit) || matches!(given, b"" | b"0" | b"1") => {
                return refused("number", given);
            }
            b'T' | PARALLEL | FILES_FROM | BATCH | COMPRESS => {}
            SORT => match choice(given, ORDERS) {
                Some(letter) => set_option(&mut global, letter, true),
                None => return refused("order", given),
            },
            letter => {
                set_option(&mut global, letter, true);
                if letter == b'b' {
                    global.skip_end_blanks = true;
                }
            }
        }
    }
    for key in &mut order.keys {
        key.inherit(&global);
    }
    if order.keys.is_empty() && !global.is_plain() {
        order.keys.push(global.clone());
    }
    if order.keys.iter().any(|key| key.kind == Kind::Random) {
        let salt = Unforeseen::new().at(0);
        order.keys.iter_mut().for_each(|key| key.salt = salt);
    }
    order.reverse = global.reverse;
    if order.keys.iter().any(|key| !key.is_consistent()) {
        return Err(Unsupported::mistake("orders that exclude each other"));
    }
    if matches!(mode, Mode::Check { .. }) && (output.is_some() || parsed.operands.len() > 1) {
        return Err(Unsupported::mistake("-c with -o or several files"));
    }
    Ok(Command {
        order,
        mode,
        limit,
        output,
        temporary: parsed.last(b'T'),
        files_from: parsed.last(FILES_FROM),
        files: if parsed.operands.is_empty() && !parsed.has(FILES_FROM) { vec![b"-"] } else { parsed.operands },
    })
}

fn check(mode: Mode, quiet: bool) -> Result<Mode, Unsupported> {
    match mode {
        Mode::Check { quiet: before } if before != quiet => Err(Unsupported::mistake("-c with -C")),
        _ => Ok(Mode::Check { quiet }),
    }
}

/// `-S 10M`; without a suffix in KiB. A part of the memory (`50%`) is as much as is taken anyway.
fn size(text: &[u8]) -> Option<usize> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, suffix) = text.split_at_checked(digits)?;
    let number: usize = std::str::from_utf8(number).ok()?.parse().ok()?;
    let unit = match suffix {
        b"b" => 1,
        b"" | b"k" | b"K" => 1 << 10,
        b"m" | b"M" => 1 << 20,
        b"g" | b"G" => 1 << 30,
        b"%" => return Some(LIMIT),
        _ => return None,
    };
    number.checked_mul(unit)
}

/// What GNU's `sort` ends with when it cannot do its work.
const TROUBLE: u8 = 2;

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let names;
    let command = match command.files_from {
        None => command,
        Some(from) => {
            let Ok(found) = names_from(running, from, command.files.first().copied())? else {
                return Ok(TROUBLE);
            };
            names = found;
            let fault = names.iter().enumerate().find_map(|(at, name)| fault(from, at, name));
            let empty = || [&b"no input from "[..], &quote::always(from)].concat();
            if let Some(text) = fault.or_else(|| names.is_empty().then(empty)) {
                running.message(&text)?;
                return Ok(TROUBLE);
            }
            Command { files: names.iter().map(|name| &name[..]).collect(), ..command }
        }
    };
    match sort(running, &command) {
        Err(Failure::Write(error)) => {
            let name = command.output.unwrap_or(b"standard output");
            running.report_error(&[b"write failed: ", &quote::if_needed(name)[..]].concat(), &error)?;
            Ok(TROUBLE)
        }
        result => result,
    }
}

fn sort(running: &Running<'_>, command: &Command<'_>) -> Result<u8, Failure> {
    // GNU looks at all of them before it reads one.
    let checks = matches!(command.mode, Mode::Check { .. });
    for file in command.files.iter().filter(|file| **file != b"-" && !checks) {
        if let Err(error) = readable(running, file)? {
            return trouble(running, "cannot read", file, &error);
        }
    }
    if let Some(name) = command.output
        && let Err(error) = running.create(name, true)
    {
        return trouble(running, "open failed", name, &error);
    }
    match command.mode {
        Mode::Check { quiet } => check_order(running, command, quiet),
        Mode::Merge => merge_files(running, command),
        Mode::Sort => sort_files(running, command),
    }
}

/// Can it be opened? A FIFO is not opened to find out.
fn readable(running: &Running<'_>, file: &[u8]) -> Result<io::Result<()>, Failure> {
    if running.special(file).is_none() && !file.is_empty() {
        match std::fs::metadata(running.path(file)) {
            Err(error) => return Ok(Err(error)),
            Ok(metadata) if !metadata.is_file() => return Ok(Ok(())),
            Ok(_) => {}
        }
    }
    Ok(running.open_file(file)?.map(drop))
}

fn trouble(running: &Running<'_>, doing: &str, name: &[u8], error: &io::Error) -> Result<u8, Failure> {
    running.report_error(&[doing.as_bytes(), b": ", &quote::if_needed(name)].concat(), error)?;
    Ok(TROUBLE)
}

/// An input, or the status when it cannot be opened.
fn open(running: &Running<'_>, file: &[u8]) -> Result<Result<Input, u8>, Failure> {
    Ok(match running.open(file)? {
        Ok(source) => Ok(Input::new(source)),
        Err(error) if file == b"-" => Err(trouble(running, "stat failed", file, &error)?),
        Err(error) => Err(trouble(running, "open failed", file, &error)?),
    })
}

fn target<'r, 'c>(running: &'r Running<'c>, command: &Command<'_>) -> Result<Result<Output<'r, 'c>, u8>, Failure> {
    Ok(match command.output {
        None => Ok(Output::new(running)),
        Some(name) => match running.create(name, false) {
            Ok(stream) => Ok(Output::to(running, stream)),
            Err(error) => Err(trouble(running, "open failed", name, &error)?),
        },
    })
}

fn check_order(running: &Running<'_>, command: &Command<'_>, quiet: bool) -> Result<u8, Failure> {
    let name = command.files.first().copied().unwrap_or(b"-");
    let mut input = match open(running, name)? {
        Ok(input) => input,
        Err(status) => return Ok(status),
    };
    let mut previous: Option<Vec<u8>> = None;
    let mut number: u64 = 0;
    while let Some(line) = input.text(running, command.order.end)? {
        number += 1;
        let Some(previous) = &mut previous else {
            previous = Some(line.to_vec());
            continue;
        };
        let order = command.order.compare(previous, line);
        if order.is_gt() || (command.order.unique && order.is_eq()) {
            if !quiet {
                let place = format!(":{number}: disorder: ");
                running.message(&[&quote::if_needed(name), place.as_bytes(), line].concat())?;
            }
            return Ok(1);
        }
        previous.clear();
        previous.extend_from_slice(line);
    }
    match &input.error {
        Some(error) => trouble(running, "read failed", name, error),
        None => Ok(0),
    }
}

fn merge_files(running: &Running<'_>, command: &Command<'_>) -> Result<u8, Failure> {
    let mut origins = Vec::new();
    let mut taken = Vec::new();
    for file in &command.files {
        let mut input = match open(running, file)? {
            Ok(input) => input,
            Err(status) => return Ok(status),
        };
        // The output's own content is taken before it is overwritten.
        if command.output.is_some_and(|output| is_same(running, input.source(), output)) {
            let Rest { data, error, kept } = input.rest(running)?;
            taken.push(kept);
            if let Some(error) = error {
                return trouble(running, "read failed", file, &error);
            }
            let stream = hookshell_utility::Stream::input(data);
            input = Input::new(Source::Stream(std::sync::Arc::new(stream)));
        }
        origins.push((Origin::File(input), *file));
    }
    let mut out = match target(running, command)? {
        Ok(out) => out,
        Err(status) => return Ok(status),
    };
    if let Some((name, error)) = merge(&command.order, origins, &mut out)? {
        out.flush()?;
        return trouble(running, "read failed", &name, &error);
    }
    out.flush()?;
    Ok(0)
}

#[cfg(unix)]
fn is_same(running: &Running<'_>, source: &Source, output: &[u8]) -> bool {
    use std::os::unix::fs::MetadataExt;
    let file = match source {
        Source::File(file, _) => file.metadata().ok(),
        Source::Stream(stream) => stream.file().and_then(|file| file.metadata().ok()),
    };
    let output = std::fs::metadata(running.path(output)).ok();
    matches!((file, output), (Some(file), Some(output)) if (file.dev(), file.ino()) == (output.dev(), output.ino()))
}

/// Which file it is cannot be asked here: everything may be the output.
#[cfg(not(unix))]
fn is_same(_: &Running<'_>, _: &Source, _: &[u8]) -> bool {
    true
}

fn sort_files(running: &Running<'_>, command: &Command<'_>) -> Result<u8, Failure> {
    let order = &command.order;
    // Temporary files are better than the end of the run; the rest is for what a buffer grows into.
    let most = running.context().memory.most().map_or(usize::MAX, |most| most / 2);
    let limit = command.limit.min(most).max(LEAST);
    let mut kept = running.keep();
    let mut chunk = Chunk::default();
    let mut spilled = Vec::new();
    for file in &command.files {
        let mut input = match open(running, file)? {
            Ok(input) => input,
            Err(status) => return Ok(status),
        };
        while let Some(line) = input.text(running, order.end)? {
            if chunk.size() + line.len() > limit && !chunk.is_empty() {
                match spill(running, command, &mut chunk)? {
                    Ok(input) => spilled.push((Origin::File(input), TEMPORARY)),
                    Err(error) => {
                        return trouble(
                            running,
                            "cannot create temporary file in",
                            &temporary(running, command).1,
                            &error,
                        );
                    }
                }
            }
            if spilled.len() >= RUNS {
                match merge_runs(running, command, std::mem::take(&mut spilled))? {
                    Ok(input) => spilled.push((Origin::File(input), TEMPORARY)),
                    Err(error) => {
                        return trouble(
                            running,
                            "cannot create temporary file in",
                            &temporary(running, command).1,
                            &error,
                        );
                    }
                }
            }
            chunk.push(line);
            kept.set(chunk.size())?;
        }
        if let Some(error) = &input.error {
            return trouble(running, "read failed", file, error);
        }
    }
    chunk.sort(order, running)?;
    let mut out = match target(running, command)? {
        Ok(out) => out,
        Err(status) => return Ok(status),
    };
    if spilled.is_empty() {
        chunk.write(order, &mut out)?;
    } else {
        spilled.push((Origin::Chunk(chunk.into_lines()), b"memory"));
        if let Some((name, error)) = merge(order, spilled, &mut out)? {
            out.flush()?;
            return trouble(running, "read failed", &name, &error);
        }
    }
    out.flush()?;
    Ok(0)
}

/// What temporary files are called in messages: they have no names.
const TEMPORARY: &[u8] = b"temporary file";

/// Makes one temporary file of several.
fn merge_runs(
    running: &Running<'_>,
    command: &Command<'_>,
    runs: Vec<(Origin, &[u8])>,
) -> Result<io::Result<Input>, Failure> {
    use std::io::{Seek, SeekFrom};
    let file = match hookshell_process::anonymous_file(&temporary(running, command).0) {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    let stream = std::sync::Arc::new(hookshell_utility::Stream::from_file(file));
    let mut out = Output::to(running, stream.clone());
    if let Some((_, error)) = merge(&command.order, runs, &mut out)? {
        return Ok(Err(error));
    }
    out.flush()?;
    if let Some(file) = stream.file()
        && let Err(error) = (&**file).seek(SeekFrom::Start(0))
    {
        return Ok(Err(error));
    }
    Ok(Ok(Input::new(Source::Stream(stream))))
}

/// Where temporary files go, and its name.
fn temporary(running: &Running<'_>, command: &Command<'_>) -> (PathBuf, Vec<u8>) {
    let from_env = |name| running.context().variable(name).filter(|value| !value.is_empty());
    let name = match command.temporary {
        Some(name) => name.to_vec(),
        None => match from_env("TMPDIR").or_else(|| from_env("TEMP").filter(|_| cfg!(windows))) {
            Some(name) => text::from_os(name).into_owned(),
            None => if cfg!(windows) { b"." } else { &b"/tmp"[..] }.to_vec(),
        },
    };
    (running.path(&name), name)
}

/// Writes the sorted chunk into a temporary file and empties it.
fn spill(running: &Running<'_>, command: &Command<'_>, chunk: &mut Chunk) -> Result<io::Result<Input>, Failure> {
    use std::io::{Seek, SeekFrom, Write};
    chunk.sort(&command.order, running)?;
    let written = hookshell_process::anonymous_file(&temporary(running, command).0).and_then(|file| {
        let mut writer = io::BufWriter::with_capacity(hookshell_utility::io::BUFFER, &file);
        for line in chunk.sorted(&command.order) {
            writer.write_all(line)?;
            writer.write_all(&[command.order.end])?;
        }
        writer.flush()?;
        drop(writer);
        (&file).seek(SeekFrom::Start(0))?;
        Ok(file)
    });
    chunk.clear();
    running.check()?;
    Ok(written.map(|file| Input::new(Source::File(file, hookshell_process::FileKind::Regular))))
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, size};

    #[test]
    fn sizes_are_known() {
        for (text, expected) in [
            ("1", Some(1024)),
            ("10M", Some(10 << 20)),
            ("50%", Some(LIMIT)),
            ("3b", Some(3)),
            ("", None),
            ("M", None),
            ("1X", None),
            ("-1", None),
            ("1.5G", None),
        ] {
            assert_eq!(size(text.as_bytes()), expected, "{text}");
        }
    }
}
