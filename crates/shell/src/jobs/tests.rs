use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use hookshell_utility::RunToken;

use super::RunState;
use crate::traps::SIGINT;

/// What a stage does with its token.
type Stage = Box<dyn FnOnce(&RunToken) + Send>;

/// A stage that ends because the one before it has died has got the signal as well.
#[test]
fn a_signal_for_a_group_is_for_all_of_it_whoever_ends_first() {
    for first in 0..2 {
        let run = Arc::new(RunState::new(1));
        run.expect_group_signals();
        let cancel = RunToken::isolated();
        let (begin, begun) = channel();
        // One ends by its token, the other one because that has ended.
        let (end, ended) = channel::<()>();
        let mut ends: [Option<Stage>; 2] = [None, None];
        ends[first] = Some(Box::new(move |token: &RunToken| {
            while !token.interrupt().is_raised() {
                thread::sleep(Duration::from_millis(1));
            }
            drop(end);
        }));
        ends[1 - first] = Some(Box::new(move |_: &RunToken| assert!(ended.recv().is_err())));
        let threads: Vec<_> = ends
            .into_iter()
            .flatten()
            .map(|ends| {
                let (run, cancel, begin) = (run.clone(), cancel.clone(), begin.clone());
                let started = thread::spawn(move || {
                    let told = |token: &RunToken| {
                        begin.send(()).unwrap();
                        ends(token);
                    };
                    run.run_utility(&cancel, 0, told).1
                });
                begun.recv_timeout(Duration::from_secs(20)).unwrap();
                started
            })
            .collect();
        run.end_utilities(SIGINT, |_| true);
        let signals: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(signals, [Some(SIGINT); 2], "{first}");
    }
}
