//! The files, programs and directories that a source text names.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hookshell_dispatch::{Platform, Search};
use hookshell_process::text;

use super::Source;
use crate::trust::scan::names::Language;
use crate::trust::scan::word::{Values, is_known};
use crate::trust::scan::{Use, lexically};

/// How many directories a relative path may be relative to.
const DIRS_LIMIT: usize = 16;

impl Source<'_, '_> {
    /// Files of a value that may be a list: of paths, of options.
    pub(in crate::trust::scan) fn files_in_value(&mut self, value: &[u8], named: Use) {
        self.path(value, named);
        let separators: &[u8] = if cfg!(windows) { b"\0 \t;=," } else { b"\0 \t:;=," };
        for piece in value.split(|byte| separators.contains(byte)).filter(|piece| piece.len() < value.len()) {
            self.path(piece, named);
        }
    }

    /// Files of a command line in another language: `node hooks\y.js && call "x.cmd"`.
    pub(in crate::trust::scan) fn files_in_line(&mut self, line: &[u8], named: Use) {
        let separates = |byte: &u8| b"\0 \t\n;&|<>()[]{}=,@'\"`!".contains(byte);
        for piece in line.split(separates).filter(|piece| piece.len() < line.len()) {
            self.path(piece, named);
        }
    }

    /// The directories that a word has not been looked up in.
    fn new_dirs(&mut self, word: &[u8], named: Use) -> Vec<PathBuf> {
        let scan = &mut *self.scan;
        let dirs = scan.dirs.clone();
        dirs.into_iter().filter(|dir| scan.is_new(dir, word, named)).collect()
    }

    /// A word that may be a path: the files that it names.
    pub(in crate::trust::scan) fn path(&mut self, value: &[u8], named: Use) {
        if value.is_empty() || value == b"." || value.contains(&b'\n') || value.len() > 4096 {
            return;
        }
        if value.contains(&0) {
            // What is known of it may be the end of a path: `"$DIR"/hooks/x.sh`.
            if named != Use::Read {
                for piece in value.split(|byte| matches!(byte, 0 | b' ' | b'\t')) {
                    let piece = piece.strip_prefix(b"/").unwrap_or(piece);
                    if !piece.is_empty() && piece != b"#" {
                        self.path(piece, Use::Given);
                    }
                }
            }
            return;
        }
        let platform = Platform::HOST;
        for dir in self.new_dirs(value, named) {
            let search = Search { platform, path: OsStr::new(""), env: self.scan.surroundings.env, cwd: &dir };
            // On Windows what has no such file may still be a script's name without its extension.
            let path = search.file(value).unwrap_or_else(|| search.absolute(value));
            self.scan.file(&path, named);
            // `node ./guard` is guard.js, `node ./dir` its index.js, `python3 dir` its __main__.py.
            if named != Use::Read && !path.is_file() && named.is_code() {
                for extension in ["js", "cjs", "mjs", "json", "ts", "node"] {
                    let mut longer = path.clone().into_os_string();
                    longer.push(".");
                    longer.push(extension);
                    self.scan.file(Path::new(&longer), named);
                    self.scan.file(&path.with_extension(extension), named);
                }
                for name in ["package.json", "index.js", "index.cjs", "index.mjs", "__main__.py", "__init__.py"] {
                    self.scan.file(&path.join(name), named);
                }
            }
        }
    }

    /// What the hook itself writes.
    pub(in crate::trust::scan) fn writes(&mut self, value: &[u8]) {
        if value.is_empty() || value.contains(&0) || value.starts_with(b"/dev/") {
            return;
        }
        for dir in self.scan.dirs.clone() {
            self.scan.writes(&dir.join(text::to_path(value)));
        }
    }

    /// A name that PATH leads to. Is it a file of the project?
    pub(in crate::trust::scan) fn program(&mut self, name: &[u8], named: Use) -> bool {
        if name.is_empty() || name.contains(&0) {
            return false;
        }
        let mut paths = vec![self.scan.variable(b"PATH").unwrap_or_default()];
        // `PATH=$PWD/bin:$PATH`
        if let Some(own) = self.scan.variables.get(&b"PATH"[..]).cloned() {
            if !is_known(&own) {
                self.scan.uncertain("the programs of a PATH that is only known when it runs".to_owned());
            }
            paths.extend(own);
        }
        let key = (name.to_vec(), named, self.scan.dirs.len(), paths.len());
        if let Some(is_of_project) = self.scan.pass.programs.get(&key) {
            return *is_of_project;
        }
        if !self.scan.may_look_up() {
            return false;
        }
        let dirs = self.scan.dirs.clone();
        let mut is_of_project = false;
        for path in paths {
            is_of_project |= self.program_in(&dirs, name, &path, named);
        }
        self.scan.pass.programs.insert(key, is_of_project);
        is_of_project
    }

