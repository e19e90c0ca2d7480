//! Guest rules: hosts that spawn, ignore signals, or have little stack.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

#[cfg(target_os = "linux")]
use hookshell_test_support::eventually;
#[cfg(unix)]
use hookshell_test_support::run_program;
use hookshell_test_support::{MAX_WAIT, within};
#[cfg(target_os = "linux")]
use hookshell_tests::contract::ProcessState;
use hookshell_tests::contract::in_own_process;
#[cfg(unix)]
use hookshell_tests::contract::set_disposition;
use serde_json::{Value, json};

use crate::place;

const HELPER: &str = env!("CARGO_BIN_EXE_hookshell-test-helper");

#[test]
fn a_host_that_spawns_its_own_children_meanwhile_gets_every_status() {
    in_own_process("host::a_host_that_spawns_its_own_children_meanwhile_gets_every_status", || {
        let place = place();
        let hooks: Vec<Value> = (0..8)
            .map(|n| json!({"command": format!("tool exit {n}; [ $? = {n} ] || exit 9; tool say a | tool cat-stdin > f{n}; ./s{n}")}))
            .collect();
        for n in 0..8 {
            place.script(&format!("s{n}"), "#!/usr/bin/env tool\nexit 2 no\n");
        }
        let over = Arc::new(AtomicBool::new(false));
        let spawners: Vec<_> = (0..3)
            .map(|thread| {
                let over = over.clone();
                thread::spawn(move || {
                    let mut statuses = 0;
                    while !over.load(Ordering::Relaxed) {
                        let code = 20 + thread;
                        let mut child = Command::new(HELPER)
                            .args(["exit", &code.to_string()])
                            .stdin(Stdio::null())
                            .spawn()
                            .unwrap();
                        assert_eq!(child.wait().unwrap().code(), Some(code), "the host's own child");
                        statuses += 1;
                    }
                    statuses
                })
            })
            .collect();
        let runner = place.runner(&hooks);
        // Under Wine a process takes some tenths of a second, and each round starts forty beside the host's own.
        let rounds = if std::env::var_os("UNDER_WINE").is_some() { 2 } else { 5 };
        for _ in 0..rounds {
            let seen = place.through(runner.clone(), &json!({}));
            assert_eq!(seen.outcomes(), vec!["Decided"; 8], "{seen:?}");
            assert_eq!(seen.code, 2);
        }
        over.store(true, Ordering::Relaxed);
        let statuses: Vec<i32> = spawners.into_iter().map(|spawner| spawner.join().unwrap()).collect();
        assert!(statuses.iter().all(|count| *count > 0), "{statuses:?}");
    });
}

#[test]
fn a_timeout_kills_no_child_of_the_host() {
    in_own_process("host::a_timeout_kills_no_child_of_the_host", || {
        let place = place();
        let mut own = Command::new(HELPER).args(["sleep", "30000"]).spawn().unwrap();
        let command =
            format!("kill -0 {pid}; echo $? > seen; kill {pid}; kill -9 {pid}; tool sleep 60000", pid = own.id());
        let seen = place.through_runner(&[json!({"command": command, "timeout": 2})], &json!({}));
        assert_eq!(seen.outcomes(), ["TimedOut"], "{seen:?}");
        assert_eq!(place.read("seen"), "1\n", "a hook's kill knows no child of the host");
        assert_eq!(own.try_wait().unwrap(), None, "the host's child lives");
        own.kill().unwrap();
        own.wait().unwrap();
    });
}

