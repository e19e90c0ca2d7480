//! Ways in which a hook may run a file of its project: kinds and their spellings.

use std::fmt;

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

const WRAPPERS: &[&str] = &[
    "env",
    "env -i PATH=\"$PATH\"",
    "env -u X",
    "env X=1",
    "timeout 5",
    "timeout -s KILL 5",
    "timeout --signal=KILL 5",
    "timeout --kill-after 5 5",
    "nice",
    "nice -n 5",
    "nohup",
    "setsid -w",
    "stdbuf -oL",
    "stdbuf -o L",
    "command",
    "command -p",
    "exec",
    "exec -a name",
    "time",
    "time -p",
    "! ",
    "flock @TMP@/lock",
    "flock -w 5 @TMP@/lock",
    "xargs -r0",
    "busybox timeout 5",
    "X=1",
    "while :; do break; done;",
];

const SHELL: &[&str] = &[
    // Spellings of options.
    "bash -- FILE",
    "bash -e FILE",
    "bash -o pipefail FILE",
    "bash +O extglob FILE",
    "bash -eo pipefail FILE",
    "bash --norc FILE",
    "bash --posix FILE",
    "bash --verbose FILE",
    "bash --login --noediting FILE",
    "bash -norc FILE",
    "bash -login FILE",
    "bash -rcfile x FILE",
    "bash + FILE",
    "bash -posix -c '. ./FILE'",
    "bash -restricted -c 'bash FILE'",
    "bash +c '. ./FILE'",
    "bash +ec '. ./FILE'",
    "bash +s x <FILE",
    "bash -rcfile FILE -i -c :",
    "bash -c -- '. ./FILE'",
    "bash -cO extglob '. ./FILE'",
    "bash -Oc extglob '. ./FILE'",
    "bash -o errexit -c '. ./FILE'",
    "bash -c -e '. ./FILE'",
    "bash -ec '. ./FILE'",
    "bash -euxc '. ./FILE'",
    "bash -c '. \"$0\"' ./FILE",
    "bash -c '. \"$1\"' _ ./FILE",
    "bash -c '\"$@\"' _ bash FILE",
    "bash --rcfile FILE -i -c :",
    "bash --init-file FILE -i -c :",
    "bash -s <FILE",
    "bash -s x <FILE",
    "bash -es <FILE",
    "bash - <FILE",
    "dash FILE",
    "zsh FILE",
    "ksh FILE",
    "busybox sh FILE",
    "busybox ash FILE",
    "env -S 'bash FILE'",
    "env -S'bash FILE'",
    "env -iS 'bash FILE'",
    "env -vS 'bash FILE'",
    "env '-Sbash FILE'",
    "env --split-string='bash FILE'",
    "env --split-string 'bash FILE'",
    "env --sp='bash FILE'",
    "env -S 'X=1 bash FILE'",
    "env -S 'bash' FILE",
    "env -S \"bash 'FILE'\"",
    "env -i -S 'bash FILE'",
    "env -S 'env -S' 'bash FILE'",
    // Other ways to the file.
    ". /dev/stdin <FILE",
    ". /dev/fd/0 <FILE",
    ". /dev/fd/3 3<FILE",
    ". /proc/self/fd/3 3<FILE",
    "exec 3<FILE; . /dev/fd/3",
    "exec 3<FILE; bash <&3",
    "bash /dev/stdin <FILE",
    "bash /dev/fd/3 3<FILE",
    ". <(cat FILE)",
    "bash <(cat FILE)",
    ". /proc/self/cwd/FILE",
    "{ bash; } <FILE",
    "(bash) <FILE",
    "if true; then bash; fi <FILE",
    "while true; do bash; break; done <FILE",
    "f() { bash; }; f <FILE",
    "exec <FILE; bash",
    "cat FILE | { bash; }",
    "cat FILE | (cd /; bash)",
    "cat FILE | tee @TMP@/x | bash",
    "cat <FILE | bash",
    "cat - <FILE | bash",
    "cat -u FILE | bash",
    "head -n 5 FILE | bash",
    "sed '' FILE | bash",
    "tac FILE | bash -s",
    "cat FILE |& bash",
    "cat FILE | env bash",
    "cat FILE | timeout 5 bash",
    "cat FILE | command bash",
    "< FILE bash",
    "<FILE sh",
    "bash 0<FILE",
    "bash 0<>FILE",
    "xargs bash FILE </dev/null",
    "echo FILE | xargs bash",
    "echo FILE | xargs -n1 bash -e",
    "echo FILE | xargs -I{} bash {}",
    "echo FILE | xargs -I% bash -c '. ./%'",
    "xargs -a FILE -I{} bash -c {}",
    "xargs -I{} bash -c {} <FILE",
    "xargs -0 bash -c <FILE",
    "find . -name FILE -exec bash {} \\;",
    "find . -name FILE -exec bash {} +",
    "find . -name FILE -execdir bash {} \\;",
    "find . -name FILE -exec sh -c '. \"$1\"' _ {} \\;",
    "find . -name FILE -exec sh -c '. {}' \\;",
    "find . -name FILE | xargs bash",
    "find . -name FILE -print0 | xargs -0 -n1 bash",
    "bash $(echo FILE)",
    "bash `ls FILE`",
    ". ./FIL?.txt || . ./lib*",
    "bash lib*",
    "bash {FILE,}",
    "bash ./{lib,x}.txt",
    "bash lib.{txt,x}",
    "cmd=bash; $cmd FILE",
    "cmd='bash FILE'; $cmd",
    "cmd=(bash FILE); \"${cmd[@]}\"",
    "X=; $X bash FILE",
    "$UNSET bash FILE",
    "\"\"bash FILE",
    "b''ash FILE",
    "\\bash FILE",
    "$'bash' FILE",
    "/bin/bash FILE",
    "/usr/bin/env bash FILE",
    "/bin/../bin/bash FILE",
    "bash \"$PWD/FILE\"",
    "bash \"$(pwd)/FILE\"",
    "bash ~+/FILE",
    "bash \"${PWD}\"/FILE",
    "bash @PROJECT@/FILE",
    "bash \"$CLAUDE_PROJECT_DIR\"/FILE",
    "bash \"$(dirname ./FILE)/FILE\"",
    "bash \"$(realpath FILE)\"",
    "bash sub/../FILE",
    "bash .//FILE",
    // Text that is run.
    "eval \"$(cat FILE)\"",
    "eval \"$(<FILE)\"",
    "eval \"`cat FILE`\"",
    "x=$(cat FILE); eval \"$x\"",
    "x=$(<FILE); bash -c \"$x\"",
    "bash -c \"$(cat FILE)\"",
    "bash -c \":; $(cat FILE); :\"",
    "bash <<<\"$(cat FILE)\"",
    "bash <<E\n$(cat FILE)\nE",
    "bash <<E\n. ./FILE\nE",
    "bash <<'E'\n. ./FILE\nE",
    "bash <<-E\n\t. ./FILE\n\tE",
    "bash <<<'. ./FILE'",
    "read -r x <FILE; eval \"$x\"",
    "read -r x < <(cat FILE); eval \"$x\"",
    "IFS= read -rd '' x <FILE; eval \"$x\"",
    "mapfile -t a <FILE; eval \"${a[0]}\"",
    "readarray -t a <FILE; eval \"${a[@]}\"",
    "while read -r l; do eval \"$l\"; done <FILE",
    "cat FILE | while read -r l; do eval \"$l\"; done",
    "for l in \"$(cat FILE)\"; do eval \"$l\"; done",
    "printf -v x '%s' \"$(cat FILE)\"; eval \"$x\"",
    "x='. ./FILE'; eval \"$x\"",
    "x='. ./FILE'; eval $x",
    "a='. ./'; b=FILE; eval \"$a$b\"",
    "echo '. ./FILE' | bash",
    "printf '. ./FILE' | bash",
    "printf '%s\\n' '. ./FILE' | sh",
    "printf '. ./%s' FILE | sh",
    "echo \". ./FILE\" | sh -s",
    "cat <<<'. ./FILE' | sh",
    "cat <<E | sh\n. ./FILE\nE",
    "trap '. ./FILE' EXIT",
    "trap -- '. ./FILE' EXIT",
    "trap '. ./FILE' DEBUG; :",
    "trap '. ./FILE' ERR; false",
    "shopt -s expand_aliases\nalias a='. ./FILE'\na",
    "shopt -s expand_aliases\nalias a=.\na ./FILE",
    "shopt -s expand_aliases\nalias cat=bash\ncat FILE",
    "cat() { bash \"$@\"; }; cat FILE",
    "cat() { . \"$1\"; }; cat ./FILE",
    "f() { . ./\"$1\"; }; f FILE",
    "f() { \"$@\"; }; f bash FILE",
    "f() { . ./\"$x\"; }; x=FILE f",
    "f() { local x=FILE; . ./$x; }; f",
    "f() { local y=$x; . ./$y; }; x=FILE; f",
    "set -- ./FILE; . \"$1\"",
    "set -- bash FILE; \"$@\"",
    "set -- bash FILE; $*",
    "mapfile -C '. ./FILE; :' -c 1 a <<<x",
    "mapfile -c 1 -C'. ./FILE; :' a <<<x",
    "readarray -c1 -C '. ./FILE; #' a <<<x",
    "PS4='$(. ./FILE)'; set -x; :",
    "x='$(. ./FILE)'; : \"${x@P}\"",
    "x=\"$(cat FILE)\"; x='$('$x')'; : \"${x@P}\"",
    "x='a[$(. ./FILE)]'; ((x))",
    "x='a[$(. ./FILE)]'; : $((x))",
    "x='a[$(. ./FILE)]'; [[ x -gt 0 ]]",
    "x='a[$(. ./FILE)]'; ((y = x + 1))",
    "x='a[$(. ./FILE)]'; y=x; : $((y))",
    "x='a[$(. ./FILE)]'; a=(1); : ${a[x]}",
    "x='a[$(. ./FILE)]'; s=abc; : ${s:x}",
    "x='a[$(. ./FILE)]'; for ((i = x; 0; )); do :; done",
    "x='a[$(. ./FILE)]'; let x",
    "x=\"a[\\$(. ./FILE)]\"; let y=x",
    "a[$(. ./FILE)]=1",
    "a=([$(. ./FILE)]=1)",
    ": ${a[$(. ./FILE)]}",
    ": $((`. ./FILE`))",
    ": $[`. ./FILE`]",
    "((`. ./FILE` 1))",
    "let 'x[$(. ./FILE)]=1'",
    "[[ -v 'a[$(. ./FILE)]' ]]",
    "[[ 'a[$(. ./FILE)]' -gt 0 ]]",
    "test -v 'a[$(. ./FILE)]'",
    "[ -v 'a[$(. ./FILE)]' ]",
    "printf -v 'a[$(. ./FILE)]' x",
    "read 'a[$(. ./FILE)]' <<<x",
    "declare -a a; unset 'a[$(. ./FILE)]'",
    "declare 'a[$(. ./FILE)]=1'",
    "declare -i x='a[$(. ./FILE)]'",
    "declare -i x; x='a[$(. ./FILE)]'",
    "x=$(printf 'a[$(. ./FILE)]'); ((x))",
    "x='a[$(. ./FILE)]'; [[ 0 -lt $x ]]",
    "case $(. ./FILE) in *) ;; esac",
    "for i in $(. ./FILE); do :; done",
    "echo >$(. ./FILE)@TMP@/x",
    "cat <<E\n$(. ./FILE)\nE",
    "[[ -n $(. ./FILE) ]]",
    "echo {a,$(. ./FILE)}",
    ": ${x:-$(. ./FILE)}",
    ": ${x:=$(. ./FILE)}",
    "x=y; : ${x/y/$(. ./FILE)}",
    "x=y; : ${x#$(. ./FILE)}",
    "coproc bash FILE; wait",
    "coproc { . ./FILE; }; wait",
    "coproc N { bash FILE; }; wait",
    "bash FILE & wait",
    "{ . ./FILE; } & wait",
    "(. ./FILE)",
    "! . ./FILE",
    "time . ./FILE",
    "select x in a; do . ./FILE; break; done <<<1",
    "until . ./FILE; do break; done",
    "if . ./FILE; then :; fi",
    "cat <(. ./FILE)",
    "echo x > >(. ./FILE); wait; sleep 0.2",
    "[[ x =~ $(. ./FILE) ]] || :",
    // Known variables that get another value.
    "x=a; x=./FILE; . $x",
    "x=./a; read -r x <<<./FILE; . $x",
    "x=a; printf -v x %s ./FILE; . $x",
    "x=a; mapfile -t x <<<./FILE; . $x",
    "x=a; readarray -t x <<<./FILE; . \"${x[0]}\"",
    "x=a; for x in ./FILE; do . $x; done",
    "x=a; f() { local x=./FILE; . $x; }; f",
    "x=a; declare x=./FILE; . $x",
    "x=a; declare -n r=x; r=./FILE; . $x",
    "x=a; typeset -n r=x; r=./FILE; . $x",
    "x=a; export x=./FILE; . $x",
    "x=a; export \"x=./FILE\"; . $x",
    "x=a; readonly x=./FILE; . $x",
    "unset x; . ${x:-./FILE}",
    ": ${x:=./FILE}; . $x",
    "x=a; unset x; : ${x:=./FILE}; . $x",
    "x=lib; ((x=1)); cp FILE 1; . ./$x",
    "x=./; x+=FILE; . $x",
    "x[1]=./FILE; . ${x[1]}",
    "x=(a ./FILE); . ${x[1]}",
    "declare -A x=([k]=./FILE); . ${x[k]}",
    "y=./FILE; x=y; . ${!x}",
    "while getopts f: o -f ./FILE; do x=$OPTARG; done; . $x",
    "OPTIND=1; x=a; getopts a: x -a ./FILE; . $OPTARG",
    "read -ra x <<<'a ./FILE'; . ${x[1]}",
    "read -p '' x <<<./FILE; . $x",
    "IFS=: read -r a x <<<a:./FILE; . $x",
    "x=./FILE:; IFS=:; . $x",
    "IFS=,; c=bash,FILE; $c",
    "c=bash@FILE; IFS=@; $c",
    "x=LIB; . ./${x,,}.txt",
    "x=Xlib; . ./${x#X}.txt",
    "x=libX; . ./${x%X}.txt",
    "x=a/FILE; . ./${x##*/}",
    "x=alib; . ./${x:1}.txt",
    "x=axb; . ./${x/axb/FILE}",
    "declare -l x=LIB.TXT; . ./$x",
    "x=./FILE; y=$x; z=$y; . $z",
    "eval x=./FILE; . $x",
    "eval 'x=./FILE'; . $x",
    "source /dev/stdin <<<'x=./FILE'; . $x",
    "x=$(echo ./FILE); . $x",
    "read -r x < <(echo ./FILE); . $x",
    "echo ./FILE | { read -r x; . $x; }",
    ": ./FILE; . $_",
    "x=./FILE . $x || . ./FILE",
    "[[ ./FILE =~ (.*) ]]; . ${BASH_REMATCH[1]}",
    "exec {x}<FILE; . /dev/fd/$x",
    "wait -n -p x; . ./FILE",
    // Files that the hook itself makes.
    "cp FILE @TMP@/x; . @TMP@/x",
    "cat FILE >@TMP@/x; bash @TMP@/x",
    "cp FILE gen; . ./gen",
    "cat FILE >gen; . ./gen",
    "cat FILE >>gen; sh gen",
    "ln -sf FILE gen; . ./gen",
    "ln FILE gen; . ./gen",
    "mv FILE gen; . ./gen",
    "install FILE gen; . ./gen",
    "cp FILE sub/; . sub/FILE",
    "cp -t sub FILE; . sub/FILE",
    "tee gen <FILE; . ./gen",
    "cat FILE | tee gen >/dev/null; . ./gen",
    "dd if=FILE of=gen; . ./gen",
    "sed 'w gen' FILE; . ./gen",
    "awk '{ print > \"gen\" }' FILE; . ./gen",
    "sort -o gen FILE; . ./gen",
    "t=$(mktemp); cat FILE >$t; . $t",
    "exec 4>gen; cat FILE >&4; . ./gen",
    "cat FILE >&gen; . ./gen",
    "cat FILE &>gen; . ./gen",
    "tar cf - FILE | tar xf - -C sub; . sub/FILE",
    "ln -s sub y; cp FILE sub/z; cd y && . ./z",
    "mkdir n; cp FILE n/z; cd n; . ./z",
    // Programs that run programs.
    "flock @TMP@/l -c 'bash FILE'",
    "flock @TMP@/l --command 'bash FILE'",
    "script -qec 'bash FILE' /dev/null",
    "tar cf - README.md --checkpoint=1 --checkpoint-action=exec='bash FILE'",
    "tar cf @TMP@/a.tar README.md; tar xf @TMP@/a.tar --to-command='bash FILE'",
    "tar cf @TMP@/a.tar -I 'bash FILE; cat' README.md",
    "vim -es -c '!bash FILE' -c q",
    "vim -es -u NONE -c 'source x.vim' -c '!. ./FILE' -c 'q!' </dev/null",
    "ssh -o ProxyCommand='bash FILE' -o StrictHostKeyChecking=no x",
    "LESSOPEN='|bash FILE %s' less README.md | cat",
    "awk 'BEGIN { system(\"bash FILE\") }'",
    "awk 'BEGIN { \"bash FILE\" | getline x }'",
    "awk 'BEGIN { print \"x\" | \"bash FILE\" }'",
    "awk 'BEGIN { c = \"bash FILE\"; system(c) }'",
    "awk -v c='bash FILE' 'BEGIN { system(c) }'",
    "awk '{ system($0) }' <<<'bash FILE'",
    "awk '{ system($0) }' FILE",
    "awk 'BEGIN { while ((getline l < \"FILE\") > 0) system(l) }'",
    "sed -n '1e bash FILE' README.md",
    "sed 's/.*/bash FILE/e' README.md",
    "sed -n 's,.*,bash FILE,;e' README.md",
    "sed e FILE",
    "sed -n '/text/{s/.*/bash FILE/e}' README.md",
    "sed -e p -e '1e bash FILE' README.md",
    "sed --expression='1e bash FILE' README.md",
    "sed --expr='1e bash FILE' README.md",
    "sed -ne'1e bash FILE' README.md",
    "sed \"1e bash $x FILE\" README.md",
    "sed 's/x/y/;1e bash FILE' README.md",
    "sed 's|a[|]b|c|;1e bash FILE' README.md",
    "sed 'y/a/b/;1e bash FILE' README.md",
    "sed '1!d;1e bash FILE' README.md",
    "sed '$!N;1,2e bash FILE' README.md",
    "perl -e 'system(\"bash FILE\")'",
    "perl -e '`bash FILE`'",
    "perl -e 'exec \"bash\", \"FILE\"'",
    "perl -e 'open(F, \"bash FILE|\")'",
    "perl -e 'open F, \"|-\", \"bash\", \"FILE\"'",
    "perl -ne 'system $_' <<<'bash FILE'",
    "perl -e '$x = \"bash FILE\"; system $x'",
    "python3 -c 'import os; os.system(\"bash FILE\")'",
    "python3 -c 'import subprocess; subprocess.run([\"bash\", \"FILE\"])'",
    "python3 -c 'import subprocess as s; s.run([\"bash\", \"li\" + \"b.txt\"])'",
    "python3 -c 'from subprocess import run; run([\"bash\", \"li\" + \"b.txt\"])'",
    "python3 -c 'from os import system as s; s(\"bash li\" + \"b.txt\")'",
    "python3 -c 'import os; getattr(os, \"sys\" + \"tem\")(\"bash li\" + \"b.txt\")'",
    "python3 -c 'import os; os.execvp(\"bash\", [\"bash\", \"li\" + \"b.txt\"])'",
    "python3 - <<'E'\nimport os\nos.system('bash FILE')\nE",
    "python3 <<<'import os; os.system(\"bash FILE\")'",
    "node -e 'require(\"child_process\").execSync(\"bash FILE\")'",
    "node -e 'const { execSync: e } = require(\"child_process\"); e(\"bash li\" + \"b.txt\")'",
    "node -e 'const c = require(\"node:child_process\"); c[\"exec\" + \"Sync\"](\"bash li\" + \"b.txt\")'",
    "node -pe 'require(\"child_process\").spawnSync(\"bash\", [\"FILE\"])'",
    "lua -e 'os.execute(\"bash FILE\")'",
    "lua -e 'io.popen(\"bash \" .. \"FILE\")'",
    "PROMPT_COMMAND='. ./FILE' bash -i <<<exit",
    "echo '. ./FILE' | bash -i",
    "compgen -W '$(. ./FILE)'",
    "compgen -C 'bash FILE' x",
    "if true; then bash FILE; fi",
    "enable -n cd; . ./FILE",
    "BASH_ALIASES[a]='. ./FILE'; shopt -s expand_aliases\neval a",
    "hash -p /bin/bash b; b FILE",
    "BASH_CMDS[b]=/bin/bash; b FILE",
    "x=$(declare -f); f() { . ./FILE; }; export -f f; bash -c f",
    "export f='() { :; }'; env 'BASH_FUNC_f%%=() { . ./FILE; }' bash -c f",
];

