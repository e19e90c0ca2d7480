//! Variables, elements and fields.

use std::rc::Rc;

use super::operators::arithmetic;
use super::{MAX_ELEMENTS, Machine, PER_STORE};
use crate::ast::{Arithmetic, slot};
use crate::code::{ArrayPlace, Place};
use crate::fail::{Fail, check_length};
use crate::input::RecordSeparator;
use crate::record::{FieldSeparator, MAX_FIELDS};
use crate::value::{Array, Elements, Key, Text, Value};

/// Finds an element; where there is none it is made.
fn entry<'e>(elements: &'e mut Elements, subscript: &Value, convfmt: &[u8]) -> Option<&'e mut Value> {
    Key::with(subscript, convfmt, |key| elements.entry(key))
}

impl Machine<'_> {
    /// The array at a place; a function's own comes into being.
    pub(super) fn array(&mut self, place: ArrayPlace) -> Array {
        let value = match place {
            ArrayPlace::Global(at) => self.globals.get_mut(at as usize),
            ArrayPlace::Local(at) => self.stack.get_mut(self.base + at as usize),
        };
        match value {
            Some(Value::Array(array)) => array.clone(),
            Some(value) => {
                let array = Array::default();
                *value = Value::Array(array.clone());
                array
            }
            None => Array::default(),
        }
    }

    /// Pops the index of a field.
    pub(super) fn pop_index(&mut self) -> Result<usize, Fail> {
        let index = self.pop_number();
        if index < 0.0 || index.is_nan() {
            return Err(Fail::new(format!("negative field index ${index}")));
        }
        if index > MAX_FIELDS as f64 {
            return Err(Fail::new(format!("field index ${index} is more than {MAX_FIELDS}")));
        }
        Ok(index as usize)
    }

    pub(super) fn field(&mut self, index: usize) -> Result<Value, Fail> {
        if index == 0 {
            return self.record.whole(&self.ofs, &self.convfmt);
        }
        self.record.field(index)
    }

    /// NF, NR, FNR
    pub(super) fn computed(&mut self, variable: u32) -> Result<f64, Fail> {
        Ok(match variable {
            slot::NF => self.record.count()? as f64,
            slot::NR => self.nr,
            _ => self.fnr,
        })
    }

    /// subscript → value
    pub(super) fn element(&mut self, place: ArrayPlace) -> Result<(), Fail> {
        let subscript = self.pop();
        let array = self.array(place);
        let mut elements = array.borrow_mut();
        self.check_size(&elements)?;
        let value = entry(&mut elements, &subscript, &self.convfmt).map(|value| value.clone()).unwrap_or_default();
        self.stack.push(value);
        Ok(())
    }

    fn check_size(&self, elements: &Elements) -> Result<(), Fail> {
        if elements.len() >= MAX_ELEMENTS {
            return Err(Fail::new(format!("an array of more than {MAX_ELEMENTS} elements")));
        }
        Ok(())
    }

    pub(super) fn is_in(&mut self, place: ArrayPlace) {
        let subscript = self.pop();
        let array = self.array(place);
        let found = Key::with(&subscript, &self.convfmt, |key| array.borrow().get(key).is_some());
        self.push_truth(found);
    }

    pub(super) fn delete(&mut self, place: ArrayPlace) {
        let subscript = self.pop();
        let array = self.array(place);
        Key::with(&subscript, &self.convfmt, |key| array.borrow_mut().remove(key));
    }

    /// Joins subscripts by SUBSEP.
    pub(super) fn join(&mut self, count: u32) -> Result<(), Fail> {
        let first = self.stack.len().saturating_sub(count as usize);
        let mut text = Vec::new();
        for (at, value) in self.stack.drain(first..).enumerate() {
            if at > 0 {
                text.extend_from_slice(&self.subsep);
            }
            value.push_text(&self.convfmt, &mut text);
        }
        check_length(text.len())?;
        self.stack.push(Value::String(Rc::from(text)));
        Ok(())
    }

    /// Takes a place's operand off the stack without using it.
    pub(super) fn drop_operand(&mut self, place: Place) {
        if matches!(place, Place::Field | Place::Element(_)) {
            self.pop();
        }
    }

    /// operand, value →
    pub(super) fn store(&mut self, place: Place) -> Result<(), Fail> {
        let value = self.pop();
        let length = value.text_length();
        match place {
            Place::Global(at) => {
                if let Some(variable) = self.globals.get_mut(at as usize) {
                    *variable = value;
                }
                self.note_text(length)?;
            }
            Place::Local(at) => {
                if let Some(variable) = self.stack.get_mut(self.base + at as usize) {
                    *variable = value;
                }
                self.note_text(length)?;
            }
            Place::Watched(at) => self.store_watched(at, value)?,
            Place::Field => {
                let index = self.pop_index()?;
                self.store_field(index, value)?;
            }
            Place::Element(array) => {
                let subscript = self.pop();
                let array = self.array(array);
                let mut elements = array.borrow_mut();
                self.check_size(&elements)?;
                let bytes = value.memory() + subscript.memory() + PER_STORE;
                if let Some(element) = entry(&mut elements, &subscript, &self.convfmt) {
                    *element = value;
                }
                drop(elements);
                self.note_stored(bytes)?;
            }
        }
        Ok(())
    }

    pub(super) fn store_field(&mut self, index: usize, value: Value) -> Result<(), Fail> {
        if index == 0 {
            self.record.set(&value, &self.convfmt);
        } else {
            self.record.set_field(index, value)?;
        }
        Ok(())
    }

    /// The value at a place; its operand stays on the stack.
    pub(super) fn load(&mut self, place: Place) -> Result<Value, Fail> {
        Ok(match place {
            Place::Global(at) => self.globals.get_mut(at as usize).map(Value::share).unwrap_or_default(),
            Place::Local(at) => self.local(at),
            Place::Watched(at) if at < slot::COMPUTED => Value::Number(self.computed(at)?),
            Place::Watched(at) => self.globals.get(at as usize).cloned().unwrap_or_default(),
            Place::Field => {
                let index = self.pop_index()?;
                self.push_number(index as f64);
                self.field(index)?
            }
            Place::Element(array) => {
                let array = self.array(array);
                let mut elements = array.borrow_mut();
                self.check_size(&elements)?;
                let subscript = self.stack.last().unwrap_or(&Value::Uninitialized);
                entry(&mut elements, subscript, &self.convfmt).map(|value| value.clone()).unwrap_or_default()
            }
        })
    }

    /// operand, value → new value
    pub(super) fn assign_with(&mut self, place: Place, operator: Arithmetic) -> Result<(), Fail> {
        let right = self.pop_number();
        let value = self.change(place, |left| arithmetic(operator, left, right))?.1;
        self.push_number(value);
        Ok(())
    }

    /// operand → old or new value
    pub(super) fn increment(&mut self, place: Place, down: bool, before: bool) -> Result<(), Fail> {
        let by = if down { -1.0 } else { 1.0 };
        let (old, new) = self.change(place, |value| Ok(value + by))?;
        self.push_number(if before { new } else { old });
        Ok(())
    }

    /// Changes the number at a place; gives the old and the new one.
    fn change(&mut self, place: Place, change: impl FnOnce(f64) -> Result<f64, Fail>) -> Result<(f64, f64), Fail> {
        let (old, new);
        match place {
            Place::Global(at) => {
                let Some(variable) = self.globals.get_mut(at as usize) else { return Ok((0.0, 0.0)) };
                old = variable.number();
                new = change(old)?;
                *variable = Value::Number(new);
            }
            Place::Local(at) => {
                let at = self.base + at as usize;
                let Some(variable) = self.stack.get_mut(at) else { return Ok((0.0, 0.0)) };
                old = variable.number();
                new = change(old)?;
                *variable = Value::Number(new);
            }
            Place::Element(array) => {
                let subscript = self.pop();
                let array = self.array(array);
                let mut elements = array.borrow_mut();
                self.check_size(&elements)?;
                let Some(element) = entry(&mut elements, &subscript, &self.convfmt) else { return Ok((0.0, 0.0)) };
                old = element.number();
                new = change(old)?;
                *element = Value::Number(new);
            }
            Place::Watched(_) | Place::Field => {
                old = self.load(place)?.number();
                new = change(old)?;
                self.push_number(new);
                self.store(place)?;
            }
        }
        Ok((old, new))
    }

    /// Assigns to one of awk's own variables that has a meaning at once.
    pub(super) fn store_watched(&mut self, variable: u32, value: Value) -> Result<(), Fail> {
        match variable {
            slot::NF => {
                let count = value.number();
                if count < 0.0 || count.is_nan() || count > MAX_FIELDS as f64 {
                    return Err(Fail::new(format!("NF set to {count}")));
                }
                self.record.set_count(count as usize)?;
                return Ok(());
            }
            slot::NR => self.nr = value.number(),
            slot::FNR => self.fnr = value.number(),
            slot::FS => {
                let text = value.shared_text(&self.convfmt);
                self.by_pattern = false;
                self.set_separator(&text)?;
            }
            slot::FPAT => {
                let text = value.shared_text(&self.convfmt);
                self.by_pattern = true;
                self.set_separator(&text)?;
            }
            slot::IGNORECASE => self.set_ignore_case(value.is_true())?,
            slot::OFS => {
                self.record.before_ofs(&self.ofs, &self.convfmt)?;
                self.ofs = value.shared_text(&self.convfmt);
            }
            slot::ORS => self.ors = value.shared_text(&self.convfmt),
            slot::RS => {
                let text = value.shared_text(&self.convfmt);
                self.record_separator = match *text {
                    [] => RecordSeparator::Paragraphs,
                    [byte] => RecordSeparator::Byte(byte),
                    _ => RecordSeparator::Regex(self.dynamic_regex(&text)?),
                };
                let fs = self.separator_text();
                self.set_separator(&fs)?;
            }
            slot::SUBSEP => self.subsep = value.shared_text(&self.convfmt),
            slot::CONVFMT => self.convfmt = value.shared_text(&self.convfmt),
            slot::OFMT => self.ofmt = value.shared_text(&self.convfmt),
            _ => {}
        }
        if let Some(place) = self.globals.get_mut(variable as usize) {
            *place = value;
        }
        Ok(())
    }

    /// The value of FS, or of FPAT where that was set last.
    pub(super) fn separator_text(&self) -> Text {
        let at = if self.by_pattern { slot::FPAT } else { slot::FS };
        self.globals.get(at as usize).cloned().unwrap_or_default().shared_text(&self.convfmt)
    }

    pub(super) fn set_separator(&mut self, fs: &[u8]) -> Result<(), Fail> {
        if self.by_pattern {
            let pattern = self.dynamic_regex(fs)?;
            self.record.set_separator(FieldSeparator::Pattern(pattern))?;
            return Ok(());
        }
        let in_paragraphs = matches!(self.record_separator, RecordSeparator::Paragraphs);
        let separator = self.separator(fs, in_paragraphs)?;
        self.record.set_separator(separator)?;
        Ok(())
    }

    /// What a value of FS means (POSIX: a blank, another character, or a regular expression). Where records are
    /// paragraphs a newline separates too.
    pub(super) fn separator(&mut self, fs: &[u8], in_paragraphs: bool) -> Result<FieldSeparator, Fail> {
        Ok(match fs {
            b" " => FieldSeparator::Blanks,
            [] => FieldSeparator::Characters,
            [byte] if self.ignore_case && byte.is_ascii_alphabetic() => {
                let regex = self.dynamic_regex(&[*byte])?;
                FieldSeparator::Regex(if in_paragraphs { self.dynamic_regex(&[*byte, b'|', b'\n'])? } else { regex })
            }
            [byte] if in_paragraphs => FieldSeparator::ByteOrNewline(*byte),
            [byte] => FieldSeparator::Byte(*byte),
            source => {
                let regex = self.dynamic_regex(source)?;
                match (regex.single_byte(), in_paragraphs) {
                    (Some(byte), true) => FieldSeparator::ByteOrNewline(byte),
                    (Some(byte), false) => FieldSeparator::Byte(byte),
                    (None, true) => FieldSeparator::Regex(self.dynamic_regex(&[b"(", source, b")|\n"].concat())?),
                    (None, false) => FieldSeparator::Regex(regex),
                }
            }
        })
    }
}
