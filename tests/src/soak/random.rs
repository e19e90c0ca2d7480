//! The random numbers of a soak: the same seed chooses the same hooks and faults.

/// xorshift64*, by Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled" (2016).
#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub(super) fn new(seed: u64) -> Self {
        // splitmix64's finalizer: neighbouring seeds must not give neighbouring states, and 0 is no state.
        let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((state ^ (state >> 31)) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`, which is not 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        usize::try_from((self.next() >> 16) % limit).unwrap_or(0)
    }

    /// True once in `times`.
    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of them; `None` of none.
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Brings them into a random order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}
