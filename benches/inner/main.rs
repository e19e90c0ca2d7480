//! Criterion benches of the inner pieces: `cargo bench -p hookshell-benches [-- FILTER]`.
//!
//! They say where a change helps and by how much; that hookshell is fast beside others, `cargo xtask bench` shows.
#![forbid(unsafe_code)]
#![allow(
    missing_docs,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::panic,
    reason = "benches: what does not work must be seen, and criterion's macros write no documentation"
)]

mod hooks;
mod language;
mod parsing;
#[cfg(unix)]
mod spawn;
mod workbench;

use std::time::Duration;

use criterion::Criterion;

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    parsing::benches(&mut criterion);
    language::benches(&mut criterion);
    hooks::benches(&mut criterion);
    #[cfg(unix)]
    spawn::benches(&mut criterion);
    criterion.final_summary();
}
