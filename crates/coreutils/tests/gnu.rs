//! Our utilities beside the installed GNU ones: status, both outputs and the files left must be the same.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use hookshell_utility::{
    Args, CancelReason, FdTable, NoCommands, RunToken, Stopped, Stream, Utility, UtilityCall, UtilityContext,
    UtilityMemory,
};

/// Words of a command line and what stands in its standard input.
type Case = (&'static [&'static str], &'static str);

const CASES: &[Case] = &[
    (&["cat"], "from stdin\n"),
    (&["cat", "a"], ""),
    (&["cat", "a", "-", "none", "lines"], "in"),
    (&["cat", "-n", "lines", "a"], ""),
    (&["cat", "-b", "blank"], ""),
    (&["cat", "-s", "blank"], ""),
    (&["cat", "-ns", "blank"], ""),
    (&["cat", "-bs", "blank", "unterminated", "blank"], ""),
    (&["cat", "dir"], ""),
    (&["cat", "it's", "no such $x", "a/b"], ""),
    (&["cat", "-u", "--", "a"], ""),
    (&["cat", "/dev/stdin"], "x"),
    (&["cat", ""], ""),
    (&["head", "lines"], ""),
    (&["head", "-n", "3", "lines"], ""),
    (&["head", "-3", "lines"], ""),
    (&["head", "-n", "-3", "lines"], ""),
    (&["head", "-n", "-3", "unterminated"], ""),
    (&["head", "-n", "-0", "unterminated"], ""),
    (&["head", "-n0", "lines"], ""),
    (&["head", "-n", "+2", "lines"], ""),
    (&["head", "-c", "5", "lines"], ""),
    (&["head", "-c", "-5", "lines"], ""),
    (&["head", "-c", "1K"], "abc"),
    (&["head", "-n", "1", "lines", "none", "a", "dir"], ""),
    (&["head", "-q", "-n1", "lines", "a"], ""),
    (&["head", "-v", "-n1"], "x\ny\n"),
    (&["head", "-z", "-n1"], "x\0y\0"),
    (&["head", "dir"], ""),
    (&["head", "-n2", "-"], "x\ny\nz"),
    (&["tail", "lines"], ""),
    (&["tail", "-n", "3", "lines"], ""),
    (&["tail", "-3", "lines"], ""),
    (&["tail", "-n", "+3", "lines"], ""),
    (&["tail", "-n", "+0", "a"], ""),
    (&["tail", "-n", "2", "unterminated"], ""),
    (&["tail", "-n", "100", "unterminated"], ""),
    (&["tail", "-n2"], "a\nb\nc"),
    (&["tail", "-n2"], "a\nb\nc\n"),
    (&["tail", "-c", "4", "lines"], ""),
    (&["tail", "-c", "+4", "a"], ""),
    (&["tail", "-c", "2"], "abc"),
    (&["tail", "-n", "0", "none"], ""),
    (&["tail", "-n1", "lines", "none", "a"], ""),
    (&["tail", "-q", "-n1", "lines", "a"], ""),
    (&["tail", "-z", "-n1"], "x\0y\0"),
    (&["tail", "-n", "2", "big"], ""),
    (&["tail", "-n", "9000", "big"], ""),
    (&["tail", "dir"], ""),
    (&["tail", "--lin=2", "lines"], ""),
    (&["rm", "-i", "a"], "n\n"),
    (&["rm", "-iv", "a"], "y\n"),
    (&["mv", "-iv", "a", "lines"], "y\n"),
    (&["cp", "--parents", "-v", "a", "dir"], ""),
    (&["cp", "-v", "--remove-destination", "a", "lines"], ""),
    (&["mkdir"], ""),
    (&["mkdir", "new"], ""),
    (&["mkdir", "-v", "new", "b c"], ""),
    (&["mkdir", "dir"], ""),
    (&["mkdir", "no/such"], ""),
    (&["mkdir", "-p", "x/y/z", "dir"], ""),
    (&["mkdir", "-pv", "x//y/z/", "./w"], ""),
    (&["mkdir", "-p", "a/b"], ""),
    (&["mkdir", "-p", "a"], ""),
    (&["mkdir", "-m", "700", "new"], ""),
    (&["mkdir", "-p", "-m", "0711", "new/below"], ""),
    (&["mkdir", "-m", "u=rwx,go=", "new"], ""),
    (&["mkdir", "-m", "a-w", "new"], ""),
    (&["mkdir", "-m", "+t", "new"], ""),
    (&["mkdir", ""], ""),
    (&["mkdir", "-p", ""], ""),
    (&["rm"], ""),
    (&["rm", "-f"], ""),
    (&["rm", "a"], ""),
    (&["rm", "none"], ""),
    (&["rm", "-f", "none", "a/b"], ""),
    (&["rm", "a/b"], ""),
    (&["rm", "dir"], ""),
    (&["rm", "-d", "dir"], ""),
    (&["rm", "-d", "empty"], ""),
    (&["rm", "-r", "dir"], ""),
    (&["rm", "-rf", "dir", "a", "none"], ""),
    (&["rm", "-v", "a", "lines"], ""),
    (&["rm", "-rv", "one"], ""),
    (&["rm", "-r", "."], ""),
    (&["rm", "-rf", "..", "dir/.", "a"], ""),
    (&["rm", "link"], ""),
    (&["rm", "-r", "dirlink"], ""),
    (&["rm", "it's"], ""),
    (&["rm", ""], ""),
    (&["rm", "a/"], ""),
    (&["rm", "-r", "/"], ""),
    (&["rm", "-rf", "//"], ""),
    (&["touch"], ""),
    (&["touch", "new", "a"], ""),
    (&["touch", "-c", "new"], ""),
    (&["touch", "no/such"], ""),
    (&["touch", "-c", "no/such"], ""),
    (&["touch", "-d", "@86400.25", "new", "a", "dir"], ""),
    (&["touch", "-r", "old", "a"], ""),
    (&["touch", "-r", "none", "a"], ""),
    (&["touch", "-m", "-d", "@5", "old"], ""),
    (&["touch", "-a", "-d", "@5", "old"], ""),
    (&["touch", "-d", "1970-01-02 03:04:05 UTC", "new", "a"], ""),
    (&["touch", "-d", "1970-01-03T00:00:00.5Z", "a"], ""),
    (&["touch", "-t", "197001050607.08", "a", "new"], ""),
    (&["touch", "-t", "7001050607", "a"], ""),
    (&["touch", "dangling"], ""),
    (&["touch", ""], ""),
    (&["sleep"], ""),
    (&["sleep", "0"], ""),
    (&["sleep", "0.01", "0.01s"], ""),
    (&["sleep", "x"], ""),
    (&["sleep", "1ms", "0", "y"], ""),
    (&["sleep", "0m", "0h", "0d"], ""),
    (&["sleep", ""], ""),
    (&["sleep", "nan"], ""),
    (&["basename"], ""),
    (&["basename", "/a/b.sh"], ""),
    (&["basename", "/a/b.sh", ".sh"], ""),
    (&["basename", ".sh", ".sh"], ""),
    (&["basename", "/a/b//"], ""),
    (&["basename", "//"], ""),
    (&["basename", ""], ""),
    (&["basename", "-a", "x/y", "z"], ""),
    (&["basename", "-s", ".c", "x/y.c", "z.c"], ""),
    (&["basename", "-z", "x/y"], ""),
    (&["basename", "a", "b", "c"], ""),
    (&["basename", "a", ""], ""),
    (&["dirname"], ""),
    (&["dirname", "/a/b"], ""),
    (&["dirname", "a"], ""),
    (&["dirname", "/a"], ""),
    (&["dirname", "/"], ""),
    (&["dirname", "//a//b//"], ""),
    (&["dirname", "a/b/", ""], ""),
    (&["dirname", "-z", "a/b", "c/d"], ""),
    (&["stat", "-c", "%65536n%65536h%-65536n%5s%65536.65536s", "a", "none", "old"], ""),
    (&["stat", "--printf", "%65536n%65536n%5%", "a"], ""),
    (&["stat", "-f", "-c", "%n %i", "/", "/proc", "a"], ""),
];

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    status: i32,
    stdout: String,
    stderr: String,
    files: BTreeMap<String, String>,
}

