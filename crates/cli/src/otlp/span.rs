//! Hooks' runs as spans: `ExportTraceServiceRequest` in OTLP's JSON encoding
//! (<https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookshell_runner::{Event, HookOutcome, HookReport};
use serde_json::{Value, json};

/// `SPAN_KIND_INTERNAL`.
const INTERNAL: u8 = 1;

/// `STATUS_CODE_ERROR`.
const ERROR: u8 = 2;

/// The span around: `TRACEPARENT`, as W3C's Trace Context writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parent {
    trace: String,
    span: String,
}

impl Parent {
    /// Reads `00-TRACE-SPAN-FLAGS`; `None` if it is not one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_id = |id: &str, length: usize| {
            let is_hex = id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            id.len() == length && is_hex && id.bytes().any(|byte| byte != b'0')
        };
        let mut parts = text.trim().split('-');
        let (version, trace, span) = (parts.next()?, parts.next()?, parts.next()?);
        let is_known = version.len() == 2 && version != "ff" && parts.next().is_some_and(|flags| flags.len() == 2);
        (is_known && is_id(trace, 32) && is_id(span, 16))
            .then(|| Self { trace: trace.to_owned(), span: span.to_owned() })
    }
}

/// The body of a request: a span for each hook, all of one trace. No payload is in it.
pub(super) fn request(event: &Event, hooks: &[HookReport], began: SystemTime, parent: Option<&Parent>) -> String {
    let trace = match parent {
        Some(parent) => parent.trace.clone(),
        None => format!("{:032x}", fastrand::u128(1..)),
    };
    let spans: Vec<Value> = hooks.iter().map(|hook| span(event, hook, began, &trace, parent)).collect();
    let version = env!("CARGO_PKG_VERSION");
    json!({ "resourceSpans": [{
        "resource": { "attributes": [text("service.name", "hookshell"), text("service.version", version)] },
        "scopeSpans": [{ "scope": { "name": "hookshell", "version": version }, "spans": spans }],
    }] })
    .to_string()
}

fn span(event: &Event, hook: &HookReport, began: SystemTime, trace: &str, parent: Option<&Parent>) -> Value {
    let mut attributes = vec![
        text("hookshell.event", event.name().as_str()),
        text("hookshell.hook", &hook.name),
        text("hookshell.origin", hook.origin.as_str()),
        text("hookshell.outcome", hook.outcome.as_str()),
        json!({ "key": "hookshell.halt", "value": { "boolValue": hook.opinion.halt } }),
    ];
    let optional = [
        ("session.id", Some(event.session_id()).filter(|session| !session.is_empty())),
        ("gen_ai.tool.name", event.tool_name()),
        ("hookshell.decision", hook.opinion.decision.map(|decision| decision.as_str())),
        ("hookshell.route", hook.route.as_deref()),
    ];
    attributes.extend(optional.into_iter().filter_map(|(key, value)| Some(text(key, value?))));
    if let Some(code) = hook.exit_code {
        // Numbers of 64 bits are texts in JSON.
        attributes.push(json!({ "key": "process.exit.code", "value": { "intValue": code.to_string() } }));
    }
    let mut span = json!({
        "traceId": trace,
        "spanId": format!("{:016x}", fastrand::u64(1..)),
        "name": format!("hook {}", event.name()),
        "kind": INTERNAL,
        "startTimeUnixNano": nanoseconds(began),
        "endTimeUnixNano": nanoseconds(began + hook.elapsed),
        "attributes": attributes,
    });
    if let (Some(parent), Some(members)) = (parent, span.as_object_mut()) {
        members.insert("parentSpanId".to_owned(), json!(parent.span));
    }
    // What failed is said by its kind: the text may have what a hook wrote.
    if let (HookOutcome::Failed(failure), Some(members)) = (&hook.outcome, span.as_object_mut()) {
        members.insert("status".to_owned(), json!({ "code": ERROR, "message": failure.as_str() }));
    }
    span
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use super::Parent;

    #[test]
    fn the_span_around_is_read_as_it_is_written() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let parent = Parent::parse(&format!("00-{trace}-{span}-01"));
        assert_eq!(parent, Some(Parent { trace: trace.to_owned(), span: span.to_owned() }));
        for wrong in [
            String::new(),
            format!("00-{trace}-{span}"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{trace}-{}-01", &span[1..]),
        ] {
            assert_eq!(Parent::parse(&wrong), None, "{wrong}");
        }
    }
}
