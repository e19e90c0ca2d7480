//! Numbers as x87's `long double` has them: 64 bits of mantissa, rounded to nearest, ties to even. No infinities: what
//! comes here stays far below 2^1000.

use std::cmp::Ordering;

/// `mantissa × 2^exponent`, negative or not; the top bit of the mantissa is set unless it is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extended {
    pub(super) negative: bool,
    mantissa: u64,
    exponent: i32,
}

impl Extended {
    pub(super) const ZERO: Self = Self { negative: false, mantissa: 0, exponent: 0 };

    /// The nearest number to `value × 2^exponent`.
    fn rounded(negative: bool, value: u128, exponent: i32) -> Self {
        let bits = 128 - value.leading_zeros() as i32;
        if bits == 0 {
            return Self { negative, ..Self::ZERO };
        }
        if bits <= 64 {
            return Self { negative, mantissa: (value << (64 - bits)) as u64, exponent: exponent - (64 - bits) };
        }
        let shift = bits - 64;
        let (mut mantissa, mut exponent) = ((value >> shift) as u64, exponent + shift);
        let low = value & ((1 << shift) - 1);
        let half = 1 << (shift - 1);
        let up = match low.cmp(&half) {
            Ordering::Greater => true,
            Ordering::Equal => mantissa & 1 == 1,
            Ordering::Less => false,
        };
        if up {
            match mantissa.checked_add(1) {
                Some(next) => mantissa = next,
                None => (mantissa, exponent) = (1 << 63, exponent + 1),
            }
        }
        Self { negative, mantissa, exponent }
    }

    pub(super) fn from_integer(value: u64) -> Self {
        Self::rounded(false, u128::from(value), 0)
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0
    }

    pub(super) fn abs(self) -> Self {
        Self { negative: false, ..self }
    }

    pub(super) fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    pub(super) fn times(self, other: Self) -> Self {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Self::rounded(self.negative != other.negative, product, self.exponent + other.exponent)
    }

    /// The divisor is not 0.
    pub(super) fn over(self, other: Self) -> Self {
        // Both have their top bits set: the quotient has 64 bits or 65. Two more, and one that is set where something is
        // left, decide how it is rounded.
        let (value, divisor) = (u128::from(self.mantissa) << 64, u128::from(other.mantissa.max(1)));
        let below = (value % divisor) << 2;
        let quotient = (value / divisor) << 3 | (below / divisor) << 1 | u128::from(below % divisor != 0);
        Self::rounded(self.negative != other.negative, quotient, self.exponent - other.exponent - 67)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let (large, small) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        if small.is_zero() {
            return large;
        }
        if large.is_zero() {
            return small;
        }
        // Two bits of room for the carry; what is shifted out counts as one bit.
        let shift = (large.exponent - small.exponent).unsigned_abs();
        let above = u128::from(large.mantissa) << 62;
        let whole = u128::from(small.mantissa) << 62;
        let (below, lost) = match shift {
            0..126 => (whole >> shift, whole & ((1 << shift) - 1) != 0),
            _ => (0, true),
        };
        let below = below | u128::from(lost);
        let exponent = large.exponent - 62;
        if large.negative == small.negative {
            return Self::rounded(large.negative, above + below, exponent);
        }
        match above.cmp(&below) {
            Ordering::Equal => Self::ZERO,
            Ordering::Greater => Self::rounded(large.negative, above - below, exponent),
            Ordering::Less => Self::rounded(small.negative, below - above, exponent),
        }
    }

    /// By size, whatever the sign.
    pub(super) fn compare_size(self, other: Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // The top bits are set.
            (false, false) => (self.exponent, self.mantissa).cmp(&(other.exponent, other.mantissa)),
        }
    }

    /// The whole part, and whether there is something after it.
    pub(super) fn whole(self) -> (u128, bool) {
        match self.exponent {
            exponent @ 0.. => {
                (u128::from(self.mantissa).checked_shl(exponent.unsigned_abs()).unwrap_or(u128::MAX), false)
            }
            exponent => match u128::from(self.mantissa).checked_shr(exponent.unsigned_abs()) {
                Some(whole) => (whole, whole << exponent.unsigned_abs() != u128::from(self.mantissa)),
                None => (0, self.mantissa != 0),
            },
        }
    }

    /// The whole number of this size.
    pub(super) fn from_whole(negative: bool, whole: u128) -> Self {
        Self::rounded(negative, whole, 0)
    }

    /// As `%.*Lf` writes it, with at most 18 digits after the point.
    pub(super) fn fixed(self, precision: usize) -> String {
        let (mut whole, more) = self.whole();
        let ten = 10_u128.pow(u32::try_from(precision.min(18)).unwrap_or(18));
        let mut digits = 0;
        if more {
            let shift = self.exponent.unsigned_abs();
            let fraction = match shift {
                0..64 => u128::from(self.mantissa) & ((1 << shift) - 1),
                _ => u128::from(self.mantissa),
            };
            let scaled = fraction * ten;
            if shift < 128 {
                digits = scaled >> shift;
                let (low, half) = (scaled & ((1 << shift) - 1), 1 << (shift - 1));
                let is_odd = if ten == 1 { whole & 1 == 1 } else { digits & 1 == 1 };
                if low > half || low == half && is_odd {
                    digits += 1;
                }
            }
            if digits >= ten {
                digits -= ten;
                whole += 1;
            }
        }
        let sign = if self.negative { "-" } else { "" };
        match precision {
            0 => format!("{sign}{whole}"),
            _ => format!("{sign}{whole}.{digits:0precision$}"),
        }
    }

    /// About this number.
    pub(super) fn approximate(self) -> f64 {
        let value = self.mantissa as f64 * 2_f64.powi(self.exponent);
        if self.negative { -value } else { value }
    }
}

#[cfg(test)]
mod tests {
    use super::Extended;

    #[test]
    fn arithmetic_rounds_to_sixty_four_bits() {
        let of = Extended::from_integer;
        assert_eq!(of(1).over(of(3)).times(of(3)), of(1));
        assert_eq!(of(1234).over(of(1000)).times(of(1000)), of(1234));
        assert_eq!(of(11).over(of(10)).times(of(1000)).fixed(0), "1100");
        assert_eq!(of(5).over(of(10)).fixed(0), "0");
        assert_eq!(of(15).over(of(10)).fixed(0), "2");
        assert_eq!(of(1).over(of(10)).fixed(18), "0.100000000000000000");
        assert_eq!(of(1).plus(of(3).negated()).fixed(1), "-2.0");
        assert_eq!(of(999).over(of(1000)).plus(of(1)).fixed(3), "1.999");
        assert_eq!(of(u64::MAX).plus(of(1)).fixed(0), "18446744073709551616");
    }
}
