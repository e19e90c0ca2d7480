//! Programs that start the command which stands after their own words.

use super::{Kind, Wrapper, after};

pub(super) fn wrapper(name: &str) -> Option<Kind> {
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
