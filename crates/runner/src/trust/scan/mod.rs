//! The files that a hook's command names: its scripts, what they source, and what interpreters are given.
//!
//! Nothing is run, so this is what can be known without running: words whose value is fixed, or follows from the folders of
//! the event, from the environment and from a script's own place. What cannot be known is reported. Where it is not clear
//! which folder a relative path is relative to, every candidate counts: a file too many asks once too often, a file too
//! few would be a way around the trust.

mod source;
mod word;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hookshell_dispatch::{Platform, is_polyglot};
use hookshell_process::text;
use sha2::{Digest, Sha256};

use self::source::Source;
use crate::config::{HookConfig, HookKind};
use crate::read_file::read_regular;

/// How much shell code is looked through for what it names: of scripts, and of code in words of theirs, as often as it stands
/// there. Who writes a script that names more than that does not want it to be seen.
const CODE_LIMIT: usize = 1024 * 1024;
/// How many things that are only known when they run are listed.
const UNCERTAIN_LIMIT: usize = 256;
/// A larger file is no script: it cannot be trusted.
const SIZE_LIMIT: u64 = 64 * 1024 * 1024;
/// How many files one hook may name, with those that its scripts source. What is beyond is reported.
const FILES_LIMIT: usize = 256;
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
}

/// Where a hook would run.
pub(super) struct Surroundings<'a> {
    /// The event's folder: absolute.
    pub(super) cwd: &'a Path,
    /// The project's folder: absolute.
    pub(super) project: &'a Path,
    /// What the hook inherits.
    pub(super) env: &'a [(OsString, OsString)],
}

/// Is a file looked through for what it names?
pub(super) type LooksThrough<'f> = dyn Fn(&ScriptFile) -> bool + Sync + 'f;

/// What a hook's command names, on a thread that has the stack for it.
pub(super) fn scan(hook: &HookConfig, surroundings: &Surroundings<'_>, looks_through: &LooksThrough<'_>) -> Footprint {
    let cwd = hook.folder(surroundings.cwd, surroundings.project);
    let mut scan = Scan {
        surroundings,
        looks_through,
        own: &hook.env,
        plugin_root: hook.plugin_root.as_deref(),
        cwd: cwd.clone(),
        canonical_project: surroundings.project.canonicalize().unwrap_or_else(|_| surroundings.project.to_owned()),
        seen: HashSet::new(),
        looked_up: HashSet::new(),
        looked_through: 0,
        depth: 0,
        found: Footprint::default(),
    };
    if let HookKind::Module(hook) = &hook.kind {
        scan.file(&surroundings.project.join(&hook.module), true);
        scan.file(&surroundings.cwd.join(&hook.module), true);
    }
    let mut source = Source::of_command(&mut scan);
    match &hook.args {
        None => source.read(&Platform::HOST.protect_first_word(hook.command_line().as_bytes())),
        Some(args) => {
            let program = hook.own_command().to_owned();
            source.arguments(std::iter::once(&program).chain(args));
        }
    }
    // `BASH_ENV`, `NODE_OPTIONS=--require ./x.js`, `PYTHONPATH`: files that are run because a variable names them.
    for (_, value) in &hook.env {
        source.files_in_value(value.as_bytes());
    }
    scan.found
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
    /// Files that were looked at.
    seen: HashSet<PathBuf>,
    /// What was looked up, and in which folder: a script names the same programs over and over.
    looked_up: HashSet<(PathBuf, Vec<u8>, LookUp)>,
    /// Bytes of shell code that were looked through for what they name.
    looked_through: usize,
    depth: usize,
    found: Footprint,
}

/// As what a word is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum LookUp {
    /// A program on PATH.
    Program,
    /// A file that is run.
    Code,
    /// A file that may be code.
    Operand,
}

