//! Row "Concurrency: 10 hooks in parallel don't leak env/cwd/state between runners", nor into the host.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hookshell_test_support::{MAX_WAIT, eventually, within};
use hookshell_tests::contract::{ProcessState, in_own_process};
use serde_json::{Value, json};

use crate::place;

/// Ten hooks that change everything that a shell has, wait for each other, and then look at what they have.
fn ten() -> Vec<Value> {
    let hook = |index: usize| {
        let command = format!(
            "n={index}; mkdir -p d$n; cd d$n; export MINE=v$n; umask 0{octal}; set -f; f() {{ echo \"f$n\"; }}; \
             trap 'echo trap$n' EXIT; set -- $n $n $n; readonly R=$n; \
             : > ../here.$n; until [ -e ../all ]; do \
             m=0; while [ $m -lt 10 ]; do [ -e ../here.$m ] || break; m=$((m + 1)); done; \
             [ $m -eq 10 ] && : > ../all; sleep 0.01; done; IFS=$n; \
             tool env MINE; tool cwd > cwd; exec 7>out; \
             echo \"$MINE ${{PWD##*/}} $(f) $(umask) $# $R ${{OTHER-unset}} $IFS $-\" >&7; \
             (cd ..; MINE=sub; umask 077; exit 3); echo \"$? $MINE ${{PWD##*/}} $(umask)\" >&7; echo \"$$\" > pid; exit 1",
            octal = index % 8,
        );
        json!({"name": index.to_string(), "command": command})
    };
    (0..10).map(hook).collect()
}

#[test]
fn ten_hooks_in_parallel_leak_nothing_into_each_other() {
    for front in 0..2 {
        // A directory for each front: what the first has left in it may be held open for a moment (on Windows).
        let place = place();
        let seen =
            if front == 0 { place.through_runner(&ten(), &json!({})) } else { place.through_run(&ten(), &json!({})) };
        assert_eq!(seen.outcomes(), vec!["ExitCode"; 10], "{seen:?}");
        for index in 0..10 {
            let umask = index % 8;
            let out = place.read(&format!("d{index}/out"));
            let expected = format!("v{index} d{index} f{index} 000{umask} 3 {index} unset {index} ");
            assert!(out.starts_with(&expected), "{}: {out:?}", seen.front);
            assert!(out.ends_with(&format!("\n3 v{index} d{index} 000{umask}\n")), "{}: {out:?}", seen.front);
            let cwd = place.read(&format!("d{index}/cwd"));
            assert!(
                cwd.trim_end().trim_end_matches(['/', '\\']).ends_with(&format!("d{index}")),
                "{}: {cwd:?}",
                seen.front
            );
        }
        let ids: BTreeSet<String> = (0..10).map(|index| place.read(&format!("d{index}/pid"))).collect();
        assert_eq!(ids.len(), 10, "{}: two hooks share a $$: {ids:?}", seen.front);
        for id in ids {
            assert!(id.trim().parse::<u32>().unwrap() > 1 << 22, "{}: {id}", seen.front);
        }
    }
}

#[test]
fn ids_are_distinct_between_hooks_runs_and_processes() {
    let place = place();
    let hooks: Vec<Value> = (0..10)
        .map(|n| json!({"command": format!(": {n}; echo $$ $BASHPID >> ids.{n}; (echo $$ $BASHPID >> subs.{n})")}))
        .collect();
    place.through_run(&hooks, &json!({}));
    place.through_run(&hooks, &json!({}));
    let runner = place.runner(&hooks);
    place.through(runner.clone(), &json!({}));
    place.through(runner, &json!({}));
    // A file for each hook: that appending at the same time loses nothing is not what is asked here, and Wine loses some.
    let all = |name: &str| (0..10).map(|n| place.read(&format!("{name}.{n}"))).collect::<String>();
    let ids = all("ids");
    let distinct: BTreeSet<&str> = ids.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!((ids.lines().count(), distinct.len()), (40, 40), "{ids}");
    for line in ids.lines() {
        let (process, own) = line.split_once(' ').unwrap();
        assert_eq!(process, own);
    }
    let subs = all("subs");
    for line in subs.lines() {
        let (process, own) = line.split_once(' ').unwrap();
        assert!(distinct.contains(process), "$$ is the hook's in a subshell too: {line}");
        assert_ne!(process, own, "BASHPID is the subshell's own");
    }
}

