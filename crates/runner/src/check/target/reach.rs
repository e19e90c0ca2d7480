//! On which systems code is reached, and what the answer to a question about the system says of that.

use hookshell_syntax::ast::AndOrOp;

use super::CheckTarget;

/// Some of the systems that can be checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Systems(u8);

impl Systems {
    pub(super) const ALL: Self = Self(7);
    pub(super) const NONE: Self = Self(0);
    /// Each alone.
    pub(super) const EACH: [Self; 3] = [Self(1), Self(2), Self(4)];

    pub(super) fn of(target: CheckTarget) -> Self {
        Self(match target {
            CheckTarget::Windows => 1,
            CheckTarget::Macos => 2,
            CheckTarget::Linux => 4,
        })
    }

    pub(super) fn has(self, target: CheckTarget) -> bool {
        self.overlaps(Self::of(target))
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.and(other) != Self::NONE
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn others(self) -> Self {
        Self(Self::ALL.0 & !self.0)
    }
}

/// On which systems code may be reached, and on which it is reached for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) may: Systems,
    pub(super) must: Systems,
}

impl Reach {
    pub(super) const ALWAYS: Self = Self { may: Systems::ALL, must: Systems::ALL };
    /// By something that does not ask for the system.
    pub(super) const SOMETIMES: Self = Self { may: Systems::ALL, must: Systems::NONE };

    pub(super) fn and(self, other: Self) -> Self {
        Self { may: self.may.and(other.may), must: self.must.and(other.must) }
    }
}

/// On which systems a condition may hold, and on which it may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) yes: Systems,
    pub(super) no: Systems,
}

impl Answer {
    /// It asks something else.
    pub(super) const OTHER: Self = Self { yes: Systems::ALL, no: Systems::ALL };

    pub(super) fn is(systems: Systems) -> Self {
        Self { yes: systems, no: systems.others() }
    }

    pub(super) fn not(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }

    /// What is done where it holds.
    pub(super) fn on_yes(self) -> Reach {
        Reach { may: self.yes, must: self.yes.and(self.no.others()) }
    }

    /// What is done where it does not hold.
    pub(super) fn on_no(self) -> Reach {
        self.not().on_yes()
    }

    /// `[ "$(uname)" = Darwin ] && x || y`: `y` is meant for the others.
    pub(super) fn followed_by(self, op: AndOrOp, next: Self) -> Self {
        let asks = next.yes != Systems::ALL || next.no != Systems::ALL;
        if op == AndOrOp::And && !asks { self } else { self.then(op, next) }
    }

    pub(super) fn then(self, op: AndOrOp, next: Self) -> Self {
        match op {
            AndOrOp::And => Self { yes: self.yes.and(next.yes), no: self.no.or(next.no) },
            AndOrOp::Or => Self { yes: self.yes.or(next.yes), no: self.no.and(next.no) },
        }
    }
}
