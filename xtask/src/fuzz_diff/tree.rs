//! A generated program: text with the places where the grammar was applied, so that it can be shrunk.

/// What one production gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// The nonterminal.
    pub(crate) symbol: &'static str,
    /// Text and what the placeholders became.
    pub(crate) parts: Vec<Part>,
}

/// A part of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// Text of the template.
    Text(String),
    /// A placeholder's subtree.
    Node(Node),
}

/// Where a node is: the index among the parts at every level.
pub(crate) type Path = Vec<usize>;

impl Node {
    /// A node without subtrees.
    pub(crate) fn text(symbol: &'static str, text: impl Into<String>) -> Self {
        Self { symbol, parts: vec![Part::Text(text.into())] }
    }

    /// The program's text.
    pub(crate) fn render(&self) -> String {
        let mut out = String::new();
        self.render_into(&mut out);
        out
    }

    fn render_into(&self, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Node(node) => node.render_into(out),
            }
        }
    }

    /// The places of all nodes below this one, outer before inner.
    pub(crate) fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.collect(&mut Vec::new(), &mut paths);
        paths
    }

    fn collect(&self, at: &mut Path, paths: &mut Vec<Path>) {
        for (index, part) in self.parts.iter().enumerate() {
            if let Part::Node(node) = part {
                at.push(index);
                paths.push(at.clone());
                node.collect(at, paths);
                at.pop();
            }
        }
    }

    /// The node at a place.
    pub(crate) fn get(&self, path: &[usize]) -> Option<&Self> {
        let Some((first, rest)) = path.split_first() else {
            return Some(self);
        };
        match self.parts.get(*first)? {
            Part::Node(node) => node.get(rest),
            Part::Text(_) => None,
        }
    }

    /// A copy with another node at a place.
    pub(crate) fn with(&self, path: &[usize], new: Self) -> Self {
        let Some((first, rest)) = path.split_first() else {
            return new;
        };
        let mut copy = self.clone();
        if let Some(Part::Node(node)) = copy.parts.get_mut(*first) {
            *node = node.with(rest, new);
        }
        copy
    }
}
