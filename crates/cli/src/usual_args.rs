//! Command lines as agents start them, before each call of a tool: read at once, without the grammar of all options.
//!
//! To make clap's grammar and to have it read a line takes as many instructions as a quarter of a run with a short hook. What
//! stands here gives what clap would give, or nothing, and then clap reads the line, reports what is wrong in it, and helps.

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use hookshell_runner::Dialect;

use crate::exec::ExecArgs;
use crate::options::DispatchArgs;
use crate::run::RunArgs;

/// `exec COMMAND`
pub(crate) fn exec(args: &[OsString]) -> Option<ExecArgs> {
    let [_, command] = args else { return None };
    let is_usual = !command.is_empty() && !command.as_encoded_bytes().starts_with(b"-");
    is_usual.then(|| ExecArgs { dispatch: DispatchArgs::default(), command: command.clone() })
}

/// `run EVENT` with options that have one value or none.
pub(crate) fn run(args: &[OsString]) -> Option<RunArgs> {
    let mut read = RunArgs::default();
    let mut words = args.iter().skip(1);
    while let Some(word) = words.next() {
        let word = word.to_str()?;
        let Some(option) = word.strip_prefix("--") else {
            match word {
                "-v" => set(&mut read.verbose)?,
                _ if word.is_empty() || word.starts_with('-') => return None,
                _ => give(&mut read.event, word)?,
            }
            continue;
        };
        if is_flag(&mut read, option)? {
            continue;
        }
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, value),
            None => (option, words.next()?.to_str()?),
        };
        // One that looks like an option is taken by some options only, and an empty one as well.
        if value.is_empty() || value.len() > 1 && value.starts_with('-') {
            return None;
        }
        match name {
            "config" => read.sources.config.push(PathBuf::from(value)),
            "hook" => read.sources.hook.push(PathBuf::from(value)),
            "dialect" => give::<Dialect>(&mut read.sources.dialect, value)?,
            "output" => give::<Dialect>(&mut read.output, value)?,
            "tool" => give(&mut read.tool, value)?,
            "input" => give(&mut read.input, value)?,
            "prompt" => give(&mut read.prompt, value)?,
            "cwd" => give(&mut read.cwd, value)?,
            "project" => give(&mut read.project, value)?,
            "session" => give(&mut read.session, value)?,
            _ => return None,
        }
    }
    Some(read)
}

/// Is it an option without a value? It is on then.
fn is_flag(read: &mut RunArgs, option: &str) -> Option<bool> {
    let flag = match option {
        "no-hooks" => &mut read.sources.no_hooks,
        "trust-project" => &mut read.trust_project,
        "fail-closed" => &mut read.fail_closed,
        "no-log" => &mut read.no_log,
        "verbose" => &mut read.verbose,
        _ => return Some(false),
    };
    set(flag)?;
    Some(true)
}

/// `None`: it is on already.
fn set(flag: &mut bool) -> Option<()> {
    (!std::mem::replace(flag, true)).then_some(())
}

/// `None`: it has a value already, or does not take this one.
fn give<T: FromStr>(option: &mut Option<T>, value: &str) -> Option<()> {
    let value = value.parse().ok()?;
    option.replace(value).is_none().then_some(())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use hookshell_test_support::Random;

    use crate::commands::alone;
    use crate::exec::ExecArgs;
    use crate::run::RunArgs;

    /// Words that stand in command lines, right and wrong, in any order.
    const WORDS: [&str; 56] = [
        "PreToolUse",
        "Stop",
        "beforeShellExecution",
        "nonsense",
        "",
        "-",
        "--",
        "-v",
        "-x",
        "-vv",
        "--verbose",
        "--config",
        "--config=a.json",
        "--config=",
        "a.json",
        "b/c.toml",
        "--hook",
        "guard.sh",
        "--dialect",
        "claude",
        "crush",
        "codex",
        "--dialect=gemini",
        "--output",
        "qwen",
        "--output=native",
        "--output=x",
        "--tool",
        "bash",
        "--tool=Bash",
        "--input",
        "{\"command\":\"ls\"}",
        "@call.json",
        "--input=-",
        "--input=--x",
        "-1",
        "--prompt",
        "fix it",
        "--prompt=",
        "--cwd",
        "/tmp",
        "--project",
        "--project=.",
        "--session",
        "s-1",
        "--no-hooks",
        "--trust-project",
        "--fail-closed",
        "--no-log",
        "--log-payload",
        "--limit",
        "call-depth=3",
        "--utilities=path",
        "--background",
        "--relayed",
        "--help",
    ];

    #[test]
    fn what_is_read_at_once_is_what_clap_reads() {
        let mut random = Random::new(17);
        let mut read = 0;
        for _ in 0..20_000 {
            let count = random.below(7);
            let words = std::iter::once("run").chain((0..count).map(|_| WORDS[random.below(WORDS.len())]));
            let args: Vec<OsString> = words.map(OsString::from).collect();
            if let Some(usual) = super::run(&args) {
                let by_clap = alone::<RunArgs>(&args).map(|args| format!("{args:?}"));
                assert_eq!(Some(format!("{usual:?}")), by_clap, "{args:?}");
                read += 1;
            }
        }
        assert!(read > 1000, "{read}");
    }

    #[test]
    fn lines_that_agents_start_are_read_at_once() {
        let lines: [&[&str]; 4] = [
            &["run", "PreToolUse", "--tool", "bash", "--input", "{\"command\":\"ls\"}"],
            &["run", "PreToolUse", "--config", "/p/.claude/settings.json", "--dialect", "claude", "--output", "claude"],
            &["run", "--output=codex", "--dialect=codex", "--fail-closed"],
            &["run"],
        ];
        for line in lines {
            let args: Vec<OsString> = line.iter().map(OsString::from).collect();
            assert!(super::run(&args).is_some(), "{line:?}");
        }
    }

    #[test]
    fn a_command_is_one_word() {
        for (line, is_usual) in [
            (&["exec", "echo hi"][..], true),
            (&["exec"], false),
            (&["exec", ""], false),
            (&["exec", "--help"], false),
            (&["exec", "echo", "hi"], false),
        ] {
            let args: Vec<OsString> = line.iter().map(OsString::from).collect();
            let usual = super::exec(&args).map(|args| format!("{args:?}"));
            assert_eq!(usual.is_some(), is_usual, "{line:?}");
            if is_usual {
                assert_eq!(usual, alone::<ExecArgs>(&args).map(|args| format!("{args:?}")));
            }
        }
    }
}
