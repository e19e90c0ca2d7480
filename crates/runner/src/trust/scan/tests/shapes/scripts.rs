//! Scripts that run others, and variables that name files.

use super::{Shape, shape, with_env, with_file};

/// `#!` lines of a script that does not change.
pub(super) fn lines() -> Vec<Shape> {
    let mut all = Vec::new();
    for (line, target, language) in [
        ("#!./interp", "interp", "#!sh"),
        ("#! ./interp", "interp", "#!sh"),
        ("#!./interp -x", "interp", "#!sh"),
        ("#!/usr/bin/env ./interp", "interp", "#!sh"),
        ("#!/usr/bin/env -S ./interp -x", "interp", "#!sh"),
        ("#!/usr/bin/env -S X=1 ./interp", "interp", "#!sh"),
        ("#!/usr/bin/env -S bash lib.txt", "lib.txt", "sh"),
        ("#!/usr/bin/env -S bash -e lib.txt", "lib.txt", "sh"),
        ("#!/usr/bin/env -S BASH_ENV=lib.txt bash", "lib.txt", "sh"),
        ("#!/usr/bin/env -iS /bin/bash lib.txt", "lib.txt", "sh"),
        ("#!/usr/bin/env -S env bash lib.txt", "lib.txt", "sh"),
        ("#!/bin/bash lib.txt", "lib.txt", "sh"),
        ("#!/bin/sh lib.txt", "lib.txt", "sh"),
        ("#!/usr/bin/awk -flib.txt", "lib.txt", "awk"),
        ("#!/bin/sed -flib.txt", "lib.txt", "sed"),
        ("#!/usr/bin/perl ./lib.txt", "lib.txt", "perl"),
        ("#!/usr/bin/env -S python3 lib.txt", "lib.txt", "python"),
        ("#!/usr/bin/env -S node --require ./lib.txt", "lib.txt", "node"),
        ("#!/usr/bin/env -S node -r ./lib.js", "lib.js", "node"),
    ] {
        for command in [
            "./run",
            "exec ./run",
            "\"$PWD/run\" x",
            "bash -c ./run",
            "env ./run",
            "find . -maxdepth 0 -exec ./run {} \\;",
            "PATH=.:$PATH; run",
        ] {
            let mut one = match language {
                "#!sh" => {
                    let mut one = shape("sh", target, command);
                    one.harmless = "#!/bin/sh\n:\n".to_owned();
                    one.changed = "#!/bin/sh\n@MARK@\n".to_owned();
                    one
                }
                language => shape(language, target, command),
            };
            one.files.push(("run".to_owned(), format!("{line}\n:\n")));
            all.push(one);
        }
    }
    // Scripts that run others.
    for text in [
        ". ./lib.txt",
        "cd sub; . ../lib.txt",
        ". \"$(dirname \"$0\")/lib.txt\"",
        ". \"${BASH_SOURCE%/*}/lib.txt\"",
        "D=${0%/*}; . $D/lib.txt",
        ". \"$D/lib.txt\"",
        "${RUN:-bash} lib.txt",
        "exec bash \"$1\"",
    ] {
        for command in [
            "./run lib.txt",
            "D=. bash run lib.txt",
            "export D=.; . ./run lib.txt",
            "D=.; source ./run lib.txt",
            "bash <run",
        ] {
            let one = with_file(shape("sh", "lib.txt", command), "run", &format!("#!/bin/bash\n{text}\n"));
            all.push(with_env(one, "D", "."));
        }
    }
    for (first, second) in [
        ("X=./lib.txt", ". $X"),
        (". $X", "X=./lib.txt; . ./run"),
        ("f() { . $X; }", "X=./lib.txt; f"),
        ("X=./a", "X=./lib.txt; . ./run; . ./lib.txt"),
        ("cd sub", ". ../lib.txt"),
        ("alias a='. ./lib.txt'; shopt -s expand_aliases", "eval a"),
    ] {
        all.push(with_file(shape("sh", "lib.txt", &format!(". ./run; {second}")), "run", &format!("{first}\n")));
    }
    all
}

