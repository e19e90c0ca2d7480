//! What the files of this process are called, and how others are opened.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, lstat, openat, readlink, stat};
use rustix::io::Errno;

use crate::opening::{Lead, Opening, VIRTUAL_IDS, host_file_error};

/// As many links as Linux follows.
const MOST_LINKS: usize = 40;

/// What only the process itself is to read in its entry of `/proc`: its memory and what tells where it lies, its first
/// environment, and its other descriptors.
const SECRET: [&[u8]; 14] = [
    b"auxv",
    b"clear_refs",
    b"environ",
    b"fdinfo",
    b"map_files",
    b"maps",
    b"mem",
    b"numa_maps",
    b"pagemap",
    b"smaps",
    b"smaps_rollup",
    b"stack",
    b"syscall",
    b"timers",
];

pub(crate) fn lead(path: &Path, cwd: &Path) -> Lead {
    #[cfg(target_os = "linux")]
    if let Some(lead) = quick_lead(path) {
        return lead;
    }
    walk(path, cwd)
}

/// Where the kernel follows no links to open files, most names need one look.
#[cfg(target_os = "linux")]
fn quick_lead(path: &Path) -> Option<Lead> {
    let look = |path: &Path| open_plain(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    match look(path) {
        Ok(file) if !is_of_proc(&file) => Some(Lead::Ordinary),
        Ok(file) => Some(if is_secret(&place_in_own(&file)) { Lead::Host } else { Lead::Ordinary }),
        // A descriptor that the script has and this process has not is missing, too.
        Err(Errno::NOENT) if lstat(path).is_err() => {
            let holder = look(path.parent()?).ok()?;
            (!is_of_proc(&holder) && !is_devices(path.parent()?)).then_some(Lead::Ordinary)
        }
        Err(Errno::NOTDIR | Errno::ACCESS | Errno::NAMETOOLONG) => Some(Lead::Ordinary),
        Err(_) => None,
    }
}

#[cfg(target_os = "linux")]
fn is_devices(path: &Path) -> bool {
    matches!(path.as_os_str().as_bytes(), b"/dev" | b"/dev/fd")
}

/// Opens as the kernel does, but by no link to an open file. `NOSYS`: it cannot (before Linux 5.6, or a filter of system calls).
#[cfg(target_os = "linux")]
fn open_plain(directory: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    loop {
        match openat2(directory, path, flags, mode, ResolveFlags::NO_MAGICLINKS) {
            Err(Errno::INTR) => {}
            // What a filter says of a call that it does not know.
            Err(Errno::PERM) if openat2(CWD, "/", OFlags::PATH, Mode::empty(), ResolveFlags::empty()).is_err() => {
                return Err(Errno::NOSYS);
            }
            opened => return opened,
        }
    }
}

pub(crate) fn open_at(directory: Option<BorrowedFd<'_>>, path: &Path, opening: &Opening) -> io::Result<File> {
    let base = directory.unwrap_or(CWD);
    #[cfg(target_os = "linux")]
    match open_plain(base, path, flags_of(opening), Mode::from_raw_mode(mode_of(opening))) {
        Ok(fd) => return permitted(fd, opening),
        Err(Errno::NOSYS) => {}
        Err(error) => return Err(error.into()),
    }
    // Relative to a directory only the last component can be a link, and what it says is looked at by its whole name.
    let whole = match directory {
        None => path.to_path_buf(),
        Some(directory) => whole_name(directory, path),
    };
    if !opening.no_follow && !opening.create_new && matches!(walk(&whole, Path::new("/")), Lead::Descriptor(_)) {
        return Err(Errno::LOOP.into());
    }
    open_by_any_link(base, path, opening)
}

/// Opens a file by whatever link leads there.
pub(crate) fn open_anyhow(path: &Path, opening: &Opening) -> io::Result<File> {
    open_by_any_link(CWD, path, opening)
}

fn open_by_any_link(base: BorrowedFd<'_>, path: &Path, opening: &Opening) -> io::Result<File> {
    let (flags, mode) = (flags_of(opening), Mode::from_raw_mode(mode_of(opening)));
    loop {
        match openat(base, path, flags, mode) {
            Err(Errno::INTR) => {}
            opened => return permitted(opened?, opening),
        }
    }
}

/// As the system calls an open directory, with a name in it.
fn whole_name(directory: BorrowedFd<'_>, path: &Path) -> PathBuf {
    let here = readlink(format!("/proc/self/fd/{}", directory.as_raw_fd()), Vec::new());
    here.map_or_else(|_| path.to_path_buf(), |here| PathBuf::from(OsString::from_vec(here.into_bytes())).join(path))
}

fn flags_of(opening: &Opening) -> OFlags {
    let mut flags = OFlags::CLOEXEC | OFlags::NOCTTY;
    flags |= match (opening.read, opening.write || opening.append) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        _ => OFlags::RDONLY,
    };
    for (is_set, flag) in [
        (opening.append, OFlags::APPEND),
        (opening.truncate, OFlags::TRUNC),
        (opening.create || opening.create_new, OFlags::CREATE),
        (opening.create_new, OFlags::EXCL),
        (opening.nonblocking, OFlags::NONBLOCK),
        (opening.no_follow, OFlags::NOFOLLOW),
    ] {
        if is_set {
            flags |= flag;
        }
    }
    flags
}

