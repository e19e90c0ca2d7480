//! The values of headers, with the variables that may be put in.

/// What of the environment a header may have.
pub struct Allowed<'a> {
    /// The names that may be put in.
    pub names: &'a [String],
    /// The value of a variable.
    pub value: &'a dyn Fn(&str) -> Option<String>,
}

/// A header's value: `$NAME` and `${NAME}` are put in where they are allowed, and are empty where they are not, or are not set.
pub fn filled(text: &str, is_letter: IsLetter, allowed: &Allowed<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text, is_letter) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Variable(name) if allowed.names.iter().any(|known| known == name) => {
                out.push_str(&(allowed.value)(name).unwrap_or_default());
            }
            Piece::Variable(_) => {}
        }
    }
    out
}

/// Does a header of this name say where the request ends?
pub fn is_framing(name: &str) -> bool {
    let framing = ["connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade"];
    framing.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The variables that a value names.
pub fn names(text: &str, is_letter: IsLetter) -> impl Iterator<Item = &str> {
    pieces(text, is_letter).into_iter().filter_map(|piece| match piece {
        Piece::Text(_) => None,
        Piece::Variable(name) => Some(name),
    })
}

enum Piece<'t> {
    Text(&'t str),
    Variable(&'t str),
}

fn pieces(text: &str, is_letter: IsLetter) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    // Where the text that is not taken yet begins, and from where on a variable is looked for.
    let (mut begin, mut from) = (0, 0);
    while let Some(dollar) = text.get(from..).and_then(|rest| rest.find('$')).map(|at| at + from) {
        let after = text.get(dollar + 1..).unwrap_or_default();
        let braced = after.strip_prefix('{');
        let name = leading_name(braced.unwrap_or(after), is_letter);
        let is_closed = braced.is_none_or(|inside| inside.get(name.len()..).is_some_and(|rest| rest.starts_with('}')));
        from = dollar + 1;
        if is_closed && !name.is_empty() {
            pieces.push(Piece::Text(text.get(begin..dollar).unwrap_or_default()));
            pieces.push(Piece::Variable(name));
            from += name.len() + if braced.is_some() { 2 } else { 0 };
            begin = from;
        }
    }
    pieces.push(Piece::Text(text.get(begin..).unwrap_or_default()));
    pieces
}

/// The name of a variable that a text begins with; empty where it begins with none.
fn leading_name(text: &str, is_letter: IsLetter) -> &str {
    let is_first = |byte: u8| is_letter(byte) || byte == b'_';
    let end = text.bytes().position(|byte| !(is_first(byte) || byte.is_ascii_digit())).unwrap_or(text.len());
    match text.bytes().next().is_some_and(is_first) {
        true => text.get(..end).unwrap_or_default(),
        false => "",
    }
}

/// Which bytes are letters in the name of a variable; beside them there are `_` and, but for the first, digits.
pub(crate) type IsLetter = fn(u8) -> bool;

/// Capital letters only.
pub fn is_capital(byte: u8) -> bool {
    byte.is_ascii_uppercase()
}

/// All letters.
pub(crate) fn is_any(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::{Allowed, filled, is_any, is_capital, names};

    fn put(text: &str, names: &[&str], is_letter: super::IsLetter) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let value = |name: &str| match name {
            "A" => Some("1".to_owned()),
            "A_2" => Some("$A".to_owned()),
            "LINES" => Some("x\r\nevil: y\0".to_owned()),
            "SECRET" => Some("secret".to_owned()),
            "low" => Some("l".to_owned()),
            _ => None,
        };
        filled(text, is_letter, &Allowed { names: &names, value: &value })
    }

    #[test]
    fn only_variables_that_are_allowed_are_put_in() {
        let cases = [
            ("plain", "plain"),
            ("", ""),
            ("Bearer $A", "Bearer 1"),
            ("${A}b$A", "1b1"),
            ("$SECRET-${SECRET}", "-"),
            ("$AB$A1$A_", ""),
            ("$Ab", "1b"),
            ("$A-$A", "1-1"),
            ("${A:-x} ${A ${}", "${A:-x} ${A ${}"),
            ("$ $5 $$A \\$A $", "$ $5 $1 \\1 $"),
            ("$low ${low}", "$low ${low}"),
            ("$UNSET.", "."),
            // A value is text.
            ("$A_2", "$A"),
            ("$LINES", "x\r\nevil: y\0"),
            ("a\r\nX: b\0", "a\r\nX: b\0"),
            ("$\r\nA", "$\r\nA"),
            ("ä$Aö", "ä1ö"),
        ];
        for (text, expected) in cases {
            assert_eq!(put(text, &["A", "A_2", "LINES", "UNSET", "low"], is_capital), expected, "{text:?}");
        }
        assert_eq!(put("$A $low ${low}", &["low"], is_any), " l l");
        assert_eq!(put("$A", &[], is_any), "");
        // Long ones take no time that grows.
        assert_eq!(put(&"${".repeat(500_000), &[], is_any).len(), 1_000_000);
        assert_eq!(put(&format!("${}", "A".repeat(1_000_000)), &[], is_any), "");
        assert_eq!(names("$A ${B}$c$5", is_capital).collect::<Vec<_>>(), ["A", "B"]);
    }
}
