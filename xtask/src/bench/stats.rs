//! Medians and ratios of run times.

use std::time::Duration;

/// The times of one contestant at one workload, never empty.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    sorted: Vec<Duration>,
}

impl Times {
    /// `None` without a single time.
    pub(crate) fn new(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        (!times.is_empty()).then_some(Self { sorted: times })
    }

    /// The middle time; of an even number the mean of the two in the middle.
    pub(crate) fn median(&self) -> Duration {
        let middle = self.sorted.len() / 2;
        let upper = self.at(middle);
        if self.sorted.len() % 2 == 1 { upper } else { (self.at(middle - 1) + upper) / 2 }
    }

    /// The shortest time.
    pub(crate) fn min(&self) -> Duration {
        self.at(0)
    }

    /// The longest time.
    pub(crate) fn max(&self) -> Duration {
        self.at(self.sorted.len() - 1)
    }

    fn at(&self, index: usize) -> Duration {
        self.sorted.get(index).copied().unwrap_or_default()
    }
}

/// How many times faster `ours` is than `theirs`, by the medians.
pub(crate) fn speed_up(ours: &Times, theirs: &Times) -> f64 {
    theirs.median().as_secs_f64() / ours.median().as_secs_f64().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(milliseconds: &[u64]) -> Times {
        Times::new(milliseconds.iter().copied().map(Duration::from_millis).collect()).unwrap()
    }

    #[test]
    fn the_median_is_the_middle_of_the_sorted_times() {
        let cases: [(&[u64], u64); 5] =
            [(&[7], 7), (&[9, 1, 5], 5), (&[4, 2], 3), (&[100, 1, 2, 3], 2), (&[5, 5, 900, 5, 1], 5)];
        for (input, expected) in cases {
            let found = times(input).median().as_micros() / 1000;
            assert_eq!(found, u128::from(expected), "{input:?}");
        }
        assert_eq!(times(&[100, 1, 2, 3]).median(), Duration::from_micros(2500));
        assert_eq!(times(&[9, 1, 5]).min(), Duration::from_millis(1));
        assert_eq!(times(&[9, 1, 5]).max(), Duration::from_millis(9));
        assert!(Times::new(Vec::new()).is_none());
    }

    #[test]
    fn the_speed_up_is_theirs_over_ours() {
        assert_eq!(speed_up(&times(&[10]), &times(&[25])), 2.5);
        assert_eq!(speed_up(&times(&[40, 40, 1]), &times(&[10])), 0.25);
        assert_eq!(speed_up(&times(&[10, 30]), &times(&[20])), 1.0);
    }
}
