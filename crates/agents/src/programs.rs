//! What programs do with the words that they are given: which of them start another program, and where that stands.
//!
//! Sources: the manuals of GNU coreutils 9, findutils 4.10, util-linux 2.40, sudo 1.9, OpenSSH 9, Docker 27, kubectl 1.31, Git 2.47,
//! GNU parallel, strace 6, BusyBox 1.36; of the others what `--help` says.

use hookshell_dispatch::command_line::KnownShell;

/// What a program does with its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// They are data for it.
    Plain,
    /// Behind its options stands a command.
    Wrapper(Wrapper),
    /// It is a shell: `-c` is code, and so is standard input.
    Shell,
    /// It runs programs of a language that is not the shell's.
    Language(Language),
    /// These of its options take a command line.
    Optioned(&'static [&'static str]),
    /// Behind one of these subcommands stands a command.
    Subcommands(&'static [&'static str]),
    /// It starts programs in ways that are not told here.
    Starter,
    /// It has rules of its own.
    Special(Special),
}

/// What stands before a wrapper's command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wrapper {
    /// The letters of the options that take a value.
    pub short: &'static str,
    /// The long options that take a value which may be the next word.
    pub long: &'static [&'static str],
    /// How many words stand before the command.
    pub operands: usize,
    /// `NAME=value` may stand before the command.
    pub assignments: bool,
    /// The words are one text for a shell.
    pub is_joined: bool,
    /// Without a command it is a shell.
    pub is_shell: bool,
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

const fn after(short: &'static str, long: &'static [&'static str], operands: usize) -> Kind {
    Kind::Wrapper(Wrapper { short, long, operands, assignments: false, is_joined: false, is_shell: false })
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
        return Some(after("", &["--library-path", "--inhibit-rpath", "--audit", "--preload", "--argv0"], 0));
    }
    if name.starts_with("qemu-") {
        return Some(Kind::Starter);
    }
    None
}