#[cfg(unix)]
#[test]
fn a_host_that_ignores_sigchld_gets_status_lost_and_never_0() {
    in_own_process("host::a_host_that_ignores_sigchld_gets_status_lost_and_never_0", || {
        set_disposition(libc::SIGCHLD, libc::SIG_IGN);
        let place = place();
        place.script("s", "#!/usr/bin/env tool\nexit $1\n");
        let commands = [
            "tool exit 0",
            "tool exit 2",
            "tool exit 49",
            "./s 0",
            "./s 2",
            "true | tool exit 0",
            "(tool exit 2)",
            "tool exit 2; exit",
        ];
        let hooks: Vec<Value> = commands.iter().map(|command| json!({"command": command})).collect();
        for _ in 0..3 {
            let seen = place.through_runner(&hooks, &json!({}));
            assert_eq!(seen.outcomes(), vec!["StatusLost"; commands.len()], "{seen:?}");
            for hook in seen.hooks() {
                assert_ne!(hook["exit_code"], json!(0), "{hook}");
                assert!(hook["reason"].as_str().unwrap().contains("exit status was lost"), "{hook}");
            }
        }
        // Not one counts as success, and a guard whose status is lost denies where it says so.
        let seen =
            place.through_runner(&[json!({"command": "tool exit 0 && exit 49", "on_failure": "deny"})], &json!({}));
        assert_eq!(seen.code, 2, "{seen:?}");
        // Shell code needs no child's status.
        let seen = place.through_runner(&[json!({"command": "echo $(echo no) >&2; exit 2"})], &json!({}));
        assert_eq!((seen.code, seen.text("reason")), (2, "no"), "{seen:?}");
    });
}

#[cfg(unix)]
#[test]
fn the_binary_needs_no_help_from_a_parent_that_ignores_sigchld() {
    let place = place();
    let hooks = [json!({"command": "tool exit 2 no"}), json!({"command": "tool exit 0"})];
    // Ignored signals are inherited.
    let config = place.script("c.json", json!({"hooks": {"PreToolUse": hooks}}).to_string());
    let config = config.to_str().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' CHLD; exec hs run PreToolUse --tool bash --config \"$1\"", "sh", config]);
    command.current_dir(place.path()).env_clear().envs(place.env());
    let ran = run_program(command, b"", MAX_WAIT);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stdout.contains("\"reason\":\"no\"") && !ran.stdout.contains("StatusLost"), "{ran:?}");
}

