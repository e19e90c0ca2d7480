//! Spans of hooks' runs for an OpenTelemetry collector, with the feature `otlp`: one for each hook of a verdict, sent as OTLP over HTTP
//! in its JSON encoding.
//!
//! The encoding is written here and not by the opentelemetry crates: those (opentelemetry, its SDK, its OTLP exporter with an HTTP
//! client and the generated protobuf types) are some forty crates with a runtime of their own for batches, processors and samplers,
//! and what is needed is one JSON object for each event (`span.rs`) and a POST, whose client is here already.

#[cfg(not(feature = "otlp"))]
#[path = "absent.rs"]
mod exporter;
#[cfg(feature = "otlp")]
mod exporter;
#[cfg(feature = "otlp")]
mod span;

pub(crate) use self::exporter::Exporter;

/// The variable that names the collector: `http://127.0.0.1:4318`.
const ENDPOINT: &str = "HOOKSHELL_OTLP_ENDPOINT";
