//! Writing payloads.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::dialect::Dialect;
use crate::event::Event;
use crate::payload::{Object, write_detail};
use crate::tools;

/// The payload of an event in some dialect. Members of the agent's own payload that have a place in it go there; the rest
/// follows at its end, as it came.
pub(super) struct Payload<'e> {
    pub(super) event: &'e Event,
    dialect: Dialect,
    object: Object,
    written: Vec<&'static str>,
}

impl<'e> Payload<'e> {
    pub(super) fn new(event: &'e Event, dialect: Dialect) -> Self {
        Self { event, dialect, object: Object::new(), written: Vec::new() }
    }

    /// A member of the agent's own payload.
    pub(super) fn given(&self, key: &str) -> Option<&'e RawValue> {
        self.event.member(key)
    }

    pub(super) fn string(&mut self, key: &'static str, value: &str) -> &mut Self {
        self.object.string(key, value);
        self.written.push(key);
        self
    }

    pub(super) fn raw(&mut self, key: &'static str, json: &str) -> &mut Self {
        self.object.raw(key, json);
        self.written.push(key);
        self
    }

    /// What the agent gave of this name, or else `json`.
    pub(super) fn given_or(&mut self, key: &'static str, json: &str) -> &mut Self {
        let json = self.given(key).map_or(json, RawValue::get);
        self.raw(key, json)
    }

    /// What the agent gave of this name, if it gave it.
    pub(super) fn given_if(&mut self, key: &'static str) -> &mut Self {
        match self.given(key) {
            Some(value) => self.raw(key, value.get()),
            None => self,
        }
    }

    /// Leaves a member out at the end.
    pub(super) fn skip(&mut self, key: &'static str) -> &mut Self {
        self.written.push(key);
        self
    }

    /// Was it written, or left out?
    pub(super) fn is_written(&self, key: &str) -> bool {
        self.written.contains(&key)
    }

    pub(super) fn cwd(&mut self) -> &mut Self {
        self.string("cwd", &self.event.cwd().to_string_lossy())
    }

    /// The tool's name in the dialect.
    pub(super) fn tool_name(&self) -> Option<String> {
        self.event.tool_name().map(|name| tools::own_tool_name(name, self.dialect).into_owned())
    }

    /// What the event has, by the names that Claude Code gives them.
    pub(super) fn detail(&mut self) -> &mut Self {
        let tool_name = self.tool_name();
        write_detail(&mut self.object, self.event, tool_name.as_deref());
        self
    }

    /// A member of the tool's input as text.
    pub(super) fn input_text(&self, member: &str) -> Option<String> {
        self.event.tool_input()?.text(member).ok().flatten()
    }

    /// Only what was written, and the line's end.
    pub(super) fn line(self) -> Arc<[u8]> {
        self.object.line()
    }

    /// The rest of what the agent gave, and the line's end.
    pub(super) fn finish(mut self) -> Arc<[u8]> {
        for (key, value) in self.event.members() {
            if !self.written.iter().any(|written| written == key) {
                self.object.raw(key, value.get());
            }
        }
        self.object.line()
    }
}

/// A text as JSON.
pub(super) fn json_string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    crate::json::push_string(text, &mut json);
    json
}