#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the type differs between systems")]
fn mode_of(opening: &Opening) -> rustix::fs::RawMode {
    // `openat2` takes none where no file is made.
    if opening.create || opening.create_new { (opening.mode & 0o7777) as rustix::fs::RawMode } else { 0 }
}

/// Gives an open file to a script, unless it is one of this process's in `/proc`.
fn permitted(fd: OwnedFd, opening: &Opening) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if opening.guest && may_be_of_proc(&fd) && is_of_proc(&fd) {
        let place = place_in_own(&fd);
        let writes = opening.write || opening.append;
        if is_secret(&place) || writes && place != Own::No {
            return Err(host_file_error());
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (opening, host_file_error);
    Ok(File::from(fd))
}

/// Files of `/proc` are empty as far as their size says, and no disk has it: a look that costs little, as network file systems have
/// to ask for what `statfs` wants to know.
#[cfg(target_os = "linux")]
fn may_be_of_proc(fd: &OwnedFd) -> bool {
    fstat(fd).is_ok_and(|stat| {
        stat.st_size == 0
            && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            && rustix::fs::major(stat.st_dev) == 0
    })
}

#[cfg(target_os = "linux")]
fn is_of_proc(fd: &OwnedFd) -> bool {
    rustix::fs::fstatfs(fd).is_ok_and(|fs| fs.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

/// Where a file lies in this process's entry of `/proc`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Own {
    /// Not in it.
    No,
    /// There, by its names below the process's or the thread's directory.
    Below(Vec<OsString>),
    /// On such a file system, but nobody says where.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has such a file system"))]
    Unknown,
}

fn is_secret(own: &Own) -> bool {
    match own {
        Own::No => false,
        Own::Below(names) => names.first().is_some_and(|name| SECRET.contains(&name.as_bytes())),
        Own::Unknown => true,
    }
}

#[cfg(target_os = "linux")]
fn place_in_own(fd: &OwnedFd) -> Own {
    match readlink(format!("/proc/self/fd/{}", fd.as_raw_fd()), Vec::new()) {
        Ok(name) => in_own(Path::new(OsStr::from_bytes(name.to_bytes()))),
        Err(_) => Own::Unknown,
    }
}

/// Is the resolved path in the entry of this process? A `/proc` that is mounted elsewhere has a `self` as well.
fn in_own(path: &Path) -> Own {
    let mut root = PathBuf::new();
    let mut names = path.components();
    while let Some(name) = names.next() {
        if let Component::Normal(number) = name
            && number.as_bytes().iter().all(u8::is_ascii_digit)
            && let Ok(own) = readlink(root.join("self"), Vec::new())
        {
            let is_own = own.to_bytes() == number.as_bytes() || is_virtual(number);
            if !is_own && lstat(root.join("self/task").join(number)).is_err() {
                return Own::No;
            }
            let mut below: Vec<OsString> = names.map(|name| name.as_os_str().to_owned()).collect();
            if below.len() > 1 && below.first().is_some_and(|name| name == "task") {
                below.drain(..2);
            }
            return Own::Below(below);
        }
        root.push(name);
    }
    Own::No
}

fn is_virtual(number: &OsStr) -> bool {
    number.to_str().and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number >= VIRTUAL_IDS)
}

/// The number of a descriptor.
fn number_of(name: &OsStr) -> Option<u32> {
    let digits = name.to_str().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok()
}

/// Follows a path component by component, as the kernel would for a process that is the script.
fn walk(path: &Path, cwd: &Path) -> Lead {
    let mut done = PathBuf::from("/");
    // The last one comes first.
    let mut todo: Vec<OsString> = Vec::new();
    push(&mut todo, path);
    let mut links = 0;
    // The way has left the one that the system would go.
    let mut has_turned = false;
    let end = |done: PathBuf, has_turned: bool| if has_turned { Lead::Path(done) } else { Lead::Ordinary };
    while let Some(name) = todo.pop() {
        match name.as_bytes() {
            b"." => continue,
            b".." => {
                done.pop();
                continue;
            }
            _ => {}
        }
        let own = if is_descriptors(&done) { Own::Below(vec!["fd".into()]) } else { in_own(&done) };
        if let Own::Below(below) = &own {
            match (below.as_slice(), number_of(&name)) {
                ([fd], Some(number)) if fd == "fd" => {
                    let is_last = todo.iter().all(|name| name == ".");
                    return if is_last { Lead::Descriptor(number) } else { Lead::Host };
                }
                ([], _) if name == "cwd" || name == "root" => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Lead::Ordinary;
                    }
                    has_turned = true;
                    done = PathBuf::from("/");
                    if name == "cwd" {
                        push(&mut todo, cwd);
                    }
                    continue;
                }
                _ => {}
            }
        }
        if let Some(number) = standard(&done, &name)
            && todo.is_empty()
        {
            return Lead::Descriptor(number);
        }
        // A number that this process gave out as the script's own.
        let name = if done == Path::new("/proc") && is_virtual(&name) {
            has_turned = true;
            "self".into()
        } else {
            name
        };
        let next = done.join(&name);
        let is_link = lstat(&next).map(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        match is_link {
            Ok(false) => done = next,
            Ok(true) => {
                links += 1;
                let Ok(text) = readlink(&next, Vec::new()) else { return end(rest(next, todo), has_turned) };
                if links > MOST_LINKS {
                    return Lead::Ordinary;
                }
                let text = PathBuf::from(OsString::from_vec(text.into_bytes()));
                if text.is_absolute() {
                    done = PathBuf::from("/");
                } else if number_of(&name).is_some() && lstat(next.with_file_name(&text)).is_err() {
                    // Another process's pipe: it may be one of those that this one has, too.
                    return stat(&next)
                        .ok()
                        .and_then(|found| standard_of_host(&found))
                        .map_or_else(|| end(rest(next, todo), has_turned), Lead::Descriptor);
                }
                push(&mut todo, &text);
            }
            Err(_) => return end(rest(next, todo), has_turned),
        }
    }
    if is_secret(&in_own(&done)) { Lead::Host } else { end(done, has_turned) }
}

