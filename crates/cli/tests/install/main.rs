//! `hookshell install` and `uninstall` on the configs of a user and of a project.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

mod agent_shell;
mod codex;
mod left_alone;
mod place;
mod plugin;
mod side_file;
mod status;
#[allow(dead_code, reason = "each test file uses a part of it")]
#[path = "../support/mod.rs"]
mod support;
#[cfg(unix)]
mod unix;
mod wiring;
