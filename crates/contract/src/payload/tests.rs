use std::path::Path;

use super::{PayloadContext, build};
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::tool_input::ToolInput;

fn root() -> &'static str {
    if cfg!(windows) { "C:\\w" } else { "/w" }
}

/// Nothing is known beside the payload.
fn nothing() -> PayloadContext<'static> {
    PayloadContext {
        agents: &[],
        event: None,
        dialect_event_name: None,
        cwd: Path::new(""),
        project_dir: None,
        session_id: "",
    }
}

#[test]
fn the_payload_is_one_line_with_the_input_token_for_token() {
    let input = ToolInput::parse("{ \"command\": \"rm \\u002d\\n\\\"é\",\n \"n\": 1.0 }").unwrap();
    let event = Event::pre_tool_use("bash", input, root()).with_session_id("313\"909e");
    let cwd = if cfg!(windows) { "C:\\\\w" } else { "/w" };
    assert_eq!(
        String::from_utf8(build(&event).to_vec()).unwrap(),
        format!(
            "{{\"event\":\"PreToolUse\",\"session_id\":\"313\\\"909e\",\"cwd\":\"{cwd}\",\"is_sub_agent\":false,\"tool_name\":\"bash\",\
             \"tool_input\":{{\"command\":\"rm \\u002d\\n\\\"é\",\"n\":1.0}}}}\n"
        )
    );
}

#[test]
fn a_payload_read_back_is_the_same_event() {
    let input = ToolInput::parse(r#"{"b":1.50,"a":[1e3]}"#).unwrap();
    let event = Event::pre_tool_use("mcp_x", input, root()).with_session_id("s");
    let line = build(&event);
    let read = Event::from_payload(&line, nothing()).unwrap();
    assert_eq!(build(&read), line);
}

#[test]
fn claude_codes_names_are_read_and_gaps_are_filled() {
    let context = PayloadContext {
        event: Some(EventKind::PreToolUse),
        cwd: Path::new(root()),
        session_id: "default",
        ..nothing()
    };
    let payload = "\u{feff}{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"},\
                   \"permission_mode\":\"default\",\"tool_use_id\":\"t\"}";
    let event = Event::from_payload(payload.as_bytes(), context).unwrap();
    assert_eq!(event.tool_name(), Some("Bash"));
    assert_eq!(event.session_id(), "default");
    assert_eq!(event.cwd(), Path::new(root()));
    assert_eq!(event.tool_input().unwrap().get(), r#"{"command":"ls"}"#);
}

#[test]
fn an_agents_own_name_of_the_event_goes_before_a_field_that_is_called_event() {
    let read = |payload: &str| {
        let context = PayloadContext { event: Some(EventKind::PreToolUse), ..nothing() };
        Event::from_payload(payload.as_bytes(), context)
    };
    for event in [r#""Stop""#, r#""other""#, r#"{"id":1}"#, "7"] {
        for name in ["hook_event_name", "hookEventName"] {
            let payload = format!(r#"{{"event":{event},"{name}":"PreToolUse","tool_name":"Bash","tool_input":{{}}}}"#);
            assert_eq!(read(&payload).unwrap().name(), EventKind::PreToolUse, "{payload}");
        }
        let payload = format!(r#"{{"event":{event},"tool_name":"Bash","tool_input":{{}}}}"#);
        assert!(read(&payload).is_err(), "{payload}");
    }
}

#[test]
fn a_tools_input_need_not_be_an_object() {
    let cases = [
        (r#""*** Begin Patch""#, r#""*** Begin Patch""#),
        (r#""{ echo }""#, r#""{ echo }""#),
        (r#""{\"a\": 1}""#, r#"{"a":1}"#),
        ("[ 1, 2 ]", "[1,2]"),
        ("1.50", "1.50"),
        ("null", "{}"),
    ];
    for (input, expected) in cases {
        let payload = format!("{{\"event\":\"PreToolUse\",\"tool_name\":\"t\",\"tool_input\":{input}}}");
        let event = Event::from_payload(payload.as_bytes(), nothing()).unwrap();
        assert_eq!(event.tool_input().unwrap().get(), expected, "{input}");
        let line = String::from_utf8(build(&event).to_vec()).unwrap();
        assert!(line.ends_with(&format!("\"tool_input\":{expected}}}\n")), "{line}");
    }
}

#[test]
fn members_that_nothing_depends_on_may_be_of_another_type() {
    let read = |payload: &str| Event::from_payload(payload.as_bytes(), nothing()).unwrap();
    let event = read(r#"{"event":"PreToolUse","tool_name":"t","session_id":12,"is_sub_agent":"false"}"#);
    assert_eq!(event.session_id(), "12");
    let event = read(r#"{"event":"Stop","stop_hook_active":"true","last_assistant_message":{"text":"x"}}"#);
    let line = String::from_utf8(build(&event).to_vec()).unwrap();
    assert!(line.contains(r#""stop_hook_active":true,"last_assistant_message":"{\"text\":\"x\"}""#), "{line}");
    assert_eq!(read(r#"{"event":"PreCompact","trigger":7}"#).matched(), Some("7"));
}

#[test]
fn utf16_with_a_mark_is_read() {
    let text = "\u{feff}{\"event\":\"PreToolUse\",\"tool_name\":\"t\",\"tool_input\":{\"command\":\"é\"}}\r\n";
    let payload: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let event = Event::from_payload(&payload, nothing()).unwrap();
    assert_eq!(event.tool_input().unwrap().get(), r#"{"command":"é"}"#);
}

#[test]
fn what_is_no_payload_is_an_error_that_names_the_field() {
    let cases: [(&[u8], &str); 7] = [
        (b"\xff", "the event's payload is not UTF-8: invalid utf-8 sequence of 1 bytes from index 0"),
        (b"", "the event's payload is not one JSON object: EOF while parsing a value at line 1 column 0"),
        (b"{}", "the event's payload has no `event`"),
        (b"{\"event\":\"pre_tool_use\"}", "the event's payload has no `tool_name`"),
        (b"{\"event\":7}", "the event's payload: `event` must be a string, found a number"),
        (
            b"{\"event\":\"PreToolUse\",\"tool_name\":[]}",
            "the event's payload: `tool_name` must be a string, found an array",
        ),
        (b"{\"event\":\"Pretooluze\"}", "the event's payload: unknown event `Pretooluze`: did you mean `PreToolUse`?"),
    ];
    for (payload, expected) in cases {
        let error = Event::from_payload(payload, nothing()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
