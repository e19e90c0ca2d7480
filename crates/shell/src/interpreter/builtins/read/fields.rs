//! The fields of a line that `read` assigns.

use std::ops::Range;

use smallvec::SmallVec;

use super::Line;
use crate::ifs::Ifs;

/// Where the fields stand in the line; few lines have more than these.
pub(super) type Fields = SmallVec<[Range<usize>; 4]>;

/// After so many fields it is looked whether the run was told to stop.
const FIELDS_PER_LOOK: usize = 4096;

/// Splits a line into at most `most` fields; the last one takes the rest, without white space of IFS at its end, and
/// without a single separator at its end where the rest is one field (XCU read).
pub(super) fn split(line: &Line, ifs: &Ifs, most: usize, stopped: &dyn Fn() -> bool) -> Fields {
    let text = &line.text;
    let end = text.len();
    // A line without a separator, or nothing but white space before it, is what most lines are.
    if line.protected.is_empty() {
        let begin = text.iter().position(|&byte| !ifs.is_white(byte)).unwrap_or(end);
        if begin < end && ifs.run(&text[begin..]) == end - begin {
            return Fields::from_elem(begin..end, 1);
        }
    }
    // The length of the separator at a place, 0 for none. Places are protected in ascending order.
    let separator = |at: usize| if line.protected.binary_search(&at).is_ok() { 0 } else { ifs.separator(&text[at..]) };
    let white = |at: usize| separator(at) > 0 && ifs.is_white(text[at]);
    let next_separator = |from: usize| {
        let mut at = from + ifs.run(&text[from..]);
        while at < end && separator(at) == 0 {
            at += 1;
            at += ifs.run(&text[at..]);
        }
        at
    };
    let mut fields = Fields::new();
    let mut at = 0;
    while at < end && white(at) {
        at += 1;
    }
    while at < end {
        if fields.len() + 1 == most {
            // What is left: a lone field loses its delimiter, more than one stays as it is.
            let field_end = next_separator(at);
            let mut next = field_end;
            while next < end && white(next) {
                next += 1;
            }
            if next < end && separator(next) > 0 {
                next += separator(next);
                while next < end && white(next) {
                    next += 1;
                }
            }
            let mut stop = if next >= end { field_end } else { end };
            if next < end {
                // As bash: escaped white space at the end of such a rest goes, too. Its first character stays.
                while stop > at + 1 && ifs.is_white(text[stop - 1]) {
                    stop -= 1;
                }
            }
            fields.push(at..stop);
            return fields;
        }
        let field_end = next_separator(at);
        fields.push(at..field_end);
        if fields.len().is_multiple_of(FIELDS_PER_LOOK) && stopped() {
            return fields;
        }
        at = field_end;
        while at < end && white(at) {
            at += 1;
        }
        if at < end && separator(at) > 0 && !white(at) {
            at += separator(at);
            while at < end && white(at) {
                at += 1;
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::{FIELDS_PER_LOOK, Line, split};
    use crate::ifs::Ifs;

    #[test]
    fn the_last_name_takes_the_rest() {
        let cases: &[(&str, &str, usize, &[&str])] = &[
            ("  a b  c ", " \t\n", 2, &["a", "b  c"]),
            ("a b", " \t\n", 3, &["a", "b"]),
            ("a:b:c", ":", 2, &["a", "b:c"]),
            ("a:b:", ":", 2, &["a", "b"]),
            ("a:b::", ":", 2, &["a", "b::"]),
            ("a : b", " :", 2, &["a", "b"]),
            ("::x", ":", 3, &["", "", "x"]),
            ("a  ", " ", 1, &["a"]),
            ("a ", "", 1, &["a "]),
        ];
        for (text, ifs, most, expected) in cases {
            let line = Line { text: text.as_bytes().to_vec(), ..Line::default() };
            let fields = split(&line, &Ifs::new(Some(ifs.as_bytes())), *most, &|| false);
            let fields: Vec<_> = fields.into_iter().map(|field| &text[field]).collect();
            assert_eq!(fields, *expected, "{text:?} {ifs:?}");
        }
    }

    #[test]
    fn splitting_ends_when_the_run_is_told_to_stop() {
        let line = Line { text: b"a ".repeat(3 * FIELDS_PER_LOOK), ..Line::default() };
        let fields = split(&line, &Ifs::new(None), usize::MAX, &|| true);
        assert_eq!(fields.len(), FIELDS_PER_LOOK);
    }
}
