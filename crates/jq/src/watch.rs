//! What a step that may take long asks: does the run continue, and does what is made still fit?

use std::cell::{Cell, RefCell};

use hookshell_utility::Stopped;
use hookshell_utility::io::{MemoryCharge, Running};

/// After how many questions the run is asked.
const ASKED: u32 = 256;
/// How much may be made before it is measured what of it is alive.
const UNMEASURED: usize = 32 << 20;

/// A step would have more bytes than the run may have.
#[derive(Debug)]
pub(super) struct TooLarge;

/// The run, as those see it who compute.
///
/// A step that is told that the run is over ends with any result: the machine looks before it continues with it.
pub(super) struct Watch<'a> {
    /// `None` if there is no run, as for constants.
    running: Option<&'a Running<'a>>,
    kept: RefCell<Option<MemoryCharge>>,
    until_asked: Cell<u32>,
    is_over: Cell<bool>,
    /// The bytes that were alive when they were measured last.
    alive: Cell<usize>,
    /// The bytes that were made since then, alive or not.
    made: Cell<usize>,
    /// What the inputs count themselves.
    counted: Cell<usize>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(running: &'a Running<'a>) -> Self {
        Self { running: Some(running), kept: RefCell::new(Some(running.keep())), ..Self::unwatched() }
    }

    /// For what is computed before there is a run.
    pub(super) fn unwatched() -> Self {
        Self {
            running: None,
            kept: RefCell::new(None),
            until_asked: Cell::new(ASKED),
            is_over: Cell::new(false),
            alive: Cell::new(0),
            made: Cell::new(0),
            counted: Cell::new(0),
        }
    }

    /// Does the run continue? Cheap enough for each turn of a loop.
    pub(super) fn should_continue(&self) -> bool {
        let left = self.until_asked.get();
        if left > 0 {
            self.until_asked.set(left - 1);
        } else {
            self.until_asked.set(ASKED);
            if self.running.is_some_and(|running| running.check().is_err()) {
                self.is_over.set(true);
            }
        }
        !self.is_over.get()
    }

    /// The run is over: what was computed since does not count.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// So many bytes of values were made.
    pub(super) fn made(&self, bytes: usize) {
        self.made.set(self.made.get().saturating_add(bytes));
    }

    /// Has so much been made that it is time to measure what is alive?
    pub(super) fn is_due(&self) -> bool {
        self.made.get() > UNMEASURED.max(self.alive.get())
    }

    /// So many bytes are alive. The error: that is more than the run may have.
    pub(super) fn measured(&self, bytes: usize) -> Result<(), Stopped> {
        self.alive.set(bytes);
        self.made.set(0);
        self.count(bytes)
    }

    /// An input came, which the inputs count themselves until the next one comes.
    pub(super) fn took(&self, bytes: usize) {
        self.counted.set(bytes);
    }

    /// A step is about to have so many bytes more. The error stands for the end of the run.
    pub(super) fn fits(&self, bytes: usize) -> Result<(), TooLarge> {
        if bytes < UNMEASURED || self.count(self.alive.get().saturating_add(bytes)).is_ok() {
            return Ok(());
        }
        self.is_over.set(true);
        Err(TooLarge)
    }

    fn count(&self, bytes: usize) -> Result<(), Stopped> {
        match &mut *self.kept.borrow_mut() {
            Some(kept) => kept.set(bytes.saturating_sub(self.counted.get())),
            None => Ok(()),
        }
    }
}
