//! Has a person confirm dangerous commands; where there is nobody, they are denied.
//!
//! As a shell hook: `examples/lifecycle/hooks/permission-gate.sh`.

use std::sync::Arc;

use hookshell_runner::inprocess::{EventKind, HookRegistry, Response};
use regex::RegexSet;

/// What is dangerous: a deep or forced `rm`, root, a forced push, a disk that is written over.
const DANGEROUS: [&str; 4] = [
    r"\brm\s+(\S+\s+)*(-\w*[rRf]|--recursive|--force)",
    r"\b(sudo|doas)\b",
    r"\bgit\s+push\b.*(\s-f\b|--force)",
    r"\bdd\b.*\bof=/dev/",
];

/// Adds the hook for a tool named `bash`, in any case.
pub(crate) fn register<H: Send + 'static>(hooks: &mut HookRegistry<H>) -> Result<(), Box<dyn std::error::Error>> {
    let dangerous = Arc::new(RegexSet::new(DANGEROUS)?);
    hooks.add_with_pattern(EventKind::PreToolUse, "(?i)^bash$", async move |ctx| {
        let input = ctx.tool_input.as_ref();
        let Some(command) = input.and_then(|input| input["command"].as_str()).map(str::to_owned) else {
            return Response::none();
        };
        if !dangerous.is_match(&command) {
            Response::none()
        } else if !ctx.has_ui() {
            Response::deny("Dangerous command blocked: nobody is there to confirm it")
        } else if ctx.confirm("Dangerous command", &command).await {
            Response::none()
        } else {
            Response::deny("Blocked by user")
        }
    })?;
    Ok(())
}
