//! `CreateProcessW`, with everything explicit: what is inherited, what the environment is, which job it belongs to.
#![allow(unsafe_code, reason = "CreateProcessW has no safe interface")]

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, OwnedHandle};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use windows_sys::Win32::Foundation::{
    DUPLICATE_SAME_ACCESS, DuplicateHandle, ERROR_ACCESS_DENIED, ERROR_BAD_EXE_FORMAT, ERROR_DIRECTORY,
    ERROR_EXE_MACHINE_TYPE_MISMATCH, ERROR_FILE_NOT_FOUND, ERROR_INTERNAL_ERROR, ERROR_INVALID_NAME,
    ERROR_PATH_NOT_FOUND, HANDLE,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NO_WINDOW, CREATE_SUSPENDED, CREATE_UNICODE_ENVIRONMENT, CreateProcessW, DeleteProcThreadAttributeList,
    EXTENDED_STARTUPINFO_PRESENT, GetCurrentProcess, InitializeProcThreadAttributeList, LPPROC_THREAD_ATTRIBUTE_LIST,
    PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROCESS_INFORMATION, ResumeThread, STARTF_USESTDHANDLES, STARTUPINFOEXW,
    TerminateProcess, UpdateProcThreadAttribute,
};

use super::job::Job;
use crate::handle::{check, owned};
use crate::text::to_units;
use crate::windows_environment::environment_block;
use crate::windows_quote::command_line;
use crate::{SpawnError, SpawnPart, SpawnRequest};

/// The most that `CreateProcessW` takes, in UTF-16 units, NUL included.
const COMMAND_LINE_LIMIT: usize = 32_767;

/// `MAX_PATH`, less the trailing separator that is added to a working directory, NUL included: `lpCurrentDirectory` knows no
/// longer ones, whatever the application's manifest says.
const DIRECTORY_LIMIT: usize = 259;

/// Handles that are meant for one child are inheritable for a moment. A start with an explicit handle list (a reader of this lock)
/// does not see those of others; the standard library's start, which inherits whatever there is, has to be alone (a writer).
/// A static because what it guards, the process's inheritable handles, is the process's too.
pub(super) static INHERITABLE_HANDLES: RwLock<()> = RwLock::new(());

/// A process that runs.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) id: u32,
    pub(super) handle: OwnedHandle,
}

/// Starts an executable: suspended, put into the job, resumed. A process that cannot be put there (an old system, in
/// a job of its own that allows no other) runs without.
pub(super) fn start_program(
    request: &SpawnRequest<'_>,
    job: Option<&Job>,
    isolated: bool,
) -> Result<Started, SpawnError> {
    let program = plain_path(request.program);
    let application = terminated(&program, SpawnPart::Program)?;
    let mut line = quoted_line(&program, request.argv)?;
    let environment = environment_block(request.env)?;
    let directory = directory(request.cwd)?;
    let streams = standard_streams(request)?;

    let inheritable = INHERITABLE_HANDLES.read().unwrap_or_else(PoisonError::into_inner);
    let copies: [OwnedHandle; 3] = [
        inheritable_copy(streams[0].as_handle()).map_err(SpawnError::Os)?,
        inheritable_copy(streams[1].as_handle()).map_err(SpawnError::Os)?,
        inheritable_copy(streams[2].as_handle()).map_err(SpawnError::Os)?,
    ];
    let handles: [HANDLE; 3] = copies.each_ref().map(AsRawHandle::as_raw_handle);
    let mut attributes = HandleList::new(&handles).map_err(SpawnError::Os)?;
    let mut startup = STARTUPINFOEXW::default();
    startup.StartupInfo.cb = size_of::<STARTUPINFOEXW>().try_into().unwrap_or(0);
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    [startup.StartupInfo.hStdInput, startup.StartupInfo.hStdOutput, startup.StartupInfo.hStdError] = handles;
    startup.lpAttributeList = attributes.pointer();
    // In the caller's console where there is one to share; else no window may appear.
    let window = if isolated { CREATE_NO_WINDOW } else { 0 };
    let flags = window | CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT;
    let mut process = MaybeUninit::<PROCESS_INFORMATION>::zeroed();
    let result = until_begun(|| {
        // SAFETY: all strings are NUL-terminated and alive, `line` is writable, the environment block ends with two NULs, the
        // extended startup information is of the size it says, and its attribute list and the handles in it outlive the call.
        check(unsafe {
            CreateProcessW(
                application.as_ptr(),
                line.as_mut_ptr(),
                std::ptr::null(),
                std::ptr::null(),
                1,
                flags,
                environment.as_ptr().cast(),
                directory.as_ptr(),
                (&raw const startup).cast(),
                process.as_mut_ptr(),
            )
        })
    });
    drop(attributes);
    drop(copies);
    drop(inheritable);
    result.map_err(|error| spawn_error(error, request))?;
    // SAFETY: filled in by the successful call; both handles are new and ours.
    let (process, thread, id) = unsafe {
        let process = process.assume_init();
        (owned(process.hProcess), owned(process.hThread), process.dwProcessId)
    };
    let (handle, thread) = (process.map_err(SpawnError::Os)?, thread.map_err(SpawnError::Os)?);
    if let Some(job) = job {
        let _ = job.assign(handle.as_handle());
    }
    // SAFETY: the handle is open.
    if unsafe { ResumeThread(thread.as_raw_handle()) } == u32::MAX {
        let error = io::Error::last_os_error();
        // SAFETY: the handle is open. It has not run a single instruction.
        unsafe { TerminateProcess(handle.as_raw_handle(), 1) };
        return Err(SpawnError::Os(error));
    }
    Ok(Started { id, handle })
}

