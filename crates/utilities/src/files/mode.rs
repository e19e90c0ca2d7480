//! File modes of what is created.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use hookshell_process::of_creation;
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
    match create_with(context, path, File::options().write(true).create_new(true)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let leads_nowhere = fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
            let mut options = File::options();
            options.write(true);
            if leads_nowhere { create_with(context, path, options.create(true)) } else { options.open(path) }
        }
        created => created,
    }
}

/// A FIFO that nobody has open at its other end does not stop the open: as GNU's do where they ask for no data.
pub(crate) fn without_waiting(options: &mut fs::OpenOptions) -> &mut fs::OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
        options.custom_flags(flags)
    }
    #[cfg(not(unix))]
    options
}

fn create_with(context: &UtilityContext<'_>, path: &Path, options: &mut fs::OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        if let Some(umask) = context.umask {
            let mode = 0o666 & !umask;
            let file = options.mode(mode).open(path)?;
            file.set_permissions(fs::Permissions::from_mode(mode))?;
            return Ok(file);
        }
    }
    #[cfg(not(unix))]
    let _ = context;
    options.open(path).map_err(of_creation)
}
