//! A session of commands as Claude Code's Bash tool runs them, by hookshell under the name `bash` and by a real bash: a snapshot of the
//! start-up files is made, and before each command it is sourced. The command's working directory is left in a file.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hookshell_test_support::{eventually, find, has_all, start, with_default_signals};
use support::{Output, program, workspace};
use tempfile::TempDir;

const RC: &str = r#"alias greet='echo hello'
alias quote='echo "it'\''s"'
shout() { local word; for word in "$@"; do printf '%s!\n' "${word^^}"; done; }
here() {
    cat <<EOF
  in $1
EOF
}
_hidden() { :; }
export EDITOR=vi
shopt -s globstar
"#;

/// What Claude Code 2.1.197 gives `bash -c -l` before the first command, as far as it does not name the agent's own programs.
const SNAPSHOT: &str = r##"SNAPSHOT_FILE=@SNAPSHOT@
source "$HOME/.bashrc" < /dev/null

# First, create/clear the snapshot file
echo "# Snapshot file" >| "$SNAPSHOT_FILE"

# When this file is sourced, we first unalias to avoid conflicts
# This is necessary because aliases get "frozen" inside function definitions at definition time,
echo "# Unset all aliases to avoid conflicts with functions" >> "$SNAPSHOT_FILE"
echo "unalias -a 2>/dev/null || true" >> "$SNAPSHOT_FILE"

echo "# Functions" >> "$SNAPSHOT_FILE"

# Force autoload all functions first
declare -f > /dev/null 2>&1

# Now get user function names - filter completion functions (single underscore prefix)
# but keep double-underscore functions (e.g. mise, pyenv)
declare -F | cut -d' ' -f3 | grep -vE '^_[^_]' | while read func; do
  # Encode the function to base64, preserving all special characters
  encoded_func=$(declare -f "$func" | base64 )
  # Write the function definition to the snapshot
  echo "eval \"\$(echo '$encoded_func' | base64 -d)\" > /dev/null 2>&1" >> "$SNAPSHOT_FILE"
done

echo "# Shell Options" >> "$SNAPSHOT_FILE"
shopt -p | head -n 1000 >> "$SNAPSHOT_FILE"
set -o | grep "on" | awk '{print "set -o " $1}' | head -n 1000 >> "$SNAPSHOT_FILE"
echo "shopt -s expand_aliases" >> "$SNAPSHOT_FILE"

echo "# Aliases" >> "$SNAPSHOT_FILE"
# Filter out winpty aliases on Windows to avoid "stdin is not a tty" errors
if [[ "$OSTYPE" == "msys" ]] || [[ "$OSTYPE" == "cygwin" ]]; then
  alias | grep -v "='winpty " | sed 's/^alias //g' | sed 's/^/alias -- /' | head -n 1000 >> "$SNAPSHOT_FILE"
else
  alias | sed 's/^alias //g' | sed 's/^/alias -- /' | head -n 1000 >> "$SNAPSHOT_FILE"
fi

# Add PATH to the file
echo "export PATH='$PATH'" >> "$SNAPSHOT_FILE"
"##;

/// A shell and the home and project that it has for itself.
struct Session {
    directory: TempDir,
    shell: PathBuf,
    cwd: PathBuf,
}

