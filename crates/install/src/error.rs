//! What keeps a config from being wired.

use std::io;
use std::path::PathBuf;

use hookshell_agents::config::not_a_directory_above;
use thiserror::Error;

/// A config that is no valid text of its format: where, and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Syntax {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

/// Why a file was left as it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The config does not parse.
    #[error("{}: {syntax}; it was left as it is: correct it first", path.display())]
    Syntax {
        /// The config.
        path: PathBuf,
        /// Where and why.
        syntax: Syntax,
    },
    /// It is not UTF-8.
    #[error("{}: it is not UTF-8; it was left as it is: save it as UTF-8 first", path.display())]
    NotText {
        /// The config.
        path: PathBuf,
    },
    /// A file has the name of a directory, or a link that leads nowhere.
    #[error("{}: {} is {}, and the directory must be there: move it away first", path.display(), file.display(), match file.is_symlink() {
        true => "a link that leads to no directory",
        false => "a file",
    })]
    NotDirectory {
        /// The path that was meant.
        path: PathBuf,
        /// The file.
        file: PathBuf,
    },
    /// It is a FIFO, a device or a directory.
    #[error("{}: it is not a regular file; it was left as it is: put a file in its place", path.display())]
    NotFile {
        /// The path.
        path: PathBuf,
    },
    /// It is larger than a config is.
    #[error("{}: it is larger than {limit} bytes; it was left as it is", path.display())]
    TooLarge {
        /// The config.
        path: PathBuf,
        /// How large a config may be.
        limit: u64,
    },
    /// It may not be written to.
    #[error("{}: it is read-only; it was left as it is: make it writable first", path.display())]
    ReadOnly {
        /// The config.
        path: PathBuf,
    },
    /// It is another user's.
    #[error("{}: it belongs to another user; it was left as it is: run this as that user", path.display())]
    NotOwned {
        /// The path.
        path: PathBuf,
    },
    /// Two agents read one file, and each would be wired by its own form.
    #[error("{}: it is the same file as {other}'s config ({}), whose hooks are wired there; it was left as it is: give each agent a file of its own", path.display(), target.display())]
    Shared {
        /// The path that was found.
        path: PathBuf,
        /// The file.
        target: PathBuf,
        /// The agent that comes first.
        other: &'static str,
    },
    /// A link leads where the config's owner does not write.
    #[error("{}: it leads to {}, which is outside of {whose}; it was left as it is: wire that file itself", path.display(), target.display())]
    LeadsOut {
        /// The path that was named.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// What it may not leave.
        whose: &'static str,
    },
    /// Somebody has written to it since it was read.
    #[error("{}: it was changed while hookshell worked on it; run the command again", path.display())]
    Changed {
        /// The config.
        path: PathBuf,
    },
    /// The file in which the original hooks are is gone.
    #[error("{}: the original hooks were in {}, which is missing; take them from the backup beside the config or from version control", path.display(), side.display())]
    NoOriginals {
        /// The config.
        path: PathBuf,
        /// The missing file.
        side: PathBuf,
    },
    /// The file that the agent's line names is gone, or has no hooks for the line's event: no hook runs.
    #[error("{}: {}", path.display(), lost(side, events, *is_known))]
    HooksLost {
        /// The config.
        path: PathBuf,
        /// The file that its hooks were moved to.
        side: PathBuf,
        /// The events that the file has no hooks for; none: it is missing.
        events: Vec<String>,
        /// Is it known on this machine what was in it?
        is_known: bool,
    },
    /// Hooks were added in the place of the agent's line, between hookshell's comments: what is there is dropped.
    #[error(
        "{}: hooks for {} were added between hookshell's comments, where `uninstall` would drop them; it was left as it is: take \
         them out, run `hookshell uninstall codex`, put them back and run `hookshell install codex`",
        path.display(), events.join(", ")
    )]
    HooksAdded {
        /// The config.
        path: PathBuf,
        /// Their events.
        events: Vec<String>,
    },
    /// A path that cannot stand in a command without quotes.
    #[error("{}: the path of its hooks, {word}, has characters that sh, cmd and PowerShell read differently; it was left as it is: move the config to a path of letters, digits and `._-`", path.display())]
    NotPlain {
        /// The config.
        path: PathBuf,
        /// The path.
        word: String,
    },
    /// The agent is too old for what is written.
    #[error(
        "{agent} {found} is older than {needed}, which the wiring needs; nothing was changed: update {agent} first"
    )]
    TooOld {
        /// What the agent is called.
        agent: &'static str,
        /// Its version.
        found: String,
        /// The version that it needs.
        needed: &'static str,
    },
    /// What would be written could not be taken back exactly.
    #[error("{}: its layout is one that hookshell could not give back exactly; it was left as it is", path.display())]
    NotReversible {
        /// The config.
        path: PathBuf,
    },
    /// The environment names no home directory.
    #[error("the environment names no directory of the user: set HOME (on Windows USERPROFILE)")]
    NoHome,
    /// The system refuses.
    #[error("{}: {what}: {}", path.display(), why(source))]
    Io {
        /// What was to be done.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Something that belongs to a config could not be written: the config is as it was.
    #[error("{}: it was left as it is: {cause}", path.display())]
    Left {
        /// The config.
        path: PathBuf,
        /// What could not be done, with another file.
        cause: Box<Error>,
    },
}