fn known(name: &str) -> Option<Kind> {
    wrapper(name).or_else(|| other(name)).or_else(|| plain(name).then_some(Kind::Plain))
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

fn wrapper(name: &str) -> Option<Kind> {
    Some(match name {
        "sudo" => Kind::Wrapper(Wrapper {
            short: "aCcDghpRrTtUu",
            long: &[
                "--chdir",
                "--chroot",
                "--close-from",
                "--command-timeout",
                "--group",
                "--host",
                "--other-user",
                "--prompt",
                "--role",
                "--type",
                "--user",
                "--login-class",
                "--auth-type",
            ],
            operands: 0,
            assignments: true,
            is_joined: false,
            is_shell: true,
        }),
        "doas" => Kind::Wrapper(Wrapper { short: "Cua", is_shell: true, ..Wrapper::default() }),
        "exec" => after("a", &[], 0),
        "builtin"
        | "nohup"
        | "unbuffer"
        | "noglob"
        | "nocorrect"
        | "-"
        | "and"
        | "or"
        | "not"
        | "begin"
        | "busybox"
        | "toybox"
        | "eatmydata"
        | "chronic"
        | "ifne"
        | "catchsegv"
        | "dumb-init"
        | "tini"
        | "torify"
        | "torsocks"
        | "tsocks"
        | "wine"
        | "wine64"
        | "rlwrap"
        | "linux32"
        | "linux64"
        | "i386"
        | "x86_64"
        | "uname26"
        | "dbus-launch"
        | "valgrind"
        | "heaptrack"
        | "fakeroot"
        | "fakechroot"
        | "bash-static-wrapper"
        | "ccache"
        | "sccache"
        | "distcc"
        | "icecc"
        | "preload"
        | "!" => after("", &[], 0),
        "setsid" => after("", &[], 0),
        "time" => after("fo", &["--format", "--output"], 0),
        "nice" => after("n", &["--adjustment"], 0),
        "ionice" => after("cnpPu", &["--class", "--classdata", "--pid", "--pgid", "--uid"], 0),
        "chrt" => after("TPDp", &["--sched-runtime", "--sched-period", "--sched-deadline", "--pid"], 1),
        "taskset" => after("p", &["--pid"], 1),
        "timeout" | "gtimeout" => after("ks", &["--kill-after", "--signal"], 1),
        "stdbuf" | "gstdbuf" => after("ioe", &["--input", "--output", "--error"], 0),
        "flock" => after("wEcT", &["--wait", "--timeout", "--conflict-exit-code"], 1),
        "repeat" | "faketime" | "gosu" | "su-exec" | "setuidgid" | "envdir" | "envuidgid" | "setarch" | "setlock"
        | "lockf" | "cpuset" => after("", &[], 1),
        "chroot" => Kind::Wrapper(Wrapper {
            long: &["--groups", "--userspec"],
            operands: 1,
            is_shell: true,
            ..Wrapper::default()
        }),
        "nsenter" => Kind::Wrapper(Wrapper {
            short: "tSGN",
            long: &["--target", "--setuid", "--setgid"],
            is_shell: true,
            ..Wrapper::default()
        }),
        "unshare" => Kind::Wrapper(Wrapper {
            short: "RwSGl",
            long: &[
                "--root",
                "--wd",
                "--setuid",
                "--setgid",
                "--map-user",
                "--map-group",
                "--map-users",
                "--map-groups",
                "--propagation",
                "--load-interp",
            ],
            is_shell: true,
            ..Wrapper::default()
        }),
        "setpriv" => after(
            "",
            &[
                "--ruid",
                "--euid",
                "--reuid",
                "--rgid",
                "--egid",
                "--regid",
                "--groups",
                "--inh-caps",
                "--ambient-caps",
                "--bounding-set",
                "--securebits",
                "--pdeathsig",
                "--selinux-label",
                "--apparmor-profile",
            ],
            0,
        ),
        "strace" => after(
            "aEbeIOoPpsSuUX",
            &[
                "--attach",
                "--trace",
                "--output",
                "--string-limit",
                "--user",
                "--env",
                "--columns",
                "--status",
                "--signal",
                "--signals",
                "--inject",
                "--fault",
                "--trace-path",
                "--summary-sort-by",
            ],
            0,
        ),
        "ltrace" => after("AaDeFlnopsuwxb", &["--output", "--config", "--library", "--where"], 0),
        "dtruss" | "truss" | "ktrace" => after("nopsue", &[], 0),
        "watch" => Kind::Wrapper(Wrapper {
            short: "nqs",
            long: &["--interval", "--equexit", "--shotsdir"],
            is_joined: true,
            ..Wrapper::default()
        }),
        "pkexec" | "run0" => after("u", &["--user", "--chdir", "--setenv", "--group", "--nice"], 0),
        "proxychains" => after("f", &[], 0),
        "xvfb-run" => after(
            "efnpsw",
            &["--error-file", "--auth-file", "--server-num", "--xauth-protocol", "--server-args", "--wait"],
            0,
        ),
        "dbus-run-session" => after("", &["--config-file", "--dbus-daemon"], 0),
        "caffeinate" => after("tw", &[], 0),
        "sshpass" => after("pfdP", &[], 0),
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx-run" => {
            after("p", &["--package", "--from", "--with", "--python", "--workspace"], 0)
        }
        "dotenv" => after("fe", &["--file"], 0),
        "wsl" => Kind::Wrapper(Wrapper {
            short: "du",
            long: &["--distribution", "--user", "--cd", "--shell-type", "--distribution-id"],
            is_joined: true,
            is_shell: true,
            ..Wrapper::default()
        }),
        "winpty" | "gsudo" => after("", &[], 0),
        _ => return None,
    })
}

