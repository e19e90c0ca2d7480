//! How much memory is alive: what the machine can still reach.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use super::{Back, Fork, Machine, Target};
use crate::env::{Chain, Env, Frame, Keys, Kont, Modified, Slot, Tracking};
use crate::value::{ALLOCATION, Array, Object, Value};

/// Adds up what can be reached; what several share counts once.
#[derive(Default)]
pub(super) struct Weigher<'a> {
    seen: HashSet<usize>,
    bytes: usize,
    /// Environments are chains of chains: they are not followed by recursion.
    envs: Vec<&'a Env>,
}

impl Machine<'_> {
    /// The bytes that are reachable from here.
    pub(super) fn alive(&self, values: &[&Value], envs: &[&Env], konts: &[&Kont]) -> usize {
        let mut weigher = Weigher::default();
        self.globals.iter().for_each(|value| weigher.value(value));
        self.forks.iter().for_each(|fork| weigher.fork(fork));
        weigher.tracking(&self.tracking);
        values.iter().for_each(|value| weigher.value(value));
        weigher.envs.extend(envs);
        konts.iter().for_each(|kont| weigher.kont(kont));
        weigher.follow();
        weigher.bytes
    }
}

impl<'a> Weigher<'a> {
    /// Is it the first time that one comes here? What has one owner comes but once.
    fn is_new<T: ?Sized>(&mut self, owners: usize, at: *const T) -> bool {
        owners < 2 || self.seen.insert(at.cast::<()>() as usize)
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                if self.is_new(Arc::strong_count(text), Arc::as_ptr(text)) {
                    self.bytes += text.len() + ALLOCATION;
                }
            }
            Value::Array(array) => {
                if self.is_new(Arc::strong_count(array), Arc::as_ptr(array)) {
                    self.array(array);
                }
            }
            Value::Object(object) => {
                if self.is_new(Arc::strong_count(object), Arc::as_ptr(object)) {
                    self.object(object);
                }
            }
            Value::Long(_) => self.bytes += ALLOCATION,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Short(_) => {}
        }
    }

    fn array(&mut self, array: &Array) {
        self.bytes += array.size();
        array.items().iter().for_each(|item| self.value(item));
    }

    fn object(&mut self, object: &Object) {
        self.bytes += object.size();
        for (key, value) in object.entries() {
            if self.is_new(Arc::strong_count(key), Arc::as_ptr(key)) {
                self.bytes += key.len() + ALLOCATION;
            }
            self.value(value);
        }
    }

    /// Follows the environments that were met.
    fn follow(&mut self) {
        while let Some(env) = self.envs.pop() {
            self.chain(env, |weigher, slot| match slot {
                Slot::Value(value) => weigher.value(value),
                Slot::Closure(_, inner) => weigher.envs.push(inner),
                Slot::Label(_) => {}
            });
        }
    }

    /// Goes along a chain up to where one has come before.
    fn chain<'c, C: Chain>(&mut self, mut chain: &'c C, each: impl Fn(&mut Self, &'c C::Item)) {
        while let Some(link) = chain.first() {
            if !self.is_new(link.owners, link.at) {
                return;
            }
            self.bytes += ALLOCATION + size_of::<C::Item>();
            each(self, link.item);
            chain = link.next;
        }
    }

    fn kont(&mut self, kont: &'a Kont) {
        self.chain(kont, Self::frame);
    }

    fn tracking(&mut self, tracking: &Tracking) {
        self.value(&tracking.value);
        if let Some(keys) = &tracking.keys {
            self.keys(keys);
        }
    }

    fn keys(&mut self, keys: &Keys) {
        self.chain(keys, Self::value);
    }

    fn fork(&mut self, fork: &'a Fork) {
        self.bytes += size_of::<Fork>();
        self.kont(&fork.kont);
        self.tracking(&fork.tracking);
        match &fork.kind {
            Back::Eval(_, env, value) | Back::Alternative(_, _, env, value) => {
                self.envs.push(env);
                self.value(value);
            }
            Back::Each(value, _) => self.value(value),
            Back::Try(_, env) => self.envs.push(env),
            Back::Collect(array) => self.collected(array),
            Back::Reduce(state) => self.state(state),
            Back::Pattern(_, target, value) => {
                self.value(value);
                match target {
                    Target::Bind { env, input, .. } => {
                        self.envs.push(env);
                        self.value(input);
                    }
                    Target::Reduce { env, state, .. } | Target::Foreach { env, state, .. } => {
                        self.envs.push(env);
                        self.state(state);
                    }
                }
            }
            Back::Modify(state) => self.modified(state),
            Back::Unmodified(state, path) => {
                self.modified(state);
                self.value(path);
            }
            Back::Range(..) | Back::Label(_) | Back::TryEnd => {}
        }
    }

    fn collected(&mut self, array: &Rc<std::cell::RefCell<Array>>) {
        if self.is_new(Rc::strong_count(array), Rc::as_ptr(array)) {
            self.array(&array.borrow());
        }
    }

    fn state(&mut self, state: &Rc<std::cell::RefCell<Value>>) {
        if self.is_new(Rc::strong_count(state), Rc::as_ptr(state)) {
            self.value(&state.borrow());
        }
    }

    fn modified(&mut self, state: &Rc<std::cell::RefCell<Modified>>) {
        if self.is_new(Rc::strong_count(state), Rc::as_ptr(state)) {
            let state = state.borrow();
            self.value(&state.value);
            self.array(&state.deleted);
        }
    }

    fn frame(&mut self, frame: &'a Frame) {
        match frame {
            Frame::Pipe(_, env) | Frame::ForeachUpdate { env, .. } => self.envs.push(env),
            Frame::IndexKey { env, input, .. }
            | Frame::SliceFrom { env, input, .. }
            | Frame::BinaryRight { env, input, .. }
            | Frame::AndLeft { env, input, .. }
            | Frame::OrLeft { env, input, .. }
            | Frame::Condition { env, input, .. }
            | Frame::ReduceInit { env, input, .. }
            | Frame::ForeachInit { env, input, .. }
            | Frame::BindSource { env, input, .. }
            | Frame::RangeFrom { env, input, .. } => {
                self.envs.push(env);
                self.value(input);
            }
            Frame::IndexTerm { key: value, .. }
            | Frame::BinaryLeft { right: value, .. }
            | Frame::RangeTo { from: value } => self.value(value),
            Frame::SliceTo { env, input, from, .. } => {
                self.envs.push(env);
                self.value(input);
                self.value(from);
            }
            Frame::Collect(array) => self.collected(array),
            Frame::ObjectKey { env, input, made, .. } => {
                self.envs.push(env);
                self.value(input);
                self.value(made);
            }
            Frame::ObjectValue { env, input, made, key, .. } => {
                self.envs.push(env);
                self.value(input);
                self.value(made);
                self.value(key);
            }
            Frame::Argument { env, input, known, .. } => {
                self.envs.push(env);
                self.value(input);
                known.iter().for_each(|value| self.value(value));
            }
            Frame::ReduceItem { env, state, .. } | Frame::ForeachItem { env, state, .. } => {
                self.envs.push(env);
                self.state(state);
            }
            Frame::ReduceUpdate(state) => self.state(state),
            Frame::PathEnd(tracking) => self.tracking(tracking),
            Frame::ModifyPath { env, state, .. } => {
                self.envs.push(env);
                self.modified(state);
            }
            Frame::ModifyUpdate { path, state, .. } => {
                self.value(path);
                self.modified(state);
            }
            Frame::EachTerm { .. }
            | Frame::Truth
            | Frame::AlternativeLeft(_)
            | Frame::Negate
            | Frame::Format(_)
            | Frame::TryEnd => {}
        }
    }
}
