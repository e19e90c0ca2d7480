//! A request in the kernel's form, and what its error numbers mean.

use std::ffi::{CString, OsStr, c_char};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, accessat};

use super::fds::FdPlan;
use crate::{SpawnError, SpawnPart, SpawnRequest};

/// A request in the kernel's form: NUL-terminated strings and arrays of pointers to them.
pub(super) struct RawRequest {
    pub(super) program: CString,
    pub(super) cwd: CString,
    pub(super) fds: FdPlan,
    argv: StringArray,
    envp: StringArray,
}

impl RawRequest {
    pub(super) fn new(request: &SpawnRequest<'_>) -> Result<Self, SpawnError> {
        let nul = |what| move |_| SpawnError::Nul { what };
        let mut argv = StringArray::default();
        for (index, argument) in request.argv.iter().enumerate() {
            if !argv.push(&[argument.as_bytes()]) {
                return Err(SpawnError::Nul { what: SpawnPart::Argument(index) });
            }
        }
        let mut envp = StringArray::default();
        for (name, value) in request.env {
            if !envp.push(&[name.as_bytes(), b"=", value.as_bytes()]) {
                return Err(SpawnError::Nul { what: SpawnPart::Variable(name.clone()) });
            }
        }
        Ok(Self {
            program: CString::new(request.program.as_os_str().as_bytes()).map_err(nul(SpawnPart::Program))?,
            cwd: CString::new(request.cwd.as_os_str().as_bytes()).map_err(nul(SpawnPart::WorkingDirectory))?,
            fds: FdPlan::new(request.fds, request.close_missing)?,
            argv,
            envp,
        })
    }

    /// The argument array; valid as long as `self` is neither moved out of nor changed.
    pub(super) fn argv(&self) -> Vec<*const c_char> {
        self.argv.pointers()
    }

    /// The environment array, likewise.
    pub(super) fn envp(&self) -> Vec<*const c_char> {
        self.envp.pointers()
    }
}

/// Strings in one allocation: an environment is some hundred of them, for every start.
#[derive(Default)]
struct StringArray {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl StringArray {
    /// Appends one string made of these parts; `false` if there is a NUL in it.
    fn push(&mut self, parts: &[&[u8]]) -> bool {
        self.starts.push(self.bytes.len());
        for part in parts {
            if part.contains(&0) {
                return false;
            }
            self.bytes.extend_from_slice(part);
        }
        self.bytes.push(0);
        true
    }

    /// Pointers to the strings, and the null pointer that ends the array.
    fn pointers(&self) -> Vec<*const c_char> {
        self.starts
            .iter()
            .map(|&start| self.bytes[start..].as_ptr().cast::<c_char>())
            .chain(std::iter::once(std::ptr::null()))
            .collect()
    }
}

/// Linux's `MAX_ARG_STRLEN`: 32 pages for one argument or variable, its NUL included (`execve(2)`).
#[cfg(target_os = "linux")]
const LONGEST_STRING: usize = 32 * 4096;

/// What the error number of a failed start means for this request. The kernel does not say which path it is about: a working
/// directory that cannot be entered is looked for first.
pub(super) fn spawn_error(errno: i32, request: &SpawnRequest<'_>) -> SpawnError {
    let error = io::Error::from_raw_os_error(errno);
    match errno {
        libc::E2BIG => too_long(request),
        libc::ENOEXEC => SpawnError::ExecFormat,
        #[cfg(target_os = "macos")]
        libc::EBADARCH | libc::EBADEXEC => SpawnError::ExecFormat,
        libc::ENOENT | libc::ENOTDIR | libc::EACCES | libc::ELOOP | libc::ENAMETOOLONG | libc::EPERM | libc::EIO => {
            if let Err(source) = can_enter(request.cwd) {
                return SpawnError::Cwd { path: request.cwd.to_path_buf(), source };
            }
            match errno {
                libc::ENOENT | libc::ENOTDIR => SpawnError::NotFound,
                libc::EACCES if request.program.is_dir() => SpawnError::IsDirectory,
                libc::EACCES => SpawnError::PermissionDenied,
                _ => SpawnError::Os(error),
            }
        }
        _ => SpawnError::Os(error),
    }
}

/// Whether `chdir` there would succeed.
pub(super) fn can_enter(directory: &Path) -> io::Result<()> {
    if !std::fs::metadata(directory)?.is_dir() {
        return Err(io::Error::from_raw_os_error(libc::ENOTDIR));
    }
    accessat(CWD, directory, rustix::fs::Access::EXEC_OK, AtFlags::EACCESS).map_err(io::Error::from)
}

/// Finds what the kernel found too long.
fn too_long(request: &SpawnRequest<'_>) -> SpawnError {
    let pair_len = |name: &OsStr, value: &OsStr| name.len() + value.len() + 2;
    #[cfg(target_os = "linux")]
    {
        let limit = LONGEST_STRING;
        for (index, argument) in request.argv.iter().enumerate() {
            if argument.len() + 1 > limit {
                return SpawnError::TooLong { what: SpawnPart::Argument(index), limit, len: argument.len() + 1 };
            }
        }
        for (name, value) in request.env {
            let len = pair_len(name, value);
            if len > limit {
                return SpawnError::TooLong { what: SpawnPart::Variable(name.clone()), limit, len };
            }
        }
    }
    let strings: usize = request.argv.iter().map(|argument| argument.len() + 1).sum::<usize>()
        + request.env.iter().map(|(name, value)| pair_len(name, value)).sum::<usize>();
    let pointers = (request.argv.len() + request.env.len() + 2) * size_of::<usize>();
    SpawnError::TooLong {
        what: SpawnPart::ArgumentsAndEnvironment,
        limit: super::exec::argument_space(),
        len: strings + pointers,
    }
}
