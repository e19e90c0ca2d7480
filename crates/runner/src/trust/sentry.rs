//! What the system reports of names that were moved, made or removed, where it does (Linux: inotify(7)).
//!
//! A directory's time stamps change with every file that is made in it, so they do not show whether the directory itself was
//! away for a moment. This does.

use std::ffi::OsString;

/// What was heard.
#[derive(Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "nothing is ever heard"))]
pub(super) enum Heard {
    Nothing,
    /// This name was moved, made, removed or written.
    Changed(OsString),
    /// More than is kept: nobody knows what.
    TooMuch,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{HashMap, HashSet};
    use std::ffi::{OsStr, OsString};
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::Heard;

    /// Listens for changes of names, from when it is made.
    #[derive(Debug)]
    pub(in super::super) struct Sentry {
        inotify: OwnedFd,
        /// Which names count, by the directory's number.
        names: HashMap<i32, HashSet<OsString>>,
        /// The names of files, by the file's number: they may have others, by which they are written.
        files: HashMap<i32, OsString>,
    }

    impl Sentry {
        /// Listens for changes of these paths, each the name of what stands in its directory, and for writes to these files.
        /// `None`: the system does not tell.
        pub(in super::super) fn over<'p>(
            paths: impl Iterator<Item = &'p Path>,
            files: impl Iterator<Item = &'p Path>,
        ) -> Option<Self> {
            let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
            let mut by_directory: HashMap<&Path, HashSet<OsString>> = HashMap::new();
            for path in paths {
                if let (Some(directory), Some(name)) = (path.parent(), path.file_name()) {
                    by_directory.entry(directory).or_default().insert(name.to_owned());
                }
            }
            let what = WatchFlags::MOVE
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MODIFY
                | WatchFlags::DELETE_SELF
                | WatchFlags::ONLYDIR;
            let mut names: HashMap<i32, HashSet<OsString>> = HashMap::new();
            for (directory, of_directory) in by_directory {
                let number = inotify::add_watch(&inotify, directory, what).ok()?;
                names.entry(number).or_default().extend(of_directory);
            }
            let written = WatchFlags::MODIFY | WatchFlags::MOVE_SELF | WatchFlags::DELETE_SELF;
            let mut numbers = HashMap::new();
            for file in files {
                let number = inotify::add_watch(&inotify, file, written).ok()?;
                numbers.insert(number, file.file_name().unwrap_or_default().to_owned());
            }
            Some(Self { inotify, names, files: numbers })
        }

        /// What was heard since it was asked last.
        pub(in super::super) fn heard(&self) -> Heard {
            let mut buffer = [const { MaybeUninit::uninit() }; 4096];
            let mut reader = Reader::new(&self.inotify, &mut buffer);
            let mut heard = Heard::Nothing;
            loop {
                match reader.next() {
                    Ok(event) if event.events().intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) => {
                        heard = Heard::TooMuch;
                    }
                    Ok(event) => {
                        let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                        let names = self.names.get(&event.wd());
                        if let (Some(file), Heard::Nothing) = (self.files.get(&event.wd()), &heard) {
                            heard = Heard::Changed(file.clone());
                        }
                        if let (Some(name), Some(names), Heard::Nothing) = (name, names, &heard)
                            && names.contains(name)
                        {
                            heard = Heard::Changed(name.to_owned());
                        }
                    }
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return heard,
                    Err(_) => return Heard::TooMuch,
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
pub(super) use self::linux::Sentry;

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::path::Path;

    use super::Heard;

    #[derive(Debug)]
    pub(in super::super) enum Sentry {}

    impl Sentry {
        pub(in super::super) fn over<'p>(
            _: impl Iterator<Item = &'p Path>,
            _: impl Iterator<Item = &'p Path>,
        ) -> Option<Self> {
            None
        }

        pub(in super::super) fn heard(&self) -> Heard {
            match *self {}
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use self::elsewhere::Sentry;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{Heard, Sentry};

    #[test]
    fn names_that_count_are_heard_of_and_no_others() {
        let root = tempfile::tempdir().unwrap();
        let hooks = root.path().join("hooks");
        std::fs::create_dir(&hooks).unwrap();
        std::fs::write(hooks.join("x.sh"), "").unwrap();
        let paths = [hooks.clone(), hooks.join("x.sh")];
        let sentry = Sentry::over(paths.iter().map(|path| path.as_path()), std::iter::once(&*paths[1])).unwrap();
        assert_eq!(sentry.heard(), Heard::Nothing);
        std::fs::write(hooks.join("log"), "x").unwrap();
        std::fs::write(root.path().join("log"), "x").unwrap();
        std::fs::set_permissions(hooks.join("x.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        assert_eq!(sentry.heard(), Heard::Nothing);
        std::fs::rename(&hooks, root.path().join("away")).unwrap();
        std::fs::rename(root.path().join("away"), &hooks).unwrap();
        assert_eq!(sentry.heard(), Heard::Changed("hooks".into()));
        assert_eq!(sentry.heard(), Heard::Nothing);
        std::fs::write(hooks.join("x.sh"), "y").unwrap();
        assert_eq!(sentry.heard(), Heard::Changed("x.sh".into()));
        // By another name.
        std::fs::hard_link(hooks.join("x.sh"), root.path().join("kept")).unwrap();
        assert_eq!(sentry.heard(), Heard::Nothing);
        std::fs::write(root.path().join("kept"), "z").unwrap();
        assert_eq!(sentry.heard(), Heard::Changed("x.sh".into()));
        std::fs::rename(hooks.join("log"), hooks.join("x.sh")).unwrap();
        assert_eq!(sentry.heard(), Heard::Changed("x.sh".into()));
        // More than the system keeps (16384 unless set otherwise), and none of it counts.
        let names = [root.path().join("log"), root.path().join("other")];
        for index in 0..10_000 {
            std::fs::rename(&names[index % 2], &names[(index + 1) % 2]).unwrap();
        }
        let kept = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap_or_default();
        if kept.trim().parse().is_ok_and(|kept: usize| kept < 20_000) {
            assert_eq!(sentry.heard(), Heard::TooMuch);
        }
    }
}
