//! How Claude Code runs hooks of the type `http`.

use super::Claude;
use crate::config::{AddressRule, BodyMeaning, HttpHook, HttpRules};
use crate::event_kind::EventKind;
use crate::http::{IsLetter, Url, is_capital, is_private};
use hookshell_process::Environment;

/// Claude Code 2.1.197, as tests/agents/claude.py has it do and its bundle says.
impl HttpRules for Claude {
    fn variable_letters(&self) -> IsLetter {
        is_capital
    }

    fn refuses(&self, event: EventKind, _: &Url, _: &HttpHook, _: &Environment) -> Option<String> {
        matches!(event, EventKind::SessionStart | EventKind::Setup)
            .then(|| format!("Claude Code runs no hooks of the type `http` on {event}"))
    }

    fn address_rule(&self, _: &Environment) -> AddressRule {
        |address| {
            is_private(address).then(|| {
                format!("{address} is an address of a private network, and Claude Code sends no hook there (this machine's own are allowed)")
            })
        }
    }

    /// Axios drops what no header can have, and takes the rest for Latin-1.
    fn header_value(&self, value: &str) -> Vec<u8> {
        let bytes = value.chars().filter_map(|c| u8::try_from(u32::from(c)).ok());
        bytes.filter(|byte| matches!(byte, b'\t' | 0x20..=0x7e | 0x80..)).collect()
    }

    /// A name that leads to such an address; one that stands in the URL itself it does not look at.
    fn checks_literals(&self) -> bool {
        false
    }

    /// It has none.
    fn answer_limit(&self) -> usize {
        16 * 1024 * 1024
    }

    /// The worktree is not made where its hook fails in any way.
    fn denies_without_answer(&self, event: EventKind) -> bool {
        event == EventKind::WorktreeCreate
    }

    /// The model is not switched without an answer.
    fn denies_on_timeout(&self, event: EventKind) -> bool {
        event == EventKind::PreModelSwitch
    }

    fn body(&self, _: EventKind, body: &[u8]) -> BodyMeaning {
        let text = String::from_utf8_lossy(body);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if text.is_empty() {
            return BodyMeaning::Output;
        }
        if !text.starts_with('{') {
            let beginning: String = text.chars().take(60).collect();
            return BodyMeaning::NoAnswer(format!(
                "Claude Code takes only a JSON object for an answer, and it begins with {beginning:?}"
            ));
        }
        let parsed: Result<serde::de::IgnoredAny, _> = serde_json::from_str(text);
        match parsed {
            Ok(_) => BodyMeaning::Output,
            Err(error) => BodyMeaning::NoAnswer(format!("its answer is no JSON: {error}")),
        }
    }
}
