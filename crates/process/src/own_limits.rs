//! The limits of this process.

use crate::Resource;

impl Resource {
    /// What the system enforces of this process now, in the resource's unit; `None` if it does not limit it, as ever on Windows.
    pub fn soft_limit(self) -> Option<u64> {
        #[cfg(unix)]
        {
            crate::unix::soft_limit(self)
        }
        #[cfg(not(unix))]
        None
    }
}
