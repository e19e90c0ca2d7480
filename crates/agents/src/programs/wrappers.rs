//! Programs that start the command which stands after their own words.

/// What stands before a wrapper's command, and what the wrapper is to the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Wrapper {
    /// The letters of the options that take a value.
    pub short: &'static str,
    /// The long options that take a value which may be the next word.
    pub long: &'static [&'static str],
    /// The long options without a value whose names begin others that take one: `--login` of sudo is no `--login-class`.
    pub flags: &'static [&'static str],
    /// The letters of the options whose value, where they have one, stands in the same word: what follows them there are no options.
    pub attached: &'static str,
    /// How many words stand before the command.
    pub operands: usize,
    /// `NAME=value` may stand before the command.
    pub assignments: bool,
    /// The words are one text for a shell.
    pub is_joined: bool,
    /// Without a command it is a shell.
    pub is_shell: bool,
    /// What it does to the command.
    pub effect: Effect,
}

/// What a wrapper does to the command that it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Effect {
    /// The command is all that it runs.
    Nothing,
    /// It starts it with other words, as another user, or measures it, or waits for a lock.
    Some,
    /// It has the command itself, as `busybox` has its applets.
    Applet,
    /// Not told here: it may run other things too, or run it elsewhere.
    #[default]
    Unknown,
}

impl Wrapper {
    /// Does an option have a value that is the next word? `-n 5`, `--signal KILL`, `-fo FILE`; GNU's long ones may be shortened.
    pub fn takes_next(&self, option: &[u8]) -> bool {
        match option {
            [b'-', b'-', name @ ..] => {
                let is_it =
                    |long: &&str| long.as_bytes() == option || name.len() > 1 && long.as_bytes().starts_with(option);
                let is_flag = self.flags.iter().any(|flag| flag.as_bytes() == option);
                !option.contains(&b'=') && !is_flag && self.long.iter().any(is_it)
            }
            [b'-', letters @ ..] => {
                let attached = |letter: &&u8| self.attached.as_bytes().contains(letter);
                let own = letters.iter().take_while(|letter| !attached(letter));
                let value = own.into_iter().position(|letter| self.short.as_bytes().contains(letter));
                value.is_some_and(|at| at + 1 == letters.len())
            }
            _ => false,
        }
    }

    /// Where in the words after its name the command begins that it starts; `None` where it starts none, or none that the words say.
    pub fn command(&self, name: &str, words: &[String]) -> Option<usize> {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let is_assignment = self.assignments && word.contains('=') && !word.starts_with('-');
            if word == "--" {
                at += 1;
                break;
            }
            match word.strip_prefix('-') {
                _ if is_assignment => at += 1,
                None | Some("") => break,
                // What `env -S` is given is a command line of its own.
                Some(cluster) if name == "env" && cluster.starts_with(['S', 'v']) => return None,
                Some(_) => at += if self.takes_next(word.as_bytes()) { 2 } else { 1 },
            }
        }
        if self.assignments {
            at += words.iter().skip(at).take_while(|word| word.contains('=')).count();
        }
        // `timeout 5 x`, `flock FILE x`
        let is_time =
            |word: &String| word.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '$' | '"'));
        if name != "flock" && !words.iter().skip(at).take(self.operands).all(is_time) {
            return None;
        }
        at += self.operands;
        // `flock FILE -c CODE`
        words.get(at).filter(|word| !word.starts_with('-')).map(|_| at)
    }

    const fn with(self, effect: Effect) -> Self {
        Self { effect, ..self }
    }
}

