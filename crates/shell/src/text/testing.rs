//! Asking the real bash, for tests only.

use std::ffi::OsStr;
use std::process::Command;

use bstr::ByteSlice as _;

/// What bash 5.2 printed.
pub(crate) struct Answer {
    pub(crate) stdout: Vec<u8>,
    /// Without the `bash: line 1: ` in front of each line.
    pub(crate) stderr: String,
    pub(crate) status: i32,
}

/// Runs `script` with positional parameters in C.UTF-8 and UTC. `None` when bash is not installed, which is an error
/// when REQUIRE_INTERPRETERS=1.
pub(crate) fn bash(script: &str, arguments: &[&[u8]]) -> Option<Answer> {
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", script, "bash"])
        .args(arguments.iter().map(|argument| argument.to_os_str().map(OsStr::to_owned).unwrap_or_default()))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .output();
    let Ok(output) = output else {
        hookshell_test_support::skip("bash is not installed");
        return None;
    };
    let stderr = output.stderr.replace("bash: line 1: ", "");
    Some(Answer {
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        status: output.status.code().unwrap_or(-1),
    })
}
