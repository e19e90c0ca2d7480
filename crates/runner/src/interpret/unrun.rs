//! Reports of hooks that have said nothing.

use super::report;
use crate::config::HookConfig;
use crate::opinion::Opinion;
use crate::outcome::{Failure, HookOutcome};
use crate::verdict::HookReport;

/// The report of a hook that was not run because one before it has decided.
pub(crate) fn not_asked(hook: &HookConfig, by: &str) -> HookReport {
    let mut report = report(hook);
    report.opinion.reason = Some(format!("it was not run: {} stops at the answer of `{by}`", hook.dialect.agent()));
    report
}

/// The report of a hook that was started and is not waited for.
pub(crate) fn started(hook: &HookConfig) -> HookReport {
    let mut report = report(hook);
    report.outcome = HookOutcome::Started;
    report
}

/// The report of a hook that was denied its run: the reason says why.
pub(crate) fn denied_unrun(hook: &HookConfig, reason: String) -> HookReport {
    let mut report = report(hook);
    report.outcome = HookOutcome::Decided;
    report.opinion = Opinion::deny(Some(reason));
    report
}

/// The report of a hook that nobody trusts. Its config has no say either, so its `on_failure` does not count.
pub(crate) fn untrusted(hook: &HookConfig, reason: String) -> HookReport {
    let mut report = report(hook);
    report.outcome = HookOutcome::Untrusted;
    report.opinion.reason = Some(reason);
    report
}

/// The report of a hook that cannot be run.
pub(crate) fn failed_unrun(hook: &HookConfig, failure: Failure) -> HookReport {
    let mut report = report(hook);
    report.opinion.reason = Some(failure.to_string());
    report.outcome = HookOutcome::Failed(failure);
    report
}
