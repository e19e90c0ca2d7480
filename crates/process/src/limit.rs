//! Resource limits (`getrlimit(2)`).

/// A limit that a child starts with, in the system's own unit (bytes, seconds, a number).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceLimit {
    /// What is limited.
    pub resource: Resource,
    /// What the system enforces; `None`: no limit.
    pub soft: Option<u64>,
    /// Up to what the child may raise it; `None`: no limit.
    pub hard: Option<u64>,
}

/// What can be limited. Those that the system does not have are left out there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Bytes of a core file.
    Core,
    /// Bytes of the data segment.
    Data,
    /// The nice value.
    Nice,
    /// Bytes of a file that is written.
    FileSize,
    /// Signals that wait.
    PendingSignals,
    /// Bytes of locked memory.
    LockedMemory,
    /// Bytes of resident memory.
    ResidentSet,
    /// Open descriptors.
    OpenFiles,
    /// Bytes in POSIX message queues.
    MessageQueues,
    /// The real-time priority.
    RealTimePriority,
    /// Microseconds without a blocking call under real-time scheduling.
    RealTimeTime,
    /// Bytes of the stack.
    Stack,
    /// Seconds of processor time.
    CpuTime,
    /// Processes of the user.
    Processes,
    /// Bytes of the address space.
    AddressSpace,
    /// File locks.
    Locks,
}
