//! The language model that hooks of the types `prompt` and `agent` ask.

use std::env;

use hookshell_runner::{Config, HookKind, OpenAiClient, RunnerBuilder};

/// Where OpenAI is.
const OPENAI: &str = "https://api.openai.com/v1";

/// Gives the runner the client that the environment describes, where a hook of the config needs one.
pub(crate) fn set_up(builder: RunnerBuilder, config: &Config) -> RunnerBuilder {
    let asks = |kind: &HookKind| matches!(kind, HookKind::Prompt(_) | HookKind::Agent(_));
    if !config.hooks().iter().any(|hook| asks(&hook.kind)) {
        return builder;
    }
    match client(|name| env::var(name).ok().filter(|value| !value.is_empty())) {
        Some(client) => builder.llm_client(client),
        None => builder,
    }
}

/// Why the server that the environment describes cannot be asked; `None`: there is none, or nothing is known against it.
pub(crate) fn fault() -> Option<String> {
    fault_of(|name| env::var(name).ok().filter(|value| !value.is_empty()))
}

/// As [`fault`], of an environment that `variable` reads.
pub(crate) fn fault_of(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    client(variable)?.fault()
}

/// The server that the environment describes.
pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) key: Option<String>,
    pub(crate) model: Option<String>,
    /// The variable that says that it is asked.
    pub(crate) named_by: &'static str,
}

/// `HOOKSHELL_LLM_URL`, `HOOKSHELL_LLM_KEY` and `HOOKSHELL_LLM_MODEL`; or else what OpenAI's own programs read.
pub(crate) fn server(variable: impl Fn(&str) -> Option<String>) -> Option<Server> {
    let (url, key, named_by) = match variable("HOOKSHELL_LLM_URL") {
        Some(url) => (url, variable("HOOKSHELL_LLM_KEY"), "HOOKSHELL_LLM_URL"),
        None => {
            let keys = ["HOOKSHELL_LLM_KEY", "OPENAI_API_KEY"];
            let (key, named_by) = keys.into_iter().find_map(|name| Some((variable(name)?, name)))?;
            (variable("OPENAI_BASE_URL").unwrap_or_else(|| OPENAI.to_owned()), Some(key), named_by)
        }
    };
    Some(Server { url, key, model: variable("HOOKSHELL_LLM_MODEL"), named_by })
}

fn client(variable: impl Fn(&str) -> Option<String>) -> Option<OpenAiClient> {
    let Server { url, key, model, .. } = server(&variable)?;
    let proxy = proxy(&url, &variable);
    let mut client = OpenAiClient::new(url);
    if let Some(key) = key {
        client = client.with_key(key);
    }
    if let Some(model) = model {
        client = client.with_model(model);
    }
    if let Some(proxy) = proxy {
        client = client.with_proxy(proxy);
    }
    Some(client)
}

/// The proxy for a server, as other programs take it from the environment: for `https` only (a server without it is one
/// nearby), and not for the hosts of `NO_PROXY`.
pub(crate) fn proxy(url: &str, variable: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let either = |lower: &str, upper: &str| variable(lower).or_else(|| variable(upper));
    let host = url.strip_prefix("https://")?.split(['/', ':']).next()?;
    let proxy = either("https_proxy", "HTTPS_PROXY").or_else(|| either("all_proxy", "ALL_PROXY"))?;
    let excepted = either("no_proxy", "NO_PROXY").unwrap_or_default();
    let is_excepted = excepted.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let entry = entry.trim_start_matches("*.").trim_start_matches('.');
        entry == "*" || host == entry || host.strip_suffix(entry).is_some_and(|rest| rest.ends_with('.'))
    });
    (!is_excepted).then_some(proxy)
}

#[cfg(test)]
mod tests {
    use super::{client, proxy};

    fn from<'v>(variables: &'v [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'v {
        |name| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn the_environment_says_which_server_is_asked() {
        let show = |variables: &[(&str, &str)]| {
            client(from(variables)).map_or("none".to_owned(), |client| format!("{client:?}"))
        };
        assert_eq!(show(&[]), "none");
        assert_eq!(show(&[("OPENAI_BASE_URL", "http://a")]), "none");
        assert_eq!(
            show(&[("OPENAI_API_KEY", "secret")]),
            "OpenAiClient { base_url: \"https://api.openai.com/v1\", key: Some(\"…\"), model: None, .. }"
        );
        // A key of OpenAI's is not sent to somebody else.
        assert_eq!(
            show(&[("OPENAI_API_KEY", "secret"), ("HOOKSHELL_LLM_URL", "http://a/v1/"), ("HOOKSHELL_LLM_MODEL", "m")]),
            "OpenAiClient { base_url: \"http://a/v1\", key: None, model: Some(\"m\"), .. }"
        );
    }

    #[test]
    fn a_proxy_is_for_https_and_not_for_the_hosts_that_are_excepted() {
        let variables = [("HTTPS_PROXY", "http://proxy:3128"), ("NO_PROXY", "localhost, .corp.example")];
        let given = |url| proxy(url, &from(&variables));
        assert_eq!(given("https://api.openai.com/v1").as_deref(), Some("http://proxy:3128"));
        assert_eq!(given("http://api.openai.com/v1"), None);
        assert_eq!(given("https://llm.corp.example:8443/v1"), None);
        assert_eq!(given("https://corp.example/v1"), None);
        assert_eq!(given("https://notcorp.example/v1").as_deref(), Some("http://proxy:3128"));
        assert_eq!(given("https://localhost/v1"), None);
    }
}
