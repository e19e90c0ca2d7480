//! What a hook that exits 0 says on its standard output.

pub mod denial;
mod error;
mod fields;
mod native;

pub use self::error::BadEnvelope;
pub use self::fields::Fields;

use crate::decision::Decision;
use crate::event_kind::EventKind;
use crate::json::RawObject;
use crate::opinion::Opinion;

/// What a hook said, and how.
#[derive(Debug, Default)]
pub struct Envelope {
    /// Its `context_files` are not looked for yet: [`Envelope::named_files`] has them.
    pub opinion: Opinion,
    /// What of the context blocks something that has happened already, where the agent tells the model so.
    pub told: Option<String>,
    /// The files that the agent is referred to: paths, as the hook gave them.
    pub named_files: Vec<String>,
    /// What was odd or ambiguous in what it said.
    pub warnings: Vec<String>,
}

impl From<Opinion> for Envelope {
    fn from(opinion: Opinion) -> Self {
        Self { opinion, ..Self::default() }
    }
}

/// What a hook printed, as dialects tell it apart.
pub enum Printed<'t> {
    /// Blanks alone.
    Nothing,
    /// It begins with `{`.
    Json(&'t str),
    /// Any other text.
    Text(&'t str),
}

impl<'t> Printed<'t> {
    /// Blanks around it and a byte order mark do not count.
    pub fn of(stdout: &'t [u8]) -> Result<Self, BadEnvelope> {
        let stdout = trimmed(stdout);
        let text = std::str::from_utf8(stdout).map_err(BadEnvelope::NotUtf8)?;
        Ok(match text.as_bytes().first() {
            None => Self::Nothing,
            Some(b'{') => Self::Json(text),
            Some(_) => Self::Text(text),
        })
    }
}

/// What was printed without a byte order mark and the blanks around it.
pub fn trimmed(stdout: &[u8]) -> &[u8] {
    stdout.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stdout).trim_ascii()
}

impl Envelope {
    /// One that only adds to what the model sees.
    pub fn context(text: &str) -> Self {
        Opinion { context: vec![text.to_owned()], ..Opinion::default() }.into()
    }

    /// Reads a JSON object by a dialect's own rules.
    pub fn read(text: &str, read: impl FnOnce(&mut Fields<'_, '_>, &mut Self)) -> Result<Self, BadEnvelope> {
        let object = RawObject::parse(text).map_err(|source| BadEnvelope::of_text(text, source))?;
        let mut fields = Fields::new(&object, "");
        let mut envelope = Self::default();
        read(&mut fields, &mut envelope);
        envelope.checked(fields.error)
    }

    /// The same for an agent that drops all that a hook said where anything in it is wrong.
    pub fn read_strictly(text: &str, read: impl FnOnce(&mut Fields<'_, '_>, &mut Self)) -> Result<Self, BadEnvelope> {
        let object = RawObject::parse(text).map_err(|source| BadEnvelope::of_text(text, source))?;
        let mut fields = Fields::new(&object, "");
        let mut envelope = Self::default();
        read(&mut fields, &mut envelope);
        match fields.error {
            None => Ok(envelope.without_empty()),
            Some(error) => Err(error),
        }
    }

    /// The envelope, where nothing in it is wrong, or it blocks all the same.
    fn checked(self, error: Option<BadEnvelope>) -> Result<Self, BadEnvelope> {
        match error {
            None => Ok(self.without_empty()),
            Some(error) if self.opinion.halt || self.opinion.decision == Some(Decision::Deny) => {
                Ok(self.blocking(&error))
            }
            Some(error) => Err(error),
        }
    }

    /// The envelope with what is wrong in it as a part of its reason.
    fn blocking(self, error: &BadEnvelope) -> Self {
        let mut envelope = self.without_empty();
        let said = envelope.opinion.reason.map(|reason| reason + "\n").unwrap_or_default();
        envelope.opinion.reason = Some(format!("{said}(the hook's output is malformed: {error})"));
        envelope
    }

    fn without_empty(mut self) -> Self {
        self.opinion.context.retain(|entry| !entry.is_empty());
        self.opinion.reason.take_if(|reason| reason.is_empty());
        self.opinion.system_message.take_if(|message| message.is_empty());
        self
    }

    /// Drops what the event has no use for: a field that an event does not know is ignored.
    pub fn keep_what_is_of(&mut self, event: EventKind) {
        if !event.can_block() {
            self.drop_decision();
        }
        if !event.takes_input() {
            self.opinion.updated_input = None;
        }
        if event != EventKind::UserPromptSubmit {
            self.opinion.updated_prompt = None;
        }
        if !matches!(event, EventKind::PostToolUse | EventKind::PostToolUseFailure) {
            self.opinion.updated_result = None;
        }
    }

