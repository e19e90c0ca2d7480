//! Applies the grammar at random: programs that end, and that do the same every time.

use super::coverage::Coverage;
use super::grammar::{Context, Production, grammar};
use super::tree::{Node, Part};
use fastrand::Rng;

/// How deep productions nest before only those without recursive placeholders are taken.
const MAX_DEPTH: usize = 17;

/// How many loops may nest: with three turns each, more would only take time.
const MAX_LOOPS: usize = 2;

/// Functions of a program at most; the n-th calls only those before it, so that every call ends.
const MAX_FUNCTIONS: usize = 3;

/// Generates one program.
pub(crate) struct Generator<'a> {
    random: Rng,
    coverage: &'a mut Coverage,
    depth: usize,
    loops: usize,
    in_function: bool,
    in_substitution: bool,
    /// How many productions may still nest lists: bounds the size.
    budget: usize,
    counters: usize,
    functions: usize,
}

impl<'a> Generator<'a> {
    /// The generator of program `index` of the run with this seed.
    pub(crate) fn new(seed: u64, index: u64, coverage: &'a mut Coverage) -> Self {
        Self {
            random: Rng::with_seed(seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15))),
            coverage,
            depth: 0,
            loops: 0,
            in_function: false,
            in_substitution: false,
            budget: 380,
            counters: 0,
            functions: 0,
        }
    }

    /// A whole program.
    pub(crate) fn program(mut self) -> Node {
        self.symbol("program")
    }

    fn symbol(&mut self, symbol: &str) -> Node {
        match symbol {
            // At least one: with no function yet, a name that is not one.
            "call" if self.functions == 0 => return Node::text("call", "nosuch"),
            "call" => {
                let index = self.random.usize(..self.functions.max(1));
                return Node::text("call", format!("f{index}"));
            }
            _ => {}
        }
        let (symbol, productions) = grammar(symbol);
        self.depth += 1;
        self.budget = self.budget.saturating_sub(1);
        let production = self.choose(productions);
        let node = self.apply(symbol, production);
        self.depth -= 1;
        node
    }

    fn choose(&mut self, productions: &'static [Production]) -> &'static Production {
        let only_leaves = self.depth > MAX_DEPTH || self.budget == 0;
        let mut allowed: Vec<&Production> = productions.iter().filter(|p| self.allows(p)).collect();
        if only_leaves && allowed.iter().any(|p| p.is_leaf()) {
            allowed.retain(|p| p.is_leaf());
        }
        let total: usize = allowed.iter().map(|p| p.weight).sum();
        let mut at = self.random.usize(..total.max(1));
        for production in &allowed {
            if at < production.weight {
                return production;
            }
            at -= production.weight;
        }
        &productions[0]
    }

    fn allows(&self, production: &Production) -> bool {
        match production.context {
            Context::Any => true,
            Context::Loop => self.loops > 0,
            Context::Function => self.in_function,
            // What grows with each turn, or must not run twice.
            Context::Once => self.loops == 0 && !self.in_function,
            Context::NewLoop => self.loops < MAX_LOOPS,
            Context::Outside => !self.in_substitution,
            Context::NewSubstitution => true,
            Context::NewFunction => !self.in_function && self.loops == 0 && self.functions < MAX_FUNCTIONS,
        }
    }

    fn apply(&mut self, symbol: &'static str, production: &'static Production) -> Node {
        self.coverage.hit(symbol, production);
        let before = (self.loops, self.in_function, self.in_substitution);
        match production.context {
            Context::NewLoop => self.loops += 1,
            Context::NewSubstitution => self.in_substitution = true,
            Context::NewFunction => {
                self.in_function = true;
                self.loops = 0;
            }
            _ => {}
        }
        let counter = self.counters;
        if production.template.contains("«counter»") {
            self.counters += 1;
        }
        let mut parts = Vec::new();
        let mut rest = production.template;
        while let Some((text, tail)) = rest.split_once('«') {
            let (name, tail) = tail.split_once('»').unwrap_or((tail, ""));
            if !text.is_empty() {
                parts.push(Part::Text(text.to_owned()));
            }
            match name {
                "counter" => parts.push(Part::Text(format!("k{counter}"))),
                "function" => parts.push(Part::Text(format!("f{}", self.functions))),
                name => parts.push(Part::Node(self.symbol(name))),
            }
            rest = tail;
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        (self.loops, self.in_function, self.in_substitution) = before;
        if production.context == Context::NewFunction {
            self.functions += 1;
        }
        Node { symbol, parts }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Generator;
    use crate::fuzz_diff::coverage::Coverage;

    fn program(seed: u64, index: u64, coverage: &mut Coverage) -> String {
        Generator::new(seed, index, coverage).program().render()
    }

    #[test]
    fn a_seed_and_an_index_name_a_program() {
        let mut coverage = Coverage::default();
        assert_eq!(program(5, 9, &mut coverage), program(5, 9, &mut coverage));
        assert_ne!(program(5, 9, &mut coverage), program(5, 10, &mut coverage));
        assert_ne!(program(5, 9, &mut coverage), program(6, 9, &mut coverage));
    }

    #[test]
    fn every_node_builtin_operator_and_production_is_generated() {
        let mut coverage = Coverage::default();
        for index in 0..4_000 {
            program(1, index, &mut coverage);
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace");
        let (_, missing) = coverage.table(root).expect("the sources are there");
        assert!(missing.is_empty(), "{missing:#?}");
    }
}
