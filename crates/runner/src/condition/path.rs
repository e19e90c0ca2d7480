//! A rule's pattern of paths, and the paths that it is for.

use std::path::Path;

use regex::Regex;

use super::{ConditionError, regex};
use crate::path_glob;

/// What the names of files are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum System {
    /// Drives, two separators, no case, and several names for one file.
    Windows,
    /// No case.
    MacOs,
    /// A name is its bytes.
    Unix,
}

impl System {
    pub(super) fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Unix
        }
    }

    fn has_case(self) -> bool {
        self == Self::Unix
    }
}

/// The specifier of a rule, for what it says of files.
#[derive(Debug, Clone)]
pub(super) struct PathPattern {
    regex: Regex,
    system: System,
}

impl PathPattern {
    pub(super) fn new(pattern: &str, system: System) -> Result<Self, ConditionError> {
        let flags = if system.has_case() { "" } else { "(?i)" };
        Ok(Self { regex: regex(&format!("{flags}{}", path_pattern(pattern, system)))?, system })
    }

    /// Is it for a tool's path, which may be relative to the first of the folders? What is below one of them may be written in
    /// the rule as it is there.
    pub(super) fn is_for(&self, path: &str, folders: &[&Path; 2]) -> bool {
        let folders = folders.map(|folder| {
            let folder = folder.to_string_lossy();
            self.system.wholes(&folder, "").into_iter().next().unwrap_or_default()
        });
        if self.system == System::Windows && path.split(['/', '\\']).any(is_short_name) {
            // Which file that is, is not known here, and a rule that cannot be judged must not switch a guard off.
            return true;
        }
        let below = |path: &str| {
            let relative = folders.iter().filter_map(|folder| path.strip_prefix(folder.trim_end_matches('/')));
            relative.filter_map(|rest| rest.strip_prefix('/')).any(|rest| self.regex.is_match(rest))
        };
        let mut wholes = folders.iter().flat_map(|folder| self.system.wholes(path, folder));
        wholes.any(|whole| self.regex.is_match(&whole) || below(&whole))
    }
}

impl System {
    /// The names that rules may have for a path which is relative to `folder`, if it is relative: whole, with slashes and without
    /// dots, and in small letters where letters have no case. On Windows it begins with `/c` for a drive, and with `/server/share`.
    fn wholes(self, path: &str, folder: &str) -> Vec<String> {
        let path = path.replace('\\', "/");
        let mut wholes = Vec::new();
        if self == Self::Windows {
            let path = without_prefix(&path);
            let drive = folder.get(..2).unwrap_or_default();
            match (drive_of(&path), local_share(&path)) {
                (Some((letter, rest)), _) if rest.starts_with('/') => wholes.push(format!("/{letter}{rest}")),
                (Some((letter, rest)), _) if drive.eq_ignore_ascii_case(&format!("/{letter}")) => {
                    wholes.push(format!("{folder}/{rest}"));
                }
                (Some((letter, rest)), _) => wholes.push(format!("/{letter}/{rest}")),
                (None, Some((letter, rest))) => wholes.push(format!("/{letter}{rest}")),
                (None, None) if path.starts_with("//") => wholes.push(path),
                // `/c/x` is Git Bash's, `\x` is on the drive that one is on.
                (None, None) if path.starts_with('/') => {
                    wholes.push(format!("{drive}{path}"));
                    wholes.push(path);
                }
                (None, None) => wholes.push(format!("{folder}/{path}")),
            }
        } else {
            let is_absolute = path.starts_with('/') || path.get(1..).is_some_and(|rest| rest.starts_with(":/"));
            wholes.push(if is_absolute { path } else { format!("{folder}/{path}") });
        }
        wholes
            .into_iter()
            .map(|whole| {
                let whole = without_dots(&whole, self);
                if self.has_case() { whole } else { whole.to_lowercase() }
            })
            .collect()
    }
}

/// A path of Windows without what says that it is read as it is: `//?/C:/x`, `//./C:/x`, `//?/UNC/server/share`.
fn without_prefix(path: &str) -> String {
    let rest = ["//?/", "//./", "/??/"].iter().find_map(|prefix| path.strip_prefix(prefix));
    match rest {
        Some(rest) if rest.get(..4).is_some_and(|unc| unc.eq_ignore_ascii_case("UNC/")) => {
            format!("/{}", rest.get(3..).unwrap_or_default())
        }
        Some(rest) => rest.to_owned(),
        None => path.to_owned(),
    }
}

/// The letter of a drive, or a pattern's `*`, and what is behind its colon.
fn drive_of(path: &str) -> Option<(char, &str)> {
    let mut characters = path.chars();
    let letter = characters.next().filter(|letter| letter.is_ascii_alphabetic() || matches!(letter, '*' | '?'))?;
    Some((letter, characters.as_str().strip_prefix(':')?))
}

/// A drive of this machine by its share: `//localhost/c$/x`.
fn local_share(path: &str) -> Option<(char, &str)> {
    let (host, rest) = path.strip_prefix("//")?.split_once('/')?;
    let mut characters = rest.chars();
    let letter = characters.next()?;
    let rest = characters.as_str().strip_prefix('$')?;
    (host.eq_ignore_ascii_case("localhost") || host == "127.0.0.1").then_some((letter, rest))
}

