//! The files that are written, by their names, or the commands that get the pieces.

use std::sync::Arc;

use hookshell_utility::io::{Failure, Running, reason};
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::{ShellCall, StartedShell, Stopped, Stream};

use super::Command;

/// The names of the pieces in order.
pub(super) struct Names<'c> {
    pub(super) command: &'c Command<'c>,
    /// What stands before the suffix: the prefix, and a letter for each time that suffixes grew.
    pub(super) base: Vec<u8>,
    /// `None`: they have run out.
    pub(super) digits: Option<Vec<usize>>,
}

impl Names<'_> {
    fn next(&mut self) -> Option<Vec<u8>> {
        let digits = self.digits.as_mut()?;
        let alphabet = self.command.alphabet;
        let suffix = digits.iter().filter_map(|digit| alphabet.get(*digit)).copied();
        let mut name = self.base.clone();
        name.extend(suffix);
        name.extend_from_slice(self.command.additional);
        let mut at = digits.len();
        loop {
            let Some(digit) = at.checked_sub(1).and_then(|at| digits.get_mut(at)) else {
                self.digits = None;
                break;
            };
            at -= 1;
            *digit += 1;
            if self.command.grows && at == 0 && *digit + 1 == alphabet.len() {
                self.base.extend(alphabet.last());
                *digits = vec![0; digits.len() + 1];
                break;
            }
            if *digit < alphabet.len() {
                break;
            }
            *digit = 0;
        }
        Some(name)
    }
}

/// Why no more is written, which was told: the status.
pub(super) struct Reported(pub(super) u8);

/// A piece that is being written.
pub(super) struct Piece<'r, 'a> {
    pub(super) out: Output<'r, 'a>,
    /// The command that reads it, and the name that it was told.
    pub(super) command: Option<(Box<dyn StartedShell>, Vec<u8>)>,
    /// The command reads no more.
    pub(super) is_closed: bool,
}

impl Piece<'_, '_> {
    pub(super) fn push(&mut self, data: &[u8]) -> Result<(), Failure> {
        if self.is_closed {
            return Ok(());
        }
        let pushed = self.out.push(data);
        self.judged(pushed)
    }

    /// That a command does not read everything is no error.
    fn judged(&mut self, written: Result<(), Failure>) -> Result<(), Failure> {
        match written {
            Err(Failure::Stopped(Stopped::BrokenPipe)) if self.command.is_some() => {
                self.is_closed = true;
                Ok(())
            }
            written => written,
        }
    }

    /// Writes what is left, and waits for the command. The status of one that failed, which was told.
    pub(super) fn finish(mut self, filter: &[u8]) -> Result<Result<(), Reported>, Failure> {
        if !self.is_closed {
            let flushed = self.out.flush();
            self.judged(flushed)?;
        }
        let running = self.out.running();
        let Some((mut started, name)) = self.command else { return Ok(Ok(())) };
        // The pipe ends here.
        drop(self.out);
        let status = started.wait()?;
        if status == 0 {
            return Ok(Ok(()));
        }
        let end = match started.ended_by().map(i32::from) {
            Some(signal) => {
                let name = hookshell_process::signals::name(signal).map(|name| name.trim_start_matches("SIG"));
                format!(", signal {} from command: ", name.map_or_else(|| signal.to_string(), str::to_owned))
            }
            None => format!(", exit {status} from command: "),
        };
        let text = [&b"with FILE="[..], &name, end.as_bytes(), filter].concat();
        running.message(&text)?;
        Ok(Err(Reported(status)))
    }
}

/// The piece that is being written.
pub(super) struct Pieces<'c, 'r, 'a> {
    pub(super) running: &'r Running<'a>,
    pub(super) names: Names<'c>,
    pub(super) out: Option<Piece<'r, 'a>>,
    pub(super) input: Option<(u64, u64)>,
}

impl<'r, 'a> Pieces<'_, 'r, 'a> {
    /// Writes to the piece, or to the next one.
    pub(super) fn write(&mut self, data: &[u8], begins: bool) -> Result<Result<(), Reported>, Failure> {
        if begins {
            if let Err(told) = self.finish()? {
                return Ok(Err(told));
            }
            if data.is_empty() && self.names.command.elides {
                return Ok(Ok(()));
            }
            match self.next()? {
                Ok(piece) => self.out = Some(piece),
                Err(told) => return Ok(Err(told)),
            }
        }
        if let Some(out) = &mut self.out {
            out.push(data)?;
        }
        Ok(Ok(()))
    }

    /// Begins the next piece.
    pub(super) fn next(&mut self) -> Result<Result<Piece<'r, 'a>, Reported>, Failure> {
        let Some(name) = self.names.next() else {
            self.running.message(b"output file suffixes exhausted")?;
            return Ok(Err(Reported(1)));
        };
        self.open(name)
    }

    fn open(&self, name: Vec<u8>) -> Result<Result<Piece<'r, 'a>, Reported>, Failure> {
        if let Some(filter) = self.names.command.filter {
            return self.start(filter, name);
        }
        if self.names.command.is_verbose {
            self.running.write(&[&b"creating file "[..], &quote::always(&name), b"\n"].concat())?;
        }
        if self.input.is_some() && self.input == id_of(self.running.path(&name).metadata()) {
            self.running.message(&[&quote::always(&name)[..], b" would overwrite input; aborting"].concat())?;
            return Ok(Err(Reported(1)));
        }
        match self.running.create(&name, false) {
            Ok(stream) => Ok(Ok(Piece { out: Output::to(self.running, stream), command: None, is_closed: false })),
            Err(error) => {
                self.running.message(&[&name[..], b": ", reason(&error).as_bytes()].concat())?;
                Ok(Err(Reported(1)))
            }
        }
    }

    /// Starts the command that a piece is written to.
    fn start(&self, filter: &[u8], name: Vec<u8>) -> Result<Result<Piece<'r, 'a>, Reported>, Failure> {
        let context = self.running.context();
        let (reader, writer) = hookshell_process::pipe().map_err(Failure::Write)?;
        let mut fds = context.fds.clone();
        fds.replace(0, Some(Arc::new(Stream::from_private_pipe(reader))));
        let mut env = context.env.to_vec();
        env.retain(|(known, _)| known != "FILE");
        env.push(("FILE".into(), hookshell_process::text::to_os(&name).into_owned()));
        let env = Arc::new(env);
        let call = ShellCall { source: filter, env: &env, cwd: context.cwd, fds };
        match context.commands.start_shell(&call) {
            Ok(started) => {
                let stream = Arc::new(Stream::from_private_pipe(writer));
                let command = Some((started, name));
                Ok(Ok(Piece { out: Output::to(self.running, stream), command, is_closed: false }))
            }
            Err(reason) => {
                self.running.message(&[b"failed to run command: ", reason.as_bytes()].concat())?;
                Ok(Err(Reported(1)))
            }
        }
    }

    pub(super) fn finish(&mut self) -> Result<Result<(), Reported>, Failure> {
        match self.out.take() {
            Some(piece) => piece.finish(self.names.command.filter.unwrap_or_default()),
            None => Ok(Ok(())),
        }
    }
}

#[cfg(unix)]
pub(super) fn id_of(metadata: std::io::Result<std::fs::Metadata>) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    metadata.ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(super) fn id_of(_: std::io::Result<std::fs::Metadata>) -> Option<(u64, u64)> {
    None
}
