//! Modules: `import`, `include` and `~/.jq`, found and read as jq's `linker.c` does.

use std::path::{Path, PathBuf};

use hookshell_files::canonical::{Existing, canonicalize};
use hookshell_process::text::{from_path, to_path};
use hookshell_utility::UtilityCall;
use hookshell_utility::io::{read_file, reason};

use super::ast::{Definition, Import};
use super::options::Options;
use super::parse;
use super::read;
use super::text::repaired;
use super::value::{Object, Value};

/// How long a module may be.
const MAX_MODULE: u64 = 64 * 1024 * 1024;

/// Where modules are looked for.
#[derive(Debug, Clone)]
pub(super) struct Library {
    cwd: PathBuf,
    home: Option<String>,
    /// The file of the program (`-f`).
    program: Option<Vec<u8>>,
    /// `-L`, or jq's own directories.
    pub(super) dirs: Vec<String>,
}

/// The real path of a directory, where there is one.
fn real(cwd: &Path, name: &[u8]) -> String {
    match canonicalize(cwd, name, Existing::All, true) {
        Ok(path) => repaired(&path).into_owned(),
        Err(_) => repaired(name).into_owned(),
    }
}

impl Library {
    pub(super) fn new(call: &UtilityCall<'_>, options: &Options<'_>) -> Self {
        let home =
            call.env.iter().find(|(name, _)| name == "HOME").map(|(_, value)| value.to_string_lossy().into_owned());
        let program = options.program.filter(|_| options.from_file).map(<[u8]>::to_vec);
        let dirs = match &options.libraries {
            Some(dirs) => dirs.iter().map(|dir| real(call.cwd, dir)).collect(),
            None => ["~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/../lib"].map(str::to_owned).to_vec(),
        };
        Self { cwd: call.cwd.to_path_buf(), home, program, dirs }
    }

    /// The directory of the program's file; the working directory without one.
    pub(super) fn origin(&self) -> String {
        match &self.program {
            Some(program) => match memchr::memrchr(b'/', program) {
                Some(0) => "/".to_owned(),
                Some(at) => real(&self.cwd, program.get(..at).unwrap_or_default()),
                None => real(&self.cwd, b"."),
            },
            None => real(&self.cwd, b"."),
        }
    }

    /// The import of `~/.jq`, where there is one.
    pub(super) fn of_home(&self) -> Option<Import> {
        let home = self.home.as_deref().filter(|home| !home.is_empty())?;
        std::fs::metadata(self.cwd.join(format!("{home}/.jq"))).ok()?;
        let mut metadata = Object::default();
        metadata.set("optional".into(), Value::Bool(true));
        metadata.set("search".into(), Value::from(home));
        Some(Import { path: String::new(), alias: None, is_data: false, metadata })
    }

    /// `get_search_list`
    pub(super) fn search_list(&self) -> Value {
        Value::array(self.dirs.iter().map(|dir| Value::from(dir.as_str())).collect())
    }

    /// The path of what a module in a directory imports.
    ///
    /// # Errors
    /// A message: it is not there, or its name is none.
    pub(super) fn find(&self, import: &Import, origin: Option<&str>) -> Result<String, String> {
        let name = &import.path;
        if name.contains('\\') {
            return Err(format!("Modules must be named by relative paths using '/', not '\\' ({name})"));
        }
        let mut before = None;
        for part in name.split('/') {
            if part == ".." {
                return Err(format!("Relative paths to modules may not traverse to parent directories ({name})"));
            }
            if before == Some(part) {
                return Err(format!("module names must not have equal consecutive components: {name}"));
            }
            before = Some(part);
        }
        let suffix = if import.is_data { ".json" } else { ".jq" };
        let (search, mut error) = self.search(import, origin);
        for dir in search {
            let Some(dir) = dir else { break };
            if dir.is_empty() {
                continue;
            }
            // For jq the last part of a name with directories begins with its slash.
            let last = name.rfind('/').map_or(name.as_str(), |at| name.get(at..).unwrap_or_default());
            let candidates = [
                format!("{dir}/{name}{suffix}"),
                format!("{dir}/{name}/jq/main{suffix}"),
                format!("{dir}/{name}/{last}{suffix}"),
            ];
            for candidate in candidates {
                let path = match canonicalize(&self.cwd, candidate.as_bytes(), Existing::All, true) {
                    Ok(path) => repaired(&path).into_owned(),
                    Err(_) => candidate,
                };
                if std::fs::metadata(self.cwd.join(&path)).is_ok() {
                    return Ok(path);
                }
            }
        }
        Err(match error.take() {
            Some(error) => format!("module not found: {name} ({error})"),
            None => format!("module not found: {name}"),
        })
    }

