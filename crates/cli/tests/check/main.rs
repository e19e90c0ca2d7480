//! `hookshell check` as a user calls it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

mod called;
mod config;
mod dead;
mod denies_nothing;
mod program;
mod report;
mod script;
mod searched;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
mod target;
