//! `cargo xtask bench`: hookshell and other shells at the same work, side by side in one run.
//!
//! Only ratios of one run mean anything: the contestants take turns, so that what else the machine
//! does hits all of them, and the medians are compared. What a ratio is worth: bash against itself gave
//! 0.82 to 1.18 in a full run on a shared machine of two cores, and 0.7 to 1.4 in a quick one, which
//! therefore shows only that the workloads run.

mod contestant;
mod measure;
mod options;
mod report;
mod stats;
mod workload;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use self::contestant::{Contestant, rivals};
use self::measure::Clock;
use self::options::{Options, QUICK};
use self::report::{Row, report};
use self::stats::Times;
use self::workload::{Rivals, WORKLOADS, Work, Workload, with_count};
use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// Runs the command.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let options = Options::read(arguments)?;
    let folder = workspace.target().join("bench");
    std::fs::create_dir_all(&folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    let hookshell = match &options.binary {
        Some(path) => path.canonicalize().map_err(|source| Error::File { path: path.clone(), source })?,
        None => {
            run(&mut workspace.cargo(&["build", "--release", "-p", "hookshell"]))?;
            let name = format!("hookshell{}", std::env::consts::EXE_SUFFIX);
            workspace.target().join("release").join(name)
        }
    };
    run(&mut workspace.cargo(&["build", "--release", "-p", "hookshell-runner", "--example", "repeat"]))?;
    let repeat = format!("repeat{}", std::env::consts::EXE_SUFFIX);
    let repeat = workspace.target().join("release").join("examples").join(repeat);
    let bench = Bench { options, hookshell, repeat, rivals: rivals(), clock: Clock::start(), folder };
    let load_before = load();
    let mut rows = Vec::new();
    for workload in WORKLOADS {
        eprintln!("{} ({} rounds)", workload.name, bench.options.rounds(workload));
        rows.push(bench.row(workload)?);
    }
    let text = report(&bench.setting(workspace, &load_before), &rows);
    println!("\n{text}");
    let path = bench.folder.join("report.md");
    write(&path, &text)?;
    println!("written to {}", path.display());
    let failed: Vec<&str> = rows.iter().filter(|row| row.hookshell.is_err()).map(|row| row.workload.name).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(Error::Unexpected(format!("hookshell failed at: {}", failed.join(", "))))
}

/// A benchmark under way.
struct Bench {
    options: Options,
    hookshell: PathBuf,
    /// The runner's example that runs a hook many times.
    repeat: PathBuf,
    rivals: Vec<Contestant>,
    clock: Clock,
    /// Where the files of the run are.
    folder: PathBuf,
}

/// One program at one workload, with the times it has so far.
struct Entry {
    command: Result<Command, String>,
    expected: Expected,
    times: Vec<Duration>,
}

