//! Row "Timeout: … gets killed; context cancellation kills the interpreter and its children".

use std::time::{Duration, Instant};

use hookshell_test_support::eventually;
use hookshell_tests::contract::{Place, stopped, ticks};
use serde_json::{Value, json};

use crate::place;

/// Long enough for every process to have begun on a busy machine.
const TIMEOUT: f64 = if cfg!(windows) { 8.0 } else { 2.0 };

/// What starts a child that starts a grandchild: it ticks into `a.N`, the grandchild into `b.N`.
fn commands(place: &Place) -> Vec<String> {
    place.script("interpreted", "#!/usr/bin/env tool\nspawn-grandchild $1 $2\n");
    place.script("split", "#!/usr/bin/env -S tool --flag\r\nspawn-grandchild $1 $2\r\n");
    place.script("plain.sh", "tool spawn-grandchild \"$1\" \"$2\"\necho unreached\n");
    let tool = format!("./bin/tool{}", std::env::consts::EXE_SUFFIX);
    let shapes = [
        "tool spawn-grandchild A B",
        "./interpreted A B",
        "./split A B",
        "./plain.sh A B",
        &format!("{tool} spawn-grandchild A B"),
        "tool spawn-grandchild A B | cat; echo unreached",
        "echo x | ./interpreted A B | tool count",
        "(./interpreted A B); echo unreached",
        "x=$(./plain.sh A B); echo unreached",
        "tool spawn-grandchild A B & wait",
        // The child has ended, the grandchild not.
        "tool spawn-orphan B; echo > A; tool sleep 60000",
    ];
    let numbered =
        |(index, shape): (usize, &&str)| shape.replace('A', &format!("a.{index}")).replace('B', &format!("b.{index}"));
    shapes.iter().enumerate().map(numbered).collect()
}

fn all_dead(place: &Place, count: usize, front: &str) {
    for index in 0..count {
        for who in ["a", "b"] {
            let file = place.file(&format!("{who}.{index}"));
            assert!(ticks(&file) > 0, "{front}: hook {index}: {who} never began: the test shows nothing");
        }
    }
    let before: Vec<u64> = (0..count).map(|index| ticks(&place.file(&format!("b.{index}")))).collect();
    std::thread::sleep(Duration::from_millis(1000));
    let after: Vec<u64> = (0..count).map(|index| ticks(&place.file(&format!("b.{index}")))).collect();
    assert_eq!(before, after, "{front}: a grandchild lives on");
    for index in 0..count {
        assert!(stopped(&place.file(&format!("a.{index}"))), "{front}: the child of hook {index} lives on");
    }
}

#[test]
fn a_timeout_kills_the_interpreter_and_its_children_through_runner() {
    let place = place();
    let commands = commands(&place);
    let hooks: Vec<Value> = commands.iter().map(|command| json!({"command": command, "timeout": TIMEOUT})).collect();
    let start = Instant::now();
    let seen = place.through_runner(&hooks, &json!({}));
    assert!(start.elapsed().as_secs_f64() < TIMEOUT + 15.0, "{:?}", start.elapsed());
    assert_eq!(seen.outcomes(), vec!["TimedOut"; commands.len()], "{seen:?}");
    assert_eq!((seen.code, &seen.verdict["decision"]), (0, &json!(null)));
    for hook in seen.hooks() {
        assert!(hook["reason"].as_str().unwrap().starts_with("timed out after "), "{hook}");
    }
    all_dead(&place, commands.len(), seen.front);
}

#[test]
fn a_timeout_kills_the_interpreter_and_its_children_through_run() {
    let place = place();
    let commands = commands(&place);
    let hooks: Vec<Value> = commands.iter().map(|command| json!({"command": command, "timeout": TIMEOUT})).collect();
    let seen = place.through_run(&hooks, &json!({}));
    assert_eq!(seen.outcomes(), vec!["TimedOut"; commands.len()], "{seen:?}");
    assert_eq!(seen.code, 0);
    all_dead(&place, commands.len(), seen.front);
}

#[test]
fn a_timeout_of_one_hook_leaves_the_others_verdict() {
    let place = place();
    let hooks = [
        json!({"command": "tool sleep 60000", "timeout": 0.5}),
        json!({"command": "tool exit 2 no"}),
        json!({"command": "tool sleep 60000; :", "timeout": 0.5, "on_failure": "deny", "name": "slow guard"}),
    ];
    for seen in place.verdicts(&hooks, &json!({})) {
        assert_eq!(seen.outcomes(), ["TimedOut", "Decided", "TimedOut"], "{seen:?}");
        assert_eq!(seen.code, 2);
        let reason = seen.text("reason").replace('\r', "");
        assert!(reason.starts_with("no\n") && reason.contains("slow guard"), "{reason}");
    }
}