const DIRECTORIES: &[&str] = &[
    "cd sub && . ./FILE",
    "cd sub; . \"$PWD/FILE\"",
    "cd sub; . \"$(pwd)/FILE\"",
    "cd sub; bash FILE",
    "cd sub; bash <FILE",
    "cd sub; cat FILE | bash",
    ". \"$(cd sub && pwd)/FILE\"",
    ". \"$(cd sub; pwd -P)\"/FILE",
    "builtin cd sub && . ./FILE",
    "command cd sub && . ./FILE",
    "command -p cd sub && . ./FILE",
    "pushd sub >/dev/null && . ./FILE",
    "cd -- sub && . ./FILE",
    "cd -P sub && . ./FILE",
    "cd ./sub/. && . ./FILE",
    "cd sub/deep/.. && . ./FILE",
    "cd sub/deep; cd ..; . ./FILE",
    "cd s* && . ./FILE",
    "cd su? && . ./FILE",
    "cd {sub,} && . ./FILE",
    "cd \"$(echo sub)\" && . ./FILE",
    "d=sub; cd $d && . ./FILE",
    "d=sub; cd \"$PWD/$d\" && . ./FILE",
    "cd \"$CLAUDE_PROJECT_DIR/sub\" && . ./FILE",
    "cd sub & wait; (cd sub; . ./FILE)",
    "CDPATH=sub; cd deep && . ../FILE",
    "CDPATH=@PROJECT@; cd /; cd sub && . ./FILE",
    "cd sub; cd /; cd - >/dev/null; . ./FILE",
    "cd sub; cd /; . \"$OLDPWD/FILE\"",
    "cd sub; cd /; . ~-/FILE",
    "cd sub; cd /; cd ~-; . ./FILE",
    "env -C sub bash FILE",
    "env -Csub bash FILE",
    "env --chdir=sub bash FILE",
    "env --chdir sub bash FILE",
    "env --ch=sub bash FILE",
    "env -iC sub /bin/bash FILE",
    "find sub -name FILE -execdir bash ./FILE \\;",
    "find sub -maxdepth 0 -exec bash {}/FILE \\;",
    "find sub -type d -execdir bash sub/FILE \\;",
    "bash sub/FILE",
    "bash ./sub/FILE",
    "bash su?/FILE",
    "x=sub/FILE; bash $x",
    "cd sub; bash -c '. ./FILE'",
    "bash -c 'cd sub; . ./FILE'",
    "bash -c 'cd \"$1\"; . ./FILE' _ sub",
    "f() { cd sub; }; f; . ./FILE",
    "f() { . ./FILE; }; cd sub; f",
    "trap '. ./FILE' EXIT; cd sub",
    "(cd sub && exec bash FILE)",
    "cd sub && exec bash FILE",
    "{ cd sub; } && . ./FILE",
    "cd sub || exit; . ./FILE",
    "if cd sub; then . ./FILE; fi",
    "cd $(dirname sub/x) && . ./FILE",
    "cd ${x:-sub} && . ./FILE",
    "read -r d <<<sub; cd $d; . ./FILE",
    "find . -type d -name sub | while read -r d; do (cd \"$d\"; . ./FILE); done",
    "for d in */; do (cd \"$d\"; . ./FILE); done",
    "for d in sub; do cd $d; done; . ./FILE",
    "PATH=sub:$PATH; . FILE",
    "PATH=$PWD/sub:$PATH; . FILE",
    "PATH=sub:$PATH bash FILE",
    "export PATH=\"$PATH:sub\"; bash FILE",
    "PATH=$PATH:./sub bash -c '. FILE'",
    "cd sub; PATH=.:$PATH; . FILE",
    "tar c -C sub FILE | tar x -O | bash",
    "eval 'cd sub'; . ./FILE",
    "cd sub >/dev/null 2>&1 && . ./FILE",
    "HOME=sub; cd && . ./FILE",
    "HOME=$PWD/sub; . ~/FILE",
    "cd ~+/sub; . ./FILE",
    "pushd sub; pushd /; popd; . ./FILE",
    "ln -sfn sub y; cd y && . ./FILE",
    "set -- sub; cd $1; . ./FILE",
    "cd \"`echo sub`\"; . ./FILE",
    "cd sub/deep && cd .. && . ./FILE",
    "cd sub && cd deep && . ../FILE",
];

