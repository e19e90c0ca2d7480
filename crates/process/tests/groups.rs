//! Process groups of jobs within a tree.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]
#![allow(unsafe_code, reason = "getpgid")]

mod common;

use common::{Start, stopped, ticks};
use hookshell_process::{ChildStatus, ProcessTree};
use hookshell_test_support::eventually;

fn group_of(pid: u32) -> u32 {
    // SAFETY: no memory is involved.
    unsafe { libc::getpgid(pid.cast_signed()) }.cast_unsigned()
}

/// One that ends when its input does.
fn cat(tree: &ProcessTree, group: Option<&hookshell_process::ProcessGroup>) -> (std::fs::File, u32) {
    let (reader, writer) = hookshell_process::pipe().unwrap();
    let child = Start::helper(&["cat"]).spawn_in(tree, group, &[(0, &reader)]).unwrap();
    (writer, child.id())
}

#[test]
fn a_group_of_a_job_stands_apart() {
    for tree in [ProcessTree::isolated(), ProcessTree::inherited()] {
        let group = tree.group();
        let (_first_input, first) = cat(&tree, Some(&group));
        let (_second_input, second) = cat(&tree, Some(&group));
        let (_other_input, other) = cat(&tree, None);
        let (_last_input, last) = cat(&tree, None);
        assert_eq!(group.id(), Some(first));
        assert_eq!((group_of(first), group_of(second)), (first, first));
        assert_ne!(group_of(other), first);
        assert_eq!(group_of(other), group_of(last));
        tree.signal_group(first, libc::SIGTERM).unwrap();
        eventually("the job ends", || tree.live_children() == 2);
        assert!(tree.signal(second, 0).is_err());
        assert!(tree.signal(other, 0).is_ok());
        // Not the tree's own, nor that of the host.
        assert!(tree.signal_group(group_of(other), 0).is_err());
        tree.kill();
    }
}

#[test]
fn others_join_when_the_leader_has_ended_and_it_is_no_zombie_behind_that() {
    let tree = ProcessTree::isolated();
    let group = tree.group();
    let leader = Start::helper(&["exit", "3"]).spawn_in(&tree, Some(&group), &[]).unwrap();
    assert_eq!(leader.wait().unwrap(), ChildStatus::Exited(3));
    let (input, second) = cat(&tree, Some(&group));
    assert_eq!(group_of(second), leader.id());
    group.close();
    // Reaped: nobody has that id, and the group is still there.
    assert!(hookshell_process::signals::send(leader.id(), 0).is_err());
    group.signal(0).unwrap();
    drop(input);
    eventually("it ends", || tree.live_children() == 0);
    assert!(group.signal(0).is_err());
    tree.release();
}

#[test]
fn the_end_of_the_tree_is_that_of_what_a_job_has_left_behind() {
    for tree in [ProcessTree::isolated(), ProcessTree::inherited()] {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ticks");
        let group = tree.group();
        let leader =
            Start::helper(&["orphan", "tick", file.to_str().unwrap()]).spawn_in(&tree, Some(&group), &[]).unwrap();
        group.close();
        leader.wait().unwrap();
        eventually("it ticks", || ticks(&file) > 0);
        // A group that has begun and ended since changes nothing.
        tree.group().close();
        tree.kill();
        assert!(stopped(&file));
    }
}

#[test]
fn a_group_that_is_stopped_says_so_and_ends_with_the_tree() {
    let tree = ProcessTree::isolated();
    let group = tree.group();
    let (_first_input, first) = cat(&tree, Some(&group));
    let (_second_input, second) = cat(&tree, Some(&group));
    group.close();
    assert_eq!(group.stopped_by(), None);
    tree.signal(first, libc::SIGSTOP).unwrap();
    eventually("both are stopped", || {
        tree.signal(second, libc::SIGTSTP).unwrap();
        group.stopped_by() == Some(libc::SIGTSTP)
    });
    group.signal(libc::SIGCONT).unwrap();
    eventually("it goes on", || group.stopped_by().is_none());
    group.signal(libc::SIGSTOP).unwrap();
    eventually("it is stopped", || group.stopped_by() == Some(libc::SIGSTOP));
    tree.release();
    eventually("it has ended", || hookshell_process::signals::send(second, 0).is_err());
}
