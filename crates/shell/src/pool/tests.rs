use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Barrier};
use std::thread::ThreadId;
use std::time::Duration;

use super::{KeptJob, Pool};

const LATE: Duration = Duration::from_secs(60);

#[test]
fn a_panic_ends_the_job_and_not_the_pool() {
    let pool = Pool::new();
    assert_eq!(pool.call(|| -> u8 { panic!("on purpose") }), None);
    assert_eq!(pool.call(|| 7), Some(7));
}

#[test]
fn jobs_that_wait_for_each_other_all_run() {
    let pool = Pool::new();
    for _ in 0..20 {
        let barrier = Arc::new(Barrier::new(8));
        let (sender, ended) = channel();
        for number in 0..8 {
            let (barrier, sender) = (barrier.clone(), sender.clone());
            pool.run(move || {
                barrier.wait();
                sender.send(number).unwrap();
            })
            .unwrap();
        }
        let mut numbers: Vec<i32> = (0..8).map(|_| ended.recv_timeout(Duration::from_secs(60)).unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..8).collect::<Vec<_>>());
    }
}

#[test]
fn where_no_thread_can_be_started_a_job_fails_or_waits_for_another() {
    let pool = Pool::new();
    pool.is_refused.store(true, Ordering::Relaxed);
    let nothing = || pool.run_when_free(|| ());
    assert_eq!(nothing().map_err(|error| error.kind()), Err(std::io::ErrorKind::WouldBlock));
    assert_eq!(pool.call(|| 7), None);
    pool.is_refused.store(false, Ordering::Relaxed);
    let (release, held) = channel::<()>();
    let (sender, ended) = channel();
    let first = sender.clone();
    pool.run(move || {
        let _ = held.recv_timeout(LATE);
        first.send(0).unwrap();
    })
    .unwrap();
    pool.is_refused.store(true, Ordering::Relaxed);
    // Nobody waits here: neither who asks, nor for those of a pipeline.
    assert!(pool.run(|| ()).is_err());
    for number in 1..=1000 {
        let sender = sender.clone();
        pool.run_when_free(move || {
            // What panics keeps nobody from their turn.
            assert!(number % 10 != 5, "on purpose");
            sender.send(number).unwrap();
        })
        .unwrap();
    }
    assert!(ended.try_recv().is_err());
    release.send(()).unwrap();
    drop(sender);
    let mut numbers = Vec::new();
    while let Ok(number) = ended.recv_timeout(LATE) {
        numbers.push(number);
    }
    assert_eq!(numbers, (0..=1000).filter(|number| number % 10 != 5).collect::<Vec<_>>());
    // The thread has not been lost; it may still be on its way back from the last job.
    let until = std::time::Instant::now() + LATE;
    while pool.call(|| 7) != Some(7) {
        assert!(std::time::Instant::now() < until, "no thread is free any more");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_thread_that_expects_a_job_takes_it_now_or_later() {
    let pool = Pool::new();
    // Nobody is there to be woken.
    pool.expect_job();
    for pause in [0, 1, 200, 0, 0, 30] {
        assert_eq!(pool.call(|| 7), Some(7));
        pool.expect_job();
        std::thread::sleep(Duration::from_micros(pause * 10));
    }
    // It went to sleep again, and is still there.
    pool.expect_job();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(pool.call(|| 7), Some(7));
}

#[test]
fn what_is_handed_on_is_done_or_comes_back() {
    let pool = Pool::new();
    pool.is_refused.store(true, Ordering::Relaxed);
    let (sender, done) = channel();
    let told = sender.clone();
    assert_eq!(pool.hand_on(7, move |what| told.send(what).unwrap()), Err(7));
    assert!(done.try_recv().is_err());
    pool.is_refused.store(false, Ordering::Relaxed);
    assert_eq!(pool.hand_on(8, move |what| sender.send(what).unwrap()), Ok(()));
    assert_eq!(done.recv_timeout(LATE), Ok(8));
}

#[test]
fn a_job_that_is_kept_runs_where_it_was_begun_or_elsewhere() {
    let pool = Pool::new();
    // No pool's thread has no stack for it.
    let begin = |pool: &Pool, sender: &Sender<ThreadId>| {
        let sender = sender.clone();
        pool.run_when_free(move || sender.send(std::thread::current().id()).unwrap()).unwrap();
    };
    let (sender, ran) = channel();
    let (pool_ref, of_thread) = (pool.clone(), sender.clone());
    assert!(KeptJob::of(|| begin(&pool, &sender)).1.is_none());
    ran.recv_timeout(LATE).unwrap();
    let kept = move || {
        let here = std::thread::current().id();
        let begin = || begin(&pool_ref, &of_thread);
        // The first one alone is kept.
        let ((), job) = KeptJob::of(|| {
            begin();
            begin();
        });
        let another = ran.recv_timeout(LATE).unwrap();
        job.unwrap().run();
        assert_eq!((ran.recv_timeout(LATE).unwrap(), another == here), (here, false));
        // Nothing is kept later, nor after a panic.
        begin();
        assert_ne!(ran.recv_timeout(LATE).unwrap(), here);
        let panics = catch_unwind(AssertUnwindSafe(|| {
            KeptJob::of(|| {
                begin();
                std::panic::resume_unwind(Box::new(()));
            })
        }));
        assert!(panics.is_err());
        assert_ne!(ran.recv_timeout(LATE).unwrap(), here);
        drop(KeptJob::of(begin).1.unwrap());
        assert_ne!(ran.recv_timeout(LATE).unwrap(), here);
        assert!(KeptJob::of(|| ()).1.is_none());
    };
    assert_eq!(pool.call(kept), Some(()));
}

#[test]
fn threads_end_with_their_pool() {
    let pool = Pool::new();
    let (sender, ended) = channel::<()>();
    // Dropped when its thread ends: a value of the thread's own.
    thread_local!(static KEPT: RefCell<Option<Sender<()>>> = const { RefCell::new(None) });
    pool.call(move || KEPT.set(Some(sender))).unwrap();
    drop(pool);
    assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Err(RecvTimeoutError::Disconnected));
}
