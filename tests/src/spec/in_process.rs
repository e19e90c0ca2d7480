//! Runs a case by the library, in this process.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bstr::BString;
use hookshell_dispatch::{Platform, ProgramExecutor, decode_script};
use hookshell_shell::{
    CancelReason, Capture, Exit, FIRST_VIRTUAL_ID, FdTable, Identity, Limits, Pool, RunToken, Shell, ShellConfig,
    Stream,
};
use hookshell_syntax::{Dialect, ParseOptions, parse_program};

use super::directory::{Directory, SCRIPT};
use super::{Case, DEADLINE, Mode, OUTPUT_LIMIT, Outcome};

/// How long a run that was told to stop may take until it is killed, and until it is given up.
const GRACE: Duration = Duration::from_secs(2);

/// How long output of programs that live on is awaited.
const DRAIN: Duration = Duration::from_secs(2);

/// Runs the case in the bash dialect, or strictly in POSIX's.
///
/// # Errors
/// The case's directory cannot be made, or no thread started.
pub(crate) fn run(case: &Case, posix: bool) -> io::Result<Outcome> {
    static POOL: OnceLock<Pool> = OnceLock::new();
    let pool = POOL.get_or_init(Pool::new);
    let directory = Directory::new(case)?;
    let (stdout, out) = Stream::capture(OUTPUT_LIMIT);
    let (stderr, err) = Stream::capture(OUTPUT_LIMIT);
    let stdin = Stream::from_file(std::fs::File::open(directory.stdin())?);
    let cancel = RunToken::isolated();
    let fds = FdTable::new(Arc::new(stdin), Arc::new(stdout), Arc::new(stderr));
    let (config, settings) = configure(case, posix, &directory, pool, &cancel, fds);
    let (script, mode) = (case.script.clone(), case.mode);
    let (sender, receiver) = sync_channel(1);
    let token = cancel.clone();
    pool.run(move || {
        let _ = sender.send(interpret(config, &settings, script, mode, &token));
    })?;
    let mut outcome = Outcome::default();
    let wait = |outcome: &mut Outcome, time| match receiver.recv_timeout(time) {
        Ok(exit) => {
            outcome.status = exit.status;
            true
        }
        Err(RecvTimeoutError::Timeout) => false,
        Err(RecvTimeoutError::Disconnected) => {
            outcome.trouble = Some("the interpreter panicked".into());
            true
        }
    };
    if !wait(&mut outcome, DEADLINE) {
        let what = format!("it did not end within {} s", DEADLINE.as_secs());
        cancel.cancel(CancelReason::TimedOut);
        let stopped = wait(&mut outcome, GRACE) || {
            cancel.kill(CancelReason::TimedOut);
            wait(&mut outcome, GRACE)
        };
        outcome.trouble = Some(if stopped { what } else { what + ", and could not be stopped" });
    }
    let complete = drain(&out, &mut outcome.stdout) & drain(&err, &mut outcome.stderr);
    if !complete && outcome.trouble.is_none() {
        outcome.trouble = Some("a program that lives on holds the output open".into());
    }
    // What a background list has left running.
    cancel.kill(CancelReason::Cancelled);
    outcome.left = directory.left();
    Ok(outcome)
}

fn drain(capture: &Capture, to: &mut Vec<u8>) -> bool {
    let complete = capture.wait(Instant::now().checked_add(DRAIN), &|| false);
    *to = capture.take();
    complete
}

/// An option of the command line.
enum Setting {
    Letter(u8, bool),
    Name(String, bool),
}

fn configure(
    case: &Case,
    posix: bool,
    directory: &Directory,
    pool: &Pool,
    cancel: &RunToken,
    fds: FdTable,
) -> (ShellConfig, Vec<Setting>) {
    static NEXT_ID: AtomicU32 = AtomicU32::new(FIRST_VIRTUAL_ID);
    let mut dialect = if posix { Dialect::Posix } else { Dialect::Bash };
    let mut settings = Vec::new();
    let mut words = case.options.iter();
    while let Some(word) = words.next() {
        let on = word.starts_with('-');
        match word.as_str() {
            "--posix" => dialect = Dialect::Posix,
            "-o" | "+o" | "-O" | "+O" => {
                settings.extend(words.next().map(|name| Setting::Name(name.clone(), on)));
            }
            word => settings.extend(word.bytes().skip(1).map(|letter| Setting::Letter(letter, on))),
        }
    }
    let platform = Platform::HOST;
    let name: &str = match case.mode {
        Mode::File => SCRIPT,
        Mode::Command => "sh",
        Mode::Stdin => "bash",
    };
    let config = ShellConfig {
        executor: Arc::new(ProgramExecutor::new(platform, platform.missing_shell())),
        utilities: Arc::new(hookshell_utilities::standard()),
        pool: pool.clone(),
        cancel: cancel.clone(),
        env: Arc::new(directory.environment_of_bundled(case)),
        cwd: directory.work(),
        fds,
        name: name.into(),
        args: case.args.iter().cloned().map(BString::from).collect(),
        dialect,
        limits: Limits::default(),
        identity: Identity::Virtual(NEXT_ID.fetch_add(1, Ordering::Relaxed)),
        is_command_string: case.mode == Mode::Command,
    };
    (config, settings)
}

/// What `hookshell sh` does, on a thread of the pool.
fn interpret(config: ShellConfig, settings: &[Setting], script: Vec<u8>, mode: Mode, cancel: &RunToken) -> Exit {
    let options =
        ParseOptions { dialect: config.dialect, max_depth: config.limits.parse_depth, ..ParseOptions::default() };
    let stdin = config.fds.get(0).cloned();
    let mut shell = Shell::new(config);
    for setting in settings {
        let _known = match setting {
            Setting::Letter(letter, on) => shell.set_option_letter(*letter, *on),
            Setting::Name(name, on) => shell.set_option(name, *on),
        };
    }
    let exit = match (mode, stdin) {
        (Mode::Stdin, Some(stdin)) => shell.run_stream(&stdin),
        (Mode::File, _) => shell.run_program(&parse_program(decode_script(&script).into_owned(), &options)),
        _ => shell.run_program(&parse_program(script, &options)),
    };
    shell.close_descriptors();
    shell.wait_for_background(&|| cancel.is_cancelled());
    exit
}
