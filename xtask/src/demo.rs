//! `cargo xtask demo`: the README's first command, run as a newcomer would and its result checked.

use std::process::Stdio;

use serde_json::Value;

use crate::error::Error;
use crate::run::capture;
use crate::workspace::Workspace;

/// The README's first command, after `cargo`.
const COMMAND: &[&str] = &[
    "run",
    "--release",
    "-p",
    "hookshell",
    "--",
    "run",
    "PreToolUse",
    "--config",
    "examples/crush.json",
    "--tool",
    "bash",
    "--input",
    r#"{"command":"rm -rf /"}"#,
];

/// Runs the command; it must exit 2 and print one JSON object whose decision is deny.
pub(crate) fn run_and_check(workspace: &Workspace) -> Result<(), Error> {
    let output = capture(workspace.cargo(COMMAND).stdin(Stdio::null()))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    print!("{stdout}");
    check(output.status.code(), &output.stdout).map_err(Error::Unexpected)
}

/// Says what is wrong with the deny verdict, if anything is.
fn check(code: Option<i32>, stdout: &[u8]) -> Result<(), String> {
    if code != Some(2) {
        let found = code.map_or_else(|| "death by a signal".into(), |code| code.to_string());
        return Err(format!("the deny verdict's exit code must be 2, found {found}"));
    }
    // Reads the whole input: anything after the object is an error too.
    let verdict: Value =
        serde_json::from_slice(stdout).map_err(|error| format!("stdout must be one JSON object: {error}"))?;
    let Value::Object(verdict) = verdict else {
        return Err(format!("stdout must be a JSON object, found {verdict}"));
    };
    match verdict.get("decision") {
        Some(Value::String(decision)) if decision == "deny" => Ok(()),
        Some(other) => Err(format!("the decision must be \"deny\", found {other}")),
        None => Err("the verdict has no decision".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_deny_verdict_passes() {
        assert_eq!(check(Some(2), b"{\"decision\": \"deny\", \"halt\": false}\n"), Ok(()));
    }

    #[test]
    fn anything_else_is_named() {
        let cases: [(Option<i32>, &[u8], &str); 8] = [
            (Some(0), b"{\"decision\":\"deny\"}", "exit code must be 2, found 0"),
            (None, b"{\"decision\":\"deny\"}", "found death by a signal"),
            (Some(2), b"", "one JSON object: EOF"),
            (Some(2), b"{\"decision\":\"deny\"}{}", "one JSON object: trailing characters"),
            (Some(2), b"denied", "one JSON object: expected value"),
            (Some(2), b"[\"deny\"]", "must be a JSON object, found [\"deny\"]"),
            (Some(2), b"{\"decision\":\"allow\"}", "must be \"deny\", found \"allow\""),
            (Some(2), b"{}", "no decision"),
        ];
        for (code, stdout, expected) in cases {
            let found = check(code, stdout).expect_err(expected);
            assert!(found.contains(expected), "{found:?} should contain {expected:?}");
        }
    }
}