impl Error {
    /// The same where it kept something from being done for this config: it may be about a file that the user does not know.
    pub(crate) fn left(self, config: &std::path::Path) -> Self {
        let is_other = match &self {
            Self::Io { path, .. } | Self::NotDirectory { path, .. } => path != config,
            _ => false,
        };
        if is_other { Self::Left { path: config.to_owned(), cause: Box::new(self) } } else { self }
    }

    pub(crate) fn io(what: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match file_above(&path).filter(|_| is_of_path(&source)) {
            Some(file) => Self::NotDirectory { path, file },
            None => Self::Io { what, path, source },
        }
    }
}

/// That hooks are lost, and what to do.
fn lost(side: &std::path::Path, events: &[String], is_known: bool) -> String {
    let side = side.display();
    if events.is_empty() {
        let advice = match is_known {
            true => "`hookshell install` writes it again",
            false => "bring that file back, from version control or a backup",
        };
        return format!("its hooks were moved to {side}, which is missing, and none of them runs: {advice}");
    }
    let (lines, run) = if events.len() == 1 { ("line", "runs") } else { ("lines", "run") };
    let events = events.join(", ");
    let advice = match is_known {
        true => "`hookshell install` brings them back",
        false => "bring them back, from version control or a backup",
    };
    format!(
        "its {lines} for {events} {run} no hook, as there is none in {side}, where the hooks were moved: {advice}, or take the {lines} out"
    )
}

/// Why the system refuses, without its number and without the names of files of ours, and what to do.
fn why(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or(&text);
    let advice = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room there first",
        io::ErrorKind::ReadOnlyFilesystem => "make it writable first",
        io::ErrorKind::PermissionDenied => "see who may do that there",
        _ => return text.to_owned(),
    };
    format!("{text}: {advice}")
}

/// May an error be that a part of the path is no directory? (Windows does not tell it from one that is missing.)
fn is_of_path(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotADirectory | io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists)
}

/// The file that has the name of a directory that the path goes through, or the link there that leads nowhere.
pub(crate) fn file_above(path: &std::path::Path) -> Option<PathBuf> {
    not_a_directory_above(path, |_| false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_refuses_is_told_of_the_config_and_with_what_to_do() {
        let (config, backup) = (PathBuf::from("settings.json"), PathBuf::from("backup"));
        let full =
            || io::Error::new(io::ErrorKind::StorageFull, "No space left on device (os error 28) at path \".x.tmp\"");
        let io = |path: &PathBuf| Error::Io { what: "cannot write it", path: path.clone(), source: full() };
        assert_eq!(
            io(&backup).left(&config).to_string(),
            "settings.json: it was left as it is: backup: cannot write it: No space left on device: make room there first"
        );
        assert_eq!(
            io(&config).left(&config).to_string(),
            "settings.json: cannot write it: No space left on device: make room there first"
        );
        let changed = Error::Changed { path: backup }.left(&config);
        assert!(matches!(changed, Error::Changed { .. }), "{changed}");
    }
}
