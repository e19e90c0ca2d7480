//! Makes a program that shows a difference smaller, as long as it shows one.

use super::subject::{Bench, Outcome};
use super::tree::{Node, Part};
use crate::error::Error;

/// How many smaller programs are tried for one difference.
const MAX_TRIES: usize = 700;

/// Symbols that may stand for each other.
const FAMILIES: &[&[&str]] = &[
    &["statement", "definition", "list", "here", "setup", "report", "options"],
    &["simple", "builtin", "compound", "pipeline", "and-or", "assignment", "test", "jump"],
    &["word", "piece", "operand", "value", "literal", "expansion"],
    &["dq-parts", "dq-part", "literal", "expansion"],
    &["arith", "atom", "number", "index", "offset"],
    &["condition"],
    &["pattern", "pattern-part", "pattern-literal", "extended"],
];

/// What a symbol is replaced by when it cannot be left out.
fn simplest(symbol: &str) -> &'static [&'static str] {
    match symbol {
        "word" | "piece" | "operand" | "value" | "dq-parts" | "dq-part" | "expansion" | "pattern" | "pattern-part"
        | "literal" => &["", "a"],
        "arith" | "atom" | "index" | "offset" | "number" | "operand-number" => &["", "1"],
        "simple" | "builtin" | "compound" | "pipeline" | "and-or" | "assignment" => &["", ":", "false"],
        "condition" => &["a", "''"],
        "list" => &["", ":\n"],
        _ => &[""],
    }
}

/// The smallest program found.
pub(crate) fn shrink(bench: &Bench, program: &Node) -> Result<String, Error> {
    let (bash, ours) = bench.both(&program.render())?;
    let (syntax_error, kind) = (bash.has_syntax_error(), bash.kind_of_difference(&ours));
    let mut shrinker = Shrinker { bench, tries: 0, syntax_error, kind };
    let mut tree = program.clone();
    while let Some(smaller) = shrinker.smaller_tree(&tree)? {
        tree = smaller;
    }
    let mut text = tree.render();
    while let Some(smaller) = shrinker.smaller_text(&text)? {
        text = smaller;
    }
    Ok(text)
}

struct Shrinker<'a> {
    bench: &'a Bench,
    tries: usize,
    /// The first program has one already.
    syntax_error: bool,
    kind: (i32, i32, bool, bool),
}

impl Shrinker<'_> {
    fn still_differs(&mut self, script: &str) -> Result<bool, Error> {
        if self.tries >= MAX_TRIES {
            return Ok(false);
        }
        self.tries += 1;
        let (bash, ours) = self.bench.both(script)?;
        // A syntax error that was not there would be another difference.
        Ok(!bash.agrees(&ours)
            && self.is_same_kind(&bash, &ours)
            && (self.syntax_error || !bash.has_syntax_error())
            && super::known::reason(script, &bash, &ours).is_none())
    }

    /// The end of the program may go, and with it the program's status; what the shells did differently may not.
    fn is_same_kind(&self, bash: &Outcome, ours: &Outcome) -> bool {
        let (status, other, same_stdout, same_messages) = bash.kind_of_difference(ours);
        let (had_status, had_other, had_same_stdout, had_same_messages) = self.kind;
        (status == other) == (had_status == had_other)
            && (status == other || (status, other) == (had_status, had_other))
            && same_stdout == had_same_stdout
            && same_messages == had_same_messages
    }

    /// One pass over the tree, outer nodes first; `None` when nothing could be taken away.
    fn smaller_tree(&mut self, tree: &Node) -> Result<Option<Node>, Error> {
        let mut tree = tree.clone();
        let mut changed = false;
        let mut at = 0;
        loop {
            let paths = tree.paths();
            let Some(path) = paths.get(at) else {
                return Ok(changed.then_some(tree));
            };
            at += 1;
            let Some(node) = tree.get(path) else { continue };
            let size = node.render().len();
            let mut smaller: Vec<Node> =
                simplest(node.symbol).iter().map(|text| Node::text(node.symbol, *text)).collect();
            smaller.extend(relatives(node));
            smaller.retain(|new| new.render().len() < size);
            for new in smaller {
                let candidate = tree.with(path, new);
                if self.still_differs(&candidate.render())? {
                    tree = candidate;
                    changed = true;
                    break;
                }
            }
        }
    }

    /// One pass over lines, then over words.
    fn smaller_text(&mut self, text: &str) -> Result<Option<String>, Error> {
        for separator in ['\n', ' '] {
            let pieces: Vec<&str> = text.split_inclusive(separator).collect();
            for skipped in 0..pieces.len() {
                let candidate: String =
                    pieces.iter().enumerate().filter(|(index, _)| *index != skipped).map(|(_, piece)| *piece).collect();
                if self.still_differs(&candidate)? {
                    return Ok(Some(candidate));
                }
            }
        }
        Ok(None)
    }
}

/// The nodes below that may take this one's place, the outermost of each branch.
fn relatives(node: &Node) -> Vec<Node> {
    let mut found = Vec::new();
    let mut stack: Vec<&Node> = vec![node];
    while let Some(parent) = stack.pop() {
        for part in &parent.parts {
            if let Part::Node(child) = part {
                let alike = child.symbol == node.symbol
                    || FAMILIES.iter().any(|f| f.contains(&node.symbol) && f.contains(&child.symbol));
                if alike {
                    found.push(child.clone());
                } else {
                    stack.push(child);
                }
            }
        }
    }
    found
}
