//! Deadlines, cancelling, and what parallel runs share: nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test's helpers fail the test so")]

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use hookshell_dispatch::{Command, Dispatcher, End, Invocation};
use hookshell_shell::{ExecError, ExecRequest, Executor, Started};
use hookshell_test_support::eventually;
use support::{Directory, err, out, set};

/// Do the processes live? (On Windows the test of the process layer shows it.)
#[cfg(target_os = "linux")]
fn lives(pid: u32) -> bool {
    // A zombie is dead.
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_timeout_kills_the_program_and_its_children() {
    let directory = Directory::new();
    directory.script("s", "#!/usr/bin/env tool\n");
    for command in ["tool", "./s", "tool | cat; echo unreached", "(tool)"] {
        let pids = directory.path().join("pids");
        let _ = std::fs::remove_file(&pids);
        let mut invocation = directory.invocation(command);
        set(&mut invocation, "HELPER", &format!("tree {}", pids.display()));
        invocation.timeout = Some(Duration::from_millis(700));
        invocation.grace = Duration::from_secs(2);
        let started = Instant::now();
        let outcome = Dispatcher::new().run(invocation);
        assert_eq!(outcome.end, End::TimedOut, "{command}: {}", err(&outcome));
        assert!(started.elapsed() < Duration::from_secs(5), "{command}");
        let text = std::fs::read_to_string(&pids).unwrap();
        let pids: Vec<u32> = text.split(' ').map(|pid| pid.parse().unwrap()).collect();
        assert_eq!(pids.len(), 2);
        for pid in pids {
            eventually("a process of the tree lives on", || !lives(pid));
        }
    }
}

#[test]
fn a_timeout_ends_shell_code_and_utilities() {
    let directory = Directory::new();
    let endless = if cfg!(windows) { "sleep 1d 1d" } else { "read x; cat /dev/zero" };
    for command in ["while :; do :; done", "sleep infinity", endless] {
        let mut invocation = directory.invocation(command);
        invocation.timeout = Some(Duration::from_millis(100));
        let outcome = Dispatcher::new().run(invocation);
        assert_eq!(outcome.end, End::TimedOut, "{command}");
        assert!(outcome.duration < Duration::from_secs(3), "{command}: {:?}", outcome.duration);
    }
}

#[test]
fn the_exit_trap_runs_during_the_grace() {
    let directory = Directory::new();
    let mut invocation = directory.invocation("trap 'echo cleaned' EXIT; sleep 60");
    invocation.timeout = Some(Duration::from_millis(100));
    let outcome = Dispatcher::new().run(invocation);
    assert_eq!((outcome.end, &*outcome.stdout), (End::TimedOut, &b"cleaned\n"[..]));
}

#[test]
fn cancelling_a_started_run_ends_it() {
    let directory = Directory::new();
    let dispatcher = Dispatcher::new();
    let (sender, receiver) = channel();
    let mut invocation = directory.invocation("tool");
    set(&mut invocation, "HELPER", "sleep");
    let handle = dispatcher.start(invocation, move |outcome| {
        sender.send(outcome).unwrap();
    });
    std::thread::sleep(Duration::from_millis(100));
    assert!(receiver.try_recv().is_err());
    handle.cancel();
    let outcome = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!(outcome.end, End::Cancelled);
    // To the ended one it is nothing.
    handle.cancel();
}

#[test]
fn dropping_the_handle_does_not_cancel() {
    let directory = Directory::new();
    let (sender, receiver) = channel();
    drop(Dispatcher::new().start(directory.invocation("sleep 0.1; echo done"), move |outcome| {
        sender.send(outcome).unwrap();
    }));
    let outcome = receiver.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!((&*out(&outcome), outcome.end), ("done\n", End::Exited));
}

/// An executor that hears no cancel.
struct Deaf(Duration);

impl Executor for Deaf {
    fn start(&self, _: &ExecRequest<'_>) -> Result<Started, ExecError> {
        std::thread::sleep(self.0);
        Err(ExecError::CommandNotFound)
    }

    fn find(&self, _: &[u8], _: &[u8], _: &Path) -> Option<PathBuf> {
        None
    }
}

#[test]
fn the_caller_does_not_wait_for_an_executor_that_ignores_the_cancel() {
    let directory = Directory::new();
    let dispatcher = Dispatcher::builder().layer(|_| Arc::new(Deaf(Duration::from_secs(6)))).build();
    let mut invocation = directory.invocation("tool");
    invocation.timeout = Some(Duration::from_millis(100));
    invocation.grace = Duration::from_millis(200);
    let started = Instant::now();
    let outcome = dispatcher.run(invocation);
    assert_eq!(outcome.end, End::TimedOut);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(dispatcher.abandoned(), 1);
    eventually("the abandoned thread is never uncounted", || dispatcher.abandoned() == 0);
}

/// An executor with a bug.
struct Panics;

impl Executor for Panics {
    fn start(&self, _: &ExecRequest<'_>) -> Result<Started, ExecError> {
        panic!("on purpose")
    }

    fn find(&self, _: &[u8], _: &[u8], _: &Path) -> Option<PathBuf> {
        None
    }
}

#[test]
fn a_panic_ends_the_run_and_not_the_host() {
    let directory = Directory::new();
    let dispatcher = Dispatcher::builder().layer(|_| Arc::new(Panics)).build();
    let outcome = dispatcher.run(directory.invocation("tool"));
    assert_eq!(outcome.end, End::Panicked);
    assert_ne!(outcome.status, 0);
    assert_eq!(dispatcher.run(directory.invocation("exit 5")).status, 5);
}

#[test]
fn a_grandchild_that_holds_the_output_is_not_waited_for() {
    let directory = Directory::new();
    let mut invocation = directory.invocation("tool; echo end");
    set(&mut invocation, "HELPER", "hold");
    let started = Instant::now();
    let outcome = Dispatcher::new().run(invocation);
    assert_eq!(out(&outcome).replace('\r', ""), "done\nend\n");
    assert_eq!(outcome.end, End::Exited);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn any_thread_may_call_with_a_small_stack() {
    let directory = Directory::new();
    let deep = format!("{}echo deep{}", "( ".repeat(100), ")".repeat(100));
    let invocation = directory.invocation(&deep);
    let thread = std::thread::Builder::new()
        .stack_size(512 * 1024)
        .spawn(move || {
            let dispatcher = Dispatcher::new();
            let explanation = dispatcher.explain(&invocation);
            (dispatcher.run(invocation), explanation)
        })
        .unwrap();
    let (outcome, explanation) = thread.join().unwrap();
    assert_eq!(out(&outcome), "deep\n", "{}", err(&outcome));
    assert_eq!(explanation.route.name(), "shell");
}

#[test]
fn ten_runs_in_parallel_leak_nothing_into_each_other() {
    let directory = Directory::new();
    let dispatcher = Dispatcher::new();
    let host = std::env::current_dir().unwrap();
    let (sender, receiver) = channel();
    for index in 0..10 {
        let own = directory.path().join(format!("cwd{index}"));
        std::fs::create_dir(&own).unwrap();
        let mut invocation = Invocation::new(
            Command::source(
                "export X=changed$MINE; mkdir d; cd d; umask 0$MINE; f=$$; echo $$ >$MINE; sleep 0.05; \
                 echo $MINE \"$X\" \"${PWD##*/}\" \"${OTHER-unset}\" $(umask) $(( f == $$ ))",
            ),
            &own,
        );
        invocation.env = [("MINE", index.to_string())].into();
        let sender = sender.clone();
        dispatcher.start(invocation, move |outcome| sender.send((index, outcome)).unwrap());
    }
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..10 {
        let (index, outcome) = receiver.recv_timeout(Duration::from_secs(30)).unwrap();
        if index < 8 {
            assert_eq!(out(&outcome), format!("{index} changed{index} d unset 000{index} 1\n"), "{}", err(&outcome));
        }
        let id = directory.path().join(format!("cwd{index}/d/{index}"));
        ids.insert(std::fs::read_to_string(id).unwrap());
    }
    assert_eq!(ids.len(), 10, "two runs share a $$");
    assert_eq!(std::env::current_dir().unwrap(), host);
    assert_eq!(dispatcher.abandoned(), 0);
}
