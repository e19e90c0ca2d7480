//! `shell: hookshell sh --noprofile --norc -eo pipefail {0}` of GitHub Actions, as its runner calls it: the step's script is a file in
//! a temporary directory, named by its absolute path, and the step talks to the runner by files that variables name.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;

use support::{Output, hookshell};

/// Runs a step in `directory`.
fn step(directory: &Path, script: &str) -> Output {
    let temp = directory.join("_temp");
    std::fs::create_dir_all(&temp).unwrap();
    let file = temp.join("3f1c6c1e-0000-4a4e-9a55-step.sh");
    std::fs::write(&file, script).unwrap();
    let file = file.display().to_string();
    let run = hookshell(["sh", "--noprofile", "--norc", "-eo", "pipefail", &file]).cwd(directory);
    run.env("GITHUB_OUTPUT", temp.join("output")).env("GITHUB_PATH", temp.join("path")).env("CI", "true").output()
}

#[test]
fn a_step_ends_with_the_status_of_its_first_failure() {
    let directory = tempfile::tempdir().unwrap();
    let cases = [
        ("echo one\necho two\n", Some(0), "one\ntwo\n"),
        ("echo one\nfalse\necho two\n", Some(1), "one\n"),
        ("echo one\n(exit 7)\necho two\n", Some(7), "one\n"),
        ("cat missing | wc -l\necho two\n", Some(1), "0\n"),
        ("if false; then :; fi\nfalse || echo or\n", Some(0), "or\n"),
        ("set +e\nfalse\necho \"$?\"\n", Some(0), "1\n"),
        // As an editor on Windows saves it, the runner writes it.
        ("echo one\r\necho two\r\n", Some(0), "one\ntwo\n"),
        ("nosuchprogram\n", Some(127), ""),
    ];
    for (script, code, stdout) in cases {
        let output = step(directory.path(), script);
        let stdout_found = output.stdout.replace('\r', "");
        assert_eq!((output.code, stdout_found.trim_start()), (code, stdout), "{script:?}: {output:?}");
    }
}

#[test]
fn a_step_gives_outputs_and_paths_to_the_runner() {
    let directory = tempfile::tempdir().unwrap();
    let script = "version=$(printf '%s\\n' 'v1.2' | sed 's/^v//')\n{ echo 'text<<END'; echo \"$version\"; echo END; } >> \"$GITHUB_OUTPUT\"\n\
                  echo \"$PWD/bin\" >> \"$GITHUB_PATH\"\n[[ $CI == true ]] && echo '::notice::done'\n";
    let output = step(directory.path(), script);
    assert_eq!((output.code, &*output.stdout), (Some(0), "::notice::done\n"), "{output:?}");
    let written = std::fs::read_to_string(directory.path().join("_temp/output")).unwrap();
    assert_eq!(written, "text<<END\n1.2\nEND\n");
    assert!(std::fs::read_to_string(directory.path().join("_temp/path")).unwrap().ends_with("/bin\n"));
}
