//! A thread that sends what is queued.

use std::ffi::OsString;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use hookshell_process::sync::lock;
use hookshell_runner::{Event, HookReport, without_secrets};

use super::{ENDPOINT, HEADERS, span};
use crate::model;
use crate::output::note;

/// How long the end of a process waits for what is queued: a collector that hangs delays no agent longer.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How long one request may take: less, so that the one that the end waits for can still say why it failed.
const MAX_REQUEST: Duration = Duration::from_millis(1800);

/// How many events wait at most; what is more is dropped.
const QUEUE: usize = 1024;

/// Sends spans. What goes wrong changes no verdict: with `-v` there is a note.
#[derive(Clone)]
pub(crate) struct Exporter {
    queue: SyncSender<String>,
    waiting: Arc<Waiting>,
    /// What is said where the end of the process waits no longer, if anything is said.
    dropped: Option<String>,
    /// `TRACEPARENT` of the process: the spans are part of that trace.
    parent: Option<span::Parent>,
}

/// How many events are not sent yet.
#[derive(Default)]
struct Waiting {
    count: Mutex<usize>,
    changed: Condvar,
}

impl Waiting {
    fn add(&self) {
        *lock(&self.count) += 1;
    }

    fn done(&self) {
        let mut count = lock(&self.count);
        *count = count.saturating_sub(1);
        self.changed.notify_all();
    }
}

impl Exporter {
    /// What the environment says; `None`: nothing is sent.
    pub(crate) fn of(variable: impl Fn(&str) -> Option<OsString>, is_verbose: bool) -> Option<Self> {
        let text = |name: &str| variable(name)?.into_string().ok().filter(|value| !value.is_empty());
        let url = traces(&text(ENDPOINT)?);
        let dropped = is_verbose.then(|| {
            let seconds = MAX_WAIT.as_secs();
            format!("{ENDPOINT}: {}: what is not sent after {seconds} seconds is dropped", without_secrets(&url))
        });
        let proxy = model::proxy(&url, &text);
        let headers = text(HEADERS).map(|given| headers(&given)).unwrap_or_default();
        let (queue, queued) = sync_channel(QUEUE);
        let waiting = Arc::new(Waiting::default());
        let sending = Arc::clone(&waiting);
        let thread = thread::Builder::new().name("hookshell-otlp".to_owned());
        let started = thread.spawn(move || {
            send_all(&queued, &url, &headers, proxy.as_deref(), &sending, is_verbose);
        });
        if let Err(error) = started {
            if is_verbose {
                note(&format!("{ENDPOINT}: {error}"));
            }
            return None;
        }
        let parent = text("TRACEPARENT").and_then(|parent| span::Parent::parse(&parent));
        Some(Self { queue, waiting, dropped, parent })
    }

    /// Queues a span for each hook. `began`: when the hooks were started.
    pub(crate) fn export(&self, event: &Event, hooks: &[HookReport], began: SystemTime) {
        if hooks.is_empty() {
            return;
        }
        self.waiting.add();
        if self.queue.try_send(span::request(event, hooks, began, self.parent.as_ref())).is_err() {
            self.waiting.done();
        }
    }

    /// Waits until all is sent, or for as long as the end of the process may be delayed.
    pub(crate) fn flush(&self) {
        if !self.is_sent_within(MAX_WAIT)
            && let Some(dropped) = &self.dropped
        {
            note(dropped);
        }
    }

    fn is_sent_within(&self, longest: Duration) -> bool {
        let until = Instant::now() + longest;
        let mut count = lock(&self.waiting.count);
        while *count > 0 {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return false };
            let waited = self.waiting.changed.wait_timeout(count, left);
            count = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// The address for traces below an endpoint, as OpenTelemetry has it. A question (`?key=x`) stays at the end.
fn traces(endpoint: &str) -> String {
    let endpoint = endpoint.trim();
    let (path, question) = endpoint.split_at(endpoint.find(['?', '#']).unwrap_or(endpoint.len()));
    let path = path.trim_end_matches('/');
    let traces = if path.ends_with("/v1/traces") { "" } else { "/v1/traces" };
    format!("{path}{traces}{question}")
}

/// Headers as OpenTelemetry's own variable has them: `name=value,name=value`, what is special in a value as `%2C`. What is no pair is
/// an error of the request.
fn headers(given: &str) -> Vec<(String, String)> {
    let pairs = given.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name.trim().to_owned(), decoded(value.trim()))
        })
        .collect()
}