impl Session {
    fn new(real: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["home", "project", "bin"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        fs::write(root.join("home/.bashrc"), RC).unwrap();
        let shell = root.join("bin/bash");
        symlink(real, &shell).unwrap();
        let cwd = root.join("project");
        Self { directory, shell, cwd }
    }

    fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    fn bash(&self, args: &[&str]) -> Output {
        let run =
            program(&self.shell, args).cwd(&self.cwd).env("HOME", self.root().join("home")).env("LC_ALL", "C.UTF-8");
        let output = run.env("GIT_CONFIG_NOSYSTEM", "1").output();
        let root = self.root().display().to_string();
        let shown = |text: &str| text.replace(&root, "ROOT");
        Output { stdout: shown(&output.stdout), stderr: without_known(&shown(&output.stderr)), ..output }
    }

    fn snapshot(&self) -> PathBuf {
        self.root().join("snapshot-bash-1-x.sh")
    }

    fn begin(&self) -> Output {
        let snapshot = self.snapshot().display().to_string();
        self.bash(&["-c", "-l", &SNAPSHOT.replace("@SNAPSHOT@", &snapshot)])
    }

    /// Runs a command; gives what came out and the directory that it has left, which is that of the next one.
    fn run(&mut self, command: &str) -> (Output, Option<String>) {
        let left = self.root().join("cwd");
        let _ = fs::remove_file(&left);
        let quoted = format!("'{}'", command.replace('\'', r#"'"'"'"#));
        let line = format!(
            "source {} 2>/dev/null || true && shopt -u extglob 2>/dev/null || true && eval {quoted} < /dev/null && pwd -P >| {}",
            self.snapshot().display(),
            left.display()
        );
        let output = self.bash(&["-c", &line]);
        let left = fs::read_to_string(left).ok();
        if let Some(left) = &left {
            self.cwd = PathBuf::from(left.trim_end_matches('\n'));
        }
        let root = self.root().display().to_string();
        (output, left.map(|left| left.replace(&root, "ROOT")))
    }
}

/// Standard error without what is known to differ. Where a command is not finished, ours says more. And the snapshot switches on
/// `monitor`, as its name has `on` in it: bash then reports jobs that have ended, and ours has no job control.
fn without_known(stderr: &str) -> String {
    let end = "unexpected end of file";
    let is_job = |line: &&str| line.starts_with('[') && line.contains("]+  Done  ");
    let lines = stderr.lines().filter(|line| !is_job(line));
    lines.map(|line| format!("{}\n", line.find(end).map_or(line, |at| &line[..at + end.len()]))).collect()
}

fn commands() -> Vec<(String, String)> {
    let text = fs::read_to_string(workspace("tests/agents/session.txt")).unwrap();
    let parts = text.split("=== ").skip(1);
    parts.map(|part| part.split_once('\n').map(|(name, text)| (name.to_owned(), text.to_owned())).unwrap()).collect()
}

#[test]
fn every_command_of_a_session_gives_what_bash_gives() {
    if !has_all(&["bash", "git", "python3", "jq"]) {
        return;
    }
    let mut ours = Session::new(Path::new(env!("CARGO_BIN_EXE_hookshell")));
    let mut theirs = Session::new(&find("bash").unwrap());
    assert_eq!(ours.begin(), theirs.begin());
    let commands = commands();
    assert!(commands.len() >= 40, "{}", commands.len());
    let mut different = Vec::new();
    for (name, command) in commands {
        let (ours, theirs) = (ours.run(&command), theirs.run(&command));
        if ours != theirs {
            let cut = |text: String| text.chars().take(1500).collect::<String>();
            different.push(format!("{name}: {}\n  bash: {}", cut(format!("{ours:?}")), cut(format!("{theirs:?}"))));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// How many processes are in a group, where the system (Linux) says it.
fn members(group: u32) -> Option<usize> {
    let stats =
        fs::read_dir("/proc").ok()?.filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    // After the program's name, which may have blanks in it: state, parent, group.
    let of = |stat: String| stat.rsplit_once(") ")?.1.split(' ').nth(2)?.parse::<u32>().ok();
    Some(stats.filter_map(of).filter(|found| *found == group).count())
}

/// Ctrl-C and the end of a command by the agent: a signal to the shell's process group. How the shell ended, and what its command wrote.
fn stopped_by(shell: &Path, signal: rustix::process::Signal) -> (Option<i32>, Option<i32>, String) {
    let directory = tempfile::tempdir().unwrap();
    let mut command = with_default_signals(shell);
    let script = "trap 'echo trapped >> out' USR1; /bin/sleep 61 & (/bin/sleep 62; :) & echo ready > out; /bin/sleep 63 | cat; echo not this >> out";
    command.args(["-c", &format!("eval '{}' < /dev/null && pwd -P >| cwd", script.replace('\'', "'\"'\"'"))]);
    command
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    let mut child = start(&mut command);
    let out = directory.path().join("out");
    eventually("the command runs", || fs::read_to_string(&out).is_ok_and(|text| text == "ready\n"));
    let group = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    eventually("it has started its programs", || members(child.id()).is_none_or(|count| count >= 4));
    rustix::process::kill_process_group(group, signal).unwrap();
    let mut status = None;
    eventually("it ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    let status = status.unwrap();
    // INT does not reach what is in the background; the agent's last word does.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    eventually("nothing of it is left", || rustix::process::test_kill_process_group(group).is_err());
    assert!(
        !directory.path().join("cwd").exists(),
        "{} {signal:?} {status:?} {:?}",
        shell.display(),
        fs::read_to_string(&out)
    );
    (status.code(), status.signal(), fs::read_to_string(out).unwrap())
}

#[test]
fn a_signal_to_its_group_ends_a_command_as_it_ends_bashs() {
    let Some(bash) = find("bash") else { return };
    let directory = tempfile::tempdir().unwrap();
    let ours = directory.path().join("bash");
    symlink(env!("CARGO_BIN_EXE_hookshell"), &ours).unwrap();
    use rustix::process::Signal;
    // More than once, as a signal that is acted upon late lets the next command begin.
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL, Signal::TERM, Signal::INT] {
        assert_eq!(stopped_by(&ours, signal), stopped_by(&bash, signal), "{signal:?}");
    }
}
