//! What keeps a program within its bounds: the memory of its variables is measured, and the run is asked whether it was cancelled.

use super::Machine;
use crate::fail::Fail;
use crate::value::Value;

/// A text of a variable that is counted by itself against what a run may keep.
pub(super) const LONG_TEXT: usize = 64 << 10;

/// After so many bytes stored in arrays what they take is measured.
pub(super) const MEASURE: usize = 16 << 20;

/// How many turns and calls go by between two looks at the cancel token.
const TICKS: u32 = 256;

impl Machine<'_> {
    /// A value has been stored in an array. When much was since the last time, what all variables take is measured.
    #[inline]
    pub(super) fn note_stored(&mut self, bytes: usize) -> Result<(), Fail> {
        self.stored += bytes;
        if self.stored >= self.measured_at { self.measure() } else { Ok(()) }
    }

    /// A text of this length has been stored in a variable. Short ones do not count: there are as many as the program has variables.
    #[inline]
    pub(super) fn note_text(&mut self, length: usize) -> Result<(), Fail> {
        if length >= LONG_TEXT { self.note_stored(length) } else { Ok(()) }
    }

    #[cold]
    fn measure(&mut self) -> Result<(), Fail> {
        let bytes = self.globals.iter().chain(&self.stack).map(Value::memory).sum();
        self.kept.set(bytes)?;
        self.stored = 0;
        self.measured_at = MEASURE.max(bytes / 4);
        Ok(())
    }

    /// Looks at the cancel token now and then.
    #[inline]
    pub(super) fn tick(&mut self) -> Result<(), Fail> {
        self.ticks = self.ticks.saturating_add(1);
        if self.ticks >= TICKS {
            self.ticks = 0;
            self.running.check()?;
        }
        Ok(())
    }

    /// As [`Self::tick`], for a step that goes over so many bytes.
    #[inline]
    pub(super) fn tick_for(&mut self, bytes: usize) -> Result<(), Fail> {
        /// So many take about as long as a step.
        const STEP: usize = 8 << 10;
        self.ticks = self.ticks.saturating_add(u32::try_from(bytes / STEP).unwrap_or(u32::MAX));
        self.tick()
    }
}
