//! Operands: what is got out of a value, objects as they are made, and the arguments of builtins.

use super::{Back, End, Exit, Host, Machine, Next, insert, limited};
use crate::builtin::{self, Native};
use crate::env::{Env, Frame, Kont};
use crate::ops::{self, shown};
use crate::path;
use crate::program::{Node, NodeId};
use crate::time;
use crate::value::{Value, error};

impl Machine<'_> {
    /// `.[KEY]`
    pub(super) fn index(&mut self, term: &Value, key: Value, optional: bool, kont: Kont) -> Result<Next, Exit> {
        if !self.is_intact(term) {
            return Ok(error(format!(
                "Invalid path expression near attempt to access element {} of {}",
                shown(&key, 15),
                shown(term, 30)
            ))?);
        }
        match path::get(term, &key, self.watch) {
            Ok(value) => {
                self.append(&key, &value);
                Ok(Next::Return(value, kont))
            }
            Err(_) if optional => Ok(Next::Back),
            Err(raised) => Err(raised.into()),
        }
    }

    /// `.[]` from an element on.
    pub(super) fn each(&mut self, container: Value, at: usize, optional: bool, kont: Kont) -> Result<Next, Exit> {
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

    /// Continues making an object, inside an operand.
    pub(super) fn object(
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
                None => path::get(&input, &key, self.watch)?,
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

    /// Continues with the arguments of a builtin, the last first, inside an operand.
    pub(super) fn arguments(
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
                (Native::AsciiDowncase | Native::AsciiUpcase, Value::String(_)) => Some(builtin::call(
                    Native::Explode,
                    input.clone(),
                    [Value::Null, Value::Null, Value::Null],
                    self.watch,
                )?),
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
            Native::Strptime => {
                let [format, ..] = values;
                time::strptime(&input, &format, &host.zone())?
            }
            Native::GetSearchList | Native::GetProgOrigin => host.library(*native == Native::GetProgOrigin),
            Native::Modulemeta => match &input {
                Value::String(name) => host.module(name).map_err(Value::from)?,
                _ => return Ok(error("modulemeta input module name must be a string")?),
            },
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
            native => limited(builtin::call(*native, input, values, self.watch)?)?,
        };
        Ok(Next::Return(value, kont))
    }

    pub(super) fn getpath(&mut self, input: &Value, path: &Value, kont: Kont) -> Result<Next, Exit> {
        let value = path::getpath(input, path, self.watch)?;
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
}
