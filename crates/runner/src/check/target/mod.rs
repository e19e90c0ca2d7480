//! What another system does not have of what shell code uses: commands and their options, paths, shells, interpreters.
//!
//! Shell code that runs in process has the bundled utilities on every system. A script that the system's own shell runs has
//! the system's utilities: GNU's on Linux, BSD's on macOS.

mod bash;
mod flags;
mod followed;
mod for_system;
mod handled;
mod options;
mod paths;
mod printed;
mod program;
mod reach;
mod sed;
mod systems;
mod walk;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use hookshell_dispatch::command_line::KnownShell;

use super::{Checker, FindingCode};
pub(super) use followed::Followed;
use program::Try;
use reach::Systems;

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

    /// The system that this program runs on.
    fn host() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Macos
        } else {
            Self::Linux
        }
    }

    /// Is it the system that this program runs on?
    pub(super) fn is_host(self) -> bool {
        self == Self::host()
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
        (program.uses.iter().filter_map(|used| followed::followed(&used.words)).collect(), program.known)
    }

    /// The commands of shell code that are for this system, with nothing tried in their place, and where: those that are named by plain
    /// words, and are no built-ins.
    pub(super) fn commands_of(&self, source: &Arc<[u8]>) -> Vec<(usize, String)> {
        let bytes = source.clone();
        let Some(program) = self.dispatcher.call(move || walk::read(&bytes)) else { return Vec::new() };
        let is_plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))
        };
        let uses = program
            .uses
            .into_iter()
            .filter(|used| used.tries.is_empty() && used.shell.is_none() && used.systems.has(CheckTarget::host()));
        let names = uses.filter_map(|used| Some((used.offset, used.words.into_iter().next()?)));
        names.filter(|(_, name)| is_plain(name) && !systems::is_builtin(name)).collect()
    }

    /// The command that a name may be a slip of: two letters are swapped.
    pub(super) fn command_meant(&self, name: &str) -> Option<String> {
        let letters: Vec<char> = name.chars().collect();
        (1..letters.len()).filter(|_| letters.len() > 3).find_map(|at| {
            let mut other = letters.clone();
            other.swap(at - 1, at);
            let other: String = other.into_iter().collect();
            (other != name && self.dispatcher.has_command(other.as_bytes())).then_some(other)
        })
    }

    /// What the target does not have of what valid shell code uses, in the order of the source. `by_shell`: what runs
    /// code that another shell is given (`bash -c`). `known` are functions and commands that other files of the same script have.
    pub(super) fn missing_on_target(
        &self,
        target: CheckTarget,
        source: &Arc<[u8]>,
        run_by: RunBy,
        by_shell: &dyn Fn(&str) -> RunBy,
        known: &HashSet<String>,
    ) -> Vec<Missing> {
        let bytes = source.clone();
        // Parsing and walking recurse: on a thread whose stack is known to be enough.
        let Some(mut program) = self.dispatcher.call(move || walk::read(&bytes)) else { return Vec::new() };
        program.known.extend(known.iter().cloned());
        let for_target = |systems: Systems| systems.has(target);
        let mut of_uses = Vec::new();
        for used in program.uses.iter().filter(|used| for_target(used.systems)) {
            let run_by = used.shell.as_deref().map_or(run_by, by_shell);
            let mut found = Vec::new();
            if let Some((name, operands)) = used.words.split_first() {
                self.check_words_on(target, used.offset, name, operands, run_by, &program.known, &mut found);
            }
            if target == CheckTarget::Macos && run_by == (RunBy::System { is_bash: true }) && !program.asks_for_version
            {
                found.extend(bash::too_new_words(used));
            }
            of_uses.push((used, found));
        }
        let fails: HashSet<Try> = of_uses
            .iter()
            .filter(|(_, found)| !found.is_empty())
            .flat_map(|(used, _)| used.tries.iter().copied())
            .collect();
        // Of several that are tried one is enough.
        let is_enough = |one: &Try| {
            let failing = fails.iter().filter(|other| other.group == one.group).count();
            program.groups.get(&one.group).is_some_and(|all| failing < *all)
        };
        let mut missing: Vec<Missing> = of_uses
            .into_iter()
            .filter(|(used, _)| !used.tries.iter().any(is_enough))
            .flat_map(|(_, found)| found)
            .collect();
        if target == CheckTarget::Macos && run_by == (RunBy::System { is_bash: true }) && !program.asks_for_version {
            let new = program.new_syntax.iter().filter(|mention| for_target(mention.systems));
            missing.extend(new.map(|mention| bash::too_new(mention.offset, mention.what)));
        }
        for mention in program.paths.iter().filter(|mention| for_target(mention.systems)) {
            if let Some(note) = systems::missing_path(target, &mention.what) {
                let message = format!("{target} has no {}{note}", mention.what);
                missing.push(Missing { offset: mention.offset, code: FindingCode::TargetPath, message });
            }
        }
        missing.sort_by_key(|missing| missing.offset);
        missing.dedup();
        missing
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
        let is_of_sh = run_by == (RunBy::System { is_bash: false });
        if target == CheckTarget::Macos
            && is_of_sh
            && name == "echo"
            && operands.first().is_some_and(|word| word == "-n")
        {
            let message = "macOS's sh prints the `-n` of `echo -n`: `printf %s` ends no line anywhere".to_owned();
            missing.push(Missing { offset, code: FindingCode::TargetOption, message });
            return;
        }
        let is_gnu = match run_by {
            RunBy::Hookshell => self.dispatcher.has_command(base.as_bytes()),
            RunBy::System { .. } => target == CheckTarget::Linux,
        };
        let rules = match (is_gnu, target) {
            (true, _) => options::BSD_ONLY,
            (false, CheckTarget::Macos) => options::GNU_ONLY,
            (false, _) => return,
        };
        let of_sed = || (base == "sed").then(|| sed::only_gnus(operands)).flatten().filter(|_| !is_gnu);
        if let Some(message) = options::broken_rule(rules, base, operands).or_else(of_sed) {
            let whose = match (run_by, is_gnu) {
                (RunBy::Hookshell, true) => "hookshell's own utilities are like GNU's".to_owned(),
                (_, true) => format!("{target} has GNU's utilities"),
                _ => format!("{target} has BSD's utilities"),
            };
            let message = message.replacen("the command", &format!("`{base}`"), 1);
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
