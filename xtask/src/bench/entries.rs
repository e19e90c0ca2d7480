//! What the contestants of a workload run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::contestant::find_program;
use super::measure::Run;
use super::workload::{Client, Rivals, Work, Workload, with_count};
use super::{Bench, write};
use crate::error::Error;
use crate::run::run;
use crate::workspace::Workspace;

/// The programs of this workspace that are timed.
pub(super) struct Programs {
    pub(super) hookshell: PathBuf,
    /// Runs a hook many times through one `Runner`, or many hooks at once.
    pub(super) repeat: PathBuf,
    /// Parses a script many times.
    parse: PathBuf,
    /// The directory of the SDKs. That of Node is built by `cargo xtask sdk`.
    sdk: PathBuf,
}

impl Programs {
    /// Builds them, all at once. `binary` is timed instead of the hookshell that is built, and a copy in `installed` of either:
    /// as an installed program is, and the rivals are. A file as the linker leaves it lies in small pieces in the page cache,
    /// and starts a quarter more slowly.
    pub(super) fn build(workspace: &Workspace, binary: Option<&Path>, installed: &Path) -> Result<Self, Error> {
        run(&mut workspace.cargo(&[
            "build",
            "--release",
            "--package=hookshell",
            "--package=hookshell-runner",
            "--package=hookshell-syntax",
            "--bin=hookshell",
            "--example=repeat",
            "--example=parse_speed",
        ]))?;
        let built = workspace.target().join("release").join(format!("hookshell{}", std::env::consts::EXE_SUFFIX));
        Self::take(workspace, binary.unwrap_or(&built), installed)
    }

    /// The same, without building anything.
    pub(super) fn take(workspace: &Workspace, built: &Path, installed: &Path) -> Result<Self, Error> {
        let directory = workspace.target().join("release");
        let program = |directory: &Path, name: &str| directory.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let hookshell = program(installed, "hookshell");
        // Anew: what runs cannot be written to.
        let _ = std::fs::remove_file(&hookshell);
        std::fs::copy(built, &hookshell).map_err(|source| Error::File { path: built.to_owned(), source })?;
        let examples = directory.join("examples");
        Ok(Self {
            hookshell,
            repeat: program(&examples, "repeat"),
            parse: program(&examples, "parse_speed"),
            sdk: workspace.root().join("sdk"),
        })
    }
}

/// One program at one workload, with the times it has so far.
pub(super) struct Entry {
    /// Its name in the report.
    pub(super) name: &'static str,
    /// The error says why there is nothing to run.
    pub(super) command: Result<Command, String>,
    pub(super) expected: Expected,
    /// With another one it has failed.
    pub(super) exit_code: i32,
    pub(super) times: Vec<Duration>,
    /// Of the last run's stdout.
    pub(super) digest: Option<u64>,
    /// It measures itself, without its start: its output says the time.
    pub(super) says_time: bool,
}

/// What stands before the time that a program says.
const SAID: &str = "nanoseconds ";

/// What the stdout of a run must be for its time to count.
#[derive(Clone)]
pub(super) enum Expected {
    Anything,
    Exactly(String),
    Containing(String),
    /// The same as another run's.
    Digest(u64),
}

impl Expected {
    pub(super) fn check(&self, run: &Run) -> Result<(), String> {
        let found = String::from_utf8_lossy(&run.stdout);
        match self {
            Self::Exactly(expected) if found != *expected => Err(format!("expected {expected:?}, found {found:?}")),
            Self::Containing(expected) if !found.contains(expected) => {
                Err(format!("expected {expected:?} in {found:?}"))
            }
            Self::Digest(digest) if run.digest != *digest => Err("the output differs from the rival's".to_owned()),
            Self::Anything | Self::Exactly(_) | Self::Containing(_) | Self::Digest(_) => Ok(()),
        }
    }
}

