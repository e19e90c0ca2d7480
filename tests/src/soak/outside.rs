//! Makes the place for a soak, starts it as a user of its own, and looks at what is left.
#![allow(clippy::print_stdout, reason = "a developer's tool: its output is its result")]

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::geteuid;

use super::INSIDE;
use super::error::Error;
use super::measure::describe;
use super::options::Options;
use crate::spec::spec_directory;
use hookshell_test_support::with_default_signals;

/// What a soak may take beyond its time: the last batch, its rest, the start.
const EXTRA: Duration = Duration::from_secs(300);

/// How long programs that hooks have left behind may live on: a hook's background programs outlive it.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// The size of the small disk.
const DISK: &str = "2m";

/// Users that are nobody: no distribution gives them out.
const USERS: std::ops::Range<u32> = 61_300..61_400;

/// Runs a soak; `Ok(false)`: something leaked or went wrong.
pub(super) fn run(options: &Options) -> Result<bool, Error> {
    println!("soak: seed {}", options.seed);
    let base = tempfile::Builder::new().prefix("hookshell-soak-").tempdir().map_err(Error::system("a directory"))?;
    let place = base.path().canonicalize().map_err(Error::system("the directory"))?;
    let program = std::env::current_exe().map_err(Error::system("this program"))?;
    for directory in ["tmp", "roots", "disk", "spec"] {
        fs::create_dir(place.join(directory)).map_err(Error::system(directory))?;
    }
    copy_cases(&spec_directory(), &place.join("spec")).map_err(Error::system("the cases"))?;
    let mut options = options.clone();
    let user = if geteuid().is_root() { free_user() } else { None };
    // Directories on the way may not be open to others.
    let program = match user {
        Some(user) => {
            let copy = place.join("soak");
            fs::copy(&program, &copy).map_err(Error::system("this program"))?;
            give(&place, user).map_err(Error::system("the directory"))?;
            copy
        }
        None => program,
    };
    let disk = Disk::mount(&place.join("disk"), user);
    options.small_disk = disk.as_ref().map(|disk| disk.0.clone());
    let mut child = match user {
        None => start(&program, &place, &options, None),
        Some(user) => {
            options.has_own_user = true;
            let as_user = start(&program, &place, &options, Some(user));
            if as_user.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
                println!("soak: {} is not open to other users: it runs as root", place.display());
                options.has_own_user = false;
                start(&program, &place, &options, None)
            } else {
                as_user
            }
        }
    }
    .map_err(Error::system("this program"))?;
    // A user of its own: one who is not root has it only where nobody else is this user, which is not known.
    let status = wait(&mut child, options.time + EXTRA).map_err(Error::system("this program"))?;
    let mut wrong = Vec::new();
    match status {
        None => wrong.push("the process with the hooks did not end, and was killed".to_owned()),
        Some(status) if !status.success() => wrong.push(format!("the process with the hooks: {status}")),
        Some(_) => {}
    }
    let user = user.filter(|_| options.has_own_user);
    let begun = Instant::now();
    let left = loop {
        let left = processes(user, &place);
        if left.is_empty() || begun.elapsed() > MAX_WAIT {
            break left;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    wrong.extend(left.iter().map(|id| format!("a process is left: {}", describe(&id.to_string()))));
    for directory in ["tmp", "roots", "disk"] {
        let names = fs::read_dir(place.join(directory)).into_iter().flatten().flatten().map(|entry| entry.path());
        wrong.extend(names.map(|name| format!("a file is left: {}", name.display())));
    }
    for directory in ["/tmp", "/var/tmp", "/dev/shm"] {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let is_ours = |path: &PathBuf| {
            *path != place && fs::symlink_metadata(path).is_ok_and(|metadata| Some(metadata.uid()) == user)
        };
        let ours = entries.map(|entry| entry.path()).filter(is_ours);
        wrong.extend(ours.map(|name| format!("a file is left: {}", name.display())));
    }
    drop(disk);
    for wrong in &wrong {
        println!("WRONG: {wrong}");
    }
    println!("soak: seed {}: {}", options.seed, if wrong.is_empty() { "nothing leaked" } else { "FAILED" });
    Ok(wrong.is_empty())
}

fn start(program: &Path, place: &Path, options: &Options, user: Option<u32>) -> io::Result<Child> {
    let mut command = if user.is_some() { Command::new(program) } else { with_default_signals(program) };
    command.arg(INSIDE).args(options.to_arguments());
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    // The cases are found by the first of these, and temporary files go where the last says.
    command.env("CARGO_MANIFEST_DIR", place).env("HOME", place).env("TMPDIR", place.join("tmp"));
    // One heap: what is resident is then what is held, and not how many threads happened to allocate at once.
    command.env("MALLOC_ARENA_MAX", "1");
    command.current_dir(place).stdin(Stdio::null());
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    command.spawn()
}

fn wait(child: &mut Child, most: Duration) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > most {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn copy_cases(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let (path, name) = {
            let entry = entry?;
            (entry.path(), entry.file_name())
        };
        if path.is_dir() {
            fs::create_dir(to.join(&name))?;
            copy_cases(&path, &to.join(&name))?;
        } else if path.extension().is_some_and(|extension| extension == "spec") {
            fs::copy(&path, to.join(&name))?;
        }
    }
    Ok(())
}

/// Makes a directory and all in it the user's.
fn give(directory: &Path, user: u32) -> io::Result<()> {
    chown(directory, Some(user), Some(user))?;
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            give(&path, user)?;
        } else {
            chown(&path, Some(user), Some(user))?;
        }
    }
    fs::set_permissions(directory, fs::Permissions::from_mode(0o755))
}

/// A user that has no process.
fn free_user() -> Option<u32> {
    let first = USERS.start + std::process::id() % 50;
    (first..USERS.end).find(|user| processes(Some(*user), Path::new("/nowhere")).is_empty())
}

/// The processes of the user, or, without one, those whose environment names the place.
pub(super) fn processes(user: Option<u32>, place: &Path) -> Vec<u32> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let needle = place.as_os_str().as_encoded_bytes();
    ids.filter(|&id| id != own)
        .filter(|id| match user {
            Some(user) => fs::metadata(format!("/proc/{id}")).is_ok_and(|metadata| metadata.uid() == user),
            None => fs::read(format!("/proc/{id}/environ"))
                .is_ok_and(|env| env.windows(needle.len()).any(|window| window == needle)),
        })
        .collect()
}

/// A small file system in memory, until it is dropped.
struct Disk(PathBuf);

impl Disk {
    /// Mounts one, where that is allowed.
    fn mount(directory: &Path, user: Option<u32>) -> Option<Self> {
        let user = user.unwrap_or(geteuid().as_raw());
        let options = format!("size={DISK},uid={user},gid={user},mode=755");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &options, "hookshell-soak"]).arg(directory);
        let status = command.stdin(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        status.success().then(|| Self(directory.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.0).status().is_ok_and(|status| status.success());
        if !unmounted {
            println!("soak: {} could not be unmounted", self.0.display());
        }
    }
}
