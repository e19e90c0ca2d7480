//! What a name stands for: a variable, a function, a builtin.

use std::sync::Arc;

use super::super::ast::{Definition, Expr, Op};
use super::super::builtin::{self, Native};
use super::super::parse;
use super::super::program::{Node, NodeId, Program};
use super::super::regex;
use super::super::value::Value;
use super::super::version;
use super::{Entry, Refusal, Resolver};

/// Refuses a pattern that is not supported.
fn check_pattern(pattern: &str) -> Result<(), Refusal> {
    regex::check(pattern).map_err(|what| Refusal::Unsupported(format!("{what} in a regular expression")))
}

/// Refuses a call whose constant arguments are not supported.
fn check(native: Native, args: &[NodeId], program: &Program) -> Result<(), Refusal> {
    let constant = |at: usize| match args.get(at).and_then(|id| program.nodes.get(*id as usize)) {
        Some(Node::Const(Value::String(text))) => Some(text),
        _ => None,
    };
    if native == Native::Match
        && let Some(pattern) = constant(0)
    {
        check_pattern(pattern)?;
    }
    Ok(())
}

/// The operator after the name of jq's own function for it.
fn operator(name: &str) -> Option<Op> {
    Some(match name {
        "_plus" => Op::Add,
        "_minus" => Op::Subtract,
        "_multiply" => Op::Multiply,
        "_divide" => Op::Divide,
        "_mod" => Op::Modulo,
        "_equal" => Op::Equal,
        "_notequal" => Op::NotEqual,
        "_less" => Op::Less,
        "_greater" => Op::Greater,
        "_lesseq" => Op::LessEqual,
        "_greatereq" => Op::GreaterEqual,
        _ => return None,
    })
}

