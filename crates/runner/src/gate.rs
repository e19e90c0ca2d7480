//! The question whether a project's hook may be started, asked right before it is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::config::{HookConfig, Origin};
use crate::event::Event;
use crate::settings::Settings;
use crate::trust::{Trust, TrustPolicy, Watched};
use crate::work::Work;

/// Stands before a project's hook. There is none before any other: who names a hook trusts it.
pub(crate) struct Gate {
    policy: Arc<dyn TrustPolicy>,
    /// As the config has it: what is joined of several hooks is not what was trusted.
    hook: HookConfig,
}

impl Gate {
    /// The gate of a hook; or why the hook may not run, whatever its files are.
    pub(crate) fn of(settings: &Settings, hook: &HookConfig, event: &Event) -> Result<Option<Self>, String> {
        if hook.origin != Origin::Project {
            return Ok(None);
        }
        let Some(policy) = &settings.trust else {
            return Err(NO_POLICY.to_owned());
        };
        // One that runs once is not to be taken as run when it is not.
        let is_asked_all = hook.once;
        let trust = asked(|| match is_asked_all {
            true => policy.judge(hook, event),
            false => policy.judge_settings(hook, event),
        })?;
        match trust {
            Trust::Trusted => Ok(Some(Self { policy: Arc::clone(policy), hook: hook.clone() })),
            Trust::Untrusted(reason) => Err(reason),
        }
    }

    /// Whether a project's hook may run, with the files that it has now; the reason where not.
    pub(crate) fn judge(settings: &Settings, hook: &HookConfig, event: &Event) -> Result<(), String> {
        let Some(policy) = &settings.trust else {
            return Err(NO_POLICY.to_owned());
        };
        match asked(|| policy.judge(hook, event))? {
            Trust::Trusted => Ok(()),
            Trust::Untrusted(reason) => Err(reason),
        }
    }

    /// May it be started, now? Its work is given what watches over its files.
    pub(crate) fn open(&self, event: &Event, work: &mut Work) -> Result<Option<Watched>, String> {
        let watched = asked(|| self.policy.admit(&self.hook, event))?.into_watched()?;
        if let Some(watched) = &watched {
            match work {
                Work::Command { invocation, .. } => invocation.guard = Some(watched.guard()),
                Work::NativeHook(..) | Work::Http(..) => watched.started(),
            }
        }
        Ok(watched)
    }
}

/// Why a project's hook does not run where nobody is asked about it.
const NO_POLICY: &str = "it was found in the project, and no trust policy is set";

fn asked<R>(ask: impl FnOnce() -> R) -> Result<R, String> {
    // A panic of the host's is no trust.
    let panicked = |_| "it was found in the project, and the trust policy panicked".to_owned();
    catch_unwind(AssertUnwindSafe(ask)).map_err(panicked)
}
