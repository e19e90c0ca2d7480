//! What only Unix has: signals, descriptors above 2, the umask, zombies, exec.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]
#![allow(unsafe_code, reason = "signal dispositions are set as a host would")]

mod common;

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Start, stopped, ticks};
use hookshell_process::{
    ChildStatus, FileKind, Interrupt, ProcessTree, SpawnError, SpawnRequest, WaitError, block_sigpipe_on_this_thread,
    pipe, replace_process,
};
use hookshell_test_support::eventually;

/// Runs the body in a process of its own, because it changes what belongs to the whole process: this test program, told to run only this
/// test, with a variable that stops the recursion.
fn in_own_process(test: &str, body: impl FnOnce()) {
    const GUARD: &str = "HOOKSHELL_PROCESS_TEST_ALONE";
    if std::env::var_os(GUARD).is_some() {
        body();
        return;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(GUARD, "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:#?}");
}

fn set_disposition(signal: i32, disposition: libc::sighandler_t) {
    // SAFETY: no handler, only SIG_DFL or SIG_IGN.
    unsafe { libc::signal(signal, disposition) };
}

#[test]
fn a_host_that_ignores_sigchld_loses_the_status_and_is_told() {
    in_own_process("a_host_that_ignores_sigchld_loses_the_status_and_is_told", || {
        set_disposition(libc::SIGCHLD, libc::SIG_IGN);
        let tree = ProcessTree::isolated();
        for _ in 0..3 {
            let child = Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap();
            assert!(matches!(child.wait(), Err(WaitError::StatusLost)));
            assert!(matches!(child.try_wait(), Err(WaitError::StatusLost)));
            let child = Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap();
            assert!(matches!(child.wait_interruptible(&Interrupt::new()), Err(WaitError::StatusLost)));
            assert!(tree.signal(child.id(), 0).is_err());
        }
        assert_eq!(tree.live_children(), 0);
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ticks");
        let _child = Start::helper(&["parent", "tick", file.to_str().unwrap()]).spawn(&tree, &[]).unwrap();
        eventually("it ticks", || ticks(&file) > 0);
        tree.kill();
        assert!(stopped(&file));
    });
}

#[test]
fn a_host_that_reaps_everything_is_noticed() {
    in_own_process("a_host_that_reaps_everything_is_noticed", || {
        let tree = ProcessTree::isolated();
        let child = Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap();
        // SAFETY: no memory is involved.
        assert!(unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } > 0);
        assert!(matches!(child.wait(), Err(WaitError::StatusLost)));
    });
}

