//! Chains that the machine works with: environments, continuations and paths are shared lists, so that going back to
//! an earlier place is taking an earlier list.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::program::NodeId;
use super::value::{Array, Value};

/// What a place of an environment holds.
pub(super) enum Slot {
    Value(Value),
    /// A parameter: an expression and what it sees.
    Closure(NodeId, Env),
    /// The number of a label.
    Label(u64),
}

/// An environment: the last variable first.
#[derive(Clone, Default)]
pub(super) struct Env(Option<Rc<EnvNode>>);

pub(super) struct EnvNode {
    slot: Slot,
    next: Env,
}

impl Env {
    #[must_use]
    pub(super) fn with(&self, slot: Slot) -> Self {
        Self(Some(Rc::new(EnvNode { slot, next: self.clone() })))
    }

    /// The environment without its last places.
    #[must_use]
    pub(super) fn without(&self, count: u32) -> Self {
        let mut env = self;
        for _ in 0..count {
            match &env.0 {
                Some(node) => env = &node.next,
                None => break,
            }
        }
        env.clone()
    }

    pub(super) fn get(&self, steps: u32) -> Option<&Slot> {
        let mut node = self.0.as_ref()?;
        for _ in 0..steps {
            node = node.next.0.as_ref()?;
        }
        Some(&node.slot)
    }
}

impl Drop for Env {
    /// A long chain is taken apart in a loop, not by recursion.
    fn drop(&mut self) {
        let Some(first) = self.0.take() else {
            return;
        };
        if Rc::strong_count(&first) > 1 {
            return;
        }
        let mut left = vec![first];
        while let Some(node) = left.pop() {
            if let Ok(mut node) = Rc::try_unwrap(node) {
                left.extend(node.next.0.take());
                if let Slot::Closure(_, env) = &mut node.slot {
                    left.extend(env.0.take());
                }
            }
        }
    }
}

/// What is done with a result.
#[derive(Clone)]
pub(super) enum Frame {
    Pipe(NodeId, Env),
    /// The key is known next: then the term is.
    IndexKey {
        term: NodeId,
        optional: bool,
        env: Env,
        input: Value,
    },
    IndexTerm {
        key: Value,
        optional: bool,
    },
    EachTerm {
        optional: bool,
    },
    SliceFrom {
        node: NodeId,
        env: Env,
        input: Value,
    },
    SliceTo {
        node: NodeId,
        env: Env,
        input: Value,
        from: Value,
    },
    BinaryRight {
        node: NodeId,
        env: Env,
        input: Value,
    },
    BinaryLeft {
        node: NodeId,
        right: Value,
    },
    AndLeft {
        right: NodeId,
        env: Env,
        input: Value,
    },
    OrLeft {
        right: NodeId,
        env: Env,
        input: Value,
    },
    Truth,
    AlternativeLeft(Rc<Cell<bool>>),
    Negate,
    Format(Arc<str>),
    Collect(Rc<RefCell<Array>>),
    ObjectKey {
        node: NodeId,
        at: usize,
        env: Env,
        input: Value,
        made: Value,
    },
    ObjectValue {
        node: NodeId,
        at: usize,
        env: Env,
        input: Value,
        made: Value,
        key: Value,
    },
    /// Arguments that are known, the last first.
    Argument {
        node: NodeId,
        env: Env,
        input: Value,
        known: Vec<Value>,
    },
    Condition {
        then: NodeId,
        otherwise: NodeId,
        env: Env,
        input: Value,
    },
    TryEnd,
    ReduceInit {
        node: NodeId,
        env: Env,
        input: Value,
    },
    ReduceItem {
        node: NodeId,
        env: Env,
        state: Rc<RefCell<Value>>,
    },
    ReduceUpdate(Rc<RefCell<Value>>),
    ForeachInit {
        node: NodeId,
        env: Env,
        input: Value,
    },
    ForeachItem {
        node: NodeId,
        env: Env,
        state: Rc<RefCell<Value>>,
    },
    ForeachUpdate {
        extract: Option<NodeId>,
        env: Env,
        state: Rc<RefCell<Value>>,
    },
    BindSource {
        node: NodeId,
        env: Env,
        input: Value,
    },
    PathEnd(Tracking),
    RangeFrom {
        to: NodeId,
        env: Env,
        input: Value,
    },
    RangeTo {
        from: Value,
    },
    ModifyPath {
        update: NodeId,
        env: Env,
        state: Rc<RefCell<Modified>>,
    },
    ModifyUpdate {
        path: Value,
        forks: usize,
        state: Rc<RefCell<Modified>>,
    },
}

