//! What a hook gets.

use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::exec::Programs;
use super::{AnyHookUi, EventKind, ExecResult, HookUi, Host, NotifyLevel, ToolResult};
use crate::absolute::{absolute_path, into_absolute};
use crate::event::{Detail, Event};
use crate::json::JsonText;
use crate::outcome::Failure;
use crate::tool_input::ToolInput;
use crate::ui::Waiting;

/// An event and everything that belongs to it. A hook may read and change all of it, the host's state included; what a
/// change means depends on the event:
///
/// | field | on | a change |
/// | --- | --- | --- |
/// | `tool_input` | `PreToolUse` | the tool is called with it (an object; key by key, so that command hooks' changes stay) |
/// | `tool_result` | `PostToolUse`, `PostToolUseFailure` | the model sees it instead |
/// | `error` | `PostToolUseFailure` | the model sees it instead |
/// | `user_prompt` | `UserPromptSubmit` | it is sent instead |
/// | `host`, metadata | all | is made in place |
///
/// The other fields are for reading: the next hook gets them as they were.
pub struct HookContext<'h, H: ?Sized> {
    /// The event.
    pub event: EventKind,
    /// The host's state: messages, session, settings, whatever it is.
    pub host: &'h mut H,
    /// The tool's name, on a tool's events.
    pub tool_name: Option<String>,
    /// The tool's input, on a tool's events.
    pub tool_input: Option<Value>,
    /// The call's identifier, on a tool's events, where the host has said it.
    pub tool_use_id: Option<String>,
    /// What the tool gave, on `PostToolUse` and `PostToolUseFailure`.
    pub tool_result: Option<ToolResult>,
    /// What went wrong, on `PostToolUseFailure`.
    pub error: Option<String>,
    /// The user's prompt, on `UserPromptSubmit`.
    pub user_prompt: Option<String>,
    pub(super) origin: Arc<Event>,
    /// Why hooks cannot be given the tool's input as it is.
    pub(super) unreadable: Option<String>,
    pub(super) metadata: HashMap<String, Value>,
    pub(super) is_blocked: bool,
    pub(super) services: Services,
}

/// What a context offers beside the event.
#[derive(Clone, Default)]
pub(super) struct Services {
    pub(super) ui: Option<Arc<dyn AnyHookUi>>,
    pub(super) programs: Option<Programs>,
    pub(super) waiting: Arc<Waiting>,
}

/// What one hook may change; kept so that it can be compared with, and taken back.
#[derive(Clone)]
pub(super) struct Snapshot {
    event: EventKind,
    tool_name: Option<String>,
    tool_use_id: Option<String>,
    pub(super) tool_input: Option<Value>,
    pub(super) tool_result: Option<ToolResult>,
    pub(super) error: Option<String>,
    pub(super) user_prompt: Option<String>,
    metadata: HashMap<String, Value>,
}

impl<'h, H: ?Sized> HookContext<'h, H> {
    /// The context of any event.
    pub fn new(event: &Event, host: &'h mut H) -> Self {
        Self::of(event.clone(), host)
    }

    pub(super) fn of(event: Event, host: &'h mut H) -> Self {
        let origin = Arc::new(into_absolute(event));
        let mut unreadable = None;
        let tool_input = origin.tool_input().and_then(|input| {
            let value = serde_json::from_str(input.get());
            value.map_err(|error| unreadable = Some(format!("`tool_input`: {error}"))).ok()
        });
        let (tool_result, error) = match origin.detail() {
            Detail::PostToolUse { response, .. } => (Some(ToolResult::from_json(response)), None),
            Detail::PostToolUseFailure { error, .. } => (Some(ToolResult::error(error)), Some(error.clone())),
            _ => (None, None),
        };
        let id = origin.members().iter().find(|(key, _)| key == "tool_use_id");
        Self {
            event: origin.name(),
            host,
            tool_name: origin.tool_name().map(str::to_owned),
            tool_input,
            tool_use_id: id.and_then(|(_, id)| serde_json::from_str(id.get()).ok()),
            tool_result,
            error,
            user_prompt: origin.prompt().map(str::to_owned),
            origin,
            unreadable,
            metadata: HashMap::new(),
            is_blocked: false,
            services: Services::default(),
        }
    }

