//! One file of a listing.

use std::fs::Metadata;
use std::io;
use std::path::Path;

use hookshell_files::file_stat::{FileStat, TYPE};
use hookshell_process::text;
use hookshell_utility::zone::since_epoch;
use hookshell_utility::{SpecialFile, special_name};

/// How a symbolic link is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Shown,
    Followed,
    FollowedToDirectory,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) stat: FileStat,
    /// Of a link: its text, and what it leads to.
    pub(super) target: Option<(Vec<u8>, Option<FileStat>)>,
    pub(super) leads_to_directory: bool,
    /// Otherwise only its type: a link that leads nowhere, where what it leads to was asked for.
    pub(super) is_known: bool,
    /// When it was made.
    pub(super) born: Option<(i64, u32)>,
    /// `-Z`: its security context.
    pub(super) context: Vec<u8>,
    /// `--hyperlink`: its address.
    pub(super) address: Option<Vec<u8>>,
}

/// Is it the null device, which is no file on Windows?
fn is_null(name: &[u8]) -> bool {
    cfg!(windows) && special_name(name) == Some(SpecialFile::Null)
}

fn born(metadata: &Metadata) -> Option<(i64, u32)> {
    metadata.created().ok().map(since_epoch)
}

impl Entry {
    fn of(name: Vec<u8>, stat: FileStat, born: Option<(i64, u32)>) -> Self {
        Self {
            name,
            stat,
            target: None,
            leads_to_directory: false,
            is_known: true,
            born,
            context: Vec::new(),
            address: None,
        }
    }

    /// What is shown of it: a question mark where nothing is known.
    pub(super) fn or_unknown(&self, text: String) -> String {
        if self.is_known { text } else { "?".to_owned() }
    }

    pub(super) fn inode(&self) -> String {
        self.or_unknown(self.stat.inode.to_string())
    }

    /// Of a link, where nothing is known of what it leads to.
    pub(super) fn unknown(self) -> Self {
        let stat = FileStat { mode: self.stat.mode & TYPE, ..FileStat::default() };
        Self { stat, target: None, is_known: false, ..self }
    }

    /// # Errors
    /// It is not there. A link that is to be followed and leads nowhere is an error for an operand, and else shown itself.
    pub(super) fn read(name: Vec<u8>, path: &Path, link: Link, is_operand: bool) -> io::Result<Self> {
        if is_operand && is_null(&name) {
            return Ok(Self::of(name, FileStat::null(), None));
        }
        let own = path.symlink_metadata()?;
        if !own.is_symlink() {
            return Ok(Self::of(name, FileStat::of(&own), born(&own)));
        }
        let followed = path.metadata();
        let follows = match (link, &followed) {
            (Link::Followed, _) => true,
            (Link::FollowedToDirectory, Ok(metadata)) => metadata.is_dir(),
            // Only one that leads nowhere is shown itself.
            (Link::FollowedToDirectory, Err(error)) => error.kind() != io::ErrorKind::NotFound,
            _ => false,
        };
        if follows {
            let followed = followed?;
            return Ok(Self::of(name, FileStat::of(&followed), born(&followed)));
        }
        let text = std::fs::read_link(path).map(|target| text::from_path(&target).into_owned())?;
        let followed = followed.ok().map(|metadata| FileStat::of(&metadata));
        Ok(Self {
            leads_to_directory: followed.is_some_and(|stat| stat.is_dir()),
            target: Some((text, followed)),
            ..Self::of(name, FileStat::of(&own), born(&own))
        })
    }
}
