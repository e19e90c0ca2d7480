//! `patch`: changes files as a diff says. GNU's 2.7.6 is the model; where there is a real one on PATH it runs, as it reads more
//! kinds of diffs than the unified ones.

mod hunks;
mod names;
mod place;
mod rejects;
mod request;
mod store;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hookshell_utility::Profile;
use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::prepare_yielding;
use hookshell_utility::quote;
use hookshell_utility::{Prepared, Stopped, Unsupported, Utility, UtilityCall};

use self::hunks::{FilePatch, Hunk, parse as parse_patch};
use self::names::is_safe;
use self::place::Target;
use self::request::{Command, read};

/// `patch [-bEfNRstu] [-d DIR] [-F NUM] [-i PATCH] [-o FILE] [-p NUM] [-r FILE] [-z SUFFIX] [--dry-run] [FILE [PATCH]]`
pub(crate) struct Patch;

/// Why a patch was not read.
#[derive(Debug)]
pub(super) enum Unreadable {
    Garbage,
    /// The line's number and text.
    Malformed(usize, Vec<u8>),
    Truncated(usize),
    Unsupported(&'static str),
}

impl Utility for Patch {
    fn name(&self) -> &'static str {
        "patch"
    }

    /// What the patch is shows only when it is read: a real program, where there is one, knows every kind.
    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_yielding(Profile::new(self.name()).usage(2), call, read, |_| true, run)
    }
}

/// What a line of a patch takes as a line of a hunk, of which there are copies while it is applied.
const PER_CHANGED_LINE: usize = 3 * 64;

fn newlines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

/// The status of trouble; that of hunks that failed is 1.
const TROUBLE: u8 = 2;

/// The question whether a patch is to be reversed, which nobody is asked.
enum Answer {
    Skip,
    Reverse,
    Apply,
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let fatal = |text: &[u8]| -> Result<u8, Failure> {
        running.message(&[b"**** ", text].concat())?;
        Ok(TROUBLE)
    };
    let base = command.directory.map(|directory| running.path(directory));
    if let Some(base) = &base
        && !base.is_dir()
    {
        let name = quote::if_needed(command.directory.unwrap_or_default());
        return fatal(&[b"Can't change to directory ", &*name, b" : No such file or directory"].concat());
    }
    let patch = Place { running, base: base.as_deref() };
    let source = if command.patch == b"-" { running.open(b"-")? } else { patch.open(command.patch)? };
    let text = match source {
        Ok(source) => Input::new(source).rest(running)?,
        Err(error) => {
            let name = quote::if_needed(command.patch);
            return fatal(&[b"Can't open patch file ", &*name, b" : ", reason(&error).as_bytes()].concat());
        }
    };
    if text.data.is_empty() {
        return Ok(0);
    }
    let mut kept = running.keep();
    kept.set(text.data.len().saturating_mul(2) + newlines(&text.data) * PER_CHANGED_LINE)?;
    let patches = match parse_patch(&text.data) {
        Ok(patches) => patches,
        Err(Unreadable::Garbage) => return fatal(b"Only garbage was found in the patch input."),
        Err(Unreadable::Malformed(line, text)) => {
            return fatal(&[format!("malformed patch at line {line}: ").as_bytes(), &*text, b"\n"].concat());
        }
        Err(Unreadable::Truncated(line)) => {
            return fatal(format!("unexpected end of file in patch at line {line}").as_bytes());
        }
        Err(Unreadable::Unsupported(what)) => {
            running.message(format!("hookshell's own patch does not support {what}").as_bytes())?;
            return Ok(TROUBLE);
        }
    };
    let mut work = Work { place: patch, command: &command, backed_up: Vec::new(), has_output: false };
    let mut status = 0;
    for patch in patches {
        running.check()?;
        status = status.max(work.apply(patch)?);
    }
    Ok(status)
}

/// Where names lead to.
struct Place<'r, 'c> {
    running: &'r Running<'c>,
    base: Option<&'r Path>,
}

impl Place<'_, '_> {
    fn path(&self, name: &[u8]) -> PathBuf {
        match self.base {
            None => self.running.path(name),
            Some(base) => hookshell_process::script_path::resolve(name, base, || self.running.temp_dir()),
        }
    }

    fn open(&self, name: &[u8]) -> Result<std::io::Result<hookshell_utility::io::Source>, Stopped> {
        match self.base {
            None => self.running.open_file(name),
            Some(_) => self.running.open_file(&hookshell_process::text::from_path(&self.path(name))),
        }
    }
}

