//! Tests that change or measure what belongs to a whole process.

use std::env;
use std::process::Command;

use hookshell_test_support::{MAX_WAIT, run_program};

/// Runs the body in a process of its own: this test program, told to run only `test` (its full name), with a variable
/// that stops the recursion.
///
/// # Panics
/// The test fails there, is not found, or crashes.
pub fn in_own_process(test: &str, body: impl FnOnce()) {
    const GUARD: &str = "HOOKSHELL_TEST_ALONE";
    if env::var_os(GUARD).is_some() {
        body();
        return;
    }
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(GUARD, "1");
    let ran = run_program(command, b"", MAX_WAIT * 2);
    assert_eq!(ran.code, Some(0), "{test} in its own process:\n{}\n{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1 passed"), "no such test: {test}");
}

/// Gives a signal its default disposition or has it ignored, as a host program may.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library has no call for it, and a host with it is what is tested")]
pub fn set_disposition(signal: i32, disposition: libc::sighandler_t) {
    assert!(disposition == libc::SIG_DFL || disposition == libc::SIG_IGN);
    // SAFETY: no handler is installed, so that nothing runs in signal context.
    unsafe { libc::signal(signal, disposition) };
}
