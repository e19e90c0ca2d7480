//! The files that a script reads: from one to the next, edited in place, and whether the line is the last one.

use std::fs;

use hookshell_files::file_stat::FileStat;
use hookshell_utility::io::{Failure, reason};

use super::Machine;
use crate::input::{Edited, Lines, temporary_in};

impl<'m, 'a> Machine<'m, 'a> {
    /// Reads the next line into the pattern space, or after it; `false`: there is none.
    pub(super) fn read(&mut self, after: bool) -> Result<bool, Failure> {
        self.append()?;
        self.replaced = false;
        if !after {
            self.pattern.text.clear();
        }
        loop {
            if self.input.current.is_none() && !self.open_next()? {
                return Ok(false);
            }
            let Some(lines) = &mut self.input.current else { continue };
            match lines.next(self.running, self.options.end, &mut self.pattern.text)? {
                Ok(Some(terminated)) => {
                    self.pattern.terminated = terminated;
                    self.input.line += 1;
                    return Ok(true);
                }
                Ok(None) => {}
                Err(error) => {
                    self.input.unreadable = true;
                    let what = [b"read error on ", self.input.name].concat();
                    self.message(&what, &error)?;
                    return Ok(false);
                }
            }
            self.finish_file()?;
        }
    }

    /// Continues to the next file that can be read; `false`: there is none.
    fn open_next(&mut self) -> Result<bool, Failure> {
        loop {
            let Some(name) = self.input.waiting.pop_front() else { return Ok(false) };
            self.input.name = name;
            if self.options.source.separate {
                // Each file begins anew, also in the hold space and what `R` reads.
                self.input.line = 0;
                self.reset_ranges();
                self.hold.text.clear();
                self.open_line_files()?;
            }
            if self.options.in_place.is_some() {
                if self.edit(name)? {
                    return Ok(true);
                }
                continue;
            }
            self.outputs.flush()?;
            if let Some(lines) = self.input.open(self.running, name)? {
                self.input.current = Some(lines);
                return Ok(true);
            }
        }
    }

    /// Opens a file that is edited in place, and what takes its place. `false`: it cannot be read. What cannot be edited ends the
    /// script: the files after it stay as they are.
    fn edit(&mut self, name: &'a [u8]) -> Result<bool, Failure> {
        self.outputs.flush()?;
        let path = self.running.path(name);
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.input.status = 2;
                self.message(&[b"can't read ", name].concat(), &error)?;
                return Ok(false);
            }
        };
        if !metadata.is_file() {
            return Err(self.give_up([b"couldn't edit ", name, b": not a regular file"].concat(), 4));
        }
        let Some(lines) = self.input.open(self.running, name)? else { return Ok(false) };
        // Of the file that was opened.
        let opened = lines.file().and_then(|file| file.metadata().ok());
        let stat = FileStat::of(&opened.filter(fs::Metadata::is_file).unwrap_or(metadata));
        let holder = path.parent().unwrap_or(&path).to_path_buf();
        let file_name = path.file_name().unwrap_or_default().to_owned();
        let made = hookshell_files::at::Place::at(holder).open_dir(true).and_then(|directory| {
            let made = temporary_in(self.running, &directory, lines.file(), &stat)?;
            Ok((directory, made))
        });
        match made {
            Ok((directory, (temporary, file))) => {
                self.outputs.redirect(Some(file))?;
                self.input.current = Some(lines);
                self.input.edited = Some(Edited { directory, name: file_name, temporary });
                Ok(true)
            }
            Err(error) => {
                let directory = path.parent().map(hookshell_process::text::from_path).unwrap_or_default().into_owned();
                let text = format!("couldn't open temporary file {}/sedXXXXXX", String::from_utf8_lossy(&directory));
                Err(self.give_up([text.as_bytes(), b": ", reason(&error).as_bytes()].concat(), 4))
            }
        }
    }

    /// The current file is at its end, or what is left of it is not wanted.
    pub(super) fn finish_file(&mut self) -> Result<(), Failure> {
        self.input.current = None;
        let Some(edited) = self.input.edited.take() else { return Ok(()) };
        self.outputs.redirect(None)?;
        let suffix = self.options.in_place.unwrap_or_default();
        let moved = if suffix.is_empty() {
            Ok(())
        } else {
            let name = hookshell_process::text::from_os(&edited.name);
            let copy = if suffix.contains(&b'*') {
                suffix.split(|byte| *byte == b'*').collect::<Vec<_>>().join(&name[..])
            } else {
                [&name[..], suffix].concat()
            };
            let copy = edited.directory.entry(&hookshell_process::text::to_os(&copy));
            edited.directory.entry(&edited.name).rename_to(&copy)
        };
        let moved = moved.and_then(|()| edited.temporary.rename_to(&edited.directory.entry(&edited.name)));
        if let Err(error) = moved {
            let _ = edited.temporary.remove_file();
            self.input.status = 4;
            self.message(&[b"cannot rename ", self.input.name].concat(), &error)?;
        }
        Ok(())
    }

    /// Is the line that was read the last one?
    pub(super) fn is_last(&mut self) -> Result<bool, Failure> {
        let end = self.options.end;
        if let Some(lines) = &mut self.input.current
            && lines.has_more(self.running, end)?
        {
            return Ok(false);
        }
        if self.options.source.separate {
            return Ok(true);
        }
        // Files without lines do not count.
        while let Some(name) = self.input.waiting.front().copied() {
            if let Ok(source) = self.running.open(name)? {
                let mut lines = Lines::new(source, self.options.unbuffered);
                if lines.has_more(self.running, end)? {
                    // It is opened again when its turn comes, unless it can be read only once.
                    if name == b"-" || !self.running.path(name).is_file() {
                        self.input.waiting.pop_front();
                        self.input.current = Some(lines);
                        self.input.name = name;
                    }
                    return Ok(false);
                }
            } else {
                self.outputs.flush()?;
                self.input.open(self.running, name)?;
            }
            self.input.waiting.pop_front();
        }
        Ok(true)
    }
}
