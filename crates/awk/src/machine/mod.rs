//! Running the code.

mod functions;
mod gawk;
mod getline;
mod places;
mod print;
mod startup;
mod substitute;
mod time;

pub(super) use startup::assignment;

use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use hookshell_utility::io::{Failure, Kept, Running};
use hookshell_utility::random::SplitMix;

use super::ast::{Arithmetic, Comparison};
use super::code::{Code, Operation, Place};
use super::fail::{Fail, check_length};
use super::input::{Reader, RecordSeparator};
use super::output::Streams;
use super::record::Record;
use super::regex::Regex;
use super::text::Characters;
use super::value::{Text, Value};

/// A text of a variable that is counted by itself against what a run may keep.
const LONG_TEXT: usize = 64 << 10;

/// A shorter string is copied when something is appended to it: that costs less than to give it room to grow.
const LONG: usize = 256;

/// How deep functions may call each other.
const MAX_CALLS: usize = 200_000;

/// After so many bytes stored in arrays what they take is measured.
const MEASURE: usize = 16 << 20;

/// What an element that is stored counts beside its texts.
const PER_STORE: usize = 64;

/// The most elements of an array.
const MAX_ELEMENTS: usize = 1 << 24;

/// Regular expressions made from strings that are remembered.
const MAX_REGEXES: usize = 256;

/// How many turns and calls go by between two looks at the cancel token.
const TICKS: u32 = 256;

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
    kept: Kept,
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

    /// A value has been stored in an array. When much was since the last time, what all variables take is measured.
    #[inline]
    fn note_stored(&mut self, bytes: usize) -> Result<(), Fail> {
        self.stored += bytes;
        if self.stored >= self.measured_at { self.measure() } else { Ok(()) }
    }

    /// A text of this length has been stored in a variable. Short ones do not count: there are as many as the program has variables.
    #[inline]
    fn note_text(&mut self, length: usize) -> Result<(), Fail> {
        if length >= LONG_TEXT { self.note_stored(length) } else { Ok(()) }
    }

    #[cold]
    fn measure(&mut self) -> Result<(), Fail> {
        let bytes = self.globals.iter().chain(&self.stack).map(Value::memory).sum();
        self.kept.set(bytes)?;
        self.stored = 0;
        self.measured_at = MEASURE.max(bytes / 4);
        Ok(())
    }

    /// Looks at the cancel token now and then.
    #[inline]
    fn tick(&mut self) -> Result<(), Fail> {
        self.ticks = self.ticks.saturating_add(1);
        if self.ticks >= TICKS {
            self.ticks = 0;
            self.running.check()?;
        }
        Ok(())
    }

    /// As [`Self::tick`], for a step that goes over so many bytes.
    #[inline]
    fn tick_for(&mut self, bytes: usize) -> Result<(), Fail> {
        /// So many take about as long as a step.
        const STEP: usize = 8 << 10;
        self.ticks = self.ticks.saturating_add(u32::try_from(bytes / STEP).unwrap_or(u32::MAX));
        self.tick()
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

    /// Appends to a variable in its place: a string that grows word by word is not copied for each.
    fn append(&mut self, place: Place, count: u32) -> Result<(), Fail> {
        let first = self.stack.len().saturating_sub(count as usize);
        let at = match place {
            Place::Global(at) => self.globals.get_mut(at as usize),
            Place::Local(at) => self.stack.get_mut(self.base + at as usize),
            Place::Watched(_) | Place::Field | Place::Element(_) => None,
        };
        let old = match at {
            Some(Value::Grown(text)) => std::mem::take(text),
            Some(Value::String(text) | Value::Input(text)) if text.len() >= LONG => Box::new(text.to_vec()),
            at => {
                let value = at.map(|value| value.share()).unwrap_or_default();
                self.stack.insert(first, value);
                self.concat(count + 1)?;
                return self.store(place);
            }
        };
        let mut text = old;
        let before = text.len();
        for value in self.stack.drain(first..) {
            value.push_text(&self.convfmt, &mut text);
            check_length(text.len())?;
        }
        let more = text.len() - before;
        let at = match place {
            Place::Global(at) => self.globals.get_mut(at as usize),
            Place::Local(at) => self.stack.get_mut(self.base + at as usize),
            Place::Watched(_) | Place::Field | Place::Element(_) => None,
        };
        if let Some(at) = at {
            *at = Value::Grown(text);
        }
        self.note_stored(more)
    }

    fn concat(&mut self, count: u32) -> Result<(), Fail> {
        let first = self.stack.len().saturating_sub(count as usize);
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        for value in self.stack.drain(first..) {
            value.push_text(&self.convfmt, &mut text);
            check_length(text.len())?;
        }
        if text.len() > LONG_TEXT {
            self.tick_for(text.len())?;
        }
        let value = self.text(&text);
        self.scratch = text;
        self.stack.push(Value::String(value));
        Ok(())
    }

    /// Compares as numbers where both are numbers, numeric strings or nothing yet, else as strings.
    fn compare(&self, comparison: Comparison, left: &Value, right: &Value) -> bool {
        let numbers = match (left, right) {
            (Value::Number(left), Value::Number(right)) => Some((*left, *right)),
            (Value::String(_) | Value::Grown(_), _) | (_, Value::String(_) | Value::Grown(_)) => None,
            _ => match left.if_number() {
                Some(left) => right.if_number().map(|right| (left, right)),
                None => None,
            },
        };
        match numbers {
            Some((left, right)) => match comparison {
                Comparison::Less => left < right,
                Comparison::LessOrEqual => left <= right,
                Comparison::Equal => left == right,
                Comparison::NotEqual => left != right,
                Comparison::Greater => left > right,
                Comparison::GreaterOrEqual => left >= right,
            },
            None => {
                let order = self.order_texts(&left.to_text(&self.convfmt), &right.to_text(&self.convfmt));
                match comparison {
                    Comparison::Less => order.is_lt(),
                    Comparison::LessOrEqual => order.is_le(),
                    Comparison::Equal => order.is_eq(),
                    Comparison::NotEqual => order.is_ne(),
                    Comparison::Greater => order.is_gt(),
                    Comparison::GreaterOrEqual => order.is_ge(),
                }
            }
        }
    }
}

/// # Errors
/// A division by zero.
fn arithmetic(operator: Arithmetic, left: f64, right: f64) -> Result<f64, Fail> {
    Ok(match operator {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide | Arithmetic::Remainder if right == 0.0 => {
            let name = super::compile::operator_name(operator);
            return Err(Fail::new(format!("division by zero in {name}")));
        }
        Arithmetic::Divide => left / right,
        Arithmetic::Remainder => left % right,
        Arithmetic::Power => f64::powf(left, right),
    })
}
