//! What a changed file of a project can make a hook run is listed, or the hook has unknowns.

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
    store.trust(&place.project(), &[before.clone()]).unwrap();
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
#[cfg(unix)]
fn what_a_changed_file_makes_run_is_listed_or_unknown() {
    if !place::has_program("bash") {
        return;
    }
    let shapes = shapes();
    let every = if std::env::var_os("REQUIRE_INTERPRETERS").is_some_and(|value| value == "1") { 1 } else { 10 };
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(shape) = shapes.get(index) else { break };
                    if shape.needs().iter().all(|program| place::has_program(program)) {
                        let result = tried(shape, index % every == 0);
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