#[test]
fn ten_hooks_in_parallel_leak_nothing_into_the_host() {
    in_own_process("parallel::ten_hooks_in_parallel_leak_nothing_into_the_host", || {
        let place = place();
        let mut hooks = ten();
        // What leaves threads, descriptors and processes behind if anything does.
        hooks.extend([
            json!({"command": "tool yes | head -n 1 > /dev/null; exec 9</dev/null; exit 1"}),
            json!({"command": "tool cat-stdin | tool count > /dev/null; ./missing"}),
            json!({"command": "x=$(echo a | tool cat-stdin | cat); sleep 60", "timeout": 0.3}),
            json!({"command": "tool sleep 60000 | cat", "timeout": 0.3}),
            json!({"command": "read -r x < /dev/null; cd /; export HOST_MUST_NOT_SEE=1; trap '' TERM INT CHLD PIPE; exit 3"}),
            json!({"command": "if"}),
            json!({"command": "tool say no >&2; exit 2"}),
        ]);
        let runner = place.runner(&hooks);
        let event = place.event(&json!({"command": "ls"}));
        let run = |times: usize| {
            for _ in 0..times {
                let (runner, event) = (runner.clone(), event.clone());
                let verdict = within(MAX_WAIT, "ten hooks", move || runner.run_blocking(&event));
                assert_eq!((verdict.exit_code(), verdict.hooks.len()), (2, 17), "{}", verdict.to_json());
                for entry in std::fs::read_dir(place.path()).unwrap() {
                    let path = entry.unwrap().path();
                    let name = path.file_name().unwrap().to_str().unwrap();
                    if name == "all" || name.starts_with("here.") {
                        std::fs::remove_file(&path).unwrap();
                    }
                }
            }
        };
        let before = ProcessState::now();
        run(2);
        // The pool's idle threads stay, for a while.
        eventually("all children of the first runs are gone", || ProcessState::now().children.is_empty());
        eventually("all descriptors of the first runs are closed", || {
            ProcessState::now().descriptors.len() <= before.descriptors.len() + 4
        });
        let warm = ProcessState::now();
        run(6);
        eventually("all children are gone", || ProcessState::now().children.is_empty());
        eventually("no thread is added by more runs", || ProcessState::now().threads <= warm.threads);
        eventually("no descriptor is added by more runs", || {
            ProcessState::now().descriptors.len() <= warm.descriptors.len()
        });
        // The rest is exactly as it was, as soon as the last signal of a child has come: cwd, environment, umask, dispositions, mask,
        // groups.
        let settled = || {
            let mut state = ProcessState::now();
            state.threads = before.threads;
            if state.descriptors.len() <= before.descriptors.len() {
                state.descriptors.clone_from(&before.descriptors);
            }
            state
        };
        let until = Instant::now() + MAX_WAIT;
        while settled() != before && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(before, settled());
    });
}

#[test]
fn fifty_hooks_in_parallel_each_with_a_program() {
    let place = place();
    let hooks: Vec<Value> = (0..50)
        .map(|n| {
            let command = format!("x=$(cat | tool count); MINE={n} tool env MINE >out.{n}; [ $x -gt 10 ] && exit 1{n}");
            json!({"name": n.to_string(), "command": command})
        })
        .collect();
    let seen = place.through_runner(&hooks, &json!({"command": "ls"}));
    assert_eq!(seen.hooks().len(), 50);
    for (n, hook) in seen.hooks().iter().enumerate() {
        assert_eq!(hook["name"], n.to_string(), "results are in config order");
        let code = format!("1{n}").parse::<u32>().unwrap() % 256;
        assert_eq!(hook["exit_code"], code, "{hook}");
        assert!(place.read(&format!("out.{n}")).contains(&n.to_string()));
    }
}
