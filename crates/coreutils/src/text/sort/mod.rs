//! `sort`: sort lines.

mod chunk;
mod command;
mod key;
mod merge;
mod number;
mod old_keys;
mod temporary;

use std::io;

use hookshell_utility::input::{Input, Rest};
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;

use self::chunk::Chunk;
use self::command::{Command, LEAST, Mode, read};
use self::merge::{Origin, merge};
use self::temporary::{TEMPORARY, merge_runs, spill, temporary};
use crate::files0::{fault, names_from};

utility! {
    /// `sort [-bdfghiMnrsuVz] [-c | -C | -m] [-k KEY]… [-t C] [-o FILE] [--files0-from=FILE | FILE…]` (XCU `sort`, GNU's additions). In the
    /// locale C.UTF-8 text collates by its bytes.
    ///
    /// What is more than [`command::LIMIT`] or `-S` goes through temporary files in the run's TMPDIR.
    Sort, "sort", usage: 2, write_error: Some(2)
}

/// As many temporary files are open before they become one.
const RUNS: usize = 64;

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
