//! File modes of what is created.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use hookshell_process::{Opening, of_creation};
use hookshell_utility::UtilityContext;

/// Creates a directory with the script's umask, or the host's where the script has set none.
pub fn create_dir(context: &UtilityContext<'_>, path: &Path) -> io::Result<()> {
    create_dir_with(path, context.umask.map(|umask| 0o777 & !umask))
}

/// Creates a directory with this mode, and with the set-group-ID bit where it inherits that from the one that it is in.
#[cfg(unix)]
pub fn create_dir_with(path: &Path, mode: Option<u32>) -> io::Result<()> {
    create_dir_exactly(path, mode, true)
}

/// The same, where it may be that the set-group-ID bit is not inherited. The mode is changed only of what was made: by then a
/// link may have its name, or another directory that is not ours.
#[cfg(unix)]
pub fn create_dir_exactly(path: &Path, mode: Option<u32>, inherits: bool) -> io::Result<()> {
    use crate::at::Place;
    let place = Place::at(path.to_path_buf());
    let Some(mode) = mode else {
        return place.make_dir(0o777);
    };
    // The host's umask may take more away; it never leaves more than `mode`.
    place.make_dir(mode & 0o777)?;
    let made = place.pin(false)?;
    if !made.stat.is_dir() || made.stat.uid != hookshell_process::system::ids().euid {
        return Err(crate::at::moved());
    }
    let wanted = mode | if inherits { made.stat.mode & 0o2000 } else { 0 };
    if made.stat.mode & 0o7777 == wanted { Ok(()) } else { made.set_mode(wanted) }
}

/// Creates a directory; Windows has no modes.
#[cfg(not(unix))]
pub fn create_dir_with(path: &Path, _: Option<u32>) -> io::Result<()> {
    fs::create_dir(path).map_err(of_creation)
}

/// As [`create_dir_with`].
#[cfg(not(unix))]
pub fn create_dir_exactly(path: &Path, mode: Option<u32>, _: bool) -> io::Result<()> {
    create_dir_with(path, mode)
}

/// Sets the mode of a directory to which a link may lead, and of nothing else.
pub fn set_directory_mode(path: &Path, mode: u32) -> io::Result<()> {
    let directory = crate::at::Place::at(path.to_path_buf()).pin(true)?;
    if directory.stat.is_dir() { directory.set_mode(mode) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// Creates a file that was missing, with the script's umask, and opens it for writing. A link that leads to nothing gets
/// what it leads to; what another has made meanwhile is opened as it is.
pub fn create_file(context: &UtilityContext<'_>, path: &Path) -> io::Result<File> {
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
