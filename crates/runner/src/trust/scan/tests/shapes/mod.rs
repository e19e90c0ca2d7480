//! Ways in which a hook may run a file of its project: kinds and their spellings.

mod git;
mod languages;
mod places;
mod scripts;
mod shell;

use std::fmt;

use self::git::git;
use self::languages::{INCLUDES, LANGUAGES};
use self::places::{DIRECTORIES, WORDS};
use self::scripts::{lines, variables};
use self::shell::{SHELL, WRAPPERS};
use super::place::Place;
use crate::{EventKind, HookConfig, Origin};

/// A hook and a file that it may run.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    command: String,
    env: Vec<(String, String)>,
    args: Option<Vec<String>>,
    /// The file that is changed.
    pub(super) target: String,
    /// What it holds when the hook is trusted.
    pub(super) harmless: String,
    /// What it holds when the hook is run.
    pub(super) changed: String,
    /// Other files.
    pub(super) files: Vec<(String, String)>,
}

impl Shape {
    pub(super) fn hook(&self, place: &Place) -> HookConfig {
        let mut hook = HookConfig::new(EventKind::PreToolUse, place.filled(&self.command));
        hook.origin = Origin::Project;
        hook.env = self.env.iter().map(|(name, value)| (name.clone(), place.filled(value))).collect();
        hook.args = self.args.as_ref().map(|args| args.iter().map(|arg| place.filled(arg)).collect());
        hook
    }

    /// The programs that it needs.
    pub(super) fn needs(&self) -> Vec<String> {
        const PROGRAMS: [&str; 32] = [
            "python3", "node", "perl", "lua", "ruby", "php", "awk", "gawk", "mawk", "sed", "git", "make", "tar",
            "flock", "vim", "less", "ssh", "zsh", "dash", "ksh", "busybox", "script", "find", "xargs", "timeout",
            "setsid", "stdbuf", "jq", "rg", "socat", "ed", "parallel",
        ];
        let mut all = self.command.clone();
        all.extend(self.args.iter().flatten().flat_map(|arg| [" ", arg]));
        all.extend(self.files.iter().flat_map(|(_, text)| [" ", text.as_str()]));
        let words: Vec<&str> = all.split(|byte: char| !byte.is_ascii_alphanumeric()).collect();
        let needs = PROGRAMS.into_iter().filter(|name| words.contains(name));
        needs.map(str::to_owned).collect()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.command)?;
        if !self.env.is_empty() {
            write!(f, " env {:?}", self.env)?;
        }
        if let Some(args) = &self.args {
            write!(f, " args {args:?}")?;
        }
        let files: Vec<_> = self.files.iter().map(|(path, text)| format!("{path}: {text:?}")).collect();
        write!(f, " changes {} {}", self.target, files.join(", "))
    }
}

/// Code that marks that it ran, in a language.
fn marks(language: &str) -> &'static str {
    match language {
        "sh" => "@MARK@\n",
        "python" => "open('@MARKER@', 'w').write('ran')\n",
        "node" => "require('fs').writeFileSync('@MARKER@', 'ran')\n",
        "mjs" => "import fs from 'fs'; fs.writeFileSync('@MARKER@', 'ran')\n",
        "perl" => "open(my $f, '>', '@MARKER@'); print $f 'ran'; close $f; 1;\n",
        "lua" => "io.open('@MARKER@', 'w'):write('ran'):close()\n",
        "awk" => "BEGIN { print \"ran\" > \"@MARKER@\" }\n",
        "sed" => "1w @MARKER@\n",
        "make" => "all:\n\t@MARK@\n",
        "word" => "touch @MARKER@\n",
        other => panic!("{other}"),
    }
}

fn harmless(language: &str) -> &'static str {
    match language {
        "sh" => ":\n",
        "python" => "pass\n",
        "node" | "mjs" => "0\n",
        "perl" => "1;\n",
        "lua" => "local x = 1\n",
        "awk" => "BEGIN { }\n",
        "sed" => "1p\n",
        "make" => "all:\n\ttrue\n",
        "word" => "true\n",
        other => panic!("{other}"),
    }
}

fn shape(language: &str, target: &str, command: &str) -> Shape {
    Shape {
        command: command.to_owned(),
        env: Vec::new(),
        args: None,
        target: target.to_owned(),
        harmless: harmless(language).to_owned(),
        changed: marks(language).to_owned(),
        files: Vec::new(),
    }
}

fn with_file(mut shape: Shape, path: &str, text: &str) -> Shape {
    shape.files.push((path.to_owned(), text.to_owned()));
    shape
}

fn with_env(mut shape: Shape, name: &str, value: &str) -> Shape {
    shape.env.push((name.to_owned(), value.to_owned()));
    shape
}

/// All shapes: tables of spellings, and their products with names, places and wrappers.
pub(super) fn shapes() -> Vec<Shape> {
    let mut all = Vec::new();
    // A file that a shell reads, whatever it is called.
    for name in ["lib", "lib.txt", "lib.conf", "lib.json", "lib.sh", ".lib", "lib.py"] {
        for command in ["./F", ". ./F", "source ./F", "bash F", "sh <F", "cat F | sh", "bash -c '. ./F'", "eval . ./F"]
        {
            let command = command.replace('F', name);
            let mut one = shape("sh", name, &command);
            if command.starts_with("./") {
                one.harmless = format!("#!/bin/sh\n{}", one.harmless);
                one.changed = format!("#!/bin/sh\n{}", one.changed);
            }
            all.push(one);
        }
    }
    all.extend(SHELL.iter().map(|command| shape("sh", "lib.txt", &command.replace("FILE", "lib.txt"))));
    all.extend(DIRECTORIES.iter().map(|command| shape("sh", "sub/lib.txt", &command.replace("FILE", "lib.txt"))));
    // What starts something, before each of a few ways to run a file.
    for wrapper in WRAPPERS {
        for inner in ["bash lib.txt", "sh ./lib.txt", "bash -c '. ./lib.txt'", "bash -ec -- '. ./lib.txt'"] {
            all.push(shape("sh", "lib.txt", &format!("{wrapper} {inner}")));
        }
    }
    all.extend(lines());
    all.extend(variables());
    all.extend(WORDS.iter().map(|command| shape("word", "lib.txt", command)));
    for (language, target, command) in LANGUAGES {
        all.push(shape(language, target, command));
    }
    for (language, target, command, path, text) in INCLUDES {
        all.push(with_file(shape(language, target, command), path, text));
    }
    all.extend(git());
    // A program without a shell.
    for args in
        [&["lib.txt"][..], &["-c", ". ./lib.txt"], &["-c", "--", ". ./lib.txt"], &["-eo", "pipefail", "lib.txt"]]
    {
        let mut one = shape("sh", "lib.txt", "bash");
        one.args = Some(args.iter().map(|arg| (*arg).to_owned()).collect());
        all.push(one);
    }
    all
}
