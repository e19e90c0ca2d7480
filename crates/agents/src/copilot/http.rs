//! How Copilot CLI runs hooks of the type `http`.

use std::ffi::OsStr;
use std::net::{IpAddr, Ipv6Addr};

use super::Copilot;
use crate::config::{AddressRule, BodyMeaning, HttpHook, HttpRules};
use crate::event_kind::EventKind;
use crate::http::{IsLetter, Url, is_any, is_loopback, is_private};
use hookshell_process::Environment;

/// Copilot CLI 1.0.102, as tests/agents/copilot.py has it do.
impl HttpRules for Copilot {
    fn variable_letters(&self) -> IsLetter {
        is_any
    }

    /// What decides over a call, and what has variables in its headers, is only sent encrypted.
    fn refuses(&self, event: EventKind, url: &Url, hook: &HttpHook, env: &Environment) -> Option<String> {
        let is_of_tests = allows_localhost(env) && is_this_machine(url);
        if url.is_encrypted() || is_of_tests {
            return None;
        }
        let decides = matches!(event, EventKind::PreToolUse | EventKind::PermissionRequest);
        let what = match decides {
            true if !is_one(env, "COPILOT_HOOK_ALLOW_HTTP_AUTH_HOOKS") => "on this event",
            _ if !hook.allowed_env_vars.is_empty() => "with allowedEnvVars",
            _ => return None,
        };
        Some(format!(
            "Copilot CLI runs such a hook {what} only with an address that begins with https:// (or, with \
             COPILOT_HOOK_ALLOW_LOCALHOST=1, with one of this machine)"
        ))
    }

    fn address_rule(&self, env: &Environment) -> AddressRule {
        let refused: AddressRule = |address| {
            (is_private(address) || is_loopback(address)).then(|| {
                format!(
                    "{address} is an address of this machine or of a private network, and Copilot CLI sends no hook there \
                     (with COPILOT_HOOK_ALLOW_LOCALHOST=1 this machine's own are allowed)"
                )
            })
        };
        match allows_localhost(env) {
            true => |address| {
                (is_private(address) && !is_loopback(address)).then(|| {
                    format!("{address} is an address of a private network, and Copilot CLI sends no hook there")
                })
            },
            false => refused,
        }
    }

    fn header_value(&self, value: &str) -> Vec<u8> {
        value.as_bytes().to_vec()
    }

    fn denies_without_answer(&self, event: EventKind) -> bool {
        matches!(event, EventKind::PreToolUse | EventKind::PermissionRequest)
    }

    /// What is no JSON is passed over on preToolUse, and no answer on permissionRequest; on other events it is what it is of a command.
    fn body(&self, event: EventKind, body: &[u8]) -> BodyMeaning {
        let text = String::from_utf8_lossy(body);
        let text = text.trim_start_matches('\u{feff}').trim();
        let parsed: Result<serde::de::IgnoredAny, _> = serde_json::from_str(text);
        match (parsed, event) {
            (Err(error), EventKind::PreToolUse) if !text.is_empty() => {
                BodyMeaning::Ignored(format!("Copilot CLI ignores this answer: it is no JSON: {error}"))
            }
            (Err(error), EventKind::PermissionRequest) if !text.is_empty() => {
                BodyMeaning::NoAnswer(format!("its answer is no JSON: {error}"))
            }
            _ => BodyMeaning::Output,
        }
    }
}

fn allows_localhost(env: &Environment) -> bool {
    is_one(env, "COPILOT_HOOK_ALLOW_LOCALHOST")
}

fn is_this_machine(url: &Url) -> bool {
    let is_its = |address: IpAddr| match address {
        IpAddr::V4(address) => address.is_loopback(),
        // `::ffff:127.0.0.1` it does not take for one.
        IpAddr::V6(address) => address == Ipv6Addr::LOCALHOST,
    };
    url.is_localhost() || url.ip().is_some_and(is_its)
}

fn is_one(env: &Environment, name: &str) -> bool {
    env.iter().any(|(other, value)| other == OsStr::new(name) && value == OsStr::new("1"))
}
