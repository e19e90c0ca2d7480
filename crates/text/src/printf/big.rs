//! Natural numbers of any size: just what exact floating-point conversion needs.

use std::cmp::Ordering;

/// Base 2^32 digits, least first, without zeros at the top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Big(Vec<u32>);

const DECIMAL_CHUNK: u32 = 1_000_000_000;
/// The largest power of five below 2^32, and its exponent.
const FIVE_CHUNK: (u32, u32) = (1_220_703_125, 13);

impl Big {
    pub(super) fn from_u64(value: u64) -> Self {
        // The halves of a 64-bit number.
        let mut big = Self(vec![value as u32, (value >> 32) as u32]);
        big.trim();
        big
    }

    pub(super) fn from_decimal(digits: &[u8]) -> Self {
        let mut big = Self::default();
        for chunk in digits.chunks(9) {
            let value = chunk.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
            big.multiply_add(10_u32.pow(chunk.len() as u32), value);
        }
        big
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn bits(&self) -> usize {
        self.0.last().map_or(0, |top| self.0.len() * 32 - top.leading_zeros() as usize)
    }

    fn multiply_add(&mut self, factor: u32, addend: u32) {
        let mut carry = u64::from(addend);
        for digit in &mut self.0 {
            let value = u64::from(*digit) * u64::from(factor) + carry;
            *digit = value as u32;
            carry = value >> 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    pub(super) fn multiply_by_five_to(&mut self, exponent: u32) {
        let (chunk, step) = FIVE_CHUNK;
        for _ in 0..exponent / step {
            self.multiply_add(chunk, 0);
        }
        self.multiply_add(5_u32.pow(exponent % step), 0);
    }

    pub(super) fn shift_left(&mut self, bits: usize) {
        if self.is_zero() || bits == 0 {
            return;
        }
        let (words, bits) = (bits / 32, bits % 32);
        if bits > 0 {
            let mut carry = 0;
            for digit in &mut self.0 {
                let value = u64::from(*digit) << bits | carry;
                *digit = value as u32;
                carry = value >> 32;
            }
            if carry != 0 {
                self.0.push(carry as u32);
            }
        }
        self.0.splice(0..0, std::iter::repeat_n(0, words));
    }

    fn bit(&self, index: usize) -> bool {
        self.0.get(index / 32).is_some_and(|digit| digit >> (index % 32) & 1 == 1)
    }

    /// The bits from `low` on (64 of them), and whether any bit below is set.
    pub(super) fn window(&self, low: usize) -> (u64, bool) {
        let mut value = 0;
        for index in 0..64 {
            value |= u64::from(self.bit(low + index)) << index;
        }
        let words = low / 32;
        let sticky =
            self.0.iter().take(words).any(|&digit| digit != 0) || (words * 32..low).any(|index| self.bit(index));
        (value, sticky)
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// Takes away a number that is not larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0_i64;
        for (index, digit) in self.0.iter_mut().enumerate() {
            let value = i64::from(*digit) - i64::from(other.0.get(index).copied().unwrap_or(0)) - borrow;
            borrow = i64::from(value < 0);
            *digit = value as u32;
        }
        self.trim();
    }

    /// The first `count` (at most 127) bits of `self / divisor` for `self < divisor`, each step one more binary
    /// place, and whether a remainder is left.
    pub(super) fn fraction_bits(mut self, divisor: &Self, count: usize) -> (u128, bool) {
        let mut bits = 0;
        for _ in 0..count {
            self.shift_left(1);
            bits <<= 1;
            if self.compare(divisor) != Ordering::Less {
                self.subtract(divisor);
                bits |= 1;
            }
        }
        (bits, !self.is_zero())
    }

    /// Decimal digits, without leading zeros; zero is empty.
    pub(super) fn into_decimal(mut self) -> Vec<u8> {
        let mut chunks = Vec::new();
        while !self.is_zero() {
            let mut remainder = 0;
            for digit in self.0.iter_mut().rev() {
                let value = remainder << 32 | u64::from(*digit);
                *digit = (value / u64::from(DECIMAL_CHUNK)) as u32;
                remainder = value % u64::from(DECIMAL_CHUNK);
            }
            self.trim();
            chunks.push(remainder);
        }
        let mut digits = Vec::with_capacity(chunks.len() * 9);
        for (index, mut chunk) in chunks.into_iter().rev().enumerate() {
            let mut text = [b'0'; 9];
            for digit in text.iter_mut().rev() {
                *digit = b'0' + (chunk % 10) as u8;
                chunk /= 10;
            }
            let skip = if index == 0 { text.iter().take_while(|&&digit| digit == b'0').count() } else { 0 };
            digits.extend_from_slice(&text[skip..]);
        }
        digits
    }
}
