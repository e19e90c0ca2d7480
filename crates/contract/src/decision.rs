//! What hooks decide.

use std::fmt;

/// A decision about a tool call. The order is the precedence: deny wins over defer, defer over ask, ask over
/// allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Decision {
    /// Approved: no permission prompt.
    Allow,
    /// The user is to be asked, whatever another hook allowed.
    Ask,
    /// The host is to decide later, and to call the hooks again (Claude Code; under the native contract it is ask).
    Defer,
    /// Blocked: the model sees the reason and may try something else.
    Deny,
}

impl Decision {
    /// `"allow"`, `"ask"`, `"defer"` or `"deny"`, as the verdict has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Defer => "defer",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
