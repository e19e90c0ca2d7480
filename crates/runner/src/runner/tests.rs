use std::collections::VecDeque;
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{BuildError, RunState, Runner, RunnerBuilder};
use crate::concurrent::Ended;
use crate::config::{Config, HookConfig, OnFailure};
use crate::decision::Decision;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::plan::Awaited;
use crate::tool_input::ToolInput;
use crate::verdict::Verdict;
use crate::work::{Completion, Done, Execute, Running, Work, plain};
use hookshell_dispatch::{Command, End, Environment, Input, Invocation, Outcome, Output};

/// An executor that runs nothing. A command is `STATUS STDOUT` (its stderr is `stderr of STATUS`), or one of
/// - `hang`: never ends, not even when it is cancelled;
/// - `cancellable`: ends when it is cancelled;
/// - `panic`: forgets to report;
/// - `meet`: ends once all of the barrier's are there.
#[derive(Default)]
struct Fake {
    started: Mutex<Vec<Invocation>>,
    cancelled: Arc<Mutex<Vec<String>>>,
    /// With it nothing ends by itself: [`Fake::end`] does it.
    held: Option<Mutex<Vec<Held>>>,
    barrier: Option<Arc<Barrier>>,
    hanging: Mutex<Vec<Done>>,
}

/// A command that was started and not ended; `None` once it was.
type Held = Option<(Invocation, Done)>;

struct FakeHandle {
    command: String,
    cancelled: Arc<Mutex<Vec<String>>>,
    done: Mutex<Option<Done>>,
}

impl Running for FakeHandle {
    fn cancel(&self) {
        self.cancelled.lock().unwrap().push(self.command.clone());
        if let Some(done) = self.done.lock().unwrap().take() {
            done(Outcome::ended(End::Cancelled, Duration::ZERO));
        }
    }
}

fn play(command: &str) -> Outcome {
    let (status, stdout) = command.split_once(' ').unwrap_or((command, ""));
    Outcome {
        status: status.parse().unwrap(),
        stdout: stdout.into(),
        stderr: format!("stderr of {status}\n").into(),
        ..Outcome::ended(End::Exited, Duration::from_millis(7))
    }
}

fn source(invocation: &Invocation) -> &str {
    let Command::Source(source) = &invocation.command else { panic!("a file") };
    std::str::from_utf8(source).unwrap()
}

fn stdin(invocation: &Invocation) -> &[u8] {
    let Input::Bytes(bytes) = &invocation.stdin else { panic!("no bytes") };
    bytes
}

impl Fake {
    /// Ends the command that was started at `index`.
    fn end(&self, index: usize) {
        let held = self.held.as_ref().unwrap();
        let (invocation, done) = held.lock().unwrap()[index].take().unwrap();
        done(play(source(&invocation)));
    }
}

impl Execute for Fake {
    fn wait_for_background(&self, _: &dyn Fn() -> bool) {}

    fn start(&self, invocation: Invocation, done: Done) -> Box<dyn Running> {
        self.started.lock().unwrap().push(invocation.clone());
        let mut handle = FakeHandle {
            command: source(&invocation).to_owned(),
            cancelled: Arc::clone(&self.cancelled),
            done: Mutex::new(None),
        };
        match source(&invocation) {
            _ if self.held.is_some() => {
                self.held.as_ref().unwrap().lock().unwrap().push(Some((invocation, done)));
            }
            "hang" => self.hanging.lock().unwrap().push(done),
            "cancellable" => handle.done = Mutex::new(Some(done)),
            "panic" => drop(done),
            "meet" => {
                let barrier = Arc::clone(self.barrier.as_ref().unwrap());
                std::thread::spawn(move || {
                    barrier.wait();
                    done(play("0"));
                });
            }
            text => done(play(text)),
        }
        Box::new(handle)
    }
}

fn root() -> &'static str {
    if cfg!(windows) { "C:\\w" } else { "/w" }
}

fn event(input: &str) -> Event {
    Event::pre_tool_use("bash", ToolInput::parse(input).unwrap(), root()).with_session_id("s1")
}

