//! Places within a string of a config file.

use crate::config::Place;

/// Where the byte `offset` of a JSON string's value stands in the file. `raw` is the string as it is written, quotes
/// included, and `start` the place of its opening quote. (JSON strings hold no newline.)
pub(super) fn place_in_string(start: &Place, raw: &str, offset: usize) -> Place {
    let mut column = start.column + 1;
    let mut decoded = 0;
    let mut characters = raw.chars().skip(1);
    while decoded < offset {
        let Some(character) = characters.next() else { break };
        let (written, bytes) = match character {
            '\\' => match characters.next() {
                Some('u') => {
                    let digits: String = characters.by_ref().take(4).collect();
                    match u32::from_str_radix(&digits, 16).unwrap_or_default() {
                        // A pair of surrogates is one character of four bytes: each half counts for two.
                        0xd800..=0xdfff => (6, 2),
                        code => (6, char::from_u32(code).map_or(3, char::len_utf8)),
                    }
                }
                _ => (2, 1),
            },
            other => (1, other.len_utf8()),
        };
        column += written;
        decoded += bytes;
    }
    Place { file: start.file.clone(), line: start.line, column }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::place_in_string;
    use crate::config::Place;

    #[test]
    fn escapes_are_counted_as_they_are_written() {
        let start = Place { file: Path::new("c").into(), line: 3, column: 10 };
        let cases = [
            (r#""abc""#, 0, 11),
            (r#""abc""#, 2, 13),
            (r#""a\"b""#, 2, 14),
            (r#""é\nx""#, 3, 14),
            (r#""\u00e9x""#, 2, 17),
            (r#""\ud83d\ude00x""#, 4, 23),
            (r#""ab""#, 9, 14),
        ];
        for (raw, offset, column) in cases {
            let place = place_in_string(&start, raw, offset);
            assert_eq!((place.line, place.column), (3, column), "{raw} {offset}");
        }
    }
}
