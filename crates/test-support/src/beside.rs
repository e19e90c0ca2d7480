//! A bundled utility and the real one side by side.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use hookshell_utility::{
    Args, CommandCall, CommandEnd, Commands, Environment, FdTable, RunToken, Stopped, Stream, Utility, UtilityCall,
    UtilityContext, UtilityMemory,
};

use crate::{MAX_WAIT, Random, run_bytes};

/// What a run gave.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Its exit status.
    pub status: i32,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// For people: bytes that are not printable ASCII are escaped, and the quotes of messages are plain ones.
    pub fn readable(&self) -> Readable {
        Readable {
            status: self.status,
            stdout: self.stdout.escape_ascii().to_string().replace("\\n", "\n"),
            stderr: String::from_utf8_lossy(&self.stderr).replace(['\u{2018}', '\u{2019}'], "'"),
        }
    }
}

/// What a run gave, as text.
#[derive(Debug, PartialEq, Eq)]
pub struct Readable {
    /// Its exit status.
    pub status: i32,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

/// The whole environment, before what a run adds to it.
const ENVIRONMENT: [(&str, &str); 2] = [("PATH", "/usr/bin:/bin"), ("LC_ALL", "C.UTF-8")];

/// Runs the installed program. `env` is added to a small environment with C.UTF-8.
///
/// # Panics
/// It cannot be started, has not ended in time, or was killed.
pub fn real<W: AsRef<[u8]>>(words: &[W], directory: &Path, stdin: &[u8], env: &[(&str, &str)]) -> Outcome {
    let mut words = words.iter().map(|word| OsString::from_vec(word.as_ref().to_vec()));
    let mut command = Command::new(words.next().unwrap());
    command.args(words).current_dir(directory).env_clear().envs(ENVIRONMENT).envs(env.iter().copied());
    let ran = run_bytes(command, stdin, MAX_WAIT);
    Outcome { status: ran.code.unwrap(), stdout: ran.stdout, stderr: ran.stderr }
}

/// Runs the bundled one in the same environment; `None` if it refuses, so that the real one is left to do it.
///
/// # Panics
/// It ends as if it had been stopped.
pub fn ours<W: AsRef<[u8]>>(
    utility: &dyn Utility,
    words: &[W],
    directory: &Path,
    stdin: &[u8],
    env: &[(&str, &str)],
) -> Option<Outcome> {
    match bundled(utility, words, directory, stdin, env) {
        Bundled::Ran(outcome) => Some(outcome),
        Bundled::Yields(_) | Bundled::Refuses => None,
    }
}

/// How the bundled utility takes a call.
#[derive(Debug)]
pub enum Bundled {
    /// It does the call.
    Ran(Outcome),
    /// A real one goes before it, if there is one; this is what it does without.
    Yields(Outcome),
    /// It does not.
    Refuses,
}

/// Runs the bundled one, also where a real one would go before it.
///
/// # Panics
/// It ends as if it had been stopped.
pub fn bundled<W: AsRef<[u8]>>(
    utility: &dyn Utility,
    words: &[W],
    directory: &Path,
    stdin: &[u8],
    env: &[(&str, &str)],
) -> Bundled {
    let argv: Args = words.iter().map(AsRef::as_ref).collect();
    let kept = ENVIRONMENT.iter().filter(|(name, _)| env.iter().all(|(other, _)| other != name));
    let all = kept.chain(env);
    let env: Environment = Arc::new(all.map(|(name, value)| ((*name).into(), (*value).into())).collect());
    let call = UtilityCall { argv: &argv, env: &env, cwd: directory };
    let Ok(prepared) = utility.prepare(&call) else { return Bundled::Refuses };
    let yields = prepared.yields();
    let (stdout, out) = Stream::capture(usize::MAX);
    let (stderr, err) = Stream::capture(usize::MAX);
    let cancel = RunToken::isolated();
    let context = UtilityContext {
        argv: &argv,
        env: &env,
        cwd: directory,
        fds: &FdTable::new(Arc::new(Stream::input(stdin)), Arc::new(stdout), Arc::new(stderr)),
        umask: None,
        cancel: &cancel,
        memory: UtilityMemory::default(),
        commands: &SmallCommands,
    };
    let status = prepared.run(&context).unwrap();
    let outcome = Outcome { status: status.into(), stdout: out.take(), stderr: err.take() };
    if yields { Bundled::Yields(outcome) } else { Bundled::Ran(outcome) }
}

/// `echo` and `test -f`.
struct SmallCommands;

impl Commands for SmallCommands {
    fn run(&self, command: &CommandCall<'_>) -> Result<CommandEnd, Stopped> {
        let interrupt = hookshell_process::Interrupt::new();
        match &command.argv[0] {
            b"echo" => {
                let words: Vec<&[u8]> = command.argv.iter_from(1).collect();
                let line = [&words.join(&b' ')[..], b"\n"].concat();
                command.fds.get(1).unwrap().write_all(&line, &interrupt).unwrap();
                Ok(CommandEnd::Ended(0))
            }
            b"test" => {
                let file = command.cwd.join(std::str::from_utf8(&command.argv[2]).unwrap());
                Ok(CommandEnd::Ended(u8::from(!file.is_file())))
            }
            name => panic!("{}", name.escape_ascii()),
        }
    }
}

/// From `RANDOM_SEED`, or always the same.
pub fn random() -> Random {
    Random::new(std::env::var("RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_122))
}

/// Lines of text: words, blanks, now and then NUL, bytes that are not characters, a long line, no newline at the end.
pub fn text(random: &mut Random, with_binary: bool) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..random.below(12) {
        if random.chance(40) {
            text.extend(std::iter::repeat_n(b'a', 70_000));
        }
        for _ in 0..random.below(7) {
            let piece: &[u8] = random.pick::<&[u8]>(&[
                b"a",
                b"b",
                b"ab",
                b"foo",
                b"bar",
                b"_",
                b" ",
                b"  ",
                b"A",
                b"1",
                b"22",
                b".",
                b"-",
                b"Foo",
                b"x",
                "é".as_bytes(),
                "É".as_bytes(),
                b"\t",
                b"abab",
                b"*",
            ]);
            text.extend_from_slice(piece);
            if with_binary && random.chance(25) {
                text.extend_from_slice(random.pick::<&[u8]>(&[b"\0", b"\xff", b"\xe2"]));
            }
        }
        text.push(b'\n');
    }
    if random.chance(4) {
        text.pop();
    }
    text
}

/// How many turns a test makes: `RANDOM_TIMES=20` for a long run.
pub fn times(usual: usize) -> usize {
    usual * std::env::var("RANDOM_TIMES").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// One difference as a text.
pub fn difference(words: &[Vec<u8>], locale: &str, stdin: &[u8], real: &Outcome, ours: &Outcome) -> String {
    let show = |bytes: &[u8]| bytes[..bytes.len().min(300)].escape_ascii().to_string();
    let line: Vec<String> = words.iter().map(|word| show(word)).collect();
    let outcome = |name: &str, outcome: &Outcome| {
        format!("{name} {} {:?} {:?}", outcome.status, show(&outcome.stdout), show(&outcome.stderr))
    };
    format!("{locale} {line:?} on {:?}\n  {}\n  {}", show(stdin), outcome("real", real), outcome("ours", ours))
}
