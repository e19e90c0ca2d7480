//! Addresses of servers, read as agents' own parser reads them (WHATWG URL), and the patterns that allow them.

use std::fmt;
use std::net::Ipv6Addr;

/// An address that was read: `http` and `https` have their usual port left out.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Url {
    /// `http` or `https`.
    pub scheme: String,
    /// Name and password, decoded.
    pub user: Option<(String, String)>,
    /// In lower case; an IPv6 address in its brackets.
    pub host: String,
    /// Empty for the scheme's own.
    pub port: String,
    /// Begins with `/`; with the query.
    pub path: String,
}

/// An address for messages and logs, whatever its text is: without `user:password@`, and without the values of the query, one of which
/// may be a key.
pub fn without_secrets(url: &str) -> String {
    let is_scheme = |text: &str| text.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
    // Where the scheme was forgotten the password was not.
    let begin = url.find("://").filter(|&end| url.get(..end).is_some_and(is_scheme)).map_or(0, |end| end + "://".len());
    let (scheme, rest) = url.split_at(begin);
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let Some((path, query)) = path.split_once(['?', '#']) else { return format!("{scheme}{host}{path}") };
    let members = query.split(['&', '#']).map(|member| match member.split_once('=') {
        Some((name, value)) if !value.is_empty() => format!("{name}=…"),
        _ if member.is_empty() || member.ends_with('=') => member.to_owned(),
        _ => "…".to_owned(),
    });
    format!("{scheme}{host}{path}?{}", members.collect::<Vec<_>>().join("&"))
}

/// Without the name and the password.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.port.is_empty() { "" } else { ":" };
        write!(f, "{}://{}{colon}{}{}", self.scheme, self.host, self.port, self.path)
    }
}

impl Url {
    /// Reads an address with `http` or `https`.
    ///
    /// # Errors
    /// Why it is none, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let url = Self::parse_any(text)?;
        if !url.is_special() {
            return Err("its scheme is neither http nor https");
        }
        if url.host.bytes().any(|byte| byte == b'*') {
            return Err("its host has a `*`");
        }
        Ok(url)
    }

    /// A text without what is passed over in an address: blanks around it, and tabs and line ends anywhere.
    pub(crate) fn without_blanks(text: &str) -> String {
        text.trim_matches(|c: char| c <= ' ').chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect()
    }

    /// An address of any scheme; a `*` may stand in the scheme, the host and for the port.
    pub(crate) fn parse_any(text: &str) -> Result<Self, &'static str> {
        let text = Self::without_blanks(text);
        let (scheme, rest) = text.split_once(':').ok_or("it has no scheme: it begins with http:// or https://")?;
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '*');
        let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic() || c == '*');
        if !begins || !scheme.chars().all(is_scheme) {
            return Err("it has no scheme: it begins with http:// or https://");
        }
        let scheme = scheme.to_ascii_lowercase();
        let is_special = matches!(scheme.as_str(), "http" | "https");
        let rest = if is_special { rest.replace('\\', "/") } else { rest.to_owned() };
        let rest = match is_special {
            true => rest.trim_start_matches('/'),
            false => rest.strip_prefix("//").ok_or("it has no host")?,
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let (user, host) = match authority.rsplit_once('@') {
            None => (None, authority),
            Some((user, host)) => (Some(user), host),
        };
        let user = user.filter(|user| !user.is_empty() && *user != ":").map(|user| {
            let (name, password) = user.split_once(':').unwrap_or((user, ""));
            (lossy(name), lossy(password))
        });
        let (host, port) = match host.rfind(':').filter(|at| !host.get(*at..).is_some_and(|rest| rest.contains(']'))) {
            None => (host, ""),
            Some(at) => (host.get(..at).unwrap_or_default(), host.get(at + 1..).unwrap_or_default()),
        };
        let port = match port {
            "" | "*" => port.to_owned(),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse::<u16>().map_err(|_| "its port is no number up to 65535")?.to_string()
            }
            _ => return Err("its port is no number up to 65535"),
        };
        let is_usual = matches!((scheme.as_str(), port.as_str()), ("http", "80") | ("https", "443"));
        let path = path.split('#').next().unwrap_or_default();
        Ok(Self {
            user,
            host: read_host(host, is_special)?,
            port: if is_usual { String::new() } else { port },
            path: read_path(path, is_special),
            scheme,
        })
    }

    /// The address for messages and logs: without name and password, and without what the query says (`?key=…`).
    pub fn masked(&self) -> String {
        without_secrets(&self.to_string())
    }

    fn is_special(&self) -> bool {
        matches!(self.scheme.as_str(), "http" | "https")
    }

    /// Is what is sent there encrypted?
    pub fn is_encrypted(&self) -> bool {
        self.scheme == "https"
    }

    /// Is it this machine by its name?
    pub fn is_localhost(&self) -> bool {
        self.host == "localhost"
    }

    /// The port, in digits.
    pub fn port(&self) -> &str {
        match (self.port.as_str(), self.scheme.as_str()) {
            ("", "https") => "443",
            ("", _) => "80",
            (port, _) => port,
        }
    }

    /// The address of a literal host.
    pub fn ip(&self) -> Option<std::net::IpAddr> {
        self.host.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }

    /// Does Claude Code's pattern allow it (`allowedHttpHookUrls`)? `*` stands for anything in the path, and for anything but `/` in the host; the
    /// port is compared unless it is `*`, or left out beside a host with a `*`; a pattern without a path is for all paths.
    pub(crate) fn is_allowed_by(&self, pattern: &str) -> bool {
        if pattern == "*" {
            return true;
        }
        let Ok(wanted) = Self::parse_any(pattern) else {
            return is_like(
                &format!("{}://{}{}{}", self.scheme, self.host, self.with_colon(), self.path),
                pattern,
                false,
            );
        };
        let any_port = wanted.port == "*" || wanted.port.is_empty() && wanted.host.contains('*');
        let host = self.host.trim_end_matches('.');
        let is_for_all = matches!(wanted.path.as_str(), "" | "/") && !pattern.ends_with('/');
        (wanted.scheme == "*" || wanted.scheme == self.scheme)
            && is_like(host, &wanted.host.trim_end_matches('.').to_ascii_lowercase(), false)
            && (any_port || wanted.port == self.port)
            && (is_for_all || is_like(&self.path, &wanted.path, true))
    }

    fn with_colon(&self) -> String {
        if self.port.is_empty() { String::new() } else { format!(":{}", self.port) }
    }
}

