//! `hookshell sh`: a POSIX `sh` command line, in the bash dialect.

mod options;
mod script;
mod start;
mod streams;
mod supervision;
mod usage;

use crate::exit_code::ExitCode;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use bstr::BString;
use hookshell_dispatch::{Platform, ProgramExecutor};
use hookshell_process::text;
use hookshell_shell::command_line::{CommandLine, Input, KnownShell};
use hookshell_shell::{CancelReason, Exit, ExitCause, Identity, Pool, RunToken, Shell, ShellConfig, Stream};
use hookshell_syntax::parse_prefix_with_stop;

use self::supervision::SignalListener;
pub(crate) use self::usage::{EXAMPLES, ShArgs, USAGE};
use crate::failure::Sysexit;
use crate::output;
use crate::signals::{TERM, signal_status};

/// Is the program's name one that makes it a shell, whatever directory it is in: `sh` or `bash`?
pub(crate) fn is_shell_name(program: &OsStr) -> bool {
    KnownShell::named(&shell_name(&text::from_os(program))).is_some_and(KnownShell::is_own)
}

/// A name beside those of shells that says what hookshell is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartedAs {
    /// `hookshell-exec`: its arguments are those of `hookshell exec`.
    Exec,
    /// `zsh`, whose language is not here.
    Zsh,
}

/// What the program's name says, where it is no shell's of ours.
pub(crate) fn started_as(program: &OsStr) -> Option<StartedAs> {
    match &*shell_name(&text::from_os(program)) {
        b"hookshell-exec" => Some(StartedAs::Exec),
        b"zsh" => Some(StartedAs::Zsh),
        _ => None,
    }
}

/// Says what it is to whoever takes it for zsh. The version is no failure.
pub(crate) fn not_zsh(args: &[OsString]) -> ExitCode {
    let what = concat!("hookshell ", env!("CARGO_PKG_VERSION"), ", a POSIX shell (bash dialect); it is not zsh");
    if args.first().is_some_and(|first| first == "--version") {
        return match output::print(&format!("{what}\n")) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(Sysexit::Io as u8),
        };
    }
    output::note(&format!("zsh: {what}: start it under the name bash"));
    ExitCode::from(2)
}

/// A program's name as a shell's is known: without its directory, on Windows in small letters and without `.exe`, elsewhere without
/// the hyphen that a login shell's begins with.
fn shell_name(program: &[u8]) -> Vec<u8> {
    let name = program.rsplit(|&byte| byte == b'/' || cfg!(windows) && byte == b'\\').next().unwrap_or(program);
    if cfg!(windows) {
        let name = name.to_ascii_lowercase();
        return name.strip_suffix(b".exe").unwrap_or(&name).to_vec();
    }
    name.strip_prefix(b"-").unwrap_or(name).to_vec()
}

/// What is run, once it has been read.
enum Source {
    /// Parsed whole before it runs; what stands before a syntax error runs all the same.
    Text(Vec<u8>),
    /// Read from standard input, command by command.
    Stdin(Arc<Stream>),
}

/// Runs a `sh` command line: `args` is what follows `name`.
pub(crate) fn main(name: &OsStr, args: Vec<OsString>) -> ExitCode {
    let name = text::from_os(name).into_owned();
    let args: Vec<Vec<u8>> = args.into_iter().map(text::from_os_owned).collect();
    match run(&name, &args) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            let mut message = name;
            message.extend_from_slice(b": ");
            message.extend_from_slice(&failure.message);
            message.push(b'\n');
            // Standard error may be closed: the status still says it.
            let _ = std::io::stderr().write_all(&message);
            ExitCode::from(failure.status)
        }
    }
}

/// Why nothing was run: the message without the shell's name, and the exit status.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    status: u8,
    message: Vec<u8>,
}

impl Failure {
    fn new(status: u8, message: impl Into<Vec<u8>>) -> Self {
        Self { status, message: message.into() }
    }
}