fn other(name: &str) -> Option<Kind> {
    use Language::{Awk, Lua, Node, Other, Perl, Php, Python, Ruby, Sed};
    Some(match name {
        _ if KnownShell::named(name.as_bytes()).is_some() => Kind::Shell,
        // Shells whose language or command line is another one.
        "hookshell" | "fish" | "csh" | "tcsh" | "nu" | "xonsh" | "elvish" | "rc" | "es" | "ysh" | "sash" | "esh"
        | "scsh" | "ion" | "murex" | "oil" => Kind::Shell,
        "python" | "pypy" | "py" | "ipython" | "python-config" => Kind::Language(Python),
        "perl" | "cperl" | "perl6" | "raku" => Kind::Language(Perl),
        "ruby" | "jruby" | "mruby" | "truffleruby" => Kind::Language(Ruby),
        "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" | "qjs" => Kind::Language(Node),
        "php" => Kind::Language(Php),
        "lua" | "luajit" | "texlua" => Kind::Language(Lua),
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" | "goawk" => Kind::Language(Awk),
        "sed" | "gsed" | "ssed" => Kind::Language(Sed),
        "r" | "rscript" | "julia" | "octave" | "octave-cli" | "ghc" | "runghc" | "runhaskell" | "scala" | "groovy"
        | "jshell" | "irb" | "pry" | "tclsh" | "wish" | "expect" | "guile" | "racket" | "sbcl" | "clisp" | "ecl"
        | "clojure" | "clj" | "bb" | "elixir" | "iex" | "erl" | "escript" | "osascript" | "gnuplot" | "maxima"
        | "gp" | "sage" | "ocaml" | "utop" | "swipl" | "gprolog" | "nim" | "crystal" | "janet" | "fennel"
        | "chibi-scheme" | "gforth" | "pike" | "rexx" | "regina" | "slsh" | "psysh" | "kotlin" | "jshell.exe"
        | "cscript" | "wscript" | "mshta" | "rhino" | "jjs" | "m4" | "dc" => Kind::Language(Other),
        "git" => Kind::Special(Special::Git),
        "find" | "gfind" | "bfs" => Kind::Special(Special::Find),
        "xargs" | "gxargs" => Kind::Special(Special::Xargs),
        "env" | "genv" => Kind::Special(Special::Env),
        "command" => Kind::Special(Special::Command),
        "eval" => Kind::Special(Special::Eval),
        "source" | "." => Kind::Special(Special::Source),
        "trap" => Kind::Special(Special::Trap),
        "alias" => Kind::Special(Special::Alias),
        "hash" => Kind::Special(Special::CodeOptions("p")),
        "enable" => Kind::Special(Special::CodeOptions("f")),
        "bind" => Kind::Special(Special::CodeOptions("x")),
        "complete" | "compgen" => Kind::Special(Special::CodeOptions("CFW")),
        "mapfile" | "readarray" => Kind::Special(Special::CodeOptions("C")),
        "let" | "test" | "[" | "printf" | "read" | "unset" | "declare" | "typeset" | "export" | "readonly"
        | "local" | "getopts" | "wait" | "integer" | "float" => Kind::Special(Special::Evaluates),
        "fc" | "zcompile" | "zmodload" | "autoload" | "emulate" | "sched" | "zle" | "add-zsh-hook" | "r!"
        | "newgrp" | "at" | "batch" | "busctl" | "crontab" | "start-stop-daemon" | "daemonize" | "run-parts"
        | "logrotate" | "systemd-nspawn" | "schtasks" | "wmic" | "forfiles" | "runas" | "rundll32" | "psexec"
        | "salt" | "ansible" | "ansible-console" | "pdsh" | "pssh" | "clush" | "dsh" | "lftp" | "sem" | "ex"
        | "capsh" | "coreutils" | "abcl" | "tcpserver" | "inetd" | "cgi-fcgi" | "gdbserver" | "iex-enc" => {
            Kind::Special(Special::Unknowable)
        }
        "ssh" | "rsh" | "remsh" | "slogin" | "autossh" | "mosh" | "dbclient" | "plink" => {
            Kind::Special(Special::Remote)
        }
        "make" | "gmake" | "bmake" | "just" | "mingw32-make" | "ninja" | "task" | "rake" | "invoke" | "doit" => {
            Kind::Special(Special::Make)
        }
        "cmd" | "command.com" => Kind::Special(Special::Cmd),
        "powershell" | "pwsh" => Kind::Special(Special::PowerShell),
        "vim" | "vi" | "nvim" | "view" | "vimdiff" | "rvim" | "gvim" | "ed" | "red" | "emacs" | "emacsclient"
        | "kak" | "hx" | "joe" | "mg" => Kind::Special(Special::Editor),
        "cp" | "mv" | "ln" | "link" | "install" | "gcp" | "gmv" | "gln" => Kind::Special(Special::Copies),
        "tee" | "dd" | "curl" | "wget" | "sponge" => Kind::Special(Special::Writes),
        "cd" | "pushd" | "chdir" => Kind::Special(Special::ChangesDirectory),
        "which" | "type" | "whence" | "where" | "whereis" => Kind::Special(Special::Locates),
        "su" | "runuser" => Kind::Optioned(&["-c", "--command", "--session-command", "-s", "--shell", "-u", "--user"]),
        "script" => Kind::Optioned(&["-c", "--command"]),
        "tar" | "gtar" | "bsdtar" => Kind::Optioned(&[
            "-I",
            "-F",
            "--to-command",
            "--checkpoint-action",
            "--use-compress-program",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ]),
        "rsync" => Kind::Optioned(&["-e", "--rsh", "--rsync-path"]),
        "scp" | "sftp" => Kind::Optioned(&["-S", "-D", "-o"]),
        "sort" | "gsort" => Kind::Optioned(&["--compress-program"]),
        "split" | "gsplit" => Kind::Optioned(&["--filter"]),
        "man" => Kind::Optioned(&["-P", "--pager", "-H", "--html", "--preprocessor"]),
        "less" | "more" | "most" => Kind::Optioned(&["+"]),
        "zip" => Kind::Optioned(&["-TT", "--unzip-command"]),
        "7z" | "7za" | "unrar" => Kind::Plain,
        "rg" => Kind::Optioned(&["--pre", "--hostname-bin"]),
        "ag" | "ack" => Kind::Optioned(&["--pager"]),
        "bat" | "delta" | "batcat" => Kind::Optioned(&["--pager"]),
        "fd" | "fdfind" => Kind::Optioned(&["-x", "-X", "--exec", "--exec-batch"]),
        "fzf" | "sk" => Kind::Optioned(&["--preview", "--bind", "--with-shell"]),
        "tcpdump" => Kind::Optioned(&["-z"]),
        "nc" | "netcat" | "ncat" => Kind::Optioned(&["-e", "-c", "--exec", "--sh-exec", "--lua-exec"]),
        "socat" => Kind::Starter,
        "psql" | "mysql" | "mariadb" | "sqlite" | "sqlite3" | "duckdb" => Kind::Special(Special::Editor),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => Kind::Optioned(&["-wrapper"]),
        "go" => Kind::Optioned(&["-exec", "-toolexec", "-vettool"]),
        "hg" => Kind::Optioned(&["--config"]),
        "svn" => Kind::Optioned(&["--diff-cmd", "--diff3-cmd", "--editor-cmd", "--config-option"]),
        "dpkg" | "apt" | "apt-get" | "aptitude" => Kind::Optioned(&["-o", "--option", "--pre-invoke", "--post-invoke"]),
        "xterm"
        | "kitty"
        | "alacritty"
        | "konsole"
        | "gnome-terminal"
        | "foot"
        | "wezterm"
        | "screen"
        | "tmux"
        | "byobu"
        | "zellij"
        | "dtach"
        | "abduco"
        | "gdb"
        | "lldb"
        | "rr"
        | "perf"
        | "hyperfine"
        | "parallel"
        | "rush"
        | "xe"
        | "entr"
        | "nodemon"
        | "watchexec"
        | "watchman-make"
        | "onchange"
        | "chokidar"
        | "concurrently"
        | "npm-run-all"
        | "run-p"
        | "run-s"
        | "firejail"
        | "bwrap"
        | "proot"
        | "systemd-run"
        | "systemd-inhibit"
        | "systemd-cat"
        | "numactl"
        | "cpulimit"
        | "prlimit"
        | "uclampset"
        | "choom"
        | "cgexec"
        | "chpst"
        | "softlimit"
        | "sg"
        | "supervisorctl"
        | "start"
        | "cross-env"
        | "cross-env-shell"
        | "env-cmd"
        | "wait-for-it"
        | "wait-for-it.sh"
        | "s6-setuidgid"
        | "execlineb"
        | "trickle"
        | "mispipe"
        | "pee"
        | "ts-run"
        | "machinectl"
        | "gnome-session-inhibit"
        | "git-exec"
        | "pipx"
        | "ssh-agent"
        | "gpg-agent"
        | "xinit"
        | "startx"
        | "daemon"
        | "disper"
        | "vagrant"
        | "gcloud"
        | "heroku"
        | "fly"
        | "flyctl" => Kind::Starter,
        "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "kubectl" | "oc" | "k3s"
        | "microk8s" | "crictl" | "ctr" | "lxc" | "incus" | "finch" | "minikube" | "buildah" | "distrobox"
        | "toolbox" | "apptainer" | "singularity" | "devcontainer" | "multipass" => {
            Kind::Subcommands(&["exec", "run", "debug", "shell", "ssh", "enter", "unshare"])
        }
        "npm" | "pnpm" => Kind::Subcommands(&["exec", "x", "dlx", "explore"]),
        "yarn" => Kind::Subcommands(&["exec", "dlx", "run", "node"]),
        "uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "pixi" | "conda" | "mamba" | "micromamba" | "rustup"
        | "volta" | "flatpak" | "snap" | "op" | "doppler" | "dotenvx" | "infisical" | "teller" | "nix"
        | "nix-shell" | "guix" | "devbox" | "devenv" | "stack" | "cabal" | "opam" | "esy" | "fnm" | "nvm" | "mise"
        | "rtx" | "asdf" | "rbenv" | "pyenv" | "nodenv" | "goenv" | "jenv" | "direnv" | "aws-vault" | "chamber"
        | "bundle" | "bundler" | "lerna" | "nx" | "rbx" | "phpenv" | "sdk" | "proto" => {
            Kind::Subcommands(&["run", "exec", "x", "shell", "develop", "environment", "--run", "--command", "-c"])
        }
        "tox" | "nox" => Kind::Plain,
        "ip" => Kind::Subcommands(&["exec"]),
        "gh" | "glab" | "az" => Kind::Subcommands(&["alias", "ssh", "exec", "extension", "run-command"]),
        "cmake" | "meson" => Kind::Subcommands(&["-E", "devenv"]),
        "rails" | "mix" | "composer" => Kind::Subcommands(&["runner", "r", "run", "-e", "eval", "cmd", "do", "exec"]),
        "java" => Kind::Optioned(&["-XX:OnError", "-XX:OnOutOfMemoryError"]),
        "pandoc" => Kind::Optioned(&["-F", "--filter", "--lua-filter", "--pdf-engine"]),
        "helm" => Kind::Optioned(&["--post-renderer"]),
        "cpio" => Kind::Optioned(&["--rsh-command"]),
        "nano" => Kind::Optioned(&["-s", "--speller"]),
        "jobs" => Kind::Special(Special::CodeOptions("x")),
        "cargo" => Kind::Subcommands(&["watch", "--config"]),
        _ => return None,
    })
}