/// Is the text like the pattern, in which `*` stands for any text (`crosses`: also one with `/`)?
fn is_like(text: &str, pattern: &str, crosses: bool) -> bool {
    let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
    let (mut at, mut of) = (0, 0);
    // Where the last `*` stands, and how far it reaches.
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(at) {
        match pattern.get(of) {
            Some(b'*') => {
                star = Some((of, at));
                of += 1;
            }
            Some(wanted) if wanted == byte => {
                at += 1;
                of += 1;
            }
            _ => match star {
                // Where the last one reaches further, none before it has to.
                Some((place, reach)) if crosses || text.get(reach) != Some(&b'/') => {
                    star = Some((place, reach + 1));
                    at = reach + 1;
                    of = place + 1;
                }
                _ => return false,
            },
        }
    }
    pattern.get(of..).unwrap_or_default().iter().all(|byte| *byte == b'*')
}

/// A host as it is looked up: an IPv4 address in any of its spellings is four numbers.
fn read_host(host: &str, is_special: bool) -> Result<String, &'static str> {
    if let Some(address) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        let address: Ipv6Addr = address.parse().map_err(|_| "its host is no IPv6 address")?;
        return Ok(format!("[{address}]"));
    }
    let host = match is_special {
        true => String::from_utf8(decoded(host)).map_err(|_| "its host is no text")?.to_ascii_lowercase(),
        false => host.to_owned(),
    };
    if host.is_empty() {
        return if is_special { Err("it has no host") } else { Ok(host) };
    }
    if !host.is_ascii() {
        return Err("its host is not ASCII: write it as `xn--…`");
    }
    if host.bytes().any(|byte| byte <= b' ' || byte == 0x7f || b"#%/:<>?@[\\]^|\"`{}".contains(&byte)) {
        return Err("its host has a character that no host has");
    }
    let labels: Vec<&str> = host.strip_suffix('.').unwrap_or(&host).split('.').collect();
    let is_number =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit()) || number(label).is_some();
    if is_special && labels.last().is_some_and(|last| is_number(last)) {
        return four_numbers(&labels).ok_or("its host is no IPv4 address");
    }
    Ok(host)
}

/// `127.1`, `0x7f000001` and the like, as inet_aton(3) reads them.
fn four_numbers(labels: &[&str]) -> Option<String> {
    let (last, before) = labels.split_last()?;
    if before.len() > 3 {
        return None;
    }
    let mut address: u64 = 0;
    for label in before {
        let part = number(label).filter(|part| *part < 256)?;
        address = address << 8 | part;
    }
    let bits = 8 * (4 - u32::try_from(before.len()).ok()?);
    let last = number(last).filter(|last| *last < 1 << bits)?;
    let address = u32::try_from(address << bits | last).ok()?;
    Some(std::net::Ipv4Addr::from(address).to_string())
}

