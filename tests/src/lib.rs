//! Helpers for the tests that cross crates.

pub mod contract;
pub mod spec;
