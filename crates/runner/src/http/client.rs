//! Sending a request with the client that this library has.

use std::fmt;
use std::io::Read;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc;
use std::time::Duration;

use ureq::http::header::{AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use super::{AddressRule, Answered, Request, Unanswered, is_framing};
use crate::native_hook::HostCall;

/// Sends a request and reads its answer, until the hook's time is over or nobody waits for it any more.
pub(super) fn send(request: &Request, call: &HostCall) -> Result<Answered, Unanswered> {
    let failed = |what: String| Unanswered::Failed(what);
    let proxy = match &request.proxy {
        None => None,
        Some(url) => {
            Some(ureq::Proxy::new(url).map_err(|error| failed(format!("the proxy of the environment: {error}")))?)
        }
    };
    let is_proxied = proxy.is_some();
    hookshell_process::system::prepare_host_names();
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        // A redirect would take the headers and the event somewhere else.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("hookshell/", env!("CARGO_PKG_VERSION")))
        .max_idle_connections(0)
        .accept_encoding("identity")
        .timeout_global(Some(call.timeout))
        // Else the process's environment is asked.
        .proxy(proxy)
        .build();
    // A proxy looks the server's name up by itself.
    let refuses: AddressRule = if is_proxied { |_| None } else { request.refuses };
    let agent = ureq::Agent::with_parts(config, DefaultConnector::default(), Guarded(refuses));
    let _guard = {
        let agent = agent.clone();
        call.cancel.on_cancel(move || agent.shutdown())
    };
    let answer = exchange(&agent, request, call);
    match answer {
        Err(Unanswered::Failed(_)) if call.cancel.is_cancelled() => Err(Unanswered::Cancelled),
        other => other,
    }
}

fn exchange(agent: &ureq::Agent, request: &Request, call: &HostCall) -> Result<Answered, Unanswered> {
    let failed = |error: ureq::Error| match error {
        ureq::Error::Timeout(_) => Unanswered::TimedOut,
        error => Unanswered::Failed(format!("{}: {}", request.url.masked(), in_words(&error))),
    };
    let post = ureq::http::Request::post(request.url.to_string()).body(&*call.payload);
    let mut post = post.map_err(|error| failed(error.into()))?;
    let headers = post.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some((name, password)) = &request.url.user {
        let mut value = HeaderValue::from_str(&format!("Basic {}", base64(format!("{name}:{password}").as_bytes())))
            .map_err(|error| failed(ureq::http::Error::from(error).into()))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    for (name, value) in &request.headers {
        if let Some((name, value)) = header(name, value).map_err(Unanswered::Failed)? {
            headers.insert(name, value);
        }
    }
    let response = agent.run(post).map_err(failed)?;
    let status = response.status().as_u16();
    let packed =
        response.headers().get(CONTENT_ENCODING).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    if let Some(packed) = packed.filter(|how| !how.trim().is_empty() && !how.trim().eq_ignore_ascii_case("identity")) {
        let why = format!("its answer is packed ({packed:.20}), although the request says that it is not to be");
        return Err(Unanswered::Failed(why));
    }
    let limit = request.rules.answer_limit();
    let mut body = Vec::new();
    let mut reader = response.into_body().into_reader().take(limit as u64 + 1);
    if let Err(error) = reader.read_to_end(&mut body) {
        // What is cut off is no answer, however good its beginning is.
        return Err(failed(ureq::Error::from(error)));
    }
    let is_cut = body.len() > limit;
    body.truncate(limit);
    Ok(Answered { status, body, is_cut })
}

/// A header as it is sent. How long the body is and where it ends is not for a config to say: such a header is left out.
fn header(name: &str, value: &[u8]) -> Result<Option<(HeaderName, HeaderValue)>, String> {
    let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("{name:?} is no name of a header"))?;
    if is_framing(name) {
        return Ok(None);
    }
    let value = HeaderValue::from_bytes(value.trim_ascii()).ok();
    // The value itself may be a secret.
    let mut value =
        value.ok_or_else(|| format!("the value of the header {name:?} has a character that no header can have"))?;
    value.set_sensitive(true);
    Ok(Some((known, value)))
}

fn in_words(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Other(error) => error.to_string(),
        ureq::Error::HostNotFound => "there is no such host".to_owned(),
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            "its answer is cut off".to_owned()
        }
        ureq::Error::Io(error) => crate::config::why_unreadable(error),
        ureq::Error::Protocol(error) => format!("it does not answer in HTTP: {error}"),
        ureq::Error::LargeResponseHeader(..) => "the headers of its answer are too large".to_owned(),
        error => error.to_string(),
    }
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().chain([0, 0].iter()).take(3).fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place) & 63) as usize;
            let digit = DIGITS.get(digit).copied().filter(|_| place <= three.len()).unwrap_or(b'=');
            text.push(char::from(digit));
        }
    }
    text
}

/// Looks names up, and lets none lead to an address that is refused.
struct Guarded(AddressRule);

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").finish_non_exhaustive()
    }
}

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &ureq::http::Uri,
        _: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let authority = uri.authority().ok_or(ureq::Error::HostNotFound)?;
        let usual = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        let port = authority.port_u16().unwrap_or(usual);
        let host = authority.host();
        let found = match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(address) => vec![SocketAddr::new(address, port)],
            Err(_) => look_up(host.to_owned(), port, *timeout.after)?.ok_or(ureq::Error::Timeout(timeout.reason))?,
        };
        // The connection is made to one of these and no other: the name is not looked up again.
        if let Some(why) = found.iter().find_map(|address| (self.0)(address.ip())) {
            return Err(ureq::Error::Other(why.into()));
        }
        let mut addresses = self.empty();
        for address in found.into_iter().take(ADDRESSES) {
            addresses.push(address);
        }
        if addresses.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(addresses) }
    }
}

/// How many addresses of a name are tried: what the client has room for.
const ADDRESSES: usize = 16;

/// The addresses of a name; `None`: they did not come in time. The look-up cannot be ended, so it is another thread's; and it takes locks of
/// the C library, which no copy of this process is to inherit.
fn look_up(host: String, port: u16, max_wait: Duration) -> std::io::Result<Option<Vec<SocketAddr>>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::Builder::new().name("hookshell-host".to_owned()).spawn(move || {
        let found = hookshell_process::while_not_copied(|| (host.as_str(), port).to_socket_addrs());
        // Nobody listens any more where it came too late.
        let _ = sender.send(found.map(Vec::from_iter));
    })?;
    match receiver.recv_timeout(max_wait) {
        Ok(found) => found.map(Some),
        Err(mpsc::RecvTimeoutError::Timeout) => Ok(None),
        Err(mpsc::RecvTimeoutError::Disconnected) => Ok(Some(Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::{base64, header};

    #[test]
    fn base64_is_that_of_rfc_4648() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("u:p\u{ff}", "dTpww78="),
        ];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn no_header_ends_early_or_says_where_the_request_ends() {
        for name in ["X A", "", "a\r\nb", "a:b", "ä"] {
            assert_eq!(header(name, b"x"), Err(format!("{name:?} is no name of a header")));
        }
        for name in ["Content-Length", "transfer-encoding", "Connection", "Expect"] {
            assert_eq!(header(name, b"1"), Ok(None));
        }
        for value in ["a\r\nb: c", "a\nb", "a\0", "\u{7f}"] {
            assert!(header("x", value.as_bytes()).is_err(), "{value:?}");
        }
        let (name, value) = header("X-A", b" \t\xe9 ").unwrap().unwrap();
        assert_eq!((name.as_str(), value.as_bytes()), ("x-a", &b"\xe9"[..]));
    }
}
