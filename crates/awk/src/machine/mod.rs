//! Running the code.

mod bounds;
mod functions;
mod gawk;
mod getline;
mod operators;
mod places;
mod print;
mod startup;
mod substitute;
mod time;

pub(super) use startup::assignment;

use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use hookshell_utility::io::{Failure, MemoryCharge, Running};
use hookshell_utility::random::SplitMix;

use self::operators::arithmetic;
use super::code::{Code, Operation};
use super::fail::Fail;
use super::input::{Reader, RecordSeparator};
use super::output::Streams;
use super::record::Record;
use super::regex::Regex;
use super::text::Characters;
use super::value::{Text, Value};

/// How deep functions may call each other.
const MAX_CALLS: usize = 200_000;

/// What an element that is stored counts beside its texts.
const PER_STORE: usize = 64;

/// The most elements of an array.
const MAX_ELEMENTS: usize = 1 << 24;

/// Regular expressions made from strings that are remembered.
const MAX_REGEXES: usize = 256;

/// How a part of the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Normal,
    Next,
    NextFile,
    Exit,
}

/// A function that was called.
#[derive(Debug, Clone, Copy)]
struct Frame {
    return_to: usize,
    base: usize,
}

/// A running program.
pub(super) struct Machine<'a> {
    running: &'a Running<'a>,
    code: &'a Code,
    characters: Characters,
    /// Counts what the variables take.
    kept: MemoryCharge,
    /// Bytes stored in arrays since that was measured, and when it is again.
    stored: usize,
    measured_at: usize,
    stack: Vec<Value>,
    frames: Vec<Frame>,
    /// Where the parameters of the running function are on the stack.
    base: usize,
    globals: Vec<Value>,
    strings: Vec<Text>,
    empty: Text,
    record: Record,
    record_separator: RecordSeparator,
    nr: f64,
    fnr: f64,
    ofs: Text,
    ors: Text,
    subsep: Text,
    convfmt: Text,
    ofmt: Text,
    /// The subscripts that the loops over arrays have still to go through.
    loops: Vec<std::vec::IntoIter<Text>>,
    in_range: Vec<bool>,
    regexes: HashMap<Box<[u8]>, Arc<Regex>>,
    /// gawk's IGNORECASE is on.
    ignore_case: bool,
    /// The program's expressions for that, made when it is set.
    folded: Vec<Arc<Regex>>,
    /// Fields are what FPAT matches.
    by_pattern: bool,
    /// What was printed to standard output.
    out: Vec<u8>,
    scratch: Vec<u8>,
    streams: Streams,
    /// The operand that is read.
    input: Input,
    /// Standard input, once it was read from.
    stdin: Option<Reader>,
    next_operand: usize,
    /// An operand named a file.
    had_file: bool,
    /// What getline has read for a variable.
    read: Vec<u8>,
    status: u8,
    random: SplitMix,
    seed: f64,
    ticks: u32,
}

/// What the records come from.
enum Input {
    /// The next operand is to be opened.
    None,
    Stdin,
    File(Reader),
    /// There are no more operands.
    Ended,
}