impl Resolver<'_> {
    pub(super) fn variable(&mut self, name: &Arc<str>, place: usize) -> Result<NodeId, Refusal> {
        let found = self.scope.iter().rev().find_map(|entry| match entry {
            Entry::Variable(own, slot) if own == name => Some(Ok(*slot)),
            Entry::Data(own, value) if own == name => Some(Err(value.clone())),
            _ => None,
        });
        match found {
            Some(Ok(slot)) => return Ok(self.add(Node::Variable(self.slots - slot - 1))),
            Some(Err(value)) => return Ok(self.constant(value)),
            None => {}
        }
        if &**name == "JQ_BUILD_CONFIGURATION" {
            return Ok(self.constant(Value::from(version::BUILD_CONFIGURATION)));
        }
        if &**name == "ENV" || self.variables.contains(name) {
            let at = self.program.globals.iter().position(|own| own == name).unwrap_or_else(|| {
                self.program.globals.push(name.clone());
                self.program.globals.len() - 1
            });
            return Ok(self.add(Node::Global(u32::try_from(at).unwrap_or(u32::MAX))));
        }
        Ok(self.wrong(&format!("${name} is not defined"), place))
    }

    /// Compiles a function and leaves its name in the scope.
    pub(super) fn function(&mut self, definition: &Definition) -> Result<u32, Refusal> {
        let function = u32::try_from(self.program.functions.len()).unwrap_or(u32::MAX);
        self.program.functions.push(0);
        let slots = self.slots;
        let arity = definition.params.len();
        self.scope.push(Entry::Function { name: definition.name.clone(), arity, function, slots });
        let outer = self.scope.len();
        // `def f($a)`: the parameter is a function, and `$a` its value. Of two parameters with one name each has its own.
        let mut values = Vec::new();
        for (name, is_value) in &definition.params {
            self.scope.push(Entry::Closure(name.clone(), self.slots));
            if *is_value {
                values.push((name, self.slots));
            }
            self.slots += 1;
        }
        let mut sources = Vec::new();
        for (name, slot) in values {
            sources.push(self.add(Node::Closure(self.slots - slot - 1)));
            self.scope.push(Entry::Variable(name.clone(), self.slots));
            self.slots += 1;
        }
        let body = self.expr(&definition.body);
        self.slots = slots;
        self.scope.truncate(outer);
        let mut body = body?;
        for source in sources.into_iter().rev() {
            let patterns = self.simple_pattern();
            body = self.add(Node::Bind { source, patterns, body });
        }
        if let Some(slot) = self.program.functions.get_mut(function as usize) {
            *slot = body;
        }
        Ok(function)
    }

    pub(super) fn call(&mut self, name: &Arc<str>, args: &[Expr], place: usize) -> Result<NodeId, Refusal> {
        if self.in_builtin == 0
            && let Some(Expr::Const(Value::String(pattern))) = args.first()
            && matches!(&**name, "test" | "match" | "capture" | "scan" | "splits" | "sub" | "gsub")
        {
            check_pattern(pattern)?;
        }
        enum Found {
            Closure(u32),
            Function(u32, u32),
        }
        let found = self.scope.iter().rev().find_map(|entry| match entry {
            Entry::Closure(own, slot) if own == name && args.is_empty() => Some(Found::Closure(*slot)),
            Entry::Function { name: own, arity, function, slots } if own == name && *arity == args.len() => {
                Some(Found::Function(*function, *slots))
            }
            _ => None,
        });
        match found {
            Some(Found::Closure(slot)) => return Ok(self.add(Node::Closure(self.slots - slot - 1))),
            Some(Found::Function(function, slots)) => {
                if let Some(errors) = self.unused.remove(&function) {
                    self.errors.extend(errors);
                }
                let args = self.exprs(args)?;
                return Ok(self.add(Node::Function { function, hidden: self.slots - slots, args }));
            }
            None => {}
        }
        match (&**name, args) {
            ("empty", []) => return Ok(self.add(Node::Empty)),
            ("path", [path]) => {
                let path = self.expr(path)?;
                return Ok(self.add(Node::Path(path)));
            }
            ("range", [from, to]) => {
                let (from, to) = (self.expr(from)?, self.expr(to)?);
                return Ok(self.add(Node::Range(from, to)));
            }
            ("_negate", []) => {
                let input = self.add(Node::Identity);
                return Ok(self.add(Node::Negate(input)));
            }
            ("_modify", [paths, update]) => {
                let (paths, update) = (self.expr(paths)?, self.expr(update)?);
                return Ok(self.add(Node::Modify(paths, update)));
            }
            _ => {}
        }
        if let ([a, b], Some(op)) = (args, operator(name)) {
            let (a, b) = (self.expr(a)?, self.expr(b)?);
            let node = self.binary(op, a, b);
            return Ok(self.add(node));
        }
        if let Some(native) = Native::find(name, args.len()) {
            let args = self.exprs(args)?;
            check(native, &args, &self.program)?;
            return Ok(self.add(Node::Native { native, args }));
        }
        if let Some(&function) = self.builtins.get(&(name.clone(), args.len())) {
            let args = self.exprs(args)?;
            return Ok(self.add(Node::Function { function, hidden: self.slots, args }));
        }
        let Some(source) = builtin::definition(name, args.len()) else {
            return Ok(self.wrong(&format!("{name}/{} is not defined", args.len()), place));
        };
        let definition = parse::library(source)
            .ok()
            .and_then(|mut definitions| definitions.pop())
            .ok_or_else(|| format!("{name}/{}", args.len()))?;
        let scope = std::mem::take(&mut self.scope);
        let slots = std::mem::take(&mut self.slots);
        self.in_builtin += 1;
        // It may call itself: the place of its function is known before.
        let function = u32::try_from(self.program.functions.len()).unwrap_or(u32::MAX);
        self.builtins.insert((name.clone(), args.len()), function);
        let compiled = self.function(&definition);
        self.in_builtin -= 1;
        self.scope = scope;
        self.slots = slots;
        compiled?;
        let args = self.exprs(args)?;
        Ok(self.add(Node::Function { function, hidden: self.slots, args }))
    }
}
