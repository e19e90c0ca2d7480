//! The files that a hook's command names: its scripts, what they source, and what interpreters are given.
//!
//! Nothing is run, so this is what can be known without running: words whose value is fixed, or follows from the directories of
//! the event, from the environment and from a script's own place. What cannot be known is reported. Where it is not clear
//! which directory a relative path is relative to, every candidate counts: a file too many asks once too often, a file too
//! few would be a way around the trust.

mod arithmetic;
mod builtin;
mod command;
mod finder;
mod foreign;
mod git;
mod interpreter;
mod names;
mod programs;
mod source;
mod word;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use std::sync::Arc;

use hookshell_dispatch::{Platform, is_polyglot};
use hookshell_process::text;
use sha2::{Digest, Sha256};

use self::names::Language;
use self::source::Source;
use self::word::{VALUES_LIMIT, Values};
use crate::config::{HookConfig, HookKind, is_repository_root};
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

/// A file as it was read.
struct Contents {
    file: ScriptFile,
    kind: Kind,
    /// None for one that is too large to be looked through.
    bytes: Option<Vec<u8>>,
}

/// What a file is named for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Use {
    /// A program that runs nothing reads it: it counts where it looks like code.
    Read,
    /// A program of which that is not known is given it: it counts.
    Given,
    /// It is started: its first line says what it is.
    Started,
    /// A shell reads it.
    Shell,
    /// An interpreter reads it.
    Script(Language),
}

impl Use {
    /// Is it run?
    fn is_code(self) -> bool {
        matches!(self, Self::Started | Self::Shell | Self::Script(_))
    }
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

    /// What the hook writes, so that it is not what was hashed.
    fn writes(&mut self, path: &Path) {
        if self.written.len() < FILES_LIMIT {
            self.written.insert(path.canonicalize().unwrap_or_else(|_| lexically(path)));
        } else {
            self.uncertain("what the hook writes (too many files)".to_owned());
        }
    }

    /// The contents of a file, read once.
    fn contents(&mut self, canonical: &Path) -> Result<Arc<Contents>, String> {
        if let Some(contents) = self.read.get(canonical) {
            return contents.clone();
        }
        let contents = canonical
            .metadata()
            .and_then(|metadata| Ok((read_regular(canonical, SIZE_LIMIT)?, metadata)))
            .map(|(bytes, metadata)| {
                let (path, sha256) = (canonical.to_owned(), hex(&Sha256::digest(&bytes)));
                let file = ScriptFile { path, sha256, size: bytes.len() as u64 };
                let kind = Kind::of(canonical, &bytes, &metadata);
                Arc::new(Contents { file, kind, bytes: (bytes.len() <= CODE_LIMIT).then_some(bytes) })
            })
            .map_err(|error| error.to_string());
        self.read.insert(canonical.to_owned(), contents.clone());
        contents
    }

    /// May one more name be looked up?
    fn may_look_up(&mut self) -> bool {
        self.pass.look_ups += 1;
        if self.pass.look_ups > LOOK_UPS_LIMIT {
            self.uncertain("what else the hook names (too many names)".to_owned());
        }
        self.pass.look_ups <= LOOK_UPS_LIMIT
    }

    /// A file that is named.
    fn file(&mut self, path: &Path, named: Use) {
        if !self.may_look_up() {
            return;
        }
        if named.is_code() && self.pass.code_paths.len() <= FILES_LIMIT {
            self.pass.code_paths.insert(path.canonicalize().unwrap_or_else(|_| lexically(path)));
        }
        if is_device(path) {
            return self.device(path, named);
        }
        // What is not there today is a file that nobody has trusted when it is there.
        let canonical = path.canonicalize().ok();
        // What is only read may change, and what a program is given the hook may make.
        let counts = if canonical.is_some() { named != Use::Read } else { named.is_code() };
        if counts && self.pass.found.named.len() < NAMES_LIMIT {
            self.pass.found.named.insert(path.to_owned(), canonical.clone());
        }
        let Some(canonical) = canonical else { return };
        if is_device(&canonical) {
            return self.device(path, named);
        }
        if canonical.is_dir() || !self.pass.seen.insert((canonical.clone(), named, self.chain.last().cloned())) {
            return;
        }
        let is_inside = self.is_inside(&canonical);
        let contents = match self.contents(&canonical) {
            Ok(contents) => contents,
            Err(_) if !named.is_code() && !is_inside => return,
            // A pipe or a socket that is only read has no contents to be hashed.
            Err(_) if named == Use::Read && !canonical.is_file() => return,
            Err(error) => {
                let unreadable = format!("{}: {error}", path.display());
                if !self.pass.found.unreadable.contains(&unreadable) {
                    self.pass.found.unreadable.push(unreadable);
                }
                return;
            }
        };
        let kind = contents.kind;
        // The system's own programs change with its updates; that is not for a project's hook to ask about.
        if kind == Kind::Program && !is_inside {
            return;
        }
        if kind == Kind::Data && (named == Use::Read || named == Use::Given && !is_inside) {
            return;
        }
        if !self.pass.listed.contains(&canonical) {
            if self.pass.found.files.len() >= FILES_LIMIT {
                return self.uncertain(format!("{} (and more: too many files)", path.display()));
            }
            self.pass.listed.insert(canonical.clone());
            self.pass.found.files.push(contents.file.clone());
            self.pass.only_given.insert(canonical.clone());
        }
        if named.is_code() {
            self.pass.only_given.remove(&canonical);
        }
        if named != Use::Read && (self.looks_through)(&contents.file) {
            self.look_through(path, &canonical, named, &contents);
        }
    }

