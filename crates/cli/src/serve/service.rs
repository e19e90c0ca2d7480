//! What does the requests.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use clap::error::{ContextKind, ContextValue};
use clap::{Args, FromArgMatches};
use hookshell_dispatch::{BaseEnvironment, Dispatcher, Environment};
use hookshell_process::sync::lock;
use hookshell_runner::{Dialect, EventKind, HookLog, SessionMemory};
use hookshell_serve::protocol::{
    Capabilities, ClientCapabilities, Direction, Empty, ErrorCode, ErrorData, InitializeParams, InitializeResult,
    Limits, MAX_MESSAGE_BYTES, MAX_QUEUED_BYTES, MAX_QUEUED_REQUESTS, METHODS, Options, PROTOCOL_VERSION, Peer,
    RpcError, SessionEndParams,
};
use hookshell_serve::{Call, Questions, Responder, Service, read_params, to_result};
use hookshell_shell::Pool;
use serde_json::value::RawValue;

use super::cache::Runners;
use super::open_runs::OpenRuns;
use super::options::Settings;
use super::{ServeArgs, exec, inspect, run};
use crate::as_hook::Outer;
use crate::directories::{directory_option, working_directory};
use crate::failure::{Failure, Sysexit};
use crate::hook_log::hook_log;
use crate::options::DispatchArgs;
use crate::otlp::Exporter;

/// How many different ways of dispatching are kept.
const MAX_DISPATCHERS: usize = 64;

/// How long commands are waited for at the end: their grace, and a bound for the kill.
const END_BOUND: Duration = Duration::from_millis(2500);

/// All that requests share.
pub(super) struct Hooks {
    pub(super) args: ServeArgs,
    /// The working directory, as it was at the start.
    pub(super) cwd: PathBuf,
    pub(super) env: Environment,
    pub(super) base_env: BaseEnvironment,
    /// The events whose hooks run around this process.
    pub(super) outer: Outer,
    pub(super) runners: Runners,
    /// What is remembered of sessions where the user has no directory for it.
    pub(super) sessions: SessionMemory,
    pub(super) open_runs: OpenRuns,
    /// The kinds of events of which the last one had hooks for other threads than its own: the next one will have some, too.
    pub(super) kinds_of_threads: Mutex<HashSet<EventKind>>,
    /// The threads of requests: shell code can run on them.
    pub(super) threads: Pool,
    /// Where spans of hooks' runs are sent.
    pub(super) exporter: Option<Exporter>,
    /// The user's log.
    pub(super) log: Option<HookLog>,
    dispatchers: Mutex<HashMap<Vec<String>, Dispatcher>>,
    client: OnceLock<Client>,
}

/// Who is served.
pub(super) struct Client {
    pub(super) defaults: Options,
    pub(super) capabilities: ClientCapabilities,
    pub(super) questions: Questions,
}

impl Hooks {
    pub(super) fn new(args: &ServeArgs) -> Result<Self, Failure> {
        let env = Environment::of_process();
        Ok(Self {
            args: args.clone(),
            cwd: working_directory()?,
            base_env: BaseEnvironment::new(env.clone()),
            env,
            outer: Outer::of_environment(),
            runners: Runners::default(),
            sessions: SessionMemory::default(),
            open_runs: OpenRuns::default(),
            kinds_of_threads: Mutex::default(),
            threads: Pool::new(),
            exporter: Exporter::of(|name| std::env::var_os(name), false),
            log: hook_log(|name| std::env::var_os(name)),
            dispatchers: Mutex::default(),
            client: OnceLock::new(),
        })
    }

    pub(super) fn client(&self) -> Result<&Client, RpcError> {
        self.client
            .get()
            .ok_or_else(|| RpcError::new(ErrorCode::NotInitialized, "the first request must be `initialize`"))
    }

    /// What holds for a request with these options.
    pub(super) fn settings(&self, own: &Options) -> Result<Settings, RpcError> {
        Settings::new(&self.args, &self.client()?.defaults, own).map_err(|failure| error(&failure))
    }

    /// The directory of a request: it exists.
    pub(super) fn directory(&self, settings: &Settings) -> Result<PathBuf, RpcError> {
        match &settings.cwd {
            None => Ok(self.cwd.clone()),
            Some(cwd) => directory_option("options.cwd", Some(cwd)).map_err(|failure| error(&failure)),
        }
    }

    /// What dispatches commands with these options.
    pub(super) fn dispatcher(&self, settings: &Settings) -> Result<Dispatcher, RpcError> {
        let mut dispatchers = lock(&self.dispatchers);
        if let Some(known) = dispatchers.get(&settings.dispatch) {
            return Ok(known.clone());
        }
        let made = self.dispatch_args(settings)?.builder().build();
        if dispatchers.len() < MAX_DISPATCHERS {
            dispatchers.insert(settings.dispatch.clone(), made.clone());
        }
        Ok(made)
    }

    /// The options of dispatch.
    pub(super) fn dispatch_args(&self, settings: &Settings) -> Result<DispatchArgs, RpcError> {
        dispatch_args(&self.args.dispatch, &settings.dispatch).map_err(|failure| error(&failure))
    }
}