    /// Sets the working directory: the process's own unless the context was made of an event, which has one.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl AsRef<Path>) -> Self {
        let origin = Arc::make_mut(&mut self.origin);
        *origin = origin.clone().with_cwd(absolute_path(cwd.as_ref()));
        self
    }

    /// Sets the session's identifier.
    #[must_use]
    pub fn with_session_id(mut self, session_id: impl Into<String>) -> Self {
        let origin = Arc::make_mut(&mut self.origin);
        *origin = origin.clone().with_session_id(session_id);
        self
    }

    /// Sets the person whom hooks may ask.
    #[must_use]
    pub fn with_ui(mut self, ui: impl HookUi + 'static) -> Self {
        self.services.ui = Some(Arc::new(ui));
        self
    }

    /// The working directory of the agent.
    pub fn cwd(&self) -> &Path {
        self.origin.cwd()
    }

    /// The project's root directory.
    pub fn project_dir(&self) -> &Path {
        self.origin.project_dir()
    }

    /// The session's identifier; empty where the host has none.
    pub fn session_id(&self) -> &str {
        self.origin.session_id()
    }

    /// The file that the session is kept in, where the host has said it.
    pub fn session_file(&self) -> Option<&Path> {
        self.origin.session_file()
    }

    /// Does it happen in a sub-agent?
    pub fn is_sub_agent(&self) -> bool {
        self.origin.is_sub_agent()
    }

    /// The turn's index, from 0, on `TurnStart` and `TurnEnd`.
    pub fn turn_index(&self) -> Option<u64> {
        match self.origin.detail() {
            Detail::TurnStart { turn } | Detail::TurnEnd { turn, .. } => Some(*turn),
            _ => None,
        }
    }

    /// The turn from which the session continues, on `SessionBeforeBranch` and `SessionBranch`, where it is known.
    pub fn target_turn_index(&self) -> Option<u64> {
        match self.origin.detail() {
            Detail::SessionBeforeBranch { target } | Detail::SessionBranch { target } => *target,
            _ => None,
        }
    }

    /// What the model said, on `TurnEnd`.
    pub fn turn_message(&self) -> Option<Value> {
        match self.origin.detail() {
            Detail::TurnEnd { message, .. } => serde_json::from_str(message.get()).ok(),
            _ => None,
        }
    }

    /// What the turn's tools gave, on `TurnEnd`.
    pub fn turn_results(&self) -> Vec<ToolResult> {
        let Detail::TurnEnd { tool_results, .. } = self.origin.detail() else {
            return Vec::new();
        };
        let results = serde_json::from_str::<Vec<Value>>(tool_results.get()).unwrap_or_default();
        let read = |value: &Value| JsonText::parse(&value.to_string()).map(|json| ToolResult::from_json(&json)).ok();
        results.iter().filter_map(read).collect()
    }

    /// Has a hook before this one denied or halted? (Command hooks run at the same time: of them nothing is known yet.)
    pub fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// What hooks keep with the event: the hooks of a tool's result find there what those of its call left.
    pub fn metadata(&self) -> &HashMap<String, Value> {
        &self.metadata
    }

    /// Keeps something with the event.
    pub fn set_metadata(&mut self, key: &str, value: Value) {
        self.metadata.insert(key.to_owned(), value);
    }

    /// Is there a person to be asked?
    pub fn has_ui(&self) -> bool {
        self.services.ui.is_some()
    }

    /// Has a person choose one of the options. `None`: nothing was chosen, there is nobody, or the event is blocked
    /// already.
    pub fn select(
        &self,
        title: &str,
        options: &[&str],
    ) -> impl Future<Output = Option<String>> + Send + 'static + use<H> {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let (asked, title) = (self.person(), title.to_owned());
        async move {
            let (ui, waiting) = asked?;
            let _asked = waiting.begin();
            ui.select(&title, &options).await.filter(|choice| options.contains(choice))
        }
    }

    /// Asks a person yes or no. No, where there is nobody, or the event is blocked already.
    pub fn confirm(&self, title: &str, message: &str) -> impl Future<Output = bool> + Send + 'static + use<H> {
        let (asked, title, message) = (self.person(), title.to_owned(), message.to_owned());
        async move {
            let Some((ui, waiting)) = asked else { return false };
            let _asked = waiting.begin();
            ui.confirm(&title, &message).await
        }
    }

    /// Asks a person for a line of text. `None`: none was given, there is nobody, or the event is blocked already.
    pub fn input(
        &self,
        title: &str,
        placeholder: &str,
    ) -> impl Future<Output = Option<String>> + Send + 'static + use<H> {
        let (asked, title, placeholder) = (self.person(), title.to_owned(), placeholder.to_owned());
        async move {
            let (ui, waiting) = asked?;
            let _asked = waiting.begin();
            ui.input(&title, &placeholder).await
        }
    }

    /// Shows a person a message; where there is nobody it goes to the log.
    pub fn notify(&self, message: &str, level: NotifyLevel) {
        match &self.services.ui {
            Some(ui) => ui.notify(message, level),
            None => tracing::info!(?level, "{message}"),
        }
    }

    /// Runs a program in the event's working directory, each argument as it is, with nothing on its standard input.
    /// Dropping the future (the hook's timeout does) ends it and every child. What a shell has built in (`echo`, `test`),
    /// and the bundled utilities, are there without a program.
    ///
    /// # Errors
    /// It was not found or could not be started, a signal ended it, or it took longer than `timeout`.
    pub fn exec(
        &self,
        program: &str,
        args: &[&str],
        timeout: Option<Duration>,
    ) -> impl Future<Output = Result<ExecResult, Failure>> + Send + 'static + use<H> {
        let programs = self.services.programs.clone();
        // Always quoted: neither a keyword nor an assignment.
        let command = format!("'{}' {}", program.replace('\'', "'\\''"), shell_words::join(args));
        let cwd: PathBuf = self.cwd().to_owned();
        async move {
            let programs = programs.unwrap_or_else(Programs::of_process);
            programs.run(&command, cwd, timeout).await
        }
    }

    /// Whom to ask: nobody about what is blocked already.
    fn person(&self) -> Option<(Arc<dyn AnyHookUi>, Arc<Waiting>)> {
        let ui = self.services.ui.as_ref().filter(|_| !self.is_blocked)?;
        Some((Arc::clone(ui), Arc::clone(&self.services.waiting)))
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            event: self.event,
            tool_name: self.tool_name.clone(),
            tool_use_id: self.tool_use_id.clone(),
            tool_input: self.tool_input.clone(),
            tool_result: self.tool_result.clone(),
            error: self.error.clone(),
            user_prompt: self.user_prompt.clone(),
            metadata: self.metadata.clone(),
        }
    }

    /// Takes back what may not be changed.
    pub(super) fn fix(&mut self, before: &Snapshot) {
        self.event = before.event;
        self.tool_name.clone_from(&before.tool_name);
        self.tool_use_id.clone_from(&before.tool_use_id);
    }

    /// Takes back everything but the host's state.
    pub(super) fn restore(&mut self, before: Snapshot) {
        self.fix(&before);
        self.tool_input = before.tool_input;
        self.tool_result = before.tool_result;
        self.error = before.error;
        self.user_prompt = before.user_prompt;
        self.metadata = before.metadata;
    }
}

