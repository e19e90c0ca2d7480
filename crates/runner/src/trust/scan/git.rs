//! What git runs: what its options, its configuration and its hooks say.

use std::io;
use std::path::{Path, PathBuf};

use super::Use;
use super::command::Reader;
use super::source::Source;
use super::word::{Values, is_known};
use crate::read_file::read_regular;

/// The most that is read of a `.git` that is a file.
const GITDIR_LIMIT: u64 = 64 * 1024;
/// The most that is read of a config.
const CONFIG_LIMIT: u64 = 1024 * 1024;

/// Subcommands that run nothing but what the configuration and the hooks say.
const SUBCOMMANDS: &[&str] = &[
    "rev-parse",
    "status",
    "diff",
    "log",
    "show",
    "branch",
    "ls-files",
    "ls-tree",
    "cat-file",
    "rev-list",
    "config",
    "symbolic-ref",
    "describe",
    "merge-base",
    "name-rev",
    "remote",
    "add",
    "reset",
    "restore",
    "checkout",
    "switch",
    "stash",
    "commit",
    "tag",
    "fetch",
    "push",
    "pull",
    "blame",
    "shortlog",
    "hash-object",
    "update-index",
    "update-ref",
    "diff-index",
    "diff-files",
    "diff-tree",
    "for-each-ref",
    "show-ref",
    "show-branch",
    "reflog",
    "worktree",
    "check-ignore",
    "check-attr",
    "apply",
    "clean",
    "rm",
    "mv",
    "init",
    "version",
    "var",
    "write-tree",
    "read-tree",
    "count-objects",
    "merge",
    "cherry-pick",
    "revert",
    "grep",
    "ls-remote",
    "whatchanged",
    "diff-pairs",
    "cherry",
    "range-diff",
    "verify-commit",
    "fsck",
    "gc",
    "notes",
    "am",
    "format-patch",
    "commit-tree",
    "stripspace",
    "interpret-trailers",
    "check-ref-format",
    "mktree",
    "rebase",
    "clone",
];

