//! A new file in the place of an old one.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

/// Whoever reads the old file does so at once, and it is small.
const READ: Duration = Duration::from_secs(2);

/// Gives a file its name, in the place of the one that has it: who reads sees one or the other, whole.
///
/// Windows refuses that while somebody has the old file open: it is tried again for a while.
pub(crate) fn replace(mut file: NamedTempFile, path: &Path) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        let refused = match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(refused) => refused,
        };
        let may_be_open = cfg!(windows) && refused.error.kind() == io::ErrorKind::PermissionDenied;
        if !may_be_open || begun.elapsed() > READ {
            return Err(refused.error);
        }
        file = refused.file;
        std::thread::sleep(Duration::from_millis(2));
    }
}
