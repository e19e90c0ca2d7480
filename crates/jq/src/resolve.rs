//! From the expression to the program that runs: names become places, builtins are added as they are used.

use std::collections::HashMap;
use std::sync::Arc;

use super::ast::{Definition, Expr, Import, Key, Op, Pattern};
use super::builtin::{self, Native};
use super::destructure;
use super::lex::Invalid;
use super::module::Library;
use super::ops;
use super::parse::{self, Parsed};
use super::program::{Matcher, Node, NodeId, Patterns, Program};
use super::regex;
use super::value::Value;
use super::watch::Watch;

/// Why a program cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not supported.
    Unsupported(String),
    /// It is wrong: jq's messages, without the last line.
    Wrong(Vec<String>),
    /// It is not valid: jq's message. A later version may know what this one does not.
    Syntax(String),
}

impl From<String> for Refusal {
    fn from(what: String) -> Self {
        Self::Unsupported(what)
    }
}

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

/// A message with the place, as jq prints it.
pub(super) fn located(source: &[u8], file: &str, message: &str, place: usize) -> String {
    let before = source.get(..place).unwrap_or(source);
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let text = source.get(start..).unwrap_or_default().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(text);
    let pad = " ".repeat(before.len() - start);
    format!("jq: error: {message} at {file}, line {line}:\n{text}{pad}")
}

/// Compiles a program that may use these variables. Does it read modules, too?
pub(super) fn compile(
    source: &[u8],
    variables: &[Arc<str>],
    library: &Library,
    home: Option<Import>,
) -> (Result<Program, Refusal>, bool) {
    let mut parsed = match parse::program(source, "<top-level>") {
        Ok(parsed) => parsed,
        Err(Invalid::Unsupported(what)) => return (Err(what.into()), false),
        Err(Invalid::Syntax(message, place)) => {
            return (Err(Refusal::Syntax(located(source, "<top-level>", &message, place))), false);
        }
    };
    let Some(main) = parsed.main.take() else {
        let message = "jq: error: Top-level program not given (try \".\")".to_owned();
        return (Err(Refusal::Wrong(vec![message])), false);
    };
    let has_imports = !parsed.imports.is_empty();
    parsed.imports.splice(0..0, home);
    let mut resolver = Resolver {
        source: source.to_vec(),
        file: "<top-level>".to_owned(),
        variables,
        library,
        program: Program {
            nodes: Vec::new(),
            simple: Vec::new(),
            functions: Vec::new(),
            patterns: Vec::new(),
            main: 0,
            globals: Vec::new(),
        },
        builtins: HashMap::new(),
        modules: HashMap::new(),
        module_depth: 0,
        unused: HashMap::new(),
        scope: Vec::new(),
        slots: 0,
        in_builtin: 0,
        errors: Vec::new(),
    };
    let compiled = resolver.main(&parsed, &main);
    let compiled = match compiled {
        Ok(()) if resolver.errors.is_empty() => Ok(resolver.program),
        Ok(()) => Err(Refusal::Wrong(resolver.errors)),
        Err(refusal) => Err(refusal),
    };
    (compiled, has_imports)
}

/// A name that can be seen.
pub(super) enum Entry {
    Variable(Arc<str>, u32),
    /// `$name` of a module that is data.
    Data(Arc<str>, Value),
    Closure(Arc<str>, u32),
    Label(Arc<str>, u32),
    Function {
        name: Arc<str>,
        arity: usize,
        function: u32,
        slots: u32,
    },
}

pub(super) struct Resolver<'a> {
    /// The text of the program or module, and its name in messages.
    pub(super) source: Vec<u8>,
    pub(super) file: String,
    variables: &'a [Arc<str>],
    pub(super) library: &'a Library,
    program: Program,
    /// The functions of builtins that are compiled.
    builtins: HashMap<(Arc<str>, usize), u32>,
    /// The functions of modules by their paths: name, number of parameters, function.
    pub(super) modules: HashMap<String, Vec<(Arc<str>, usize, u32)>>,
    pub(super) module_depth: usize,
    /// What is wrong in functions that nothing has called yet: jq drops those.
    unused: HashMap<u32, Vec<String>>,
    pub(super) scope: Vec<Entry>,
    /// How long the environment is at this place.
    pub(super) slots: u32,
    in_builtin: usize,
    pub(super) errors: Vec<String>,
}