/// A program that does not catch the TERM does not take up the grace: the script that waits for it cleans up, and the hook has ended.
#[test]
fn at_a_timeout_a_program_leaves_the_script_its_traps() {
    let place = place();
    let command = "trap 'echo \"$?\" >cleaned' EXIT; echo >lock; tool sleep 60000; echo unreached >unreached";
    let start = Instant::now();
    let seen = place.through_runner(&[json!({"command": command, "timeout": TIMEOUT, "grace": 20})], &json!({}));
    assert_eq!(seen.outcomes(), ["TimedOut"], "{seen:?}");
    // As in bash: the status of the command before the one that it was waiting for.
    assert_eq!(place.read("cleaned"), "0\n");
    assert!(place.file("lock").exists() && !place.file("unreached").exists());
    assert!(start.elapsed().as_secs_f64() < TIMEOUT + 10.0, "{:?}", start.elapsed());
}

#[test]
fn a_grandchild_that_would_write_later_never_does() {
    let place = place();
    // It is started in the background, holds no pipe of ours, and its parent is gone when the time is over.
    let command = "tool late later 6000 >/dev/null 2>&1 & tool sleep 60000";
    let seen = place.through_runner(&[json!({"command": command, "timeout": 1.5})], &json!({}));
    assert_eq!(seen.outcomes(), ["TimedOut"], "{seen:?}");
    std::thread::sleep(Duration::from_secs(7));
    assert!(!place.file("later").exists());
}

#[test]
fn at_a_normal_end_background_programs_live_on_and_hold_nobody() {
    let place = place();
    for front in 0..2 {
        let hook = [json!({"command": format!("tool late done.{front} 6000 >/dev/null 2>&1 & tool exit 2 no")})];
        let start = Instant::now();
        let seen =
            if front == 0 { place.through_runner(&hook, &json!({})) } else { place.through_run(&hook, &json!({})) };
        assert_eq!((seen.code, seen.text("reason")), (2, "no"), "{seen:?}");
        if !cfg!(windows) {
            assert!(start.elapsed() < Duration::from_millis(5900), "{}: {:?}", seen.front, start.elapsed());
        }
        eventually("the background program writes its file", || place.file(&format!("done.{front}")).exists());
    }
}

#[test]
fn a_background_program_that_holds_the_output_holds_nobody() {
    let place = place();
    for seen in place.verdicts(&[json!({"command": "tool sleep 30000 & echo '{\"decision\":\"allow\"}'"})], &json!({}))
    {
        assert_eq!(seen.verdict["decision"], "allow", "{seen:?}");
        assert!(seen.hooks()[0]["ms"].as_u64().unwrap() < 20_000, "{seen:?}");
    }
}

#[test]
fn dropping_the_future_kills_the_whole_tree() {
    let place = place();
    let commands = commands(&place);
    let hooks: Vec<Value> = commands.iter().map(|command| json!({"command": command, "timeout": 50})).collect();
    let runner = place.runner(&hooks);
    let event = place.event(&json!({}));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let run = runner.run(&event);
        assert!(tokio::time::timeout(Duration::from_secs_f64(TIMEOUT), run).await.is_err());
    });
    // TERM first; Windows has no such thing.
    std::thread::sleep(Duration::from_millis(2500));
    all_dead(&place, commands.len(), "a dropped future");
}

#[test]
fn the_exit_trap_of_a_hook_runs_in_its_grace() {
    let place = place();
    // Windows has no way to ask a program to end: there the hook waits for it until it is killed itself.
    let waits =
        if cfg!(windows) { &["sleep 60", "while :; do :; done"][..] } else { &["sleep 60", "tool sleep 60000"] };
    for wait in waits {
        let hook = json!({"command": format!("trap 'echo cleaned >> cleaned' EXIT; {wait}"), "timeout": 1});
        for seen in place.verdicts(&[hook], &json!({})) {
            assert_eq!(seen.outcomes(), ["TimedOut"], "{wait}: {seen:?}");
        }
        assert_eq!(place.read("cleaned"), "cleaned\ncleaned\n", "{wait}");
        std::fs::remove_file(place.file("cleaned")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_ignores_the_stop_is_killed_after_the_grace() {
    let place = place();
    place.script(
        "deaf",
        "#!/bin/sh\ntrap '' TERM INT HUP\necho > began\ntool tick deaf-ticks\nwhile :; do sleep 1; done\n",
    );
    for seen in place.verdicts(&[json!({"command": "./deaf", "timeout": 1})], &json!({})) {
        assert_eq!(seen.outcomes(), ["TimedOut"], "{seen:?}");
        assert!(place.file("began").exists());
        let ms = seen.hooks()[0]["ms"].as_u64().unwrap();
        assert!((1000..10_000).contains(&ms), "{ms}");
        assert!(stopped(&place.file("deaf-ticks")));
    }
}

#[cfg(unix)]
#[test]
fn exec_passes_a_terminating_signal_on() {
    let place = place();
    // It is told by the system's kill: this process sends no signals itself.
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        let _ = std::fs::remove_file(place.file("a"));
        let mut child = place.hookshell(&["exec", "tool tick a; echo unreached"]).spawn().unwrap();
        eventually("it ticks", || ticks(&place.file("a")) > 0);
        let kill = std::process::Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let mut status = None;
        eventually("hookshell exec ends", || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        assert_eq!(status.unwrap().code(), Some(code), "{signal}");
        assert!(stopped(&place.file("a")), "{signal}");
    }
}
