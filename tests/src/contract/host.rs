//! What belongs to the host's process and must be as it was after a run.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The working directory, the environment and, on Linux, umask, signals, threads, descriptors and children.
#[derive(Debug, PartialEq, Eq)]
pub struct ProcessState {
    cwd: PathBuf,
    env: BTreeMap<OsString, OsString>,
    /// Lines of `/proc/self/status`.
    status: Vec<String>,
    /// How many threads there are.
    pub threads: usize,
    /// The open descriptors and what they are.
    pub descriptors: Vec<String>,
    /// Child processes, zombies too.
    pub children: Vec<String>,
}

impl ProcessState {
    /// As it is now.
    pub fn now() -> Self {
        let mut state = Self {
            cwd: env::current_dir().unwrap(),
            env: env::vars_os().collect(),
            status: Vec::new(),
            threads: 0,
            descriptors: Vec::new(),
            children: Vec::new(),
        };
        if cfg!(target_os = "linux") {
            state.read_proc();
        }
        state
    }

    /// What of the rest (not of threads, descriptors and children) is otherwise later, in words.
    pub fn differences(&self, later: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if self.cwd != later.cwd {
            found.push(format!("working directory {:?}, then {:?}", self.cwd, later.cwd));
        }
        if self.env != later.env {
            found.push(format!("environment {:?}, then {:?}", self.env, later.env));
        }
        let lines = self.status.iter().zip(&later.status).filter(|(before, after)| before != after);
        found.extend(lines.map(|(before, after)| format!("{before:?}, then {after:?}")));
        found
    }

    fn read_proc(&mut self) {
        let fields = ["Umask:", "SigBlk:", "SigIgn:", "SigCgt:", "SigPnd:", "ShdPnd:", "NSpgid:", "NSsid:", "Uid:"];
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let is_compared = |line: &&str| fields.iter().any(|field| line.starts_with(field));
        self.status = status.lines().filter(is_compared).map(str::to_owned).collect();
        assert_eq!(self.status.len(), fields.len(), "{status}");
        for task in std::fs::read_dir("/proc/self/task").unwrap() {
            self.threads += 1;
            let children = std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default();
            self.children.extend(children.split_ascii_whitespace().map(str::to_owned));
        }
        for entry in std::fs::read_dir("/proc/self/fd").unwrap() {
            let path = entry.unwrap().path();
            if let Ok(target) = std::fs::read_link(&path) {
                // The numbers of pipes and sockets say nothing.
                let target = target.display().to_string();
                let kind = target.split(":[").next().unwrap_or_default();
                if !(kind.starts_with("/proc/") && kind.ends_with("/fd")) {
                    self.descriptors.push(format!("{} {kind}", path.file_name().unwrap().display()));
                }
            }
        }
        self.descriptors.sort();
    }
}
