//! The record and its fields.

use std::rc::Rc;
use std::sync::Arc;

use hookshell_regex::SearchError;
use hookshell_utility::io::{MemoryCharge, Running};

use super::fail::{Fail, check_length};
use super::regex::Regex;
use super::text::{self, Characters};
use super::value::{Text, Value};

/// The most fields that an assignment makes.
pub(super) const MAX_FIELDS: usize = 4_000_000;

/// What stands between fields.
#[derive(Debug, Clone)]
pub(super) enum FieldSeparator {
    /// Blanks and newlines, which at the ends of the record separate nothing.
    Blanks,
    Byte(u8),
    /// One of the two.
    ByteOrNewline(u8),
    Regex(Arc<Regex>),
    /// Every character is a field.
    Characters,
    /// What matches is a field (gawk's FPAT).
    Pattern(Arc<Regex>),
}

/// The end of the next field at or after `at`, and where the one after it begins; `None` for the last.
type Cut = Option<(usize, usize)>;

impl FieldSeparator {
    /// Finds the separator after the field that begins at `start`.
    fn cut(&self, text: &[u8], start: usize, characters: Characters) -> Result<Cut, SearchError> {
        let rest = text.get(start..).unwrap_or_default();
        Ok(match self {
            Self::Blanks | Self::Pattern(_) => None,
            Self::Byte(byte) => memchr::memchr(*byte, rest).map(|at| (start + at, start + at + 1)),
            Self::ByteOrNewline(byte) => memchr::memchr2(*byte, b'\n', rest).map(|at| (start + at, start + at + 1)),
            Self::Regex(regex) => {
                let mut from = start;
                loop {
                    match regex.find(text, from)? {
                        // An empty match separates nothing.
                        Some((at, end)) if at == end => {
                            if at >= text.len() {
                                return Ok(None);
                            }
                            from = at + text::character_length(text.get(at..).unwrap_or_default(), characters);
                        }
                        found => return Ok(found),
                    }
                }
            }
            Self::Characters => {
                let length = text::character_length(rest, characters);
                (length < rest.len()).then_some((start + length, start + length))
            }
        })
    }

    /// The fields that match FPAT. What is empty right after a field stands for the separator there.
    fn matching(regex: &Regex, text: &[u8], characters: Characters) -> Result<Vec<(usize, usize)>, SearchError> {
        let (mut fields, mut at, mut after_field) = (Vec::new(), 0, false);
        while let Some((start, end)) = regex.find(text, at)? {
            if end > start {
                fields.push((start, end));
                (at, after_field) = (end, true);
                continue;
            }
            if !(after_field && start == at) {
                fields.push((start, end));
            }
            if start >= text.len() {
                break;
            }
            at = start + text::character_length(text.get(start..).unwrap_or_default(), characters);
            after_field = false;
        }
        Ok(fields)
    }

