//! A client of servers that speak OpenAI's chat completions, as most providers and local servers do.

mod wire;

use std::fmt;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use self::wire::{answer, request_body};
use super::{CancelToken, LlmClient, LlmError, LlmReply, LlmRequest, time_left};
use crate::http::without_secrets;

/// The most that is read of an answer, in bytes: far more than a decision or a call of a tool is.
const ANSWER_LIMIT: u64 = 4 * 1024 * 1024;

/// How long to wait before the one retry, where the server does not say.
const RETRY_AFTER: Duration = Duration::from_millis(500);

/// A client of a server that speaks OpenAI's chat completions (`POST URL/chat/completions`).
///
/// A request that the server is too busy for (status 429 or 5xx) is sent once more, after the server's `Retry-After`,
/// where the hook's time allows it. Redirects are not followed. Nothing is read from the process's environment; the
/// connection is made when the first hook asks. Each request has a thread of its own; where nobody waits any more, it ends at its
/// deadline. Clones share the connections.
///
/// ```
/// use hookshell_runner::{OpenAiClient, Runner};
///
/// let client = OpenAiClient::new("http://127.0.0.1:11434/v1").with_model("qwen3:4b");
/// let runner = Runner::builder().llm_client(client).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct OpenAiClient {
    base_url: String,
    key: Option<String>,
    model: Option<String>,
    proxy: Option<String>,
    agent: Arc<OnceLock<Result<ureq::Agent, String>>>,
}

impl OpenAiClient {
    /// A client of the server at this address, such as `https://api.openai.com/v1`.
    pub fn new(base_url: impl Into<String>) -> Self {
        let base_url: String = base_url.into();
        // A slash at the end of a query is of a value.
        let path = if base_url.contains('?') { &base_url } else { base_url.trim_end_matches('/') };
        let base_url = path.to_owned();
        Self { base_url, key: None, model: None, proxy: None, agent: Arc::default() }
    }

    /// Sets the key that is sent as `Authorization: Bearer`. None is sent unless set.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the model of hooks that name none. Without it such a hook fails.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the proxy to go through, as a URL. None unless set.
    #[must_use]
    pub fn with_proxy(mut self, url: impl Into<String>) -> Self {
        self.proxy = Some(url.into());
        self
    }

    /// Where a question is sent. What the address asks (`?api-version=1`) stays at its end.
    fn url(&self) -> String {
        let (path, query) = self.base_url.split_at(self.base_url.find('?').unwrap_or(self.base_url.len()));
        format!("{}/chat/completions{query}", path.trim_end_matches('/'))
    }

    /// The same for messages.
    fn shown_url(&self) -> String {
        without_secrets(&self.url())
    }

    /// Why no question can be sent, as far as that is known without sending one.
    pub fn fault(&self) -> Option<String> {
        self.check_scheme().err().map(|error| error.to_string())
    }

    /// What has no scheme is no address, and the HTTP client does not say so.
    fn check_scheme(&self) -> Result<(), LlmError> {
        let scheme = self.base_url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        if matches!(scheme.as_deref(), Some("http" | "https")) {
            return Ok(());
        }
        // `http:/x` and `http:x` are slips of the pen: the name of the scheme is no host.
        let after = |scheme: &str| {
            let (begin, rest) = self.base_url.split_at_checked(scheme.len())?;
            begin.eq_ignore_ascii_case(scheme).then(|| rest.trim_start_matches('/'))
        };
        let rest = self.base_url.split_once("://").map(|(_, rest)| rest);
        let rest = rest.or_else(|| after("https:")).or_else(|| after("http:")).unwrap_or(&self.base_url);
        // What is shown has no password and no key.
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let user = rest.get(..end).and_then(|authority| authority.rfind('@')).and_then(|at| rest.get(..=at));
        let user = user.unwrap_or_default();
        let rest = without_secrets(rest.get(user.len()..).unwrap_or_default());
        let host = rest.split(['/', ':', '?']).next().unwrap_or_default();
        let is_near = host == "localhost" || host.starts_with("127.") || host.starts_with('[') || !host.contains('.');
        let scheme = if is_near { "http" } else { "https" };
        Err(LlmError::Other(format!(
            "its address {:?} does not begin with http:// or https://: write {scheme}://{rest} (for `hookshell run` in HOOKSHELL_LLM_URL)",
            without_secrets(&self.base_url.replacen(user, "", 1))
        )))
    }

