//! `less` and `more`, where nobody turns pages.

use std::path::PathBuf;

use hookshell_utility::io::{BUFFER, Failure, Running, Source, reason};
use hookshell_utility::options::{LONG_ONLY, OptionSpec, flag, optional, parse, value};
use hookshell_utility::{Args, Unsupported, UtilityCall};
use hookshell_utility::{Prepared, Utility, prepare_yielding};

/// `less [OPTION]… [FILE]…` as it is away from a terminal: the files one after another, and what options say about pages
/// changes nothing. The real one does it wherever there is one; so it is at a terminal.
pub(crate) struct Less;

/// `more [OPTION]… [FILE]…` (util-linux's) in the same way; each file has its name above it.
pub(crate) struct More;

const RATHER_LONG: u8 = LONG_ONLY;

const LESS: &[OptionSpec] = &[
    flag(b'a', "search-skip-screen"),
    flag(b'A', "SEARCH-SKIP-SCREEN"),
    flag(b'B', "auto-buffers"),
    flag(b'c', "clear-screen"),
    flag(b'd', "dumb"),
    flag(b'e', "quit-at-eof"),
    flag(b'E', "QUIT-AT-EOF"),
    flag(b'f', "force"),
    flag(b'F', "quit-if-one-screen"),
    flag(b'g', "hilite-search"),
    flag(b'G', "HILITE-SEARCH"),
    flag(b'i', "ignore-case"),
    flag(b'I', "IGNORE-CASE"),
    flag(b'J', "status-column"),
    flag(b'K', "quit-on-intr"),
    flag(b'L', "no-lessopen"),
    flag(b'm', "long-prompt"),
    flag(b'M', "LONG-PROMPT"),
    flag(b'n', "line-numbers"),
    flag(b'N', "LINE-NUMBERS"),
    flag(b'q', "quiet"),
    flag(b'q', "silent"),
    flag(b'Q', "QUIET"),
    flag(b'r', "raw-control-chars"),
    flag(b'R', "RAW-CONTROL-CHARS"),
    flag(b's', "squeeze-blank-lines"),
    flag(b'S', "chop-long-lines"),
    flag(b'u', "underline-special"),
    flag(b'U', "UNDERLINE-SPECIAL"),
    flag(b'w', "hilite-unread"),
    flag(b'W', "HILITE-UNREAD"),
    flag(b'X', "no-init"),
    flag(b'~', "tilde"),
    flag(RATHER_LONG, "mouse"),
    flag(RATHER_LONG, "use-color"),
    flag(RATHER_LONG, "follow-name"),
    value(b'b', "buffers"),
    value(b'D', "color"),
    value(b'h', "max-back-scroll"),
    value(b'j', "jump-target"),
    value(b'p', "pattern"),
    value(b'P', "prompt"),
    value(b'x', "tabs"),
    value(b'y', "max-forw-scroll"),
    value(b'z', "window"),
    value(b'#', "shift"),
];

const MORE: &[OptionSpec] = &[
    flag(b'd', "silent"),
    flag(b'f', "logical"),
    flag(b'l', "no-pause"),
    flag(b'c', "print-over"),
    flag(b'p', "clean-print"),
    flag(b'e', "exit-on-eof"),
    flag(b's', "squeeze"),
    flag(b'u', "plain"),
    value(b'n', "lines"),
    optional(RATHER_LONG, "number"),
];

/// The files of a call: without words like `+G` and `-20`, which say where the first page begins and how long it is.
fn files_of(call: &UtilityCall<'_>, specs: &[OptionSpec], has_sizes: bool) -> Result<Vec<Vec<u8>>, Unsupported> {
    let mut words = Args::new();
    let mut is_after = false;
    for word in call.argv {
        is_after |= word == b"--";
        let is_size = match word {
            [b'+', _, ..] => true,
            [b'-', digits @ ..] => has_sizes && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        if is_after || !is_size {
            words.push(word);
        }
    }
    Ok(parse(&words, specs)?.operands.into_iter().map(<[u8]>::to_vec).collect())
}

impl Utility for Less {
    fn name(&self) -> &'static str {
        "less"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_yielding(self.name(), call, |call| files_of(call, LESS, true), |_| true, less)
    }
}

impl Utility for More {
    fn name(&self) -> &'static str {
        "more"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_yielding(self.name(), call, |call| files_of(call, MORE, true), |_| true, more)
    }
}

fn less(running: &Running<'_>, files: Vec<Vec<u8>>) -> Result<u8, Failure> {
    if files.is_empty() {
        return standard_input(running);
    }
    // Where they are, and the names of those that are nowhere: less keeps each file once, however it is named.
    let mut shown: Vec<Result<PathBuf, Vec<u8>>> = Vec::new();
    for file in files {
        let place = match &file[..] {
            b"-" => Err(file.clone()),
            name => running.path(name).canonicalize().map_err(|_| file.clone()),
        };
        if shown.contains(&place) {
            continue;
        }
        shown.push(place);
        if file == b"-" {
            standard_input(running)?;
        } else if running.path(&file).is_dir() {
            running.write(&[&file[..], b" is a directory\n"].concat())?;
        } else {
            // What is wrong with a file is what less shows of it.
            match running.open_file(&file)? {
                Ok(source) => copy(running, &source)?,
                Err(error) => running.write(&[&file[..], b": ", reason(&error).as_bytes(), b"\n"].concat())?,
            }
        }
    }
    Ok(0)
}

fn more(running: &Running<'_>, files: Vec<Vec<u8>>) -> Result<u8, Failure> {
    if files.is_empty() {
        return standard_input(running);
    }
    for file in files {
        if running.path(&file).is_dir() {
            running.write(&[b"\n*** ", &file[..], b": directory ***\n\n"].concat())?;
            continue;
        }
        match running.open_file(&file)? {
            Ok(source) => {
                const RULE: &[u8] = b"::::::::::::::\n";
                running.write(&[RULE, &file, b"\n", RULE].concat())?;
                copy(running, &source)?;
            }
            Err(error) => running.report_error(&[b"cannot open ", &file[..]].concat(), &error)?,
        }
    }
    Ok(0)
}

fn standard_input(running: &Running<'_>) -> Result<u8, Failure> {
    if let Ok(source) = running.open(b"-")? {
        copy(running, &source)?;
    }
    Ok(0)
}

/// Nothing is said of what cannot be read to its end.
fn copy(running: &Running<'_>, source: &Source) -> Result<(), Failure> {
    let mut buffer = vec![0; BUFFER];
    while let Ok(length @ 1..) = running.read(source, &mut buffer)? {
        running.write(buffer.get(..length).unwrap_or_default())?;
    }
    Ok(())
}