/// The constructors of the events that a host has most often, and the short ways to the conversation.
impl<'h, H: Host + ?Sized> HookContext<'h, H> {
    /// A tool is about to be called.
    pub fn pre_tool_use(host: &'h mut H, tool_name: &str, tool_input: &Value, tool_use_id: &str) -> Self {
        let input = ToolInput::any(&tool_input.to_string()).unwrap_or_default();
        Self::of_call(Event::pre_tool_use(tool_name, input, "."), host, tool_input, tool_use_id)
    }

    /// A tool has done its work.
    pub fn post_tool_use(
        host: &'h mut H,
        tool_name: &str,
        tool_input: &Value,
        tool_use_id: &str,
        result: ToolResult,
    ) -> Self {
        let input = ToolInput::any(&tool_input.to_string()).unwrap_or_default();
        let event = Event::post_tool_use(tool_name, input, result.to_json(), ".");
        let mut ctx = Self::of_call(event, host, tool_input, tool_use_id);
        ctx.tool_result = Some(result);
        ctx
    }

    /// A tool has failed.
    pub fn post_tool_use_failure(
        host: &'h mut H,
        tool_name: &str,
        tool_input: &Value,
        tool_use_id: &str,
        error: &str,
    ) -> Self {
        let input = ToolInput::any(&tool_input.to_string()).unwrap_or_default();
        let event = Event::post_tool_use_failure(tool_name, input, error, ".");
        Self::of_call(event, host, tool_input, tool_use_id)
    }

    /// The user has submitted a prompt.
    pub fn user_prompt_submit(host: &'h mut H, prompt: &str) -> Self {
        let event = Event::user_prompt_submit(prompt, ".").with_session_id(host.session_id());
        Self::of(event, host)
    }

    fn of_call(event: Event, host: &'h mut H, tool_input: &Value, tool_use_id: &str) -> Self {
        let event = event.with_session_id(host.session_id()).with_member("tool_use_id", &JsonText::string(tool_use_id));
        let mut ctx = Self::of(event, host);
        ctx.tool_input = Some(tool_input.clone());
        ctx
    }

    /// The conversation.
    pub fn messages(&self) -> &[H::Message] {
        self.host.messages()
    }

    /// The conversation, to be changed in place.
    pub fn messages_mut(&mut self) -> &mut Vec<H::Message> {
        self.host.messages_mut()
    }
}

impl<H: ?Sized> std::fmt::Debug for HookContext<'_, H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HookContext")
            .field("event", &self.event)
            .field("tool_name", &self.tool_name)
            .field("tool_input", &self.tool_input)
            .field("tool_result", &self.tool_result)
            .field("user_prompt", &self.user_prompt)
            .finish_non_exhaustive()
    }
}