fn hooks(commands: &[&str]) -> Config {
    let mut config = Config::default();
    for command in commands {
        let mut hook = HookConfig::new(EventKind::PreToolUse, *command);
        hook.timeout = Duration::from_millis(30);
        config.push(hook);
    }
    config
}

fn builder(fake: &Arc<Fake>) -> RunnerBuilder {
    let executor: Arc<dyn Execute> = Arc::clone(fake) as _;
    Runner::builder().env(Environment::new()).grace(Duration::from_millis(20)).executor(executor)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

/// Waits as a host with a loop of its own does.
fn in_a_loop(runner: &Runner, event: &Event) -> Verdict {
    let waiting = std::thread::current();
    let mut run = runner.start(event.clone(), move |_| waiting.unpark());
    loop {
        match run.poll() {
            RunState::Ended(verdict) => return *verdict,
            RunState::Running(running, until) => {
                std::thread::park_timeout(until.saturating_duration_since(Instant::now()));
                run = running;
            }
        }
    }
}

/// The verdict of all fronts, which must be the same.
fn run(fake: &Arc<Fake>, config: Config, event: &Event) -> Verdict {
    let runner = builder(fake).config(config).build().unwrap();
    let verdict = runner.run_blocking(event);
    for other in [runtime().block_on(runner.run(event)), in_a_loop(&runner, event)] {
        if !verdict.hooks.iter().any(|hook| hook.outcome.is_failure()) {
            assert_eq!(verdict.to_json(), other.to_json());
        }
    }
    verdict
}

fn outcomes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.hooks.iter().map(|hook| hook.outcome.as_str()).collect()
}

#[test]
fn a_runner_is_shared_between_threads_and_its_future_is_spawned() {
    fn check<T: Clone + Send + Sync + 'static>() {}
    check::<Runner>();
    fn spawnable<T: Send + 'static>(_: &T) {}
    let runner = builder(&Arc::default()).build().unwrap();
    spawnable(&runner.run(&event("{}")));
}

