//! A host's hooks.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::attempt::{asked_now, attempt};
use super::timer::TokioTimer;
use super::{AsyncHookFn, BadPattern, EventKind, HookContext, HookMatcher, Response, hook_fn, sync_hook};
use crate::interpret::{Allowed, interpret};
use crate::verdict::aggregate;
use crate::work::Completion;

/// The hooks of a host whose state is `H`, in the order in which they were added. Clones share the hooks.
///
/// It can be used alone ([`HookRegistry::run`]), or with command hooks in one order ([`HookRunner`](super::HookRunner)).
pub struct HookRegistry<H: ?Sized> {
    hooks: Vec<HookMatcher<H>>,
}

/// The events of a tool's result.
const TOOL_RESULT: [EventKind; 2] = [EventKind::PostToolUse, EventKind::PostToolUseFailure];

/// The events of a session.
const SESSION: [EventKind; 6] = [
    EventKind::SessionStart,
    EventKind::SessionEnd,
    EventKind::SessionBeforeBranch,
    EventKind::SessionBranch,
    EventKind::SessionBeforeSwitch,
    EventKind::SessionSwitch,
];

impl<H: ?Sized + Send + 'static> HookRegistry<H> {
    /// No hooks.
    pub fn new() -> Self {
        Self { hooks: Vec::new() }
    }

    /// Adds an async closure or function ([`hook_fn`]) for every tool.
    pub fn add<F>(&mut self, event: EventKind, hook: F) -> &mut Self
    where
        F: for<'a, 'h> AsyncFnOnce(&'a mut HookContext<'h, H>) -> Response + Clone + Send + Sync + 'static,
        F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>>,
    {
        self.add_matcher(event, HookMatcher::new(hook_fn(hook)))
    }

    /// Adds a closure or function that waits for nothing ([`sync_hook`]), for every tool.
    pub fn add_sync<F>(&mut self, event: EventKind, hook: F) -> &mut Self
    where
        F: for<'a, 'h> Fn(&'a mut HookContext<'h, H>) -> Response + Send + Sync + 'static,
    {
        self.add_matcher(event, HookMatcher::new(sync_hook(hook)))
    }

    /// Adds an async closure or function for the tools whose names match ([`HookMatcher::with_pattern`]).
    ///
    /// # Errors
    /// The pattern is not a regular expression; nothing is added.
    pub fn add_with_pattern<F>(&mut self, event: EventKind, pattern: &str, hook: F) -> Result<&mut Self, BadPattern>
    where
        F: for<'a, 'h> AsyncFnOnce(&'a mut HookContext<'h, H>) -> Response + Clone + Send + Sync + 'static,
        F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>>,
    {
        Ok(self.add_matcher(event, HookMatcher::with_pattern(pattern, hook_fn(hook))?))
    }

    /// Adds a hook of any kind, with its own name, timeout and so on.
    pub fn add_matcher(&mut self, event: EventKind, mut matcher: HookMatcher<H>) -> &mut Self {
        matcher.config.event = event;
        self.hooks.push(matcher);
        self
    }

    /// Adds a hook on tool calls: `PreToolUse`.
    pub fn on_tool_call<F>(&mut self, hook: F) -> &mut Self
    where
        F: for<'a, 'h> AsyncFnOnce(&'a mut HookContext<'h, H>) -> Response + Clone + Send + Sync + 'static,
        F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>>,
    {
        self.add(EventKind::PreToolUse, hook)
    }

    /// Adds a hook on the results of tools, also of those that failed: `PostToolUse` and `PostToolUseFailure`.
    pub fn on_tool_result<F>(&mut self, hook: F) -> &mut Self
    where
        F: for<'a, 'h> AsyncFnOnce(&'a mut HookContext<'h, H>) -> Response + Clone + Send + Sync + 'static,
        F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>>,
    {
        self.add_for_all(&TOOL_RESULT, HookMatcher::new(hook_fn(hook)))
    }

    /// Adds a hook on what happens to the session: `SessionStart`, `SessionEnd`, `SessionBeforeBranch`, `SessionBranch`,
    /// `SessionBeforeSwitch` and `SessionSwitch`.
    pub fn on_session<F>(&mut self, hook: F) -> &mut Self
    where
        F: for<'a, 'h> AsyncFnOnce(&'a mut HookContext<'h, H>) -> Response + Clone + Send + Sync + 'static,
        F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>>,
    {
        self.add_for_all(&SESSION, HookMatcher::new(hook_fn(hook)))
    }

    /// Adds a hook on the start of each turn: `TurnStart`.
    pub fn on_turn_start<F>(&mut self, hook: F) -> &mut Self
    where
        F: for<'a, 'h> AsyncFnOnce(&'a mut HookContext<'h, H>) -> Response + Clone + Send + Sync + 'static,
        F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>>,
    {
        self.add(EventKind::TurnStart, hook)
    }

    /// Adds a hook on the end of each turn: `TurnEnd`.
    pub fn on_turn_end<F>(&mut self, hook: F) -> &mut Self
    where
        F: for<'a, 'h> AsyncFnOnce(&'a mut HookContext<'h, H>) -> Response + Clone + Send + Sync + 'static,
        F: for<'a, 'h> AsyncHookFn<&'a mut HookContext<'h, H>>,
    {
        self.add(EventKind::TurnEnd, hook)
    }

    fn add_for_all(&mut self, events: &[EventKind], matcher: HookMatcher<H>) -> &mut Self {
        for event in events {
            self.add_matcher(*event, matcher.clone());
        }
        self
    }

    /// The hooks, in order.
    pub(super) fn hooks(&self) -> &[HookMatcher<H>] {
        &self.hooks
    }

    /// How many hooks there are; one that is for several events counts for each.
    pub fn len(&self) -> usize {
        self.hooks.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Calls the event's hooks, one after the other, and combines what they say: deny over ask, ask over allow, allow over
    /// none; reasons of the hooks that carry the decision are joined with newlines. What they changed is in the context;
    /// where they deny or halt, the tool's input and the prompt are as they were before.
    ///
    /// It never fails: what went wrong with a hook is in the log (`tracing`), and counts as the hook's `on_failure` says.
    ///
    /// # Panics
    /// Outside a tokio runtime with its time driver, where a hook does not answer at once and has a timeout.
    pub async fn run(&self, ctx: &mut HookContext<'_, H>) -> Response {
        let original = ctx.snapshot();
        let event = Arc::clone(&ctx.origin);
        let mut timer = TokioTimer::default();
        let mut results = Vec::new();
        // A host's hook has no `if`, which is what would ask for variables.
        for matcher in self.hooks.iter().filter(|matcher| matcher.config.is_for(&event, &[])) {
            let timeout = matcher.config.timeout;
            let answered = attempt(matcher, ctx, timeout, &mut timer).await;
            if let Err(failure) = &answered.response {
                tracing::warn!(hook = matcher.config.display_name(), event = %event.name(), %failure, "a hook failed");
            }
            let allowed = Allowed { timeout: Duration::ZERO, output_limit: 0 };
            results.push(interpret(&matcher.config, &event, allowed, Completion::Answered(answered)));
        }
        let all = aggregate(&results, None);
        if all.decision == Some(crate::Decision::Deny) {
            ctx.tool_input = original.tool_input;
            ctx.user_prompt = original.user_prompt;
        }
        Response {
            decision: all.decision.map(asked_now),
            reason: all.reason,
            halt: all.halt,
            context: results.into_iter().flat_map(|result| result.opinion.context).collect(),
            context_files: all.context_files.into_iter().map(|file| file.path).collect(),
        }
    }
}

impl<H: ?Sized + Send + 'static> Default for HookRegistry<H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: ?Sized> Clone for HookRegistry<H> {
    fn clone(&self) -> Self {
        Self { hooks: self.hooks.clone() }
    }
}

impl<H: ?Sized> fmt::Debug for HookRegistry<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookRegistry").field("hooks", &self.hooks).finish()
    }
}
