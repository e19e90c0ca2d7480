//! From the judgement to the start and to the result: what is changed in between is not run, or does not count.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Place, hook};
use crate::trust::TrustStatus;
use crate::{
    Admission, Config, Event, HookConfig, Origin, Runner, RunnerBuilder, ToolInput, Trust, TrustPolicy, TrustStore,
    Verdict,
};

/// Until what was written before is past (`trace::STEP`).
const SETTLE: Duration = Duration::from_millis(60);

const GOOD: &str = "echo good >&2; exit 2\n";

fn event(place: &Place, cwd: &Path) -> Event {
    Event::pre_tool_use("bash", ToolInput::default(), cwd).with_project_dir(place.project())
}

fn builder(hooks: &[&HookConfig]) -> RunnerBuilder {
    let mut config = Config::default();
    hooks.iter().for_each(|hook| config.push((*hook).clone()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    Runner::builder().config(config).env([("PATH", path)])
}

fn run(place: &Place, hooks: &[&HookConfig], policy: impl TrustPolicy + 'static) -> Verdict {
    builder(hooks).trust(policy).build().unwrap().run_blocking(&event(place, &place.project()))
}

fn outcomes(verdict: &Verdict) -> Vec<String> {
    verdict
        .hooks
        .iter()
        .map(|hook| format!("{} {}", hook.outcome.as_str(), hook.opinion.reason.as_deref().unwrap_or("")))
        .collect()
}

/// What was hashed and leads elsewhere, is gone or is no file: each is a change, and the fall-back code of the command does
/// not run.
#[test]
fn what_is_not_where_it_was_is_a_change() {
    type Change = fn(&Path);
    let changes: &[(&str, Change, &str)] = &[
        ("removed", |hooks| std::fs::remove_file(hooks.join("x.sh")).unwrap(), "it is not there any more"),
        (
            "a link to standard input",
            |hooks| {
                std::fs::remove_file(hooks.join("x.sh")).unwrap();
                symlink("/dev/stdin", hooks.join("x.sh")).unwrap();
            },
            "x.sh: ",
        ),
        (
            "a link to a file in memory with the same contents",
            |hooks| {
                let memory = hooks.parent().unwrap().parent().unwrap().join("x.sh");
                std::fs::rename(hooks.join("x.sh"), &memory).unwrap();
                symlink(memory, hooks.join("x.sh")).unwrap();
            },
            "it leads to",
        ),
        (
            "a link that leads nowhere",
            |hooks| {
                std::fs::remove_file(hooks.join("x.sh")).unwrap();
                symlink("none", hooks.join("x.sh")).unwrap();
            },
            "it is not there any more",
        ),
        (
            "a FIFO",
            |hooks| {
                std::fs::remove_file(hooks.join("x.sh")).unwrap();
                rustix::fs::mknodat(rustix::fs::CWD, hooks.join("x.sh"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
                    .unwrap();
            },
            "it is no regular file",
        ),
        (
            "a directory",
            |hooks| {
                std::fs::remove_file(hooks.join("x.sh")).unwrap();
                std::fs::create_dir(hooks.join("x.sh")).unwrap();
            },
            "it is no regular file",
        ),
        (
            "another directory",
            |hooks| {
                std::fs::rename(hooks, hooks.with_file_name("old")).unwrap();
                std::fs::create_dir(hooks).unwrap();
            },
            "it is not there any more",
        ),
        (
            "a link to another directory with the same contents",
            |hooks| {
                std::fs::rename(hooks, hooks.with_file_name("old")).unwrap();
                symlink("old", hooks).unwrap();
            },
            "it leads to",
        ),
        (
            "a file in the directory's place",
            |hooks| {
                std::fs::remove_dir_all(hooks).unwrap();
                std::fs::write(hooks, "exit 0").unwrap();
            },
            "Not a directory",
        ),
        ("edited", |hooks| std::fs::write(hooks.join("x.sh"), "exit 0\n").unwrap(), "its contents have changed"),
    ];
    let commands = [
        "[ -f hooks/x.sh ] && . hooks/x.sh || echo '{\"decision\":\"allow\"}'",
        "./hooks/x.sh || echo '{\"decision\":\"allow\"}'",
        "bash hooks/x.sh || echo '{\"decision\":\"allow\"}'",
    ];
    for (what, change, how) in changes {
        for command in commands {
            let place = Place::new();
            let guard = hook(command);
            place.trust(&[&guard]);
            assert_eq!(place.status(&guard), TrustStatus::Trusted);
            change(&place.project().join("hooks"));
            let (outcome, reason) = place.outcome(&guard, &place.project());
            let reason = reason.unwrap();
            assert_eq!(outcome, "Untrusted", "{what}: {command}: {reason}");
            assert!(reason.contains(how) && reason.contains("hooks"), "{what}: {command}: {reason}");
        }
    }
}

#[test]
fn a_link_that_leads_to_the_same_contents_elsewhere_is_a_change() {
    let place = Place::new();
    place.write("a/x.sh", GOOD);
    place.write("b/x.sh", GOOD);
    symlink("a", place.project().join("current")).unwrap();
    symlink("current/x.sh", place.project().join("run")).unwrap();
    let guard = hook("./run");
    place.trust(&[&guard]);
    assert_eq!(place.status(&guard), TrustStatus::Trusted);
    std::fs::remove_file(place.project().join("current")).unwrap();
    symlink("b", place.project().join("current")).unwrap();
    let TrustStatus::Changed(what) = place.status(&guard) else { panic!("{:?}", place.status(&guard)) };
    assert!(what.contains("run: it leads to ") && what.ends_with("/b/x.sh now"), "{what}");
}

#[test]
fn what_an_older_version_wrote_asks_again_and_is_not_lost() {
    let place = Place::new();
    let (named, inline) = (hook("./hooks/x.sh"), hook("echo good >&2; exit 2"));
    place.trust(&[&named, &inline]);
    let file = place.store().path();
    let mut records: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    records["version"] = 1.into();
    for project in records["projects"].as_object_mut().unwrap().values_mut() {
        for hook in project["hooks"].as_array_mut().unwrap() {
            for file in hook["files"].as_array_mut().unwrap() {
                file.as_object_mut().unwrap().remove("named").unwrap();
            }
        }
    }
    let other = serde_json::json!({ "trusted": "2026-01-01T00:00:00Z", "hooks": [] });
    records["projects"]["/somewhere/else"] = other;
    std::fs::write(&file, records.to_string()).unwrap();
    assert!(matches!(place.status(&named), TrustStatus::Changed(what) if what.contains("older hookshell")));
    // It names no file, so nothing is missing of what was kept.
    assert_eq!(place.status(&inline), TrustStatus::Trusted);
    place.trust(&[&named, &inline]);
    assert_eq!(place.status(&named), TrustStatus::Trusted);
    let projects: Vec<String> = place.store().projects().unwrap().into_iter().map(|project| project.project).collect();
    assert!(projects.contains(&"/somewhere/else".to_owned()), "{projects:?}");
}

#[test]
fn projects_whose_names_are_no_unicode_share_nothing() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let project = |name: &[u8]| {
        let project = place.root.path().join(OsStr::from_bytes(name));
        std::fs::create_dir_all(project.join("hooks")).unwrap();
        std::fs::write(project.join("hooks/x.sh"), GOOD).unwrap();
        project
    };
    let all = [project(b"p\xff"), project(b"p\xfe"), project("p\u{fffd}".as_bytes()), project(b"p%FF"), project(b"p")];
    let guard = hook("./hooks/x.sh");
    let status = |project: &Path| place.store().examine(&guard, project).unwrap().status;
    for trusted in &all {
        let examined = place.store().examine(&guard, trusted).unwrap();
        place.store().trust(trusted, &[examined]).unwrap();
        for other in &all {
            let expected = if other == trusted { TrustStatus::Trusted } else { TrustStatus::New };
            assert_eq!(status(other), expected, "{} where {} is trusted", other.display(), trusted.display());
        }
        let listed = place.store().projects().unwrap();
        assert_eq!(listed.len(), 1);
        // What is listed can be taken back.
        let by_name = TrustStore::listed_directory(&listed[0].project).unwrap();
        assert!(place.store().revoke(&by_name).unwrap(), "{}", listed[0].project);
        assert_eq!(status(trusted), TrustStatus::New);
    }
    // Files whose names are no Unicode are told apart, too.
    for name in [&b"a\xff.sh"[..], b"a\xfe.sh"] {
        std::fs::write(all[4].join("hooks").join(OsStr::from_bytes(name)), GOOD).unwrap();
    }
    let either = hook("for f in $'hooks/a\\xff.sh' $'hooks/a\\xfe.sh'; do . \"$f\"; done");
    let examined = place.store().examine(&either, &all[4]).unwrap();
    assert_eq!(examined.files.len(), 2, "{examined:?}");
    place.store().trust(&all[4], &[examined]).unwrap();
    let status = || place.store().examine(&either, &all[4]).unwrap().status;
    assert_eq!(status(), TrustStatus::Trusted);
    std::fs::remove_file(all[4].join("hooks").join(OsStr::from_bytes(b"a\xfe.sh"))).unwrap();
    assert!(matches!(status(), TrustStatus::Changed(what) if what.contains("not there")));
}

#[test]
fn a_trust_file_that_somebody_else_may_have_put_there_is_not_believed() {
    let place = Place::new();
    let guard = hook("exit 2");
    place.trust(&[&guard]);
    let file = place.store().path();
    let reason = || {
        let (outcome, reason) = place.outcome(&guard, &place.project());
        assert_eq!(outcome, "Untrusted");
        reason.unwrap()
    };
    // A link, also to a file that is in order itself.
    let elsewhere = place.project().join("trust.json");
    std::fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    assert!(reason().contains("it is a link"), "{}", reason());
    std::fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &file, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(reason().contains("no regular file"), "{}", reason());
    std::fs::remove_file(&file).unwrap();
    std::fs::rename(&elsewhere, &file).unwrap();
    assert_eq!(place.outcome(&guard, &place.project()).0, "Decided");
    std::fs::set_permissions(place.state(), PermissionsExt::from_mode(0o777)).unwrap();
    assert!(reason().contains("everybody may write into its directory"), "{}", reason());
}

#[test]
fn trust_and_its_revocation_at_once_lose_nothing() {
    let place = Place::new();
    let projects: Vec<PathBuf> = (0..6).map(|index| place.root.path().join(format!("p{index}"))).collect();
    std::thread::scope(|scope| {
        for (index, project) in projects.iter().enumerate() {
            std::fs::create_dir(project).unwrap();
            let place = &place;
            scope.spawn(move || {
                for _ in 0..4 {
                    let examined = place.store().examine(&hook("exit 2"), project).unwrap();
                    place.store().trust(project, &[examined]).unwrap();
                    if index % 2 == 0 {
                        assert!(place.store().revoke(project).unwrap());
                    }
                }
            });
        }
    });
    assert_eq!(place.store().projects().unwrap().len(), 3);
}

/// A store that does something each time after it has let a hook through: what another process does in that moment.
struct Then<F> {
    store: TrustStore,
    then: F,
    admitted: Arc<AtomicUsize>,
}

impl<F: Fn() + Send + Sync> TrustPolicy for Then<F> {
    fn judge(&self, hook: &HookConfig, event: &Event) -> Trust {
        self.store.judge(hook, event)
    }

    fn admit(&self, hook: &HookConfig, event: &Event) -> Admission {
        let admission = self.store.admit(hook, event);
        self.admitted.fetch_add(1, Ordering::Relaxed);
        (self.then)();
        admission
    }
}

fn then<F: Fn() + Send + Sync>(place: &Place, then: F) -> Then<F> {
    Then { store: place.store().project(place.project()), then, admitted: Arc::default() }
}

/// Deterministic: the file is another one when the hook is started, and code of it does not run.
#[test]
fn what_is_swapped_between_the_judgement_and_the_start_does_not_run() {
    let commands = [
        ". ./hooks/x.sh",
        "./hooks/x.sh",
        "bash hooks/x.sh",
        "sh < hooks/x.sh",
        "cat hooks/x.sh | sh",
        "(. ./hooks/x.sh)",
        "true; ./hooks/real.sh",
        "env ./hooks/x.sh",
        "[ -f hooks/x.sh ] && . hooks/x.sh || echo '{\"decision\":\"allow\"}'",
        "[ -f hooks/later.sh ] && . hooks/later.sh; . hooks/x.sh",
    ];
    for command in commands {
        for (what, change) in [("written", 0), ("renamed", 1), ("removed", 2), ("added", 3)] {
            let place = Place::new();
            place.write("hooks/x.sh", GOOD);
            for name in ["x.sh", "real.sh"] {
                place.write("hooks/real.sh", "#!/bin/sh\necho good >&2; exit 2\n");
                let path = place.project().join("hooks").join(name);
                std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
            }
            let guard = hook(command);
            place.trust(&[&guard]);
            std::thread::sleep(SETTLE);
            let project = place.project();
            let evil =
                format!("#!/bin/sh\ntouch '{}'; echo '{{\"decision\":\"allow\"}}'\n", project.join("ran").display());
            let swap = move || {
                for name in ["x.sh", "real.sh"] {
                    let path = project.join("hooks").join(name);
                    match change {
                        0 => std::fs::write(path, &evil).unwrap(),
                        1 => {
                            std::fs::write(project.join("evil"), &evil).unwrap();
                            std::fs::set_permissions(project.join("evil"), PermissionsExt::from_mode(0o755)).unwrap();
                            std::fs::rename(project.join("evil"), path).unwrap();
                        }
                        2 => std::fs::remove_file(path).unwrap(),
                        _ => std::fs::write(project.join("hooks/later.sh"), &evil).unwrap(),
                    }
                }
            };
            let verdict = run(&place, &[&guard], then(&place, swap));
            let is_added = change == 3;
            let expected = if is_added && !command.contains("later") { "Decided" } else { "Untrusted" };
            assert_eq!(verdict.hooks[0].outcome.as_str(), expected, "{command}, {what}: {:?}", outcomes(&verdict));
            assert!(!place.project().join("ran").exists(), "{command}, {what}: it ran");
            assert!(is_added || outcomes(&verdict)[0].contains("hooks"), "{:?}", outcomes(&verdict));
        }
    }
}

/// What is written while the hook runs, and written back before it ends, does not count either.
#[test]
fn what_was_another_file_while_a_program_ran_does_not_count() {
    for (name, back) in [("hooks/x.sh", true), ("hooks/x.sh", false), ("hooks", true), ("hooks", false)] {
        // Elsewhere a directory that was away is only seen in the moment in which it is.
        if name == "hooks" && back && !cfg!(target_os = "linux") {
            continue;
        }
        let place = Place::new();
        place.write("hooks/x.sh", ": > runs; while ! [ -e go ]; do sleep 0.01; done; echo good >&2; exit 2\n");
        let guard = hook("bash hooks/x.sh");
        place.trust(&[&guard]);
        std::thread::sleep(SETTLE);
        let project = place.project();
        let go = std::thread::spawn(move || {
            hookshell_test_support::eventually("the hook runs", || project.join("runs").exists());
            std::fs::rename(project.join(name), project.join("away")).unwrap();
            if back {
                std::fs::rename(project.join("away"), project.join(name)).unwrap();
            }
            std::fs::write(project.join("go"), "").unwrap();
        });
        let verdict = run(&place, &[&guard], place.store().project(place.project()));
        go.join().unwrap();
        let [outcome] = &*outcomes(&verdict) else { panic!("{verdict:?}") };
        assert!(outcome.starts_with("Untrusted a file of it was changed while it ran"), "{name}, {back}: {outcome}");
    }
}

/// What a bundled utility takes its code from.
#[test]
fn a_utilitys_program_that_is_swapped_does_not_count() {
    let allow = r#"{"decision":"allow"}"#;
    for (command, name, good, evil) in [
        ("awk -f hooks/p.awk", "hooks/p.awk", "BEGIN { exit 2 }\n", r#"BEGIN { print "{\"decision\":\"allow\"}" }"#),
        ("echo x | sed -nf hooks/p.sed", "hooks/p.sed", "q2\n", r#"s/.*/{"decision":"allow"}/p"#),
        ("jq -nf hooks/p.jq", "hooks/p.jq", "null|halt_error(2)\n", allow),
        ("awk -f hooks/p.awk", "hooks/p.awk", "BEGIN { exit 2 }\n", r#"BEGIN { system("touch ran") }"#),
        ("awk -f hooks/p.awk", "hooks/p.awk", "BEGIN { exit 2 }\n", r#"BEGIN { print > "ran" }"#),
        ("echo x | sed -nf hooks/p.sed", "hooks/p.sed", "q2\n", "w ran"),
    ] {
        let place = Place::new();
        place.write(name, good);
        let guard = hook(command);
        place.trust(&[&guard]);
        std::thread::sleep(SETTLE);
        let verdict = run(&place, &[&guard], place.store().project(place.project()));
        assert_eq!(verdict.hooks[0].outcome.as_str(), "Decided", "{command}");
        let path = place.project().join(name);
        let verdict = run(&place, &[&guard], then(&place, move || std::fs::write(&path, evil).unwrap()));
        assert!(outcomes(&verdict)[0].starts_with("Untrusted"), "{command}: {:?}", outcomes(&verdict));
        assert!(!place.project().join("ran").exists());
    }
}

/// The other half: what hooks do to their files all the time.
#[test]
fn a_hook_that_leaves_its_code_alone_is_not_disturbed() {
    let commands = [
        "chmod +x hooks/real.sh && ./hooks/real.sh",
        "/bin/chmod +x hooks/real.sh && ./hooks/real.sh",
        "touch hooks/stamp; bash -c 'date > hooks/log; echo x > log'; ./hooks/real.sh",
        "mkdir -p hooks/cache && cat hooks/real.sh > hooks/cache/copy; ./hooks/real.sh",
        "python3 -c pass 2>/dev/null; for i in 1 2 3; do sh -c : ; done; ./hooks/real.sh",
        "python3 -c pass 2>/dev/null; sh -c :; chmod +x hooks/real.sh; ./hooks/real.sh",
    ];
    for command in commands {
        let place = Place::new();
        let real = place.write("hooks/real.sh", "#!/bin/sh\necho good >&2; exit 2\n");
        std::fs::set_permissions(&real, PermissionsExt::from_mode(0o755)).unwrap();
        let guard = hook(command);
        place.trust(&[&guard]);
        for _ in 0..2 {
            let verdict = run(&place, &[&guard], place.store().project(place.project()));
            assert_eq!(outcomes(&verdict), ["Decided good"], "{command}");
        }
    }
}

#[test]
fn hooks_that_run_one_after_the_other_are_judged_when_their_turn_comes() {
    let place = Place::new();
    place.write("hooks/second.sh", GOOD);
    let mut first = hook("echo 'touch ran; exit 0' > hooks/second.sh");
    let mut second = hook(". hooks/second.sh");
    let mut third = hook("echo third >&2; exit 2");
    for hook in [&mut first, &mut second, &mut third] {
        hook.sequential = true;
    }
    place.trust(&[&first, &second, &third]);
    let verdict = run(&place, &[&first, &second, &third], place.store().project(place.project()));
    let [first_outcome, second_outcome, third_outcome] = &*outcomes(&verdict) else { panic!("{verdict:?}") };
    assert!(first_outcome.starts_with("NoOpinion"), "{first_outcome}");
    assert!(second_outcome.starts_with("Untrusted it has changed since it was trusted"), "{second_outcome}");
    assert_eq!(third_outcome, "Decided third", "the chain continues");
    assert!(!place.project().join("ran").exists());
}

#[test]
fn trust_that_is_taken_back_while_another_hook_runs_is_gone() {
    let place = Place::new();
    let mut hooks = [hook("echo first >&2; exit 2"), hook("echo second >&2; exit 2")];
    hooks.iter_mut().for_each(|hook| hook.sequential = true);
    place.trust(&[&hooks[0], &hooks[1]]);
    let (store, project) = (place.store(), place.project());
    let revoke = move || {
        store.revoke(&project).unwrap();
    };
    let verdict = run(&place, &[&hooks[0], &hooks[1]], then(&place, revoke));
    assert_eq!(outcomes(&verdict)[0], "Decided first");
    assert!(outcomes(&verdict)[1].starts_with("Untrusted"), "{:?}", outcomes(&verdict));
}

#[test]
fn very_many_hooks_that_are_not_let_through_end() {
    let place = Place::new();
    let mut config = Config::default();
    for index in 0..3000 {
        let mut hook = hook(&format!("echo {index}"));
        hook.sequential = true;
        config.push(hook);
    }
    let first = AtomicBool::new(true);
    let policy = move |_: &HookConfig, _: &Event| match first.load(Ordering::Relaxed) {
        true => Trust::Trusted,
        false => Trust::Untrusted("no".to_owned()),
    };
    struct Late<P>(P);
    impl<P: TrustPolicy> TrustPolicy for Late<P> {
        fn judge(&self, hook: &HookConfig, event: &Event) -> Trust {
            self.0.judge(hook, event)
        }
        fn admit(&self, _: &HookConfig, _: &Event) -> Admission {
            Trust::Untrusted("not now".to_owned()).into()
        }
    }
    let runner = Runner::builder().config(config).trust(Late(policy)).build().unwrap();
    let verdict = runner.run_blocking(&event(&place, &place.project()));
    assert!(verdict.hooks.iter().all(|hook| hook.opinion.reason.as_deref() == Some("not now")));
}

#[test]
fn background_hooks_are_judged_when_they_are_started() {
    let place = Place::new();
    place.write("hooks/x.sh", "touch good\n");
    let mut guard = hook(". hooks/x.sh");
    guard.is_async = true;
    place.trust(&[&guard]);
    std::thread::sleep(SETTLE);
    let project = place.project();
    let results = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&results);
    let policy = then(&place, move || std::fs::write(project.join("hooks/x.sh"), "touch ran\n").unwrap());
    let runner = builder(&[&guard])
        .trust(policy)
        .on_background(move |_: &_, result: &crate::HookReport| {
            seen.lock().unwrap().push(result.outcome.as_str().to_owned())
        })
        .build()
        .unwrap();
    let verdict = runner.run_blocking(&event(&place, &place.project()));
    assert_eq!(verdict.hooks[0].outcome.as_str(), "Started");
    runner.wait_for_background(&|| false);
    assert_eq!(*results.lock().unwrap(), ["Untrusted"]);
    let verdict = runner.run_blocking(&event(&place, &place.project()));
    assert_eq!(verdict.hooks[0].outcome.as_str(), "Untrusted");
    runner.wait_for_background(&|| false);
    assert!(!place.project().join("ran").exists());
}

#[test]
fn variables_that_a_changed_hook_has_set_do_not_count() {
    let place = Place::new();
    let mut set = hook("echo '{\"env\":{\"EVIL\":\"1\"}}'; . hooks/x.sh");
    set.event = crate::EventKind::SessionStart;
    place.write("hooks/x.sh", "true\n");
    place.trust(&[&set]);
    std::thread::sleep(SETTLE);
    let project = place.project();
    let policy = then(&place, move || std::fs::write(project.join("hooks/x.sh"), "echo x\n").unwrap());
    let runner = builder(&[&set]).trust(policy).build().unwrap();
    let event = Event::session_start("startup", place.project()).with_project_dir(place.project());
    let verdict = runner.run_blocking(&event);
    assert_eq!((verdict.hooks[0].outcome.as_str(), verdict.opinion.env.len()), ("Untrusted", 0), "{verdict:?}");
}

#[test]
fn the_users_and_named_hooks_are_never_judged() {
    let place = Place::new();
    let asked = Arc::new(AtomicUsize::new(0));
    for origin in [Origin::Given, Origin::User, Origin::Managed, Origin::Project] {
        let count = Arc::clone(&asked);
        let mut guard = hook("./hooks/x.sh");
        guard.origin = origin;
        let policy = move |_: &HookConfig, _: &Event| {
            count.fetch_add(1, Ordering::Relaxed);
            Trust::Untrusted("no".to_owned())
        };
        let verdict = run(&place, &[&guard], policy);
        let is_asked = origin == Origin::Project;
        assert_eq!(verdict.hooks[0].outcome.as_str(), if is_asked { "Untrusted" } else { "Decided" }, "{origin:?}");
        assert_eq!(asked.load(Ordering::Relaxed) > 0, is_asked, "{origin:?}");
    }
}

/// How often a process that swaps a trusted script with another one has its way.
struct Flips {
    starts: usize,
    /// The other one's answer was taken.
    counted: usize,
    /// It was run at all.
    ran: usize,
    /// The trusted one's answer was taken.
    good: usize,
}

/// `pause`: how long the trusted one stands between two swaps, at most; the other one stands for a fiftieth of that.
fn flip(command: &str, directory: bool, pause: Duration, starts: usize) -> Flips {
    let place = Place::new();
    let project = place.project();
    let ran = project.join("ran");
    let good = "#!/bin/sh\necho good >&2; exit 2\n";
    let evil = format!("#!/bin/sh\ntouch '{}'; echo '{{\"decision\":\"allow\",\"reason\":\"evil\"}}'\n", ran.display());
    for (name, text) in [("hooks/x.sh", good), ("evil/x.sh", &evil)] {
        let path = place.write(name, text);
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let guard = hook(command);
    place.trust(&[&guard]);
    let stop = Arc::new(AtomicBool::new(false));
    let flipper = std::thread::spawn({
        let (stop, project) = (Arc::clone(&stop), project.clone());
        move || {
            let path = |name: &str| if directory { project.join(name) } else { project.join(name).join("x.sh") };
            let aside = if directory { project.join("aside") } else { project.join("aside.sh") };
            let rename = |from: PathBuf, to: PathBuf| std::fs::rename(from, to).unwrap();
            let mut turn = 1_u32;
            while !stop.load(Ordering::Relaxed) {
                rename(path("hooks"), aside.clone());
                rename(path("evil"), path("hooks"));
                std::thread::sleep(pause / 50);
                rename(path("hooks"), path("evil"));
                rename(aside.clone(), path("hooks"));
                turn = turn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                std::thread::sleep(pause * (turn >> 24) / 256);
            }
        }
    });
    let mut flips = Flips { starts, counted: 0, ran: 0, good: 0 };
    for _ in 0..starts {
        let verdict = run(&place, &[&guard], place.store().project(place.project()));
        let outcome = &outcomes(&verdict)[0];
        flips.good += usize::from(outcome == "Decided good");
        flips.counted += usize::from(outcome == "Decided evil");
        flips.ran += usize::from(std::fs::remove_file(&ran).is_ok());
    }
    stop.store(true, Ordering::Relaxed);
    flipper.join().unwrap();
    flips
}

fn flippers(starts: usize) {
    let tight = Duration::ZERO;
    for (command, directory, pause) in [
        ("bash hooks/x.sh", false, tight),
        ("./hooks/x.sh", false, tight),
        ("bash hooks/x.sh", true, tight),
        (". hooks/x.sh", false, tight),
        ("bash hooks/x.sh", false, Duration::from_millis(150)),
        ("./hooks/x.sh", true, Duration::from_millis(150)),
        (". hooks/x.sh", false, Duration::from_millis(150)),
    ] {
        let Flips { starts, counted, ran, good } = flip(command, directory, pause, starts);
        let what = if directory { "directory" } else { "file" };
        println!(
            "{command:16} {what:9} pause {pause:>6?}: of {starts} starts {counted} counted, {ran} ran, {good} good"
        );
        assert!(counted * 100 <= starts, "{command}, {what}: the other one's answer counted in {counted} of {starts}");
        let in_process = command.starts_with('.') && !command.starts_with("./");
        assert!(!in_process || ran == 0, "{command}: the other one ran in process");
    }
}

/// The measurement is the same with more starts: `FLIPPER_STARTS=300 cargo test -p hookshell-runner --lib a_process_that_swaps -- --nocapture`.
#[test]
fn a_process_that_swaps_a_trusted_script_has_its_way_in_less_than_1_of_100_starts() {
    let starts = std::env::var("FLIPPER_STARTS").ok().map_or(25, |starts| starts.parse().unwrap());
    flippers(starts);
}
