//! From the expression to the program that runs: names become places, builtins are added as they are used.

mod names;
mod pattern;

use std::collections::HashMap;
use std::sync::Arc;

use super::ast::{Definition, Expr, Import, Key, Op};
use super::destructure;
use super::module::Library;
use super::ops;
use super::parse::{self, Mistake, Parsed, Rejected};
use super::program::{Node, NodeId, Program};
use super::value::Value;
use super::watch::Watch;

/// Why a program cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not supported.
    Unsupported(String),
    /// It is wrong: jq's messages, without the last line.
    Wrong(Vec<String>),
    /// It is not valid: jq's messages. A later version may know what this one does not.
    Syntax(Vec<String>),
}

impl Refusal {
    pub(super) fn syntax(source: &[u8], file: &str, mistakes: &[Mistake]) -> Self {
        let located = |mistake: &Mistake| located(source, file, &mistake.message, mistake.place);
        Self::Syntax(mistakes.iter().map(located).collect())
    }
}

impl From<String> for Refusal {
    fn from(what: String) -> Self {
        Self::Unsupported(what)
    }
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
        Err(Rejected::Unsupported(what)) => return (Err(what.into()), false),
        Err(Rejected::Mistakes(mistakes)) => return (Err(Refusal::syntax(source, "<top-level>", &mistakes)), false),
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
}
