//! What leads to an exit: the conditions around it, and the message before it.

use super::Language;
use super::event::Names;
use super::exits::{Code, Exit};
use super::statements::{Program, closing};
use super::tokens::Token;

/// How many statements before an exit its message may stand.
const NEAR: usize = 12;

pub(super) struct Branches<'p, 's> {
    pub(super) program: &'p Program<'s>,
    pub(super) names: &'p Names<'s>,
    /// All of the program.
    pub(super) exits: &'p [Exit],
    pub(super) language: &'p Language,
}

/// What must hold for a statement to be reached.
enum Condition<'p, 's> {
    /// It holds.
    Holds(&'p [Token<'s>]),
    /// The event has one of several texts: a branch of `match` or `switch`.
    IsOneOf,
    /// None of what is listed, after which the program ends with 0.
    IsNotListed,
}

impl<'p, 's> Branches<'p, 's> {
    /// Does it stand in the handling of an error?
    pub(super) fn is_handler(&self, exit: &Exit) -> bool {
        const ERRORS: [&str; 3] = ["error", "uncaughtException", "unhandledRejection"];
        let handles = |tokens: &[Token<'_>]| {
            tokens.iter().any(|token| {
                token.is_one_of(self.language.handlers)
                    || token.is_text() && ERRORS.contains(&token.text) && !self.language.is_python
            })
        };
        let own = self.program.tokens(exit.statement).get(..exit.at).unwrap_or_default();
        handles(own)
            || self.program.around(exit.statement).any(|around| {
                let tokens = self.program.tokens(around);
                let is_event = tokens.iter().any(|token| token.is("on") || token.is_one_of(self.language.handlers));
                is_event && handles(tokens)
            })
    }

    /// Does a search in the event lead to it: `if "rm" in command:`?
    pub(super) fn is_found(&self, exit: &Exit) -> bool {
        let conditions = self.conditions(exit);
        if conditions.first().is_some_and(|first| self.is_something_else(first)) {
            return false;
        }
        conditions.iter().any(|condition| match condition {
            Condition::Holds(tokens) => self.names.asks(tokens),
            Condition::IsOneOf | Condition::IsNotListed => true,
        })
    }

    /// Is it reached where the event is not there, or for the sake of something of the system?
    pub(super) fn is_of_something_else(&self, exit: &Exit) -> bool {
        self.conditions(exit).first().is_some_and(|first| self.is_something_else(first))
    }

    fn is_something_else(&self, condition: &Condition<'_, '_>) -> bool {
        matches!(condition, Condition::Holds(tokens) if self.names.is_of_something_else(tokens))
    }

    /// Does a message on standard error stand before it, in the same branch?
    pub(super) fn is_told(&self, exit: &Exit) -> bool {
        if self.is_of_something_else(exit) {
            return false;
        }
        let own = self.program.tokens(exit.statement).get(..exit.at).unwrap_or_default();
        if self.writes(own) {
            return true;
        }
        // `if (bad) process.exit(1)`: what stands before it is said in any case.
        if !own_conditions(own).is_empty() {
            return false;
        }
        let parent = self.program.parent(exit.statement);
        self.program.before(exit.statement).take(NEAR).any(|before| {
            let mut between = self.program.around(before).take_while(|around| Some(*around) != parent);
            self.writes(self.program.tokens(before)) && between.all(|around| is_loop(self.program.tokens(around)))
        })
    }

