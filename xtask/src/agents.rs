//! `cargo xtask agents`: the real agents beside hookshell, by the rigs of `tests/agents`.
//!
//! A rig is a Python program that fetches its agent from npm's registry, runs it against a mock of its model, and says what
//! differs. This command builds hookshell, runs the rigs, as many at once as there are processors, and adds up what they say. A reduced run stops after five minutes (`REDUCED_SECONDS` of
//! `rig.py`) and says what it has left out.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::debug_build;
use crate::error::Error;
use crate::workspace::Workspace;

/// The rigs, the longest first: two that take long are not left to the end.
const AGENTS: [&str; 6] = ["claude", "copilot", "gemini", "qwen", "codex", "pi"];

/// Those that run only if they are named: opencode took two minutes for its two starts on a busy machine of two processors.
const BY_NAME: [&str; 1] = ["opencode"];

/// A rig's exit code where its agent cannot be fetched.
const SKIPPED: i32 = 3;

/// Set where the registry must be there: what is skipped is a failure then.
const REQUIRED: &str = "REQUIRE_AGENTS";

/// How long a whole rig may take, and a reduced one.
const DEADLINE: Duration = Duration::from_secs(90 * 60);
const REDUCED_DEADLINE: Duration = Duration::from_secs(12 * 60);

/// How often it is looked whether a rig has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// What is asked for on the command line.
#[derive(Default)]
struct Request {
    agents: Vec<&'static str>,
    /// The options that the rigs take.
    options: Vec<String>,
    is_reduced: bool,
}

fn request(arguments: &[String]) -> Result<Request, Error> {
    let mut request = Request::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--reduced" | "--latest" | "--record" => request.options.push(argument.clone()),
            // Only Claude Code lets its shell be chosen for a whole session.
            "--shell" => {
                request.options.push(argument.clone());
                request.agents = vec!["claude"];
            }
            "--as-hook" => request.options.push("-a".to_owned()),
            "-k" => {
                let word = rest.next().ok_or_else(|| Error::Usage("-k needs a word".to_owned()))?;
                request.options.extend(["-k".to_owned(), word.clone()]);
            }
            name => match AGENTS.iter().chain(&BY_NAME).find(|agent| **agent == name) {
                Some(agent) => request.agents.push(agent),
                None => {
                    return Err(Error::Usage(format!(
                        "no such agent or option: {name} (agents: {})",
                        [&AGENTS[..], &BY_NAME[..]].concat().join(", ")
                    )));
                }
            },
        }
    }
    if arguments.iter().any(|argument| argument == "--shell") && request.agents.iter().any(|agent| *agent != "claude") {
        return Err(Error::Usage("--shell is for the agent claude only".to_owned()));
    }
    if request.agents.is_empty() {
        request.agents = AGENTS.to_vec();
    }
    request.is_reduced = arguments.iter().any(|argument| argument == "--reduced");
    Ok(request)
}

/// Runs the command.
pub(crate) fn command(workspace: &Workspace, arguments: &[String]) -> Result<(), Error> {
    let request = request(arguments)?;
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("agents: skipped: the rigs run on Linux, x86_64");
        return Ok(());
    }
    let has_python = Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !has_python.is_ok_and(|status| status.success()) {
        return skipped("agents: skipped: there is no python3");
    }
    let hookshell = debug_build::program(workspace, "hookshell")?;
    let waiting = Mutex::new(request.agents.iter().rev().copied().collect::<Vec<_>>());
    let ended = Mutex::new(Vec::new());
    let at_once = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let next = waiting.lock().ok().and_then(|mut waiting| waiting.pop());
                    let Some(agent) = next else { return };
                    let rig = rig(workspace, agent, &hookshell, &request);
                    if let Ok(mut ended) = ended.lock() {
                        ended.push((agent, rig));
                    }
                }
            });
        }
    });
    report(ended.into_inner().unwrap_or_default())
}

/// The step of `ci`: some cases of each agent.
pub(crate) fn step(workspace: &Workspace) -> Result<(), Error> {
    command(workspace, &["--reduced".to_owned()])
}

