//! What the file operators look at.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookshell_process::script_path;
use hookshell_utility::{SpecialFile, special_file, special_name};

use super::Environment;

/// The type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link that was not followed.
    Link,
    /// A pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device, a terminal among them.
    Character,
    /// A block device.
    Block,
    /// Something else. Windows has files, directories and links only.
    #[cfg(unix)]
    Other,
}

/// What the operators need to know about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileInfo {
    /// The type.
    pub(crate) kind: FileKind,
    /// The size in bytes.
    pub(crate) size: u64,
    /// Permission bits, with the set-id and sticky bits; 0 where the system has none.
    pub(crate) mode: u32,
    /// Owner and group; `None` if the system has none.
    pub(crate) owner: Option<(u32, u32)>,
    /// Device and inode; `None` if they are not known.
    pub(crate) identity: Option<(u64, u64)>,
    /// When the content last changed.
    pub(crate) modified: Option<SystemTime>,
    /// When the content was last read.
    pub(crate) accessed: Option<SystemTime>,
}

impl FileInfo {
    /// A file of this type without any further property, for streams that are no file of the system.
    #[must_use]
    pub(crate) fn of_kind(kind: FileKind) -> Self {
        Self { kind, size: 0, mode: 0, owner: None, identity: None, modified: None, accessed: None }
    }

    pub(super) fn of_operand(operand: &[u8], env: &dyn Environment) -> Option<Self> {
        match Place::followed(operand, env) {
            Place::Path(path) => fs::metadata(path).ok().map(|metadata| Self::from(&metadata)),
            Place::Descriptor(descriptor) => Some(descriptor.info),
            Place::Nowhere => None,
        }
    }

    pub(super) fn of_link(path: &Path) -> Option<Self> {
        fs::symlink_metadata(path).ok().map(|metadata| Self::from(&metadata))
    }
}

impl From<&Metadata> for FileInfo {
    #[cfg(unix)]
    fn from(metadata: &Metadata) -> Self {
        use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
        let kind = match metadata.file_type() {
            kind if kind.is_file() => FileKind::Regular,
            kind if kind.is_dir() => FileKind::Directory,
            kind if kind.is_symlink() => FileKind::Link,
            kind if kind.is_fifo() => FileKind::Fifo,
            kind if kind.is_socket() => FileKind::Socket,
            kind if kind.is_char_device() => FileKind::Character,
            kind if kind.is_block_device() => FileKind::Block,
            _ => FileKind::Other,
        };
        Self {
            kind,
            size: metadata.len(),
            mode: metadata.mode() & 0o7777,
            owner: Some((metadata.uid(), metadata.gid())),
            identity: Some((metadata.dev(), metadata.ino())),
            modified: metadata.modified().ok(),
            accessed: metadata.accessed().ok(),
        }
    }

    #[cfg(not(unix))]
    fn from(metadata: &Metadata) -> Self {
        let kind = if metadata.is_dir() {
            FileKind::Directory
        } else if metadata.is_symlink() {
            FileKind::Link
        } else {
            FileKind::Regular
        };
        Self {
            kind,
            size: metadata.len(),
            mode: 0,
            owner: None,
            identity: None,
            modified: metadata.modified().ok(),
            accessed: metadata.accessed().ok(),
        }
    }
}

/// What stands after one of the shell's descriptors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// The file.
    pub(crate) info: FileInfo,
    /// Open for reading.
    pub(crate) readable: bool,
    /// Open for writing.
    pub(crate) writable: bool,
}

/// Where an operand leads.
pub(super) enum Place {
    Path(PathBuf),
    Descriptor(Descriptor),
    /// The empty path, a closed descriptor, or bytes that no path can hold.
    Nowhere,
}

impl Place {
    /// The file itself, which may be a link.
    pub(super) fn of(operand: &[u8], env: &dyn Environment) -> Self {
        Self::from(operand, special_name(operand), env)
    }

    /// What a link leads to.
    pub(super) fn followed(operand: &[u8], env: &dyn Environment) -> Self {
        Self::from(operand, special_file(operand, env.cwd()), env)
    }

    fn from(operand: &[u8], special: Option<SpecialFile>, env: &dyn Environment) -> Self {
        if operand.is_empty() || operand.contains(&0) {
            return Self::Nowhere;
        }
        match special {
            Some(SpecialFile::Descriptor(number)) => {
                return env.descriptor(number).map_or(Self::Nowhere, Self::Descriptor);
            }
            // On Unix they are files as any other.
            #[cfg(windows)]
            Some(SpecialFile::Null | SpecialFile::Device(_)) => {
                let info = FileInfo::of_kind(FileKind::Character);
                return Self::Descriptor(Descriptor { info, readable: true, writable: true });
            }
            _ => {}
        }
        Self::Path(script_path::resolve(operand, env.cwd(), || env.temp_dir()))
    }
}

/// A comparison of two files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileComparison {
    /// `-nt`: the first is newer, or only the first exists.
    Newer,
    /// `-ot`: the first is older, or only the second exists.
    Older,
    /// `-ef`: both are the same file.
    Same,
}

/// The value of `LEFT -nt RIGHT` and its like.
#[must_use]
pub(crate) fn file_compare(comparison: FileComparison, left: &[u8], right: &[u8], env: &dyn Environment) -> bool {
    let first = FileInfo::of_operand(left, env);
    let second = FileInfo::of_operand(right, env);
    match (comparison, first, second) {
        (FileComparison::Newer, Some(first), Some(second)) => first.modified > second.modified,
        (FileComparison::Older, Some(first), Some(second)) => first.modified < second.modified,
        (FileComparison::Same, Some(first), Some(second)) => match (first.identity, second.identity) {
            (Some(first), Some(second)) => first == second,
            _ => same_path(left, right, env),
        },
        (FileComparison::Newer, Some(_), None) | (FileComparison::Older, None, Some(_)) => true,
        _ => false,
    }
}

/// Where files have no number, the same file is one whose path resolves to the same place.
fn same_path(left: &[u8], right: &[u8], env: &dyn Environment) -> bool {
    match (Place::of(left, env), Place::of(right, env)) {
        (Place::Path(first), Place::Path(second)) => match (fs::canonicalize(first), fs::canonicalize(second)) {
            (Ok(first), Ok(second)) => first == second,
            _ => false,
        },
        _ => left == right,
    }
}
