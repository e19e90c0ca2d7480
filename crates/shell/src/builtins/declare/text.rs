//! Variables as `declare -p` and `set` show them.

use crate::options::Opt;
use crate::reference::Reference;
use crate::shell::Shell;
use crate::text::quote;
use crate::vars::{Attributes, SlotId, Value};

impl Shell {
    /// May something be assigned to it?
    pub(crate) fn is_assignable(&self, reference: &Reference) -> bool {
        matches!(reference, Reference::Variable(_) | Reference::Index(..) | Reference::Key(..))
    }

    /// `${x@a}` and the options of `declare -p`.
    pub(crate) fn attribute_letters(&self, id: SlotId) -> Vec<u8> {
        let Some(variable) = self.vars.get(id) else { return Vec::new() };
        let mut letters = Vec::new();
        match variable.value {
            Value::Indexed(_) => letters.push(b'a'),
            Value::Associative(_) => letters.push(b'A'),
            _ => {}
        }
        for letter in *b"inrtxclu" {
            if super::attribute(letter).is_some_and(|attribute| variable.attributes.has(attribute)) {
                letters.push(letter);
            }
        }
        letters
    }

    /// The `declare -p` line of a variable; `None` where it is not even declared.
    pub(crate) fn declaration(&self, id: SlotId) -> Option<Vec<u8>> {
        let variable = self.vars.get(id)?;
        let mut text = b"declare -".to_vec();
        let letters = self.attribute_letters(id);
        if letters.is_empty() {
            text.push(b'-');
        }
        text.extend_from_slice(&letters);
        text.push(b' ');
        text.extend_from_slice(&self.vars.name(id));
        match &variable.value {
            Value::Unset => {}
            _ if variable.attributes.has(Attributes::INVISIBLE) => {}
            Value::Scalar(value) => {
                text.push(b'=');
                quote::declaration(value, self.bytes, &mut text);
            }
            array => {
                text.push(b'=');
                array_text(array, &mut text);
            }
        }
        Some(text)
    }

    /// The line that `set` prints for a variable that has a value.
    pub(crate) fn plain_definition(&self, id: SlotId) -> Option<Vec<u8>> {
        let variable = self.vars.get(id)?;
        let mut text = self.vars.name(id).to_vec();
        text.push(b'=');
        match &variable.value {
            Value::Unset => return None,
            _ if variable.attributes.has(Attributes::INVISIBLE) => return None,
            Value::Scalar(value) => quote::assignment(value, self.opt(Opt::Posix), self.bytes, &mut text),
            array => array_text(array, &mut text),
        }
        Some(text)
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
