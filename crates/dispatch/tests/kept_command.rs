//! A command that the host runs on its own thread, and when somebody watches over it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test so")]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use hookshell_dispatch::{Dispatcher, End, Input, Invocation, Outcome};
use hookshell_process::Lookout;
use hookshell_shell::{ExecError, ExecRequest, Executor, Started};
use support::{Directory, err, out};

/// Longer than any of these commands runs.
const HOUR: Duration = Duration::from_secs(3600);

/// Is there a stack for a command on the thread of its host?
const HAS_OWN_STACK: bool = cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));

/// A dispatcher whose next command is kept, how often the lookout has begun, and where it watches.
fn keeping(dispatcher: &Dispatcher, moment: Duration) -> Arc<AtomicUsize> {
    let begun = Arc::new(AtomicUsize::new(0));
    let (counted, watched) = (begun.clone(), dispatcher.clone());
    dispatcher.keep_next(Arc::new(Lookout::new(moment, move || {
        counted.fetch_add(1, Ordering::SeqCst);
        watched.watch_deadlines()
    })));
    begun
}

fn start(dispatcher: &Dispatcher, invocation: Invocation) -> Receiver<(Outcome, ThreadId)> {
    let (sender, receiver) = channel();
    dispatcher.start(invocation, move |outcome| {
        // A test that has failed is gone.
        let _ = sender.send((outcome, std::thread::current().id()));
    });
    receiver
}

/// Runs it on this thread: its outcome, and how often the lookout has begun.
fn run_kept(directory: &Directory, command: &str, moment: Duration) -> (Outcome, usize) {
    let dispatcher = Dispatcher::builder().watching_deadlines_later().build();
    let begun = keeping(&dispatcher, moment);
    let ended = start(&dispatcher, directory.invocation(command));
    assert!(ended.try_recv().is_err(), "{command}: it is not begun before its host runs it");
    dispatcher.run_kept();
    let (outcome, thread) = ended.recv_timeout(Duration::from_secs(60)).unwrap();
    if HAS_OWN_STACK {
        assert_eq!(thread, std::thread::current().id(), "{command}");
    }
    let begun = begun.load(Ordering::SeqCst);
    (outcome, begun)
}

#[test]
fn what_waits_for_nothing_needs_nobody_to_watch() {
    let directory = Directory::new();
    for command in [
        "echo hi",
        "printf '%s\\n' hi",
        "case rm in *rm*) echo hi;; esac",
        "f() { local x=$1; [[ $x == h* ]] && echo \"$x\"; }; f hi",
        "for i in 1 2 3; do [ $i = 3 ] && echo hi; done",
        "x=hi; echo \"${x//z/y}\" || exit 2",
        "read -r line; echo hi",
        "declare -A map=([a]=hi); echo \"${map[a]}\"",
        "set -euo pipefail; trap ':' ERR; echo hi",
        "( echo hi )",
        "echo \"$(echo hi)\"",
        "eval 'echo hi'",
    ] {
        let (outcome, begun) = run_kept(&directory, command, HOUR);
        assert_eq!((&*out(&outcome), &outcome.end), ("hi\n", &End::Exited), "{command}: {}", err(&outcome));
        assert_eq!(begun, 0, "{command}");
    }
}

#[test]
fn what_may_have_to_wait_is_watched_from_then_on() {
    let directory = Directory::new();
    std::fs::write(directory.path().join("file"), "x=1\n").unwrap();
    for command in [
        "sleep 0",
        "jq -n 1",
        "no-such-command",
        "[ -f file ]",
        "test -d .",
        "[[ -e file ]]",
        "[ file -nt other ]",
        "echo f*",
        "echo hi >written",
        "read -r x <file",
        "exec 3<file",
        "cd .",
        "pwd",
        ". ./file",
        "source file",
        "command -v echo",
        "type echo",
        "hash -r",
        "mapfile -t lines <file",
        "wait",
        "kill -0 $$",
        "x=$(sleep 0)",
        "echo x | cat",
        "( sleep 0 ) & wait",
        "exec true",
        "[[ aaa =~ a+ ]]",
        "x=~root",
        "printf -v x '%.5000f' 1",
        "printf -v x '%*d' 5 1",
        "x=$(printf 'a%.0s' {1..20000}); y=${x%%*b}",
    ] {
        let (_, begun) = run_kept(&directory, command, HOUR);
        assert_eq!(begun, usize::from(HAS_OWN_STACK), "{command}");
    }
}

#[test]
fn a_command_that_takes_long_is_watched() {
    let directory = Directory::new();
    for command in ["while :; do :; done", "x=aaaa; while [[ $x != b ]]; do x=${x/a/a}; done"] {
        let dispatcher = Dispatcher::builder().watching_deadlines_later().build();
        let begun = keeping(&dispatcher, Duration::from_millis(20));
        let mut invocation = directory.invocation(command);
        invocation.timeout = Some(Duration::from_millis(300));
        let ended = start(&dispatcher, invocation);
        dispatcher.run_kept();
        if !HAS_OWN_STACK {
            dispatcher.watch_deadlines();
        }
        let (outcome, _) = ended.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(outcome.end, End::TimedOut, "{command}");
        assert_eq!(begun.load(Ordering::SeqCst), usize::from(HAS_OWN_STACK), "{command}");
    }
}

