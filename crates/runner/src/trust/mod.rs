//! Which hooks may run: what a project brings along runs only where somebody trusts it.

mod path_text;
mod policy;
mod record;
mod scan;
mod sentry;
mod store;
mod trace;
mod watch;

pub use self::policy::{Admission, Trust, TrustPolicy};
pub(crate) use self::policy::{Watched, while_it_ran};
pub use self::record::TrustedProject;
pub use self::scan::ScriptFile;
pub use self::store::{Examined, TrustError, TrustStatus, TrustStore};
