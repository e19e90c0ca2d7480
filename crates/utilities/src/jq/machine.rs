//! Running a program: a machine with a stack of places to go back to, as jq's own.
//!
//! Neither calls nor results recurse on the thread's stack: `def f: 1 + f; f` ends at a limit, with a message.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use hookshell_shell::Stopped;

use super::builtin::{self, Native};
use super::env::{Env, Frame, Keys, Kont, Modified, Slot, Tracking};
use super::ops::{self, error, shown};
use super::path;
use super::resolve::{Matcher, Node, NodeId, Program};
use super::time;
use super::value::{Array, MAX_DEPTH, Object, Value};
use crate::system::date::Zone;

/// How many unfinished calls and operands there may be, and places to go back to.
const MAX_PENDING: usize = 6_000_000;
/// How many elements a collected array may have.
const MAX_ELEMENTS: usize = 1 << 26;
/// After how many steps the run is asked whether it goes on.
const CHECKED: u32 = 1024;

/// What a program needs of the run.
pub(super) trait Host {
    /// Is the run over?
    fn check(&self) -> Result<(), Stopped>;
    /// The next input; the error is a message.
    fn input(&mut self) -> Result<Result<Option<Value>, Value>, Stopped>;
    /// `debug`
    fn debug(&mut self, value: &Value) -> Result<(), Stopped>;
    /// `stderr`
    fn stderr(&mut self, value: &Value) -> Result<(), Stopped>;
    /// `env`
    fn env(&self) -> Value;
    /// The time zone of the run.
    fn zone(&self) -> Zone;
    /// `input_filename`
    fn filename(&self) -> Value;
    /// `input_line_number`
    fn line(&self) -> u64;
}

/// How a program ends for one input.
pub(super) enum End {
    /// There are no more results.
    Done,
    /// It raised something that nothing caught.
    Raised(Value),
    /// `halt` or `halt_error`: the message and the exit status.
    Halted(Option<(Value, Value)>),
    /// The run is over.
    Stopped(Stopped),
}

/// A place to go back to.
struct Fork {
    kind: Back,
    kont: Kont,
    tracking: Tracking,
}

enum Back {
    Eval(NodeId, Env, Value),
    Each(Value, usize),
    Range(f64, f64),
    Try(Option<NodeId>, Env),
    Label(u64),
    TryEnd,
    Alternative(Rc<Cell<bool>>, NodeId, Env, Value),
    Collect(Rc<RefCell<Array>>),
    Reduce(Rc<RefCell<Value>>),
    /// The next of alternative patterns, should there be an error.
    Pattern(usize, Target, Value),
    Modify(Rc<RefCell<Modified>>),
    /// `|=` had no result for a path.
    Unmodified(Rc<RefCell<Modified>>, Value),
}

/// What sees the variables of a pattern.
#[derive(Clone)]
enum Target {
    Bind { node: NodeId, env: Env, input: Value },
    Reduce { node: NodeId, env: Env, state: Rc<RefCell<Value>> },
    Foreach { node: NodeId, env: Env, state: Rc<RefCell<Value>> },
}

/// An error on its way; what is raised behind a `try` is wrapped so that it does not catch it.
struct Raised {
    value: Value,
    wraps: u32,
}

enum Next {
    Eval(NodeId, Env, Value, Kont),
    Return(Value, Kont),
    Back,
}

/// What ends a step in another way.
enum Exit {
    Raise(Value),
    End(End),
}

impl From<Value> for Exit {
    fn from(value: Value) -> Self {
        Self::Raise(value)
    }
}

impl From<Stopped> for Exit {
    fn from(stopped: Stopped) -> Self {
        Self::End(End::Stopped(stopped))
    }
}

/// A run of a program.
pub(super) struct Machine<'p> {
    program: &'p Program,
    globals: &'p [Value],
    forks: Vec<Fork>,
    tracking: Tracking,
    labels: u64,
    steps: u32,
    started: Option<Value>,
}

impl<'p> Machine<'p> {
    /// A machine for a program and the values of its global variables.
    pub(super) fn new(program: &'p Program, globals: &'p [Value]) -> Self {
        let tracking = Tracking { keys: None, value: Value::Null, nested: 0 };
        Self { program, globals, forks: Vec::new(), tracking, labels: 0, steps: 0, started: None }
    }

    /// Begins with an input.
    pub(super) fn start(&mut self, input: Value) {
        self.forks.clear();
        self.tracking = Tracking { keys: None, value: Value::Null, nested: 0 };
        self.started = Some(input);
    }