/// May it be the short name that Windows makes of a long one: `PROGRA~1`?
fn is_short_name(component: &str) -> bool {
    let stem = component.split_once('.').map_or(component, |(stem, _)| stem);
    let Some((front, number)) = stem.split_once('~') else { return false };
    !front.is_empty() && stem.len() <= 8 && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// A path without `.`, `..` and empty components. Windows takes dots and blanks off the end of a name, and what is behind a
/// colon is a stream of the same file.
fn without_dots(path: &str, system: System) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for component in path.split('/') {
        let name = match component {
            "." | ".." => component,
            _ if system == System::Windows => {
                component.split(':').next().unwrap_or_default().trim_end_matches(['.', ' '])
            }
            _ => component,
        };
        match name {
            "" | "." => {}
            ".." => _ = kept.pop(),
            other => kept.push(other),
        }
    }
    format!("{}{}", if path.starts_with('/') { "/" } else { "" }, kept.join("/"))
}

/// A pattern of paths as a regular expression.
fn path_pattern(pattern: &str, system: System) -> String {
    let mut pattern = pattern.replace('\\', "/");
    if system == System::Windows {
        pattern = without_prefix(&pattern);
        let front = pattern.trim_start_matches('/');
        if let Some((letter, rest)) = drive_of(front) {
            pattern = format!("//{letter}/{}", rest.trim_start_matches('/'));
        }
    }
    let pattern = pattern.strip_prefix("./").unwrap_or(&pattern);
    let (front, pattern) = if let Some(rest) = pattern.strip_prefix("~/") {
        ("(.*/)?", rest)
    } else if pattern.starts_with("//") {
        ("", pattern.get(1..).unwrap_or_default())
    } else if let Some(rest) = pattern.strip_prefix('/') {
        ("/?", rest)
    } else if !pattern.trim_end_matches('/').contains('/') {
        ("(.*/)?", pattern)
    } else {
        ("", pattern)
    };
    let pattern = pattern.trim_end_matches('/');
    let is_name = !pattern.rsplit('/').next().unwrap_or_default().contains('*');
    format!("^{front}{}{}$", path_glob::regex(pattern), if is_name { "(/.*)?" } else { "" })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{PathPattern, System};

    fn is_for(pattern: &str, path: &str, system: System) -> bool {
        let folder = Path::new(if system == System::Windows { r"C:\Work\Proj (x)" } else { "/w" });
        PathPattern::new(pattern, system).unwrap().is_for(path, &[folder, folder])
    }

    #[test]
    fn on_windows_a_file_has_many_names() {
        let names = [
            r"C:\Users\x\.env",
            "c:/users/x/.env",
            "/c/Users/X/.ENV",
            r"\Users\x\.env",
            r"\\?\C:\Users\x\.env",
            r"\\.\c:\Users\x\.env",
            r"C:\Users\x\.y\..\.env",
            r"C:\Users\\x\.\.env. .",
            r"C:\Users\x\.env::$DATA",
            r"..\..\Users\x\.env",
            r"C:..\..\Users\x\.env",
            r"\\localhost\C$\Users\x\.env",
        ];
        let rules = [
            r"C:\Users\x\.env",
            "c:/users/X/.env",
            "C:/Users/**",
            "//c/Users/x/.env",
            "//C:/Users/x/*",
            "/c/users/x/.env",
            r"\\?\C:\Users\x\.env",
            "//c/**/.env",
            "*:/Users/**",
            "~/.env",
            ".env",
            "**/.env",
        ];
        for name in names {
            for rule in rules {
                assert!(is_for(rule, name, System::Windows), "{rule}: {name}");
            }
            for rule in ["D:/Users/x/.env", "//d/**", "C:/Users/y/**", "*.environment", "src/**"] {
                assert!(!is_for(rule, name, System::Windows), "{rule}: {name}");
            }
        }
    }

    #[test]
    fn on_windows_what_is_in_the_project_is_relative_to_it() {
        for name in [
            r"src\a.py",
            "SRC/A.py",
            r"C:\Work\Proj (x)\src\a.py",
            "c:/work/proj (X)/Src/a.PY",
            "/c/work/Proj (x)/src/a.py",
            r"C:src\a.py",
        ] {
            for rule in ["src/**", "./src/*.py", "/src/**", r"src\**", "C:/Work/Proj (x)/**"] {
                assert!(is_for(rule, name, System::Windows), "{rule}: {name}");
            }
        }
        let cases = [
            ("src/**", r"D:src\a.py", false),
            ("D:/src/**", r"D:src\a.py", true),
            ("//server/share/**", r"\\Server\share\x", true),
            ("//server/share/**", r"\\?\UNC\server\share\x", true),
            // Which files these are, only the disk knows.
            (".env", r"C:\Users\x\ENV~1", true),
            (".env", r"C:\PROGRA~1\x", true),
            (".env", r"C:\Users\x\a~b", false),
            (".env", "x.env~", false),
        ];
        for (rule, name, expected) in cases {
            assert_eq!(is_for(rule, name, System::Windows), expected, "{rule}: {name}");
        }
    }

    #[test]
    fn letters_have_case_where_names_have() {
        assert!(is_for("Src/**", "/w/src/a.PY", System::MacOs));
        assert!(is_for(".env", "/W/.ENV", System::MacOs));
        assert!(!is_for("Src/**", "/w/src/a.PY", System::Unix));
        assert!(!is_for(".env", "/w/.ENV", System::Unix));
        assert!(!is_for(".env", "/w/.env.", System::Unix));
        assert!(!is_for(".env", "/w/ENV~1", System::Unix));
        assert!(is_for("/etc/*", "/etc/passwd", System::Unix));
    }
}