struct Work<'r, 'c> {
    place: Place<'r, 'c>,
    command: &'r Command<'r>,
    /// The files that were backed up in this run: the first copy stays.
    backed_up: Vec<Vec<u8>>,
    /// The file of `-o` was written to: what follows is added.
    has_output: bool,
}

impl Work<'_, '_> {
    /// To standard output, unless the file goes there.
    fn say(&self, text: &[u8]) -> Result<(), Failure> {
        let running = self.place.running;
        if self.command.output != Some(b"-") {
            return running.write(text);
        }
        if let Some(stderr) = running.context().stderr() {
            // As with any message: one that cannot be written is lost.
            running.write_to(stderr, text)?.unwrap_or_default();
        }
        Ok(())
    }

    /// What is said unless `-s` is given.
    fn tell(&self, text: &[u8]) -> Result<(), Failure> {
        if self.command.silent { Ok(()) } else { self.say(text) }
    }

    /// Changes one file; the exit status.
    fn apply(&mut self, mut patch: FilePatch) -> Result<u8, Failure> {
        let command = self.command;
        if patch.had_carriage_returns {
            self.tell(b"(Stripping trailing CRs from patch; use --binary to disable.)\n")?;
        }
        let target = self.target(&patch);
        if command.reverse {
            patch.reverse();
        }
        let Some(name) = target else {
            self.say(&self.not_found(&patch))?;
            return self.ignored(&patch);
        };
        let path = self.place.path(&name);
        // A link is no regular file to GNU's.
        let metadata = fs::symlink_metadata(&path).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            self.say(
                &[b"File ", &*quote::if_needed(&name), b" is not a regular file -- refusing to patch\n"].concat(),
            )?;
            return Ok(1);
        }
        let mut kept = self.place.running.keep();
        let content = match &metadata {
            Some(metadata) => {
                // It is there: its text, and that of the result.
                kept.set(usize::try_from(metadata.len()).unwrap_or(usize::MAX).saturating_mul(2))?;
                match self.read(&path, metadata.len()) {
                    Ok(content) => {
                        kept.set(content.len().saturating_mul(2) + newlines(&content) * size_of::<&[u8]>())?;
                        content
                    }
                    Err(error) => return self.trouble("Can't open file", &name, &error),
                }
            }
            None => Vec::new(),
        };
        let mut skips = false;
        let contradiction = match (patch.creates, patch.deletes) {
            (true, _) if !content.is_empty() => Some(("create", "already exists")),
            (_, true) if metadata.is_none() => Some(("delete", "does not exist")),
            _ if metadata.is_some() && content.is_empty() && patch.empties() => Some(("empty out", "is already empty")),
            _ => None,
        };
        if let Some((verb, how)) = contradiction {
            let reversed = if command.reverse { ", when reversed," } else { "" };
            let text = format!("The next patch{reversed} would {verb} the file ");
            let name = quote::if_needed(&name);
            let intro = [text.as_bytes(), &*name, format!(",\nwhich {how}!").as_bytes()].concat();
            match self.ask_reverse(&intro)? {
                Answer::Skip => return self.ignored(&patch),
                Answer::Reverse => patch.reverse(),
                Answer::Apply => {}
            }
        }
        let new_name = patch.rename.as_ref().map(|(_, to)| self.git_name(to)).filter(|to| *to != name && is_safe(to));
        self.announce(&name, new_name.as_deref())?;
        let is_settled = command.force || contradiction.is_some();
        let (result, rejected, mismatch) = self.hunks(&mut patch, &content, is_settled, &mut skips)?;
        let mut status = 0;
        if command.output == Some(b"-") {
            self.place.running.write(&result)?;
        } else if !skips {
            let done = self.store(&patch, &name, new_name.as_deref(), &result, metadata.is_some(), mismatch);
            if let Err(error) = done {
                return self.trouble("Can't create file", new_name.as_ref().unwrap_or(&name), &error);
            }
        }
        if patch.deletes && !result.is_empty() && !skips && command.output.is_none() {
            status = 1;
            let shown = quote::if_needed(new_name.as_ref().unwrap_or(&name));
            self.tell(&[&b"Not deleting file "[..], &*shown, b" as content differs from patch\n"].concat())?;
        }
        if !rejected.is_empty() {
            status = 1;
            let (failed, count) = (rejected.len(), patch.hunks.len());
            let plural = if count == 1 { "" } else { "s" };
            let how = if skips { "ignored" } else { "FAILED" };
            self.say(format!("{failed} out of {count} hunk{plural} {how}").as_bytes())?;
            let rejects = match command.rejects {
                _ if command.dry_run => None,
                Some(b"-") => None,
                Some(name) => Some(name.to_vec()),
                None => Some([command.output.unwrap_or(new_name.as_ref().unwrap_or(&name)), b".rej"].concat()),
            };
            if let Some(rejects) = rejects {
                self.say(&[b" -- saving rejects to file ", &*quote::if_needed(&rejects)].concat())?;
                let text = self.rejects_text(&patch, &rejected);
                let path = self.place.path(&rejects);
                if let Err(error) = self.replace(&path, 0o666, false).and_then(|mut file| file.write_all(&text)) {
                    self.say(b"\n")?;
                    return self.trouble("Can't create file", &rejects, &error);
                }
            }
            self.say(b"\n")?;
        }
        Ok(status)
    }

    /// That none of a patch's hunks is applied.
    fn ignored(&self, patch: &FilePatch) -> Result<u8, Failure> {
        let count = patch.hunks.len();
        let plural = if count == 1 { "" } else { "s" };
        self.say(format!("{count} out of {count} hunk{plural} ignored\n").as_bytes())?;
        Ok(1)
    }

    /// The line that names the file.
    fn announce(&self, name: &[u8], new_name: Option<&[u8]>) -> Result<(), Failure> {
        let shown = quote::if_needed(new_name.unwrap_or(name));
        let verb: &[u8] = if self.command.dry_run { b"checking" } else { b"patching" };
        let from = match new_name {
            Some(_) => [b" (renamed from ", name, b")"].concat(),
            None => Vec::new(),
        };
        let read_from = match self.command.output.map(quote::if_needed) {
            Some(output) => [&*output, b" (read from ", &*shown, b")"].concat(),
            None => [&*shown, &from].concat(),
        };
        self.tell(&[verb, b" file ", &read_from, b"\n"].concat())
    }

    fn trouble(&self, what: &str, name: &[u8], error: &std::io::Error) -> Result<u8, Failure> {
        let name = quote::if_needed(name);
        let text = [b"**** ", what.as_bytes(), b" ", &*name, b" : ", reason(error).as_bytes()].concat();
        self.place.running.message(&text)?;
        Ok(TROUBLE)
    }

    /// The hunks on a file's text, where it may be settled that they are not to be reversed: the new text, the hunks that were rejected with how far they would have moved, and whether
    /// something did not stand where it should.
    #[expect(clippy::type_complexity, reason = "three results of one step")]
    fn hunks(
        &self,
        patch: &mut FilePatch,
        content: &[u8],
        is_settled: bool,
        skips: &mut bool,
    ) -> Result<(Vec<u8>, Vec<(Hunk, isize)>, bool), Failure> {
        let command = self.command;
        let mut target =
            Target { lines: content.split_inclusive(|byte| *byte == b'\n').collect(), frozen: 0, offset: 0 };
        let mut result = Vec::new();
        let mut rejected = Vec::new();
        let mut mismatch = false;
        let mut moved: isize = 0;
        let mut applies_anyway = is_settled;
        // What makes a file fits no other text.
        let is_taken = patch.creates && !content.is_empty();
        let mut index = 0;
        while let Some(hunk) = patch.hunks.get(index).cloned() {
            self.place.running.check()?;
            let mut hunk = hunk;
            let (prefix, suffix) = hunk.context();
            let most = command.fuzz.min(prefix.max(suffix));
            let mut place = None;
            let mut fuzz = 0;
            while !*skips && fuzz <= most {
                place = if is_taken { None } else { target.locate(&hunk, fuzz) };
                mismatch |= place.is_none() || fuzz > 0 || target.offset != 0;
                if place.is_none() && index == 0 && !applies_anyway {
                    let mut other = hunk.clone();
                    other.reverse();
                    if target.locate(&other, fuzz).is_some() {
                        target.offset = 0;
                        let intro: &[u8] = if command.reverse {
                            b"Unreversed patch detected!"
                        } else {
                            b"Reversed (or previously applied) patch detected!"
                        };
                        match self.ask_reverse(intro)? {
                            Answer::Skip => *skips = true,
                            Answer::Reverse => {
                                patch.reverse();
                                hunk = other;
                                applies_anyway = true;
                                continue;
                            }
                            Answer::Apply => {
                                applies_anyway = true;
                                continue;
                            }
                        }
                    }
                }
                if place.is_some() {
                    break;
                }
                fuzz += 1;
            }
            index += 1;
            let at = isize::try_from(place.unwrap_or(hunk.old_first)).unwrap_or(isize::MAX).saturating_add(moved);
            let Some(place) = place else {
                if !*skips {
                    self.tell(format!("Hunk #{index} FAILED at {at}.\n").as_bytes())?;
                }
                rejected.push((hunk, moved));
                continue;
            };
            let frozen = target.frozen;
            for line in target.lines.get(frozen..place - 1).unwrap_or_default() {
                push_line(&mut result, line);
            }
            let (old, new) = (hunk.side(b'-'), hunk.side(b'+'));
            // Context is as the file has it, where fuzz lets it differ.
            let mut here = place - 1;
            for (sign, text) in &hunk.lines {
                match sign {
                    b'+' => push_line(&mut result, text),
                    sign => {
                        if *sign == b' ' {
                            push_line(&mut result, target.lines.get(here).copied().unwrap_or(text));
                        }
                        here += 1;
                    }
                }
            }
            moved += isize::try_from(new.len()).unwrap_or(0) - isize::try_from(old.len()).unwrap_or(0);
            target.frozen = place - 1 + old.len();
            if fuzz > 0 || target.offset != 0 {
                let with_fuzz = if fuzz > 0 { format!(" with fuzz {fuzz}") } else { String::new() };
                let plural = if target.offset == 1 { "" } else { "s" };
                let offset = if target.offset == 0 {
                    String::new()
                } else {
                    format!(" (offset {} line{plural})", target.offset)
                };
                self.tell(format!("Hunk #{index} succeeded at {at}{with_fuzz}{offset}.\n").as_bytes())?;
            }
        }
        for line in target.lines.get(target.frozen..).unwrap_or_default() {
            push_line(&mut result, line);
        }
        Ok((result, rejected, mismatch))
    }

    /// GNU's questions, and the answers of nobody.
    fn ask_reverse(&self, intro: &[u8]) -> Result<Answer, Failure> {
        let command = self.command;
        if command.forward {
            self.say(&[intro, b"  Skipping patch.\n"].concat())?;
            return Ok(Answer::Skip);
        }
        if command.force {
            self.tell(&[intro, b"  Applying it anyway.\n"].concat())?;
            return Ok(Answer::Apply);
        }
        if command.batch {
            let how: &[u8] = if command.reverse { b"  Ignoring -R.\n" } else { b"  Assuming -R.\n" };
            self.say(&[intro, how].concat())?;
            return Ok(Answer::Reverse);
        }
        let question: &[u8] = if command.reverse { b"  Ignore -R? [n] \n" } else { b"  Assume -R? [n] \n" };
        self.say(&[intro, question, b"Apply anyway? [n] \n"].concat())?;
        self.tell(b"Skipping patch.\n")?;
        Ok(Answer::Skip)
    }

    fn not_found(&self, patch: &FilePatch) -> Vec<u8> {
        let how = match self.command.strip {
            None => "Perhaps you should have used the -p or --strip option?",
            Some(_) => "Perhaps you used the wrong -p or --strip option?",
        };
        let is_silent = self.command.silent;
        let head = format!("can't find file to patch at input line {}\n{how}\n", patch.line + 2);
        let mut text = if is_silent { Vec::new() } else { head.into_bytes() };
        text.extend_from_slice(b"The text leading up to this was:\n--------------------------\n");
        for line in patch.leading.split_inclusive(|byte| *byte == b'\n') {
            text.push(b'|');
            text.extend_from_slice(line);
        }
        let asks = if self.command.force || self.command.batch {
            "No file to patch.  Skipping patch.\n"
        } else if is_silent {
            "File to patch: \nSkip this patch? [y] \n"
        } else {
            "File to patch: \nSkip this patch? [y] \nSkipping patch.\n"
        };
        text.extend_from_slice(b"--------------------------\n");
        text.extend_from_slice(asks.as_bytes());
        text
    }
}

/// Adds a line: one before it that had no newline was the last of a file, and is no more.
fn push_line(text: &mut Vec<u8>, line: &[u8]) {
    if text.last().is_some_and(|byte| *byte != b'\n') {
        text.push(b'\n');
    }
    text.extend_from_slice(line);
}
