//! What another system does not have of what shell code uses: commands and their options, paths, shells, interpreters.
//!
//! Shell code that runs in process has the bundled utilities on every system. A script that the system's own shell runs has
//! the system's utilities: GNU's on Linux, BSD's on macOS.

mod bash;
mod options;
mod systems;
mod walk;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use hookshell_dispatch::command_line::KnownShell;

use super::{Checker, FindingCode};
pub(super) use walk::Followed;
use walk::Use;

/// A system that hooks are checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckTarget {
    /// Windows, without Git Bash, WSL or any other shell for scripts.
    Windows,
    /// macOS, with bash 3.2 and BSD's utilities.
    Macos,
    /// Linux, with GNU's utilities.
    Linux,
}

impl CheckTarget {
    /// As the command line has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Windows => "windows",
            Self::Macos => "macos",
            Self::Linux => "linux",
        }
    }

    /// As people write it.
    fn name(self) -> &'static str {
        match self {
            Self::Windows => "Windows",
            Self::Macos => "macOS",
            Self::Linux => "Linux",
        }
    }

    /// Is it the system that this program runs on?
    pub(super) fn is_host(self) -> bool {
        self == if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Macos
        } else {
            Self::Linux
        }
    }
}

impl fmt::Display for CheckTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CheckTarget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "windows" => Ok(Self::Windows),
            "macos" => Ok(Self::Macos),
            "linux" => Ok(Self::Linux),
            _ => Err("it is windows, macos or linux".to_owned()),
        }
    }
}

/// What runs the shell code on the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunBy {
    /// The in-process shell, with the bundled utilities.
    Hookshell,
    /// The system's own shell.
    System {
        /// Is it bash?
        is_bash: bool,
    },
}

/// Something that the target does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    /// The byte of the source that it begins at.
    pub(super) offset: usize,
    pub(super) code: FindingCode,
    pub(super) message: String,
}

impl Checker {
    /// The scripts that shell code reads, and what it defines or asks for before it runs it.
    pub(super) fn read_by(&self, source: &Arc<[u8]>) -> (Vec<Followed>, HashSet<String>) {
        let bytes = source.clone();
        let Some(program) = self.dispatcher.call(move || walk::read(&bytes)) else { return Default::default() };
        (program.uses.iter().filter_map(|used| walk::followed(&used.words)).collect(), program.known)
    }

    /// What the target does not have of what valid shell code uses, in the order of the source. `known` are functions and
    /// commands that other files of the same script have.
    pub(super) fn missing_on_target(
        &self,
        target: CheckTarget,
        source: &Arc<[u8]>,
        run_by: RunBy,
        known: &HashSet<String>,
    ) -> Vec<Missing> {
        let bytes = source.clone();
        // Parsing and walking recurse: on a thread whose stack is known to be enough.
        let Some(mut program) = self.dispatcher.call(move || walk::read(&bytes)) else { return Vec::new() };
        program.known.extend(known.iter().cloned());
        let mut missing = Vec::new();
        for used in &program.uses {
            self.check_use(target, used, run_by, &program.known, &mut missing);
        }
        if target == CheckTarget::Macos && run_by == (RunBy::System { is_bash: true }) {
            missing.extend(bash::too_new(&program));
        }
        for (offset, path) in &program.paths {
            if let Some(note) = systems::missing_path(target, path) {
                let message = format!("{target} has no {path}{note}");
                missing.push(Missing { offset: *offset, code: FindingCode::TargetPath, message });
            }
        }
        missing.sort_by_key(|missing| missing.offset);
        missing.dedup();
        missing
    }

