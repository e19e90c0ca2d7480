use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{AnyLlmClient, LlmClient, LlmError, LlmMessage, LlmReply, LlmRequest};
use crate::config::{Config, HookConfig, HookKind, OnFailure, PromptHook};
use crate::decision::Decision;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::runner::Runner;
use crate::tool_input::ToolInput;
use hookshell_dispatch::Environment;

type Answering = Box<dyn Fn(&LlmRequest) -> Result<LlmReply, LlmError> + Send + Sync>;

/// A model that answers as the test says, and keeps what it was asked.
struct Fake {
    answer: Answering,
    asked: Mutex<Vec<(Option<String>, Vec<LlmMessage>)>>,
    count: AtomicUsize,
}

impl Fake {
    fn new(answer: impl Fn(&LlmRequest) -> Result<LlmReply, LlmError> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { answer: Box::new(answer), asked: Mutex::default(), count: AtomicUsize::new(0) })
    }

    fn saying(text: &'static str) -> Arc<Self> {
        Self::new(move |_| Ok(LlmReply::text(text)))
    }
}

impl LlmClient for Fake {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        self.count.fetch_add(1, Ordering::SeqCst);
        self.asked.lock().unwrap().push((request.model.clone(), request.messages.clone()));
        (self.answer)(request)
    }
}

