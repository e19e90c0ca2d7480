//! What a hook gave, as a text that is compared with that of a quiet run.

use std::fmt::Write;
use std::path::Path;

use hookshell_runner::{HookOutcome, HookReport};

use super::hook::{Variant, directory};
use crate::spec::{Left, list_left};

/// Longer contents of files are shown by their lengths and their first bytes.
const CONTENT: usize = 200;

/// All that a hook gave but its time: the result and what is in its directory, with the directory's own name replaced. `None`
/// for a hook that is not ours.
pub(super) fn shown(hook: &HookReport, root: &Path) -> Option<String> {
    let (index, _) = Variant::of_tag(&hook.name)?;
    let mut text = format!(
        "{} decision={:?} halt={} exit={:?} reason={:?} context={:?} input={:?} stderr={:?}",
        hook.outcome.as_str(),
        hook.opinion.decision,
        hook.opinion.halt,
        hook.exit_code,
        hook.opinion.reason,
        hook.opinion.context,
        hook.opinion.updated_input,
        hook.stderr,
    );
    let own = root.join(directory(index));
    for (name, left) in list_left(&own.join("work")) {
        let _ = match left {
            Left::File(content) => {
                let first = content.get(..CONTENT).unwrap_or(&content);
                write!(text, "\n  {name}: {} {:?}", content.len(), String::from_utf8_lossy(first))
            }
            Left::Directory => write!(text, "\n  {name}/"),
            Left::Other => write!(text, "\n  {name}: special"),
        };
    }
    if let Ok(out) = std::fs::read(own.join("out")) {
        let first = out.get(..CONTENT).unwrap_or(&out);
        let _ = write!(text, "\n  stdout: {} {:?}", out.len(), String::from_utf8_lossy(first));
    }
    let temporary = list_left(&own.join("tmp")).len();
    let _ = write!(text, "\n  temporary files: {temporary}");
    let root = root.to_string_lossy();
    let session = Path::new(&*root).file_name().unwrap_or_default().to_string_lossy();
    // The session is called as the directory is, and the hook by its variant.
    let tag = format!("`{}`", hook.name);
    Some(text.replace(&*root, "@").replace(&*session, "@").replace(&tag, "`@`"))
}

/// What no result may be, whatever happened to its hook.
pub(super) fn wrong(hook: &HookReport, variant: Variant) -> Option<String> {
    let reason = hook.opinion.reason.as_deref().unwrap_or_default();
    match &hook.outcome {
        HookOutcome::Failed(failure) if failure.as_str() == "Panicked" => Some("it panicked".into()),
        HookOutcome::Failed(_) if reason.trim().is_empty() => {
            Some(format!("{} without a reason", hook.outcome.as_str()))
        }
        HookOutcome::Failed(_) | HookOutcome::Decided | HookOutcome::NoOpinion => None,
        HookOutcome::Started if variant == Variant::Async => None,
        other => Some(format!("it came out as {}", other.as_str())),
    }
}
