use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{HostCall, HostDone, NativeHook, on_thread};
use crate::cancel::CancelGuard;
use crate::config::{Config, HookConfig, HookKind, InProcessHook, OnFailure};
use crate::decision::Decision;
use crate::envelope::Envelope;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::opinion::Opinion;
use crate::outcome::Failure;
use crate::runner::Runner;
use crate::tool_input::ToolInput;
use crate::verdict::Verdict;
use hookshell_dispatch::Environment;

/// A hook that does what its one word says.
struct Acting {
    word: &'static str,
    told: Mutex<Sender<&'static str>>,
    guards: Mutex<Vec<CancelGuard>>,
}

impl NativeHook for Acting {
    fn start(&self, call: HostCall, done: HostDone) {
        let word = self.word;
        let told = self.told.lock().unwrap().clone();
        assert_ne!(word, "panic at once");
        match word {
            "drop" => drop(done),
            "never" => {
                // Kept by the callback until the call is cancelled.
                let guard = call.cancel.on_cancel(move || {
                    let _kept = done;
                    told.send("cancelled").unwrap();
                });
                self.guards.lock().unwrap().push(guard);
            }
            _ => on_thread(call, done, "a test".to_owned(), move |call| match word {
                "panic" => panic!("a hook's own"),
                "fail" => Err(Failure::Spawn("no".to_owned())),
                "deny" => Ok(Envelope::from(Opinion {
                    decision: Some(Decision::Deny),
                    reason: Some(String::from_utf8(call.payload.to_vec()).unwrap()),
                    updated_prompt: Some("dropped".to_owned()),
                    ..Opinion::default()
                })),
                _ => Ok(Envelope::default()),
            }),
        }
    }
}

fn config(words: &[&'static str], told: &Sender<&'static str>) -> Config {
    let mut config = Config::default();
    for word in words {
        let host = Arc::new(Acting { word, told: Mutex::new(told.clone()), guards: Mutex::default() });
        let mut hook = HookConfig::of_kind(
            EventKind::PreToolUse,
            HookKind::InProcess(InProcessHook::new::<Arc<dyn NativeHook>>(host)),
        );
        hook.name = Some((*word).to_owned());
        hook.timeout = Duration::from_millis(if *word == "never" { 20 } else { 60_000 });
        config.push(hook);
    }
    config
}

fn event() -> Event {
    Event::pre_tool_use("bash", ToolInput::default(), if cfg!(windows) { "C:\\w" } else { "/w" })
}

fn outcomes(verdict: &Verdict) -> Vec<(&str, &str)> {
    verdict.hooks.iter().map(|hook| (hook.name.as_str(), hook.outcome.as_str())).collect()
}

#[test]
fn what_is_no_command_gives_its_opinion_in_config_order() {
    let (told, _telling) = channel();
    let mut config = config(&["silent", "deny", "fail", "panic", "panic at once", "drop"], &told);
    config.push(HookConfig::new(EventKind::PreToolUse, "echo '{\"context\":\"a command\"}'"));
    let runner = Runner::builder().config(config).env(Environment::new()).build().unwrap();
    let verdict = runner.run_blocking(&event());
    assert_eq!(
        outcomes(&verdict),
        [
            ("silent", "NoOpinion"),
            ("deny", "Decided"),
            ("fail", "Spawn"),
            ("panic", "Panicked"),
            ("panic at once", "Panicked"),
            ("drop", "Panicked"),
            ("echo '{\"context\":\"a command\"}'", "Decided"),
        ]
    );
    assert_eq!(verdict.opinion.decision, Some(Decision::Deny));
    assert!(verdict.opinion.reason.as_ref().unwrap().starts_with("{\"event\":\"PreToolUse\","));
    assert_eq!(verdict.context().as_deref(), Some("a command"));
    assert_eq!(verdict.hooks[1].opinion.updated_prompt, None);
    assert_eq!(verdict.hooks[1].route.as_deref(), Some("a test"));
}

/// A hook that ends when it is told to.
struct CancelledHook(Mutex<Option<Receiver<&'static str>>>);

impl NativeHook for CancelledHook {
    fn start(&self, call: HostCall, done: HostDone) {
        let telling = self.0.lock().unwrap().take().unwrap();
        on_thread(call, done, "a test".to_owned(), move |_| {
            assert_eq!(telling.recv_timeout(Duration::from_secs(20)), Ok("cancelled"));
            Ok(Envelope::default())
        });
    }
}

#[test]
fn what_takes_too_long_is_cancelled_at_its_timeout_while_others_continue() {
    type Front = fn(&Runner) -> Verdict;
    let fronts: [Front; 2] = [
        |runner| runner.run_blocking(&event()),
        |runner| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            runtime.block_on(runner.run(&event()))
        },
    ];
    for front in fronts {
        let (told, telling) = channel();
        let mut config = config(&["never"], &told);
        let host = Arc::new(CancelledHook(Mutex::new(Some(telling))));
        let mut other = HookConfig::of_kind(
            EventKind::PreToolUse,
            HookKind::InProcess(InProcessHook::new::<Arc<dyn NativeHook>>(host)),
        );
        other.name = Some("told".to_owned());
        other.timeout = Duration::from_secs(60);
        config.push(other);
        let verdict = front(&Runner::builder().config(config).env(Environment::new()).build().unwrap());
        assert_eq!(outcomes(&verdict), [("never", "TimedOut"), ("told", "NoOpinion")]);
        assert_eq!(verdict.hooks[0].opinion.reason.as_deref(), Some("timed out after 0.02 s"));
    }
}

#[test]
fn dropping_the_run_and_ending_the_session_cancel_it() {
    let (told, telling) = channel();
    let mut config = config(&["never"], &told);
    let mut hook = config.hooks()[0].clone();
    hook.timeout = Duration::from_secs(60);
    config = Config::default();
    config.push(hook.clone());
    let runner = Runner::builder().config(config).env(Environment::new()).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let event = event().with_session_id("s");
    let started = Instant::now();
    runtime.block_on(async {
        let run = runner.run(&event);
        assert!(tokio::time::timeout(Duration::from_millis(20), run).await.is_err());
    });
    assert_eq!(telling.recv_timeout(Duration::from_secs(20)), Ok("cancelled"));

    hook.is_async = true;
    let mut config = Config::default();
    config.push(hook);
    let runner = Runner::builder().config(config).env(Environment::new()).build().unwrap();
    assert_eq!(outcomes(&runner.run_blocking(&event)), [("never", "Started")]);
    runner.end_session("s");
    assert_eq!(telling.recv_timeout(Duration::from_secs(20)), Ok("cancelled"));
    assert!(started.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_type_that_is_not_run_here_fails_and_its_failure_counts() {
    let unsupported = HookKind::Unsupported { kind: "http".to_owned() };
    let mut hook = HookConfig::of_kind(EventKind::PreToolUse, unsupported);
    for (on_failure, decision) in [(OnFailure::Ignore, None), (OnFailure::Deny, Some(Decision::Deny))] {
        hook.on_failure = on_failure;
        let mut config = Config::default();
        config.push(hook.clone());
        let verdict = Runner::builder().config(config).env(Environment::new()).build().unwrap().run_blocking(&event());
        assert_eq!(outcomes(&verdict), [("http", "Unsupported")]);
        assert_eq!(verdict.hooks[0].opinion.reason.as_deref(), Some("hooks of the type `http` are not run here"));
        assert_eq!(verdict.opinion.decision, decision);
    }
}
