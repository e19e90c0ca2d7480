//! `hookshell serve`: JSON-RPC 2.0 over a pipe, one message a line.
//!
//! [`protocol`] has the messages: what `docs/serve.md` and `schemas/serve.json` are made from.
#![forbid(unsafe_code)]

pub mod protocol;
#[cfg(feature = "schema")]
pub mod schema;
