//! Expressions that have exactly one value and follow no path: they are computed on the spot, without frames.

use std::sync::Arc;

use super::{Machine, key_text, limited, slice_key};
use crate::builtin;
use crate::env::{Env, Slot};
use crate::ops;
use crate::path;
use crate::program::{Node, NodeId};
use crate::value::{Object, Value};

impl Machine<'_> {
    /// The value of an expression that has exactly one and does not follow a path.
    pub(super) fn simple(&self, id: NodeId, env: &Env, input: &Value) -> ops::Outcome {
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
}
