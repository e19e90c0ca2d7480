//! Spans of hooks' runs for an OpenTelemetry collector, with the feature `otlp`: one for each hook of a verdict, sent as OTLP over HTTP
//! in its JSON encoding.
//!
//! The encoding is written here and not by the opentelemetry crates. Counted by `cargo tree` with 0.31 (opentelemetry, opentelemetry_sdk
//! and opentelemetry-otlp with `trace` and `http-json`): 32 crates that are not in this workspace's lock file, among them tonic, prost
//! and tokio-stream, although nothing is sent by gRPC; with their blocking client, reqwest, 73, and tokio with its threads runs in each
//! `hookshell run`. What is needed is one JSON object for each event (`span.rs`, 118 lines) and a POST, whose client is here already:
//! this feature adds no crate. `tests/otlp.rs` has what a collector receives.

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
/// The variable with the headers that it wants: a key, mostly. Not OpenTelemetry's own, which may be for another collector.
#[cfg(feature = "otlp")]
const HEADERS: &str = "HOOKSHELL_OTLP_HEADERS";