/// A file that holds the words of a command.
const WORDS: &[&str] = &[
    "$(cat lib.txt)",
    "`cat lib.txt`",
    "$(<lib.txt)",
    "x=$(cat lib.txt); $x",
    "read -r x <lib.txt; $x",
    "read -r x y <lib.txt; $x $y",
    "read -ra x <lib.txt; \"${x[@]}\"",
    "xargs env <lib.txt",
    "xargs sh -c '\"$@\"' _ <lib.txt",
    "xargs -a lib.txt env",
    "xargs -I{} sh -c {} <lib.txt",
    "xargs nice < lib.txt",
    "cat lib.txt | xargs timeout 5",
    "exec $(cat lib.txt)",
    "command $(cat lib.txt)",
    "env $(cat lib.txt)",
    "env -S \"$(cat lib.txt)\"",
    "set -- $(cat lib.txt); \"$@\"",
    "mapfile -t a <lib.txt; ${a[0]}",
    "eval $(cat lib.txt)",
    "timeout 5 $(cat lib.txt)",
    "alias a=\"$(cat lib.txt)\"; shopt -s expand_aliases; eval a",
    "trap \"$(cat lib.txt)\" EXIT",
    "perl -ne 'system($_)' lib.txt",
    "perl -pe '`$_`' lib.txt",
    "python3 -c 'import os; os.system(open(\"lib.txt\").read())'",
    "node -e 'require(\"child_process\").execSync(require(\"fs\").readFileSync(\"lib.txt\", \"utf8\"))'",
    "sed 's/$//e' lib.txt",
    "awk '{ print | \"sh\" }' lib.txt",
    "awk '{ system($0) }' lib.txt",
    "find . -maxdepth 0 -exec $(cat lib.txt) \\;",
    "while read -r a b; do $a $b; done <lib.txt",
    "c=$(head -n1 lib.txt) && bash -c \"$c\"",
    "x=$(tr -d x <lib.txt); eval \"$x\"",
    "jq -rR . lib.txt | sh",
    "sh -c \"$(jq -rR . lib.txt)\"",
    "for w in \"$(cat lib.txt)\"; do $w; done",
    "IFS=$'\\n' read -rd '' -a a <lib.txt; sh -c \"${a[0]}\"",
    "flock @TMP@/l -c \"$(cat lib.txt)\"",
    "PS4=\"\\$($(cat lib.txt))\"; set -x; :",
    "x=\"a[\\$($(cat lib.txt))]\"; ((x))",
    "x='$('$(cat lib.txt)')'; : ${x@P}",
    "a=$(cat lib.txt); b=${a@E}; $b",
    "printf -v x %s \"$(cat lib.txt)\"; $x",
    "printf '%s\\n' \"$(cat lib.txt)\" | sh",
    "coproc $(cat lib.txt); wait",
    "$(cat lib.txt) & wait",
    "(($(cat lib.txt) 1)) || bash lib.txt",
];

