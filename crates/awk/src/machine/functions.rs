//! The built-in functions.

use std::rc::Rc;
use std::sync::Arc;

use crate::output;
use hookshell_text::case::{self, Case};
use hookshell_utility::random::SplitMix;

use super::{Machine, PER_STORE};
use crate::ast::{Builtin, slot};
use crate::code::ArrayPlace;
use crate::fail::Fail;
use crate::record::FieldSeparator;
use crate::regex::Regex;
use crate::text::{self, Characters};
use crate::value::{Key, Value};

/// After so many elements `split` asks whether it may continue.
const MANY: usize = 1 << 14;

impl Machine<'_> {
    /// arguments → result
    pub(super) fn builtin(&mut self, builtin: Builtin, arguments: usize) -> Result<(), Fail> {
        let value = match builtin {
            Builtin::Atan2 => {
                let x = self.pop_number();
                let y = self.pop_number();
                f64::atan2(y, x)
            }
            Builtin::Cos => f64::cos(self.pop_number()),
            Builtin::Exp => f64::exp(self.pop_number()),
            Builtin::Int => self.pop_number().trunc(),
            Builtin::Log => f64::ln(self.pop_number()),
            Builtin::Sin => f64::sin(self.pop_number()),
            Builtin::Sqrt => self.pop_number().sqrt(),
            Builtin::Rand => self.random.fraction(),
            Builtin::Srand => self.seed(arguments),
            Builtin::Systime => super::time::now() as f64,
            Builtin::Mktime => {
                let text = self.pop();
                let zone = super::time::zone_of(self.running);
                super::time::mktime(&text.to_text(&self.convfmt), &zone)
            }
            Builtin::Length => {
                if arguments == 0 {
                    let text = self.record.text(&self.ofs, &self.convfmt)?;
                    text::length(text, self.characters) as f64
                } else {
                    let value = self.pop();
                    text::length(&value.to_text(&self.convfmt), self.characters) as f64
                }
            }
            Builtin::Index => {
                let part = self.pop();
                let whole = self.pop();
                self.index(&whole, &part)
            }
            Builtin::Close => {
                let name = self.pop().shared_text(&self.convfmt);
                self.streams.close(self.running, &name, &mut self.out).map_err(|error| Fail::output(&name, error))?
            }
            Builtin::Fflush => self.fflush(arguments)?,
            Builtin::System => self.system()?,
            Builtin::Sprintf => {
                let text = self.format(arguments)?;
                let value = self.text(&text);
                self.scratch = text;
                self.stack.push(Value::String(value));
                return Ok(());
            }
            Builtin::Substr => return self.substr(arguments),
            Builtin::Strftime => return self.strftime(arguments),
            Builtin::Tolower => return self.change_case(Case::Lower),
            Builtin::Toupper => return self.change_case(Case::Upper),
            // These are operations of their own.
            Builtin::And | Builtin::Or | Builtin::Xor => self.bitwise(builtin, arguments)?,
            Builtin::Lshift | Builtin::Rshift => self.shift(builtin)?,
            Builtin::Compl => self.complement()?,
            Builtin::Strtonum => super::gawk::strtonum(&self.pop(), &self.convfmt),
            Builtin::Asort
            | Builtin::Asorti
            | Builtin::Gensub
            | Builtin::Gsub
            | Builtin::Match
            | Builtin::Split
            | Builtin::Sub => 0.0,
        };
        self.push_number(value);
        Ok(())
    }

    /// The position of a text in another one, from 1; 0 when it is not there.
    fn index(&self, whole: &Value, part: &Value) -> f64 {
        let whole = whole.to_text(&self.convfmt);
        let part = part.to_text(&self.convfmt);
        match memchr::memmem::find(&whole, &part) {
            Some(at) => self.position(&whole, at) as f64,
            None => 0.0,
        }
    }

    /// The position of the character that begins at this byte, from 1.
    pub(super) fn position(&self, text: &[u8], at: usize) -> usize {
        text::length(text.get(..at).unwrap_or(text), self.characters) + 1
    }

    fn substr(&mut self, arguments: usize) -> Result<(), Fail> {
        let count = if arguments > 2 { self.pop_number() } else { f64::INFINITY };
        let start = self.pop_number();
        let value = self.pop();
        // gawk and BWK's awk cut both numbers off to integers, and begin at 1 where the start is less.
        let start = if start >= 1.0 { start.trunc() - 1.0 } else { 0.0 };
        let count = if count >= 1.0 { count.trunc() } else { 0.0 };
        let text = value.to_text(&self.convfmt);
        // The casts saturate: beyond the end is the end.
        let from = text::offset(&text, start as usize, self.characters);
        let rest = text.get(from..).unwrap_or_default();
        let part = text::prefix(rest, count as usize, self.characters);
        let part = if part.len() == text.len() { value.shared_text(&self.convfmt) } else { self.text(part) };
        self.stack.push(Value::String(part));
        Ok(())
    }

    fn change_case(&mut self, case: Case) -> Result<(), Fail> {
        let value = self.pop();
        let text = value.to_text(&self.convfmt);
        self.tick_for(text.len())?;
        let changed = if self.characters == Characters::Bytes || text.is_ascii() {
            let text = if case == Case::Lower { text.to_ascii_lowercase() } else { text.to_ascii_uppercase() };
            Rc::from(text)
        } else {
            let mut out = Vec::with_capacity(text.len());
            case::convert_all(&text, case, false, &mut out);
            Rc::from(out)
        };
        self.stack.push(Value::String(changed));
        Ok(())
    }

    fn fflush(&mut self, arguments: usize) -> Result<f64, Fail> {
        let name = if arguments > 0 { self.pop().shared_text(&self.convfmt) } else { self.empty.clone() };
        if name.is_empty() {
            self.streams.flush(self.running, &mut self.out).map_err(|error| Fail::output(&name, error))?;
            return Ok(0.0);
        }
        let found =
            self.streams.flush_one(self.running, &name, &mut self.out).map_err(|error| Fail::output(&name, error))?;
        Ok(if found { 0.0 } else { -1.0 })
    }

    fn system(&mut self) -> Result<f64, Fail> {
        let command = self.pop().shared_text(&self.convfmt);
        let failed = |error| Fail::output(&command, error);
        self.streams.flush(self.running, &mut self.out).map_err(failed)?;
        let fds = self.running.context().fds.clone();
        let mut started =
            output::start(self.running, &command, fds).map_err(|why| failed(output::OutputError::Command(why)))?;
        Ok(output::end_of(&mut *started)?)
    }

    /// `srand`: gives the seed before.
    fn seed(&mut self, arguments: usize) -> f64 {
        let seed = if arguments > 0 { self.pop_number() } else { super::time::now() as f64 };
        self.random = SplitMix(seed.to_bits());
        std::mem::replace(&mut self.seed, seed)
    }

    /// `match`: the position, and RSTART and RLENGTH.
    pub(super) fn match_at(&mut self, value: &Value, regex: Option<Arc<Regex>>) -> Result<(), Fail> {
        let text = value.to_text(&self.convfmt);
        self.tick_for(text.len())?;
        let found = match regex {
            Some(regex) => regex.find(&text, 0)?,
            None => None,
        };
        let (start, length) = match found {
            Some((start, end)) => {
                let matched = text.get(start..end).unwrap_or_default();
                (self.position(&text, start) as f64, text::length(matched, self.characters) as f64)
            }
            None => (0.0, -1.0),
        };
        self.set_match(start, length);
        Ok(())
    }

    /// RSTART and RLENGTH. → position
    pub(super) fn set_match(&mut self, start: f64, length: f64) {
        for (at, value) in [(slot::RSTART, start), (slot::RLENGTH, length)] {
            if let Some(variable) = self.globals.get_mut(at as usize) {
                *variable = Value::Number(value);
            }
        }
        self.push_number(start);
    }

    pub(super) fn split_by_fs(&mut self, array: ArrayPlace) -> Result<(), Fail> {
        let fs = self.globals.get(slot::FS as usize).cloned().unwrap_or_default();
        let separator = self.separator(&fs.to_text(&self.convfmt.clone()), false)?;
        self.split(array, &separator)
    }

    pub(super) fn split_by_regex(&mut self, array: ArrayPlace, regex: u32) -> Result<(), Fail> {
        let Some(regex) = self.known_regex(regex).cloned() else { return Ok(()) };
        let separator = match regex.single_byte() {
            Some(byte) => FieldSeparator::Byte(byte),
            None if regex.source().is_empty() => FieldSeparator::Characters,
            None => FieldSeparator::Regex(regex),
        };
        self.split(array, &separator)
    }

    pub(super) fn split_by_value(&mut self, array: ArrayPlace) -> Result<(), Fail> {
        let separator = self.pop();
        let separator = self.separator(&separator.to_text(&self.convfmt.clone()), false)?;
        self.split(array, &separator)
    }

    /// text → number of elements
    fn split(&mut self, array: ArrayPlace, separator: &FieldSeparator) -> Result<(), Fail> {
        let value = self.pop();
        let text = value.to_text(&self.convfmt);
        self.tick_for(text.len())?;
        let array = self.array(array);
        let mut elements = array.borrow_mut();
        elements.clear();
        let mut count: usize = 0;
        // What is stored in others counts until it is measured again; this is beside it.
        let (running, mut kept) = (self.running, None);
        separator.split(&text, self.characters, |start, end| -> Result<(), Fail> {
            count += 1;
            let part = Rc::from(text.get(start..end).unwrap_or_default());
            elements.insert(Key::Index(count), Value::Input(part));
            if count.is_multiple_of(MANY) {
                running.check()?;
                kept.get_or_insert_with(|| running.keep()).set(count * PER_STORE)?;
            }
            Ok(())
        })?;
        drop((elements, kept));
        self.note_stored(text.len() + count * PER_STORE)?;
        self.push_number(count as f64);
        Ok(())
    }
}