/// The options of the command line, and these words over them.
fn dispatch_args(base: &DispatchArgs, words: &[String]) -> Result<DispatchArgs, Failure> {
    let mut args = base.clone();
    if words.is_empty() {
        return Ok(args);
    }
    let command = DispatchArgs::augment_args_for_update(clap::Command::new("options").no_binary_name(true));
    let matches = command.try_get_matches_from(words).map_err(|error| wrong_option(&error))?;
    args.update_from_arg_matches(&matches).map_err(|error| wrong_option(&error))?;
    Ok(args)
}

/// What clap says of `--limit <NAME=VALUE>`, said of `options.limits`: the client has no command line.
fn wrong_option(error: &clap::Error) -> Failure {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let option = said(ContextKind::InvalidArg).and_then(|option| option.strip_prefix("--")?.split(' ').next());
    match (option, said(ContextKind::InvalidValue), std::error::Error::source(error)) {
        (Some(option), Some(value), Some(why)) => {
            let member = if option == "limit" { "limits".to_owned() } else { option.replace('-', "_") };
            let why = why.to_string();
            // Some name the value themselves.
            let why = if why.starts_with('"') { why } else { format!("{value}: {why}") };
            Failure::new(Sysexit::Usage, format!("options.{member}"), why)
        }
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            Failure::new(Sysexit::Usage, "options", line)
        }
    }
}

/// A failure as an error.
pub(super) fn error(failure: &Failure) -> RpcError {
    let code = match failure.code {
        Sysexit::Usage => ErrorCode::InvalidParams,
        Sysexit::Software => ErrorCode::Internal,
        _ => ErrorCode::Failed,
    };
    let reasons = failure.reasons();
    let data = ErrorData {
        hint: failure.advice().map(str::to_owned),
        exit_code: Some(failure.code as u8),
        reasons: reasons.clone(),
    };
    RpcError::new(code, reasons.join("\n")).data(data)
}

/// What does the requests, with all that they share.
pub(super) struct HookService(pub(super) Arc<Hooks>);

impl Service for HookService {
    fn initialize(&self, params: InitializeParams, questions: Questions) -> Result<InitializeResult, RpcError> {
        if params.protocol_version == 0 {
            return Err(RpcError::new(ErrorCode::InvalidParams, "there is no version 0 of the protocol"));
        }
        // What is wrong with them is said at once.
        Settings::new(&self.0.args, &params.defaults, &Options::default()).map_err(|failure| error(&failure))?;
        let client = Client { defaults: params.defaults, capabilities: params.capabilities, questions };
        if self.0.client.set(client).is_err() {
            return Err(RpcError::new(ErrorCode::InvalidRequest, "`initialize` comes only once"));
        }
        let is_taken = |direction: Direction| direction != Direction::ToClient;
        let methods = METHODS.iter().filter(|method| is_taken(method.direction)).map(|method| method.name.to_owned());
        Ok(InitializeResult {
            protocol_version: params.protocol_version.min(PROTOCOL_VERSION),
            server: Peer { name: "hookshell".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) },
            capabilities: Capabilities {
                methods: methods.collect(),
                dialects: Dialect::ALL.iter().map(|dialect| dialect.as_str().to_owned()).collect(),
            },
            limits: Limits {
                max_message_bytes: MAX_MESSAGE_BYTES as u64,
                max_queued_requests: MAX_QUEUED_REQUESTS as u64,
                max_queued_bytes: MAX_QUEUED_BYTES as u64,
            },
        })
    }

    fn call(&self, method: &str, params: Option<&RawValue>, responder: Responder) {
        match method {
            "hooks/run" => run::main(&self.0, params, responder),
            "shell/exec" => exec::main(&self.0, params, responder),
            _ => {
                let result = self.do_now(method, params, responder.call());
                responder.respond(result);
            }
        }
    }

    fn answered(&self, call: &Call) {
        self.0.open_runs.leave(call.number());
    }

    fn end(&self) {
        // Background hooks and modules end with their runners.
        self.0.runners.clear();
        let until = Instant::now() + END_BOUND;
        let dispatchers: Vec<Dispatcher> = lock(&self.0.dispatchers).values().cloned().collect();
        for dispatcher in dispatchers {
            dispatcher.wait_for_runs(&|| Instant::now() >= until);
        }
    }
}

impl HookService {
    /// Does a request whose answer is known when this returns.
    fn do_now(&self, method: &str, params: Option<&RawValue>, call: &Call) -> Result<Box<RawValue>, RpcError> {
        match method {
            "explain" => inspect::explain(&self.0, params),
            "check" => inspect::check(&self.0, params),
            "doctor" => inspect::doctor(&self.0, params),
            "session/end" => {
                let params: SessionEndParams = read_params(params)?;
                let session = match params.session {
                    Some(session) => session,
                    None => self.0.settings(&Options::default())?.session,
                };
                let ending = self.0.open_runs.end_before(&session, call.number());
                self.0.runners.end_session(&session);
                if ending.wait() {
                    // What they have started or set while they ended.
                    self.0.runners.end_session(&session);
                }
                to_result(&Empty {})
            }
            other => Err(RpcError::new(ErrorCode::MethodNotFound, format!("there is no method `{other}`"))),
        }
    }
}
