//! Which hooks may run: what a project brings along runs only where somebody trusts it.

mod policy;
mod record;
mod scan;
mod store;

pub use self::policy::{Trust, TrustPolicy};
pub use self::record::TrustedProject;
pub use self::scan::ScriptFile;
pub use self::store::{Examined, TrustError, TrustStatus, TrustStore};
