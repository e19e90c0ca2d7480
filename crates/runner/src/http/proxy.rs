//! The proxy to go through, as the environment of the host says.

use super::Url;

/// The proxy for a server: of both schemes by `https_proxy`, else `http_proxy`, as Claude Code has it, and not for what `no_proxy` names.
pub(super) fn of(url: &Url, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let proxy = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"].into_iter().find_map(set)?;
    let excepted = set("no_proxy").or_else(|| set("NO_PROXY")).unwrap_or_default();
    (!is_excepted(url, &excepted)).then_some(proxy)
}

fn is_excepted(url: &Url, excepted: &str) -> bool {
    let host = url.host.as_str();
    if excepted == "*" {
        return true;
    }
    let entries = excepted.split([',', ' ', '\t', '\n', '\r']).filter(|entry| !entry.is_empty());
    entries.map(str::to_ascii_lowercase).any(|entry| match entry.strip_prefix('.') {
        _ if entry.contains(':') => entry == format!("{host}:{}", url.port()),
        Some(domain) => host == domain || host.ends_with(&entry),
        None => host == entry,
    })
}

#[cfg(test)]
mod tests {
    use super::{Url, of};

    #[test]
    fn the_environment_says_which_proxy_and_for_which_hosts_none() {
        let given = |variables: &[(&str, &str)], url: &str| {
            let variable =
                |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned());
            of(&Url::parse(url).unwrap(), &variable).unwrap_or_default()
        };
        let set = [("HTTPS_PROXY", "http://p:1"), ("NO_PROXY", "localhost, .corp.example 127.0.0.1:80")];
        for (url, expected) in [
            ("https://a.example/", "http://p:1"),
            ("http://a.example/", "http://p:1"),
            ("http://localhost/", ""),
            ("http://LOCALHOST:9/", ""),
            ("https://corp.example/", ""),
            ("https://x.corp.example/", ""),
            ("https://xcorp.example/", "http://p:1"),
            ("http://127.0.0.1/", ""),
            ("http://127.0.0.1:81/", "http://p:1"),
        ] {
            assert_eq!(given(&set, url), expected, "{url}");
        }
        assert_eq!(given(&[], "http://a/"), "");
        assert_eq!(given(&[("http_proxy", "http://q"), ("HTTPS_PROXY", "")], "https://a/"), "http://q");
        assert_eq!(given(&[("https_proxy", "http://q"), ("no_proxy", "*")], "https://a/"), "");
    }
}