#[test]
fn a_broken_pipe_does_not_end_a_host_with_default_sigpipe() {
    in_own_process("a_broken_pipe_does_not_end_a_host_with_default_sigpipe", || {
        set_disposition(libc::SIGPIPE, libc::SIG_DFL);
        block_sigpipe_on_this_thread();
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let error = Interrupt::new().write_all(&writer, FileKind::Pipe, b"x").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        // A child of this thread is ended by it all the same.
        let (reader, writer) = pipe().unwrap();
        let tree = ProcessTree::isolated();
        for umask in [None, Some(0o22)] {
            let mut start = Start::helper(&["cat"]);
            start.umask = umask;
            start.program = "/bin/sh".into();
            start.argv = ["sh", "-c", "while :; do echo y; done"].map(Into::into).to_vec();
            let child = start.spawn(&tree, &[(1, &writer)]).unwrap();
            if umask.is_none() {
                // Still running: the pipe fills up.
                std::thread::sleep(Duration::from_millis(20));
                assert!(child.try_wait().unwrap().is_none());
                tree.signal(child.id(), libc::SIGKILL).unwrap();
                child.wait().unwrap();
            } else {
                drop((reader, writer));
                assert_eq!(child.wait().unwrap(), ChildStatus::Signaled { signal: libc::SIGPIPE, core_dumped: false });
                break;
            }
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn children_have_default_dispositions_and_an_empty_mask() {
    in_own_process("children_have_default_dispositions_and_an_empty_mask", || {
        block_sigpipe_on_this_thread();
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGPIPE, libc::SIGCHLD, libc::SIGTERM] {
            set_disposition(signal, libc::SIG_IGN);
        }
        // QUIT too may have been ignored by whoever started the tests.
        for signal in [libc::SIGCHLD, libc::SIGQUIT] {
            set_disposition(signal, libc::SIG_DFL);
        }
        for umask in [None, Some(0o27)] {
            let mut start = Start::helper(&["linux", "status"]);
            start.umask = umask;
            let output = start.output();
            assert!(output.contains("SigPnd:\t0000000000000000"), "{output}");
            assert!(output.contains("SigBlk:\t0000000000000000"), "{output}");
            // The helper's own runtime ignores SIGPIPE (bit 12).
            assert_eq!(ignored(&output), 0x1000, "{output}");
            assert!(umask.is_none() || output.contains("Umask:\t0027"), "{output}");
        }
        // In the caller's group, what the caller ignores stays ignored (nohup): HUP, INT, TERM.
        let tree = ProcessTree::inherited();
        let (mut reader, writer) = pipe().unwrap();
        let child = Start::helper(&["linux", "status"]).spawn(&tree, &[(1, &writer)]).unwrap();
        drop(writer);
        let mut output = String::new();
        reader.read_to_string(&mut output).unwrap();
        child.wait().unwrap();
        assert_eq!(ignored(&output), 0x5003, "{output}");
    });
}

/// The standard signals (1 to 31) that the helper says are ignored. 32 and 33 belong to the C library, and whoever started the tests
/// may ignore them.
#[cfg(target_os = "linux")]
fn ignored(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & 0x7FFF_FFFF
}

#[test]
fn the_umask_is_the_requests_and_ours_is_untouched() {
    let directory = tempfile::tempdir().unwrap();
    let tree = ProcessTree::isolated();
    for (umask, mode) in [(0o077, 0o600), (0o000, 0o666), (0o027, 0o640)] {
        let mut start = Start::helper(&[]);
        let file = directory.path().join(format!("{umask:o}"));
        start.umask = Some(umask);
        start.program = "/bin/sh".into();
        start.argv = vec!["sh".into(), "-c".into(), format!(": > '{}'", file.display()).into()];
        let before = hookshell_process::system::host_umask();
        assert!(start.spawn(&tree, &[]).unwrap().wait().unwrap().success());
        assert_eq!(hookshell_process::system::host_umask(), before);
        let found = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
        assert_eq!(found & 0o777, mode);
    }
}

#[test]
fn errors_are_the_same_with_a_umask() {
    let tree = ProcessTree::isolated();
    let mut start = Start::helper(&["exit", "3"]);
    start.umask = Some(0o22);
    assert_eq!(start.spawn(&tree, &[]).unwrap().wait().unwrap(), ChildStatus::Exited(3));
    start.cwd = "/no such directory".into();
    assert!(matches!(start.spawn(&tree, &[]), Err(SpawnError::Cwd { .. })));
    start.cwd = "/".into();
    start.program = "/no such program".into();
    assert!(matches!(start.spawn(&tree, &[]), Err(SpawnError::NotFound)));
    assert_eq!(tree.live_children(), 0);
}

#[test]
fn a_file_without_the_x_bit_is_not_permitted() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    let mut start = Start::helper(&[]);
    start.program = file;
    let error = start.spawn(&ProcessTree::isolated(), &[]).unwrap_err();
    assert!(matches!(error, SpawnError::PermissionDenied), "{error:?}");
    assert_eq!(error.shell_status(), 126);
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_has_the_requests_descriptors_and_no_others() {
    let directory = tempfile::tempdir().unwrap();
    let files: Vec<File> =
        (0..8).map(|index| File::create(directory.path().join(index.to_string())).unwrap()).collect();
    let directory_path = directory.path().canonicalize().unwrap();
    // Every kind of collision: each file becomes a number that is another file's.
    let numbers: Vec<u32> =
        files.iter().map(|file| u32::try_from(std::os::fd::AsRawFd::as_raw_fd(file)).unwrap()).collect();
    for umask in [None, Some(0o22)] {
        let mut request: Vec<(u32, &File)> =
            files.iter().enumerate().map(|(index, file)| (numbers[(index + 1) % numbers.len()], file)).collect();
        request.push((100, &files[0]));
        request.push((0, &files[1]));
        let mut expected: Vec<(u32, usize)> =
            (0..files.len()).map(|index| (numbers[(index + 1) % numbers.len()], index)).collect();
        expected.push((100, 0));
        expected.push((0, 1));
        expected.sort_unstable();
        let expected: Vec<String> = expected
            .iter()
            .map(|(fd, index)| format!("{fd} {}", directory_path.join(index.to_string()).display()))
            .collect();
        let mut start = Start::helper(&["linux", "fds"]);
        start.umask = umask;
        // Descriptors that the tests themselves were started with, and that are not close-on-exec, are the host's own doing.
        let inherited = start.output();
        let inherited: Vec<&str> = inherited.lines().collect();
        let output = start.output_with(&request);
        let lines: Vec<&str> = output
            .lines()
            .filter(|line| !line.starts_with("1 ") && !line.starts_with("2 ") && !inherited.contains(line))
            .collect();
        assert_eq!(lines, expected);
    }
}

#[test]
fn descriptors_above_two_are_usable() {
    let (mut reader, writer) = pipe().unwrap();
    let tree = ProcessTree::isolated();
    let mut start = Start::helper(&[]);
    start.program = "/bin/sh".into();
    start.argv = ["sh", "-c", "echo five >&5"].map(Into::into).to_vec();
    let child = start.spawn(&tree, &[(5, &writer)]).unwrap();
    drop(writer);
    let mut text = String::new();
    reader.read_to_string(&mut text).unwrap();
    assert_eq!(text, "five\n");
    assert!(child.wait().unwrap().success());
    assert!(matches!(start.spawn(&tree, &[(u32::MAX, &reader)]), Err(SpawnError::UnsupportedFd(u32::MAX))));
}

#[cfg(target_os = "linux")]
#[test]
fn all_children_are_in_the_group_of_the_first() {
    let tree = ProcessTree::isolated();
    let group = |tree: &ProcessTree| {
        let (mut reader, writer) = pipe().unwrap();
        let child = Start::helper(&["linux", "group"]).spawn(tree, &[(1, &writer)]).unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        (child.id(), text.trim().parse::<u32>().unwrap())
    };
    let (leader, first) = group(&tree);
    assert_eq!(first, leader);
    for _ in 0..3 {
        assert_eq!(group(&tree).1, leader);
    }
    let own = rustix::process::getpgrp().as_raw_nonzero().get().unsigned_abs();
    assert_eq!(group(&ProcessTree::inherited()).1, own);
}

#[cfg(target_os = "linux")]
fn state(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

#[cfg(target_os = "linux")]
#[test]
fn the_leader_stays_a_zombie_until_release_and_the_others_do_not() {
    let tree = ProcessTree::isolated();
    let leader = Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap();
    let second = Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap();
    let unwaited = Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap();
    leader.wait().unwrap();
    second.wait().unwrap();
    assert_eq!(state(leader.id()), Some('Z'));
    assert_eq!(state(second.id()), None);
    assert_eq!(tree.signal(leader.id(), 0).unwrap_err().raw_os_error(), Some(libc::ESRCH));
    eventually("the child that nobody waits for ends", || state(unwaited.id()).is_none_or(|state| state == 'Z'));
    tree.release();
    assert_eq!(state(leader.id()), None);
    assert_eq!(state(unwaited.id()), None);
    assert_eq!(unwaited.wait().unwrap(), ChildStatus::Exited(0));
}

#[cfg(target_os = "linux")]
#[test]
fn what_lives_on_after_release_is_reaped_when_it_ends() {
    let tree = ProcessTree::isolated();
    let leader = Start::helper(&["sleep", "0.3"]).spawn(&tree, &[]).unwrap().id();
    let second = Start::helper(&["sleep", "0.1"]).spawn(&tree, &[]).unwrap().id();
    drop(tree);
    assert!(state(leader).is_some());
    eventually("both are reaped", || state(leader).is_none() && state(second).is_none());
}

#[test]
fn terminate_asks_and_stopped_processes_hear_it() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ticks");
    let tree = ProcessTree::isolated();
    let child = Start::helper(&["parent", "tick", file.to_str().unwrap()]).spawn(&tree, &[]).unwrap();
    eventually("it ticks", || ticks(&file) > 0);
    tree.signal(child.id(), libc::SIGSTOP).unwrap();
    tree.terminate();
    assert_eq!(child.wait().unwrap(), ChildStatus::Signaled { signal: libc::SIGTERM, core_dumped: false });
    assert!(stopped(&file));
    // More may be started: a trap's commands.
    assert!(Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap().wait().unwrap().success());
}

#[test]
fn a_child_that_left_the_group_is_killed_too() {
    if !Path::new("/usr/bin/setsid").exists() {
        return hookshell_test_support::skip("there is no /usr/bin/setsid");
    }
    let tree = ProcessTree::isolated();
    let _leader = Start::helper(&["exit", "0"]).spawn(&tree, &[]).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ticks");
    let mut start = Start::helper(&[common::HELPER, "tick", file.to_str().unwrap()]);
    start.program = "/usr/bin/setsid".into();
    let child = start.spawn(&tree, &[]).unwrap();
    eventually("it ticks", || ticks(&file) > 0);
    tree.kill();
    assert_eq!(child.wait().unwrap().shell_status(), 137);
    assert!(stopped(&file));
}

#[cfg(target_os = "linux")]
#[test]
fn starting_and_waiting_leaks_no_descriptor() {
    in_own_process("starting_and_waiting_leaks_no_descriptor", || {
        let count = || std::fs::read_dir("/proc/self/fd").unwrap().count();
        let round = || {
            let tree = ProcessTree::isolated();
            std::thread::scope(|scope| {
                for index in 0..20 {
                    let tree = &tree;
                    scope.spawn(move || {
                        let interrupt = Interrupt::new();
                        let (reader, writer) = pipe().unwrap();
                        let mut start = Start::helper(&["echo", "x"]);
                        start.umask = (index % 2 == 0).then_some(0o22);
                        let child = start.spawn(tree, &[(1, &writer), (7, &reader)]).unwrap();
                        drop(writer);
                        let mut buffer = [0; 10];
                        assert_eq!(interrupt.read(&reader, FileKind::Pipe, &mut buffer).unwrap(), 2);
                        assert_eq!(interrupt.read(&reader, FileKind::Pipe, &mut buffer).unwrap(), 0);
                        child.wait_interruptible(&interrupt).unwrap().unwrap();
                        start.program = "/no such program".into();
                        start.spawn(tree, &[(1, &reader)]).unwrap_err();
                    });
                }
            });
        };
        round();
        let before = count();
        round();
        round();
        assert_eq!(count(), before);
    });
}

#[test]
fn exec_replaces_the_process() {
    in_own_process("exec_replaces_the_process", || {
        // A SIGPIPE is pending when it happens: it must not end the new program.
        set_disposition(libc::SIGPIPE, libc::SIG_DFL);
        block_sigpipe_on_this_thread();
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        Interrupt::new().write_all(&writer, FileKind::Pipe, b"x").unwrap_err();
        let request = |program, cwd| SpawnRequest {
            program,
            argv: &[],
            env: &[],
            cwd,
            fds: &[],
            umask: None,
            close_missing: false,
            ignored_signals: 0,
            limits: &[],
        };
        assert!(matches!(replace_process(&request(Path::new("/missing"), Path::new("/"))), SpawnError::NotFound));
        assert!(matches!(replace_process(&request(Path::new("/"), Path::new("/"))), SpawnError::IsDirectory));
        let sh = Path::new("/bin/sh");
        assert!(matches!(replace_process(&request(sh, Path::new("/missing"))), SpawnError::Cwd { .. }));
        // The harness of the outer process wants success: only the exec itself can give it.
        let directory = tempfile::tempdir().unwrap();
        let log = File::create(directory.path().join("log")).unwrap();
        let script =
            "test \"$PWD\" = / && test \"$V\" = x && test \"$0\" = zero && umask && echo written >&1 && exit 0; exit 1";
        let error = replace_process(&SpawnRequest {
            program: sh,
            argv: &["sh", "-c", script, "zero"].map(Into::into),
            env: &[("V".into(), "x".into()), ("PATH".into(), "/usr/bin:/bin".into())],
            cwd: Path::new("/"),
            fds: &[(1, &log)],
            umask: Some(0o31),
            close_missing: false,
            ignored_signals: 0,
            limits: &[],
        });
        panic!("{error:?}");
    });
}

#[test]
fn missing_standard_descriptors_can_be_closed() {
    for umask in [None, Some(0o22)] {
        let mut start = shell("echo x >&1 || exit 7");
        start.umask = umask;
        assert_eq!(start.spawn(&ProcessTree::isolated(), &[]).unwrap().wait().unwrap(), ChildStatus::Exited(0));
        start.close_missing = true;
        assert_eq!(start.spawn(&ProcessTree::isolated(), &[]).unwrap().wait().unwrap(), ChildStatus::Exited(7));
    }
}

#[test]
fn a_child_ignores_the_signals_it_is_told_to() {
    in_own_process("a_child_ignores_the_signals_it_is_told_to", || {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            set_disposition(signal, libc::SIG_DFL);
        }
        for tree in [ProcessTree::isolated(), ProcessTree::inherited()] {
            let mut start = shell("kill -INT $$; kill -TERM $$; exit 3");
            assert_eq!(
                start.spawn(&tree, &[]).unwrap().wait().unwrap(),
                ChildStatus::Signaled { signal: libc::SIGINT, core_dumped: false }
            );
            start.ignored_signals = 1 << (libc::SIGINT - 1) | 1 << (libc::SIGTERM - 1);
            assert_eq!(start.spawn(&tree, &[]).unwrap().wait().unwrap(), ChildStatus::Exited(3));
        }
    });
}

/// `sh -c script`.
fn shell(script: &str) -> Start {
    let mut start = Start::helper(&[]);
    start.program = "/bin/sh".into();
    start.argv = ["sh", "-c", script].map(Into::into).into();
    start
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_still_being_written_starts_once_it_is_closed() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program");
    std::fs::copy(common::HELPER, &program).unwrap();
    let open = std::fs::OpenOptions::new().append(true).open(&program).unwrap();
    let mut start = Start::helper(&["exit", "5"]);
    start.program = program;
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        drop(open);
    });
    assert_eq!(start.spawn(&ProcessTree::isolated(), &[]).unwrap().wait().unwrap(), ChildStatus::Exited(5));
    thread.join().unwrap();
}
