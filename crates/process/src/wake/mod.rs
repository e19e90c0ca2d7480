//! What a call that blocks waits for beside its own object, so that an interrupt wakes it.

#[cfg(windows)]
mod blocked;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(windows)]
pub(crate) use blocked::BlockedThreads;
#[cfg(unix)]
pub(crate) use unix::{BlockedThreads, Waker};
#[cfg(windows)]
pub(crate) use windows::Waker;
