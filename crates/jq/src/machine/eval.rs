//! A step: what an expression does first.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::{Back, Exit, Host, Machine, Next, Target, label_value, limited};
use crate::builtin;
use crate::env::{Env, Frame, Keys, Kont, Modified, Slot, Tracking};
use crate::ops;
use crate::program::{Node, NodeId};
use crate::value::{Array, Object, Value};

impl Machine<'_> {
    #[allow(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    pub(super) fn eval(
        &mut self,
        id: NodeId,
        env: Env,
        input: Value,
        kont: Kont,
        host: &mut dyn Host,
    ) -> Result<Next, Exit> {
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
}
