//! Asking the person in front of the agent.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;

/// A boxed future, as traits give it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a hook may ask and tell a person, as the host shows it. A host without anybody in front of it has none: then
/// `select` and `input` give nothing, `confirm` says no, and what is to be shown goes to the log. Hooks ask through their
/// context ([`HookContext::confirm`](crate::inprocess::HookContext::confirm) and its neighbours), which gives these answers; the time that
/// a person takes does not count against a hook's timeout.
///
/// ```
/// use hookshell_runner::inprocess::{EventKind, HookRegistry, Response, HookRunner, HookUi, NotifyLevel};
/// use hookshell_runner::{Decision, Event, ToolInput};
///
/// /// Somebody who agrees to everything.
/// struct Agreeable;
/// impl HookUi for Agreeable {
///     async fn select(&self, _title: &str, options: &[String]) -> Option<String> {
///         options.first().cloned()
///     }
///     async fn confirm(&self, _title: &str, _message: &str) -> bool {
///         true
///     }
///     async fn input(&self, _title: &str, placeholder: &str) -> Option<String> {
///         Some(placeholder.to_owned())
///     }
///     fn notify(&self, _message: &str, _level: NotifyLevel) {}
/// }
///
/// let mut hooks = HookRegistry::<()>::new();
/// hooks.add(EventKind::PreToolUse, async |ctx| {
///     let tool = ctx.tool_name.clone().unwrap_or_default();
///     if ctx.confirm("Call a tool?", &tool).await { Response::allow() } else { Response::deny("Blocked by user") }
/// });
/// let event = Event::pre_tool_use("bash", ToolInput::default(), std::env::temp_dir());
///
/// let with = HookRunner::builder().hooks(hooks.clone()).ui(Agreeable).build()?;
/// assert_eq!(with.run_blocking(&event, &mut ()).opinion.decision, Some(Decision::Allow));
/// let without = HookRunner::builder().hooks(hooks).build()?;
/// assert_eq!(without.run_blocking(&event, &mut ()).opinion.decision, Some(Decision::Deny));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait HookUi: Send + Sync {
    /// Has one of the options chosen; `None`: none was.
    fn select(&self, title: &str, options: &[String]) -> impl Future<Output = Option<String>> + Send;

    /// Asks yes or no.
    fn confirm(&self, title: &str, message: &str) -> impl Future<Output = bool> + Send;

    /// Asks for a line of text; `None`: none was given. `placeholder` is what may stand in the empty field.
    fn input(&self, title: &str, placeholder: &str) -> impl Future<Output = Option<String>> + Send;

    /// Shows a message, and does not wait.
    fn notify(&self, message: &str, level: NotifyLevel);
}

impl<T: HookUi> HookUi for Arc<T> {
    async fn select(&self, title: &str, options: &[String]) -> Option<String> {
        (**self).select(title, options).await
    }

    async fn confirm(&self, title: &str, message: &str) -> bool {
        (**self).confirm(title, message).await
    }

    async fn input(&self, title: &str, placeholder: &str) -> Option<String> {
        (**self).input(title, placeholder).await
    }

    fn notify(&self, message: &str, level: NotifyLevel) {
        (**self).notify(message, level);
    }
}

/// Any [`HookUi`], of which the type is not known. Every one is: a host implements that trait.
pub trait AnyHookUi: sealed::Sealed + Send + Sync {
    /// As [`HookUi::select`].
    fn select<'a>(&'a self, title: &'a str, options: &'a [String]) -> BoxFuture<'a, Option<String>>;

    /// As [`HookUi::confirm`].
    fn confirm<'a>(&'a self, title: &'a str, message: &'a str) -> BoxFuture<'a, bool>;

    /// As [`HookUi::input`].
    fn input<'a>(&'a self, title: &'a str, placeholder: &'a str) -> BoxFuture<'a, Option<String>>;

    /// As [`HookUi::notify`].
    fn notify(&self, message: &str, level: NotifyLevel);
}

mod sealed {
    pub trait Sealed {}

    impl<T: super::HookUi> Sealed for T {}
}

impl<T: HookUi> AnyHookUi for T {
    fn select<'a>(&'a self, title: &'a str, options: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(HookUi::select(self, title, options))
    }

    fn confirm<'a>(&'a self, title: &'a str, message: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(HookUi::confirm(self, title, message))
    }

    fn input<'a>(&'a self, title: &'a str, placeholder: &'a str) -> BoxFuture<'a, Option<String>> {
        Box::pin(HookUi::input(self, title, placeholder))
    }

    fn notify(&self, message: &str, level: NotifyLevel) {
        HookUi::notify(self, message, level);
    }
}

/// How important a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NotifyLevel {
    /// For information.
    #[default]
    Info,
    /// A warning.
    Warning,
    /// Something went wrong.
    Error,
}

/// The time in which hooks wait for a person: it is not counted against their timeout.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Mutex<Waited>);

#[derive(Debug, Default)]
struct Waited {
    questions: u32,
    since: Option<Instant>,
    before: Duration,
}

impl Waiting {
    /// A person is asked until the guard is dropped.
    pub(crate) fn begin(self: &Arc<Self>) -> Asked {
        let mut waited = lock(&self.0);
        waited.questions += 1;
        waited.since.get_or_insert_with(Instant::now);
        drop(waited);
        Asked(Arc::clone(self))
    }

    /// Is a person asked right now?
    pub(crate) fn is_asking(&self) -> bool {
        lock(&self.0).since.is_some()
    }

    /// How long it was in all.
    pub(crate) fn total(&self) -> Duration {
        let waited = lock(&self.0);
        waited.before + waited.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// A question that a person has not answered yet.
pub(crate) struct Asked(Arc<Waiting>);

impl Drop for Asked {
    fn drop(&mut self) {
        let mut waited = lock(&self.0.0);
        waited.questions = waited.questions.saturating_sub(1);
        if waited.questions == 0
            && let Some(since) = waited.since.take()
        {
            waited.before += since.elapsed();
        }
    }
}
