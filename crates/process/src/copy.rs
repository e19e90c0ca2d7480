//! Copies of this process.

/// How a copy of this process ends ([`ProcessTree::copy_process`](crate::ProcessTree::copy_process)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyEnd {
    /// With this exit status.
    Exited(u8),
    /// By this signal's default action.
    Signaled(i32),
}
