//! Is a process alive? What it keeps writing says so.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// How much a ticking helper has written.
pub fn ticks(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |metadata| metadata.len())
}

/// Whether a ticking helper has stopped: nothing was written during twenty of its periods.
pub fn stopped(file: &Path) -> bool {
    let before = ticks(file);
    sleep(Duration::from_millis(400));
    ticks(file) == before
}
