//! Where the log of hooks' runs is.

use std::ffi::OsString;

use hookshell_runner::{HookLog, state_dir};

/// Where the log is, if the environment names a directory for it.
pub(crate) fn hook_log(env: impl Fn(&str) -> Option<OsString>) -> Option<HookLog> {
    state_dir(env).map(HookLog::new)
}
