//! What jq says of itself.

/// `jq --version`
pub(crate) const VERSION: &str = "jq-1.7.1";

/// `jq --build-configuration` and `$JQ_BUILD_CONFIGURATION`: in jq the words of its `configure`.
pub(crate) const BUILD_CONFIGURATION: &str = "hookshell";
