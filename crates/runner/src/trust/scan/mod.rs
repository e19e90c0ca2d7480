//! The files that a hook's command names: its scripts, what they source, and what interpreters are given.
//!
//! Nothing is run, so this is what can be known without running: words whose value is fixed, or follows from the directories of
//! the event, from the environment and from a script's own place. What cannot be known is reported. Where it is not clear
//! which directory a relative path is relative to, every candidate counts: a file too many asks once too often, a file too
//! few would be a way around the trust.

mod arithmetic;
mod builtin;
mod command;
mod file;
mod finder;
mod foreign;
mod git;
mod interpreter;
mod kind;
mod names;
mod programs;
mod pure;
mod source;
mod word;
mod wrapper;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use std::sync::Arc;

use hookshell_dispatch::Platform;
use hookshell_process::text;

use self::file::{Contents, Use, lexically, shebang};
use self::source::Source;
use self::word::{VALUES_LIMIT, Values};
use crate::config::{HookConfig, HookKind, is_repository_root};

/// How much shell code is looked through for what it names: of scripts, and of code in words of theirs, as often as it stands
/// there. Who writes a script that names more than that does not want it to be seen.
const CODE_LIMIT: usize = 1024 * 1024;
/// How many things that are only known when they run are listed.
const UNCERTAIN_LIMIT: usize = 256;
/// A larger file is no script: it cannot be trusted.
const SIZE_LIMIT: u64 = 64 * 1024 * 1024;
/// How many files one hook may name, with those that its scripts source. What is beyond is reported.
const FILES_LIMIT: usize = 256;
/// How many names are looked up as files and programs.
const LOOK_UPS_LIMIT: usize = 20_000;
/// How many values are looked through as arithmetic.
const EVALUATIONS_LIMIT: usize = 10_000;
/// How many paths are kept by which files may be named.
const NAMES_LIMIT: usize = 4096;
/// How deep scripts may source others.
const DEPTH_LIMIT: usize = 8;

/// A file that a hook names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptFile {
    /// Where it is, links followed.
    pub path: PathBuf,
    /// The SHA-256 of its contents, in hexadecimal digits.
    pub sha256: String,
    /// How many bytes it has.
    pub size: u64,
}

/// What a hook's command names.
#[derive(Debug, Default)]
pub(super) struct Footprint {
    /// The files, each once.
    pub(super) files: Vec<ScriptFile>,
    /// What is only known when it runs, as the source has it.
    pub(super) uncertain: Vec<String>,
    /// Files that are named and cannot be read, and why: such a hook cannot be trusted.
    pub(super) unreadable: Vec<String>,
    /// Every path that was looked at, and where it leads; `None`: nothing is there.
    pub(super) named: BTreeMap<PathBuf, Option<PathBuf>>,
}

/// Where a hook would run.
pub(super) struct Surroundings<'a> {
    /// The event's directory: absolute.
    pub(super) cwd: &'a Path,
    /// The project's directory: absolute.
    pub(super) project: &'a Path,
    /// What the hook inherits.
    pub(super) env: &'a [(OsString, OsString)],
}

/// Is a file looked through for what it names?
pub(super) type LooksThrough<'f> = dyn Fn(&ScriptFile) -> bool + Sync + 'f;

/// What a hook's command names, on a thread that has the stack for it.
pub(super) fn scan(hook: &HookConfig, surroundings: &Surroundings<'_>, looks_through: &LooksThrough<'_>) -> Footprint {
    let cwd = hook.directory(surroundings.cwd, surroundings.project);
    let mut dirs = vec![cwd.clone()];
    if surroundings.project != cwd {
        dirs.push(surroundings.project.to_owned());
    }
    let mut scan = Scan {
        surroundings,
        looks_through,
        own: &hook.env,
        plugin_root: hook.plugin_root.as_deref(),
        cwd,
        canonical_project: surroundings.project.canonicalize().unwrap_or_else(|_| surroundings.project.to_owned()),
        variables: HashMap::new(),
        dirs,
        written: HashSet::new(),
        functions: HashSet::new(),
        aliases: HashSet::new(),
        chain: Vec::new(),
        read: HashMap::new(),
        pass: Pass::default(),
        depth: 0,
    };
    // Twice: a function may use what is only set below it, and a script what one that is sourced later sets.
    for _ in 0..2 {
        scan.pass = Pass::default();
        scan.hook(hook);
    }
    scan.finish()
}

/// What one look through everything has found.
#[derive(Default)]
struct Pass {
    /// Files that were looked at, and as what.
    seen: HashSet<(PathBuf, Use, Option<PathBuf>)>,
    /// Those that are listed.
    listed: HashSet<PathBuf>,
    /// Those that are listed although nothing starts them for certain.
    only_given: HashSet<PathBuf>,
    /// What was looked up, and in which directory: a script names the same programs over and over.
    looked_up: HashSet<(PathBuf, Vec<u8>, Use)>,
    /// Where code is taken from, whether there is such a file or not.
    code_paths: HashSet<PathBuf>,
    /// The programs that were looked for on PATH, by how many directories and values of PATH there were: are they the project's?
    programs: HashMap<(Vec<u8>, Use, usize, usize), bool>,
    /// Where paths of commands lead, by how many directories there were: into the project, to which program.
    commands: HashMap<(Vec<u8>, usize), (bool, Option<String>)>,
    /// The directories whose modules of Python were looked at.
    shadows: HashSet<PathBuf>,
    /// How many directories there were when the repositories were looked at.
    repositories: Option<usize>,
    /// Bytes of code that were looked through for what they name.
    looked_through: usize,
    look_ups: usize,
    evaluations: usize,
    found: Footprint,
}