impl Resolver<'_> {
    fn main(&mut self, parsed: &Parsed, main: &Expr) -> Result<(), Refusal> {
        if !parsed.imports.is_empty() {
            let dir = self.library.origin();
            self.imports(&parsed.imports, &dir)?;
        }
        if !self.errors.is_empty() {
            return Ok(());
        }
        for definition in &parsed.definitions {
            self.definition(definition)?;
        }
        self.program.main = self.expr(main)?;
        Ok(())
    }

    /// Compiles a function; its errors count when it is called.
    pub(super) fn definition(&mut self, definition: &Definition) -> Result<u32, Refusal> {
        let before = self.errors.len();
        let function = self.function(definition)?;
        if self.errors.len() > before {
            let errors = self.errors.split_off(before);
            self.unused.insert(function, errors);
        }
        Ok(function)
    }

    fn add(&mut self, node: Node) -> NodeId {
        let simple = self.is_simple(&node);
        self.program.nodes.push(node);
        self.program.simple.push(simple);
        NodeId::try_from(self.program.nodes.len() - 1).unwrap_or(NodeId::MAX)
    }

    fn is_simple(&self, node: &Node) -> bool {
        let simple = |id: &NodeId| self.program.simple.get(*id as usize).copied().unwrap_or(false);
        match node {
            Node::Identity | Node::Const(_) | Node::Variable(_) | Node::Global(_) => true,
            Node::Index { term, key, optional: false } => simple(term) && simple(key),
            Node::Slice { term, from, to, optional: false } => simple(term) && simple(from) && simple(to),
            Node::Pipe(a, b) | Node::Binary(_, a, b) | Node::And(a, b) | Node::Or(a, b) | Node::Alternative(a, b) => {
                simple(a) && simple(b)
            }
            Node::Negate(a) | Node::Format(a, _) | Node::Collect(a) => simple(a),
            Node::Object(members) => {
                members.iter().all(|(key, value)| simple(key) && value.as_ref().is_none_or(simple))
            }
            Node::Native { native, args } => !native.needs_run() && args.iter().all(simple),
            Node::If(a, b, c) => simple(a) && simple(b) && simple(c),
            Node::Try(a, Some(b)) => simple(a) && simple(b),
            _ => false,
        }
    }

    fn constant(&mut self, value: Value) -> NodeId {
        self.add(Node::Const(value))
    }

    /// A message with the place, as jq prints it.
    fn wrong(&mut self, message: &str, place: usize) -> NodeId {
        self.errors.push(located(&self.source, &self.file, message, place));
        self.add(Node::Empty)
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Result<Box<[NodeId]>, Refusal> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr(&mut self, expr: &Expr) -> Result<NodeId, Refusal> {
        if let Some(flattened) = destructure::flattened(expr) {
            return self.expr(&flattened);
        }
        let node = match expr {
            Expr::Identity => Node::Identity,
            Expr::Const(value) => Node::Const(value.clone()),
            Expr::RecurseDefault => return self.call(&"recurse".into(), &[], 0),
            Expr::Field(term, key, optional) => {
                let key = self.expr(key)?;
                Node::Index { term: self.expr(term)?, key, optional: *optional }
            }
            Expr::Slice(term, from, to, optional) => {
                let (from, to) = (self.expr(from)?, self.expr(to)?);
                Node::Slice { term: self.expr(term)?, from, to, optional: *optional }
            }
            Expr::Each(term, optional) => Node::Each { term: self.expr(term)?, optional: *optional },
            Expr::Pipe(a, b) => Node::Pipe(self.expr(a)?, self.expr(b)?),
            Expr::Comma(a, b) => Node::Comma(self.expr(a)?, self.expr(b)?),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.binary(*op, a, b)
            }
            Expr::And(a, b) => Node::And(self.expr(a)?, self.expr(b)?),
            Expr::Or(a, b) => Node::Or(self.expr(a)?, self.expr(b)?),
            Expr::Alternative(a, b) => Node::Alternative(self.expr(a)?, self.expr(b)?),
            Expr::Negate(a) => Node::Negate(self.expr(a)?),
            Expr::Modify(paths, update) => Node::Modify(self.expr(paths)?, self.expr(update)?),
            Expr::Update(op, paths, value) => {
                let op = *op;
                return self.update(paths, value, |resolver, current, value| resolver.binary(op, current, value));
            }
            Expr::UpdateAlternative(paths, value) => {
                return self.update(paths, value, |_, current, value| Node::Alternative(current, value));
            }
            Expr::Array(inner) => Node::Collect(self.expr(inner)?),
            Expr::Object(members) => {
                let mut resolved = Vec::new();
                for (key, value) in members {
                    let (key, value) = match key {
                        Key::Expr(key) => (self.expr(key)?, value.as_ref().map(|value| self.expr(value)).transpose()?),
                        Key::Variable(name, place) => {
                            let key = self.constant(Value::String(name.clone()));
                            (key, Some(self.variable(name, *place)?))
                        }
                    };
                    resolved.push((key, value));
                }
                Node::Object(resolved.into())
            }
            Expr::Variable(name, place) => return self.variable(name, *place),
            Expr::Call(name, args, place) => return self.call(name, args, *place),
            Expr::Format(inner, name) => Node::Format(self.expr(inner)?, name.clone()),
            Expr::If(condition, then, otherwise) => {
                Node::If(self.expr(condition)?, self.expr(then)?, self.expr(otherwise)?)
            }
            Expr::Try(body, handler) => {
                let body = self.expr(body)?;
                Node::Try(body, handler.as_ref().map(|handler| self.expr(handler)).transpose()?)
            }
            Expr::Label(name, body) => {
                self.scope.push(Entry::Label(name.clone(), self.slots));
                self.slots += 1;
                let body = self.expr(body);
                self.slots -= 1;
                self.scope.pop();
                Node::Label(body?)
            }
            Expr::Break(name, place) => {
                let found = self.scope.iter().rev().find_map(|entry| match entry {
                    Entry::Label(own, slot) if own == name => Some(*slot),
                    _ => None,
                });
                match found {
                    Some(slot) => Node::Break(self.slots - slot - 1),
                    None => return Ok(self.wrong(&format!("$*label-{name} is not defined"), *place)),
                }
            }
            Expr::Reduce(source, patterns, init, update) => {
                let (source, init) = (self.expr(source)?, self.expr(init)?);
                let (patterns, update) = self.bound(patterns, |resolver| resolver.expr(update))?;
                Node::Reduce { source, patterns, init, update }
            }
            Expr::Foreach(source, patterns, init, update, extract) => {
                let (source, init) = (self.expr(source)?, self.expr(init)?);
                let (patterns, (update, extract)) = self.bound(patterns, |resolver| {
                    let update = resolver.expr(update)?;
                    Ok((update, extract.as_ref().map(|extract| resolver.expr(extract)).transpose()?))
                })?;
                Node::Foreach { source, patterns, init, update, extract }
            }
            Expr::Bind(source, patterns, body) => {
                let source = self.expr(source)?;
                let (patterns, body) = self.bound(patterns, |resolver| resolver.expr(body))?;
                Node::Bind { source, patterns, body }
            }
            Expr::Def(definition, body) => {
                self.definition(definition)?;
                let body = self.expr(body);
                self.scope.pop();
                return body;
            }
        };
        Ok(self.add(node))
    }

    /// A binary operator; of two constants the result, where there is one.
    fn binary(&mut self, op: Op, a: NodeId, b: NodeId) -> Node {
        const LONGEST_FOLDED: usize = 4096;
        let constant = |id: NodeId| match self.program.nodes.get(id as usize) {
            Some(Node::Const(value)) => Some(value.clone()),
            _ => None,
        };
        if let (Some(a), Some(b)) = (constant(a), constant(b))
            && let Ok(value) = ops::binary(op, a, b, &Watch::unwatched())
            // Programs are kept.
            && !matches!(&value, Value::String(text) if text.len() > LONGEST_FOLDED)
        {
            return Node::Const(value);
        }
        Node::Binary(op, a, b)
    }

    /// `VALUE as $tmp | PATHS |= (. OP $tmp)`
    fn update(
        &mut self,
        paths: &Expr,
        value: &Expr,
        make: impl FnOnce(&mut Self, NodeId, NodeId) -> Node,
    ) -> Result<NodeId, Refusal> {
        let source = self.expr(value)?;
        self.slots += 1;
        let paths = self.expr(paths);
        let current = self.add(Node::Identity);
        let value = self.add(Node::Variable(0));
        let update = make(self, current, value);
        let update = self.add(update);
        self.slots -= 1;
        let body = self.add(Node::Modify(paths?, update));
        let patterns = self.simple_pattern();
        Ok(self.add(Node::Bind { source, patterns, body }))
    }

    fn simple_pattern(&mut self) -> u32 {
        self.program.patterns.push(Patterns { alternatives: vec![Matcher::Variable(0)], variables: 1 });
        u32::try_from(self.program.patterns.len() - 1).unwrap_or(u32::MAX)
    }

    /// Compiles what sees the variables of patterns.
    fn bound<T>(
        &mut self,
        patterns: &[Pattern],
        body: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<(u32, T), Refusal> {
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut alternatives = Vec::new();
        for pattern in patterns {
            alternatives.push(self.matcher(pattern, &mut names)?);
        }
        let outer = self.scope.len();
        for (at, name) in (0..).zip(&names) {
            self.scope.push(Entry::Variable(name.clone(), self.slots + at));
        }
        let variables = u32::try_from(names.len()).unwrap_or(u32::MAX);
        self.slots += variables;
        let body = body(self);
        self.slots -= variables;
        self.scope.truncate(outer);
        self.program.patterns.push(Patterns { alternatives, variables });
        Ok((u32::try_from(self.program.patterns.len() - 1).unwrap_or(u32::MAX), body?))
    }

    fn matcher(&mut self, pattern: &Pattern, names: &mut Vec<Arc<str>>) -> Result<Matcher, Refusal> {
        let mut slot = |name: &Arc<str>| {
            let at = names.iter().position(|own| own == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            });
            u32::try_from(at).unwrap_or(u32::MAX)
        };
        Ok(match pattern {
            Pattern::Variable(name) => Matcher::Variable(slot(name)),
            Pattern::Array(items) => {
                Matcher::Array(items.iter().map(|item| self.matcher(item, names)).collect::<Result<_, _>>()?)
            }
            Pattern::Object(items) => {
                let mut resolved = Vec::new();
                for (key, variable, inner) in items {
                    let key = self.expr(key)?;
                    if !self.program.simple.get(key as usize).copied().unwrap_or(false) {
                        return Err("a pattern of several (`?//`) whose key may have several values".to_owned().into());
                    }
                    let variable = variable.as_ref().map(|name| {
                        let at = names.iter().position(|own| own == name).unwrap_or_else(|| {
                            names.push(name.clone());
                            names.len() - 1
                        });
                        u32::try_from(at).unwrap_or(u32::MAX)
                    });
                    let inner = inner.as_ref().map(|inner| self.matcher(inner, names)).transpose()?;
                    resolved.push((key, variable, inner));
                }
                Matcher::Object(resolved)
            }
        })
    }

    fn variable(&mut self, name: &Arc<str>, place: usize) -> Result<NodeId, Refusal> {
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
            return Ok(self.constant(Value::from(super::version::BUILD_CONFIGURATION)));
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
    fn function(&mut self, definition: &Definition) -> Result<u32, Refusal> {
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

    fn call(&mut self, name: &Arc<str>, args: &[Expr], place: usize) -> Result<NodeId, Refusal> {
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
