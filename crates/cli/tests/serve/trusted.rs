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

/// Two projects with the same files beside each other, of which one is trusted, and one below it: whatever leads to them, by any way
/// in any order, what runs is what was trusted where it was.
#[test]
fn one_project_gains_nothing_by_the_trust_in_another() {
    let home = tempfile::tempdir().unwrap();
    let at = |path: &str| home.path().join(path);
    for (project, name) in [("project", "good"), ("other", "evil"), ("project/below", "evil")] {
        std::fs::create_dir_all(at(project)).unwrap();
        let hooks = json!({"hooks": {"PreToolUse": [{"name": "guard", "command": "./guard.sh"}]}});
        std::fs::write(at(project).join(".crush.json"), hooks.to_string()).unwrap();
        std::fs::write(at(project).join("guard.sh"), format!("echo {name} >>\"$HOME/ran\"\n")).unwrap();
    }
    assert_eq!(in_home(home.path(), ["trust", "--yes"]).output().code, Some(0));
    let mut client = Client::of(in_home(home.path(), ["serve"]), json!({}), json!({"env": {"HOME": home.path()}}));
    let mut runs = |cwd: &str, project: Option<&str>| {
        let mut params = call("ls");
        params["options"] = json!({"cwd": at(cwd), "project": project.map(at)});
        let result = client.result("hooks/run", params);
        result["verdict"]["hooks"].as_array().unwrap().iter().any(|hook| hook["outcome"] == "NoOpinion")
    };
    let link = |target: &str| {
        drop(std::fs::remove_file(at("link")));
        symlink(target, at("link")).unwrap();
    };
    for _ in 0..2 {
        assert!(runs("project", None) && runs("other/../project", None));
        assert!(!runs("other", None) && !runs("project/../other", None) && !runs("project/below", None));
        // A script is looked for from the event's directory, too.
        assert!(!runs("project/below", Some("project")) && !runs("other", Some("project")));
        assert!(!runs("project", Some("other")) && !runs("project", Some("project/below")));
        for target in ["project", "other", "project", "project/below"] {
            link(target);
            assert_eq!(runs("link", None), target == "project", "{target}");
        }
    }
    // The same file, by its identity, in both.
    std::fs::remove_file(at("other/.crush.json")).unwrap();
    std::fs::hard_link(at("project/.crush.json"), at("other/.crush.json")).unwrap();
    for target in ["project", "other", "project", "other"] {
        link(target);
        assert_eq!(runs("link", None), target == "project", "{target}");
        assert_eq!(runs(target, None), target == "project", "{target}");
    }
    // The one in the other's place, and back.
    let rename = |from: &str, to: &str| std::fs::rename(at(from), at(to)).unwrap();
    rename("project", "away");
    rename("other", "project");
    assert!(!runs("project", None));
    rename("project", "other");
    rename("away", "project");
    assert!(runs("project", None));
    // Trust that is given to the other one, and taken from the first.
    assert_eq!(in_home(home.path(), ["trust", "--yes", "../other"]).output().code, Some(0));
    assert!(runs("other", None) && runs("project", None));
    assert_eq!(in_home(home.path(), ["trust", "--revoke"]).output().code, Some(0));
    assert!(runs("other", None) && !runs("project", None) && !runs("project/below", None));
    let ran = std::fs::read_to_string(at("ran")).unwrap();
    // Of the other one only since it is trusted.
    assert_eq!(ran.matches("evil").count(), 2, "{ran}");
}

/// A client may hand on variables that come from the project: they do not say whom the user trusts.
#[test]
fn variables_of_hooks_do_not_name_the_store_of_trust() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let hooks = json!({"hooks": {"PreToolUse": [{"name": "guard", "command": "echo evil >>ran"}]}});
    std::fs::write(project.join(".crush.json"), hooks.to_string()).unwrap();
    // The project has a store of its own along, in which it is trusted.
    let forged = project.join("state");
    assert_eq!(in_home(home.path(), ["trust", "--yes"]).env("XDG_STATE_HOME", &forged).output().code, Some(0));
    let of_hooks = json!({"XDG_STATE_HOME": forged, "HOME": project, "LOCALAPPDATA": forged});
    let defaults = json!({"cwd": project, "env": of_hooks});
    let mut client = Client::of(in_home(home.path(), ["serve"]), json!({}), defaults);
    assert_eq!(client.result("hooks/run", call("ls"))["verdict"]["hooks"][0]["outcome"], "Untrusted");
    assert_eq!(in_home(home.path(), ["trust", "--yes"]).output().code, Some(0));
    assert_eq!(client.result("hooks/run", call("ls"))["verdict"]["hooks"][0]["outcome"], "NoOpinion");
}
