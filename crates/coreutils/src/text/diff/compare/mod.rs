//! The comparison of GNU diff 3.8: which lines are deleted and inserted. The steps and their order are its own, so that
//! the result is, too: lines that match nothing (or too much) are set aside, the rest is compared by Myers' algorithm from
//! both ends, and runs of changes are moved as far down as they go.

mod search;

use self::search::Search;

/// A run of changed lines: where it stands in each file, and how many lines it has there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) lines: [usize; 2],
    pub(super) deleted: usize,
    pub(super) inserted: usize,
    /// Nothing but blank lines, which are ignored.
    pub(super) ignored: bool,
}

/// A file as the comparison sees it.
struct File<'e> {
    /// The class of each line; equal lines have the same.
    classes: &'e [usize],
    /// Is it changed? With one element before and one after all lines, always `false`.
    changed: Vec<bool>,
    /// Those that take part, and where they stand.
    kept: Vec<usize>,
    places: Vec<usize>,
}

impl File<'_> {
    fn class(&self, at: isize) -> Option<usize> {
        usize::try_from(at).ok().and_then(|at| self.classes.get(at)).copied()
    }
}

/// Is the line at `at` changed? -1 and the one after the last line are not.
fn is_changed(changed: &[bool], at: isize) -> bool {
    usize::try_from(at + 1).ok().and_then(|at| changed.get(at)).copied().unwrap_or(false)
}

fn set(changed: &mut [bool], at: isize, value: bool) {
    if let Some(entry) = usize::try_from(at + 1).ok().and_then(|at| changed.get_mut(at)) {
        *entry = value;
    }
}

/// Compares lines by their classes; `minimal` sets none aside and never gives up; `stopped` is asked now and then, and gives up.
pub(super) fn compare(left: &[usize], right: &[usize], minimal: bool, stopped: &dyn Fn() -> bool) -> Vec<Change> {
    let file = |classes| File { classes, changed: Vec::new(), kept: Vec::new(), places: Vec::new() };
    let (mut left, mut right) = (file(left), file(right));
    set_aside(&mut left, &mut right, minimal);
    let mut search = Search::new(&left.kept, &right.kept, stopped);
    search.run(minimal);
    let [deleted, inserted] = search.changed;
    for (file, found) in [(&mut left, &deleted), (&mut right, &inserted)] {
        for at in found {
            if let Some(place) = file.places.get(*at).copied().and_then(|place| file.changed.get_mut(place + 1)) {
                *place = true;
            }
        }
    }
    shift(&mut left, &mut right);
    shift(&mut right, &mut left);
    script(&left, &right)
}

/// Sets aside lines that match no line of the other file, and those that match many within runs of such.
fn set_aside<'e>(left: &mut File<'e>, right: &mut File<'e>, minimal: bool) {
    let classes = left.classes.iter().chain(right.classes).max().map_or(0, |class| class + 1);
    let counts = |file: &File<'_>| {
        let mut counts = vec![0_usize; classes];
        for class in file.classes {
            if let Some(count) = counts.get_mut(*class) {
                *count += 1;
            }
        }
        counts
    };
    let (left_counts, right_counts) = (counts(left), counts(right));
    for (file, others) in [(left, right_counts), (right, left_counts)] {
        let end = file.classes.len();
        let mut many = 5;
        let mut rest = end / 64;
        loop {
            rest >>= 2;
            if rest == 0 {
                break;
            }
            many *= 2;
        }
        // 1: matches nothing; 2: perhaps.
        let mut discards: Vec<u8> = file
            .classes
            .iter()
            .map(|class| match others.get(*class).copied().unwrap_or(0) {
                0 => 1,
                count if count > many => 2,
                _ => 0,
            })
            .collect();
        settle(&mut discards);
        file.changed = vec![false; end + 2];
        for (at, (class, discard)) in file.classes.iter().zip(&discards).enumerate() {
            if minimal || *discard == 0 {
                file.kept.push(*class);
                file.places.push(at);
            } else if let Some(entry) = file.changed.get_mut(at + 1) {
                *entry = true;
            }
        }
    }
}

