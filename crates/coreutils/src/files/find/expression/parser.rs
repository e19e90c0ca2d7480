//! The grammar of an expression: what is joined, what is negated, what stands in parentheses.

use hookshell_utility::zone::Zone;
use hookshell_utility::{Unsupported, UtilityCall};

use super::super::regex::Kind;
use super::{Expression, Node, Test};

/// Parentheses nest at most so deep here.
const DEEPEST: usize = 100;

/// Reads the expression.
///
/// # Errors
/// What is not supported, and everything that is no expression: the real program says what is wrong with it.
pub(in super::super) fn read_expression<'a>(
    words: &[&'a [u8]],
    call: &UtilityCall<'a>,
) -> Result<Expression<'a>, Unsupported> {
    let mut parser = Parser {
        words,
        at: 0,
        depth: 0,
        zone: Zone::of(call.env)?,
        has_action: false,
        deletes: false,
        prunes: false,
        has_depth: false,
        regex_kind: Kind::Default,
        day_end: None,
        bytes: hookshell_utility::locale::is_bytes(call.env),
        expression: Expression {
            root: Node::Test(Test::True),
            executions: Vec::new(),
            files: Vec::new(),
            max_depth: usize::MAX,
            files_from: None,
            min_depth: 0,
            depth_first: false,
            one_device: false,
            follows: false,
            warnings: Vec::new(),
        },
    };
    let root = if words.is_empty() { Node::Test(Test::True) } else { parser.list()? };
    if parser.at < words.len() {
        return Err(parser.misplaced());
    }
    if parser.deletes && parser.prunes && !parser.has_depth {
        return Err(Unsupported::mistake("-delete with -prune"));
    }
    let mut expression = parser.expression;
    expression.root = match parser.has_action {
        true => root,
        false => Node::And(vec![root, Node::Test(Test::Print(b'\n', None))]),
    };
    Ok(expression)
}

pub(super) struct Parser<'w, 'a> {
    pub(super) words: &'w [&'a [u8]],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) zone: Zone,
    /// Something is done, so that nothing is printed by itself.
    pub(super) has_action: bool,
    pub(super) deletes: bool,
    pub(super) prunes: bool,
    pub(super) has_depth: bool,
    pub(super) regex_kind: Kind,
    /// The end of this day, once there was a `-daystart`.
    pub(super) day_end: Option<(i64, u32)>,
    /// Characters are bytes.
    pub(super) bytes: bool,
    pub(super) expression: Expression<'a>,
}

impl<'a> Parser<'_, 'a> {
    pub(super) fn misplaced(&self) -> Unsupported {
        match self.words.get(self.at) {
            Some(word) => Unsupported::mistake(format!("{} there", word.escape_ascii())),
            None => Unsupported::mistake("an expression that ends so"),
        }
    }

    fn peek(&self) -> Option<&'a [u8]> {
        self.words.get(self.at).copied()
    }

    fn list(&mut self) -> Result<Node<'a>, Unsupported> {
        let mut nodes = vec![self.or()?];
        while self.peek() == Some(b",") {
            self.at += 1;
            nodes.push(self.or()?);
        }
        // The real one's optimizer drops or keeps such operands by rules of its own.
        if nodes.len() > 1 && !nodes.iter().all(acts) {
            return Err(Unsupported::new("a comma after or before tests alone"));
        }
        Ok(single(nodes, Node::List))
    }

    fn or(&mut self) -> Result<Node<'a>, Unsupported> {
        let mut nodes = vec![self.and()?];
        while matches!(self.peek(), Some(b"-o" | b"-or")) {
            self.at += 1;
            nodes.push(self.and()?);
        }
        Ok(single(nodes, Node::Or))
    }

    fn and(&mut self) -> Result<Node<'a>, Unsupported> {
        let mut nodes = vec![self.not()?];
        loop {
            match self.peek() {
                Some(b"-a" | b"-and") => self.at += 1,
                None | Some(b"-o" | b"-or" | b"," | b")") => break,
                Some(_) => {}
            }
            nodes.push(self.not()?);
        }
        Ok(single(nodes, Node::And))
    }

    fn not(&mut self) -> Result<Node<'a>, Unsupported> {
        let mut negative = false;
        while matches!(self.peek(), Some(b"!" | b"-not")) {
            self.at += 1;
            negative = !negative;
        }
        let node = self.primary()?;
        Ok(if negative { Node::Not(Box::new(node)) } else { node })
    }

    fn primary(&mut self) -> Result<Node<'a>, Unsupported> {
        let word = self.peek().ok_or_else(|| self.misplaced())?;
        if word == b"(" {
            if self.depth >= DEEPEST {
                return Err(Unsupported::new("so many parentheses"));
            }
            self.at += 1;
            self.depth += 1;
            let node = self.list()?;
            self.depth -= 1;
            if self.peek() != Some(b")") {
                return Err(self.misplaced());
            }
            self.at += 1;
            return Ok(node);
        }
        let Some(name) = word.strip_prefix(b"-") else { return Err(self.misplaced()) };
        let start = self.at;
        self.at += 1;
        let test = self.test(name)?;
        match test {
            Some(test) => Ok(Node::Test(test)),
            None => {
                self.at = start;
                Err(Unsupported::option(word))
            }
        }
    }

    pub(super) fn argument(&mut self) -> Result<&'a [u8], Unsupported> {
        let word = self.peek().ok_or_else(|| self.misplaced())?;
        self.at += 1;
        Ok(word)
    }

    /// What cannot be read is refused with the argument.
    pub(super) fn bad<T>(&self, text: &[u8]) -> Result<T, Unsupported> {
        let test = self.at.checked_sub(2).and_then(|at| self.words.get(at)).copied().unwrap_or_default();
        Err(Unsupported::mistake(format!("{} {}", test.escape_ascii(), text.escape_ascii())))
    }
}

fn single<'a>(mut nodes: Vec<Node<'a>>, join: impl FnOnce(Vec<Node<'a>>) -> Node<'a>) -> Node<'a> {
    match (nodes.len(), nodes.pop()) {
        (1, Some(node)) => node,
        (_, Some(node)) => {
            nodes.push(node);
            join(nodes)
        }
        (_, None) => Node::Test(Test::True),
    }
}

/// Is anything done there?
fn acts(node: &Node<'_>) -> bool {
    match node {
        Node::Not(inner) => acts(inner),
        Node::And(nodes) | Node::Or(nodes) | Node::List(nodes) => nodes.iter().any(acts),
        Node::Test(test) => {
            matches!(test, Test::Print(..) | Test::Printf(..) | Test::List(_) | Test::Execute(_) | Test::Delete)
        }
    }
}
