//! A host's tools, as hooks see them.

use serde_json::{Value, json};

use super::AnyHookUi;
use crate::json::JsonText;
use crate::tool_input::ToolInput;

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The call's identifier, as the model gave it.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What the tool is called with.
    pub input: ToolInput,
}

impl ToolCall {
    /// A call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: ToolInput) -> Self {
        Self { id: id.into(), name: name.into(), input }
    }
}

/// What a tool gave.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// What the model sees.
    pub content: String,
    /// Has the tool failed?
    pub is_error: bool,
    /// What else the host keeps of it.
    pub details: Option<Value>,
}

impl ToolResult {
    /// The result of a tool that did its work.
    pub fn ok(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// The result of a tool that has failed.
    pub fn error(content: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::ok(content) }
    }

    /// Keeps something beside the content.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// The result as command hooks get it in `tool_response`: `{"content", "is_error", "details"}`, the last only where
    /// there are some.
    pub fn to_json(&self) -> JsonText {
        let mut value = json!({ "content": self.content, "is_error": self.is_error });
        if let (Some(details), Some(object)) = (&self.details, value.as_object_mut()) {
            object.insert("details".to_owned(), details.clone());
        }
        // A value's own text is JSON.
        JsonText::parse(&value.to_string()).unwrap_or_default()
    }

    /// The result of a `tool_response` or an `updated_result`: a string is the content, an object with a string
    /// `content` is read as [`ToolResult::to_json`] writes it; of any other value the content is its JSON text, and the
    /// value is kept in the details.
    pub fn from_json(json: &JsonText) -> Self {
        let value = serde_json::from_str::<Value>(json.get()).unwrap_or_default();
        match &value {
            Value::String(content) => Self::ok(content),
            Value::Object(object) => match object.get("content").and_then(Value::as_str) {
                Some(content) => Self {
                    content: content.to_owned(),
                    is_error: object.get("is_error").and_then(Value::as_bool).unwrap_or(false),
                    details: object.get("details").cloned(),
                },
                None => Self::ok(json.get()).with_details(value),
            },
            _ => Self::ok(json.get()).with_details(value),
        }
    }
}

/// What runs a host's tools, for [`HookRunner::wrap`](super::HookRunner::wrap). `H` is the host's state. A host writes its methods as
/// `async fn`.
pub trait ToolExecutor<H: ?Sized>: Send + Sync {
    /// Runs a tool. What fails is a result too ([`ToolResult::error`]): the model sees it.
    fn execute(&self, call: &ToolCall, host: &mut H) -> impl Future<Output = ToolResult> + Send;

    /// The host's own permission check, for calls that no hook has allowed or denied. Unless the host has its own, a call
    /// that a hook wants to be asked about is confirmed through the [`HookUi`](super::HookUi) (and refused where there is none), and any
    /// other is let through.
    fn permit(&self, request: PermissionRequest<'_>, _host: &mut H) -> impl Future<Output = bool> + Send {
        async move {
            match (request.asked_by_hook, request.ui) {
                (false, _) => true,
                (true, None) => false,
                (true, Some(ui)) => {
                    let why = request.reason.map(|reason| format!("{reason}\n")).unwrap_or_default();
                    let message = format!("{why}{}", request.call.input.get());
                    ui.confirm(&format!("Allow {}?", request.call.name), &message).await
                }
            }
        }
    }
}

/// A call that waits for a permission.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PermissionRequest<'a> {
    /// The call, with what hooks changed in its input.
    pub call: &'a ToolCall,
    /// Does a hook say *ask*? Otherwise no hook has an opinion.
    pub asked_by_hook: bool,
    /// Why, where the hook says it.
    pub reason: Option<&'a str>,
    /// The person to ask, where there is one.
    pub ui: Option<&'a dyn AnyHookUi>,
}

impl std::fmt::Debug for PermissionRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PermissionRequest")
            .field("call", self.call)
            .field("asked_by_hook", &self.asked_by_hook)
            .field("reason", &self.reason)
            .field("has_ui", &self.ui.is_some())
            .finish()
    }
}