    fn agent(&self) -> Result<&ureq::Agent, LlmError> {
        let agent = self.agent.get_or_init(|| {
            let proxy = match &self.proxy {
                None => None,
                Some(url) => Some(
                    ureq::Proxy::new(url).map_err(|error| format!("the proxy {:?}: {error}", without_secrets(url)))?,
                ),
            };
            hookshell_process::system::prepare_host_names();
            let config = ureq::Agent::config_builder()
                .http_status_as_error(false)
                // A redirect would take the key and the event somewhere else.
                .max_redirects(0)
                .max_redirects_will_error(false)
                .user_agent(concat!("hookshell/", env!("CARGO_PKG_VERSION")))
                // Else the process's environment is asked.
                .proxy(proxy)
                .build();
            Ok(config.into())
        });
        agent.as_ref().map_err(|message| LlmError::Other(message.clone()))
    }

    /// Sends the request once.
    fn send(&self, wait: &Wait, body: &[u8]) -> Result<LlmReply, Refusal> {
        let timeout = wait.left()?;
        let mut post = self.agent()?.post(self.url()).header("content-type", "application/json");
        if let Some(key) = &self.key {
            post = post.header("authorization", format!("Bearer {key}"));
        }
        let post = post.config().timeout_global(Some(timeout)).build();
        let mut response = post.send(body).map_err(|error| self.error(error))?;
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let retry_after =
            header("retry-after").and_then(|seconds| seconds.trim().parse().ok()).map(Duration::from_secs);
        let bytes = response.body_mut().with_config().limit(ANSWER_LIMIT).read_to_vec();
        if status != 200 {
            let bytes = bytes.unwrap_or_default();
            let error = LlmError::Status { url: self.shown_url(), status, message: wire::error_message(&bytes) };
            let retry = matches!(status, 429 | 500 | 502..=504 | 529).then(|| retry_after.unwrap_or(RETRY_AFTER));
            return Err(Refusal { error, retry });
        }
        let bytes = bytes.map_err(|error| match error {
            ureq::Error::Timeout(_) => LlmError::TimedOut,
            error => self.bad_response(format!("it is cut off: {error}")),
        })?;
        answer(&bytes).map_err(|message| self.bad_response(message).into())
    }

    /// Sends the request, and once more where the server is too busy.
    fn ask(&self, wait: &Wait, body: &[u8]) -> Result<LlmReply, LlmError> {
        let refusal = match self.send(wait, body) {
            Ok(reply) => return Ok(reply),
            Err(refusal) => refusal,
        };
        let left = wait.left()?;
        match refusal.retry {
            Some(time) if time < left => wait.pause(time)?,
            _ => return Err(refusal.error),
        }
        self.send(wait, body).map_err(|refusal| refusal.error)
    }

    fn bad_response(&self, message: String) -> LlmError {
        LlmError::BadResponse { url: self.shown_url(), message }
    }

    fn error(&self, error: ureq::Error) -> LlmError {
        match error {
            ureq::Error::Timeout(_) => LlmError::TimedOut,
            ureq::Error::BadUri(message) => {
                let shown = self.shown_url();
                LlmError::Other(format!("{shown:?} is no address: {}", message.replace(&self.url(), &shown)))
            }
            ureq::Error::Protocol(error) => self.bad_response(error.to_string()),
            error => LlmError::Connect { url: self.shown_url(), message: error.to_string() },
        }
    }
}

