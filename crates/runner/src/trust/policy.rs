//! The host's say.

use crate::config::HookConfig;
use crate::event::HookEvent;

/// May a hook run?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// It may.
    Trusted,
    /// It is not run: its result is [`HookOutcome::Untrusted`](crate::HookOutcome::Untrusted) with this reason, and it has
    /// no opinion.
    Untrusted(String),
}

/// Says which hooks that were found in a project ([`Origin::Project`](crate::Origin::Project)) may run. Other hooks are
/// never asked about: who names them trusts them.
///
/// It is asked each time before such a hook is started, after its matcher has matched, on the thread that runs the
/// event. A closure is one:
///
/// ```
/// use hookshell_runner::{Runner, Trust, HookConfig, HookEvent};
///
/// let runner = Runner::builder()
///     .trust(|hook: &HookConfig, _: &HookEvent| match hook.command.starts_with("./.hooks/") {
///         true => Trust::Trusted,
///         false => Trust::Untrusted("it is not one of ./.hooks".to_owned()),
///     })
///     .build()?;
/// # Ok::<(), hookshell_runner::BuildError>(())
/// ```
///
/// Without a policy no such hook runs.
pub trait TrustPolicy: Send + Sync {
    /// May this hook run on this event?
    fn judge(&self, hook: &HookConfig, event: &HookEvent) -> Trust;
}

impl<F> TrustPolicy for F
where
    F: Fn(&HookConfig, &HookEvent) -> Trust + Send + Sync,
{
    fn judge(&self, hook: &HookConfig, event: &HookEvent) -> Trust {
        self(hook, event)
    }
}