/// A child inherits the handles that are named for it, and no others.
pub(crate) fn wait_for_starts() {}

/// Starts again, after a pause, what ended with `ERROR_INTERNAL_ERROR`: the new process died while the system set it up, so nothing
/// of it has run. Seen once in some hundred thousand starts, on a loaded machine under Wine.
pub(super) fn until_begun<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for pause in [10, 50, 200].map(Duration::from_millis) {
        match start() {
            Err(error) if error.raw_os_error().map(i32::cast_unsigned) == Some(ERROR_INTERNAL_ERROR) => {}
            result => return result,
        }
        std::thread::sleep(pause);
    }
    start()
}

/// What a failed start means for this request.
pub(super) fn spawn_error(error: io::Error, request: &SpawnRequest<'_>) -> SpawnError {
    let Some(code) = error.raw_os_error().map(i32::cast_unsigned) else {
        return SpawnError::Os(error);
    };
    if matches!(code, ERROR_BAD_EXE_FORMAT | ERROR_EXE_MACHINE_TYPE_MISMATCH) {
        return SpawnError::ExecFormat;
    }
    // The system does not say which path it is about.
    match std::fs::metadata(request.cwd) {
        Err(source) => {
            return SpawnError::Cwd { path: request.cwd.to_path_buf(), source };
        }
        Ok(metadata) if !metadata.is_dir() => {
            return SpawnError::Cwd { path: request.cwd.to_path_buf(), source: io::ErrorKind::NotADirectory.into() };
        }
        Ok(_) if code == ERROR_DIRECTORY => {
            return SpawnError::Cwd { path: request.cwd.to_path_buf(), source: error };
        }
        Ok(_) => {}
    }
    match code {
        // The code for a directory differs between systems.
        _ if request.program.is_dir() => SpawnError::IsDirectory,
        ERROR_FILE_NOT_FOUND | ERROR_PATH_NOT_FOUND | ERROR_INVALID_NAME => SpawnError::NotFound,
        ERROR_ACCESS_DENIED => SpawnError::PermissionDenied,
        _ => SpawnError::Os(error),
    }
}

/// The files for the standard streams: ours, or the null device.
pub(super) fn standard_streams(request: &SpawnRequest<'_>) -> Result<[File; 3], SpawnError> {
    if let Some(&(number, _)) = request.fds.iter().find(|(number, _)| *number > 2) {
        return Err(SpawnError::UnsupportedFd(number));
    }
    let stream = |wanted: u32| {
        let given = request.fds.iter().rev().find(|(number, _)| *number == wanted);
        given.map_or_else(null_device, |(_, file)| file.try_clone()).map_err(SpawnError::Os)
    };
    Ok([stream(0)?, stream(1)?, stream(2)?])
}

fn null_device() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open("NUL")
}

fn inheritable_copy(handle: BorrowedHandle<'_>) -> io::Result<OwnedHandle> {
    let mut copy: HANDLE = std::ptr::null_mut();
    // SAFETY: the source is open; the pseudo handle of this process needs no closing; the copy is new and ours.
    unsafe {
        let this = GetCurrentProcess();
        check(DuplicateHandle(this, handle.as_raw_handle(), this, &mut copy, 0, 1, DUPLICATE_SAME_ACCESS))?;
        owned(copy)
    }
}

