//! Permission checks by effective ids.

use std::path::Path;

pub(super) use hookshell_process::system::Access;
use hookshell_process::system::{self, ids};

use super::file::FileInfo;

/// Whether this process may use the file so.
pub(super) fn access(path: &Path, wanted: Access) -> bool {
    system::access(path, wanted)
}

/// `-O`: the file belongs to our effective user. True where files have no owner.
pub(super) fn is_own_user(info: &FileInfo) -> bool {
    info.owner.is_none_or(|(user, _)| user == ids().euid)
}

/// `-G`: the file belongs to our effective group. True where files have no group.
pub(super) fn is_own_group(info: &FileInfo) -> bool {
    info.owner.is_none_or(|(_, group)| group == ids().egid)
}
