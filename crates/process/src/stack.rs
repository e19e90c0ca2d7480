//! A stack of any size for work on the calling thread.

use std::io;

/// Memory for a stack. Only the pages that are touched cost memory.
///
/// Linux on x86_64 and aarch64; elsewhere there is none to be had, and such work needs a thread of its own.
#[derive(Debug)]
pub struct Stack {
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    inner: crate::unix::Stack,
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    inner: std::convert::Infallible,
}

impl Stack {
    /// A stack of about `size` bytes, and a page below it that ends the process when it is used up.
    ///
    /// # Errors
    /// The system has no room for it; [`io::ErrorKind::Unsupported`] where there are no such stacks.
    pub fn new(size: usize) -> io::Result<Self> {
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        return crate::unix::Stack::new(size).map(|inner| Self { inner });
        #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
        {
            let _ = size;
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    /// Does `work` on it, on the calling thread. A panic in `work` continues in the caller.
    pub fn run<T>(self, work: impl FnOnce() -> T) -> T {
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
        return self.inner.run(work);
        #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
        {
            let _ = work;
            match self.inner {}
        }
    }
}
