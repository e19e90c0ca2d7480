//! What holds for every list of hooks, in whatever order they end.

use proptest::prelude::*;

use super::*;
use crate::work::{Done, Execute, Running};
use hookshell_dispatch::Environment;
use hookshell_dispatch::{Command, End, Invocation, Outcome};

/// An executor that ends its commands only when it is told to, in any order. A command is `STATUS STDOUT`.
#[derive(Default)]
struct Held {
    started: Mutex<Vec<Option<(Invocation, Done)>>>,
}

struct Nothing;

impl Running for Nothing {
    fn cancel(&self) {}
}

impl Execute for Held {
    fn start(&self, invocation: Invocation, done: Done) -> Box<dyn Running> {
        self.started.lock().unwrap().push(Some((invocation, done)));
        Box::new(Nothing)
    }

    fn wait_for_background(&self, _: &dyn Fn() -> bool) {}
}

impl Held {
    fn end(&self, index: usize) {
        let Some((invocation, done)) = self.started.lock().unwrap()[index].take() else { return };
        let Command::Source(source) = &invocation.command else { panic!("a file") };
        let (status, stdout) = str::from_utf8(source).unwrap().split_once(' ').unwrap();
        done(Outcome {
            status: status.parse().unwrap(),
            stdout: stdout.into(),
            ..Outcome::ended(End::Exited, Duration::ZERO)
        });
    }
}

/// What a hook does, as a command or as code of the host.
#[derive(Debug, Clone)]
struct Does {
    is_command: bool,
    decision: Option<&'static str>,
    halt: bool,
    reason: Option<String>,
    context: Vec<String>,
    /// A key of the input; the value is the hook's own number.
    sets: Option<&'static str>,
    fails: bool,
}

impl Does {
    fn command(&self, number: usize) -> String {
        let patch = self.sets.map(|key| json!({ key: number }));
        let envelope = json!({
            "decision": self.decision, "halt": self.halt, "reason": self.reason, "context": self.context,
            "updated_input": patch, "number": number,
        });
        format!("{} {envelope}", if self.fails { 1 } else { 0 })
    }

    async fn call(&self, number: usize, ctx: &mut HookContext<'_, Agent>) -> Response {
        if let (Some(key), Some(input)) = (self.sets, ctx.tool_input.as_mut()) {
            input[key] = json!(number);
        }
        tokio::task::yield_now().await;
        assert!(!self.fails, "a hook that fails");
        let mut result = match self.decision {
            Some("allow") => Response::allow(),
            Some("ask") => Response::ask(),
            Some(_) => Response::deny(""),
            None => Response::none(),
        };
        result.halt = self.halt;
        result.reason.clone_from(&self.reason);
        result.context.clone_from(&self.context);
        result
    }
}

fn any_hook() -> impl Strategy<Value = Does> {
    (
        any::<bool>(),
        prop::option::of(prop::sample::select(vec!["allow", "allow", "ask", "deny"])),
        prop::bool::weighted(0.1),
        prop::option::of("[a-z]{1,3}"),
        prop::collection::vec("[a-z]{1,2}", 0..3),
        prop::option::of(prop::sample::select(vec!["a", "b", "c"])),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(is_command, decision, halt, reason, context, sets, fails)| Does {
            is_command,
            decision,
            halt,
            reason,
            context,
            sets,
            fails,
        })
}