    /// The next result.
    pub(super) fn next(&mut self, host: &mut dyn Host) -> Result<Value, End> {
        let mut next = match self.started.take() {
            Some(input) => Next::Eval(self.program.main, Env::default(), input, Kont::default()),
            None => Next::Back,
        };
        let mut raised: Option<Raised> = None;
        loop {
            self.steps += 1;
            if self.steps >= CHECKED {
                self.steps = 0;
                host.check().map_err(End::Stopped)?;
            }
            let step = match next {
                Next::Eval(node, env, input, kont) => {
                    if kont.len() as usize > MAX_PENDING || self.forks.len() > MAX_PENDING {
                        self.forks.clear();
                        return Err(End::Raised("hookshell's jq: the program recurses too deep".into()));
                    }
                    self.eval(node, env, input, kont, host)
                }
                Next::Return(value, kont) => match kont.split() {
                    None => return Ok(value),
                    Some((frame, kont)) => self.apply(frame, value, kont, host),
                },
                Next::Back => {
                    let Some(fork) = self.forks.pop() else {
                        return Err(match raised {
                            Some(raised) => End::Raised(raised.value),
                            None => End::Done,
                        });
                    };
                    self.tracking = fork.tracking;
                    self.back(fork.kind, fork.kont, &mut raised)
                }
            };
            next = match step {
                Ok(next) => next,
                Err(Exit::Raise(value)) => {
                    raised = Some(Raised { value, wraps: 0 });
                    Next::Back
                }
                Err(Exit::End(end)) => return Err(end),
            };
        }
    }

