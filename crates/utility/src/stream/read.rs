//! Reading, and reading ahead where nobody else sees it.

use std::io::{self, Seek, SeekFrom};
use std::sync::atomic::Ordering;

use hookshell_process::{FileKind, Interrupt};

use super::{Memory, OsFile, Stream, bad_descriptor};

/// What is read ahead from a file at once.
pub(super) const READ_AHEAD: usize = 32 * 1024;

/// What [`Stream::read_piece_until`] has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// What ends with the delimiter.
    Found,
    /// What ends with the file.
    End,
    /// There is more.
    Part,
}

impl Stream {
    /// Reads one byte; `None` is the end of the file.
    ///
    /// # Errors
    /// As [`Stream::read`].
    pub fn read_byte(&self, interrupt: &Interrupt) -> io::Result<Option<u8>> {
        let mut byte = [0];
        if let Some(count) = self.read_memory(&mut byte)? {
            return Ok((count > 0).then_some(byte[0]));
        }
        // Reading ahead where that cannot be seen spares a system call for each byte.
        if self.fill(interrupt)? {
            return Ok(match self.read_memory(&mut byte)? {
                Some(1) => Some(byte[0]),
                _ => None,
            });
        }
        Ok((self.read(&mut byte, interrupt)? > 0).then_some(byte[0]))
    }

    /// Reads up to `buffer.len()` bytes; 0 is the end of the file.
    ///
    /// # Errors
    /// As the system says; `Interrupted` when `interrupt` was raised.
    pub fn read(&self, buffer: &mut [u8], interrupt: &Interrupt) -> io::Result<usize> {
        if let Some(count) = self.read_memory(buffer)? {
            return Ok(count);
        }
        match self.os() {
            Some(os) => interrupt.read(&os.file, os.kind, buffer),
            None => Err(bad_descriptor()),
        }
    }

    /// Reads from memory; `None` when the OS file has to be asked.
    fn read_memory(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let mut memory = self.memory();
        match &mut *memory {
            Memory::Null => Ok(if self.os().is_some() { None } else { Some(0) }),
            Memory::Input { data, position } if self.os().is_none() => {
                let rest = &data[*position..];
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                *position += count;
                Ok(Some(count))
            }
            Memory::ReadAhead { data, position } if *position < data.len() => {
                let rest = &data[*position..];
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                *position += count;
                Ok(Some(count))
            }
            Memory::Capture(_) if self.os().is_none() => Err(bad_descriptor()),
            _ => Ok(None),
        }
    }

    /// As [`Self::read_until`], where all of it is in memory already; otherwise nothing is taken, and it is `false`.
    #[inline]
    pub fn take_buffered(&self, delimiter: u8, out: &mut Vec<u8>) -> bool {
        match &mut *self.memory() {
            Memory::Input { data, position } if self.os().is_none() => take_line(data, position, delimiter, out),
            Memory::ReadAhead { data, position } => take_line(data, position, delimiter, out),
            _ => false,
        }
    }

    /// Appends bytes to `out` up to and including the next `delimiter`, and says whether it was found (else the end of
    /// the file was reached). No byte after the delimiter is taken from a stream that others read as well.
    ///
    /// # Errors
    /// As the system says; `Interrupted` when `interrupt` was raised; `OutOfMemory` past `limit` bytes.
    pub fn read_until(
        &self,
        delimiter: u8,
        out: &mut Vec<u8>,
        limit: usize,
        interrupt: &Interrupt,
    ) -> io::Result<bool> {
        match self.read_piece_until(delimiter, out, limit, interrupt)? {
            Piece::Found => Ok(true),
            Piece::End => Ok(false),
            Piece::Part => Err(io::Error::new(io::ErrorKind::OutOfMemory, "line too long")),
        }
    }

