//! Links, permissions, signals and names that are of Unix alone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::place::{CLAUDE, GEMINI, Place};
use crate::support::program;

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn links_are_followed_but_a_projects_leads_to_no_other_config() {
    let place = Place::new();
    place.write("dotfiles/gemini.json", GEMINI);
    fs::create_dir_all(place.path("home/.gemini")).unwrap();
    symlink(place.path("dotfiles/gemini.json"), place.path("home/.gemini/settings.json")).unwrap();
    place.write("home/other.json", CLAUDE);
    fs::create_dir_all(place.path("project/.claude")).unwrap();
    symlink(place.path("home/other.json"), place.path("project/.claude/settings.json")).unwrap();
    let output = place.install(&[]);
    assert_eq!(output.code, Some(65), "{output:?}");
    assert!(output.stderr.contains("outside of the project"), "{output:?}");
    assert_eq!(place.read("home/other.json"), CLAUDE);
    assert!(place.read("dotfiles/gemini.json").contains("hookshell run BeforeTool"));
    assert!(place.path("home/.gemini/settings.json").is_symlink());
}

#[test]
fn a_side_directory_that_leads_out_of_the_project_is_not_written_to() {
    let place = Place::new();
    place.write("project/.gemini/settings.json", GEMINI);
    fs::create_dir_all(place.path("home/.gemini")).unwrap();
    symlink(place.path("home/.gemini"), place.path("project/.gemini/hookshell")).unwrap();
    let output = place.install(&["--project"]);
    assert_eq!(output.code, Some(65), "{output:?}");
    assert_eq!(place.read("project/.gemini/settings.json"), GEMINI);
    assert_eq!(fs::read_dir(place.path("home/.gemini")).unwrap().count(), 0);
}

#[test]
fn permissions_are_kept_and_what_is_read_only_is_refused() {
    let place = Place::new();
    place.write("home/.gemini/settings.json", GEMINI);
    place.write("home/.claude/settings.json", CLAUDE);
    mode(&place.path("home/.gemini/settings.json"), 0o640);
    mode(&place.path("home/.claude/settings.json"), 0o444);
    let rehearsed = place.install(&["--dry-run"]);
    assert_eq!(rehearsed.code, Some(65), "{rehearsed:?}");
    assert!(rehearsed.stderr.contains("settings.json: it is read-only; it was left as it is"), "{rehearsed:?}");
    assert!(rehearsed.stdout.contains("gemini") && !rehearsed.stdout.contains("claude"), "{rehearsed:?}");
    let output = place.install(&[]);
    assert_eq!(output.code, Some(65), "{output:?}");
    assert!(output.stderr.contains("read-only"), "{output:?}");
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
    let metadata = fs::metadata(place.path("home/.gemini/settings.json")).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o7777, 0o640);
    assert_ne!(place.read("home/.gemini/settings.json"), GEMINI);
}

/// Who reads may let it wait for ever: a signal ends that.
#[test]
fn a_signal_ends_it_while_its_output_waits() {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;
    use std::time::{Duration, Instant};

    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    let (_reader, mut writer) = std::io::pipe().unwrap();
    // Filled up, so that the first byte waits.
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    while writer.write(&[0; 4096]).is_ok() {}
    while writer.write(&[0]).is_ok() {}
    rustix::io::ioctl_fionbio(&writer, false).unwrap();
    // Whoever runs the tests in the background of a script ignores INT, and so would it.
    let mut child = hookshell_test_support::with_default_signals(env!("CARGO_BIN_EXE_hookshell"))
        .args(["install", "claude"])
        .current_dir(place.path("project"))
        .env("HOME", place.path("home"))
        .env("PATH", place.path("bin"))
        .stdout(writer)
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if Instant::now() > until {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("signals do not end it");
        }
        // A signal before its handlers are there would end any process.
        if place.read("home/.claude/settings.json") != CLAUDE {
            let pid = rustix::process::Pid::from_child(&child);
            rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.signal(), Some(2), "{status}");
    assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
}

/// hookshell under another name.
fn named(place: &Place, name: &str) -> PathBuf {
    let path = place.path(name);
    symlink(env!("CARGO_BIN_EXE_hookshell"), &path).unwrap();
    path
}

