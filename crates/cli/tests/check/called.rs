//! `check` called on files of a directory.

use std::path::Path;

use serde_json::Value;

use crate::support::{Output, hookshell};

pub(crate) fn write(dir: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(dir.join(name).parent().unwrap()).unwrap();
    std::fs::write(dir.join(name), text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(dir.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

pub(crate) fn check(dir: &Path, args: &[&str]) -> Output {
    let args: Vec<&str> = [&["check"], args].concat();
    hookshell(args).env("PATH", dir).cwd(dir).output()
}

/// With the programs of this machine.
pub(crate) fn check_with_programs(dir: &Path, args: &[&str]) -> Output {
    let args: Vec<&str> = [&["check"], args].concat();
    hookshell(args).env("HOME", dir.join("home")).stdin("").cwd(dir).output()
}

/// The output for one hook of PreToolUse.
pub(crate) fn one(dir: &Path, hook: &str, args: &[&str]) -> Output {
    write(dir, "c.json", &format!("{{\"hooks\":{{\"PreToolUse\":[{hook}]}}}}"));
    check(dir, &[args, &["c.json"]].concat())
}

/// A script with the findings of a run, each as `LINE CODE`.
pub(crate) fn codes(dir: &Path, args: &[&str]) -> Vec<String> {
    let output = check(dir, &[&["--json"], args].concat());
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(|finding| format!("{} {}", finding["line"], finding["code"].as_str().unwrap())).collect()
}

/// Shells on PATH, so that scripts for them can be started.
pub(crate) fn shells(dir: &Path) {
    let program = if cfg!(windows) { "MZ" } else { "\u{7f}ELF\0" };
    // And what scripts use, so that it is not missed.
    for name in [
        "sh", "bash", "dash", "cat", "cp", "date", "dirname", "grep", "jq", "ls", "mktemp", "nproc", "readlink", "rm",
        "sed", "stat", "timeout", "tr",
    ] {
        write(dir, &format!("{name}{}", std::env::consts::EXE_SUFFIX), program);
    }
}
