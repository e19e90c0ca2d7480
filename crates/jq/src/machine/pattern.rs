//! Destructuring: values taken apart by patterns.

use super::{Back, Exit, Machine, Next, Target};
use crate::env::{Env, Frame, Kont, Slot};
use crate::program::{Matcher, Node};
use crate::value::Value;

impl Machine<'_> {
    /// Takes a value apart by a pattern, and continues with what sees the variables.
    pub(super) fn bind(&mut self, alternative: usize, target: Target, value: Value, kont: Kont) -> Result<Next, Exit> {
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

    pub(super) fn take_apart(
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

    pub(super) fn member(&mut self, value: &Value, key: Value) -> Result<Value, Exit> {
        match self.index(value, key, false, Kont::default())? {
            Next::Return(value, _) => Ok(value),
            _ => Ok(Value::Null),
        }
    }
}
