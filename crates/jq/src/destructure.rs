//! Patterns whose keys may have several values (`. as {("a", "b"): $x}`): each value binds the variables anew.
//!
//! Such a pattern becomes a stream of arrays of what its variables are, which a plain pattern takes apart: `SOURCE as PATTERN` is
//! `(SOURCE as $value | KEY as $key | … | [MEMBER, …]) as [$a, …]`. The names in between cannot be written in a program.

use std::sync::Arc;

use super::ast::{Expr, Pattern};
use super::value::Value;

/// May a key of this pattern have no value, or several?
fn has_stream(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Variable(_) => false,
        Pattern::Array(items) => items.iter().any(has_stream),
        Pattern::Object(items) => {
            items.iter().any(|(key, _, inner)| !has_one_value(key) || inner.as_ref().is_some_and(has_stream))
        }
    }
}

/// Has the expression exactly one value, or fails?
fn has_one_value(expr: &Expr) -> bool {
    match expr {
        Expr::Identity | Expr::Const(_) | Expr::Variable(..) => true,
        Expr::Field(a, b, false) | Expr::Pipe(a, b) | Expr::Binary(_, a, b) => has_one_value(a) && has_one_value(b),
        Expr::Format(inner, _) => has_one_value(inner),
        _ => false,
    }
}

/// The expression that does the same, where it takes its source apart by such a pattern. With alternatives (`?//`) there is none.
pub(super) fn flattened(expr: &Expr) -> Option<Expr> {
    let (Expr::Reduce(source, patterns, ..) | Expr::Foreach(source, patterns, ..) | Expr::Bind(source, patterns, _)) =
        expr
    else {
        return None;
    };
    let pattern = match patterns.as_slice() {
        [pattern] if has_stream(pattern) => pattern,
        _ => return None,
    };
    let (source, pattern) = plain(source, pattern);
    let (source, patterns) = (Box::new(source), vec![pattern]);
    Some(match expr {
        Expr::Reduce(_, _, init, update) => Expr::Reduce(source, patterns, init.clone(), update.clone()),
        Expr::Foreach(_, _, init, update, extract) => {
            Expr::Foreach(source, patterns, init.clone(), update.clone(), extract.clone())
        }
        Expr::Bind(_, _, body) => Expr::Bind(source, patterns, body.clone()),
        other => other.clone(),
    })
}

/// The source and the pattern that do the same.
fn plain(source: &Expr, pattern: &Pattern) -> (Expr, Pattern) {
    let mut steps = Steps::default();
    let value = steps.bind(source.clone());
    steps.take_apart(pattern, &value);
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut values = Vec::new();
    for (name, value) in &steps.found {
        // Of one name the first counts.
        if !names.contains(name) {
            names.push(name.clone());
            values.push(Expr::Array(Box::new(variable(value))));
        }
    }
    let sum = |a, b| Expr::Binary(super::ast::Op::Add, Box::new(a), Box::new(b));
    let array = values.into_iter().reduce(sum).unwrap_or_else(|| Expr::Const(Value::array(Vec::new())));
    let source =
        steps.bindings.into_iter().rev().fold(array, |body, (name, value)| {
            Expr::Bind(Box::new(value), vec![Pattern::Variable(name)], Box::new(body))
        });
    (source, Pattern::Array(names.into_iter().map(Pattern::Variable).collect()))
}

fn variable(name: &Arc<str>) -> Expr {
    Expr::Variable(name.clone(), 0)
}

#[derive(Default)]
struct Steps {
    /// What is bound one after the other.
    bindings: Vec<(Arc<str>, Expr)>,
    /// The pattern's variables, and where their values are.
    found: Vec<(Arc<str>, Arc<str>)>,
}

impl Steps {
    fn bind(&mut self, value: Expr) -> Arc<str> {
        let name: Arc<str> = format!("*{}", self.bindings.len()).into();
        self.bindings.push((name.clone(), value));
        name
    }

    fn member(&mut self, value: &Arc<str>, key: Expr) -> Arc<str> {
        self.bind(Expr::Field(Box::new(variable(value)), Box::new(key), false))
    }

    fn take_apart(&mut self, pattern: &Pattern, value: &Arc<str>) {
        match pattern {
            Pattern::Variable(name) => self.found.push((name.clone(), value.clone())),
            Pattern::Array(items) => {
                for (at, item) in items.iter().enumerate().rev() {
                    let inner = self.member(value, Expr::Const(Value::count(at)));
                    self.take_apart(item, &inner);
                }
            }
            Pattern::Object(items) => {
                for (key, name, inner) in items {
                    let key = self.bind(Expr::Pipe(Box::new(variable(value)), Box::new(key.clone())));
                    let member = self.member(value, variable(&key));
                    if let Some(name) = name {
                        self.found.push((name.clone(), member.clone()));
                    }
                    if let Some(inner) = inner {
                        self.take_apart(inner, &member);
                    }
                }
            }
        }
    }
}