/// Keeps provisional discards only in the middle of runs of discards, and not too many of them.
fn settle(discards: &mut [u8]) {
    fn get(discards: &[u8], at: usize) -> u8 {
        discards.get(at).copied().unwrap_or(0)
    }
    fn cancel(discards: &mut [u8], at: usize) {
        if let Some(entry) = discards.get_mut(at) {
            *entry = 0;
        }
    }
    let mut i = 0;
    while i < discards.len() {
        match get(discards, i) {
            2 => cancel(discards, i),
            1 => {
                let mut j = i;
                let mut provisional = 0;
                while j < discards.len() && get(discards, j) != 0 {
                    provisional += usize::from(get(discards, j) == 2);
                    j += 1;
                }
                while j > i && get(discards, j - 1) == 2 {
                    j -= 1;
                    cancel(discards, j);
                    provisional -= 1;
                }
                let length = j - i;
                if provisional * 4 > length {
                    while j > i {
                        j -= 1;
                        if get(discards, j) == 2 {
                            cancel(discards, j);
                        }
                    }
                } else {
                    // About the square root of a quarter of the length.
                    let mut minimum = 1;
                    let mut rest = length >> 2;
                    loop {
                        rest >>= 2;
                        if rest == 0 {
                            break;
                        }
                        minimum <<= 1;
                    }
                    minimum += 1;
                    let mut j = 0;
                    let mut run = 0;
                    while j < length {
                        if get(discards, i + j) == 2 {
                            run += 1;
                            if run == minimum {
                                // Back to the start of the run, to cancel all of it.
                                j = (j + 1).wrapping_sub(run);
                                continue;
                            }
                            if run > minimum {
                                cancel(discards, i + j);
                            }
                        } else {
                            run = 0;
                        }
                        j += 1;
                    }
                    let mut trim = |place: &dyn Fn(usize) -> usize| {
                        let mut run = 0;
                        for j in 0..length {
                            let at = place(j);
                            match get(discards, at) {
                                1 if j >= 8 => break,
                                1 => run += 1,
                                2 => {
                                    run = 0;
                                    cancel(discards, at);
                                }
                                _ => run = 0,
                            }
                            if run == 3 {
                                break;
                            }
                        }
                    };
                    trim(&|j| i + j);
                    let last = i + length - 1;
                    trim(&|j| last - j);
                    i = last;
                }
            }
            _ => {}
        }
        i += 1;
    }
}

/// Moves runs of changes back and forth, so that they merge, and then as far down as they go.
fn shift(file: &mut File<'_>, other: &mut File<'_>) {
    let end = isize::try_from(file.classes.len()).unwrap_or(isize::MAX);
    let other = &other.changed;
    let (mut i, mut j) = (0, 0);
    loop {
        while i < end && !is_changed(&file.changed, i) {
            while is_changed(other, j) {
                j += 1;
            }
            j += 1;
            i += 1;
        }
        if i == end {
            return;
        }
        let mut start = i;
        i += 1;
        while is_changed(&file.changed, i) {
            i += 1;
        }
        while is_changed(other, j) {
            j += 1;
        }
        let mut corresponding;
        loop {
            let length = i - start;
            while start > 0 && file.class(start - 1) == file.class(i - 1) {
                start -= 1;
                set(&mut file.changed, start, true);
                i -= 1;
                set(&mut file.changed, i, false);
                while is_changed(&file.changed, start - 1) {
                    start -= 1;
                }
                j -= 1;
                while is_changed(other, j) {
                    j -= 1;
                }
            }
            corresponding = if is_changed(other, j - 1) { i } else { end };
            while i != end && file.class(start) == file.class(i) {
                set(&mut file.changed, start, false);
                start += 1;
                set(&mut file.changed, i, true);
                i += 1;
                while is_changed(&file.changed, i) {
                    i += 1;
                }
                j += 1;
                while is_changed(other, j) {
                    corresponding = i;
                    j += 1;
                }
            }
            if length == i - start {
                break;
            }
        }
        while corresponding < i {
            start -= 1;
            set(&mut file.changed, start, true);
            i -= 1;
            set(&mut file.changed, i, false);
            j -= 1;
            while is_changed(other, j) {
                j -= 1;
            }
        }
    }
}

fn script(left: &File<'_>, right: &File<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    let (mut i, mut j) = (0_usize, 0_usize);
    let changed = |file: &File<'_>, at: usize| file.changed.get(at + 1).copied().unwrap_or(false);
    while i < left.classes.len() || j < right.classes.len() {
        let start = [i, j];
        while changed(left, i) {
            i += 1;
        }
        while changed(right, j) {
            j += 1;
        }
        if start != [i, j] {
            changes.push(Change { lines: start, deleted: i - start[0], inserted: j - start[1], ignored: false });
        }
        i += 1;
        j += 1;
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::compare;

    fn changes(left: &str, right: &str) -> Vec<(usize, usize, usize, usize)> {
        let classes = |text: &str| text.bytes().map(usize::from).collect::<Vec<_>>();
        compare(&classes(left), &classes(right), false, &|| false)
            .iter()
            .map(|change| (change.lines[0], change.deleted, change.lines[1], change.inserted))
            .collect()
    }

    #[test]
    fn changes_are_found_and_moved_down() {
        assert_eq!(changes("", ""), []);
        assert_eq!(changes("abc", "abc"), []);
        assert_eq!(changes("abc", "axc"), [(1, 1, 1, 1)]);
        assert_eq!(changes("ab", "abab"), [(2, 0, 2, 2)]);
        assert_eq!(changes("aab", "ab"), [(1, 1, 1, 0)]);
        assert_eq!(changes("abc", ""), [(0, 3, 0, 0)]);
    }
}