    fn node(&self, id: NodeId) -> &'p Node {
        const MISSING: Node = Node::Empty;
        self.program.nodes.get(id as usize).unwrap_or(&MISSING)
    }

    fn is_simple(&self, id: NodeId) -> bool {
        self.program.simple.get(id as usize).copied().unwrap_or(false)
    }

    fn fork(&mut self, kind: Back, kont: &Kont) {
        self.forks.push(Fork { kind, kont: kont.clone(), tracking: self.tracking.clone() });
    }

    fn is_tracking(&self) -> bool {
        self.tracking.nested == 0 && self.tracking.keys.is_some()
    }

    /// Is the value still the one that the path leads to?
    fn is_intact(&self, value: &Value) -> bool {
        !self.is_tracking() || value.is_same(&self.tracking.value)
    }

    fn append(&mut self, key: &Value, value: &Value) {
        if self.tracking.nested == 0
            && let Some(keys) = &self.tracking.keys
        {
            self.tracking.keys = Some(keys.with(key.clone()));
            self.tracking.value = value.clone();
        }
    }

    /// The value of an expression that has exactly one and does not follow a path.
    fn simple(&self, id: NodeId, env: &Env, input: &Value) -> ops::Outcome {
        match self.node(id) {
            Node::Identity => Ok(input.clone()),
            Node::Const(value) => Ok(value.clone()),
            Node::Variable(steps) => Ok(match env.get(*steps) {
                Some(Slot::Value(value)) => value.clone(),
                _ => Value::Null,
            }),
            Node::Global(at) => Ok(self.globals.get(*at as usize).cloned().unwrap_or(Value::Null)),
            Node::Index { term, key, .. } => {
                let key = self.simple(*key, env, input)?;
                if let Node::Identity = self.node(*term) {
                    return path::get(input, &key);
                }
                path::get(&self.simple(*term, env, input)?, &key)
            }
            Node::Slice { term, from, to, .. } => {
                let key = slice_key(self.simple(*from, env, input)?, self.simple(*to, env, input)?);
                path::get(&self.simple(*term, env, input)?, &key)
            }
            Node::Pipe(a, b) => self.simple(*b, env, &self.simple(*a, env, input)?),
            Node::Binary(op, a, b) => {
                let b = self.simple(*b, env, input)?;
                let a = self.simple(*a, env, input)?;
                limited(ops::binary(*op, a, b)?)
            }
            Node::And(a, b) => {
                Ok(Value::Bool(self.simple(*a, env, input)?.is_true() && self.simple(*b, env, input)?.is_true()))
            }
            Node::Or(a, b) => {
                Ok(Value::Bool(self.simple(*a, env, input)?.is_true() || self.simple(*b, env, input)?.is_true()))
            }
            Node::Alternative(a, b) => {
                let value = self.simple(*a, env, input)?;
                if value.is_true() { Ok(value) } else { self.simple(*b, env, input) }
            }
            Node::Negate(a) => ops::negate(&self.simple(*a, env, input)?),
            Node::Collect(a) => limited(Value::array(vec![self.simple(*a, env, input)?])),
            Node::Object(members) => {
                let mut object = Object::default();
                for (key, value) in members {
                    let key = self.simple(*key, env, input)?;
                    let value = match value {
                        Some(value) => self.simple(*value, env, input)?,
                        None => path::get(input, &key)?,
                    };
                    object.set(key_text(key)?, value);
                }
                limited(Value::Object(Arc::new(object)))
            }
            Node::Native { native, args } => {
                let mut values = [Value::Null, Value::Null, Value::Null];
                for (at, arg) in args.iter().enumerate().rev() {
                    if let Some(slot) = values.get_mut(at) {
                        *slot = self.simple(*arg, env, input)?;
                    }
                }
                limited(builtin::call(*native, input.clone(), values)?)
            }
            Node::Format(a, name) => builtin::format(name, &self.simple(*a, env, input)?),
            Node::If(condition, then, otherwise) => {
                let branch = if self.simple(*condition, env, input)?.is_true() { then } else { otherwise };
                self.simple(*branch, env, input)
            }
            Node::Try(body, Some(handler)) => match self.simple(*body, env, input) {
                Ok(value) => Ok(value),
                Err(raised) => self.simple(*handler, env, &raised),
            },
            // Nothing else is simple.
            _ => Ok(Value::Null),
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    fn eval(&mut self, id: NodeId, env: Env, input: Value, kont: Kont, host: &mut dyn Host) -> Result<Next, Exit> {
        let node = self.node(id);
        if self.is_simple(id) && !self.is_tracking() {
            let value = match node {
                Node::Identity => input,
                // The input is given away, so that it can be changed in place.
                Node::Native { native, args } => {
                    let mut values = [Value::Null, Value::Null, Value::Null];
                    for (at, arg) in args.iter().enumerate().rev() {
                        if let Some(slot) = values.get_mut(at) {
                            *slot = self.simple(*arg, &env, &input)?;
                        }
                    }
                    limited(builtin::call(*native, input, values)?)?
                }
                Node::Binary(op, a, b) if matches!(self.node(*a), Node::Identity) => {
                    let b = self.simple(*b, &env, &input)?;
                    limited(ops::binary(*op, input, b)?)?
                }
                Node::Pipe(a, b) => {
                    let value = self.simple(*a, &env, &input)?;
                    drop(input);
                    return Ok(Next::Eval(*b, env, value, kont));
                }
                _ => self.simple(id, &env, &input)?,
            };
            return Ok(Next::Return(value, kont));
        }
        Ok(match node {
            Node::Identity => Next::Return(input, kont),
            Node::Const(_) | Node::Variable(_) | Node::Global(_) => Next::Return(self.simple(id, &env, &input)?, kont),
            Node::Empty => Next::Back,
            Node::Index { term, key, optional } => {
                if self.is_simple(*key) {
                    let key = self.simple(*key, &env, &input)?;
                    if let Node::Identity = self.node(*term) {
                        return self.index(&input, key, *optional, kont);
                    }
                    Next::Eval(*term, env, input, kont.with(Frame::IndexTerm { key, optional: *optional }))
                } else {
                    self.tracking.nested += 1;
                    let frame =
                        Frame::IndexKey { term: *term, optional: *optional, env: env.clone(), input: input.clone() };
                    Next::Eval(*key, env, input, kont.with(frame))
                }
            }
            Node::Slice { from, .. } => {
                self.tracking.nested += 1;
                let frame = Frame::SliceFrom { node: id, env: env.clone(), input: input.clone() };
                Next::Eval(*from, env, input, kont.with(frame))
            }
            Node::Each { term, optional } => {
                if let Node::Identity = self.node(*term) {
                    return self.each(input, 0, *optional, kont);
                }
                Next::Eval(*term, env, input, kont.with(Frame::EachTerm { optional: *optional }))
            }
            Node::Pipe(a, b) => Next::Eval(*a, env.clone(), input, kont.with(Frame::Pipe(*b, env))),
            Node::Comma(a, b) => {
                self.fork(Back::Eval(*b, env.clone(), input.clone()), &kont);
                Next::Eval(*a, env, input, kont)
            }
            Node::Binary(_, a, b) => {
                self.tracking.nested += 1;
                if self.is_simple(*b) {
                    let right = self.simple(*b, &env, &input)?;
                    Next::Eval(*a, env, input, kont.with(Frame::BinaryLeft { node: id, right }))
                } else {
                    let frame = Frame::BinaryRight { node: id, env: env.clone(), input: input.clone() };
                    Next::Eval(*b, env, input, kont.with(frame))
                }
            }
            Node::And(a, b) => {
                let frame = Frame::AndLeft { right: *b, env: env.clone(), input: input.clone() };
                Next::Eval(*a, env, input, kont.with(frame))
            }
            Node::Or(a, b) => {
                let frame = Frame::OrLeft { right: *b, env: env.clone(), input: input.clone() };
                Next::Eval(*a, env, input, kont.with(frame))
            }
            Node::Alternative(a, b) => {
                let found = Rc::new(Cell::new(false));
                self.fork(Back::Alternative(found.clone(), *b, env.clone(), input.clone()), &kont);
                Next::Eval(*a, env, input, kont.with(Frame::AlternativeLeft(found)))
            }
            Node::Negate(a) => Next::Eval(*a, env, input, kont.with(Frame::Negate)),
            Node::Format(a, name) => Next::Eval(*a, env, input, kont.with(Frame::Format(name.clone()))),
            Node::Collect(a) => {
                let array = Rc::new(RefCell::new(Array::default()));
                self.fork(Back::Collect(array.clone()), &kont);
                Next::Eval(*a, env, input, kont.with(Frame::Collect(array)))
            }
            Node::Object(_) => {
                let made = Value::Object(Arc::new(Object::default()));
                self.tracking.nested += 1;
                return self.object(id, 0, env, input, made, kont);
            }
            Node::Closure(steps) => match env.get(*steps) {
                Some(Slot::Closure(body, inner)) => Next::Eval(*body, inner.clone(), input, kont),
                _ => Next::Back,
            },
            Node::Function { function, hidden, args } => {
                let mut callee = env.without(*hidden);
                for arg in args {
                    // A parameter that is only passed on is passed on itself, so that chains of them do not grow.
                    let slot = match self.node(*arg) {
                        Node::Closure(steps) => match env.get(*steps) {
                            Some(Slot::Closure(body, inner)) => Slot::Closure(*body, inner.clone()),
                            _ => Slot::Closure(*arg, env.clone()),
                        },
                        _ => Slot::Closure(*arg, env.clone()),
                    };
                    callee = callee.with(slot);
                }
                let body = self.program.functions.get(*function as usize).copied().unwrap_or(0);
                Next::Eval(body, callee, input, kont)
            }
            Node::Native { .. } => {
                self.tracking.nested += 1;
                return self.arguments(id, env, input, Vec::new(), kont, host);
            }
            Node::If(condition, then, otherwise) => {
                if self.is_simple(*condition) {
                    let branch = if self.simple(*condition, &env, &input)?.is_true() { then } else { otherwise };
                    return Ok(Next::Eval(*branch, env, input, kont));
                }
                self.tracking.nested += 1;
                let frame =
                    Frame::Condition { then: *then, otherwise: *otherwise, env: env.clone(), input: input.clone() };
                Next::Eval(*condition, env, input, kont.with(frame))
            }
            Node::Try(body, handler) => {
                self.fork(Back::Try(*handler, env.clone()), &kont);
                Next::Eval(*body, env, input, kont.with(Frame::TryEnd))
            }
            Node::Label(body) => {
                let label = self.labels;
                self.labels += 1;
                self.fork(Back::Label(label), &kont);
                Next::Eval(*body, env.with(Slot::Label(label)), input, kont.with(Frame::TryEnd))
            }
            Node::Break(steps) => {
                let label = match env.get(*steps) {
                    Some(Slot::Label(label)) => *label,
                    _ => u64::MAX,
                };
                return Err(Exit::Raise(label_value(label)));
            }
            Node::Reduce { init, .. } => {
                let frame = Frame::ReduceInit { node: id, env: env.clone(), input: input.clone() };
                Next::Eval(*init, env, input, kont.with(frame))
            }
            Node::Foreach { init, .. } => {
                let frame = Frame::ForeachInit { node: id, env: env.clone(), input: input.clone() };
                Next::Eval(*init, env, input, kont.with(frame))
            }
            Node::Bind { source, .. } => {
                if self.is_simple(*source) {
                    let value = self.simple(*source, &env, &input)?;
                    return self.bind(0, Target::Bind { node: id, env, input }, value, kont);
                }
                self.tracking.nested += 1;
                let frame = Frame::BindSource { node: id, env: env.clone(), input: input.clone() };
                Next::Eval(*source, env, input, kont.with(frame))
            }
            Node::Path(inner) => {
                let kont = kont.with(Frame::PathEnd(self.tracking.clone()));
                self.tracking = Tracking { keys: Some(Keys::default()), value: input.clone(), nested: 0 };
                Next::Eval(*inner, env, input, kont)
            }
            Node::Range(from, to) => {
                let frame = Frame::RangeFrom { to: *to, env: env.clone(), input: input.clone() };
                Next::Eval(*from, env, input, kont.with(frame))
            }
            Node::Modify(paths, update) => {
                let state = Rc::new(RefCell::new(Modified { value: input.clone(), deleted: Array::default() }));
                self.fork(Back::Modify(state.clone()), &kont);
                let kont = kont.with(Frame::ModifyPath { update: *update, env: env.clone(), state });
                let kont = kont.with(Frame::PathEnd(self.tracking.clone()));
                self.tracking = Tracking { keys: Some(Keys::default()), value: input.clone(), nested: 0 };
                Next::Eval(*paths, env, input, kont)
            }
        })
    }

    /// `.[KEY]`
    fn index(&mut self, term: &Value, key: Value, optional: bool, kont: Kont) -> Result<Next, Exit> {
        if !self.is_intact(term) {
            return Ok(error(format!(
                "Invalid path expression near attempt to access element {} of {}",
                shown(&key, 15),
                shown(term, 30)
            ))?);
        }
        match path::get(term, &key) {
            Ok(value) => {
                self.append(&key, &value);
                Ok(Next::Return(value, kont))
            }
            Err(_) if optional => Ok(Next::Back),
            Err(raised) => Err(raised.into()),
        }
    }

    /// `.[]` from an element on.
    fn each(&mut self, container: Value, at: usize, optional: bool, kont: Kont) -> Result<Next, Exit> {
        if at == 0 && !self.is_intact(&container) {
            return Ok(error(format!(
                "Invalid path expression near attempt to iterate through {}",
                shown(&container, 30)
            ))?);
        }
        let (key, value, count) = match &container {
            Value::Array(array) => match array.items().get(at) {
                Some(value) => (None, value.clone(), array.len()),
                None => return Ok(Next::Back),
            },
            Value::Object(object) => match object.entries().get(at) {
                Some((key, value)) => (Some(key.clone()), value.clone(), object.len()),
                None => return Ok(Next::Back),
            },
            _ if optional => return Ok(Next::Back),
            other => {
                return Ok(error(format!("Cannot iterate over {} ({})", other.kind(), shown(other, 15)))?);
            }
        };
        if at + 1 < count {
            self.fork(Back::Each(container, at + 1), &kont);
        }
        if self.is_tracking() {
            self.append(&key.map_or_else(|| Value::count(at), Value::String), &value);
        }
        Ok(Next::Return(value, kont))
    }

    /// Goes on making an object, inside an operand.
    fn object(
        &mut self,
        id: NodeId,
        mut at: usize,
        env: Env,
        input: Value,
        mut made: Value,
        kont: Kont,
    ) -> Result<Next, Exit> {
        let Node::Object(members) = self.node(id) else {
            return Ok(Next::Back);
        };
        while let Some((key, value)) = members.get(at) {
            if !self.is_simple(*key) {
                let frame = Frame::ObjectKey { node: id, at, env: env.clone(), input: input.clone(), made };
                return Ok(Next::Eval(*key, env, input, kont.with(frame)));
            }
            let key = self.simple(*key, &env, &input)?;
            let value = match value {
                None => path::get(&input, &key)?,
                Some(value) if self.is_simple(*value) => self.simple(*value, &env, &input)?,
                Some(value) => {
                    let frame = Frame::ObjectValue { node: id, at, env: env.clone(), input: input.clone(), made, key };
                    return Ok(Next::Eval(*value, env, input, kont.with(frame)));
                }
            };
            insert(&mut made, key, value)?;
            at += 1;
        }
        self.tracking.nested = self.tracking.nested.saturating_sub(1);
        Ok(Next::Return(limited(made)?, kont))
    }

    /// Goes on with the arguments of a builtin, the last first, inside an operand.
    fn arguments(
        &mut self,
        id: NodeId,
        env: Env,
        input: Value,
        mut known: Vec<Value>,
        kont: Kont,
        host: &mut dyn Host,
    ) -> Result<Next, Exit> {
        let Node::Native { native, args } = self.node(id) else {
            return Ok(Next::Back);
        };
        while let Some(arg) = args.len().checked_sub(known.len() + 1).and_then(|at| args.get(at)) {
            if !self.is_simple(*arg) {
                let frame = Frame::Argument { node: id, env: env.clone(), input: input.clone(), known };
                return Ok(Next::Eval(*arg, env, input, kont.with(frame)));
            }
            known.push(self.simple(*arg, &env, &input)?);
        }
        self.tracking.nested = self.tracking.nested.saturating_sub(1);
        let mut values = [Value::Null, Value::Null, Value::Null];
        for (slot, value) in values.iter_mut().zip(known.into_iter().rev()) {
            *slot = value;
        }
        if self.is_tracking() {
            // jq defines these in jq: what they iterate over must be on the path.
            let iterated = match (native, &input) {
                (Native::Add | Native::Join, _) if !self.is_intact(&input) => Some(input.clone()),
                (Native::AsciiDowncase | Native::AsciiUpcase, Value::String(_)) => {
                    Some(builtin::call(Native::Explode, input.clone(), [Value::Null, Value::Null, Value::Null])?)
                }
                _ => None,
            };
            if let Some(iterated) = iterated {
                return Ok(error(format!(
                    "Invalid path expression near attempt to iterate through {}",
                    shown(&iterated, 30)
                ))?);
            }
        }
        let value = match native {
            Native::Getpath => {
                let [path, ..] = values;
                return self.getpath(&input, &path, kont);
            }
            Native::Input => match host.input()? {
                Ok(Some(value)) => value,
                Ok(None) => return Ok(error("break")?),
                Err(raised) => return Err(raised.into()),
            },
            Native::Debug => {
                host.debug(&input)?;
                input
            }
            Native::Stderr => {
                host.stderr(&input)?;
                input
            }
            Native::Env => host.env(),
            Native::Localtime => time::localtime(&input, &host.zone())?,
            Native::Strftime | Native::Strflocaltime => {
                let [format, ..] = values;
                time::strftime(&input, &format, &host.zone(), *native == Native::Strflocaltime)?
            }
            Native::InputFilename => host.filename(),
            #[allow(clippy::cast_precision_loss, reason = "jq's numbers are doubles")]
            Native::InputLineNumber => Value::Number(host.line() as f64),
            Native::Halt => return Err(Exit::End(End::Halted(None))),
            Native::HaltError => {
                let [status, ..] = values;
                if !status.is_number() {
                    return Ok(ops::type_error(&input, "halt_error/1: number required")?);
                }
                return Err(Exit::End(End::Halted(Some((input, status)))));
            }
            native => limited(builtin::call(*native, input, values)?)?,
        };
        Ok(Next::Return(value, kont))
    }

    fn getpath(&mut self, input: &Value, path: &Value, kont: Kont) -> Result<Next, Exit> {
        let value = path::getpath(input, path)?;
        if self.is_tracking()
            && input.is_same(&self.tracking.value)
            && let Value::Array(keys) = path
            && let Some(own) = &self.tracking.keys
        {
            let joined = keys.items().iter().fold(own.clone(), |joined, key| joined.with(key.clone()));
            self.tracking.keys = Some(joined);
            self.tracking.value = value.clone();
        }
        Ok(Next::Return(value, kont))
    }

    /// Takes a value apart by a pattern, and goes on with what sees the variables.
    fn bind(&mut self, alternative: usize, target: Target, value: Value, kont: Kont) -> Result<Next, Exit> {
        let (Target::Bind { node, env, .. } | Target::Reduce { node, env, .. } | Target::Foreach { node, env, .. }) =
            &target;
        let (Node::Bind { patterns, .. } | Node::Reduce { patterns, .. } | Node::Foreach { patterns, .. }) =
            self.node(*node)
        else {
            return Ok(Next::Back);
        };
        let Some(patterns) = self.program.patterns.get(*patterns as usize) else {
            return Ok(Next::Back);
        };
        let several = patterns.alternatives.len() > 1;
        let Some(matcher) = patterns.alternatives.get(alternative) else {
            return Ok(Next::Back);
        };
        if alternative + 1 < patterns.alternatives.len() {
            self.fork(Back::Pattern(alternative + 1, target.clone(), value.clone()), &kont);
        }
        let inner = if let (Matcher::Variable(0), 1) = (matcher, patterns.variables) {
            env.with(Slot::Value(value))
        } else {
            let mut slots = vec![None; patterns.variables as usize];
            self.take_apart(matcher, value, env, several, &mut slots)?;
            slots.into_iter().fold(env.clone(), |env, slot| env.with(Slot::Value(slot.unwrap_or(Value::Null))))
        };
        let node = self.node(*node);
        Ok(match (target, node) {
            (Target::Bind { input, .. }, Node::Bind { body, .. }) => Next::Eval(*body, inner, input, kont),
            (Target::Reduce { state, .. }, Node::Reduce { update, .. }) => {
                let current = state.replace(Value::Null);
                Next::Eval(*update, inner, current, kont.with(Frame::ReduceUpdate(state)))
            }
            (Target::Foreach { state, .. }, Node::Foreach { update, extract, .. }) => {
                let current = state.replace(Value::Null);
                let frame = Frame::ForeachUpdate { extract: *extract, env: inner.clone(), state };
                Next::Eval(*update, inner, current, kont.with(frame))
            }
            _ => Next::Back,
        })
    }

    fn take_apart(
        &mut self,
        matcher: &Matcher,
        value: Value,
        env: &Env,
        overwrite: bool,
        slots: &mut [Option<Value>],
    ) -> Result<(), Exit> {
        let set = |slots: &mut [Option<Value>], at: u32, value: Value| {
            if let Some(slot) = slots.get_mut(at as usize)
                && (overwrite || slot.is_none())
            {
                *slot = Some(value);
            }
        };
        match matcher {
            Matcher::Variable(at) => set(slots, *at, value),
            Matcher::Array(items) => {
                for (at, item) in items.iter().enumerate().rev() {
                    let inner = self.member(&value, Value::count(at))?;
                    self.take_apart(item, inner, env, overwrite, slots)?;
                }
            }
            Matcher::Object(items) => {
                for (key, variable, item) in items {
                    let key = self.simple(*key, env, &value)?;
                    let inner = self.member(&value, key)?;
                    if let Some(at) = variable {
                        set(slots, *at, inner.clone());
                    }
                    if let Some(item) = item {
                        self.take_apart(item, inner, env, overwrite, slots)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn member(&mut self, value: &Value, key: Value) -> Result<Value, Exit> {
        match self.index(value, key, false, Kont::default())? {
            Next::Return(value, _) => Ok(value),
            _ => Ok(Value::Null),
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each kind of frame")]
    fn apply(&mut self, frame: Frame, value: Value, kont: Kont, host: &mut dyn Host) -> Result<Next, Exit> {
        Ok(match frame {
            Frame::Pipe(node, env) => Next::Eval(node, env, value, kont),
            Frame::IndexKey { term, optional, env, input } => {
                self.leave();
                Next::Eval(term, env, input, kont.with(Frame::IndexTerm { key: value, optional }))
            }
            Frame::IndexTerm { key, optional } => return self.index(&value, key, optional, kont),
            Frame::EachTerm { optional } => return self.each(value, 0, optional, kont),
            Frame::SliceFrom { node, env, input } => {
                let Node::Slice { to, .. } = self.node(node) else {
                    return Ok(Next::Back);
                };
                let frame = Frame::SliceTo { node, env: env.clone(), input: input.clone(), from: value };
                Next::Eval(*to, env, input, kont.with(frame))
            }
            Frame::SliceTo { node, env, input, from } => {
                let Node::Slice { term, optional, .. } = self.node(node) else {
                    return Ok(Next::Back);
                };
                self.leave();
                let frame = Frame::IndexTerm { key: slice_key(from, value), optional: *optional };
                Next::Eval(*term, env, input, kont.with(frame))
            }
            Frame::BinaryRight { node, env, input } => {
                let Node::Binary(_, a, _) = self.node(node) else {
                    return Ok(Next::Back);
                };
                Next::Eval(*a, env, input, kont.with(Frame::BinaryLeft { node, right: value }))
            }
            Frame::BinaryLeft { node, right } => {
                let Node::Binary(op, ..) = self.node(node) else {
                    return Ok(Next::Back);
                };
                self.leave();
                Next::Return(limited(ops::binary(*op, value, right)?)?, kont)
            }
            Frame::AndLeft { right, env, input } => {
                if value.is_true() {
                    Next::Eval(right, env, input, kont.with(Frame::Truth))
                } else {
                    Next::Return(Value::Bool(false), kont)
                }
            }
            Frame::OrLeft { right, env, input } => {
                if value.is_true() {
                    Next::Return(Value::Bool(true), kont)
                } else {
                    Next::Eval(right, env, input, kont.with(Frame::Truth))
                }
            }
            Frame::Truth => Next::Return(Value::Bool(value.is_true()), kont),
            Frame::AlternativeLeft(found) => {
                if !value.is_true() {
                    return Ok(Next::Back);
                }
                found.set(true);
                Next::Return(value, kont)
            }
            Frame::Negate => Next::Return(ops::negate(&value)?, kont),
            Frame::Format(name) => Next::Return(builtin::format(&name, &value)?, kont),
            Frame::Collect(array) => {
                let mut array = array.borrow_mut();
                if array.len() >= MAX_ELEMENTS {
                    return Ok(error("hookshell's jq: an array is too long")?);
                }
                array.push(value);
                Next::Back
            }
            Frame::ObjectKey { node, at, env, input, mut made } => {
                let Node::Object(members) = self.node(node) else {
                    return Ok(Next::Back);
                };
                match members.get(at).and_then(|(_, member)| *member) {
                    Some(member) => {
                        let frame =
                            Frame::ObjectValue { node, at, env: env.clone(), input: input.clone(), made, key: value };
                        Next::Eval(member, env, input, kont.with(frame))
                    }
                    None => {
                        let member = path::get(&input, &value)?;
                        insert(&mut made, value, member)?;
                        return self.object(node, at + 1, env, input, made, kont);
                    }
                }
            }
            Frame::ObjectValue { node, at, env, input, mut made, key } => {
                insert(&mut made, key, value)?;
                return self.object(node, at + 1, env, input, made, kont);
            }
            Frame::Argument { node, env, input, mut known } => {
                known.push(value);
                return self.arguments(node, env, input, known, kont, host);
            }
            Frame::Condition { then, otherwise, env, input } => {
                self.leave();
                Next::Eval(if value.is_true() { then } else { otherwise }, env, input, kont)
            }
            Frame::TryEnd => {
                self.fork(Back::TryEnd, &Kont::default());
                Next::Return(value, kont)
            }
            Frame::ReduceInit { node, env, input } => {
                let Node::Reduce { source, .. } = self.node(node) else {
                    return Ok(Next::Back);
                };
                let state = Rc::new(RefCell::new(value));
                self.fork(Back::Reduce(state.clone()), &kont);
                Next::Eval(*source, env.clone(), input, kont.with(Frame::ReduceItem { node, env, state }))
            }
            Frame::ReduceItem { node, env, state } => {
                return self.bind(0, Target::Reduce { node, env, state }, value, kont);
            }
            Frame::ReduceUpdate(state) => {
                state.replace(value);
                Next::Back
            }
            Frame::ForeachInit { node, env, input } => {
                let Node::Foreach { source, .. } = self.node(node) else {
                    return Ok(Next::Back);
                };
                let state = Rc::new(RefCell::new(value));
                Next::Eval(*source, env.clone(), input, kont.with(Frame::ForeachItem { node, env, state }))
            }
            Frame::ForeachItem { node, env, state } => {
                return self.bind(0, Target::Foreach { node, env, state }, value, kont);
            }
            Frame::ForeachUpdate { extract, env, state } => {
                state.replace(value.clone());
                match extract {
                    Some(extract) => Next::Eval(extract, env, value, kont),
                    None => Next::Return(value, kont),
                }
            }
            Frame::BindSource { node, env, input } => {
                self.leave();
                return self.bind(0, Target::Bind { node, env, input }, value, kont);
            }
            Frame::PathEnd(outer) => {
                if !self.is_intact(&value) {
                    return Ok(error(format!("Invalid path expression with result {}", shown(&value, 30)))?);
                }
                let keys = self.tracking.keys.take().unwrap_or_default();
                self.tracking = outer;
                Next::Return(keys.to_array(), kont)
            }
            Frame::RangeFrom { to, env, input } => {
                Next::Eval(to, env, input, kont.with(Frame::RangeTo { from: value }))
            }
            Frame::RangeTo { from } => {
                let (Some(start), Some(end)) = (from.as_f64(), value.as_f64()) else {
                    return Ok(error("Range bounds must be numeric")?);
                };
                if start >= end {
                    return Ok(Next::Back);
                }
                self.fork(Back::Range(start + 1.0, end), &kont);
                Next::Return(from, kont)
            }
            Frame::ModifyPath { update, env, state } => {
                let current = path::getpath(&state.borrow().value, &value)?;
                self.fork(Back::Unmodified(state.clone(), value.clone()), &kont);
                let forks = self.forks.len();
                Next::Eval(update, env, current, kont.with(Frame::ModifyUpdate { path: value, forks, state }))
            }
            Frame::ModifyUpdate { path, forks, state } => {
                // The first result counts: the others, and the fork for none, are forgotten.
                self.forks.truncate(forks.saturating_sub(1));
                let mut state = state.borrow_mut();
                let whole = std::mem::replace(&mut state.value, Value::Null);
                state.value = limited(path::setpath(whole, &path, value)?)?;
                Next::Back
            }
        })
    }

    /// The end of an operand.
    fn leave(&mut self) {
        self.tracking.nested = self.tracking.nested.saturating_sub(1);
    }

    fn back(&mut self, kind: Back, kont: Kont, raised: &mut Option<Raised>) -> Result<Next, Exit> {
        if let Some(error) = raised {
            let handler = match &kind {
                Back::TryEnd => {
                    error.wraps += 1;
                    return Ok(Next::Back);
                }
                Back::Try(..) | Back::Label(_) if error.wraps > 0 => {
                    error.wraps -= 1;
                    return Ok(Next::Back);
                }
                Back::Try(..) | Back::Label(_) | Back::Pattern(..) => raised.take(),
                _ => None,
            };
            let Some(Raised { value, .. }) = handler else {
                return Ok(Next::Back);
            };
            return match kind {
                Back::Try(Some(handler), env) => Ok(Next::Eval(handler, env, value, kont)),
                Back::Label(label) if !value.equals(&label_value(label)) => Err(Exit::Raise(value)),
                Back::Pattern(alternative, target, value) => self.bind(alternative, target, value, kont),
                _ => Ok(Next::Back),
            };
        }
        Ok(match kind {
            Back::Eval(node, env, input) => Next::Eval(node, env, input, kont),
            Back::Each(container, at) => return self.each(container, at, true, kont),
            Back::Range(at, end) => {
                if at >= end {
                    return Ok(Next::Back);
                }
                self.fork(Back::Range(at + 1.0, end), &kont);
                Next::Return(Value::Number(at), kont)
            }
            Back::Alternative(found, node, env, input) => {
                if found.get() {
                    Next::Back
                } else {
                    Next::Eval(node, env, input, kont)
                }
            }
            Back::Collect(array) => Next::Return(limited(Value::Array(Arc::new(array.take())))?, kont),
            Back::Reduce(state) => Next::Return(state.replace(Value::Null), kont),
            Back::Modify(state) => {
                let mut state = state.borrow_mut();
                let value = std::mem::replace(&mut state.value, Value::Null);
                let deleted = Value::Array(Arc::new(std::mem::take(&mut state.deleted)));
                if self.is_tracking() {
                    let both = Value::array(vec![value, deleted]);
                    return Ok(error(format!(
                        "Invalid path expression near attempt to access element 0 of {}",
                        shown(&both, 30)
                    ))?);
                }
                Next::Return(path::delpaths(value, &deleted)?, kont)
            }
            Back::Unmodified(state, path) => {
                state.borrow_mut().deleted.push(path);
                Next::Back
            }
            Back::Try(..) | Back::Label(_) | Back::TryEnd | Back::Pattern(..) => Next::Back,
        })
    }
}

fn label_value(label: u64) -> Value {
    #[allow(clippy::cast_precision_loss, reason = "jq's numbers are doubles")]
    Value::object([("__jq", Value::Number(label as f64))])
}

fn slice_key(from: Value, to: Value) -> Value {
    Value::object([("start", from), ("end", to)])
}

fn key_text(key: Value) -> Result<Arc<str>, Value> {
    match key {
        Value::String(key) => Ok(key),
        other => error(format!("Cannot use {} ({}) as object key", other.kind(), shown(&other, 15))),
    }
}

fn insert(made: &mut Value, key: Value, value: Value) -> Result<(), Value> {
    let key = key_text(key)?;
    if let Value::Object(object) = made {
        Arc::make_mut(object).set(key, value);
    }
    Ok(())
}

/// Is a value not nested too deep?
fn limited(value: Value) -> ops::Outcome {
    if value.depth() > MAX_DEPTH { error("hookshell's jq: a value is nested too deep") } else { Ok(value) }
}
