//! What programs do with the words that they are given: which of them start another program, and where that stands.
//!
//! Sources: the manuals of GNU coreutils 9, findutils 4.10, util-linux 2.40, sudo 1.9, OpenSSH 9, Docker 27, kubectl 1.31, Git 2.47,
//! GNU parallel, strace 6, BusyBox 1.36; of the others what `--help` says.

mod others;
mod plain;
mod wrappers;

use self::others::other;
use self::plain::plain;
pub(crate) use self::plain::writes_files;

pub use self::wrappers::{Effect, Wrapper, wrapper};
pub(crate) use self::wrappers::{XARGS, after};

/// What a program does with its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// They are data for it.
    Plain,
    /// After its options stands a command.
    Wrapper(Wrapper),
    /// It is a shell: `-c` is code, and so is standard input.
    Shell,
    /// It runs programs of a language that is not the shell's.
    Language(Language),
    /// These of its options take a command line.
    Optioned(&'static [&'static str]),
    /// After one of these subcommands stands a command.
    Subcommands(&'static [&'static str]),
    /// It starts programs in ways that are not told here.
    Starter,
    /// It has rules of its own.
    Special(Special),
}

/// Languages whose programs stand in an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    Perl,
    Ruby,
    Node,
    Php,
    Lua,
    Awk,
    Sed,
    /// One that is not known here: its code cannot be judged.
    Other,
}

/// Programs with rules of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Git,
    Find,
    Xargs,
    Env,
    Command,
    Eval,
    Source,
    Trap,
    Alias,
    /// Builtins of a shell that take code, or a program's path, with some options: `bind -x`.
    CodeOptions(&'static str),
    /// What evaluates a text as arithmetic or as the name of a variable.
    Evaluates,
    /// What cannot be judged, whatever its words are.
    Unknowable,
    /// A shell on another machine or in another session.
    Remote,
    Make,
    Cmd,
    PowerShell,
    /// Editors that can start a shell.
    Editor,
    /// Names another name for a file.
    Copies,
    /// What writes a file of what it is given, or fetches.
    Writes,
    /// `cd`
    ChangesDirectory,
    /// What says where a program is.
    Locates,
}

/// What a program of this name does; `None` for one that is not known. The name has small letters, and no directory.
pub(crate) fn kind(name: &str) -> Option<Kind> {
    let exact = known(name);
    if exact.is_some() {
        return exact;
    }
    // `python3.12`, `clang-18`
    let stem = name.trim_end_matches(|last: char| last.is_ascii_digit() || matches!(last, '.' | '-'));
    if !stem.is_empty()
        && stem.len() < name.len()
        && let Some(kind) = known(stem)
    {
        return Some(kind);
    }
    // The loader of programs, and emulators: `/lib64/ld-linux-x86-64.so.2 /bin/rm x`
    if name.starts_with("ld-linux")
        || name.starts_with("ld-musl")
        || name.starts_with("ld.so")
        || name.starts_with("ld-")
    {
        let long = &["--library-path", "--inhibit-rpath", "--audit", "--preload", "--argv0"];
        return Some(Kind::Wrapper(after("", long, 0)));
    }
    if name.starts_with("qemu-") {
        return Some(Kind::Starter);
    }
    None
}

fn known(name: &str) -> Option<Kind> {
    // Of a wrapper with rules of its own (`env -S`) the table knows less.
    other(name).or_else(|| wrapper(name).map(Kind::Wrapper)).or_else(|| plain(name).then_some(Kind::Plain))
}

/// Is it a wrapper, an interpreter or another program that starts programs?
pub(crate) fn starts(name: &str) -> bool {
    !matches!(
        kind(name),
        None | Some(
            Kind::Plain
                | Kind::Special(
                    Special::Copies
                        | Special::Writes
                        | Special::ChangesDirectory
                        | Special::Locates
                        | Special::Evaluates
                )
        )
    )
}

#[cfg(test)]
mod tests {
    use super::{Kind, Language, kind, starts};

    #[test]
    fn versions_are_no_part_of_a_name() {
        assert_eq!(kind("python3.12"), Some(Kind::Language(Language::Python)));
        assert_eq!(kind("bash5"), Some(Kind::Shell));
        assert_eq!(kind("7z"), Some(Kind::Plain));
        assert_eq!(kind("no-such-program"), None);
        assert!(starts("ld-linux-x86-64.so.2") && starts("qemu-x86_64") && !starts("echo"));
    }
}
