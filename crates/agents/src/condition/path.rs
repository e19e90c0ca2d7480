//! A rule's pattern of paths, and the paths that it is for.

use std::path::Path;

use regex::Regex;

use super::files::{has_other_names, ignores_case, is_same, resolved};
use super::spelling::spellings;
use super::surroundings::Surroundings;
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
    /// The directories that all of its files are in; none: they may be anywhere.
    anchor: Anchor,
}

/// Where the files of a rule are.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Anchor {
    Anywhere,
    Absolute(String),
    /// Below the working directory or the project.
    Relative(String),
    Either(String),
}

impl PathPattern {
    pub(super) fn new(pattern: &str, system: System) -> Result<Self, ConditionError> {
        let flags = if system.has_case() { "" } else { "(?i)" };
        let regex = regex(&format!("{flags}{}", path_pattern(pattern, system)))?;
        Ok(Self { regex, system, anchor: anchor(pattern, system) })
    }

    /// May it be for a tool's path, which may be relative to the first of the directories? What is below one of them may be written in
    /// the rule as it is there. Links are followed, and a file that may be any is one of the rule's.
    pub(super) fn is_for(&self, path: &str, around: &Surroundings<'_>) -> bool {
        let directories = &around.directories;
        if path.contains('\0') || self.may_be_other_letters(path) {
            return true;
        }
        if self.system == System::Windows && path.split(['/', '\\']).any(is_short_name) {
            // Which file that is, is not known here, and a rule that cannot be judged must not switch a guard off.
            return true;
        }
        let Some(spellings) = spellings(path, around, self.system) else { return true };
        spellings.iter().any(|path| self.is_named(path, directories) || self.is_on_disk(path, directories))
    }