fn prepare(directory: &Path) {
    let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
    write("a", "one\ntwo\n");
    write("it's", "quoted\n");
    let lines: String = (1..=15).map(|n| format!("line {n}\n")).collect();
    write("lines", &lines);
    write("blank", "\n\n\na\n\n\n\nb\n\n");
    write("unterminated", "x\ny\nz");
    let big: String = (1..=20_000).map(|n| format!("line {n}\n")).collect();
    write("big", &big);
    write("old", "old");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
    let file = fs::File::options().write(true).open(directory.join("old")).unwrap();
    file.set_times(fs::FileTimes::new().set_accessed(old).set_modified(old)).unwrap();
    fs::create_dir_all(directory.join("dir/sub/deep")).unwrap();
    write("dir/sub/deep/file", "x");
    write("dir/file", "x");
    fs::create_dir(directory.join("empty")).unwrap();
    fs::create_dir(directory.join("one")).unwrap();
    write("one/file", "x");
    symlink("a", directory.join("link")).unwrap();
    symlink("dir", directory.join("dirlink")).unwrap();
    symlink("created", directory.join("dangling")).unwrap();
}

/// Every file with its type, mode, content, and its time where that is an old one.
fn files(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let old = |seconds: i64| if seconds < 2_000_000 { seconds } else { -1 };
            let mut text = format!("{:o} m{}", metadata.mode(), old(metadata.mtime()));
            if metadata.is_file() {
                // Reading changes the access time of everything else.
                text += &format!(" a{} {}", old(metadata.atime()), fs::read_to_string(&path).unwrap());
            }
            let name = path.strip_prefix(directory).unwrap().display().to_string();
            text.truncate(80);
            found.insert(name, text);
            if metadata.is_dir() {
                directories.push(path);
            }
        }
    }
    found
}

