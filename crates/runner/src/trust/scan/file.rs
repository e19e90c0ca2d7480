//! A file that is named: whether it counts, what it is read as, and what it names itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::kind::Kind;
use super::names::Language;
use super::source::Source;
use super::{CODE_LIMIT, DEPTH_LIMIT, FILES_LIMIT, LOOK_UPS_LIMIT, NAMES_LIMIT, SIZE_LIMIT, Scan, ScriptFile, hex};
use crate::read_file::read_regular;

/// A file as it was read.
pub(super) struct Contents {
    file: ScriptFile,
    kind: Kind,
    /// None for one that is too large to be looked through.
    bytes: Option<Vec<u8>>,
}

/// What a file is named for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Use {
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
    pub(super) fn is_code(self) -> bool {
        matches!(self, Self::Started | Self::Shell | Self::Script(_))
    }
}

impl Scan<'_> {
    /// What the hook writes, so that it is not what was hashed.
    pub(super) fn writes(&mut self, path: &Path) {
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
    pub(super) fn may_look_up(&mut self) -> bool {
        self.pass.look_ups += 1;
        if self.pass.look_ups > LOOK_UPS_LIMIT {
            self.uncertain("what else the hook names (too many names)".to_owned());
        }
        self.pass.look_ups <= LOOK_UPS_LIMIT
    }

    /// A file that is named.
    pub(super) fn file(&mut self, path: &Path, named: Use) {
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
}

/// The words of a `#!` line, the script's path not among them: the interpreter and its one argument.
pub(super) fn shebang(bytes: &[u8]) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let line = bytes.strip_prefix(b"#!")?.split(|byte| matches!(byte, b'\n' | b'\0')).next()?.trim_ascii();
    let end = line.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
    let (interpreter, argument) = line.split_at(end);
    let argument = argument.trim_ascii();
    (!interpreter.is_empty()).then(|| (interpreter.to_vec(), (!argument.is_empty()).then(|| argument.to_vec())))
}

/// A path without `.` and `..`, where there is no such file whose links could be followed.
pub(super) fn lexically(path: &Path) -> PathBuf {
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

/// `/dev/null`, `/dev/stdin`, `/proc/self/fd/0`: no files of a project.
fn is_device(path: &Path) -> bool {
    cfg!(unix) && (path.starts_with("/dev") || path.starts_with("/proc"))
}
