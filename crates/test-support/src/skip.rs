//! Tests that need something that is not there.
//!
//! libtest has no result for "skipped while running", so such a test returns early and counts as passed. That must be seen:
//! the reason is written past libtest, which keeps back what a passing test prints, and `cargo xtask test` takes these tests
//! out of the passed ones and lists them.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};

/// Names the file to which `cargo xtask test` wants a line for each skipped test: `BINARY TEST: REASON`.
pub const SKIPS_FILE: &str = "XTASK_SKIPS_FILE";

/// Does the environment ask for a failure where something is missing?
pub fn requires_programs() -> bool {
    env::var_os("REQUIRE_INTERPRETERS").is_some_and(|value| value == "1")
}

/// Says that this test is skipped, and why; the caller returns.
///
/// # Panics
/// `REQUIRE_INTERPRETERS=1`: nothing may be skipped.
pub fn skip(reason: &str) {
    assert!(!requires_programs(), "REQUIRE_INTERPRETERS=1, but {reason}");
    report(reason);
}

/// Says that a part of this test is skipped, and why; the test continues.
///
/// # Panics
/// `REQUIRE_INTERPRETERS=1`: nothing may be skipped.
pub fn skip_part(reason: &str) {
    assert!(!requires_programs(), "REQUIRE_INTERPRETERS=1, but {reason}");
    say(&format!("skipped in part: {}: {reason}\n", test_name()));
}

/// Does Wine run this? Then it says that the test is skipped: it stands in `tests/windows-only.txt` with the reason.
pub fn under_wine(reason: &str) -> bool {
    let is_wine = env::var_os("UNDER_WINE").is_some();
    if is_wine {
        report(&format!("Wine does not have it: {reason}"));
    }
    is_wine
}

fn report(reason: &str) {
    let line = format!("{}: {reason}", test_name());
    say(&format!("skipped: {line}\n"));
    if let Some(path) = env::var_os(SKIPS_FILE) {
        let binary = env::current_exe().ok();
        let binary = binary.as_deref().and_then(|path| path.file_stem()).unwrap_or_default().to_string_lossy();
        // One write: tests of several binaries append to it at the same time.
        let line = format!("{binary} {line}\n");
        let _ = OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// `println!` and `eprintln!` are captured by libtest, the handle is not. In one write, so that no other line gets into it.
fn say(line: &str) {
    // Nobody may read it any more.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// libtest names each test's thread after it.
fn test_name() -> String {
    std::thread::current().name().unwrap_or("main").to_owned()
}
