//! Going back: for another result, or with an error on its way.

use std::sync::Arc;

use super::{Back, Exit, Machine, Next, Raised, label_value, limited};
use crate::env::Kont;
use crate::ops::shown;
use crate::path;
use crate::value::{Value, error};

impl Machine<'_> {
    pub(super) fn back(&mut self, kind: Back, kont: Kont, raised: &mut Option<Raised>) -> Result<Next, Exit> {
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
                Back::Label(label) if !value.equals(&label_value(label), self.watch) => Err(Exit::Raise(value)),
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
                Next::Return(path::delpaths(value, &deleted, self.watch)?, kont)
            }
            Back::Unmodified(state, path) => {
                state.borrow_mut().deleted.push(path);
                Next::Back
            }
            Back::Try(..) | Back::Label(_) | Back::TryEnd | Back::Pattern(..) => Next::Back,
        })
    }
}
