//! Blocking calls, and what wakes them.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

mod common;

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::thread;
use std::time::{Duration, Instant};

use hookshell_process::{FileKind, Interrupt, is_interrupted, pipe};

/// Raises the interrupt after a while, runs the call, and checks that it came back soon after.
fn woken<T>(interrupt: &Interrupt, call: impl FnOnce(&Interrupt) -> T) -> T {
    let raiser = interrupt.clone();
    let thread = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        let raised = Instant::now();
        raiser.raise();
        raised
    });
    let result = call(interrupt);
    let late = thread.join().unwrap().elapsed();
    // A call that nothing wakes lasts a minute, or for ever.
    assert!(late < Duration::from_secs(10), "woken after {late:?}");
    result
}

#[test]
fn a_read_from_an_empty_pipe_is_woken() {
    let (reader, _writer) = pipe().unwrap();
    let error =
        woken(&Interrupt::new(), |interrupt| interrupt.read(&reader, FileKind::of(&reader), &mut [0; 8]).unwrap_err());
    assert!(is_interrupted(&error), "{error:?}");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

#[test]
fn a_child_interrupt_is_woken_through_its_parent() {
    let (reader, _writer) = pipe().unwrap();
    let parent = Interrupt::new();
    let child = parent.child();
    let error = woken(&parent, |_| child.read(&reader, FileKind::Pipe, &mut [0; 8]).unwrap_err());
    assert!(is_interrupted(&error), "{error:?}");
}

#[test]
fn a_write_into_a_full_pipe_is_woken() {
    let (_reader, writer) = pipe().unwrap();
    let error = woken(&Interrupt::new(), |interrupt| {
        interrupt.write_all(&writer, FileKind::of(&writer), &vec![b'x'; 1 << 20]).unwrap_err()
    });
    assert!(is_interrupted(&error), "{error:?}");
}

#[test]
fn a_sleep_is_woken() {
    assert!(!woken(&Interrupt::new(), |interrupt| interrupt.sleep(Duration::from_secs(60))));
    assert!(!woken(&Interrupt::new(), |interrupt| interrupt.wait_until(None)));
}

#[test]
fn many_readers_are_woken_at_once() {
    let interrupt = Interrupt::new();
    let (reader, _writer) = pipe().unwrap();
    woken(&interrupt, |interrupt| {
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    assert!(is_interrupted(&interrupt.read(&reader, FileKind::Pipe, &mut [0; 8]).unwrap_err()))
                });
            }
        });
    });
}

#[test]
fn nothing_begins_after_the_raise() {
    let interrupt = Interrupt::new();
    interrupt.raise();
    let (reader, writer) = pipe().unwrap();
    assert!(is_interrupted(&interrupt.write_all(&writer, FileKind::Pipe, b"x").unwrap_err()));
    drop(writer);
    assert!(is_interrupted(&interrupt.read(&reader, FileKind::Pipe, &mut [0; 8]).unwrap_err()));
}

#[test]
fn everything_that_is_written_is_read() {
    let (reader, writer) = pipe().unwrap();
    let interrupt = Interrupt::new();
    let data: Vec<u8> = (0..3_000_000_u32).map(|index| index.to_le_bytes()[0]).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            interrupt.write_all(&writer, FileKind::of(&writer), &data).unwrap();
            drop(writer);
        });
        let mut all = Vec::new();
        let mut buffer = vec![0; 10_000];
        loop {
            let count = interrupt.read(&reader, FileKind::of(&reader), &mut buffer).unwrap();
            if count == 0 {
                break;
            }
            all.extend_from_slice(&buffer[..count]);
        }
        assert!(all == data);
    });
}

#[test]
fn a_write_that_nobody_reads_is_a_broken_pipe() {
    hookshell_process::block_sigpipe_on_this_thread();
    let interrupt = Interrupt::new();
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let error = interrupt.write_all(&writer, FileKind::of(&writer), b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    assert!(!is_interrupted(&error));
    // While it waits for room, too.
    let (reader, writer) = pipe().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(50));
            drop(reader);
        });
        let error = interrupt.write_all(&writer, FileKind::Pipe, &vec![0; 1 << 20]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    });
}

#[test]
fn regular_files_are_read_and_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let interrupt = Interrupt::new();
    let file = File::create(&path).unwrap();
    assert_eq!(FileKind::of(&file), FileKind::Regular);
    interrupt.write_all(&file, FileKind::Regular, b"some text").unwrap();
    // A kind that was guessed wrong works as well.
    interrupt.write_all(&file, FileKind::Unknown, b", more").unwrap();
    let file = File::open(&path).unwrap();
    let mut buffer = [0; 100];
    assert_eq!(interrupt.read(&file, FileKind::Unknown, &mut buffer[..4]).unwrap(), 4);
    assert_eq!(&buffer[..4], b"some");
    assert_eq!(interrupt.read(&file, FileKind::Regular, &mut buffer).unwrap(), 11);
    assert_eq!(&buffer[..11], b" text, more");
    assert_eq!(interrupt.read(&file, FileKind::Regular, &mut buffer).unwrap(), 0);
}

#[test]
fn the_kind_of_a_file_is_told() {
    let (reader, writer) = pipe().unwrap();
    assert_eq!(FileKind::of(&reader), FileKind::Pipe);
    assert_eq!(FileKind::of(&writer), FileKind::Pipe);
    assert!(FileKind::Pipe.may_block() && !FileKind::Regular.may_block());
    #[cfg(unix)]
    {
        let null = File::open("/dev/null").unwrap();
        assert_eq!(FileKind::of(&null), FileKind::Character);
        let interrupt = Interrupt::new();
        assert_eq!(interrupt.read(&null, FileKind::Character, &mut [0; 8]).unwrap(), 0);
        assert_eq!(FileKind::of(&File::open("/").unwrap()), FileKind::Directory);
    }
}

#[test]
fn a_pipe_ends_when_its_writer_does() {
    let interrupt = Interrupt::new();
    let (mut reader, writer) = pipe().unwrap();
    interrupt.write_all(&writer, FileKind::Pipe, b"ab").unwrap();
    drop(writer);
    let mut buffer = [0; 1];
    assert_eq!(interrupt.read(&reader, FileKind::Pipe, &mut buffer).unwrap(), 1);
    assert_eq!(reader.read(&mut buffer).unwrap(), 1);
    assert_eq!(interrupt.read(&reader, FileKind::Pipe, &mut buffer).unwrap(), 0);
}
