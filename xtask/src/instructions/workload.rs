//! The workloads whose instructions are counted.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::error::Error;
use crate::workspace::Workspace;

/// Has glibc choose its plainest variants of `memcpy` and its like. Else each byte of a larger copy would count: Valgrind shows a
/// processor with fast `rep movsb`, and takes each turn of that for an instruction.
const PLAIN_LIBC: &str = "glibc.cpu.hwcaps=-AVX2,-AVX,-AVX512F,-AVX512VL,-AVX512BW,-BMI1,-BMI2,-ERMS,-FSRM";

/// One run of hookshell whose result is known.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    /// The arguments; one that begins with `@` is a file in `xtask/instructions`.
    arguments: &'static [&'static str],
    /// The file in `xtask/instructions` that is its stdin.
    stdin: &'static str,
    code: i32,
    stdout_has: &'static str,
}

/// All of them; those first that take the least.
pub(crate) const WORKLOADS: &[Workload] = &[
    // What each start takes.
    Workload { name: "shell start", arguments: &["sh", "-c", ":"], stdin: "hook-event.json", code: 0, stdout_has: "" },
    // The commonest event: a guard in one line, and nothing against the call.
    Workload {
        name: "allow hook",
        arguments: &["run", "PreToolUse", "--config", "@allow.json"],
        stdin: "hook-event.json",
        code: 0,
        stdout_has: "\"outcome\":\"NoOpinion\"",
    },
    // One that answers.
    Workload {
        name: "allow answer",
        arguments: &["run", "PreToolUse", "--config", "@answer.json"],
        stdin: "hook-event.json",
        code: 0,
        stdout_has: "\"decision\":\"allow\"",
    },
    // A hook script of a hundred lines is parsed and run.
    Workload {
        name: "guard script",
        arguments: &["sh", "@guard.sh"],
        stdin: "guard.json",
        code: 0,
        stdout_has: "{\"decision\":\"ask\",\"reason\":\"bash is not known to be safe\"}\n",
    },
    // The whole way of an event: config, payload, one hook with jq and grep, verdict.
    Workload {
        name: "hook event",
        arguments: &["run", "PreToolUse", "--config", "@hook.json"],
        stdin: "hook-event.json",
        code: 2,
        stdout_has: "\"decision\":\"deny\"",
    },
    // Loops, functions, arrays, expansions, command substitutions.
    Workload {
        name: "loops",
        arguments: &["sh", "@loop.sh"],
        stdin: "loop.sh",
        code: 0,
        stdout_has: "1500 37 41 561600 f299,f300,f301,f302,f303 7150 200 \n",
    },
];

impl Workload {
    /// Runs it under callgrind; the number of instructions of all its threads.
    pub(super) fn count(&self, workspace: &Workspace, valgrind: &Path) -> Result<u64, Error> {
        let libc = ("GLIBC_TUNABLES", PLAIN_LIBC);
        let log = self.run(workspace, valgrind, Path::new("/dev/null"), &[], &[libc])?;
        collected(&log).ok_or_else(|| Error::Unexpected(format!("valgrind told no number of instructions: {log}")))
    }

    /// Runs it under callgrind, which writes to `profile` the address of each instruction that ran.
    pub(crate) fn trace(&self, workspace: &Workspace, valgrind: &Path, profile: &Path) -> Result<(), Error> {
        self.run(workspace, valgrind, profile, &["--dump-instr=yes", "--compress-pos=no"], &[])?;
        Ok(())
    }

    /// What callgrind says at the end.
    fn run(
        &self,
        workspace: &Workspace,
        valgrind: &Path,
        profile: &Path,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<String, Error> {
        let data = workspace.root().join("xtask/instructions");
        let directory = Directory::new(workspace.target().join("instructions"))?;
        let log = directory.path.join("callgrind.log");
        let stdin = data.join(self.stdin);
        let mut command = workspace.program(valgrind);
        command
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", profile.display()))
            .arg(format!("--log-file={}", log.display()))
            .args(options);
        command.arg(workspace.target().join("release/hookshell"));
        command.args(self.arguments.iter().map(|argument| match argument.strip_prefix('@') {
            Some(file) => data.join(file).into_os_string(),
            None => argument.into(),
        }));
        // Nothing of this machine: no programs, no user's files, no variables.
        command.env_clear().env("PATH", &directory.home).env("HOME", &directory.home).env("LC_ALL", "C.UTF-8");
        command.envs(variables.iter().copied());
        command.current_dir(&directory.home);
        command.stdin(File::open(&stdin).map_err(|source| Error::File { path: stdin.clone(), source })?);
        let output = command
            .stderr(Stdio::piped())
            .output()
            .map_err(|source| Error::Start { program: valgrind.display().to_string(), source })?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        if output.status.code() != Some(self.code) || !stdout.contains(self.stdout_has) {
            return Err(Error::Unexpected(format!(
                "{}: expected {:?} and exit code {}, found {stdout:?}, {} and on stderr {:?}",
                self.name,
                self.stdout_has,
                self.code,
                output.status,
                String::from_utf8_lossy(&output.stderr),
            )));
        }
        std::fs::read_to_string(&log).map_err(|source| Error::File { path: log.clone(), source })
    }

    /// The least of some counts.
    pub(super) fn least(&self, workspace: &Workspace, valgrind: &Path, tries: u32) -> Result<u64, Error> {
        let mut least = self.count(workspace, valgrind)?;
        for _ in 1..tries {
            least = least.min(self.count(workspace, valgrind)?);
        }
        Ok(least)
    }
}

/// The number in callgrind's line `==PID== Collected : NUMBER`.
fn collected(log: &str) -> Option<u64> {
    log.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok())
}

/// The files of one run, made anew and removed with it: what one run leaves in its home is no work for the next.
struct Directory {
    path: PathBuf,
    home: PathBuf,
}

impl Directory {
    fn new(path: PathBuf) -> Result<Self, Error> {
        remove(&path);
        let home = path.join("home");
        std::fs::create_dir_all(&home).map_err(|source| Error::File { path: home.clone(), source })?;
        Ok(Self { path, home })
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Nothing to remove is as good.
fn remove(directory: &Path) {
    let _ = std::fs::remove_dir_all(directory);
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn the_number_is_read_from_the_log() {
        let log = "==1== Callgrind, a call-graph generating cache profiler\n==1== Events    : Ir\n==1== Collected : 5659284\n";
        assert_eq!(collected(log), Some(5_659_284));
        assert_eq!(collected("==1== Command: hookshell\n"), None);
    }
}
