//! File modes of what is created.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use hookshell_process::{Opening, of_creation};
use hookshell_shell::UtilityContext;

/// Creates a directory with the script's umask, or the host's where the script has set none.
pub(crate) fn create_dir(context: &UtilityContext<'_>, path: &Path) -> io::Result<()> {
    create_dir_with(path, context.umask.map(|umask| 0o777 & !umask))
}

/// Creates a directory with this mode, and with the set-group-ID bit where it inherits that from the one that it is in.
#[cfg(unix)]
pub(crate) fn create_dir_with(path: &Path, mode: Option<u32>) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
    let Some(mode) = mode else {
        return fs::create_dir(path);
    };
    // The host's umask may take more away; it never leaves more than `mode`.
    fs::DirBuilder::new().mode(mode & 0o777).create(path)?;
    let inherited = fs::symlink_metadata(path)?.mode() & 0o2000;
    fs::set_permissions(path, fs::Permissions::from_mode(mode | inherited))
}

/// Creates a directory; Windows has no modes.
#[cfg(not(unix))]
pub(crate) fn create_dir_with(path: &Path, _: Option<u32>) -> io::Result<()> {
    fs::create_dir(path).map_err(of_creation)
}

/// Creates a file that was missing, with the script's umask, and opens it for writing. A link that leads to nothing gets
/// what it leads to; what another has made meanwhile is opened as it is.
pub(crate) fn create_file(context: &UtilityContext<'_>, path: &Path) -> io::Result<File> {
    let opening = Opening { guest: context.commands.is_guest(), ..Opening::to_write() };
    match create_with(context, path, Opening { create_new: true, ..opening }) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let leads_nowhere = fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
            if leads_nowhere {
                create_with(context, path, Opening { create: true, ..opening })
            } else {
                opening.open_for(path, context.cwd)?.file()
            }
        }
        created => created,
    }
}

fn create_with(context: &UtilityContext<'_>, path: &Path, opening: Opening) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if let Some(umask) = context.umask {
            let mode = 0o666 & !umask;
            let file = (Opening { mode, ..opening }).open_for(path, context.cwd)?.file()?;
            file.set_permissions(fs::Permissions::from_mode(mode))?;
            return Ok(file);
        }
    }
    opening.open_for(path, context.cwd).and_then(hookshell_process::Opened::file).map_err(of_creation)
}
