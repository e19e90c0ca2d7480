//! The key `ignore_findings` of an object in a config, read from the text: it holds for what is wrong with the object itself too,
//! which may be no hook because of that.

/// An object that has the key.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OwnCodes {
    /// Line and column of its first character, counted from 1.
    begin: (usize, usize),
    /// Likewise of its last.
    end: (usize, usize),
    codes: Vec<String>,
}

impl OwnCodes {
    /// Is it said of this place that the code does not count?
    pub(super) fn ignore(&self, code: &str, line: Option<usize>, column: Option<usize>) -> bool {
        let (Some(line), Some(column)) = (line, column) else { return false };
        (self.begin..=self.end).contains(&(line, column)) && self.codes.iter().any(|own| own.eq_ignore_ascii_case(code))
    }
}

/// An object or an array that is not at its end.
struct Open {
    begin: (usize, usize),
    codes: Vec<String>,
    /// The array is the value of the key.
    is_list: bool,
}

/// All objects of a text in JSON, with comments, that have the key. Of other text nothing is to be expected.
pub(super) fn own_codes(text: &[u8]) -> Vec<OwnCodes> {
    let text = String::from_utf8_lossy(text);
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let (mut line, mut column) = (1, 0);
    // The string before, and whether a colon stands after it.
    let (mut last, mut is_key) = (String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        column += 1;
        match character {
            '\n' => (line, column) = (line + 1, 0),
            '/' if characters.peek() == Some(&'/') => while characters.next_if(|next| *next != '\n').is_some() {},
            '/' if characters.next_if_eq(&'*').is_some() => {
                column += 1;
                let mut before = ' ';
                for next in characters.by_ref() {
                    (line, column) = if next == '\n' { (line + 1, 0) } else { (line, column + 1) };
                    if (before, next) == ('*', '/') {
                        break;
                    }
                    before = next;
                }
            }
            '"' => {
                last.clear();
                is_key = false;
                while let Some(next) = characters.next_if(|next| *next != '\n') {
                    column += 1;
                    match next {
                        '"' => break,
                        '\\' => {
                            column += usize::from(characters.next().is_some());
                            last.push('\\');
                        }
                        other => last.push(other),
                    }
                }
                if let [.., object, list] = &mut *open
                    && list.is_list
                {
                    object.codes.push(last.clone());
                }
            }
            ':' => is_key = true,
            '{' | '[' => {
                let is_list = character == '[' && is_key && last == "ignore_findings";
                open.push(Open { begin: (line, column), codes: Vec::new(), is_list });
                is_key = false;
            }
            '}' | ']' => {
                if let Some(Open { begin, codes, .. }) = open.pop()
                    && !codes.is_empty()
                {
                    found.push(OwnCodes { begin, end: (line, column), codes });
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{OwnCodes, own_codes};

    #[test]
    fn an_object_has_its_codes_from_its_first_to_its_last_character() {
        let text = "{ // \"ignore_findings\": [\"HS1\"] {\n  \"a\": [{\"x\\\"{\": 1, \"ignore_findings\": [\"HS110\", \"HS104\"]}, /* {\n */ {}]\n}";
        let codes = vec!["HS110".to_owned(), "HS104".to_owned()];
        assert_eq!(own_codes(text.as_bytes()), [OwnCodes { begin: (2, 9), end: (2, 58), codes }]);
        let found = own_codes(text.as_bytes());
        for (code, line, column, expected) in
            [("HS110", 2, 9, true), ("hs104", 2, 58, true), ("HS110", 2, 59, false), ("HS101", 2, 20, false)]
        {
            assert_eq!(found[0].ignore(code, Some(line), Some(column)), expected, "{code} {line} {column}");
        }
        assert!(!found[0].ignore("HS110", None, None));
        for text in ["", "]}", "{\"ignore_findings\": [\"HS1\"", "{\"ignore_findings\": \"HS1\"}", "\"\\"] {
            assert_eq!(own_codes(text.as_bytes()), [], "{text}");
        }
    }
}
