//! Scripts that try one command and take another where it fails: `stat -c %Y x 2>/dev/null || stat -f %m x`.

use std::collections::HashSet;

use hookshell_syntax::ast::{
    Assignment, Command, Compound, IfClause, List, Pipeline, Redirection, RedirectionFd, RedirectionKind, SimpleCommand,
};

use crate::check::walk::{self, Visitor};

/// Commands that do the same on different systems.
const COUNTERPARTS: [&[&str]; 12] = [
    &["md5sum", "md5", "shasum", "openssl"],
    &["sha1sum", "sha256sum", "sha512sum", "shasum", "openssl", "gsha256sum"],
    &["nproc", "sysctl", "getconf"],
    &["date", "gdate", "python3", "perl"],
    &["stat", "gstat"],
    &["sed", "gsed", "perl"],
    &["readlink", "realpath", "greadlink", "grealpath", "python3", "perl"],
    &["timeout", "gtimeout", "perl"],
    &["xdg-open", "open", "start"],
    &["pbcopy", "xclip", "xsel", "wl-copy", "clip", "clip.exe"],
    &["osascript", "notify-send", "powershell", "powershell.exe"],
    &["afplay", "paplay", "aplay", "say", "spd-say", "play"],
];

/// Is what stands after `||` done instead of what failed, and no answer to its failure?
pub(super) fn is_alternative(tried: &Pipeline, instead: &Pipeline, functions: &HashSet<String>) -> bool {
    if ends(instead) || is_nothing(instead) {
        return false;
    }
    let (tried_names, instead_names) = (names(tried), names(instead));
    let is_same = tried_names.iter().any(|name| {
        instead_names.iter().any(|other| {
            name == other || COUNTERPARTS.iter().any(|list| list.contains(&&**name) && list.contains(&&**other))
        })
    });
    is_same || is_silenced(tried) && !instead_names.iter().any(|name| functions.contains(name))
}

/// The commands that the conditions of an `if` try out: `if date --version >/dev/null 2>&1; then …; else …; fi`.
pub(super) fn tried(clause: &IfClause) -> Vec<String> {
    let mut tries = Tries::default();
    clause.branches.iter().for_each(|(condition, _)| tries.list(condition));
    tries.names
}

#[derive(Default)]
struct Tries {
    names: Vec<String>,
    /// Is it the value of an assignment that is looked at: `if x=$(stat -c %Y f 2>/dev/null); then`?
    is_value: bool,
}

impl Visitor for Tries {
    fn simple(&mut self, simple: &SimpleCommand) {
        let asks = walk::words(simple).skip(1).any(|word| word.literal().is_some_and(|text| *text == *b"--version"));
        let is_silent = |redirection| discards_output(redirection) || self.is_value && discards_messages(redirection);
        if (asks || simple.redirections.iter().any(is_silent))
            && let Some(name) = simple.literal_name()
            && !matches!(&*name, b"grep" | b"egrep" | b"fgrep" | b"jq")
        {
            self.names.push(super::base_name(&String::from_utf8_lossy(&name)).to_owned());
        }
        walk::simple(self, simple);
    }

    fn assignment(&mut self, assignment: &Assignment) {
        let is_value = std::mem::replace(&mut self.is_value, true);
        walk::assignment(self, assignment);
        self.is_value = is_value;
    }
}

/// The names of the commands in a pipeline, at any depth.
fn names(pipeline: &Pipeline) -> Vec<String> {
    let mut names = Names::default();
    names.pipeline(pipeline);
    names.0
}

#[derive(Default)]
struct Names(Vec<String>);

impl Visitor for Names {
    fn simple(&mut self, simple: &SimpleCommand) {
        let name = simple.literal_name().map(|name| String::from_utf8_lossy(&name).into_owned());
        self.0.extend(name.map(|name| super::base_name(&name).to_owned()).filter(|name| !is_common(name)));
        walk::simple(self, simple);
    }
}

/// What stands on both sides and says nothing of what is done.
fn is_common(name: &str) -> bool {
    matches!(
        name,
        "echo" | "printf" | "cat" | "[" | "test" | "cd" | "cut" | "head" | "tr" | "grep" | "jq" | "exit" | "awk"
    )
}

/// Are its messages thrown away?
fn is_silenced(pipeline: &Pipeline) -> bool {
    let redirections = pipeline.stages.iter().flat_map(|stage| match &stage.command {
        Command::Simple(simple) => simple.redirections.as_slice(),
        Command::Compound(compound) => compound.redirections.as_slice(),
        Command::Function(_) => &[],
    });
    redirections.into_iter().any(discards_messages)
}

fn discards_messages(redirection: &Redirection) -> bool {
    match &redirection.kind {
        RedirectionKind::Write(word) | RedirectionKind::Append(word) => {
            matches!(redirection.fd, Some(RedirectionFd::Number(2))) && is_null(word)
        }
        RedirectionKind::WriteBoth(word) | RedirectionKind::AppendBoth(word) => is_null(word),
        _ => false,
    }
}

/// Is its output thrown away?
fn discards_output(redirection: &Redirection) -> bool {
    match &redirection.kind {
        RedirectionKind::Write(word) | RedirectionKind::Append(word) => {
            matches!(redirection.fd, None | Some(RedirectionFd::Number(1))) && is_null(word)
        }
        RedirectionKind::WriteBoth(word) | RedirectionKind::AppendBoth(word) => is_null(word),
        _ => false,
    }
}

fn is_null(word: &hookshell_syntax::ast::Word) -> bool {
    word.literal().is_some_and(|text| *text == *b"/dev/null")
}

/// Does it do nothing: `true`, `:`?
fn is_nothing(pipeline: &Pipeline) -> bool {
    matches!(&*pipeline.stages, [stage] if matches!(&stage.command, Command::Simple(simple)
        if simple.literal_name().is_some_and(|name| matches!(&*name, b"true" | b":" | b"false"))))
}

/// Does it leave the script or function: `exit 0`, or a group that ends so?
pub(super) fn ends(pipeline: &Pipeline) -> bool {
    let [stage] = &*pipeline.stages else { return false };
    match &stage.command {
        Command::Simple(simple) => {
            simple.literal_name().is_some_and(|name| matches!(&*name, b"exit" | b"return" | b"continue" | b"break"))
        }
        Command::Compound(compound) => match &compound.kind {
            Compound::Brace(list) => list_ends(list),
            _ => false,
        },
        Command::Function(_) => false,
    }
}

/// Does the condition hold where the command fails: `if ! date -d now; then`?
pub(super) fn is_negated(condition: &List) -> bool {
    condition.items.last().is_some_and(|item| item.and_or.rest.is_empty() && item.and_or.first.negated)
}

/// Does the list leave the script or function?
pub(super) fn list_ends(list: &List) -> bool {
    list.items.last().is_some_and(|item| item.and_or.rest.is_empty() && ends(&item.and_or.first))
}
