//! Which hooks may run: what a project brings along runs only where somebody trusts it.

mod policy;

pub use self::policy::{Trust, TrustPolicy};