fn quoted_line(program: &Path, argv: &[OsString]) -> Result<Vec<u16>, SpawnError> {
    let mut arguments = vec![program.as_os_str().to_owned()];
    for (index, argument) in argv.iter().enumerate().skip(1) {
        if to_units(argument).contains(&0) {
            return Err(SpawnError::Nul { what: SpawnPart::Argument(index) });
        }
        arguments.push(argument.clone());
    }
    let mut line = command_line(&arguments);
    line.push(0);
    if line.len() > COMMAND_LINE_LIMIT {
        return Err(SpawnError::TooLong { what: SpawnPart::CommandLine, limit: COMMAND_LINE_LIMIT, len: line.len() });
    }
    Ok(line)
}

fn directory(path: &Path) -> Result<Vec<u16>, SpawnError> {
    let directory = terminated(&plain_path(path), SpawnPart::WorkingDirectory)?;
    if directory.len() > DIRECTORY_LIMIT {
        return Err(SpawnError::TooLong {
            what: SpawnPart::WorkingDirectory,
            limit: DIRECTORY_LIMIT,
            len: directory.len(),
        });
    }
    Ok(directory)
}

fn terminated(path: &Path, what: SpawnPart) -> Result<Vec<u16>, SpawnError> {
    let mut units = to_units(path.as_os_str());
    if units.contains(&0) {
        return Err(SpawnError::Nul { what });
    }
    units.push(0);
    Ok(units)
}

/// The path with backslashes, and without the `\\?\` that `canonicalize` adds, where it is short enough to do without: programs are
/// not used to such a working directory or `argv[0]`, and `cmd.exe` refuses it.
pub(super) fn plain_path(path: &Path) -> PathBuf {
    let Some(text) = path.to_str() else {
        return path.to_path_buf();
    };
    let plain = match text.strip_prefix(r"\\?\") {
        None => return PathBuf::from(text.replace('/', "\\")),
        Some(rest) => match rest.strip_prefix(r"UNC\") {
            Some(share) => format!(r"\\{share}"),
            None if rest.as_bytes().get(1) == Some(&b':') => rest.to_owned(),
            None => return path.to_path_buf(),
        },
    };
    if plain.encode_utf16().count() < DIRECTORY_LIMIT { PathBuf::from(plain) } else { path.to_path_buf() }
}

/// The attribute list that names the handles a child inherits, and no others.
struct HandleList {
    /// Of `usize`, for the alignment.
    buffer: Vec<usize>,
}

impl HandleList {
    /// The handles have to outlive the list.
    fn new(handles: &[HANDLE; 3]) -> io::Result<Self> {
        let mut size = 0;
        // SAFETY: asks for the size only; the failure it reports is expected.
        unsafe { InitializeProcThreadAttributeList(std::ptr::null_mut(), 1, 0, &mut size) };
        let mut list = Self { buffer: vec![0; size.div_ceil(size_of::<usize>())] };
        // SAFETY: the buffer is as large as the system said.
        let initialised = unsafe { InitializeProcThreadAttributeList(list.pointer(), 1, 0, &mut size) };
        if let Err(error) = check(initialised) {
            // Nothing to be deleted.
            list.buffer.clear();
            return Err(error);
        }
        // SAFETY: the list is initialised for one attribute; the array is of the size that is passed.
        check(unsafe {
            UpdateProcThreadAttribute(
                list.pointer(),
                0,
                PROC_THREAD_ATTRIBUTE_HANDLE_LIST as usize,
                handles.as_ptr().cast(),
                size_of_val(handles),
                std::ptr::null_mut(),
                std::ptr::null(),
            )
        })?;
        Ok(list)
    }

    fn pointer(&mut self) -> LPPROC_THREAD_ATTRIBUTE_LIST {
        self.buffer.as_mut_ptr().cast()
    }
}

impl Drop for HandleList {
    fn drop(&mut self) {
        if !self.buffer.is_empty() {
            // SAFETY: initialised, and never used again.
            unsafe { DeleteProcThreadAttributeList(self.pointer()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_start_that_never_began_is_tried_again() {
        let internal = || io::Error::from_raw_os_error(ERROR_INTERNAL_ERROR.cast_signed());
        let cases: [(Vec<Option<io::Error>>, usize, bool); 4] = [
            (vec![None], 1, true),
            (vec![Some(internal()), Some(internal()), None], 3, true),
            (vec![Some(io::ErrorKind::NotFound.into()), None], 1, false),
            ((0..9).map(|_| Some(internal())).collect(), 4, false),
        ];
        for (results, attempts, starts) in cases {
            let mut results = results.into_iter();
            let mut made = 0;
            let result = until_begun(|| {
                made += 1;
                results.next().flatten().map_or(Ok(()), Err)
            });
            assert_eq!((made, result.is_ok()), (attempts, starts));
        }
    }
}
