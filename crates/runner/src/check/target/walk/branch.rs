//! The systems that code is for, and what it tries first.

use hookshell_syntax::ast::{AndOr, AndOrOp, Command, Compound, IfClause, List, Pipeline};

use super::super::for_system::{Answer, Systems};
use super::super::handled;
use super::super::program::Try;
use super::{Tried, Walk};
use crate::check::walk::Visitor;

impl Walk {
    /// The items of a list. What stands after `[ "$(uname)" = Darwin ] || exit 0` is for that system.
    pub(super) fn items(&mut self, list: &List) {
        for item in &list.items {
            self.and_or(&item.and_or);
            self.systems = self.systems.and(self.after(&item.and_or));
        }
    }

    /// The systems on which what stands after a command is reached.
    pub(super) fn after(&self, and_or: &AndOr) -> Systems {
        match &*and_or.rest {
            [(op, last)] if handled::ends(last) => {
                let answer = self.asked.pipeline(&and_or.first);
                if *op == AndOrOp::Or { answer.yes } else { answer.no }
            }
            [] => match only_compound(&and_or.first) {
                Some(Compound::If(IfClause { branches, otherwise: None })) => match &**branches {
                    [(condition, body)] if handled::list_ends(body) => self.asked.list(condition).no,
                    _ => Systems::ALL,
                },
                _ => Systems::ALL,
            },
            _ => Systems::ALL,
        }
    }

    pub(super) fn within(&mut self, systems: Systems, walk: impl FnOnce(&mut Self)) {
        let before = self.systems;
        self.systems = before.and(systems);
        walk(self);
        self.systems = before;
    }

    pub(super) fn if_clause(&mut self, clause: &IfClause) {
        let around = self.tried.len();
        let branches = clause.branches.len() + usize::from(clause.otherwise.is_some());
        if branches > 1 {
            for name in handled::tried(clause) {
                let branch = Try { group: self.new_group(), side: 0 };
                self.tried.push(Tried { name, branch, is_body: false, branches });
            }
        }
        let mut left = Systems::ALL;
        for (side, (condition, body)) in clause.branches.iter().enumerate() {
            let answer = self.asked.list(condition);
            self.branch(around, side, false);
            self.within(left, |walk| walk.list(condition));
            self.branch(around, side, true);
            self.within(left.and(answer.yes), |walk| walk.list(body));
            left = left.and(answer.no);
        }
        if let Some(body) = &clause.otherwise {
            self.branch(around, clause.branches.len(), true);
            self.within(left, |walk| walk.list(body));
        }
        self.tried.truncate(around);
    }

    /// Enters a branch of the `if` whose commands are those from a number on.
    pub(super) fn branch(&mut self, from: usize, side: usize, is_body: bool) {
        for tried in self.tried.iter_mut().skip(from) {
            tried.branch.side = side;
            tried.is_body = is_body;
        }
    }

    /// What is tried that a command of this name is part of.
    pub(super) fn tries_of(&mut self, name: &str) -> Vec<Try> {
        let mut tries = self.tries.clone();
        for tried in self.tried.iter().filter(|tried| tried.name == name) {
            tries.push(tried.branch);
            if tried.is_body {
                self.program.groups.insert(tried.branch.group, tried.branches);
            }
        }
        tries
    }
}

/// `[ "$(uname)" = Darwin ] && x || y`: `y` is meant for the others.
pub(super) fn combined(before: Answer, op: AndOrOp, next: Answer) -> Answer {
    let asks = next.yes != Systems::ALL || next.no != Systems::ALL;
    if op == AndOrOp::And && !asks { before } else { before.then(op, next) }
}

fn only_compound(pipeline: &Pipeline) -> Option<&Compound> {
    match &*pipeline.stages {
        [stage] => match &stage.command {
            Command::Compound(compound) => Some(&compound.kind),
            _ => None,
        },
        _ => None,
    }
}
