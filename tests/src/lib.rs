//! Helpers for the tests that cross crates.

pub mod contract;
#[cfg(target_os = "linux")]
pub mod soak;
pub mod spec;
