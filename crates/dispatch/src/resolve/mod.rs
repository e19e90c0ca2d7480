//! Finding programs: the one resolver for commands and for interpreters.

mod families;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hookshell_process::{AppAlias, path_list, script_path, text};
use which::WhichConfig;
use which::sys::{RealSys, Sys};

use crate::platform::Platform;

/// What PATHEXT is on Windows when the invocation's environment has none (that of a new installation, without the
/// script engines that a hook never means).
const DEFAULT_PATHEXT: &str = ".COM;.EXE;.BAT;.CMD";

/// Where programs are looked for: everything that a look-up depends on, and nothing of the host's.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// Whose rules apply.
    pub platform: Platform,
    /// The value of PATH.
    pub path: &'a OsStr,
    /// The environment: on Windows PATHEXT, and the directories that programs are usually installed in.
    pub env: &'a [(OsString, OsString)],
    /// What relative paths are joined to: absolute.
    pub cwd: &'a Path,
}

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// The file: absolute. It is the one that is started.
    pub path: PathBuf,
    /// Arguments that belong to it and stand before all others (`-3` of `py -3`).
    pub args: Vec<&'static str>,
    /// What was found, where it is not what was asked for in PATH: another name (`python` for `python3`), or in words.
    pub instead: Option<&'static str>,
    /// What stood earlier in PATH and was not taken.
    pub passed_over: Vec<PassedOver>,
}

/// A file that has the right name and is not the program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PassedOver {
    /// The file.
    pub path: PathBuf,
    /// Why it was not taken.
    pub reason: PassedOverReason,
}

/// Why a file of the right name was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PassedOverReason {
    /// `bash` in System32 or WindowsApps starts a Linux system, where no Windows path means anything.
    #[error("it starts WSL, not a shell for Windows; name it by its path if WSL is meant")]
    WslLauncher,
    /// The Microsoft Store's `python.exe` and `python3.exe` open the store and exit 49.
    #[error("it opens the Microsoft Store and is no Python")]
    StorePython,
    /// `find`, `sort` and their like in System32 are DOS's tools, with other options.
    #[error("it is Windows' own, with other options than the tool that scripts mean; with its extension it is taken")]
    DosTool,
    /// A `python` that is a Python 2, where `python3` was asked for.
    #[error("it is a Python 2")]
    Python2,
}

/// What was not found, and what was passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotFound {
    /// Files of the right name that were not taken.
    pub passed_over: Vec<PassedOver>,
    /// Unix: the first file of that name that is not executable.
    pub not_executable: Option<PathBuf>,
}

