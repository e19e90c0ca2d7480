//! Sets of characters.

use crate::case::push_cases;
use crate::text::{Encoding, INVALID};

/// A set of characters: sorted, disjoint, inclusive ranges, and a table for ASCII.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CharClass {
    ranges: Vec<(u32, u32)>,
    ascii: u128,
}

impl CharClass {
    pub(crate) fn from_ranges(ranges: &[(u32, u32)]) -> Self {
        let mut class = Self::default();
        class.extend(ranges);
        class.normalize();
        class
    }

    /// Every character.
    pub(crate) fn all(encoding: Encoding) -> Self {
        Self::from_ranges(&[(0, encoding.last())])
    }

    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Adds characters; [`CharClass::normalize`] follows at the end.
    pub(crate) fn extend(&mut self, ranges: &[(u32, u32)]) {
        self.ranges.extend_from_slice(ranges);
    }

    /// Sorts and joins the ranges.
    pub(crate) fn normalize(&mut self) {
        self.ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(self.ranges.len());
        for &(start, end) in &self.ranges {
            match joined.last_mut() {
                Some(last) if start <= last.1.saturating_add(1) => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        self.ranges = joined;
        self.ascii = 0;
        for unit in 0..128 {
            if in_ranges(&self.ranges, unit) {
                self.ascii |= 1 << unit;
            }
        }
    }

    #[inline]
    pub(crate) fn contains(&self, unit: u32) -> bool {
        if unit < 128 { self.ascii >> unit & 1 == 1 } else { in_ranges(&self.ranges, unit) }
    }

    /// All characters that are not in it.
    pub(crate) fn complement(&mut self, encoding: Encoding) {
        let mut rest = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = 0;
        for &(start, end) in self.ranges.iter().filter(|range| range.0 < INVALID) {
            if start > next {
                rest.push((next, start - 1));
            }
            next = end.saturating_add(1);
        }
        if next <= encoding.last() {
            rest.push((next, encoding.last()));
        }
        self.ranges = rest;
        self.normalize();
    }

    /// Takes characters out.
    pub(crate) fn subtract(&mut self, other: &Self) {
        let mut rest = Vec::with_capacity(self.ranges.len());
        for &(start, end) in &self.ranges {
            let mut next = start;
            for &(from, to) in other.ranges.iter().filter(|range| range.1 >= start && range.0 <= end) {
                if from > next {
                    rest.push((next, from - 1));
                }
                next = next.max(to.saturating_add(1));
            }
            if next <= end {
                rest.push((next, end));
            }
        }
        self.ranges = rest;
        self.normalize();
    }

    /// Takes one character out.
    pub(crate) fn remove(&mut self, unit: u32) {
        if self.contains(unit) {
            self.subtract(&Self::from_ranges(&[(unit, unit)]));
        }
    }

    /// Adds every character that differs only in case.
    pub(crate) fn fold(&mut self, encoding: Encoding) {
        let mut more = Vec::new();
        for &(start, end) in &self.ranges {
            for unit in start..=end.min(start.saturating_add(0x3000)).min(encoding.last()) {
                push_cases(unit, encoding, &mut more);
            }
        }
        self.ranges.extend(more.into_iter().map(|unit| (unit, unit)));
        self.normalize();
    }

    /// Has it a character that is not ASCII?
    pub(crate) fn is_wide(&self) -> bool {
        self.ranges.last().is_some_and(|range| range.1 >= 128)
    }
}

/// Binary search in sorted ranges.
pub(crate) fn in_ranges(ranges: &[(u32, u32)], unit: u32) -> bool {
    let at = ranges.partition_point(|&(_, end)| end < unit);
    ranges.get(at).is_some_and(|&(start, _)| start <= unit)
}

#[cfg(test)]
mod tests {
    use super::CharClass;
    use crate::text::Encoding;

    #[test]
    fn sets_are_joined_and_complemented() {
        let mut class = CharClass::from_ranges(&[(0x62, 0x63), (0x61, 0x61), (0x70, 0x7a)]);
        assert_eq!(class.ranges(), &[(0x61, 0x63), (0x70, 0x7a)]);
        class.remove(0x71);
        assert_eq!(class.ranges(), &[(0x61, 0x63), (0x70, 0x70), (0x72, 0x7a)]);
        class.complement(Encoding::Bytes);
        assert_eq!(class.ranges(), &[(0, 0x60), (0x64, 0x6f), (0x71, 0x71), (0x7b, 0xff)]);
        let mut class = CharClass::from_ranges(&[(0x61, 0x62)]);
        class.fold(Encoding::Utf8);
        assert_eq!(class.ranges(), &[(0x41, 0x42), (0x61, 0x62)]);
    }
}
