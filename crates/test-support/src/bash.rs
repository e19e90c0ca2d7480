//! Asking the real bash.

use std::ffi::OsString;
use std::process::Command;

use crate::skip::skip;

/// What bash 5.2 printed.
#[derive(Debug)]
pub struct BashOutput {
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error, without the `bash: line 1: ` in front of each line.
    pub stderr: String,
    /// Its exit status; -1 where a signal ended it.
    pub status: i32,
}

/// Runs `script` with positional parameters in C.UTF-8 and UTC. `None` when bash is not installed, which is an error
/// when REQUIRE_INTERPRETERS=1.
pub fn bash(script: &str, arguments: &[&[u8]]) -> Option<BashOutput> {
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", script, "bash"])
        .args(arguments.iter().map(|argument| os_string(argument)))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .output();
    let Ok(output) = output else {
        skip("bash is not installed");
        return None;
    };
    Some(BashOutput {
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).replace("bash: line 1: ", ""),
        status: output.status.code().unwrap_or(-1),
    })
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}
