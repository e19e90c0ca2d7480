//! A call is read once, and a file that it names for its program is opened once, however the call is written.
//!
//! Opens are counted by the system (inotify), and readings by a layer between the shell and the utilities: a utility has no other way
//! to its command line than [`Utility::prepare`].
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers fail the test so")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use hookshell_shell::{
    ExecError, ExecRequest, Executor, FIRST_VIRTUAL_ID, FdTable, Identity, Limits, Pool, RunToken, Shell, ShellConfig,
    Started, Stream,
};
use hookshell_syntax::{Dialect, ParseOptions, parse_program};
use hookshell_test_support::OpenCounter;
use hookshell_utilities::{Bundle, standard};
use hookshell_utility::{Prepared, Unsupported, Utility, UtilityCall, UtilitySet};

/// A utility of the bundle, and how often it was asked to read a call.
struct Counted {
    name: &'static str,
    bundle: Bundle,
    calls: AtomicUsize,
}

impl Utility for Counted {
    fn name(&self) -> &'static str {
        self.name
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.bundle.utility(self.name.as_bytes()).unwrap().prepare(call)
    }
}

/// All of them.
struct Counting(Vec<Counted>);

impl Counting {
    fn new() -> Self {
        let bundle = standard();
        let counted = |name| Counted { name, bundle: bundle.clone(), calls: AtomicUsize::new(0) };
        Self(bundle.names().map(counted).collect())
    }

    /// The utilities that were called, with how often.
    fn calls(&self) -> BTreeMap<&'static str, usize> {
        let counts = self.0.iter().map(|utility| (utility.name, utility.calls.load(Ordering::SeqCst)));
        counts.filter(|(_, calls)| *calls > 0).collect()
    }
}

impl UtilitySet for Counting {
    fn utility(&self, name: &[u8]) -> Option<&dyn Utility> {
        self.0.iter().find(|utility| utility.name.as_bytes() == name).map(|utility| utility as &dyn Utility)
    }
}

/// No programs.
struct StartsNothing;

impl Executor for StartsNothing {
    fn start(&self, _: &ExecRequest<'_>) -> Result<Started, ExecError> {
        Err(ExecError::CommandNotFound)
    }

    fn find(&self, _: &[u8], _: &[u8], _: &Path) -> Option<PathBuf> {
        None
    }
}

/// How long a script may take.
const LIMIT: Duration = Duration::from_secs(60);

/// What a script wrote, and how often it had which utility read its call.
fn run(script: &str, directory: &Path) -> (String, BTreeMap<&'static str, usize>) {
    let utilities = Arc::new(Counting::new());
    let (done, ended) = mpsc::channel();
    let (stdout, output) = Stream::capture(1 << 16);
    let stdout = Arc::new(stdout);
    let pool = Pool::new();
    let config = ShellConfig {
        executor: Arc::new(StartsNothing),
        utilities: utilities.clone(),
        pool: pool.clone(),
        cancel: RunToken::isolated(),
        env: Arc::new(vec![("LC_ALL".into(), "C.UTF-8".into()), ("PATH".into(), "/nowhere".into())]),
        cwd: directory.to_path_buf(),
        fds: FdTable::new(Arc::new(Stream::null()), stdout.clone(), stdout),
        name: "hook".into(),
        args: Vec::new(),
        dialect: Dialect::Bash,
        limits: Limits::default(),
        identity: Identity::Virtual(FIRST_VIRTUAL_ID),
        is_command_string: false,
    };
    let program = parse_program(script.as_bytes().to_vec(), &ParseOptions::default());
    assert!(program.error.is_none(), "{script}: {:?}", program.error);
    pool.run(move || {
        let mut shell = Shell::new(config);
        shell.run_program(&program);
        drop(shell);
        let _ = done.send(());
    })
    .unwrap();
    ended.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("{script}: does not end"));
    // Where a program was to be started its output is a pipe, which somebody else empties.
    assert!(output.wait(Some(Instant::now() + LIMIT), &|| false), "{script}: its output does not end");
    (String::from_utf8(output.take()).unwrap(), utilities.calls())
}

const FILES: &[(&str, &str)] = &[
    ("f.jq", "\"ok\""),
    ("bad.jq", "1 +"),
    ("import.jq", "import \"m\" as m; m::f"),
    ("m.jq", "def f: \"ok\";"),
    ("p.awk", "BEGIN { print \"ok\" }"),
    ("bad.awk", "BEGIN {"),
    ("gawk.awk", "BEGIN { print toupper(gensub(/a/, \"\", 1, \"aok\")) }"),
    ("s.sed", "s/.*/ok/"),
    ("bad.sed", "s/a/"),
    ("patterns", "ok\n"),
    ("dates", "2026-11-26\n"),
    ("lines", "ok\n"),
];

/// A script, what it writes, the utilities that read their calls, and the file that is opened once.
type Case = (&'static str, &'static str, &'static [&'static str], &'static str);