    fn program_in(&mut self, dirs: &[PathBuf], name: &[u8], path: &[u8], named: Use) -> bool {
        let mut found_one = false;
        for entry in path.split(|byte| if cfg!(windows) { *byte == b';' } else { *byte == b':' }) {
            // What lies outside of the project is not the project's, and need not be looked at.
            let entry = text::to_path(entry).into_owned();
            for dir in dirs {
                let place = dir.join(&entry);
                let is_near =
                    self.scan.is_inside(&place) || place.canonicalize().is_ok_and(|place| self.scan.is_inside(&place));
                if !is_near || entry.is_absolute() && Some(dir) != dirs.first() {
                    continue;
                }
                let search = Search {
                    platform: Platform::HOST,
                    path: place.as_os_str(),
                    env: self.scan.surroundings.env,
                    cwd: dir,
                };
                // A sourced file needs no x bit, and what has none may get one.
                let file = Some(place.join(text::to_path(name))).filter(|path| path.is_file());
                let file = file.or_else(|| search.program(name).ok().map(|found| found.path));
                if let Some(file) = file {
                    found_one = true;
                    self.scan.file(&file, named);
                }
            }
        }
        found_one
    }

    pub(in crate::trust::scan) fn module(&mut self, name: &[u8]) {
        let path = name.iter().map(|byte| if *byte == b'.' { b'/' } else { *byte }).collect::<Vec<u8>>();
        for end in [&b".py"[..], b"/__init__.py", b"/__main__.py"] {
            self.path(&[&path, end].concat(), Use::Script(Language::Python));
        }
        // The packages that it lies in are run first.
        let mut package = &path[..];
        while let Some(at) = package.iter().rposition(|byte| *byte == b'/') {
            package = package.get(..at).unwrap_or_default();
            self.path(&[package, b"/__init__.py"].concat(), Use::Script(Language::Python));
        }
    }

    /// `cd`, `env -C`, `git -C`: where relative paths may start from now on.
    pub(in crate::trust::scan) fn change_dir(&mut self, operands: &[Values], shown: &str) {
        for values in operands {
            if !is_known(values) {
                self.unknown(shown);
            }
            for value in values.iter().filter(|value| !value.contains(&0) && *value != b"-") {
                for dir in self.scan.dirs.clone() {
                    let joined = dir.join(text::to_path(value));
                    // The shell's own `..` goes back the way it came, the system's to where a link's target lies.
                    for dir in [lexically(&joined), joined] {
                        // What is not there is of interest where the hook itself makes it.
                        let dir = match dir.canonicalize() {
                            Ok(dir) if dir.is_dir() => dir,
                            Ok(_) => continue,
                            Err(_)
                                if self
                                    .scan
                                    .written
                                    .iter()
                                    .any(|written| dir.starts_with(written) || written.starts_with(&dir)) =>
                            {
                                dir
                            }
                            Err(_) => continue,
                        };
                        let is_same =
                            |known: &PathBuf| *known == dir || known.canonicalize().is_ok_and(|known| known == dir);
                        if self.scan.dirs.iter().any(is_same) {
                            continue;
                        }
                        if self.scan.dirs.len() >= DIRS_LIMIT {
                            self.scan.uncertain("what is named relative to a directory (too many of them)".to_owned());
                            return;
                        }
                        self.scan.dirs.push(dir);
                    }
                }
            }
        }
    }

    /// A word that is only known when it runs, where it says what is run.
    pub(in crate::trust::scan) fn unknown(&mut self, shown: &str) {
        if shown.is_empty() || shown.contains("${_}") {
            return;
        }
        let place = self.scripts.first().map(|script| format!(" in {}", script.display())).unwrap_or_default();
        self.scan.uncertain(format!("{shown}{place}"));
    }
}
