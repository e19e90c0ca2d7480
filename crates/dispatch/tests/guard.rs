//! The host's watch over the files that code is taken from.
#![allow(clippy::unwrap_used, reason = "test helpers: a panic fails the test")]
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hookshell_dispatch::{CodeGuard, Command, Dispatcher, End, Invocation, Outcome};

/// Which question is refused, or what is done when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Check,
    Before,
    After,
    /// Other contents are refused, and each file is written over when its contents have been checked.
    Swap,
}

#[derive(Debug)]
struct Guard {
    at: At,
    root: PathBuf,
    refusal: Mutex<Option<String>>,
}

impl Guard {
    fn answer(&self, at: At) -> Result<(), String> {
        let mut refusal = self.refusal.lock().unwrap();
        if self.at == at {
            *refusal = Some(format!("{at:?}"));
        }
        refusal.clone().map_or(Ok(()), Err)
    }
}

impl CodeGuard for Guard {
    fn knows(&self, path: &Path) -> bool {
        path.starts_with(&self.root)
    }

    fn check(&self, path: &Path, contents: &[u8]) -> Result<(), String> {
        assert!(!contents.is_empty());
        if self.at == At::Swap {
            std::fs::write(path, "echo other; touch ran\n").unwrap();
            if contents == b"echo right\n" {
                return Ok(());
            }
        }
        self.answer(if self.at == At::Swap { At::Swap } else { At::Check })
    }

    fn before_start(&self, _: &Path) -> Result<(), String> {
        self.answer(At::Before)
    }

    fn after_start(&self) -> Result<(), String> {
        self.answer(At::After)
    }

    fn refusal(&self) -> Option<String> {
        self.refusal.lock().unwrap().clone()
    }

    fn for_copy(&self) -> Arc<dyn CodeGuard> {
        Arc::new(Self { at: self.at, root: self.root.clone(), refusal: Mutex::default() })
    }
}

fn run(command: &str, at: At) -> (Outcome, bool) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().canonicalize().unwrap();
    std::fs::write(path.join("lib"), "echo right\n").unwrap();
    std::fs::write(path.join("script"), "echo right\n").unwrap();
    let guard = Guard { at, root: path.clone(), refusal: Mutex::default() };
    let invocation = Invocation {
        env: [("PATH", std::env::var_os("PATH").unwrap_or_default())].into(),
        timeout: Some(Duration::from_secs(20)),
        guard: Some(Arc::new(guard)),
        ..Invocation::new(Command::source(command), &path)
    };
    let outcome = Dispatcher::new().run(invocation);
    (outcome, path.join("ran").exists())
}

#[test]
fn what_is_refused_does_not_run_and_the_run_does_not_count() {
    for (command, at) in [
        (". ./lib; touch ran", At::Check),
        ("./script; touch ran", At::Check),
        ("sh -c 'touch ran'", At::Before),
        ("sh -c : || sh -c 'touch ran'", At::Before),
        ("(sh -c 'touch ran') | sh -c 'touch ran'", At::Before),
        ("sh -c 'sleep 30; touch ran'; sh -c 'touch ran'", At::After),
        ("sh -c 'sleep 30; touch ran' | sh -c 'sleep 30'", At::After),
    ] {
        let begun = Instant::now();
        let (outcome, ran) = run(command, at);
        assert_eq!(outcome.end, End::Changed(format!("{at:?}")), "{command}");
        // A utility of ours continues; programs do not.
        assert!(!ran || at == At::Check, "{command}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{command}");
    }
}

#[test]
fn what_runs_in_process_is_what_was_checked() {
    for command in
        [". ./lib", "./script", "source lib", "eval '. ./lib'", "f() { . ./lib; }; f", "(. ./lib)", "env ./script"]
    {
        let (outcome, ran) = run(command, At::Swap);
        assert!(!ran, "{command}");
        assert_eq!(outcome.end, End::Exited, "{command}");
        assert_eq!(outcome.stdout, b"right\n", "{command}");
    }
}
