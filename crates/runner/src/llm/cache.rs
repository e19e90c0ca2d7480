//! Decisions that are given again for the same input.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use hookshell_process::sync::lock;

use super::answer::Ruling;

/// An input longer than this is not kept: a cache is for what comes often.
const LONGEST_KEY: usize = 64 * 1024;

/// Decisions by hook, model and input. Failures are not kept.
pub(crate) struct DecisionCache {
    entries: usize,
    max_age: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rulings: HashMap<String, (Instant, Ruling)>,
    /// The keys, the oldest first.
    order: VecDeque<String>,
}

impl Default for DecisionCache {
    fn default() -> Self {
        Self::new(256, Duration::from_secs(300))
    }
}

impl DecisionCache {
    /// A cache for this many decisions, each for this long.
    pub(crate) fn new(entries: usize, max_age: Duration) -> Self {
        Self { entries, max_age, state: Mutex::default() }
    }

    /// The decision that is kept for an input.
    pub(crate) fn get(&self, key: &str, now: Instant) -> Option<Ruling> {
        let state = lock(&self.state);
        let (since, ruling) = state.rulings.get(key)?;
        (now.saturating_duration_since(*since) < self.max_age).then(|| ruling.clone())
    }

    /// Keeps a decision.
    pub(crate) fn put(&self, key: String, ruling: Ruling, now: Instant) {
        if self.entries == 0 || key.len() > LONGEST_KEY {
            return;
        }
        let mut state = lock(&self.state);
        if state.rulings.insert(key.clone(), (now, ruling)).is_some() {
            state.order.retain(|other| *other != key);
        }
        state.order.push_back(key);
        while state.order.len() > self.entries {
            if let Some(oldest) = state.order.pop_front() {
                state.rulings.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{DecisionCache, LONGEST_KEY};
    use crate::llm::answer::Ruling;

    #[test]
    fn decisions_are_kept_for_a_time_and_the_oldest_gives_way() {
        let cache = DecisionCache::new(2, Duration::from_secs(10));
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let ruling = |allow| Ruling { allow, reason: None, note: None };
        let known = |key: &str, now| cache.get(key, now).map(|ruling| ruling.allow);
        cache.put("a".to_owned(), ruling(true), start);
        cache.put("b".to_owned(), ruling(false), start);
        assert_eq!((known("a", at(9)), known("b", at(9)), known("c", at(9))), (Some(true), Some(false), None));
        assert_eq!(known("a", at(10)), None);
        cache.put("a".to_owned(), ruling(true), at(10));
        cache.put("c".to_owned(), ruling(true), at(10));
        assert_eq!((known("a", at(11)), known("b", start), known("c", at(11))), (Some(true), None, Some(true)));
        cache.put("x".repeat(LONGEST_KEY + 1), ruling(true), at(10));
        assert_eq!(known("a", at(11)), Some(true));
    }
}
