//! What git is told to run.

use super::{Shape, shape, with_env};

/// The shapes.
pub(super) fn git() -> Vec<Shape> {
    let mut all: Vec<Shape> = [
        "git -c core.fsmonitor=./tool status",
        "git -c core.fsmonitor='sh ./tool' status",
        "git -c alias.x='!./tool' x",
        "git -c alias.x='!sh ./tool' x",
        "git -c core.editor='sh ./tool' config -e",
        "git -c core.sshCommand='sh ./tool' ls-remote ssh://x/y",
        "git --config-env=core.fsmonitor=X status",
        "git add README.md; echo y >README.md; git -c diff.external=./tool diff",
        "git -c core.hooksPath=. status; git -c alias.y='!sh tool' y",
        "git ls-remote --upload-pack='sh ./tool' .",
        "git config alias.x '!./tool'; git x",
        "git config core.fsmonitor ./tool; git status",
        "git -C . -c core.fsmonitor=./tool status",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./tool git status",
        "GIT_CONFIG_PARAMETERS=\"'core.fsmonitor=./tool'\" git status",
        "git submodule foreach './tool' ; git -c alias.x='!./tool' x",
        "git bisect run ./tool; git -c alias.x='!./tool' x",
        "git grep -O./tool text -- README.md; git add README.md; git grep -O./tool text",
        "git difftool -y -x ./tool; echo x >>README.md; git add -N README.md; git difftool -y -x ./tool",
        "git rebase -x ./tool HEAD || git -c alias.x='!./tool' x",
        "GIT_EXTERNAL_DIFF=./tool git diff; git add README.md; echo x >README.md; GIT_EXTERNAL_DIFF=./tool git diff",
    ]
    .iter()
    .map(|command| with_env(shape("sh", "tool", command), "X", "./tool"))
    .collect();
    // Files of git's own.
    let config = |line: &str, command: &str, target: &str| {
        let mut one = shape("sh", target, command);
        one.harmless = "[core]\n\tbare = false\n".to_owned();
        one.changed = format!("[core]\n\tbare = false\n{line}\n");
        one
    };
    all.push(config("\tfsmonitor = \"@MARK@ #\"", "git status", ".git/config"));
    all.push(config("\tfsmonitor = \"@MARK@ #\"", "git -C sub status", ".git/config"));
    all.push(config("[alias]\n\tx = !@MARK@", "git x", ".git/config"));
    all.push(config("[alias]\n\tx = !@MARK@", "GIT_CONFIG_GLOBAL=lib.txt git x", "lib.txt"));
    all.push(config("[alias]\n\tx = !@MARK@", "HOME=$PWD/sub git x", "sub/.gitconfig"));
    all.push(config("[alias]\n\tx = !@MARK@", "XDG_CONFIG_HOME=sub git x", "sub/git/config"));
    all.push(config("\tfsmonitor = \"@MARK@ #\"", "GIT_CONFIG_GLOBAL=lib.txt git status", "lib.txt"));
    for (hook, command) in [
        ("post-index-change", "git add README.md"),
        ("pre-commit", "git commit -m x --allow-empty"),
        ("post-checkout", "git checkout -q -b x; git commit -qm x --allow-empty; git checkout -q -b y"),
        (
            "reference-transaction",
            "git symbolic-ref HEAD refs/heads/x; git -c user.name=a -c user.email=a@b commit -m x --allow-empty",
        ),
    ] {
        let mut one = shape("sh", &format!(".git/hooks/{hook}"), command);
        one.harmless = "#!/bin/sh\n:\n".to_owned();
        one.changed = "#!/bin/sh\n@MARK@\n".to_owned();
        all.push(one);
    }
    all
}
