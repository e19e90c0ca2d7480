//! Myers' algorithm from both ends.

/// A part of the problem.
struct Part {
    x: (isize, isize),
    y: (isize, isize),
    minimal: bool,
}

pub(super) struct Search<'e> {
    x: &'e [usize],
    y: &'e [usize],
    /// The furthest points per diagonal, forwards and backwards; diagonal `d` is at `d + offset`.
    forward: Vec<isize>,
    backward: Vec<isize>,
    offset: isize,
    too_expensive: usize,
    pub(super) changed: [Vec<usize>; 2],
    stopped: &'e dyn Fn() -> bool,
}

impl<'e> Search<'e> {
    pub(super) fn new(x: &'e [usize], y: &'e [usize], stopped: &'e dyn Fn() -> bool) -> Self {
        let diagonals = x.len() + y.len() + 3;
        let mut too_expensive = 1;
        let mut rest = diagonals;
        while rest > 0 {
            too_expensive <<= 1;
            rest >>= 2;
        }
        Self {
            x,
            y,
            forward: vec![0; diagonals],
            backward: vec![0; diagonals],
            offset: isize::try_from(y.len() + 1).unwrap_or(isize::MAX),
            too_expensive: too_expensive.max(4096),
            changed: [Vec::new(), Vec::new()],
            stopped,
        }
    }

    fn equal(&self, x: isize, y: isize) -> bool {
        let at =
            |classes: &[usize], place: isize| usize::try_from(place).ok().and_then(|place| classes.get(place)).copied();
        at(self.x, x) == at(self.y, y)
    }

    fn at(&self, table: &[isize], diagonal: isize) -> isize {
        usize::try_from(diagonal + self.offset).ok().and_then(|at| table.get(at)).copied().unwrap_or(0)
    }

    fn note(list: &mut Vec<usize>, from: isize, to: isize) {
        list.extend((from..to).filter_map(|at| usize::try_from(at).ok()));
    }

    pub(super) fn run(&mut self, minimal: bool) {
        let length = |classes: &[usize]| isize::try_from(classes.len()).unwrap_or(isize::MAX);
        let mut parts = vec![Part { x: (0, length(self.x)), y: (0, length(self.y)), minimal }];
        while let Some(part) = parts.pop() {
            let ((mut x, mut x_end), (mut y, mut y_end)) = (part.x, part.y);
            while x < x_end && y < y_end && self.equal(x, y) {
                (x, y) = (x + 1, y + 1);
            }
            while x < x_end && y < y_end && self.equal(x_end - 1, y_end - 1) {
                (x_end, y_end) = (x_end - 1, y_end - 1);
            }
            if x == x_end {
                Self::note(&mut self.changed[1], y, y_end);
            } else if y == y_end {
                Self::note(&mut self.changed[0], x, x_end);
            } else {
                let (x_mid, y_mid, low, high) = self.middle((x, x_end), (y, y_end), part.minimal);
                parts.push(Part { x: (x, x_mid), y: (y, y_mid), minimal: low });
                parts.push(Part { x: (x_mid, x_end), y: (y_mid, y_end), minimal: high });
            }
        }
    }

    /// A point on a shortest path, and whether each half must be solved exactly.
    fn middle(
        &mut self,
        x_range: (isize, isize),
        y_range: (isize, isize),
        minimal: bool,
    ) -> (isize, isize, bool, bool) {
        let ((x_start, x_end), (y_start, y_end)) = (x_range, y_range);
        let (d_min, d_max) = (x_start - y_end, x_end - y_start);
        let (f_mid, b_mid) = (x_start - y_start, x_end - y_end);
        let (mut f_min, mut f_max, mut b_min, mut b_max) = (f_mid, f_mid, b_mid, b_mid);
        let odd = (f_mid - b_mid) & 1 != 0;
        let offset = self.offset;
        let put = |table: &mut [isize], diagonal: isize, value: isize| {
            if let Some(entry) = usize::try_from(diagonal + offset).ok().and_then(|at| table.get_mut(at)) {
                *entry = value;
            }
        };
        put(&mut self.forward, f_mid, x_start);
        put(&mut self.backward, b_mid, x_end);
        let mut cost: usize = 0;
        loop {
            cost += 1;
            // A script that was cancelled wants no answer.
            if cost.is_multiple_of(256) && (self.stopped)() {
                return (x_end, y_start, false, false);
            }
            if f_min > d_min {
                f_min -= 1;
                put(&mut self.forward, f_min - 1, -1);
            } else {
                f_min += 1;
            }
            if f_max < d_max {
                f_max += 1;
                put(&mut self.forward, f_max + 1, -1);
            } else {
                f_max -= 1;
            }
            let mut d = f_max;
            while d >= f_min {
                let (low, high) = (self.at(&self.forward, d - 1), self.at(&self.forward, d + 1));
                let mut x = if low < high { high } else { low + 1 };
                let mut y = x - d;
                while x < x_end && y < y_end && self.equal(x, y) {
                    (x, y) = (x + 1, y + 1);
                }
                put(&mut self.forward, d, x);
                if odd && b_min <= d && d <= b_max && self.at(&self.backward, d) <= x {
                    return (x, y, true, true);
                }
                d -= 2;
            }
            if b_min > d_min {
                b_min -= 1;
                put(&mut self.backward, b_min - 1, isize::MAX);
            } else {
                b_min += 1;
            }
            if b_max < d_max {
                b_max += 1;
                put(&mut self.backward, b_max + 1, isize::MAX);
            } else {
                b_max -= 1;
            }
            let mut d = b_max;
            while d >= b_min {
                let (low, high) = (self.at(&self.backward, d - 1), self.at(&self.backward, d + 1));
                let mut x = if low < high { low } else { high - 1 };
                let mut y = x - d;
                while x_start < x && y_start < y && self.equal(x - 1, y - 1) {
                    (x, y) = (x - 1, y - 1);
                }
                put(&mut self.backward, d, x);
                if !odd && f_min <= d && d <= f_max && x <= self.at(&self.forward, d) {
                    return (x, y, true, true);
                }
                d -= 2;
            }
            if !minimal && cost >= self.too_expensive {
                return self.half_way(x_range, y_range, (f_min, f_max), (b_min, b_max));
            }
        }
    }

    /// The better of the best points so far.
    fn half_way(
        &self,
        (x_start, x_end): (isize, isize),
        (y_start, y_end): (isize, isize),
        (f_min, f_max): (isize, isize),
        (b_min, b_max): (isize, isize),
    ) -> (isize, isize, bool, bool) {
        let (mut f_best, mut fx_best) = (-1, x_start);
        let mut d = f_max;
        while d >= f_min {
            let mut x = self.at(&self.forward, d).min(x_end);
            let mut y = x - d;
            if y_end < y {
                (x, y) = (y_end + d, y_end);
            }
            if f_best < x + y {
                (f_best, fx_best) = (x + y, x);
            }
            d -= 2;
        }
        let (mut b_best, mut bx_best) = (isize::MAX, x_end);
        let mut d = b_max;
        while d >= b_min {
            let mut x = self.at(&self.backward, d).max(x_start);
            let mut y = x - d;
            if y < y_start {
                (x, y) = (y_start + d, y_start);
            }
            if x + y < b_best {
                (b_best, bx_best) = (x + y, x);
            }
            d -= 2;
        }
        if (x_end + y_end) - b_best < f_best - (x_start + y_start) {
            (fx_best, f_best - fx_best, true, false)
        } else {
            (bx_best, b_best - bx_best, false, true)
        }
    }
}
