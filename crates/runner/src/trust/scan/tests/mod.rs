//! What a changed file of a project can make a hook run is listed, or the hook has unknowns.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "tests: a panic fails the test, and the rates are printed"
)]

mod ordinary;
mod place;
mod refused;
mod shapes;

use std::time::Duration;

use self::place::Place;
use self::shapes::{Shape, shapes};
use crate::TrustStatus;

/// How long one shape may run.
const DEADLINE: Duration = Duration::from_secs(4);

/// What came out of a shape.
#[derive(Debug, Default)]
struct Result {
    /// The changed file was run: by bash, by hookshell.
    ran: (bool, bool),
    /// It was tried whether it is.
    runs: bool,
    is_listed: bool,
    unknowns: Vec<String>,
    took: Duration,
}

/// `runs`: it is run, too.
fn tried(shape: &Shape, runs: bool) -> Result {
    let start = std::time::Instant::now();
    let place = Place::new();
    place.set_up(shape, false);
    let hook = shape.hook(&place);
    let store = place.store();
    let before = store.examine(&hook, &place.project()).unwrap();
    store.trust(&place.project(), std::slice::from_ref(&before)).unwrap();
    place.set_up(shape, true);
    let after = store.examine(&hook, &place.project()).unwrap();
    let mut ran = (false, false);
    if runs {
        ran.0 = place.run_by_bash(&hook);
        // What one run has left is not there for the other.
        let place = Place::new();
        place.set_up(shape, true);
        ran.1 = place.run_by_hookshell(&shape.hook(&place));
    }
    Result {
        ran,
        runs,
        is_listed: after.status != TrustStatus::Trusted,
        unknowns: before.uncertain,
        took: start.elapsed(),
    }
}

/// The heart of it: each hook is run with a file changed. Where that file's code ran, it was listed, or the hook had unknowns.
/// With `REQUIRE_INTERPRETERS=1` all shapes are run, else every tenth: all are looked through.
#[test]
fn what_a_changed_file_makes_run_is_listed_or_unknown() {
    if !hookshell_test_support::has("bash") {
        return;
    }
    let shapes = shapes();
    let every = if hookshell_test_support::requires_programs() { 1 } else { 10 };
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(shape) = shapes.get(index) else { break };
                    if shape.needs().iter().all(|program| place::has_program(program)) {
                        let result = tried(shape, index.is_multiple_of(every));
                        results.lock().unwrap().push((shape, result));
                    }
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let tried = results.iter().filter(|(_, result)| result.runs).count();
    let ran = results.iter().filter(|(_, result)| result.ran.0 || result.ran.1).count();
    let listed = results.iter().filter(|(_, result)| result.is_listed).count();
    let only_unknown = results.iter().filter(|(_, result)| !result.is_listed && !result.unknowns.is_empty()).count();
    println!(
        "{} shapes of {}: {tried} were run and the changed file's code ran in {ran}; {listed} ask again, {only_unknown} have unknowns only",
        results.len(),
        shapes.len(),
    );
    let idle: Vec<_> = results
        .iter()
        .filter(|(_, result)| result.runs && !result.ran.0 && !result.ran.1)
        .map(|(shape, _)| shape)
        .collect();
    if let Ok(shown) = std::env::var("SLOW_SHAPES") {
        let limit: u128 = shown.parse().unwrap_or(500);
        for (shape, result) in results.iter().filter(|(_, result)| result.took.as_millis() > limit) {
            println!("{} ms: {shape}", result.took.as_millis());
        }
    }
    for shape in &idle {
        println!("ran nowhere: {shape}");
    }
    let missed: Vec<String> = results
        .iter()
        .filter(|(_, result)| !result.is_listed && result.unknowns.is_empty())
        .map(|(shape, result)| format!("{shape} (ran: {:?})", result.ran))
        .collect();
    assert!(missed.is_empty(), "{} were missed:\n{}", missed.len(), missed.join("\n"));
    // A shape that runs nothing shows nothing.
    assert!(idle.len() * 20 <= tried, "{} of {tried} shapes ran nowhere", idle.len());
}

/// More spellings, of programs too that are not on every machine: each names a file of the project.
#[test]
fn more_spellings_are_listed_or_unknown() {
    let place = Place::new();
    for (path, text) in [
        ("lib.txt", ":\n"),
        ("sub/lib.txt", ":\n"),
        ("lib.py", "pass\n"),
        ("lib.js", "0\n"),
        ("Lib.pm", "1;\n"),
        ("data.json", "{}\n"),
        ("sub/x.jq", ".\n"),
    ] {
        place.write(path, text);
    }
    let tool = place.write("tool", "#!/bin/sh\n:\n");
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let store = place.store();
    let spellings: Vec<&str> = include_str!("spellings.txt").split("\n%%\n").collect();
    let mut missed = Vec::new();
    for spelling in &spellings {
        let (env, command) = match spelling.strip_prefix("ENV ").and_then(|rest| rest.split_once('\n')) {
            Some((env, command)) => (env.split_once('='), command),
            None => (None, *spelling),
        };
        let mut hook = crate::HookConfig::new(crate::EventKind::PreToolUse, command.trim_end());
        hook.env = env.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let examined = store.examine(&hook, &place.project()).unwrap();
        if examined.files.is_empty() && examined.uncertain.is_empty() {
            missed.push(*spelling);
        }
    }
    println!("{} of {} more spellings are listed or unknown", spellings.len() - missed.len(), spellings.len());
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Code that is made to take long ends soon, and has unknowns.
#[test]
fn code_that_is_made_to_take_long_ends_soon() {
    let many = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    let names: String = (0..200).map(|index| format!("v{index}+")).collect();
    let scripts = [
        many(100_000, &|_| "git x\n".to_owned()),
        many(60_000, &|index| format!("./f{index}\n")),
        many(60_000, &|index| format!("p{index} x\n")),
        many(40_000, &|index| format!("x --y=./f{index},a\n")),
        many(30_000, &|index| format!("python3 -m m{index}\n")),
        many(30_000, &|index| format!("python3 -c 'import m{index}'\n")),
        many(200, &|index| format!("v{index}='{names}1'\n")) + "((v1))\n",
        many(60_000, &|_| "x='a[$((x))]'\n((x))\n".to_owned()),
        format!("x {}\n", "=a:b,".repeat(100_000)),
        format!("node -e '{}'\n", "require(\"./a\");".repeat(30_000)),
        many(5_000, &|index| format!("cd d{index} && . ./x\n")),
        many(40_000, &|index| format!("sed 's/a/b/e;{index}p' x\n")),
    ];
    for script in scripts {
        let place = Place::new();
        place.write("hard.sh", &script);
        let start = std::time::Instant::now();
        let hook = crate::HookConfig::new(crate::EventKind::PreToolUse, "bash hard.sh");
        let examined = place.store().examine(&hook, &place.project()).unwrap();
        let shown = &script[..script.len().min(60)];
        println!("{:?}: {shown:?}", start.elapsed());
        assert!(start.elapsed() < Duration::from_secs(60), "{shown}: {:?}", start.elapsed());
        assert!(examined.uncertain.len() <= 300 && examined.files.len() <= 300, "{shown}");
    }
}
