//! What a utility looked at is what it changes: nobody who swaps names meanwhile leads it to other files. And trees may be deeper than
//! a path can be long.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hookshell_utility::{Args, FdTable, NoCommands, RunToken, Stream, UtilityContext, UtilityMemory, UtilitySet};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, statat};

/// Status and both outputs of a utility in a directory.
fn run(words: &[&str], directory: &Path) -> (u8, String, String) {
    run_with(words, directory, None)
}

fn run_with(words: &[&str], directory: &Path, umask: Option<u32>) -> (u8, String, String) {
    let utilities = hookshell_utilities::standard();
    let argv: Args = words.iter().collect();
    let (stdout, out) = Stream::capture(usize::MAX);
    let (stderr, err) = Stream::capture(usize::MAX);
    let context = UtilityContext {
        argv: &argv,
        env: &Arc::default(),
        cwd: directory,
        fds: &FdTable::new(Arc::new(Stream::null()), Arc::new(stdout), Arc::new(stderr)),
        umask,
        cancel: &RunToken::isolated(),
        memory: UtilityMemory::default(),
        commands: &NoCommands,
    };
    let utility = utilities.utility(words[0].as_bytes()).unwrap();
    let status = utility.prepare(&context.call()).unwrap().run(&context).unwrap();
    (status, String::from_utf8_lossy(&out.take()).into_owned(), String::from_utf8_lossy(&err.take()).into_owned())
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

const LEVELS: usize = 300;

fn level() -> String {
    "d".repeat(100)
}

fn below(directory: &OwnedFd) -> OwnedFd {
    let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(directory, level(), how, Mode::empty()).unwrap()
}

/// A tree of 300 levels with names of 100 characters: 30,300 bytes, and the longest path is one of 4096.
fn deep(directory: &Path, name: &str) {
    fs::create_dir(directory.join(name)).unwrap();
    let mut directory = OwnedFd::from(fs::File::open(directory.join(name)).unwrap());
    for _ in 0..LEVELS {
        mkdirat(&directory, level(), Mode::RWXU).unwrap();
        directory = below(&directory);
    }
    let file = openat(&directory, "needle", OFlags::WRONLY | OFlags::CREATE, Mode::from_raw_mode(0o640)).unwrap();
    fs::File::from(file).write_all(b"found\n").unwrap();
}

/// The deepest directory and the file in it: their modes.
fn deepest(directory: &Path, name: &str) -> (u32, u32) {
    let mut directory = OwnedFd::from(fs::File::open(directory.join(name)).unwrap());
    for _ in 0..LEVELS {
        directory = below(&directory);
    }
    let of = |stat: rustix::fs::Stat| u32::from(stat.st_mode as u16) & 0o7777;
    (of(rustix::fs::fstat(&directory).unwrap()), of(statat(&directory, "needle", AtFlags::empty()).unwrap()))
}

#[test]
fn trees_are_walked_below_the_longest_path() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    deep(directory, "deep");
    let whole = format!("deep{}/needle", format!("/{}", level()).repeat(LEVELS));
    assert!(whole.len() > 30_000);

    let ok = |words: &[&str], expected: &str| {
        let (status, stdout, stderr) = run(words, directory);
        let short = |text: &str| text.chars().take(200).collect::<String>();
        assert_eq!((status, short(&stderr)), (0, String::new()), "{words:?}");
        assert_eq!(stdout, expected, "{words:?}: {}", short(&stdout));
    };
    ok(&["find", "deep", "-name", "needle"], &format!("{whole}\n"));
    ok(&["find", "deep", "-type", "f", "-size", "-2", "-printf", "%d %s %f\n"], "301 6 needle\n");
    ok(&["find", "-L", "deep", "-type", "f", "-printf", "%d\n"], "301\n");
    ok(
        &["find", "deep", "-depth", "-type", "f", "-perm", "640", "-readable", "-printf", "%h/%f\n"],
        &format!("{whole}\n"),
    );
    ok(&["grep", "-r", "found", "deep"], &format!("{whole}:found\n"));
    ok(&["grep", "-Rl", "found", "deep"], &format!("{whole}\n"));
    ok(&["chmod", "-R", "u=rwX,go=", "deep"], "");
    assert_eq!(deepest(directory, "deep"), (0o700, 0o600));
    for words in [&["du", "-ab", "deep"][..], &["du", "-abL", "deep"]] {
        let (status, stdout, stderr) = run(words, directory);
        assert_eq!((status, &*stderr), (0, ""), "{words:?}");
        assert_eq!(stdout.lines().count(), LEVELS + 2);
        assert_eq!(stdout.lines().next(), Some(&*format!("6\t{whole}")));
    }
    ok(&["cp", "-a", "deep", "copy"], "");
    assert_eq!(deepest(directory, "copy"), (0o700, 0o600));
    ok(&["grep", "-rh", "found", "copy"], "found\n");
    ok(&["find", "copy", "-delete"], "");
    assert!(!directory.join("copy").exists());
    ok(&["rm", "-r", "deep"], "");
    assert!(!directory.join("deep").exists());
}

