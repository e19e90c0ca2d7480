//! Every option of a shell's command line, through all that read one: `hookshell sh`, the in-process shell that stands in for one that
//! is not installed, `check`, the scan of what `trust` covers, and a real bash.
#![allow(clippy::unwrap_used, clippy::panic, reason = "test helpers: a panic fails the test")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::{Path, PathBuf};

use serde_json::json;
use support::{Output, hookshell, program};

/// What a real bash does with an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bash {
    /// The same as hookshell.
    Same,
    /// It takes it, and something else comes out, for this reason.
    Takes(&'static str),
    /// It refuses it.
    Refuses,
}
use Bash::{Refuses, Same, Takes};

const NO_TERMINAL: &str = "it wants a terminal for job control and says so";
const LISTS: &str = "it lists the options";
const DOES_IT: &str = "it has what hookshell does not";

/// Options that are taken.
const TAKEN: &[(&[&str], Bash)] = &[
    (&[], Same),
    (&["-a"], Same),
    (&["-b"], Same),
    (&["-e"], Same),
    (&["-f"], Same),
    (&["-h"], Same),
    (&["-k"], Same),
    (&["-m"], Takes(NO_TERMINAL)),
    (&["-n"], Same),
    (&["-p"], Same),
    (&["-t"], Same),
    (&["-u"], Same),
    (&["-v"], Same),
    (&["-x"], Same),
    (&["-B"], Same),
    (&["-C"], Same),
    (&["-E"], Same),
    (&["-H"], Same),
    (&["-P"], Same),
    (&["-T"], Same),
    (&["+a"], Same),
    (&["+e"], Same),
    (&["+h"], Same),
    (&["+B"], Same),
    (&["+p"], Same),
    (&["-i"], Takes(NO_TERMINAL)),
    (&["+i"], Same),
    (&["-l"], Same),
    (&["+l"], Same),
    (&["-r"], Same),
    (&["-er"], Same),
    (&["+r"], Same),
    (&["+"], Same),
    (&["-o", "pipefail"], Same),
    (&["+o", "braceexpand"], Same),
    (&["-o", "posix"], Same),
    (&["-o", "errexit", "+o", "errexit"], Same),
    (&["-eo", "pipefail"], Same),
    (&["-euo", "pipefail"], Same),
    (&["-exo", "pipefail"], Same),
    (&["-oe", "pipefail"], Same),
    (&["-oo", "pipefail", "noclobber"], Same),
    (&["-O", "extglob"], Same),
    (&["+O", "extglob"], Same),
    (&["+O", "cmdhist"], Same),
    (&["-eO", "nullglob"], Same),
    (&["-oO", "pipefail", "nullglob"], Same),
    (&["-O", "restricted_shell"], Same),
    (&["--login"], Same),
    (&["--noediting"], Same),
    (&["--noprofile"], Same),
    (&["--norc"], Same),
    (&["--posix"], Takes("`hookshell sh --posix` is POSIX's language")),
    (&["--restricted"], Same),
    (&["--verbose"], Same),
    (&["--init-file", "other.sh"], Same),
    (&["--rcfile", "other.sh"], Same),
    (&["-norc"], Same),
    (&["-login"], Same),
    (&["-verbose"], Same),
    (&["-restricted"], Same),
    (&["-rcfile", "other.sh"], Same),
    (&["-init-file", "-c"], Same),
    (&["--norc", "--noprofile", "-e", "-o", "pipefail"], Same),
];

/// Options that are not taken, and the reason that is given.
const REFUSED: &[(&[&str], &str, Bash)] = &[
    (&["-D"], "-D: not supported: strings for translation are not listed", Takes(DOES_IT)),
    (&["--dump-strings"], "--dump-strings: not supported: strings for translation are not listed", Takes(DOES_IT)),
    (&["--dump-po-strings"], "--dump-po-strings: not supported: strings for translation", Takes(DOES_IT)),
    (&["--debug"], "--debug: not supported: there is no debugger", Takes(DOES_IT)),
    (&["--debugger"], "--debugger: not supported: there is no debugger", Takes(DOES_IT)),
    (&["--pretty-print"], "--pretty-print: not supported: scripts are not printed", Takes(DOES_IT)),
    (&["-Z"], "-Z: invalid option", Refuses),
    (&["-eZ"], "-Z: invalid option", Refuses),
    (&["+Z"], "+Z: invalid option", Refuses),
    (&["--frob"], "--frob: invalid option", Refuses),
    (&["--rcfile=x"], "--rcfile=x: invalid option", Refuses),
    (&["-o", "frob"], "frob: invalid option name", Refuses),
    (&["-o", "extglob"], "extglob: invalid option name", Refuses),
    (&["+o", "frob"], "frob: invalid option name", Refuses),
    (&["-O", "frob"], "frob: invalid shell option name", Refuses),
    (&["-O", "posix"], "posix: invalid shell option name", Refuses),
    (&["-r", "+r"], "+r: invalid option", Refuses),
    (&["--restricted", "+r"], "+r: invalid option", Refuses),
];