/// How a rig ended.
struct RigOutcome {
    /// `None`: it was ended at its deadline.
    code: Option<i32>,
    output: String,
    time: Duration,
}

fn rig(workspace: &Workspace, agent: &str, hookshell: &Path, request: &Request) -> Result<RigOutcome, Error> {
    let rigs = workspace.root().join("tests/agents");
    let log = log_file(workspace, agent)?;
    let file = |source| Error::File { path: log.clone(), source };
    let output = File::create(&log).map_err(file)?;
    let errors = output.try_clone().map_err(file)?;
    let mut command = Command::new("python3");
    command.arg(rigs.join(format!("{agent}.py"))).arg(hookshell).args(&request.options);
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    let begin = Instant::now();
    let deadline = begin + if request.is_reduced { REDUCED_DEADLINE } else { DEADLINE };
    let start_error = |source| Error::Start { program: "python3".to_owned(), source };
    let mut child = command.spawn().map_err(start_error)?;
    let code = loop {
        if let Some(status) = child.try_wait().map_err(start_error)? {
            break Some(status.code().unwrap_or(1));
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            break None;
        }
        std::thread::sleep(POLL_INTERVAL);
    };
    let output = std::fs::read(&log).map_err(file)?;
    Ok(RigOutcome { code, output: String::from_utf8_lossy(&output).into_owned(), time: begin.elapsed() })
}

/// What a rig prints, in the directory of the build.
fn log_file(workspace: &Workspace, agent: &str) -> Result<PathBuf, Error> {
    let directory = workspace.target().join("agents");
    std::fs::create_dir_all(&directory).map_err(|source| Error::File { path: directory.clone(), source })?;
    Ok(directory.join(format!("{agent}.txt")))
}

/// Prints what each rig said, its counts once more at the end, and what failed.
fn report(ended: Vec<(&'static str, Result<RigOutcome, Error>)>) -> Result<(), Error> {
    let mut failed = Vec::new();
    let mut counts = Vec::new();
    let mut is_skipped = false;
    for (agent, ended) in ended {
        let ended = ended?;
        println!("\n-- {agent}, {:.0} s --\n{}", ended.time.as_secs_f64(), ended.output.trim_end());
        counts.push(ended.output.lines().last().unwrap_or("said nothing").to_owned());
        match ended.code {
            Some(0) => {}
            Some(SKIPPED) => is_skipped = true,
            Some(_) => failed.push(agent.to_owned()),
            None => failed.push(format!("{agent} (not ended in time)")),
        }
    }
    println!();
    for line in counts {
        println!("agents: {line}");
    }
    if !failed.is_empty() {
        return Err(Error::Unexpected(format!(
            "not as the real agent: {}; a difference that is meant stands in the rig's EXCUSED and in docs/dialects",
            failed.join(", ")
        )));
    }
    if is_skipped { skipped("agents: some were skipped, see above") } else { Ok(()) }
}

/// A skip, which is a failure where the agents are required.
fn skipped(why: &str) -> Result<(), Error> {
    if std::env::var_os(REQUIRED).is_some() {
        return Err(Error::Unexpected(format!("{why}, and {REQUIRED} is set")));
    }
    println!("{why}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{AGENTS, request};

    #[test]
    fn names_and_options_are_told_apart() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let all = request(&words(&["--latest"])).unwrap();
        assert_eq!((all.agents, all.options, all.is_reduced), (AGENTS.to_vec(), words(&["--latest"]), false));
        let some = request(&words(&["codex", "--reduced", "-k", "exit 2", "--as-hook", "claude"])).unwrap();
        assert_eq!(some.agents, ["codex", "claude"]);
        assert_eq!(some.options, words(&["--reduced", "-k", "exit 2", "-a"]));
        assert!(some.is_reduced);
        for wrong in [&["emacs"][..], &["-k"], &["--fast"]] {
            assert!(request(&words(wrong)).is_err(), "{wrong:?}");
        }
    }
}