/// Links to directories do not lead up by `..`: what is far above is found again by its names.
#[test]
fn a_chain_of_links_is_followed_farther_than_directories_are_held_open() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for number in 0..100 {
        let directory = directory.join(format!("d{number}"));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join("z"), "found\n").unwrap();
        if number < 99 {
            symlink(format!("../d{}", number + 1), directory.join("a")).unwrap();
        }
    }
    let (status, stdout, stderr) = run(&["find", "-L", "d0", "-name", "z"], directory);
    assert_eq!((status, stdout.lines().count(), &*stderr), (0, 100, ""));
    assert_eq!(run(&["grep", "-Rc", "found", "d0"], directory).1.lines().count(), 100);
    assert_eq!(run(&["du", "-aL", "d0"], directory).1.lines().count(), 200);
    assert_eq!(run(&["cp", "-rL", "d0", "copy"], directory), (0, String::new(), String::new()));
    assert_eq!(run(&["find", "copy", "-name", "z"], directory).1.lines().count(), 100);
}

/// Swaps two names in a tight loop until it is dropped.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Swapper {
    #[cfg(target_os = "linux")]
    fn new(one: PathBuf, other: PathBuf) -> Self {
        Self::doing(move || {
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            let _ = rustix::fs::renameat_with(CWD, &one, CWD, &other, flags);
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn new(one: PathBuf, other: PathBuf) -> Self {
        let between = one.with_extension("between");
        Self::doing(move || {
            let _ = fs::rename(&one, &between);
            let _ = fs::rename(&other, &one);
            let _ = fs::rename(&between, &other);
        })
    }

    fn doing(mut turn: impl FnMut() + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || {
            let _ = CWD;
            while !stopped.load(Ordering::Relaxed) {
                turn();
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().unwrap().join();
    }
}

/// A victim's directory of files that only the owner may read.
fn victim(directory: &Path) -> PathBuf {
    let victim = directory.join("victim");
    fs::create_dir(&victim).unwrap();
    for number in 0..20 {
        fs::write(victim.join(format!("f{number}")), "secret").unwrap();
        set_mode(&victim.join(format!("f{number}")), 0o600);
    }
    set_mode(&victim, 0o700);
    victim
}

fn assert_untouched(victim: &Path, what: &str) {
    assert_eq!(mode(victim), 0o700, "{what}");
    assert_eq!(fs::read_dir(victim).unwrap().count(), 20, "{what}");
    for number in 0..20 {
        let path = victim.join(format!("f{number}"));
        assert_eq!((mode(&path), &*fs::read_to_string(&path).unwrap()), (0o600, "secret"), "{what}");
    }
}

/// Runs until the turns are over or the time is.
fn race(turns: usize, mut turn: impl FnMut()) {
    let end = Instant::now() + Duration::from_secs(4);
    for _ in 0..turns {
        if Instant::now() > end {
            return;
        }
        turn();
    }
}

/// `tree/d` is a directory and a link to the victim's in turns.
fn swapped(directory: &Path, victim: &Path) -> Swapper {
    fs::create_dir_all(directory.join("tree/d")).unwrap();
    for number in 0..20 {
        fs::write(directory.join(format!("tree/d/f{number}")), "plain").unwrap();
    }
    symlink(victim, directory.join("tree/link")).unwrap();
    Swapper::new(directory.join("tree/d"), directory.join("tree/link"))
}

#[test]
fn a_directory_that_becomes_a_link_is_not_entered_by_chmod() {
    let directory = tempfile::tempdir().unwrap();
    let victim = victim(directory.path());
    let swapper = swapped(directory.path(), &victim);
    race(400, || {
        run(&["chmod", "-R", "a+rwx", "tree"], directory.path());
        assert_untouched(&victim, "chmod -R");
    });
    drop(swapper);
}

#[test]
fn a_directory_that_becomes_a_link_is_not_emptied() {
    let directory = tempfile::tempdir().unwrap();
    let victim = victim(directory.path());
    race(400, || {
        let swapper = swapped(directory.path(), &victim);
        run(&["find", "tree", "-mindepth", "1", "-delete"], directory.path());
        drop(swapper);
        assert_untouched(&victim, "find -delete");
        run(&["rm", "-rf", "tree"], directory.path());
        assert_untouched(&victim, "rm -r");
    });
    race(400, || {
        let swapper = swapped(directory.path(), &victim);
        run(&["rm", "-rf", "tree"], directory.path());
        drop(swapper);
        assert_untouched(&victim, "rm -r");
        run(&["rm", "-rf", "tree"], directory.path());
    });
}

#[test]
fn a_directory_that_becomes_a_link_is_neither_read_nor_written_by_cp() {
    let directory = tempfile::tempdir().unwrap();
    let victim = victim(directory.path());
    let swapper = swapped(directory.path(), &victim);
    race(300, || {
        run(&["cp", "-r", "tree", "copy"], directory.path());
        let (_, found, _) = run(&["grep", "-r", "secret", "copy"], directory.path());
        assert_eq!(found, "");
        run(&["rm", "-rf", "copy"], directory.path());
    });
    race(300, || {
        // Into the tree, where the directory is.
        run(&["cp", "-r", "source/.", "tree/"], directory.path());
        assert_untouched(&victim, "cp -r");
    });
    fs::create_dir_all(directory.path().join("source/d")).unwrap();
    fs::write(directory.path().join("source/d/new"), "new").unwrap();
    fs::write(directory.path().join("source/d/f1"), "new").unwrap();
    race(300, || {
        run(&["cp", "-rp", "source/.", "tree/"], directory.path());
        assert_untouched(&victim, "cp -rp");
    });
    drop(swapper);
}

/// The name of the copy becomes a link to a victim's file while the copy is being written: the copy gets the mode, the times and the
/// owner.
#[test]
fn a_copy_gets_its_mode_by_its_descriptor() {
    for (words, expected) in [
        (&["cp", "-p", "source", "copy"][..], 0o644),
        (&["cp", "source", "copy"], 0o644),
        (&["install", "-m", "755", "source", "copy"], 0o755),
        (&["install", "-p", "-m", "4755", "source", "copy"], 0o4755),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("victim"), "secret").unwrap();
        set_mode(&at("victim"), 0o600);
        let before = at("victim").metadata().unwrap().modified().unwrap();
        // What is read when this writes, and ends when this is closed.
        hookshell_process::make_fifo(&at("source"), 0o644).unwrap();
        set_mode(&at("source"), 0o644);
        let mut writer = fs::File::options().read(true).write(true).open(at("source")).unwrap();
        let (words_of, directory_of) = (words.to_vec(), directory.path().to_path_buf());
        std::thread::scope(|scope| {
            let running = scope.spawn(move || run_with(&words_of, &directory_of, Some(0o022)));
            let end = Instant::now() + Duration::from_secs(10);
            while at("copy").symlink_metadata().is_err() {
                assert!(Instant::now() < end, "{words:?} makes no copy");
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(mode(&at("copy")) & !expected, 0, "{words:?}: wider than it will be");
            fs::rename(at("copy"), at("moved")).unwrap();
            symlink("victim", at("copy")).unwrap();
            writer.write_all(b"text").unwrap();
            drop(writer);
            let (status, _, stderr) = running.join().unwrap();
            assert_eq!((status, &*stderr), (0, ""), "{words:?}");
        });
        assert_eq!((mode(&at("moved")), &*fs::read_to_string(at("moved")).unwrap()), (expected, "text"), "{words:?}");
        assert_eq!((mode(&at("victim")), &*fs::read_to_string(at("victim")).unwrap()), (0o600, "secret"), "{words:?}");
        assert_eq!(at("victim").metadata().unwrap().modified().unwrap(), before, "{words:?}");
    }
}

/// Its name becomes a link between the call that makes it and the one that gives it its mode.
#[test]
fn what_is_made_gets_its_mode_and_its_times_and_nothing_else_does() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let victim = victim(directory);
    let time = victim.metadata().unwrap().modified().unwrap();
    symlink(&victim, directory.join("link")).unwrap();
    symlink(victim.join("f0"), directory.join("file link")).unwrap();
    let file_time = victim.join("f0").metadata().unwrap().modified().unwrap();
    for (words, link) in [
        (&["mkdir", "-m", "777", "new"][..], "link"),
        (&["mkdir", "-p", "-m", "1777", "new"], "link"),
        (&["install", "-d", "-m", "777", "new/x"], "link"),
        (&["mktemp", "-d", "newXXX"], "link"),
        (&["touch", "-d", "@5", "new"], "file link"),
    ] {
        let swapper = Swapper::new(directory.join("new"), directory.join(link));
        race(300, || {
            run_with(words, directory, Some(0));
            // Whatever the link leads to at that moment may be entered: `new/x` in it is no harm to the files that were there.
            let _ = fs::remove_dir(victim.join("x"));
            assert_eq!(mode(&victim), 0o700, "{words:?}");
            assert_eq!(mode(&victim.join("f0")), 0o600, "{words:?}");
            for name in ["new", link] {
                if directory.join(name).symlink_metadata().is_ok_and(|it| !it.is_symlink()) {
                    let _ = fs::remove_dir(directory.join(name).join("x"));
                    let _ = fs::remove_dir(directory.join(name)).or_else(|_| fs::remove_file(directory.join(name)));
                }
            }
        });
        drop(swapper);
        for name in ["new", link] {
            let _ = fs::remove_file(directory.join(name)).or_else(|_| fs::remove_dir(directory.join(name)));
        }
        let target = if link == "link" { victim.clone() } else { victim.join("f0") };
        symlink(target, directory.join(link)).unwrap();
    }
    let _ = (time, file_time);
}

/// Whoever looks never sees a file of sed's that may be read by more than the original.
#[test]
fn what_takes_the_place_of_an_edited_file_is_never_wider_than_that() {
    for original in [0o600, 0o400, 0o040, 0o4750] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f");
        fs::write(&path, "a\n").unwrap();
        set_mode(&path, original);
        let (seen, wide) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (saw, was_wide, watched) = (seen.clone(), wide.clone(), directory.path().to_path_buf());
        let watcher = Swapper::doing(move || {
            for entry in fs::read_dir(&watched).unwrap().flatten() {
                if entry.file_name() != OsStr::new("f")
                    && let Ok(metadata) = entry.metadata()
                {
                    saw.store(true, Ordering::Relaxed);
                    was_wide.fetch_or(metadata.mode() & 0o7777 & !original != 0, Ordering::Relaxed);
                }
            }
        });
        race(300, || {
            // Without a right to read it the superuser reads it.
            run_with(&["sed", "-i", "s/a/b/", "f"], directory.path(), Some(0));
        });
        drop(watcher);
        assert!(!wide.load(Ordering::Relaxed), "{original:o}");
        assert_eq!(mode(&path), original);
        println!("mode {original:o}: a temporary file was seen: {}", seen.load(Ordering::Relaxed));
    }
}

#[test]
fn sed_and_patch_write_to_no_link_that_stands_where_their_files_do() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("victim"), "secret\n").unwrap();
    set_mode(&at("victim"), 0o600);
    fs::write(at("f"), "a\n").unwrap();
    symlink("victim", at("f~")).unwrap();
    assert_eq!(run(&["sed", "-i~", "s/a/b/", "f"], directory.path()).0, 0);
    assert_eq!(fs::read_to_string(at("f~")).unwrap(), "a\n");
    for name in ["f.orig", "f.rej"] {
        symlink("victim", at(name)).unwrap();
    }
    fs::write(at("diff"), "--- f\n+++ f\n@@ -1 +1 @@\n-b\n+c\n@@ -9 +9 @@\n-x\n+y\n").unwrap();
    let (status, stdout, stderr) = run(&["patch", "-b", "-i", "diff", "f"], directory.path());
    assert_eq!(status, 1, "{stdout}{stderr}");
    assert_eq!(fs::read_to_string(at("f.orig")).unwrap(), "b\n");
    symlink("victim", at("l")).unwrap();
    fs::write(at("diff"), "--- l\n+++ l\n@@ -1 +1 @@\n-secret\n+c\n").unwrap();
    let (status, stdout, _) = run(&["patch", "-r", "-", "-i", "diff", "l"], directory.path());
    assert_eq!(status, 1);
    assert!(stdout.starts_with("File l is not a regular file -- refusing to patch\n"), "{stdout}");
    assert_eq!((&*fs::read_to_string(at("victim")).unwrap(), mode(&at("victim"))), ("secret\n", 0o600));
}

#[test]
fn directories_above_are_removed_only_where_they_were() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    race(300, || {
        fs::create_dir_all(directory.join("victim/b")).unwrap();
        fs::create_dir_all(directory.join("a/b/c")).unwrap();
        symlink("victim", directory.join("l")).unwrap();
        let swapper = Swapper::new(directory.join("a"), directory.join("l"));
        let (status, _, _) = run(&["rmdir", "-p", "a/b/c"], directory);
        drop(swapper);
        // Where all went well, it was `a` that went; what the link led to when `c` was looked for has none.
        if status == 0 {
            assert!(directory.join("victim/b").exists());
        }
        let _ = status;
        assert!(directory.join("victim/b").exists(), "the directory that a link led to was removed");
        for name in ["a", "l"] {
            run(&["rm", "-rf", name], directory);
        }
    });
}