/// What `|=` has so far: the value, and the paths that will be deleted.
pub(super) struct Modified {
    pub(super) value: Value,
    pub(super) deleted: Array,
}

/// A continuation: the next frame first.
#[derive(Clone, Default)]
pub(super) struct Kont(Option<Rc<KontNode>>);

pub(super) struct KontNode {
    frame: Frame,
    next: Kont,
    length: u32,
}

impl Kont {
    #[must_use]
    pub(super) fn with(self, frame: Frame) -> Self {
        let length = self.len() + 1;
        Self(Some(Rc::new(KontNode { frame, next: self, length })))
    }

    pub(super) fn len(&self) -> u32 {
        self.0.as_ref().map_or(0, |node| node.length)
    }

    /// The first frame and the rest; what nobody else needs is moved.
    pub(super) fn split(mut self) -> Option<(Frame, Self)> {
        let node = self.0.take()?;
        match Rc::try_unwrap(node) {
            Ok(mut node) => {
                let next = Self(node.next.0.take());
                Some((std::mem::replace(&mut node.frame, Frame::Truth), next))
            }
            Err(node) => Some((node.frame.clone(), node.next.clone())),
        }
    }
}

impl Drop for Kont {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            match Rc::try_unwrap(node) {
                Ok(mut node) => next = node.next.0.take(),
                Err(_) => return,
            }
        }
    }
}

/// A path that is followed: the last key first.
#[derive(Clone, Default)]
pub(super) struct Keys(Option<Rc<KeysNode>>);

pub(super) struct KeysNode {
    key: Value,
    next: Keys,
}

impl Keys {
    #[must_use]
    pub(super) fn with(&self, key: Value) -> Self {
        Self(Some(Rc::new(KeysNode { key, next: self.clone() })))
    }

    pub(super) fn to_array(&self) -> Value {
        let mut keys = Vec::new();
        let mut rest = self;
        while let Some(node) = &rest.0 {
            keys.push(node.key.clone());
            rest = &node.next;
        }
        keys.reverse();
        Value::array(keys)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(node) = next {
            match Rc::try_unwrap(node) {
                Ok(mut node) => next = node.next.0.take(),
                Err(_) => return,
            }
        }
    }
}

/// What is known of the path to the current value, inside `path(…)`.
#[derive(Clone)]
pub(super) struct Tracking {
    pub(super) keys: Option<Keys>,
    pub(super) value: Value,
    /// How many expressions around this one do not belong to the path.
    pub(super) nested: u32,
}

/// A chain whose ends are shared: variables, frames, keys.
pub(super) trait Chain {
    /// What a link holds.
    type Item;

    /// The first link.
    fn first(&self) -> Option<Link<'_, Self>>;
}

/// A link of a chain.
pub(super) struct Link<'c, C: Chain + ?Sized> {
    /// What it holds.
    pub(super) item: &'c C::Item,
    /// What is after it.
    pub(super) next: &'c C,
    /// How many have it.
    pub(super) owners: usize,
    /// Where it is: what tells it from others.
    pub(super) at: *const (),
}

impl Chain for Env {
    type Item = Slot;

    fn first(&self) -> Option<Link<'_, Self>> {
        self.0.as_ref().map(|node| link(node, &node.slot, &node.next))
    }
}

impl Chain for Kont {
    type Item = Frame;

    fn first(&self) -> Option<Link<'_, Self>> {
        self.0.as_ref().map(|node| link(node, &node.frame, &node.next))
    }
}

impl Chain for Keys {
    type Item = Value;

    fn first(&self) -> Option<Link<'_, Self>> {
        self.0.as_ref().map(|node| link(node, &node.key, &node.next))
    }
}

fn link<'c, N, C: Chain>(node: &Rc<N>, item: &'c C::Item, next: &'c C) -> Link<'c, C> {
    Link { item, next, owners: Rc::strong_count(node), at: Rc::as_ptr(node).cast() }
}
