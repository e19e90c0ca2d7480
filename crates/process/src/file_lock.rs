//! What is asked of a file's lock.

/// What is asked of a file's lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileLock {
    /// Several may hold it.
    Shared,
    /// One holds it alone.
    Exclusive,
    /// It is given back.
    Unlocked,
}
