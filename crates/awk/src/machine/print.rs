//! `print` and `printf`.

use crate::output::flush_stdout;
use hookshell_utility::io::BUFFER;

use super::Machine;
use crate::ast::RedirectionKind;
use crate::code::Item;
use crate::fail::{Fail, MAX_STRING, check_length};
use crate::format::{self, FormatError};

impl Machine<'_> {
    fn printed(&mut self) -> Result<(), Fail> {
        if self.out.len() >= BUFFER {
            flush_stdout(self.running, &mut self.out)?;
        }
        Ok(())
    }

    pub(super) fn print_record(&mut self) -> Result<(), Fail> {
        let text = self.record.text(&self.ofs, &self.convfmt)?;
        self.out.extend_from_slice(text);
        self.out.extend_from_slice(&self.ors);
        self.printed()
    }

    pub(super) fn print_items(&mut self, items: u32) -> Result<(), Fail> {
        let code = self.code;
        for (at, item) in code.items.get(items as usize).into_iter().flatten().enumerate() {
            // Each may be as long as a string.
            if self.out.len() > MAX_STRING {
                self.printed()?;
            }
            if at > 0 {
                self.out.extend_from_slice(&self.ofs);
            }
            match *item {
                Item::Field(0) => {
                    let text = self.record.text(&self.ofs, &self.convfmt)?;
                    self.out.extend_from_slice(text);
                }
                Item::Field(index) => self.record.push_field(index as usize, &self.ofmt, &mut self.out)?,
                Item::String(string) => {
                    self.out.extend_from_slice(code.strings.get(string as usize).map_or(b"", |text| text));
                }
                Item::Number(constant) => format::push_number(self.number(constant), &self.ofmt, false, &mut self.out),
                Item::Global(slot) => {
                    if let Some(value) = self.globals.get(slot as usize) {
                        value.push_text(&self.ofmt, &mut self.out);
                    }
                }
                Item::Computed(slot) => {
                    let value = self.computed(slot)?;
                    format::push_number(value, &self.ofmt, false, &mut self.out);
                }
                Item::Local(slot) => {
                    if let Some(value) = self.stack.get(self.base + slot as usize) {
                        value.push_text(&self.ofmt, &mut self.out);
                    }
                }
            }
        }
        self.out.extend_from_slice(&self.ors);
        self.printed()
    }

    pub(super) fn print(&mut self, arguments: usize, to: Option<RedirectionKind>) -> Result<(), Fail> {
        let name = to.map(|_| self.pop());
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        if arguments == 0 {
            text.extend_from_slice(self.record.text(&self.ofs, &self.convfmt)?);
        }
        let first = self.stack.len().saturating_sub(arguments);
        for (at, value) in self.stack.drain(first..).enumerate() {
            if at > 0 {
                text.extend_from_slice(&self.ofs);
            }
            value.push_text(&self.ofmt, &mut text);
            check_length(text.len())?;
        }
        text.extend_from_slice(&self.ors);
        self.write(to, name, &text)?;
        self.scratch = text;
        Ok(())
    }

    pub(super) fn printf(&mut self, arguments: usize, to: Option<RedirectionKind>) -> Result<(), Fail> {
        let name = to.map(|_| self.pop());
        let text = self.format(arguments)?;
        self.write(to, name, &text)?;
        self.scratch = text;
        Ok(())
    }

    /// A format and its arguments, taken off the stack, make a text.
    pub(super) fn format(&mut self, arguments: usize) -> Result<Vec<u8>, Fail> {
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        let first = self.stack.len().saturating_sub(arguments);
        let values = self.stack.get(first..).unwrap_or_default();
        if let Some((format, values)) = values.split_first() {
            let format = format.to_text(&self.convfmt);
            format::push(&format, values, &self.convfmt, self.characters, &mut text).map_err(|error| match error {
                FormatError::TooFewArguments => {
                    Fail::new([b"not enough arguments for the format \"", &*format, b"\""].concat())
                }
                FormatError::TooLarge => Fail::new([b"a field too large in \"", &*format, b"\""].concat()),
            })?;
        }
        check_length(text.len())?;
        self.stack.truncate(first);
        Ok(text)
    }

    fn write(
        &mut self,
        to: Option<RedirectionKind>,
        name: Option<crate::value::Value>,
        text: &[u8],
    ) -> Result<(), Fail> {
        let (Some(kind), Some(name)) = (to, name) else {
            self.out.extend_from_slice(text);
            return self.printed();
        };
        let name = name.shared_text(&self.convfmt);
        self.streams.write(self.running, kind, &name, text, &mut self.out).map_err(|error| Fail::output(&name, error))
    }
}
