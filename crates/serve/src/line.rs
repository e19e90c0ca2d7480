//! Lines of input, each with a bound.

use std::io::{self, BufRead};

/// A line of input, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole line.
    Whole(Vec<u8>),
    /// A line that is longer than the bound, and was passed over: what it begins with.
    TooLong(Vec<u8>),
    /// The end of the input.
    End,
}

/// How much is kept of a line that is too long: its `id` is looked for there.
const KEPT: usize = 64 * 1024;

/// Reads the next line of at most `limit` bytes; what follows the last end of a line is a line, too.
///
/// # Errors
/// As the reader says; `Interrupted` is taken up again.
pub(crate) fn read_line(reader: &mut impl BufRead, limit: usize) -> io::Result<Line> {
    let mut line = Vec::new();
    let (mut is_too_long, mut has_any) = (false, false);
    loop {
        let available = match reader.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(match (is_too_long, has_any) {
                (_, false) => Line::End,
                (true, _) => Line::TooLong(line),
                (false, _) => Line::Whole(line),
            });
        }
        has_any = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
        if !is_too_long && line.len() + part.len() <= limit {
            line.extend_from_slice(part);
        } else {
            if !is_too_long {
                is_too_long = true;
                line.extend_from_slice(part.get(..KEPT.min(part.len())).unwrap_or_default());
                line.truncate(KEPT);
                line.shrink_to_fit();
            }
        }
        let consumed = part.len() + usize::from(end.is_some());
        reader.consume(consumed);
        if end.is_some() {
            return Ok(if is_too_long { Line::TooLong(line) } else { Line::Whole(line) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_newlines_and_the_end() {
        let mut input = &b"a\n\nbc"[..];
        let mut next = || read_line(&mut input, 10).unwrap();
        assert_eq!(next(), Line::Whole(b"a".to_vec()));
        assert_eq!(next(), Line::Whole(Vec::new()));
        assert_eq!(next(), Line::Whole(b"bc".to_vec()));
        assert_eq!(next(), Line::End);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let input = b"0123456789\n01234567890\nx\n";
        // However it comes.
        for size in 1..20 {
            let mut reader = io::BufReader::with_capacity(size, &input[..]);
            assert_eq!(read_line(&mut reader, 10).unwrap(), Line::Whole(b"0123456789".to_vec()));
            let Line::TooLong(beginning) = read_line(&mut reader, 10).unwrap() else { panic!("size {size}") };
            assert!(b"01234567890".starts_with(&beginning[..]), "size {size}");
            assert_eq!(read_line(&mut reader, 10).unwrap(), Line::Whole(b"x".to_vec()));
            assert_eq!(read_line(&mut reader, 10).unwrap(), Line::End);
        }
    }
}