    /// Calls `field` for each field of a text with its start and end, until it fails.
    pub(super) fn split<E: From<SearchError>>(
        &self,
        text: &[u8],
        characters: Characters,
        mut field: impl FnMut(usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if text.is_empty() {
            return Ok(());
        }
        if matches!(self, Self::Blanks) {
            let mut at = 0;
            while let Some((start, end)) = next_word(text, at) {
                field(start, end)?;
                at = end;
            }
            return Ok(());
        }
        let mut start = 0;
        while let Some((end, next)) = self.cut(text, start, characters)? {
            field(start, end)?;
            start = next;
        }
        field(start, text.len())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// The next word at or after `at`.
#[inline]
fn next_word(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let start = at + text.get(at..)?.iter().position(|byte| !is_blank(*byte))?;
    let rest = text.get(start..)?;
    let length = rest.iter().position(|byte| is_blank(*byte)).unwrap_or(rest.len());
    Some((start, start + length))
}

/// A field of a record of which one was assigned to.
#[derive(Debug, Clone)]
enum Field {
    /// As it stands in the record.
    Span(usize, usize),
    Value(Value),
}

/// `$0` and the fields, which are split off only as far as they are asked for.
#[derive(Debug)]
pub(super) struct Record {
    /// `$0` as it was read or assigned.
    text: Vec<u8>,
    /// `$0` as it was put together after a field was assigned to.
    joined: Vec<u8>,
    /// That is up to date.
    is_current: bool,
    /// `$0` was assigned a string, which is no number whatever it looks like.
    is_string: bool,
    /// `$0` as a value, where it was asked for.
    shared: Option<Text>,
    /// Where the fields stand that were split off.
    spans: Vec<(usize, usize)>,
    /// All were.
    is_complete: bool,
    /// Where splitting continues.
    position: usize,
    /// The fields, once one was assigned to.
    fields: Option<Vec<Field>>,
    separator: FieldSeparator,
    characters: Characters,
    /// The value of a field that is not there: an empty string that was read, and no number.
    missing: Value,
    /// Count where the fields stand, the fields, and `$0` put together: a record is short, but has as many fields as bytes.
    kept: [MemoryCharge; 3],
}

impl Record {
    pub(super) fn new(characters: Characters, running: &Running<'_>) -> Self {
        Self {
            text: Vec::new(),
            joined: Vec::new(),
            is_current: true,
            is_string: false,
            shared: None,
            spans: Vec::new(),
            is_complete: false,
            position: 0,
            fields: None,
            separator: FieldSeparator::Blanks,
            characters,
            missing: Value::Input(Rc::from(&b""[..])),
            kept: std::array::from_fn(|_| running.keep()),
        }
    }

    /// The place for the text of a new record, emptied.
    pub(super) fn renew(&mut self) -> &mut Vec<u8> {
        self.spans.clear();
        self.is_current = true;
        self.is_string = false;
        self.shared = None;
        self.is_complete = false;
        self.position = 0;
        self.fields = None;
        self.text.clear();
        &mut self.text
    }

    /// Assigns to `$0`.
    pub(super) fn set(&mut self, value: &Value, convfmt: &[u8]) {
        let text = value.shared_text(convfmt);
        self.renew().extend_from_slice(&text);
        self.is_string = matches!(value, Value::String(_));
    }

    /// Changes FS. The present record is still split by the old one.
    pub(super) fn set_separator(&mut self, separator: FieldSeparator) -> Result<(), Fail> {
        self.split_to(usize::MAX)?;
        self.separator = separator;
        Ok(())
    }

    /// Splits off fields until there are `count`.
    fn split_to(&mut self, count: usize) -> Result<(), Fail> {
        if self.is_complete || self.spans.len() >= count || self.fields.is_some() {
            return Ok(());
        }
        if matches!(self.separator, FieldSeparator::Blanks) {
            while self.spans.len() < count {
                match next_word(&self.text, self.position) {
                    Some((start, end)) => {
                        self.kept[0].room(&mut self.spans, 1)?;
                        self.spans.push((start, end));
                        self.position = end;
                    }
                    None => {
                        self.is_complete = true;
                        break;
                    }
                }
            }
            return Ok(());
        }
        if self.text.is_empty() {
            self.is_complete = true;
            return Ok(());
        }
        if let FieldSeparator::Pattern(regex) = &self.separator {
            self.spans = FieldSeparator::matching(regex, &self.text, self.characters)?;
            self.kept[0].set(self.spans.capacity() * size_of::<(usize, usize)>())?;
            self.is_complete = true;
            return Ok(());
        }
        while self.spans.len() < count {
            match self.separator.cut(&self.text, self.position, self.characters)? {
                Some((end, next)) => {
                    self.kept[0].room(&mut self.spans, 1)?;
                    self.spans.push((self.position, end));
                    self.position = next;
                }
                None => {
                    self.spans.push((self.position, self.text.len()));
                    self.is_complete = true;
                    break;
                }
            }
        }
        Ok(())
    }

    /// NF
    pub(super) fn count(&mut self) -> Result<usize, Fail> {
        self.split_to(usize::MAX)?;
        Ok(self.fields.as_ref().map_or(self.spans.len(), Vec::len))
    }

    /// Puts `$0` together again after fields have changed.
    fn join(&mut self, ofs: &[u8], convfmt: &[u8]) -> Result<(), Fail> {
        if self.is_current {
            return Ok(());
        }
        self.joined.clear();
        self.shared = None;
        let kept = &mut self.kept[2];
        for (at, field) in self.fields.iter().flatten().enumerate() {
            if at > 0 {
                kept.room(&mut self.joined, ofs.len())?;
                self.joined.extend_from_slice(ofs);
            }
            match field {
                Field::Span(start, end) => {
                    let text = self.text.get(*start..*end).unwrap_or_default();
                    kept.room(&mut self.joined, text.len())?;
                    self.joined.extend_from_slice(text);
                }
                Field::Value(value) => value.push_text(convfmt, &mut self.joined),
            }
            check_length(self.joined.len())?;
        }
        self.is_current = true;
        Ok(())
    }

    /// `$0`, where it is up to date.
    fn present(&self) -> &[u8] {
        if self.fields.is_some() { &self.joined } else { &self.text }
    }

    /// The text of `$0`.
    pub(super) fn text(&mut self, ofs: &[u8], convfmt: &[u8]) -> Result<&[u8], Fail> {
        self.join(ofs, convfmt)?;
        Ok(self.present())
    }

    /// `$0`
    pub(super) fn whole(&mut self, ofs: &[u8], convfmt: &[u8]) -> Result<Value, Fail> {
        self.join(ofs, convfmt)?;
        let text = match &self.shared {
            Some(text) => text.clone(),
            None => {
                let text: Text = Rc::from(self.present());
                self.shared = Some(text.clone());
                text
            }
        };
        // So is `$0` of a single field to which one was assigned.
        let is_string = match &self.fields {
            None => self.is_string,
            Some(fields) => matches!(fields[..], [Field::Value(Value::String(_))]),
        };
        Ok(match is_string {
            true => Value::String(text),
            false => Value::Input(text),
        })
    }

    /// `$index`, from 1.
    pub(super) fn field(&mut self, index: usize) -> Result<Value, Fail> {
        self.split_to(index)?;
        let at = index.saturating_sub(1);
        let span = match &self.fields {
            Some(fields) => match fields.get(at) {
                Some(Field::Value(value)) => return Ok(value.clone()),
                Some(Field::Span(start, end)) => Some((*start, *end)),
                None => None,
            },
            None => self.spans.get(at).copied(),
        };
        Ok(match span {
            Some((start, end)) => Value::Input(Rc::from(self.text.get(start..end).unwrap_or_default())),
            None => self.missing.clone(),
        })
    }

    /// Appends the text of `$index`, from 1; a number goes by `format`.
    pub(super) fn push_field(&mut self, index: usize, format: &[u8], out: &mut Vec<u8>) -> Result<(), Fail> {
        self.split_to(index)?;
        let at = index.saturating_sub(1);
        let span = match &self.fields {
            Some(fields) => match fields.get(at) {
                Some(Field::Value(value)) => {
                    value.push_text(format, out);
                    None
                }
                Some(Field::Span(start, end)) => Some((*start, *end)),
                None => None,
            },
            None => self.spans.get(at).copied(),
        };
        if let Some((start, end)) = span {
            out.extend_from_slice(self.text.get(start..end).unwrap_or_default());
        }
        Ok(())
    }

    /// The fields, to be changed.
    fn own(&mut self, least: usize) -> Result<&mut Vec<Field>, Fail> {
        self.split_to(usize::MAX)?;
        let kept = &mut self.kept[1];
        if self.fields.is_none() {
            let mut fields = Vec::new();
            kept.room(&mut fields, self.spans.len().max(least))?;
            fields.extend(self.spans.iter().map(|(start, end)| Field::Span(*start, *end)));
            self.fields = Some(fields);
        }
        let fields = self.fields.get_or_insert_default();
        if fields.len() < least {
            kept.room(fields, least - fields.len())?;
            fields.resize(least, Field::Value(self.missing.clone()));
        }
        self.is_current = false;
        Ok(fields)
    }

    /// Assigns to `$index`, from 1 and at most [`MAX_FIELDS`].
    pub(super) fn set_field(&mut self, index: usize, value: Value) -> Result<(), Fail> {
        if let Some(field) = self.own(index)?.get_mut(index.saturating_sub(1)) {
            *field = Field::Value(value);
        }
        Ok(())
    }

    /// Assigns to NF, at most [`MAX_FIELDS`].
    pub(super) fn set_count(&mut self, count: usize) -> Result<(), Fail> {
        self.own(count)?.truncate(count);
        Ok(())
    }

    /// OFS changes: `$0` is put together by the old one first.
    pub(super) fn before_ofs(&mut self, ofs: &[u8], convfmt: &[u8]) -> Result<(), Fail> {
        self.join(ofs, convfmt)
    }
}
