//! Trust in a project's hooks, which is judged at each start.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::client::{Client, call};
use crate::support::{Run, hookshell};

fn in_home<const N: usize>(home: &Path, args: [&str; N]) -> Run {
    hookshell(args)
        .cwd(&home.join("project"))
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
}

/// The script of a trusted hook is a link that somebody turns around all the time: what runs is what was trusted, or nothing.
#[test]
fn a_link_that_is_turned_around_runs_only_what_was_trusted() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let hooks = json!({"hooks": {"PreToolUse": [{"name": "linked", "command": "./guard.sh"}]}});
    std::fs::write(project.join(".crush.json"), hooks.to_string()).unwrap();
    std::fs::write(project.join("good.sh"), "echo good >>ran\n").unwrap();
    std::fs::write(project.join("evil.sh"), "echo evil >>ran\n").unwrap();
    symlink("good.sh", project.join("guard.sh")).unwrap();
    let trusted = in_home(home.path(), ["trust", "--yes"]).output();
    assert_eq!(trusted.code, Some(0), "{trusted:?}");

    let mut client = Client::of(in_home(home.path(), ["serve"]), json!({}), json!({"cwd": project}));
    assert_eq!(client.result("hooks/run", call("ls"))["verdict"]["hooks"][0]["outcome"], "NoOpinion");
    let is_over = AtomicBool::new(false);
    let outcomes = std::thread::scope(|scope| {
        scope.spawn(|| {
            let next = project.join("next");
            for target in ["evil.sh", "good.sh"].iter().cycle() {
                symlink(target, &next).unwrap();
                std::fs::rename(&next, project.join("guard.sh")).unwrap();
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let mut outcomes = Vec::new();
        for _ in 0..150 {
            let result = client.result("hooks/run", call("ls"));
            outcomes.push(result["verdict"]["hooks"][0]["outcome"].as_str().unwrap_or_default().to_owned());
        }
        is_over.store(true, Ordering::Relaxed);
        outcomes
    });
    let ran = std::fs::read_to_string(project.join("ran")).unwrap();
    assert!(!ran.contains("evil"), "{ran}{outcomes:?}");
    let known = |outcome: &String| ["NoOpinion", "Untrusted", "Failed", "NotFound"].contains(&outcome.as_str());
    assert!(outcomes.iter().any(|outcome| outcome == "Untrusted"), "{outcomes:?}");
    assert!(outcomes.iter().all(known), "{outcomes:?}");
    // Nothing of it is kept: the trusted one runs again, and the other one does not.
    for (target, expected) in [("good.sh", "NoOpinion"), ("evil.sh", "Untrusted")] {
        std::fs::remove_file(project.join("guard.sh")).unwrap();
        symlink(target, project.join("guard.sh")).unwrap();
        let result = client.result("hooks/run", call("ls"));
        assert_eq!(result["verdict"]["hooks"][0]["outcome"], expected, "{result}");
    }
}

/// A config in the project that is replaced after it was trusted is not trusted any more, at the next event.
#[test]
fn a_trusted_config_that_is_replaced_is_not_trusted() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let write = |command: &str| {
        let hooks = json!({"hooks": {"PreToolUse": [{"name": "guard", "command": command}]}});
        std::fs::write(project.join(".crush.json"), hooks.to_string()).unwrap();
    };
    write("echo good >>ran");
    assert_eq!(in_home(home.path(), ["trust", "--yes"]).output().code, Some(0));
    let mut client = Client::of(in_home(home.path(), ["serve"]), json!({}), json!({"cwd": project}));
    for round in 0..10 {
        // Of the same length, within one tick of the file system's clock.
        write(if round % 2 == 0 { "echo good >>ran" } else { "echo evil >>ran" });
        let outcome = client.result("hooks/run", call("ls"))["verdict"]["hooks"][0]["outcome"].clone();
        assert_eq!(outcome, if round % 2 == 0 { "NoOpinion" } else { "Untrusted" }, "round {round}");
    }
    // Trust that is given meanwhile holds at once, and trust that is taken, too.
    write("echo other >>ran");
    assert_eq!(in_home(home.path(), ["trust", "--yes"]).output().code, Some(0));
    assert_eq!(client.result("hooks/run", call("ls"))["verdict"]["hooks"][0]["outcome"], "NoOpinion");
    assert_eq!(in_home(home.path(), ["trust", "--revoke"]).output().code, Some(0));
    assert_eq!(client.result("hooks/run", call("ls"))["verdict"]["hooks"][0]["outcome"], "Untrusted");
    assert!(!std::fs::read_to_string(project.join("ran")).unwrap().contains("evil"));
}
