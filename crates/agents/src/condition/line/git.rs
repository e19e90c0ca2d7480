//! git: its subcommands that start programs, and its aliases.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::super::surroundings::Surroundings;
use super::command::joined;
use super::{Fields, HOLE, Judge, Word};
use crate::read_file::read_regular;

/// Does git have this command? Another is an alias, or a program `git-NAME`.
fn is_known(command: &str) -> bool {
    const COMMANDS: &str = " add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore \
        check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree \
        config count-objects describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import fetch \
        fetch-pack filter-branch filter-repo fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep \
        hash-object help hook index-pack init init-db instaweb interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo \
        mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv \
        name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack \
        reflog refs remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm send-email \
        send-pack shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch \
        symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var \
        verify-commit verify-pack verify-tag version whatchanged worktree write-tree credential cvsserver daemon gui citool gitk \
        svn p4 quiltimport shell imap-send scalar absorb flow ";
    !command.contains(' ') && COMMANDS.contains(&format!(" {command} "))
}

/// Settings that no command stands in.
fn is_harmless(name: &str) -> bool {
    const PREFIXES: [&str; 29] = [
        "user.",
        "author.",
        "committer.",
        "color.",
        "advice.",
        "init.",
        "safe.",
        "http.",
        "https.",
        "push.",
        "pull.",
        "fetch.",
        "branch.",
        "commit.",
        "tag.",
        "gc.",
        "log.",
        "status.",
        "rebase.",
        "feature.",
        "index.",
        "pack.",
        "transfer.",
        "protocol.",
        "remote.",
        "url.",
        "merge.conflict",
        "diff.algorithm",
        "column.",
    ];
    const NAMES: [&str; 14] = [
        "core.quotepath",
        "core.autocrlf",
        "core.filemode",
        "core.longpaths",
        "core.ignorecase",
        "core.safecrlf",
        "core.eol",
        "core.symlinks",
        "core.bare",
        "core.excludesfile",
        "diff.renames",
        "diff.renamelimit",
        "rerere.enabled",
        "core.abbrev",
    ];
    let is_code = name.ends_with(".uploadpack")
        || name.ends_with(".receivepack")
        || name.ends_with(".vcs")
        || name.contains("template")
        || name.ends_with("sshcommand");
    !is_code && (PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || NAMES.contains(&name))
}

/// The most that is read of one of git's config files.
const CONFIG_LIMIT: u64 = 1024 * 1024;
/// For how many commands of a line that git does not have its configs are read: more may be any.
const LOOKED_UP_LIMIT: usize = 32;

/// May a command of git be an alias, or a misspelt command that git corrects (`help.autocorrect`)? Its files are asked: those of
/// the user, the system, and the repositories that the directories are in; and the settings that its environment has. One that
/// is there and cannot be read, or is no regular file, may have any.
fn may_be_alias(command: &str, directories: &[PathBuf], around: &Surroundings<'_>) -> bool {
    if has_alias(around.env) {
        return true;
    }
    // An empty one names no file.
    let variable = |name: &str| around.variable(name).filter(|value| !value.is_empty()).map(Path::new);
    let mut files = vec![PathBuf::from("/etc/gitconfig"), PathBuf::from("/usr/local/etc/gitconfig")];
    for home in ["HOME", "USERPROFILE"].into_iter().filter_map(variable) {
        files.push(home.join(".gitconfig"));
        files.push(home.join(".config/git/config"));
    }
    files.extend(variable("XDG_CONFIG_HOME").map(|directory| directory.join("git/config")));
    // Relative ones are relative to where git runs.
    let given = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter().filter_map(variable).map(Path::to_owned);
    let repositories = ["GIT_DIR", "GIT_COMMON_DIR"].into_iter().filter_map(variable).map(|own| own.join("config"));
    for file in given.chain(repositories) {
        files.extend(directories.iter().map(|directory| directory.join(&file)));
    }
    for directory in directories {
        for ancestor in directory.ancestors() {
            let own = ancestor.join(".git");
            // A worktree's is a file, and its config is elsewhere.
            if own.is_file() {
                return true;
            }
            if own.is_dir() {
                files.push(own.join("config"));
                files.push(own.join("config.worktree"));
            }
        }
    }
    files.iter().any(|file| {
        let text = match read_regular(file, CONFIG_LIMIT) {
            Ok(text) => text,
            // Who names it wants none.
            Err(_) if file == Path::new("/dev/null") => return false,
            Err(error) => return !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
        };
        let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
        let is_it = |line: &str| {
            let line = line.trim_start();
            line.strip_prefix(&*command.to_ascii_lowercase())
                .is_some_and(|rest| rest.trim_start().starts_with('=') || rest.trim().is_empty())
        };
        text.contains("[include")
            || text.contains("autocorrect")
            || text.contains("alias.")
            || text.contains("alias \"")
            || text.contains("[alias")
                && text.lines().any(|line| is_it(line) || line.contains(']') && line.split(']').skip(1).any(is_it))
    })
}