impl LlmClient for OpenAiClient {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        self.check_scheme()?;
        let model = request.model.as_deref().or(self.model.as_deref()).ok_or_else(|| {
            LlmError::Other(
                "no model is named: the hook's `model` does, or HOOKSHELL_LLM_MODEL, or the host".to_owned(),
            )
        })?;
        let is_openai = self.base_url.starts_with("https://api.openai.com/");
        let body = request_body(model, request, is_openai).map_err(LlmError::Other)?;
        let (client, wait) = (self.clone(), Wait { deadline: request.deadline, cancel: request.cancel.clone() });
        let (sender, reply) = oneshot::channel();
        std::thread::Builder::new()
            .name("hookshell-llm".to_owned())
            .spawn(move || {
                // Nobody waits where the future was dropped.
                drop(sender.send(client.ask(&wait, &body)));
            })
            .map_err(|error| LlmError::Other(format!("no thread: {error}")))?;
        reply.await.unwrap_or_else(|_| Err(LlmError::Other("internal error: a thread panicked".to_owned())))
    }
}

/// How long an answer is waited for.
struct Wait {
    deadline: Instant,
    cancel: CancelToken,
}

impl Wait {
    fn left(&self) -> Result<Duration, LlmError> {
        time_left(self.deadline, &self.cancel)
    }

    /// Lets time go by, unless nobody waits for the answer any more.
    fn pause(&self, time: Duration) -> Result<(), LlmError> {
        let (sender, receiver) = mpsc::channel();
        let _guard = self.cancel.on_cancel(move || {
            let _ = sender.send(());
        });
        match receiver.recv_timeout(time) {
            Ok(()) => Err(LlmError::Cancelled),
            Err(_) => Ok(()),
        }
    }
}

/// Why there is no answer, and whether to ask again.
struct Refusal {
    error: LlmError,
    /// After which time.
    retry: Option<Duration>,
}

impl From<LlmError> for Refusal {
    fn from(error: LlmError) -> Self {
        Self { error, retry: None }
    }
}

impl fmt::Debug for OpenAiClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiClient")
            .field("base_url", &without_secrets(&self.base_url))
            .field("key", &self.key.as_ref().map(|_| "…"))
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod scheme_tests {
    use super::OpenAiClient;

    #[test]
    fn an_address_without_a_scheme_is_said_to_have_none() {
        let wrong = |url: &str| OpenAiClient::new(url).check_scheme().err().map(|error| error.to_string());
        for (url, meant) in [
            ("localhost:11434/v1", "write http://localhost:11434/v1 "),
            ("127.0.0.1:1/v1", "write http://127.0.0.1:1/v1 "),
            ("api.openai.com/v1", "write https://api.openai.com/v1 "),
            ("ftp://a.b/v1", "write https://a.b/v1 "),
            (
                "a:b@api.openai.com/v1",
                "its address \"api.openai.com/v1\" does not begin with http:// or https://: write https://api.openai.com/v1 ",
            ),
            ("http:a:b@localhost/@x", "write http://localhost/@x "),
            (
                "a.b/v1?key=secret",
                "its address \"a.b/v1?key=…\" does not begin with http:// or https://: write https://a.b/v1?key=… ",
            ),
        ] {
            assert!(wrong(url).is_some_and(|message| message.contains(meant)), "{url}: {:?}", wrong(url));
        }
        assert_eq!(wrong("http://localhost:1/v1"), None);
        assert_eq!(wrong("HTTPS://a.b"), None);
    }

    #[test]
    fn a_query_stays_at_the_end_and_is_not_shown() {
        let client = OpenAiClient::new("https://a.b/v1/?api-version=1&key=secret");
        assert_eq!(client.url(), "https://a.b/v1/chat/completions?api-version=1&key=secret");
        assert_eq!(client.shown_url(), "https://a.b/v1/chat/completions?api-version=…&key=…");
        assert!(!format!("{client:?}").contains("secret"), "{client:?}");
        let client = OpenAiClient::new("https://a.b/v1?key=c2VjcmV0/");
        assert_eq!(client.url(), "https://a.b/v1/chat/completions?key=c2VjcmV0/");
    }
}
