//! The process that an agent waits for, where a hook may say by what it prints that it continues in the background: another
//! process of hookshell's runs the hooks, and this one hands on its answer and ends. What the other one still has to do the
//! agent does not wait for.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
use hookshell_process::CopyEnd;
use hookshell_process::{Child, ProcessTree};
use serde::{Deserialize, Serialize};

mod answer;

use self::answer::Answer;
use crate::background;
use crate::exit_code::ExitCode;
use crate::failure::Sysexit;
use crate::output;
use crate::signals::{SignalWait, ignored_signals};

/// How long the other process has after a signal until it is killed: it gives its hooks their grace.
const MAX_WAIT: Duration = Duration::from_secs(4);

/// How long a wait takes at most until it is begun again.
const LONG: Duration = Duration::from_secs(3600);

/// What the other process has decided.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Response {
    /// What is to be printed.
    pub(crate) text: String,
    /// The exit code.
    pub(crate) code: u8,
    /// The exit code of the text, whatever else was wrong.
    pub(crate) printed: u8,
    /// The exit code with which it holds where it cannot be printed.
    pub(crate) unprinted: u8,
    /// What is then said on standard error.
    pub(crate) reason: String,
}

/// How it ended, and what it wrote to standard error until then.
pub(crate) enum Relayed {
    /// With an answer. It may continue.
    Answered(Response, String),
    /// With this exit code and output, and no answer.
    Ended(u8, String, String),
    /// It was ended: this signal came.
    Signalled(i32, String),
}

impl Response {
    /// Gives it to the process that waits for it and knows this mark, and lets go of what that reads. What was written to standard
    /// error belongs to it.
    pub(crate) fn give(&self, mark: &str) -> io::Result<()> {
        output::print_error(&format!("\0{mark}"))?;
        output::print_verdict(&format!("\0{mark} {}\n", serde_json::to_string(self)?), false)?;
        output::close();
        Ok(())
    }

    /// Reads what was printed up to its end. `None`: it has none.
    fn read(printed: &[u8], mark: &str) -> Option<Self> {
        let printed = std::str::from_utf8(printed).ok()?;
        serde_json::from_str(printed.strip_prefix('\0')?.strip_prefix(mark)?).ok()
    }
}

/// Has another process do this until it has answered: a copy of this one (Linux), which does `in_copy` with the mark of the answer, or
/// this command once more, with this payload on standard input.
///
/// # Errors
/// Where it could not be started: nothing was run.
pub(crate) fn run(payload: &[u8], in_copy: impl FnOnce(String) -> ExitCode) -> io::Result<Relayed> {
    let mark = mark();
    let (stdout, writes_stdout) = hookshell_process::pipe()?;
    let (stderr, writes_stderr) = hookshell_process::pipe()?;
    let tree = ProcessTree::isolated();
    let signals = SignalWait::prepare()?;
    // A copy that is there runs the hooks: from then on nothing may fail. It could catch no signals that this process catches already.
    let (child, mut answer) = match copy(&tree, &mark, [&writes_stdout, &writes_stderr], in_copy) {
        Ok(copy) => {
            // What cannot be caught ends this process, and the copy with it.
            let _ = signals.begin();
            (copy, Answer::new(stdout, stderr, &mark, &signals)?)
        }
        Err(_) => {
            signals.begin()?;
            let answer = Answer::new(stdout, stderr, &mark, &signals)?;
            let option = format!("--relayed={mark}").into();
            let streams = [(1, &writes_stdout), (2, &writes_stderr)];
            (background::start_again(&tree, option, payload, &streams, ignored_signals())?, answer)
        }
    };
    drop((writes_stdout, writes_stderr));

    let mut signalled = None::<(i32, Instant)>;
    while !answer.is_whole() {
        let until = signalled.map_or_else(|| Instant::now() + LONG, |(_, until)| until);
        match (answer.wait(&signals, until), signalled) {
            (Some(signal), None) => {
                tree.terminate();
                signalled = Some((signal, Instant::now() + MAX_WAIT));
            }
            // The second, or it does not end.
            (Some(_), Some(_)) => tree.kill(),
            (None, Some((_, until))) if until <= Instant::now() => tree.kill(),
            _ => {}
        }
    }
    let (printed, said) = answer.into_texts();
    let said = before_mark(&said, &mark);
    if let Some(answer) = Response::read(&printed, &mark) {
        // It lives on when this process ends.
        tree.release();
        return Ok(Relayed::Answered(answer, said));
    }
    if let Some((signal, _)) = signalled {
        return Ok(Relayed::Signalled(signal, said));
    }
    // The hooks may have run: this is no failure to start them.
    let code = child.wait().map_or(Sysexit::Software as u8, |status| status.shell_status());
    // An answer that was not written to its end is nothing for the agent.
    let printed = if printed.starts_with(b"\0") { Vec::new() } else { printed };
    Ok(Relayed::Ended(code, String::from_utf8_lossy(&printed).into_owned(), said))
}

