//! The generator after `RANDOM`: bash 5.2's, so that a seed gives the same numbers here.

/// The state of the generator, and whose it is.
///
/// A subshell draws numbers of its own (bash seeds anew at the first use in a subshell), unless it assigns `RANDOM`
/// itself: what its parent would draw next stays the parent's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Generator {
    state: u32,
    /// The shell that the state was made for: its number in the run.
    owner: u32,
    last: u32,
}

impl Generator {
    /// A generator with a start that differs between runs.
    pub(crate) fn new(owner: u32) -> Self {
        Self { state: fresh_seed(owner), owner, last: 0 }
    }

    /// `RANDOM=seed` in the shell with this number.
    pub(crate) fn assign(&mut self, seed: u32, owner: u32) {
        *self = Self { state: seed, owner, last: 0 };
    }

    /// The next number, 15 bits, for the shell with this number; never the one before again.
    ///
    /// `upper_half`: both halves of the state are mixed, as since bash 5.1.
    pub(crate) fn next(&mut self, owner: u32, upper_half: bool) -> u32 {
        if self.owner != owner {
            self.assign(fresh_seed(owner), owner);
        }
        loop {
            let number = self.step(upper_half);
            if number != self.last {
                self.last = number;
                return number;
            }
        }
    }

    /// A step of the minimal standard generator of Park and Miller, by Schrage's method.
    fn step(&mut self, upper_half: bool) -> u32 {
        let state = if self.state == 0 { 123_459_876 } else { i64::from(self.state as i32) };
        let (high, low) = (state / 127_773, state % 127_773);
        let next = 16_807 * low - 2_836 * high;
        // C's 32 bits: what does not fit wraps around.
        let next = next as i32;
        self.state = (if next < 0 { next.wrapping_add(0x7fff_ffff) } else { next }) as u32;
        let upper = if upper_half { self.state >> 16 } else { 0 };
        (upper ^ self.state & 0xffff) & 0x7fff
    }
}

/// A number that differs between runs.
fn seed() -> u32 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.subsec_nanos().rotate_left(7) ^ u32::try_from(now.as_secs() & 0xffff_ffff).unwrap_or(0)
}

/// A number that differs between runs, and between the shells of one run. Subshells that start within one tick of the clock
/// differ by their numbers, which are consecutive: they are spread over all bits, or their first draws would be alike.
fn fresh_seed(owner: u32) -> u32 {
    seed() ^ owner.wrapping_mul(0x9e37_79b9).rotate_left(13)
}

#[cfg(test)]
mod tests {
    use super::Generator;

    #[test]
    fn a_seed_gives_the_numbers_of_bash() {
        let mut generator = Generator::new(1);
        generator.assign(42, 1);
        // bash 5.2: RANDOM=42; echo $RANDOM $RANDOM $RANDOM
        assert_eq!([generator.next(1, true), generator.next(1, true), generator.next(1, true)], [17772, 26794, 1435]);
    }

    #[test]
    fn another_shell_draws_its_own_numbers() {
        let mut parent = Generator::new(1);
        parent.assign(42, 1);
        let mut draws: Vec<Vec<u32>> = (1..=8)
            .map(|owner| {
                let mut generator = parent;
                (0..4).map(|_| generator.next(owner, true)).collect()
            })
            .collect();
        draws.sort();
        draws.dedup();
        assert_eq!(draws.len(), 8, "each of eight shells its own");
    }

    #[test]
    fn no_number_twice_in_a_row() {
        let mut generator = Generator::new(1);
        let mut last = u32::MAX;
        for _ in 0..200_000 {
            let number = generator.next(1, true);
            assert_ne!(number, last);
            last = number;
        }
    }
}