    /// May a search below a directory find a file of the rule?
    pub(super) fn may_be_below(&self, directory: &str, glob: Option<&str>, around: &Surroundings<'_>) -> bool {
        let directories = &around.directories;
        let anchors = match &self.anchor {
            Anchor::Anywhere => return true,
            Anchor::Absolute(path) => vec![path.clone()],
            Anchor::Relative(path) => below(path, directories),
            Anchor::Either(path) => {
                let mut all = below(path, directories);
                all.push(path.clone());
                all
            }
        };
        // The directory that the glob begins with.
        let special = |part: &&str| part.contains(['*', '?', '[', '{', '(', '!', '\\']);
        let front: Vec<&str> = glob.unwrap_or_default().split('/').take_while(|part| !special(part)).collect();
        let front = front.join("/");
        let root = match glob {
            Some(glob) if glob.starts_with(['/', '~', '$']) || glob.contains(':') => front,
            Some(_) if directory.is_empty() => front,
            Some(_) => format!("{directory}/{front}"),
            None => directory.to_owned(),
        };
        let Some(spellings) = spellings(&root, around, self.system) else { return true };
        if self.may_be_other_letters(&root) {
            return true;
        }
        let is_related = |root: &str, anchor: &str| is_prefix(root, anchor) || is_prefix(anchor, root);
        for root in &spellings {
            for directory in directories {
                let directory = self.system.whole_directory(directory);
                for root in self.system.wholes(root, &directory) {
                    let real_root = self.is_here().then(|| resolved(Path::new(&root))).flatten();
                    for anchor in anchors.iter().flat_map(|anchor| self.system.wholes(anchor, &directory)) {
                        if is_related(&root, &anchor) {
                            return true;
                        }
                        let Some(real_root) = &real_root else { continue };
                        let Some(real_anchor) = resolved(Path::new(&anchor)) else { return true };
                        if real_root.starts_with(&real_anchor) || real_anchor.starts_with(real_root) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    fn is_here(&self) -> bool {
        self.system == System::here()
    }

    /// Is a path one of the rule's, by its text?
    fn is_named(&self, path: &str, directories: &[&Path; 2]) -> bool {
        let directories = directories.map(|directory| self.system.whole_directory(directory));
        let below = |path: &str| {
            let relative =
                directories.iter().filter_map(|directory| path.strip_prefix(directory.trim_end_matches('/')));
            relative.filter_map(|rest| rest.strip_prefix('/')).any(|rest| self.matches(rest))
        };
        let mut wholes = directories.iter().flat_map(|directory| {
            let mut wholes = self.system.wholes(path, directory);
            // A backslash is a letter of a name, or separates.
            if self.system != System::Windows && path.contains('\\') {
                wholes.push(self.system.whole_of_letters(path, directory));
            }
            wholes
        });
        wholes.any(|whole| self.matches(&whole) || below(&whole))
    }

    /// A directory is all that is in it.
    fn matches(&self, path: &str) -> bool {
        self.regex.is_match(path) || self.regex.is_match(&format!("{path}/"))
    }

    /// Is a path one of the rule's, where it leads to on the disk?
    fn is_on_disk(&self, path: &str, directories: &[&Path; 2]) -> bool {
        if !self.is_here() {
            return false;
        }
        let real_directories =
            directories.map(|directory| resolved(directory).unwrap_or_else(|| directory.to_path_buf()));
        let [first, second] = &real_directories;
        let real_directories: [&Path; 2] = [first, second];
        let text = if self.system == System::Windows { path.replace('/', "\\") } else { path.to_owned() };
        for directory in directories {
            let whole = directory.join(&text);
            // Links without an end.
            let Some(real) = resolved(&whole) else { return true };
            if has_other_names(&real) {
                return true;
            }
            let Some(name) = real.to_str() else { return true };
            if real != whole && (self.is_named(name, directories) || self.is_named(name, &real_directories)) {
                return true;
            }
            // Where the rule's own directory is a link, or its name is one of several.
            let anchors = match &self.anchor {
                Anchor::Anywhere => Vec::new(),
                Anchor::Absolute(anchor) => vec![anchor.clone()],
                Anchor::Relative(anchor) => below(anchor, directories),
                Anchor::Either(anchor) => {
                    let mut all = below(anchor, directories);
                    all.push(anchor.clone());
                    all
                }
            };
            for anchor in anchors {
                let Some(real_anchor) = resolved(Path::new(&anchor)) else { return true };
                for ancestor in real.ancestors() {
                    if ancestor == real_anchor || is_same(ancestor, &real_anchor) {
                        let rest = real.strip_prefix(ancestor).unwrap_or(Path::new(""));
                        let renamed = Path::new(&anchor).join(rest);
                        if renamed.to_str().is_none_or(|renamed| self.is_named(renamed, directories)) {
                            return true;
                        }
                    }
                }
            }
            // A file system that knows no case, where others do.
            if self.system.has_case() && ignores_case(&real) {
                let Ok(regex) = regex(&format!("(?i){}", self.regex.as_str())) else { return true };
                if (Self { regex, ..self.clone() }).is_named(name, directories) {
                    return true;
                }
            }
        }
        false
    }

    /// Letters that a file system may take for others: macOS composes and folds them, and leaves some out.
    fn may_be_other_letters(&self, path: &str) -> bool {
        !self.system.has_case() && path.chars().any(|c| {
            matches!(c, '\u{17f}' | '\u{212a}' | '\u{df}' | '\u{1e9e}' | '\u{fb00}'..='\u{fb06}' | '\u{300}'..='\u{36f}'
                    | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
                || !c.is_ascii() && !self.regex.as_str().is_ascii()
        })
    }
}

/// Paths below the directories.
fn below(path: &str, directories: &[&Path; 2]) -> Vec<String> {
    directories
        .iter()
        .map(|directory| directory.join(path.trim_start_matches('/')).to_string_lossy().into_owned())
        .collect()
}

fn is_prefix(front: &str, path: &str) -> bool {
    let front = front.trim_end_matches('/');
    path.strip_prefix(front).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The directory that a pattern begins with, as far as it is no pattern.
fn anchor(pattern: &str, system: System) -> Anchor {
    let pattern = pattern.replace('\\', "/");
    if system == System::Windows && (drive_of(pattern.trim_start_matches('/')).is_some() || pattern.starts_with("//")) {
        // Its drives and shares have several names.
        return Anchor::Anywhere;
    }
    let pattern = pattern.strip_prefix("./").unwrap_or(&pattern);
    let front: Vec<&str> = pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
    let front = front.join("/");
    let is_name = !pattern.trim_end_matches('/').contains('/');
    match front.trim_end_matches('/') {
        _ if pattern.starts_with("~/") || is_name => Anchor::Anywhere,
        "" => Anchor::Anywhere,
        front if front.starts_with("//") => Anchor::Absolute(front.get(1..).unwrap_or_default().to_owned()),
        front if front.starts_with('/') => Anchor::Either(front.to_owned()),
        front => Anchor::Relative(front.to_owned()),
    }
}

impl System {
    /// A directory as paths begin with it.
    fn whole_directory(self, directory: &Path) -> String {
        self.wholes(&directory.to_string_lossy(), "").into_iter().next().unwrap_or_default()
    }

    /// A path in which a backslash is a letter.
    fn whole_of_letters(self, path: &str, directory: &str) -> String {
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("{directory}/{path}") };
        let whole = without_dots(&whole, self);
        if self.has_case() { whole } else { whole.to_lowercase() }
    }

    /// The names that rules may have for a path which is relative to `dir`, if it is relative: whole, with slashes and without
    /// dots, and in small letters where letters have no case. On Windows it begins with `/c` for a drive, and with `/server/share`.
    fn wholes(self, path: &str, dir: &str) -> Vec<String> {
        let path = path.replace('\\', "/");
        let mut wholes = Vec::new();
        if self == Self::Windows {
            let path = without_prefix(&path);
            let drive = dir.get(..2).unwrap_or_default();
            match (drive_of(&path), local_share(&path)) {
                (Some((letter, rest)), _) if rest.starts_with('/') => wholes.push(format!("/{letter}{rest}")),
                (Some((letter, rest)), _) if drive.eq_ignore_ascii_case(&format!("/{letter}")) => {
                    wholes.push(format!("{dir}/{rest}"));
                }
                (Some((letter, rest)), _) => wholes.push(format!("/{letter}/{rest}")),
                (None, Some((letter, rest))) => wholes.push(format!("/{letter}{rest}")),
                (None, None) if path.starts_with("//") => wholes.push(path),
                // `/c/x` is Git Bash's, `\x` is on the drive that one is on.
                (None, None) if path.starts_with('/') => {
                    wholes.push(format!("{drive}{path}"));
                    wholes.push(path);
                }
                (None, None) => wholes.push(format!("{dir}/{path}")),
            }
        } else {
            let is_absolute = path.starts_with('/') || path.get(1..).is_some_and(|rest| rest.starts_with(":/"));
            wholes.push(if is_absolute { path } else { format!("{dir}/{path}") });
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

/// The letter of a drive, or a pattern's `*`, and what is after its colon.
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

/// A path without `.`, `..` and empty components. Windows takes dots and blanks off the end of a name, and what is after a
/// colon is a stream of the same file.
pub(super) fn without_dots(path: &str, system: System) -> String {
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
    use crate::condition::surroundings::Surroundings;

    fn is_for(pattern: &str, path: &str, system: System) -> bool {
        let dir = Path::new(if system == System::Windows { r"C:\Work\Proj (x)" } else { "/w" });
        PathPattern::new(pattern, system).unwrap().is_for(path, &Surroundings { directories: [dir, dir], env: &[] })
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
