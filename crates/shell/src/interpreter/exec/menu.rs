//! The menu of `select` (bash).

use hookshell_utility::Args;

/// Where bash expects a terminal to stop.
const TAB: usize = 8;

/// Between the number and the word.
const AFTER_NUMBER: &[u8] = b") ";

/// The words with their numbers in columns, as many as fit in `width`, filled from the top to the bottom.
pub(super) fn menu(words: &Args, width: usize) -> Vec<u8> {
    let count = words.len();
    let longest = words.iter().map(displayed).max().unwrap_or(0);
    let digits = number_length(count);
    let column = longest + digits + AFTER_NUMBER.len() + 2;
    let columns = (width / column).max(1);
    let mut rows = count.div_ceil(columns).max(1);
    // What fits in one row is shown in one column.
    if rows == 1 {
        rows = count;
    }
    let mut text = Vec::new();
    for row in 0..rows {
        let mut position = 0;
        for index in (row..count).step_by(rows) {
            let word = words.get(index).unwrap_or_default();
            let digits = if position == 0 { number_length(rows) } else { digits };
            text.extend_from_slice(format!("{:digits$}", index + 1).as_bytes());
            text.extend_from_slice(AFTER_NUMBER);
            text.extend_from_slice(word);
            if index + rows < count {
                indent(position + displayed(word) + digits + AFTER_NUMBER.len(), position + column, &mut text);
                position += column;
            }
        }
        text.push(b'\n');
    }
    text
}

/// Moves from one position to another with as few characters as tabs allow.
fn indent(mut from: usize, to: usize, text: &mut Vec<u8>) {
    while from < to {
        if to / TAB > from / TAB {
            text.push(b'\t');
            from += TAB - from % TAB;
        } else {
            text.push(b' ');
            from += 1;
        }
    }
}

/// How many columns a word takes.
fn displayed(word: &[u8]) -> usize {
    bstr::ByteSlice::chars(word).count()
}

fn number_length(number: usize) -> usize {
    number.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(words: &[&str], width: usize) -> String {
        String::from_utf8(menu(&words.iter().map(|word| word.as_bytes()).collect(), width)).unwrap()
    }

    #[test]
    fn few_words_stand_in_one_column() {
        assert_eq!(shown(&["a", "b"], 80), "1) a\n2) b\n");
    }

    #[test]
    fn many_words_stand_in_columns() {
        let words = ["a", "b", "c", "foo:bar", "baz", "lead", "abcabc"];
        assert_eq!(shown(&words, 80), "1) a\t    3) c\t5) baz\t    7) abcabc\n2) b\t    4) foo:bar\t6) lead\n");
    }

    #[test]
    fn a_narrow_terminal_has_one_column() {
        assert_eq!(shown(&["long word", "b", "c"], 5), "1) long word\n2) b\n3) c\n");
    }
}
