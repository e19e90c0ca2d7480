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
const DEADLINE: Duration = Duration::from_secs(10);

/// What came out of a shape.
#[derive(Debug, Default)]
struct Result {
    /// The changed file was run: by bash, by hookshell.
    ran: (bool, bool),
    is_listed: bool,
    unknowns: Vec<String>,
}

fn tried(shape: &Shape) -> Result {
    let place = Place::new();
    place.set_up(shape, false);
    let hook = shape.hook(&place);
    let store = place.store();
    let before = store.examine(&hook, &place.project()).unwrap();
    store.trust(&place.project(), &[before.clone()]).unwrap();
    place.set_up(shape, true);
    let after = store.examine(&hook, &place.project()).unwrap();
    let by_bash = place.run_by_bash(&hook);
    // What one run has left is not there for the other.
    let place = Place::new();
    place.set_up(shape, true);
    let by_hookshell = place.run_by_hookshell(&shape.hook(&place));
    Result { ran: (by_bash, by_hookshell), is_listed: after.status != TrustStatus::Trusted, unknowns: before.uncertain }
}

/// The heart of it: each hook is run with a file changed. Where that file's code ran, it was listed, or the hook had unknowns.
#[test]
#[cfg(unix)]
fn what_a_changed_file_makes_run_is_listed_or_unknown() {
    if !place::has_program("bash") {
        return;
    }
    let shapes = shapes();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(shape) = shapes.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if shape.needs().iter().all(|program| place::has_program(program)) {
                        let result = tried(shape);
                        results.lock().unwrap().push((shape, result));
                    }
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let ran = results.iter().filter(|(_, result)| result.ran.0 || result.ran.1).count();
    let listed = results.iter().filter(|(_, result)| result.is_listed).count();
    let only_unknown = results.iter().filter(|(_, result)| !result.is_listed && !result.unknowns.is_empty()).count();
    println!(
        "{} shapes of {} were tried: the changed file ran in {ran}, {listed} ask again, {only_unknown} have unknowns only",
        results.len(),
        shapes.len(),
    );
    let idle: Vec<_> = results.iter().filter(|(_, result)| !result.ran.0 && !result.ran.1).map(|(shape, _)| shape).collect();
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
    assert!(idle.len() * 20 <= results.len(), "{} of {} shapes ran nowhere", idle.len(), results.len());
}