impl Source<'_, '_> {
    pub(super) fn git(&mut self, words: &[Values], shown: &[String]) -> Reader {
        let mut at = 0;
        while let Some(values) = words.get(at) {
            let Some(word) = values.first() else { break };
            if !word.starts_with(b"-") {
                break;
            }
            let shown_word = shown.get(at).cloned().unwrap_or_default();
            at += 1;
            let next = words.get(at).cloned().unwrap_or_default();
            let next_shown = shown.get(at).cloned().unwrap_or_default();
            match &word[..] {
                b"-C" => {
                    self.change_dir(&[next], &next_shown);
                    at += 1;
                }
                b"-c" => {
                    at += 1;
                    if !is_known(&next) {
                        self.unknown(if next_shown.is_empty() { "the setting of `git -c`" } else { &next_shown });
                    }
                    next.iter().for_each(|setting| self.git_setting(setting));
                }
                b"--git-dir" | b"--work-tree" | b"--namespace" | b"--super-prefix" | b"--attr-source" => {
                    at += 1;
                    self.git_dir(&next, &next_shown);
                }
                _ if word.starts_with(b"--git-dir=") || word.starts_with(b"--work-tree=") => {
                    let value = word.splitn(2, |byte| *byte == b'=').nth(1).unwrap_or_default().to_vec();
                    self.git_dir(&vec![value], &shown_word);
                }
                _ if word.starts_with(b"--exec-path=") || word.starts_with(b"--config-env") || !is_known(values) => {
                    self.files_in_value(&word.clone(), Use::Given);
                    self.scan.uncertain(format!("what `git {shown_word}` runs"));
                }
                b"-p"
                | b"-P"
                | b"-h"
                | b"--paginate"
                | b"--no-pager"
                | b"--no-optional-locks"
                | b"--literal-pathspecs"
                | b"--glob-pathspecs"
                | b"--noglob-pathspecs"
                | b"--icase-pathspecs"
                | b"--no-replace-objects"
                | b"--no-lazy-fetch"
                | b"--version"
                | b"--help" => {}
                _ => self.scan.uncertain(format!("what `git {shown_word}` runs")),
            }
        }
        self.repositories();
        let rest = words.get(at..).unwrap_or_default();
        let Some((subcommand, operands)) = rest.split_first() else { return Reader::pure() };
        let shown_subcommand = shown.get(at).cloned().unwrap_or_default();
        if !is_known(subcommand) {
            self.unknown(&shown_subcommand);
        }
        for name in subcommand.iter().filter(|name| !name.contains(&0)) {
            let name = String::from_utf8_lossy(name).into_owned();
            if !SUBCOMMANDS.contains(&&*name) {
                self.scan.uncertain(format!("what `git {name}` runs"));
            }
            // These take a program, in whatever way it is spelled.
            let takes_program: &[&[u8]] = match &*name {
                "fetch" | "pull" | "ls-remote" | "clone" => {
                    &[b"--upl", b"--exec", b"-u", b"ext::", b"--conf", b"-c", b"--templ"]
                }
                "push" => &[b"--rec", b"--exec", b"ext::"],
                "rebase" => &[b"-x", b"--ex", b"-i", b"--int"],
                "grep" => &[b"-O", b"--open"],
                "diff" | "log" | "show" => &[b"--ext-diff"],
                "init" => &[b"--templ"],
                "worktree" => &[],
                _ => &[],
            };
            let uses = operands.iter().flatten().any(|word| takes_program.iter().any(|start| word.starts_with(start)));
            let sets = name == "config"
                && operands.iter().filter(|word| !word.iter().any(|word| word.starts_with(b"-"))).count() > 1;
            let edits = name == "config"
                && operands.iter().flatten().any(|word| matches!(&word[..], b"-e" | b"--edit" | b"edit"));
            let is_stash = name == "remote" && operands.iter().flatten().any(|word| word.starts_with(b"ext::"));
            if uses || edits || is_stash {
                operands.iter().flatten().for_each(|value| self.files_in_value(value, Use::Given));
                self.scan.uncertain(format!("what `git {name}` is told to run"));
            }
            if sets {
                let mut words = operands.iter().flatten().filter(|word| !word.starts_with(b"-"));
                if let (Some(key), Some(value)) = (words.next().cloned(), words.next().cloned()) {
                    self.git_setting(&[&key, &b"="[..], &value].concat());
                }
            }
        }
        for value in operands.iter().flatten() {
            self.path(value, Use::Read);
        }
        Reader::pure()
    }

    /// `-c key=value`
    fn git_setting(&mut self, setting: &[u8]) {
        let at = setting.iter().position(|byte| *byte == b'=').unwrap_or(setting.len());
        let (key, value) = setting.split_at(at);
        let value = value.get(1..).unwrap_or_default();
        if key.contains(&0) || runs(&key.to_ascii_lowercase(), value) {
            let code = value.strip_prefix(b"!").unwrap_or(value);
            self.path(code, Use::Started);
            self.files_in_value(code, Use::Given);
            self.files_in_line(code, Use::Given);
            self.scan.uncertain(format!("what `git -c {}` runs", String::from_utf8_lossy(setting)));
        }
    }

    /// `--git-dir`: its configuration is another one.
    fn git_dir(&mut self, values: &Values, shown: &str) {
        if !is_known(values) {
            self.unknown(shown);
        }
        for value in values {
            for name in [&b"/config"[..], b"/config.worktree", b"/hooks"] {
                self.path(&[&value[..], name].concat(), Use::Given);
            }
        }
        self.scan.uncertain(format!("what the configuration of git in {shown} runs"));
    }

    /// The repositories that the code may be in: their configuration counts where it says what is run, and their hooks.
    fn repositories(&mut self) {
        let count = Some(self.scan.dirs.len());
        if std::mem::replace(&mut self.scan.pass.repositories, count) == count {
            return;
        }
        let mut places: Vec<PathBuf> = Vec::new();
        for dir in self.scan.dirs.clone() {
            let root = self.scan.repository(&dir);
            let place = root.join(".git");
            let place = match place.is_file() {
                // A worktree, a submodule: `gitdir: PATH`.
                true => read_regular(&place, GITDIR_LIMIT)
                    .ok()
                    .and_then(|text| String::from_utf8(text).ok())
                    .and_then(|text| Some(root.join(text.strip_prefix("gitdir: ")?.trim())))
                    .unwrap_or(place),
                false => place,
            };
            // Without a `.git`, a directory that looks like one is a repository.
            let is_bare = |dir: &&Path| dir.join("HEAD").is_file() && dir.join("objects").is_dir();
            places.extend(dir.ancestors().take_while(|dir| self.scan.is_inside(dir)).find(is_bare).map(Path::to_owned));
            places.push(place);
        }
        places.sort();
        places.dedup();
        for place in places {
            if place.canonicalize().is_ok_and(|place| self.scan.is_inside(&place)) {
                self.repository_at(&place);
            }
        }
    }