    /// What a file names that is run, or may be.
    fn look_through(&mut self, path: &Path, canonical: &Path, named: Use, contents: &Contents) {
        let kind = contents.kind;
        let language = || Language::of_file(canonical, contents.bytes.as_deref().unwrap_or_default());
        let named = match (named, kind) {
            (_, Kind::Program) => {
                return self.uncertain(format!("what the program {} runs", path.display()));
            }
            (Use::Given, Kind::Data) | (Use::Read, _) => return,
            (Use::Given, Kind::Shell) => Use::Shell,
            (Use::Given, _) => match language() {
                Some(language) => Use::Script(language),
                None => return,
            },
            // On Windows the extension says what starts it.
            (Use::Started, Kind::Script) if cfg!(windows) => match language() {
                Some(language) => Use::Script(language),
                None => return,
            },
            (named, _) => named,
        };
        let Some(bytes) = &contents.bytes else {
            return self.uncertain(format!("what {} names (too much code)", path.display()));
        };
        if self.depth >= DEPTH_LIMIT {
            return self.uncertain(format!("what {} names (too deep)", path.display()));
        }
        self.depth += 1;
        let chain = self.chain.clone();
        // `$0` and BASH_SOURCE are the path as it was named: links are not followed.
        let mut source = Source::of_script(self, path);
        match named {
            Use::Script(language) => source.foreign(language, bytes),
            Use::Started if shebang(bytes).is_some() => source.first_line(path, bytes),
            _ => source.read(&hookshell_dispatch::decode_script(bytes)),
        }
        self.chain = chain;
        self.depth -= 1;
    }

    /// A device or a process's own file, whose contents are only known when it is read.
    fn device(&mut self, path: &Path, named: Use) {
        if named.is_code() && path != Path::new("/dev/null") {
            self.uncertain(format!("the code that {} gives", path.display()));
        }
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

/// The words of a `#!` line, the script's path not among them: the interpreter and its one argument.
fn shebang(bytes: &[u8]) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line = bytes.strip_prefix(b"#!")?.split(|byte| matches!(byte, b'\n' | b'\0')).next()?.trim_ascii();
    let end = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
    let (interpreter, argument) = line.split_at(end);
    let argument = argument.trim_ascii();
    (!interpreter.is_empty()).then(|| (interpreter.to_vec(), (!argument.is_empty()).then(|| argument.to_vec())))
}

/// A path without `.` and `..`, where there is no such file whose links could be followed.
fn lexically(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    // The directory's links are followed, where there is one.
    match (out.parent().and_then(|parent| parent.canonicalize().ok()), out.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => out,
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
        const CODE: [&str; 26] = [
            "py", "pyw", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rb", "pl", "pm", "lua", "php", "ps1",
            "psm1", "awk", "sed", "jq", "cmd", "bat", "vbs", "tcl", "r", "go",
        ];
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        if let Some(line) = bytes.strip_prefix(b"#!") {
            let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let words = line.split(|byte| matches!(byte, b'/' | b' ' | b'\t' | b'\r'));
            let is_shell = words.into_iter().any(names::is_shell);
            return if is_shell { Self::Shell } else { Self::Script };
        }
        if names::is_shell(extension.as_bytes()) {
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

/// `/dev/null`, `/dev/stdin`, `/proc/self/fd/0`: no files of a project.
fn is_device(path: &Path) -> bool {
    cfg!(unix) && (path.starts_with("/dev") || path.starts_with("/proc"))
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

// What bash and the programs of Unix make of them.
#[cfg(all(test, unix))]
mod tests;