/// What the stdout of a run must be for its time to count.
#[derive(Clone)]
enum Expected {
    Exactly(String),
    Containing(&'static str),
}

impl Bench {
    /// Times all contestants at one workload. They take turns, and each round starts with another one.
    fn row<'a>(&self, workload: &'a Workload) -> Result<Row<'a>, Error> {
        let (names, mut entries) = self.entries(workload)?;
        // A first run that does not count: it loads the program and shows whether it does the work.
        for entry in &mut entries {
            self.turn(entry);
            entry.times.clear();
        }
        let contestants = entries.len();
        for round in 0..self.options.rounds(workload) {
            for place in 0..contestants {
                if let Some(entry) = entries.get_mut((round + place) % contestants) {
                    self.turn(entry);
                }
            }
        }
        let mut results = entries.into_iter().map(|entry| {
            entry.command?;
            Times::new(entry.times).ok_or_else(|| "no run".to_owned())
        });
        let hookshell = results.next().unwrap_or_else(|| Err("no contestant".to_owned()));
        let rivals = names.into_iter().zip(results).collect();
        Ok(Row { workload, count: self.options.count(workload), judged: !self.options.quick, hookshell, rivals })
    }

    /// The rivals' names, and what is run: hookshell first, then the rivals.
    fn entries(&self, workload: &Workload) -> Result<(Vec<&'static str>, Vec<Entry>), Error> {
        let count = self.options.count(workload);
        let mut ours = self.program(&self.hookshell);
        let (script, expected, only_dash) = match &workload.work {
            Work::Script { script, stdout, rivals } => {
                ours.args(["sh", "-c"]);
                let expected = Expected::Exactly(with_count(stdout, count));
                (with_count(script, count), expected, *rivals == Rivals::Dash)
            }
            Work::Hook { hook, stdout_has } => {
                let config = self.folder.join("hook.json");
                let hooks = serde_json::json!({ "hooks": { "PreToolUse": [{ "command": hook }] } });
                write(&config, &hooks.to_string())?;
                ours.args(["run", "PreToolUse", "--config"]).arg(config);
                ours.args(["--tool", "bash", "--input", r#"{"command":"ls"}"#]);
                ((*hook).to_owned(), Expected::Containing(stdout_has), true)
            }
            Work::Runner { hook, stdout_has } => {
                // Quoted once more: the inner dash gets the hook as one word.
                let quoted = hook.replace('\'', r"'\''");
                let script = format!(
                    "i=0; while [ $i -lt {count} ]; do dash -c '{quoted}' </dev/null >out; i=$((i+1)); done; read -r l <out; echo \"$l\""
                );
                (script, Expected::Containing(stdout_has), true)
            }
        };
        if let Work::Runner { hook, .. } = &workload.work {
            ours = self.program(&self.repeat);
            ours.arg(count.to_string()).arg(hook);
        }
        let lines = self.folder.join("lines.txt");
        let script_arguments = |command: &mut Command| {
            command.arg(&script).arg("bench").arg(&lines);
        };
        if let Work::Script { .. } = workload.work {
            let text = "one line of an ordinary text file\n".repeat(count as usize);
            write(&lines, &text)?;
            script_arguments(&mut ours);
        }
        let entry = |command| Entry { command, expected: expected.clone(), times: Vec::new() };
        let mut names = Vec::new();
        let mut entries = vec![entry(Ok(ours))];
        for rival in self.rivals.iter().filter(|rival| !only_dash || rival.name == "dash") {
            names.push(rival.name);
            let program = rival.program.as_ref().ok_or_else(|| "not installed".to_owned());
            entries.push(entry(program.map(|program| {
                let mut command = self.program(program);
                command.args(rival.arguments);
                script_arguments(&mut command);
                command
            })));
        }
        Ok((names, entries))
    }

    /// A command whose surroundings are not the developer's: no start-up files, one locale.
    fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env("HOME", &self.folder).env("LC_ALL", "C.UTF-8");
        for name in ["ENV", "BASH_ENV", "LANG", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the entry once more; a run that fails or prints something else takes it out.
    fn turn(&self, entry: &mut Entry) {
        let Ok(command) = &mut entry.command else {
            return;
        };
        let run = self.clock.run(command, &self.folder.join("stderr.txt"));
        match run.and_then(|run| entry.expected.check(&run.stdout).map(|()| run.time)) {
            Ok(time) => entry.times.push(time),
            Err(why) => entry.command = Err(why),
        }
    }

    /// What was measured where, for the report's head.
    fn setting(&self, workspace: &Workspace, load_before: &str) -> String {
        let git = workspace.program("git").args(["rev-parse", "--short", "HEAD"]).output();
        let commit = git.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let mut text = format!(
            "{} {}, {cores} cores; {}",
            std::env::consts::OS,
            std::env::consts::ARCH,
            match &self.options.binary {
                Some(path) => path.display().to_string(),
                None => format!("release build at commit {}", commit.unwrap_or_default()),
            },
        );
        if !load_before.is_empty() {
            let _ = write!(text, "; load {load_before} before, {} after", load());
        }
        if self.options.quick {
            let _ = write!(text, ". Quick run: loops are {QUICK} times shorter and rounds few; ratios are rough");
        }
        text.push('.');
        text
    }
}

impl Expected {
    fn check(&self, stdout: &[u8]) -> Result<(), String> {
        let found = String::from_utf8_lossy(stdout);
        match self {
            Self::Exactly(expected) if found == *expected => Ok(()),
            Self::Containing(expected) if found.contains(expected) => Ok(()),
            Self::Exactly(expected) => Err(format!("expected {expected:?}, found {found:?}")),
            Self::Containing(expected) => Err(format!("expected {expected:?} in {found:?}")),
        }
    }
}

/// The load average over one minute, where the system tells it.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|source| Error::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_output_counts() {
        let exactly = Expected::Exactly("2000 1\n".into());
        assert_eq!(exactly.check(b"2000 1\n"), Ok(()));
        assert_eq!(exactly.check(b"2000"), Err(r#"expected "2000 1\n", found "2000""#.into()));
        let containing = Expected::Containing("allow");
        assert_eq!(containing.check(b"{allow}"), Ok(()));
        assert_eq!(containing.check(b"deny"), Err(r#"expected "allow" in "deny""#.into()));
    }
}