impl Search<'_> {
    /// The program that the command `name` means: with a separator the file itself, else the first match in PATH. On
    /// Windows a match with an extension of PATHEXT goes before one without any, wherever in PATH they are, and what
    /// PATH does not lead to may go by another name or lie in a known place (`python3`: `python`, `py -3`; `bash`: Git
    /// for Windows').
    ///
    /// # Errors
    /// There is no such file, or none that may be executed. (A path is found on Unix without being executable.)
    pub fn program(&self, name: &[u8]) -> Result<Found, NotFound> {
        if self.platform.has_separator(name) {
            return self.file(name).map(found).ok_or_else(NotFound::default);
        }
        let mut passed_over = Vec::new();
        if let Some(path) = self.named(name, &mut passed_over) {
            return Ok(Found { passed_over, ..found(path) });
        }
        if let Some(found) = self.fall_back(name, &mut passed_over) {
            return Ok(Found { passed_over, ..found });
        }
        Err(NotFound { passed_over, not_executable: self.not_executable(name) })
    }

    /// Every match of `name` in PATH, in the order of preference.
    pub fn all(&self, name: &[u8]) -> Vec<PathBuf> {
        if self.platform.has_separator(name) {
            return self.file(name).into_iter().collect();
        }
        self.matches(name).filter(|path| self.pass_over(name, path).is_none()).collect()
    }

    /// The file that a path names: absolute, and it exists. On Windows `./tool` is `./tool.exe` by PATHEXT when there
    /// is no `./tool`.
    pub fn file(&self, name: &[u8]) -> Option<PathBuf> {
        let path = self.absolute(name);
        if path.symlink_metadata().is_ok() || self.platform == Platform::Unix {
            return Some(path);
        }
        self.extensions().into_iter().find_map(|extension| {
            let mut with_extension = path.clone().into_os_string();
            with_extension.push(extension);
            let path = PathBuf::from(with_extension);
            path.is_file().then_some(path)
        })
    }

    /// A path joined to the working directory.
    pub fn absolute(&self, name: &[u8]) -> PathBuf {
        let name = script_path::native(name, self.cwd, || self.temp_dir());
        let path = text::to_path(&name);
        // `./a` is joined as `CWD/a`: the same file, and what messages show.
        self.cwd.join(path.strip_prefix(".").unwrap_or(&path))
    }

    /// The directory for temporary files, which `/tmp` stands for on Windows.
    fn temp_dir(&self) -> PathBuf {
        script_path::temp_dir(|name| self.platform.variable(self.env, name).map(PathBuf::from))
    }

    fn named(&self, name: &[u8], passed_over: &mut Vec<PassedOver>) -> Option<PathBuf> {
        self.matches(name).find(|path| match self.pass_over(name, path) {
            Some(reason) => {
                passed_over.push(PassedOver { path: path.clone(), reason });
                false
            }
            None => true,
        })
    }

    /// All that `which` finds, looked for as they are asked for: on Windows first what has an extension, then what has none.
    fn matches(&self, name: &[u8]) -> impl Iterator<Item = PathBuf> {
        // `which` looks a name with a NUL up to an error; an empty one would be each directory of PATH.
        let is_name = !(name.is_empty() || name.contains(&0) || name == b"." || name == b"..");
        let name = text::to_os(name).into_owned();
        let has_bare = self.platform == Platform::Windows && Path::new(&name).extension().is_none();
        let passes = [Some(false), has_bare.then_some(true)].into_iter().flatten().filter(move |_| is_name);
        let search = *self;
        passes.flat_map(move |bare| {
            let found = WhichConfig::new_with_sys(InvocationSys { search, bare })
                .binary_name(name.clone())
                .custom_path_list(search.path.to_owned())
                .custom_cwd(search.cwd.to_owned())
                .all_results();
            found.into_iter().flatten()
        })
    }

    /// As bash says of a command that is there and not executable: "Permission denied" instead of "not found".
    fn not_executable(&self, name: &[u8]) -> Option<PathBuf> {
        if self.platform == Platform::Windows || name.is_empty() || name.contains(&0) {
            return None;
        }
        let name = text::to_os(name);
        self.directories(self.path)
            .into_iter()
            .map(|directory| self.cwd.join(directory).join(&name))
            .find(|path| path.is_file())
    }

    /// The directories of PATH, as scripts and the system write them.
    fn directories(&self, list: &OsStr) -> Vec<PathBuf> {
        let list = text::from_os(list);
        path_list::elements(&list, self.platform == Platform::Windows)
            .iter()
            .map(|element| text::to_path(&script_path::native(element, self.cwd, || self.temp_dir())).into_owned())
            .collect()
    }

    fn extensions(&self) -> Vec<String> {
        let value = self.platform.variable(self.env, "PATHEXT").and_then(OsStr::to_str).unwrap_or_default();
        let value = if value.contains('.') { value } else { DEFAULT_PATHEXT };
        value
            .split(';')
            .filter(|extension| extension.len() > 1 && extension.starts_with('.'))
            .map(str::to_owned)
            .collect()
    }

    fn pass_over(&self, name: &[u8], path: &Path) -> Option<PassedOverReason> {
        if self.platform == Platform::Unix {
            return None;
        }
        let stem = path.file_stem()?.to_str()?.to_ascii_lowercase();
        let directory = path.parent()?;
        let directory_name = directory.file_name()?.to_str()?.to_ascii_lowercase();
        let is_store = directory_name == "windowsapps";
        let is_system = matches!(&*directory_name, "system32" | "syswow64" | "sysnative");
        match &*stem {
            "bash" | "sh" if is_system || is_store => Some(PassedOverReason::WslLauncher),
            // Who writes `find.exe` means that one.
            "expand" | "find" | "sort" | "timeout" | "tree"
                if is_system && name.eq_ignore_ascii_case(stem.as_bytes()) =>
            {
                Some(PassedOverReason::DosTool)
            }
            "python" | "python3" if is_store && !is_store_python(path, directory) => {
                Some(PassedOverReason::StorePython)
            }
            _ => None,
        }
    }
}

