//! What the generated programs reach, beside all that there is.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::grammar::{Production, SYMBOLS};
use crate::error::Error;

/// Where the syntax tree is defined; its enums' variants are the inventory of nodes.
const TREE: &str = "crates/syntax/src/ast";

/// Where the builtins are listed.
const BUILTINS: &str = "crates/shell/src/interpreter/builtins/mod.rs";

/// Flags of nodes and letters of operators, which are no variants of an enum.
const FURTHER: &[&str] = &[
    "ListItem.background Pipeline.negated Pipeline.time TimeKeyword.posix_format Stage.pipe_stderr WhileClause.until",
    "Assignment.append ArrayElement.subscript ArrayElement.append FunctionDefinition.keyword HereDocument.quoted",
    "HereDocument.strip_tabs CommandSubstitution.backquoted ProcessSubstitution.read ProcessSubstitution.write",
    "ParameterExpansion.indirect ArithmeticVariable.subscript",
    "unary:a unary:b unary:c unary:d unary:e unary:f unary:g unary:h unary:k unary:n unary:o unary:p unary:r unary:s",
    "unary:t unary:u unary:v unary:w unary:x unary:z unary:G unary:L unary:N unary:O unary:R unary:S",
    "transform:U transform:u transform:L transform:Q transform:E transform:P transform:A transform:K transform:a",
    "transform:k",
    "set:-a set:-b set:-C set:-e set:-E set:-f set:-h set:-k set:-m set:-n set:-p set:-P set:-T set:-u set:-v set:-x",
    "set:-B set:pipefail trap:EXIT trap:ERR trap:DEBUG trap:RETURN trap:signal",
    "pattern:star pattern:question pattern:bracket pattern:class pattern:equivalence",
    "pattern:@( pattern:?( pattern:*( pattern:+( pattern:!(",
];

/// What is in the inventory and is not generated, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("Compound::Coprocess", "a clear error here, by design"),
    ("builtin:bind", "interactive: a clear error here, by design"),
    ("builtin:compgen", "interactive"),
    ("builtin:complete", "interactive"),
    ("builtin:compopt", "interactive"),
    ("builtin:fc", "interactive"),
    ("builtin:history", "interactive: a clear error here, by design"),
    ("builtin:suspend", "stops the shell"),
];

/// How often what was generated.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    counts: BTreeMap<&'static str, usize>,
    builtins: BTreeMap<String, usize>,
    productions: BTreeMap<(&'static str, &'static str), usize>,
}

impl Coverage {
    /// A production was applied.
    pub(crate) fn hit(&mut self, symbol: &'static str, production: &'static Production) {
        *self.productions.entry((symbol, production.template)).or_default() += 1;
        for name in production.covers.split_whitespace() {
            *self.counts.entry(name).or_default() += 1;
        }
        if symbol == "builtin" {
            let first = production.template.trim_start_matches('(').split([' ', '+']).next().unwrap_or_default();
            *self.builtins.entry(format!("builtin:{first}")).or_default() += 1;
        }
    }

    /// Adds what another worker has counted.
    pub(crate) fn add(&mut self, other: &Self) {
        for (name, count) in &other.counts {
            *self.counts.entry(name).or_default() += count;
        }
        for (name, count) in &other.builtins {
            *self.builtins.entry(name.clone()).or_default() += count;
        }
        for (production, count) in &other.productions {
            *self.productions.entry(*production).or_default() += count;
        }
    }

    fn count(&self, name: &str) -> usize {
        self.counts.get(name).copied().unwrap_or(0) + self.builtins.get(name).copied().unwrap_or(0)
    }

    /// The table to print, and the names that were never generated.
    ///
    /// # Errors
    /// The sources that hold the inventory cannot be read.
    pub(crate) fn table(&self, root: &Path) -> Result<(String, Vec<String>), Error> {
        let inventory = inventory(root)?;
        let mut missing = Vec::new();
        let mut table = String::from("coverage (times generated)\n");
        let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for name in &inventory {
            let count = self.count(name);
            if LEFT_OUT.iter().any(|(left_out, _)| left_out == name) {
                continue;
            }
            if count == 0 {
                missing.push(name.clone());
            }
            let node = name.starts_with(|c: char| c.is_ascii_uppercase()).then(|| name.split_once("::")).flatten();
            let (group, item) = node.or_else(|| name.split_once([':', '.'])).unwrap_or((name, ""));
            groups.entry(group).or_default().push(format!("{item} {count}"));
        }
        for (group, items) in groups {
            let _ = writeln!(table, "  {group}: {}", items.join(", "));
        }
        let all: usize = SYMBOLS.iter().copied().flatten().map(|(_, productions)| productions.len()).sum();
        let _ = writeln!(table, "  productions of the grammar: {} of {all}", self.productions.len());
        for (symbol, productions) in SYMBOLS.iter().copied().flatten() {
            for production in *productions {
                if !self.productions.contains_key(&(*symbol, production.template)) {
                    missing.push(format!("production of {symbol}: {}", production.template.escape_debug()));
                }
            }
        }
        for (name, reason) in LEFT_OUT {
            let _ = writeln!(table, "  left out: {name}: {reason}");
        }
        Ok((table, missing))
    }
}

/// All names that must be reached: variants of the syntax tree's enums, builtins, flags and letters.
fn inventory(root: &Path) -> Result<BTreeSet<String>, Error> {
    let mut names = BTreeSet::new();
    let directory = root.join(TREE);
    let unreadable = |source| Error::File { path: directory.clone(), source };
    let mut tree = String::new();
    for entry in std::fs::read_dir(&directory).map_err(unreadable)? {
        tree += &read(&entry.map_err(unreadable)?.path())?;
    }
    let mut current = None;
    for line in tree.lines() {
        if let Some(rest) = line.strip_prefix("pub enum ") {
            current = rest.split_whitespace().next();
        } else if line == "}" {
            current = None;
        } else if let (Some(name), Some(variant)) = (current, line.strip_prefix("    "))
            && variant.starts_with(|c: char| c.is_ascii_uppercase())
        {
            let end = variant.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(variant.len());
            names.insert(format!("{name}::{}", &variant[..end]));
        }
    }
    let builtins = read(&root.join(BUILTINS))?;
    let list = builtins.split_once("static BUILTINS").map_or("", |(_, rest)| rest);
    for line in list.lines().take_while(|line| *line != "];") {
        let line = line.trim_start();
        if ["builtin(\"", "special(\"", "declaration(\""].iter().any(|start| line.starts_with(start)) {
            names.insert(format!("builtin:{}", line.split('"').nth(1).unwrap_or_default()));
        }
    }
    for further in FURTHER {
        names.extend(further.split_whitespace().map(str::to_owned));
    }
    if names.len() < 200 {
        let found = names.len();
        return Err(Error::Unexpected(format!(
            "{TREE} and {BUILTINS} give only {found} names: has their form changed?"
        )));
    }
    Ok(names)
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| Error::File { path: path.to_path_buf(), source })
}
