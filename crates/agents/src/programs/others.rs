//! Shells, interpreters, and programs that start others by an option, a sub-command or a rule of their own.

use hookshell_shell::command_line::KnownShell;

use super::{Kind, Language, Special};

pub(super) fn other(name: &str) -> Option<Kind> {
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
        "scp" | "sftp" | "ftp" => Kind::Optioned(&["-S", "-D", "-o"]),
        "sort" | "gsort" => Kind::Optioned(&["--compress-program"]),
        "split" | "gsplit" => Kind::Optioned(&["--filter"]),
        "man" => Kind::Optioned(&["-P", "--pager", "-H", "--html", "--preprocessor"]),
        "less" | "more" | "most" => Kind::Optioned(&["+"]),
        "zip" => Kind::Optioned(&["-TT", "--unzip-command"]),
        "7z" | "7za" | "unrar" => Kind::Plain,
        "rg" => Kind::Optioned(&["--pre", "--hostname-bin"]),
        "ugrep" | "ug" => Kind::Optioned(&["--filter", "--pager", "--view"]),
        "diff3" | "sdiff" => Kind::Optioned(&["--diff-program"]),
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
        | "setarch"
        | "arch"
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
        "tox" => Kind::Subcommands(&["exec", "e"]),
        "nox" => Kind::Plain,
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
