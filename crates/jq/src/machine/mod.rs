//! Running a program: a machine with a stack of places to go back to, as jq's own.
//!
//! Neither calls nor results recurse on the thread's stack: `def f: 1 + f; f` ends at a limit, with a message.

mod back;
mod frames;
mod memory;
mod operand;
mod pattern;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use hookshell_utility::Stopped;
use hookshell_utility::zone::Zone;

use crate::builtin;
use crate::env::{Env, Frame, Keys, Kont, Modified, Slot, Tracking};
use crate::ops::{self, shown};
use crate::path;
use crate::program::{Node, NodeId, Program};
use crate::value::{Array, MAX_DEPTH, Object, Value, error};
use crate::watch::Watch;

/// How many unfinished calls and operands there may be, and places to go back to.
const MAX_PENDING: usize = 1_000_000;
/// How many elements a collected array may have.
const MAX_ELEMENTS: usize = 1 << 24;
/// About what a step makes: frames, places to go back to, variables, small values.
const PER_STEP: usize = 48;
/// After how many steps the run is asked whether it continues.
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
    /// Where modules are looked for; or the directory of the program.
    fn library(&self, origin: bool) -> Value;
    /// `modulemeta`; the error is a message.
    fn module(&self, name: &str) -> Result<Value, String>;
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

/// An error on its way; what is raised after a `try` is wrapped so that it does not catch it.
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
    watch: &'p Watch<'p>,
    forks: Vec<Fork>,
    tracking: Tracking,
    labels: u64,
    steps: u32,
    started: Option<Value>,
}

impl<'p> Machine<'p> {
    /// A machine for a program and the values of its global variables.
    pub(super) fn new(program: &'p Program, globals: &'p [Value], watch: &'p Watch<'p>) -> Self {
        let tracking = Tracking { keys: None, value: Value::Null, nested: 0 };
        Self { program, globals, watch, forks: Vec::new(), tracking, labels: 0, steps: 0, started: None }
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
            if self.steps >= CHECKED || self.watch.is_over() || self.watch.is_due() {
                self.look_up(&next, host).map_err(End::Stopped)?;
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

    /// Does the run continue, and does what there is fit?
    fn look_up(&mut self, next: &Next, host: &mut dyn Host) -> Result<(), Stopped> {
        self.watch.made(PER_STEP * self.steps as usize);
        self.steps = 0;
        host.check()?;
        if self.watch.is_over() {
            return Err(Stopped::Cancelled);
        }
        if self.watch.is_due() {
            let alive = match next {
                Next::Eval(_, env, value, kont) => self.alive(&[value], &[env], &[kont]),
                Next::Return(value, kont) => self.alive(&[value], &[], &[kont]),
                Next::Back => self.alive(&[], &[], &[]),
            };
            self.watch.measured(alive)?;
        }
        Ok(())
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
                    return path::get(input, &key, self.watch);
                }
                path::get(&self.simple(*term, env, input)?, &key, self.watch)
            }
            Node::Slice { term, from, to, .. } => {
                let key = slice_key(self.simple(*from, env, input)?, self.simple(*to, env, input)?);
                path::get(&self.simple(*term, env, input)?, &key, self.watch)
            }
            Node::Pipe(a, b) => self.simple(*b, env, &self.simple(*a, env, input)?),
            Node::Binary(op, a, b) => {
                let b = self.simple(*b, env, input)?;
                let a = self.simple(*a, env, input)?;
                limited(ops::binary(*op, a, b, self.watch)?)
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
                        None => path::get(input, &key, self.watch)?,
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
                limited(builtin::call(*native, input.clone(), values, self.watch)?)
            }
            Node::Format(a, name) => builtin::format(name, &self.simple(*a, env, input)?, self.watch),
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
                    limited(builtin::call(*native, input, values, self.watch)?)?
                }
                Node::Binary(op, a, b) if matches!(self.node(*a), Node::Identity) => {
                    let b = self.simple(*b, &env, &input)?;
                    limited(ops::binary(*op, input, b, self.watch)?)?
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

    /// The end of an operand.
    fn leave(&mut self) {
        self.tracking.nested = self.tracking.nested.saturating_sub(1);
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
