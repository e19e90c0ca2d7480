//! What `hookshell check` says of one config, for `status` and `install`.

use std::path::Path;

use hookshell_runner::{Checker, Dialect, Dispatcher, Finding, FindingCode};

use crate::directories::working_directory;
use crate::failure::Failure;
use crate::model;

/// What the hooks of a file would trip over on this machine.
pub(crate) fn findings(file: &Path, dialect: Option<Dialect>) -> Result<Vec<Finding>, Failure> {
    let checker = Checker::new(Dispatcher::builder().build(), std::env::vars_os(), working_directory()?)
        .dialect(dialect)
        .model_fault(model::fault());
    Ok(checker.check([file]).findings)
}

/// Why the agent runs no hook of a file, wired or not: it takes nothing of it, or the file switches its hooks off.
pub(crate) fn why_none_runs(file: &Path, dialect: Option<Dialect>) -> Result<Vec<Finding>, Failure> {
    let mut found = findings(file, dialect)?;
    found.retain(|finding| matches!(finding.code, FindingCode::FileIgnored | FindingCode::HooksDisabled));
    Ok(found)
}
