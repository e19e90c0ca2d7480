//! The grammar of the generated programs, as data.
//!
//! A production is a template: text with placeholders in `«»` that name other symbols. `«counter»` is a name of its
//! own for every application, `«function»` the next function's name, `«call»` one that is defined. Programs must end
//! and do the same every time: loops count, only functions defined before are called, what depends on time, process
//! ids or chance is only asked whether it is there.

mod arithmetic;
mod builtins;
mod commands;
mod conditions;
mod expansions;
mod words;

/// Where a production may be applied, and what it opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// Anywhere.
    Any,
    /// Inside a loop.
    Loop,
    /// Inside a function.
    Function,
    /// Neither in a loop nor in a function: values that grow, or what may happen only once.
    Once,
    /// It is a loop.
    NewLoop,
    /// It defines a function.
    NewFunction,
    /// In no substitution: bash prints the commands there and reads that again, and has lost a `;` after a here-document.
    Outside,
    /// It is a substitution.
    NewSubstitution,
}

/// One way to write a symbol.
#[derive(Debug)]
pub(crate) struct Production {
    /// How often it is taken, beside the others of its symbol.
    pub(crate) weight: usize,
    /// Text and placeholders.
    pub(crate) template: &'static str,
    /// What it covers: names of the inventory, separated by blanks.
    pub(crate) covers: &'static str,
    /// Where it may stand.
    pub(crate) context: Context,
}

impl Production {
    /// No placeholder leads back to itself.
    pub(crate) fn is_leaf(&self) -> bool {
        const LEXICAL: &[&str] = &[
            "scalar",
            "integer",
            "any-name",
            "number",
            "literal",
            "counter",
            "function",
            "call",
            "file",
            "letters",
            "pattern-literal",
            "key",
            "class",
        ];
        self.template
            .split('«')
            .skip(1)
            .all(|rest| rest.split_once('»').is_some_and(|(name, _)| LEXICAL.contains(&name)))
    }
}

/// A production that may stand anywhere.
const fn p(weight: usize, template: &'static str, covers: &'static str) -> Production {
    Production { weight, template, covers, context: Context::Any }
}

/// A production for a context.
const fn within(context: Context, weight: usize, template: &'static str, covers: &'static str) -> Production {
    Production { weight, template, covers, context }
}

/// A symbol and its productions.
pub(crate) type Symbol = (&'static str, &'static [Production]);

/// All symbols.
pub(crate) const SYMBOLS: &[&[Symbol]] = &[
    commands::SYMBOLS,
    builtins::SYMBOLS,
    words::SYMBOLS,
    expansions::SYMBOLS,
    arithmetic::SYMBOLS,
    conditions::SYMBOLS,
];

/// The productions of a symbol. One that does not exist gives its own name as text, which the test below rules out.
pub(crate) fn grammar(name: &str) -> Symbol {
    const MISSING: Symbol = ("missing", &[p(1, "missing-symbol", "")]);
    SYMBOLS.iter().copied().flatten().find(|(symbol, _)| *symbol == name).copied().unwrap_or(MISSING)
}

#[cfg(test)]
mod tests {
    use super::{SYMBOLS, grammar};

    #[test]
    fn every_placeholder_names_a_symbol() {
        for (symbol, productions) in SYMBOLS.iter().copied().flatten() {
            assert!(productions.iter().any(super::Production::is_leaf), "{symbol} never ends");
            for production in *productions {
                for rest in production.template.split('«').skip(1) {
                    let (name, _) = rest.split_once('»').expect("an open placeholder");
                    let known = matches!(name, "counter" | "function" | "call") || grammar(name).0 == name;
                    assert!(known, "{symbol}: {name}");
                }
            }
        }
    }
}
