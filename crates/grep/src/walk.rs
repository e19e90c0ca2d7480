//! The inputs of grep: operands and what lies in directories.

use std::io::ErrorKind;

use hookshell_files::at::{Dir, Listed, Place, Way};
use hookshell_files::file_stat::{DIRECTORY, LINK, REGULAR};
use hookshell_process::{Opening, text};
use hookshell_regex::SearchError;
use hookshell_utility::io::{BUFFER, Failure, MemoryCharge, Running, Source, reason};

use super::colors::{Colors, Part};
use super::command::{Command, Devices, Directories, List, Origin, add};
use super::matcher::Cache;
use super::scan::{Scanner, Trouble, is_regular};
use super::source::Kind;

/// What all inputs together gave.
struct Inputs<'c, 'r, 'a> {
    scanner: Scanner<'c, 'r, 'a>,
    matched: bool,
    error: bool,
    /// A search gave no answer, which ends it all.
    died: bool,
    /// Names stand before lines: asked for, or there are several inputs.
    with_names: bool,
    /// Names stand before lines as soon as a directory is entered.
    names_in_directories: bool,
}

/// A directory that is being searched.
struct Frame {
    directory: Dir,
    /// The last one comes first.
    entries: Vec<Listed>,
    /// How much of the name is that of the directory, with the slash.
    prefix: usize,
}

/// What a byte of the patterns takes, about: its node and its state, as measured with 300,000 numbers.
const PER_BYTE_OF_PATTERN: usize = 64;

/// Runs a command that was read.
pub(crate) fn run(running: &Running<'_>, mut command: Command<'_>) -> Result<u8, Failure> {
    for _ in 0..command.obsolete {
        running.message(b"warning: --unix-byte-offsets (-u) is obsolete")?;
    }
    if !names_in_streams(running, &mut command)? {
        return Ok(2);
    }
    if command.max_count == 0 && command.list != List::NonMatching {
        // GNU's does not even look at the patterns.
        return Ok(1);
    }
    let matcher = match command.matcher.take() {
        Some(matcher) => matcher,
        None => match deferred(running, &mut command)? {
            Some(matcher) => matcher,
            None => return Ok(2),
        },
    };
    let matcher = match matcher {
        Ok(matcher) => matcher,
        Err(message) => {
            running.message(message.as_bytes())?;
            return Ok(2);
        }
    };
    let mut kept = running.keep();
    kept.set(command.source.patterns.len().saturating_mul(PER_BYTE_OF_PATTERN))?;
    let colors = if command.color.applies(running) { Some(Colors::of(running.context().env)) } else { None };
    let (colors, warning) = colors.unzip();
    if let Some(warning) = warning.flatten() {
        running.message(warning.as_bytes())?;
    }
    for warning in super::matcher::warnings(&command.source) {
        running.message(format!("warning: {warning}").as_bytes())?;
    }
    if command.selects_nothing() {
        return Ok(1);
    }
    let recursive = command.directories == Directories::Recurse;
    let mut operands = command.operands.clone();
    let here = operands.is_empty() && recursive;
    if operands.is_empty() {
        operands.push(if recursive { b"." } else { b"-" });
    }
    let several = operands.len() > 1;
    let mut inputs = Inputs {
        scanner: Scanner::new(running, &command, &matcher, colors),
        matched: false,
        error: false,
        died: false,
        with_names: command.with_name.unwrap_or(several),
        names_in_directories: command.with_name.unwrap_or(true),
    };
    for operand in operands {
        running.check()?;
        inputs.operand(operand, here)?;
        if command.quiet && inputs.matched {
            return Ok(0);
        }
        if inputs.died {
            break;
        }
    }
    inputs.scanner.out.flush()?;
    Ok(match (inputs.error, inputs.matched) {
        (true, _) => 2,
        (false, matched) => u8::from(!matched),
    })
}