/// Puts the components of a path on those that are to come.
fn push(todo: &mut Vec<OsString>, path: &Path) {
    for component in path.components().rev() {
        match component {
            Component::Normal(name) => todo.push(name.to_owned()),
            Component::ParentDir => todo.push("..".into()),
            Component::CurDir => todo.push(".".into()),
            Component::RootDir | Component::Prefix(_) => {}
        }
    }
}

fn rest(mut done: PathBuf, mut todo: Vec<OsString>) -> PathBuf {
    while let Some(name) = todo.pop() {
        done.push(name);
    }
    done
}

/// The directory of descriptors where it is one of devices.
fn is_descriptors(path: &Path) -> bool {
    path == Path::new("/dev/fd")
}

fn standard(directory: &Path, name: &OsStr) -> Option<u32> {
    if directory != Path::new("/dev") {
        return None;
    }
    match name.as_bytes() {
        b"stdin" => Some(0),
        b"stdout" => Some(1),
        b"stderr" => Some(2),
        _ => None,
    }
}

/// Which of this process's standard streams is that file?
fn standard_of_host(found: &Stat) -> Option<u32> {
    let same = |fd: BorrowedFd<'_>| fstat(fd).is_ok_and(|own| (own.st_dev, own.st_ino) == (found.st_dev, found.st_ino));
    let (stdin, stdout, stderr) = (io::stdin(), io::stdout(), io::stderr());
    [(0, stdin.as_fd()), (1, stdout.as_fd()), (2, stderr.as_fd())].into_iter().find(|(_, fd)| same(*fd)).map(|(n, _)| n)
}

#[cfg(test)]
mod tests;
