//! Scripts started once through the kernel and once through dispatch: arguments, status and output must be the same,
//! byte for byte.
//!
//! One test in this file: a script that another thread's child still holds open for writing cannot be started
//! (`ETXTBSY`).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test's helpers fail the test so")]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command as Process;

use hookshell_dispatch::{Command, Dispatcher, Input, Invocation, MissingShell, Route};

const HELPER: &str = env!("CARGO_BIN_EXE_hookshell-dispatch-helper");
const ARGS: &[&str] = &["x", "y z", "", "-e", "é"];

fn write_script(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Status and standard output; `Err` is the number of the kernel's error.
type KernelOutcome = Result<(i32, Vec<u8>), i32>;

fn kernel(script: &str, cwd: &Path, path: &str) -> KernelOutcome {
    let output = Process::new(script)
        .args(ARGS)
        .current_dir(cwd)
        .env_clear()
        .env("PATH", path)
        .env("VALUE", "from outside")
        .stdin(std::process::Stdio::null())
        .output();
    match output {
        Ok(output) => Ok((output.status.code().unwrap(), output.stdout)),
        Err(error) => Err(error.raw_os_error().unwrap()),
    }
}

fn ours(dispatcher: &Dispatcher, script: &str, cwd: &Path, path: &str) -> (i32, Vec<u8>, Route) {
    let mut invocation = Invocation::new(
        Command::File { path: script.into(), args: ARGS.iter().map(|arg| (*arg).into()).collect() },
        cwd,
    );
    invocation.env = [("PATH", path), ("VALUE", "from outside")].into();
    invocation.stdin = Input::Null;
    let outcome = dispatcher.run(invocation);
    (outcome.status.into(), outcome.stdout, outcome.route)
}

#[test]
fn a_script_gets_the_arguments_that_the_kernel_gives() {
    let directory = tempfile::tempdir().unwrap();
    let cwd = directory.path();
    symlink(HELPER, cwd.join("show")).unwrap();
    fs::create_dir(cwd.join("bin")).unwrap();
    symlink(HELPER, cwd.join("bin/tool")).unwrap();
    symlink(HELPER, cwd.join("bin/two words")).unwrap();
    fs::create_dir(cwd.join("directory")).unwrap();
    fs::write(cwd.join("plain"), "text").unwrap();
    write_script(
        &cwd.join("bin/script-tool"),
        [b"#!", cwd.join("show").as_os_str().as_bytes(), b" inner arg\n"].concat().as_slice(),
    );
    let path = format!("{}:/usr/bin:/bin", cwd.join("bin").display());
    let show = cwd.join("show").display().to_string();
    let status = cwd.join("status").display().to_string();
    write_script(Path::new(&status), b"#!/bin/sh\nexit 7\n");

    let mut files: Vec<Vec<u8>> = Vec::new();
    let mut add = |line: String| files.push(line.into_bytes());
    for (before, after) in [
        ("", "\n"),
        ("", ""),
        (" ", "\n"),
        ("\t ", " \t\n"),
        ("", " -e\n"),
        ("", " -e"),
        ("", " "),
        ("", " a b  c \n"),
        ("", "\ta\t b\n"),
        ("", " 'a\\b' \"c\" $d #e\nbody\n"),
        ("", " é ü\n"),
        ("", "\0junk\n"),
        ("", " a\0b\n"),
        ("", " a\rb\n"),
        ("", " -- --x=y\n"),
    ] {
        add(format!("#!{before}{show}{after}"));
    }
    // Relative to the working directory, and through odd paths.
    for line in ["#!./show\n", "#!show a\n", "#!bin/../show\n", "#!.//show x\n"] {
        add(line.into());
    }
    // Long arguments and long paths around the head's end.
    for len in [126, 127, 128, 253, 254, 255, 256, 257, 300] {
        let argument = "a".repeat(len - show.len() - 3);
        add(format!("#!{show} {argument}\n"));
        add(format!("#!{show} {argument}"));
        add(format!("#!{}{show}\n", "/".repeat(len - show.len() - 2)));
        add(format!("#!{}{show} b\n", " ".repeat(len - show.len() - 2)));
    }
    // env.
    for line in [
        "#!/usr/bin/env tool\n",
        "#!/usr/bin/env  tool \n",
        "#!/usr/bin/env -S tool\n",
        "#!/usr/bin/env -S tool --flag a\n",
        "#!/usr/bin/env -Stool 'one word' \"two words\"\n",
        "#!/usr/bin/env -S tool a\\_b \\# \\$x\n",
        "#!/usr/bin/env -S tool ${VALUE} \"${VALUE}\" ${NONE}\n",
        "#!/usr/bin/env -S VALUE=changed tool ${VALUE}\n",
        "#!/usr/bin/env -S PATH=/nowhere tool\n",
        "#!/usr/bin/env -S ./show rel\n",
        "#!/usr/bin/env two words\n",
        "#!/usr/bin/env script-tool\n",
        "#!/usr/bin/env -S script-tool more\n",
        "#!/usr/bin/env missing-tool\n",
        "#!/usr/bin/env -S missing-tool a\n",
        "#!/usr/bin/env tool -x\n",
    ] {
        add(line.into());
    }
    // An interpreter that is a script itself, and what is no interpreter.
    add(format!("#!{}/bin/script-tool outer\n", cwd.display()));
    add(format!("#!{status}\n"));
    add("#!/bin/sh\nprintf '%s|' \"$0\" \"$@\"; exit 3\n".into());
    add("#!/bin/sh -e\nfalse; echo unreached\n".into());
    add("#!/bin/cat\nits own text\n".into());
    add(format!("#!{}/directory\n", cwd.display()));
    add(format!("#!{}/plain\n", cwd.display()));
    add("#!/no/such/interpreter-anywhere\n".into());
    for depth in 1..=7 {
        let interpreter = match depth {
            1 => show.clone(),
            _ => cwd.join(format!("chain{}", depth - 1)).display().to_string(),
        };
        let text = format!("#!{interpreter} depth{depth}\n");
        write_script(&cwd.join(format!("chain{depth}")), text.as_bytes());
        files.push(text.into_bytes());
    }

    let dispatcher = Dispatcher::builder().missing_shell(MissingShell::Fail).build();
    let script_path = cwd.join("script");
    let absolute = script_path.display().to_string();
    let mut compared = 0;
    for (index, file) in files.iter().enumerate() {
        // Scripts are named as hooks name them: relative, and absolute.
        let script = if index % 3 == 0 { &*absolute } else { "./script" };
        let _ = fs::remove_file(&script_path);
        write_script(&script_path, file);
        let what = file.escape_ascii().to_string();
        let expected = kernel(script, cwd, &path);
        let (status, stdout, route) = ours(&dispatcher, script, cwd, &path);
        match expected {
            Ok((expected_status, expected_stdout)) => {
                assert_eq!(stdout.escape_ascii().to_string(), expected_stdout.escape_ascii().to_string(), "{what}");
                assert_eq!(status, expected_status, "{what}");
                compared += 1;
            }
            // ENOENT: the interpreter is missing.
            Err(2) => assert_eq!(status, 127, "{what}"),
            // ENOEXEC: a shell runs the text (or that of the interpreter).
            Err(8) => {
                assert!(matches!(route, Route::ShellSource { .. } | Route::NotStartable { .. }), "{what}: {route:?}")
            }
            // EACCES and ELOOP.
            Err(13 | 40) => assert_eq!(status, 126, "{what}"),
            Err(other) => panic!("{what}: the kernel says {other}"),
        }
    }
    assert!(compared >= 60, "only {compared} of {} scripts ran", files.len());
}