impl Scan<'_> {
    /// Is it the first time that a word is looked up in a folder?
    fn is_new(&mut self, folder: &Path, word: &[u8], look_up: LookUp) -> bool {
        self.looked_up.insert((folder.to_owned(), word.to_owned(), look_up))
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

    /// The root of the repository, as `git rev-parse --show-toplevel` has it.
    fn repository(&self) -> PathBuf {
        let root = self.cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
        root.unwrap_or(self.surroundings.project).to_owned()
    }

    /// A file that is run, or may be. `is_code`: it is, whatever it looks like; else it counts where it looks like code.
    fn file(&mut self, path: &Path, is_code: bool) {
        // What is not there today is a file that nobody has trusted when it is there.
        let Ok(canonical) = path.canonicalize() else { return };
        let Ok(metadata) = canonical.metadata() else { return };
        if metadata.is_dir() || is_device(&canonical) || self.seen.contains(&canonical) {
            return;
        }
        let is_inside = canonical.starts_with(&self.canonical_project);
        let bytes = match read_regular(&canonical, SIZE_LIMIT) {
            Ok(bytes) => bytes,
            Err(_) if !is_code && !is_inside => return,
            Err(error) => {
                self.seen.insert(canonical);
                return self.found.unreadable.push(format!("{}: {error}", path.display()));
            }
        };
        let kind = Kind::of(&canonical, &bytes, &metadata);
        // The system's own programs change with its updates; that is not for a project's hook to ask about.
        if kind == Kind::Data && !is_code || kind == Kind::Program && !is_inside {
            return;
        }
        if self.found.files.len() >= FILES_LIMIT {
            return self.uncertain(format!("{} (and more: too many files)", path.display()));
        }
        self.seen.insert(canonical.clone());
        let file =
            ScriptFile { path: canonical.clone(), sha256: hex(&Sha256::digest(&bytes)), size: bytes.len() as u64 };
        let looks_through = (self.looks_through)(&file);
        self.found.files.push(file);
        if !looks_through {
            return;
        }
        if kind == Kind::Shell || is_code && kind == Kind::Data && is_shell_name(&canonical) {
            if self.depth >= DEPTH_LIMIT {
                return self.uncertain(format!("what {} names (too deep)", path.display()));
            }
            self.depth += 1;
            // `$0` and BASH_SOURCE are the path as it was named: links are not followed.
            Source::of_script(self, path).read(&hookshell_dispatch::decode_source(&bytes));
            self.depth -= 1;
        }
    }

    fn uncertain(&mut self, what: String) {
        if self.found.uncertain.len() < UNCERTAIN_LIMIT && !self.found.uncertain.contains(&what) {
            self.found.uncertain.push(what);
        }
    }

    /// May so many bytes of shell code be looked through?
    fn may_look_through(&mut self, bytes: usize) -> bool {
        self.looked_through = self.looked_through.saturating_add(bytes);
        self.looked_through <= CODE_LIMIT
    }
}

/// What a file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Shell code.
    Shell,
    /// Code of another language.
    Script,
    /// Machine code.
    Program,
    Data,
}

impl Kind {
    fn of(path: &Path, bytes: &[u8], metadata: &std::fs::Metadata) -> Self {
        const SHELL: [&str; 5] = ["sh", "bash", "dash", "ksh", "zsh"];
        const CODE: [&str; 26] = [
            "py", "pyw", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rb", "pl", "pm", "lua", "php", "ps1",
            "psm1", "awk", "sed", "jq", "cmd", "bat", "vbs", "tcl", "r", "go",
        ];
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        if let Some(line) = bytes.strip_prefix(b"#!") {
            let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let words = line.split(|byte| matches!(byte, b'/' | b' ' | b'\t' | b'\r'));
            let is_shell = words.into_iter().any(|word| SHELL.iter().any(|shell| shell.as_bytes() == word));
            return if is_shell { Self::Shell } else { Self::Script };
        }
        if SHELL.contains(&&*extension) {
            return Self::Shell;
        }
        if matches!(&*extension, "cmd" | "bat") && is_polyglot(bytes) {
            return Self::Shell;
        }
        if CODE.contains(&&*extension) {
            return Self::Script;
        }
        let head = bytes.get(..256).unwrap_or(bytes);
        if head.contains(&0) {
            let is_program = extension == "exe"
                || [&b"\x7fELF"[..], b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"]
                    .iter()
                    .any(|magic| head.starts_with(magic));
            return if is_program { Self::Program } else { Self::Data };
        }
        // A file that may be executed and has no `#!` line is run as shell code.
        if is_executable(metadata) { Self::Shell } else { Self::Data }
    }
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}

/// A file without `#!` line and extension that a shell is given, or that is the command.
fn is_shell_name(path: &Path) -> bool {
    path.extension().is_none_or(|extension| extension.len() > 4)
}

/// `/dev/null`, `/dev/stdin`, `/proc/self/fd/0`: no files of a project.
fn is_device(path: &Path) -> bool {
    cfg!(unix) && (path.starts_with("/dev") || path.starts_with("/proc"))
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
