//! `shell/exec`: one command, whose output is sent as it comes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hookshell_dispatch::{BaseEnvironment, Command, Dispatcher, End, Input, Invocation, Outcome, Output, OutputSink};
use hookshell_serve::protocol::{ErrorCode, ExecEnd, ExecParams, ExecResult, OutputStream, RpcError};
use hookshell_serve::{OutputChannel, Responder, base64, read_params, to_result};
use hookshell_shell::KeptJob;
use serde_json::value::RawValue;

use super::service::Hooks;

/// One stream of a command, on its way to the client.
struct Stream {
    channel: Arc<OutputChannel>,
    stream: OutputStream,
}

impl OutputSink for Stream {
    fn write(&self, bytes: &[u8]) {
        self.channel.write(self.stream, bytes);
    }

    fn close(&self) {
        self.channel.close();
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("stream", &self.stream).finish_non_exhaustive()
    }
}

/// Runs a command.
pub(super) fn main(hooks: &Hooks, params: Option<&RawValue>, responder: Responder) {
    match begin(hooks, params, &responder) {
        Err(why) => responder.respond(Err(why)),
        Ok(Begun { dispatcher, invocation, output }) => {
            let (call, thread) = (Arc::clone(responder.call()), Arc::new(responder.thread()));
            let held = Arc::clone(&thread);
            let done = move |outcome: Outcome| {
                if !held.is_current() {
                    // It did not come back in time.
                    held.replace();
                }
                // What it has written is sent after this, and that takes as long as the client likes.
                responder.call().set_ended();
                let result = match responder.call().is_cancelled() {
                    true => Err(RpcError::new(ErrorCode::Cancelled, "cancelled")),
                    false => result(&outcome, &output),
                };
                responder.respond(result);
            };
            // This thread runs it, and whoever brings it to its end answers: to wake another thread takes longer than a short command does.
            let (handle, job) = KeptJob::of(|| dispatcher.start(invocation, done));
            call.on_cancel(move || handle.cancel());
            job.into_iter().for_each(KeptJob::run);
            thread.back();
        }
    }
}

/// A command that is about to be run.
struct Begun {
    dispatcher: Dispatcher,
    invocation: Invocation,
    output: Arc<OutputChannel>,
}

fn begin(hooks: &Hooks, params: Option<&RawValue>, responder: &Responder) -> Result<Begun, RpcError> {
    let params: ExecParams = read_params(params)?;
    let settings = hooks.settings(&params.options)?;
    let invalid = |why: &str| RpcError::new(ErrorCode::InvalidParams, format!("`params`: {why}"));
    let duration = |name: &str, seconds: Option<f64>| {
        let duration = seconds.map(Duration::try_from_secs_f64).transpose();
        duration.map_err(|_| {
            invalid(&format!("`{name}` must be a number of seconds, not negative and not beyond all bounds"))
        })
    };
    let mut invocation = Invocation::new(Command::source(&params.command), hooks.directory(&settings)?);
    invocation.base_env = match settings.env.is_empty() {
        true => hooks.base_env.clone(),
        false => BaseEnvironment::new(settings.environment(&hooks.env)),
    };
    invocation.stdin = match (&params.stdin, &params.stdin_base64) {
        (None, None) => Input::Null,
        (Some(text), None) => Input::Bytes(text.as_bytes().into()),
        (None, Some(text)) => {
            Input::Bytes(base64::decode(text).ok_or_else(|| invalid("`stdin_base64` is no base64"))?.into())
        }
        (Some(_), Some(_)) => return Err(invalid("`stdin` and `stdin_base64` together")),
    };
    invocation.timeout = duration("timeout", params.timeout)?;
    if let Some(grace) = duration("grace", params.grace)? {
        invocation.grace = grace;
    }
    let output = responder.call().output(params.window);
    let sink = |stream| Arc::new(Stream { channel: Arc::clone(&output), stream }) as Arc<dyn OutputSink>;
    invocation.output = Output::Forward {
        stdout: sink(OutputStream::Stdout),
        stderr: (!params.merge_stderr).then(|| sink(OutputStream::Stderr)),
    };
    let dispatcher = hooks.dispatcher(&settings)?;
    Ok(Begun { dispatcher, invocation, output })
}

fn result(outcome: &Outcome, output: &Arc<OutputChannel>) -> Result<Box<RawValue>, RpcError> {
    let [stdout_bytes, stderr_bytes] = output.finish();
    let signal = match outcome.end {
        End::Signaled(signal) => Some(signal),
        _ => None,
    };
    let end = match &outcome.end {
        End::Exited => ExecEnd::Exited,
        End::Signaled(_) => ExecEnd::Signaled,
        End::TimedOut => ExecEnd::TimedOut,
        End::SyntaxError(_) => ExecEnd::SyntaxError,
        End::StatusLost => ExecEnd::StatusLost,
        End::LimitExceeded(_) => ExecEnd::LimitExceeded,
        End::Cancelled => return Err(RpcError::new(ErrorCode::Cancelled, "cancelled")),
        End::Panicked => {
            return Err(RpcError::new(ErrorCode::Internal, outcome.end.to_string())
                .hint("this is a bug of hookshell's: please report it with the command"));
        }
        _ => ExecEnd::NotStarted,
    };
    to_result(&ExecResult {
        exit_code: outcome.status,
        signal,
        end,
        message: (end != ExecEnd::Exited).then(|| outcome.end.to_string()),
        route: outcome.route.to_string(),
        ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        stdout_bytes,
        stderr_bytes,
    })
}
