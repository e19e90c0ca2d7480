//! Runs a case by a shell that is a program.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use hookshell_test_support::oracles;

use super::directory::{Directory, PATH, SCRIPT};
use super::{Case, DEADLINE, Mode, OUTPUT_LIMIT, Outcome, Subject};

/// How long output of programs that live on is awaited.
const DRAIN: Duration = Duration::from_secs(2);

/// The program of a shell and its first arguments; `None` if it is not installed.
pub(crate) fn program(subject: &Subject) -> Option<(PathBuf, &'static [&'static str])> {
    let (name, arguments): (&str, &[&str]) = match subject {
        Subject::InProcess | Subject::InProcessPosix => return None,
        Subject::Hook(path) => {
            return path.is_file().then(|| (path.clone(), &["exec", "--shell-scripts", "in-process"][..]));
        }
        Subject::Hookshell(path) => return path.is_file().then(|| (path.clone(), &["sh"][..])),
        Subject::Bash | Subject::BashNewestJq => ("bash", &[]),
        Subject::BashPosix => ("bash", &["--posix"]),
        Subject::Dash => ("dash", &[]),
        Subject::Busybox => ("busybox", &["ash"]),
    };
    // The cases are made for Unix's programs; what calls itself bash on Windows may be another system (WSL).
    if cfg!(windows) {
        return None;
    }
    find(name).map(|path| (path, arguments))
}

/// Where a program is on this process's PATH.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|file| file.is_file())
}

/// Runs the case by `program`.
///
/// # Errors
/// The case's directory cannot be made, or the program not started.
pub(crate) fn run(case: &Case, subject: &Subject, program: &Path, first: &[&str]) -> io::Result<Outcome> {
    let directory = Directory::new(case)?;
    let mut words: Vec<OsString> = Vec::new();
    let knows_long_options = subject.is_ours() || subject.is_bash();
    let options = case.options.iter().filter(|option| knows_long_options || !option.starts_with("--"));
    words.extend(options.map(OsString::from));
    match case.mode {
        Mode::File => words.push(SCRIPT.into()),
        Mode::Command => {
            words.extend(["-c".into(), hookshell_process::text::to_os(&case.script).into_owned(), "sh".into()]);
        }
        Mode::Stdin => words.push("-s".into()),
    }
    words.extend(case.args.iter().map(|arg| hookshell_process::text::to_os(arg).into_owned()));
    let mut command = Command::new(program);
    command.args(first);
    match subject {
        Subject::Hook(_) => command.arg(line("bash", &words)),
        _ => command.args(words),
    };
    let env =
        if subject.has_bundled_only() { directory.environment_of_bundled(case) } else { directory.environment(case) };
    command.env_clear().envs(env).current_dir(directory.work());
    if let Some(directory) = jq(case, subject) {
        let path = std::iter::once(directory).chain(std::env::split_paths(PATH));
        command.env("PATH", std::env::join_paths(path).map_err(io::Error::other)?);
    }
    command.stdin(std::fs::File::open(directory.stdin())?).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
        if subject.is_bash() {
            // `$0` of a script from stdin.
            command.arg0("bash");
        }
    }
    let mut child = command.spawn()?;
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let mut outcome = Outcome::default();
    match wait(&mut child)? {
        Some(status) => outcome.status = code(status),
        None => {
            outcome.trouble = Some(format!("it did not end within {} s", DEADLINE.as_secs()));
            kill(&child);
            child.kill()?;
            child.wait()?;
        }
    }
    outcome.stdout = take(stdout, &child, &mut outcome.trouble);
    outcome.stderr = take(stderr, &child, &mut outcome.trouble);
    kill(&child);
    outcome.left = directory.left();
    Ok(outcome)
}

/// A command line of these words, each in single quotes.
fn line(program: &str, words: &[OsString]) -> OsString {
    let mut line = program.as_bytes().to_vec();
    for word in words {
        line.extend_from_slice(b" '");
        line.extend_from_slice(&hookshell_process::text::from_os(word).replace(b"'", b"'\\''"));
        line.push(b'\'');
    }
    hookshell_process::text::to_os(&line).into_owned()
}

/// Where the real jq is that a case about jq is run with.
fn jq(case: &Case, subject: &Subject) -> Option<PathBuf> {
    let is_about_jq = !subject.is_ours() && case.bundled.iter().any(|name| name == "jq");
    if is_about_jq { oracles::jq_directory(subject.jq_version()) } else { None }
}

/// Waits until the deadline.
fn wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > deadline {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn collect(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(1);
    std::thread::spawn(move || {
        let mut data = Vec::new();
        let mut buffer = [0; 8192];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            if data.len() < OUTPUT_LIMIT {
                data.extend_from_slice(buffer.get(..count).unwrap_or_default());
            }
        }
        let _ = sender.send(data);
    });
    receiver
}

fn take(from: Option<Receiver<Vec<u8>>>, child: &Child, trouble: &mut Option<String>) -> Vec<u8> {
    let Some(from) = from else { return Vec::new() };
    from.recv_timeout(DRAIN).unwrap_or_else(|_| {
        trouble.get_or_insert_with(|| "a program that lives on holds the output open".into());
        kill(child);
        from.recv_timeout(DRAIN).unwrap_or_default()
    })
}

/// Kills what the shell has left running: it leads a process group of its own.
fn kill(child: &Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child;
}

/// The status as a shell would say it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code & 0xff).ok()).unwrap_or(u8::MAX)
}