    fn check_use(
        &self,
        target: CheckTarget,
        used: &Use,
        run_by: RunBy,
        known: &HashSet<String>,
        missing: &mut Vec<Missing>,
    ) {
        let mut words: &[String] = &used.words;
        // `env A=b x`, `timeout 5 x`, `exec x`: the wrapper and what it starts.
        while let Some((name, operands)) = words.split_first() {
            self.check_words_on(target, used.offset, name, operands, run_by, known, missing);
            words = match walk::wrapped(name, operands) {
                Some(rest) => rest,
                None => return,
            };
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one use, and where it is")]
    fn check_words_on(
        &self,
        target: CheckTarget,
        offset: usize,
        name: &str,
        operands: &[String],
        run_by: RunBy,
        known: &HashSet<String>,
        missing: &mut Vec<Missing>,
    ) {
        if let Some((code, message)) = missing_program(target, name, known, |name| match run_by {
            RunBy::Hookshell => self.dispatcher.has_command(name.as_bytes()),
            RunBy::System { .. } => systems::is_builtin(name),
        }) {
            missing.push(Missing { offset, code, message });
            return;
        }
        let base = base_name(name);
        let is_gnu = match run_by {
            RunBy::Hookshell => self.dispatcher.has_command(base.as_bytes()),
            RunBy::System { .. } => target == CheckTarget::Linux,
        };
        let rules = match (is_gnu, target) {
            (true, _) => options::BSD_ONLY,
            (false, CheckTarget::Macos) => options::GNU_ONLY,
            (false, _) => return,
        };
        if let Some(message) = options::broken(rules, base, operands) {
            let whose = match (run_by, is_gnu) {
                (RunBy::Hookshell, true) => "hookshell's own utilities are like GNU's".to_owned(),
                (_, true) => format!("{target} has GNU's utilities"),
                _ => format!("{target} has BSD's utilities"),
            };
            missing.push(Missing { offset, code: FindingCode::TargetOption, message: format!("{message} ({whose})") });
        }
    }

    /// The interpreter of a script, by the name that its `#!` line or the command has.
    pub(super) fn missing_interpreter(
        target: CheckTarget,
        name: &str,
        stands_in: bool,
    ) -> Option<(FindingCode, String)> {
        let base = base_name(name);
        if let Some(shell) = KnownShell::named(base.as_bytes()) {
            if shell.is_interpreted() && stands_in {
                return None;
            }
            if systems::has_command(target, base) {
                return None;
            }
            let instead = match (target, shell.is_interpreted()) {
                (CheckTarget::Windows, true) => {
                    ": leave `missing_shell` at \"interpret\", and hookshell runs the script itself"
                }
                (_, true) => ": use sh or bash, which hookshell can run itself",
                (_, false) => ": write the script for sh or bash",
            };
            return Some((FindingCode::TargetShell, format!("{target} has no shell `{base}`{instead}")));
        }
        missing_program(target, base, &HashSet::new(), |_| false)
    }
}

/// The name of a program without its directory and `.exe`.
fn base_name(name: &str) -> &str {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    base.strip_suffix(".exe").unwrap_or(base)
}

fn missing_program(
    target: CheckTarget,
    name: &str,
    known: &HashSet<String>,
    is_ours: impl Fn(&str) -> bool,
) -> Option<(FindingCode, String)> {
    // What has an expansion in it is only known when it runs; what is named by a path of the project's comes with it.
    let is_of_system = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/"].iter().any(|at| name.starts_with(at));
    if name.is_empty()
        || name.contains(['$', '`', '*', '?', '[', '{', '~'])
        || name.contains(['/', '\\']) && !is_of_system
    {
        return None;
    }
    let base = base_name(name);
    if is_ours(base) || known.contains(base) || systems::has_command(target, base) {
        return None;
    }
    if let Some(shell) = KnownShell::named(base.as_bytes()) {
        // A shell that is stood in for on Windows.
        if target == CheckTarget::Windows && shell.is_interpreted() {
            return None;
        }
        return Some((FindingCode::TargetShell, format!("{target} has no shell `{base}`")));
    }
    if systems::is_other_shell(base) {
        return Some((FindingCode::TargetShell, format!("{target} has no shell `{base}`")));
    }
    let note = systems::note(target, base);
    match systems::is_interpreter(base) {
        true => Some((
            FindingCode::TargetInterpreter,
            format!(
                "{target} comes without the interpreter `{base}`{}",
                note.unwrap_or(": it must be installed there")
            ),
        )),
        false => Some((
            FindingCode::TargetCommand,
            format!("{target} comes without the command `{base}`{}", note.unwrap_or(": it must be installed there")),
        )),
    }
}