#[cfg(unix)]
#[test]
fn a_host_with_sigpipe_default_is_not_killed() {
    in_own_process("host::a_host_with_sigpipe_default_is_not_killed", || {
        set_disposition(libc::SIGPIPE, libc::SIG_DFL);
        let place = place();
        let large = json!({"text": "x".repeat(2_000_000)});
        let commands = [
            "while :; do echo y; done | head -n 1 > /dev/null; exit 2",
            "tool ignore-stdin > /dev/null; exit 2",
            "tool first 3 > /dev/null; exit 2",
            "exec 0<&-; exit 2",
            "cat | head -c 3 > /dev/null; exit 2",
            "{ tool say a; cat; echo b; } | tool exit 0; exit 2",
            "printf '%0200000d' 1 | tool exit 0; exit 2",
        ];
        let hooks: Vec<Value> = commands.iter().map(|command| json!({"command": command})).collect();
        for _ in 0..3 {
            let seen = place.through_runner(&hooks, &large);
            assert_eq!(seen.outcomes(), vec!["Decided"; commands.len()]);
            assert_eq!(seen.code, 2);
        }
        // A child of a hook has the default itself: it is ended by the signal and says nothing.
        let seen = place.through_runner(
            &[json!({"command": "set -o pipefail; tool yes | head -n 1 >&2; exit $(($? == 141 ? 2 : 3))"})],
            &json!({}),
        );
        assert!(seen.code == 2 || seen.hooks()[0]["exit_code"] == 3, "{seen:?}");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn signals_umask_cwd_and_environment_are_as_before() {
    in_own_process("host::signals_umask_cwd_and_environment_are_as_before", || {
        let before = ProcessState::now();
        let place = place();
        let commands = [
            "umask 0; cd /; export A=1; trap '' TERM; trap 'echo x' INT USR1 EXIT CHLD; kill -INT $$; exit 3",
            "ulimit -n 64 2>/dev/null; set -m; tool say a | cat > /dev/null; exit 3",
            "exec tool exit 3",
            "exec 0<&- 1>&- 2>&-; tool exit 3",
            "kill -TERM $$",
            "kill -KILL $$",
            "trap 'exit 3' TERM; kill $$; sleep 30",
        ];
        for command in commands {
            let runner = place.runner(&[json!({"command": command})]);
            let event = place.event(&json!({}));
            // On this very thread: its mask is compared too.
            let verdict = runner.run_blocking(&event);
            assert_eq!(verdict.hooks.len(), 1);
            assert!(verdict.hooks[0].outcome.is_failure(), "{command}: {}", verdict.to_json());
            let after = || {
                let mut after = ProcessState::now();
                after.threads = before.threads;
                after.descriptors.clone_from(&before.descriptors);
                after.children.clear();
                after
            };
            // The end of a child is pending for a moment where the host's other thread, which is the test's own, blocks signals.
            let until = Instant::now() + MAX_WAIT;
            while after() != before && Instant::now() < until {
                thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(before, after(), "{command}");
        }
    });
}

#[test]
fn a_host_may_call_from_a_thread_of_512_kib() {
    let place = place();
    place.script(
        "deep.sh",
        format!(
            "f() {{ [ $1 = 0 ] || f $(($1 - 1)); }}; f 900; {}echo deep >&2{}; exit 2\n",
            "{ ".repeat(50),
            "; }".repeat(50)
        ),
    );
    let hooks = [
        json!({"command": "./deep.sh"}),
        json!({"command": "f() { f; }; f"}),
        json!({"command": "( ".repeat(100_000)}),
        json!({"command": format!("x={}; echo ${{#x}} >&2; exit 2", "$(( ".repeat(20_000))}),
    ];
    let runner = place.runner(&hooks);
    let event = place.event(&json!({}));
    let (outcomes, code) = within(MAX_WAIT, "a small stack", move || {
        let call = move || {
            let verdict = runner.run_blocking(&event);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let again = runtime.block_on(runner.run(&event));
            let outcomes = |verdict: &hookshell_runner::Verdict| {
                verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect::<Vec<_>>()
            };
            assert_eq!(outcomes(&verdict), outcomes(&again));
            assert!(verdict.opinion.reason.as_ref().unwrap().starts_with("deep"), "{verdict:?}");
            // What holds the parsed programs is dropped here too.
            drop(runner);
            (outcomes(&verdict), verdict.exit_code())
        };
        thread::Builder::new().stack_size(512 * 1024).spawn(call).unwrap().join().unwrap()
    });
    assert_eq!(outcomes, ["Decided", "LimitExceeded", "Decided", "Decided"]);
    assert_eq!(code, 2);
}

#[test]
fn a_runner_is_shared_by_threads() {
    let place = place();
    let runner = place.runner(&[json!({"command": "tool env CRUSH_TOOL_INPUT_COMMAND >&2; exit 2"})]);
    let threads: Vec<_> = (0..6)
        .map(|n| {
            let (runner, event) = (runner.clone(), place.event(&json!({"command": format!("call {n}")})));
            thread::spawn(move || {
                for _ in 0..5 {
                    let verdict = runner.run_blocking(&event);
                    assert_eq!(verdict.opinion.reason.as_deref().map(str::trim_end), Some(&*format!("call {n}")));
                    thread::sleep(Duration::from_millis(1));
                }
            })
        })
        .collect();
    within(MAX_WAIT, "threads that share a runner", || threads.into_iter().for_each(|thread| thread.join().unwrap()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_waits_for_the_other_side_of_a_fifo_ends_with_its_hook() {
    in_own_process("host::a_thread_that_waits_for_the_other_side_of_a_fifo_ends_with_its_hook", || {
        let place = place();
        let hooks = [
            "mkfifo a; cat < a",
            "mkfifo b; echo x > b",
            "mkfifo c; cat < c & echo x | tee c > d & wait; echo x > c",
            // Utilities open them, too.
            "mkfifo e; cat e",
            "mkfifo f; echo x | tee f",
            "mkfifo g; echo x | sed 'w g'",
            // Nobody can open the other side by a name that is gone.
            "mkfifo h; (sleep .3; rm h) & cat < h",
            "mkfifo i; (sleep .3; rm i) & cat i",
            "mkfifo j; (sleep .3; rm j) & echo x | tee j",
        ];
        let hooks = hooks.map(|command| json!({"command": command, "timeout": 1}));
        let seen = place.through_runner(&hooks, &json!({}));
        assert_eq!(seen.outcomes(), vec!["TimedOut"; 9], "{seen:?}");
        let waiting = || {
            let tasks = std::fs::read_dir("/proc/self/task").unwrap();
            let names = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).ok());
            names.filter(|name| name.starts_with("hookshell-block")).count()
        };
        eventually("the threads end", || waiting() == 0);
    });
}