    /// The directories to search; `None` among them ends the search, with a message.
    fn search(&self, import: &Import, origin: Option<&str>) -> (Vec<Option<String>>, Option<String>) {
        let dirs: Vec<Value> = match (import.metadata.get("search"), origin) {
            (Some(Value::Array(array)), _) => array.items().to_vec(),
            (Some(other), _) => vec![other.clone()],
            // `modulemeta` searches the list alone.
            (None, None) => self.dirs.iter().map(|dir| Value::from(dir.as_str())).collect(),
            (None, Some(_)) => {
                std::iter::once(".").chain(self.dirs.iter().map(String::as_str)).map(Value::from).collect()
            }
        };
        let mut expanded = Vec::new();
        let mut error = None;
        for dir in dirs {
            let Value::String(dir) = dir else { continue };
            let dir = match dir.strip_prefix('~') {
                None => dir.to_string(),
                Some(rest) if rest.is_empty() || rest.starts_with('/') => match self.home.as_deref() {
                    Some(home) => format!("{home}{rest}"),
                    None => {
                        error = Some("Could not get home directory".to_owned());
                        continue;
                    }
                },
                Some(_) => dir.to_string(),
            };
            expanded.push(Some(if dir == "." {
                dir
            } else if let Some(rest) = dir.strip_prefix("$ORIGIN/") {
                format!("./{rest}")
            } else if let (Some(origin), true) = (origin, !Path::new(&dir).has_root()) {
                format!("{origin}/{dir}")
            } else {
                dir
            }));
        }
        (expanded, error)
    }

    /// A file's content.
    ///
    /// # Errors
    /// A message, as jq has it after the file's name.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let full = self.cwd.join(to_path(path.as_bytes()));
        match read_file(&full, &self.cwd, MAX_MODULE) {
            Ok(Some(text)) => Ok(text),
            // A named pipe waits for a writer, and a device may never end.
            Ok(None) => Err(format!("Could not open {path}: Not a regular file")),
            Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
                Err(format!("Could not open {path}: It's a directory"))
            }
            Err(error) => Err(format!("Could not open {path}: {}", reason(&error))),
        }
    }

    /// What `import "a" as $data;` gives.
    ///
    /// # Errors
    /// A message, as jq has it after the file's name.
    pub(super) fn data(&self, import: &Import, path: &str) -> Result<Value, String> {
        let text = self.read(path)?;
        if import.is_set("raw") {
            return Ok(Value::from(&*repaired(&text)));
        }
        read::parse_all(&text)
    }

    /// `modulemeta`: what a module says of itself, what it imports and defines.
    ///
    /// # Errors
    /// A message: it is not there.
    pub(super) fn describe(&self, name: &str) -> Result<Value, String> {
        let import = Import { path: name.to_owned(), alias: None, is_data: false, metadata: Object::default() };
        let path = self.find(&import, None)?;
        let Ok(source) = self.read(&path) else { return Ok(Value::Null) };
        let Ok(parsed) = parse::program(&source, &path) else { return Ok(Value::Null) };
        let mut meta = parsed.metadata.unwrap_or_default();
        meta.set("deps".into(), Value::array(parsed.imports.iter().map(Import::description).collect()));
        let name = |definition: &Definition| Value::from(format!("{}/{}", definition.name, definition.params.len()));
        meta.set("defs".into(), Value::array(parsed.definitions.iter().map(name).collect()));
        Ok(Value::Object(meta.into()))
    }

    /// The directory of a module.
    pub(super) fn dir_of(path: &str) -> String {
        let path = to_path(path.as_bytes());
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        parent.map_or_else(|| ".".to_owned(), |parent| repaired(&from_path(parent)).into_owned())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::Library;

    #[test]
    fn what_is_no_regular_file_is_no_module() {
        let library = Library { cwd: "/".into(), home: None, program: None, dirs: Vec::new() };
        for path in ["/dev/null", "dev/null"] {
            assert_eq!(library.read(path), Err(format!("Could not open {path}: Not a regular file")));
        }
        assert_eq!(library.read("dev"), Err("Could not open dev: It's a directory".to_owned()));
    }
}