/// Programs that start none that their words name.
fn plain(name: &str) -> bool {
    matches!(
        name,
        ":" | "true"
            | "false"
            | "echo"
            | "pwd"
            | "ls"
            | "gls"
            | "dir"
            | "vdir"
            | "eza"
            | "exa"
            | "lsd"
            | "tree"
            | "cat"
            | "tac"
            | "head"
            | "tail"
            | "wc"
            | "nl"
            | "od"
            | "xxd"
            | "hexdump"
            | "strings"
            | "file"
            | "stat"
            | "du"
            | "df"
            | "touch"
            | "mkdir"
            | "rmdir"
            | "rm"
            | "unlink"
            | "shred"
            | "chmod"
            | "chown"
            | "chgrp"
            | "readlink"
            | "realpath"
            | "basename"
            | "dirname"
            | "mktemp"
            | "sync"
            | "truncate"
            | "fallocate"
            | "cut"
            | "paste"
            | "join"
            | "comm"
            | "uniq"
            | "tr"
            | "fold"
            | "fmt"
            | "pr"
            | "expand"
            | "unexpand"
            | "column"
            | "rev"
            | "shuf"
            | "seq"
            | "yes"
            | "factor"
            | "expr"
            | "bc"
            | "date"
            | "cal"
            | "sleep"
            | "tty"
            | "who"
            | "whoami"
            | "id"
            | "groups"
            | "users"
            | "uname"
            | "hostname"
            | "uptime"
            | "arch"
            | "nproc"
            | "free"
            | "ps"
            | "top"
            | "htop"
            | "kill"
            | "pkill"
            | "killall"
            | "pgrep"
            | "pidof"
            | "fg"
            | "bg"
            | "disown"
            | "lsof"
            | "fuser"
            | "ss"
            | "netstat"
            | "ifconfig"
            | "ping"
            | "dig"
            | "nslookup"
            | "host"
            | "traceroute"
            | "grep"
            | "egrep"
            | "fgrep"
            | "zgrep"
            | "ugrep"
            | "diff"
            | "cmp"
            | "patch"
            | "diff3"
            | "sdiff"
            | "colordiff"
            | "md5sum"
            | "sha1sum"
            | "sha256sum"
            | "sha512sum"
            | "shasum"
            | "cksum"
            | "b2sum"
            | "base64"
            | "base32"
            | "gzip"
            | "gunzip"
            | "zcat"
            | "bzip2"
            | "bunzip2"
            | "bzcat"
            | "xz"
            | "unxz"
            | "xzcat"
            | "zstd"
            | "unzip"
            | "zipinfo"
            | "ar"
            | "nm"
            | "objdump"
            | "readelf"
            | "ldd"
            | "size"
            | "jq"
            | "yq"
            | "gojq"
            | "xmllint"
            | "csvtool"
            | "xsv"
            | "mlr"
            | "tldr"
            | "help"
            | "info"
            | "apropos"
            | "whatis"
            | "history"
            | "shift"
            | "set"
            | "shopt"
            | "setopt"
            | "unsetopt"
            | "ulimit"
            | "umask"
            | "return"
            | "exit"
            | "break"
            | "continue"
            | "logout"
            | "times"
            | "popd"
            | "dirs"
            | "unalias"
            | "caller"
            | "suspend"
            | "print"
            | "brew"
            | "yum"
            | "dnf"
            | "pacman"
            | "apk"
            | "zypper"
            | "port"
            | "pip"
            | "pytest"
            | "py.test"
            | "mypy"
            | "ruff"
            | "black"
            | "flake8"
            | "pylint"
            | "isort"
            | "coverage"
            | "pyright"
            | "bandit"
            | "pre-commit"
            | "sphinx-build"
            | "mkdocs"
            | "twine"
            | "rustfmt"
            | "rustdoc"
            | "clippy-driver"
            | "gofmt"
            | "goimports"
            | "golangci-lint"
            | "gopls"
            | "tsc"
            | "eslint"
            | "prettier"
            | "jest"
            | "vitest"
            | "mocha"
            | "webpack"
            | "vite"
            | "rollup"
            | "esbuild"
            | "next"
            | "nuxt"
            | "biome"
            | "turbo"
            | "playwright"
            | "cypress"
            | "javac"
            | "jar"
            | "gradlew"
            | "mvnw"
            | "sbt"
            | "ant"
            | "dotnet"
            | "msbuild"
            | "nuget"
            | "swift"
            | "xcodebuild"
            | "xcrun"
            | "pod"
            | "flutter"
            | "dart"
            | "gem"
            | "rspec"
            | "rubocop"
            | "phpunit"
            | "rebar3"
            | "ld"
            | "as"
            | "ctest"
            | "cpack"
            | "autoconf"
            | "automake"
            | "pkg-config"
            | "terraform"
            | "tofu"
            | "aws"
            | "gsutil"
            | "hub"
            | "vercel"
            | "netlify"
            | "wrangler"
            | "firebase"
            | "heroku-cli"
            | "systemctl"
            | "journalctl"
            | "service"
            | "dmesg"
            | "mount"
            | "umount"
            | "lsblk"
            | "blkid"
            | "lscpu"
            | "lspci"
            | "lsusb"
            | "printenv"
            | "locale"
            | "getconf"
            | "getent"
            | "openssl"
            | "gpg"
            | "ssh-keygen"
            | "ssh-add"
            | "ssh-keyscan"
            | "redis-cli"
            | "mongosh"
            | "mongo"
            | "pg_dump"
            | "createdb"
            | "dropdb"
            | "pg_isready"
            | "kafka-topics"
            | "ffmpeg"
            | "ffprobe"
            | "convert"
            | "identify"
            | "magick"
            | "pdftotext"
            | "dot"
            | "shellcheck"
            | "shfmt"
            | "hadolint"
            | "markdownlint"
            | "yamllint"
            | "actionlint"
            | "tokei"
            | "cloc"
            | "scc"
            | "clear"
            | "reset"
            | "tput"
            | "stty"
            | "open"
            | "xdg-open"
            | "pbcopy"
            | "pbpaste"
            | "xclip"
            | "code"
            | "cursor"
            | "npm-check"
            | "serve"
            | "http-server"
            | "uvicorn"
            | "gunicorn"
            | "flask"
            | "django-admin"
            | "alembic"
            | "streamlit"
            | "jupyter"
            | "wasm-pack"
            | "trunk"
            | "cross"
            | "tailscale"
            | "sleepenh"
            | "pv"
            | "numfmt"
            | "tsort"
            | "ptx"
            | "csplit"
            | "iconv"
            | "dos2unix"
            | "unix2dos"
            | "envsubst"
            | "gettext"
            | "claude"
            | "codex"
            | "gemini"
            | "copilot"
            | "qwen"
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
