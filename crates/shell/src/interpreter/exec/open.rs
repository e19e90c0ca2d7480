//! How the file of a redirection is opened: devices, connections and FIFOs too.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookshell_process::{Lead, Opened, Opening, is_fifo, is_missing, lead, of_creation, open_fifo, script_path};
use hookshell_utility::{Device, Held, SpecialFile, Stream, special_name};

use super::connection::{Endpoint, Refused};
use crate::flow::Flow;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Read,
    Write,
    Clobber,
    Append,
    ReadWrite,
}

impl Shell {
    pub(super) fn open_target(&mut self, target: &[u8], mode: Mode) -> Flow<Option<Arc<Stream>>> {
        if mode != Mode::Read && self.opt(Opt::Restricted) {
            self.error([target, b": restricted: cannot redirect output"].concat());
            return ControlFlow::Continue(None);
        }
        let opened = match special_name(target) {
            Some(SpecialFile::Null) => Ok(Arc::new(Stream::null())),
            Some(SpecialFile::Device(device)) => self.open_device(device, mode),
            Some(SpecialFile::Descriptor(fd)) => self.open_descriptor(fd),
            Some(SpecialFile::Host) => Err(hookshell_process::host_file_error()),
            None => match Endpoint::of_path(target) {
                Some(endpoint) if self.env.dialect == hookshell_syntax::Dialect::Bash => self.open_connection(endpoint),
                _ => self.open_path(target, mode),
            },
        };
        match opened {
            Ok(stream) => ControlFlow::Continue(Some(stream)),
            Err(error) => {
                self.checkpoint()?;
                let reason = if error.kind() == io::ErrorKind::AlreadyExists && mode == Mode::Write {
                    "cannot overwrite existing file".into()
                } else {
                    reason(&error)
                };
                self.error([target, b": ", reason.as_bytes()].concat());
                ControlFlow::Continue(None)
            }
        }
    }

    fn open_path(&mut self, target: &[u8], mode: Mode) -> io::Result<Arc<Stream>> {
        if target.is_empty() {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        let held = self.open_file_held()?;
        let path = self.absolute(target);
        let noclobber = mode == Mode::Write && self.opt(Opt::Noclobber);
        let place = Place {
            cwd: self.env.inherited.cwd.to_path_buf(),
            umask: self.env.inherited.umask,
            guest: !self.host.is_process,
        };
        // The descriptors of this process that are pipes are not the script's.
        if is_fifo(&path) && lead(&path, &place.cwd) == Lead::Ordinary {
            let target = path.clone();
            let open = move || open_file(&target, mode, noclobber, &place).and_then(Opened::file);
            return match open_fifo(&self.context.interrupt, &path, mode == Mode::Read, open) {
                Some(file) => Ok(Arc::new(Stream::from_file(file?).holding(held))),
                None => Err(io::Error::from(io::ErrorKind::Interrupted)),
            };
        }
        match open_file(&path, mode, noclobber, &place) {
            Ok(Opened::File(file)) => Ok(Arc::new(Stream::from_file(file).holding(held))),
            Ok(Opened::Descriptor(fd)) => self.open_descriptor(fd),
            // Windows' own word for it is "permission denied".
            Err(_) if cfg!(windows) && path.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Err(error) if mode == Mode::Read => Err(error),
            Err(error) => Err(of_creation(error)),
        }
    }

    /// The stream that one of the script's own descriptors has.
    fn open_descriptor(&self, fd: u32) -> io::Result<Arc<Stream>> {
        self.env.fds.get(fd).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// What is written to a device is gone, as on Unix.
    fn open_device(&mut self, device: Device, mode: Mode) -> io::Result<Arc<Stream>> {
        if !matches!(mode, Mode::Read | Mode::ReadWrite) {
            return Ok(Arc::new(Stream::null()));
        }
        let held = self.open_file_held()?;
        Ok(Arc::new(device.open()?.holding(held)))
    }

    /// Counts one more open file.
    fn open_file_held(&self) -> io::Result<Held> {
        self.host
            .usage
            .budget
            .open_file()
            .ok_or_else(|| io::Error::other(self.host.limits.message(Limit::OpenFiles, "more files are open at once")))
    }

    /// Connects on a thread that can be left behind, and writes the first of the two lines of a failure: what failed.
    fn open_connection(&mut self, endpoint: Endpoint) -> io::Result<Arc<Stream>> {
        let held = self.open_file_held()?;
        match self.context.interrupt.blocking(move || endpoint.connect()) {
            Some(Ok(file)) => Ok(Arc::new(Stream::from_file(file).holding(held))),
            Some(Err(Refused::Name(message))) => {
                self.error(message);
                Err(io::Error::other("Invalid argument"))
            }
            Some(Err(Refused::Connect(error))) => {
                // bash names no line in this message.
                let text = [&*self.context.source, b": connect: ", reason(&error).as_bytes(), b"\n"].concat();
                self.write_error(&text);
                Err(error)
            }
            Some(Err(Refused::Unsupported)) => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "connections as files are not supported on this system"))
            }
            None => Err(io::Error::from(io::ErrorKind::Interrupted)),
        }
    }

    /// A path of the script made absolute by the logical working directory.
    pub(crate) fn absolute(&self, path: &[u8]) -> PathBuf {
        // Something is done with a file.
        self.host.cancel.before_wait();
        script_path::resolve(path, &self.env.inherited.cwd, || self.temp_dir())
    }
}

