//! A host's tools with hooks around them.

use std::collections::HashMap;
use std::fmt;

use super::{HookRunner, PermissionRequest, ToolCall, ToolExecutor, ToolResult};
use crate::decision::Decision;
use crate::json::JsonText;
use crate::verdict::Verdict;

/// A host's tools with hooks around them ([`HookRunner::wrap`]). It is a [`ToolExecutor`] itself, so that it can take the
/// place of the tools.
///
/// ```
/// use hookshell_runner::ToolInput;
/// use hookshell_runner::inprocess::{
///     EventKind, HookRegistry, HookRunner, Response, ToolCall, ToolExecutor, ToolResult,
/// };
///
/// struct Echo;
/// impl ToolExecutor<()> for Echo {
///     async fn execute(&self, call: &ToolCall, _host: &mut ()) -> ToolResult {
///         ToolResult::ok(call.input.get())
///     }
/// }
///
/// let mut hooks = HookRegistry::<()>::new();
/// hooks.add_with_pattern(EventKind::PreToolUse, "^rm$", async |_ctx| Response::deny("not here"))?;
/// hooks.on_tool_result(async |ctx| {
///     if let Some(result) = &mut ctx.tool_result {
///         result.content = result.content.replace("sk-123", "…");
///     }
///     Response::none()
/// });
/// let tools = HookRunner::builder().hooks(hooks).build()?.wrap(Echo);
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// let call = |name: &str| ToolCall::new("c1", name, ToolInput::parse(r#"{"key":"sk-123"}"#).unwrap());
/// let run = tools.call(call("echo"), &mut ()).await;
/// assert_eq!(run.result, ToolResult::ok(r#"{"key":"…"}"#));
/// let run = tools.call(call("rm"), &mut ()).await;
/// assert_eq!((run.executed, run.result), (false, ToolResult::error("not here")));
/// # });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HookedTools<H: ?Sized, T> {
    runner: HookRunner<H>,
    tools: T,
}

/// How a tool call ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolRun {
    /// The call, with what hooks changed in its input.
    pub call: ToolCall,
    /// What the model sees: the tool's result as hooks left it, or why the tool was not called.
    pub result: ToolResult,
    /// Was the tool called?
    pub executed: bool,
    /// Does a hook end the turn?
    pub halt: bool,
    /// What hooks add to what the model sees, before and after the call.
    pub context: Option<String>,
    /// The verdict on the call.
    pub before: Verdict,
    /// The verdict on the result; `None` if the tool was not called.
    pub after: Option<Verdict>,
}

impl ToolRun {
    /// The result with the hooks' context at the end of its content.
    pub fn into_result(self) -> ToolResult {
        let mut result = self.result;
        if let Some(context) = self.context {
            if !result.content.is_empty() {
                result.content.push_str("\n\n");
            }
            result.content.push_str(&context);
        }
        result
    }
}

impl<H: ?Sized, T> HookedTools<H, T> {
    pub(super) fn new(runner: HookRunner<H>, tools: T) -> Self {
        Self { runner, tools }
    }

    /// The tools without hooks.
    pub fn inner(&self) -> &T {
        &self.tools
    }
}

impl<H: ?Sized + Send + 'static, T: ToolExecutor<H>> HookedTools<H, T> {
    /// Calls a tool: the hooks of `PreToolUse`; the host's permission check ([`ToolExecutor::permit`]) where none of
    /// them allows or denies; the tool, with the input that they leave; the hooks of `PostToolUse`, or of
    /// `PostToolUseFailure` where its result is an error. What hooks keep in the metadata of the call is there for those
    /// of its result.
    ///
    /// # Panics
    /// As [`HookRunner::run`], and where the tool does.
    pub async fn call(&self, mut call: ToolCall, host: &mut H) -> ToolRun {
        let mut metadata = HashMap::new();
        let event = self.runner.scope.tool_call(&call);
        let before = self.runner.run_with(event, host, &mut metadata).await;
        if let Some(input) = before.updated_input() {
            call.input = input;
        }
        if let Err(refusal) = self.permission(&before, &call, host).await {
            let (halt, context) = (before.opinion.halt, before.context());
            return ToolRun { call, result: refusal, executed: false, halt, context, before, after: None };
        }
        let mut result = self.tools.execute(&call, host).await;
        let event = self.runner.scope.tool_result(&call, &result);
        let after = self.runner.run_with(event, host, &mut metadata).await;
        if let Some(updated) = &after.opinion.updated_result {
            result = replaced(&result, updated);
        }
        let context = match (before.context(), after.context()) {
            (Some(before), Some(after)) => Some(format!("{before}\n{after}")),
            (before, after) => before.or(after),
        };
        let halt = before.opinion.halt || after.opinion.halt;
        ToolRun { call, result, executed: true, halt, context, before, after: Some(after) }
    }

    /// May the tool be called? If not, what the model is told.
    async fn permission(&self, verdict: &Verdict, call: &ToolCall, host: &mut H) -> Result<(), ToolResult> {
        let refusal = |default: String| ToolResult::error(verdict.opinion.reason.clone().unwrap_or(default));
        match verdict.opinion.decision {
            Some(Decision::Deny) => return Err(refusal(format!("The call of {} was blocked by a hook", call.name))),
            Some(Decision::Allow) => return Ok(()),
            // The user is asked.
            _ => {}
        }
        let request = PermissionRequest {
            call,
            asked_by_hook: verdict.opinion.decision.is_some(),
            reason: verdict.opinion.reason.as_deref(),
            ui: self.runner.ui(),
        };
        match self.tools.permit(request, host).await {
            true => Ok(()),
            false => Err(refusal(format!("The call of {} was not permitted", call.name))),
        }
    }
}

/// A result with what hooks want instead. A text alone says nothing of whether the tool has failed; it takes the place of
/// the details too, which may hold what a hook has taken out.
fn replaced(result: &ToolResult, updated: &JsonText) -> ToolResult {
    let new = ToolResult::from_json(updated);
    let is_text = updated.get().starts_with('"');
    ToolResult { is_error: if is_text { result.is_error } else { new.is_error }, ..new }
}

impl<H: ?Sized + Send + 'static, T: ToolExecutor<H>> ToolExecutor<H> for HookedTools<H, T> {
    async fn execute(&self, call: &ToolCall, host: &mut H) -> ToolResult {
        self.call(call.clone(), host).await.into_result()
    }
}

impl<H: ?Sized, T> fmt::Debug for HookedTools<H, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookedTools").field("runner", &self.runner).finish_non_exhaustive()
    }
}
