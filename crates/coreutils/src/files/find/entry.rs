//! An entry that the walk has come to.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use hookshell_files::at::{Dir, Listed, Place};
use hookshell_files::file_stat::{FileStat, LINK};
use hookshell_process::{is_missing, text};
use hookshell_utility::io::reason;

/// A file that was come across.
pub(super) struct Entry {
    /// Its name as it is printed.
    pub(super) shown: Vec<u8>,
    /// How much of that is the operand.
    pub(super) start_length: usize,
    pub(super) place: Place,
    /// The directory that holds it; `None`: it is the operand.
    pub(super) holder: Option<Dir>,
    /// Where the operand is.
    pub(super) root: Rc<PathBuf>,
    pub(super) depth: usize,
    /// As the directory has it.
    pub(super) kind: Option<u32>,
    pub(super) stat: OnceCell<Option<FileStat>>,
    pub(super) follows: bool,
}

impl Entry {
    /// `above`: the name of this one, which `directory` is.
    pub(super) fn child(&self, above: &[u8], directory: &Dir, next: &Listed, follows: bool) -> Self {
        let name: &OsStr = &next.name;
        let mut shown = Vec::with_capacity(above.len() + 1 + name.len());
        shown.extend_from_slice(above);
        if shown.last() != Some(&b'/') && !(cfg!(windows) && shown.last() == Some(&b'\\')) {
            shown.push(b'/');
        }
        shown.extend_from_slice(&text::from_os(name));
        Self {
            shown,
            start_length: self.start_length,
            place: directory.entry(name),
            holder: Some(directory.clone()),
            root: self.root.clone(),
            depth: self.depth + 1,
            kind: next.kind,
            stat: OnceCell::new(),
            follows,
        }
    }

    /// The type: of what a link leads to, where links are followed.
    pub(super) fn kind(&self) -> Option<u32> {
        match self.kind {
            Some(kind) if !self.follows || kind != LINK => Some(kind),
            _ => self.stat().map(FileStat::kind),
        }
    }

    /// The type the other way round: followed where links are not, and of the link itself where they are.
    pub(super) fn other_kind(&self) -> io::Result<u32> {
        if self.follows {
            return self.place.lstat().map(|stat| stat.kind());
        }
        match self.place.stat() {
            Err(error) if is_dangling(&error) => self.place.lstat().map(|stat| stat.kind()),
            found => found.map(|stat| stat.kind()),
        }
    }

    pub(super) fn read_stat(&self) -> io::Result<FileStat> {
        if self.follows {
            // A link that leads nowhere is itself.
            match self.place.stat() {
                Err(error) if is_dangling(&error) => self.place.lstat().map_err(|_| error),
                found => found,
            }
        } else {
            self.place.lstat()
        }
    }

    /// Its whole path, which may be longer than the system takes.
    pub(super) fn path(&self) -> PathBuf {
        let below = self.shown.get(self.start_length..).unwrap_or_default();
        let below = text::to_path(below.strip_prefix(b"/").unwrap_or(below));
        if below.as_os_str().is_empty() { (*self.root).clone() } else { self.root.join(&*below) }
    }

    pub(super) fn stat(&self) -> Option<&FileStat> {
        self.stat.get_or_init(|| self.read_stat().ok()).as_ref()
    }

    /// The last component, without slashes after it; of the root a slash.
    pub(super) fn base_name(&self) -> &[u8] {
        let end = self.shown.iter().rposition(|byte| *byte != b'/').map_or(1, |at| at + 1).min(self.shown.len());
        let name = self.shown.get(..end).unwrap_or_default();
        match name.iter().rposition(|byte| *byte == b'/') {
            Some(at) if name.len() > 1 => name.get(at + 1..).unwrap_or_default(),
            _ => name,
        }
    }

    /// The reason for which its type cannot be told, as a letter.
    pub(super) fn target_kind(&self) -> Result<u32, u8> {
        match self.place.stat() {
            Ok(stat) => Ok(stat.kind()),
            Err(error) => Err(match reason(&error).as_str() {
                "No such file or directory" | "Not a directory" => b'N',
                "Too many levels of symbolic links" => b'L',
                _ => b'?',
            }),
        }
    }
}

pub(super) fn is_dangling(error: &io::Error) -> bool {
    is_missing(error) || error.kind() == io::ErrorKind::NotADirectory
}
