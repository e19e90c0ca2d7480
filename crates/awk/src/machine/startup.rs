//! What is set before a program begins.

use std::rc::Rc;

use crate::output::Streams;
use hashbrown::HashMap;
use hookshell_process::text::from_os;
use hookshell_utility::Args;
use hookshell_utility::io::Running;
use hookshell_utility::random::SplitMix;

use super::bounds::MEASURE;
use super::{Input, Machine};
use crate::ast::slot;
use crate::code::Code;
use crate::fail::Fail;
use crate::input::RecordSeparator;
use crate::lexer::unescape;
use crate::record::Record;
use crate::text::Characters;
use crate::value::{Array, Key, Text, Value};

/// `name=value`, if an operand is an assignment.
pub(crate) fn assignment(operand: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = operand.iter().position(|byte| *byte == b'=')?;
    let (name, value) = operand.split_at(at);
    let (first, rest) = name.split_first()?;
    let is_name = (first.is_ascii_alphabetic() || *first == b'_')
        && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_name.then(|| (name, value.get(1..).unwrap_or_default()))
}

impl<'a> Machine<'a> {
    /// A machine with awk's variables as they are before `-v` and `BEGIN`.
    pub(crate) fn new(running: &'a Running<'a>, code: &'a Code, characters: Characters) -> Self {
        let empty: Text = Rc::from(&b""[..]);
        let text = |text: &[u8]| -> Text { Rc::from(text) };
        let globals = code
            .global_arrays
            .iter()
            .map(|is_array| if *is_array { Value::Array(Array::default()) } else { Value::Uninitialized })
            .collect();
        let mut machine = Self {
            running,
            code,
            characters,
            kept: running.keep(),
            stored: 0,
            measured_at: MEASURE,
            stack: Vec::new(),
            frames: Vec::new(),
            base: 0,
            globals,
            strings: code.strings.iter().map(|string| text(string)).collect(),
            empty,
            record: Record::new(characters, running),
            record_separator: RecordSeparator::Byte(b'\n'),
            nr: 0.0,
            fnr: 0.0,
            ofs: text(b" "),
            ors: text(b"\n"),
            subsep: text(b"\x1c"),
            convfmt: text(b"%.6g"),
            ofmt: text(b"%.6g"),
            loops: Vec::new(),
            in_range: vec![false; code.ranges],
            regexes: HashMap::new(),
            ignore_case: false,
            folded: Vec::new(),
            by_pattern: false,
            out: Vec::new(),
            scratch: Vec::new(),
            streams: Streams::default(),
            input: Input::None,
            stdin: None,
            next_operand: 1,
            had_file: false,
            read: Vec::new(),
            status: 0,
            random: SplitMix(0),
            seed: 1.0,
            ticks: 0,
        };
        let initial: [(u32, &[u8]); 8] = [
            (slot::FS, b" "),
            (slot::OFS, b" "),
            (slot::ORS, b"\n"),
            (slot::RS, b"\n"),
            (slot::SUBSEP, b"\x1c"),
            (slot::CONVFMT, b"%.6g"),
            (slot::OFMT, b"%.6g"),
            (slot::FPAT, b"[^[:space:]]+"),
        ];
        for (at, value) in initial {
            machine.set(at, Value::String(text(value)));
        }
        machine.set_environment();
        machine
    }

    fn set(&mut self, at: u32, value: Value) {
        if let Some(variable) = self.globals.get_mut(at as usize) {
            *variable = value;
        }
    }

    fn set_environment(&mut self) {
        // Most programs do not look at it.
        let Some(Value::Array(array)) = self.globals.get(slot::ENVIRON as usize) else { return };
        let mut elements = array.borrow_mut();
        for (name, value) in self.running.context().env.iter() {
            elements.insert(Key::of_text(&from_os(name)), Value::Input(Rc::from(&*from_os(value))));
        }
    }

    /// Sets ARGC and ARGV.
    pub(crate) fn set_arguments(&mut self, argv: &Args, operands: &[&[u8]]) {
        self.set(slot::ARGC, Value::Number((operands.len() + 1) as f64));
        let Some(Value::Array(array)) = self.globals.get(slot::ARGV as usize) else { return };
        let mut elements = array.borrow_mut();
        let name = argv.iter_from(0).next().unwrap_or(b"awk");
        for (at, operand) in std::iter::once(&name).chain(operands).enumerate() {
            elements.insert(Key::Index(at), Value::Input(Rc::from(*operand)));
        }
    }

    /// An assignment of the command line: by `-v`, or as an operand.
    pub(crate) fn assign_operand(&mut self, name: &[u8], value: &[u8]) -> Result<(), Fail> {
        let code = self.code;
        if code.functions.iter().any(|function| *function.name == *name) {
            return Err(Fail::new([b"cannot assign to ", name, b": it is a function"].concat()));
        }
        // A name that the program does not have means nothing to it.
        let Some(at) = code.globals.iter().position(|global| **global == *name) else { return Ok(()) };
        if code.global_arrays.get(at).copied().unwrap_or(false) {
            return Err(Fail::new([b"cannot assign to ", name, b": it is an array"].concat()));
        }
        let value = Value::Input(Rc::from(unescape(value).0));
        let at = at as u32;
        if at < slot::WATCHED {
            self.store_watched(at, value)
        } else {
            self.set(at, value);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::assignment;

    #[test]
    fn an_assignment_begins_with_a_name() {
        assert_eq!(assignment(b"x=1"), Some((&b"x"[..], &b"1"[..])));
        assert_eq!(assignment(b"_a1==2"), Some((&b"_a1"[..], &b"=2"[..])));
        for operand in [&b"x"[..], b"1x=2", b"=1", b"./a=b", b"a.b=c"] {
            assert_eq!(assignment(operand), None);
        }
    }
}