    /// As [`Self::read_until`], but a line that is longer than `limit` comes in pieces: each has a little more than
    /// `limit` bytes.
    ///
    /// # Errors
    /// As the system says; `Interrupted` when `interrupt` was raised.
    pub fn read_piece_until(
        &self,
        delimiter: u8,
        out: &mut Vec<u8>,
        limit: usize,
        interrupt: &Interrupt,
    ) -> io::Result<Piece> {
        let start = out.len();
        loop {
            if out.len() - start > limit {
                return Ok(Piece::Part);
            }
            {
                let mut memory = self.memory();
                let rest: Option<(&[u8], &mut usize)> = match &mut *memory {
                    Memory::Input { data, position } if self.os().is_none() => Some((data, position)),
                    Memory::ReadAhead { data, position } if *position < data.len() => Some((data, position)),
                    Memory::Null if self.os().is_none() => return Ok(Piece::End),
                    Memory::Capture(_) if self.os().is_none() => return Err(bad_descriptor()),
                    _ => None,
                };
                if let Some((data, position)) = rest {
                    let rest = data.get(*position..).unwrap_or_default();
                    let room = limit.saturating_sub(out.len() - start).saturating_add(1);
                    let part = rest.get(..room).unwrap_or(rest);
                    let found = memchr::memchr(delimiter, part);
                    let taken = found.map_or(part.len(), |found| found + 1);
                    out.extend_from_slice(&part[..taken]);
                    *position += taken;
                    if found.is_some() {
                        return Ok(Piece::Found);
                    }
                    if taken < rest.len() {
                        return Ok(Piece::Part);
                    }
                    if self.os().is_none() {
                        return Ok(Piece::End);
                    }
                }
            }
            if !self.fill(interrupt)? {
                // Byte by byte: what follows the delimiter belongs to whoever reads next.
                let Some(os) = self.os() else {
                    return Ok(Piece::End);
                };
                let mut byte = [0];
                if interrupt.read(&os.file, os.kind, &mut byte)? == 0 {
                    return Ok(Piece::End);
                }
                out.push(byte[0]);
                if byte[0] == delimiter {
                    return Ok(Piece::Found);
                }
            } else if self.is_drained() {
                return Ok(Piece::End);
            }
        }
    }

    fn is_drained(&self) -> bool {
        matches!(&*self.memory(), Memory::ReadAhead { data, position } if *position >= data.len())
    }

    /// Reads ahead where that cannot be seen; `false` where it may not be done.
    fn fill(&self, interrupt: &Interrupt) -> io::Result<bool> {
        let Some(os) = self.os() else {
            return Ok(false);
        };
        // Seeking back is exact for a regular file, and nobody else sees a private pipe before it is shared.
        if os.kind != FileKind::Regular && !self.private.load(Ordering::Acquire) {
            return Ok(false);
        }
        let mut buffer = match &mut *self.memory() {
            Memory::ReadAhead { data, .. } => std::mem::take(data),
            _ => return Ok(false),
        };
        buffer.resize(READ_AHEAD, 0);
        let count = match interrupt.read(&os.file, os.kind, &mut buffer) {
            Ok(count) => count,
            Err(error) => {
                *self.memory() = Memory::ReadAhead { data: Vec::new(), position: 0 };
                return Err(error);
            }
        };
        buffer.truncate(count);
        match &mut *self.memory() {
            // Another stage has read ahead at the same time.
            Memory::ReadAhead { data, position } if *position < data.len() => data.extend_from_slice(&buffer),
            memory => *memory = Memory::ReadAhead { data: buffer, position: 0 },
        }
        Ok(true)
    }

    /// Gives what was read ahead from a seekable file back to it.
    pub(super) fn give_back(&self, os: &OsFile) {
        if let Memory::ReadAhead { data, position } = &mut *self.memory() {
            let unread = data.len() - *position;
            if unread > 0 && os.kind == FileKind::Regular {
                let back = i64::try_from(unread).unwrap_or(i64::MAX);
                // A file that cannot be sought after all keeps the bytes: they are read here first.
                if (&*os.file).seek(SeekFrom::Current(-back)).is_ok() {
                    data.clear();
                    *position = 0;
                }
            } else if unread == 0 {
                data.clear();
                *position = 0;
            }
        }
    }

    /// Lets the last bytes that were read from a regular file be read again; of anything else they are gone.
    pub fn step_back(&self, count: u64) {
        let Some(os) = self.os().filter(|os| os.kind == FileKind::Regular) else { return };
        let count = match &mut *self.memory() {
            Memory::ReadAhead { data, position } => {
                let unread = (data.len() - *position) as u64;
                data.clear();
                *position = 0;
                count.saturating_add(unread)
            }
            _ => count,
        };
        // Nothing else is lost where the system refuses.
        let _ = i64::try_from(count).map(|count| (&*os.file).seek(SeekFrom::Current(-count)));
    }
}

/// Appends the bytes up to and including the next `delimiter`, if there is one after `position`.
#[inline]
fn take_line(data: &[u8], position: &mut usize, delimiter: u8, out: &mut Vec<u8>) -> bool {
    let rest = data.get(*position..).unwrap_or_default();
    let Some(found) = memchr::memchr(delimiter, rest) else { return false };
    out.extend_from_slice(&rest[..=found]);
    *position += found + 1;
    true
}
