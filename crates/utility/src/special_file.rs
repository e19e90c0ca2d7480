//! Files that are not files of the file system: the script's descriptors, and devices where a system has none.

use std::io::{self, Write};
use std::path::Path;

use hookshell_process::{Lead, lead, script_path, start_thread};

use crate::stream::Stream;

/// Files that mean the interpreter's own descriptors, never the host's, and Unix's devices on Windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialFile {
    /// `/dev/null`, on every system.
    Null,
    /// A descriptor of this number.
    Descriptor(u32),
    /// A device that gives bytes without end; on Unix it is the system's own file.
    Device(Device),
    /// What only the host's process has in `/proc`, its memory for one: a hook may not open it.
    Host,
}

/// What gives bytes without end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// `/dev/zero`
    Zero,
    /// `/dev/urandom` and `/dev/random`
    Random,
}

impl Device {
    /// The device of this name.
    fn named(path: &[u8]) -> Option<Self> {
        match path {
            b"/dev/zero" => Some(Self::Zero),
            b"/dev/urandom" | b"/dev/random" => Some(Self::Random),
            _ => None,
        }
    }

    /// Opens it for reading: a pipe, which a program that inherits it can read, too. Its thread ends with the last reader.
    ///
    /// # Errors
    /// As the system says: there are no more descriptors or threads.
    pub fn open(self) -> io::Result<Stream> {
        /// What is made at once: few readers want more than some bytes.
        const PIECE: usize = 4096;
        let (reader, mut writer) = hookshell_process::pipe()?;
        start_thread("hookshell-device", 64 * 1024, move || {
            hookshell_process::block_sigpipe_on_this_thread();
            let mut piece = [0; PIECE];
            loop {
                if self == Self::Random && getrandom::fill(&mut piece).is_err() {
                    return;
                }
                if writer.write_all(&piece).is_err() {
                    return;
                }
            }
        })?;
        Ok(Stream::from_private_pipe(reader))
    }
}

/// What a script with this working directory means by the path, whatever spelling or link leads there: [`special_name`], and
/// on Unix also a descriptor that the path leads to by links, other names of directories, or `/proc`.
pub fn special_file(path: &[u8], cwd: &Path) -> Option<SpecialFile> {
    if let Some(special) = special_name(path) {
        return Some(special);
    }
    if cfg!(windows) || path.is_empty() {
        return None;
    }
    match lead(&script_path::resolve(path, cwd, std::env::temp_dir), cwd) {
        Lead::Descriptor(number) => Some(SpecialFile::Descriptor(number)),
        Lead::Host => Some(SpecialFile::Host),
        Lead::Ordinary | Lead::Path(_) => None,
    }
}

/// By its name alone: is this one of `/dev/null`, `/dev/stdin`, `/dev/stdout`, `/dev/stderr`, `/dev/fd/N`, `/proc/self/fd/N`? On Windows also
/// `NUL`, `/dev/zero`, `/dev/urandom` and `/dev/random`.
pub fn special_name(path: &[u8]) -> Option<SpecialFile> {
    match path {
        b"/dev/null" => return Some(SpecialFile::Null),
        b"/dev/stdin" => return Some(SpecialFile::Descriptor(0)),
        b"/dev/stdout" => return Some(SpecialFile::Descriptor(1)),
        b"/dev/stderr" => return Some(SpecialFile::Descriptor(2)),
        // Windows' own name of it, in every directory.
        name if cfg!(windows) && name.eq_ignore_ascii_case(b"nul") => return Some(SpecialFile::Null),
        _ => {}
    }
    if cfg!(windows)
        && let Some(device) = Device::named(path)
    {
        return Some(SpecialFile::Device(device));
    }
    let number = path.strip_prefix(b"/dev/fd/").or_else(|| path.strip_prefix(b"/proc/self/fd/"))?;
    if number.is_empty() || !number.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(number).ok()?.parse().ok().map(SpecialFile::Descriptor)
}

#[cfg(test)]
mod tests {
    use hookshell_process::Interrupt;

    use super::Device;

    fn bytes(device: Device) -> Vec<u8> {
        let stream = device.open().unwrap();
        let (mut bytes, mut buffer) = (Vec::new(), [1; 1000]);
        // More than one piece, and more than a pipe takes at once on some systems.
        while bytes.len() < 20_000 {
            let count = stream.read(&mut buffer, &Interrupt::new()).unwrap();
            assert!(count > 0, "it ended");
            bytes.extend_from_slice(&buffer[..count]);
        }
        bytes
    }

    #[test]
    fn devices_give_bytes_without_end() {
        assert!(bytes(Device::Zero).iter().all(|byte| *byte == 0));
        let random = bytes(Device::Random);
        assert!((0..=255).all(|byte| random.contains(&byte)), "20,000 random bytes have all values");
        assert_ne!(random, bytes(Device::Random));
    }

    #[test]
    fn only_the_names_of_devices_are_devices() {
        assert_eq!(Device::named(b"/dev/zero"), Some(Device::Zero));
        assert_eq!(Device::named(b"/dev/urandom"), Some(Device::Random));
        assert_eq!(Device::named(b"/dev/zero/x"), None);
        assert_eq!(Device::named(b"dev/zero"), None);
    }
}
