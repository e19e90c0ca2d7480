//! `hookshell serve`: the protocol of docs/serve.md, message by message.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test helpers: a panic fails the test")]

mod alone;
mod client;
mod hostile;
mod itself;
mod messages;
mod sessions;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
mod trusted;
