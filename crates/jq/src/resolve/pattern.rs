//! Patterns (`as [$a, {b: $c}]`), and what sees their variables.

use std::sync::Arc;

use super::super::ast::Pattern;
use super::super::program::{Matcher, Patterns};
use super::{Entry, Refusal, Resolver};

impl Resolver<'_> {
    pub(super) fn simple_pattern(&mut self) -> u32 {
        self.program.patterns.push(Patterns { alternatives: vec![Matcher::Variable(0)], variables: 1 });
        u32::try_from(self.program.patterns.len() - 1).unwrap_or(u32::MAX)
    }

    /// Compiles what sees the variables of patterns.
    pub(super) fn bound<T>(
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
}