/// `#!` lines of a script that does not change.
fn lines() -> Vec<Shape> {
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
fn variables() -> Vec<Shape> {
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

/// Files of other languages: the language, the file, the command.
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("python", "lib.txt", "python3 lib.txt"),
    ("python", "lib", "python3 -u lib"),
    ("python", "lib.txt", "python3 -W ignore lib.txt"),
    ("python", "lib.txt", "python3 -Wignore -X dev lib.txt"),
    ("python", "lib.txt", "python3 <lib.txt"),
    ("python", "lib.txt", "python3 - <lib.txt"),
    ("python", "lib.txt", "cat lib.txt | python3"),
    ("python", "lib.txt", "cat lib.txt | python3 -"),
    ("python", "lib.txt", "python3 /dev/stdin <lib.txt"),
    ("python", "lib.py", "python3 -m lib"),
    ("python", "lib.py", "python3 -mlib"),
    ("python", "lib.py", "python3 -Bm lib"),
    ("python", "lib.py", "python3 -Bmlib"),
    ("python", "lib.py", "python3 -W ignore -m lib"),
    ("python", "sub/__init__.py", "python3 -m sub.x || :"),
    ("python", "sub/__main__.py", "python3 sub"),
    ("python", "sub/__main__.py", "python3 -m sub"),
    ("python", "lib.py", "python3 -c 'import lib'"),
    ("python", "lib.py", "python3 -c'import lib'"),
    ("python", "lib.py", "python3 -Wx -c 'import lib'"),
    ("python", "lib.py", "python3 -Bc 'import lib'"),
    ("python", "lib.py", "python3 -c 'import os, lib as x'"),
    ("python", "lib.py", "python3 -c 'from lib import *'"),
    ("python", "sub/lib.py", "python3 -c 'from sub import lib'"),
    ("python", "sub/lib.py", "python3 -c 'import sub.lib'"),
    ("python", "sub/lib.py", "cd sub; python3 -c 'import lib'"),
    ("python", "lib.py", "python3 -c '__import__(\"lib\")'"),
    ("python", "lib.py", "python3 -c '__import__(\"li\" + \"b\")'"),
    ("python", "lib.py", "python3 -c 'import importlib; importlib.import_module(\"li\" + \"b\")'"),
    ("python", "lib.txt", "python3 -c 'exec(open(\"lib.txt\").read())'"),
    ("python", "lib.txt", "python3 -c 'import runpy; runpy.run_path(\"lib\" + \".txt\")'"),
    ("python", "lib.txt", "python3 -c 'e = exec; e(open(\"lib.txt\").read())'"),
    ("python", "json.py", "python3 -c 'import json'"),
    ("python", "gettext.py", "python3 -c 'import argparse'"),
    ("python", "lib.py", "python3 -W error::lib.X -c 0"),
    ("python", "lib.txt", "python3 -i lib.txt </dev/null"),
    ("python", "lib.txt", "python3 -c \"$(cat lib.txt)\""),
    ("python", "lib.txt", "python3 <<E\n$(cat lib.txt)\nE"),
    ("python", "lib.txt", "xargs python3 lib.txt </dev/null"),
    ("python", "lib.txt", "echo lib.txt | xargs python3"),
    ("python", "lib.txt", "find . -name lib.txt -exec python3 {} \\;"),
    ("python", "lib.txt", "env python3 lib.txt"),
    ("python", "lib.txt", "x=python3; $x lib.txt"),
    ("python", "lib.txt", "python3 -c 'import sys; exec(open(sys.argv[1]).read())' lib.txt"),
    ("python", "lib.py", "python3 -c 'import sys; sys.path.insert(0, \".\"); import lib'"),
    ("python", "sub/lib.py", "python3 -c 'import sys; sys.path.append(\"sub\"); import lib'"),
    (
        "python",
        "lib.txt",
        "python3 -c 'x = f\"{exec(open(chr(108) + chr(105) + chr(98) + chr(46) + chr(116) + chr(120) + chr(116)).read())}\"'",
    ),
    ("python", "lib.txt", "timeout 5 python3 -u - <lib.txt"),
    ("python", "lib.txt", "python3 <(cat lib.txt)"),
    ("node", "lib.txt", "node lib.txt"),
    ("node", "lib", "node ./lib"),
    ("node", "lib.js", "node lib"),
    ("node", "lib.js", "node ./lib --x"),
    ("node", "sub/index.js", "node sub"),
    ("node", "lib.txt", "node <lib.txt"),
    ("node", "lib.txt", "node - <lib.txt"),
    ("node", "lib.txt", "cat lib.txt | node"),
    ("node", "lib.js", "node -r ./lib -e 0"),
    ("node", "lib.js", "node --require ./lib.js -e 0"),
    ("node", "lib.js", "node --require=./lib.js -e 0"),
    ("mjs", "lib.mjs", "node --import ./lib.mjs -e 0"),
    ("mjs", "lib.mjs", "node --import=./lib.mjs -e 0"),
    ("node", "lib.js", "node -e 'require(\"./lib\")'"),
    ("node", "lib.js", "node --eval='require(\"./lib\")'"),
    ("node", "lib.js", "node --eval 'require(\"./lib.js\")'"),
    ("node", "lib.js", "node -p 'require(\"./lib\")'"),
    ("node", "lib.js", "node -pe 'require(\"./lib\")'"),
    ("node", "lib.js", "node -e 'require(\"./li\" + \"b\")'"),
    ("mjs", "lib.mjs", "node -e 'import(\"./lib.mjs\")'"),
    ("mjs", "lib.mjs", "node --input-type=module -e 'import \"./lib.mjs\"'"),
    ("node", "lib.txt", "node -e 'eval(require(\"fs\").readFileSync(\"lib.txt\", \"utf8\"))'"),
    (
        "node",
        "lib.txt",
        "node -e 'new Function(\"require\", require(\"fs\").readFileSync(\"lib.txt\", \"utf8\"))(require)'",
    ),
    ("node", "lib.js", "node -e 'const r = require; r(\"./li\" + \"b\")'"),
    ("node", "lib.js", "node -e 'module[\"require\"](\"./li\" + \"b\")'"),
    ("node", "node_modules/lib/index.js", "node -e 'require(\"lib\")'"),
    (
        "node",
        "lib.txt",
        "node -e 'require(\"vm\").runInThisContext(\"(function(require){\" + require(\"fs\").readFileSync(\"lib.txt\", \"utf8\") + \"})\")(require)'",
    ),
    ("node", "lib.txt", "node -e \"$(cat lib.txt)\""),
    ("node", "lib.txt", "node <<E\n$(cat lib.txt)\nE"),
    (
        "node",
        "lib.txt",
        "node -e '[].constructor.constructor(\"r\", require(\"fs\").readFileSync(\"lib.txt\", \"utf8\").replace(\"require\", \"r\"))(require)'",
    ),
    ("perl", "lib.txt", "perl lib.txt"),
    ("perl", "lib.txt", "perl -w lib.txt"),
    ("perl", "lib.txt", "perl <lib.txt"),
    ("perl", "lib.txt", "cat lib.txt | perl"),
    ("perl", "lib.txt", "perl - <lib.txt"),
    ("perl", "lib.txt", "perl -e 'do \"./lib.txt\"'"),
    ("perl", "lib.txt", "perl -e 'require \"./lib.txt\"'"),
    ("perl", "lib.txt", "perl -e 'do \"./lib\" . \".txt\"'"),
    ("perl", "lib.txt", "perl -we 'require(\"./lib.txt\")'"),
    ("perl", "Lib.pm", "perl -I. -MLib -e 1"),
    ("perl", "Lib.pm", "perl -I . -mLib -e 1"),
    ("perl", "sub/Lib.pm", "perl -Isub -MLib -e 1"),
    ("perl", "sub/Lib.pm", "perl -e 'use lib \"sub\"; use Lib;'"),
    ("perl", "Lib.pm", "perl -e 'BEGIN { push @INC, \".\" } use Lib;'"),
    ("perl", "lib.txt", "perl -e 'open F, \"lib.txt\"; eval <F>'"),
    ("perl", "lib.txt", "perl -e 'local $/; open F, \"lib.txt\"; $x = <F>; eval $x'"),
    ("perl", "lib.txt", "perl -0777 -ne 'eval $_' lib.txt"),
    ("perl", "lib.txt", "perl -0777 -pe 's/(.*)/$1/ees' lib.txt"),
    ("perl", "lib.txt", "perl -e \"$(cat lib.txt)\""),
    ("perl", "lib.txt", "perl -e 'do shift' ./lib.txt"),
    ("lua", "lib.txt", "lua lib.txt"),
    ("lua", "lib.txt", "lua - <lib.txt"),
    ("lua", "lib.txt", "cat lib.txt | lua -"),
    ("lua", "lib.txt", "lua -e 'dofile(\"lib.txt\")'"),
    ("lua", "lib.txt", "lua -e 'dofile \"lib.txt\"'"),
    ("lua", "lib.lua", "lua -e 'require \"lib\"'"),
    ("lua", "lib.lua", "lua -l lib -e 'x = 1'"),
    ("lua", "lib.txt", "lua -e 'loadfile(\"lib\" .. \".txt\")()'"),
    ("lua", "lib.txt", "lua -e 'load(io.open(\"lib.txt\"):read(\"a\"))()'"),
    ("lua", "sub/lib.lua", "lua -e 'require \"sub.lib\"'"),
    ("awk", "lib.txt", "awk -f lib.txt"),
    ("awk", "lib.txt", "awk -flib.txt"),
    ("awk", "lib.txt", "awk -F: -f lib.txt"),
    ("awk", "lib.txt", "awk -v x=1 -flib.txt"),
    ("awk", "lib.txt", "awk \"$(cat lib.txt)\""),
    ("awk", "lib.txt", "x=$(cat lib.txt); awk \"$x\""),
    ("awk", "lib.txt", "cat lib.txt | awk -f -"),
    ("awk", "lib.txt", "awk -f /dev/stdin <lib.txt"),
    ("awk", "lib.txt", "awk -f <(cat lib.txt)"),
    ("awk", "lib.txt", "mawk -f lib.txt"),
    ("awk", "lib.txt", "busybox awk -f lib.txt"),
    ("sed", "lib.txt", "sed -f lib.txt README.md"),
    ("sed", "lib.txt", "sed -flib.txt README.md"),
    ("sed", "lib.txt", "sed -nf lib.txt README.md"),
    ("sed", "lib.txt", "sed -nflib.txt README.md"),
    ("sed", "lib.txt", "sed --file=lib.txt README.md"),
    ("sed", "lib.txt", "sed --file lib.txt README.md"),
    ("sed", "lib.txt", "sed --fil=lib.txt README.md"),
    ("sed", "lib.txt", "sed --fil lib.txt README.md"),
    ("sed", "lib.txt", "sed -Enf lib.txt README.md"),
    ("sed", "lib.txt", "sed -e p -f lib.txt README.md"),
    ("sed", "lib.txt", "sed \"$(cat lib.txt)\" README.md"),
    ("sed", "lib.txt", "sed -e \"$(cat lib.txt)\" README.md"),
    ("sed", "lib.txt", "cat lib.txt | sed -f - README.md"),
    ("sed", "lib.txt", "sed -f/dev/stdin README.md <lib.txt"),
    ("make", "lib.txt", "make -f lib.txt"),
    ("make", "lib.txt", "make -flib.txt"),
    ("make", "Makefile", "make"),
    ("make", "sub/Makefile", "make -C sub"),
    ("make", "sub/Makefile", "cd sub && make all"),
    ("make", "lib.txt", "cat lib.txt | make -f -"),
    ("sh", "tool", "./tool"),
    ("sh", "tool", "hash -p ./tool t; t"),
    ("sh", "tool", "hash -p ./tool cat; cat x"),
    ("sh", "tool", "PATH=.:$PATH; tool"),
    ("sh", "tool", "PATH=$PWD:$PATH tool"),
    ("sh", "tool", "env PATH=.:/usr/bin tool"),
    ("sh", "tool", "BASH_CMDS[t]=./tool; t"),
    ("sh", "tool", "exec -a x ./tool"),
    ("sh", "tool", "find . -maxdepth 1 -name tool -exec {} \\;"),
    ("sh", "tool", "ls README.md | xargs -I{} ./tool {}"),
    ("sh", "tool", "echo ./tool | xargs env"),
    ("sh", "tool", "t=tool; ./$t"),
    ("sh", "tool", "timeout 5 ./tool"),
    ("sh", "tool", "PATH=:$PATH; tool"),
    ("sh", "tool", "x=$PWD; \"$x/tool\""),
    ("sh", "tool", "\"$(git rev-parse --show-toplevel)/tool\""),
    ("sh", "sub/tool", "cd sub && ./tool"),
    ("sh", "sub/tool", "find sub -maxdepth 1 -name tool -execdir ./tool \\;"),
    ("sh", "sub/cat", "chmod +x sub/cat; PATH=sub:$PATH; cat README.md"),
    ("sh", "sub/grep", "chmod +x sub/*; PATH=$PWD/sub:$PATH grep x README.md"),
    ("sh", "tool", "awk 'BEGIN { system(\"./tool\") }'"),
    ("sh", "tool", "xargs ./tool </dev/null"),
    ("sh", "tool", "nohup ./tool"),
    ("sh", "tool", "coproc ./tool; wait"),
];

/// Files that a file of another language includes: the language, the file, the command, the file that does not change.
const INCLUDES: &[(&str, &str, &str, &str, &str)] = &[
    ("python", "sub/lib.py", "python3 sub/main.py", "sub/main.py", "import lib\n"),
    ("python", "sub/lib.py", "python3 sub/main.py", "sub/main.py", "from lib import x\n"),
    ("python", "sub/deep/lib.py", "python3 sub/main.py", "sub/main.py", "from deep.lib import *\n"),
    ("python", "sub/lib.py", "python3 -m sub.main", "sub/main.py", "from . import lib\n"),
    ("python", "sub/lib.py", "python3 -m sub.main", "sub/main.py", "from .lib import x\n"),
    ("python", "sub/lib.py", "python3 sub/main.py", "sub/main.py", "def f():\n    import lib\nf()\n"),
    ("python", "sub/lib.py", "python3 sub/main.py", "sub/main.py", "try: import lib\nexcept ImportError: pass\n"),
    ("python", "sub/lib.py", "python3 sub/main.py", "sub/main.py", "import re, \\\n  lib\n"),
    (
        "python",
        "sub/lib.py",
        "python3 sub/main.py",
        "sub/main.py",
        "import importlib\nimportlib.import_module('lib')\n",
    ),
    ("python", "sub/lib.py", "python3 sub/main.py", "sub/main.py", "__import__('lib')\n"),
    ("python", "sub/gettext.py", "python3 sub/main.py", "sub/main.py", "import argparse\n"),
    ("python", "sub/lib.txt", "python3 sub/main.py", "sub/main.py", "exec(open('sub/lib.txt').read())\n"),
    (
        "python",
        "sub/lib.txt",
        "python3 sub/main.py",
        "sub/main.py",
        "exec(compile(open('sub/lib.txt').read(), 'x', 'exec'))\n",
    ),
    ("sh", "lib.txt", "python3 sub/main.py", "sub/main.py", "import subprocess\nsubprocess.run(['bash', 'lib.txt'])\n"),
    (
        "sh",
        "lib.txt",
        "python3 sub/main.py",
        "sub/main.py",
        "import subprocess\nx = ['bash', 'lib' + '.txt']\nsubprocess.call(x)\n",
    ),
    ("sh", "lib.txt", "python3 sub/main.py", "sub/main.py", "import os\nos.popen('bash lib.txt').read()\n"),
    (
        "sh",
        "lib.txt",
        "python3 sub/main.py",
        "sub/main.py",
        "import subprocess\nsubprocess.run('. ./lib.txt', shell=True)\n",
    ),
    (
        "python",
        "sub/lib.py",
        "python3 sub/main.py lib.py",
        "sub/main.py",
        "import sys, runpy\nrunpy.run_path('sub/' + sys.argv[1])\n",
    ),
    (
        "python",
        "sub/lib.py",
        "./run",
        "run",
        "#!/usr/bin/env python3\nimport sys\nsys.path.insert(0, 'sub')\nimport lib\n",
    ),
    ("python", "lib.py", "./run", "run", "#!/usr/bin/env python3\nimport lib\n"),
    ("python", "sub/lib.py", "ln -s sub/main.py l; python3 l", "sub/main.py", "import lib\n"),
    ("node", "sub/lib.js", "node sub/main.js", "sub/main.js", "require('./lib')\n"),
    ("node", "sub/lib.js", "node sub/main.js", "sub/main.js", "const x = require(\"./lib.js\")\n"),
    ("node", "lib.js", "node sub/main.js", "sub/main.js", "require('../lib')\n"),
    ("mjs", "sub/lib.mjs", "node sub/main.mjs", "sub/main.mjs", "import './lib.mjs'\n"),
    ("mjs", "sub/lib.mjs", "node sub/main.mjs", "sub/main.mjs", "import * as x from './lib.mjs'\n"),
    ("mjs", "sub/lib.mjs", "node sub/main.mjs", "sub/main.mjs", "export * from './lib.mjs'\n"),
    ("mjs", "sub/lib.mjs", "node sub/main.mjs", "sub/main.mjs", "await import('./lib.mjs')\n"),
    ("mjs", "sub/lib.mjs", "node sub/main.js", "sub/main.js", "import('./' + 'lib.mjs')\n"),
    ("node", "sub/deep/index.js", "node sub/main.js", "sub/main.js", "require('./deep')\n"),
    ("node", "sub/lib.js", "node sub/main.js", "sub/main.js", "require(require('path').join(__dirname, 'lib'))\n"),
    ("node", "sub/lib.js", "node sub/main.js", "sub/main.js", "module.require('./lib')\n"),
    ("node", "sub/lib.js", "node sub/main.js", "sub/main.js", "require(`./${'lib'}`)\n"),
    ("node", "node_modules/lib/index.js", "node sub/main.js", "sub/main.js", "require('lib')\n"),
    ("node", "sub/deep/main2.js", "node sub/main.js", "sub/main.js", "require('./deep/main2')\n"),
    (
        "sh",
        "lib.txt",
        "node sub/main.js",
        "sub/main.js",
        "const { execSync } = require('child_process')\nexecSync('bash lib.txt')\n",
    ),
    (
        "sh",
        "lib.txt",
        "node sub/main.js",
        "sub/main.js",
        "const cp = require('child_process')\nconst f = 'lib' + '.txt'\ncp.spawnSync('bash', [f])\n",
    ),
    ("mjs", "sub/lib.mjs", "./run", "run", "#!/usr/bin/env node\nimport('./sub/lib.mjs')\n"),
    ("node", "lib.js", "./run", "run", "#!/usr/bin/env node\nrequire('./lib')\n"),
    ("node", "lib.js", "node sub/main.js", "sub/main.js", "process.mainModule.require('../lib')\n"),
    ("perl", "sub/lib.pl", "perl sub/main.pl", "sub/main.pl", "require './sub/lib.pl';\n"),
    ("perl", "sub/lib.pl", "perl sub/main.pl", "sub/main.pl", "do './sub/lib.pl';\n"),
    ("perl", "sub/Lib.pm", "perl sub/main.pl", "sub/main.pl", "use FindBin; use lib $FindBin::Bin; use Lib;\n"),
    ("perl", "sub/Lib.pm", "perl -Isub sub/main.pl", "sub/main.pl", "use strict; use Lib;\n"),
    ("perl", "sub/X/Lib.pm", "perl -Isub sub/main.pl", "sub/main.pl", "use X::Lib;\n"),
    ("perl", "sub/lib.pl", "perl sub/main.pl", "sub/main.pl", "my $f = './sub/lib.pl'; do $f;\n"),
    ("sh", "lib.txt", "perl sub/main.pl", "sub/main.pl", "system('bash', 'lib.txt');\n"),
    ("sh", "lib.txt", "perl sub/main.pl", "sub/main.pl", "my $x = `bash lib.txt`;\n"),
    ("sh", "lib.txt", "perl sub/main.pl", "sub/main.pl", "my $x = qx(bash lib.txt);\n"),
    ("sh", "lib.txt", "perl sub/main.pl", "sub/main.pl", "open(my $p, '-|', 'bash', 'lib.txt'); <$p>;\n"),
    ("lua", "sub/lib.lua", "lua sub/main.lua", "sub/main.lua", "dofile('sub/lib.lua')\n"),
    ("lua", "lib.lua", "lua sub/main.lua", "sub/main.lua", "require('lib')\n"),
    ("lua", "lib.lua", "lua sub/main.lua", "sub/main.lua", "local l = 'lib'\nrequire(l)\n"),
    ("sh", "lib.txt", "lua sub/main.lua", "sub/main.lua", "os.execute('bash lib.txt')\n"),
    ("sh", "lib.txt", "awk -f sub/main.awk", "sub/main.awk", "BEGIN { system(\"bash lib.txt\") }\n"),
    ("sh", "lib.txt", "awk -f sub/main.awk", "sub/main.awk", "BEGIN { \"bash \" \"lib.txt\" | getline }\n"),
    ("sh", "lib.txt", "sed -f sub/main.sed README.md", "sub/main.sed", "1e bash lib.txt\n"),
    ("sh", "lib.txt", "make -f sub/main.mk", "sub/main.mk", "all:\n\tbash lib.txt\n"),
    ("sh", "lib.txt", "bash run", "run", "exec bash lib.txt\n"),
];

/// What git is told to run.
fn git() -> Vec<Shape> {
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