impl Bench {
    /// What is run: hookshell first, then the rivals.
    pub(super) fn entries(&self, workload: &Workload) -> Result<Vec<Entry>, Error> {
        let count = self.options.count(workload);
        match &workload.work {
            Work::Script { script, stdout, rivals } => {
                let lines = self.directory.join("lines.txt");
                write(&lines, &"one line of an ordinary text file\n".repeat(count as usize))?;
                let script = with_count(script, count);
                let mut ours = self.program(&self.programs.hookshell);
                ours.args(["sh", "-c", &script, "bench"]).arg(&lines);
                let expected = Expected::Exactly(with_count(stdout, count));
                Ok(self.against_shells(
                    ours,
                    (*rivals == Rivals::Dash).then_some("dash"),
                    &expected,
                    &[script.as_ref(), "bench".as_ref(), &lines],
                ))
            }
            Work::Hook { hook, stdout_has } => {
                let config = self.directory.join("hook.json");
                let hooks = serde_json::json!({ "hooks": { "PreToolUse": [{ "command": hook }] } });
                write(&config, &hooks.to_string())?;
                let mut ours = self.program(&self.programs.hookshell);
                ours.args(["run", "PreToolUse", "--config"]).arg(config);
                ours.args(["--tool", "bash", "--input", r#"{"command":"ls"}"#]);
                let expected = Expected::Containing((*stdout_has).to_owned());
                Ok(self.against_shells(ours, Some("dash"), &expected, &[hook.as_ref()]))
            }
            Work::Runner { hook, input, stdout_has } => {
                let mut ours = self.program(&self.programs.repeat);
                ours.arg(count.to_string()).args([hook, input]);
                self.write_payload(input)?;
                // Quoted once more: the inner dash gets the hook as one word.
                let quoted = hook.replace('\'', r"'\''");
                let script = format!(
                    "i=0; while [ $i -lt {count} ]; do dash -c '{quoted}' <payload.json >out 2>&1; i=$((i+1)); done; cat out"
                );
                let expected = Expected::Containing((*stdout_has).to_owned());
                Ok(self.against_shells(ours, Some("dash"), &expected, &[script.as_ref()]))
            }
            Work::ScriptHook { script, input, stdout_has, through_runner } => {
                self.write_payload(input)?;
                let guard = self.directory.join("guard.sh");
                write(&guard, script)?;
                make_executable(&guard)?;
                let ours = if *through_runner {
                    let mut ours = self.program(&self.programs.repeat);
                    ours.arg(count.to_string()).args(["./guard.sh", input]);
                    ours
                } else {
                    let config = self.directory.join("script-hook.json");
                    let hooks = serde_json::json!({ "PreToolUse": [{ "command": "./guard.sh" }], "shell_scripts": "in-process" });
                    write(&config, &serde_json::json!({ "hooks": hooks }).to_string())?;
                    let mut ours = self.program(&self.programs.hookshell);
                    ours.args(["run", "PreToolUse", "--config"]).arg(config).args(["--tool", "bash", "--input", input]);
                    ours
                };
                let theirs = format!(
                    "i=0; while [ $i -lt {count} ]; do ./guard.sh <payload.json >out 2>&1; i=$((i+1)); done; cat out"
                );
                let expected = Expected::Containing((*stdout_has).to_owned());
                let mut entries = self.against_shells(ours, Some("bash"), &expected, &[theirs.as_ref()]);
                // The binary ends with the verdict's exit code.
                if let Some(ours) = entries.first_mut().filter(|_| !through_runner) {
                    ours.exit_code = 2;
                }
                Ok(entries)
            }
            Work::Tool { script, data, rival } => {
                let file = data.file(&self.directory, self.options.divisor())?;
                let program = |shell: &Path, before: &[&str]| {
                    let mut command = self.program(shell);
                    command.args(before).args(["-c", script, "bench"]).arg(&file);
                    command
                };
                let theirs = match (find_program(rival), find_program("dash")) {
                    (Some(_), Some(dash)) => Ok(program(&dash, &[])),
                    _ => Err("not installed".to_owned()),
                };
                let mut theirs = Entry::new(rival, theirs, Expected::Anything);
                self.turn(&mut theirs);
                let expected = theirs.digest.map_or(Expected::Anything, Expected::Digest);
                theirs.expected = expected.clone();
                Ok(vec![Entry::new("hookshell", Ok(program(&self.programs.hookshell, &["sh"])), expected), theirs])
            }
            Work::Client { client, ours, theirs, rival } => {
                self.clients(*client, [("hookshell", *ours), (*rival, *theirs)], count)
            }
            Work::Parser { kept } => {
                let script = self.directory.join("script.sh");
                let text = script_of(40_000);
                write(&script, &text)?;
                let program = |parser: &str| {
                    let mut command = self.program(&self.programs.parse);
                    command.arg(parser).arg(count.to_string()).arg(&script).args(kept.then_some("kept"));
                    command
                };
                let expected = Expected::Exactly(format!("{}\n", text.len() * count as usize));
                Ok(vec![
                    Entry::new("hookshell", Ok(program("hookshell")), expected.clone()),
                    Entry::new("conch-parser", Ok(program("conch")), expected),
                ])
            }
            Work::Crowd { hook, on_all_cores } => {
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                let rounds = 10;
                let tail = |hooks: u32, rounds: u32| {
                    [rounds.to_string(), (*hook).to_owned(), r#"{"command":"ls"}"#.to_owned(), hooks.to_string()]
                };
                let mut ours = self.program(&self.programs.repeat);
                ours.args(tail(count, rounds));
                let alone = tail(1, rounds * count / u32::try_from(cores).unwrap_or(1));
                let expected = Expected::Containing("Allow".to_owned());
                let one = if *on_all_cores {
                    let script = r#"n=$1; shift; while [ "$n" -gt 0 ]; do "$@" & n=$((n-1)); done; wait"#;
                    let program = find_program("dash").ok_or_else(|| "dash is not installed".to_owned());
                    let command = program.map(|dash| {
                        let mut command = self.program(&dash);
                        command
                            .args(["-c", script, "bench", &cores.to_string()])
                            .arg(&self.programs.repeat)
                            .args(alone);
                        command
                    });
                    Entry::new("one at a time on each core", command, expected.clone())
                } else {
                    let mut command = self.program(&self.programs.repeat);
                    command.args(alone);
                    Entry::new("one at a time", Ok(command), expected.clone())
                };
                Ok(vec![Entry::new("hookshell", Ok(ours), expected), one])
            }
        }
    }

    /// A client of `hookshell serve` in two modes.
    fn clients(
        &self,
        client: Client,
        modes: [(&'static str, &'static str); 2],
        count: u32,
    ) -> Result<Vec<Entry>, Error> {
        let hook = r#"case $CRUSH_TOOL_INPUT_COMMAND in *'rm -rf /'*) echo no >&2; exit 2;; esac"#;
        let config = self.directory.join("serve.json");
        write(&config, &serde_json::json!({ "hooks": { "PreToolUse": [{ "command": hook }] } }).to_string())?;
        let (program, file, text, sdk) = match client {
            Client::Node => ("node", "client.mjs", include_str!("clients/client.mjs"), self.programs.sdk.join("node")),
            Client::Python if cfg!(windows) => {
                ("python", "client.py", include_str!("clients/client.py"), self.programs.sdk.join("python"))
            }
            Client::Python => {
                ("python3", "client.py", include_str!("clients/client.py"), self.programs.sdk.join("python"))
            }
        };
        let script = self.directory.join(file);
        write(&script, text)?;
        let is_built = client != Client::Node || sdk.join("dist/index.js").exists();
        let entries = modes.map(|(name, mode)| {
            let program = match find_program(program) {
                None => Err(format!("{program} is not installed")),
                Some(_) if !is_built => Err("sdk/node is not built: cargo xtask sdk does it".to_owned()),
                Some(program) => Ok(program),
            };
            let command = program.map(|program| {
                let mut command = self.program(&program);
                command.arg(&script).args([mode, &count.to_string()]);
                command.arg(&self.programs.hookshell).arg(&config).arg(&sdk).env("HOOKSHELL_LOG", "off");
                command
            });
            Entry { says_time: true, ..Entry::new(name, command, Expected::Containing(SAID.to_owned())) }
        });
        Ok(entries.into())
    }

    /// What hooks of the bench get on standard input, for the rivals.
    fn write_payload(&self, input: &str) -> Result<(), Error> {
        write(
            &self.directory.join("payload.json"),
            &format!("{{\"event\":\"PreToolUse\",\"tool_name\":\"bash\",\"tool_input\":{input}}}\n"),
        )
    }

    /// `ours` and every shell, or only one, with these arguments.
    fn against_shells(
        &self,
        ours: Command,
        only: Option<&str>,
        expected: &Expected,
        arguments: &[&Path],
    ) -> Vec<Entry> {
        let mut entries = vec![Entry::new("hookshell", Ok(ours), expected.clone())];
        for rival in self.rivals.iter().filter(|rival| only.is_none_or(|only| rival.name == only)) {
            let program = rival.program.as_ref().ok_or_else(|| "not installed".to_owned());
            let command = program.map(|program| {
                let mut command = self.program(program);
                command.args(rival.arguments).args(arguments);
                command
            });
            entries.push(Entry::new(rival.name, command, expected.clone()));
        }
        entries
    }

    /// A command whose surroundings are not the developer's: no start-up files, one locale.
    pub(super) fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.directory).env("HOME", &self.directory).env("LC_ALL", "C.UTF-8");
        for name in ["ENV", "BASH_ENV", "LANG", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        command
    }
}

impl Entry {
    fn new(name: &'static str, command: Result<Command, String>, expected: Expected) -> Self {
        Self { name, command, expected, exit_code: 0, times: Vec::new(), digest: None, says_time: false }
    }

    /// The time of a run.
    pub(super) fn time_of(&self, run: &Run) -> Result<Duration, String> {
        if !self.says_time {
            return Ok(run.time);
        }
        let text = String::from_utf8_lossy(&run.stdout);
        let said = text.lines().find_map(|line| line.strip_prefix(SAID)?.trim().parse().ok());
        said.map(Duration::from_nanos).ok_or_else(|| format!("it says no time: {text:?}"))
    }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        .map_err(|source| Error::File { path: path.to_owned(), source })
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<(), Error> {
    Ok(())
}

/// An ordinary script of about this many bytes, which conch-parser takes too.
fn script_of(size: usize) -> String {
    let part = r#"# Checks what is about to be committed.
check_files() {
    for file in "$@"; do
        case $file in
            *.sh | *.bash) [ -x "$file" ] || echo "${file##*/}: not executable" >&2 ;;
            *.tmp) rm -f -- "$file" && continue ;;
        esac
        count=$((count + 1))
        if grep -q 'TODO' "$file" 2>/dev/null && [ "${strict:-no}" = yes ]; then
            printf '%s: %d\n' "$file" "$count" >>"$log"
            return 1
        fi
    done
}
while read -r name value; do
    test -n "$name" || continue
    total=$(echo "$value" | tr -d ',' | sort | uniq -c)
    export LAST="$name=$total"
done <<END
a 1,000
b $total
END
check_files one.sh two.txt || exit 2
"#;
    part.repeat(size.div_ceil(part.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_output_counts() {
        let run = |text: &[u8], digest| Run { time: Duration::ZERO, stdout: text.to_vec(), digest };
        let exactly = Expected::Exactly("2000 1\n".into());
        assert_eq!(exactly.check(&run(b"2000 1\n", 0)), Ok(()));
        assert_eq!(exactly.check(&run(b"2000", 0)), Err(r#"expected "2000 1\n", found "2000""#.into()));
        let containing = Expected::Containing("allow".into());
        assert_eq!(containing.check(&run(b"{allow}", 0)), Ok(()));
        assert_eq!(containing.check(&run(b"deny", 0)), Err(r#"expected "allow" in "deny""#.into()));
        let mut entry = Entry::new("x", Err(String::new()), Expected::Anything);
        assert_eq!(entry.time_of(&run(b"nanoseconds 7\n", 0)), Ok(Duration::ZERO));
        entry.says_time = true;
        assert_eq!(entry.time_of(&run(b"x\nnanoseconds 7\n", 0)), Ok(Duration::from_nanos(7)));
        assert!(entry.time_of(&run(b"seven", 0)).is_err());
        assert_eq!(Expected::Digest(7).check(&run(b"", 7)), Ok(()));
        assert_eq!(Expected::Digest(7).check(&run(b"", 8)), Err("the output differs from the rival's".into()));
    }
}