    /// Is something written on standard error?
    fn writes(&self, tokens: &[Token<'_>]) -> bool {
        tokens.iter().enumerate().any(|(at, token)| {
            let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
            if self.language.is_python {
                // `stderr=subprocess.PIPE` is none.
                let is_of_sys =
                    before(1).is_some_and(|dot| dot.is(".")) && before(2).is_some_and(|name| name.is("sys"));
                token.is("stderr") && (is_of_sys || before(1).is_some_and(|equals| equals.is("=")))
                    || token.is_one_of(&["eprint"])
            } else {
                let of = |name: &str| {
                    before(1).is_some_and(|dot| dot.is(".")) && before(2).is_some_and(|token| token.is(name))
                };
                token.is_one_of(&["error", "warn"]) && of("console") || token.is("stderr") && of("process")
            }
        })
    }

    /// The conditions that lead to an exit, the nearest first.
    fn conditions(&self, exit: &Exit) -> Vec<Condition<'p, 's>> {
        let program = self.program;
        let mut found: Vec<Condition<'p, 's>> = Vec::new();
        let own = program.tokens(exit.statement).get(..exit.at).unwrap_or_default();
        found.extend(own_conditions(own).into_iter().rev().map(Condition::Holds));
        if found.is_empty() {
            found.extend(self.not_listed(exit.statement));
        }
        for (inner, around) in
            [exit.statement].into_iter().chain(program.around(exit.statement)).zip(program.around(exit.statement))
        {
            let tokens = program.tokens(around);
            found.extend(
                own_conditions(tokens).into_iter().rev().filter(|condition| !is_start(condition)).map(Condition::Holds),
            );
            found.extend(self.label(inner, around));
            if tokens.first().is_some_and(|first| first.is("else")) && own_conditions(tokens).is_empty() {
                found.extend(self.not_listed(around));
            }
        }
        found
    }

    /// A branch of `match` or `switch` for some texts of the event.
    fn label(&self, inner: usize, around: usize) -> Option<Condition<'p, 's>> {
        let tokens = self.program.tokens(around);
        let first = tokens.first()?;
        let (subject, label) = if first.is("case") {
            (self.program.tokens(self.program.parent(around)?), tokens)
        } else if first.is("switch") {
            let is_label = |at: &usize| {
                let is_own = self.program.parent(*at) == Some(around);
                is_own && self.program.tokens(*at).first().is_some_and(|first| first.is_one_of(&["case", "default"]))
            };
            (tokens, self.program.tokens(self.program.before(inner).take(NEAR).find(is_label)?))
        } else {
            return None;
        };
        let has_text = label.first().is_some_and(|first| first.is("case")) && label.iter().any(Token::is_text);
        let condition = label.iter().position(|token| token.is("if")).and_then(|at| label.get(at + 1..));
        if let Some(condition) = condition.filter(|_| self.language.is_python) {
            return Some(Condition::Holds(condition));
        }
        // `switch (true) { case cmd.includes("rm"):`
        let subject = subject.iter().any(|token| self.names.is_known(token));
        if !subject && self.names.asks(label) {
            return Some(Condition::Holds(label));
        }
        (subject && has_text).then_some(Condition::IsOneOf)
    }

    /// What stands before it lets calls through by an exit with 0: `if command in ALLOWED: sys.exit(0)`.
    fn not_listed(&self, statement: usize) -> Option<Condition<'p, 's>> {
        let parent = self.program.parent(statement);
        let tokens = |at: usize| self.program.tokens(at);
        let is_of_block = |at: &usize| self.program.parent(*at) == parent;
        let is_message = |at: &usize| {
            let names = ["print", "console", "stderr", "log"];
            tokens(*at).iter().take(3).any(|token| token.is_one_of(&names))
        };
        let before = self.program.before(statement).take(NEAR).find(|at| is_of_block(at) && !is_message(at))?;
        let head = tokens(before);
        let conditions = own_conditions(head);
        let is_asked = conditions.iter().any(|condition| self.names.asks(condition));
        let is_zero = |exit: &Exit| {
            exit.code == Code::Known(0)
                && (exit.statement == before || self.program.parent(exit.statement) == Some(before))
        };
        let first = self.exits.partition_point(|exit| exit.statement < before);
        let mut between = self.exits.iter().skip(first).take_while(|exit| exit.statement < statement);
        (is_asked && between.any(is_zero)).then_some(Condition::IsNotListed)
    }
}

/// The conditions in a statement: of `if (x)`, `elif x:`, and what stands before `&&`, `and` and `?`. The outer first.
fn own_conditions<'p, 's>(tokens: &'p [Token<'s>]) -> Vec<&'p [Token<'s>]> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(first) = tokens.get(start) {
        if first.is_one_of(&["}", "else"]) {
            start += 1;
        } else if first.is_one_of(&["if", "elif"]) {
            let is_bracket = tokens.get(start + 1).is_some_and(|next| next.is("("));
            let close = closing(tokens, start + 1);
            // A condition of Python's may begin with a bracket that ends before it does.
            let ends = if tokens.last().is_some_and(|last| last.is(":")) { tokens.len() - 1 } else { close };
            let end = if is_bracket { ends } else { tokens.len().saturating_sub(1) };
            found.push(tokens.get(start + 1..end).unwrap_or_default());
            start = end + 1;
        } else {
            break;
        }
    }
    let rest = tokens.get(start..).unwrap_or_default();
    let last = rest.iter().rposition(|token| !token.is_one_of(&["return", "(", "void", "await"]));
    if let Some(last) = last
        && rest.get(last).is_some_and(|token| token.is_one_of(&["&&", "and", "?"]))
    {
        found.push(rest.get(..last).unwrap_or_default());
    }
    found
}

/// `if __name__ == "__main__"`, `if (require.main === module)`
fn is_start(condition: &[Token<'_>]) -> bool {
    condition.iter().any(|token| token.is("__name__"))
        || condition.windows(3).any(
            |three| matches!(three, [module, _, main] if module.is_one_of(&["require", "meta"]) && main.is("main")),
        )
}

fn is_loop(tokens: &[Token<'_>]) -> bool {
    tokens.first().is_some_and(|first| first.is_one_of(&["for", "while"]))
        || tokens.iter().any(|token| token.is("forEach"))
}