fn event() -> Event {
    let input = ToolInput::parse(r#"{"command":"ls"}"#).unwrap();
    Event::pre_tool_use("bash", input, if cfg!(windows) { "C:\\w" } else { "/w" }).with_session_id("s")
}

fn hook(prompt: &str) -> HookConfig {
    HookConfig::of_kind(EventKind::PreToolUse, HookKind::Prompt(PromptHook::new(prompt)))
}

fn runner(client: &Arc<Fake>, hook: HookConfig) -> Runner {
    let mut config = Config::default();
    config.push(hook);
    Runner::builder().config(config).env(Environment::new()).llm_client(Arc::clone(client)).build().unwrap()
}

/// `outcome decision reason`.
fn show(client: &Arc<Fake>, hook: HookConfig) -> String {
    let verdict = runner(client, hook).run_blocking(&event());
    let hook = &verdict.hooks[0];
    format!(
        "{} {} {}",
        hook.outcome.as_str(),
        verdict.opinion.decision.map_or("-", Decision::as_str),
        hook.opinion.reason.as_deref().unwrap_or("-")
    )
}

#[test]
fn an_answer_decides_and_everything_else_is_a_failure() {
    let url = || "http://h/v1".to_owned();
    let cases: Vec<(Result<LlmReply, LlmError>, &str)> = vec![
        (Ok(LlmReply::text(r#"{"allow":true,"reason":"fine"}"#)), "Decided allow fine"),
        (Ok(LlmReply::text(r#"{"allow":false}"#)), "Decided deny the model denied this and gave no reason"),
        (Ok(LlmReply::text("ALLOW")), "BadAnswer - the model's answer is no decision: it has no object with `allow`"),
        (
            Ok(LlmReply { is_cut: true, ..LlmReply::text(r#"{"allow":true}"#) }),
            "BadAnswer - the model's answer is no decision: it was cut off",
        ),
        (Ok(LlmReply { is_cut: true, ..LlmReply::text(r#"{"allow":false,"reason":"it del"#) }), "Decided deny it del"),
        (Err(LlmError::TimedOut), "TimedOut - timed out after 30 s"),
        (
            Err(LlmError::Status { url: url(), status: 429, message: "slow down".to_owned() }),
            "Model - the model gave no answer: http://h/v1 answered with status 429: slow down",
        ),
        (
            Err(LlmError::Connect { url: url(), message: "refused".to_owned() }),
            "Model - the model gave no answer: cannot reach http://h/v1: refused",
        ),
    ];
    for (answer, expected) in cases {
        let failed = !expected.starts_with("Decided");
        let client = Fake::new(move |_| answer.clone());
        assert_eq!(show(&client, hook("ok?")), expected);
        let mut strict = hook("ok?");
        strict.on_failure = OnFailure::Deny;
        let verdict = runner(&client, strict).run_blocking(&event());
        assert!(!failed || verdict.opinion.decision == Some(Decision::Deny), "{expected}");
    }
    let panicking = Fake::new(|_| panic!("a client's own"));
    assert_eq!(show(&panicking, hook("ok?")), "Panicked - internal error: a thread panicked");
}

#[test]
fn the_model_is_asked_the_hooks_question_with_the_event_in_it() {
    let cwd = if cfg!(windows) { "C:\\\\w" } else { "/w" };
    let payload = format!(
        "{{\"event\":\"PreToolUse\",\"session_id\":\"s\",\"cwd\":\"{cwd}\",\"is_sub_agent\":false,\"tool_name\":\"bash\",\
         \"tool_input\":{{\"command\":\"ls\"}}}}"
    );
    let cases = [
        ("Is it safe?", format!("Is it safe?\n\nThe event:\n{payload}")),
        ("Is <$ARGUMENTS> safe?", format!("Is <{payload}> safe?")),
    ];
    for (prompt, expected) in cases {
        let client = Fake::saying(r#"{"allow":true}"#);
        let mut hook = hook(prompt);
        if let HookKind::Prompt(hook) = &mut hook.kind {
            hook.model = Some("small".to_owned());
        }
        runner(&client, hook).run_blocking(&event());
        let asked = client.asked.lock().unwrap();
        let (model, messages) = &asked[0];
        assert_eq!(model.as_deref(), Some("small"));
        assert!(matches!(&messages[0], LlmMessage::System(text) if text.contains("{\"allow\": true or false")));
        assert_eq!(messages[1..], [LlmMessage::User(expected)]);
    }
}

#[test]
fn without_a_client_the_hook_fails() {
    let mut config = Config::default();
    config.push(hook("ok?"));
    let verdict = Runner::builder().config(config).env(Environment::new()).build().unwrap().run_blocking(&event());
    assert_eq!(verdict.hooks[0].outcome.as_str(), "NoModel");
    assert_eq!(verdict.opinion.decision, None);
}

#[test]
fn a_model_that_does_not_answer_is_given_up_and_told() {
    let (told, telling) = std::sync::mpsc::channel();
    let told = Mutex::new(told);
    let client = Fake::new(move |request| {
        let (sender, receiver) = std::sync::mpsc::channel();
        let _guard = request.cancel.on_cancel(move || sender.send(()).unwrap());
        receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        told.lock().unwrap().send("told").unwrap();
        Err(LlmError::Cancelled)
    });
    let mut hook = hook("ok?");
    hook.timeout = Duration::from_millis(20);
    assert_eq!(show(&client, hook), "TimedOut - timed out after 0.02 s");
    assert_eq!(telling.recv_timeout(Duration::from_secs(20)), Ok("told"));
}

/// A model on tokio, which takes a while, or for ever.
struct Slow {
    takes: Option<Duration>,
    told: std::sync::mpsc::Sender<&'static str>,
}

/// Tells when it is dropped.
struct Guard(std::sync::mpsc::Sender<&'static str>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.send("dropped").unwrap_or_default();
    }
}

impl LlmClient for Slow {
    async fn complete(&self, _: &LlmRequest) -> Result<LlmReply, LlmError> {
        self.told.send("asked").unwrap_or_default();
        let _guard = Guard(self.told.clone());
        match self.takes {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
        Ok(LlmReply::text(r#"{"allow":true,"reason":"slept"}"#))
    }
}

#[test]
fn a_client_is_awaited_on_the_hosts_runtime_or_on_one_of_ours_and_dropped_at_its_deadline() {
    const LONG: Duration = Duration::from_secs(20);
    let runner = |takes, timeout| {
        let (teller, told) = std::sync::mpsc::channel();
        let mut config = Config::default();
        let mut hook = hook("ok?");
        hook.timeout = timeout;
        config.push(hook);
        let client: Arc<dyn AnyLlmClient> = Arc::new(Slow { takes, told: teller });
        (Runner::builder().config(config).env(Environment::new()).llm_client(client).build().unwrap(), told)
    };
    let reason = |verdict: crate::verdict::Verdict| verdict.hooks[0].opinion.reason.clone().unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();

    let (quick, _told) = runner(Some(Duration::from_millis(1)), LONG);
    assert_eq!(reason(quick.run_blocking(&event())), "slept");
    assert_eq!(reason(runtime.block_on(quick.run(&event()))), "slept");

    let all = |told: &std::sync::mpsc::Receiver<&'static str>| {
        [told.recv_timeout(LONG).unwrap(), told.recv_timeout(LONG).unwrap()]
    };
    let (never, told) = runner(None, Duration::from_secs(1));
    assert_eq!(never.run_blocking(&event()).hooks[0].outcome.as_str(), "TimedOut");
    assert_eq!(all(&told), ["asked", "dropped"]);
    assert_eq!(runtime.block_on(never.run(&event())).hooks[0].outcome.as_str(), "TimedOut");
    assert_eq!(all(&told), ["asked", "dropped"]);

    // The run is dropped when the model was asked, long before its deadline.
    let (never, told) = runner(None, LONG);
    let told = Arc::new(Mutex::new(told));
    let asked = Arc::clone(&told);
    runtime.block_on(async {
        let asked = tokio::task::spawn_blocking(move || asked.lock().unwrap().recv_timeout(LONG));
        tokio::select! {
            verdict = never.run(&event()) => panic!("{verdict:?}"),
            asked = asked => assert_eq!(asked.unwrap(), Ok("asked")),
        }
    });
    assert_eq!(told.lock().unwrap().recv_timeout(LONG), Ok("dropped"));

    // Nobody drives the host's runtime any more: the deadline of a hook in the background holds all the same.
    let (teller, told) = std::sync::mpsc::channel();
    let mut config = Config::default();
    let mut background = hook("ok?");
    (background.timeout, background.is_async) = (Duration::from_secs(1), true);
    config.push(background);
    let client: Arc<dyn AnyLlmClient> = Arc::new(Slow { takes: None, told: teller });
    let runner = Runner::builder().config(config).env(Environment::new()).llm_client(client).build().unwrap();
    let _verdict = runtime.block_on(runner.run(&event()));
    assert_eq!(all(&told), ["asked", "dropped"]);
}

#[test]
fn decisions_are_kept_only_where_the_hook_wants_it_and_failures_never() {
    let other = Event::pre_tool_use("bash", ToolInput::default(), "/w");
    let asked = |client: &Arc<Fake>, cache: bool, entries: usize| {
        let mut config = Config::default();
        let mut hook = hook("ok?");
        if let HookKind::Prompt(hook) = &mut hook.kind {
            hook.cache = cache;
        }
        config.push(hook);
        let runner = Runner::builder()
            .config(config)
            .env(Environment::new())
            .llm_client(Arc::clone(client))
            .decision_cache(entries, Duration::from_secs(3600))
            .build()
            .unwrap();
        for event in [&event(), &event(), &other, &event()] {
            runner.run_blocking(event);
        }
        client.count.load(Ordering::SeqCst)
    };
    let deny = || Fake::saying(r#"{"allow":false}"#);
    assert_eq!(asked(&deny(), false, 10), 4);
    assert_eq!(asked(&deny(), true, 10), 2);
    assert_eq!(asked(&deny(), true, 1), 3);
    assert_eq!(asked(&deny(), true, 0), 4);
    assert_eq!(asked(&Fake::saying("who knows"), true, 10), 4);
}