/// A text without its `%2C`s. What is no number stays.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.bytes());
        // A number with a sign is none here.
        let digits = after.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn send_all(
    queued: &Receiver<String>,
    url: &str,
    headers: &[(String, String)],
    proxy: Option<&str>,
    waiting: &Waiting,
    is_verbose: bool,
) {
    let shown = without_secrets(url);
    let agent = match has_scheme(url) {
        true => agent(proxy),
        false => Err("an address begins with http:// or https://".to_owned()),
    };
    for body in queued {
        let sent = match &agent {
            Ok(agent) => send(agent, url, headers, &body),
            Err(error) => Err(error.clone()),
        };
        if let Err(error) = sent
            && is_verbose
        {
            // What is no address stands in the client's error, too.
            note(&format!("{ENDPOINT}: {shown}: {}", error.replace(url, &shown)));
        }
        waiting.done();
    }
}

fn has_scheme(url: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

fn agent(proxy: Option<&str>) -> Result<ureq::Agent, String> {
    let proxy = proxy.map(ureq::Proxy::new).transpose().map_err(|error| format!("the proxy: {error}"))?;
    hookshell_process::system::prepare_host_names();
    let config = ureq::Agent::config_builder()
        .max_redirects(0)
        .timeout_global(Some(MAX_REQUEST))
        .user_agent(concat!("hookshell/", env!("CARGO_PKG_VERSION")))
        .proxy(proxy)
        .build();
    Ok(config.into())
}

fn send(agent: &ureq::Agent, url: &str, headers: &[(String, String)], body: &str) -> Result<(), String> {
    let post = agent.post(url).header("content-type", "application/json");
    let post = headers.iter().fold(post, |post, (name, value)| post.header(name, value));
    match post.send(body) {
        Ok(answer) if answer.status().is_success() => Ok(()),
        // A redirect is not followed: the headers may have a key.
        Ok(answer) => Err(format!("http status: {}", answer.status().as_u16())),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ENDPOINT, Exporter, has_scheme, headers, traces};

    #[test]
    fn headers_are_pairs() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(headers("a=b"), [pair("a", "b")]);
        assert_eq!(
            headers(" authorization = Basic%20dXNlcg== ,, x-team=a%2Cb%zz%"),
            [pair("authorization", "Basic dXNlcg=="), pair("x-team", "a,b%zz%")]
        );
        assert_eq!(headers("a=1%+52%2"), [pair("a", "1%+52%2")]);
        assert_eq!(headers("alone"), [pair("alone", "")]);
        assert_eq!(headers(" "), []);
    }

    #[test]
    fn what_is_not_sent_in_time_is_said() {
        let of = |is_verbose| {
            let endpoint = |name: &str| (name == ENDPOINT).then(|| "http://a:b@127.0.0.1:1?key=x".into());
            Exporter::of(endpoint, is_verbose).unwrap()
        };
        let exporter = of(true);
        assert!(exporter.is_sent_within(Duration::ZERO));
        exporter.waiting.add();
        assert!(!exporter.is_sent_within(Duration::from_millis(10)));
        assert_eq!(
            exporter.dropped.as_deref(),
            Some(
                "HOOKSHELL_OTLP_ENDPOINT: http://127.0.0.1:1/v1/traces?key=…: what is not sent after 2 seconds is dropped"
            )
        );
        assert_eq!(of(false).dropped, None);
    }

    #[test]
    fn traces_have_their_own_address() {
        for endpoint in ["http://a:4318", "http://a:4318/", "http://a:4318/v1/traces", " http://a:4318/v1/traces/ "] {
            assert_eq!(traces(endpoint), "http://a:4318/v1/traces");
        }
        assert_eq!(traces("https://a/?key=x/y"), "https://a/v1/traces?key=x/y");
        assert_eq!(traces("https://a/otlp"), "https://a/otlp/v1/traces");
        assert!(has_scheme("http://a") && has_scheme("HTTPS://a") && !has_scheme("localhost:4318") && !has_scheme("é"));
    }
}