/// Variables that say what is run: of the hook, before a command, exported, given to `env`.
pub(super) fn variables() -> Vec<Shape> {
    let mut all = Vec::new();
    for (language, target, name, value, command) in [
        ("sh", "lib.txt", "BASH_ENV", "./lib.txt", "bash -c :"),
        ("sh", "lib.txt", "BASH_ENV", "@PROJECT@/lib.txt", "bash -c :"),
        ("sh", "lib.txt", "BASH_ENV", "$PWD/lib.txt", "bash -c :"),
        ("sh", "lib.txt", "BASH_ENV", "$(. ./lib.txt)", "bash -c :"),
        ("sh", "lib.txt", "BASH_ENV", "lib.txt", "bash <<<:"),
        ("sh", "lib.txt", "ENV", "./lib.txt", "dash -ic :"),
        ("sh", "lib.txt", "SHELLOPTS", "xtrace", "PS4='$(. ./lib.txt)' bash -c :"),
        ("node", "lib.js", "NODE_OPTIONS", "--require ./lib.js", "node -e 0"),
        ("node", "lib.txt", "NODE_OPTIONS", "--require=./lib.txt", "node -e 0"),
        ("node", "sub/lib.js", "NODE_PATH", "sub", "node -e 'require(\"lib\")'"),
        ("python", "lib.py", "PYTHONPATH", "@PROJECT@", "cd /; python3 -c 'import lib'"),
        ("python", "sub/lib.py", "PYTHONPATH", "sub", "python3 -c 'import lib'"),
        ("python", "sub/json.py", "PYTHONPATH", "sub", "python3 -c 'import json'"),
        ("python", "sub/sitecustomize.py", "PYTHONPATH", "sub", "python3 -c 0"),
        ("python", "lib.txt", "PYTHONSTARTUP", "lib.txt", "python3 -i </dev/null"),
        ("python", "lib.py", "PYTHONBREAKPOINT", "lib.x", "python3 -c 'breakpoint()'"),
        ("perl", "sub/Lib.pm", "PERL5LIB", "sub", "perl -MLib -e 1"),
        ("perl", "Lib.pm", "PERL5OPT", "-I. -MLib", "perl -e 1"),
        ("lua", "lib.txt", "LUA_INIT", "@lib.txt", "lua -e 'x = 1'"),
        ("lua", "sub/lib.lua", "LUA_PATH", "sub/?.lua", "lua -e 'require \"lib\"'"),
        ("make", "lib.txt", "MAKEFILES", "lib.txt", "make all"),
        ("sh", "lib.txt", "GIT_EXTERNAL_DIFF", "sh lib.txt", "git add README.md; echo y >README.md; git diff"),
        ("sh", "lib.txt", "GIT_SSH_COMMAND", "sh lib.txt", "git ls-remote ssh://x/y"),
        ("sh", "lib.txt", "GIT_EDITOR", "sh lib.txt", "git config -e"),
        ("sh", "lib.txt", "EDITOR", "sh lib.txt", "git config --edit"),
        ("sh", "lib.txt", "VISUAL", "sh lib.txt", "TERM=x git config -e"),
        ("sh", "lib.txt", "LESSOPEN", "|sh lib.txt %s", "less README.md | cat"),
        ("sh", "tool", "PATH", "@PROJECT@:/usr/bin:/bin", "tool"),
        ("sh", "sub/tool", "PATH", "sub:/usr/bin:/bin", "tool; env tool"),
        ("sh", "sub/lib.txt", "CDPATH", "@PROJECT@", "cd /; cd sub; . ./lib.txt"),
        ("sh", "lib.txt", "X", "./lib.txt", ". $X"),
        ("sh", "lib.txt", "X", "lib.txt", "bash -c '. ./$X'"),
        ("sh", "lib.txt", "X", ". ./lib.txt", "eval \"$X\""),
        ("sh", "lib.txt", "X", ". ./lib.txt", "$X"),
        ("sh", "lib.txt", "IFS", "@", "c=bash@lib.txt; bash -c '$0' x; IFS=@; $c"),
    ] {
        all.push(with_env(shape(language, target, command), name, value));
        let quoted = format!("\"{value}\"").replace("$(", "\\$(");
        let quoted = if value.starts_with("$PWD") { format!("'{value}'") } else { quoted };
        if matches!(name, "SHELLOPTS" | "IFS") {
            continue;
        }
        all.push(shape(language, target, &format!("export {name}={quoted}; {command}")));
        all.push(shape(language, target, &format!("declare -x {name}={quoted}; {command}")));
        all.push(shape(language, target, &format!("{name}={quoted}; export {name}; {command}")));
        all.push(shape(language, target, &format!("set -a; {name}={quoted}; {command}")));
        if !command.contains(';') && name != "X" {
            all.push(shape(language, target, &format!("{name}={quoted} {command}")));
            all.push(shape(language, target, &format!("env {name}={quoted} {command}")));
            all.push(shape(language, target, &format!("env -u Y \"{name}=\"{quoted} {command}")));
            all.push(shape(language, target, &format!("export \"{name}=\"{quoted}; {command}")));
            all.push(shape(language, target, &format!("printf -v {name} %s {quoted}; export {name}; {command}")));
            all.push(shape(language, target, &format!("read -r {name} <<<{quoted}; export {name}; {command}")));
            all.push(shape(language, target, &format!(": ${{{name}:={quoted}}}; export {name}; {command}")));
            all.push(with_file(
                shape(language, target, &format!("set -a; . ./run; {command}")),
                "run",
                &format!("{name}={quoted}\n"),
            ));
        }
    }
    all
}
