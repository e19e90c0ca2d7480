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
    let status = catch_unwind(main).unwrap_or(PANICKED);
    exit(status)
}

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
