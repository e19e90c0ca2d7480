//! How often a file is opened, by whomever (inotify).

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use crate::MAX_WAIT;

/// Counts how often a file is opened from now on.
#[derive(Debug)]
pub struct OpenCounter(OwnedFd);

impl OpenCounter {
    /// Begins to count.
    ///
    /// # Panics
    /// The system cannot watch the file.
    pub fn new(path: &Path) -> Self {
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        // Equal events in a row are told once: those between two openings keep them apart.
        let flags = WatchFlags::OPEN | WatchFlags::ACCESS | WatchFlags::CLOSE;
        let deadline = Instant::now() + MAX_WAIT;
        // All processes of a user share the number of watches: another may have them all for a while.
        while let Err(error) = inotify::add_watch(&watch, path, flags) {
            assert!(error == Errno::NOSPC && Instant::now() < deadline, "inotify: {error}");
            std::thread::sleep(Duration::from_millis(50));
        }
        Self(watch)
    }

    /// How often it was opened since it was asked last.
    ///
    /// # Panics
    /// The system does not say.
    pub fn opened(&self) -> usize {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.0, &mut buffer);
        let mut opened = 0;
        loop {
            match events.next() {
                Ok(event) => opened += usize::from(event.events().contains(ReadFlags::OPEN)),
                Err(Errno::AGAIN) => return opened,
                Err(error) => panic!("inotify: {error}"),
            }
        }
    }
}
