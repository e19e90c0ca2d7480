//! The real jqs that ours is compared with: `cargo xtask jq` builds them.

use std::env;
use std::path::{Path, PathBuf};

use crate::skip::skip;

/// The version that ours is held to.
pub const JQ: &str = "1.7.1";

/// The newest one.
pub const NEWEST_JQ: &str = "1.8.2";

/// The directory that has the program `jq` of this version, and nothing else; `None` if it has not been built.
pub fn jq_directory(version: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |target| root.join(target));
    let directory = target.join("oracles").join(format!("jq-{version}"));
    if cfg!(unix) && directory.join("jq").is_file() { directory.canonicalize().ok() } else { None }
}

/// The program `jq` of this version. Says that the test is skipped where it has not been built.
///
/// # Panics
/// It has not, and `REQUIRE_INTERPRETERS=1`.
pub fn jq(version: &str) -> Option<PathBuf> {
    let directory = jq_directory(version);
    if directory.is_none() {
        skip(&missing_jq(version));
    }
    directory.map(|directory| directory.join("jq"))
}

/// Why there is none.
pub fn missing_jq(version: &str) -> String {
    format!("there is no jq {version}, which `cargo xtask jq` builds")
}
