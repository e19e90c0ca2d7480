//! Random numbers.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// Numbers that nobody can foresee: the standard library's hash keys come from the system. A copy of this process (a list in
/// the background) continues with keys that its parent and its siblings have too, so that the process's id is a part of them.
pub struct Unforeseen {
    keys: RandomState,
    process: u32,
}

impl Unforeseen {
    /// With new keys.
    #[expect(clippy::new_without_default, reason = "a default would not say that each has other numbers")]
    pub fn new() -> Self {
        Self { keys: RandomState::new(), process: hookshell_process::system::process_id() }
    }

    /// The number at this place.
    pub fn at(&self, place: usize) -> u64 {
        let mut hasher = self.keys.build_hasher();
        hasher.write_u32(self.process);
        hasher.write_usize(place);
        hasher.finish()
    }
}

/// Numbers from a seed (SplitMix64): the same seed gives the same numbers.
#[derive(Debug, Clone)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next of them; every number of 64 bits is as likely as the others.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// One below `end`, which is not 0; each as likely as the others.
    pub fn below(&mut self, end: u64) -> u64 {
        let rest = (u64::MAX % end).wrapping_add(1) % end;
        loop {
            let value = self.next_number();
            if value <= u64::MAX - rest {
                return value % end;
            }
        }
    }

    /// One from 0 to below 1.
    pub fn fraction(&mut self) -> f64 {
        // 53 bits are what a double holds.
        (self.next_number() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
