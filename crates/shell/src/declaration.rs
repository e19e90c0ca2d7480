//! Variables as `declare -p` and `set` show them.

use hookshell_text::quote;

use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::{Attributes, SlotId, Value};

/// The attribute of an option's letter.
pub(crate) fn attribute(letter: u8) -> Option<Attributes> {
    Some(match letter {
        b'i' => Attributes::INTEGER,
        b'l' => Attributes::LOWER,
        b'n' => Attributes::NAMEREF,
        b'r' => Attributes::READONLY,
        b't' => Attributes::TRACE,
        b'u' => Attributes::UPPER,
        b'x' => Attributes::EXPORT,
        b'c' => Attributes::CAPITALIZE,
        _ => return None,
    })
}

/// The options of `declare` that make such a variable.
pub(crate) fn attribute_letters(indexed: bool, associative: bool, attributes: Attributes) -> Vec<u8> {
    let kind = [(indexed, b'a'), (associative, b'A')];
    let mut letters: Vec<u8> = kind.iter().filter(|(is, _)| *is).map(|(_, letter)| *letter).collect();
    let has = |letter: &u8| attribute(*letter).is_some_and(|attribute| attributes.has(attribute));
    letters.extend(b"inrtxclu".iter().filter(|letter| has(letter)));
    letters
}

impl Shell {
    /// A `declare` command that gives a variable its attributes and value back.
    pub(crate) fn declaration_text(&self, letters: &[u8], id: SlotId, value: Option<&Value>) -> Vec<u8> {
        let mut text = b"declare -".to_vec();
        text.extend_from_slice(if letters.is_empty() { b"-" } else { letters });
        text.push(b' ');
        text.extend_from_slice(&self.vars.name(id));
        match value {
            None => {}
            Some(Value::Scalar(value)) => {
                text.push(b'=');
                quote::declaration(value, self.env.bytes, &mut text);
            }
            Some(array) => {
                text.push(b'=');
                array_text(array, &mut text);
            }
        }
        text
    }

    /// The line that `set` prints for a variable that has a value.
    pub(crate) fn plain_definition(&self, id: SlotId) -> Option<Vec<u8>> {
        let variable = self.vars.get(id).filter(|variable| variable.has_value())?;
        Some(self.definition_text(id, &variable.value))
    }

    /// `name=value`, to be read again.
    pub(crate) fn definition_text(&self, id: SlotId, value: &Value) -> Vec<u8> {
        let mut text = self.vars.name(id).to_vec();
        text.push(b'=');
        match value {
            Value::Scalar(value) => quote::assignment(value, self.opt(Opt::Posix), self.env.bytes, &mut text),
            array => array_text(array, &mut text),
        }
        text
    }
}

fn array_text(value: &Value, out: &mut Vec<u8>) {
    out.push(b'(');
    let mut first = true;
    match value {
        Value::Indexed(array) => {
            for (index, text) in array.iter() {
                if !std::mem::take(&mut first) {
                    out.push(b' ');
                }
                out.extend_from_slice(format!("[{index}]=").as_bytes());
                quote::declaration(text, false, out);
            }
        }
        Value::Associative(array) => {
            for (key, text) in array.iter() {
                out.push(b'[');
                quote::subscript(key, false, out);
                out.extend_from_slice(b"]=");
                quote::declaration(text, false, out);
                out.push(b' ');
            }
        }
        _ => {}
    }
    out.push(b')');
}