/// A program whose start blocks until somebody lets it go, whatever it is told.
struct Stuck {
    inner: Arc<dyn Executor>,
    until: Mutex<Receiver<()>>,
}

impl Executor for Stuck {
    fn start(&self, request: &ExecRequest<'_>) -> Result<Started, ExecError> {
        let _ = self.until.lock().unwrap().recv();
        self.inner.start(request)
    }

    fn find(&self, name: &[u8], path: &[u8], cwd: &std::path::Path) -> Option<std::path::PathBuf> {
        self.inner.find(name, path, cwd)
    }
}

#[test]
fn the_outcome_of_one_that_cannot_be_stopped_is_told_all_the_same() {
    let directory = Directory::new();
    let (release, until) = channel();
    let until = Mutex::new(Some(until));
    let dispatcher = Dispatcher::builder()
        .watching_deadlines_later()
        .layer(move |inner| match until.lock().unwrap().take() {
            Some(until) => Arc::new(Stuck { inner, until: Mutex::new(until) }),
            None => inner,
        })
        .build();
    keeping(&dispatcher, HOUR);
    let mut invocation = directory.invocation("tool");
    invocation.timeout = Some(Duration::from_millis(100));
    invocation.grace = Duration::from_millis(50);
    let ended = start(&dispatcher, invocation);
    let host = {
        let dispatcher = dispatcher.clone();
        std::thread::spawn(move || dispatcher.run_kept())
    };
    if !HAS_OWN_STACK {
        dispatcher.watch_deadlines();
    }
    let (outcome, _) = ended.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(outcome.end, End::TimedOut);
    drop(release);
    host.join().unwrap();
}

#[test]
fn where_nobody_can_watch_nothing_is_waited_for() {
    if !HAS_OWN_STACK {
        // The host waits as for any other command, and watches itself.
        return;
    }
    let directory = Directory::new();
    let dispatcher = Dispatcher::builder().watching_deadlines_later().build();
    dispatcher.keep_next(Arc::new(Lookout::new(HOUR, || false)));
    let ended = start(&dispatcher, directory.invocation("echo begun; sleep 600; echo unreached"));
    dispatcher.run_kept();
    let (outcome, _) = ended.recv_timeout(Duration::from_secs(60)).unwrap();
    let End::NotStarted(why) = &outcome.end else { panic!("{:?}", outcome.end) };
    assert_eq!((&*out(&outcome), &*why.message), ("begun\n", "no thread can be started that would watch over it"));
    // What asks whether it is to end is ended as well, when the moment is over.
    dispatcher.keep_next(Arc::new(Lookout::new(Duration::from_millis(5), || false)));
    let ended = start(&dispatcher, directory.invocation("while :; do :; done"));
    dispatcher.run_kept();
    let (outcome, _) = ended.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(matches!(outcome.end, End::NotStarted(_)), "{:?}", outcome.end);
}

#[test]
fn large_texts_are_watched_from_the_start() {
    let directory = Directory::new();
    let dispatcher = Dispatcher::builder().watching_deadlines_later().build();
    let begun = keeping(&dispatcher, HOUR);
    let mut invocation = directory.invocation("echo hi");
    invocation.stdin = Input::Bytes(vec![b'a'; 100_000].into());
    let ended = start(&dispatcher, invocation);
    dispatcher.run_kept();
    assert_eq!(out(&ended.recv_timeout(Duration::from_secs(60)).unwrap().0), "hi\n");
    assert_eq!(begun.load(Ordering::SeqCst), usize::from(HAS_OWN_STACK));
}

#[test]
fn only_the_next_command_is_kept_and_only_until_the_host_comes() {
    let directory = Directory::new();
    let dispatcher = Dispatcher::builder().watching_deadlines_later().build();
    keeping(&dispatcher, HOUR);
    let kept = start(&dispatcher, directory.invocation("echo kept"));
    let other = start(&dispatcher, directory.invocation("echo other"));
    let (outcome, _) = other.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(out(&outcome), "other\n");
    assert!(kept.try_recv().is_err());
    dispatcher.run_kept();
    assert_eq!(out(&kept.recv_timeout(Duration::from_secs(60)).unwrap().0), "kept\n");
    // Nothing came: from now on nothing is kept.
    keeping(&dispatcher, HOUR);
    dispatcher.run_kept();
    let later = start(&dispatcher, directory.invocation("echo later"));
    assert_eq!(out(&later.recv_timeout(Duration::from_secs(60)).unwrap().0), "later\n");
}