/// Runs hooks, whose commands end in the order of `keys`: before the host's hooks are called, or after.
fn verdict_of(hooks: &[(usize, Does)], keys: &[usize], end_first: bool) -> Verdict {
    let held = Arc::new(Held::default());
    let executor: Arc<dyn Execute> = Arc::clone(&held) as _;
    let mut builder =
        HookRunner::<Agent>::builder().settings(Runner::builder().env(Environment::new()).executor(executor));
    // The first hook of the host has the commands end where they shall be first.
    let mut ender = HookRegistry::new();
    let commands = hooks.iter().filter(|(_, does)| does.is_command).count();
    let mut order: Vec<usize> = (0..commands).collect();
    order.sort_by_key(|index| keys.get(*index).copied());
    let end_all = {
        let held = Arc::clone(&held);
        move || order.iter().for_each(|index| held.end(*index))
    };
    let first = end_all.clone();
    ender.add(EventKind::PreToolUse, async move |_ctx| {
        if end_first {
            first();
        }
        Response::none()
    });
    builder = builder.hooks(ender);
    for (number, does) in hooks {
        if does.is_command {
            let mut config = Config::default();
            config.push(HookConfig::new(EventKind::PreToolUse, does.command(*number)));
            builder = builder.config(config);
        } else {
            let mut registry = HookRegistry::new();
            let (number, does) = (*number, Arc::new(does.clone()));
            registry.add(EventKind::PreToolUse, async move |ctx| does.call(number, ctx).await);
            builder = builder.hooks(registry);
        }
    }
    let mut last = HookRegistry::new();
    last.add(EventKind::PreToolUse, async move |_ctx| {
        end_all();
        Response::none()
    });
    let runner = builder.hooks(last).build().unwrap();
    let event = bash(r#"{"command":"npm test","timeout":1.50}"#);
    tokio().block_on(runner.run(&event, &mut Agent::default()))
}

/// All of a verdict that does not tell the time.
fn said(verdict: &Verdict) -> String {
    let mut json: Value = serde_json::from_str(&verdict.to_json()).unwrap();
    for hook in json["hooks"].as_array_mut().unwrap() {
        hook["ms"] = json!(0);
    }
    json.to_string()
}

fn numbered(hooks: Vec<Does>) -> Vec<(usize, Does)> {
    hooks.into_iter().enumerate().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_verdict_does_not_depend_on_the_order_in_which_hooks_end(
        hooks in prop::collection::vec(any_hook(), 0..7).prop_map(numbered),
        keys in prop::collection::vec(0_usize..100, 7),
        end_first in any::<bool>(),
    ) {
        let expected = said(&verdict_of(&hooks, &[0; 7], true));
        prop_assert_eq!(said(&verdict_of(&hooks, &keys, end_first)), expected);
    }

    #[test]
    fn deny_and_halt_are_never_lost_and_nothing_is_rewritten_then(
        hooks in prop::collection::vec(any_hook(), 0..7).prop_map(numbered),
    ) {
        let verdict = verdict_of(&hooks, &[0; 7], true);
        let mut counted = hooks.iter().map(|(_, does)| does).filter(|does| !does.fails);
        let halt = counted.clone().any(|does| does.halt);
        let deny = halt || counted.any(|does| does.decision == Some("deny"));
        prop_assert_eq!(verdict.opinion.halt, halt);
        prop_assert_eq!(verdict.opinion.decision == Some(Decision::Deny), deny);
        if deny {
            prop_assert_eq!(verdict.opinion.updated_input, None);
        }
    }

    #[test]
    fn context_and_rewrites_are_in_config_order(
        hooks in prop::collection::vec(any_hook(), 0..7).prop_map(numbered),
        keys in prop::collection::vec(0_usize..100, 7),
    ) {
        let verdict = verdict_of(&hooks, &keys, false);
        let counted = || hooks.iter().filter(|(_, does)| !does.fails);
        let entries: Vec<&str> = counted().flat_map(|(_, does)| &does.context).map(String::as_str).collect();
        prop_assert_eq!(verdict.context().unwrap_or_default(), entries.join("\n"));
        let mut last = HashMap::new();
        for (number, does) in counted() {
            if let Some(key) = does.sets {
                last.insert(key, *number);
            }
        }
        if let Some(input) = verdict.updated_input() {
            let input: Value = serde_json::from_str(input.get()).unwrap();
            for key in ["a", "b", "c"] {
                prop_assert_eq!(input.get(key).and_then(Value::as_u64), last.get(key).map(|number| *number as u64));
            }
        } else {
            prop_assert!(last.is_empty() || verdict.opinion.decision == Some(Decision::Deny));
        }
    }

    #[test]
    fn a_hook_that_fails_changes_no_other_result(
        hooks in prop::collection::vec(any_hook(), 0..6).prop_map(numbered),
        failing in any_hook(),
        at in 0_usize..6,
    ) {
        let with_all = |verdict: &Verdict| {
            let mut verdict: Value = serde_json::from_str(&said(verdict)).unwrap();
            let hooks = verdict.as_object_mut().unwrap().remove("hooks").unwrap();
            (verdict, hooks.as_array().unwrap().clone())
        };
        let mut more = hooks.clone();
        let at = at.min(hooks.len());
        more.insert(at, (99, Does { fails: true, ..failing }));
        let (expected, results) = with_all(&verdict_of(&hooks, &[0; 7], true));
        let (found, mut found_results) = with_all(&verdict_of(&more, &[0; 7], true));
        // The first hook of the list is the test's own.
        found_results.remove(at + 1);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(found_results, results);
    }
}
