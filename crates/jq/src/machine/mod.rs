//! Running a program: a machine with a stack of places to go back to, as jq's own.
//!
//! Neither calls nor results recurse on the thread's stack: `def f: 1 + f; f` ends at a limit, with a message.

mod back;
mod eval;
mod frames;
mod memory;
mod operand;
mod pattern;
mod simple;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use hookshell_utility::Stopped;
use hookshell_utility::zone::Zone;

use crate::env::{Env, Kont, Modified, Tracking};
use crate::ops::{self, shown};
use crate::program::{Node, NodeId, Program};
use crate::value::{Array, MAX_DEPTH, Value, error};
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

    /// The end of an operand.
    fn leave(&mut self) {
        self.tracking.nested = self.tracking.nested.saturating_sub(1);
    }
}

fn label_value(label: u64) -> Value {
    #[allow(clippy::cast_precision_loss, reason = "jq's numbers are doubles")]
    Value::object([("__jq", Value::Number(label as f64))])
}

/// Is a value not nested too deep?
fn limited(value: Value) -> ops::Outcome {
    if value.depth() > MAX_DEPTH { error("hookshell's jq: a value is nested too deep") } else { Ok(value) }
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
