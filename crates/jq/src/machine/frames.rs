//! Going on with a value: what waits for it.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Back, Exit, Host, MAX_ELEMENTS, Machine, Next, Target, insert, limited, slice_key};
use crate::builtin;
use crate::env::{Frame, Kont};
use crate::ops::{self, shown};
use crate::path;
use crate::program::Node;
use crate::value::{Value, error};

impl Machine<'_> {
    #[allow(clippy::too_many_lines, reason = "one arm for each kind of frame")]
    pub(super) fn apply(&mut self, frame: Frame, value: Value, kont: Kont, host: &mut dyn Host) -> Result<Next, Exit> {
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
                Next::Return(limited(ops::binary(*op, value, right, self.watch)?)?, kont)
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
            Frame::Format(name) => Next::Return(builtin::format(&name, &value, self.watch)?, kont),
            Frame::Collect(array) => {
                let mut array = array.borrow_mut();
                if array.len() >= MAX_ELEMENTS {
                    return Ok(error("hookshell's jq: an array is too long")?);
                }
                let coming = array.coming(1);
                if coming > 0 {
                    self.watch.fits(coming).map_err(Value::from)?;
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
                        let member = path::get(&input, &value, self.watch)?;
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
                let keys = keys.to_array();
                if let Value::Array(keys) = &keys {
                    self.watch.made(size_of_val(keys.items()));
                }
                Next::Return(keys, kont)
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
                let current = path::getpath(&state.borrow().value, &value, self.watch)?;
                self.fork(Back::Unmodified(state.clone(), value.clone()), &kont);
                let forks = self.forks.len();
                Next::Eval(update, env, current, kont.with(Frame::ModifyUpdate { path: value, forks, state }))
            }
            Frame::ModifyUpdate { path, forks, state } => {
                // The first result counts: the others, and the fork for none, are forgotten.
                self.forks.truncate(forks.saturating_sub(1));
                let mut state = state.borrow_mut();
                let whole = std::mem::replace(&mut state.value, Value::Null);
                state.value = limited(path::setpath(whole, &path, value, self.watch)?)?;
                Next::Back
            }
        })
    }
}
