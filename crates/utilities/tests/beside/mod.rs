//! Runs a bundled utility and the real one side by side.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's helpers; each test uses some"
)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use hookshell_shell::{
    Args, CancelToken, CommandCall, CommandEnd, Commands, Environment, FdTable, Stopped, Stream, UtilityCall,
    UtilityContext, UtilitySet,
};

/// Numbers from a seed (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// 0 to `end`, without `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(value).unwrap() % end
    }

    /// One time in so many.
    pub(crate) fn chance(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// What a run gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    /// With plain quotes.
    pub(crate) stderr: String,
}

fn text(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().replace("\\n", "\n")
}

fn plain(stderr: &[u8]) -> String {
    String::from_utf8_lossy(stderr).replace(['\u{2018}', '\u{2019}'], "'")
}

const ENVIRONMENT: [(&str, &str); 2] = [("PATH", "/usr/bin:/bin"), ("LC_ALL", "C.UTF-8")];

/// The real program.
pub(crate) struct Real;

/// The real program of this name, if it is GNU's; says so and gives nothing where it is not there.
pub(crate) fn real(name: &str) -> Option<Real> {
    let is_gnu = |output: std::process::Output| String::from_utf8_lossy(&output.stdout).contains("GNU");
    if Command::new(name).arg("--version").output().is_ok_and(is_gnu) {
        return Some(Real);
    }
    let required = std::env::var_os("REQUIRE_INTERPRETERS").is_some_and(|value| value == "1");
    assert!(!required, "REQUIRE_INTERPRETERS=1, but GNU {name} is not installed");
    println!("skipped: GNU {name} is not installed");
    None
}

impl Real {
    pub(crate) fn run(&self, words: &[&str], folder: &Path, stdin: &[u8]) -> Left {
        self.run_in(words, folder, stdin, &[])
    }

    pub(crate) fn run_in(&self, words: &[&str], folder: &Path, stdin: &[u8], env: &[(&str, &str)]) -> Left {
        let mut child = Command::new(words[0])
            .args(&words[1..])
            .current_dir(folder)
            .env_clear()
            .envs(ENVIRONMENT)
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        // One that does not read its input may be gone already.
        let _ = input.write_all(stdin);
        drop(input);
        let output = child.wait_with_output().unwrap();
        Left { status: output.status.code().unwrap(), stdout: text(&output.stdout), stderr: plain(&output.stderr) }
    }
}

/// The bundled one; `None` where it refuses.
pub(crate) fn run(words: &[&str], folder: &Path, stdin: &[u8]) -> Option<Left> {
    run_in(words, folder, stdin, &[])
}

/// [`run`], with more in the environment.
pub(crate) fn run_in(words: &[&str], folder: &Path, stdin: &[u8], env: &[(&str, &str)]) -> Option<Left> {
    let utilities = hookshell_utilities::standard();
    let utility = utilities.utility(words[0].as_bytes()).unwrap();
    let argv: Args = words.iter().collect();
    let all = ENVIRONMENT.iter().chain(env);
    let env: Environment = Arc::new(all.map(|(name, value)| ((*name).into(), (*value).into())).collect());
    utility.accepts(&UtilityCall { argv: &argv, env: &env, cwd: folder }).ok()?;
    let (stdout, out) = Stream::capture(usize::MAX);
    let (stderr, err) = Stream::capture(usize::MAX);
    let cancel = CancelToken::isolated();
    let mut context = UtilityContext {
        argv: &argv,
        env: &env,
        cwd: folder,
        fds: &FdTable::new(Arc::new(Stream::input(stdin)), Arc::new(stdout), Arc::new(stderr)),
        umask: None,
        cancel: &cancel,
        memory: hookshell_shell::UtilityMemory::default(),
        commands: &SmallCommands,
    };
    let status = utility.run(&mut context).unwrap();
    Some(Left { status: status.into(), stdout: text(&out.take()), stderr: plain(&err.take()) })
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
