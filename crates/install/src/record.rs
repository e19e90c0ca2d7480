//! What was there before a config was wired: kept for `uninstall`, in the user's own directory.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::error::Error;
use crate::files;
use crate::machine::Machine;

/// One config's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The config, links followed.
    pub(crate) config: PathBuf,
    pub(crate) was: String,
    pub(crate) now: String,
    /// What its side file got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) side: Option<Json>,
    /// The config as it was found: `was`, or a text of which a part was wired already. Records of older versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) found: Option<String>,
    /// The side file as it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) side_found: Option<String>,
    /// The side file before hooks of the config were moved to it: what the user has there, and gets back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) own: Option<String>,
    /// Was it brought to its end? If not, the process was ended before the config was written, or soon after.
    #[serde(default = "complete")]
    pub(crate) is_complete: bool,
}

/// Records of older versions were written in one go.
fn complete() -> bool {
    true
}

impl Record {
    /// Where the record of a config is.
    pub(crate) fn path(machine: &Machine, config: &Path) -> Result<PathBuf, Error> {
        let name = config.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{:016x}-{name}.json", fnv(config.as_os_str().as_encoded_bytes()));
        Ok(machine.data_directory()?.join("installed").join(name))
    }

    /// The record at a path, if it is of this config and can be read.
    pub(crate) fn read(path: &Path, config: &Path) -> Result<Option<(String, Self)>, Error> {
        let Some(text) = files::read(path)? else { return Ok(None) };
        let record = serde_json::from_str::<Self>(&text).ok().filter(|record| record.config == config);
        Ok(record.map(|record| (text, record)))
    }

    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Is this what a process was at work on that was ended?
    pub(crate) fn is_unfinished(&self, text: &str) -> bool {
        !self.is_complete && self.found.as_deref() == Some(text)
    }

    /// Is the side file as `install` left it, or as it found it? Else somebody has edited it since.
    pub(crate) fn knows_side(&self, text: Option<&str>, side: Option<&Json>) -> bool {
        self.side.as_ref() == side || self.side_found.as_deref() == text
    }

    /// What the user's own part of the side file is.
    pub(crate) fn own(&self) -> Option<Json> {
        json(self.own.as_deref())
    }
}

/// A side file's text that was read as JSON before.
pub(crate) fn json(text: Option<&str>) -> Option<Json> {
    serde_json::from_str(text?).ok()
}

/// FNV-1a, 64 bits: the same on every machine and in every version. Two configs of one hash: the record says which it is of.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
