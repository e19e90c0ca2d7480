//! Ending whole trees.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod common;

use std::time::{Duration, Instant};

use common::{Start, stopped, ticks};
use hookshell_process::{Interrupt, ProcessTree};
use hookshell_test_support::eventually;

#[test]
fn kill_reaches_grandchildren() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ticks");
    let tree = ProcessTree::isolated();
    let child = Start::helper(&["parent", "parent", "tick", file.to_str().unwrap()]).spawn(&tree, &[]).unwrap();
    eventually("the grandchild ticks", || ticks(&file) > 10);
    assert_eq!(tree.live_children(), 1);
    tree.kill();
    assert_eq!(child.wait().unwrap().shell_status(), 137);
    assert!(stopped(&file));
    assert_eq!(tree.live_children(), 0);
}

#[test]
fn kill_reaches_grandchildren_whose_parents_have_ended() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ticks");
    let tree = ProcessTree::isolated();
    // The leader of the group ends at once, and is waited for.
    let leader = Start::helper(&["orphan", "orphan", "tick", file.to_str().unwrap()]).spawn(&tree, &[]).unwrap();
    assert_eq!(leader.wait().unwrap().shell_status(), 0);
    eventually("the orphan ticks", || ticks(&file) > 10);
    assert_eq!(tree.live_children(), 0);
    // A later child joins the group of a leader that has ended.
    let other = directory.path().join("other");
    let second = Start::helper(&["tick", other.to_str().unwrap()]).spawn(&tree, &[]).unwrap();
    eventually("the second child ticks", || ticks(&other) > 10);
    tree.kill();
    assert_eq!(second.wait().unwrap().shell_status(), 137);
    assert!(stopped(&file));
}

/// A program may run already while its tree is still noting that it has started it.
#[test]
#[cfg(unix)]
fn a_program_that_is_just_being_started_is_asked_to_end_too() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..40 {
        let file = directory.path().join(round.to_string());
        let tree = ProcessTree::inherited();
        std::thread::scope(|scope| {
            let starting = scope.spawn(|| Start::helper(&["tick", file.to_str().unwrap()]).spawn(&tree, &[]).unwrap());
            while !file.exists() {
                std::hint::spin_loop();
            }
            tree.terminate();
            assert_eq!(starting.join().unwrap().wait().unwrap().shell_status(), 143, "{round}");
        });
    }
}

#[test]
fn a_part_ends_alone_and_with_its_tree() {
    let directory = tempfile::tempdir().unwrap();
    let [own, first, second] = ["own", "first", "second"].map(|name| directory.path().join(name));
    let tree = ProcessTree::isolated();
    let outside = Start::helper(&["tick", own.to_str().unwrap()]).spawn(&tree, &[]).unwrap();
    let part = tree.part();
    let inside = Start::helper(&["parent", "tick", first.to_str().unwrap()]).spawn(&part, &[]).unwrap();
    eventually("both tick", || ticks(&own) > 5 && ticks(&first) > 5);
    assert_eq!(tree.live_children(), 2);
    part.kill();
    assert_eq!(inside.wait().unwrap().shell_status(), 137);
    assert!(stopped(&first));
    assert!(!stopped(&own));
    tree.end_part(&part);
    // What an ended part has left behind still ends with the tree.
    let part = tree.part();
    let leader = Start::helper(&["orphan", "tick", second.to_str().unwrap()]).spawn(&part, &[]).unwrap();
    assert_eq!(leader.wait().unwrap().shell_status(), 0);
    eventually("the orphan ticks", || ticks(&second) > 5);
    tree.end_part(&part);
    drop(part);
    assert!(!stopped(&second));
    tree.kill();
    assert_eq!(outside.wait().unwrap().shell_status(), 137);
    assert!(stopped(&second) && stopped(&own));
    assert!(Start::helper(&["tick", "never"]).spawn(&tree.part(), &[]).is_err());
}

#[test]
fn release_lets_background_processes_live() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ticks");
    let tree = ProcessTree::isolated();
    let child = Start::helper(&["tick", file.to_str().unwrap()]).spawn(&tree, &[]).unwrap();
    eventually("it ticks", || ticks(&file) > 0);
    tree.release();
    // No longer ours to kill.
    tree.kill();
    drop(tree);
    assert!(!stopped(&file));
    assert!(child.try_wait().unwrap().is_none());
    end(child.id());
    // Its status can still be had. (Wine's taskkill makes it 0.)
    let status = child.wait().unwrap();
    assert!(!status.success() || cfg!(windows), "{status:?}");
}

/// Ends a process that no tree knows any more.
fn end(pid: u32) {
    #[cfg(unix)]
    {
        let pid = rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    #[cfg(windows)]
    {
        let status = std::process::Command::new("taskkill").args(["/F", "/PID", &pid.to_string()]).output().unwrap();
        assert!(status.status.success(), "{status:?}");
    }
}

#[test]
fn an_inherited_tree_kills_its_children() {
    let directory = tempfile::tempdir().unwrap();
    let tree = ProcessTree::inherited();
    let mut children = Vec::new();
    for index in 0..3 {
        let file = directory.path().join(format!("ticks{index}"));
        children.push(Start::helper(&["tick", file.to_str().unwrap()]).spawn(&tree, &[]).unwrap());
        eventually("it ticks", || ticks(&file) > 0);
    }
    assert_eq!(tree.live_children(), 3);
    tree.kill();
    for child in children {
        assert_eq!(child.wait().unwrap().shell_status(), 137);
    }
}

#[test]
fn a_wait_is_interrupted_and_can_be_repeated() {
    let tree = ProcessTree::isolated();
    let child = Start::helper(&["sleep", "60"]).spawn(&tree, &[]).unwrap();
    let interrupt = Interrupt::new();
    let raiser = interrupt.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        raiser.raise();
        Instant::now()
    });
    assert_eq!(child.wait_interruptible(&interrupt).unwrap(), None);
    let late = thread.join().unwrap().elapsed();
    assert!(late < Duration::from_secs(10), "{late:?}");
    assert_eq!(interrupt.abandoned(), 0);
    tree.kill();
    let status = child.wait_interruptible(&Interrupt::new()).unwrap().unwrap();
    assert_eq!(status.shell_status(), 137);
    // A status that is there is given even to a run that is cancelled.
    assert_eq!(child.wait_interruptible(&interrupt).unwrap(), Some(status));
}

#[test]
fn an_interruptible_wait_ends_with_the_child() {
    let tree = ProcessTree::isolated();
    let interrupt = Interrupt::new();
    for _ in 0..10 {
        let child = Start::helper(&["exit", "3"]).spawn(&tree, &[]).unwrap();
        assert_eq!(child.wait_interruptible(&interrupt).unwrap().unwrap().shell_status(), 3);
    }
}
