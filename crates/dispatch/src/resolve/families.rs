//! Programs that go by several names or lie in known places, on Windows.

use std::path::{Path, PathBuf};

use hookshell_process::system;

use super::{Found, PassedOver, PassedOverReason, Search};
use crate::platform::Platform;

/// Where a program is looked for when PATH does not lead to it.
enum FallBack {
    /// Another name in PATH, with arguments that belong to it.
    Name(&'static str, &'static [&'static str]),
    /// The programs that come with Git for Windows.
    GitForWindows(&'static str),
    /// A directory that is in a variable, and the rest of the path.
    Place(&'static str, &'static str),
}

use FallBack::{GitForWindows, Name, Place};

/// What may stand in for a program, in order. PowerShell 7 and Windows PowerShell take each other's usual options.
fn fall_backs(name: &[u8]) -> &'static [FallBack] {
    match name {
        b"python3" => &[Name("python", &[]), Name("py", &["-3"])],
        b"bash" => &[GitForWindows("bash.exe")],
        b"sh" => &[GitForWindows("sh.exe"), GitForWindows("bash.exe")],
        b"node" => &[Place("ProgramFiles", "nodejs/node.exe"), Place("NVM_SYMLINK", "node.exe")],
        b"pwsh" => &[Place("ProgramFiles", "PowerShell/7/pwsh.exe"), Name("powershell", &[])],
        b"powershell" => &[Place("SystemRoot", "System32/WindowsPowerShell/v1.0/powershell.exe"), Name("pwsh", &[])],
        _ => &[],
    }
}

impl Search<'_> {
    /// What is taken for a program that PATH does not lead to.
    pub(super) fn fall_back(&self, name: &[u8], passed_over: &mut Vec<PassedOver>) -> Option<Found> {
        if self.platform == Platform::Unix {
            return None;
        }
        fall_backs(name).iter().find_map(|fall_back| {
            let found = |path, args: &[&'static str], instead| Found {
                path,
                args: args.to_vec(),
                instead: Some(instead),
                passed_over: Vec::new(),
            };
            match fall_back {
                Name(other, args) => {
                    let path = self.named(other.as_bytes(), passed_over)?;
                    if name == b"python3" && is_python_2(&path) {
                        passed_over.push(PassedOver { path, reason: PassedOverReason::Python2 });
                        return None;
                    }
                    Some(found(path, args, *other))
                }
                GitForWindows(file) => Some(found(self.git_program(file)?, &[], "the one of Git for Windows")),
                Place(variable, rest) => {
                    let path = Path::new(self.platform.variable(self.env, variable)?).join(rest);
                    path.is_file().then(|| found(path, &[], "the one in its usual place"))
                }
            }
        })
    }

    /// A program of Git for Windows. `bin` has small starters that set the environment up; `usr\bin` the programs.
    fn git_program(&self, file: &str) -> Option<PathBuf> {
        let places = |root: PathBuf| [root.join("bin").join(file), root.join("usr").join("bin").join(file)];
        self.git_directories().into_iter().flat_map(places).find(|path| path.is_file())
    }

    /// Where Git for Windows may be: as its installer has registered it, above the `git` of PATH, in the usual places.
    fn git_directories(&self) -> Vec<PathBuf> {
        let mut directories = Vec::new();
        for of_user in [false, true] {
            directories
                .extend(system::registry_string(of_user, r"SOFTWARE\GitForWindows", "InstallPath").map(PathBuf::from));
        }
        for git in self.matches(b"git") {
            // `cmd\git.exe`, `bin\git.exe`, `mingw64\bin\git.exe`
            directories.extend(git.ancestors().skip(2).take(2).map(Path::to_path_buf));
        }
        let usual = [
            ("ProgramFiles", "Git"),
            ("ProgramW6432", "Git"),
            ("ProgramFiles(x86)", "Git"),
            ("LOCALAPPDATA", "Programs/Git"),
            ("USERPROFILE", "scoop/apps/git/current"),
        ];
        directories.extend(
            usual
                .into_iter()
                .filter_map(|(variable, rest)| Some(Path::new(self.platform.variable(self.env, variable)?).join(rest))),
        );
        directories
    }
}

/// Is it the `python` of Python 2? Its installer names the directory `Python27`, and a virtual environment says its version.
/// (Running it to ask would cost more than the hook.)
fn is_python_2(path: &Path) -> bool {
    let directories = path.ancestors().skip(1).take(2);
    directories.into_iter().any(|directory| {
        let name = directory.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let says_2 = |config: &str| {
            config
                .lines()
                .filter_map(|line| line.split_once('='))
                .any(|(key, value)| matches!(key.trim(), "version" | "version_info") && value.trim().starts_with("2."))
        };
        name.starts_with("python2")
            || std::fs::read_to_string(directory.join("pyvenv.cfg")).is_ok_and(|config| says_2(&config))
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::{OsStr, OsString};
    use std::fs;

    use super::{PassedOverReason, Search};
    use crate::platform::Platform;

    struct Directory(tempfile::TempDir, Vec<(OsString, OsString)>);

    impl Directory {
        fn new(files: &[&str]) -> Self {
            let directory = tempfile::tempdir().unwrap();
            for file in files {
                let path = directory.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, "version = 2.7.18\n").unwrap();
                #[cfg(unix)]
                {
                    use std::os::unix::fs::PermissionsExt;
                    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
                }
            }
            let mut env = vec![("PATHEXT".into(), ".exe;.cmd".into())];
            for (name, place) in [("ProgramFiles", "pf"), ("SYSTEMROOT", "w"), ("LocalAppData", "la")] {
                env.push((name.into(), directory.path().join(place).into_os_string()));
            }
            Self(directory, env)
        }

        /// The file, its arguments and what it stands in by; `None` if nothing is found.
        fn find(&self, path: &str, name: &str) -> Option<(String, Vec<&'static str>, Option<&'static str>)> {
            let search =
                Search { platform: Platform::Windows, path: OsStr::new(path), env: &self.1, cwd: self.0.path() };
            let found = search.program(name.as_bytes()).ok()?;
            let path = found.path.strip_prefix(self.0.path()).unwrap().to_str().unwrap().replace('\\', "/");
            Some((path, found.args, found.instead))
        }
    }

    #[test]
    fn bash_is_gits_where_path_has_none() {
        let directory = Directory::new(&[
            "g/cmd/git.exe",
            "g/bin/bash.exe",
            "m/mingw64/bin/git.exe",
            "m/usr/bin/sh.exe",
            "pf/Git/bin/bash.exe",
            "b/bash.exe",
        ]);
        let git = Some("the one of Git for Windows");
        assert_eq!(directory.find("b", "bash"), Some(("b/bash.exe".into(), vec![], None)));
        assert_eq!(directory.find("g/cmd", "bash"), Some(("g/bin/bash.exe".into(), vec![], git)));
        assert_eq!(directory.find("m/mingw64/bin", "sh"), Some(("m/usr/bin/sh.exe".into(), vec![], git)));
        assert_eq!(directory.find("none", "bash"), Some(("pf/Git/bin/bash.exe".into(), vec![], git)));
        // There is no sh beside that one: bash is one.
        assert_eq!(directory.find("none", "sh"), Some(("pf/Git/bin/bash.exe".into(), vec![], git)));
        let none = Directory::new(&["w/System32/bash.exe"]);
        assert_eq!(none.find("w/System32", "bash"), None);
    }

    #[test]
    fn programs_with_several_names_are_found_by_another() {
        let directory = Directory::new(&[
            "w/System32/WindowsPowerShell/v1.0/powershell.exe",
            "ps/powershell.exe",
            "pf/nodejs/node.exe",
            "p/python.exe",
            "Python27/python.exe",
            "venv/Scripts/python.exe",
            "venv/pyvenv.cfg",
            "py/py.exe",
        ]);
        let usual = Some("the one in its usual place");
        assert_eq!(directory.find("none", "node"), Some(("pf/nodejs/node.exe".into(), vec![], usual)));
        assert_eq!(directory.find("ps", "pwsh"), Some(("ps/powershell.exe".into(), vec![], Some("powershell"))));
        let system = "w/System32/WindowsPowerShell/v1.0/powershell.exe";
        assert_eq!(directory.find("none", "powershell"), Some((system.into(), vec![], usual)));
        assert_eq!(directory.find("p;py", "python3"), Some(("p/python.exe".into(), vec![], Some("python"))));
        let py = Some(("py/py.exe".into(), vec!["-3"], Some("py")));
        assert_eq!(directory.find("Python27;py", "python3"), py);
        assert_eq!(directory.find("venv/Scripts;py", "python3"), py);
        // Asked for by its own name it is what it is.
        assert_eq!(directory.find("Python27", "python"), Some(("Python27/python.exe".into(), vec![], None)));
        let search = Search {
            platform: Platform::Windows,
            path: OsStr::new("Python27"),
            env: &directory.1,
            cwd: directory.0.path(),
        };
        assert_eq!(search.program(b"python3").unwrap_err().passed_over[0].reason, PassedOverReason::Python2);
    }
}
