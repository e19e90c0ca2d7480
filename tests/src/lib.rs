//! Helpers for the tests that cross crates.

pub mod contract;
#[cfg(target_os = "linux")]
pub mod soak;
pub mod spec;

/// The example for authors of agents is a test. Here, since a published crate has no files but its own.
#[cfg(doctest)]
#[doc = include_str!("../../docs/agent-authors.md")]
struct ForAuthorsOfAgents;
