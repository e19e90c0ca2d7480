//! `-exec` and `-execdir`.

use std::path::{Path, PathBuf};

use hookshell_utility::io::{BUFFER, Failure, Running};
use hookshell_utility::quote;
use hookshell_utility::{Args, CommandEnd, Stopped};

use super::entry::Entry;
use super::expression::Execution;

/// The size of the command lines that are built for `+`.
const SIZE: usize = 128 * 1024;

/// Runs the expression's commands.
pub(super) struct Executor<'r, 'a> {
    running: &'r Running<'a>,
    executions: &'r [Execution<'r>],
    pending: Vec<Pending>,
    /// A command of `+` has failed.
    has_failed: bool,
}

/// The names for a command of `+`.
#[derive(Default)]
struct Pending {
    names: Args,
    /// Where it runs; `None`: here.
    directory: Option<PathBuf>,
}

impl<'r, 'a> Executor<'r, 'a> {
    pub(super) fn new(running: &'r Running<'a>, executions: &'r [Execution<'r>]) -> Self {
        let pending = executions.iter().map(|_| Pending::default()).collect();
        Self { running, executions, pending, has_failed: false }
    }

    /// Runs a command for an entry, or remembers the entry for it.
    pub(super) fn run(&mut self, index: usize, entry: &Entry) -> Result<bool, Failure> {
        let Some(execution) = self.executions.get(index) else { return Ok(false) };
        let (name, directory) = if execution.in_directory {
            let base = entry.base_name();
            let mut name = if base == b"/" { base.to_vec() } else { [b"./", base].concat() };
            // An operand's.
            if entry.shown.ends_with(b"/") && base != b"/" {
                name.push(b'/');
            }
            let is_itself = matches!(base, b"." | b".." | b"/");
            let path = entry.path();
            let parent = path.parent().filter(|_| !is_itself).map(Path::to_path_buf);
            let directory = parent.unwrap_or(path);
            // A command takes its directory by the name: one that has been replaced is not entered.
            if let Some(holder) = &entry.holder
                && !holder.is_at(&directory)
            {
                let text = [&b"the directory of "[..], &quote::locale(&entry.shown), b" is no longer where it was"];
                self.running.message(&text.concat())?;
                self.has_failed = true;
                return Ok(false);
            }
            (name, Some(directory))
        } else {
            (entry.shown.clone(), None)
        };
        if !execution.is_batch {
            if execution.asks && !self.is_wanted(execution, &entry.shown)? {
                return Ok(false);
            }
            let mut argv = Args::new();
            for word in &execution.words {
                replace(&mut argv, word, &name);
            }
            return Ok(self.execute(&argv, directory.as_deref(), execution.asks)? == Some(0));
        }
        let own: usize = execution.words.iter().map(|word| word.len() + 1).sum();
        let is_full = self.pending.get(index).is_some_and(|pending| {
            let size = own + pending.names.byte_len() + pending.names.len() + name.len() + 1;
            pending.directory != directory || size > SIZE
        });
        if is_full {
            self.run_pending(index)?;
        }
        if let Some(pending) = self.pending.get_mut(index) {
            pending.names.push(&name);
            pending.directory = directory;
        }
        Ok(true)
    }

    /// Runs what was collected; has any command of `+` failed?
    pub(super) fn finish(&mut self) -> Result<bool, Failure> {
        for index in 0..self.pending.len() {
            self.run_pending(index)?;
        }
        Ok(self.has_failed)
    }

    fn run_pending(&mut self, index: usize) -> Result<(), Failure> {
        let (Some(execution), Some(pending)) = (self.executions.get(index), self.pending.get_mut(index)) else {
            return Ok(());
        };
        let pending = std::mem::take(pending);
        if pending.names.is_empty() {
            return Ok(());
        }
        let argv: Args = execution.words.iter().copied().chain(pending.names.iter()).collect();
        if self.execute(&argv, pending.directory.as_deref(), false)? != Some(0) {
            self.has_failed = true;
        }
        Ok(())
    }

    /// Asks whether a command shall run: an answer that begins with `y` says so.
    fn is_wanted(&self, execution: &Execution<'_>, shown: &[u8]) -> Result<bool, Failure> {
        let context = self.running.context();
        let name = execution.words.first().copied().unwrap_or_default();
        if let Some(stderr) = context.stderr() {
            let _ = stderr.write_all(&[b"< ", name, b" ... ", shown, b" > ? "].concat(), self.running.interrupt());
        }
        let mut answer = Vec::new();
        if let Some(stdin) = context.stdin() {
            match stdin.read_until(b'\n', &mut answer, BUFFER, self.running.interrupt()) {
                Err(error) if hookshell_process::is_interrupted(&error) => return Err(Stopped::Cancelled.into()),
                _ => {}
            }
        }
        Ok(matches!(answer.first(), Some(b'y' | b'Y')))
    }

    /// `without_input`: the command does not read the answers.
    fn execute(&self, argv: &Args, directory: Option<&Path>, without_input: bool) -> Result<Option<u8>, Failure> {
        let context = self.running.context();
        let directory = directory.unwrap_or(context.cwd);
        let mut fds = context.fds.clone();
        if without_input {
            fds.replace(0, None);
        }
        let outcome = self.running.command_in(argv, context.env, directory, fds, None)?;
        match outcome.end {
            CommandEnd::Ended(status) => {
                if let Some(signal) = outcome.signal {
                    let text = format!(" terminated by signal {signal}");
                    self.running.message(&[&quote::locale(&argv[0])[..], text.as_bytes()].concat())?;
                }
                Ok(Some(status))
            }
            CommandEnd::NotStarted { reason, .. } => {
                self.running.message(&[&quote::locale(&argv[0])[..], b": ", reason.as_bytes()].concat())?;
                Ok(None)
            }
        }
    }
}

/// Appends a word with the name in the place of each `{}`.
fn replace(argv: &mut Args, word: &[u8], name: &[u8]) {
    let mut rest = word;
    while let Some(at) = memchr::memmem::find(rest, b"{}") {
        argv.open().extend_from_slice(rest.get(..at).unwrap_or_default());
        argv.open().extend_from_slice(name);
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    argv.open().extend_from_slice(rest);
    argv.finish();
}
