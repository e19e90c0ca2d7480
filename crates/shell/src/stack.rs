//! The stack of a thread that runs shell code, and how far code may nest on it.

use std::cell::Cell;

use hookshell_process::{Resource, Stack};

/// The stack of every thread that runs shell code. The depth limits follow from it: they hold in a debug build too,
/// whatever thread the host calls from. Only the pages that are touched cost memory.
const STACK_SIZE: usize = 64 * 1024 * 1024;

/// The stacks of threads, the largest first: the small ones are for a process whose address space is limited (`ulimit -v`).
/// Shell code nests less deep there, and is run all the same. Each is more than [`STACK_RESERVE`].
const STACK_SIZES: [usize; 3] = [STACK_SIZE, 16 * 1024 * 1024, 10 * 1024 * 1024];

/// The part of a limited address space that one stack may take: a pipeline has several threads, and for each of them the allocator
/// may reserve some too.
const STACK_SHARE: u64 = 32;

/// The part of a limited address space that is left to everything else: another thread is refused where it is not there, as
/// hundreds of stacks would take it all, and the next allocation of a few bytes would end the process.
const HEADROOM_SHARE: u64 = 4;

/// What is kept of the stack for the parser, pattern matching and the system: shell code stops nesting before it.
const STACK_RESERVE: usize = 8 * 1024 * 1024;

thread_local! {
    /// How far down the stack of a thread of the pool shell code may nest; 0 on other threads.
    static STACK_END: Cell<usize> = const { Cell::new(0) };
}

/// The address of something that stands on the stack now.
#[inline(never)]
fn stack_address() -> usize {
    let here = 0u8;
    std::hint::black_box(&raw const here).addr()
}

/// Is the stack of this thread used up as far as shell code may use it? This is the depth limit of last resort: it holds
/// whatever the frames of a build cost and however calls, compound commands and expansions are nested in each other.
#[inline]
pub(crate) fn is_used_up() -> bool {
    stack_address() < STACK_END.get()
}

/// The sizes of a stack that may be tried, one after the other.
pub(crate) fn sizes() -> impl Iterator<Item = usize> {
    let room = Resource::AddressSpace.soft_limit().map_or(u64::MAX, |limit| limit / STACK_SHARE);
    let smallest = STACK_SIZES[STACK_SIZES.len() - 1];
    STACK_SIZES.into_iter().filter(move |&size| size as u64 <= room || size == smallest)
}

/// Is there room for a thread, and for what it does, in an address space that is limited to so many bytes? Asks the system for it,
/// and gives it back.
pub(crate) fn has_headroom(limit: u64) -> bool {
    let room = usize::try_from(limit / HEADROOM_SHARE).unwrap_or(usize::MAX);
    // A stack, and what the allocator reserves for a thread while it aligns it.
    Vec::<u8>::new().try_reserve_exact(room.min(3 * STACK_SIZE)).is_ok()
}

/// Makes this thread one for shell code, with a stack of so many bytes.
pub(crate) fn enter_thread(stack: usize) {
    hookshell_process::block_sigpipe_on_this_thread();
    STACK_END.set(stack_address().saturating_sub(stack - STACK_RESERVE));
}

/// Has this thread a stack for shell code?
pub(crate) fn is_for_shell_code() -> bool {
    STACK_END.get() != 0
}

/// A stack like those of a pool's threads, for shell code on the calling thread: for a program that has nothing else to do,
/// and starts sooner without another thread.
#[derive(Debug)]
pub struct ShellStack {
    stack: Stack,
    size: usize,
}

impl ShellStack {
    /// `None` if there is no such stack, as on all systems but Linux.
    pub fn new() -> Option<Self> {
        sizes().find_map(|size| Some(Self { stack: Stack::new(size).ok()?, size }))
    }

    /// Runs `job` on the calling thread, which blocks `SIGPIPE` from then on. A panic in `job` continues in the caller.
    pub fn run<T>(self, job: impl FnOnce() -> T) -> T {
        let _own = OwnStack(STACK_END.get());
        self.stack.run(|| {
            enter_thread(self.size);
            job()
        })
    }
}

/// The end of the stack that the thread has when it is back on it.
struct OwnStack(usize);

impl Drop for OwnStack {
    fn drop(&mut self) {
        STACK_END.set(self.0);
    }
}
