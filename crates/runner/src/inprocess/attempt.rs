//! One call of a hook, whose panics and delays stay its own.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::context::Snapshot;
use super::timer::Timer;
use super::{BoxFuture, Hook, HookContext, HookMatcher, Response};
use crate::decision::Decision;
use crate::envelope::{BadEnvelope, Envelope};
use crate::json::{JsonText, RawObject};
use crate::native_hook::NativeResponse;
use crate::opinion::Opinion;
use crate::outcome::Failure;
use crate::tool_input::Patch;

/// How results of hooks that are code of the host say how they were run.
const ROUTE: &str = "in process";

/// How often a clock that stands still is looked at: while a person is asked.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Calls a hook. What it changed is in the context, unless it failed: then the context is as it was before.
pub(super) async fn attempt<H: ?Sized + Send + 'static>(
    matcher: &HookMatcher<H>,
    ctx: &mut HookContext<'_, H>,
    timeout: Duration,
    timer: &mut dyn Timer,
) -> NativeResponse {
    let started = Instant::now();
    let said = match &ctx.unreadable {
        Some(why) => Err(Failure::BadInput(why.clone())),
        None => {
            let before = ctx.snapshot();
            let result = contained(&*matcher.hook, ctx, timeout, timer).await;
            ctx.fix(&before);
            let mut is_kept = true;
            let said = result.and_then(|result| {
                // A deny, a halt or an ask is not lost to what else is wrong.
                let stops = matches!(result.decision, Some(Decision::Deny | Decision::Ask | Decision::Defer));
                let stop = (result.halt || stops).then(|| returned(result.clone()));
                envelope_of(result, &before, ctx).or_else(|failure| {
                    is_kept = false;
                    let warnings = vec![format!("what the hook changed was dropped: {failure}")];
                    stop.map(|stop| Envelope { warnings, ..stop }).ok_or(failure)
                })
            });
            if said.is_err() || !is_kept {
                ctx.restore(before);
            }
            said
        }
    };
    let response = match said {
        // What a guard cannot look at may not pass.
        Err(Failure::BadInput(why)) if ctx.event.can_block() => Ok(Opinion::deny(Some(format!(
            "the hook `{}` cannot be given what it may have to check: {why}",
            matcher.config.display_name()
        )))
        .into()),
        said => said,
    };
    if let Ok(Envelope { opinion, .. }) = &response {
        ctx.is_blocked |= opinion.halt || opinion.decision == Some(Decision::Deny) && ctx.event.can_block();
    }
    NativeResponse { response, route: Some(ROUTE.to_owned()), elapsed: started.elapsed() }
}

/// A hook's future. Dropping it is as contained as running it is.
struct Running<'a>(Option<BoxFuture<'a, Response>>);

impl Running<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Response, Failure>> {
        let Some(future) = &mut self.0 else {
            return Poll::Ready(Err(Failure::Panicked));
        };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => Poll::Ready(Err(Failure::Panicked)),
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let future = self.0.take();
        let _ = catch_unwind(AssertUnwindSafe(|| drop(future)));
    }
}

async fn contained<H: ?Sized + Send + 'static>(
    hook: &dyn Hook<H>,
    ctx: &mut HookContext<'_, H>,
    timeout: Duration,
    timer: &mut dyn Timer,
) -> Result<Response, Failure> {
    let waiting = std::sync::Arc::clone(&ctx.services.waiting);
    let started = Instant::now();
    let waited_before = waiting.total();
    let call = AssertUnwindSafe(move || {
        // Moved in, not lent: the future keeps it.
        let ctx = ctx;
        hook.call(ctx)
    });
    let mut running = Running(catch_unwind(call).ok());
    poll_fn(|cx| {
        loop {
            if let Poll::Ready(result) = running.poll(cx) {
                return Poll::Ready(result);
            }
            let own = started.elapsed().saturating_sub(waiting.total().saturating_sub(waited_before));
            let left = timeout.saturating_sub(own);
            if left.is_zero() {
                return Poll::Ready(Err(Failure::TimedOut(timeout)));
            }
            // Without an end that the clock reaches there is nothing to be woken for.
            match Instant::now().checked_add(left.max(POLL_INTERVAL)) {
                None => return Poll::Pending,
                Some(at) if timer.poll_at(at, cx).is_pending() => return Poll::Pending,
                Some(_) => {}
            }
        }
    })
    .await
}

/// What a hook says: what it returned, and what it changed.
fn envelope_of<H: ?Sized>(
    result: Response,
    before: &Snapshot,
    ctx: &mut HookContext<'_, H>,
) -> Result<Envelope, Failure> {
    let updated_input = changed_input(before, ctx)?;
    let updated_result = if ctx.error != before.error {
        ctx.error.as_deref().map(JsonText::string)
    } else if ctx.tool_result != before.tool_result {
        ctx.tool_result.as_ref().map(super::ToolResult::to_json)
    } else {
        None
    };
    if ctx.user_prompt.is_none() {
        ctx.user_prompt.clone_from(&before.user_prompt);
    }
    let updated_prompt = ctx.user_prompt.clone().filter(|_| ctx.user_prompt != before.user_prompt);
    let mut said = returned(result);
    let Opinion { updated_input: input, updated_prompt: prompt, updated_result: tool_result, .. } = &mut said.opinion;
    (*input, *prompt, *tool_result) = (updated_input, updated_prompt, updated_result);
    Ok(said)
}

/// Nobody calls these hooks again later: where a decision is deferred, the user is asked now.
pub(super) fn asked_now(decision: Decision) -> Decision {
    match decision {
        Decision::Defer => Decision::Ask,
        decision => decision,
    }
}

/// What a hook returned.
fn returned(result: Response) -> Envelope {
    let opinion = Opinion {
        decision: result.decision.map(asked_now),
        halt: result.halt,
        reason: result.reason.filter(|reason| !reason.is_empty()),
        context: result.context.into_iter().filter(|entry| !entry.is_empty()).collect(),
        ..Opinion::default()
    };
    Envelope { named_files: result.context_files, ..opinion.into() }
}

/// The members of the tool's input that a hook changed. One that was taken out of the context is as it was.
fn changed_input<H: ?Sized>(before: &Snapshot, ctx: &mut HookContext<'_, H>) -> Result<Option<Patch>, Failure> {
    if ctx.tool_input.is_none() {
        ctx.tool_input.clone_from(&before.tool_input);
    }
    if ctx.tool_input == before.tool_input {
        return Ok(None);
    }
    let nothing = Map::new();
    let old = before.tool_input.as_ref().and_then(Value::as_object).unwrap_or(&nothing);
    let Some(Value::Object(new)) = &ctx.tool_input else {
        let found = ctx.tool_input.as_ref().map_or("nothing", kind).to_owned();
        return Err(BadEnvelope::Field { field: "tool_input".to_owned(), expected: "an object", found }.into());
    };
    let changed: Map<String, Value> = new
        .iter()
        .filter(|(key, value)| old.get(*key) != Some(*value))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let removed = old.keys().filter(|key| !new.contains_key(*key)).cloned().collect();
    let text = Value::Object(changed).to_string();
    // A value's own text is an object.
    let patch = RawObject::parse(&text).map(|object| Patch::new(&object).without(removed));
    Ok(patch.ok())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
