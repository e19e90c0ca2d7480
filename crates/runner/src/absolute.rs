//! Events whose directories are absolute: the contract takes them as they are given, and knows no working directory.

use std::borrow::Cow;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::event::Event;

/// The event with absolute directories: relative ones are taken from the process's working directory.
pub(crate) fn absolute(event: &Event) -> Cow<'_, Event> {
    if is_plainly_absolute(event.cwd()) && is_plainly_absolute(event.project_dir()) {
        return Cow::Borrowed(event);
    }
    let (cwd, project_dir) = (absolute_path(event.cwd()), absolute_path(event.project_dir()));
    // Compared as text: paths that differ only by a `.` or a doubled `/` are equal.
    if cwd.as_os_str() == event.cwd().as_os_str() && project_dir.as_os_str() == event.project_dir().as_os_str() {
        return Cow::Borrowed(event);
    }
    Cow::Owned(event.clone().with_cwd(cwd).with_project_dir(project_dir))
}

/// The event of a run.
#[derive(Debug, Clone)]
pub(crate) enum RunEvent<'e> {
    /// As the host gave it.
    Given(&'e Event),
    /// As the host shares it, or with what was missing.
    Shared(Arc<Event>),
}

impl RunEvent<'_> {
    /// The event with what `complete` adds to it.
    pub(crate) fn completed_by(self, complete: impl FnOnce(&Event) -> Cow<'_, Event>) -> Self {
        match complete(&self) {
            Cow::Owned(completed) => Self::Shared(Arc::new(completed)),
            Cow::Borrowed(_) => self,
        }
    }
}

impl Deref for RunEvent<'_> {
    type Target = Event;

    fn deref(&self) -> &Event {
        match self {
            Self::Given(event) => event,
            Self::Shared(event) => event,
        }
    }
}

/// As [`absolute`], of an event that is given away.
pub(crate) fn into_absolute(event: Event) -> Event {
    if let Cow::Owned(resolved) = absolute(&event) {
        return resolved;
    }
    event
}

/// Is it one that [`absolute_path`] gives back as it is? To look through its bytes takes a twentieth of the time of taking it apart and
/// putting it together, and nearly all are.
fn is_plainly_absolute(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    cfg!(unix) && bytes.starts_with(b"/") && !bytes.windows(2).any(|pair| matches!(pair, b"//" | b"/."))
}

/// The path from the root on. It fails only for an empty path, or where the process has no working directory: then it is as it was.
pub(crate) fn absolute_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use super::{absolute, absolute_path, is_plainly_absolute};
    use crate::event::Event;

    #[test]
    fn only_relative_directories_are_changed() {
        let here = std::env::current_dir().unwrap();
        let event = Event::stop(false, "a").with_project_dir(&here);
        let resolved = absolute(&event);
        assert_eq!((resolved.cwd(), resolved.project_dir()), (&*here.join("a"), &*here));
        let event = Event::stop(false, &here);
        assert!(matches!(absolute(&event), Cow::Borrowed(_)));
    }

    #[test]
    fn paths_that_are_looked_through_are_those_that_stay_as_they_are() {
        let paths = [
            "", ".", "a", "/", "//", "///a", "/a", "/a/", "/a//b", "/a/./b", "/a/.", "/a/..", "/a/../b", "/.a",
            "/a.b/c.",
        ];
        for path in paths.map(Path::new) {
            if is_plainly_absolute(path) {
                assert_eq!(absolute_path(path).as_os_str(), path.as_os_str());
            }
        }
        assert_eq!(is_plainly_absolute(Path::new("/home/me/project")), cfg!(unix));
    }
}