impl Machine<'_> {
    /// Runs the program to its end, and gives the exit status.
    pub(super) fn run(&mut self) -> Result<u8, Failure> {
        let result = self.run_all();
        let result = match result {
            Ok(()) => self.close_all(),
            Err(Fail::Fatal(message)) => {
                // What was printed so far is there.
                let _ = self.close_all();
                Err(Fail::Fatal(message))
            }
            failed => failed,
        };
        match result {
            Ok(()) => Ok(self.status),
            Err(Fail::Failure(failure)) => Err(failure),
            Err(Fail::Fatal(message)) => {
                self.running.message(&message)?;
                Ok(2)
            }
        }
    }

    fn close_all(&mut self) -> Result<(), Fail> {
        self.streams.close_all(self.running, &mut self.out).map_err(|error| Fail::output(b"a file or command", error))
    }

    fn run_all(&mut self) -> Result<(), Fail> {
        let code = self.code;
        let exited = match code.begin {
            Some(begin) => self.execute(begin)? == End::Exit,
            None => false,
        };
        if !exited && (code.rules.is_some() || code.end.is_some()) {
            while self.next_record()? {
                self.running.check()?;
                let Some(rules) = code.rules else { continue };
                match self.execute(rules)? {
                    End::Normal | End::Next => {}
                    End::NextFile => self.skip_file(),
                    End::Exit => break,
                }
            }
        }
        // `exit` in BEGIN or a rule leads to the END rules.
        if let Some(end) = code.end {
            self.execute(end)?;
        }
        Ok(())
    }

    #[inline]
    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or_default()
    }

    #[inline]
    fn pop_number(&mut self) -> f64 {
        self.pop().number()
    }

    #[inline]
    fn push_number(&mut self, value: f64) {
        self.stack.push(Value::Number(value));
    }

    #[inline]
    fn push_truth(&mut self, value: bool) {
        self.push_number(if value { 1.0 } else { 0.0 });
    }

    /// Makes a text of bytes.
    fn text(&self, bytes: &[u8]) -> Text {
        if bytes.is_empty() { self.empty.clone() } else { Rc::from(bytes) }
    }

    fn string(&self, at: u32) -> Text {
        self.strings.get(at as usize).unwrap_or(&self.empty).clone()
    }

    fn number(&self, at: u32) -> f64 {
        self.code.numbers.get(at as usize).copied().unwrap_or(0.0)
    }

    fn local(&mut self, at: u32) -> Value {
        self.stack.get_mut(self.base + at as usize).map(Value::share).unwrap_or_default()
    }

    /// The regular expression that a string stands for.
    fn dynamic_regex(&mut self, source: &[u8]) -> Result<Arc<Regex>, Fail> {
        if let Some(known) = self.regexes.get(source) {
            return Ok(known.clone());
        }
        let regex = Arc::new(Regex::with_case(source, self.characters, self.ignore_case).map_err(Fail::new)?);
        if self.regexes.len() >= MAX_REGEXES {
            self.regexes.clear();
        }
        self.regexes.insert(source.into(), regex.clone());
        Ok(regex)
    }

    fn regex(&self, at: u32) -> Result<&Regex, Fail> {
        self.known_regex(at).map(|regex| &**regex).ok_or_else(|| Fail::new("no such expression"))
    }

    /// An expression of the program.
    fn known_regex(&self, at: u32) -> Option<&Arc<Regex>> {
        if self.ignore_case { &self.folded } else { &self.code.regexes }.get(at as usize)
    }

    /// Runs code from a place on to its end.
    fn execute(&mut self, start: usize) -> Result<End, Fail> {
        self.stack.clear();
        self.frames.clear();
        self.loops.clear();
        self.base = 0;
        let code = self.code;
        let mut at = start;
        while let Some(operation) = code.operations.get(at) {
            at += 1;
            match *operation {
                Operation::Number(constant) => {
                    let value = self.number(constant);
                    self.push_number(value);
                }
                Operation::String(constant) => {
                    let text = self.string(constant);
                    self.stack.push(Value::String(text));
                }
                Operation::Uninitialized => self.stack.push(Value::Uninitialized),
                Operation::Global(slot) => {
                    let value = self.globals.get_mut(slot as usize).map(Value::share).unwrap_or_default();
                    self.stack.push(value);
                }
                Operation::Local(slot) => {
                    let value = self.local(slot);
                    self.stack.push(value);
                }
                Operation::Computed(slot) => {
                    let value = self.computed(slot)?;
                    self.push_number(value);
                }
                Operation::FieldAt(index) => {
                    let value = self.field(index as usize)?;
                    self.stack.push(value);
                }
                Operation::Field => {
                    let index = self.pop_index()?;
                    let value = self.field(index)?;
                    self.stack.push(value);
                }
                Operation::Element(array) => self.element(array)?,
                Operation::In(array) => self.is_in(array),
                Operation::Array(array) => {
                    let array = self.array(array);
                    self.stack.push(Value::Array(array));
                }
                Operation::Join(count) => self.join(count)?,
                Operation::Store(place) => self.store(place)?,
                Operation::Append(place, count) => self.append(place, count)?,
                Operation::Assign(place) => {
                    let value = self.stack.last().cloned().unwrap_or_default();
                    self.store(place)?;
                    self.stack.push(value);
                }
                Operation::AssignWith(place, operator) => self.assign_with(place, operator)?,
                Operation::Increment { place, down, before } => self.increment(place, down, before)?,
                Operation::Pop => drop(self.pop()),
                Operation::Binary(operator) => {
                    let right = self.pop_number();
                    let left = self.pop_number();
                    let value = arithmetic(operator, left, right)?;
                    self.push_number(value);
                }
                Operation::Compare(comparison) => {
                    let right = self.pop();
                    let left = self.pop();
                    let holds = self.compare(comparison, &left, &right);
                    self.push_truth(holds);
                }
                Operation::Concat(count) => self.concat(count)?,
                Operation::Not => {
                    let value = self.pop();
                    self.push_truth(!value.is_true());
                }
                Operation::Negative => {
                    let value = self.pop_number();
                    self.push_number(-value);
                }
                Operation::ToNumber => {
                    let value = self.pop_number();
                    self.push_number(value);
                }
                Operation::Truth => {
                    let value = self.pop();
                    self.push_truth(value.is_true());
                }
                Operation::MatchRecord(regex) => {
                    let folded = if self.ignore_case { self.known_regex(regex).cloned() } else { None };
                    let regex = folded.as_ref().or_else(|| code.regexes.get(regex as usize));
                    let text = self.record.text(&self.ofs, &self.convfmt)?;
                    let found = match regex {
                        Some(regex) => regex.is_match(text)?,
                        None => false,
                    };
                    self.push_truth(found);
                }
                Operation::Match(regex) => {
                    let value = self.pop();
                    let text = value.to_text(&self.convfmt);
                    let found = self.regex(regex)?.is_match(&text)?;
                    self.tick_for(text.len())?;
                    self.push_truth(found);
                }
                Operation::MatchDynamic => {
                    let source = self.pop();
                    let text = self.pop();
                    let regex = self.dynamic_regex(&source.to_text(&self.convfmt.clone()))?;
                    let text = text.to_text(&self.convfmt);
                    let found = regex.is_match(&text)?;
                    self.tick_for(text.len())?;
                    self.push_truth(found);
                }
                Operation::Jump(target) => {
                    if target < at {
                        self.tick()?;
                    }
                    at = target;
                }
                Operation::JumpIfFalse(target) => {
                    if !self.pop().is_true() {
                        at = target;
                    }
                }
                Operation::JumpIfTrue(target) => {
                    if self.pop().is_true() {
                        at = target;
                    }
                }
                Operation::JumpUnless(comparison, target) => {
                    let right = self.pop();
                    let left = self.pop();
                    if !self.compare(comparison, &left, &right) {
                        at = target;
                    }
                }
                Operation::JumpInRange(range, target) => {
                    if self.in_range.get(range as usize).copied().unwrap_or(false) {
                        at = target;
                    }
                }
                Operation::SetRange(range, value) => {
                    if let Some(flag) = self.in_range.get_mut(range as usize) {
                        *flag = value;
                    }
                }
                Operation::Call { function, arguments } => at = self.call(function, arguments as usize, at)?,
                Operation::Return => {
                    let value = self.pop();
                    self.stack.truncate(self.base);
                    self.stack.push(value);
                    let Some(frame) = self.frames.pop() else { return Ok(End::Normal) };
                    self.base = frame.base;
                    at = frame.return_to;
                }
                Operation::BeginFor(array) => {
                    let array = self.array(array);
                    let subscripts = self.subscripts(&array)?;
                    self.loops.push(subscripts.into_iter());
                }
                Operation::NextFor(target) => {
                    self.tick()?;
                    match self.loops.last_mut().and_then(Iterator::next) {
                        Some(subscript) => self.stack.push(Value::String(subscript)),
                        None => at = target,
                    }
                }
                Operation::EndFor => drop(self.loops.pop()),
                Operation::DeleteAll(array) => self.array(array).borrow_mut().clear(),
                Operation::Delete(array) => self.delete(array),
                Operation::Next => return Ok(End::Next),
                Operation::NextFile => return Ok(End::NextFile),
                Operation::Exit => {
                    let status = self.pop_number();
                    // The low eight bits are what the system gives on.
                    self.status = ((status as i64) & 0xff) as u8;
                    return Ok(End::Exit);
                }
                Operation::ExitAsBefore => return Ok(End::Exit),
                Operation::End => return Ok(End::Normal),
                Operation::PrintRecord => self.print_record()?,
                Operation::PrintItems(items) => self.print_items(items)?,
                Operation::Print { arguments, to } => self.print(arguments as usize, to)?,
                Operation::Printf { arguments, to } => self.printf(arguments as usize, to)?,
                Operation::Getline { from, to_record } => self.getline(from, to_record)?,
                Operation::StoreRead(place) => {
                    let status = self.pop_number();
                    if status > 0.0 {
                        let text = self.text(&self.read);
                        self.stack.push(Value::Input(text));
                        self.store(place)?;
                    } else {
                        self.drop_operand(place);
                    }
                    self.push_number(status);
                }
                Operation::Builtin { builtin, arguments } => self.builtin(builtin, arguments as usize)?,
                Operation::LengthOfArray(array) => {
                    let length = self.array(array).borrow().len();
                    self.push_number(length as f64);
                }
                Operation::SplitByFs(array) => self.split_by_fs(array)?,
                Operation::SplitByRegex(array, regex) => self.split_by_regex(array, regex)?,
                Operation::SplitByValue(array) => self.split_by_value(array)?,
                Operation::MatchAt(regex) => {
                    let text = self.pop();
                    let regex = self.known_regex(regex).cloned();
                    self.match_at(&text, regex)?;
                }
                Operation::MatchAtDynamic => {
                    let source = self.pop();
                    let text = self.pop();
                    let regex = self.dynamic_regex(&source.to_text(&self.convfmt.clone()))?;
                    self.match_at(&text, Some(regex))?;
                }
                Operation::MatchInto { array, regex } => self.match_into(array, regex)?,
                Operation::Sort { from, to, by_index } => self.sort(from, to, by_index)?,
                Operation::Substitute { place, regex, all } => self.substitute(place, regex, all)?,
                Operation::Gensub { regex } => self.gensub(regex)?,
            }
        }
        Ok(End::Normal)
    }

    /// Enters a function; gives its first operation.
    fn call(&mut self, function: u32, arguments: usize, return_to: usize) -> Result<usize, Fail> {
        self.tick()?;
        let Some(function) = self.code.functions.get(function as usize) else {
            return Err(Fail::new("no such function"));
        };
        if self.frames.len() >= MAX_CALLS {
            let name = function.name.escape_ascii();
            return Err(Fail::new(format!("function {name}: calls are nested more than {MAX_CALLS} deep")));
        }
        self.frames.push(Frame { return_to, base: self.base });
        self.base = self.stack.len().saturating_sub(arguments);
        self.stack.resize(self.base + function.parameters.len(), Value::Uninitialized);
        Ok(function.entry)
    }
}
