//! `tac`: lines in reverse order.

use std::io::{Seek, SeekFrom};

use hookshell_process::FileKind;
use hookshell_regex::{Regex, SearchError, Subject};
use hookshell_utility::input::{Input, Rest};
use hookshell_utility::io::{Failure, Running, Source};
use hookshell_utility::options::{OptionSpec, flag, parse, value};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};
use memchr::memmem::FinderRev;

use super::characters;
use crate::files::find::regex::emacs_lines;

utility! {
    /// `tac [-br] [-s STRING] [FILE]…` (GNU's). A file is held in memory.
    Tac, "tac"
}

const OPTIONS: &[OptionSpec] = &[flag(b'b', "before"), flag(b'r', "regex"), value(b's', "separator")];

/// What lies between records.
enum Separator<'a> {
    Text(&'a [u8]),
    Regex { regex: Regex, bytes: bool },
}

struct Command<'a> {
    before: bool,
    separator: Separator<'a>,
    files: Vec<&'a [u8]>,
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, OPTIONS)?;
    let separator = match parsed.last(b's') {
        None => b"\n",
        Some(b"") => b"\0",
        Some(text) => text,
    };
    let separator = if parsed.has(b'r') {
        if parsed.last(b's') == Some(b"") {
            return Err(Unsupported::mistake("an empty separator with -r"));
        }
        let bytes = characters::are_bytes_in(call);
        let refused = || Unsupported::new(format!("the regular expression {}", separator.escape_ascii()));
        // Without a separator there is no expression either.
        Separator::Regex { regex: emacs_lines(separator, bytes).ok_or_else(refused)?, bytes }
    } else {
        Separator::Text(separator)
    };
    Ok(Command {
        before: parsed.has(b'b'),
        separator,
        files: if parsed.operands.is_empty() { vec![b"-"] } else { parsed.operands },
    })
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut status = 0;
    let finder = FinderRev::new(match &command.separator {
        Separator::Text(text) => *text,
        Separator::Regex { .. } => b"",
    });
    for file in &command.files {
        let source = match running.open(file)? {
            Ok(source) => source,
            Err(error) => {
                out.message(
                    &[
                        b"failed to open ",
                        &quote::always(file)[..],
                        b" for reading: ",
                        hookshell_utility::io::reason(&error).as_bytes(),
                    ]
                    .concat(),
                )?;
                status = 1;
                continue;
            }
        };
        let again = from_the_beginning(&source);
        let mut rest = Input::new(source).rest(running)?;
        if let Some((file, length)) = again
            && rest.error.is_none()
            && rest.data.len() as u64 != length
            && (&file).seek(SeekFrom::Start(0)).is_ok()
        {
            rest = Input::new(Source::File(file, FileKind::Regular)).rest(running)?;
        }
        let Rest { data, error, kept: _kept } = rest;
        if let Some(error) = error {
            let name = if *file == b"-" { b"standard input" } else { *file };
            let what = [&quote::if_needed(name), &b": read error"[..]].concat();
            if error.kind() == std::io::ErrorKind::IsADirectory {
                // GNU looks for the end of it first.
                out.message(&[&what[..], b": Invalid argument"].concat())?;
            } else {
                out.report_error(&what, &error)?;
            }
            status = 1;
            continue;
        }
        // The end of what is not yet written, and of what is still searched.
        let (mut end, mut searched) = (data.len(), data.len());
        let interrupt = || running.check().is_err();
        let mut subject = Subject::new(&data).interruptible(&interrupt);
        loop {
            running.check()?;
            let rest = data.get(..searched).unwrap_or_default();
            let found = match &command.separator {
                Separator::Text(text) => finder.rfind(rest).map(|at| (at, at + text.len())),
                Separator::Regex { regex, bytes } => {
                    subject = subject.ending_at(searched);
                    match last(regex, &subject, rest, *bytes) {
                        Ok(found) => found,
                        Err(error) => {
                            running.check()?;
                            out.message(
                                &[b"error in regular expression search: ", error.to_string().as_bytes()].concat(),
                            )?;
                            out.flush()?;
                            return Ok(1);
                        }
                    }
                }
            };
            let Some((at, after)) = found else { break };
            let cut = if command.before { at } else { after };
            out.push(data.get(cut..end).unwrap_or_default())?;
            end = cut;
            searched = at;
        }
        out.push(data.get(..end).unwrap_or_default())?;
    }
    out.flush()?;
    Ok(status)
}

/// A file that is standard input, and its length: GNU's reads it from its end to its beginning, wherever others have read to.
fn from_the_beginning(source: &Source) -> Option<(std::fs::File, u64)> {
    let Source::Stream(stream) = source else { return None };
    let file = stream.file()?;
    let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
    Some((file.try_clone().ok()?, metadata.len()))
}

/// The match that begins last, which is as long as the text lets it be. The text is the subject's.
fn last(regex: &Regex, subject: &Subject<'_>, text: &[u8], bytes: bool) -> Result<Option<(usize, usize)>, SearchError> {
    let is_inside =
        |at: usize| !bytes && text.get(at).is_some_and(|byte| hookshell_process::text::is_continuation(*byte));
    // The first match that begins at this place or after it, before the end.
    let from = |mut at: usize| -> Result<Option<(usize, usize)>, SearchError> {
        while is_inside(at) {
            at += 1;
        }
        if at >= text.len() {
            return Ok(None);
        }
        Ok(regex.find_from(subject, at)?.filter(|span| span.0 < text.len()))
    };
    // From `none` on none begins.
    let (mut none, mut window) = (text.len(), 1_usize);
    let mut found = loop {
        let begin = text.len().saturating_sub(window);
        if let Some(span) = from(begin)? {
            break span;
        }
        if begin == 0 {
            return Ok(None);
        }
        none = begin;
        window = window.saturating_mul(2);
    };
    // One by one they could be as many as there are bytes, and each as long as the text.
    while found.0 + 1 < none {
        let middle = found.0 + 1 + (none - found.0 - 1) / 2;
        match from(middle)? {
            Some(span) => found = span,
            None => none = middle,
        }
    }
    Ok(Some(found))
}