const CASES: &[Case] = &[
    ("jq -nf f.jq", "\"ok\"\n", &["jq"], "f.jq"),
    ("jq -f f.jq <<< '{}'", "\"ok\"\n", &["jq"], "f.jq"),
    ("jq -f f.jq <<END\n$(echo '{}')\nEND", "\"ok\"\n", &["jq"], "f.jq"),
    ("x=1 jq -f f.jq <<END\n$(echo '{}')\nEND", "\"ok\"\n", &["jq"], "f.jq"),
    ("f=out; jq -nf f.jq > $f", "", &["jq"], "f.jq"),
    ("f=out; jq -nf f.jq > $(echo $f) 2>&1", "", &["jq"], "f.jq"),
    ("echo '{}' | jq -f f.jq", "\"ok\"\n", &["jq"], "f.jq"),
    ("jq -f f.jq < <(echo '{}')", "\"ok\"\n", &["jq"], "f.jq"),
    ("x=$(jq -nf f.jq); echo $x", "\"ok\"\n", &["jq"], "f.jq"),
    ("command jq -nf f.jq", "\"ok\"\n", &["jq"], "f.jq"),
    ("(exec jq -nf f.jq)", "\"ok\"\n", &["jq"], "f.jq"),
    ("{ jq -nf f.jq; } & wait", "\"ok\"\n", &["jq"], "f.jq"),
    ("{ time jq -nf f.jq; } 2> /dev/null", "\"ok\"\n", &["jq"], "f.jq"),
    ("env x=1 jq -nf f.jq", "\"ok\"\n", &["env", "jq"], "f.jq"),
    ("env -S 'x=1 jq -nf' f.jq", "\"ok\"\n", &["env", "jq"], "f.jq"),
    ("timeout 50 jq -nf f.jq", "\"ok\"\n", &["jq", "timeout"], "f.jq"),
    ("nice jq -nf f.jq", "\"ok\"\n", &["jq", "nice"], "f.jq"),
    ("echo f.jq | xargs jq -nf", "\"ok\"\n", &["jq", "xargs"], "f.jq"),
    ("find f.jq -exec jq -nf {} +", "\"ok\"\n", &["find", "jq"], "f.jq"),
    ("jq -n -L . -f import.jq", "\"ok\"\n", &["jq"], "import.jq"),
    ("jq -n -L . -f import.jq <<< 1", "\"ok\"\n", &["jq"], "m.jq"),
    ("awk -f p.awk <<< x", "ok\n", &["awk"], "p.awk"),
    ("awk -f - < p.awk", "ok\n", &["awk"], "p.awk"),
    ("awk -f /dev/stdin -f p.awk <<< ''", "ok\n", &["awk"], "p.awk"),
    ("awk -f gawk.awk <<< x", "OK\n", &["awk"], "gawk.awk"),
    ("sed -f s.sed <<END\n$(echo x)\nEND", "ok\n", &["sed"], "s.sed"),
    ("sed -f - lines < s.sed", "ok\n", &["sed"], "s.sed"),
    ("sed -e p -f /dev/stdin -f s.sed lines <<< d", "ok\n", &["sed"], "s.sed"),
    ("sed --posix -nf s.sed lines", "", &["sed"], "s.sed"),
    ("grep -f patterns <<< ok", "ok\n", &["grep"], "patterns"),
    ("grep -f - lines < patterns", "ok\n", &["grep"], "patterns"),
    ("date -uf dates +%F <<< x", "2026-11-26\n", &["date"], "dates"),
    ("diff -rX patterns . . <<< x", "", &["diff"], "patterns"),
    // What is wrong, and what is refused, is read once too.
    ("jq -nf bad.jq 2> $(echo /dev/null)", "", &["jq"], "bad.jq"),
    ("awk -f bad.awk 2> $(echo /dev/null)", "", &["awk"], "bad.awk"),
    ("sed -f bad.sed lines 2> $(echo /dev/null)", "", &["sed"], "bad.sed"),
    ("exec grep -Tn -f patterns 2> $(echo /dev/null)", "", &["grep"], ""),
    ("xargs -0 grep -Tn <<< x 2> /dev/null", "", &["grep", "xargs"], ""),
];

#[test]
fn every_call_is_read_once_and_every_program_file_is_opened_once() {
    for &(script, expected, names, opened) in CASES {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in FILES {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let watch = (!opened.is_empty()).then(|| OpenCounter::new(&directory.path().join(opened)));
        let (output, calls) = run(script, directory.path());
        assert_eq!(output, expected, "{script}");
        let once: BTreeMap<_, _> = names.iter().map(|name| (*name, 1)).collect();
        assert_eq!(calls, once, "{script}");
        assert_eq!(watch.map_or(1, |watch| watch.opened()), 1, "{script}: {opened}");
    }
}

/// The counters see what they are to see: two calls are two, and two openings are two.
#[test]
fn two_calls_are_counted_as_two() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("f.jq"), "1").unwrap();
    let watch = OpenCounter::new(&directory.path().join("f.jq"));
    let (output, calls) = run("jq -nf f.jq; jq -nf f.jq", directory.path());
    assert_eq!(output, "1\n1\n");
    assert_eq!(calls, BTreeMap::from([("jq", 2)]));
    assert_eq!(watch.opened(), 2);
}

/// Why a utility refuses is said by the command that is not found, without asking again.
#[test]
fn a_refusal_is_said_with_its_reason() {
    let directory = tempfile::tempdir().unwrap();
    for script in ["grep -Tn x", "command grep -Tn x", "(exec grep -Tn x)", "x=1 grep -Tn x < $(echo /dev/null)"] {
        let (output, calls) = run(script, directory.path());
        let expected = "grep: hookshell's own grep does not support -T with -n or -b";
        assert!(output.contains(expected), "{script}: {output}");
        assert_eq!(calls, BTreeMap::from([("grep", 1)]), "{script}");
    }
}