/// Does the environment itself set an alias (`GIT_CONFIG_KEY_0=alias.x`, and what `git -c` hands on)?
fn has_alias(env: &[(OsString, OsString)]) -> bool {
    env.iter().any(|(name, value)| {
        let value = || value.to_string_lossy().to_ascii_lowercase();
        match name.to_str() {
            Some("GIT_CONFIG_PARAMETERS") => {
                ["alias.", "include", "autocorrect"].iter().any(|key| value().contains(key))
            }
            Some(name) if name.starts_with("GIT_CONFIG_KEY_") => {
                ["alias.", "include", "help.autocorrect"].iter().any(|key| value().starts_with(key))
            }
            _ => false,
        }
    })
}

impl Judge<'_> {
    /// git's own words.
    pub(super) fn git(&mut self, arguments: &[Word]) {
        let mut rest = arguments;
        let mut leads_elsewhere = self.moves_gits_configs;
        while let Some((word, after)) = rest.split_first() {
            if word.fields == Fields::Any || word.text.first() == Some(&HOLE) {
                return self.found();
            }
            let text = word.text.as_slice();
            leads_elsewhere |= text == b"-C" || text.starts_with(b"--git-dir") || text.starts_with(b"--work-tree");
            rest = match text {
                b"-c" => {
                    self.setting(after.first());
                    after.get(1..).unwrap_or_default()
                }
                [b'-', b'c', setting @ ..] if !setting.is_empty() => {
                    self.setting(Some(&Word { text: setting.to_vec(), ..word.clone() }));
                    after
                }
                b"-C" | b"--git-dir" | b"--work-tree" | b"--namespace" | b"--super-prefix" | b"--attr-source" => {
                    if after.first().is_some_and(|word| word.fields == Fields::Any) {
                        return self.found();
                    }
                    after.get(1..).unwrap_or_default()
                }
                _ if text.starts_with(b"--config-env") || text.starts_with(b"--exec-path=") => return self.found(),
                b"--exec-path" | b"--version" | b"-v" | b"--help" | b"-h" | b"--html-path" | b"--man-path"
                | b"--info-path" => {
                    if self.is_substituted && text == b"--exec-path" && self.pattern.is_for_program(b"git") {
                        return self.found();
                    }
                    after
                }
                [b'-', ..] => after,
                _ => break,
            };
            if self.is_found {
                return;
            }
        }
        let Some((command, arguments)) = rest.split_first() else { return };
        let Some(command) = command.text().and_then(|text| std::str::from_utf8(text).ok()) else { return self.found() };
        if !is_known(command) {
            self.looked_up_aliases += 1;
            let is_too_many = self.looked_up_aliases > LOOKED_UP_LIMIT;
            if leads_elsewhere || is_too_many || may_be_alias(command, &self.directories, &self.around) {
                self.found();
            }
            // A program `git-NAME`.
            return;
        }
        for word in arguments {
            let text = word.text.as_slice();
            // `git clone 'ext::rm x'`
            if let Some(at) = text.windows(5).position(|part| part == b"ext::") {
                let code = Word { text: text.get(at + 5..).unwrap_or_default().to_vec(), ..word.clone() };
                // `% ` is a blank in a word there, and `%S` the service's name.
                if code.text.contains(&b'%') {
                    return self.found();
                }
                return self.code_word(Some(&code));
            }
        }
        self.git_command(command, arguments);
    }

    fn git_command(&mut self, command: &str, arguments: &[Word]) {
        let options: &[&str] = match command {
            "bisect" => {
                if arguments.first().is_some_and(|word| word.text == b"run") {
                    self.command(arguments.get(1..).unwrap_or_default());
                }
                return;
            }
            "submodule" => {
                let foreach = arguments.iter().position(|word| word.text == b"foreach");
                if let Some(at) = foreach {
                    let rest = arguments.get(at + 1..).unwrap_or_default();
                    let skip = rest.iter().take_while(|word| word.text.starts_with(b"--")).count();
                    let rest = rest.get(skip..).unwrap_or_default();
                    self.joined(rest);
                }
                return;
            }
            "hook" | "for-each-repo" | "filter-branch" | "daemon" | "shell" | "cvsserver" | "instaweb"
            | "send-email" | "p4" => {
                if arguments.iter().any(Word::has_hole)
                    || !arguments.is_empty() && command != "filter-branch" && command != "send-email" && command != "p4"
                {
                    return self.found();
                }
                for word in arguments {
                    let text = word.text.as_slice();
                    let value = text
                        .iter()
                        .position(|byte| *byte == b'=')
                        .map_or(text, |at| text.get(at + 1..).unwrap_or_default());
                    if value.iter().any(|byte| b" ;|&$`\n".contains(byte)) || self.pattern.is_mentioned(value) {
                        self.code(value);
                    }
                    if self.pattern.is_mentioned(value) {
                        return self.found();
                    }
                }
                return;
            }
            "config" => return self.settings(arguments),
            "rebase" => &["-x", "--exec"],
            "clone" | "init" => &["-u", "--upload-pack", "-c", "--config", "--template"],
            "fetch" | "pull" | "ls-remote" | "fetch-pack" => &["--upload-pack", "--exec"],
            "push" | "send-pack" => &["--receive-pack", "--exec"],
            "archive" => &["--exec"],
            "difftool" => &["-x", "--extcmd"],
            "grep" => &["-O", "--open-files-in-pager"],
            "interpret-trailers" | "lfs" | "filter-repo" | "maintenance" | "stash" => &[],
            _ => return,
        };
        for (index, word) in arguments.iter().enumerate() {
            let text = word.text.as_slice();
            let next = || arguments.get(index + 1).cloned().unwrap_or_else(Word::any);
            for option in options {
                let option = option.as_bytes();
                let equals = text.iter().position(|byte| *byte == b'=');
                let given = text.get(..equals.unwrap_or(text.len())).unwrap_or_default();
                let value = if option.starts_with(b"--") {
                    let is_it =
                        given == option || given.len() > 3 && given.starts_with(b"--") && option.starts_with(given);
                    match equals {
                        _ if !is_it => None,
                        Some(at) => {
                            Some(Word { text: text.get(at + 1..).unwrap_or_default().to_vec(), ..word.clone() })
                        }
                        None => Some(next()),
                    }
                } else {
                    let letter = option.get(1).copied().unwrap_or_default();
                    match text {
                        [b'-', letters @ ..] if !letters.starts_with(b"-") => {
                            letters.iter().position(|byte| *byte == letter).map(|at| match letters.get(at + 1..) {
                                Some(rest) if !rest.is_empty() => Word { text: rest.to_vec(), ..word.clone() },
                                _ => next(),
                            })
                        }
                        _ => None,
                    }
                };
                match (option, value) {
                    (_, None) => {}
                    (b"-c" | b"--config", value) => self.setting(value.as_ref()),
                    (b"--template", Some(_)) => return self.found(),
                    (_, value) => self.code_word(value.as_ref()),
                }
                if self.is_found {
                    return;
                }
            }
        }
    }

    /// `git config NAME VALUE`
    fn settings(&mut self, arguments: &[Word]) {
        let reads = |word: &Word| {
            matches!(
                word.text.as_slice(),
                b"--get"
                    | b"--get-all"
                    | b"--get-regexp"
                    | b"--list"
                    | b"-l"
                    | b"--unset"
                    | b"--unset-all"
                    | b"list"
                    | b"get"
                    | b"unset"
            )
        };
        if arguments.iter().any(reads) {
            return;
        }
        let operands: Vec<&Word> = arguments.iter().filter(|word| !word.text.starts_with(b"-")).collect();
        let is_name = |word: &&&Word| word.text.contains(&b'.') || word.has_hole();
        let Some(at) = operands.iter().position(|word| is_name(&word)) else { return };
        let value = operands.get(at + 1);
        if let (Some(name), Some(value)) = (operands.get(at), value) {
            let mut text = name.text.clone();
            text.push(b'=');
            text.extend_from_slice(&value.text);
            self.setting(Some(&Word { text, ..(*value).clone() }));
        }
    }

    /// `NAME=VALUE`, where the value may be a command.
    fn setting(&mut self, word: Option<&Word>) {
        let Some(word) = word else { return };
        let at = word.text.iter().position(|byte| *byte == b'=').unwrap_or(word.text.len());
        let name = String::from_utf8_lossy(word.text.get(..at).unwrap_or_default()).to_ascii_lowercase();
        let value = word.text.get(at + 1..).unwrap_or_default();
        let leads_elsewhere = name.starts_with("alias.")
            || matches!(&*name, "core.hookspath" | "help.autocorrect")
            || name.starts_with("include");
        if word.fields == Fields::Any || name.contains('\0') || leads_elsewhere {
            return self.found();
        }
        let is_remote_helper = |text: &[u8]| text.windows(2).any(|part| part == b"::");
        if is_remote_helper(value) || is_remote_helper(name.as_bytes()) {
            return self.found();
        }
        if is_harmless(&name) || matches!(value, b"" | b"true" | b"false") {
            return;
        }
        let value = Word { text: value.strip_prefix(b"!").unwrap_or(value).to_vec(), ..word.clone() };
        self.code_word(Some(&value));
        if self.pattern.is_mentioned(&joined(&[value])) && name != "core.editor" {
            self.found();
        }
    }
}