#[test]
fn the_verdict_is_one_json_object_with_every_key_in_order() {
    let fake = Arc::default();
    let config = hooks(&["0 {\"updated_input\":{\"command\":\"ls\"},\"context\":[\"a\",\"b\"]}", "1", "0"]);
    let verdict = run(&fake, config, &event(r#"{"n":1.50,"command":"dir"}"#));
    assert_eq!(
        verdict.to_json(),
        r#"{"event":"PreToolUse","decision":null,"halt":false,"reason":null,"context":"a\nb","updated_input":{"n":1.50,"command":"ls"},"updated_prompt":null,"context_files":[],"hooks":[{"name":"0 {\"updated_input\":{\"command\":\"ls\"},\"context\":[\"a\",\"b\"]}","command":"0 {\"updated_input\":{\"command\":\"ls\"},\"context\":[\"a\",\"b\"]}","outcome":"Decided","decision":null,"halt":false,"reason":null,"exit_code":0,"route":"in-process shell","ms":7,"stderr":"stderr of 0\n"},{"name":"1","command":"1","outcome":"ExitCode","decision":null,"halt":false,"reason":"exit code 1: stderr of 1","exit_code":1,"route":"in-process shell","ms":7,"stderr":"stderr of 1\n"},{"name":"0","command":"0","outcome":"NoOpinion","decision":null,"halt":false,"reason":null,"exit_code":0,"route":"in-process shell","ms":7,"stderr":"stderr of 0\n"}]}"#
    );
    assert_eq!(verdict.exit_code(), 0);
}

#[test]
fn exit_codes_of_a_verdict() {
    let cases: [(&[&str], u8); 8] = [
        (&[], 0),
        (&["0"], 0),
        (&["0 {\"decision\":\"allow\"}"], 0),
        (&["0 {\"decision\":\"ask\"}"], 0),
        (&["1", "127"], 0),
        (&["0 {\"decision\":\"allow\"}", "2"], 2),
        (&["2", "49"], 49),
        (&["0 {\"halt\":true}"], 49),
    ];
    for (commands, expected) in cases {
        let verdict = run(&Arc::default(), hooks(commands), &event("{}"));
        assert_eq!(verdict.exit_code(), expected, "{commands:?}");
    }
}

#[test]
fn every_hook_gets_the_payload_the_variables_and_the_working_directory() {
    let fake = Arc::new(Fake::default());
    let runner = builder(&fake)
        .config(hooks(&["0"]))
        .env([("PATH", "/bin"), ("CRUSH_TOOL_INPUT_FILE_PATH", "outer")])
        .output_limit(99)
        .build()
        .unwrap();
    runner.run_blocking(&event(r#"{"command": "ls"}"#));
    let started = fake.started.lock().unwrap();
    let [command] = started.as_slice() else { panic!() };
    let payload = str::from_utf8(stdin(command)).unwrap();
    assert!(payload.ends_with("\"tool_name\":\"bash\",\"tool_input\":{\"command\":\"ls\"}}\n"), "{payload}");
    assert_eq!(command.cwd, std::path::Path::new(root()));
    assert_eq!(command.timeout, Some(Duration::from_millis(30)));
    assert!(matches!(command.output, Output::Capture { limit: 99 }));
    let env = command.base_env.with(&command.env);
    let names: Vec<_> = env.iter().map(|(name, _)| name.to_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "PATH",
            "CRUSH",
            "AGENT",
            "AI_AGENT",
            "CRUSH_EVENT",
            "CRUSH_TOOL_NAME",
            "CRUSH_SESSION_ID",
            "CRUSH_CWD",
            "CRUSH_PROJECT_DIR",
            "CRUSH_TOOL_INPUT_COMMAND"
        ]
    );
}

/// A file of Claude Code's whose PreToolUse has these hooks.
fn of_claude(hooks: &str) -> Config {
    let mut config = Config::in_dialect(Some(crate::dialect::Dialect::Claude));
    let text = format!(r#"{{"hooks":{{"PreToolUse":[{{"hooks":[{hooks}]}}]}}}}"#);
    let errors = config.add(&text, "settings.json");
    assert!(errors.is_empty(), "{errors:?}");
    config
}

#[test]
fn another_agents_hook_keeps_what_the_caller_says_which_agent_it_is() {
    let names = |env: &[(&str, &str)], config: Config| {
        let fake = Arc::new(Fake::default());
        let env: Vec<_> = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        builder(&fake).config(config).env(env).build().unwrap().run_blocking(&event(r#"{"command":"ls"}"#));
        let started = fake.started.lock().unwrap();
        let env = started[0].base_env.with(&started[0].env);
        ["AGENT", "AI_AGENT", "CRUSH"].map(|wanted| {
            let found = env.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| value.to_str().unwrap().to_owned())
        })
    };
    let hook = || of_claude(r#"{"type":"command","command":"0"}"#);
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(names(&[("AGENT", "a"), ("AI_AGENT", "b")], hook()), [text("a"), text("b"), text("1")]);
    let [agent, ai_agent, _] = names(&[], hook());
    assert_eq!(agent, None);
    assert!(ai_agent.unwrap().starts_with("claude-code_"));
    // A hook of ours is told ours.
    assert_eq!(names(&[("AGENT", "a")], hooks(&["0"])), [text("crush"), text("crush"), text("1")]);
}

#[test]
fn of_claude_codes_hooks_one_command_runs_for_each_condition() {
    let cases = [
        (r#"{"type":"command","command":"0","if":"Bash"},{"type":"command","command":"0","if":"Bash(ls *)"}"#, 2),
        (r#"{"type":"command","command":"0"},{"type":"command","command":"0","if":"Bash"}"#, 2),
        (r#"{"type":"command","command":"0","if":"Bash"},{"type":"command","command":"0","if":"Bash"}"#, 1),
        (r#"{"type":"command","command":"0","if":"Bash"},{"type":"command","command":"0","if":"Write"}"#, 1),
        (r#"{"type":"command","command":"0","shell":"bash"},{"type":"command","command":"0"}"#, 1),
        (r#"{"type":"command","command":"0","once":true}"#, 1),
    ];
    for (hooks, count) in cases {
        let fake = Arc::new(Fake::default());
        let runner = builder(&fake).config(of_claude(hooks)).build().unwrap();
        runner.run_blocking(&event(r#"{"command":"ls"}"#));
        assert_eq!(fake.started.lock().unwrap().len(), count, "{hooks}");
        // `once` is a skill's.
        runner.run_blocking(&event(r#"{"command":"ls"}"#));
        assert_eq!(fake.started.lock().unwrap().len(), 2 * count, "{hooks}");
    }
}

#[test]
fn claude_codes_hook_runs_in_the_project_where_its_directory_is_gone() {
    let project = tempfile::tempdir().unwrap();
    let sub = project.path().join("sub");
    for is_there in [false, true] {
        let fake = Arc::new(Fake::default());
        let event = Event::pre_tool_use("bash", ToolInput::parse("{}").unwrap(), &sub);
        run(&fake, of_claude(r#"{"type":"command","command":"0"}"#), &event.with_project_dir(project.path()));
        let started = fake.started.lock().unwrap();
        assert_eq!(started[0].cwd, if is_there { sub.clone() } else { project.path().to_owned() });
        std::fs::create_dir_all(&sub).unwrap();
    }
}

#[test]
fn claude_code_does_not_start_a_hook_that_names_a_plugin_it_is_not_of() {
    for (hook, outcome) in [
        (r#"{"type":"command","command":"0 ${CLAUDE_PLUGIN_ROOT}"}"#, "Spawn"),
        (r#"{"type":"command","command":"0","args":["${CLAUDE_PLUGIN_DATA}"]}"#, "Spawn"),
        (r#"{"type":"command","command":"0 $CLAUDE_PLUGIN_ROOT"}"#, "NoOpinion"),
    ] {
        let fake = Arc::new(Fake::default());
        let verdict = run(&fake, of_claude(hook), &event(r#"{"command":"ls"}"#));
        assert_eq!(outcomes(&verdict), [outcome], "{hook} {verdict:?}");
    }
}

#[test]
fn hooks_with_the_same_command_run_once() {
    let fake = Arc::new(Fake::default());
    let runner = builder(&fake).config(hooks(&["2", "0", "2"])).build().unwrap();
    assert_eq!(outcomes(&runner.run_blocking(&event("{}"))), ["Decided", "NoOpinion"]);
    assert_eq!(fake.started.lock().unwrap().len(), 2);
}

#[test]
fn what_a_program_cannot_be_given_exactly_is_withheld_from_it() {
    let fake = Arc::new(Fake::default());
    let mut config = hooks(&["0"]);
    config.push({
        let mut reads_stdin = HookConfig::new(EventKind::PreToolUse, "0 {\"decision\":\"allow\"}");
        reads_stdin.require_env = false;
        reads_stdin
    });
    let padded = format!("{{\"command\":\"{}\"}}", "x".repeat(300_000));
    let runner = builder(&fake).config(config).build().unwrap();
    let verdict = runner.run_blocking(&event(&padded));
    assert_eq!(verdict.hooks[1].opinion.decision, Some(Decision::Allow));
    let started = fake.started.lock().unwrap();
    let [guard, reads_stdin] = started.as_slice() else { panic!() };
    assert_eq!(stdin(guard).len(), payload_length() + 300_000);
    for command in [guard, reads_stdin] {
        let value = command.env.iter().find(|(name, _)| name == "CRUSH_TOOL_INPUT_COMMAND").unwrap().1.len();
        assert_eq!((value, command.unpassable.as_ref().unwrap().names.len()), (300_000, 1));
    }
    assert_eq!(reads_stdin.unpassable.as_ref().unwrap().refusal, None);
    let refusal = guard.unpassable.as_ref().unwrap().refusal.clone().unwrap();
    let expected = "the hook `0` cannot be given what it may have to check: CRUSH_TOOL_INPUT_COMMAND takes 300025 ";
    assert!(refusal.starts_with(expected), "{refusal}");
}

/// The length of the payload of `{"command":""}`.
fn payload_length() -> usize {
    crate::payload::build(&event(r#"{"command":""}"#)).len()
}

#[test]
fn all_hooks_are_started_before_any_is_waited_for() {
    let fake = Arc::new(Fake { barrier: Some(Arc::new(Barrier::new(10))), ..Fake::default() });
    let work: Vec<Work> = (0..10)
        .map(|_| Invocation {
            timeout: Some(Duration::from_secs(20)),
            grace: Duration::ZERO,
            ..plain("meet", root().into(), Environment::new())
        })
        .map(|invocation| Work::Command { invocation: Box::new(invocation), says_async: None })
        .collect();
    let (sender, results) = std::sync::mpsc::channel();
    let notifier = Arc::new(move |ended: Ended| drop(sender.send(ended)));
    let event = event("{}");
    let mut hooks = crate::concurrent::Concurrent::start(
        Arc::clone(&fake) as Arc<dyn Execute>,
        crate::absolute::RunEvent::Given(&event),
        Awaited { work, ..Awaited::default() },
        notifier,
        None,
    );
    while hooks.wait_until().is_some() {
        let (index, ended) = results.recv_timeout(Duration::from_secs(20)).unwrap();
        hooks.accept(index, *ended);
    }
    assert!(hooks.finish().iter().all(|ended| matches!(ended, Completion::Ran(ran) if ran.end == End::Exited)));
}

#[test]
fn a_hook_that_ignores_its_cancel_does_not_hold_the_caller() {
    type Front = fn(&Runner, &Event) -> Verdict;
    let fronts: [Front; 3] =
        [|runner, event| runner.run_blocking(event), |runner, event| runtime().block_on(runner.run(event)), in_a_loop];
    for front in fronts {
        let fake = Arc::new(Fake::default());
        let mut config = hooks(&["hang", "0 {\"decision\":\"allow\"}"]);
        let mut guard = HookConfig::new(EventKind::PreToolUse, "cancellable");
        guard.timeout = Duration::from_millis(10);
        guard.on_failure = OnFailure::Deny;
        config.push(guard);
        let runner = builder(&fake).config(config).build().unwrap();
        let start = Instant::now();
        let verdict = front(&runner, &event("{}"));
        let took = start.elapsed();
        assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(8), "{took:?}");
        assert_eq!(outcomes(&verdict), ["TimedOut", "Decided", "TimedOut"]);
        assert_eq!(verdict.hooks[0].opinion.reason.as_deref(), Some("timed out after 0.03 s"));
        assert_eq!(verdict.opinion.reason.as_deref(), Some("the hook `cancellable` failed: timed out after 0.01 s"));
        assert_eq!(fake.cancelled.lock().unwrap().len(), 2);
    }
}

#[test]
fn dropping_the_future_cancels_every_hook() {
    let fake = Arc::new(Fake::default());
    let runner = builder(&fake).config(hooks(&["hang", "cancellable", "0"])).build().unwrap();
    runtime().block_on(async {
        let run = runner.run(&event("{}"));
        assert!(tokio::time::timeout(Duration::from_millis(1), run).await.is_err());
    });
    assert_eq!(*fake.cancelled.lock().unwrap(), ["hang", "cancellable"]);

    drop(runner.run(&event("{}")));
    assert_eq!(fake.started.lock().unwrap().len(), 3, "nothing starts before the first poll");
}

#[test]
fn dropping_a_started_run_cancels_every_hook() {
    let fake = Arc::new(Fake::default());
    let runner = builder(&fake).config(hooks(&["hang", "cancellable", "0"])).build().unwrap();
    let (sender, woken) = std::sync::mpsc::channel();
    let event = event("{}");
    let run = runner.start(event, move |_| {
        let _ = sender.send(());
    });
    woken.recv_timeout(Duration::from_secs(20)).unwrap();
    let RunState::Running(run, until) = run.poll() else { panic!("two hooks still run") };
    assert!(until > Instant::now());
    assert!(fake.cancelled.lock().unwrap().is_empty());
    drop(run);
    assert_eq!(*fake.cancelled.lock().unwrap(), ["hang", "cancellable"]);
}

#[test]
fn a_thread_that_panics_is_a_failure_at_once() {
    let mut config = hooks(&["0"]);
    config.push(HookConfig::new(EventKind::PreToolUse, "panic"));
    let start = Instant::now();
    let verdict = run(&Arc::default(), config, &event("{}"));
    assert_eq!(outcomes(&verdict), ["NoOpinion", "Panicked"]);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn no_config_can_make_a_hook_run_longer_than_the_host_lets_it() {
    let fake = Arc::new(Fake::default());
    let mut config = Config::default();
    config.push(HookConfig::new(EventKind::PreToolUse, "0"));
    let runner = builder(&fake).config(config).max_timeout(Duration::from_secs(3)).build().unwrap();
    runner.run_blocking(&event("{}"));
    assert_eq!(fake.started.lock().unwrap()[0].timeout, Some(Duration::from_secs(3)));
}

#[test]
fn blocking_runs_need_no_runtime_and_little_stack() {
    let runner = builder(&Arc::default()).config(hooks(&["2"])).build().unwrap();
    let thread = std::thread::Builder::new().stack_size(512 * 1024);
    let run = thread.spawn(move || runner.run_blocking(&event(r#"{"command":"ls"}"#)).exit_code());
    assert_eq!(run.unwrap().join().unwrap(), 2);
}

#[test]
fn names_that_no_variable_can_have_are_refused() {
    for prefix in ["", "1X", "A-B", "A=B", "É"] {
        let error = Runner::builder().prefix(prefix).build().unwrap_err();
        assert_eq!(error, BuildError::BadPrefix(prefix.to_owned()));
    }
    assert!(Runner::builder().agent("a\0b").build().is_err());
    assert!(Runner::builder().prefix("_my_1").agent("my agent").build().is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_verdict_does_not_depend_on_the_order_in_which_hooks_end(
        order in Just((0..6).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let commands = [
            "0 {\"updated_input\":{\"a\":1},\"context\":\"x\"}",
            "1",
            "0 {\"decision\":\"allow\",\"reason\":\"fine\",\"updated_input\":{\"a\":2}}",
            "0 {\"context\":[\"y\",\"z\"]}",
            "0 nonsense",
            "0 {\"updated_input\":{\"b\":[3]}}",
        ];
        let fake = Arc::new(Fake { held: Some(Mutex::default()), ..Fake::default() });
        let runner = builder(&fake).config({
            let mut config = Config::default();
            commands.iter().for_each(|command| config.push(HookConfig::new(EventKind::PreToolUse, *command)));
            config
        }).build().unwrap();
        let run = std::thread::spawn(move || runner.run_blocking(&event("{}")));
        while fake.started.lock().unwrap().len() < commands.len()
            || fake.held.as_ref().unwrap().lock().unwrap().len() < commands.len()
        {
            std::thread::yield_now();
        }
        let mut order = VecDeque::from(order);
        while let Some(index) = order.pop_front() {
            fake.end(index);
        }
        let verdict = run.join().unwrap();
        prop_assert_eq!(verdict.opinion.decision, Some(Decision::Allow));
        let context = verdict.context();
        prop_assert_eq!(context.as_deref(), Some("x\ny\nz"));
        let input = verdict.updated_input().unwrap();
        prop_assert_eq!(input.get(), r#"{"a":2,"b":[3]}"#);
        prop_assert_eq!(outcomes(&verdict), ["Decided", "ExitCode", "Decided", "Decided", "BadEnvelope", "Decided"]);
    }
}

#[test]
fn a_condition_is_read_by_the_runners_environment() {
    let directory = tempfile::tempdir().unwrap();
    let global = directory.path().join("global");
    std::fs::write(&global, "[alias]\n\tp = push\n").unwrap();
    let config = r#"{"hooks":{"PreToolUse":[{"command":"true","if":"bash(git push *)"}]}}"#;
    let input = ToolInput::parse(r#"{"command":"git p origin"}"#).unwrap();
    let event = Event::pre_tool_use("bash", input, directory.path());
    for (name, path, count) in [("GIT_CONFIG_GLOBAL", &*global, 1), ("HOME", directory.path(), 0)] {
        let env = [(name, path)];
        let runner = Runner::builder().config(Config::parse(config, "c.json").unwrap()).env(env).build().unwrap();
        assert_eq!(runner.hooks_for(&event).count(), count);
        assert_eq!(runner.choices(&event).iter().filter(|(_, left_out)| left_out.is_none()).count(), count);
    }
}
