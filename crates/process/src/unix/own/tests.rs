use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::symlink;

use super::*;

fn lead_of(path: &str) -> Lead {
    lead(Path::new(path), Path::new("/work"))
}

/// Every way to a descriptor: spellings, links to files and to directories, chains of them, and the names of `/proc`.
#[test]
#[cfg_attr(miri, ignore = "Miri has no openat2")]
fn all_ways_to_a_descriptor_lead_to_it() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    symlink("/dev/stdin", at("file")).unwrap();
    symlink("file", at("chain")).unwrap();
    symlink("/dev", at("dev")).unwrap();
    symlink("dev/fd", at("fds")).unwrap();
    symlink("/proc", at("proc")).unwrap();
    let mut ways = vec![
        "/dev/stdin".to_owned(),
        "/dev/./stdin".into(),
        "//dev//stdin".into(),
        "/dev/../dev/stdin".into(),
        "/dev/fd/0".into(),
        at("file"),
        at("chain"),
        at("dev/stdin"),
        at("dev/fd/0"),
        at("fds/0"),
        at("fds/./0"),
    ];
    if cfg!(target_os = "linux") {
        let own = std::process::id();
        ways.extend([
            "/proc/self/fd/0".to_owned(),
            "/proc/./self/../self/fd/0".into(),
            "/proc/thread-self/fd/0".into(),
            format!("/proc/{own}/fd/0"),
            format!("/proc/{VIRTUAL_IDS}/fd/0"),
            format!("/proc/self/task/{own}/fd/0"),
            format!("/proc/{own}/root/dev/stdin"),
            "/proc/self/root/proc/self/root/dev/fd/0".into(),
            "/proc/self/cwd/../dev/stdin".into(),
            at("proc/self/fd/0"),
            at("proc/self/root/dev/stdin"),
        ]);
    }
    for way in ways {
        assert_eq!(lead_of(&way), Lead::Descriptor(0), "{way}");
        let error = Opening::to_read().open(Path::new(&way)).unwrap_err();
        assert!(crate::is_refused_link(&error) || error.kind() == ErrorKind::NotFound, "{way}: {error}");
    }
    // One that this process has not.
    assert_eq!(lead_of("/dev/fd/1000"), Lead::Descriptor(1000));
    assert_eq!(lead_of(&at("fds/1000")), Lead::Descriptor(1000));
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "Miri has no openat2")]
fn the_working_directory_and_the_root_are_the_scripts() {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path();
    for (way, expected) in [
        ("/proc/self/cwd/x", cwd.join("x")),
        ("/proc/thread-self/cwd", cwd.to_owned()),
        ("/proc/self/root/etc/x", "/etc/x".into()),
    ] {
        assert_eq!(lead(Path::new(way), cwd), Lead::Path(expected), "{way}");
    }
    // A circle ends.
    assert_eq!(lead(Path::new("/proc/self/cwd/x"), Path::new("/proc/self/cwd")), Lead::Ordinary);
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "Miri has no openat2")]
fn what_only_this_process_has_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("link");
    symlink("/proc/self/mem", &link).unwrap();
    let own = std::process::id();
    let thread = fs::read_link("/proc/thread-self").unwrap();
    let refused = |path: &Path, opening: Opening| {
        let error = opening.open(path).unwrap_err();
        assert_eq!(error.to_string(), crate::opening::HOST_FILE, "{path:?}");
    };
    for path in [
        "/proc/self/mem".into(),
        "/proc/self/environ".into(),
        "/proc/self/maps".into(),
        format!("/proc/{own}/task/{own}/mem"),
        format!("/proc/{}/environ", thread.display()),
        link.to_str().unwrap().to_owned(),
    ] {
        refused(Path::new(&path), Opening::to_read());
        assert_eq!(lead_of(&path), Lead::Host, "{path}");
        // The process itself may.
        Opening { guest: false, ..Opening::to_read() }.open(Path::new(&path)).unwrap();
    }
    for name in ["comm", "oom_score_adj", "coredump_filter"] {
        let path = format!("/proc/self/{name}");
        refused(Path::new(&path), Opening::to_write());
        Opening::to_read().open(Path::new(&path)).unwrap();
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no openat2")]
fn other_files_are_opened_as_ever() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("file"), "text").unwrap();
    fs::write(at("123"), "text").unwrap();
    symlink("file", at("link")).unwrap();
    symlink("none", at("dangling")).unwrap();
    symlink("circle", at("circle")).unwrap();
    for name in ["file", "link", "123"] {
        assert_eq!(lead(&at(name), directory.path()), Lead::Ordinary, "{name}");
        let mut text = String::new();
        Opening::to_read().open(&at(name)).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }
    for name in ["none", "dangling", "circle", "file/x"] {
        assert_eq!(lead(&at(name), directory.path()), Lead::Ordinary, "{name}");
        Opening::to_read().open(&at(name)).unwrap_err();
    }
    for path in ["/dev/null", "/", "/dev"] {
        assert_eq!(lead_of(path), Lead::Ordinary, "{path}");
        Opening::to_read().open(Path::new(path)).unwrap();
    }
    if cfg!(target_os = "linux") {
        for path in ["/proc/self/status", "/proc/meminfo", "/proc/self/stat", "/proc/self/cgroup"] {
            let mut text = String::new();
            Opening::to_read().open(Path::new(path)).unwrap().read_to_string(&mut text).unwrap();
            assert!(!text.is_empty(), "{path}");
        }
    }
    // The other way, for systems without the call, finds the same.
    assert_eq!(walk(&at("link"), directory.path()), Lead::Ordinary);
    assert_eq!(walk(&at("none/x"), directory.path()), Lead::Ordinary);
}
