//! What code prints on each system: `case "$(uname)" in Darwin) echo mac;; *) echo linux;; esac`.

use hookshell_syntax::ast::{
    AndOr, AndOrOp, CaseTerminator, Command, Compound, List, Pipeline, RedirectionFd, RedirectionKind, SimpleCommand,
};

use super::flags::Values;
use super::for_system::Asked;
use super::reach::{Answer, Reach};
use crate::check::walk::{text, words};

/// What a list prints.
pub(super) fn by(asked: &Asked, list: &List) -> Values {
    let mut printed = Printed { asked, values: Values::one("") };
    printed.list(list, Reach::ALWAYS);
    printed.values
}

struct Printed<'a> {
    asked: &'a Asked,
    values: Values,
}

impl Printed<'_> {
    fn list(&mut self, list: &List, mut reach: Reach) {
        for item in &list.items {
            self.and_or(&item.and_or, reach);
            reach = reach.and(self.asked.after(&item.and_or));
        }
    }

    fn and_or(&mut self, and_or: &AndOr, reach: Reach) {
        let mut answer = self.pipeline(&and_or.first, reach);
        let mut before = &and_or.first;
        for (op, pipeline) in &and_or.rest {
            let next_reach = match op {
                AndOrOp::And if self.asked.may_fail(before) => answer.on_yes().and(Reach::SOMETIMES),
                AndOrOp::And => answer.on_yes(),
                AndOrOp::Or => answer.on_no(),
            };
            let next = self.pipeline(pipeline, reach.and(next_reach));
            answer = answer.followed_by(*op, next);
            before = pipeline;
        }
    }

    /// What the pipeline asks, too.
    fn pipeline(&mut self, pipeline: &Pipeline, reach: Reach) -> Answer {
        match &*pipeline.stages {
            [stage] => match &stage.command {
                Command::Simple(simple) => self.simple(simple, reach),
                Command::Compound(compound) => self.compound(&compound.kind, reach),
                Command::Function(_) => {}
            },
            // `uname | grep -q Darwin` prints nothing.
            _ if self.asked.pipeline(pipeline) != Answer::OTHER => {}
            _ => self.values.add(None, reach),
        }
        self.asked.pipeline(pipeline)
    }

    fn simple(&mut self, simple: &SimpleCommand, reach: Reach) {
        let Some(name) = simple.literal_name() else {
            // `os=x`, `local os=x`; `$mac`
            if !simple.arguments.is_empty() && self.asked.simple(simple) == Answer::OTHER {
                self.values.add(None, reach);
            }
            return;
        };
        let is_elsewhere = simple.redirections.iter().any(|redirection| {
            prints_into(&redirection.kind) && matches!(redirection.fd, None | Some(RedirectionFd::Number(1)))
        });
        let operands: Vec<_> = words(simple).skip(1).collect();
        match &*name {
            _ if is_elsewhere => {}
            b"[" | b"test" | b":" | b"true" | b"false" | b"return" | b"exit" | b"local" | b"declare" | b"shift" => {}
            b"echo" | b"printf" => {
                let word = match &*operands {
                    [one] => Some(*one),
                    [format, one] if matches!(&*text(format), "%s" | "%s\\n") => Some(*one),
                    _ => None,
                };
                let values = word.and_then(|word| match word.literal() {
                    Some(value) => {
                        let value = String::from_utf8_lossy(&value).into_owned();
                        Some(Values::one(value.strip_suffix("\\n").unwrap_or(&value)))
                    }
                    None => self.asked.value(word),
                });
                match values {
                    Some(values) => self.values.assign(&values, reach),
                    None => self.values.add(None, reach),
                }
            }
            name => match self.asked.printed_by(name) {
                Some(values) => {
                    let values = values.clone();
                    self.values.assign(&values, reach);
                }
                None if self.asked.simple(simple) != Answer::OTHER => {}
                None => self.values.add(None, reach),
            },
        }
    }

    fn compound(&mut self, compound: &Compound, reach: Reach) {
        match compound {
            Compound::Condition(_) | Compound::Arithmetic(_) => {}
            Compound::Brace(list) | Compound::Subshell(list) => self.list(list, reach),
            Compound::If(clause) => {
                let mut left = reach;
                for (condition, body) in &clause.branches {
                    let answer = self.asked.list(condition);
                    self.list(condition, left);
                    self.list(body, left.and(answer.on_yes()));
                    left = left.and(answer.on_no());
                }
                if let Some(body) = &clause.otherwise {
                    self.list(body, left);
                }
            }
            Compound::Case(clause) if clause.items.iter().all(|item| item.terminator == CaseTerminator::Break) => {
                let reaches = self.asked.cases(clause);
                for (at, item) in clause.items.iter().enumerate() {
                    let branch = match &reaches {
                        Some(reaches) => reaches.get(at).copied(),
                        None => Some(Reach::SOMETIMES),
                    };
                    if let Some(branch) = branch {
                        self.list(&item.body, reach.and(branch));
                    }
                }
            }
            _ => self.values.add(None, reach),
        }
    }
}

fn prints_into(kind: &RedirectionKind) -> bool {
    use RedirectionKind as Kind;

    matches!(
        kind,
        Kind::Write(_)
            | Kind::Clobber(_)
            | Kind::Append(_)
            | Kind::WriteBoth(_)
            | Kind::AppendBoth(_)
            | Kind::DuplicateOutput(_)
    )
}
