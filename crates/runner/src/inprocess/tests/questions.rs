//! Hooks that ask a person.

use super::*;

/// A person who takes a while, and what was asked.
pub(super) struct Person {
    pub(super) takes: Duration,
    pub(super) says: Option<&'static str>,
    pub(super) asked: Arc<Mutex<Vec<String>>>,
}

impl Person {
    fn answer(&self, question: String) -> BoxFuture<'_, Option<String>> {
        self.asked.lock().unwrap().push(question);
        let (takes, says) = (self.takes, self.says);
        Box::pin(async move {
            if !takes.is_zero() {
                tokio::time::sleep(takes).await;
            }
            says.map(str::to_owned)
        })
    }
}

impl HookUi for Person {
    async fn select(&self, title: &str, options: &[String]) -> Option<String> {
        self.answer(format!("select {title} {options:?}")).await
    }
    async fn confirm(&self, title: &str, message: &str) -> bool {
        self.answer(format!("confirm {title}: {message}")).await.as_deref() == Some("yes")
    }
    async fn input(&self, title: &str, placeholder: &str) -> Option<String> {
        self.answer(format!("input {title} ({placeholder})")).await
    }
    fn notify(&self, message: &str, level: NotifyLevel) {
        self.asked.lock().unwrap().push(format!("{level:?} {message}"));
    }
}

#[test]
fn the_time_in_which_a_person_is_asked_does_not_count() {
    let mut hooks = HookRegistry::<Agent>::new();
    let gate = hook_fn(
        async |ctx: &mut HookContext<'_, Agent>| {
            if ctx.confirm("Sure?", "rm").await { Response::allow() } else { Response::deny("refused") }
        },
    );
    hooks.add_matcher(EventKind::PreToolUse, HookMatcher::new(gate).timeout(Duration::from_secs(3)));
    let asked = Arc::default();
    let person = Person { takes: Duration::from_millis(3500), says: Some("yes"), asked: Arc::clone(&asked) };
    let runner = HookRunner::builder().hooks(hooks).ui(person).build().unwrap();
    let verdict = tokio().block_on(runner.run(&bash("{}"), &mut Agent::default()));
    assert_eq!(outcomes(&verdict), ["Decided"], "{}", verdict.to_json());
    assert_eq!(verdict.opinion.decision, Some(Decision::Allow));
    assert_eq!(*asked.lock().unwrap(), ["confirm Sure?: rm"]);
}

#[test]
fn questions_have_safe_answers_where_there_is_nobody_and_where_the_call_is_blocked() {
    async fn ask_all(ctx: &mut HookContext<'_, Agent>) -> Response {
        let answers = (
            ctx.select("which", &["a", "b"]).await,
            ctx.confirm("sure", "x").await,
            ctx.input("name", "you").await,
            ctx.has_ui(),
        );
        ctx.notify("told", NotifyLevel::Warning);
        ctx.host.messages.push(format!("{answers:?}"));
        Response::none()
    }
    let cases = [
        (None, false, "(None, false, None, false)", 0),
        (Some("b"), false, "(Some(\"b\"), false, Some(\"b\"), true)", 4),
        (Some("no option"), false, "(None, false, Some(\"no option\"), true)", 4),
        (Some("yes"), true, "(None, false, None, true)", 1),
    ];
    for (says, is_blocked, expected, questions) in cases {
        let mut hooks = HookRegistry::<Agent>::new();
        if is_blocked {
            hooks.on_tool_call(async |_ctx| Response::deny("no"));
        }
        hooks.on_tool_call(ask_all);
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut builder = HookRunner::builder().hooks(hooks);
        if says.is_some() {
            builder = builder.ui(Person { takes: Duration::ZERO, says, asked: Arc::clone(&asked) });
        }
        let runner = builder.build().unwrap();
        let mut agent = Agent::default();
        runner.run_blocking(&bash("{}"), &mut agent);
        assert_eq!(agent.messages, [expected], "{says:?}");
        assert_eq!(asked.lock().unwrap().len(), questions, "{:?}", asked.lock().unwrap());
    }
}
