//! A hook's `/dev/stdin`, `/dev/fd` and `/proc/self` are the hook's, whatever spelling or link leads there.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test's helpers fail the test so")]

mod support;

use std::os::unix::fs::symlink;

use hookshell_dispatch::{Dispatcher, Input, MissingShell, UtilityPreference};
use support::{Directory, err, out};

/// Ways to the descriptor of this number that a script can write, or has as a link.
fn ways(directory: &Directory, number: u32) -> Vec<String> {
    let name = ["stdin", "stdout", "stderr"][number as usize];
    let link = |target: &str, name: String| {
        symlink(target, directory.path().join(&name)).unwrap();
        name
    };
    let file = link(&format!("/dev/{name}"), format!("file{number}"));
    let chain = link(&file, format!("chain{number}"));
    let devices = link("/dev", format!("devices{number}"));
    let descriptors = link("/dev/fd", format!("descriptors{number}"));
    let mut ways = vec![
        format!("/dev/{name}"),
        format!("/dev/./{name}"),
        format!("//dev/{name}"),
        format!("/dev/../dev/{name}"),
        format!("/dev/fd/{number}"),
        format!("{devices}/{name}"),
        format!("{descriptors}/{number}"),
        format!("./{file}"),
        file,
        chain,
    ];
    if cfg!(target_os = "linux") {
        let own = std::process::id();
        ways.extend([
            format!("/proc/self/fd/{number}"),
            format!("/proc/./self/fd/{number}"),
            format!("/proc/thread-self/fd/{number}"),
            format!("/proc/{own}/fd/{number}"),
            format!("/proc/$$/fd/{number}"),
            format!("/proc/self/task/{own}/fd/{number}"),
            format!("/proc/self/root/dev/{name}"),
            format!("/proc/self/cwd/chain{number}"),
        ]);
    }
    ways
}

fn run(directory: &Directory, command: &str, input: &str) -> (u8, String, String) {
    let mut invocation = directory.isolated(command);
    invocation.stdin = Input::Bytes(input.as_bytes().into());
    let outcome = Dispatcher::builder()
        .utilities(UtilityPreference::Bundled)
        .missing_shell(MissingShell::Interpret)
        .build()
        .run(invocation);
    (outcome.status, out(&outcome), err(&outcome))
}

#[test]
fn a_hook_reads_its_own_input_by_every_name() {
    let directory = Directory::new();
    for way in ways(&directory, 0) {
        for command in [
            "cat WAY",
            "cat < WAY",
            "read -r line < WAY; echo \"$line\"",
            "mapfile -t lines < WAY; echo \"${lines[0]}\"",
            "echo \"$(< WAY)\"",
            "grep payload WAY",
            "grep -h payload WAY none 2>/dev/null || :",
            "sed -n p WAY",
            "awk 1 WAY",
            "jq -rR . WAY",
            "sort WAY",
            "head -n 1 WAY",
            "tail -n 1 WAY",
            "cp WAY copied; cat copied",
            "dd if=WAY 2>/dev/null",
            "diff WAY /dev/null | sed -n 's/^< //p'",
            "tac WAY",
            "[ -e WAY ] && [ -r WAY ] && cat WAY",
        ] {
            let command = command.replace("WAY", &way);
            let (_, stdout, stderr) = run(&directory, &command, "payload\n");
            assert_eq!(stdout, "payload\n", "{command}: {stderr}");
        }
        let (_, stdout, stderr) = run(&directory, &format!(". {way}"), "echo sourced\n");
        assert_eq!(stdout, "sourced\n", ". {way}: {stderr}");
        let (_, stdout, stderr) = run(&directory, &format!("bash {way}"), "echo script\n");
        assert_eq!(stdout, "script\n", "bash {way}: {stderr}");
        let (_, stdout, stderr) = run(&directory, &format!("echo b | grep -f {way} - 2>&1; :"), "ignored");
        assert!(stdout.is_empty() || stdout == "b\n", "{way}: {stdout} {stderr}");
    }
    let (_, stdout, stderr) = run(&directory, "cd /dev && cat stdin && cat < fd/../stdin; cat ./stdin", "payload\n");
    assert_eq!(stdout, "payload\n", "{stderr}");
}