    /// Drops the decision, which blocks nothing, and its reason.
    pub fn drop_decision(&mut self) {
        if self.opinion.decision.take().is_some() && !self.opinion.halt {
            self.opinion.reason = None;
        }
    }

    /// The same without what it puts in the place of what the agent has.
    pub fn without_updates(self) -> Self {
        Self { opinion: self.opinion.without_updates(), ..self }
    }

    /// Does it say nothing at all?
    pub fn is_silent(&self) -> bool {
        self.opinion.is_silent() && self.named_files.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Envelope;
    use crate::decision::Decision::{Allow, Ask, Defer, Deny};
    use crate::event_kind::EventKind;
    use crate::tool_input::ToolInput;

    /// `decision halt reason [context] merged-input` of an envelope, or the error.
    fn show(stdout: &[u8]) -> String {
        match Envelope::parse(stdout, EventKind::PreToolUse) {
            Err(error) => format!("error: {error}"),
            Ok(envelope) => {
                let decision = match envelope.opinion.decision {
                    None => "-",
                    Some(Allow) => "allow",
                    Some(Ask) => "ask",
                    Some(Defer) => "defer",
                    Some(Deny) => "deny",
                };
                let halt = if envelope.opinion.halt { "halt" } else { "-" };
                let reason = envelope.opinion.reason.as_deref().unwrap_or("-");
                let merged = ToolInput::default().merged(&envelope.opinion.updated_input);
                let merged = merged.as_ref().map_or("-", ToolInput::get);
                format!("{decision} {halt} {reason} {:?} {merged}", envelope.opinion.context)
            }
        }
    }

    #[test]
    fn native_output() {
        let cases: [(&str, &str); 31] = [
            ("", "- - - [] -"),
            (" \r\n\t", "- - - [] -"),
            ("\u{feff}", "- - - [] -"),
            ("{}", "- - - [] -"),
            ("\u{feff}{\"decision\":\"allow\"}\r\n", "allow - - [] -"),
            (r#"{"decision":"allow"}"#, "allow - - [] -"),
            (r#"{"decision":"deny","reason":"no"}"#, "deny - no [] -"),
            (r#"{"decision":"ask","reason":"sure?"}"#, "ask - sure? [] -"),
            (r#"{"decision":"DENY"}"#, "deny - - [] -"),
            (r#"{"decision":null,"halt":null,"reason":null,"context":null,"updated_input":null}"#, "- - - [] -"),
            (r#"{"decision":"","reason":""}"#, "- - - [] -"),
            (r#"{"halt":true,"reason":"stop"}"#, "- halt stop [] -"),
            (r#"{"halt":false}"#, "- - - [] -"),
            (r#"{"version":2,"decision":"allow","later":{"x":1}}"#, "allow - - [] -"),
            (r#"{"context":"one"}"#, "- - - [\"one\"] -"),
            (r#"{"context":["one","","two"]}"#, "- - - [\"one\", \"two\"] -"),
            (r#"{"context":""}"#, "- - - [] -"),
            (r#"{"updated_input":{"command":"bun test","n":1.50}}"#, "- - - [] {\"command\":\"bun test\",\"n\":1.50}"),
            (r#"{"decision":"allow","decision":"deny"}"#, "deny - - [] -"),
            (
                r#"{"decision":"maybe"}"#,
                "error: `decision` must be \"allow\", \"ask\", \"deny\" or null, found \"maybe\"",
            ),
            (r#"{"decision":1}"#, "error: `decision` must be a string, found a number"),
            (r#"{"halt":"yes"}"#, "error: `halt` must be true or false, found a string"),
            (r#"{"reason":{}}"#, "error: `reason` must be a string, found an object"),
            (r#"{"version":"1"}"#, "error: `version` must be a number, found a string"),
            (r#"{"context":3}"#, "error: `context` must be a string or an array of strings, found a number"),
            (
                r#"{"context":["a",3]}"#,
                "error: `context` must be a string or an array of strings, found an array with something else in it",
            ),
            (r#"{"decision":"allow","updated_input":"x"}"#, "error: `updated_input` must be an object, found a string"),
            (
                "all good\nreally",
                "error: stdout must be empty or one JSON object, found `all good…` (expected value at line 1 column 1); \
                 print other output to stderr",
            ),
            (
                "{\"decision\":\"allow\"}\n{}",
                "error: stdout must be empty or one JSON object, found `{\"decision\":\"allow\"}…` (trailing characters at \
                 line 2 column 1); print other output to stderr",
            ),
            (
                "[]",
                "error: stdout must be empty or one JSON object, found `[]` (invalid type: sequence, expected a JSON \
                 object at line 1 column 0); print other output to stderr",
            ),
            (
                "{'a':1}",
                "error: stdout must be empty or one JSON object, found `{'a':1}` (key must be a string at line 1 column \
                 2); print other output to stderr",
            ),
        ];
        for (stdout, expected) in cases {
            assert_eq!(show(stdout.as_bytes()), expected, "{stdout}");
        }
        assert_eq!(show(b"\xff"), "error: stdout is not UTF-8: invalid utf-8 sequence of 1 bytes from index 0");
    }

    #[test]
    fn a_deny_or_halt_is_not_lost_to_another_field() {
        let cases = [
            (
                r#"{"decision":"deny","reason":42}"#,
                "deny - (the hook's output is malformed: `reason` must be a string, found a number) [] -",
            ),
            (
                r#"{"reason":"no","context":7,"decision":"deny"}"#,
                "deny - no\n(the hook's output is malformed: `context` must be a string or an array of strings, found a \
                 number) [] -",
            ),
            (
                r#"{"decision":"block","reason":"no","hookSpecificOutput":"x"}"#,
                "deny - no\n(the hook's output is malformed: `hookSpecificOutput` must be an object, found a string) [] -",
            ),
            (
                r#"{"continue":false,"stopReason":"no","hookSpecificOutput":[]}"#,
                "- halt no\n(the hook's output is malformed: `hookSpecificOutput` must be an object, found an array) [] -",
            ),
            // JavaScript cuts a text within a pair of surrogates.
            (r#"{"decision":"deny","reason":"no \ud83d"}"#, "deny - no \u{fffd} [] -"),
            (
                r#"{"halt":true,"decision":"perhaps"}"#,
                "- halt (the hook's output is malformed: `decision` must be \"allow\", \"ask\", \"deny\" or null, found \
                 \"perhaps\") [] -",
            ),
        ];
        for (stdout, expected) in cases {
            assert_eq!(show(stdout.as_bytes()), expected, "{stdout}");
        }
    }

    #[test]
    fn claude_codes_output() {
        let cases = [
            (
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
                "deny - no [] -",
            ),
            (r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#, "allow - - [] -"),
            (r#"{"hookSpecificOutput":{"permissionDecision":"ask"}}"#, "ask - - [] -"),
            (r#"{"hookSpecificOutput":{"permissionDecision":"defer"}}"#, "ask - - [] -"),
            (
                r#"{"hookSpecificOutput":{"updatedInput":{"command":"ls"},"additionalContext":"note"}}"#,
                "- - - [\"note\"] {\"command\":\"ls\"}",
            ),
            (r#"{"decision":"approve"}"#, "allow - - [] -"),
            (r#"{"decision":"block","reason":"no"}"#, "deny - no [] -"),
            (r#"{"continue":false,"stopReason":"enough"}"#, "- halt enough [] -"),
            (r#"{"continue":false,"reason":"enough"}"#, "- halt enough [] -"),
            (r#"{"continue":true,"suppressOutput":true,"systemMessage":"hi"}"#, "- - - [] -"),
            (
                r#"{"continue":false,"decision":"block","reason":"top","hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":"fine"}}"#,
                "deny halt top [] -",
            ),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"never"}}"#,
                "error: `hookSpecificOutput.permissionDecision` must be \"allow\", \"deny\", \"ask\" or \"defer\", found \
                 \"never\"",
            ),
            (
                r#"{"hookSpecificOutput":{"updatedInput":[]}}"#,
                "error: `hookSpecificOutput.updatedInput` must be an object, found an array",
            ),
            (r#"{"hookSpecificOutput":"deny"}"#, "error: `hookSpecificOutput` must be an object, found a string"),
            (
                r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"allow"}}"#,
                "error: `hookSpecificOutput.hookEventName` is \"PostToolUse\", and the event is PreToolUse",
            ),
        ];
        for (stdout, expected) in cases {
            assert_eq!(show(stdout.as_bytes()), expected, "{stdout}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(stdout: Vec<u8>) {
            let _ = Envelope::parse(&stdout, EventKind::PreToolUse);
        }
    }
}
