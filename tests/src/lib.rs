//! Helpers for the tests that cross crates.

pub mod contract;
pub mod signals;
pub mod spec;
