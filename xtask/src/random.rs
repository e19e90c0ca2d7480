//! The random numbers of the generator: the same seed gives the same programs on every machine and in every release.

/// xorshift64*, by Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled" (2016).
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of program `index` of a run with this seed.
    pub(crate) fn new(seed: u64, index: u64) -> Self {
        // splitmix64's finalizer: neighbouring indices must not give neighbouring states, and 0 is no state.
        let mut state = seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(1);
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
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        // The bias of the remainder is far below what a fuzzer could notice.
        usize::try_from((self.next() >> 16) % limit).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut random = Random::new(7, 3);
        let first: Vec<usize> = (0..5).map(|_| random.below(100)).collect();
        let mut random = Random::new(7, 3);
        assert_eq!(first, (0..5).map(|_| random.below(100)).collect::<Vec<_>>());
        let mut random = Random::new(7, 4);
        assert_ne!(first, (0..5).map(|_| random.below(100)).collect::<Vec<_>>());
    }
}
