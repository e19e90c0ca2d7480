//! `hookshell serve`: stays, and takes events and commands over standard input (docs/serve.md).

mod cache;
mod exec;
mod host;
mod inspect;
mod open_runs;
mod options;
mod run;
mod service;
mod stamp;
mod trace;
mod waiting;

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use clap::{Args, ValueHint};
use hookshell_serve::{EndReason, Outbox, Server};

use crate::exit_code::ExitCode;
use crate::failure::{Failure, Sysexit};
use crate::options::{DispatchArgs, HookSources};
use crate::otlp::Exporter;
use crate::signals::{SignalWait, signal_status};

use self::service::{HookService, Hooks};
use self::trace::{Trace, TracedReader, TracedWriter};

pub(crate) const EXAMPLES: &str = r#"One JSON-RPC 2.0 message a line. The process ends at the end of its standard input.
The options are defaults, which `initialize` and each request can change.

Examples:
  hookshell serve
  hookshell serve --dialect claude --fail-closed
  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol_version":1}}' |
    hookshell serve"#;

#[derive(Debug, Clone, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    sources: HookSources,
    /// Run the project's hooks even if they are not trusted
    #[arg(long)]
    trust_project: bool,
    /// The directory in which hooks and commands run [default: the working directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    cwd: Option<PathBuf>,
    /// The project's root directory [default: that of --cwd]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    project: Option<PathBuf>,
    /// The session's identifier
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Deny an event whose hooks could not be asked, or of which one failed or is not trusted
    #[arg(long)]
    fail_closed: bool,
    /// Do not log hooks' runs (also: HOOKSHELL_LOG=off)
    #[arg(long)]
    no_log: bool,
    /// Also log the tool's input, the prompt and the hooks' output (also: HOOKSHELL_LOG=payload)
    #[arg(long, conflicts_with = "no_log")]
    log_payload: bool,
    /// Append every message of both directions to this file, to look for errors: commands and their output, too
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    log: Option<PathBuf>,
    #[command(flatten)]
    dispatch: DispatchArgs,
}

/// How long it may take until the end of a request is noticed here.
const FAR: Duration = Duration::from_secs(3600);

/// Serves.
pub(crate) fn main(args: &ServeArgs) -> Result<ExitCode, Failure> {
    let trace = args.log.as_ref().map(|path| {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        // It has what commands read and write, and their variables. One that is there keeps its permissions.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options
            .open(path)
            .map(Trace::new)
            .map_err(|error| Failure::new(Sysexit::Io, format!("--log {}", path.display()), error))
    });
    let trace = trace.transpose()?;
    let service = Hooks::new(args)?;
    let signals = SignalWait::catch().map_err(|error| Failure::new(Sysexit::System, "serve", error))?;
    let (sender, ended) = channel();
    let (died, wake) = (sender.clone(), signals.waker());
    let writer: Box<dyn Write + Send> = match &trace {
        Some(trace) => Box::new(TracedWriter::new(io::stdout(), trace.clone())),
        None => Box::new(output()),
    };
    let outbox = Outbox::new(writer, move || {
        let _ = died.send(EndReason::Output);
        wake();
    });
    let exporter = service.exporter.clone();
    let threads = service.threads.clone();
    let start = move |work: Box<dyn FnOnce() + Send>| threads.run(work);
    let server = Server::with_threads(HookService(Arc::new(service)), outbox, start);
    let wake = signals.waker();
    let input: Box<dyn Read + Send> = match trace {
        Some(trace) => Box::new(TracedReader::new(io::stdin(), trace)),
        None => Box::new(io::stdin()),
    };
    // Who reads cannot be woken: it is left behind where a signal ends the process.
    let ended_reading = move |how| {
        let _ = sender.send(how);
        wake();
    };
    #[cfg(unix)]
    let started = server.start_awake(input, has_input, ended_reading);
    #[cfg(not(unix))]
    let started = server.start(input, ended_reading);
    started.map_err(|error| Failure::new(Sysexit::System, "serve", error))?;
    loop {
        if let Some(signal) = signals.wait(Instant::now() + FAR) {
            server.stop();
            exporter.iter().for_each(Exporter::flush);
            return Ok(ExitCode::from(signal_status(signal)));
        }
        if let Ok(ended) = ended.try_recv() {
            server.stop();
            exporter.iter().for_each(Exporter::flush);
            return Ok(ExitCode::from(match ended {
                EndReason::Input | EndReason::Exit { after_shutdown: true } => 0,
                EndReason::Exit { after_shutdown: false } => 1,
                EndReason::Output => Sysexit::Io as u8,
            }));
        }
    }
}

/// Would a read of standard input give something at once, or its end?
#[cfg(unix)]
fn has_input() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut [PollFd::new(&io::stdin(), PollFlags::IN)], Some(&now)).is_ok_and(|ready| ready > 0)
}

/// Standard output, without a buffer of its own: whole lines are written.
#[cfg(unix)]
fn output() -> impl Write + Send {
    Unbuffered
}

#[cfg(not(unix))]
fn output() -> impl Write + Send {
    io::stdout()
}

#[cfg(unix)]
struct Unbuffered;

#[cfg(unix)]
impl Write for Unbuffered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        use rustix::event::{PollFd, PollFlags, poll};
        use rustix::io::Errno;

        let stdout = io::stdout();
        loop {
            match rustix::io::write(&stdout, bytes) {
                Ok(count) => return Ok(count),
                Err(Errno::INTR) => {}
                // Whoever reads it has made it non-blocking.
                Err(Errno::AGAIN) => match poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                },
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
