//! Which sessions are ended while events of theirs run.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::place::SESSIONS;

/// How often each session's end was asked for, and answered. An event whose session ended meanwhile is cancelled, and no other.
#[derive(Default)]
pub(super) struct SessionEnds {
    asked: [AtomicUsize; SESSIONS.len()],
    answered: [AtomicUsize; SESSIONS.len()],
}

impl SessionEnds {
    /// The end of a session is about to be asked for; it was answered when what this gives is dropped.
    pub(super) fn ask(&self, session: &Value) -> impl Drop {
        let at = index(session);
        self.asked[at].fetch_add(1, Ordering::SeqCst);
        Answered(&self.answered[at])
    }

    /// What an event of the session begins with, before it is sent.
    pub(super) fn before(&self, session: &Value) -> Before {
        let at = index(session);
        // First what is answered: an end that is asked for between the two counts as one that is under way.
        let answered = self.answered[at].load(Ordering::SeqCst);
        Before { at, answered }
    }

    /// Could an end of the session have met the event?
    pub(super) fn may_have_met(&self, before: &Before) -> bool {
        self.asked[before.at].load(Ordering::SeqCst) > before.answered
    }
}

/// What was seen of a session's ends before an event.
pub(super) struct Before {
    at: usize,
    answered: usize,
}

struct Answered<'c>(&'c AtomicUsize);

impl Drop for Answered<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn index(session: &Value) -> usize {
    SESSIONS.iter().position(|name| session == *name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::SessionEnds;

    #[test]
    fn only_an_end_that_was_under_way_or_came_later_has_met_an_event() {
        let ends = SessionEnds::default();
        let (first, second) = (json!("s1"), json!("s2"));
        drop(ends.ask(&first));
        let before = ends.before(&first);
        assert!(!ends.may_have_met(&before));
        let asked = ends.ask(&second);
        assert!(!ends.may_have_met(&before) && ends.may_have_met(&ends.before(&second)));
        drop(asked);
        assert!(!ends.may_have_met(&ends.before(&second)));
        drop(ends.ask(&first));
        assert!(ends.may_have_met(&before) && !ends.may_have_met(&ends.before(&first)));
    }
}
