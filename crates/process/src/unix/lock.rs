//! flock(2).

use std::fs::File;
use std::io;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::FileLock;

pub(crate) fn try_lock(file: &File, lock: FileLock) -> io::Result<bool> {
    let operation = match lock {
        FileLock::Shared => FlockOperation::NonBlockingLockShared,
        FileLock::Exclusive => FlockOperation::NonBlockingLockExclusive,
        FileLock::Unlocked => FlockOperation::NonBlockingUnlock,
    };
    loop {
        match flock(file, operation) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => return Ok(false),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
