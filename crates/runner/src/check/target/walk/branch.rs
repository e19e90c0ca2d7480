//! The systems that code is for, and what it tries first.

use hookshell_syntax::ast::{IfClause, List};

use super::super::handled;
use super::super::program::Try;
use super::super::reach::Reach;
use super::{Tried, Walk};
use crate::check::walk::Visitor;

impl Walk {
    /// The items of a list. What stands after `[ "$(uname)" = Darwin ] || exit 0` is for that system.
    pub(super) fn items(&mut self, list: &List) {
        for item in &list.items {
            self.and_or(&item.and_or);
            self.reach = self.reach.and(self.asked.after(&item.and_or));
        }
    }

    /// Walks through what is reached only so.
    pub(super) fn within(&mut self, reach: Reach, walk: impl FnOnce(&mut Self)) {
        let before = self.reach;
        self.reach = before.and(reach);
        walk(self);
        self.reach = before;
    }

    pub(super) fn if_clause(&mut self, clause: &IfClause) {
        let around = self.tried.len();
        let branches = clause.branches.len() + usize::from(clause.otherwise.is_some());
        if branches > 1 {
            for name in handled::tried(clause) {
                let branch = Try { group: self.new_group(), side: 0 };
                self.tried.push(Tried { name, branch, is_instead: false, branches });
            }
        }
        let mut left = Reach::ALWAYS;
        for (side, (condition, body)) in clause.branches.iter().enumerate() {
            let answer = self.asked.list(condition);
            // What is done where the command works is the next branch's then.
            self.branch(around, side + usize::from(handled::is_negated(condition)), side > 0);
            self.within(left, |walk| walk.list(condition));
            self.branch(around, side, true);
            self.within(left.and(answer.on_yes()), |walk| walk.list(body));
            left = left.and(answer.on_no());
        }
        if let Some(body) = &clause.otherwise {
            self.branch(around, clause.branches.len(), true);
            self.within(left, |walk| walk.list(body));
        }
        self.tried.truncate(around);
    }

    /// Enters a branch of the `if` whose commands are those from a number on.
    pub(super) fn branch(&mut self, from: usize, side: usize, is_instead: bool) {
        for tried in self.tried.iter_mut().skip(from) {
            tried.branch.side = side;
            tried.is_instead = is_instead;
        }
    }

    /// What is tried that a command of this name is part of.
    pub(super) fn tries_of(&mut self, name: &str) -> Vec<Try> {
        let mut tries = self.tries.clone();
        for tried in self.tried.iter().filter(|tried| tried.name == name) {
            tries.push(tried.branch);
            if tried.is_instead {
                self.program.groups.insert(tried.branch.group, tried.branches);
            }
        }
        tries
    }
}
