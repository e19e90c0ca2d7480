//! Floating-point numbers as gnulib's `ftoastr` writes them: with the fewest digits that make the same number again.

/// The bits of a number of 4 or 8 bytes, as C's `%g` shows it.
pub(super) fn shortest(bits: u64, size: usize) -> String {
    match size {
        4 => {
            let number = f32::from_bits(u32::try_from(bits & 0xffff_ffff).unwrap_or(0));
            match number.is_finite() {
                true => general(&format!("{number:e}"), if number.abs() < f32::MIN_POSITIVE { 1 } else { 6 }),
                false => special(number.is_nan(), number.is_sign_negative()),
            }
        }
        _ => {
            let number = f64::from_bits(bits);
            match number.is_finite() {
                true => general(&format!("{number:e}"), if number.abs() < f64::MIN_POSITIVE { 1 } else { 15 }),
                false => special(number.is_nan(), number.is_sign_negative()),
            }
        }
    }
}

fn special(is_nan: bool, is_negative: bool) -> String {
    let name = if is_nan { "nan" } else { "inf" };
    if is_negative { format!("-{name}") } else { name.to_owned() }
}

/// `%g` of the shortest digits in the form `1.5e3`; `least`: the digits that it is asked for at first.
fn general(text: &str, least: i32) -> String {
    let Some((mantissa, exponent)) = text.split_once('e') else { return text.to_owned() };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let precision = least.max(i32::try_from(digits.len()).unwrap_or(least));
    if exponent < -4 || exponent >= precision {
        let letter = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{mantissa}e{letter}{:02}", exponent.abs());
    }
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", zeros(-exponent - 1));
    }
    let whole = usize::try_from(exponent + 1).unwrap_or(1);
    match digits.split_at_checked(whole).filter(|(_, fraction)| !fraction.is_empty()) {
        Some((integer, fraction)) => format!("{sign}{integer}.{fraction}"),
        None => {
            let missing = i32::try_from(whole).unwrap_or(0) - i32::try_from(digits.len()).unwrap_or(0);
            format!("{sign}{digits}{}", zeros(missing))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shortest;

    #[test]
    fn numbers_have_as_few_digits_as_they_need() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (123_456.0, "123456"),
            (1e14, "100000000000000"),
            (1e15, "1e+15"),
            (1.5e300, "1.5e+300"),
            (5e-324, "5e-324"),
            (std::f64::consts::PI, "3.141592653589793"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(shortest(number.to_bits(), 8), expected);
        }
        for (number, expected) in [
            (1e5_f32, "100000"),
            (1e6, "1e+06"),
            (1_234_567.0, "1234567"),
            (1e-45, "1e-45"),
            (1.087_589_4e-32, "1.0875894e-32"),
        ] {
            assert_eq!(shortest(number.to_bits().into(), 4), expected);
        }
    }
}
