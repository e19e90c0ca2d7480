//! A large stack for work on the calling thread.
#![allow(unsafe_code, reason = "memory is mapped, and the stack pointer moved into it")]

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// See [`crate::Stack`].
#[derive(Debug)]
pub(crate) struct Stack {
    /// The lowest address: a page that nothing can be written to, where a stack that is used up ends by a signal.
    base: *mut libc::c_void,
    /// In bytes, the guard page included.
    size: usize,
}

/// A multiple of every page's size.
const GUARD: usize = 64 * 1024;

impl Stack {
    pub(crate) fn new(size: usize) -> io::Result<Self> {
        let whole = size.checked_next_multiple_of(GUARD).and_then(|size| size.checked_add(GUARD));
        let size = whole.ok_or(io::ErrorKind::InvalidInput)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
        // SAFETY: a new mapping at an address of the system's choice touches no other memory.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Self { base, size };
        // SAFETY: what stands after the guard page is in the mapping that was just made, and used by nobody yet.
        if unsafe { libc::mprotect(base.byte_add(GUARD), size - GUARD, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(stack)
    }

    pub(crate) fn run<T>(self, work: impl FnOnce() -> T) -> T {
        let caught = || catch_unwind(AssertUnwindSafe(work));
        // SAFETY: both ends are page-aligned, the lowest page is a guard page, and nothing unwinds out of the call. The
        // mapping lives as long as `self`, and on it nothing is left when the call returns.
        let result = unsafe { psm::on_stack(self.base.cast(), self.size, caught) };
        drop(self);
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is that of `new`, and nobody has a pointer into it any more.
        unsafe { libc::munmap(self.base, self.size) };
    }
}

#[cfg(test)]
mod tests {
    use super::Stack;

    fn depth_of(bytes: usize) -> usize {
        let frame = [1u8; 1024];
        let below = if bytes < frame.len() { 0 } else { depth_of(bytes - frame.len()) };
        below + usize::from(std::hint::black_box(&frame)[0])
    }

    #[test]
    fn work_has_the_whole_stack_and_gives_its_result() {
        // More than a thread of the test runner has.
        let depth = Stack::new(64 << 20).unwrap().run(|| depth_of(16 << 20));
        assert_eq!(depth, (16 << 10) + 1);
    }

    #[test]
    fn a_panic_comes_through() {
        let panic = std::panic::catch_unwind(|| Stack::new(1 << 20).unwrap().run(|| panic!("on purpose")));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"on purpose"));
    }

    #[test]
    fn a_stack_that_does_not_fit_is_an_error() {
        Stack::new(1 << 60).unwrap_err();
        Stack::new(usize::MAX - 1).unwrap_err();
    }
}