/// One that has nothing but options and operands.
pub(crate) const fn after(short: &'static str, long: &'static [&'static str], operands: usize) -> Wrapper {
    Wrapper {
        short,
        long,
        flags: &[],
        attached: "",
        operands,
        assignments: false,
        is_joined: false,
        is_shell: false,
        effect: Effect::Unknown,
    }
}

/// GNU's and BSD's options.
pub(crate) const XARGS: Wrapper = Wrapper {
    short: "adEILnPsJRS",
    long: &["--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars", "--process-slot-var"],
    attached: "eil",
    effect: Effect::Some,
    ..after("", &[], 0)
};

/// The wrapper of this name, if it is one that is known. The name has small letters, and no directory.
pub fn wrapper(name: &str) -> Option<Wrapper> {
    Some(match name {
        "sudo" => Wrapper {
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
            flags: &["--login"],
            assignments: true,
            is_shell: true,
            effect: Effect::Some,
            ..Wrapper::default()
        },
        "doas" => Wrapper { short: "Cua", is_shell: true, effect: Effect::Some, ..Wrapper::default() },
        "exec" => after("a", &[], 0).with(Effect::Nothing),
        "builtin" | "nohup" | "setsid" | "chronic" => after("", &[], 0).with(Effect::Nothing),
        "command" | "unbuffer" => after("", &[], 0).with(Effect::Some),
        "busybox" | "toybox" => after("", &[], 0).with(Effect::Applet),
        "env" => Wrapper {
            short: "uCaP",
            long: &["--unset", "--chdir", "--argv0"],
            assignments: true,
            effect: Effect::Nothing,
            ..Wrapper::default()
        },
        "xargs" => XARGS,
        "noglob"
        | "nocorrect"
        | "-"
        | "and"
        | "or"
        | "not"
        | "begin"
        | "eatmydata"
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
        "time" => after("fo", &["--format", "--output"], 0).with(Effect::Some),
        "nice" => after("n", &["--adjustment"], 0).with(Effect::Nothing),
        "ionice" => after("cnpPu", &["--class", "--classdata", "--pid", "--pgid", "--uid"], 0).with(Effect::Nothing),
        "chrt" => after("TPDp", &["--sched-runtime", "--sched-period", "--sched-deadline", "--pid"], 1),
        "taskset" => after("p", &["--pid"], 1),
        "timeout" | "gtimeout" => after("ks", &["--kill-after", "--signal"], 1).with(Effect::Nothing),
        "stdbuf" | "gstdbuf" => after("ioe", &["--input", "--output", "--error"], 0).with(Effect::Nothing),
        "flock" => after("wEcT", &["--wait", "--timeout", "--conflict-exit-code"], 1).with(Effect::Some),
        "repeat" | "faketime" | "gosu" | "su-exec" | "setuidgid" | "envdir" | "envuidgid" | "setlock" | "lockf"
        | "cpuset" => after("", &[], 1),
        "chroot" => Wrapper { long: &["--groups", "--userspec"], operands: 1, is_shell: true, ..Wrapper::default() },
        "nsenter" => {
            Wrapper { short: "tSGN", long: &["--target", "--setuid", "--setgid"], is_shell: true, ..Wrapper::default() }
        }
        "unshare" => Wrapper {
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
        },
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
        "strace" => Wrapper {
            short: "aEbeIOoPpsSuUX",
            long: &[
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
                "--summary-columns",
            ],
            flags: &["--summary"],
            ..Wrapper::default()
        },
        "ltrace" => after("AaDeFlnopsuwxb", &["--output", "--config", "--library", "--where"], 0),
        "dtruss" | "truss" | "ktrace" => after("nopsue", &[], 0),
        "watch" => Wrapper {
            short: "nqs",
            long: &["--interval", "--equexit", "--shotsdir"],
            is_joined: true,
            ..Wrapper::default()
        },
        "pkexec" | "run0" => after("u", &["--user", "--chdir", "--setenv", "--group", "--nice"], 0),
        "proxychains" => after("f", &[], 0),
        "xvfb-run" => after(
            "efnpsw",
            &["--error-file", "--auth-file", "--server-num", "--xauth-protocol", "--server-args", "--wait"],
            0,
        ),
        "dbus-run-session" => after("", &["--config-file", "--dbus-daemon"], 0),
        "caffeinate" => after("tw", &[], 0).with(Effect::Nothing),
        "sshpass" => after("pfdP", &[], 0),
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx-run" => {
            after("p", &["--package", "--from", "--with", "--python", "--workspace"], 0)
        }
        "dotenv" => after("fe", &["--file"], 0),
        "wsl" => Wrapper {
            short: "du",
            long: &["--distribution", "--user", "--cd", "--shell-type", "--distribution-id"],
            is_joined: true,
            is_shell: true,
            ..Wrapper::default()
        },
        "winpty" | "gsudo" => after("", &[], 0),
        _ => return None,
    })
}
