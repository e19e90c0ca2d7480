//! Which file a patch is for.

use super::Work;
use super::hunks::{FilePatch, Header};

impl Work<'_, '_> {
    /// A name without the directories that `-p` takes away; without it only the last part stays.
    pub(super) fn stripped(&self, name: &[u8]) -> Vec<u8> {
        let mut rest = name;
        let mut left = self.command.strip;
        while left != Some(0) {
            let Some(at) = rest.iter().position(|byte| *byte == b'/') else { break };
            rest = rest.get(at..).unwrap_or_default();
            while let Some(after) = rest.strip_prefix(b"/") {
                rest = after;
            }
            left = left.map(|left| left - 1);
        }
        if left.is_some_and(|left| left > 0) { Vec::new() } else { rest.to_vec() }
    }

    /// A name in git's own headers, which has no `a/` before it.
    pub(super) fn git_name(&self, name: &[u8]) -> Vec<u8> {
        self.stripped(&[b"a/", name].concat())
    }

    /// The file that a patch is for.
    pub(super) fn target(&self, patch: &FilePatch) -> Option<Vec<u8>> {
        if let Some(file) = self.command.file {
            return Some(file.to_vec());
        }
        if let Some((from, to)) = &patch.rename {
            let from = if self.command.reverse { to } else { from };
            return Some(self.git_name(from)).filter(|name| is_safe(name));
        }
        let names = [&patch.old, &patch.new].map(|header: &Header| match &*header.name {
            b"/dev/null" => Vec::new(),
            name => self.stripped(name),
        });
        let names: Vec<&Vec<u8>> = names.iter().filter(|name| !name.is_empty() && is_safe(name)).collect();
        let parts = |name: &[u8]| name.iter().filter(|byte| **byte == b'/').count();
        let base = |name: &[u8]| name.len() - name.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let key = |name: &&&Vec<u8>| (parts(name), base(name), name.len());
        let there = names.iter().filter(|name| self.place.path(name).exists()).min_by_key(key);
        let found = there.or_else(|| names.iter().filter(|_| patch.creates || patch.deletes).min_by_key(key));
        found.map(|name| name.to_vec())
    }
}

/// Does the name of a patch lead to a file below the working directory?
pub(super) fn is_safe(name: &[u8]) -> bool {
    let is_drive = cfg!(windows) && name.contains(&b':');
    let is_separator = |byte: &u8| *byte == b'/' || cfg!(windows) && *byte == b'\\';
    !(name.first().is_some_and(is_separator) || is_drive || name.split(is_separator).any(|part| part == b".."))
}