/// Reads a stream to its end, beside so many bytes; `None`: it cannot be read, which is said. `true`: it can be read twice.
fn whole(
    running: &Running<'_>,
    name: &[u8],
    beside: usize,
    kept: &mut MemoryCharge,
) -> Result<Option<(Vec<u8>, bool)>, Failure> {
    let source = match running.open(name)? {
        Ok(source) => source,
        Err(error) => {
            running.report_error(name, &error)?;
            return Ok(None);
        }
    };
    let mut text = Vec::new();
    loop {
        let start = text.len();
        kept.set(2 * (beside + start))?;
        text.resize(start + BUFFER, 0);
        match running.read(&source, text.get_mut(start..).unwrap_or_default())? {
            Ok(0) => {
                text.truncate(start);
                break;
            }
            Ok(count) => text.truncate(start + count),
            Err(error) => {
                running.report_error(name, &error)?;
                return Ok(None);
            }
        }
    }
    // Standard input under the name `-` is one stream that is at its end.
    Ok(Some((text, name != b"-" && is_regular(&source))))
}

/// Reads the names to leave out that stand in streams; `false`: one cannot be read.
fn names_in_streams(running: &Running<'_>, command: &mut Command<'_>) -> Result<bool, Failure> {
    let mut kept = running.keep();
    // From the last on, so that the places of those before stay.
    for (at, name) in std::mem::take(&mut command.excluded_from).into_iter().rev() {
        let Some((text, again)) = whole(running, name, 0, &mut kept)? else { return Ok(false) };
        command.files.exclude_lines(at, &text, again);
    }
    Ok(true)
}

/// Reads patterns from streams and compiles them; `None`: a file could not be read, or what it says is not done.
fn deferred(
    running: &Running<'_>,
    command: &mut Command<'_>,
) -> Result<Option<Result<super::matcher::Matcher, String>>, Failure> {
    let mut kept = running.keep();
    let mut patterns = Vec::new();
    for origin in &command.origins {
        match origin {
            Origin::Text(text) => add(&mut patterns, text),
            Origin::File(name) => {
                let Some((text, _)) = whole(running, name, patterns.len(), &mut kept)? else { return Ok(None) };
                if !text.is_empty() {
                    add(&mut patterns, text.strip_suffix(b"\n").unwrap_or(&text));
                }
            }
        }
    }
    match command.compile(patterns, &Cache::default()) {
        Ok(matcher) => Ok(Some(matcher)),
        Err(unsupported) => {
            running.message(format!("hookshell's own grep does not support {unsupported}").as_bytes())?;
            Ok(None)
        }
    }
}

