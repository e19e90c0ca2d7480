//! `hookshell serve`: JSON-RPC 2.0 over a pipe, one message a line.
//!
//! - [`protocol`] has the messages: what `docs/serve.md` and `schemas/serve.json` are made from.
//! - [`Server`] is the message loop. It knows nothing of hooks: a [`Service`] does the requests.
//! - [`Outbox`] is the way to the client. What waits there is bounded by bytes.
#![forbid(unsafe_code)]

pub mod base64;
mod by_name;
mod call;
mod escape;
mod line;
mod message;
mod outbox;
mod output;
mod place;
mod pool;
pub mod protocol;
mod questions;
mod reading;
mod relief;
mod responder;
#[cfg(feature = "schema")]
pub mod schema;
mod server;
mod service;
mod shared;
#[cfg(test)]
mod testing;

pub use call::Call;
pub use outbox::Outbox;
pub use output::OutputChannel;
pub use questions::{Question, Questions, read_answer};
pub use reading::EndReason;
pub use responder::{RequestThread, Responder};
pub use server::Server;
pub use service::{Service, read_params, to_result};