/// Is the alias in `WindowsApps` one of a Python, and not of the Store's own offer? Its target says it; where that cannot
/// be read, an installed Python has a directory beside the aliases.
fn is_store_python(alias: &Path, windows_apps: &Path) -> bool {
    match AppAlias::of(alias) {
        Some(alias) => !alias.is_store_redirector(),
        None => has_store_python(windows_apps),
    }
}

fn has_store_python(windows_apps: &Path) -> bool {
    let Ok(entries) = fs::read_dir(windows_apps) else {
        return false;
    };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("PythonSoftwareFoundation.Python."))
}

fn found(path: PathBuf) -> Found {
    Found { path, args: Vec::new(), instead: None, passed_over: Vec::new() }
}

/// What `which` asks of the system, answered from the invocation: its PATHEXT and not the process's, no home (PATH has
/// no tilde in it by the time a program is looked for), and Windows' rules wherever they are asked for.
struct InvocationSys<'a> {
    search: Search<'a>,
    /// Windows: take files without an extension, and no others.
    bare: bool,
}

impl Sys for InvocationSys<'_> {
    type ReadDirEntry = fs::DirEntry;
    type Metadata = fs::Metadata;

    fn is_windows(&self) -> bool {
        self.search.platform == Platform::Windows
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(self.search.cwd.to_owned())
    }

    fn home_dir(&self) -> Option<PathBuf> {
        None
    }

    fn env_split_paths(&self, paths: &OsStr) -> Vec<PathBuf> {
        self.search.directories(paths)
    }

    fn env_path(&self) -> Option<OsString> {
        Some(self.search.path.to_owned())
    }

    fn env_path_ext(&self) -> Option<OsString> {
        Some(self.search.extensions().join(";").into())
    }

    fn env_windows_path_ext(&self) -> Cow<'static, [String]> {
        Cow::Owned(if self.bare { Vec::new() } else { self.search.extensions() })
    }

    fn metadata(&self, path: &Path) -> io::Result<fs::Metadata> {
        fs::metadata(path)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<fs::Metadata> {
        fs::symlink_metadata(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Box<dyn Iterator<Item = io::Result<fs::DirEntry>>>> {
        Ok(Box::new(fs::read_dir(path)?))
    }

    fn is_valid_executable(&self, path: &Path) -> io::Result<bool> {
        match self.search.platform {
            Platform::Unix => RealSys.is_valid_executable(path),
            // Asked only for names without an extension: a script that its first line makes one.
            Platform::Windows => Ok(self.bare),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Directory(tempfile::TempDir, Vec<(OsString, OsString)>);

    impl Directory {
        fn new(files: &[&str]) -> Self {
            let directory = tempfile::tempdir().unwrap();
            for file in files {
                let (name, is_program) = match file.strip_suffix(" (plain)") {
                    Some(name) => (name, false),
                    None => (*file, true),
                };
                let path = directory.path().join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, "x").unwrap();
                #[cfg(unix)]
                if is_program {
                    use std::os::unix::fs::PermissionsExt;
                    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
                }
                #[cfg(windows)]
                let _ = is_program;
            }
            Self(directory, vec![("PATHEXT".into(), ".exe;.cmd".into())])
        }

        fn search<'a>(&'a self, platform: Platform, path: &'a str) -> Search<'a> {
            Search { platform, path: OsStr::new(path), env: &self.1, cwd: self.0.path() }
        }

        fn find(&self, platform: Platform, path: &str, name: &str) -> Option<String> {
            let found = self.search(platform, path).program(name.as_bytes()).ok()?.path;
            let found = found.strip_prefix(self.0.path()).unwrap();
            Some(found.to_str().unwrap().replace('\\', "/"))
        }
    }

    #[cfg(unix)]
    #[test]
    fn unix_takes_the_first_executable_in_path() {
        let directory = Directory::new(&["a/tool (plain)", "b/tool", "c/tool", "tool", "here"]);
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("a:b:c", "tool", Some("b/tool")),
            ("c:b", "tool", Some("c/tool")),
            ("a", "tool", None),
            ("", "here", None),
            ("a:", "here", Some("here")),
            (":a", "tool", Some("tool")),
            (".", "here", Some("here")),
            ("a", "here", None),
            ("b", "./here", Some("here")),
            ("b", "c/tool", Some("c/tool")),
            ("b", "", None),
            ("b", ".", None),
            ("~", "here", None),
        ];
        for (path, name, expected) in cases {
            if path.is_empty() {
                // An empty PATH is one empty element on Unix: the current directory.
                continue;
            }
            assert_eq!(directory.find(Platform::Unix, path, name).as_deref(), *expected, "{path} {name}");
        }
        let missing = directory.search(Platform::Unix, "a").program(b"tool").unwrap_err();
        assert_eq!(missing.not_executable, Some(directory.0.path().join("a/tool")));
    }

    #[test]
    fn windows_takes_pathext_before_files_without_an_extension() {
        let directory = Directory::new(&["a/npx", "a/npx.cmd", "b/npx.exe", "c/bare", "c/script.sh", "tool.exe"]);
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("a;b", "npx", Some("a/npx.cmd")),
            ("b;a", "npx", Some("b/npx.exe")),
            ("a;c", "bare", Some("c/bare")),
            ("c", "script.sh", Some("c/script.sh")),
            ("a;b", "npx.exe", Some("b/npx.exe")),
            ("a;;b", "tool", None),
            (".", "tool", Some("tool.exe")),
            ("a", "./tool", Some("tool.exe")),
            ("a", "./tool.exe", Some("tool.exe")),
            ("a", "./nothing", None),
        ];
        for (path, name, expected) in cases {
            assert_eq!(directory.find(Platform::Windows, path, name).as_deref(), *expected, "{path} {name}");
        }
    }

    #[test]
    fn windows_passes_over_the_wsl_launcher_and_the_store_stubs() {
        let directory = Directory::new(&[
            "System32/bash.exe",
            "WindowsApps/python3.exe",
            "WindowsApps/bash.exe",
            "git/bash.exe",
            "py/py.exe",
        ]);
        let search = directory.search(Platform::Windows, "System32;WindowsApps;git;py");
        let bash = search.program(b"bash").unwrap();
        assert!(bash.path.ends_with("git/bash.exe"));
        assert_eq!(bash.passed_over.len(), 2);
        let python = search.program(b"python3").unwrap();
        assert!(python.path.ends_with("py/py.exe"));
        assert_eq!(python.args, ["-3"]);
        assert_eq!(python.instead, Some("py"));
        assert_eq!(python.passed_over[0].reason, PassedOverReason::StorePython);
        // By its path WSL's launcher is taken at the user's word.
        assert!(search.program(b"System32/bash.exe").is_ok());
        let none = directory.search(Platform::Windows, "System32");
        assert_eq!(none.program(b"bash").unwrap_err().passed_over.len(), 1);
    }

    #[test]
    fn windows_passes_over_the_tools_of_dos() {
        let directory =
            Directory::new(&["System32/find.exe", "System32/tree.com", "System32/where.exe", "msys/find.exe"]);
        let find = |path, name| directory.find(Platform::Windows, path, name);
        assert_eq!(find("System32", "find"), None);
        assert_eq!(find("System32", "tree"), None);
        assert_eq!(find("System32", "where").as_deref(), Some("System32/where.exe"));
        assert_eq!(find("System32;msys", "find").as_deref(), Some("msys/find.exe"));
        assert_eq!(find("System32", "find.exe").as_deref(), Some("System32/find.exe"));
        assert_eq!(find("msys", "System32/find").as_deref(), Some("System32/find.exe"));
        let search = directory.search(Platform::Windows, "System32;msys");
        assert_eq!(search.all(b"find").len(), 1);
        assert_eq!(search.program(b"find").unwrap().passed_over[0].reason, PassedOverReason::DosTool);
    }

    #[test]
    fn a_python_from_the_store_is_one() {
        let directory = Directory::new(&[
            "WindowsApps/python3.exe",
            "WindowsApps/PythonSoftwareFoundation.Python.3.12_qbz5n2kfra8p0/python.exe",
        ]);
        assert_eq!(
            directory.find(Platform::Windows, "WindowsApps", "python3").as_deref(),
            Some("WindowsApps/python3.exe")
        );
    }
}