/// The text, or of a long one its length and end.
fn shortened(bytes: &[u8]) -> String {
    let end = &bytes[bytes.len().saturating_sub(400)..];
    format!("{} bytes: {}", bytes.len(), end.escape_ascii())
}

fn gnu(words: &[&str], stdin: &str, directory: &Path) -> Left {
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .current_dir(directory)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        // In UTF-8 locales GNU's mkdir, mktemp and a few others quote with \u{2018} \u{2019}; ours always as in C.
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // One that does not read its input may be gone already.
    let _ = input.write_all(stdin.as_bytes());
    drop(input);
    let output = child.wait_with_output().unwrap();
    Left {
        status: output.status.code().unwrap(),
        stdout: shortened(&output.stdout),
        stderr: String::from_utf8(output.stderr).unwrap(),
        files: files(directory),
    }
}

fn bundled(name: &str) -> Box<dyn Utility> {
    hookshell_coreutils::all(|_| false).into_iter().find(|utility| utility.name() == name).unwrap()
}

fn ours(words: &[&str], stdin: &str, directory: &Path) -> Left {
    let utility = bundled(words[0]);
    let argv: Args = words.iter().collect();
    let env = Arc::default();
    let call = UtilityCall { argv: &argv, env: &env, cwd: directory };
    let prepared = utility.prepare(&call).unwrap();
    assert!(!prepared.yields(), "{words:?}");
    let (stdout, out) = Stream::capture(usize::MAX);
    let (stderr, err) = Stream::capture(usize::MAX);
    let cancel = RunToken::isolated();
    let context = UtilityContext {
        argv: &argv,
        env: &Arc::default(),
        cwd: directory,
        fds: &FdTable::new(Arc::new(Stream::input(stdin.as_bytes())), Arc::new(stdout), Arc::new(stderr)),
        umask: None,
        cancel: &cancel,
        memory: UtilityMemory::default(),
        commands: &NoCommands,
    };
    let status = prepared.run(&context).unwrap();
    Left {
        status: status.into(),
        stdout: shortened(&out.take()),
        stderr: String::from_utf8(err.take()).unwrap(),
        files: files(directory),
    }
}

