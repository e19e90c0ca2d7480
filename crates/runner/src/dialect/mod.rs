//! What differs between agents: one file per agent's contract.

pub(crate) mod claude;
pub(crate) mod native;