/// The same, with nothing after them.
const REFUSED_ALONE: &[(&[&str], &str, Bash)] = &[
    (&["-c"], "-c: option requires an argument", Refuses),
    (&["-c", "--"], "-c: option requires an argument", Refuses),
    (&["-ec"], "-c: option requires an argument", Refuses),
    (&["--rcfile"], "--rcfile: option requires an argument", Refuses),
    (&["--init-file"], "--init-file: option requires an argument", Refuses),
    (&["-o"], "-o: option requires an argument", Takes(LISTS)),
    (&["+o"], "+o: option requires an argument", Takes(LISTS)),
    (&["-O"], "-O: option requires an argument", Takes(LISTS)),
    (&["+O"], "+O: option requires an argument", Takes(LISTS)),
];

/// What a script says of its shell, in one line for `-t`.
const STATE: &str = "echo \"${0##*/},$#,$1,$-,$SHELLOPTS,$BASHOPTS\"; echo {a,b} n*ne; \
                     cd / && echo free || echo restricted\n";

/// A directory with the scripts, and an empty one for PATH.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("none")).unwrap();
        for name in ["s.sh", "other.sh"] {
            std::fs::write(dir.path().join(name), STATE).unwrap();
        }
        Self { dir }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn sh(&self, words: &[&str], stdin: &str) -> Output {
        let words = ["sh"].iter().chain(words);
        hookshell(words).cwd(self.path()).env("SHELLOPTS", "").stdin(stdin).output()
    }

    /// In a hook, where there is no bash.
    fn stand_in(&self, name: &str, words: &[&str], stdin: &str) -> Output {
        let line = format!("{name} {}", quoted(words));
        let args = ["exec", "--missing-shell", "interpret", &line];
        hookshell(args).cwd(self.path()).env("PATH", self.path().join("none")).stdin(stdin).output()
    }

    /// The same for many command lines in one process: what came out of each.
    fn stand_ins(&self, calls: &[(&str, Vec<&str>, &str)]) -> Vec<Output> {
        let mut script = String::new();
        for (at, (name, words, stdin)) in calls.iter().enumerate() {
            self.write(&format!("{at}.in"), stdin);
            let line = format!("{name} {} <{at}.in >{at}.out 2>{at}.err; echo \"$?\" >{at}.code\n", quoted(words));
            script.push_str(&line);
        }
        // Windows has a limit for the length of a command line.
        self.write("all.sh", &script);
        let args = ["exec", "--missing-shell", "interpret", ". ./all.sh"];
        let all = hookshell(args).cwd(self.path()).env("PATH", self.path().join("none")).output();
        assert_eq!(all.code, Some(0), "{all:?}");
        let read = |at: usize, what: &str| {
            let bytes = std::fs::read(self.path().join(format!("{at}.{what}"))).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let outputs = (0..calls.len()).map(|at| Output {
            code: read(at, "code").trim().parse().ok(),
            stdout: read(at, "out"),
            stderr: read(at, "err"),
        });
        outputs.collect()
    }

    fn bash(&self, bash: &Path, words: &[&str], stdin: &str) -> Output {
        program(bash, words).cwd(self.path()).stdin(stdin).output()
    }

    /// What is found in a config with such hooks, each in a line of its own.
    fn check(&self, hooks: &[Vec<&str>]) -> Output {
        let hooks = hooks.iter().map(|words| json!({"command": format!("bash {}", quoted(words))}).to_string());
        let hooks = hooks.collect::<Vec<_>>().join(",\n");
        self.write("c.json", &format!("{{\"hooks\": {{\"PreToolUse\": [\n{hooks}]}}}}\n"));
        let args = ["check", "--missing-shell", "interpret", "c.json"];
        hookshell(args).cwd(self.path()).env("PATH", self.path().join("none")).output()
    }

    /// What trust in a project with these hooks covers, in which there are `s.sh` and `lib.conf`: what is said of each.
    fn trust(&self, commands: &[String]) -> Vec<String> {
        let project = self.path().join("project");
        std::fs::create_dir_all(&project).unwrap();
        for name in ["s.sh", "lib.conf"] {
            std::fs::write(project.join(name), "exit 2\n").unwrap();
        }
        let hooks: Vec<_> = commands.iter().map(|command| json!({"command": command})).collect();
        let config = json!({"hooks": {"PreToolUse": hooks}}).to_string();
        std::fs::write(project.join(".crush.json"), config).unwrap();
        let trust = hookshell(["trust", "--strict", "--yes"])
            .cwd(&project)
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("LOCALAPPDATA", self.path().join("config"))
            .output();
        assert_eq!(trust.code, Some(0), "{trust:?}");
        let said: Vec<String> = trust.stdout.split("\nPreToolUse ").skip(1).map(str::to_owned).collect();
        assert_eq!(said.len(), commands.len(), "{trust:?}");
        for (command, said) in commands.iter().zip(&said) {
            assert!(said.contains(&format!("  command:  {command}\n")), "{command}: {said}");
        }
        said
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect::<Vec<_>>().join(" ")
}

/// A bash 5.2 or later, whose options these are. Says that the test is skipped where there is none.
fn real_bash() -> Option<PathBuf> {
    if cfg!(windows) {
        hookshell_test_support::skip("bash is another one on Windows");
        return None;
    }
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&paths).map(|dir| dir.join("bash")).filter(|path| path.is_file());
    let bash = found.find(|path| {
        let version = program(path, ["-c", "echo $((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))"]).output();
        version.stdout.trim().parse::<u32>().is_ok_and(|version| version >= 502)
    });
    if bash.is_none() {
        hookshell_test_support::skip("there is no bash 5.2 on PATH");
    }
    bash
}

