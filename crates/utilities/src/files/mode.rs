//! File modes of what is created.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use hookshell_shell::UtilityContext;

/// Creates a directory with the script's umask, or the host's where the script has set none.
pub(crate) fn create_dir(context: &UtilityContext<'_>, path: &Path) -> io::Result<()> {
    create_dir_with(path, context.umask.map(|umask| 0o777 & !umask))
}

/// Creates a directory with exactly this mode.
#[cfg(unix)]
pub(crate) fn create_dir_with(path: &Path, mode: Option<u32>) -> io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let Some(mode) = mode else {
        return fs::create_dir(path);
    };
    // The host's umask may take more away; it never leaves more than `mode`.
    fs::DirBuilder::new().mode(mode & 0o777).create(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Creates a directory; Windows has no modes.
#[cfg(not(unix))]
pub(crate) fn create_dir_with(path: &Path, _: Option<u32>) -> io::Result<()> {
    fs::create_dir(path)
}

/// Opens a file for writing and creates it where it is missing, with the script's umask.
pub(crate) fn create_file(context: &UtilityContext<'_>, path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
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
    options.open(path)
}
