//! Records: of the operands, and by `getline`.

use hookshell_utility::io::{Source, reason};

use super::{Input, Machine};
use crate::ast::slot;
use crate::code::GetlineFrom;
use crate::fail::Fail;
use crate::input::Reader;
use crate::value::{Key, Value};

impl Machine<'_> {
    /// Reads the next record of the operands into `$0`; `false` at the end of the last.
    pub(super) fn next_record(&mut self) -> Result<bool, Fail> {
        let found = self.read_main()?;
        if found {
            std::mem::swap(self.record.renew(), &mut self.read);
        }
        Ok(found)
    }

    /// Reads the next record of the operands.
    fn read_main(&mut self) -> Result<bool, Fail> {
        loop {
            self.read.clear();
            let reader = match &mut self.input {
                Input::File(reader) => Some(reader),
                Input::Stdin => self.stdin.as_mut(),
                Input::None => None,
                Input::Ended => return Ok(false),
            };
            if let Some(reader) = reader {
                // A reader may wait: what was printed is kept back until there is a block of it, as everywhere.
                if reader.read(self.running, &self.record_separator, &mut self.read).map_err(Fail::read)? {
                    self.nr += 1.0;
                    self.fnr += 1.0;
                    return Ok(true);
                }
                self.input = Input::None;
            }
            if !self.open_next()? {
                self.input = Input::Ended;
                return Ok(false);
            }
        }
    }

    /// `nextfile`
    pub(super) fn skip_file(&mut self) {
        if matches!(self.input, Input::Stdin) {
            self.stdin = None;
        }
        self.input = Input::None;
    }

    /// Continues to the next operand that is a file, doing the assignments before it.
    fn open_next(&mut self) -> Result<bool, Fail> {
        loop {
            let count = self.globals.get(slot::ARGC as usize).map_or(0.0, Value::number);
            if self.next_operand as f64 >= count {
                if self.had_file {
                    return Ok(false);
                }
                self.had_file = true;
                self.open_operand(b"-")?;
                return Ok(true);
            }
            let subscript = Key::Index(self.next_operand);
            self.next_operand += 1;
            let operand = match self.globals.get(slot::ARGV as usize) {
                Some(Value::Array(array)) => array.borrow().get(subscript).cloned(),
                _ => None,
            };
            let Some(operand) = operand else { continue };
            let operand = operand.shared_text(&self.convfmt);
            if operand.is_empty() {
                continue;
            }
            if let Some((name, value)) = super::startup::assignment(&operand) {
                self.assign_operand(name, value)?;
                continue;
            }
            self.had_file = true;
            self.open_operand(&operand)?;
            return Ok(true);
        }
    }

    fn open_operand(&mut self, operand: &[u8]) -> Result<(), Fail> {
        self.fnr = 0.0;
        let name = self.text(operand);
        if let Some(filename) = self.globals.get_mut(slot::FILENAME as usize) {
            *filename = Value::Input(name);
        }
        if is_stdin(operand) {
            self.open_stdin(operand)?;
            self.input = Input::Stdin;
            return Ok(());
        }
        match self.running.open_file(operand)? {
            Ok(source) => {
                self.input = Input::File(Reader::new(source));
                Ok(())
            }
            Err(error) => Err(cannot_open(operand, &error)),
        }
    }

    fn open_stdin(&mut self, name: &[u8]) -> Result<&mut Reader, Fail> {
        if self.stdin.is_none() {
            let stdin = self.running.descriptor(0).map_err(|error| cannot_open(name, &error))?;
            self.stdin = Some(Reader::new(Source::Stream(stdin)));
        }
        self.stdin.as_mut().ok_or_else(|| Fail::new("no standard input"))
    }

    /// [name] → status
    pub(super) fn getline(&mut self, from: GetlineFrom, to_record: bool) -> Result<(), Fail> {
        let status = match from {
            GetlineFrom::Input => {
                if self.read_main()? {
                    1.0
                } else {
                    0.0
                }
            }
            GetlineFrom::File => self.read_from(false)?,
            // Neither gawk nor mawk counts a command's records.
            GetlineFrom::Command => self.read_from(true)?,
        };
        if status > 0.0 && to_record {
            std::mem::swap(self.record.renew(), &mut self.read);
        }
        self.push_number(status);
        Ok(())
    }

    /// Reads a record of the file or command whose name is on the stack: 1, or 0 at its end, or -1 when it cannot be read.
    fn read_from(&mut self, is_command: bool) -> Result<f64, Fail> {
        let name = self.pop().shared_text(&self.convfmt);
        self.running.check()?;
        self.read.clear();
        let reader = if !is_command && is_stdin(&name) {
            if self.running.descriptor(0).is_err() {
                return Ok(-1.0);
            }
            self.open_stdin(&name)?;
            self.stdin.as_mut()
        } else {
            self.streams
                .reader(self.running, is_command, &name, &mut self.out)
                .map_err(|error| Fail::output(&name, error))?
        };
        let Some(reader) = reader else { return Ok(-1.0) };
        match reader.read(self.running, &self.record_separator, &mut self.read) {
            Ok(true) => Ok(1.0),
            Ok(false) => Ok(0.0),
            // A directory, for example.
            Err(crate::input::ReadError::System(_)) => Ok(-1.0),
            Err(error) => Err(Fail::read(error)),
        }
    }
}

fn is_stdin(name: &[u8]) -> bool {
    matches!(name, b"-" | b"/dev/stdin")
}

fn cannot_open(name: &[u8], error: &std::io::Error) -> Fail {
    Fail::new([b"cannot open ", name, b" (", reason(error).as_bytes(), b")"].concat())
}