/// A number as inet_aton(3) reads it: decimal, octal after a 0, hexadecimal after 0x.
fn number(label: &str) -> Option<u64> {
    let lower = label.to_ascii_lowercase();
    let (digits, radix) = match (lower.strip_prefix("0x"), lower.strip_prefix('0')) {
        (Some(""), _) => return Some(0),
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (lower.as_str(), 10),
    };
    // What `parse` would take besides digits.
    if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, radix).ok() }
}

/// A path and a query as they are sent: `.` and `..` are gone, and what no request line can have is encoded.
fn read_path(path: &str, is_special: bool) -> String {
    let (path, query) = match path.split_once('?') {
        None => (path, None),
        Some((path, query)) => (path, Some(query)),
    };
    let mut segments: Vec<String> = Vec::new();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    for (index, part) in parts.iter().enumerate() {
        let is_last = index + 1 == parts.len();
        match part.to_ascii_lowercase().replace("%2e", ".").as_str() {
            "." if is_last => segments.push(String::new()),
            "." => {}
            ".." => {
                segments.pop();
                if is_last {
                    segments.push(String::new());
                }
            }
            _ => segments.push(encoded(part, b" \"#<>?`{}^")),
        }
    }
    let mut text = if segments.is_empty() && !is_special { String::new() } else { format!("/{}", segments.join("/")) };
    if let Some(query) = query {
        text.push('?');
        text.push_str(&encoded(query, b" \"#<>'"));
    }
    text
}

fn encoded(text: &str, besides: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            0..=0x1f | 0x7f.. => out.push_str(&format!("%{byte:02X}")),
            _ if besides.contains(&byte) => out.push_str(&format!("%{byte:02X}")),
            _ => out.push(char::from(byte)),
        }
    }
    out
}

fn lossy(text: &str) -> String {
    String::from_utf8_lossy(&decoded(text)).into_owned()
}