/// Whose file is opened.
struct Place {
    cwd: PathBuf,
    #[cfg_attr(not(unix), allow(dead_code, reason = "there are no modes"))]
    umask: Option<u32>,
    /// The script is a guest in this process.
    guest: bool,
}

fn open_file(path: &Path, mode: Mode, noclobber: bool, place: &Place) -> io::Result<Opened> {
    let mut options = Opening { guest: place.guest, ..Opening::new() };
    match mode {
        Mode::Read => options.read = true,
        Mode::Write | Mode::Clobber => (options.write, options.create, options.truncate) = (true, true, true),
        Mode::Append => (options.append, options.create) = (true, true),
        Mode::ReadWrite => (options.read, options.write, options.create) = (true, true, true),
    }
    if noclobber {
        // Only a regular file is protected (XCU 2.7.2).
        match std::fs::metadata(path) {
            // Not the host's standard output: what leads to a descriptor is the script's own.
            Ok(meta) if meta.is_file() && !matches!(lead(path, &place.cwd), Lead::Descriptor(_)) => {
                return Err(io::Error::from(io::ErrorKind::AlreadyExists));
            }
            Ok(_) => {}
            Err(_) => {
                (options.truncate, options.create, options.create_new) = (false, false, true);
            }
        }
    }
    #[cfg(unix)]
    if mode != Mode::Read
        && let Some(mask) = place.umask
    {
        use std::os::unix::fs::PermissionsExt;
        options.mode = 0o666 & !mask;
        if let Ok(file) = (Opening { create_new: true, ..options }).open(path) {
            // The host's own mask may have taken more bits away than the script's.
            file.set_permissions(std::fs::Permissions::from_mode(options.mode))?;
            return Ok(Opened::File(file));
        }
    }
    options.open_for(path, &place.cwd)
}

/// What the C library says of an error, without Rust's `(os error N)`.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        _ if is_missing(error) => "No such file or directory".into(),
        io::ErrorKind::PermissionDenied => "Permission denied".into(),
        io::ErrorKind::IsADirectory => "Is a directory".into(),
        io::ErrorKind::NotADirectory => "Not a directory".into(),
        io::ErrorKind::AlreadyExists => "File exists".into(),
        io::ErrorKind::BrokenPipe => "Broken pipe".into(),
        // ERROR_NO_SUCH_DEVICE, of a console that is not there.
        _ if cfg!(windows) && error.raw_os_error() == Some(433) => "No such device or address".into(),
        _ => {
            let text = error.to_string();
            match text.find(" (os error") {
                Some(at) => text[..at].to_owned(),
                None => text,
            }
        }
    }
}
