//! Sizes as they are shown.

/// What sizes are shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// So many bytes, rounded up, with a suffix.
    Of(u64, &'static str),
    /// The largest unit that fits, of powers of 1000 or 1024.
    Human(u64),
}

impl Unit {
    /// `--block-size=SIZE`: a number, a letter, both; `human-readable` and `si`.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        match text {
            b"human-readable" => return Some(Self::Human(1024)),
            b"si" => return Some(Self::Human(1000)),
            _ => {}
        }
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, letters) = text.split_at_checked(digits)?;
        let (power, name) = match letters {
            b"" => (0, ""),
            b"K" | b"k" => (1, "K"),
            b"M" => (2, "M"),
            b"G" => (3, "G"),
            b"T" => (4, "T"),
            _ => return None,
        };
        let unit = 1024_u64.pow(power);
        if number.is_empty() {
            return (power > 0).then_some(Self::Of(unit, name));
        }
        let number: u64 = std::str::from_utf8(number).ok()?.parse().ok()?;
        Some(Self::Of(number.checked_mul(unit).filter(|unit| *unit > 0)?, ""))
    }

    pub(crate) fn show(self, bytes: u64) -> String {
        match self {
            Self::Of(unit, suffix) => format!("{}{suffix}", bytes.div_ceil(unit)),
            Self::Human(base) => human_of(bytes, base),
        }
    }
}

/// A size with a unit, rounded up: `1.5K`, `12M`.
fn human_of(size: u64, base: u64) -> String {
    const UNITS: [char; 6] = ['K', 'M', 'G', 'T', 'P', 'E'];
    if size < base {
        return size.to_string();
    }
    let base = u128::from(base);
    let mut power = 0;
    let mut unit = base;
    let size = u128::from(size);
    while size >= unit * base && power < 5 {
        unit *= base;
        power += 1;
    }
    loop {
        let letter = match UNITS.get(power) {
            Some('K') if base == 1000 => 'k',
            Some(letter) => *letter,
            None => 'E',
        };
        let tenths = (size * 10).div_ceil(unit);
        if tenths < 100 {
            return format!("{}.{}{letter}", tenths / 10, tenths % 10);
        }
        let whole = size.div_ceil(unit);
        if whole < base || power == 5 {
            return format!("{whole}{letter}");
        }
        unit *= base;
        power += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[test]
    fn sizes_are_rounded_up() {
        let cases: &[(u64, &str)] = &[
            (0, "0"),
            (1023, "1023"),
            (1024, "1.0K"),
            (1025, "1.1K"),
            (10_137, "9.9K"),
            (10_138, "10K"),
            (10_240, "10K"),
            (10_241, "11K"),
            (1_048_575, "1.0M"),
            (1_048_576, "1.0M"),
            (1_572_864, "1.5M"),
            (1_073_741_824, "1.0G"),
        ];
        for (size, text) in cases {
            assert_eq!(Unit::Human(1024).show(*size), *text, "{size}");
        }
    }

    #[test]
    fn units_are_read_as_gnu_reads_them() {
        for (text, size, shown) in [
            ("1", 1500, "1500"),
            ("K", 1500, "2K"),
            ("1K", 1500, "2"),
            ("512", 1500, "3"),
            ("M", 1, "1M"),
            ("si", 1500, "1.5k"),
            ("si", 999, "999"),
            ("human-readable", 1536, "1.5K"),
        ] {
            assert_eq!(Unit::read(text.as_bytes()).map(|unit| unit.show(size)).as_deref(), Some(shown), "{text}");
        }
        for text in ["", "x", "0", "KB", "1KiB", "'1", "-1"] {
            assert_eq!(Unit::read(text.as_bytes()), None, "{text}");
        }
    }
}
