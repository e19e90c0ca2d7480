//! What is timed: the table of workloads.

mod clients;
mod hooks;
mod language;
mod tools;

use super::data::Data;

/// One row of the report: the same work done by hookshell and by each of its rivals.
pub(crate) struct Workload {
    /// Its name in the report.
    pub(crate) name: &'static str,
    /// What each contestant runs.
    pub(crate) work: Work,
    /// How often the work is repeated inside one run; `@N@` in script and output stands for it.
    pub(crate) count: u32,
    /// Timed runs of each contestant in a full benchmark. Short runs need more of them.
    pub(crate) rounds: usize,
    /// The speed-up over the fastest rival that DESIGN.md asks for.
    pub(crate) goal: Option<f64>,
}

impl Workload {
    /// Is it done by `hookshell serve`, and measured by its client?
    pub(crate) fn is_of_client(&self) -> bool {
        matches!(self.work, Work::Client { .. })
    }

    /// Does the report put the count before the name?
    pub(crate) fn shows_count(&self) -> bool {
        matches!(self.work, Work::Script { .. } | Work::Hook { .. } | Work::Runner { .. } | Work::ScriptHook { .. })
    }
}

/// What the contestants of a workload run.
pub(crate) enum Work {
    /// `hookshell sh -c SCRIPT bench FILE` against each shell's `-c SCRIPT bench FILE`; FILE (`$1`)
    /// holds `count` lines.
    Script {
        script: &'static str,
        /// The exact stdout, for all contestants: a shell that gives up early is not fast.
        stdout: &'static str,
        rivals: Rivals,
    },
    /// `hookshell run PreToolUse` with one hook, against `dash -c HOOK`.
    Hook {
        hook: &'static str,
        /// Stands in the stdout of both.
        stdout_has: &'static str,
    },
    /// One hook `count` times through a `Runner` in one process (the example `repeat` of the runner), against dash
    /// starting `dash -c HOOK` as often: what an agent has that runs hooks by `sh -c`.
    Runner {
        hook: &'static str,
        /// The tool input as JSON.
        input: &'static str,
        /// Stands in the stdout of both.
        stdout_has: &'static str,
    },
    /// A hook that is a script file for bash, with `shell_scripts = in-process`, `count` times: by `hookshell run`, or through a
    /// `Runner` as in [`Work::Runner`]; against bash starting the file as often.
    ScriptHook {
        script: &'static str,
        /// The tool input as JSON.
        input: &'static str,
        /// Stands in the output of both.
        stdout_has: &'static str,
        through_runner: bool,
    },
    /// `hookshell sh -c SCRIPT bench FILE` with the bundled utilities against dash with the system's; FILE (`$1`)
    /// holds the data. Both must print the same.
    Tool {
        script: &'static str,
        data: Data,
        /// The program that the script is about: without it there is no rival.
        rival: &'static str,
    },
    /// Our parser `count` times over a script of 40 KB against conch-parser, in one program each (the example
    /// `parse_speed` of the syntax crate). Command by command, or the whole tree `kept`; theirs in the same way.
    Parser { kept: bool },
    /// `count` hooks of one event at once, against so many rounds of one hook as would take as long on all cores.
    Crowd {
        hook: &'static str,
        /// The rounds of one hook run in as many processes at once as there are cores, each its share: what all cores of
        /// this machine do together. Those of a virtual machine are often threads of one core.
        on_all_cores: bool,
    },
    /// Two modes of a client of `hookshell serve` that measures itself (`clients/`), with `count` turns each.
    Client {
        client: Client,
        ours: &'static str,
        theirs: &'static str,
        /// What the second mode is called in the report.
        rival: &'static str,
    },
}

/// By which SDK `hookshell serve` is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    Node,
    Python,
}

/// Which shells a script is also run by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rivals {
    /// Every shell that is installed.
    All,
    /// Only dash, as the goal says.
    Dash,
}

/// All workloads, in the report's order.
pub(crate) fn workloads() -> impl Iterator<Item = &'static Workload> {
    hooks::WORKLOADS.iter().chain(clients::WORKLOADS).chain(language::WORKLOADS).chain(tools::WORKLOADS)
}

/// Puts the workload's count into a script or an expected output.
pub(crate) fn with_count(text: &str, count: u32) -> String {
    text.replace("@N@", &count.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_replaces_its_mark_everywhere() {
        assert_eq!(with_count("[ 1 -lt @N@ ]; echo @N@", 40_000), "[ 1 -lt 40000 ]; echo 40000");
        assert_eq!(with_count(":", 7), ":");
    }

    #[test]
    fn names_are_unique() {
        for (index, workload) in workloads().enumerate() {
            let same = workloads().skip(index + 1).find(|other| other.name == workload.name);
            assert!(same.is_none(), "{}", workload.name);
        }
    }
}