/// The three ways in which a shell is given commands, after its options: words, and standard input.
fn forms() -> [(Vec<&'static str>, &'static str); 3] {
    [(vec!["-c", STATE, "name", "x"], ""), (vec!["s.sh", "x"], ""), (vec!["-s", "x"], STATE)]
}

fn with<'w>(options: &[&'w str], words: &[&'w str]) -> Vec<&'w str> {
    [options, words].concat()
}

/// What comes out, but for what `-v` and `-x` write, the number of the line and the name.
fn result(output: &Output) -> (Option<i32>, &str) {
    (output.code, &output.stdout)
}

#[test]
fn every_option_means_the_same_in_hookshell_sh_and_in_place_of_a_shell() {
    let place = Place::new();
    let rows = TAKEN.iter().map(|(options, _)| *options).filter(|options| !matches!(options, ["--posix"]));
    let calls: Vec<_> =
        rows.flat_map(|options| forms().map(|(words, stdin)| (options, with(options, &words), stdin))).collect();
    let lines: Vec<_> = calls.iter().map(|(_, words, stdin)| ("sh", words.clone(), *stdin)).collect();
    for ((options, words, stdin), stand_in) in calls.iter().zip(place.stand_ins(&lines)) {
        let own = place.sh(words, stdin);
        assert_eq!(result(&stand_in), result(&own), "{words:?}: {own:?} {stand_in:?}");
        assert_eq!(own.code, Some(0), "{words:?}: {own:?}");
        let is_run = !options.contains(&"-n");
        assert_eq!(own.stdout.is_empty(), !is_run, "{words:?}: {own:?}");
    }
    // Alone in its process, too.
    for (words, stdin) in forms() {
        assert_eq!(result(&place.stand_in("sh", &words, stdin)), result(&place.sh(&words, stdin)), "{words:?}");
    }
}

#[test]
fn every_option_means_what_it_means_to_bash() {
    let place = Place::new();
    let Some(bash) = real_bash() else { return };
    for (options, expected) in TAKEN {
        for (words, stdin) in forms() {
            let words = with(options, &words);
            let (real, own) = (place.bash(&bash, &words, stdin), place.sh(&words, stdin));
            assert_eq!(real.code, Some(0), "{words:?}: {real:?}");
            let (real_text, own_text) = (real.stdout.replacen("bash,", "sh,", 1), &own.stdout);
            match expected {
                Same => assert_eq!(&real_text, own_text, "{words:?}: {real:?} {own:?}"),
                Takes(reason) => assert_ne!(&real_text, own_text, "{words:?}: no more {reason}"),
                Refuses => panic!("{words:?}"),
            }
        }
    }
    for (options, reason, expected) in REFUSED {
        for (words, stdin) in forms() {
            let words = with(options, &words);
            let real = place.bash(&bash, &words, stdin);
            assert_eq!(real.code != Some(0), *expected == Refuses, "{words:?}: {reason}: {real:?}");
        }
    }
    for (words, reason, expected) in REFUSED_ALONE {
        let real = place.bash(&bash, words, "");
        assert_eq!(real.code != Some(0), *expected == Refuses, "{words:?}: {reason}: {real:?}");
    }
}

#[test]
fn every_option_that_bash_lists_is_in_the_table() {
    let Some(bash) = real_bash() else { return };
    let help = program(&bash, ["--help"]).output().stdout;
    let all: Vec<&str> = TAKEN
        .iter()
        .map(|(words, _)| *words)
        .chain(REFUSED.iter().map(|(words, ..)| *words))
        .filter_map(|words| words.first().copied())
        .chain(["--help", "--version", "-c", "-s"])
        .collect();
    let long = help.lines().map(str::trim).filter(|line| line.starts_with("--")).map(str::to_owned);
    let letters = help.lines().map(str::trim).filter(|line| line.starts_with('-') && !line.starts_with("--"));
    // `-ilrsD or -c command or -O shopt_option`
    let letters = letters
        .flat_map(|line| line.split(" or ").filter_map(|part| part.strip_prefix('-')))
        .filter_map(|part| part.split([' ', '\t']).next())
        .flat_map(str::chars)
        .map(|letter| format!("-{letter}"));
    let listed: Vec<String> = long.chain(letters).collect();
    assert!(listed.len() > 30, "{listed:?}");
    for option in listed {
        assert!(all.contains(&option.as_str()), "{option} is in no row");
    }
}

#[test]
fn an_option_that_is_not_taken_is_refused_with_one_reason_everywhere() {
    let place = Place::new();
    let rows = REFUSED.iter().flat_map(|(options, reason, _)| {
        forms().into_iter().map(move |(words, stdin)| (with(options, &words), stdin, reason))
    });
    let alone = REFUSED_ALONE.iter().map(|(options, reason, _)| (options.to_vec(), "", reason));
    for (words, stdin, reason) in rows.chain(alone) {
        let own = place.sh(&words, stdin);
        assert_eq!((own.code, &*own.stdout), (Some(2), ""), "{words:?}: {own:?}");
        assert!(own.stderr.starts_with(&format!("sh: {reason}")), "{words:?}: {own:?}");
        // 2 would be a hook's "no".
        let stand_in = place.stand_in("bash", &words, stdin);
        assert_eq!((stand_in.code, &*stand_in.stdout), (Some(126), ""), "{words:?}: {stand_in:?}");
        assert!(stand_in.stderr.contains(reason), "{words:?}: {stand_in:?}");
        let check = place.check(std::slice::from_ref(&words));
        assert!(check.code == Some(1) && check.stdout.contains(reason), "{words:?}: {check:?}");
    }
}

#[test]
fn check_knows_the_script_after_every_option() {
    let place = Place::new();
    for (options, _) in TAKEN {
        let forms = [&["gone.sh", "x"][..], &["s.sh", "gone.sh"], &["-c", "exit 2", "gone.sh"], &["-s", "gone.sh"]];
        let check = place.check(&forms.map(|words| with(options, words)));
        // Of the first hook, and of no other.
        let found: Vec<&str> = check.stdout.lines().filter(|line| line.contains("c.json:")).collect();
        assert!(found.len() == 1 && found[0].contains("c.json:2:"), "{options:?}: {check:?}");
        assert!(found[0].contains("gone.sh does not exist"), "{options:?}: {check:?}");
    }
}

#[test]
fn trust_covers_the_script_and_the_code_after_every_option() {
    let place = Place::new();
    let rows = TAKEN.iter().flat_map(|(options, _)| {
        let options = quoted(options);
        [
            (format!("bash {options} s.sh x"), "s.sh (7 bytes"),
            (format!("bash {options} -c '. ./lib.conf' name"), "lib.conf (7 bytes"),
            (format!("bash {options} -s x <lib.conf"), "lib.conf (7 bytes"),
            (format!("hookshell sh {options} --limit threads=1 s.sh x"), "s.sh (7 bytes"),
        ]
    });
    let (commands, covered): (Vec<String>, Vec<&str>) = rows.unzip();
    for (commands, covered) in commands.chunks(60).zip(covered.chunks(60)) {
        for (said, covered) in place.trust(commands).iter().zip(covered) {
            assert!(said.contains(covered), "{said}");
        }
    }
}

#[test]
fn a_restricted_shell_is_restricted_everywhere() {
    let place = Place::new();
    place.write("cd.sh", "cd / && echo free || echo restricted\n");
    for options in [&["-r"][..], &["--restricted"], &["-restricted"], &["-er"], &["-r", "-e"]] {
        for (words, stdin) in [
            (&["-c", "cd / && echo free || echo restricted"][..], ""),
            (&["cd.sh"], ""),
            (&[], "cd / && echo free || echo restricted\n"),
        ] {
            let words = with(options, words);
            for output in [place.sh(&words, stdin), place.stand_in("bash", &words, stdin)] {
                assert_eq!(result(&output), (Some(0), "restricted\n"), "{words:?}: {output:?}");
            }
        }
    }
    for words in [&["-c", "cd / && echo free || echo restricted"][..], &["+r", "cd.sh"]] {
        let output = place.stand_in("rbash", words, "");
        assert_eq!(result(&output), (Some(0), "restricted\n"), "{words:?}: {output:?}");
    }
    #[cfg(unix)]
    {
        place.write("named.sh", "#!/no/such/place/rbash\ncd / && echo free || echo restricted\n");
        let args = ["exec", "--missing-shell", "interpret", "./named.sh"];
        let output = hookshell(args).cwd(place.path()).env("PATH", place.path().join("none")).output();
        assert_eq!(result(&output), (Some(0), "restricted\n"), "{output:?}");
    }
}

#[test]
fn help_and_version_are_printed_in_place_of_a_shell() {
    let place = Place::new();
    for (option, start) in [("--version", "hookshell "), ("--help", "Usage: sh ")] {
        let output = place.stand_in("bash", &[option], "");
        assert!(output.code == Some(0) && output.stdout.starts_with(start), "{option}: {output:?}");
        let with_options = place.stand_in("bash", &["--norc", option, "s.sh"], "");
        assert_eq!(with_options, output, "{option}");
    }
}

/// A command reads what is left of its shell's input, and no more of it has been read.
#[test]
fn commands_on_standard_input_are_read_one_by_one_in_place_of_a_shell() {
    let place = Place::new();
    let script = "read -r x\nnot a command\necho \"<$x>\"\n";
    for words in [&[][..], &["-s"], &["-e"]] {
        let output = place.stand_in("bash", words, script);
        assert_eq!(result(&output), (Some(0), "<not a command>\n"), "{words:?}: {output:?}");
    }
    let broken = place.stand_in("bash", &[], "echo before\nif )\n");
    // A hook's 2 would be a "no".
    assert_eq!(result(&broken), (Some(127), "before\n"), "{broken:?}");
    assert!(broken.stderr.contains("cannot read the script: line 2: "), "{broken:?}");
}

/// `c` says that the commands are an argument, whichever language they are in.
#[test]
fn the_options_letters_say_that_commands_are_an_argument() {
    for (options, letters) in
        [(&["-c"][..], "hBc\n"), (&["--posix", "-c"], "hBc\n"), (&["-ec"], "ehBc\n"), (&["--posix", "-fc"], "fhBc\n")]
    {
        let output = hookshell([&["sh"], options, &["echo $-"]].concat()).output();
        assert_eq!(output.stdout, letters, "{options:?}");
    }
}