    fn repository_at(&mut self, place: &Path) {
        for name in ["config", "config.worktree"] {
            let config = place.join(name);
            let text = match read_regular(&config, CONFIG_LIMIT) {
                Ok(text) => text,
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                    continue;
                }
                // Too long, no regular file, not to be read: git may think otherwise of it.
                Err(_) => {
                    self.scan.uncertain(format!("what {} says", config.display()));
                    continue;
                }
            };
            let settings = settings_that_run(&text);
            if settings.is_empty() {
                continue;
            }
            self.scan.file(&config, Use::Given);
            for (key, value) in settings {
                let code = value.strip_prefix(b"!").unwrap_or(&value).to_vec();
                self.files_in_value(&code, Use::Given);
                self.files_in_line(&code, Use::Given);
                if key.ends_with(b"path") {
                    self.scan.uncertain(format!(
                        "what {} of {} leads to",
                        String::from_utf8_lossy(&key),
                        config.display()
                    ));
                }
            }
        }
        let Ok(hooks) = std::fs::read_dir(place.join("hooks")) else { return };
        let mut hooks: Vec<PathBuf> =
            hooks.flatten().map(|hook| hook.path()).filter(|hook| hook.extension().is_none()).collect();
        hooks.sort();
        hooks.iter().for_each(|hook| self.scan.file(hook, Use::Given));
    }
}

/// Does a setting of git's say what is run, or where more settings are? `key` in lower case.
fn runs(key: &[u8], value: &[u8]) -> bool {
    const LAST: [&[u8]; 28] = [
        b"fsmonitor",
        b"sshcommand",
        b"pager",
        b"editor",
        b"askpass",
        b"hookspath",
        b"external",
        b"textconv",
        b"command",
        b"clean",
        b"smudge",
        b"process",
        b"driver",
        b"helper",
        b"program",
        b"cmd",
        b"gitproxy",
        b"uploadpack",
        b"receivepack",
        b"path",
        b"guitool",
        b"sendmailcmd",
        b"smtpserver",
        b"browser",
        b"templatedir",
        b"worktree",
        b"uploadpackfilter",
        b"packobjectshook",
    ];
    let first = key.split(|byte| *byte == b'.').next().unwrap_or_default();
    let last = key.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let harmless = value.trim_ascii().eq_ignore_ascii_case(b"false")
        || value.trim_ascii().eq_ignore_ascii_case(b"true")
        || value.trim_ascii().is_empty()
        || matches!(value.trim_ascii(), b"cat" | b":");
    // `[submodule "x"] path`
    let is_data = first == b"submodule" && matches!(last, b"path") || first == b"extensions";
    let is_pager = first == b"pager";
    (LAST.contains(&last) && !is_data || is_pager || first == b"alias" && value.trim_ascii().starts_with(b"!"))
        && !harmless
}

/// The settings of a configuration file that say what is run.
fn settings_that_run(text: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut section = Vec::new();
    let mut settings = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let mut line = line.trim_ascii();
        if let Some(rest) = line.strip_prefix(b"[") {
            let end = rest.iter().rposition(|byte| *byte == b']').unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            section = name.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default().to_ascii_lowercase();
            // `[core] fsmonitor = x` in one line.
            line = after.strip_prefix(b"]").unwrap_or_default().trim_ascii();
        }
        let at = line.iter().position(|byte| *byte == b'=').unwrap_or(line.len());
        let (key, value) = line.split_at(at);
        let key = [&section, &b"."[..], &key.trim_ascii().to_ascii_lowercase()].concat();
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        if runs(&key, value) {
            settings.push((key, value.to_vec()));
        }
    }
    settings
}