struct Scan<'a> {
    surroundings: &'a Surroundings<'a>,
    looks_through: &'a LooksThrough<'a>,
    /// The hook's own variables.
    own: &'a [(String, String)],
    plugin_root: Option<&'a Path>,
    /// Where the hook runs.
    cwd: PathBuf,
    canonical_project: PathBuf,
    /// The variables that the code sets, with all their values, wherever in it that is.
    variables: HashMap<Vec<u8>, Values>,
    /// Where relative paths may start.
    dirs: Vec<PathBuf>,
    /// What the hook itself writes.
    written: HashSet<PathBuf>,
    /// The functions that the code defines.
    functions: HashSet<Vec<u8>>,
    /// The aliases that it defines.
    aliases: HashSet<Vec<u8>>,
    /// The script that is looked through, after it those that name it.
    chain: Vec<PathBuf>,
    /// Files that were read: each is read once, so that what is looked through is what was hashed.
    read: HashMap<PathBuf, Result<Arc<Contents>, String>>,
    pass: Pass,
    depth: usize,
}

impl Scan<'_> {
    fn hook(&mut self, hook: &HookConfig) {
        if let HookKind::Module(hook) = &hook.kind {
            self.file(&self.surroundings.project.join(&hook.module), Use::Given);
            self.file(&self.surroundings.cwd.join(&hook.module), Use::Given);
        }
        let mut source = Source::of_command(self);
        for (name, value) in &hook.env {
            source.named_by_variable(name.as_bytes(), value.as_bytes());
        }
        match &hook.args {
            None => source.read(&Platform::HOST.protect_first_word(hook.command_line().as_bytes())),
            Some(args) => {
                let program = hook.own_command().to_owned();
                source.arguments(std::iter::once(&program).chain(args));
            }
        }
    }

    /// What is run after the hook itself wrote it is not what was hashed; what it writes and does not run is its own.
    fn finish(mut self) -> Footprint {
        let written = std::mem::take(&mut self.written);
        let is_written = |path: &Path| written.iter().any(|written| path.starts_with(written));
        let mut run: Vec<_> = self.pass.code_paths.iter().filter(|path| is_written(path)).cloned().collect();
        run.sort();
        for path in run {
            self.uncertain(format!("{}, which the hook itself writes,", path.display()));
        }
        let only_given = std::mem::take(&mut self.pass.only_given);
        let (own, files): (Vec<_>, Vec<_>) =
            self.pass.found.files.drain(..).partition(|file| only_given.contains(&file.path) && is_written(&file.path));
        self.pass.found.files = files;
        // What the hook makes is not there before it runs.
        self.pass.found.named.retain(|path, end| !is_written(path) && !end.as_deref().is_some_and(is_written));
        for file in own {
            self.uncertain(format!("{}, which the hook itself writes,", file.path.display()));
        }
        self.pass.found
    }

    /// Is it the first time that a word is looked up in a directory?
    fn is_new(&mut self, dir: &Path, word: &[u8], named: Use) -> bool {
        self.pass.looked_up.insert((dir.to_owned(), word.to_owned(), named))
    }

    /// One more value that a variable may have.
    fn set(&mut self, name: &[u8], values: &[Vec<u8>]) {
        let known = self.variables.entry(name.to_vec()).or_default();
        for value in values {
            // One more than are followed says that there are more.
            if known.len() <= VALUES_LIMIT && !known.contains(value) {
                known.push(value.clone());
            }
        }
    }

    /// The value of a variable as the hook would see it, where that is known.
    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        let name = std::str::from_utf8(name).ok()?;
        if let Some((_, value)) = self.own.iter().find(|(own, _)| own == name) {
            return Some(value.clone().into_bytes());
        }
        // Of every agent: CRUSH_PROJECT_DIR, CLAUDE_PROJECT_DIR, …
        if name.ends_with("_PROJECT_DIR") {
            return Some(text::from_path(self.surroundings.project).into_owned());
        }
        if name.ends_with("_PLUGIN_ROOT")
            && let Some(root) = self.plugin_root
        {
            return Some(text::from_path(root).into_owned());
        }
        if name == "PWD" || name.ends_with("_CWD") {
            return Some(text::from_path(&self.cwd).into_owned());
        }
        let is_same = |other: &OsStr| match cfg!(windows) {
            true => other.eq_ignore_ascii_case(name),
            false => other == OsStr::new(name),
        };
        let value = self.surroundings.env.iter().find(|(other, _)| is_same(other)).map(|(_, value)| value);
        value.map(|value| text::from_os(value).into_owned())
    }

    /// The root of a directory's repository, as `git rev-parse --show-toplevel` has it.
    fn repository(&self, dir: &Path) -> PathBuf {
        let root = dir.ancestors().find(|dir| is_repository_root(dir));
        root.unwrap_or(self.surroundings.project).to_owned()
    }

    /// Is this file below the project?
    fn is_inside(&self, path: &Path) -> bool {
        path.starts_with(&self.canonical_project) || path.starts_with(self.surroundings.project)
    }

    fn uncertain(&mut self, what: String) {
        let uncertain = &mut self.pass.found.uncertain;
        if uncertain.len() < UNCERTAIN_LIMIT && !uncertain.contains(&what) {
            uncertain.push(what);
        }
    }

    /// May so many bytes of code be looked through?
    fn may_look_through(&mut self, bytes: usize) -> bool {
        self.pass.looked_through = self.pass.looked_through.saturating_add(bytes);
        self.pass.looked_through <= CODE_LIMIT
    }
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

// What bash and the programs of Unix make of them.
#[cfg(all(test, unix))]
mod tests;