#[test]
fn a_hook_writes_its_own_output_by_every_name() {
    let directory = Directory::new();
    for (number, way) in
        ways(&directory, 1).into_iter().map(|way| (1, way)).chain(ways(&directory, 2).into_iter().map(|way| (2, way)))
    {
        for command in [
            "echo text > WAY",
            "echo text >> WAY",
            "echo text >| WAY",
            "set -C; echo text > WAY",
            "umask 077; echo text > WAY",
            "umask 077; echo text >> WAY",
            "echo text &> WAY",
            "echo text | tee WAY > /dev/null",
            "umask 077; echo text | tee -a WAY > /dev/null",
            "echo text > f; cp f WAY",
            "echo text | dd of=WAY 2>/dev/null",
            "echo text | sort -o WAY",
            "echo text | sed -n 'w WAY' | cat",
            "echo text | awk '{ print > \"WAY\" }'",
            "exec 5> WAY; echo text >&5",
        ] {
            // sed and awk have their own reading of a name.
            if way.contains('$') && (command.contains("sed") || command.contains("awk")) {
                continue;
            }
            let is_masked = command.contains("/dev/null") || command.contains("| cat");
            if is_masked && (number == 1) != command.contains("2>") {
                continue;
            }
            // What these names mean to sed is settled when it is read.
            if command.contains("sed") && (way.starts_with("/dev/fd/") || way.starts_with("/proc/self/fd/")) {
                continue;
            }
            let command = command.replace("WAY", &way);
            let (_, stdout, stderr) = run(&directory, &command, "");
            let (found, other) = if number == 1 { (&stdout, &stderr) } else { (&stderr, &stdout) };
            assert_eq!((&**found, &**other), ("text\n", ""), "{command}");
        }
    }
}

/// The standard output of this process is a file here: a link that led to it would write before the verdict.
#[test]
#[cfg(target_os = "linux")]
fn what_only_the_host_has_is_refused() {
    let directory = Directory::new();
    symlink("/proc/self/mem", directory.path().join("memory")).unwrap();
    symlink("/proc/self", directory.path().join("self")).unwrap();
    let own = std::process::id();
    for path in [
        "/proc/self/mem".into(),
        "memory".into(),
        "self/mem".into(),
        "self/environ".into(),
        "/proc/self/environ".into(),
        "/proc/thread-self/environ".into(),
        "/proc/self/maps".into(),
        format!("/proc/{own}/environ"),
        format!("/proc/self/task/{own}/environ"),
        format!("/proc/self/root/proc/{own}/environ"),
        "/proc/self/cwd/self/environ".to_owned(),
    ] {
        for command in [
            "cat WAY",
            "cat < WAY",
            "grep -a PATH WAY",
            "grep -ra PATH WAY",
            "cp WAY copied; cat copied",
            ". WAY",
            "tr '\\0' '\\n' < WAY",
            "mapfile -d '' x < WAY; printf %s \"${x[*]}\"",
            "sed -n p WAY",
            "awk 1 WAY",
            "dd if=WAY",
            "head -c 10 WAY",
            "jq -R . WAY",
        ] {
            let command = command.replace("WAY", &path);
            let (status, stdout, stderr) = run(&directory, &command, "");
            assert_eq!(stdout, "", "{command}: {status} {stderr}");
            assert!(stderr.contains("the process that runs the hook"), "{command}: {stderr}");
        }
    }
    for path in [
        "/proc/self/mem",
        "/proc/self/comm",
        "/proc/self/oom_score_adj",
        "self/coredump_filter",
        "/proc/self/clear_refs",
    ] {
        for command in [
            "echo 1 > WAY",
            "echo 1 >> WAY",
            "echo 1 | tee WAY >/dev/null",
            "echo 1 > f; cp f WAY",
            "echo 1 | dd of=WAY",
            "exec 3<> WAY",
        ] {
            let command = command.replace("WAY", path);
            let (_, stdout, stderr) = run(&directory, &command, "");
            assert!(stderr.contains("the process that runs the hook"), "{command}: {stdout} {stderr}");
        }
    }
    // What anybody may know of a process stays.
    let (status, stdout, stderr) =
        run(&directory, "grep -c ^Pid: /proc/self/status; cat /proc/self/cgroup > /dev/null", "");
    assert_eq!((status, &*stdout, &*stderr), (0, "1\n", ""));
}

/// Its working directory is not that of the host.
#[test]
#[cfg(target_os = "linux")]
fn the_working_directory_in_proc_is_the_hooks() {
    let directory = Directory::new();
    std::fs::write(directory.path().join("here"), "here\n").unwrap();
    for command in [
        "cat /proc/self/cwd/here",
        "cat < /proc/thread-self/cwd/here",
        "cd /proc/self/cwd && cat here",
        "cat /proc/$$/cwd/here",
    ] {
        assert_eq!(run(&directory, command, ""), (0, "here\n".into(), String::new()), "{command}");
    }
}

/// A link to itself stays what it is to what does not follow it.
#[test]
fn a_link_to_a_descriptor_is_removed_and_copied_as_a_link() {
    let directory = Directory::new();
    symlink("/dev/stdin", directory.path().join("l")).unwrap();
    let command = "[ -L l ] && readlink l; cp -P l m; readlink m; mv m n; rm n l; ls";
    let (_, stdout, stderr) = run(&directory, command, "");
    assert_eq!((&*stdout, &*stderr), ("/dev/stdin\n/dev/stdin\nbin\n", ""));
}
