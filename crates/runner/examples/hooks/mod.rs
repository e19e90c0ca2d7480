//! The example hooks, as a host registers them.

pub(crate) mod git_checkpoint;
pub(crate) mod permission_gate;
pub(crate) mod protected_paths;
