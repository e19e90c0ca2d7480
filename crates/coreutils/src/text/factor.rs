//! `factor`: prime factors.

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::options::parse;
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `factor [NUMBER]…` (GNU's), of numbers below 2^64.
    Factor, "factor"
}

/// A word of the command line or of standard input.
enum Word {
    Number(u64),
    /// Of more than 64 bits.
    Large,
    Invalid,
}

fn word(text: &[u8]) -> Word {
    let digits = text.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Word::Invalid;
    }
    match std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) {
        Some(number) => Word::Number(number),
        None => Word::Large,
    }
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Vec<&'a [u8]>, Unsupported> {
    let parsed = parse(call.argv, &[])?;
    if let Some(text) = parsed.operands.iter().find(|text| matches!(word(text), Word::Large)) {
        return Err(Unsupported::mistake(format!("the number {}", text.escape_ascii())));
    }
    Ok(parsed.operands)
}

fn run(running: &Running<'_>, words: Vec<&[u8]>) -> Result<u8, Failure> {
    let mut out = Output::new(running);
    let mut status = 0;
    if !words.is_empty() {
        for text in words {
            status |= show(&mut out, text)?;
        }
        out.flush()?;
        return Ok(status);
    }
    let mut input = match running.open(b"-")? {
        Ok(source) => Input::new(source),
        Err(error) => {
            running.report_error(b"-", &error)?;
            return Ok(1);
        }
    };
    while let Some(line) = input.text(running, b'\n')? {
        for text in line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|text| !text.is_empty()) {
            status |= show(&mut out, text)?;
        }
    }
    if let Some(error) = &input.error {
        out.report_error(b"error reading input", error)?;
        status = 1;
    }
    out.flush()?;
    Ok(status)
}

fn show(out: &mut Output<'_, '_>, text: &[u8]) -> Result<u8, Failure> {
    out.running().check()?;
    match word(text) {
        Word::Invalid => {
            // What was found is written at the end.
            out.running().message(&[&quote::locale(text)[..], b" is not a valid positive integer"].concat())?;
            Ok(1)
        }
        Word::Large => {
            let text = [&b"hookshell's own factor does not support the number "[..], text].concat();
            out.running().message(&text)?;
            Ok(1)
        }
        Word::Number(number) => {
            out.text(format_args!("{number}:"))?;
            for factor in factors(number) {
                out.text(format_args!(" {factor}"))?;
            }
            out.byte(b'\n')?;
            Ok(0)
        }
    }
}

/// In ascending order.
fn factors(mut number: u64) -> Vec<u64> {
    /// Trial division goes so far.
    const SMALL: u64 = 1000;
    let mut found = Vec::new();
    if number == 0 {
        return found;
    }
    let mut divisor = 2;
    while divisor < SMALL && divisor * divisor <= number {
        while number.is_multiple_of(divisor) {
            found.push(divisor);
            number /= divisor;
        }
        divisor += if divisor == 2 { 1 } else { 2 };
    }
    let mut open = vec![number];
    while let Some(number) = open.pop() {
        if number == 1 {
            continue;
        }
        if is_prime(number) {
            found.push(number);
        } else {
            let factor = a_factor(number);
            open.extend([factor, number / factor]);
        }
    }
    found.sort_unstable();
    found
}

fn multiply(a: u64, b: u64, modulus: u64) -> u64 {
    // Less than the modulus, so it fits.
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

fn power(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut result = 1;
    base %= modulus;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, modulus);
        }
        base = multiply(base, base, modulus);
        exponent >>= 1;
    }
    result
}

/// Miller and Rabin's test with the bases that are enough below 2^64 (Sorenson, Webster 2015).
fn is_prime(number: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if number < 2 {
        return false;
    }
    if let Some(base) = BASES.iter().find(|base| number.is_multiple_of(**base)) {
        return number == *base;
    }
    let twos = (number - 1).trailing_zeros();
    let odd = (number - 1) >> twos;
    BASES.iter().all(|base| {
        let mut x = power(*base, odd, number);
        if x == 1 || x == number - 1 {
            return true;
        }
        (1..twos).any(|_| {
            x = multiply(x, x, number);
            x == number - 1
        })
    })
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A factor of a number that is not prime (Pollard's rho).
fn a_factor(number: u64) -> u64 {
    for addend in 1.. {
        let next = |x: u64| ((u128::from(multiply(x, x, number)) + addend) % u128::from(number)) as u64;
        let (mut slow, mut fast, mut factor) = (2, 2, 1);
        while factor == 1 {
            slow = next(slow);
            fast = next(next(fast));
            factor = greatest_common_divisor(slow.abs_diff(fast), number);
        }
        if factor != number {
            return factor;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::factors;

    #[test]
    fn numbers_are_the_product_of_their_factors() {
        for (number, expected) in [
            (0, &[][..]),
            (1, &[]),
            (2, &[2]),
            (4, &[2, 2]),
            (1_018_081, &[1009, 1009]),
            (18_446_744_073_709_551_615, &[3, 5, 17, 257, 641, 65537, 6_700_417]),
            (18_446_744_073_709_551_557, &[18_446_744_073_709_551_557]),
            (18_446_743_979_220_271_189, &[4_294_967_279, 4_294_967_291]),
        ] {
            assert_eq!(factors(number), expected, "{number}");
        }
    }
}
