//! What differs between agents in hooks of the type `http`.

use std::net::IpAddr;

use super::HttpHook;
use crate::event_kind::EventKind;
use crate::http::{IsLetter, Url};
use hookshell_process::Environment;

/// Why nothing may be sent to an address; `None`: it may.
pub type AddressRule = fn(IpAddr) -> Option<String>;

/// The rules of one agent for hooks of the type `http`.
pub trait HttpRules: Sync {
    /// Which letters names of variables have that are put into headers.
    fn variable_letters(&self) -> IsLetter;

    /// Why the agent does not send anything there for this hook.
    fn refuses(&self, _event: EventKind, _url: &Url, _hook: &HttpHook, _env: &Environment) -> Option<String> {
        None
    }

    /// To which addresses a host's name may not lead.
    fn address_rule(&self, env: &Environment) -> AddressRule;

    /// A header's value as it is sent; what no header can have in it is a failure then.
    fn header_value(&self, value: &str) -> Vec<u8>;

    /// Are addresses looked at that stand in the URL themselves, or only those that a name leads to?
    fn checks_literals(&self) -> bool {
        true
    }

    /// The most that is read of an answer, in bytes.
    fn answer_limit(&self) -> usize {
        10 * 1024 * 1024
    }

    /// Is what the event is about blocked where the server gives no answer that counts?
    fn denies_without_answer(&self, _event: EventKind) -> bool {
        false
    }

    /// Is what the event is about blocked where the server does not answer in time?
    fn denies_on_timeout(&self, _event: EventKind) -> bool {
        false
    }

    /// What the body of a good answer is.
    fn body(&self, event: EventKind, body: &[u8]) -> BodyMeaning;
}

/// What the body of a good answer is.
pub enum BodyMeaning {
    /// What a command would print that exits 0.
    Output,
    /// As no answer at all, for this reason.
    NoAnswer(String),
    /// Nothing, for this reason: the call continues.
    Ignored(String),
}
