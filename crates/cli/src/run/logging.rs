//! What `hookshell run` logs.

use std::time::SystemTime;

use hookshell_runner::{Event, HookLog, HookReport, Verdict};

use super::RunArgs;
use crate::hook_log::hook_log;
use crate::otlp::Exporter;
use crate::output;

/// Logs the runs of a verdict's hooks. It never changes the verdict: where it fails there is a note.
pub(crate) fn append(args: &RunArgs, event: &Event, verdict: &Verdict) {
    append_to(of_run(args).as_ref(), args, event, verdict);
}

/// Likewise, to the log that the run is to be written to.
pub(crate) fn append_to(log: Option<&HookLog>, args: &RunArgs, event: &Event, verdict: &Verdict) {
    let Some(log) = log else { return };
    if let Err(error) = log.append(event, verdict)
        && args.verbose
    {
        output::note(&format!("log: {}: {error}", log.path().display()));
    }
}

/// Logs and exports a hook of the background that has ended.
pub(crate) fn keep_result(log: Option<&HookLog>, exporter: Option<&Exporter>, event: &Event, hook: &HookReport) {
    if let Some(log) = log {
        // Nobody is there any more who could be told that it failed.
        drop(log.append_result(event, hook));
    }
    if let Some(exporter) = exporter {
        exporter.export(event, std::slice::from_ref(hook), SystemTime::now() - hook.elapsed);
    }
}

/// The log that a run is to be written to.
pub(crate) fn of_run(args: &RunArgs) -> Option<HookLog> {
    of_process(args, || hook_log(|name| std::env::var_os(name)))
}

/// Likewise, of the log that this process has: one for all runs, whose threads take turns at its file.
pub(crate) fn of_process(args: &RunArgs, log: impl FnOnce() -> Option<HookLog>) -> Option<HookLog> {
    let setting = std::env::var_os("HOOKSHELL_LOG").unwrap_or_default();
    if args.no_log || setting == "off" && !args.log_payload {
        return None;
    }
    Some(log()?.payload(args.log_payload || setting == "payload"))
}
