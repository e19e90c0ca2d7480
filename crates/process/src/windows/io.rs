//! Reads and writes that an interrupt wakes.
#![allow(unsafe_code, reason = "GetFileType has no safe interface")]

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::io::AsRawHandle;
use std::path::Path;

use windows_sys::Win32::Foundation::ERROR_OPERATION_ABORTED;
use windows_sys::Win32::Storage::FileSystem::{FILE_TYPE_CHAR, FILE_TYPE_DISK, FILE_TYPE_PIPE, GetFileType};

use crate::interrupt::interrupted;
use crate::{FileKind, Interrupt};

/// What one write into a pipe takes, so that a cancelled run does not have to wait for more than that.
const CHUNK: usize = 64 * 1024;

pub(crate) fn file_kind(file: &File) -> FileKind {
    // SAFETY: the handle is open.
    match unsafe { GetFileType(file.as_raw_handle()) } {
        FILE_TYPE_DISK if file.metadata().is_ok_and(|metadata| metadata.is_dir()) => FileKind::Directory,
        FILE_TYPE_DISK => FileKind::Regular,
        FILE_TYPE_PIPE => FileKind::Pipe,
        FILE_TYPE_CHAR => FileKind::Character,
        _ => FileKind::Unknown,
    }
}

pub(crate) fn wait_readable(_: &File) -> io::Result<()> {
    Ok(())
}

/// There are no FIFOs.
pub(crate) struct KeptFifo;

impl KeptFifo {
    pub(crate) fn of(_: &Path) -> Self {
        Self
    }

    pub(crate) fn let_opener_go(&self, _: bool) {}
}

/// `PeekNamedPipe` waits for the read of another thread, as every call on a synchronous handle does.
pub(crate) fn is_readable(_: &File) -> bool {
    false
}

pub(crate) fn read(interrupt: &Interrupt, mut file: &File, kind: FileKind, buffer: &mut [u8]) -> io::Result<usize> {
    if !kind.may_block() {
        return file.read(buffer);
    }
    cancellable(interrupt, || file.read(buffer))
}

pub(crate) fn write_all(interrupt: &Interrupt, mut file: &File, kind: FileKind, data: &[u8]) -> io::Result<()> {
    if !kind.may_block() {
        return file.write_all(data);
    }
    let mut rest = data;
    while !rest.is_empty() {
        let chunk = &rest[..rest.len().min(CHUNK)];
        let count = cancellable(interrupt, || file.write(chunk))?;
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        rest = &rest[count..];
    }
    Ok(())
}

fn cancellable(interrupt: &Interrupt, mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        let entered = interrupt.blocked().enter()?;
        if interrupt.is_raised() {
            return Err(interrupted());
        }
        let result = call();
        drop(entered);
        match result {
            // Cancelled, by us or by somebody else.
            Err(error) if error.raw_os_error() == Some(ERROR_OPERATION_ABORTED.cast_signed()) => {}
            result => return result,
        }
    }
}
