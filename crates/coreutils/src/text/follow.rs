//! `tail -f`: what is added to files.

use std::io::{Seek, SeekFrom};
use std::time::Duration;

use hookshell_files::file_stat::FileStat;
use hookshell_process::FileKind;
use hookshell_utility::io::{BUFFER, Failure, Running, Source};
use hookshell_utility::quote;
use hookshell_utility::{Stopped, Unsupported};

use super::count::{Command, header};
use super::head::display_name;

/// How files are followed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Follow {
    /// The file of the name, whichever it is; else the one that was opened.
    pub(crate) by_name: bool,
    /// A file that is not there may come.
    pub(crate) retries: bool,
    /// Processes: when all of them have ended, so does `tail`.
    pub(crate) processes: Vec<u32>,
    /// Seconds between two looks, where nothing reports changes.
    pub(crate) interval: f64,
}

/// The kernel tells GNU's of a change at once: here a look is as good as that.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

impl Follow {
    /// A process to watch.
    pub(crate) fn watch(&mut self, text: &[u8]) -> Result<(), Unsupported> {
        let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        let known = number.filter(|number: &u32| *number > 0);
        let Some(known) = known else {
            let what = format!("--pid={}", text.escape_ascii());
            return Err(if number.is_none() { Unsupported::mistake(what) } else { Unsupported::new(what) });
        };
        self.processes.push(known);
        Ok(())
    }

    fn all_ended(&self, running: &Running<'_>) -> bool {
        let commands = running.context().commands;
        !self.processes.is_empty() && !self.processes.iter().any(|id| commands.is_alive(*id))
    }
}

/// A file that is followed.
pub(crate) struct Followed<'a> {
    pub(crate) operand: &'a [u8],
    /// Its place among the operands.
    pub(crate) place: usize,
    /// `None`: it is not there.
    pub(crate) source: Option<Source>,
}

/// The file of a name that `metadata` describes, where the system tells.
fn identity(metadata: &std::fs::Metadata) -> Option<(u64, u64)> {
    let stat = FileStat::of(metadata);
    (stat.inode != 0).then_some((stat.device, stat.inode))
}

/// Writes what is added to the files until the run ends, no file is left or the processes have ended. `last`: the file
/// that was written last.
pub(crate) fn follow(
    running: &Running<'_>,
    command: &Command<'_>,
    follow: &Follow,
    mut files: Vec<Followed<'_>>,
    headers: bool,
    mut last: Option<usize>,
) -> Result<u8, Failure> {
    // Standard input that is a pipe is not followed (POSIX).
    let named = command.operands.iter().any(|operand| *operand != b"-");
    if !named && files.iter().all(|file| matches!(&file.source, Some(Source::Stream(stream)) if !is_regular(stream))) {
        return Ok(0);
    }
    let wait =
        Duration::from_secs_f64(follow.interval.clamp(0.0, 1e9)).min(POLL_INTERVAL).max(Duration::from_millis(1));
    let mut status = 0;
    let mut buffer = vec![0; BUFFER];
    loop {
        let ended = follow.all_ended(running);
        let mut changed = false;
        for file in &mut files {
            if follow.by_name && !matches!(file.source, Some(Source::Stream(_))) {
                status |= look_up(running, follow, file)?;
            }
            let Some(source) = &file.source else { continue };
            if let Source::File(handle, FileKind::Regular) = source {
                let mut handle = handle;
                let place = handle.stream_position().unwrap_or(0);
                if handle.metadata().is_ok_and(|metadata| metadata.len() < place) {
                    let name = display_name(file.operand);
                    running.message(&[&quote::if_needed(name)[..], b": file truncated"].concat())?;
                    let _ = handle.seek(SeekFrom::Start(0));
                }
            }
            loop {
                let count = match running.read(source, &mut buffer)? {
                    Ok(count) => count,
                    Err(error) => {
                        running.report_error_of("error reading", display_name(file.operand), &error)?;
                        status = 1;
                        file.source = None;
                        break;
                    }
                };
                if count == 0 {
                    break;
                }
                if headers && last != Some(file.place) {
                    running.write(&header(file.operand, last.is_none()))?;
                }
                last = Some(file.place);
                changed = true;
                running.write(buffer.get(..count).unwrap_or_default())?;
            }
        }
        if !follow.retries {
            files.retain(|file| file.source.is_some());
        }
        if files.is_empty() {
            running.message(b"no files remaining")?;
            return Ok(1);
        }
        if ended && !changed {
            return Ok(status);
        }
        if is_reader_gone(running) {
            return Err(Stopped::BrokenPipe.into());
        }
        if !changed && !running.interrupt().sleep(wait) {
            return Err(Stopped::Cancelled.into());
        }
    }
}

/// Looks whether the name leads to another file now. The status that comes of it.
fn look_up(running: &Running<'_>, follow: &Follow, file: &mut Followed<'_>) -> Result<u8, Failure> {
    let name = quote::always(display_name(file.operand));
    let metadata = match std::fs::metadata(running.path(file.operand)) {
        Ok(metadata) => metadata,
        Err(error) => {
            if file.source.take().is_none() {
                return Ok(0);
            }
            if follow.retries {
                running.report_error(&[&name[..], b" has become inaccessible"].concat(), &error)?;
            } else {
                running.report_error(&quote::if_needed(file.operand), &error)?;
            }
            return Ok(u8::from(!follow.retries));
        }
    };
    let happened: &[u8] = match &file.source {
        None => b" has appeared;  following new file",
        Some(Source::File(handle, _)) => {
            let own = handle.metadata().ok().as_ref().and_then(identity);
            if own.is_none() || own == identity(&metadata) {
                return Ok(0);
            }
            b" has been replaced;  following new file"
        }
        Some(Source::Stream(_)) => return Ok(0),
    };
    if let Ok(source) = running.open_file(file.operand)? {
        running.message(&[&name[..], happened].concat())?;
        file.source = Some(source);
    }
    Ok(0)
}

fn is_regular(stream: &hookshell_utility::Stream) -> bool {
    stream.file().is_some_and(|file| file.metadata().is_ok_and(|metadata| metadata.is_file()))
}

/// Has the reader of standard output gone?
fn is_reader_gone(running: &Running<'_>) -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let Some(file) = running.context().stdout().and_then(|stdout| stdout.file().cloned()) else { return false };
        let mut fds = [PollFd::new(&*file, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&now)).is_ok_and(|count| count > 0 && fds[0].revents().contains(PollFlags::ERR))
    }
    #[cfg(not(unix))]
    {
        let _ = running;
        false
    }
}
