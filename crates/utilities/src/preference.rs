//! Whether a bundled utility or the program of the same name runs.

use std::path::Path;

use hookshell_process::text;
use hookshell_utility::Environment;

/// What runs where a bundled utility and a program on PATH have the same name. A path (`/usr/bin/jq`, `./jq`) and a
/// name with an extension (`jq.exe`) always mean the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preference {
    /// The bundled one, unless the first hit on PATH is the user's own: one that lies in no directory of the system.
    #[default]
    Bundled,
    /// The program, where there is one.
    Path,
    /// No utility is bundled.
    Off,
}

impl std::str::FromStr for Preference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "bundled" => Ok(Self::Bundled),
            "path" => Ok(Self::Path),
            "off" => Ok(Self::Off),
            other => Err(format!("{other:?} is none of bundled, path, off")),
        }
    }
}

/// Does the program lie in a directory of the system, or of the tools that come with Git for Windows?
pub(crate) fn is_of_the_system(program: &Path, env: &Environment) -> bool {
    let program = text::from_os(program.as_os_str());
    if cfg!(windows) {
        let system_root = env.iter().find(|(name, _)| name.eq_ignore_ascii_case("SystemRoot"));
        let system_root =
            system_root.map_or_else(|| b"C:\\Windows".to_vec(), |(_, value)| text::from_os(value).to_vec());
        is_of_windows(&program, &system_root)
    } else {
        is_of_unix(&program)
    }
}

/// `/bin` and `/usr/bin`.
fn is_of_unix(program: &[u8]) -> bool {
    let directory = match program.iter().rposition(|byte| *byte == b'/') {
        Some(at) => program.get(..at).unwrap_or_default(),
        None => return false,
    };
    matches!(directory, b"/bin" | b"/usr/bin")
}

/// System32 and its like below `%SystemRoot%`, and `usr\bin` of Git for Windows.
fn is_of_windows(program: &[u8], system_root: &[u8]) -> bool {
    let lower = |path: &[u8]| {
        let mut path = path.to_ascii_lowercase();
        path.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'\\');
        path
    };
    let program = lower(program);
    let Some(at) = program.iter().rposition(|byte| *byte == b'\\') else { return false };
    let directory = program.get(..at).unwrap_or_default();
    let mut root = lower(system_root);
    while root.last() == Some(&b'\\') {
        root.pop();
    }
    root.push(b'\\');
    directory.strip_prefix(&*root).is_some_and(|rest| rest.starts_with(b"system32") || rest.starts_with(b"syswow64"))
        || directory.ends_with(b"\\git\\usr\\bin")
}

#[cfg(test)]
mod tests {
    use super::{is_of_unix, is_of_windows};

    #[test]
    fn the_systems_directories_are_known() {
        for (program, expected) in [
            ("/usr/bin/jq", true),
            ("/bin/cat", true),
            ("/usr/local/bin/jq", false),
            ("/opt/homebrew/bin/jq", false),
            ("/home/u/bin/usr/bin/jq", false),
            ("jq", false),
        ] {
            assert_eq!(is_of_unix(program.as_bytes()), expected, "{program}");
        }
        for (program, expected) in [
            (r"C:\Windows\System32\find.exe", true),
            (r"c:\windows\system32\sort.exe", true),
            ("C:/Windows/System32/sort.exe", true),
            (r"C:\Windows\find.exe", false),
            (r"C:\Program Files\Git\usr\bin\grep.exe", true),
            (r"D:\scoop\apps\git\usr\bin\grep.exe", true),
            (r"C:\Program Files\Git\mingw64\bin\curl.exe", false),
            (r"C:\Users\u\bin\jq.exe", false),
            (r"C:\msys64\usr\bin\grep.exe", false),
        ] {
            assert_eq!(is_of_windows(program.as_bytes(), br"C:\WINDOWS\"), expected, "{program}");
        }
    }
}
