//! What a module asks the runner for: a person, or a program.

use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hookshell_dispatch::{End, Environment, Invocation, Outcome, Output};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::ModuleServices;
use super::process::{OpenQuestion, Pipe};
use super::protocol::{Request, ToModule, line};
use crate::ui::{AnyHookUi, NotifyLevel};
use crate::work::{Running, plain};

/// How long a program of a module's runs where it sets nothing.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Answers a request.
pub(super) fn answer(pipe: &Pipe, id: &str, value: Result<Value, String>) {
    let (value, error) = match value {
        Ok(value) => (Some(value), None),
        Err(error) => (None, Some(error)),
    };
    pipe.write(&line(&ToModule::Answer { id, value, error: error.as_deref() }));
}

/// Asks a person, on a thread of its own, and answers. Without anybody to ask, or where nobody waits for it any more, the answers are
/// the safe ones. `open` is held until the person has answered.
pub(super) fn ask(
    ui: Option<&Arc<dyn AnyHookUi>>,
    pipe: &Pipe,
    id: String,
    message: Option<String>,
    request: Request,
    open: OpenQuestion,
) {
    let message = message.unwrap_or_default();
    let safe = if request.call == "confirm" { Value::Bool(false) } else { Value::Null };
    let Some(ui) = ui.cloned() else {
        if request.call != "notify" {
            answer(pipe, &id, Ok(safe));
        }
        return;
    };
    if request.call == "notify" {
        let level = match request.level.as_str() {
            "error" => NotifyLevel::Error,
            "warning" => NotifyLevel::Warning,
            _ => NotifyLevel::Info,
        };
        ui.notify(&message, level);
        return;
    }
    let to = pipe.clone();
    let of = id.clone();
    let asking = move || {
        hookshell_process::block_sigpipe_on_this_thread();
        let said = tokio::runtime::Builder::new_current_thread().enable_time().build().ok().and_then(|runtime| {
            let asked = async {
                // The question is dropped when nobody waits for it any more, which tells the host: it takes its dialog away.
                let (sender, withdrawn) = oneshot::channel::<()>();
                let _guard = open.withdrawn.on_cancel(move || sender.send(()).unwrap_or_default());
                let mut withdrawn = pin!(withdrawn);
                let mut said = pin!(async {
                    match request.call.as_str() {
                        "select" => Some(json!(ui.select(&request.title, &request.options).await)),
                        "confirm" => Some(json!(ui.confirm(&request.title, &message).await)),
                        "input" => Some(json!(ui.input(&request.title, &request.placeholder).await)),
                        _ => None,
                    }
                });
                poll_fn(|context| match withdrawn.as_mut().poll(context) {
                    Poll::Ready(_) => Poll::Ready(None),
                    Poll::Pending => said.as_mut().poll(context),
                })
                .await
            };
            // A panic of the host's is nobody's answer.
            let asked = std::panic::AssertUnwindSafe(|| runtime.block_on(asked));
            std::panic::catch_unwind(asked).ok().flatten()
        });
        drop(open);
        answer(&to, &of, Ok(said.unwrap_or(safe)));
    };
    if std::thread::Builder::new().name("hookshell-ui".to_owned()).spawn(asking).is_err() {
        answer(pipe, &id, Err("no thread".to_owned()));
    }
}

/// Runs a program and answers when it has ended. What it gives ends the program.
pub(super) fn exec(
    services: &ModuleServices,
    env: &Environment,
    cwd: PathBuf,
    pipe: &Pipe,
    id: String,
    request: Request,
) -> Box<dyn Running> {
    let timeout = request.timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let command = shell_words::join(std::iter::once(&request.command).chain(&request.args));
    let invocation = Invocation {
        timeout: Some(timeout.unwrap_or(LONGEST).min(LONGEST)),
        grace: services.grace,
        output: Output::Capture { limit: services.output_limit },
        ..plain(&command, request.cwd.map_or(cwd, PathBuf::from), env.clone())
    };
    let pipe = pipe.clone();
    services.executor.start(
        invocation,
        Box::new(move |outcome| {
            hookshell_process::block_sigpipe_on_this_thread();
            answer(&pipe, &id, gave(&outcome));
        }),
    )
}

fn gave(outcome: &Outcome) -> Result<Value, String> {
    match &outcome.end {
        End::Exited => Ok(json!({
            "code": outcome.status,
            "stdout": String::from_utf8_lossy(&outcome.stdout),
            "stderr": String::from_utf8_lossy(&outcome.stderr),
        })),
        End::Signaled(signal) => Err(format!("killed by signal {signal}")),
        End::TimedOut => Err("timed out".to_owned()),
        End::Cancelled => Err("cancelled".to_owned()),
        End::NotStarted(failure) => Err(failure.to_string()),
        End::SyntaxError(error) => Err(error.to_string()),
        End::LimitExceeded(message) | End::UnpassableVariables(message) | End::Changed(message) => Err(message.clone()),
        End::StatusLost => Err("its exit status was lost".to_owned()),
        End::Panicked => Err("internal error: a thread panicked".to_owned()),
        other => Err(other.to_string()),
    }
}
