//! Hooks of the type `http`: the event is sent to a server, and what it answers is what the hook says.

#![cfg_attr(not(feature = "http"), allow(dead_code, reason = "the client is left out"))]

#[cfg(feature = "http")]
mod client;
mod proxy;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use hookshell_dispatch::Environment;
use hookshell_dispatch::{End, Outcome};
use hookshell_process::sync::lock;

use crate::config::{Config, HookConfig, HttpHook};
use crate::event_kind::EventKind;
use crate::native_hook::HostCall;
use crate::outcome::Failure;
pub(crate) use hookshell_agents::config::{AddressRule, BodyMeaning, HttpRules};
use hookshell_agents::http::header;
pub use hookshell_agents::http::without_secrets;
pub(crate) use hookshell_agents::http::{Url, is_framing, is_loopback};

/// What is sent for a hook, and by whose rules.
pub(crate) struct Request {
    url: Url,
    /// Names and values, as they are sent.
    headers: Vec<(String, Vec<u8>)>,
    proxy: Option<String>,
    refuses: AddressRule,
    rules: &'static dyn HttpRules,
    event: EventKind,
}

/// What a server answered.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// Was there more than is kept?
    pub(crate) is_cut: bool,
}

/// How a request ended: what the server answered stands where a command's standard output does.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) outcome: Outcome,
    /// Why the answer does not count, or that there is none.
    pub(crate) refused: Option<Refused>,
    /// How it was run, for people.
    pub(crate) route: String,
}

/// Why a server's answer does not count; the texts are for people.
#[derive(Debug)]
pub(crate) enum Refused {
    /// It gave none that counts.
    NoAnswer(String),
    /// What it answered is passed over.
    BadAnswer(String),
}

/// What a request gave, on its own thread.
struct RequestResult {
    end: End,
    body: Vec<u8>,
    refused: Option<Refused>,
}

impl RequestResult {
    fn ended(end: End) -> Self {
        Self { end, body: Vec::new(), refused: None }
    }

    fn refused(body: Vec<u8>, refused: Refused) -> Self {
        Self { end: End::Exited, body, refused: Some(refused) }
    }
}

/// Why there is no answer.
pub(crate) enum Unanswered {
    TimedOut,
    Cancelled,
    /// In words.
    Failed(String),
}

impl Request {
    /// What is sent for a hook of a config, or why nothing is. `env`: the host's environment.
    pub(crate) fn new(hook: &HookConfig, http: &HttpHook, config: &Config, env: &Environment) -> Result<Self, Failure> {
        let failed = |why: String| Failure::Http(why);
        let Some(rules) = hook.dialect.contract().http() else {
            return Err(Failure::Unsupported("http".to_owned()));
        };
        let url = Url::parse(&http.url)
            .map_err(|why| failed(format!("{:?} is no address: {why}", without_secrets(&http.url))))?;
        let limits = config.http_limits(hook.dialect, hook.origin);
        if let Some(why) = rules.refuses(hook.event, &url, http, env).or_else(|| limits.refuse(&url)) {
            return Err(failed(why));
        }
        let names = limits.allowed_variables(&http.allowed_env_vars);
        let allowed = header::Allowed { names: &names, value: &|name| variable(env, name) };
        let mut headers: Vec<(String, Vec<u8>)> = Vec::with_capacity(http.headers.len() + 1);
        for (name, value) in &http.headers {
            let value = rules.header_value(&header::filled(value, rules.variable_letters(), &allowed));
            // One that stands twice has the place of the first and the value of the last.
            match headers.iter_mut().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
                Some(known) => *known = (name.clone(), value),
                None => headers.push((name.clone(), value)),
            }
        }
        let proxy = proxy::of(&url, &|name| variable(env, name));
        let is_looked_at = url.ip().is_none() || rules.checks_literals();
        let refuses = if is_looked_at { rules.address_rule(env) } else { |_| None };
        Ok(Self { url, headers, proxy, refuses, rules, event: hook.event })
    }

    /// Sends it, and returns at once. `done` is called once.
    pub(crate) fn start(self: Arc<Self>, call: HostCall, done: impl FnOnce(Reply) + Send + 'static) {
        let started = Instant::now();
        let route = format!("POST {}", self.url.masked());
        let shared = Arc::new(Mutex::new(Some(done)));
        let report = {
            let shared = Arc::clone(&shared);
            move |result: RequestResult| {
                let done = lock(&shared).take();
                if let Some(done) = done {
                    let RequestResult { end, body, refused } = result;
                    let outcome = Outcome { stdout: body, ..Outcome::ended(end, started.elapsed()) };
                    done(Reply { outcome, refused, route });
                }
            }
        };
        let unstarted = report.clone();
        let spawned = std::thread::Builder::new().name("hookshell-http".to_owned()).spawn(move || {
            // A panic of the client's is a failure of the hook, and is seen.
            let sent = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.send(&call)));
            report(sent.map_or_else(|_| RequestResult::ended(End::Panicked), |sent| self.request_result(sent)));
        });
        if let Err(error) = spawned {
            unstarted(RequestResult::refused(Vec::new(), Refused::NoAnswer(format!("no thread: {error}"))));
        }
    }

    #[cfg(feature = "http")]
    fn send(&self, call: &HostCall) -> Result<Answered, Unanswered> {
        client::send(self, call)
    }

    #[cfg(not(feature = "http"))]
    fn send(&self, _: &HostCall) -> Result<Answered, Unanswered> {
        Err(Unanswered::Failed("this host was built without a client (the feature `http`)".to_owned()))
    }

    /// What an answer is.
    fn request_result(&self, sent: Result<Answered, Unanswered>) -> RequestResult {
        let answer = match sent {
            Err(Unanswered::TimedOut) => return RequestResult::ended(End::TimedOut),
            Err(Unanswered::Cancelled) => return RequestResult::ended(End::Cancelled),
            Err(Unanswered::Failed(why)) => return RequestResult::refused(Vec::new(), Refused::NoAnswer(why)),
            Ok(answer) => answer,
        };
        let refused = match answer.status {
            200..300 if answer.is_cut => {
                Refused::NoAnswer(format!("its answer is larger than {} bytes", self.rules.answer_limit()))
            }
            200..300 => match self.rules.body(self.event, &answer.body) {
                BodyMeaning::Output => return RequestResult { body: answer.body, ..RequestResult::ended(End::Exited) },
                BodyMeaning::NoAnswer(why) => Refused::NoAnswer(why),
                BodyMeaning::Ignored(why) => Refused::BadAnswer(why),
            },
            status => {
                Refused::NoAnswer(format!("{} answered with status {status}{}", self.url.masked(), redirect(status)))
            }
        };
        RequestResult::refused(answer.body, refused)
    }
}

fn redirect(status: u16) -> &'static str {
    if (300..400).contains(&status) { ", and redirects are not followed" } else { "" }
}

/// The value of a variable of the host's.
fn variable(env: &Environment, name: &str) -> Option<String> {
    let is_it = |other: &OsStr| match cfg!(windows) {
        true => other.eq_ignore_ascii_case(name),
        false => other == name,
    };
    env.iter().find(|(other, _)| is_it(other)).map(|(_, value)| value.to_string_lossy()).map(Cow::into_owned)
}

/// The variables that a hook's headers name and it does not allow, each once.
pub(crate) fn unallowed<'h>(http: &'h HttpHook, rules: &dyn HttpRules) -> Vec<&'h str> {
    let mut found = Vec::new();
    for (_, value) in &http.headers {
        for name in header::names(value, rules.variable_letters()) {
            if !http.allowed_env_vars.iter().any(|known| known == name) && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}
