//! The host of a URL, as clients read it.

/// May a URL be one of a domain? What cannot be read for sure may be of any.
pub(super) fn may_be_below(url: &str, domain: &str) -> bool {
    let domain = domain.strip_prefix("*.").unwrap_or(domain).trim_end_matches('.');
    if domain.contains('*') {
        return true;
    }
    match host(url) {
        Some(host) => host == domain || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.')),
        None => true,
    }
}

/// The host, in small letters; `None` if clients do not agree on it.
///
/// WHATWG's URL standard takes tabs and newlines out, and a backslash for a slash; others do not.
fn host(url: &str) -> Option<String> {
    let url = url.trim_matches(|c: char| c <= ' ');
    if url.contains(['\t', '\n', '\r', '\\']) {
        return None;
    }
    let rest = match url.split_once(':') {
        Some((scheme, rest))
            if !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) =>
        {
            match rest.strip_prefix("//") {
                Some(rest) => rest,
                // `example.com:8080/x` has no scheme; `https:example.com` has no slashes.
                None if rest.starts_with(|c: char| c.is_ascii_digit()) && scheme.contains('.') => url,
                None => return None,
            }
        }
        _ => url.strip_prefix("//").unwrap_or(url),
    };
    if rest.starts_with('/') {
        return None;
    }
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = match authority.rsplit_once('@') {
        // Which of two is the host's, is not agreed on.
        Some((user, _)) if user.contains('@') => return None,
        Some((_, host)) => host,
        None => authority,
    };
    let host = match host.strip_prefix('[') {
        Some(address) => return address.split_once(']').map(|(address, _)| address.to_ascii_lowercase()),
        None => host.split(':').next()?,
    };
    let is_name = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    is_name.then(|| host.trim_end_matches('.').to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::may_be_below;

    #[test]
    fn what_clients_read_differently_may_be_any_host() {
        for url in [
            "https://example.com/x",
            "https://a.example.com",
            "HTTPS://me:pw@Example.COM.:443/x",
            "example.com/x",
            "//example.com",
            " https://example.com",
            "https://ex\tample.com",
            "https:\\\\example.com",
            "https:/example.com",
            "https:///example.com",
            "https://exam%70le.com",
            "https://ｅxample.com",
            "https://evil.org\\@example.com",
            "https://a@evil.org@example.com",
            "",
        ] {
            assert!(may_be_below(url, "example.com"), "{url:?}");
        }
        for url in [
            "https://evil.org/example.com",
            "https://badexample.com",
            "http://example.com.evil.org",
            "https://evil.org/?a@example.com",
            "http://[::1]/",
        ] {
            assert!(!may_be_below(url, "example.com"), "{url:?}");
        }
    }
}
