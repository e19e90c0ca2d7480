//! Reports of hooks that have said nothing.

use crate::config::HookConfig;
use crate::opinion::Opinion;
use crate::report::{Failure, HookOutcome, HookReport};

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

/// The report of a hook that has said nothing yet.
pub(super) fn report(hook: &HookConfig) -> HookReport {
    let mut report = HookReport::new(hook.display_name(), hook.own_command());
    report.origin = hook.origin;
    report.place.clone_from(&hook.place);
    report.dialect_event_name = hook.place.is_some().then_some(hook.dialect_event_name);
    report.matcher = hook.matcher.pattern().map(str::to_owned);
    report.agent = Some(hook.dialect.into());
    report.wakes = hook.rewakes;
    // Where nothing is blocked there is nothing that a failure could deny.
    if hook.dialect.contract().can_block(hook.event) {
        report.on_failure = hook.on_failure;
    }
    report
}
