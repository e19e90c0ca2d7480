//! The start of a program that does without the Rust runtime's.

#![allow(unsafe_code, reason = "poll, open and signal have no safe interface for what is not open")]

use std::panic::catch_unwind;

/// The exit code of a Rust program that panicked.
const PANICKED: u8 = 101;

/// Runs `main` as the Rust runtime would, and ends the process with the exit code that it gives.
///
/// As there, a standard stream that is closed becomes the null device, `SIGPIPE` is ignored, a panic ends the process with
/// 101, and standard output is flushed at the end. What is left out costs time and is of no use to a program whose work is
/// done on other threads: where the main thread's stack ends (read from `/proc/self/maps`), and the message of a stack
/// overflow, which remains the signal that it is.
pub fn run_program(main: fn() -> u8) -> ! {
    open_standard_streams();
    // SAFETY: no handler is installed, and no other thread has been started.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
    prefault();
    let status = catch_unwind(main).unwrap_or(PANICKED);
    exit(status)
}

/// Has the system give the pages at once that every start writes to, of the heap and of the stack: a page fault for each takes 2 µs in a
/// virtual machine, and this a quarter of that (docs/PERFORMANCE.md).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn prefault() {
    /// What glibc takes of the system at first (`M_TOP_PAD` and what was asked for).
    const FIRST_HEAP: usize = 132 * 1024;
    /// What a run with a short hook uses of it, and of the stack.
    const HEAP: usize = 56 * 1024;
    const STACK: usize = 24 * 1024;
    const PAGE: usize = 4096;
    let populate = |from: usize, length: usize| {
        // SAFETY: what stands in the range is left as it is. Where something is not mapped, or the system does not know it (before
        // Linux 5.14), it is an error, and the pages come one by one.
        unsafe { libc::madvise(std::ptr::without_provenance_mut(from), length, libc::MADV_POPULATE_WRITE) };
    };
    // SAFETY: nothing is changed by asking where the heap ends.
    let end = unsafe { libc::sbrk(0) }.addr();
    if end != usize::MAX && end > FIRST_HEAP {
        populate((end - FIRST_HEAP) & !(PAGE - 1), HEAP);
    }
    let here = 0u8;
    let stack = std::hint::black_box(&raw const here).addr() & !(PAGE - 1);
    populate(stack.saturating_sub(STACK), STACK);
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn prefault() {}

#[allow(clippy::exit, reason = "the end of the program")]
fn exit(status: u8) -> ! {
    std::process::exit(i32::from(status))
}

/// Opens the null device in the place of each standard stream that is closed: what is opened later must not become one.
fn open_standard_streams() {
    let mut streams = [0, 1, 2].map(|fd| libc::pollfd { fd, events: 0, revents: 0 });
    // SAFETY: the array has as many elements as is said. Of what can fail here, only an interruption by a signal happens.
    while unsafe { libc::poll(streams.as_mut_ptr(), 3, 0) } == -1
        && std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
    {}
    for stream in streams {
        if stream.revents & libc::POLLNVAL != 0 {
            // SAFETY: the path ends in a NUL. The lowest number that is free is that of the stream.
            unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) };
        }
    }
}

/// Makes a function that gives an exit code the program's entry, in the place of a `main` of Rust's: for the root of a
/// binary with `#![no_main]`, on Linux with glibc only, where the program's arguments are known all the same.
#[macro_export]
macro_rules! program {
    ($main:expr) => {
        // SAFETY: this is the `main` that the C runtime looks for, and the only one.
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ::std::ffi::c_int {
            $crate::run_program($main)
        }
    };
}