impl<'a> Inputs<'_, '_, 'a> {
    fn command(&self) -> &Command<'a> {
        self.scanner.command
    }

    fn operand(&mut self, operand: &'a [u8], here: bool) -> Result<(), Failure> {
        let running = self.scanner.running;
        if operand == b"-" {
            let label = self.command().label;
            return match running.open(operand)? {
                Ok(source) => self.search(&source, label, self.with_names),
                Err(error) => self.trouble(label, &error),
            };
        }
        let path = running.path(operand);
        let is_directory = path.is_dir() && !operand.is_empty();
        let left_out = if is_directory {
            self.command().directories == Directories::Skip
                || !here && self.command().excluded_directories.excludes(operand, true)
        } else {
            self.command().files.excludes(operand, true)
        };
        if left_out && (is_directory || path.exists()) {
            // GNU's opens it all the same. A FIFO must not wait for a writer.
            return match path.is_file().then(|| running.open_file(operand)).transpose()? {
                Some(Err(error)) => self.trouble(operand, &error),
                _ => Ok(()),
            };
        }
        if is_directory && self.command().directories == Directories::Recurse {
            let end = operand.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
            let shown = if here { b"" } else { operand.get(..end).unwrap_or(operand) };
            let mut prefix = shown.to_vec();
            if !here {
                prefix.push(b'/');
            }
            return self.directory(&Place::at(path), &prefix, operand);
        }
        // A FIFO must not wait for a writer.
        let is_skipped = self.command().devices == Devices::Skip;
        let is_other = |found: std::fs::Metadata| !found.is_file() && !found.is_dir();
        if is_skipped && running.special(operand).is_none() && path.metadata().is_ok_and(is_other) {
            return Ok(());
        }
        match running.open_file(operand)? {
            Ok(source) if is_skipped && is_device(&source) => Ok(()),
            Ok(source) => self.search(&source, operand, self.with_names),
            Err(error) if error.kind() == ErrorKind::IsADirectory => {
                self.trouble(operand, &error)?;
                self.report(operand, 0, self.with_names)
            }
            Err(error) => self.trouble(operand, &error),
        }
    }

    /// Searches the files of a directory, in its own order, and those of the directories in it.
    fn directory(&mut self, place: &Place, prefix: &[u8], shown: &[u8]) -> Result<(), Failure> {
        let mut way = Way::default();
        let mut name = prefix.to_vec();
        let mut stack: Vec<Frame> = Vec::new();
        if let Some(frame) = self.enter(&mut way, &stack, place, shown, true)? {
            stack.push(Frame { prefix: name.len(), ..frame });
        }
        while let Some(frame) = stack.last_mut() {
            self.scanner.running.check()?;
            name.truncate(frame.prefix);
            let done = self.died || self.scanner.command.quiet && self.matched;
            let Some(entry) = frame.entries.pop().filter(|_| !done) else {
                stack.pop();
                way.leave();
                continue;
            };
            let place = frame.directory.entry(&entry.name);
            let base = text::from_os_owned(entry.name);
            name.extend_from_slice(&base);
            if self.entry(&place, &base, &name, entry.kind)?
                && let Some(frame) = self.enter(&mut way, &stack, &place, &name, self.command().follow)?
            {
                name.push(b'/');
                stack.push(Frame { prefix: name.len(), ..frame });
            }
        }
        Ok(())
    }

    /// Opens a directory and lists it; `None`: it cannot be, which has been said.
    fn enter(
        &mut self,
        way: &mut Way,
        above: &[Frame],
        place: &Place,
        shown: &[u8],
        follows: bool,
    ) -> Result<Option<Frame>, Failure> {
        let opened = place.open_dir(follows).and_then(|directory| Ok((directory.list()?, directory)));
        let (mut entries, directory) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.trouble(shown, &error)?;
                return Ok(None);
            }
        };
        if self.command().follow && above.iter().any(|above| above.directory.is_same(&directory)) {
            self.scanner.message(&[b"warning: ", shown, b": recursive directory loop"].concat())?;
            return Ok(None);
        }
        way.enter(directory.clone());
        entries.reverse();
        Ok(Some(Frame { directory, entries, prefix: 0 }))
    }

    /// Searches an entry; is it a directory to go into?
    fn entry(&mut self, place: &Place, name: &[u8], shown: &[u8], kind: Option<u32>) -> Result<bool, Failure> {
        let follow = self.command().follow;
        let kind = match kind {
            Some(kind) if kind != LINK || !follow => Ok(kind),
            _ => place.look(follow).map(|stat| stat.kind()),
        };
        let kind = match kind {
            Ok(kind) => kind,
            Err(error) => {
                if follow && self.command().files.excludes(name, false) {
                    return Ok(false);
                }
                self.trouble(shown, &error)?;
                return Ok(false);
            }
        };
        if kind == DIRECTORY {
            return Ok(!self.command().excluded_directories.excludes(name, false));
        }
        if kind != REGULAR && kind != LINK && self.command().devices == Devices::Read {
            if !self.command().files.excludes(name, false) {
                match self.scanner.running.open_file(shown)? {
                    Ok(source) => self.search(&source, shown, self.names_in_directories)?,
                    Err(error) => self.trouble(shown, &error)?,
                }
            }
            return Ok(false);
        }
        // Links that are not followed and devices are passed over.
        if kind != REGULAR || self.command().files.excludes(name, false) {
            return Ok(false);
        }
        // What has become something else meanwhile is not waited for.
        let opening = Opening { no_follow: !follow, nonblocking: true, ..Opening::to_read() };
        match place.open(&self.scanner.running.opening(opening)) {
            Ok(file) => {
                let kind = hookshell_process::FileKind::of(&file);
                self.search(&Source::File(file, kind), shown, self.names_in_directories)?;
            }
            Err(error) => self.trouble(shown, &error)?,
        }
        Ok(false)
    }

    fn search(&mut self, source: &Source, title: &[u8], with_name: bool) -> Result<(), Failure> {
        let command = self.scanner.command;
        if !command.quiet
            && !command.count
            && command.list == List::None
            && command.max_count > 1
            && is_output(self.scanner.running, source)
        {
            self.error = true;
            if !command.silent {
                self.scanner.message(&[title, b": input file is also the output"].concat())?;
            }
            return Ok(());
        }
        let (count, trouble) = self.scanner.search(source, with_name.then_some(title), title)?;
        match trouble {
            Some(Trouble::Read(error)) => self.trouble(title, &error)?,
            Some(Trouble::Search(error)) => {
                self.scanner.running.check()?;
                // GNU's ends there: no count, and no other input.
                self.error = true;
                self.died = true;
                let text = match error {
                    SearchError::TooComplex if command.source.kind == Kind::Perl => {
                        "exceeded PCRE's backtracking limit".to_owned()
                    }
                    error => error.to_string(),
                };
                return self.scanner.message(&[title, b": ", text.as_bytes()].concat());
            }
            None => {}
        }
        self.report(title, count, with_name)
    }

    /// The count or the name of an input that was searched.
    fn report(&mut self, title: &[u8], count: u64, with_name: bool) -> Result<(), Failure> {
        let command = self.scanner.command;
        self.matched |= count > 0;
        let out = &mut self.scanner.out;
        let listed = match command.list {
            List::None => false,
            List::Matching => count > 0,
            List::NonMatching => count == 0,
        };
        if command.quiet {
            return Ok(());
        }
        if listed {
            out.colored(Part::Name, title)?;
            out.byte(if command.null_names { 0 } else { b'\n' })?;
        } else if command.count && command.list == List::None {
            if with_name {
                out.colored(Part::Name, title)?;
                if command.null_names {
                    out.byte(0)?;
                } else {
                    out.colored(Part::Separator, b":")?;
                }
            }
            out.push(count.to_string().as_bytes())?;
            out.byte(b'\n')?;
        }
        if command.line_buffered {
            out.flush()?;
        }
        Ok(())
    }

    fn trouble(&mut self, title: &[u8], error: &std::io::Error) -> Result<(), Failure> {
        self.error = true;
        if self.command().silent {
            return Ok(());
        }
        self.scanner.message(&[title, b": ", reason(error).as_bytes()].concat())
    }
}

/// Is it no plain file? What is no file of the system is a pipe to who looks.
fn is_device(source: &Source) -> bool {
    let metadata = match source {
        Source::File(file, _) => file.metadata().ok(),
        Source::Stream(stream) => stream.file().and_then(|file| file.metadata().ok()),
    };
    !metadata.is_some_and(|found| found.is_file() || found.is_dir())
}

/// `grep x f >> f` would never end.
#[cfg(unix)]
fn is_output(running: &Running<'_>, source: &Source) -> bool {
    use std::os::unix::fs::MetadataExt;
    let stdout = running.context().stdout();
    let output = stdout.and_then(|stream| stream.file()).and_then(|file| file.metadata().ok());
    let Some(output) = output.filter(std::fs::Metadata::is_file) else { return false };
    let input = match source {
        Source::File(file, _) => file.metadata(),
        Source::Stream(stream) => match stream.file() {
            Some(file) => file.metadata(),
            None => return false,
        },
    };
    input.is_ok_and(|input| (input.dev(), input.ino()) == (output.dev(), output.ino()))
}

#[cfg(not(unix))]
fn is_output(_: &Running<'_>, _: &Source) -> bool {
    false
}