fn run(name: &[u8], args: &[Vec<u8>]) -> Result<u8, Failure> {
    let (line, options) = options::parse(&shell_name(name), args)?;
    if let Input::Print(text) = line.input {
        let text = start::as_bash(&shell_name(name), text);
        return match output::print(&text) {
            Ok(()) => Ok(0),
            Err(error) => Err(Failure::new(Sysexit::Io as u8, format!("standard output: {error}"))),
        };
    }
    let own_path = start::own_path(name);
    let is_bash = shell_name(name) == b"bash";
    let startup = start::files(name, args, &line.input);
    let fds = streams::inherited();
    let env = Arc::new(environment());
    let cwd = working_directory(&env)?;
    let (source, name) = match &line.input {
        Input::Command { text, name: given } => (Source::Text(text.clone()), given.clone().unwrap_or(name.to_vec())),
        Input::File(file) => (Source::Text(script::read(file, &env, &cwd)?), file.clone()),
        Input::Stdin | Input::Print(_) => {
            let stream = fds.get(0).cloned().unwrap_or_else(|| Arc::new(Stream::null()));
            (Source::Stdin(stream), name.to_vec())
        }
    };
    let pool = Pool::new();
    let cancel = RunToken::inherited();
    let executor = ProgramExecutor::new(Platform::HOST, options.missing_shell)
        .needing_execute_bit()
        .with_environment(Arc::clone(&env));
    let config = ShellConfig {
        // An agent that has it for Git Bash writes paths for that.
        executor: Arc::new(if is_bash { executor.converting_arguments() } else { executor }),
        utilities: Arc::new(hookshell_utilities::standard().preferring(options.utilities)),
        pool: pool.clone(),
        cancel: cancel.clone(),
        env,
        cwd,
        fds,
        name: name.into(),
        args: line.args.iter().cloned().map(BString::from).collect(),
        dialect: line.dialect,
        limits: options.limits,
        identity: Identity::Process,
        is_command_string: matches!(line.input, Input::Command { .. }),
    };
    let script = move |hearing: &SignalListener| {
        interpret(config, &line, source, startup, |shell| {
            hearing.attach(shell);
            shell.copy_process();
            if let Some(path) = &own_path {
                shell.set_own_path(path);
            }
        })
    };
    let finished = supervision::run(&pool, &cancel, script)
        .map_err(|error| Failure::new(SYSTEM_ERROR, format!("the script cannot be started: {error}")))?;
    // A signal that ends the script ends the programs that it has started too, and its thread may be through first.
    cancel.settle();
    if let Some(Ok(Exit { cause: ExitCause::Signal(signal), .. })) = &finished.result {
        die_of(*signal);
    }
    match (finished.result, finished.signal) {
        (Some(Ok(Exit { status, cause: ExitCause::Cancelled })), Some(signal)) if status == signal_status(TERM) => {
            die_of(signal);
            Ok(signal_status(signal))
        }
        (Some(exit), _) => exit.map(|exit| exit.status),
        (None, Some(signal)) => Ok(signal_status(signal)),
        (None, None) => Err(Failure::new(INTERNAL_ERROR, "internal error: the interpreter panicked")),
    }
}

/// Ends this process by the signal that has ended the script: who has started it sees what it would see of bash. Where
/// that cannot be done, the exit status says it.
#[cfg(unix)]
fn die_of(signal: i32) {
    // The first process of a container is not ended by its own signals, and what would be tried then is a crash.
    if std::process::id() != 1 {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
}

#[cfg(not(unix))]
fn die_of(_: i32) {}

const INTERNAL_ERROR: u8 = Sysexit::Software as u8;
const SYSTEM_ERROR: u8 = Sysexit::System as u8;

/// Runs the script to its end, background lists included; on a stack for shell code.
fn interpret(
    config: ShellConfig,
    line: &CommandLine,
    source: Source,
    startup: Option<Vec<u8>>,
    prepare: impl FnOnce(&mut Shell),
) -> Result<Exit, Failure> {
    let cancel = config.cancel.clone();
    let mut shell = Shell::new(config);
    prepare(&mut shell);
    shell.set_up(&line.setup);
    if let Some(code) = startup {
        let program = parse_prefix_with_stop(code, &shell.parse_options(), &|| cancel.is_cancelled());
        if let Some(exit) = shell.run_startup(&program) {
            return Ok(exit);
        }
    }
    let exit = match source {
        Source::Text(text) => {
            // By the options of the command line and the environment: `-O extglob` is for the first line, too.
            let program = parse_prefix_with_stop(text, &shell.parse_options(), &|| cancel.is_cancelled());
            shell.run_program(&program)
        }
        Source::Stdin(stream) => shell.run_stream(&stream),
    };
    // As the end of a process would: `exec > >(tee log)` reads to the end of the script's output.
    shell.close_descriptors();
    // A background list that is shell code lives on a thread of this process.
    if let ExitCause::LimitExceeded(_) = exit.cause {
        cancel.kill(CancelReason::Cancelled);
    }
    shell.wait_for_background(&|| cancel.is_cancelled());
    match shell.limit_reached() {
        // A background list's, after the script's own end.
        Some(limit) if exit.cause == ExitCause::Normal => {
            cancel.kill(CancelReason::Cancelled);
            Ok(Exit { status: 2, cause: ExitCause::LimitExceeded(limit) })
        }
        _ => Ok(exit),
    }
}

/// The environment; on Windows `PATH` is called so, whatever the system writes (`Path`).
fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os()
        .map(|(name, value)| {
            let is_path = cfg!(windows) && name.eq_ignore_ascii_case("PATH");
            (if is_path { "PATH".into() } else { name }, value)
        })
        .collect()
}

/// The working directory: an absolute path. Where the system cannot say it (the directory is gone) the one that the
/// environment names, so that a script can leave it.
fn working_directory(env: &[(OsString, OsString)]) -> Result<PathBuf, Failure> {
    std::env::current_dir().or_else(|error| {
        let pwd = env.iter().find(|(name, _)| name == "PWD").map(|(_, value)| PathBuf::from(value));
        pwd.filter(|path| path.is_absolute())
            .ok_or_else(|| Failure::new(1, format!("the working directory cannot be read: {error}")))
    })
}