#[test]
fn every_command_line_does_what_gnu_does() {
    if !hookshell_test_support::says_version("cat", "cat (GNU coreutils)") {
        return;
    }
    let mut wrong = Vec::new();
    for (words, stdin) in CASES {
        let (left, right) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        prepare(left.path());
        prepare(right.path());
        let expected = gnu(words, stdin, left.path());
        let found = ours(words, stdin, right.path());
        if expected != found {
            wrong.push(format!("{words:?}\n  GNU  {expected:?}\n  ours {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_deep_tree_is_removed_without_recursion_and_links_are_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let keep = directory.path().join("keep");
    fs::create_dir(&keep).unwrap();
    fs::write(keep.join("file"), "x").unwrap();
    let mut path = directory.path().join("deep");
    for _ in 0..300 {
        fs::create_dir(&path).unwrap();
        symlink(&keep, path.join("link")).unwrap();
        path.push("d");
    }
    let left = ours(&["rm", "-r", "deep"], "", directory.path());
    assert_eq!((left.status, &*left.stderr), (0, ""));
    assert_eq!(left.files.len(), 2);
    symlink(&keep, directory.path().join("l")).unwrap();
    let left = ours(&["rm", "-rf", "l/"], "", directory.path());
    assert_eq!(left.status, 1);
    assert!(keep.join("file").exists());
}

#[test]
fn the_scripts_umask_counts_and_not_the_hosts() {
    let directory = tempfile::tempdir().unwrap();
    let cancel = RunToken::isolated();
    for (words, umask, mode) in [
        (&["mkdir", "d0"][..], 0, 0o40777),
        (&["mkdir", "d77"], 0o77, 0o40700),
        (&["mkdir", "-p", "d777/x"], 0o777, 0o40000),
        (&["touch", "f0"], 0, 0o100666),
        (&["touch", "f27"], 0o27, 0o100640),
    ] {
        let argv: Args = words.iter().collect();
        let context = UtilityContext {
            argv: &argv,
            env: &Arc::default(),
            cwd: directory.path(),
            fds: &FdTable::default(),
            umask: Some(umask),
            cancel: &cancel,
            memory: UtilityMemory::default(),
            commands: &NoCommands,
        };
        let utility = bundled(words[0]);
        assert_eq!(utility.prepare(&context.call()).unwrap().run(&context), Ok(0));
        let path = directory.path().join(words.last().unwrap());
        assert_eq!(path.metadata().unwrap().mode(), mode, "{words:?}");
    }
    let parent = directory.path().join("d777");
    assert_eq!(parent.metadata().unwrap().mode(), 0o40300);
    fs::set_permissions(parent, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn what_is_not_done_exactly_is_left_to_the_real_program() {
    for words in [
        &["cat", "--help"][..],
        &["cat", "--show", "x"],
        &["mkdir", "-m", "u+y", "d"],
        &["mkdir", "-Z", "d"],
        &["rm", "--preserve-root=all", "x"],
        &["touch", "-d", "noon", "x"],
        &["touch", "-t", "20200101", "x"],
        &["touch", "-t", "1", "-d", "@1", "x"],
        &["sleep", "0x1p3"],
        &["sleep", "-1"],
        &["basename", "a", "-s", "b"],
        &["dirname", "--version"],
    ] {
        let argv: Args = words.iter().collect();
        let utility = bundled(words[0]);
        let call = UtilityCall { argv: &argv, env: &Arc::default(), cwd: Path::new("/") };
        assert!(utility.prepare(&call).map_or(true, |prepared| prepared.yields()), "{words:?}");
    }
}

#[test]
fn a_cancelled_sleep_ends_at_once_and_a_closed_pipe_stops_cat() {
    let cancel = RunToken::isolated();
    let argv: Args = ["sleep", "infinity"].iter().collect();
    let raiser = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        raiser.cancel(CancelReason::TimedOut);
    });
    let context = UtilityContext {
        argv: &argv,
        env: &Arc::default(),
        cwd: Path::new("/"),
        fds: &FdTable::default(),
        umask: None,
        cancel: &cancel,
        memory: UtilityMemory::default(),
        commands: &NoCommands,
    };
    let utility = bundled("sleep");
    assert_eq!(utility.prepare(&context.call()).unwrap().run(&context), Err(Stopped::Cancelled));
    thread.join().unwrap();

    hookshell_process::block_sigpipe_on_this_thread();
    let (reader, writer) = hookshell_process::pipe().unwrap();
    drop(reader);
    let cancel = RunToken::isolated();
    let argv: Args = ["cat", "/dev/zero"].iter().collect();
    let mut fds = FdTable::default();
    fds.replace(1, Some(Arc::new(Stream::from_file(writer))));
    let context = UtilityContext {
        argv: &argv,
        env: &Arc::default(),
        cwd: Path::new("/"),
        fds: &fds,
        umask: None,
        cancel: &cancel,
        memory: UtilityMemory::default(),
        commands: &NoCommands,
    };
    let utility = bundled("cat");
    assert_eq!(utility.prepare(&context.call()).unwrap().run(&context), Err(Stopped::BrokenPipe));
}
