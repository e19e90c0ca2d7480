//! Process substitutions for programs that cannot open `/dev/fd/N`: on Windows a program has the standard descriptors and
//! no others. Built-ins and bundled utilities use the pipe itself; a program gets a temporary file in its place.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use bstr::ByteSlice;
use hookshell_process::{Child, text};
use hookshell_utility::{Args, Environment, FdTable, Stream};
use tempfile::{NamedTempFile, TempPath};

use crate::executor::{ExecError, Started};
use crate::flow::NEXT;
use crate::shell::Shell;

/// How much is copied at once.
const CHUNK: usize = 64 * 1024;

/// A command with files for its process substitutions.
#[derive(Debug)]
pub(super) struct Substituted {
    pub(super) args: Args,
    pub(super) env: Environment,
    files: Vec<SubstitutedFile>,
}

#[derive(Debug)]
struct SubstitutedFile {
    /// `/dev/fd/N`.
    name: Vec<u8>,
    /// What takes its place.
    path: Vec<u8>,
    /// Removed with the last that holds it.
    file: Arc<TempPath>,
    /// `>(list)`: where the file's content goes when the program has ended.
    stream: Option<Arc<Stream>>,
}

impl Shell {
    /// The command with files in the place of its process substitutions; `None` if it names none. What a `<(list)`
    /// writes is read to its end first; later programs get the same file.
    pub(super) fn substituted(&mut self, args: &Args, env: &Environment) -> Result<Option<Substituted>, ExecError> {
        let mut files: Vec<SubstitutedFile> = Vec::new();
        for index in 0..self.context.substitutions.len() {
            let substitution = &self.context.substitutions[index];
            let name = format!("/dev/fd/{}", substitution.fd).into_bytes();
            let is_named = args.iter().any(|word| place(word, &name).is_some())
                || env.iter().any(|(_, value)| place(&text::from_os(value), &name).is_some());
            let Some(stream) = substitution.stream.upgrade().filter(|_| is_named) else { continue };
            // The descriptor may have been closed, or lead elsewhere by now.
            if !self.env.fds.get(substitution.fd).is_some_and(|own| Arc::ptr_eq(own, &stream)) {
                continue;
            }
            let refused = |error: io::Error| ExecError::Refused(format!("process substitution: {error}"));
            let file = match (substitution.read, &substitution.file) {
                (true, Some(file)) => file.clone(),
                (true, None) => self.read_into_file(&stream).map_err(refused)?,
                (false, _) => Arc::new(NamedTempFile::new_in(self.temp_dir()).map_err(refused)?.into_temp_path()),
            };
            let path = text::from_path(&file).replace("/", "\\");
            let substitution = &mut self.context.substitutions[index];
            substitution.file = Some(file.clone());
            files.push(SubstitutedFile { name, path, file, stream: (!substitution.read).then_some(stream) });
        }
        if files.is_empty() {
            return Ok(None);
        }
        let with_files = |text: &[u8]| {
            let mut text = text.to_vec();
            for file in &files {
                replace(&mut text, &file.name, &file.path);
            }
            text
        };
        let mut words = Args::new();
        args.iter().for_each(|word| words.push(&with_files(word)));
        let variables =
            env.iter().map(|(name, value)| (name.clone(), text::into_os(with_files(&text::from_os(value)))));
        Ok(Some(Substituted { args: words, env: Environment::new(variables.collect()), files }))
    }

    fn read_into_file(&self, stream: &Stream) -> io::Result<Arc<TempPath>> {
        let mut file = NamedTempFile::new_in(self.temp_dir())?;
        let mut buffer = vec![0; CHUNK];
        loop {
            let count = stream.read(&mut buffer, &self.context.interrupt)?;
            if count == 0 {
                return Ok(Arc::new(file.into_temp_path()));
            }
            file.write_all(&buffer[..count])?;
        }
    }

    /// Sees to the files of a command that was started: shell source has the pipes themselves, and what a program has
    /// written goes to its `>(list)` when it has ended.
    pub(super) fn end_substituted(&mut self, files: Substituted, started: Started) -> Result<Started, ExecError> {
        let child = match started {
            Started::Script(mut script) => {
                for argument in &mut script.args {
                    for file in files.files.iter().filter(|file| file.stream.is_some()) {
                        replace(argument, &file.path, &file.name);
                    }
                }
                return Ok(Started::Script(script));
            }
            Started::Process(child) => child,
        };
        let mut stage = self.fork();
        // Its copies of the pipes' ends would keep the lists from their end.
        stage.env.fds = FdTable::default();
        let (program, files) = (child.clone(), files.files);
        let feeder = self.spawn_thread(stage, move |shell| {
            shell.feed(&program, files);
            NEXT
        });
        match feeder {
            ControlFlow::Continue(_) => Ok(Started::Process(child)),
            ControlFlow::Break(_) => Err(ExecError::Refused("process substitution: no thread is left for it".into())),
        }
    }

    /// Waits for the program, and passes on what it has written. The files are removed then: one that is still running
    /// may not even have opened them.
    fn feed(&self, program: &Child, files: Vec<SubstitutedFile>) {
        if !matches!(program.wait_interruptible(&self.context.interrupt), Ok(Some(_))) {
            return;
        }
        for SubstitutedFile { file, stream, .. } in files {
            if let Some(stream) = stream {
                // A list that does not read to the end, and a file that the program has removed, are no business of ours.
                let _ = self.copy(&file, &stream);
            }
        }
    }

    fn copy(&self, from: &TempPath, to: &Stream) -> io::Result<()> {
        let mut file = File::open(from)?;
        let mut buffer = vec![0; CHUNK];
        loop {
            let count = file.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            to.write_all(&buffer[..count], &self.context.interrupt)?;
        }
    }
}

/// Where `name` stands in the text, and no digit after it: `/dev/fd/6` is not in `/dev/fd/63`.
fn place(text: &[u8], name: &[u8]) -> Option<usize> {
    text.find_iter(name).find(|at| !text.get(at + name.len()).is_some_and(u8::is_ascii_digit))
}

fn replace(text: &mut Vec<u8>, name: &[u8], by: &[u8]) {
    let mut done = 0;
    while let Some(at) = text.get(done..).and_then(|rest| place(rest, name)) {
        let at = done + at;
        text.splice(at..at + name.len(), by.iter().copied());
        done = at + by.len();
    }
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn whole_numbers_are_replaced() {
        for (text, expected) in [
            ("/dev/fd/63", "F"),
            ("--a=/dev/fd/63", "--a=F"),
            ("/dev/fd/63:/dev/fd/63", "F:F"),
            ("/dev/fd/631 /dev/fd/63", "/dev/fd/631 F"),
            ("/dev/fd/6", "/dev/fd/6"),
            ("", ""),
        ] {
            let mut found = text.as_bytes().to_vec();
            replace(&mut found, b"/dev/fd/63", b"F");
            assert_eq!(found, expected.as_bytes(), "{text}");
        }
    }
}
