//! The command that is being built, and running it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use hookshell_utility::io::Running;
use hookshell_utility::quote;
use hookshell_utility::{Args, CommandCall, CommandEnd, CommandOutcome, FdTable, StartedShell};

use super::{ABORTED, End, FAILED, SIGNALLED};

/// What bounds a command line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Bytes of all words, each with a NUL after it.
    pub(super) size: usize,
    /// Words after the command's own; 0: any number.
    pub(super) arguments: usize,
    /// A command line that gets too long is an error and not run in parts.
    pub(super) exits: bool,
    /// Each command is shown first.
    pub(super) is_verbose: bool,
    /// So many commands may run at once.
    pub(super) parallel: usize,
}

/// Commands that run at the same time.
struct Parallel {
    sender: Sender<(u64, CommandOutcome)>,
    receiver: Receiver<(u64, CommandOutcome)>,
    /// By number: the name, and what runs.
    started: Vec<(u64, Vec<u8>, Box<dyn StartedShell>)>,
    next: u64,
}

/// How long is waited between two looks at the cancel token.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Collects words after a command's own, and runs the command when there are enough.
pub(super) struct Batch<'a> {
    running: &'a Running<'a>,
    fds: FdTable,
    own: Vec<&'a [u8]>,
    own_size: usize,
    argv: Args,
    size: usize,
    limits: Limits,
    has_run: bool,
    has_failed: bool,
    parallel: Option<Parallel>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(running: &'a Running<'a>, fds: FdTable, own: &[&'a [u8]], limits: Limits) -> Self {
        let own_size = own.iter().map(|word| word.len() + 1).sum();
        Self {
            running,
            fds,
            own: own.to_vec(),
            own_size,
            argv: own.iter().collect(),
            size: own_size,
            parallel: (limits.parallel > 1).then(|| {
                let (sender, receiver) = channel();
                Parallel { sender, receiver, started: Vec::new(), next: 0 }
            }),
            limits,
            has_run: false,
            has_failed: false,
        }
    }

    pub(super) fn running(&self) -> &'a Running<'a> {
        self.running
    }

    pub(super) fn own_size(&self) -> usize {
        self.own_size
    }

    /// Looks whether the command's own words fit.
    pub(super) fn begin(&self) -> Result<(), End> {
        if self.own_size > self.limits.size {
            return Err(self.fail(b"cannot fit single argument within argument list size limit"));
        }
        Ok(())
    }

    fn fail(&self, text: &[u8]) -> End {
        match self.running.message(text) {
            Ok(()) => End::Status(1),
            Err(stopped) => stopped.into(),
        }
    }

    /// Is there a word after the command's own?
    pub(super) fn is_filled(&self) -> bool {
        self.argv.len() > self.own.len()
    }

    pub(super) fn has_run(&self) -> bool {
        self.has_run
    }

    /// The exit status at the end of the input.
    pub(super) fn status(&self) -> u8 {
        if self.has_failed { FAILED } else { 0 }
    }

    /// Appends a word. Runs the command before it where it does not fit, and with it where that makes enough.
    pub(super) fn push(&mut self, word: &[u8]) -> Result<(), End> {
        if self.size + word.len() + 1 > self.limits.size {
            if !self.is_filled() {
                return Err(self.fail(b"cannot fit single argument within argument list size limit"));
            }
            if self.limits.exits {
                return Err(self.fail(b"argument list too long"));
            }
            self.run()?;
            if self.size + word.len() + 1 > self.limits.size {
                return Err(self.fail(b"cannot fit single argument within argument list size limit"));
            }
        }
        self.argv.push(word);
        self.size += word.len() + 1;
        if self.limits.arguments > 0 && self.argv.len() - self.own.len() == self.limits.arguments {
            self.run()?;
        }
        Ok(())
    }

    /// Runs the command with the words that were collected, and begins anew.
    pub(super) fn run(&mut self) -> Result<(), End> {
        self.has_run = true;
        let argv = std::mem::take(&mut self.argv);
        let result = self.execute(&argv);
        self.argv = argv;
        self.argv.truncate(self.own.len());
        self.size = self.own_size;
        result
    }

    /// Runs the command with `item` in the place of `pattern` in all words but the name.
    pub(super) fn run_with(&mut self, pattern: &[u8], item: &[u8]) -> Result<(), End> {
        let mut argv = Args::new();
        let mut size = 0;
        let finder = memchr::memmem::Finder::new(pattern);
        for (index, &word) in self.own.iter().enumerate() {
            let start = argv.byte_len();
            if index == 0 {
                argv.push(word);
            } else {
                let mut rest = word;
                while let Some(at) = finder.find(rest) {
                    argv.open().extend_from_slice(rest.get(..at).unwrap_or_default());
                    argv.open().extend_from_slice(item);
                    rest = rest.get(at + pattern.len()..).unwrap_or_default();
                    if argv.byte_len() - start >= self.limits.size {
                        return Err(self.fail(b"command too long"));
                    }
                }
                argv.open().extend_from_slice(rest);
                argv.finish();
            }
            let length = argv.byte_len() - start;
            if length >= self.limits.size {
                return Err(self.fail(b"command too long"));
            }
            size += length + 1;
            if size > self.limits.size {
                return Err(self.fail(b"argument list too long"));
            }
        }
        self.has_run = true;
        self.execute(&argv)
    }

    fn execute(&mut self, argv: &Args) -> Result<(), End> {
        let name = &argv[0];
        if self.limits.is_verbose {
            let words: Vec<Vec<u8>> = argv.iter().map(quote::if_needed).collect();
            let mut line = words.join(&b' ');
            line.push(b'\n');
            if let Some(stderr) = self.running.context().stderr() {
                let _ = stderr.write_all(&line, self.running.interrupt());
            }
        }
        if self.parallel.is_some() && self.start(argv)? {
            return Ok(());
        }
        let outcome = self.running.command(argv, self.fds.clone())?;
        self.ended(name, outcome)
    }

    /// Starts a command beside the others, when there is room. `false`: it is to run by itself.
    fn start(&mut self, argv: &Args) -> Result<bool, End> {
        while self.parallel.as_ref().is_some_and(|parallel| parallel.started.len() >= self.limits.parallel) {
            self.wait_for_one()?;
        }
        self.running.check()?;
        let context = self.running.context();
        let Some(parallel) = &mut self.parallel else { return Ok(false) };
        let number = parallel.next;
        parallel.next += 1;
        let sender = parallel.sender.clone();
        let call = CommandCall { argv, env: context.env, cwd: context.cwd, fds: self.fds.clone() };
        let done = Box::new(move |outcome| drop(sender.send((number, outcome))));
        match context.commands.start(&call, done) {
            Ok(started) => {
                parallel.started.push((number, argv[0].to_vec(), started));
                Ok(true)
            }
            Err(_) => {
                self.finish()?;
                Ok(false)
            }
        }
    }

    /// Waits for the end of any command that runs.
    fn wait_for_one(&mut self) -> Result<(), End> {
        let Some(parallel) = &mut self.parallel else { return Ok(()) };
        let (number, outcome) = loop {
            self.running.check()?;
            match parallel.receiver.recv_timeout(POLL_INTERVAL) {
                Ok(ended) => break ended,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        };
        let Some(at) = parallel.started.iter().position(|(own, _, _)| *own == number) else { return Ok(()) };
        let (_, name, mut started) = parallel.started.swap_remove(at);
        started.wait()?;
        match self.ended(&name, outcome) {
            Ok(()) => Ok(()),
            Err(end) => {
                // The others are waited for; what they say is of no more use.
                let others = self.parallel.as_mut().map(|parallel| std::mem::take(&mut parallel.started));
                for (_, _, mut started) in others.into_iter().flatten() {
                    started.wait()?;
                }
                Err(end)
            }
        }
    }

    /// Waits for all commands that run.
    pub(super) fn finish(&mut self) -> Result<(), End> {
        while self.parallel.as_ref().is_some_and(|parallel| !parallel.started.is_empty()) {
            self.wait_for_one()?;
        }
        Ok(())
    }

    /// What the end of a command means.
    fn ended(&mut self, name: &[u8], outcome: CommandOutcome) -> Result<(), End> {
        let running = self.running;
        let tell = |text: String| running.message(&[name, b": ", text.as_bytes()].concat());
        match outcome.end {
            CommandEnd::NotStarted { status, reason } => {
                tell(reason)?;
                Err(End::Status(status))
            }
            CommandEnd::Ended(_) if let Some(signal) = outcome.signal => {
                tell(format!("terminated by signal {signal}"))?;
                Err(End::Status(SIGNALLED))
            }
            CommandEnd::Ended(255) => {
                tell("exited with status 255; aborting".to_owned())?;
                Err(End::Status(ABORTED))
            }
            CommandEnd::Ended(status) => {
                self.has_failed |= status != 0;
                Ok(())
            }
        }
    }
}
