//! Where a hunk belongs, as GNU's `locate_hunk` has it.

use super::hunks::Hunk;

/// The lines of a file while hunks are applied to it.
pub(super) struct Target<'a> {
    pub(super) lines: Vec<&'a [u8]>,
    /// The lines before this are done: hunks come in order.
    pub(super) frozen: usize,
    /// How far the last hunk was from where it should be.
    pub(super) offset: isize,
}

impl Target<'_> {
    /// The line, from 1, at which the hunk is applied with so much fuzz.
    pub(super) fn locate(&mut self, hunk: &Hunk, fuzz: usize) -> Option<usize> {
        let signed = |number: usize| isize::try_from(number).unwrap_or(isize::MAX).min(isize::MAX / 4);
        let pattern = hunk.side(b'-');
        let first_guess = signed(hunk.old_first) + self.offset;
        if pattern.is_empty() {
            return usize::try_from(first_guess)
                .ok()
                .filter(|first| (self.frozen + 1..=self.lines.len() + 1).contains(first));
        }
        let (count, total) = (signed(pattern.len()), signed(self.lines.len()));
        let (prefix, suffix) = hunk.context();
        let context = signed(prefix.max(suffix));
        let mut prefix_fuzz = signed(fuzz) + signed(prefix) - context;
        let suffix_fuzz = signed(fuzz) + signed(suffix) - context;
        let frozen = signed(self.frozen);
        let max_where = total - (count - suffix_fuzz) + 1;
        let min_where = frozen + 1;
        let max_up = max_where - first_guess;
        let mut max_down = first_guess - min_where;
        let longest = max_up.max(max_down);
        if first_guess <= max_down {
            max_down = first_guess - 1;
        }
        let matches = |at: isize, prefix: isize, suffix: isize| self.matches(&pattern, at, prefix, suffix);
        let found = if prefix_fuzz < 0 && hunk.old_first <= 1 {
            // Only at the beginning of the file, or all of it.
            let is_all = suffix_fuzz >= 0 || (count == total && signed(prefix) >= frozen);
            let is_there = is_all && frozen <= signed(prefix) && 1 <= max_where && matches(1, 0, suffix_fuzz.max(0));
            is_there.then_some(1)
        } else {
            prefix_fuzz = prefix_fuzz.max(0);
            if suffix_fuzz < 0 {
                // Only at its end.
                let at = total - count + 1;
                (first_guess - at <= max_down && matches(at, prefix_fuzz, 0)).then_some(at)
            } else {
                let nearest = if max_up < 0 {
                    first_guess - max_where
                } else if max_down < 0 {
                    first_guess - min_where
                } else {
                    0
                };
                (nearest.max(0)..=longest).find_map(|distance| {
                    let up = (distance <= max_up && matches(first_guess + distance, prefix_fuzz, suffix_fuzz))
                        .then_some(first_guess + distance);
                    up.or_else(|| {
                        (distance <= max_down && matches(first_guess - distance, prefix_fuzz, suffix_fuzz))
                            .then_some(first_guess - distance)
                    })
                })
            }
        }?;
        self.offset += found - first_guess;
        usize::try_from(found).ok()
    }

    /// Are the lines of the pattern, without some at both ends, in the file?
    fn matches(&self, pattern: &[&[u8]], at: isize, prefix: isize, suffix: isize) -> bool {
        let (Ok(at), Ok(prefix), Ok(suffix)) =
            (usize::try_from(at - 1), usize::try_from(prefix), usize::try_from(suffix))
        else {
            return false;
        };
        let end = pattern.len().saturating_sub(suffix);
        let Some(wanted) = pattern.get(prefix.min(end)..end) else { return false };
        self.lines.get(at + prefix..at + prefix + wanted.len()).is_some_and(|lines| lines == wanted)
    }
}
