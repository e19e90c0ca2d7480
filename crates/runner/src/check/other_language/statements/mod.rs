//! The statements of a program, and in which others they stand.

mod javascript;
mod python;

pub(super) use javascript::statements as of_javascript;
pub(super) use python::statements as of_python;

use super::tokens::Token;

/// How deep a statement may stand in others; what is deeper is nobody's guard.
pub(super) const DEPTH: usize = 64;

/// A statement, or what a block begins with: `if x:`, `main().catch((error) => {`.
#[derive(Debug, Default)]
pub(super) struct Statement<'s> {
    pub(super) tokens: Vec<Token<'s>>,
    /// What the block begins with in which it stands.
    pub(super) parent: Option<usize>,
}

/// All of a program, in their order.
pub(super) struct Program<'s> {
    pub(super) statements: Vec<Statement<'s>>,
}

/// A longer statement is data, not a guard's: the rest of it is left out.
const MOST_TOKENS: usize = 1024;

impl<'s> Program<'s> {
    fn new(mut statements: Vec<Statement<'s>>) -> Self {
        statements.iter_mut().for_each(|statement| statement.tokens.truncate(MOST_TOKENS));
        Self { statements }
    }

    pub(super) fn tokens(&self, statement: usize) -> &[Token<'s>] {
        self.statements.get(statement).map_or(&[], |statement| &statement.tokens)
    }

    /// The statements around one, the nearest first.
    pub(super) fn around(&self, statement: usize) -> impl Iterator<Item = usize> {
        let parent = |at: &usize| self.statements.get(*at)?.parent;
        std::iter::successors(parent(&statement), parent).take(DEPTH)
    }

    /// Those before it in the same block, the nearest first, with what stands in them.
    pub(super) fn before(&self, statement: usize) -> impl Iterator<Item = usize> {
        let parent = self.statements.get(statement).and_then(|statement| statement.parent);
        let first = parent.map_or(0, |parent| parent + 1);
        (first..statement).rev()
    }

    pub(super) fn parent(&self, statement: usize) -> Option<usize> {
        self.statements.get(statement)?.parent
    }
}

/// Where the bracket ends that is opened at `open`: the place of the closing one, or the end.
pub(super) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is_one_of(&["(", "[", "{"]) {
            depth += 1;
        } else if token.is_one_of(&[")", "]", "}"]) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at;
            }
        }
    }
    tokens.len()
}

/// The places of tokens that stand in no bracket.
pub(super) fn outside<'t, 's>(tokens: &'t [Token<'s>]) -> impl Iterator<Item = (usize, &'t Token<'s>)> {
    let mut depth = 0_usize;
    tokens.iter().enumerate().filter(move |(_, token)| {
        if token.is_one_of(&["(", "[", "{"]) {
            depth += 1;
            return false;
        }
        if token.is_one_of(&[")", "]", "}"]) {
            depth = depth.saturating_sub(1);
            return false;
        }
        depth == 0
    })
}
