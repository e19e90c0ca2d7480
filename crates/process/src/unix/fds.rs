//! Which of our descriptors become which of the child's.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use rustix::io::fcntl_dupfd_cloexec;

use crate::SpawnError;

/// The moves `dup2(source, target)` that give a child its descriptors; they may be done in any order, because no source is a
/// target.
#[derive(Debug)]
pub(super) struct FdPlan {
    /// (source, target).
    pub(super) moves: Vec<(RawFd, RawFd)>,
    /// Whichever of 0, 1 and 2 is to be the null device.
    pub(super) null: Vec<RawFd>,
    /// Whichever of them is to be closed.
    pub(super) close: Vec<RawFd>,
    /// Copies of sources whose own number is a target. Close-on-exec, closed here after the start.
    _copies: Vec<OwnedFd>,
}

impl FdPlan {
    pub(super) fn new(fds: &[(u32, &File)], close_missing: bool) -> Result<Self, SpawnError> {
        let mut wanted: Vec<(RawFd, &File)> = Vec::with_capacity(fds.len());
        for &(number, file) in fds {
            let target = RawFd::try_from(number).map_err(|_| SpawnError::UnsupportedFd(number))?;
            match wanted.iter_mut().find(|(taken, _)| *taken == target) {
                Some(entry) => entry.1 = file,
                None => wanted.push((target, file)),
            }
        }
        let is_target = |fd: RawFd| fd <= 2 || wanted.iter().any(|&(target, _)| target == fd);
        let mut moves = Vec::with_capacity(wanted.len());
        let mut copies = Vec::new();
        for &(target, file) in &wanted {
            let mut source = file.as_raw_fd();
            if is_target(source) {
                let copy = copy_outside(file, &is_target).map_err(SpawnError::Os)?;
                source = copy.as_raw_fd();
                copies.push(copy);
            }
            moves.push((source, target));
        }
        let missing = (0..=2).filter(|fd| !wanted.iter().any(|(target, _)| target == fd)).collect();
        let (null, close) = if close_missing { (Vec::new(), missing) } else { (missing, Vec::new()) };
        Ok(Self { moves, null, close, _copies: copies })
    }
}

/// A copy whose number is nobody's target.
pub(super) fn copy_outside(file: &impl AsFd, is_target: &dyn Fn(RawFd) -> bool) -> std::io::Result<OwnedFd> {
    let mut lowest = 3;
    loop {
        let copy = fcntl_dupfd_cloexec(file.as_fd(), lowest)?;
        if !is_target(copy.as_raw_fd()) {
            return Ok(copy);
        }
        lowest = copy.as_raw_fd().saturating_add(1);
    }
}