/// `%41` is `A`; what is no such thing stays.
fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = text.get(at + 1..at + 3).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.filter(|_| *byte == b'%').and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(code) => {
                out.push(code);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, proptest};

    use super::{Url, is_like, without_secrets};

    fn shown(text: &str) -> String {
        Url::parse(text).map_or_else(|why| format!("error: {why}"), |url| url.to_string())
    }

    #[test]
    fn what_is_secret_in_an_address_is_not_shown() {
        for (url, shown) in [
            ("http://a:b@host:1/v1", "http://host:1/v1"),
            ("https://host/v1?x=@y", "https://host/v1?x=…"),
            ("https://host/v1?key=a/b&alt=sse&flag&empty=", "https://host/v1?key=…&alt=…&…&empty="),
            ("https://host?secret", "https://host?…"),
            ("https://host/?", "https://host/?"),
            ("https://host/a#token=x", "https://host/a?token=…"),
            ("https://a@b@host", "https://host"),
            ("a:b@host:1/v1", "host:1/v1"),
            ("a:b@host/?of=http://c", "host/?of=…"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(without_secrets(url), shown);
        }
        assert_eq!(Url::parse("https://a:b@c/d?e=f").unwrap().masked(), "https://c/d?e=…");
    }

    #[test]
    fn addresses_are_read_as_agents_read_them() {
        let cases = [
            ("http://127.0.0.1:8080/hook", "http://127.0.0.1:8080/hook"),
            (" HTTP://Example.COM ", "http://example.com/"),
            ("https://example.com:443/a", "https://example.com/a"),
            ("http://example.com:443", "http://example.com:443/"),
            ("http:example.com", "http://example.com/"),
            ("http:\\\\example.com\\a", "http://example.com/a"),
            ("http:////example.com/a", "http://example.com/a"),
            ("ht\ttp://exam\nple.com", "http://example.com/"),
            ("http://user:p%40ss@example.com/", "http://example.com/"),
            ("http://a@b@c/", "http://c/"),
            ("http://c/#x", "http://c/"),
            ("http://c?a=b c", "http://c/?a=b%20c"),
            ("http://c/a/../../b/./c", "http://c/b/c"),
            ("http://c/a/%2e%2E/b", "http://c/b"),
            ("http://c/a/..", "http://c/"),
            ("http://c/ä b\r\nX: y", "http://c/%C3%A4%20bX:%20y"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("http://2130706433/", "http://127.0.0.1/"),
            ("http://0x7f.0.0.01/", "http://127.0.0.1/"),
            ("http://0177.0.0.1./", "http://127.0.0.1/"),
            ("http://[::1]:3/", "http://[::1]:3/"),
            ("http://[0:0::1]/", "http://[::1]/"),
            ("http://%6c%6fcalhost/", "http://localhost/"),
            ("http://localhost./", "http://localhost./"),
            ("", "error: it has no scheme: it begins with http:// or https://"),
            ("/hook", "error: it has no scheme: it begins with http:// or https://"),
            ("127.0.0.1:80/x", "error: it has no scheme: it begins with http:// or https://"),
            ("localhost:80/x", "error: it has no host"),
            ("ftp://a/", "error: its scheme is neither http nor https"),
            ("file:///etc/passwd", "error: its scheme is neither http nor https"),
            ("http://", "error: it has no host"),
            ("http:///", "error: it has no host"),
            ("http://a:65536/", "error: its port is no number up to 65535"),
            ("http://a:b/", "error: its port is no number up to 65535"),
            ("http://a:+8/", "error: its port is no number up to 65535"),
            ("http://1.2.3.4.5/", "error: its host is no IPv4 address"),
            ("http://256.1.1.1/", "error: its host is no IPv4 address"),
            ("http://0x1ffffffff/", "error: its host is no IPv4 address"),
            ("http://a b/", "error: its host has a character that no host has"),
            ("http://a%00b/", "error: its host has a character that no host has"),
            ("http://[::1/", "error: its host has a character that no host has"),
            ("http://[x]/", "error: its host is no IPv6 address"),
            ("http://ä/", "error: its host is not ASCII: write it as `xn--…`"),
            ("http://*/", "error: its host has a `*`"),
            ("http://a:*/", "http://a:*/"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
        let url = Url::parse("http://us%3Aer:p%40ss:x@c/").unwrap();
        assert_eq!(url.user, Some(("us:er".to_owned(), "p@ss:x".to_owned())));
        assert_eq!((url.port(), Url::parse("https://c").unwrap().port().to_owned()), ("80", "443".to_owned()));
    }

    #[test]
    fn patterns_allow_what_claude_codes_own_allow() {
        let url = Url::parse("http://127.0.0.1:8123/hooks/a?b=c").unwrap();
        let allowed = [
            "*",
            "http://127.0.0.1:8123/*",
            "http://127.0.0.1:8123",
            "http://127.0.0.1:8123/hooks/*",
            "http://127.0.0.1:8123/h*a?b=*",
            "HTTP://127.0.0.1:8123/hooks/a?b=c",
            "http://127.0.0.1:*/*",
            "http://127.0.0.1:*",
            "http://127.*/*",
            "http://*/*",
            "http://*:*/*",
            "*://127.0.0.1:8123/*",
            "http://127.1:8123/*",
        ];
        let refused = [
            "",
            "http://127.0.0.1/*",
            "http://127.0.0.1:1/*",
            "https://127.0.0.1:8123/*",
            "http://127.0.0.1:8123/",
            "http://127.0.0.1:8123/x/*",
            "http://127.0.0.1:8123/hooks",
            "http://127.0.0.1:8123/*x",
            "http*",
            "http*://127.0.0.1:8123/*",
            "127.0.0.1",
            "http://example.*/*",
            "http://127.0.0.1:8123.evil.example/*",
        ];
        for pattern in allowed {
            assert!(url.is_allowed_by(pattern), "{pattern}");
        }
        for pattern in refused {
            assert!(!url.is_allowed_by(pattern), "{pattern}");
        }
        let allows = |pattern: &str, url: &str| Url::parse(url).unwrap().is_allowed_by(pattern);
        assert!(allows("https://*.example.com/*", "https://a.b.example.com/x/y"));
        assert!(!allows("https://*.example.com/*", "https://example.com/x"));
        assert!(!allows("https://hooks.example.com/*", "https://hooks.example.com.evil.test/x"));
        assert!(!allows("https://hooks.example.com/*", "https://hooks.example.com@evil.test/x"));
        assert!(!allows("https://hooks.example.com/ok/*", "https://hooks.example.com/ok/../no"));
        assert!(!allows("https://hooks.example.com/*", "https://evil.test/?https://hooks.example.com/"));
        assert!(allows("https://hooks.example.com/*", "https://hooks.example.com./x"));
        assert!(allows("http://127.0.*.1:8123/*", "http://127.0.0.1:8123/x"));
        assert!(!allows("http://127.0.*.1:8123/*", "http://127.0.0.1:8123/x/y"));
    }

    #[test]
    fn stars_take_no_time_that_grows() {
        assert!(!is_like(&"a".repeat(20_000), &format!("{}b", "a*".repeat(500)), true));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// What is sent has no byte that ends the request line or a header.
        #[test]
        fn no_address_breaks_out_of_its_line(text in any::<String>(), path in ".*") {
            for text in [text, format!("http://a{path}"), format!("http://a/{path}"), format!("http://a/?{path}")] {
                if let Ok(url) = Url::parse(&text) {
                    let shown = url.to_string();
                    assert!(shown.bytes().all(|byte| (0x21..0x7f).contains(&byte)), "{text:?}: {shown:?}");
                    // It is the same address when it is read again.
                    assert_eq!(Url::parse(&shown).map(|url| url.to_string()), Ok(shown));
                    url.is_allowed_by(&path);
                }
            }
        }
    }
}