#[test]
fn as_bash_it_starts_as_agents_start_bash() {
    let place = Place::new();
    let bash = named(&place, "bash");
    place.write("home/.bash_profile", "echo profile\n");
    place.write("home/.profile", "echo not this\n");
    place.write("home/.bashrc", "case $- in *i*) ;; *) return;; esac\nX=rc\nalias hi='echo hi'\n");
    let cases: [(&[&str], &str); 12] = [
        (&["-c", "echo $-"], "hBc\n"),
        (&["--noprofile", "--norc", "-c", "echo a"], "a\n"),
        (&["--noprofile", "-lc", "echo a"], "a\n"),
        (&["-lc", "echo a"], "profile\na\n"),
        (&["-l", "-c", "echo a"], "profile\na\n"),
        (&["--login", "-i", "-c", "echo $-"], "profile\nhiBHc\n"),
        (&["-ic", "echo $X"], "rc\n"),
        (&["-ic", "hi there"], "hi there\n"),
        (&["+O", "expand_aliases", "-ic", "shopt -q expand_aliases || echo off"], "off\n"),
        (&["-c", "shopt -q expand_aliases || echo off"], "off\n"),
        (&["--norc", "-ic", "echo ${X-none}"], "none\n"),
        (&["--rcfile", "/dev/null", "-ic", "echo ${X-none}"], "none\n"),
    ];
    for (args, expected) in cases {
        let output = program(&bash, args).env("HOME", place.path("home")).output();
        // Of bash, `H` is set with `i`: history is not here.
        let expected = expected.replace("hiBHc", "hiBc");
        let stdout = output.stdout.lines().filter(|line| !line.contains("/etc")).map(|line| format!("{line}\n"));
        assert_eq!((stdout.collect::<String>(), output.code), (expected, Some(0)), "{args:?}: {}", output.stderr);
    }
}

#[test]
fn other_names_say_what_it_is() {
    let place = Place::new();
    let exec = named(&place, "hookshell-exec");
    let output = program(&exec, ["echo \"$((6 * 7))\"; exit 3"]).output();
    assert_eq!((output.code, &*output.stdout), (Some(3), "42\n"), "{output:?}");
    let zsh = named(&place, "zsh");
    let output = program(&zsh, ["-c", "echo a"]).output();
    assert!(output.code == Some(2) && output.stderr.contains("not zsh"), "{output:?}");
    assert!(program(&zsh, ["--version"]).output().stdout.starts_with("hookshell "));
}

#[test]
fn a_fifo_is_not_waited_for() {
    let place = Place::new();
    fs::create_dir_all(place.path("home/.claude")).unwrap();
    let path = place.path("home/.claude/settings.json");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
    let output = place.install(&[]);
    assert_eq!(output.code, Some(65), "{output:?}");
    assert!(output.stderr.contains("not a regular file"), "{output:?}");
    let output = place.run("project", &["status"], "");
    assert!(output.code == Some(1) && output.stdout.contains("not a regular file"), "{output:?}");
}

#[test]
fn an_agent_that_is_too_old_for_the_form_is_refused() {
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    place.write("bin/claude", "#!/bin/sh\necho '2.1.100 (Claude Code)'\n");
    mode(&place.path("bin/claude"), 0o755);
    let output = place.install(&[]);
    assert_eq!(output.code, Some(65), "{output:?}");
    assert!(output.stderr.contains("2.1.100 is older than 2.1.139"), "{output:?}");
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
    place.write("bin/claude", "#!/bin/sh\necho none\n");
    let output = place.install(&["--dry-run"]);
    assert!(
        output.stderr.contains("it does not say its version, and Claude Code reads what was wired from 2.1.139 on")
    );
    place.write("bin/claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n");
    assert_eq!(place.install(&[]).code, Some(0));
}

/// Each would wire what the other has written.
#[test]
fn of_two_agents_that_read_one_file_only_the_first_is_wired() {
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    fs::create_dir(place.path("home/.qwen")).unwrap();
    symlink("../.claude/settings.json", place.path("home/.qwen/settings.json")).unwrap();
    for _ in 0..2 {
        let output = place.install(&[]);
        assert_eq!(output.code, Some(65), "{output:?}");
        let told = "home/.qwen/settings.json: it is the same file as Claude Code's config (";
        assert!(output.stderr.contains(told) && output.stderr.contains("a file of its own"), "{output:?}");
        let wired = place.read("home/.claude/settings.json");
        assert!(wired.contains("\"args\"") && !wired.contains("hookshell run"), "{wired}");
        assert!(!place.path("home/.qwen/hookshell").exists());
    }
    assert_eq!(place.run("project", &["uninstall"], "").code, Some(0));
    assert_eq!(place.read("home/.claude/settings.json"), CLAUDE);
}

/// Nothing that it has started is left.
#[test]
fn an_agent_that_does_not_say_its_version_is_waited_for_once_and_ended() {
    let place = Place::new();
    place.write("home/.claude/settings.json", CLAUDE);
    place
        .write("bin/claude", "#!/bin/sh\necho asked >> \"$HOME/asked\"\n/bin/sleep 12\necho late >> \"$HOME/asked\"\n");
    mode(&place.path("bin/claude"), 0o755);
    let began = std::time::Instant::now();
    let output = place.install(&["claude"]);
    assert!(output.stderr.contains("it does not say its version"), "{output:?}");
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(place.read("home/asked"), "asked\n");
    std::thread::sleep(std::time::Duration::from_secs(13).saturating_sub(began.elapsed()));
    assert_eq!(place.read("home/asked"), "asked\n");
}