/// Starts a copy of this process, with these streams.
#[cfg(target_os = "linux")]
fn copy(
    tree: &ProcessTree,
    mark: &str,
    streams: [&File; 2],
    run: impl FnOnce(String) -> ExitCode,
) -> io::Result<Arc<Child>> {
    let kept = streams.into_iter().map(File::try_clone).collect::<io::Result<_>>()?;
    let ignored = hookshell_process::ignored_signals_of(1..=31);
    let copy = tree.copy_process(kept, |kept| {
        if let [stdout, stderr] = &*kept
            && rustix::stdio::dup2_stdout(stdout).is_ok()
            && rustix::stdio::dup2_stderr(stderr).is_ok()
        {
            drop(kept);
            hookshell_process::ignore_signals(ignored);
            hookshell_process::hear_no_signals_of_copy();
            return CopyEnd::Exited(run(mark.to_owned()).number());
        }
        CopyEnd::Exited(Sysexit::System as u8)
    });
    copy.map_err(io::Error::other)
}

#[cfg(not(target_os = "linux"))]
fn copy(_: &ProcessTree, _: &str, _: [&File; 2], _: impl FnOnce(String) -> ExitCode) -> io::Result<Arc<Child>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What was written to standard error before the mark that ends it. A hook may write a NUL of its own.
fn before_mark(said: &[u8], mark: &str) -> String {
    let end = format!("\0{mark}");
    let at = said.windows(end.len()).rposition(|part| part == end.as_bytes()).unwrap_or(said.len());
    String::from_utf8_lossy(said.get(..at).unwrap_or_default()).into_owned()
}

/// In the process that answers: it ends with the one that waits for it, until it has answered. Else what kills that one would leave
/// the hooks running until their timeouts. Only Linux can do that for a death that nobody could catch. `false`: the other one is
/// dead already.
pub(crate) fn ends_with_parent(mark: &str) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::TERM));
        getppid() == mark.split('-').nth(1).and_then(|id| i32::from_str_radix(id, 16).ok()).and_then(Pid::from_raw)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = mark;
        true
    }
}

/// The process that this one's parent was.
#[derive(Clone, Copy)]
pub(crate) struct Parent(#[cfg(target_os = "linux")] Option<rustix::process::Pid>);

impl Parent {
    pub(crate) fn of_this() -> Self {
        Self(
            #[cfg(target_os = "linux")]
            rustix::process::getppid(),
        )
    }

    /// It is not there any more, which Linux alone tells by a signal.
    pub(crate) fn has_died(self) -> bool {
        #[cfg(target_os = "linux")]
        return rustix::process::getppid() != self.0;
        #[cfg(not(target_os = "linux"))]
        {
            let Self() = self;
            false
        }
    }
}

/// It has answered: it no longer ends with the other one.
pub(crate) fn outlive_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(None);
}

/// A word that no hook prints by chance.
fn mark() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("answer-{:x}-{:x}", std::process::id(), now.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::{Response, before_mark};

    #[test]
    fn an_answer_is_what_stands_after_its_mark() {
        let answer =
            Response { text: "{\"a\":1}\n".to_owned(), code: 2, printed: 0, unprinted: 49, reason: "no".to_owned() };
        let json = serde_json::to_string(&answer).unwrap_or_default();
        assert_eq!(Response::read(format!("\0m {json}\n").as_bytes(), "m"), Some(answer));
        for other in
            [format!("{json}\n"), format!("\0n {json}\n"), "\0m {}\n".to_owned(), "\0m\n".to_owned(), String::new()]
        {
            assert_eq!(Response::read(other.as_bytes(), "m"), None, "{other:?}");
        }
    }

    #[test]
    fn a_hooks_own_nul_cuts_nothing() {
        assert_eq!(before_mark(b"a\0b\0m\n", "m"), "a\0b");
        assert_eq!(before_mark(b"a\0b", "m"), "a\0b");
    }
}
