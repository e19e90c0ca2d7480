//! Reads and writes that an interrupt wakes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::interrupt::interrupted;
use crate::{FileKind, Interrupt};

/// POSIX guarantees 512; Linux has 4096. A write of this much into a pipe that polls as writable does not wait.
const PIPE_CHUNK: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// How often the flag is looked at when there was no descriptor left for the wake pipe.
const WITHOUT_WAKE_PIPE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

pub(crate) fn file_kind(file: &File) -> FileKind {
    let Ok(metadata) = file.metadata() else {
        return FileKind::Unknown;
    };
    let kind = metadata.file_type();
    if kind.is_file() || kind.is_block_device() {
        FileKind::Regular
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_fifo() {
        FileKind::Pipe
    } else if kind.is_socket() {
        FileKind::Socket
    } else if kind.is_char_device() {
        FileKind::Character
    } else {
        FileKind::Unknown
    }
}

pub(crate) fn wait_readable(file: &File) -> io::Result<()> {
    poll_once(file, None).map(|_| ())
}

pub(crate) fn is_readable(file: &File) -> bool {
    // The read that follows an error reports it.
    poll_once(file, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap_or(true)
}

fn poll_once(file: &File, timeout: Option<&Timespec>) -> io::Result<bool> {
    loop {
        let mut fds = [PollFd::new(file, PollFlags::IN)];
        match poll(&mut fds, timeout) {
            Ok(count) => return Ok(count > 0),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// What an attempt that must not wait gave.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux can attempt it"))]
enum Attempt {
    Done(usize),
    WouldWait,
    /// The system cannot do that for this file: poll, then use the ordinary call.
    Unknown,
}

pub(crate) fn read(interrupt: &Interrupt, mut file: &File, kind: FileKind, buffer: &mut [u8]) -> io::Result<usize> {
    if !kind.may_block() {
        return retry(|| file.read(buffer));
    }
    loop {
        let attempt = try_read(file, buffer)?;
        if let Attempt::Done(count) = attempt {
            return Ok(count);
        }
        wait_ready(interrupt, file.as_fd(), PollFlags::IN)?;
        if let Attempt::Unknown = attempt {
            match retry(|| file.read(buffer)) {
                // The description is non-blocking by somebody else's will, and somebody else was faster.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }
}

pub(crate) fn write_all(interrupt: &Interrupt, mut file: &File, kind: FileKind, data: &[u8]) -> io::Result<()> {
    if !kind.may_block() {
        return file.write_all(data);
    }
    let mut rest = data;
    while !rest.is_empty() {
        let attempt = try_write(file, rest)?;
        let count = if let Attempt::Done(count) = attempt {
            count
        } else {
            wait_ready(interrupt, file.as_fd(), PollFlags::OUT)?;
            let Attempt::Unknown = attempt else { continue };
            match retry(|| file.write(&rest[..rest.len().min(PIPE_CHUNK)])) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                result => result?,
            }
        };
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        rest = &rest[count..];
        // A reader that is always ready must not keep a cancelled run alive.
        if !rest.is_empty() && interrupt.is_raised() {
            return Err(interrupted());
        }
    }
    Ok(())
}

/// Waits until the file is ready. Errors and hang-ups count as ready: the call that follows reports them.
fn wait_ready(interrupt: &Interrupt, file: BorrowedFd<'_>, events: PollFlags) -> io::Result<()> {
    let ready = wait_for(interrupt, file, events)?;
    if ready { Ok(()) } else { Err(interrupted()) }
}

/// Waits until the descriptor is ready (`true`) or the interrupt is raised (`false`).
pub(super) fn wait_for(interrupt: &Interrupt, file: BorrowedFd<'_>, events: PollFlags) -> io::Result<bool> {
    wait_with(interrupt, file, events, interrupt.waker().fd())
}

fn wait_with(
    interrupt: &Interrupt,
    file: BorrowedFd<'_>,
    events: PollFlags,
    wake: Option<BorrowedFd<'_>>,
) -> io::Result<bool> {
    loop {
        if interrupt.is_raised() {
            return Ok(false);
        }
        let mut fds = [
            PollFd::from_borrowed_fd(file, events),
            PollFd::from_borrowed_fd(wake.unwrap_or(file), if wake.is_some() { PollFlags::IN } else { events }),
        ];
        let timeout = wake.is_none().then_some(&WITHOUT_WAKE_PIPE);
        match poll(&mut fds, timeout) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !fds[0].revents().is_empty() && !interrupt.is_raised() {
            return Ok(true);
        }
    }
}

/// One system call when there is something to read, and no race with another reader of the same pipe (a child) between
/// a poll and a read that would then block without being woken. `RWF_NOWAIT`: Linux 4.14, pipes and sockets later (5.x, 6.x).
#[cfg(target_os = "linux")]
fn try_read(file: &File, buffer: &mut [u8]) -> io::Result<Attempt> {
    let mut parts = [io::IoSliceMut::new(buffer)];
    attempt(|| rustix::io::preadv2(file, &mut parts, u64::MAX, rustix::io::ReadWriteFlags::NOWAIT))
}

#[cfg(target_os = "linux")]
fn try_write(file: &File, data: &[u8]) -> io::Result<Attempt> {
    let parts = [io::IoSlice::new(data)];
    attempt(|| rustix::io::pwritev2(file, &parts, u64::MAX, rustix::io::ReadWriteFlags::NOWAIT))
}

#[cfg(target_os = "linux")]
fn attempt(mut call: impl FnMut() -> rustix::io::Result<usize>) -> io::Result<Attempt> {
    loop {
        return match call() {
            Ok(count) => Ok(Attempt::Done(count)),
            Err(Errno::INTR) => continue,
            Err(Errno::AGAIN) => Ok(Attempt::WouldWait),
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::PERM) => Ok(Attempt::Unknown),
            Err(error) => Err(error.into()),
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn try_read(_: &File, _: &mut [u8]) -> io::Result<Attempt> {
    Ok(Attempt::Unknown)
}

#[cfg(not(target_os = "linux"))]
fn try_write(_: &File, _: &[u8]) -> io::Result<Attempt> {
    Ok(Attempt::Unknown)
}

fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::pipe;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no ppoll")]
    fn without_a_wake_pipe_the_flag_is_looked_at() {
        // No descriptor is left: what `Waker::fd` says then.
        let (reader, _writer) = pipe().unwrap();
        let interrupt = Interrupt::new();
        let raiser = interrupt.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            raiser.raise();
        });
        assert!(!wait_with(&interrupt, reader.as_fd(), PollFlags::IN, None).unwrap());
        thread.join().unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no pwritev2")]
    fn sockets_are_read_and_written() {
        let (one, other) = UnixStream::pair().unwrap();
        let (one, other) = (File::from(std::os::fd::OwnedFd::from(one)), File::from(std::os::fd::OwnedFd::from(other)));
        assert_eq!(file_kind(&one), FileKind::Socket);
        let interrupt = Interrupt::new();
        write_all(&interrupt, &one, FileKind::Socket, b"text").unwrap();
        let mut buffer = [0; 8];
        assert_eq!(read(&interrupt, &other, FileKind::Socket, &mut buffer).unwrap(), 4);
        drop(other);
        crate::block_sigpipe_on_this_thread();
        // A process that another test starts just now holds the other end, until it has become its program.
        let error = loop {
            if let Err(error) = write_all(&interrupt, &one, FileKind::Socket, b"t") {
                break error;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no preadv2")]
    fn a_description_that_somebody_made_non_blocking_still_waits() {
        let (reader, writer) = pipe().unwrap();
        rustix::fs::fcntl_setfl(&reader, rustix::fs::OFlags::NONBLOCK).unwrap();
        rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
        let interrupt = Interrupt::new();
        let data = vec![7; 1 << 20];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                write_all(&interrupt, &writer, FileKind::Pipe, &data).unwrap();
                drop(writer);
            });
            let mut buffer = vec![0; 4096];
            let mut total = 0;
            loop {
                match read(&interrupt, &reader, FileKind::Pipe, &mut buffer).unwrap() {
                    0 => break,
                    count => total += count,
                }
            }
            assert_eq!(total, 1 << 20);
        });
    }
}
